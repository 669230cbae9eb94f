"""Engine ``table``: what a pair answers at a round's end, tabulated once and looked up ever after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian import equations
from nsa_brian.diagonal import Diagonal
from nsa_brian.engine import by_name
from nsa_brian.expression import numpy_function
from nsa_brian.pairs import Pairs, distinct_sets
from nsa_brian.parameters import NSAParameters


class ResponseTable:
    """The activities u, v at a round's end against the option value Phi_v, for one or many parameter sets.

    The option value lies in [0, 1]. Over it the answer is nearly a straight line but for one or a few steps, where
    an option's activity begins to outlast the input. A grid of equal cells is refined where a straight line misses
    the answer in the middle of a cell: by as many parts as bring the miss down to ``error``, ``refine`` at most.

    Parameters
    ----------
    parameters : sequence of NSAParameters
    dt, method
        See :class:`nsa_brian.pairs.Pairs`.
    cells : int
        Cells of the first grid.
    error : float
        Miss that a cell may have.
    refine : int
        Parts of a cell at most; a step is located to 1 / (cells * refine).
    """

    def __init__(
        self,
        parameters: Sequence[NSAParameters],
        dt: Any = 1 * ms,
        method: str = "euler",
        cells: int = 512,
        error: float = 1e-7,
        refine: int = 128,
    ) -> None:
        self.cells = cells
        n_sets = len(parameters)
        grid = np.linspace(0, 1, 2 * cells + 1)  # borders and middles of the cells
        coarse = _answers(parameters, np.arange(n_sets).repeat(grid.size), np.tile(grid, n_sets), dt, method)
        coarse = coarse.reshape(2, n_sets, grid.size)
        miss = np.abs((coarse[..., 0:-1:2] + coarse[..., 2::2]) / 2 - coarse[..., 1::2]).max(axis=0)
        # The miss of a straight line falls with the square of the cell's width.
        self._parts = np.ceil(np.sqrt(miss / error)).clip(2, refine).astype(np.int32)
        sizes = self._parts + 1
        self._offsets = (np.cumsum(sizes) - sizes.ravel()).reshape(sizes.shape)

        which, cell = (index.ravel().repeat(sizes.ravel()) for index in np.indices(sizes.shape))
        part = np.arange(which.size) - self._offsets[which, cell]
        points = (cell + part / self._parts[which, cell]) / cells
        self._points = np.empty((2, which.size))
        halves = self._parts[which, cell] == 2  # known already
        self._points[:, halves] = coarse[:, which[halves], 2 * cell[halves] + part[halves]]
        if not halves.all():
            self._points[:, ~halves] = _answers(parameters, which[~halves], points[~halves], dt, method)

    def __len__(self) -> int:
        """Points in the table."""
        return self._points.shape[1]

    def look_up(self, which: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Activities (2, n), u and v, for option values (n,) of the ``which``-th parameter sets (n,)."""
        x = value * self.cells
        cell = np.minimum(x.astype(np.intp), self.cells - 1)
        parts = self._parts[which, cell]
        y = (x - cell) * parts
        part = np.minimum(y.astype(np.intp), parts - 1)
        at = self._offsets[which, cell] + part
        left = self._points[:, at]
        return left + (y - part) * (self._points[:, at + 1] - left)


class Table(Diagonal):
    """Looks the pulled arms' activities up in a table.

    Parameters
    ----------
    n_arms, parameters, n_games, ties, tolerance, rng
        See :class:`nsa_brian.engine.Engine`; each game may have its own parameters.
    **grid
        ``dt``, ``method`` and the grid's settings, see :class:`ResponseTable`.
    """

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters],
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1e-6,
        rng: np.random.Generator | None = None,
        **grid: Any,
    ) -> None:
        super().__init__(n_arms, parameters, n_games, ties, tolerance, rng)
        distinct, self._which = distinct_sets(self.parameters)
        self.table = ResponseTable(distinct, **grid)
        self._value = numpy_function("Phi_v", equations.gaussian_sigmoid("v"), by_name(self.parameters))
        self.set_weights(self.w)

    def _answer(self, w: np.ndarray) -> np.ndarray:
        return self.table.look_up(self._which, self._value(w=w))


def _answers(
    parameters: Sequence[NSAParameters], which: np.ndarray, value: np.ndarray, dt: Any, method: str
) -> np.ndarray:
    """Activities (2, n) for many option values of many parameter sets, in one call."""
    return Pairs([parameters[i] for i in which], dt, method, given="Phi_v").respond(value)
