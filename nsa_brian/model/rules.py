"""Reader of inputs, phases, the choice, learning rules and signals."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from brian2 import second
from brian2.equations.equations import PARAMETER
from brian2.units.fundamentalunits import DIMENSIONLESS

from nsa_brian.errors import ModelError
from nsa_brian.model.functions import canonical
from nsa_brian.model.names import check_name
from nsa_brian.model.parts import Choice, Input, Phase
from nsa_brian.model.preparing import Balance, Critical, RateMap
from nsa_brian.model.reading import (
    Statement,
    Value,
    canonical_rule,
    names_in,
    nearest,
    read_equations,
    read_rule,
    read_value,
    texts_of,
    unit_of,
)
from nsa_brian.model.structure import OF_CONTACTS, SIGNALS, SYNAPSE, U, V, closure

if TYPE_CHECKING:
    from nsa_brian.model.declaration import Reader
    from nsa_brian.model.place import Place

#: The paper's phases, the default.
PHASES = (Phase("input", "duration_input", {"I": "I_ext"}), Phase("free", "duration_free"))
#: Names that only the choice can use, besides ``u`` and ``v``.
OF_CHOICE = ("u_top", "v_top", "best_u", "best_v", "u_at_v", "v_at_u")


class Rules:
    """The strings of a model other than equations, while it is read."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._model, self._scope = reader, reader.model, reader.scope
        self.inputs: dict[str, Input] = {}
        self.phases: tuple[Phase, ...] = ()
        self._read: set[str] = set()

    # Before equations ------------------------------------------------------------------------------------------------

    def read_outside(self) -> None:
        """Register the names of inputs, of phases, and of calibrated values."""
        scope = self._scope
        for given in self._model.inputs:
            scope.take(f"input {given.name}", given.name)
            self.inputs[given.name] = given
            scope.dimensions[given.name] = unit_of(given.unit, f"input {given.name}").dim
            scope.owners[given.name] = "an input of options" if given.per == "option" else "an input of the game"
        self.phases = tuple(map(self._phase, self._model.phases or PHASES))
        if not self.phases or self.phases[0].after_choice:
            raise ModelError("phases: the first phase must come before the choice")
        last = [phase.after_choice for phase in self.phases]
        if sorted(last) != last:
            late = next(phase.name for phase in self.phases[last.index(True) :] if not phase.after_choice)
            raise ModelError(f"phase {late}: phases before the choice must precede those after it")
        for i, phase in enumerate(self.phases):
            if phase.name in [other.name for other in self.phases[:i]]:
                raise ModelError(f"phase {phase.name}: there are two phases of that name")
        for step in self._model.prepare:
            for name in dataclasses.asdict(step).values():
                self._scope.use(f"prepare, {type(step).__name__}", name)
            if isinstance(step, RateMap):
                scope.common += ["Phi_star", "Phi_top"]
                scope.dimensions |= dict.fromkeys(("Phi_star", "Phi_top"), DIMENSIONLESS)

    def _phase(self, phase: Phase) -> Phase:
        where, scope = f"phase {phase.name}", self._scope
        duration = scope.value(f"{where}, duration", phase.duration, {}, second.dim)
        on = {}
        for name, text in phase.on.items():
            if name not in scope.origin:
                if name != "I":
                    scope.take(where, name)
                scope.origin[name] = f"phase {phase.name}"
            elif not scope.origin[name].startswith("phase "):
                raise ModelError(f"{where}: the name {name!r} is taken, by {scope.origin[name]}")
            scope.dimensions[name] = DIMENSIONLESS
            scope.passing[name] = "phases set during a round"
            on[name] = canonical(scope.value(f"{where}, {name}", text, {}, DIMENSIONLESS))
        return Phase(phase.name, duration, on, phase.after_choice)

    def inputs_of(self, level: str) -> dict[str, str]:
        """Return the inputs of options or of the game, by name."""
        return {name: name for name, given in self.inputs.items() if given.per == level}

    def phased(self, level: str) -> list[str]:
        """Return the names that phases set for neurons of options or of a game."""
        found = list(dict.fromkeys(["I", *(name for phase in self.phases for name in phase.on)]))
        self._scope.dimensions.setdefault("I", DIMENSIONLESS)
        if any(phase.after_choice for phase in self.phases):
            found += ["R", *(["choice"] if level == "option" else [])]
        return found

    # After equations -------------------------------------------------------------------------------------------------

    def read(self) -> dict[str, Any]:
        """Read all rules, and return the fields of a structure."""
        contacts, contact_rule = self._read_contacts()
        self._means: dict[str, tuple[str, str]] = {name: ("contacts", name) for name in contacts}
        self._check_steps()
        initial = self._read_initial()
        rule = self._read_plasticity()
        update = self._read_signals()
        choice = self._read_choice()
        self._read_carried()
        return {
            "initial": {name: canonical(text) for name, text in initial.items()},
            "inputs": self.inputs,
            "phases": self.phases,
            "choice": choice,
            "rule": canonical_rule(rule),
            "signal_update": canonical_rule(update),
            "contacts": contacts,
            "contact_rule": canonical_rule(contact_rule),
            "means": self._means,
        }

    def reads(self, place: Place) -> bool:
        """Return whether rules or the choice read a population."""
        read = closure(self._read, self._reader.expressions)
        means = {self._means[name][0] for name in self._read if name in self._means}
        return place.name in means or bool(read & {*place.written.values()})

    def _of_option(self, where: str, *texts: str, ending: str = "") -> dict[str, str]:
        """Return the names that an option's rules can use after a round, with means over neurons that the texts read.

        In the strings the names have an ``ending``.
        """
        reader, found = self._reader, dict(self._reader.above("option"))
        passing = {name for place in reader.places.values() for name in place.arriving}
        passing |= {*self.phased("option"), *(n for p in reader.populations.values() for n in _random(p))}
        for place in reader.populations.values():
            if not place.single:
                continue
            ends = {U: "_pre", V: "_post"}.get(place.name, "")
            for name, code in place.written.items():
                found |= {name: code} | ({f"{name}{ends}": code} if ends else {})
        found |= {name: name for name in (U, V) if name not in reader.places[name].written}
        found |= {name: name for name in self._means}
        for name in sorted(set().union(*map(names_in, texts))):
            mean = reader.mean_of(name) if name not in found else None
            if mean is not None:
                self._means[name] = mean
                self._scope.dimensions[name] = self._scope.dimensions[mean[1]]
                found[name] = name
        for name in set().union(*map(names_in, texts)):
            code = found.get(name, name)
            if name != "R" and closure({code}, reader.expressions) & passing:
                raise ModelError(
                    f"{where} cannot use {name + ending!r}: it depends on what arrives during a round, which is over"
                )
        self._scope.dimensions |= dict.fromkeys((U, V), DIMENSIONLESS)
        return found

    def _check_steps(self) -> None:
        """Raise if calibration measures firing rates of neurons that do not spike."""
        for step in self._model.prepare:
            for name in {Balance: (U,), Critical: (U, V)}.get(type(step), ()):
                population = self._reader.places[name].population
                if population is None or not population.threshold:
                    raise ModelError(f"prepare, {type(step).__name__}: neurons of {name.upper()} must spike")

    def _read_initial(self) -> dict[str, str]:
        """Return initial values of synaptic variables and signals; those of neurons are read with populations."""
        reader, scope = self._reader, self._scope
        found = dict.fromkeys([*reader.places[SYNAPSE].state, *reader.places[SIGNALS].state], "0")
        neurons = {name: place for place in reader.populations.values() if place.single for name in place.state}
        for name, text in self._model.initial.items():
            where = f"initial of {name}"
            if name not in found and name not in neurons:
                known = [*found, *neurons]
                raise ModelError(f"initial: there is no state variable {name!r}; {nearest(name, known)}")
            if name in found:
                found[name] = scope.value(where, text, {}, scope.dimensions[name], zero=True)
        return found

    def _read_carried(self) -> None:
        reader = self._reader
        names = [name for place in reader.populations.values() if place.single for name in place.state]
        for name in self._model.carried:
            if name in reader.places[SYNAPSE].state:
                raise ModelError(f"carried: {name} belongs to the synapse, whose variables are always carried over")
            if name not in names:
                raise ModelError(f"carried: there is no state variable {name!r}; {nearest(name, names)}")

    def _read_plasticity(self) -> Value | tuple[Statement, ...]:
        """Return the learning rule in the structure's names."""
        where, scope = "plasticity", self._scope
        rule = read_rule(where, self._model.plasticity)
        texts = texts_of(rule)
        seen = {**self._of_option(where, *texts), "R": "R"}
        if isinstance(rule, Value):
            helpers = scope.helper_lines(where, rule, seen, moving=False)
            expression = scope.resolve(where, rule.expression, seen, moving=False)
            scope.match(where, expression, DIMENSIONLESS)
            rule = Value(tuple(helpers), expression)
        else:
            states = {name: name for name in self._reader.places[SYNAPSE].state}
            what = "the synapse's variables"
            rule = scope.statements(where, rule, {**seen, "chosen": "chosen"}, states, what, helpers=True)
            if not any(statement.target in states for statement in rule):
                raise ModelError("plasticity changes no variable of the synapse")
        self._read |= set().union(*map(names_in, texts_of(rule)))
        return rule

    def _read_signals(self) -> tuple[Statement, ...]:
        """Return the statements that change signals; names of the chosen option lose their ending."""
        where, scope, place = "signal_update", self._scope, self._reader.places[SIGNALS]
        if not isinstance(self._model.signal_update, str):
            raise ModelError(f"{where} must be statements, got {self._model.signal_update!r}")
        if not self._model.signal_update.strip():
            if place.state:
                raise ModelError(f"signals: nothing changes {place.state[0]}; write signal_update")
            return ()
        if not place.state:
            raise ModelError("signal_update: there are no signals; declare them as signals='NAME : 1'")
        rule = read_rule(where, self._model.signal_update)
        if isinstance(rule, Value):
            raise ModelError(f"{where} must be statements such as 'NAME += expression', got {rule.expression!r}")
        chosen = {name for text in texts_of(rule) for name in names_in(text) if name.endswith("_chosen")}
        of_option = self._of_option(where, *(name.removesuffix("_chosen") for name in chosen), ending="_chosen")
        seen = {f"{name}_chosen": code for name, code in of_option.items()}
        seen |= self._reader.above("game")
        for other in self._reader.populations.values():
            if other.level == "game" and other.single:
                seen |= {name: code for name, code in other.written.items() if code in other.state}
        seen |= {"R": "R", "agreed": "agreed"}
        states = {name: name for name in place.state}
        update = scope.statements(where, rule, seen, states, "the game's signals", helpers=True)
        for name in place.state:
            if not any(statement.target == name for statement in update):
                raise ModelError(f"signals: nothing changes {name}; change it in signal_update, or declare a Parameter")
        self._read |= set().union(*map(names_in, texts_of(update)))
        return update

    def _read_choice(self) -> Choice:
        given, scope, reader = self._model.choice, self._scope, self._reader
        shown = {}
        for name, text in ((U, given.u), (V, given.v)):
            where = f"choice, {name}"
            if not text and not reader.places[name].population.threshold and not reader.places[name].single:  # type: ignore[union-attr]
                raise ModelError(f"{where} must be given: neurons of population {name.upper()} do not spike")
            if not text and reader.places[name].single and name not in reader.places[name].written:
                raise ModelError(f"{where} must be given: population {name.upper()} has no variable {name}")
            shown[name] = (
                canonical(scope.value(where, text, self._of_option(where, text), DIMENSIONLESS)) if text else ""
            )
        where = "choice, explore"
        scope.dimensions |= dict.fromkeys(OF_CHOICE, DIMENSIONLESS)
        value = read_value(where, given.explore)
        texts = [value.expression, *(text for _, text, _ in value.helpers)]
        seen = {**self._of_option(where, *(names_in(" ".join(texts)) - set(OF_CHOICE))), U: U, V: V}
        seen |= {name: name for name in OF_CHOICE}
        explore = scope.value(where, given.explore, seen, DIMENSIONLESS)
        window = ""
        if given.window:
            window = scope.value("choice, window", given.window, {}, second.dim)
            if not any(reader.places[name].population.threshold for name in (U, V)):  # type: ignore[union-attr]
                raise ModelError("choice, window needs spikes to count: neither U nor V spikes")
        self._read |= set().union(*map(names_in, [explore, *shown.values()]))
        return Choice(shown[U], shown[V], window, given.exploit, canonical(explore))

    def _read_contacts(self) -> tuple[dict[str, str], tuple[Statement, ...]]:
        """Return the variables of contacts, and their rule."""
        contacts, reader, scope = self._model.contacts, self._reader, self._scope
        if contacts is None:
            return {}, ()
        for name in (U, V):
            population = reader.places[name].population
            if population is None or not population.threshold:
                raise ModelError(f"contacts: neurons of {name.upper()} must spike")
        found = read_equations("contacts", contacts.equations)
        for eq in found:
            check_name("contacts", eq.varname)
            scope.take("contacts", eq.varname)
            if eq.type != PARAMETER:
                raise ModelError(f"contacts: {eq.varname} must have no equation, such as '{eq.varname} : 1'")
            if eq.dim is not DIMENSIONLESS:
                raise ModelError(f"contacts: {eq.varname} must have no unit, got {eq.unit!r}")
            scope.dimensions[eq.varname] = DIMENSIONLESS
        if len(found) != 1:
            raise ModelError(f"contacts must have one variable, got {len(found)}")
        scope.dimensions |= {"since_pre": second.dim, "since_post": second.dim, "chance": DIMENSIONLESS}
        where = "contacts, rule"
        rule = read_rule(where, contacts.rule.replace(";", "\n"))
        if isinstance(rule, Value):
            raise ModelError(f"{where} must be statements such as 'b = expression', got {contacts.rule!r}")
        names = {eq.varname: eq.varname for eq in found}
        seen = {**reader.above("option"), **names, "R": "R", **{name: name for name in OF_CONTACTS}}
        if not any(phase.after_choice for phase in self.phases):
            raise ModelError("contacts learn when the outcome is known: they need a phase after the choice")
        update = scope.statements(where, rule, seen, names, "the contact's variable")
        self._read |= set().union(*map(names_in, texts_of(update)))
        return dict.fromkeys(names, "0"), update


def _random(place: Place) -> list[str]:
    """Return the names of a population's random numbers in the structure."""
    if place.population is None:
        return []
    return [place.written[name] for name in (*place.population.normal, *place.population.poisson)]
