"""External inputs of models, one value per round: ``--input NAME=FILE.csv``.

Each line of the file is a round; trials follow each other. An input per option has a column for each arm, an input per
game a single column. A header line is skipped. After the last line, inputs have their default values.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

import nsa_brian
from experiments.core.inputs import content_of, read_digest
from experiments.core.named import once
from nsa_brian.common.texts import is_number, shown
from nsa_brian.errors import closest, printable

if TYPE_CHECKING:
    from nsa_brian.model.model import Model
    from nsa_brian.model.parts import Input

#: Help text of ``--input``.
INPUT_HELP = "values of an input of NSA's model: one line per round of a game, one column per arm; repeatable"


def files_of(texts: Iterable[str]) -> dict[str, str]:
    """Return the files given by ``--input``, by name of the input."""
    files: dict[str, str] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not (name and path):
            raise ValueError(f"--input takes NAME=FILE.csv, got {shown(text)}")
        if name in files:
            raise ValueError(f"--input: {printable(name)} is given twice")
        files[name] = path
    return files


def digests_of(files: Mapping[str, str]) -> dict[str, str]:
    """Read files and return their digests by path."""
    return {path: _digest(name, path) for name, path in files.items()}


def tables(files: Mapping[str, str], digests: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Return the values (rounds, columns) in the files of inputs, as first read."""
    return {name: _table(name, path, digests[path]) for name, path in files.items()}


def check_tables(
    found: Mapping[str, np.ndarray], files: Mapping[str, str], given: Sequence[Model | None], arms: Sequence[int]
) -> None:
    """Raise a ValueError for inputs that no model (None: the paper's) has, or with a wrong number of columns."""
    models = [model or nsa_brian.MODELS["paper"] for model in given]
    for name, table in found.items():
        having = [model.structure.inputs[name] for model in models if name in model.structure.inputs]
        if not having:
            raise ValueError(_unknown(name, models))
        label = f"input {name}: {printable(files[name])} has {table.shape[1]} columns"
        for declared in having:
            if declared.per == "game" and table.shape[1] != 1:
                raise ValueError(f"{label}, but an input per game needs one")
            unfit = [n_arms for n_arms in arms if declared.per == "option" and n_arms != table.shape[1]]
            if unfit:
                raise ValueError(f"{label}, but {unfit[0]} arms need one each")


def values_for(model: Model | None, found: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the values of the inputs that a model has, in the form that engines take."""
    declared: Mapping[str, Input] = {} if model is None else model.structure.inputs
    return {
        name: table if declared[name].per == "option" else table[:, 0]
        for name, table in found.items()
        if name in declared
    }


def perturbed(table: np.ndarray, default: float) -> list[tuple[int, int]]:
    """Return the intervals of rounds (start, stop) in which an input differs from its default."""
    differs = np.concatenate([[False], (table != default).any(axis=1), [False]])
    borders = np.flatnonzero(differs[1:] != differs[:-1])
    return list(zip(borders[::2].tolist(), borders[1::2].tolist(), strict=True))


def _unknown(name: str, models: Sequence[Model]) -> str:
    """Return the error for an input that no model has."""
    known = list(dict.fromkeys(each for model in models for each in model.structure.inputs))
    called = "the model " + " and ".join(dict.fromkeys(model.name for model in models))
    if not models:
        return f"--input {printable(name)}: no agent is nsa"
    if not known:
        return f"--input {printable(name)}: {called} has no inputs"
    near = closest(name, known)
    hint = f"did you mean {near}?" if near else f"known: {', '.join(known)}"
    return f"{called} has no input {shown(name)}; {hint}"


def _digest(name: str, path: str) -> str:
    label = f"input {printable(name)}: {printable(path)}"
    if os.path.exists(path) and not os.path.isfile(path):  # reading a FIFO would block
        raise ValueError(f"{label} is not a file")
    digest = once(read_digest, path)
    if not digest:
        raise ValueError(f"{label} cannot be read" if os.path.exists(path) else f"{label} does not exist")
    return digest


@lru_cache(maxsize=16)
def _table(name: str, path: str, digest: str) -> np.ndarray:
    label = f"input {printable(name)}: {printable(path)}"
    try:
        text = content_of(path, digest).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{label} is not a table of numbers: it is not UTF-8 text") from None
    lines = [(number, line.split(",")) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if lines and not any(map(is_number, lines[0][1])):
        del lines[0]  # a header
    if not lines:
        raise ValueError(f"{label} contains no numbers")
    columns = len(lines[0][1])
    for number, row in lines:
        if len(row) != columns:
            raise ValueError(f"{label} has {columns} columns, but {len(row)} in line {number}")
        for cell in row:
            if not (is_number(cell) and np.isfinite(float(cell))):
                raise ValueError(f"{label} is not a table of finite numbers: it has {shown(cell)} in line {number}")
    return np.array([row for _, row in lines], dtype=float)
