"""The 22 parameters of the model: value, unit, legal domain, search range, symbol and meaning of each."""

from __future__ import annotations

import dataclasses
import html
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from nsa_brian.errors import closest, printable, shown

POSITIVE = (0.0, math.inf)
ANY = (-math.inf, math.inf)
UNIT_INTERVAL = (0.0, 1.0)
#: Widths of a Gaussian whose squares are neither 0 nor infinite.
WIDTH = (1e-150, 1e150)
#: Largest bound of a search range; differences and quotients of larger ones may overflow.
WIDEST = 1e100
SCALES = ("linear", "log")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a model: one of the 22, or one that a user's model adds.

    Parameters
    ----------
    name : str
        Name in equations and in code.
    default : float
        Default value, a plain number in ``unit``.
    unit : str
        A unit of Brian2 such as ``"ms"``, ``"mV"`` or ``"1/second"``; empty for none.
    legal : (float, float), optional
        The domain in which the model is defined, bounds included; (0, inf) means above 0. By default positive numbers
        for times and on a log scale, else all numbers.
    search : (float, float), optional
        Search range of evolution; without one the parameter is not searched.
    scale : {"linear", "log"}
        Scale of the search range.
    symbol, meaning : str
        Mathematical symbol, and a description in one line.

    Examples
    --------
    >>> Parameter("tau_a", 300, unit="ms", search=(20, 3000), scale="log", meaning="time constant of the adaptation")
    Parameter(tau_a=300 ms)
    """

    name: str
    default: float
    unit: str = ""
    legal: tuple[float, float] = None  # type: ignore[assignment]  # set in __post_init__
    search: tuple[float, float] | None = None
    scale: str = "linear"
    symbol: str = ""
    meaning: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise ValueError(f"a parameter's name must be a Python name, got {shown(self.name)}")
        for field_name in ("unit", "symbol", "meaning"):
            if not isinstance(getattr(self, field_name), str):
                raise ValueError(
                    f"parameter {self.name}: {field_name} must be a text, got {shown(getattr(self, field_name))}"
                )
            object.__setattr__(self, field_name, printable(getattr(self, field_name)))
        if self.scale not in SCALES:
            raise ValueError(f"parameter {self.name}: scale must be {' or '.join(SCALES)}, got {shown(self.scale)}")
        positive = self.unit in ("ms", "second") or self.scale == "log"
        legal = self._pair("legal", self.legal) or (POSITIVE if positive else ANY)
        search = self._pair("search", self.search)
        object.__setattr__(self, "legal", legal)
        object.__setattr__(self, "search", search)
        object.__setattr__(self, "default", self.check(self.default))
        if search is not None:
            if not (math.isfinite(search[0]) and math.isfinite(search[1]) and search[0] < search[1]):
                raise ValueError(
                    f"parameter {self.name}: search must be two numbers, the lower one first, got {shown(search)}"
                )
            if max(abs(search[0]), abs(search[1])) > WIDEST or (self.scale == "log" and 0 < search[0] < 1 / WIDEST):
                within = f"{1 / WIDEST:g} to {WIDEST:g}" if self.scale == "log" else f"{-WIDEST:g} to {WIDEST:g}"
                raise ValueError(f"parameter {self.name}: search must lie within {within}, got {shown(search)}")
            if self.scale == "log" and search[0] <= 0:
                raise ValueError(f"parameter {self.name}: search on a log scale must lie above 0, got {shown(search)}")
            if not (self.admits(search[0]) and self.admits(search[1])):
                raise ValueError(
                    f"parameter {self.name}: search must lie in the legal domain, {self.domain}, got {shown(search)}"
                )

    def _pair(self, what: str, given: Any) -> tuple[float, float] | None:
        if given is None:
            return None
        try:
            low, high = map(float, given)
        except (TypeError, ValueError):
            raise ValueError(f"parameter {self.name}: {what} must be two numbers, got {shown(given)}") from None
        return low, high

    def __repr__(self) -> str:
        return f"Parameter({self.name}={self.default:g}{' ' + self.unit if self.unit else ''})"

    @property
    def domain(self) -> str:
        """The legal domain in words."""
        low, high = self.legal
        if self.legal == POSITIVE:
            return "a number above 0"
        if self.legal == ANY:
            return "any finite number"
        if high == math.inf:
            return f"a number from {low:g} up"
        return f"a number up to {high:g}" if low == -math.inf else f"a number from {low:g} to {high:g}"

    @property
    def search_range(self) -> str:
        """The search range in words."""
        if self.search is None:
            return "not searched"
        return f"{self.search[0]:g} to {self.search[1]:g}" + (" (log)" if self.scale == "log" else "")

    def admits(self, value: float) -> bool:
        """Return whether a value lies in the legal domain."""
        low, high = self.legal
        try:
            finite = math.isfinite(value)
        except OverflowError:  # an integer too large for a float
            return False
        return finite and (value > low if self.legal == POSITIVE else low <= value <= high)

    def check(self, value: Any) -> float:
        """Return the value as it is stored; raise ValueError if it is not a number in the legal domain."""
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ValueError(f"parameter {self.name} must be {self.domain}, got {shown(value)}")
        number: Any = value
        if not self.admits(number):
            raise ValueError(f"parameter {self.name} must be {self.domain}, got {shown(value)}")
        return number if isinstance(number, int) else float(number)

    def to_dict(self) -> dict[str, Any]:
        """Convert to a dict for JSON; infinite bounds of the domain become None."""
        legal = [None if math.isinf(bound) else bound for bound in self.legal]
        search = None if self.search is None else list(self.search)
        return {**dataclasses.asdict(self), "legal": legal, "search": search}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Parameter:
        """Create a parameter from the output of :meth:`to_dict`."""
        known = [f.name for f in dataclasses.fields(cls)]
        if not isinstance(values, Mapping) or {"name", "default"} - set(values) or set(values) - set(known):
            raise ValueError(f"a parameter must be an object with name, default and optionally {', '.join(known[2:])}")
        plain = dict(values)
        legal = plain.get("legal")
        if isinstance(legal, list | tuple) and len(legal) == 2:
            low, high = legal
            plain["legal"] = (-math.inf if low is None else low, math.inf if high is None else high)
        return cls(**plain)


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
        math.sqrt(7.3 / 2), "σ_v", "", WIDTH, (0.07, 10), "width (sd) of the value function's Gaussian", "log"
    )
    r_v: float = _parameter(0.91, "r_v", "", UNIT_INTERVAL, (0, 1), "share of the sigmoid in the value function")
    beta_eta: float = _parameter(
        4.3, "β_η", "", POSITIVE, (0.1, 10), "steepness of the learning rate function's sigmoid", "log"
    )
    alpha_eta: float = _parameter(-0.3, "α_η", "", ANY, (-10, 10), "shift of the learning rate function's sigmoid")
    mu_eta: float = _parameter(-1.1, "μ_η", "", ANY, (-10, 10), "centre of the learning rate function's Gaussian")
    sigma_eta: float = _parameter(
        math.sqrt(8.8 / 2),
        "σ_η",
        "",
        WIDTH,
        (0.07, 10),
        "width (sd) of the learning rate function's Gaussian",
        "log",
    )
    r_eta: float = _parameter(
        0.1, "r_η", "", UNIT_INTERVAL, (0, 1), "share of the sigmoid in the learning rate function"
    )
    I_ext: float = _parameter(1.0, "I_ext", "", ANY, (0.1, 2), "external input to U in phase 1")
    duration_input: float = _parameter(2888, "T_1", "ms", POSITIVE, (400, 3000), "duration of phase 1, input on")
    duration_free: float = _parameter(2687, "T_2", "ms", POSITIVE, (400, 3000), "duration of phase 2, input off")

    #: Values of the parameters that a model adds to the 22, as pairs of name and value; given as a mapping.
    own: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        for info in PARAMETERS.values():
            object.__setattr__(self, info.name, info.check(getattr(self, info.name)))
        own = sorted(dict(self.own).items())
        taken = [name for name, _ in own if name in PARAMETERS]
        if taken:
            raise ValueError(f"parameter {shown(taken[0])} is one of the 22 and cannot be a model's own")
        object.__setattr__(self, "own", tuple(own))

    def __getattr__(self, name: str) -> float:
        """Return a parameter that the model adds, by name."""
        for known, value in self.__dict__.get("own", ()):
            if known == name:
                return value
        raise AttributeError(f"no parameter {name!r}")

    def __repr__(self) -> str:
        own = "".join(f", {name}={value:g}" for name, value in self.own)
        return f"NSAParameters(tau_u={self.tau_u:g}, tau_v={self.tau_v:g}, ... 22 in all{own})"

    def _repr_html_(self) -> str:
        """Return a table, for notebooks."""
        rows = [(info.name, f"{value:g} {info.unit}", info.meaning) for info, value in self.items()]
        rows += [(name, f"{value:g}", "the model's own") for name, value in self.own]
        cells = ("".join(f"<td>{html.escape(text)}</td>" for text in row) for row in rows)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"

    def items(self) -> Iterator[tuple[Parameter, float]]:
        """Return pairs of description and value of the 22, in order."""
        return ((info, getattr(self, info.name)) for info in PARAMETERS.values())

    def to_dict(self) -> dict[str, float]:
        """Return the values by name, the 22 first."""
        return {**{name: getattr(self, name) for name in PARAMETERS}, **dict(self.own)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], declared: Mapping[str, Parameter] | None = None) -> NSAParameters:
        """Create parameters from values by name.

        Parameters
        ----------
        values : mapping
            All 22, and those that the model adds if they differ from their defaults.
        declared : mapping, optional
            Parameters of the model, see :attr:`nsa_brian.model.model.Model.declared`; by default the 22.
        """
        declared = PARAMETERS if declared is None else declared
        check_names(values, declared)
        missing = [name for name in PARAMETERS if name not in values]
        if missing:
            raise ValueError(f"missing parameter{'s' * (len(missing) > 1)} {', '.join(missing)}: all 22 are needed")
        own = {
            name: info.check(values.get(name, info.default))
            for name, info in declared.items()
            if name not in PARAMETERS
        }
        return cls(**{name: values[name] for name in PARAMETERS}, own=own)  # type: ignore[arg-type]

    def replace(self, **changes: float) -> NSAParameters:
        """Return a copy with some values changed."""
        own = dict(self.own)
        check_names(changes, [*PARAMETERS, *own])
        values = {**self.to_dict(), **changes}
        return NSAParameters(
            **{name: values[name] for name in PARAMETERS},
            own={name: values[name] for name in own},  # type: ignore[arg-type]
        )


#: Description of each parameter by name, in the order of the model's definition.
PARAMETERS: dict[str, Parameter] = {
    f.name: Parameter(f.name, f.default, **f.metadata)  # type: ignore[arg-type]
    for f in dataclasses.fields(NSAParameters)
    if f.metadata
}


def check_names(names: Iterable[str], known: Iterable[str] = PARAMETERS) -> None:
    """Raise ValueError for an unknown parameter name, with the closest known one."""
    known = list(known)
    for name in names:
        if name not in known:
            near = closest(str(name), known, 0.3)
            hint = f"; did you mean {near}?" if near else f"; known are {', '.join(known)}"
            raise ValueError(f"unknown parameter {shown(name)}{hint}")
