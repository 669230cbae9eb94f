"""``nsa play``: agents against a bandit."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from experiments.core import metrics
from experiments.core.cells import Arrays, Cell
from experiments.core.game import Record
from experiments.core.metrics import Measures
from experiments.core.nsa_agents import is_nsa
from experiments.core.results import RESULTS, Results, Row, load_arrays, save_arrays, versions
from experiments.core.settings import PlaySettings
from experiments.core.study import Study
from experiments.core.tables import Table
from experiments.studies.play.cell import PlayCell
from experiments.studies.play.options import BANDITS_AND_OPTIONS, PlayOptions
from nsa_brian.errors import printable

STANDARD = PlayOptions()


@dataclass(frozen=True)
class PlaySummary:
    """The measures of every agent."""

    agents: dict[str, Measures]


@dataclass(frozen=True, repr=False)
class PlayResults(Results[PlaySettings, PlaySummary]):
    """The records of all agents, repetitions x rounds, with settings and versions.

    ``inputs`` has the values of models' inputs by name, (rounds, columns) each.
    """

    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def records(self) -> dict[str, Record]:
        """What happened, by agent."""
        return {agent: Record(**arrays) for agent, arrays in self.cells.items()}


#: The same for all agents, and so stored once.
_BANDIT = ("best_arm", "best", "chance")
#: Before the name of an input, where its values are stored; agents' arrays have a slash in their names.
_INPUT = "input:"


class PlayStudy(Study[PlaySettings, PlaySummary]):
    """Agents against one bandit, repeated."""

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
  nsa play --model my.py --agents nsa,nsa:minbandit-38,nsa:best.json,random
  nsa play --model silenced.py --input light=light.csv
  nsa play --model spiking --arms 5 --trials 1 --rounds 300 --agents nsa,random

{BANDITS_AND_OPTIONS}"""

    def settled(self, options: PlayOptions) -> PlaySettings:
        """The games that the options mean."""
        return options.settled()

    def cells(self, settings: PlaySettings) -> dict[str, Cell]:
        """One cell for each agent."""
        return {agent: PlayCell(settings, agent, range(settings.repetitions)) for agent in settings.agents}

    def summary(self, results: Results[PlaySettings, PlaySummary]) -> PlaySummary:
        """All measures of all agents."""
        rounds = results.settings.rounds
        return PlaySummary({a: metrics.measures(Record(**found), rounds) for a, found in results.cells.items()})

    def tables(self, results: Results[PlaySettings, PlaySummary]) -> list[Table]:
        """A row for each agent, the one with the lowest regret in bold."""
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
        """A row for each agent and game."""
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

    # Files --------------------------------------------------------------------------------------------------------

    def told(self, settings: PlaySettings) -> dict[str, Any]:
        """All of them."""
        return settings.to_dict()

    def identity(self, settings: PlaySettings) -> str:
        """Their id."""
        return settings.id

    def finished(self, path: Path, settings: PlaySettings, cells: Mapping[str, Cell]) -> None:
        """Games are always played anew; those that were stopped are resumed."""
        return

    def collect(self, settings: PlaySettings, cells: dict[str, Arrays]) -> PlayResults:
        """The records of all agents."""
        return PlayResults(self, settings, self.told(settings), versions(), cells, settings.input_tables)

    def save(self, results: PlayResults, path: Path) -> None:  # type: ignore[override]
        """Write a results file."""
        arrays = {
            name if name in _BANDIT else f"{agent}/{name}": array
            for agent, found in results.cells.items()
            for name, array in found.items()
        }
        arrays |= {f"{_INPUT}{name}": table for name, table in results.inputs.items()}
        save_arrays(path, {"study": self.name, "settings": results.told, "versions": results.versions}, arrays)

    def load(self, path: str | Path) -> PlayResults:
        """Read a results file; a ValueError if it is none."""
        meta, arrays = load_arrays(path, self.name)
        own = [field.name for field in dataclasses.fields(Record) if field.name not in _BANDIT]
        try:
            settings = PlaySettings.from_dict(meta["settings"])
            inputs = {name: arrays.pop(f"{_INPUT}{name}") for name in settings.input_files}
            size = (settings.repetitions, settings.n_rounds)
            for name, array in arrays.items():
                if array.shape != size:
                    raise ValueError(f"{name} must be of shape {size}, got {array.shape}")
            bandit = {name: arrays[name] for name in _BANDIT}
            cells = {
                agent: {**{name: arrays[f"{agent}/{name}"] for name in own}, **bandit} for agent in settings.agents
            }
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise ValueError(f"{path} is not {RESULTS.called}: {error}") from None
        return PlayResults(self, settings, meta["settings"], meta["versions"], cells, inputs)


def _title(settings: PlaySettings) -> str:
    title = (
        f"{settings.env}, {settings.arms} arms, {settings.trials} x {settings.rounds} rounds, "
        f"{games_told(settings)}, seed {settings.seed}"
    )
    title += "".join(f", input {printable(f'{name}={path}')}" for name, path in settings.input_files.items())
    if "nsa" in settings.agents:
        model = f", model {settings.model['name']}" if settings.model else ""
        return f"{title}; nsa: {settings.parameters_name}{model}, engine {settings.engine}"
    return f"{title}; engine {settings.engine}" if any(map(is_nsa, settings.agents)) else title


def games_told(settings: PlaySettings) -> str:
    """How many games."""
    return f"{settings.repetitions} game{'s' * (settings.repetitions > 1)}"


STUDY = PlayStudy()
