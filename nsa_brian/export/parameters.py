"""The parameters of a script, with units and meanings, and its imports."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any

from nsa_brian.engines.network import NSANetwork
from nsa_brian.errors import printable
from nsa_brian.export.texts import number_text, units_in
from nsa_brian.model.preparing import Balance, Critical
from nsa_brian.model.reading import unit_of

#: Meanings of values that no parameter has.
_NOT_DECLARED = {
    "Phi_star": "critical value of the rate model with the same 22 parameters",
    "Phi_top": "its highest value of a weight up to w_max",
    "noise": "sd of the activity under white noise alone",
}


def parameter_lines(network: NSANetwork, context: Mapping[str, Any]) -> list[str]:
    """Return the parameters that a script uses, each with its unit and meaning."""
    model, values = network.model, network.values[0]
    texts = _code(context)
    for each in (*context["groups"], *context["synapses"]):
        texts += [line.partition("#")[0] for line in each.lines] + each.options
    texts += [each.size for each in context["groups"]]
    used = set().union(*(set(re.findall(r"\b[A-Za-z_]\w*", text)) for text in texts))
    given = network.parameters[0].to_dict()
    found_by = [step.name for step in model.prepare if isinstance(step, Balance | Critical)]
    rows = []
    for name, value in values.items():
        if name not in used:
            continue
        info = model.declared.get(name)
        unit, meaning = (info.unit, info.meaning) if info else ("", _NOT_DECLARED.get(name, ""))
        exact = info is not None and given[name] * float(unit_of(unit)) == value
        text = _in_unit(given[name], unit) if exact else number_text(value, unit)
        meaning = re.sub(r"; found$", "", meaning) + ("; calibrated" if name in found_by else "")
        rows.append((f"{name} = {text}", printable(meaning).lstrip("; ")))
    width = min(32, max((len(code) for code, _ in rows), default=0))
    return [f"{code:<{width}}  # {meaning}" if meaning else code for code, meaning in rows]


def imports(context: Mapping[str, Any]) -> str:
    """Return the names that a script imports from Brian2."""
    texts = [*_code(context), context["time_step"]]
    texts += [line.partition("=")[2].partition("#")[0] for line in context["parameters"]]
    names = {"NeuronGroup", "Synapses", "Network", "network_operation", "defaultclock"} | units_in(texts)
    names |= {"linked_var"} if any(each.after for each in context["groups"]) else set()
    names |= {"exprel"} if any("exprel(" in text for text in texts) else set()
    names -= set() if context["synapses"] else {"Synapses"}
    listed = ", ".join(sorted(names))
    if len(listed) <= 120 - len("from brian2 import "):
        return listed
    return "(\n    " + textwrap.fill(listed, 115).replace("\n", "\n    ") + ",\n)"


def _code(context: Mapping[str, Any]) -> list[str]:
    """Return all lines of code of the script except its parameters."""
    found = [*context["readout"], *context["explore"], *context["signals"], *context["learn"]]
    found += [*context["phase_lines"], *context["rest"], *context["begin_after"], *context["initial"]]
    found += [context["window"]] if context["spiking"] else []
    found += [each["code"] for each in context["inputs"]]
    for phase in context["phases"]:
        found += [phase["duration"], *phase["on"].values()]
    return [text.partition("  # ")[0] for text in found]


def _in_unit(value: float, unit: str) -> str:
    """Return a parameter as it was given."""
    text = str(int(value)) if value == int(value) and abs(value) < 1e9 else repr(value)
    return text + (f"*{unit if unit.isidentifier() else f'({unit})'}" if unit else "")
