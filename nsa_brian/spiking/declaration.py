"""Reading a spiking model's declaration: every string parsed, every name found, every unit checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from brian2 import second
from brian2.core.namespace import DEFAULT_UNITS
from brian2.equations.equations import DIFFERENTIAL_EQUATION, SUBEXPRESSION, SingleEquation
from brian2.units.fundamentalunits import DIMENSIONLESS, Dimension
from brian2.utils.stringtools import word_substitute

from nsa_brian.errors import ModelError
from nsa_brian.model.declaration import renamed
from nsa_brian.model.functions import FUNCTIONS, canonical
from nsa_brian.model.names import CONSTANTS, check_name
from nsa_brian.model.reading import (
    Statement,
    Value,
    canonical_rule,
    dimension_of,
    names_in,
    nearest,
    read_equations,
    read_rule,
    read_value,
    unit_of,
    unknown,
)
from nsa_brian.model.structure import canonical_equation, closure
from nsa_brian.spiking.structure import (
    IN_CODE,
    OF_NETWORK,
    OF_OPTIONS,
    OF_SYNAPSES,
    OF_WEIGHTS,
    REFRACTORY,
    SPIKED,
    Mean,
    Neurons,
    SpikingStructure,
    U,
    V,
)


def read(model: Any) -> SpikingStructure:
    """A model's structure; a :class:`ModelError` says what is wrong with the declaration, and where."""
    return _Reader(model).structure()


