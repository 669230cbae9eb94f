"""Errors of models, and hints for misspelt names."""

import difflib
from collections.abc import Iterable

from nsa_brian.common.texts import printable, shorten, shown

__all__ = ["ModelError", "RunawayError", "closest", "printable", "shown"]


class ModelError(ValueError):
    """An invalid model, or one that cannot be run; the message says where and why.

    The message is one line, and quoted strings of the model are cut at 80 characters. ``unused`` is the name of the
    parameter if the error is that no equation uses it.
    """

    def __init__(self, message: str = "", unused: str = "") -> None:
        super().__init__(shorten(printable(" ".join(message.splitlines()))))
        self.unused = unused


class RunawayError(ModelError):
    """A model whose activities are not finite: they grow without bound."""


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the closest known name, or an empty string; case only breaks ties."""
    if len(name) > 1000:  # close to no name, and slow to compare
        return ""
    by_lower: dict[str, list[str]] = {}
    for each in known:
        by_lower.setdefault(each.lower(), []).append(each)
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=cutoff)
    return difflib.get_close_matches(name, by_lower[near[0]], n=1, cutoff=0)[0] if near else ""
