"""``nsa response``: what the network computes, as functions to look at."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.game_settings import setting
from experiments.text_table import Table
from nsa_brian import load
from nsa_brian.parameter_set import names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.study import Arrays, Cell, StudyResults

NAME = "response"
HELP = "what the network computes: the activity left against the weight, w*, and the functions behind it"
EXAMPLES = "  nsa response --parameters minbandit-38,mine.json"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which parameter sets, how finely."""

    parameters: tuple[str, ...] = setting(tuple(names()), "parameter sets or files, comma separated", "S,T")
    points: int = setting(2001, "weights between 0 and w_max")

    def __post_init__(self) -> None:
        if self.points < 11:
            raise ValueError(f"points must be a whole number from 11 up, got {self.points}")


PAPER = Settings()
PRESETS = {
    "paper": PAPER,
    "full": dataclasses.replace(PAPER, points=20001),
    "quick": dataclasses.replace(PAPER, points=501),
}


def cells(settings: Settings) -> dict[str, Cell]:
    """A cell for each set."""
    return {name: partial(respond, load(name).parameters, settings.points) for name in settings.parameters}


def respond(parameters: Any, points: int) -> Arrays:
    """The functions of one set, all made from the model's own strings."""
    from nsa_brian.codegen.expression import numpy_function
    from nsa_brian.codegen.pairs import answers
    from nsa_brian.model.critical import critical
    from nsa_brian.model.model import PAPER as MODEL

    constants = parameters.to_dict()
    w = np.linspace(0, parameters.w_max, points)
    u, v = answers(parameters, w)
    x = np.linspace(-0.2, 2, 441)
    return {
        "w": w,
        "u": u,
        "v": v,
        "value": numpy_function("Phi_v", MODEL.function_of_weight("v"), constants)(w=w),
        "rate": numpy_function("Phi_eta", MODEL.function_of_weight("eta"), constants)(w=w),
        "x": x,
        "phi_u": numpy_function("phi_u", MODEL.response_of("u"), constants)(u=x),
        "phi_v": numpy_function("phi_v", MODEL.response_of("v"), constants)(v=x),
        "critical": np.array(critical(w, u)),
    }


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
            "what the parameter sets compute",
            ["set", "critical weight w*", "value at w = 0 and w_max", "learning rate at both"],
            rows,
        )
    ]


def draw(results: StudyResults) -> Figure:
    """A row of panels for each set."""
    from experiments import response_figure

    return response_figure.draw(results)
