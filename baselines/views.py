"""Pickling and copying of objects with memoryviews of their arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from baselines.scalars import cells
from nsa_brian.common.copying import Copied


class _Row(NamedTuple):
    """What a memoryview shows: the row of an array with one game."""

    array: np.ndarray


class Viewing(Copied):
    """A mixin for objects with views made by :func:`baselines.scalars.cells`: copies view their own arrays."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: _packed(value) for name, value in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: _unpacked(value) for name, value in state.items()})


def _packed(value: Any) -> Any:
    if isinstance(value, memoryview):
        return _Row(value.obj.base)  # type: ignore[attr-defined]
    return [_packed(each) for each in value] if isinstance(value, list) else value


def _unpacked(value: Any) -> Any:
    if isinstance(value, _Row):
        return cells(value.array, alone=True)
    return [_unpacked(each) for each in value] if isinstance(value, list) else value
