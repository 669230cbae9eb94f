"""The names of a model: their owners, visibility and units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from brian2 import second
from brian2.core.namespace import DEFAULT_UNITS
from brian2.units.fundamentalunits import DIMENSIONLESS, Dimension
from brian2.utils.stringtools import word_substitute

from nsa_brian.errors import ModelError
from nsa_brian.model.functions import FUNCTIONS
from nsa_brian.model.names import CONSTANTS, MEANINGS, check_name
from nsa_brian.model.reading import Statement, Value, dimension_of, names_in, nearest, read_value, unit_of, unknown

if TYPE_CHECKING:
    from nsa_brian.parameters import Parameter

#: Names that a string can use, with their names in the structure.
Seen = Mapping[str, str]


class Scope:
    """All names of a model while it is read.

    Attributes
    ----------
    declared : mapping
        Parameters by name.
    dimensions : dict
        Of every name.
    origin : dict
        The string that defines each variable.
    owners : dict
        What a name, as written, belongs to; in words, for messages.
    passing : dict
        Names of inputs from couplings, and of what phases set, with a description for messages.
    written : dict
        Names as written, by those of the structure, where the two differ.
    means : dict
        Names of means over the neurons of a population, with whether the mean exists: of state variables only.
    used : set of str
        Names that some string uses.
    """

    def __init__(self, declared: Mapping[str, Parameter]) -> None:
        self.declared = declared
        self.dimensions: dict[str, Dimension] = {
            **{name: unit_of(info.unit).dim for name, info in declared.items()},
            **dict.fromkeys(("n_arms", "noise", "R", "chosen", "choice", "agreed"), DIMENSIONLESS),
            "dt": second.dim,
        }
        self.origin: dict[str, str] = {}
        self.owners: dict[str, str] = {}
        self.passing: dict[str, str] = {}
        self.written: dict[str, str] = {}
        self.means: dict[str, bool] = {}
        self.used: set[str] = set()
        self.common: list[str] = [*declared, "dt", "n_arms"]

    def take(self, where: str, name: str, *others: str, own: bool = False) -> None:
        """Reserve a name, and names derived from it in generated code; u, v and w are for their ``own`` place."""
        for each in (name, *others):
            if each in ("u", "v", "w") and not own:
                raise ModelError(f"{where}: the name {each!r} is taken, by the model's own variable")
            by = "a parameter" if each in self.declared else self.origin.get(each)
            if by:
                raise ModelError(f"{where}: the name {each!r} is taken, by {by}")
        check_name(where, name)
        self.origin |= dict.fromkeys((name, *others), where)

    def use(self, where: str, name: str) -> None:
        """Mark a parameter as used; raise if the model does not have it."""
        if name not in self.declared:
            raise ModelError(f"{where}: there is no parameter {name!r}; {nearest(name, self.declared)}")
        self.used.add(name)

    def resolve(self, where: str, text: str, seen: Seen, *, moving: bool = True) -> str:
        """Return the expression in the structure's names; raise for names that it cannot use.

        ``moving`` says whether it is evaluated in time steps, and so may use ``dt``.
        """
        if not isinstance(text, str):
            raise ModelError(f"{where} must be a text, got {text!r}")
        common = {*self.common} - (set() if moving else {"dt"})
        renamed = {}
        for name in sorted(names_in(text)):
            if name in seen:
                renamed[name] = seen[name]
            elif not (name in common or name in CONSTANTS or name in DEFAULT_UNITS or name in FUNCTIONS):
                raise self._unseen(where, name, [*seen, *common])
            self.used.add(renamed.get(name, name))
        return word_substitute(text, {name: other for name, other in renamed.items() if name != other})

    def _unseen(self, where: str, name: str, seen: list[str]) -> ModelError:
        """Return the error for a name that cannot be used here, whether it is known elsewhere or not."""
        name = self.written.get(name, name)
        stem = name.removesuffix("_pre").removesuffix("_post").removesuffix("_chosen")
        known = ", ".join(sorted(other for other in seen if other not in self.declared))
        if stem in self.owners:
            return ModelError(f"{where} cannot use {name!r}, which belongs to {self.owners[stem]}; it sees {known}")
        if stem in self.passing:
            return ModelError(f"{where} cannot use {name!r}, which {self.passing[stem]}; it sees {known}")
        if self.means.get(name):
            return ModelError(f"{where} cannot use {name!r}, a mean over neurons; it sees {known}")
        if name in self.means:
            return ModelError(
                f"{where} cannot use {name!r}: only state variables have a mean over neurons; send a line without "
                "dynamics through a Coupling"
            )
        return unknown(where, name, seen, [other for other, there in self.means.items() if there])

    def match(self, where: str, text: str, dimension: Dimension) -> None:
        """Raise unless an expression has the given dimension."""
        try:
            found = dimension_of(where, text, self.dimensions)
        except ModelError as error:
            raise ModelError(word_substitute(str(error), self.written)) from None
        if found is not dimension:
            text = word_substitute(text, self.written)
            raise ModelError(f"{where}: units do not fit: {text!r} has unit {found}, not {dimension}")

    def value(self, where: str, text: object, seen: Seen, dimension: Dimension, *, zero: bool = False) -> str:
        """Return an expression with helper lines inserted; check its dimension, but for 0 if ``zero`` is set."""
        value = read_value(where, text)
        whole = value.expression
        for helper, line, _ in reversed(value.helpers):
            whole = word_substitute(whole, {helper: f"({line})"})
        whole = self.resolve(where, whole, seen, moving=False)
        if not (zero and whole.strip() in ("0", "0.0")):
            self.match(where, whole, dimension)
        return whole

    def helper_lines(
        self, where: str, value: Value, seen: dict[str, str], *, moving: bool = True
    ) -> list[tuple[str, str, str]]:
        """Read the helper lines before a value in order; each can use those before it."""
        lines = []
        for name, text, unit in value.helpers:
            self.take(where, name)
            text = self.resolve(where, text, seen, moving=moving)
            dimension = unit_of("" if unit.strip() == "1" else unit.strip()).dim
            self.match(f"{where}, {name}", text, dimension)
            self.dimensions[name] = dimension
            seen[name] = name
            lines.append((name, text, unit))
        return lines

    def statements(
        self,
        where: str,
        rule: Iterable[Statement],
        seen: dict[str, str],
        targets: Mapping[str, str],
        what: str,
        *,
        helpers: bool = False,
        moving: bool = False,
    ) -> tuple[Statement, ...]:
        """Read statements that change ``targets`` (``what`` in messages) and, with ``helpers``, local variables."""
        found, own = [], set[str]()
        for statement in rule:
            target = statement.target
            text = self.resolve(where, statement.expression, seen, moving=moving)
            if target not in targets and target not in own:
                taken = target in self.origin or target in self.declared or target in MEANINGS
                if taken or not helpers:
                    more = ", and helpers of its own" if helpers else ""
                    raise ModelError(f"{where} cannot change {target!r}: it changes {what}, {', '.join(targets)}{more}")
                if statement.operation != "=":
                    raise unknown(where, target, targets)
                self.take(where, target)
                own.add(target)
                seen[target] = target
                self.dimensions[target] = dimension_of(where, text, self.dimensions)
            named = targets.get(target, target)
            whole = text if statement.operation in ("=", "+=", "-=") else f"{named} {statement.operation[0]} ({text})"
            if whole.strip() not in ("0", "0.0"):
                self.match(f"{where}, {target}", whole, self.dimensions[named])
            found.append(Statement(named, statement.operation, text))
        return tuple(found)
