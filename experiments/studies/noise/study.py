"""``nsa noise``: regret of NSA against the strength of noise in its rates."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from experiments.core.cells import Cell
from experiments.core.game_settings import GameSettings, bandits
from experiments.core.metrics import Estimate, estimate
from experiments.core.nsa_agents import is_nsa
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Study
from experiments.core.tables import Table
from experiments.studies.table.comparison import play_cell


@dataclass(frozen=True)
class Player:
    """An NSA agent with a strength of noise, or another agent without noise."""

    agent: str
    strength: float | None = None

    @property
    def label(self) -> str:
        """Label in cells, tables and JSON."""
        return self.agent if self.strength is None else f"{self.agent} {self.strength:g}"

    def cell(self, env: str) -> str:
        """Return the name of the cell."""
        return f"{env}/{self.label}"


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Bandits and strengths of noise. Games are short by default, as every option is integrated in every round."""

    agents: tuple[str, ...] = setting(("nsa", "random"), "NSA agents (nsa, nsa:WHAT), and others for comparison", "A,B")
    envs: tuple[str, ...] = bandits()
    arms: int = setting(10, "number of arms")
    rounds: int = setting(500, "rounds per trial")
    repetitions: int = setting(20, "number of independent games")
    strengths: tuple[float, ...] = setting(
        (0.0, 0.01, 0.03, 0.1, 0.2, 0.3), "strengths of noise: sd of the activity under noise alone", "X,Y"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not any(map(is_nsa, self.agents)):
            raise ValueError(f"agents must include an NSA agent (nsa or nsa:WHAT), got {','.join(self.agents)}")

    @property
    def players(self) -> list[Player]:
        """NSA agents at each strength, then the others."""
        noisy = [Player(agent, x) for agent in filter(is_nsa, self.agents) for x in self.strengths]
        return noisy + [Player(agent) for agent in self.agents if not is_nsa(agent)]


STANDARD = Settings()


@dataclass(frozen=True)
class Summary:
    """Regret by bandit and player."""

    regret: dict[str, dict[Player, Estimate]]

    def to_json(self) -> dict[str, Any]:
        """Convert to plain data, with players by label."""
        return {
            "regret": {
                env: {player.label: dataclasses.asdict(found) for player, found in of_env.items()}
                for env, of_env in self.regret.items()
            }
        }


class NoiseStudy(Study[Settings, Summary]):
    """Study of regret against noise."""

    name = "noise"
    examples = """  nsa noise --strengths 0,0.1,0.2 --envs MAB-sin --workers 2
  nsa noise --parameters minbandit-38 --arms 5
  nsa noise --agents nsa,nsa:my.py,random"""
    presets = {
        "standard": STANDARD,
        "full": dataclasses.replace(STANDARD, rounds=2000, repetitions=40),
        "quick": dataclasses.replace(
            STANDARD, rounds=50, repetitions=4, envs=("MAB-P", "MAB-sin"), strengths=(0.0, 0.1, 0.3)
        ),
    }

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each bandit and player."""
        made = {}
        for env in settings.envs:
            games = settings.games(env, settings.arms)
            for player in settings.players:
                own = games if player.strength is None else games.with_noise(player.strength)
                own.check()
                made[player.cell(env)] = Cell(play_cell, own, player.agent)
        return made

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return the regret by bandit and player."""
        settings, cells = results.settings, results.cells
        return Summary(
            {
                env: {player: estimate(cells[player.cell(env)]["regret"]) for player in settings.players}
                for env in settings.envs
            }
        )

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return a table with a row for each bandit."""
        settings = results.settings
        columns = [player.label for player in settings.players]
        rows = [[env, *(found.text for found in of_env.values())] for env, of_env in results.summary.regret.items()]
        title = f"regret ± half its 95% interval against NSA's noise; {settings.arms} arms, {settings.length}"
        return [Table(title, ["bandit", *columns], rows, range(1, len(columns) + 1))]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each bandit and player."""
        return [
            {"env": env, "agent": player.agent, "strength": player.strength, "regret": found.mean, "sd": found.sd}
            for env, of_env in results.summary.regret.items()
            for player, found in of_env.items()
        ]


STUDY = NoiseStudy()
