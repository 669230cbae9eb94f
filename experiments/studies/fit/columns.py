"""Columns of files of behaviour, under the names that are common in the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nsa_brian.common.texts import is_number, shown
from nsa_brian.errors import closest

SUBJECT, CHOICE, REWARD, BLOCK, OFFERED = "subject", "choice", "reward", "block", "offered"
GAIN, LOSS, SESSION = "gain", "loss", "session"

#: Names of each column in lower case: ours, those of hBayesDM (subjID, choice, outcome or gain and loss), of HDDM
#: (subj_idx, response, feedback) and of cpm (ppt, response, feedback).
ALIASES: dict[str, tuple[str, ...]] = {
    SUBJECT: ("subject", "subjid", "subj_idx", "ppt", "participant"),
    CHOICE: ("choice", "response", "arm", "action"),
    REWARD: ("reward", "outcome", "feedback"),
    GAIN: ("gain",),
    LOSS: ("loss",),
    BLOCK: ("block", "run"),
    SESSION: ("session",),
    OFFERED: ("offered",),
}


@dataclass(frozen=True)
class Columns:
    """Places of the columns in a file.

    Attributes
    ----------
    place : dict
        Index by role.
    names : dict
        Name in the file by role.
    of_game : tuple of int
        Columns whose values separate games: session, block and condition.
    """

    place: dict[str, int]
    names: dict[str, str]
    of_game: tuple[int, ...]


def find_columns(line: int, header: Sequence[str], given: Mapping[str, str], condition: str = "") -> Columns:
    """Return the columns of a file; raise a ValueError if some are missing or ambiguous.

    Parameters
    ----------
    line : int
        Number of the header's line.
    header : sequence of str
    given : mapping
        Columns by role, where the user named them.
    condition : str
        Column of conditions; empty for none.
    """
    if all(map(is_number, filter(None, header))):
        raise ValueError(f"line {line}: a header with names of columns is missing")
    twice = [name for i, name in enumerate(header) if name in header[:i]]
    if twice:
        raise ValueError(f"line {line}: two columns are called {shown(twice[0])}")
    lower = [name.lower() for name in header]
    place: dict[str, int] = {}
    for role, name in given.items():
        if role not in ALIASES:
            raise ValueError(f"--column takes one of {', '.join(ALIASES)}, got {shown(role)}")
        place[role] = _index(line, header, str(name), f"--column {role}")
    for role, names in ALIASES.items():
        found = [i for i, name in enumerate(lower) if name in names and i not in place.values()]
        if role in place or not found:
            continue
        if len(found) > 1:
            both = " and ".join(header[i] for i in found)
            raise ValueError(
                f"line {line}: both {both} may be the {role}; choose by --column {role}={header[found[0]]}"
            )
        place[role] = found[0]
    for role in (SUBJECT, CHOICE):
        if role not in place:
            raise ValueError(_missing(line, role, header))
    if REWARD not in place and not {GAIN, LOSS} <= place.keys():
        raise ValueError(_missing(line, REWARD, header))
    of_game = [place[role] for role in (SESSION, BLOCK) if role in place]
    if condition:
        of_game.append(_index(line, header, condition, "--condition"))
    return Columns(place, {role: header[i] for role, i in place.items()}, tuple(of_game))


def _index(line: int, header: Sequence[str], name: str, option: str) -> int:
    if name not in header:
        near = closest(name, list(header))
        hint = f"did you mean {near}?" if near else f"there are {', '.join(header)}"
        raise ValueError(f"line {line}: no column {shown(name)} ({option}); {hint}")
    return header.index(name)


def _missing(line: int, role: str, header: Sequence[str]) -> str:
    known = ", ".join(ALIASES[role]) + (", or gain and loss" if role == REWARD else "")
    return (
        f"line {line}: no column of the {role} ({known}) among {shown(', '.join(header))}; name it by "
        f"--column {role}=NAME"
    )
