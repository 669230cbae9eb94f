"""What happens at the start and end of a round, as Python code with numpy: the rules of a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nsa_brian.engines.network import NSANetwork
from nsa_brian.export.objects import Objects
from nsa_brian.export.texts import assignment, numpy_text
from nsa_brian.model.expression import needed
from nsa_brian.model.reading import Statement, Value, names_in
from nsa_brian.model.structure import SIGNALS, U, V, closure

#: How a rule sees variables of options: of all of them, or of the chosen one.
ALL, CHOSEN = "all", "chosen"


class Rules:
    """The lines of the functions of a script, for the objects that hold the variables."""

    def __init__(self, network: NSANetwork, objects: Objects) -> None:
        self._network, self._objects = network, objects
        self._structure = network.structure
        # The engine computes with arrays of one value per game, except for models of single neurons.
        self._numbers = () if self._structure.single else tuple(network.values[0])

    # Reading variables -----------------------------------------------------------------------------------------------

    def read(self, name: str, how: str = ALL) -> str:
        """Return the code that reads a variable at a round's end."""
        structure, objects = self._structure, self._objects
        of = "[[arm]]" if how == CHOSEN else "[:]"
        if name in structure.state(SIGNALS):
            return f"{objects.at[name]}.{name}[:]"
        if name in structure.inputs:
            per_option = structure.inputs[name].per == "option"
            return f'inputs["{name}"][len(arms)]{"[[arm]]" if how == CHOSEN and per_option else ""}'
        if name in objects.at:
            return f"{objects.at[name]}.{name}{of}"
        end = "[[arm]]" if how == CHOSEN else ""
        if name in structure.shown:
            return f'shown["{name}"]{end}'
        if name in structure.means:
            population, code = structure.means[name]
            if population == "contacts":
                return f"UV.{next(iter(structure.contacts))}[:].reshape(n_arms, -1).mean(axis=1){end}"
            return self._mean(population, code) + (end if structure.populations[population].of_options else "")
        population = next(key for key, each in structure.populations.items() if name in each.state)
        of = of if structure.populations[population].of_options else "[:]"
        return f"{objects.names[population]}.{self.written(population, name)}{of}"

    def written(self, population: str, code: str) -> str:
        """Return the name of a state variable in its population's group."""
        neurons = self._structure.populations[population]
        return next((name for name, other in neurons.written.items() if other == code), code)

    def _mean(self, population: str, code: str) -> str:
        neurons, group = self._structure.populations[population], self._objects.names[population]
        whole = f"{group}.{self.written(population, code)}[:]"
        if not neurons.of_options:
            return f"{whole}.mean(keepdims=True)"
        return whole if neurons.count == 1 else f"{whole}.reshape(n_arms, -1).mean(axis=1)"

    # Blocks ----------------------------------------------------------------------------------------------------------

    def block(
        self,
        steps: Sequence[tuple[str, str]],
        known: Iterable[str] = (),
        how: str = ALL,
        more: dict[str, str] | None = None,
    ) -> list[str]:
        """Return lines that read variables and assign each step's value, after the expressions that it uses.

        Parameters
        ----------
        steps : sequence of (str, str)
            Names and expressions, in order.
        known : iterable of str
            Names that have a value already.
        how : {"all", "chosen"}
        more : dict, optional
            Further expressions by name, such as helper lines.
        """
        given = {**self._structure.expressions, **(more or {})}
        known, lines, stale = set(known), [], set[str]()
        variables = self._lasting()
        read: dict[str, None] = {}
        for target, text in steps:
            for name in needed(names_in(text), given):
                if name not in known or closure({name}, given) & stale:
                    lines += assignment(name, self.code(given[name]))
                    known.add(name)
                    read |= dict.fromkeys(sorted((names_in(given[name]) & variables) - known))
            read |= dict.fromkeys(sorted((names_in(text) & variables) - known))
            lines += [f"new = {self.code(text)}"] if target == "new" else assignment(target, self.code(text))
            known.add(target)
            stale.add(target)
        return [*(f"{name} = {self.read(name, how)}" for name in read), *lines]

    def code(self, text: str) -> str:
        """Return an expression as Python code."""
        return numpy_text(text, self._numbers)

    def _lasting(self) -> set[str]:
        structure = self._structure
        states = {name for neurons in structure.populations.values() for name in neurons.state}
        return {*structure.synaptic, *structure.state(SIGNALS), *structure.inputs, *states, *structure.means,
                *structure.shown}  # fmt: skip

    # Functions -------------------------------------------------------------------------------------------------------

    def learn(self) -> list[str]:
        """Return the learning rule at a round's end."""
        structure, at = self._structure, self._objects.at
        rule = structure.rule
        if isinstance(rule, Value):
            helpers = {name: text for name, text, _ in rule.helpers}
            *lines, last = self.block([("new", rule.expression)], ["R"], more=helpers)
            per_option = {*structure.synaptic, *structure.inputs, *structure.means, *structure.shown}
            per_option |= {name for key in structure.of_options for name in structure.populations[key].state}
            value = last.removeprefix("new = ")
            if closure(names_in(rule.expression), {**structure.expressions, **helpers}) & per_option:
                value = f"({value})"
            else:
                value = f"np.broadcast_to({value}, n_arms)"
            return [*lines, f"{at['w']}.w[arm] = {value}[arm]"]
        lines = self.block(list(map(_step, rule)), ["R", "chosen"])
        stored = dict.fromkeys(each.target for each in rule if each.target in at)  # others are helpers of the rule
        return lines + [f"{at[name]}.{name} = {name}" for name in stored]

    @property
    def by_statements(self) -> bool:
        """Whether the rule is statements, for all options."""
        return not isinstance(self._structure.rule, Value)

    def update_signals(self) -> list[str]:
        """Return the update of the signals."""
        rule = self._structure.signal_update
        if not rule:
            return []
        lines = self.block(list(map(_step, rule)), ["R", "agreed"], CHOSEN)
        return lines + [f"{self._objects.at[name]}.{name} = {name}" for name in dict.fromkeys(s.target for s in rule)]

    def readout(self) -> list[str]:
        """Return what U and V show at the choice."""
        structure, lines = self._structure, []
        for key in (U, V):
            neurons, group = structure.populations[key], self._objects.names[key]
            if neurons.spikes:
                counted = f"{group}.count[:].reshape(n_arms, -1).sum(axis=1)"
                lines.append(f"{key} = {counted} / ({self._objects.sizes[key]} * reading)  # firing rate in Hz")
            else:
                code = key if key in neurons.state else neurons.state[0]
                lines.append(f"{key} = {self._mean(key, code)}")
        texts = {f"shown_{key}": getattr(structure.choice, key) for key in (U, V) if getattr(structure.choice, key)}
        lines += self.block(list(texts.items()), [U, V])
        ends = (f"shown_{key}" if f"shown_{key}" in texts else key for key in (U, V))
        return [*lines, f"return {', '.join(f'np.broadcast_to({e}, n_arms)' if e in texts else e for e in ends)}"]

    def explore(self) -> list[str]:
        """Return the weights of the options in exploration; none if they are equal."""
        choice = self._structure.choice
        if choice.explore == "1":
            return []
        given = {
            "u_top": "u.max()",
            "v_top": "v.max()",
            "u_at_v": "u[favourite_v]",
            "v_at_u": "v[favourite_u]",
            "best_u": "(np.arange(n_arms) == favourite_u).astype(float)",
            "best_v": "(np.arange(n_arms) == favourite_v).astype(float)",
        }
        used = closure(names_in(choice.explore), self._structure.expressions)
        lines = [f"{name} = {text}" for name, text in given.items() if name in used]
        return lines + self.block([("weights", choice.explore)], [U, V, *given])

    def static(self, names: Sequence[str]) -> list[str]:
        """Return the lines that compute variables of options and games at a round's start."""
        steps = [(name, self._structure.expressions[name]) for name in names if name in self._structure.expressions]
        known: list[str] = []
        lines: list[str] = []
        for name, text in steps:
            if name in known:
                continue
            new = self.block([(name, text)], known)
            known += [line.partition(" = ")[0] for line in new if " = " in line]
            lines += new
        return lines


def _step(each: Statement) -> tuple[str, str]:
    """Return the name and the new value: that of ``x += 1`` is ``x + (1)``."""
    text = each.expression if each.operation == "=" else f"{each.target} {each.operation[0]} ({each.expression})"
    return each.target, text
