"""``nsa play``: repeated games of agents on one bandit."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.core import metrics
from experiments.core.cells import Cell
from experiments.core.command import Command
from experiments.core.files import writable_file, write_text
from experiments.core.game import Record
from experiments.core.metrics import Measures
from experiments.core.nsa_agents import is_nsa
from experiments.core.results import Results, Row
from experiments.core.settings import PlaySettings
from experiments.core.study import Study
from experiments.core.study_command import add_arguments, command_of, run
from experiments.core.tables import Table
from experiments.studies.fit.data import Behaviour, Game, Subject, to_csv
from experiments.studies.play.cell import PlayCell
from experiments.studies.play.options import BANDITS_AND_OPTIONS, PlayOptions
from nsa_brian.errors import printable
from nsa_brian.model.timing import described

STANDARD = PlayOptions()


@dataclass(frozen=True)
class PlaySummary:
    """Measures of every agent."""

    agents: dict[str, Measures]


@dataclass(frozen=True, repr=False)
class PlayResults(Results[PlaySettings, PlaySummary]):
    """Records of all agents, with settings and versions."""

    @property
    def records(self) -> dict[str, Record]:
        """Record of each agent."""
        return {agent: Record(**arrays) for agent, arrays in self.cells.items()}


class PlayStudy(Study[PlaySettings, PlaySummary]):
    """Study of repeated games of agents on one bandit."""

    name = "play"
    unit = "rounds"
    presets: Mapping[str, Any] = {
        "standard": STANDARD,
        "quick": dataclasses.replace(STANDARD, rounds=200, repetitions=3),
    }
    examples = f"""  nsa play --env MAB-D --arms 50 --env-option tau=100 --agents nsa,ucb1
  nsa play --env schedule --env-option table=my.csv --trials 1 --rounds 300
  nsa play --env random-walk --arms 4 --env-option decay=0.99
  nsa play --env MAB-D --env-option preset=published-table --json
  nsa play --noise 0.05 --agents nsa,ucb1
  nsa play --env random-walk --arms 4 --trials 1 --rounds 300 --agents q-learning --subjects subjects.csv
  nsa play --model my.py --agents nsa,nsa:minbandit-38,nsa:best.json,random
  nsa play --model silenced.py --input light=light.csv
  nsa play --model spiking --arms 5 --trials 1 --rounds 300 --agents nsa,random

