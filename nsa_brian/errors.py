"""What can be wrong with a model, and how names are shown in what is said of it."""

import difflib
from collections.abc import Iterable


class ModelError(ValueError):
    """A model that makes no sense, or comes to nothing; the message says where and why."""


def printable(text: str) -> str:
    """The text with control characters escaped: names come from files, and a terminal would obey them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known name that was probably meant; empty where none is near. Capitals decide between equals only."""
    by_lower: dict[str, list[str]] = {}
    for each in known:
        by_lower.setdefault(each.lower(), []).append(each)
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=cutoff)
    return difflib.get_close_matches(name, by_lower[near[0]], n=1, cutoff=0)[0] if near else ""
