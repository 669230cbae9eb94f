"""``nsa noise``: NSA's regret against the strength of noise in its rates."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from experiments.core.game_settings import GameSettings, played, setting
from experiments.core.nsa_agents import is_nsa
from experiments.core.tables import Table, with_interval
from experiments.studies.table.study import play_cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.core.study import Cell, StudyResults

NAME = "noise"
HELP = "NSA's regret against the strength of noise in its rates, for each bandit"
EXAMPLES = """  nsa noise --strengths 0,0.1,0.2 --envs MAB-sin --workers 2
  nsa noise --parameters minbandit-38 --arms 5
  nsa noise --agents nsa,nsa:my.py,random"""


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Bandits and strengths of noise. Every option is integrated in every round, so games are short by default."""

    agents: tuple[str, ...] = setting(("nsa", "random"), "nsa and nsa:WHAT, and whom to show beside them", "A,B")
    envs: tuple[str, ...] = setting(("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"), "bandits, comma separated", "E,F")
    arms: int = setting(10, "arms")
    rounds: int = setting(500, "rounds of a trial")
    repetitions: int = setting(20, "games, each with its own luck")
    strengths: tuple[float, ...] = setting((0.0, 0.01, 0.03, 0.1, 0.2, 0.3), "sd of the activity by noise alone", "X,Y")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not any(map(is_nsa, self.agents)):
            raise ValueError(f"agents must include nsa, the one with noise, got {','.join(self.agents)}")


STANDARD = Settings()
PRESETS = {
    "standard": STANDARD,
    "full": dataclasses.replace(STANDARD, rounds=2000, repetitions=40),
    "quick": dataclasses.replace(
        STANDARD, rounds=50, repetitions=4, envs=("MAB-P", "MAB-sin"), strengths=(0.0, 0.1, 0.3)
    ),
}


def cells(settings: Settings) -> dict[str, Cell]:
    """A cell for each bandit, agent with noise and strength, and one for each bandit and other agent."""
    made: dict[str, Cell] = {}
    for env in settings.envs:
        games = settings.games(env, settings.arms)
        for agent in filter(is_nsa, settings.agents):
            for strength in settings.strengths:
                noisy = games.with_noise(strength)
                noisy.check()
                made[f"{env}/{agent} {strength:g}"] = partial(play_cell, noisy, agent)
        for agent in settings.agents:
            if not is_nsa(agent):
                made[f"{env}/{agent}"] = partial(play_cell, games, agent)
    return made


def summary(results: StudyResults) -> dict[str, Any]:
    """Regret of NSA by bandit and strength, and of the others by bandit."""
    from experiments.core.metrics import summary

    found: dict[str, dict[str, Any]] = {}
    for name, arrays in results.cells.items():
        env, _, who = name.partition("/")
        found.setdefault(env, {})[who] = summary(arrays["regret"])
    return {"regret": found}


def tables(results: StudyResults) -> list[Table]:
    """A row for each bandit."""
    found, settings = summary(results)["regret"], results.settings
    columns = list(next(iter(found.values())))
    rows = [[env, *(with_interval(of_env[column]) for column in columns)] for env, of_env in found.items()]
    title = f"regret ± half its 95% interval against NSA's noise; {settings['arms']} arms, {played(settings)}"
    return [Table(title, ["bandit", *columns], rows, range(1, len(columns) + 1))]


def draw(results: StudyResults) -> Figure:
    """Regret against strength."""
    from experiments.studies.noise import figure as noise_figure

    return noise_figure.draw(summary(results)["regret"], results.settings)
