"""``oracle-bayes``: near-Bayesian play of the paper's four bandits, whose dynamics it knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from baselines.base import random_argmax
from baselines.bayes.beliefs import Beliefs
from baselines.bayes.drift import DriftBeliefs
from baselines.bayes.piecewise import PiecewiseBeliefs
from baselines.bayes.sinusoid import SinusoidBeliefs
from baselines.oracles import NO_BANDIT, Watcher
from nsa_brian.common.checks import check_number
from nsa_brian.common.texts import shown

#: Beliefs by the class of the bandit; subclasses may have other dynamics.
BELIEFS: dict[str, Callable[..., Beliefs]] = {
    "envs.piecewise.Piecewise": PiecewiseBeliefs,
    "envs.drift.Drift": DriftBeliefs,
    "envs.sinusoid.Sinusoid": SinusoidBeliefs,
    "envs.partial_sinusoid.PartialSinusoid": SinusoidBeliefs,
}

#: Settings of bandits with other dynamics, with the value that is known.
KNOWN = {"n_targets": 0, "spacing": "random"}


class OracleBayes(Watcher):
    """Pull the arm with the highest index of a Bayesian observer who knows the bandit's dynamics and settings.

    It knows how probabilities are drawn and change, and when trials end, but not the probabilities. On MAB-P it has the
    Gittins index, on MAB-D, MAB-sin and MAB-sinP the mean + c standard deviations of p by a grid filter. It plays these
    bandits only, and is nearly as good as an agent that does not see probabilities can be: a reference for the distance
    of others to the bound.

    Parameters
    ----------
    c : float, optional
        Weight of the standard deviation (MAB-P: how much shorter than the trial the horizon of the index is). By
        default the value of the bandit's beliefs, see ``baselines.bayes``.
    **settings
        See :class:`baselines.base.Policy`.
    """

    compared = False
    _beliefs: Beliefs | None = None

    def __init__(self, n_arms: int, *, c: float | None = None, **settings: Any) -> None:
        super().__init__(n_arms, **settings)
        self.c = None if c is None else check_number("c", c, 0, 100)

    @classmethod
    def check_bandit(cls, bandit: Any) -> None:
        """Raise a ValueError for a bandit whose dynamics are not known."""
        if _kind(bandit) not in BELIEFS:
            raise ValueError(f"oracle-bayes plays MAB-P, MAB-D, MAB-sin and MAB-sinP only, got {type(bandit).__name__}")
        for setting, value in KNOWN.items():
            if getattr(bandit, setting, value) != value:
                given = shown(getattr(bandit, setting))
                raise ValueError(f"oracle-bayes plays bandits with {setting} {value} only, got {given}")

    def watch(self, bandit: Any) -> None:
        """Set the bandit, which is in its first round."""
        self.check_bandit(bandit)
        given = {} if self.c is None else {"c": self.c}
        self._beliefs = BELIEFS[_kind(bandit)](bandit, self.n_games, self.n_arms, **given)

    def _select(self) -> Any:
        # Sums depend on the number of games in their last digits; these must not decide.
        return random_argmax(np.round(self._believed().index(), 9), self._uniform(1)[0])

    def _learn(self, arms: Any, rewards: Any) -> None:
        self._believed().learn(np.atleast_1d(arms), np.atleast_1d(rewards).astype(float))

    def _believed(self) -> Beliefs:
        if self._beliefs is None:
            raise ValueError(NO_BANDIT)
        return self._beliefs


def _kind(bandit: Any) -> str:
    """Return module and class of a bandit; this package does not import bandits."""
    return f"{type(bandit).__module__}.{type(bandit).__qualname__}"
