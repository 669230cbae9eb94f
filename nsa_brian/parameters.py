"""The 22 parameters of the model: value, unit, legal domain, search range, symbol and meaning of each."""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

POSITIVE = (0.0, math.inf)
ANY = (-math.inf, math.inf)
UNIT_INTERVAL = (0.0, 1.0)


@dataclass(frozen=True)
class ParameterInfo:
    """What is known of one parameter beyond its value.

    Attributes
    ----------
    name, symbol, unit, meaning : str
        Its name in code, the paper's symbol, ``"ms"`` or ``""``, and one line of prose.
    legal : (float, float)
        The domain in which the model is defined: positive numbers, all numbers, or [0, 1].
    search : (float, float)
        The range in which evolution looks for it.
    scale : str
        ``"linear"`` or ``"log"``: how evolution walks through that range.
    """

    name: str
    symbol: str
    unit: str
    legal: tuple[float, float]
    search: tuple[float, float]
    scale: str
    meaning: str

    @property
    def domain(self) -> str:
        """The legal domain in words."""
        if self.legal == POSITIVE:
            return "a number above 0"
        if self.legal == UNIT_INTERVAL:
            return "a number from 0 to 1"
        return "any finite number"

    @property
    def search_range(self) -> str:
        """The search range in words."""
        return f"{self.search[0]:g} to {self.search[1]:g}" + (" (log)" if self.scale == "log" else "")

    def admits(self, value: float) -> bool:
        """Whether a value lies in the legal domain."""
        low, high = self.legal
        try:
            finite = math.isfinite(value)
        except OverflowError:  # an integer beyond all floats
            return False
        return finite and (value > low if self.legal == POSITIVE else low <= value <= high)


def _parameter(
    default: float,
    symbol: str,
    unit: str,
    legal: tuple[float, float],
    search: tuple[float, float],
    meaning: str,
    scale: str = "linear",
) -> Any:
    info = {"symbol": symbol, "unit": unit, "legal": legal, "search": search, "scale": scale, "meaning": meaning}
    return field(default=default, metadata=info)


@dataclass(frozen=True, kw_only=True)
class NSAParameters:
    """The model's parameters, checked at construction and frozen.

    The defaults are the set ``minbandit-38``. Times are in ms; everything else has no unit.

    Raises
    ------
    ValueError
        If a value lies outside its legal domain; the message names the parameter, the domain and the value.
    """

    tau_u: float = _parameter(179, "τ_u", "ms", POSITIVE, (5, 300), "time constant of population U", "log")
    tau_v: float = _parameter(238, "τ_v", "ms", POSITIVE, (5, 300), "time constant of population V", "log")
    gain_u: float = _parameter(37.7, "g_u", "", POSITIVE, (0.1, 50), "gain of the response of U", "log")
    offset_u: float = _parameter(0.5, "o_u", "", ANY, (-1, 5), "offset of the response of U")
    threshold_u: float = _parameter(-0.42, "θ_u", "", ANY, (-0.5, 0.95), "response of U below which it is silent")
    gain_v: float = _parameter(45.8, "g_v", "", POSITIVE, (0.1, 50), "gain of the response of V", "log")
    offset_v: float = _parameter(0.2, "o_v", "", ANY, (-1, 5), "offset of the response of V")
    threshold_v: float = _parameter(0.49, "θ_v", "", ANY, (-0.5, 0.95), "response of V below which it is silent")
    w_max: float = _parameter(4.5, "w⁺", "", POSITIVE, (1, 10), "weight that a steady reward leads to")
    beta_v: float = _parameter(6.0, "β_v", "", POSITIVE, (0.1, 10), "steepness of the value function's sigmoid", "log")
    alpha_v: float = _parameter(3.1, "α_v", "", ANY, (-10, 10), "shift of the value function's sigmoid")
    mu_v: float = _parameter(-2.0, "μ_v", "", ANY, (-10, 10), "centre of the value function's Gaussian")
    sigma_v: float = _parameter(
        1.910497, "σ_v", "", POSITIVE, (0.07, 10), "width (sd) of the value function's Gaussian", "log"
    )
    r_v: float = _parameter(0.91, "r_v", "", UNIT_INTERVAL, (0, 1), "share of the sigmoid in the value function")
    beta_eta: float = _parameter(
        4.3, "β_η", "", POSITIVE, (0.1, 10), "steepness of the learning rate function's sigmoid", "log"
    )
    alpha_eta: float = _parameter(-0.3, "α_η", "", ANY, (-10, 10), "shift of the learning rate function's sigmoid")
    mu_eta: float = _parameter(-1.1, "μ_η", "", ANY, (-10, 10), "centre of the learning rate function's Gaussian")
    sigma_eta: float = _parameter(
        2.097618, "σ_η", "", POSITIVE, (0.07, 10), "width (sd) of the learning rate function's Gaussian", "log"
    )
    r_eta: float = _parameter(
        0.1, "r_η", "", UNIT_INTERVAL, (0, 1), "share of the sigmoid in the learning rate function"
    )
    I_ext: float = _parameter(1.0, "I_ext", "", ANY, (0.1, 2), "external input to U in phase 1")
    duration_input: float = _parameter(2888, "T_1", "ms", POSITIVE, (400, 3000), "duration of phase 1, input on")
    duration_free: float = _parameter(2687, "T_2", "ms", POSITIVE, (400, 3000), "duration of phase 2, input off")

    def __post_init__(self) -> None:
        for info, value in self.items():
            if isinstance(value, bool) or not isinstance(value, Real):
                raise ValueError(f"parameter {info.name} must be {info.domain}, got {value!r}")
            if not info.admits(value):
                raise ValueError(f"parameter {info.name} must be {info.domain}, got {str(value)[:30]}")
            object.__setattr__(self, info.name, value if isinstance(value, int) else float(value))

    def items(self) -> Iterator[tuple[ParameterInfo, float]]:
        """Pairs of description and value, in order."""
        return ((info, getattr(self, info.name)) for info in PARAMETERS.values())

    def to_dict(self) -> dict[str, float]:
        """The 22 values by name."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> NSAParameters:
        """Parameters from all 22 values by name; a missing or unknown name is an error."""
        check_names(values)
        missing = [name for name in PARAMETERS if name not in values]
        if missing:
            raise ValueError(f"missing parameter{'s' * (len(missing) > 1)} {', '.join(missing)}: all 22 are needed")
        return cls(**values)

    def replace(self, **changes: float) -> NSAParameters:
        """A copy with some values changed."""
        return self.from_dict({**self.to_dict(), **changes})


#: Description of each parameter by name, in the order of the model's definition.
PARAMETERS: dict[str, ParameterInfo] = {
    f.name: ParameterInfo(name=f.name, **f.metadata) for f in dataclasses.fields(NSAParameters)
}


def check_names(names: Iterable[str]) -> None:
    """Refuse a name that is no parameter's, and offer the nearest."""
    for name in names:
        if name not in PARAMETERS:
            near = difflib.get_close_matches(name, PARAMETERS, n=1, cutoff=0.3)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(PARAMETERS)}"
            raise ValueError(f"unknown parameter {name!r}{hint}")
