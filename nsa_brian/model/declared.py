"""The order of a model's equations in its declaration; Brian2 does not keep it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from brian2.equations.equations import SingleEquation

if TYPE_CHECKING:
    from nsa_brian.model.model import Model


def declared_text(model: Model, place: str) -> str:
    """Return the text that declares the equations of a population, or of the synapse."""
    if place == "synapse":
        return f"{model.synapse}\n{model.gaussian_sigmoid}"
    if place == "signals":
        return model.signals
    own = [each.equations for each in model.populations if each.name == place]
    return own[0] if own else f"{getattr(model, f'rate_{place}', '')}\n{model.response}"


def in_order(equations: Iterable[SingleEquation], text: str) -> list[SingleEquation]:
    """Sort equations as declared, then by name; variables without an equation last."""

    def place(eq: SingleEquation) -> tuple[bool, int, int, str]:
        stem = re.sub(r"_of_\w+$", "", eq.varname)  # the structure's name for a variable of many neurons
        names = (stem, stem.rpartition("_")[0])
        found = [re.search(rf"\bd?{re.escape(name)}(/dt)?\s*=", text) for name in names if name]
        start = next((match.start() for match in found if match), -1)
        return eq.expr is None, start, len(eq.varname) if start >= 0 else 0, eq.varname

    return sorted(equations, key=place)
