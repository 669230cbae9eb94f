"""``nsa response``: what the network computes, as functions to look at."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evolution.memory import NUMBER, check_memory
from experiments.core.cells import Cell
from experiments.core.errors import at_least
from experiments.core.functions import respond
from experiments.core.game_settings import model_told
from experiments.core.named import rates_only, read
from experiments.core.nsa_agents import RATE_MODEL_HELP, NSAAgent
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Study
from experiments.core.tables import Table
from nsa_brian.parameter_set import names


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which parameter sets, each with its model or all with one; how finely."""

    parameters: tuple[str, ...] = setting(tuple(names()), "parameter sets or files, comma separated", "S,T")
    model: str = setting("", RATE_MODEL_HELP, "MODEL")
    points: int = setting(2001, "weights between 0 and w_max")
    nsa_agents: dict[str, NSAAgent] = field(init=False, repr=False, hash=False)

    def __post_init__(self) -> None:
        at_least(self, points=11)
        check_memory(20.0 * NUMBER * self.points, "so many weights")
        object.__setattr__(self, "nsa_agents", {name: read(name, self.model) for name in self.parameters})
        spiking = [agent.model_name for agent in self.nsa_agents.values() if agent.spiking]
        if spiking:
            raise ValueError(f"a model of rates is asked for here; {spiking[0]} is watched by nsa decision --model")

    @property
    def sets(self) -> dict[str, NSAAgent]:
        """The parameter sets that are named, and with which model."""
        return self.nsa_agents


PAPER = Settings()


@dataclass(frozen=True)
class Computed:
    """w* and its share of w_max, if there is one, and the ends of the two functions of the weight."""

    critical_weight: float | None
    critical_share: float | None
    value: tuple[float, float]
    learning_rate: tuple[float, float]


@dataclass(frozen=True)
class Summary:
    """What each parameter set computes."""

    sets: dict[str, Computed]


class ResponseStudy(Study[Settings, Summary]):
    """What the network computes."""

    name = "response"
    examples = """  nsa response --parameters minbandit-38,mine.json
  nsa response --parameters evolved --model my.py"""
    presets = {
        "paper": PAPER,
        "full": dataclasses.replace(PAPER, points=20001),
        "quick": dataclasses.replace(PAPER, points=501),
    }
    caption = Caption(
        "What the network computes",
        "For each parameter set: activity left at a round's end against the weight, a step at the critical weight; "
        "option value and learning rate against the weight; responses of both populations.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """A cell for each set."""
        for agent in settings.nsa_agents.values():
            agent.check("rounds")
        return {
            name: Cell(respond, agent.make_parameters(), settings.points, agent.make_model())
            for name, agent in settings.nsa_agents.items()
        }

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """w* and the ends of the two functions of the weight."""
        sets = {}
        for name, found in results.cells.items():
            critical = float(found["critical"])
            known = not np.isnan(critical)
            ends = [(float(found[key][0]), float(found[key][-1])) for key in ("value", "rate")]
            share = critical / float(found["w"][-1])
            sets[name] = Computed(critical if known else None, share if known else None, *ends)
        return Summary(sets)

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """The summary as a table."""
        rows = []
        for name, found in results.summary.sets.items():
            critical = found.critical_weight
            shown = f"{critical:.3f} ({found.critical_share:.2f} w_max)" if critical is not None else "none"
            rows.append(
                [name, shown, *(f"{low:.3f} to {high:.3f}" for low, high in (found.value, found.learning_rate))]
            )
        title = "what the parameter sets compute" + model_told(results.settings)
        header = ["set", "critical weight w*", "value at w = 0 and w_max", "learning rate at both"]
        return [Table(title, header, rows)]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """A row for each set."""
        return [
            {
                "set": name,
                "critical_weight": found.critical_weight,
                "critical_share": found.critical_share,
                "value_at_0": found.value[0],
                "value_at_w_max": found.value[1],
                "learning_rate_at_0": found.learning_rate[0],
                "learning_rate_at_w_max": found.learning_rate[1],
            }
            for name, found in results.summary.sets.items()
        ]

    def options_for(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """One set is several too; and what rates compute is what spikes follow."""
        found = super().options_for(given)
        if "parameters" in found:
            found["parameters"] = (found["parameters"],)
        return rates_only(found)


STUDY = ResponseStudy()
