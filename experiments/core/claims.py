"""A claim of the paper, held against what came out, with a number and a verdict."""

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
    """The verdict where a claim holds, or where at least part of it does."""
    return AGREES if agrees else PARTLY if partly else NO
