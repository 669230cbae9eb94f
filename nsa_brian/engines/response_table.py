"""Table of a pair's response at a round's end as a function of one variable, for one or many parameter sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian.codegen.pairs import Pairs
from nsa_brian.codegen.stretch import Grid
from nsa_brian.model.model import PAPER, Model
from nsa_brian.parameters import NSAParameters

#: Parts of a cell before refinement.
PARTS = 4
#: Neighbouring cells computed together, since they are likely to be needed soon.
TOGETHER = 4
#: Pairs integrated together.
BATCH = 4096
#: Offsets of the points of a parabola.
AROUND = np.array([[-1], [0], [1]])


class ResponseTable:
    """Table of the activities u, v at a round's end, for one or many parameter sets.

    The table's variable is the model's ``coordinate``: the option value, in the paper's model from 0 to 1, or the
    weight, from 0 to w_max. The response is nearly linear except for one or a few steps, where an option's activity
    begins to outlast the input. Outside the range it is integrated. The range is a grid of equal cells of four parts,
    interpolated by a parabola over every two parts. If parabolas through every other point miss the points between by
    more than ``error``, the cell gets four times as many parts, repeatedly, up to ``refine``. A cell is computed when
    it is first needed.

    Parameters
    ----------
    parameters : sequence of NSAParameters
    dt, method
        See :class:`nsa_brian.codegen.pairs.Pairs`.
    cells : int
        Number of cells.
    error : float
        Largest interpolation error without refinement.
    refine : int
        Maximal number of parts of a cell; a step is located to 1 / (cells * refine).
    model : Model
        The equations.

    Attributes
    ----------
    grid : Grid
        The table's arrays, which compiled code reads too.
    """

    def __init__(
        self,
        parameters: Sequence[NSAParameters],
        dt: Any = 1 * ms,
        method: str = "euler",
        cells: int = 512,
        error: float = 1e-7,
        refine: int = 256,
        model: Model = PAPER,
    ) -> None:
        self.settings = {"cells": cells, "error": error, "refine": refine}
        self.parameters, self.cells, self.model = [model.complete(p) for p in parameters], cells, model
        (self.coordinate,) = self.coordinates = model.structure.coordinates
        self._error, self._refine = error, refine
        #: Upper end of the table for each parameter set.
        self.scale = np.array([p.w_max if self.coordinate == "w" else 1.0 for p in parameters], dtype=float)
        # The paper's option values lie between 0 and 1; those of other models need a range check.
        self.bounded = self.coordinate == "Phi_v" and all(
            getattr(model, name) == getattr(PAPER, name) for name in ("gaussian_sigmoid", "plasticity", "initial")
        )
        values = [model.values_in_si(p) for p in self.parameters]
        self._pairs = Pairs(values, BATCH, dt, method, (self.coordinate,), model)
        parts, offsets = np.zeros((2, len(self.parameters), cells), dtype=np.int64)
        self.grid = Grid(self.coordinates, parts, offsets, np.empty((0, 2)), self.scale, finite=True)
        self._n_points = 0

    def __len__(self) -> int:
        """Return the number of points in the table."""
        return self._n_points

    def look_up(self, which: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Return activities (2, n), u and v, for values (n,) of the coordinate and parameter sets ``which`` (n,)."""
        if not self.bounded:
            value = value / self.scale[which]
            beyond = ~((value >= 0) & (value <= 1))
            if beyond.any():
                return self._look_beyond(which, value, beyond)
        return self._interpolate(which, value)

    def make_all(self) -> None:
        """Compute all cells."""
        self._make(np.arange(self.grid.parts.size))

    def _look_beyond(self, which: np.ndarray, value: np.ndarray, beyond: np.ndarray) -> np.ndarray:
        """Look up values of which some are outside the table; integrate those."""
        found = np.empty((2, len(value)))
        found[:, ~beyond] = self._interpolate(which[~beyond], value[~beyond])
        found[:, beyond] = self._integrate(which[beyond], value[beyond] * self.scale[which[beyond]])
        return found

    def _interpolate(self, which: np.ndarray, value: np.ndarray) -> np.ndarray:
        x = value * self.cells
        cell = np.minimum(x.astype(np.intp), self.cells - 1)
        place = which * self.cells + cell  # index among the cells of all sets
        parts = self.grid.parts.take(place)
        if not parts.all():
            self._make(place[parts == 0])
            parts = self.grid.parts.take(place)
        y = (x - cell) * parts
        middle = np.minimum(y.astype(np.intp) | 1, parts - 1)  # of the two parts that a parabola spans
        at = self.grid.offsets.take(place) + middle
        left, centre, right = self.grid.points.take(at + AROUND, axis=0).transpose(0, 2, 1)
        t = y - middle
        return centre + t / 2 * (right - left + t * (left + right - 2 * centre))

    def _make(self, flat: np.ndarray) -> None:
        """Compute cells, given by their indices among those of all sets, and their neighbours."""
        together = math.gcd(TOGETHER, self.cells)
        groups = np.unique(flat // together)
        flat, n = (groups[:, None] * together + np.arange(together)).ravel(), PARTS
        whole = self._at(groups * together, np.arange(together * n + 1) / n)
        points = whole[:, :, np.arange(together)[:, None] * n + np.arange(n + 1)].reshape(2, len(flat), n + 1)
        while flat.size:
            coarse = (_miss(points) > self._error) & (4 * n <= self._refine)
            self._enter(flat[~coarse], points[:, ~coarse])
            flat, known, n = flat[coarse], points[:, coarse], 4 * n
            new = np.flatnonzero(np.arange(n + 1) % 4)
            points = np.empty((2, len(flat), n + 1))
            points[:, :, ::4], points[:, :, new] = known, self._at(flat, new / n)

    def _at(self, flat: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Return activities (2, n, places) at offsets, in units of cells, from the start of some cells (n,)."""
        which, cell = np.divmod(flat, self.cells)
        value = (cell[:, None] + places) / self.cells * self.scale[which, None]
        return self._integrate(which.repeat(len(places)), value.ravel()).reshape(2, len(flat), len(places))

    def _enter(self, flat: np.ndarray, points: np.ndarray) -> None:
        """Store computed cells with their points (2, n, points of a cell)."""
        _, n, length = points.shape
        start, self._n_points = self._n_points, self._n_points + n * length
        if self._n_points > len(self.grid.points):  # double the array, so that it rarely grows
            room = np.empty((2 * self._n_points, 2))
            room[:start] = self.grid.points[:start]
            self.grid.points = room
        self.grid.points[start : self._n_points] = points.reshape(2, -1).T
        self.grid.offsets.reshape(-1)[flat] = start + np.arange(n) * length
        self.grid.parts.reshape(-1)[flat] = length - 1
        self.grid.finite &= bool(np.isfinite(points).all())

    def _integrate(self, which: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Integrate pairs; return activities (2, n) for values (n,) and parameter sets (n,)."""
        found = np.empty((2, len(value)))
        for start in range(0, len(value), BATCH):
            these = slice(start, start + BATCH)
            found[:, these] = self._pairs.respond(which[these], {self.coordinate: value[these]})[:2]
        return found


def _miss(points: np.ndarray) -> np.ndarray:
    """Return the largest error of parabolas through every other point at the points between; (2, cells, 4n + 1)."""
    left, centre, right = points[..., 0:-1:4], points[..., 2::4], points[..., 4::4]
    before = (3 * left + 6 * centre - right) / 8 - points[..., 1::4]
    after = (3 * right + 6 * centre - left) / 8 - points[..., 3::4]
    return np.maximum(np.abs(before), np.abs(after)).max(axis=(0, 2))
