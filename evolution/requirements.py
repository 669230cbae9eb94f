"""Requirements: conditions that the parameters of a search must meet, as expressions or as named checks.

A search does not play sets that violate a requirement. Random sets are drawn until they meet all, individuals of a
generation that do not are ranked behind those that do, by how far they are from it, and the champion meets all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evolution.checks import CHECKS, Check, Subject
from evolution.conditions import Condition
from nsa_brian.common.texts import shown
from nsa_brian.errors import closest
from nsa_brian.parameters import NSAParameters


class RequirementError(ValueError):
    """No set that a search found meets its requirements."""


class Verdict(NamedTuple):
    """A set's result in a named check: the measured value, and whether the check is met."""

    value: float
    met: bool


class Requirements:
    """The requirements of a search.

    Parameters
    ----------
    texts : sequence of str
        Expressions (:class:`evolution.conditions.Condition`) and names of :data:`evolution.checks.CHECKS`.
    subject : Subject
        The model and its genes.

    Raises
    ------
    ValueError
        If a text is neither, if the model cannot be checked, if a condition cannot be computed, or if values that are
        not searched violate it.
    """

    def __init__(self, texts: Sequence[str], subject: Subject) -> None:
        self.texts, self.subject = tuple(texts), subject
        repeated = [text for text in self.texts if self.texts.count(text) > 1]
        if repeated:
            raise ValueError(f"each requirement is given once, got {shown(repeated[0])} twice")
        found: dict[str, Condition | Check] = {text: _read(text, subject) for text in self.texts}
        conditions = {text: each for text, each in found.items() if isinstance(each, Condition)}
        checks = {name: check for name, check in CHECKS.items() if name in found}
        #: Those that need no games, in the order of their cost.
        self.cheap: list[Condition | Check] = [
            *conditions.values(),
            *(check for check in checks.values() if not check.plays),
        ]
        #: Those that need games, by name.
        self.late = {name: check for name, check in checks.items() if check.plays}
        for text, condition in conditions.items():
            self._check_middle(text, condition)

    def __bool__(self) -> bool:
        return bool(self.texts)

    def _check_middle(self, text: str, condition: Condition) -> None:
        """Raise a ValueError if a condition cannot be computed, or compares fixed parameters only and is not met."""
        genome = self.subject.genome
        try:
            (violation,) = condition.violations([genome.decode([0.0] * genome.size)])
        except (ArithmeticError, TypeError, ValueError) as error:
            raise ValueError(f"requirement {shown(text)} cannot be computed: {error.args[-1]}") from None
        if violation and not condition.names & {gene.name for gene in genome.genes}:
            raise ValueError(f"requirement {shown(text)} is not met, and none of its parameters is searched")

    def violations(self, sets: Sequence[NSAParameters]) -> np.ndarray:
        """Return how far sets are from meeting all that need no games: 0 where they do.

        Requirements are measured in order, each for the sets that meet those before it; for the others it counts 1.
        """
        found, open_ = np.zeros(len(sets)), np.arange(len(sets))
        for each in self.cheap:
            measured = np.ones(len(sets))
            if len(open_):
                measured[open_] = self._violations(each, [sets[int(i)] for i in open_])
            found += measured
            open_ = open_[measured[open_] == 0]
        return found

    def _violations(self, each: Condition | Check, sets: Sequence[NSAParameters]) -> np.ndarray:
        return each.violations(sets) if isinstance(each, Condition) else each.measure(self.subject, sets)[1]

    def first_unmet(self, parameters: NSAParameters) -> str:
        """Return the first requirement, of those that need no games, that a set violates; empty if none."""
        for text in self.texts:
            each = _read(text, self.subject)
            if not (isinstance(each, Check) and each.plays) and self._violations(each, [parameters])[0]:
                return text
        return ""


def verdicts(parameters: NSAParameters, subject: Subject) -> dict[str, Verdict | str]:
    """Return the result of a set in every named check, or why its model cannot be checked."""
    found: dict[str, Verdict | str] = {}
    for name, check in CHECKS.items():
        reason = check.refusal(subject.model)
        if check.plays and subject.regrets is None:
            reason = reason or "games of this model would take too long"
        if reason:
            found[name] = reason
            continue
        (value,), (violation,) = check.measure(subject, [parameters])
        found[name] = Verdict(float(value), not violation)
    return found


def _read(text: str, subject: Subject) -> Condition | Check:
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"a requirement is a condition or the name of a check, got {shown(text)}")
    if text in CHECKS:
        reason = CHECKS[text].refusal(subject.model)
        if reason:
            raise ValueError(f"{text} cannot be required of the model {subject.model.name}: {reason}")
        return CHECKS[text]
    if not re.search("[<>=!]", text):
        near = closest(text, CHECKS)
        hint = f"did you mean {near}? known" if near else "known"
        raise ValueError(f"unknown check {shown(text)}; {hint}: {', '.join(CHECKS)}; or a condition such as w_max < 6")
    return Condition.read(text, subject.model)
