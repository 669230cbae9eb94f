"""Table of a pair's response at a round's end as a function of two or three variables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian.codegen.pairs import Pairs
from nsa_brian.codegen.stretch import Cells
from nsa_brian.model.model import Model
from nsa_brian.parameters import NSAParameters

#: Points of a cell along each variable: polynomials of degree 4.
POINTS = 5
#: Where the interpolation is tested, in parts of a cell: between the points nearest to its corners.
TESTED = (0.5, 3.5)
#: Pairs integrated together.
BATCH = 4096
#: Parameter sets, levels of division, and bits of all variables: what fits into a key of 64 bits.
SETS, LEVELS, BITS = 1 << 11, 16, 48
#: Default of ``refine`` by the number of variables: with three, more would leave too few bits for distant cells.
REFINE = {2: 1024, 3: 64}
#: In place of a cell's place: the cell is divided; it is too coarse, and cannot be divided; it is not computed yet.
SPLIT, COARSE, UNKNOWN = -1, -2, -3


class CellTable:
    """Table of the activities u, v at a round's end, for one or many parameter sets.

    Its variables are the model's ``coordinates``. Cells are squares (cubes) with 5 points along each variable, between
    which u and v are interpolated by a product of polynomials of degree 4. A cell is computed when it is first needed.
    It is accepted if the interpolation misses 4 (8) tested points near its corners by at most ``error``, and if the
    terms of degree 4 are at most 10 times as large. Otherwise it is divided into halves along each variable, up to
    ``refine`` parts. Responses are integrated in cells that are then still too coarse, and far from 0: beyond 512
    units of a variable if there are two of them, 32 if there are three. So an error above ``error`` occurs only where a
    step of the response lies between the points of a cell. Cells do not depend on the order in which they are computed.

    Parameters
    ----------
    parameters : sequence of NSAParameters
        At most 2048.
    dt, method
        See :class:`nsa_brian.codegen.pairs.Pairs`.
    cells : int
        Number of cells in a unit of a variable: w_max for w, 1 for others.
    error : float
        Largest interpolation error at the tested points.
    refine : int, optional
        Maximal number of parts of a cell along a variable, a power of two up to 32768; by default 1024 for two
        variables and 64 for three.
    model : Model
        The equations.

    Attributes
    ----------
    coordinates : tuple of str
    grid : Cells
        The table's arrays, which compiled code reads too.
    """

    def __init__(
        self,
        parameters: Sequence[NSAParameters],
        dt: Any = 1 * ms,
        method: str = "euler",
        cells: int = 16,
        error: float = 1e-7,
        refine: int | None = None,
        *,
        model: Model,
    ) -> None:
        self.coordinates = model.structure.coordinates
        n_variables = len(self.coordinates)
        refine = REFINE[n_variables] if refine is None else refine
        self.settings = {"cells": cells, "error": error, "refine": refine}
        if len(parameters) > SETS:
            raise ValueError(f"a table of several variables holds at most {SETS} parameter sets, got {len(parameters)}")
        if refine not in [1 << level for level in range(LEVELS)]:
            raise ValueError(f"refine must be a power of two from 1 to {1 << (LEVELS - 1)}, got {refine}")
        self.parameters, self.model = [model.complete(p) for p in parameters], model
        self._error = error
        self._range = 1 << (BITS // n_variables - 1)  # cells along a variable, on each side of 0
        values = [model.values_in_si(p) for p in self.parameters]
        self._pairs = Pairs(values, BATCH, dt, method, self.coordinates, model)
        #: Points of a cell in parts of it, (points + tested, variables).
        self._offsets = np.array(
            [*itertools.product(range(POINTS), repeat=n_variables), *itertools.product(TESTED, repeat=n_variables)]
        )
        self._size = POINTS**n_variables
        scale = [[p.w_max if name == "w" else 1.0 for name in self.coordinates] for p in self.parameters]
        keys, places = np.full(1024, -1, dtype=np.int64), np.zeros(1024, dtype=np.int64)
        levels = refine.bit_length()
        points, integrator = np.empty((0, self._size, 2)), partial(self._pairs.integrator, None, 0, 1, shares=True)
        self.grid = Cells(self.coordinates, keys, places, points, np.array(scale), cells, levels, integrator)
        self._n_keys = self._n_cells = 0

    def __len__(self) -> int:
        """Return the number of points in the table."""
        return self._n_cells * self._size

    def look_up(self, which: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return activities (2, n), u and v, for values (variables, n) and parameter sets ``which`` (n,)."""
        x = values / self.grid.scale[which].T
        found, todo = np.empty((2, len(which))), np.arange(len(which))
        for level in range(self.grid.levels):
            low, key = self._cell(which[todo], x[:, todo], level)
            place = self._places(key)
            if (new := place == UNKNOWN).any():
                self._make(key[new], low[:, new], level)
                place[new] = self._places(key[new])
            if (hit := place >= 0).any():
                parts = (POINTS - 1) * (x[:, todo] * self._fineness(level) - low)
                found[:, todo[hit]] = interpolate(self.grid.points[place[hit]], parts[:, hit])
            if (coarse := place == COARSE).any():
                integrated = todo[coarse]
                found[:, integrated] = self._integrate(which[integrated], values[:, integrated])
            todo = todo[place == SPLIT]
            if not todo.size:
                break
        return found

    def _fineness(self, level: int) -> int:
        """Return the number of cells in a unit of a variable."""
        return self.grid.cells << level

    def _cell(self, which: np.ndarray, x: np.ndarray, level: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower corners (variables, n) of cells, in cells, and their keys (n,); -1 beyond the table."""
        low = np.floor(x * self._fineness(level))
        # The finest cells decide, so that a cell is inside with all of its parts.
        inside = (np.abs(x * self._fineness(self.grid.levels - 1)) < self._range).all(axis=0)
        key = which.astype(np.int64) * LEVELS + level
        for each in np.where(inside, low, 0).astype(np.int64):
            key = key * (2 * self._range) + each + self._range
        return low, np.where(inside, key, -1)

    def _slot(self, key: np.ndarray, probe: np.ndarray) -> np.ndarray:
        """Return the slots of keys in the index after some collisions; see ``nsa::find_cell`` in nsa.hpp."""
        hashed = (key.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
        return (hashed.astype(np.int64) + probe) & (len(self.grid.keys) - 1)

    def _places(self, key: np.ndarray) -> np.ndarray:
        """Return the entries of keys in the index; beyond the table all is too coarse."""
        probe = np.zeros(len(key), dtype=np.int64)
        while True:
            slot = self._slot(key, probe)
            seen = self.grid.keys[slot]
            other = (seen != key) & (seen >= 0) & (key >= 0)
            if not other.any():
                return np.where(key < 0, COARSE, np.where(seen == key, self.grid.places[slot], UNKNOWN))
            probe += other

    def _make(self, key: np.ndarray, low: np.ndarray, level: int) -> None:
        """Compute cells that are not known, given their keys and lower corners."""
        key, first = np.unique(key, return_index=True)
        low = low[:, first]
        which = (key >> BITS) // LEVELS
        # (variables, cells, points)
        x = (low[:, :, None] + self._offsets.T[:, None] / (POINTS - 1)) / self._fineness(level)
        values = (x * self.grid.scale[which].T[:, :, None]).reshape(len(low), -1)
        ends = self._integrate(which.repeat(len(self._offsets)), values).reshape(2, len(key), -1)
        points = np.ascontiguousarray(np.moveaxis(ends[:, :, : self._size], 0, -1))
        good = np.ones(len(key), dtype=bool)
        for i in range(self._size, len(self._offsets)):
            here = np.tile(self._offsets[i][:, None], len(key))
            good &= np.abs(interpolate(points, here) - ends[:, :, i]).max(axis=0) <= self._error
        good &= _highest_terms(points, len(low)) <= 10 * self._error
        place = np.where(good, self._n_cells + np.cumsum(good) - 1, SPLIT if level + 1 < self.grid.levels else COARSE)
        self._store(points[good])
        self._enter(key, place)

    def _store(self, points: np.ndarray) -> None:
        """Append the points of cells."""
        start, self._n_cells = self._n_cells, self._n_cells + len(points)
        if self._n_cells > len(self.grid.points):  # double the array, so that it rarely grows
            room = np.empty((2 * self._n_cells, self._size, 2))
            room[:start] = self.grid.points[:start]
            self.grid.points = room
        self.grid.points[start : self._n_cells] = points

    def _enter(self, key: np.ndarray, place: np.ndarray) -> None:
        """Add distinct new keys to the index; it is at most half full."""
        self._n_keys += len(key)
        if 2 * self._n_keys > len(self.grid.keys):
            old = self.grid.keys >= 0
            key, place = np.append(self.grid.keys[old], key), np.append(self.grid.places[old], place)
            size = 1 << (4 * self._n_keys).bit_length()
            self.grid.keys, self.grid.places = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.int64)
        probe = np.zeros(len(key), dtype=np.int64)
        while key.size:
            slot = self._slot(key, probe)
            _, first = np.unique(slot, return_index=True)
            first = first[self.grid.keys[slot[first]] < 0]
            self.grid.keys[slot[first]], self.grid.places[slot[first]] = key[first], place[first]
            left = np.ones(len(key), dtype=bool)
            left[first] = False
            key, place, probe = key[left], place[left], probe[left] + 1

    def _integrate(self, which: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Integrate pairs; return activities (2, n) for values (variables, n) and parameter sets (n,)."""
        found = np.empty((2, len(which)))
        for start in range(0, len(which), BATCH):
            these = slice(start, start + BATCH)
            given = dict(zip(self.coordinates, values[:, these], strict=True))
            found[:, these] = self._pairs.respond(which[these], given)[:2]
        return found


def interpolate(points: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Return u and v (2, n), given points (n, 5**variables, 2) and positions in the cell (variables, n), 0 to 4."""
    found, width = points, 2 * POINTS ** len(parts)
    for t in parts:
        width //= POINTS
        a, b, c, d, e = (t - i for i in range(POINTS))
        weights = [b * c * d * e / 24, a * c * d * e / -6, a * b * d * e / 4, a * b * c * e / -6, a * b * c * d / 24]
        found = np.einsum("kn,nkr->nr", weights, found.reshape(-1, POINTS, width))
    return found.T


def _highest_terms(points: np.ndarray, n_variables: int) -> np.ndarray:
    """Return the largest term of degree 4 along any variable, (cells,)."""
    whole, found = points.reshape(len(points), *[POINTS] * n_variables, 2), np.zeros(len(points))
    for axis in range(1, n_variables + 1):
        fourth = np.abs(np.diff(whole, 4, axis=axis)) / 24
        found = np.maximum(found, fourth.reshape(len(points), -1).max(axis=1))
    return found
