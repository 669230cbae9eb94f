"""The bandits as Gymnasium environments. Importing this module registers them: ``nsa/MAB-P-v0`` and so on.

Nothing else in ``envs`` needs Gymnasium.
"""

from __future__ import annotations

from typing import Any

import envs
from nsa_brian.common.checks import WHOLE, one_per_game
from nsa_brian.common.texts import shown

try:
    import gymnasium
    from gymnasium.spaces import Discrete
except ImportError as error:
    raise ImportError('Gymnasium is not installed; install it with: pip install "nsa-brian[gym]"') from error

#: The observation of every round: a bandit shows nothing but rewards.
OBSERVATION = 0


class GymnasiumBandit(gymnasium.Env[Any, Any]):
    """One game of a bandit: an action is an arm, the reward is 0 or 1, an episode is a whole game.

    The observation is always 0. The ``info`` of a step describes the round just played, for evaluation: ``p`` and
    ``p_star``, the probabilities of the chosen and of the best arm, ``best_arm``, ``trial`` and ``round``, from 0.

    Parameters
    ----------
    name : str
        One of ``envs.BANDITS``.
    n_arms : int, optional
        Number of arms K; by default the bandit's ``default_arms``.
    trials : int
        The episode is truncated after this many trials of ``trial_rounds`` rounds, or where a schedule ends.
    **settings
        ``trial_rounds``, ``preset`` and the settings of the bandit; see :func:`envs.make`.

    Examples
    --------
    >>> gymnasium.register_envs(envs.gymnasium_bandit)
    >>> env = gymnasium.make("nsa/MAB-D-v0", n_arms=10, trials=1, tau=100)
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(3)
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(self, name: str = "MAB-P", n_arms: int | None = None, trials: int = 2, **settings: Any) -> None:
        if settings.pop("n_games", None) is not None:
            raise ValueError("n_games: a Gymnasium environment is one game; for many, use gymnasium.make_vec")
        if not isinstance(trials, int) or trials < 1:
            raise ValueError(f"trials must be a whole number from 1 up, got {shown(trials)}")
        self.bandit = envs.make(name, n_arms, **settings)
        rounds, lasts = trials * self.bandit.trial_rounds, self.bandit.horizon
        self.horizon = rounds if lasts is None else min(rounds, lasts)
        self.action_space = Discrete(self.bandit.n_arms)
        self.observation_space = Discrete(1)
        self._played = self.horizon  # requires a reset first

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Start a new game; the same seed gives the same game."""
        super().reset(seed=seed)
        self.bandit.reset(self.np_random)
        self._played = 0
        return OBSERVATION, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Pull an arm."""
        if self._played >= self.horizon:
            raise gymnasium.error.ResetNeeded("the game has not started or is over: call reset first")
        arm = int(one_per_game("arm", action, 1, self.bandit.n_arms - 1, WHOLE)[0])  # checked before the round begins
        if self._played:
            self.bandit.step()
        self._played += 1
        reward = float(self.bandit.pull(arm))
        p, best_arm = self.bandit.probabilities[0], self.bandit.best_arm
        info = {
            "p": float(p[arm]),
            "p_star": float(p[best_arm]),
            "best_arm": best_arm,
            "trial": self.bandit.trial,
            "round": self.bandit.round,
        }
        return OBSERVATION, reward, False, self._played == self.horizon, info


def register() -> None:
    """Register each of ``envs.BANDITS`` as ``nsa/<name>-v0``; call it again after adding a bandit."""
    for name in envs.BANDITS:
        if f"nsa/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"nsa/{name}-v0", f"{__name__}:{GymnasiumBandit.__name__}", kwargs={"name": name})


register()