class _Reader:
    """A declaration on its way to a structure."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.declared = model.declared
        self.dimensions = {name: unit_of(info.unit).dim for name, info in self.declared.items()}
        self.used: set[str] = {"neurons", "input_time", "free_time", "reading_time"}

    def structure(self) -> SpikingStructure:
        model = self.model
        for parameter in model.parameters:
            _check_name("parameters", parameter.name, OF_WEIGHTS)
        self._check_roles()
        equations = {
            U: self._equations("neuron and u", f"{model.neuron}\n{model.u}"),
            V: self._equations("neuron and v", f"{model.neuron}\n{model.v}"),
        }
        for pool in model.pools:
            if pool.name in equations:
                raise ModelError(f"pool {pool.name}: there are two pools of that name")
            equations[pool.name] = self._equations(f"pool {pool.name}", pool.neuron)
        self.states = {
            name: {eq.varname: eq.dim for eq in found if eq.type == DIFFERENTIAL_EQUATION}
            for name, found in equations.items()
        }
        populations = {}
        for name in (U, V):
            populations[name] = self._neurons(name, name, "neurons", equations[name], model)
        for pool in model.pools:
            self._use("pools", pool.neurons)
            populations[pool.name] = self._neurons(
                f"pool {pool.name}", pool.name, pool.neurons, equations[pool.name], pool
            )
        self._check_code(populations.values())
        functions = {
            eq.varname: str(eq.expr)
            for suffix in ("v", "eta")
            for eq in renamed(self.declared, "gaussian_sigmoid", model.gaussian_sigmoid, suffix, {})
        }
        for needed in ("Phi_v", "Phi_eta"):
            if needed not in functions:
                raise ModelError("gaussian_sigmoid must define Phi: Phi = ... : 1")
        for name, text in functions.items():
            self._check_free("gaussian_sigmoid", name)
            self._see("gaussian_sigmoid", text, [*functions, "w"])
            self._match(
                f"gaussian_sigmoid, {name}", text, DIMENSIONLESS, dict.fromkeys([*functions, "w"], DIMENSIONLESS)
            )
        gain = self._value("gain", model.gain, ["Phi_v", "Phi_star", "Phi_top"], functions)
        flips: tuple[Statement, ...] = ()
        if model.flips:
            flips = self._flips()
            rule = Value((), "w")
        else:
            rule = self._value("plasticity", model.plasticity, ["w", "R", *functions], functions)
        return SpikingStructure(
            populations={name: _canonical_neurons(neurons) for name, neurons in populations.items()},
            gain=canonical_rule(gain),
            rule=canonical_rule(rule),
            flips=canonical_rule(flips),
            expressions={name: canonical(text) for name, text in functions.items()},
            dimensions=self.dimensions,
            used=frozenset(self.used & set(self.declared)),
        )

    def _check_roles(self) -> None:
        model = self.model
        if model.critical:
            self._use("critical", model.critical)
        if model.homeostasis:
            self._use("homeostasis", model.homeostasis)
            self._use("homeostasis", "spontaneous")
        if model.flips:
            self._use("flips", "outcome_time")
        for time in ("input_time", "free_time", "reading_time", *(["outcome_time"] if model.flips else [])):
            if self.dimensions[time] is not second.dim:
                raise ModelError(f"parameter {time!r} must be a time, such as in ms")

    def _use(self, where: str, name: str) -> None:
        """Take a parameter that the model must have."""
        if name not in self.declared:
            raise ModelError(f"{where}: there is no parameter {name!r}; {nearest(name, self.declared)}")
        self.used.add(name)

    def _equations(self, where: str, text: str) -> list[SingleEquation]:
        found = read_equations(where, text)
        for eq in found:
            _check_name(where, eq.varname)
            self._check_free(where, eq.varname)
            if eq.type not in (DIFFERENTIAL_EQUATION, SUBEXPRESSION):
                raise ModelError(f"{where}: {eq.varname} has no equation; a number is declared as Parameter(...)")
            odd = set(eq.flags) - {REFRACTORY}
            if odd:
                raise ModelError(f"{where}: {eq.varname} has a flag, ({odd.pop()}), that the engines know nothing of")
        if not any(eq.type == DIFFERENTIAL_EQUATION for eq in found):
            raise ModelError(f"{where} must have a differential equation")
        return found

    def _check_free(self, where: str, name: str, others: Iterable[str] = ()) -> None:
        """Refuse a name that a parameter has already, or something else."""
        for names, taker in ((self.declared, "a parameter"), (others, "another line")):
            if name in names:
                raise ModelError(f"{where}: the name {name!r} is taken, by {taker}")

    def _check_code(self, populations: Iterable[Neurons]) -> None:
        """Refuse names that would be one name in generated code, where all populations stand side by side."""
        taken = {name: f"parameter {name}" for name in self.declared}
        for neurons in populations:
            made = neurons.names_in_code
            made |= {f"mean of {event}": f"mean_of_{made[event]}" for event in neurons.poisson}
            for name, code in {**made, **{kept: f"{kept}_in_{neurons.name}" for kept in IN_CODE}}.items():
                what = f"{name} of {neurons.name}"
                if code in taken:
                    raise ModelError(f"{taken[code]} and {what} would both be {code!r} in generated code; rename one")
                taken[code] = what

    def _neurons(self, where: str, name: str, count: str, equations: list[SingleEquation], given: Any) -> Neurons:
        own = {eq.varname: eq.dim for eq in equations}
        for event in given.poisson:
            _check_name(f"{where}, poisson", event)
            self._check_free(f"{where}, poisson", event, own)
        seen: dict[str, Dimension] = {**own, "dt": second.dim, "I": DIMENSIONLESS, "noise": DIMENSIONLESS}
        seen |= dict.fromkeys(given.poisson, DIMENSIONLESS)
        if name in (U, V):
            seen |= dict.fromkeys(OF_OPTIONS, DIMENSIONLESS)
        means: dict[str, Mean] = {}
        used: set[str] = set()
        for eq in equations:
            line = f"{where}, {eq.varname}"
            used |= self._see(line, str(eq.expr), seen, means)
            dimension = eq.dim / second.dim if eq.type == DIFFERENTIAL_EQUATION else eq.dim
            self._match(line, str(eq.expr), dimension, self._with_means(seen, means))
        own_seen = {**own, "dt": second.dim}
        self._see(f"{where}, threshold", given.threshold, own)
        self._match(f"{where}, threshold", f"int({given.threshold})", DIMENSIONLESS, own)
        reset = self._statements(f"{where}, reset", given.reset, own_seen, self.states[name])
        if given.refractory:
            self._see(f"{where}, refractory", given.refractory, ())
            self._match(f"{where}, refractory", given.refractory, second.dim, {})
        elif any(REFRACTORY in eq.flags for eq in equations):
            raise ModelError(f"{where}: equations stand still ({REFRACTORY}), and no refractory time is given")
        initial = dict.fromkeys(self.states[name], "0")
        for variable, text in given.initial.items():
            if variable not in initial:
                raise ModelError(f"initial: there is no state variable {variable!r}; {nearest(variable, initial)}")
            text = str(text)
            self._see(f"initial of {variable}", text, ())
            if text.strip() not in ("0", "0.0"):
                self._match(f"initial of {variable}", text, self.states[name][variable], {})
            initial[variable] = text
        expressions = {eq.varname: str(eq.expr) for eq in equations if eq.type == SUBEXPRESSION}
        poisson = {}
        for event, text in given.poisson.items():
            rate = self._substituted(text, expressions)
            self._see(f"{where}, rate of {event}", rate, ("I",))
            self._match(f"{where}, rate of {event}", rate, (1 / second).dim, {"I": DIMENSIONLESS})
            if event not in used:
                raise ModelError(f"{where}: no equation uses {event!r}, whose rate poisson tells")
            poisson[event] = rate
            used |= closure(names_in(text), expressions)
        return Neurons(
            name,
            count,
            tuple(equations),
            given.threshold,
            reset,
            given.refractory,
            initial,
            poisson,
            tuple(means[name] for name in sorted(means)),  # Brian2's order of lines is not the same in every process
            "noise" in used,
        )

    def _substituted(self, text: str, expressions: Mapping[str, str]) -> str:
        while names_in(text) & set(expressions):
            text = word_substitute(text, {name: f"({line})" for name, line in expressions.items()})
        return text

    def _with_means(self, seen: Mapping[str, Dimension], means: Mapping[str, Mean]) -> dict[str, Dimension]:
        found = {name: self._dimension_of(mean) for name, mean in means.items()}
        return {**found, **seen}

    def _dimension_of(self, mean: Mean) -> Dimension:
        return DIMENSIONLESS if mean.variable == SPIKED else self.states[mean.source][mean.variable]

    def _see(self, where: str, text: str, seen: Iterable[str], means: dict[str, Mean] | None = None) -> set[str]:
        """Find every name of an expression; means of other populations are entered where they may be seen."""
        if not isinstance(text, str):
            raise ModelError(f"{where} must be a text, got {text!r}")
        seen, found = set(seen), names_in(text)
        for name in sorted(found):
            if name in seen or name in CONSTANTS or name in DEFAULT_UNITS or name in FUNCTIONS:
                continue
            if name in self.declared:
                self.used.add(name)
                continue
            mean = self._mean(name) if means is not None else None
            if mean is None:
                known = [*seen, *self.declared]
                if means is not None:
                    known += [f"{variable}_{place}" for place, listed in self.states.items() for variable in listed]
                raise unknown(where, name, known)
            means[name] = mean  # type: ignore[index]
        return found

    def _mean(self, name: str) -> Mean | None:
        for source, variables in self.states.items():
            variable = name.removesuffix(f"_{source}")
            if variable != name and (variable in variables or variable == SPIKED):
                return Mean(name, variable, source)
        return None

    def _match(self, where: str, text: str, dimension: Dimension, seen: Mapping[str, Dimension]) -> None:
        found = dimension_of(where, text, {**self.dimensions, **seen})
        if found is not dimension:
            raise ModelError(f"{where}: units do not fit: {text!r} has unit {found}, not {dimension}")

    def _statements(
        self, where: str, text: str, seen: Mapping[str, Dimension], targets: Mapping[str, Dimension]
    ) -> tuple[Statement, ...]:
        rule = read_rule(where, text.replace(";", "\n") if isinstance(text, str) else text)
        if isinstance(rule, Value):
            raise ModelError(f"{where} must be statements such as 'name = expression', got {text!r}")
        for statement in rule:
            if statement.target not in targets:
                raise ModelError(f"{where} cannot change {statement.target!r}; {nearest(statement.target, targets)}")
            self._see(where, statement.expression, seen)
            whole = statement.expression
            if statement.operation in ("*=", "/="):
                whole = f"{statement.target} {statement.operation[0]} ({whole})"
            if whole.strip() not in ("0", "0.0"):
                self._match(where, whole, targets[statement.target], seen)
        return rule

    def _value(self, where: str, text: str, seen: list[str], functions: Iterable[str]) -> Value:
        value = read_value(where, text)
        for name, line, unit in (*value.helpers, ("", value.expression, "1")):
            if name:
                check_name(where, name)
                self._check_free(where, name, {*seen, *functions, *OF_WEIGHTS})
            if unit.strip() != "1":
                raise ModelError(f"{where}, {name}: helper lines have no unit here, written 1, got {unit!r}")
            self._see(where, line, seen)
            self._match(where, line, DIMENSIONLESS, dict.fromkeys(seen, DIMENSIONLESS))
            seen = [*seen, name]
        return value

    def _flips(self) -> tuple[Statement, ...]:
        rule = self._statements("flips", self.model.flips, OF_SYNAPSES, {"b": DIMENSIONLESS})
        self._see("weight", self.model.weight, ("b",))
        self._match("weight", self.model.weight, DIMENSIONLESS, {"b": DIMENSIONLESS})
        return rule


def _canonical_neurons(neurons: Neurons) -> Neurons:
    return dataclasses.replace(
        neurons,
        equations=tuple(map(canonical_equation, neurons.equations)),
        threshold=canonical(neurons.threshold),
        reset=canonical_rule(neurons.reset),
        refractory=canonical(neurons.refractory) if neurons.refractory else "",
        initial={name: canonical(text) for name, text in neurons.initial.items()},
        poisson={name: canonical(text) for name, text in neurons.poisson.items()},
    )


def _check_name(where: str, name: str, others: Iterable[str] = ()) -> None:
    """Refuse a name that has a meaning already, to all models or to spiking ones."""
    check_name(where, name)
    if name in (SPIKED, *OF_OPTIONS, *OF_NETWORK, *OF_SYNAPSES, *others):
        raise ModelError(f"{where}: the name {name!r} is taken, by something with a meaning of its own")
