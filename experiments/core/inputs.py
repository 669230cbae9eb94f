"""Input files: read once, and identified by the SHA-256 of their content.

What a result depends on beside its settings is in files: plugins, files that options of a bandit name, and values of a
model's inputs. Their digests are part of the settings, and so of a result's identity. Parameter sets and models are in
the settings in full. Files that a plugin opens by itself are not known here.
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

#: The contents of input files by their digests: those that this process has read or was sent.
_contents: dict[str, bytes] = {}


class ChangedInputError(UserError, ValueError):
    """An input file that has changed since the settings that name it were made."""


def file_digests(env: str, options: Mapping[str, Any]) -> dict[str, str]:
    """The digests of the files that a bandit's options name, by their paths; of those that can be read."""
    paths = filter(os.path.isfile, _texts(env, options).values())
    found = {path: once(read_digest, path) for path in paths}
    return {path: digest for path, digest in found.items() if digest}


def with_tables(env: str, options: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, Any]:
    """A bandit's options with the table of a schedule in place of its file, as it was when it was first read."""
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
    """Refuse files that a bandit of the user's own has read by itself if they are not what they were before."""
    if envs.BANDITS.get(env) is Schedule:
        return
    for path in _texts(env, options).values():
        if (path in inputs or os.path.isfile(path)) and read_digest(path) != inputs.get(path, ""):
            raise _changed(path)


def contents_of(digests: Iterable[str]) -> dict[str, bytes]:
    """What is known of input files, for another process."""
    return {digest: _contents[digest] for digest in digests if digest in _contents}


def keep_contents(contents: Mapping[str, bytes]) -> None:
    """Take what :func:`contents_of` gave in another process."""
    _contents.update(contents)


def _texts(env: str, options: Mapping[str, Any]) -> dict[str, str]:
    """The options of a bandit that are texts and may name a file, those of its preset included."""
    presets = getattr(envs.BANDITS.get(env), "presets", {})
    preset = options.get("preset")
    whole = {**(presets.get(preset, {}) if isinstance(preset, str) else {}), **options}
    return {key: value for key, value in whole.items() if key != "preset" and isinstance(value, str)}


def read_digest(path: str) -> str:
    """The digest of a file, whose content is kept; empty if it cannot be read, which its user will say."""
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
    """The content of a file that has this digest; refused if it has changed since and nobody kept it."""
    if digest not in _contents and read_digest(path) != digest:
        raise _changed(path)
    return _contents[digest]


def _changed(path: str) -> ChangedInputError:
    return ChangedInputError(f"{printable(path)} has changed since the settings were made; run again")
