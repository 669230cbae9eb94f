"""Claims of the paper compared with our results."""

from __future__ import annotations

from dataclasses import dataclass

AGREES, PARTLY, NO = "agrees", "partly", "no"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, our number, and whether they agree."""

    study: str
    statement: str
    evidence: str
    verdict: str


def verdict(agrees: bool, partly: bool) -> str:
    """Return the verdict on a claim that holds, holds in part, or does not hold."""
    return AGREES if agrees else PARTLY if partly else NO
