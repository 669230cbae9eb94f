"""``nsa response``: what the network computes, as functions to look at."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.core.game_settings import model_told, setting
from experiments.core.nsa_agents import MODEL_HELP, NSAAgent, read
from experiments.core.tables import Table
from nsa_brian.parameter_set import names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.core.study import Arrays, Cell, StudyResults
    from nsa_brian import Model, NSAParameters

NAME = "response"
HELP = "what the network computes: the activity left against the weight, w*, and the functions behind it"
EXAMPLES = """  nsa response --parameters minbandit-38,mine.json
  nsa response --parameters evolved --model my.py"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which parameter sets, each with its model or all with one; how finely."""

    parameters: tuple[str, ...] = setting(tuple(names()), "parameter sets or files, comma separated", "S,T")
    model: str = setting("", MODEL_HELP.replace(", spiking", ""), "MODEL")
    points: int = setting(2001, "weights between 0 and w_max")
    nsa_agents: dict[str, NSAAgent] = field(init=False, repr=False, hash=False)

    def __post_init__(self) -> None:
        if self.points < 11:
            raise ValueError(f"points must be a whole number from 11 up, got {self.points}")
        object.__setattr__(self, "nsa_agents", {name: read(name, self.model) for name in self.parameters})


PAPER = Settings()
PRESETS = {
    "paper": PAPER,
    "full": dataclasses.replace(PAPER, points=20001),
    "quick": dataclasses.replace(PAPER, points=501),
}


def cells(settings: Settings) -> dict[str, Cell]:
    """A cell for each set."""
    for agent in settings.nsa_agents.values():
        agent.check("rounds")
    return {
        name: partial(respond, agent.make_parameters(), settings.points, agent.make_model())
        for name, agent in settings.nsa_agents.items()
    }


def respond(parameters: NSAParameters, points: int, model: Model | None = None) -> Arrays:
    """The functions of one set, all made from the model's own strings; by default the paper's."""
    from nsa_brian.model.critical import critical
    from nsa_brian.model.model import PAPER as MODEL

    model = MODEL if model is None else model
    w = np.linspace(0, parameters.w_max, points)
    u, v = activities_left(parameters, model, w)
    x = np.linspace(-0.2, 2, 441)
    return {
        "w": w,
        "u": u,
        "v": v,
        "value": function(parameters, model, "Phi_v", "w", w),
        "rate": function(parameters, model, "Phi_eta", "w", w),
        "x": x,
        "phi_u": function(parameters, model, "phi_u", "u", x),
        "phi_v": function(parameters, model, "phi_v", "v", x),
        "critical": np.array(critical(w, u)),
    }


def activities_left(parameters: NSAParameters, model: Model, w: np.ndarray) -> np.ndarray:
    """The activities (2, n) of an option with some weight at a round's end, all else being as in a game's beginning."""
    if model.structure.coordinate and "n_arms" not in model.structure.used:
        from nsa_brian.codegen.pairs import answers

        return answers(parameters, w, model=model)

    from nsa_brian.engines.rounds import Rounds

    # A game for each weight, against an arm that has not been pulled yet.
    engine = Rounds(2, parameters, len(w), rng=np.random.default_rng(0), model=model)
    weights = engine.w.copy()
    weights[:, 0] = w
    engine.set_weights(weights)
    engine.respond()
    return engine.activity[:, :, 0].copy()


def function(parameters: NSAParameters, model: Model, name: str, variable: str, values: np.ndarray) -> np.ndarray:
    """One of a model's expressions of one variable, others being where they start; NaN where the model has none."""
    from nsa_brian.codegen.expression import numpy_function

    structure, constants = model.structure, {**model.values_in_si(parameters), "n_arms": 2}
    if name not in structure.expressions:
        return np.full(len(values), np.nan)
    states = {state: numpy_function(text, {}, constants)() for state, text in structure.initial.items()}
    made = numpy_function(name, structure.expressions, constants)(**{**states, variable: values})
    return np.broadcast_to(made, values.shape).copy()


def summary(results: StudyResults) -> dict[str, Any]:
    """w* and the ends of the two functions of the weight."""
    sets = {}
    for name, found in results.cells.items():
        critical = float(found["critical"])
        known = not np.isnan(critical)
        sets[name] = {
            "critical_weight": critical if known else None,
            "critical_share": critical / float(found["w"][-1]) if known else None,
            "value": [float(found["value"][0]), float(found["value"][-1])],
            "learning_rate": [float(found["rate"][0]), float(found["rate"][-1])],
        }
    return {"sets": sets}


def tables(results: StudyResults) -> list[Table]:
    """The summary as a table."""
    rows = []
    for name, found in summary(results)["sets"].items():
        critical = found["critical_weight"]
        shown = f"{critical:.3f} ({found['critical_share']:.2f} w_max)" if critical is not None else "none"
        ends = [f"{found[key][0]:.3f} to {found[key][1]:.3f}" for key in ("value", "learning_rate")]
        rows.append([name, shown, *ends])
    return [
        Table(
            "what the parameter sets compute" + model_told(results.settings),
            ["set", "critical weight w*", "value at w = 0 and w_max", "learning rate at both"],
            rows,
        )
    ]


def draw(results: StudyResults) -> Figure:
    """A row of panels for each set."""
    from experiments.studies.response import figure as response_figure

    return response_figure.draw(results)
