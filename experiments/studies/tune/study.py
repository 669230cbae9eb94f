"""``nsa tune``: tune the baselines on the kind of games that NSA was evolved on."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

import baselines
from evolution.games import FitnessGames
from experiments.core.cells import Arrays, Cell
from experiments.core.errors import at_least
from experiments.core.game_settings import bandits
from experiments.core.json_text import json_text
from experiments.core.options import setting, some
from experiments.core.results import Results, Row
from experiments.core.study import Export, Study
from experiments.core.study_settings import StudySettings
from experiments.core.tables import Table
from experiments.studies.tune.grid import POINTS, tune
from nsa_brian.common.texts import shown


def tunable_policies() -> tuple[str, ...]:
    """Return the policies that NSA is compared with and that have tunable parameters."""
    return tuple(name for name in baselines.compared() if baselines.POLICIES[name].tunable)


@dataclass(frozen=True, kw_only=True)
class Settings(StudySettings):
    """Policies, games, and resolution of the grids."""

    policies: tuple[str, ...] = setting(tunable_policies(), "policies, comma separated (default: all)", "A,B")
    envs: tuple[str, ...] = bandits(text="bandits, NAME or NAME:PRESET")
    arms: tuple[int, ...] = setting((5, 20, 100), "numbers of arms", "K,L")
    trials: int = setting(2, "trials per game")
    rounds: int = setting(2000, "rounds per trial")
    iterations: int = setting(2, "games per bandit and number of arms")
    narrowings: int = setting(2, "number of times that the grid is narrowed around its best point")
    seed: int = setting(41, "seed of the search whose games are played (41: set evolved)")

    def __post_init__(self) -> None:
        at_least(self, narrowings=0, seed=0)
        for name in self.policies:
            if name not in tunable_policies():
                raise ValueError(f"policies must be tunable ({', '.join(tunable_policies())}), got {shown(name)}")

    def games(self) -> FitnessGames:
        """Return the games as settings of a search."""
        return FitnessGames(**some(self, "envs", "arms", "trials", "rounds", "iterations"))


FULL = Settings()


@dataclass(frozen=True)
class Tuned:
    """Best point of a policy's last grid, regret of the defaults, and whether the point lies on an edge."""

    settings: dict[str, float]
    regret: float
    default_regret: float
    searched: dict[str, tuple[float, float]]
    tried: int
    grids: int
    on_edge: list[str]
    on_legal_bound: list[str]


@dataclass(frozen=True)
class Summary:
    """Tuned parameters of each policy."""

    policies: dict[str, Tuned]


class TuneStudy(Study[Settings, Summary]):
    """Study of tuned baselines."""

    name = "tune"
    examples = """  nsa tune --policies optimistic,d-ucb --workers 2
  nsa table --agents nsa,optimistic:tuned,d-ucb:tuned"""
    presets = {
        "full": FULL,
        "quick": dataclasses.replace(FULL, policies=("epsilon-greedy", "d-ucb"), arms=(5,), rounds=100, narrowings=1),
    }

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each policy; longest first, to balance workers."""
        games = settings.games()
        for name in settings.policies:
            n_parameters = len(baselines.POLICIES[name].tunable)
            games.check_memory(POINTS[n_parameters] ** n_parameters)
        longest_first = sorted(settings.policies, key=lambda name: -len(baselines.POLICIES[name].tunable))
        return {name: Cell(tune_cell, name, games, settings.seed, settings.narrowings) for name in longest_first}

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return the tuned parameters of each policy."""
        return Summary({name: _tuned(name, found) for name, found in results.cells.items()})

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return a table of tuned values and regrets."""
        settings = results.settings
        games = f"{', '.join(settings.envs)}; K = {', '.join(map(str, settings.arms))}; seed {settings.seed}"
        rows = []
        for name, found in results.summary.policies.items():
            values = ", ".join(f"{key} {value:g}" for key, value in found.settings.items())
            notes = [f"{key}: edge of what was tried" for key in found.on_edge]
            notes += [f"{key}: bound of the legal values" for key in found.on_legal_bound]
            regrets = [f"{regret:.3f}" for regret in (found.regret, found.default_regret)]
            rows.append([name, values, *regrets, str(found.tried), "; ".join(notes)])
        header = ["policy", "tuned", "regret", "default's", "tried", "note"]
        return [Table(f"tuned on the games of NSA's search: {games}", header, rows, (2, 3, 4))]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each policy and parameter."""
        return [
            {
                "policy": name,
                "parameter": key,
                "value": value,
                "regret": found.regret,
                "default_regret": found.default_regret,
                "on_edge": key in found.on_edge,
            }
            for name, found in results.summary.policies.items()
            for key, value in found.settings.items()
        ]

    def exports(self, results: Results[Settings, Summary]) -> list[Export]:
        """Return the tuned values as JSON, with settings and versions."""
        summary = dataclasses.asdict(results.summary)
        record = {"settings": results.settings_dict, "versions": results.versions, **summary}
        return [Export("tuned", "json", json_text(record) + "\n")]


STUDY = TuneStudy()


def tune_cell(name: str, games: FitnessGames, seed: int, narrowings: int) -> Arrays:
    """Tune one policy and return all points."""
    found = tune(name, games, seed, narrowings)
    return {name: np.asarray(value) for name, value in vars(found).items()}


def _tuned(name: str, found: Arrays) -> Tuned:
    best, values, tunable = int(found["best"]), found["values"], baselines.POLICIES[name].tunable
    edges, bounds = [], []
    for i, (key, t) in enumerate(tunable.items()):
        value = values[best, i]
        if value in t.legal:
            bounds.append(key)
        elif value in (values[:, i].min(), values[:, i].max()):
            edges.append(key)
    return Tuned(
        settings={key: _plain(t, values[best, i]) for i, (key, t) in enumerate(tunable.items())},
        regret=float(found["regret"][best]),
        default_regret=float(found["default"]),
        searched={key: (float(values[:, i].min()), float(values[:, i].max())) for i, key in enumerate(tunable)},
        tried=len(values),
        grids=int(found["grid"].max()) + 1,
        on_edge=edges,
        on_legal_bound=bounds,
    )


def _plain(tunable: baselines.Tunable, value: float) -> float:
    return int(value) if tunable.integer else float(f"{value:.4g}")
