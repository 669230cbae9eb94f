"""Reader of a model's places: its populations, the synapse and the signals, with their equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from brian2.equations.equations import DIFFERENTIAL_EQUATION, FLOAT, PARAMETER, SUBEXPRESSION, SingleEquation
from brian2.units.fundamentalunits import DIMENSIONLESS

from nsa_brian.errors import ModelError
from nsa_brian.model import equations as paper
from nsa_brian.model.names import check_name, check_population
from nsa_brian.model.parts import Population
from nsa_brian.model.reading import (
    names_in,
    read_equations,
)
from nsa_brian.model.scope import Scope
from nsa_brian.model.structure import (
    REFRACTORY,
    SIGNALS,
    SPIKED,
    SYNAPSE,
    U,
    V,
    is_single,
    variable,
)

if TYPE_CHECKING:
    from nsa_brian.model.model import Model
    from nsa_brian.model.rules import Rules
    from nsa_brian.parameters import Parameter

#: Replacement of ``{noise}`` in each population.
NOISE = {U: paper.NOISE_U, V: paper.NOISE_V}


@dataclass
class Place:
    """A population, the synapse or the signals, while a model is read.

    Attributes
    ----------
    name, owner, level : str
        ``owner`` in words; ``level`` is ``"option"`` or ``"game"``.
    population : Population, optional
        Its declaration.
    lines : list of SingleEquation
    written : dict
        Names of its variables, as written and in the structure.
    arriving : list of str
    """

    name: str
    owner: str
    level: str
    population: Population | None = None
    lines: list[SingleEquation] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    arriving: list[str] = field(default_factory=list)

    @property
    def single(self) -> bool:
        """Whether it is a population of one neuron, whose names an option uses unchanged."""
        return self.population is not None and is_single(self.population)

    @property
    def state(self) -> list[str]:
        """State variables, by their names in the structure."""
        return [eq.varname for eq in self.lines if eq.type != SUBEXPRESSION]

    @property
    def seen(self) -> dict[str, str]:
        """Names of its variables, and of its inputs from couplings."""
        return {**self.written, **{name: name for name in self.arriving}}


class Places:
    """The places of a model while it is read; their equations have the declaration's names.

    Attributes
    ----------
    found : dict
        Place by name.
    noisy : dict
        Equations without and with noise, by population.
    """

    def __init__(self, model: Model, scope: Scope, rules: Rules) -> None:
        self.model, self.scope, self.rules = model, scope, rules
        self.found: dict[str, Place] = {}
        self.noisy: dict[str, list[tuple[SingleEquation, SingleEquation]]] = {}

    def read(self) -> dict[str, Place]:
        """Read all equations, and register the names that they define."""
        model = self.model
        given = {population.name: population for population in model.populations}
        if len(given) < len(model.populations):
            twice = next(p.name for p in model.populations if sum(q.name == p.name for q in model.populations) > 1)
            raise ModelError(f"population {twice}: there are two populations of that name")
        for name in (U, V):
            owner = f"population {name.upper()}"
            if name in given:
                self._read_population(given[name], owner)
            else:
                self._read_rate(name, owner)
        for population in given.values():
            if population.name not in (U, V):
                where = f"population {population.name}"
                check_population(population.name)
                if is_single(population) or population.name in {**self.scope.origin, **self.scope.declared}:
                    self.scope.take(where, population.name)
                self.scope.origin[population.name] = where
                self._read_population(population, where)
        self._read_synapse()
        self.found[SIGNALS] = Place(SIGNALS, "the game's signals", "game")
        for eq in read_equations("signals", model.signals):
            if eq.type == DIFFERENTIAL_EQUATION:
                raise ModelError(
                    f'signals: {eq.varname} has a differential equation; declare it in a population with per="game"'
                )
            self._add("signals", self.found[SIGNALS], eq)
        for place in self.found.values():
            for name, code in place.written.items():
                self.scope.owners.setdefault(name, place.owner)
                if code != name:
                    self.scope.written[code] = name
                if place.population is not None and not (place.single and place.name in (U, V)):
                    self.scope.means[f"{name}_{place.name}"] = code in place.state
            if place.population is not None and not place.single:
                self._check_shadows(place)
        return self.found

    def _check_shadows(self, place: Place) -> None:
        """Raise if names of many neurons hide names of the levels above, or names in generated code."""
        above = {**self.found[SYNAPSE].written, **self.found[SIGNALS].written, **self.rules.inputs}
        above |= dict.fromkeys(self.rules.phased(place.level))
        for name in place.written:
            if name in above or name in ("count", "outcome"):
                by = self.scope.origin.get(name, "the network's neurons")
                raise ModelError(f"population {place.name}: the name {name!r} is taken, by {by}")

    def _read_rate(self, name: str, owner: str) -> None:
        """Read U or V from the short form: its rate equation, and its response."""
        model, where = self.model, f"rate_{name}"
        text = getattr(model, where)
        if not isinstance(text, str):
            raise ModelError(f"{where} must be equations, got {text!r}")
        rate = read_equations(where, text.replace("{noise}", ""))
        if "{noise}" in text:
            noisy = read_equations(where, text.replace("{noise}", NOISE[name]))
            self.noisy[name] = list(zip(rate, noisy, strict=True))
            rate = noisy if model.noise else rate
        _expect(where, rate, name, DIFFERENTIAL_EQUATION, f"d{name}/dt = ... : 1")
        response = renamed(self.scope.declared, "response", model.response, name, {"x": name})
        _expect("response", response, f"phi_{name}", SUBEXPRESSION, "phi = ... : 1")
        number = f"n_{name}"  # the random number of the noise
        population = Population(name, text, "option", normal=(number,) if model.noise else ())
        place = self.found[name] = Place(name, owner, "option", population)
        for eq in (*rate, *response):
            self._add(where if eq in rate else "response", place, eq)
        if model.noise:
            self.scope.common.append("noise")
            place.written[number] = number
            self.scope.dimensions[number] = DIMENSIONLESS

    def _read_population(self, population: Population, owner: str) -> None:
        where, name = f"population {population.name}", population.name
        place = self.found[name] = Place(name, owner, population.per, population)
        found = read_equations(where, population.equations)
        if not found:
            raise ModelError(f"{where} has no equations")
        if population.threshold and not any(eq.type == DIFFERENTIAL_EQUATION for eq in found):
            raise ModelError(f"{where}: neurons that spike must have a differential equation")
        for eq in found:
            self._add(where, place, eq)
        for kind, names in (("normal", population.normal), ("poisson", population.poisson)):
            for each in names:
                if each in place.written:
                    raise ModelError(f"{where}, {kind}: the name {each!r} is taken, by another line")
                code = place.written[each] = self._code(place, each)
                if each == "noise":  # the name in the shipped spiking models
                    self._claim(f"{where}, {kind}", place, each, code)
                else:
                    self._take(f"{where}, {kind}", place, each, code)
                self.scope.dimensions[code] = DIMENSIONLESS
        if population.threshold:
            self.scope.dimensions[f"{SPIKED}_of_{name}"] = DIMENSIONLESS
        if isinstance(population.neurons, str):
            self.scope.use(f"{where}, neurons", population.neurons)
            parameter = self.scope.declared[population.neurons]
            if parameter.unit or not (parameter.default >= 1 and float(parameter.default).is_integer()):
                raise ModelError(f"{where}, neurons must be a whole number from 1 up, without a unit, got {parameter}")
        if any(REFRACTORY in eq.flags for eq in found) and not population.refractory:
            raise ModelError(f"{where}: equations have the flag ({REFRACTORY}), but no refractory time is given")

    def _read_synapse(self) -> None:
        model, place = self.model, Place(SYNAPSE, "the synapse from U to V", "option")
        self.found[SYNAPSE] = place
        found = read_equations("synapse", model.synapse)
        if "w" not in [eq.varname for eq in found]:
            found.insert(0, variable("w", DIMENSIONLESS))
        for eq in found:
            self._add("synapse", place, eq)
        for suffix in ("v", "eta"):
            for eq in renamed(self.scope.declared, "gaussian_sigmoid", model.gaussian_sigmoid, suffix, {}):
                if eq.type != SUBEXPRESSION:
                    raise ModelError(f"gaussian_sigmoid holds expressions only, got {eq.varname} with its own dynamics")
                self._add("gaussian_sigmoid", place, eq)
        if "Phi_v" not in self.scope.origin:
            raise ModelError("gaussian_sigmoid must define Phi: Phi = ... : 1")

    def _code(self, place: Place, name: str) -> str:
        """Return the name of a population's variable in the structure."""
        return name if place.population is None or place.single else f"{name}_of_{place.name}"

    def _add(self, where: str, place: Place, eq: SingleEquation) -> None:
        """Add an equation; raise for a name that is taken, or a flag or type that engines do not support."""
        name, code = eq.varname, self._code(place, eq.varname)
        if (name in (U, V) and place.name != name) or (name == "w" and place.name != SYNAPSE):
            raise ModelError(f"{where}: the name {name!r} is taken, by the model's own variable")
        self._take(where, place, name, code)
        spiking = place.population is not None and bool(place.population.threshold)
        flags = set(eq.flags) - ({"clock-driven"} if place.name == SYNAPSE else set())
        flags -= {REFRACTORY} if spiking else set()
        if flags:
            flag = sorted(flags)[0]
            needs = "needs a threshold and a refractory time" if flag == REFRACTORY else "engines do not support"
            raise ModelError(f"{where}: {name} has a flag, ({flag}), which {needs}")
        if eq.type == PARAMETER and place.population is not None:
            raise ModelError(f"{where}: {name} has no equation; a number is declared as Parameter({name!r}, ...)")
        if eq.var_type != FLOAT:
            raise ModelError(f"{where}: {name} must be a real number, got {eq.var_type}")
        if name in ("u", "v", "w") and eq.dim is not DIMENSIONLESS:
            raise ModelError(f"{where}: {name} must have no unit, got {eq.unit!r}")
        place.written[name] = code
        expr = {} if eq.expr is None else {"expr": eq.expr}
        kept = [flag for flag in eq.flags if flag == REFRACTORY]
        place.lines.append(SingleEquation(eq.type, code, eq.dim, var_type=FLOAT, flags=kept, **expr))
        self.scope.dimensions[code] = eq.dim

    def _take(self, where: str, place: Place, name: str, code: str) -> None:
        """Reserve the name of a variable, or of a random number, of a place."""
        if code == name:
            self.scope.take(where, name, own=name in (U, V, "w") and name in (place.name, "w"))
            return
        check_name(where, name)
        self._claim(where, place, name, code)

    def _claim(self, where: str, place: Place, name: str, code: str) -> None:
        """Reserve a name within a population, and its name in generated code."""
        by = "a parameter" if name in self.scope.declared else self.scope.origin.get(name) if code == name else None
        if by:
            raise ModelError(f"{where}: the name {name!r} is taken, by {by}")
        if code in self.scope.declared or code in self.scope.origin:
            raise ModelError(f"{where}: {name} of {place.name} would be {code!r} in generated code, which is taken")
        self.scope.origin[code] = where


def renamed(
    declared: Mapping[str, Parameter], where: str, text: str, suffix: str, others: Mapping[str, str]
) -> list[SingleEquation]:
    """Return equations with a suffix on the names they define, and on names that are parameters with it."""
    found = read_equations(where, text)
    own = {eq.varname for eq in found}
    present = own.union(*(names_in(str(eq.expr)) for eq in found if eq.expr is not None))
    names = {name: f"{name}_{suffix}" for name in present if name in own or f"{name}_{suffix}" in declared}
    return read_equations(where, text, **{**names, **{a: b for a, b in others.items() if a in present}})


def _expect(where: str, found: list[SingleEquation], name: str, kind: str, form: str) -> None:
    if not any(eq.varname == name and eq.type == kind for eq in found):
        raise ModelError(f"{where} must define {form}")
