"""Models with U or V silenced by an input, and rebuilt with some fields changed."""

from __future__ import annotations

import dataclasses
import re
from functools import lru_cache
from typing import Any

from nsa_brian.model.model import Model, with_parameters
from nsa_brian.model.parts import Input
from nsa_brian.parameters import Parameter

#: Names of the inputs that silence U and V: 1 silences, 0 does not.
SILENCE = {"u": "u_silenced", "v": "v_silenced"}
#: The left side of a differential equation.
_LINE = r"(?m)^(\s*d\w+\s*/\s*dt\s*=\s*)"


def rebuilt(model: Model, given: tuple[Parameter, ...] = (), **changes: Any) -> Model:
    """Return a model in its expanded form with some fields changed; parameters that are no longer used are dropped."""
    fields = {f.name: getattr(model, f.name) for f in dataclasses.fields(model)} | changes
    return with_parameters(lambda parameters: Model(**{**fields, "parameters": parameters}), given, model.parameters)


@lru_cache(maxsize=32)
def lesioned(model: Model) -> Model:
    """Return the model with two more inputs per game, ``u_silenced`` and ``v_silenced``.

    Where one is 1, rate neurons of the population decay to 0 and send nothing, and spiking neurons keep their initial
    state and do not fire. Where both are 0, nothing changes.

    Raises
    ------
    ModelError
        If the equations of U or V are written in a form that cannot be silenced.
    """
    changes: dict[str, Any] = {"name": f"{model.name}-silenced", "populations": []}
    for population in model.populations:
        switch = SILENCE.get(population.name)
        if switch is None:
            pass
        elif population.threshold:
            threshold = f"({population.threshold}) and {switch} < 0.5"
            frozen = re.sub(rf"{_LINE}([^:\n]*[^:\s])\s*:", rf"\1(1 - {switch}) * (\2) :", population.equations)
            population = dataclasses.replace(population, equations=frozen, threshold=threshold)
        else:
            population = dataclasses.replace(population, equations=_decaying(population.equations, population.name))
        changes["populations"].append(population)
    replaced = {population.name for population in model.populations}
    for name, other in (("u", "v"), ("v", "u")):
        if name not in replaced:
            changes[f"rate_{name}"] = _decaying(getattr(model, f"rate_{name}"), name)
        if not model.structure.populations[name].spikes:
            changes[f"drive_{other}"] = _switched(getattr(model, f"drive_{other}"), name)
    changes["lateral"] = tuple(_quiet(part, part.population) for part in model.lateral)
    changes["couplings"] = tuple(_quiet(part, part.source) for part in model.couplings)
    changes["inputs"] = (*model.inputs, *(Input(switch, per="game") for switch in SILENCE.values()))
    return rebuilt(model, **changes)


def _decaying(equations: str, name: str) -> str:
    """Return equations in which the activity decays to 0 where the population is silenced; noise stays."""
    switch = SILENCE[name]
    line = rf"(?m)^(\s*d{name}\s*/\s*dt\s*=\s*)"
    noisy = line + rf"\((.*)(\{{noise\}}\)\s*/\s*tau_{name}\s*:)"
    if re.search(noisy, equations):
        return re.sub(noisy, rf"\1((1 - {switch}) * (\2) - {switch} * {name}\3", equations)
    plain = line + r"([^:\n]*[^:\s])\s*:"
    return re.sub(plain, rf"\1(1 - {switch}) * (\2) - {switch} * {name} / tau_{name} :", equations)


def _quiet(part: Any, source: str) -> Any:
    return dataclasses.replace(part, drive=_switched(part.drive, source)) if source in SILENCE else part


def _switched(drive: str, source: str) -> str:
    """Return a drive, whose last line is what is sent, that is 0 where the source is silenced."""
    *helpers, sent = drive.strip().splitlines()
    return "\n".join([*helpers, f"(1 - {SILENCE[source]}) * ({sent.strip()})"])
