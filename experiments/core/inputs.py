"""Input files, read once and identified by the SHA-256 of their content.

Besides its settings, a result depends on plugins, on files given as options of a bandit, and on values of model inputs.
The digests of these files are part of the settings and so of the id of a result. Parameter sets and models are stored
in the settings. Files that a plugin opens by itself are not tracked.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import envs
from envs.schedule import MOST_BYTES, Schedule, parse_table
from experiments.core.errors import UserError
from experiments.core.named import once
from nsa_brian.errors import printable
from nsa_brian.plugins import DIGITS

#: Contents of input files by digest, read by this process or received from another.
_contents: dict[str, bytes] = {}


class ChangedInputError(UserError, ValueError):
    """An input file has changed since the settings were made."""


def file_digests(env: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests, by path, of the readable files given as options of a bandit."""
    paths = filter(os.path.isfile, _texts(env, options).values())
    found = {path: once(read_digest, path) for path in paths}
    return {path: digest for path, digest in found.items() if digest}


def with_tables(env: str, options: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of a bandit with the file of a schedule replaced by its table, as first read."""
    if envs.BANDITS.get(env) is not Schedule:
        return dict(options)
    found = {}
    for key, path in _texts(env, options).items():
        if path in inputs:
            found[key] = _table(path, inputs[path])
        elif os.path.isfile(path) and read_digest(path):
            raise _changed(path)
    return {**options, **found}


def check_unchanged(env: str, options: Mapping[str, Any], inputs: Mapping[str, str]) -> None:
    """Raise an error if files that a user's bandit reads by itself have changed."""
    if envs.BANDITS.get(env) is Schedule:
        return
    for path in _texts(env, options).values():
        if (path in inputs or os.path.isfile(path)) and read_digest(path) != inputs.get(path, ""):
            raise _changed(path)


def contents_of(digests: Iterable[str]) -> dict[str, bytes]:
    """Return the known contents of input files, for another process."""
    return {digest: _contents[digest] for digest in digests if digest in _contents}


def keep_contents(contents: Mapping[str, bytes]) -> None:
    """Store what :func:`contents_of` returned in another process."""
    _contents.update(contents)


def _texts(env: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the options of a bandit, including its preset's, that are texts and so may be file names."""
    presets = getattr(envs.BANDITS.get(env), "presets", {})
    preset = options.get("preset")
    whole = {**(presets.get(preset, {}) if isinstance(preset, str) else {}), **options}
    return {key: value for key, value in whole.items() if key != "preset" and isinstance(value, str)}


def read_digest(path: str) -> str:
    """Return the digest of a file and store its content; empty if the file cannot be read, which is reported later."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError:
        return ""
    if len(content) > MOST_BYTES:
        return ""
    digest = hashlib.sha256(content).hexdigest()[:DIGITS]
    _contents[digest] = content
    return digest


@lru_cache(maxsize=8)
def _table(path: str, digest: str) -> np.ndarray:
    return parse_table(content_of(path, digest), path)


def content_of(path: str, digest: str) -> bytes:
    """Return the content of the file with this digest; raise an error if it has changed and was not stored."""
    if digest not in _contents and read_digest(path) != digest:
        raise _changed(path)
    return _contents[digest]


def _changed(path: str) -> ChangedInputError:
    return ChangedInputError(f"{printable(path)} has changed since the settings were made; run again")
