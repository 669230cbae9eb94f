"""Options of ``nsa play`` and ``nsa record``."""

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
    f"comma separated: {', '.join(name for name in names() if ':' not in name)}, {STATE_OF_THE_ART}; NAME:tuned with "
    "parameters of nsa tune; nsa:SET and nsa:MODEL with another parameter set or file, or another model"
)


@dataclass(frozen=True, kw_only=True)
class PlayOptions(GameSettings):
    """One bandit and its agents. The default of options that are None depends on the bandit or the model."""

    agents: tuple[str, ...] = setting(PAPER_AGENTS, _AGENTS, "A,B")
    env: str = setting("MAB-P", f"bandit: {', '.join(BANDITS)}", "NAME")
    env_options: dict[str, Any] | None = setting(
        None, "option of the bandit, see below; repeatable", "KEY=VALUE", flag="--env-option"
    )
    arms: int | None = setting(None, "number of arms (default 10; reversal: 2; schedule: columns of the table)", "K")
    noise: float | None = setting(None, "white noise in NSA's rates: sd of the activity under noise alone", "SD")

    def play_settings(self) -> PlaySettings:
        """Return the games; raise a ValueError for invalid options."""
        options = self.env_options or {}
        made = self.values(self.env, 10 if self.arms is None else self.arms, options)
        if self.arms is None:
            made = dataclasses.replace(made, arms=envs.make(self.env, **made.bandit_options).n_arms)
        if self.noise is not None:
            made = made.with_noise(self.noise)
        made.check()
        return made


#: Options of the bandit and the length of games.
OF_THE_BANDIT = ("env", "env_options", "arms", "trials", "rounds", "seed")


def _own(name: str) -> str:
    """Return the options and presets of a bandit."""
    own = ", ".join(key for key in settings_of(name) if key != "trial_rounds")
    return own + "".join(f"; preset={preset}" for preset in BANDITS[name].presets)


#: End of help texts.
BANDITS_AND_OPTIONS = "bandits and their options:\n" + "\n".join(f"  {name:<13}{_own(name)}" for name in BANDITS)
