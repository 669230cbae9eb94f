"""Values and messages as text that is short and safe to print."""

from __future__ import annotations

import re
from typing import Any

#: Maximal length of a value, and of a file's path, in a message.
MOST, MOST_OF_PATH = 80, 300


def printable(text: str) -> str:
    """Escape control characters: names come from files, and a terminal would interpret them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(value: Any) -> str:
    """Return ``repr(value)`` on one line, cut at 80 characters."""
    try:
        text = repr(value.item() if getattr(value, "shape", None) == () else value)  # without numpy's type
    except Exception:  # for example an int of more than 4300 digits
        text = f"a value of type {type(value).__name__}"
    return _cut(printable(" ".join(text[: 10 * MOST].split())))


def shorten(message: str) -> str:
    """Shorten the values in a message: quoted text, what follows "got", and very long words."""
    message = _QUOTED.sub(lambda found: _cut(found[0]), message)
    for word in _GIVEN:
        before, found, given = message.rpartition(word)
        message = f"{before}{found}{_cut(given)}" if found else message
    return _WORD.sub(lambda found: cut(found[0]), message)


#: Quoted text, with escapes; a quote after a letter is an apostrophe.
_QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
_GIVEN = (" got ", " arguments: ", " Parsing failed: ")
_WORD = re.compile(r"\S+")


def cut(text: str) -> str:
    """Cut a word at 80 characters; a path at 300 and in the middle, since it ends with the file's name."""
    half = MOST_OF_PATH // 2
    if "/" not in text:
        return _cut(text)
    return text if len(text) <= MOST_OF_PATH else f"{text[:half]}...{text[-half:]}"


def _cut(text: str) -> str:
    return text if len(text) <= MOST else f"{text[: MOST - 3]}..."


def is_number(text: str) -> bool:
    """Return whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
