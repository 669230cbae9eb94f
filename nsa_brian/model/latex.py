"""A model's equations as numbered or aligned formulas: one row per equation, as LaTeX and MathML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from brian2.equations.equations import DIFFERENTIAL_EQUATION, SingleEquation

from nsa_brian.model.declared import declared_text, in_order
from nsa_brian.model.formula import (
    ASSIGN,
    EQUALS,
    Formula,
    below,
    derivative,
    escaped,
    expression,
    fenced,
    row,
    symbol,
    total,
    words,
)
from nsa_brian.model.reading import Statement, Value
from nsa_brian.model.structure import SIGNALS, SPIKED, SYNAPSE, Link, Neurons

if TYPE_CHECKING:
    from nsa_brian.model.model import Model

#: A formula in two parts, of which the second begins with the relation.
Row = tuple[Formula, Formula]


def latex(model: Model) -> str:
    """Return all equations of a model, by population, synapse and signals, as one displayed formula."""
    lines = []
    for title, rows in groups(model):
        lines += (
            [rf"&\text{{{escaped(title)}:}}", *(f"{left.latex} &{right.latex}" for left, right in rows)] if rows else []
        )
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def groups(model: Model) -> Iterator[tuple[str, list[Row]]]:
    """Return the equations of each part of a model, with a title."""
    shown = Rows(model)
    for name, neurons in model.structure.populations.items():
        yield _title(neurons), [*shown.population(name), *shown.arriving(name), *shown.spikes(name)]
    yield "Synapse", shown.option()
    yield "Signals", shown.signals()
    yield "Learning", [*shown.learning(), *shown.contacts()]


def _title(neurons: Neurons) -> str:
    count = "many neurons" if isinstance(neurons.count, str) else f"{neurons.count} neurons"
    count = "one neuron" if neurons.count == 1 else count
    return f"{label(neurons.name)}, {count} of each {neurons.per}"


def label(population: str) -> str:
    """Return the name of a population as it is printed."""
    return population.upper() if population in ("u", "v") else population


class Rows:
    """The equations of a model as rows."""

    def __init__(self, model: Model) -> None:
        self._model, self._structure = model, model.structure

    def names(self, place: str = "") -> dict[str, Formula]:
        """Return the formulas of all names that differ from the names: means, and variables of many neurons.

        Variables of the population ``place`` have no suffix; others have their population as a subscript.
        """
        found: dict[str, Formula] = {}
        for key, neurons in self._structure.populations.items():
            for written, code in neurons.written.items():
                if code != written:
                    found[code] = symbol(written) if key == place else symbol(f"{written}_{label(key)}")
            found[f"{SPIKED}_of_{key}"] = symbol(SPIKED)
        for link in self._structure.links:
            written = link.variable.removesuffix(f"_in_{link.target}")
            if written != link.variable:  # the mean of a variable over neurons
                found[link.variable] = self._mean(link.source, link.drive)
        for name, (population, code) in self._structure.means.items():
            if population in self._structure.populations:
                found[name] = self._mean(population, code)
        return found

    def _mean(self, population: str, code: str) -> Formula:
        neurons = self._structure.populations[population]
        names = {code: symbol(written) for written, code in neurons.written.items()}
        names[f"{SPIKED}_of_{population}"] = symbol(SPIKED)
        inner = expression(code, names)
        return below(fenced(inner, "⟨⟩"), words(label(population))) if neurons.count != 1 else inner

    def population(self, key: str) -> list[Row]:
        """Return the equations of a population."""
        return self._equations(self._structure.populations[key].equations, self.names(key), key)

    def arriving(self, key: str) -> list[Row]:
        """Return what arrives in a population through couplings; means by their short names need no row."""
        links = [link for link in self._structure.links if link.target == key]
        return [each for link in links if not link.variable.endswith(f"_in_{key}") for each in self.link(link)]

    def link(self, link: Link) -> list[Row]:
        """Return what arrives through a coupling; angle brackets are means over the neurons that send."""
        source, target = self._structure.populations[link.source], self._structure.populations[link.target]
        names = self.names(link.source)
        drive = expression(link.drive, names)
        if source.count != 1:
            drive = below(fenced(drive, "⟨⟩"), words(label(link.source)))
        if source.of_options and not link.diagonal:
            over = "other options" if target.of_options and link.to == "others" else "options"
            bracket = source.count == 1 and (" + " in drive.latex or drive.latex.startswith("-"))
            drive = total(over, link.over == "mean") + (fenced(drive) if bracket else drive)
        return [*self._equations(link.helpers, names), (symbol(link.variable), EQUALS + drive)]

    def spikes(self, key: str) -> list[Row]:
        """Return the condition of a spike and what it does."""
        neurons = self._structure.populations[key]
        if not neurons.spikes:
            return []
        names = self.names(key)
        condition = (words("spike if "), expression(neurons.threshold, names))
        return [condition, *self._statements(neurons.reset, names)]

    def option(self) -> list[Row]:
        """Return the equations of an option's synapse."""
        return self._equations(self._structure.synapse, self.names(), SYNAPSE)

    def signals(self) -> list[Row]:
        """Return the equations of signals and their update."""
        names = self.names()
        rows = self._equations(self._structure.signals, names, SIGNALS)
        return [*rows, *self._statements(self._structure.signal_update, names)]

    def learning(self) -> list[Row]:
        """Return the learning rule."""
        return self._rule(self._structure.rule)

    def contacts(self) -> list[Row]:
        """Return the learning rule of contacts."""
        return self._statements(self._structure.contact_rule, self.names())

    def _rule(self, rule: Value | tuple[Statement, ...]) -> list[Row]:
        names = self.names()
        if isinstance(rule, Value):
            helpers: list[Row] = [(symbol(name), EQUALS + expression(text, names)) for name, text, _ in rule.helpers]
            return [*helpers, (symbol("w"), ASSIGN + expression(rule.expression, names))]
        return self._statements(rule, names)

    def _statements(self, rule: Iterable[Statement], names: Mapping[str, Formula]) -> list[Row]:
        return [
            (names.get(each.target, symbol(each.target)), ASSIGN + expression(assigned(each), names)) for each in rule
        ]

    def _equations(
        self, equations: Iterable[SingleEquation], names: Mapping[str, Formula], place: str = ""
    ) -> list[Row]:
        """Return differential equations and expressions; a variable without either has no row."""
        rows: list[Row] = []
        listed = in_order(equations, declared_text(self._model, place)) if place else equations
        for eq in listed:
            if eq.expr is not None:
                name = names.get(eq.varname, symbol(eq.varname))
                left = derivative(name) if eq.type == DIFFERENTIAL_EQUATION else name
                rows.append((left, EQUALS + expression(str(eq.expr), names)))
        return rows


def assigned(each: Statement) -> str:
    """Return the new value: that of ``x += 1`` is ``x + 1``."""
    operation = each.operation.removesuffix("=")
    if not operation:
        return each.expression
    loose = operation in "*/" or operation == "-"
    return f"{each.target} {operation} ({each.expression})" if loose else f"{each.target} + {each.expression}"


def joined(each: Row) -> Formula:
    """Return a row as one formula."""
    return row(*each)


def mathml(formula: Formula, block: bool = False) -> str:
    """Return a formula as a MathML element."""
    display = ' display="block"' if block else ""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{display}>{formula.mathml}</math>'
