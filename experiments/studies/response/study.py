"""``nsa response``: final activity and other functions of the weight."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.core.cells import Cell
from experiments.core.errors import at_least
from experiments.core.functions import ARMS, holds_for, refusal, respond
from experiments.core.game_settings import AgentSettings
from experiments.core.named import read_set
from experiments.core.nsa_agents import RATE_MODEL_HELP, check_agent
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Study
from experiments.core.tables import Table
from nsa_brian.common.memory import NUMBER, check_memory
from nsa_brian.parameter_set import names

#: Number of arms in results of 0.2, which do not store it.
ARMS_BEFORE = 2


@dataclass(frozen=True, kw_only=True)
class Settings(AgentSettings):
    """Parameter sets, each with its own model or all with the same, and the resolution."""

    parameters: tuple[str, ...] = setting(tuple(names()), "parameter sets or files, comma separated", "S,T")
    model: str = setting("", RATE_MODEL_HELP, "MODEL", compare=False)
    points: int = setting(2001, "number of weights between 0 and w_max")
    arms: int = setting(ARMS, "number of arms; matters if options are coupled or a string uses n_arms")

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, points=11, arms=2)
        check_memory(20.0 * NUMBER * max(self.points, self.arms), "so many weights or arms")
        object.__setattr__(self, "nsa_agents", {name: read_set(name, self.model) for name in self.parameters})
        for agent in self.nsa_agents.values():
            reason = refusal(agent.model)
            if reason:
                raise ValueError(
                    f"the model {agent.model_name} has no response to a weight: {reason}; use nsa decision"
                )

    @property
    def depends_on_arms(self) -> bool:
        """Whether any model depends on the number of arms."""
        models = [agent.model for agent in self.nsa_agents.values()]
        return any(model is not None and model.structure.depends_on_arms for model in models)

    def own_dict(self) -> dict[str, Any]:
        """Convert the fields; the number of arms only if models depend on it."""
        plain = super().own_dict()
        return plain if self.depends_on_arms else {name: value for name, value in plain.items() if name != "arms"}


DEFAULT = Settings()


@dataclass(frozen=True)
class Computed:
    """w* and its share of w_max, if it exists, and the end values of the two functions of the weight.

    ``holds_for`` describes the games in which w* holds; ``arms`` is None if w* does not depend on it.
    """

    critical_weight: float | None
    critical_share: float | None
    value: tuple[float, float]
    learning_rate: tuple[float, float]
    holds_for: str
    arms: int | None = None


@dataclass(frozen=True)
class Summary:
    """Results of each parameter set."""

    sets: dict[str, Computed]

    def to_json(self) -> dict[str, Any]:
        """Convert to plain data; ``arms`` only if it matters."""
        plain = {name: dataclasses.asdict(found) for name, found in self.sets.items()}
        for found in plain.values():
            if found["arms"] is None:
                del found["arms"]
        return {"sets": plain}


class ResponseStudy(Study[Settings, Summary]):
    """Study of the functions that the network computes."""

    name = "response"
    examples = """  nsa response --parameters minbandit-38,mine.json
  nsa response --parameters evolved --model my.py
  nsa response --model my.py --arms 20

w* is the weight above which an option's activity outlasts the input. If a model couples options or uses n_arms, w*
depends on the number of arms; it is then computed with --arms arms, the other options at their initial weight. Carried
state has its initial value, inputs have their defaults, and noise is left out. The column "w* holds for" of the table
lists which of these apply."""
    presets = {
        "paper": DEFAULT,
        "full": dataclasses.replace(DEFAULT, points=20001),
        "quick": dataclasses.replace(DEFAULT, points=501),
    }
    caption = Caption(
        "What the network computes",
        "For each parameter set: activity left at a round's end against the weight, a step at the critical weight w* "
        "(the legend says for how many arms); option value and learning rate against the weight; responses of both "
        "populations.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each set."""
        for agent in settings.nsa_agents.values():
            check_agent(agent, "rounds", settings.dt, settings.method)
        return {
            name: Cell(
                respond, agent.parameters, settings.points, agent.model, settings.arms, settings.dt, settings.method
            )
            for name, agent in settings.nsa_agents.items()
        }

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return w* and the end values of the two functions of the weight."""
        sets, arms = {}, results.settings_dict.get("arms", ARMS_BEFORE)
        for name, found in results.cells.items():
            critical = float(found["critical"])
            known = not np.isnan(critical)
            value, rate = ((float(found[key][0]), float(found[key][-1])) for key in ("value", "rate"))
            share = critical / float(found["w"][-1])
            model = results.settings.nsa_agents[name].model
            depends = model is not None and model.structure.depends_on_arms
            sets[name] = Computed(
                critical_weight=critical if known else None,
                critical_share=share if known else None,
                value=value,
                learning_rate=rate,
                holds_for=holds_for(model, arms),
                arms=arms if depends else None,
            )
        return Summary(sets)

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return the summary as a table."""
        rows = []
        for name, found in results.summary.sets.items():
            critical = found.critical_weight
            shown = f"{critical:.3f} ({found.critical_share:.2f} w_max)" if critical is not None else "none"
            ends = [f"{low:.3f} to {high:.3f}" for low, high in (found.value, found.learning_rate)]
            rows.append([name, shown, found.holds_for, *ends])
        title = "what the parameter sets compute" + results.settings.model_note
        header = ["set", "critical weight w*", "w* holds for", "value at w = 0 and w_max", "learning rate at both"]
        return [Table(title, header, rows)]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each set."""
        return [
            {
                "set": name,
                "critical_weight": found.critical_weight,
                "critical_share": found.critical_share,
                "value_at_0": found.value[0],
                "value_at_w_max": found.value[1],
                "learning_rate_at_0": found.learning_rate[0],
                "learning_rate_at_w_max": found.learning_rate[1],
                "holds_for": found.holds_for,
                "arms": found.arms,
            }
            for name, found in results.summary.sets.items()
        ]

    def options_for(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return options with the set as a tuple, and without a model that has no response."""
        found = super().options_for(given)
        if "parameters" in found:
            found["parameters"] = (found["parameters"],)
        if found.get("model") and refusal(read_set(model=found["model"]).model):
            del found["model"]
        return found


STUDY = ResponseStudy()
