"""What can be wrong with a model, and how names are shown in what is said of it."""

import difflib
from collections.abc import Iterable

from nsa_brian.common.texts import printable, shorten, shown

__all__ = ["ModelError", "RunawayError", "closest", "printable", "shown"]


class ModelError(ValueError):
    """A model that makes no sense, or comes to nothing; the message says where and why.

    It is one line, and what it repeats of the model's texts is cut at 80 characters. ``unused`` is the name of a
    parameter, if the error is that no equation uses it.
    """

    def __init__(self, message: str = "", unused: str = "") -> None:
        super().__init__(shorten(printable(" ".join(message.splitlines()))))
        self.unused = unused


class RunawayError(ModelError):
    """A model whose activities are not finite: it grows without bound."""


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known name that was probably meant; empty where none is near. Capitals decide between equals only."""
    if len(name) > 1000:  # near to none, and slow to compare
        return ""
    by_lower: dict[str, list[str]] = {}
    for each in known:
        by_lower.setdefault(each.lower(), []).append(each)
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=cutoff)
    return difflib.get_close_matches(name, by_lower[near[0]], n=1, cutoff=0)[0] if near else ""
