"""The table of parameters of a description: symbol, value, unit, meaning and source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from nsa_brian.describe.blocks import Document, Inline
from nsa_brian.errors import printable
from nsa_brian.model.formula import Formula, number, symbol, unit_symbol
from nsa_brian.model.model import PAPER
from nsa_brian.model.preparing import Balance, Critical
from nsa_brian.model.reading import unit_of
from nsa_brian.parameter_set import ParameterSet
from nsa_brian.parameters import PARAMETERS

HEADER = ("symbol", "value", "unit", "meaning", "source")
#: Abbreviated sources in the meanings of the shipped models' parameters.
SOURCES = {
    "W": "Wang (2002), Neuron 36:955",
    "BW": "Brunel and Wang (2001), J Comput Neurosci 11:63",
    "BG": "Brette and Gerstner (2005), J Neurophysiol 94:3637",
}
_COMPUTED = {"Phi_star": "critical value of the rate model", "Phi_top": "highest value of the rate model"}


def parameter_table(to: Document, chosen: ParameterSet, found: Mapping[str, float]) -> None:
    """Add the parameters that a model uses; ``found`` are values found by calibration, in SI units."""
    model = chosen.model or PAPER
    values = model.complete(chosen.parameters).to_dict()
    calibrated = {step.name for step in model.prepare if isinstance(step, Balance | Critical)}
    rows: list[Sequence[Inline]] = []
    cited: set[str] = set()
    for name, info in model.declared.items():
        if name not in model.structure.used:
            continue
        meaning, codes = _split(info.meaning)
        cited |= set(codes)
        value: Inline = _rounded(values[name])
        source = ", ".join(SOURCES[code].partition(",")[0] for code in codes)
        if name in calibrated:
            source = "calibrated"
            value = _rounded(found[name] / float(unit_of(info.unit))) if name in found else "calibrated"
        elif name in PARAMETERS and chosen.name:
            source = f"set {printable(chosen.name)}"
        rows.append((symbol(name), value, unit_text(info.unit), printable(meaning), source or "this model"))
    rows += [
        (symbol(name), _rounded(found[name]), "", _COMPUTED[name], "computed") for name in _COMPUTED if name in found
    ]
    if model.noise:
        meaning = "sd of the activity under white noise alone"
        rows.append((symbol("noise"), _rounded(model.noise), "", meaning, "this model"))
    to.head("Parameters")
    to.table(f"Parameters of the model {printable(model.name)}.", HEADER, rows)
    notes = [f"{SOURCES[code]}." for code in SOURCES if code in cited]
    if chosen.source:
        notes.insert(0, f"Set {printable(chosen.name)}: {printable(chosen.source).rstrip('.')}.")
    if notes:
        to.say("Sources: " + " ".join(notes))


def _rounded(value: float) -> Formula:
    return number(float(f"{value:.6g}"))


def _split(meaning: str) -> tuple[str, list[str]]:
    """Return a meaning without abbreviations of sources, and these."""
    found = re.search(r"\s*\(((?:W|BW|BG)(?:, (?:W|BW|BG))*)\b([^)]*)\)", meaning)
    if not found:
        return re.sub(r"; found$", "", meaning), []
    codes = found[1].split(", ")
    more = found[2].lstrip(":; ")
    meaning = meaning.replace(found[0], f" (there {more})" if found[2].startswith(":") else "")
    return re.sub(r"; found$", "", meaning), codes


def unit_text(unit: str) -> str:
    """Return a unit as it is printed."""
    return re.sub(r"[A-Za-z]+", lambda name: unit_symbol(name[0]), unit).replace("*", " ")