{BANDITS_AND_OPTIONS}"""

    always_recomputes = True
    results_type = PlayResults

    @property
    def settings_type(self) -> type[PlaySettings]:
        """Type of the settings."""
        return PlaySettings

    def settings_of(self, options: PlayOptions) -> PlaySettings:
        """Return the games of the options, checked."""
        return options.play_settings()

    def cells(self, settings: PlaySettings) -> dict[str, Cell]:
        """Return a cell for each agent."""
        return {agent: PlayCell(settings, agent, range(settings.repetitions)) for agent in settings.agents}

    def summary(self, results: Results[PlaySettings, PlaySummary]) -> PlaySummary:
        """Return all measures of all agents."""
        rounds = results.settings.rounds
        return PlaySummary({a: metrics.measures(Record(**found), rounds) for a, found in results.cells.items()})

    def tables(self, results: Results[PlaySettings, PlaySummary]) -> list[Table]:
        """Return a table with a row for each agent, the lowest regret in bold."""
        rows = []
        for name, found in results.summary.agents.items():
            low_high = found.regret.ci95
            interval = f"{low_high[0]:.3f} to {low_high[1]:.3f}" if low_high else "–"
            numbers = (found.published_regret.mean, found.reward, found.entropy)
            rows.append([name, f"{found.regret.mean:.3f}", interval, *(f"{number:.3f}" for number in numbers)])
        means = [found.regret.mean for found in results.summary.agents.values()]
        header = ["agent", "regret", "95% interval", "published regret", "reward", "choice entropy (nats)"]
        return [Table(_title(results.settings), header, rows, range(1, 6), bold=[means.index(min(means))])]

    def rows(self, results: Results[PlaySettings, PlaySummary]) -> list[Row]:
        """Return a row for each agent and game."""
        rows: list[Row] = []
        for agent, arrays in results.cells.items():
            record = Record(**arrays)
            measured = {
                "regret": metrics.regret(record),
                "published_regret": metrics.published_regret(record, results.settings.rounds),
                "reward": metrics.reward(record),
                "entropy": metrics.choice_entropy(record.arms).mean(axis=1),
            }
            for game in range(results.settings.repetitions):
                rows.append({"agent": agent, "game": game, **{k: float(v[game]) for k, v in measured.items()}})
        return rows

    def rounds(self, results: Results[PlaySettings, PlaySummary]) -> dict[str, Any]:
        """Return columns with a row for each agent, game and round."""
        settings = results.settings
        shape = (settings.repetitions, settings.n_rounds)
        game, time = (index.ravel() for index in np.indices(shape))
        parts = []
        for agent, arrays in results.cells.items():
            record = Record(**arrays)
            agreed = np.full(shape, None) if record.agreed is None else record.agreed.astype(object)
            parts.append(
                {
                    "agent": np.full(game.size, agent, dtype=object),
                    "game": game,
                    "trial": time // settings.rounds,
                    "round": time,
                    "arm": record.arms.ravel(),
                    "reward": record.rewards.ravel(),
                    "probability": record.expected.ravel(),
                    "best": record.best.ravel(),
                    "agreed": agreed.ravel(),
                }
            )
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def check_cells(self, results: Results[PlaySettings, PlaySummary]) -> None:
        """Raise a ValueError unless there is a record of every agent with the right shape."""
        settings, names = results.settings, {field.name for field in dataclasses.fields(Record)}
        size = (settings.repetitions, settings.n_rounds)
        for agent in settings.agents:
            found = results.cells.get(agent, {})
            if found.keys() - {"agreed"} != names - {"agreed"}:  # files of 0.2 lack it
                raise ValueError(f"agent {printable(agent)} has {', '.join(sorted(found)) or 'no arrays'}")
            for name, array in found.items():
                if array.shape != size:
                    raise ValueError(f"{name} must be of shape {size}, got {array.shape}")


def _title(settings: PlaySettings) -> str:
    title = (
        f"{settings.env}, {settings.arms} arms, {settings.trials} x {settings.rounds} rounds, "
        f"{number_of_games(settings)}, seed {settings.seed}"
    )
    integrated = described(settings.dt, settings.method, settings.precision)
    title += "".join(f", input {printable(f'{name}={path}')}" for name, path in settings.input_files.items())
    if "nsa" in settings.agents:
        model = f", model {settings.nsa.model_name}" if settings.nsa.model else ""
        return f"{title}; nsa: {settings.nsa.name}{model}, engine {settings.engine}{integrated}"
    return f"{title}; engine {settings.engine}{integrated}" if any(map(is_nsa, settings.agents)) else title


def number_of_games(settings: PlaySettings) -> str:
    """Return the number of games as text."""
    return f"{settings.repetitions} game{'s' * (settings.repetitions > 1)}"


STUDY = PlayStudy()


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(STUDY, parser)
    text = "write choices and rewards as those of subjects, one per agent and game, for nsa fit"
    parser.add_argument("--subjects", metavar="FILE.csv", help=text)


def _run(args: argparse.Namespace) -> None:
    """Play, and write the games as those of subjects."""
    path = None if args.subjects is None else writable_file(args.subjects, ".csv")

    def write_subjects(results: Any) -> dict[str, str]:
        if path is None:
            return {}
        write_text(path, to_csv(as_subjects(results)))
        return {"subjects": str(path)}

    run(STUDY, args, write_subjects)


def as_subjects(results: Results[PlaySettings, PlaySummary]) -> Behaviour:
    """Return the games of all agents as subjects named AGENT-GAME."""
    subjects = [
        Subject(f"{agent}-{game}", (Game("", arrays["arms"][game], arrays["rewards"][game].astype(float)),))
        for agent, arrays in results.cells.items()
        for game in range(results.settings.repetitions)
    ]
    return Behaviour(tuple(subjects), results.settings.arms)


COMMAND = Command(command_of(STUDY).epilog, _add_arguments, _run)
