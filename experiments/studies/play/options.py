"""The options of ``nsa play``, and of all that play one bandit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import envs
from envs import BANDITS, settings_of
from experiments.core.agents import PAPER_AGENTS, STATE_OF_THE_ART, names
from experiments.core.game_settings import GameSettings
from experiments.core.options import setting
from experiments.core.settings import PlaySettings

_AGENTS = (
    f"of {', '.join(name for name in names() if ':' not in name)}, {STATE_OF_THE_ART}; NAME:tuned as nsa tune has it; "
    "nsa:SET and nsa:MODEL for another parameter set or file, or another model, beside nsa"
)


@dataclass(frozen=True, kw_only=True)
class PlayOptions(GameSettings):
    """One bandit, and who plays it. What is None follows from the bandit, or from the model."""

    agents: tuple[str, ...] = setting(PAPER_AGENTS, _AGENTS, "A,B")
    env: str = setting("MAB-P", f"bandit: {', '.join(BANDITS)}", "NAME")
    env_options: dict[str, Any] | None = setting(
        None, "a setting of the bandit; repeatable", "KEY=VALUE", flag="--env-option"
    )
    arms: int | None = setting(None, "arms (default 10; reversal has 2, a schedule knows its own)", "K")
    noise: float | None = setting(None, "white noise in NSA's rates: the activity's sd by noise alone", "SD")

    def play_settings(self) -> PlaySettings:
        """Return the games, checked; a ValueError says what is wrong with the options."""
        options = self.env_options or {}
        made = self.values(self.env, 10 if self.arms is None else self.arms, options)
        if self.arms is None:
            made = dataclasses.replace(made, arms=envs.make(self.env, **made.bandit_options).n_arms)
        if self.noise is not None:
            made = made.with_noise(self.noise)
        made.check()
        return made


#: The options that say which bandit is played and for how long.
OF_THE_BANDIT = ("env", "env_options", "arms", "trials", "rounds", "seed")


def _own(name: str) -> str:
    """What ``--env-option`` may set of a bandit, and its presets."""
    own = ", ".join(key for key in settings_of(name) if key != "trial_rounds")
    return own + "".join(f"; preset={preset}" for preset in BANDITS[name].presets)


#: For the end of a help text.
BANDITS_AND_OPTIONS = "bandits and their options:\n" + "\n".join(f"  {name:<13}{_own(name)}" for name in BANDITS)
