"""Engine ``table``: what a pair answers at a round's end, tabulated once and looked up ever after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian.diagonal import Diagonal
from nsa_brian.expression import numpy_function
from nsa_brian.model import PAPER, Model
from nsa_brian.pairs import Pairs, distinct_sets
from nsa_brian.parameters import NSAParameters


class ResponseTable:
    """The activities u, v at a round's end against the option value Phi_v, for one or many parameter sets.

    The option value lies in [0, 1]. Over it the answer is nearly a straight line but for one or a few steps, where
    an option's activity begins to outlast the input. A grid of equal cells, each in four parts, is interpolated by
    parabolas over two parts each, and refined where parabolas through every other point pass by the points between
    by more than ``error``: four times the parts, and again, ``refine`` at most.

    Parameters
    ----------
    parameters : sequence of NSAParameters
    dt, method
        See :class:`nsa_brian.pairs.Pairs`.
    cells : int
        Cells of the first grid.
    error : float
        Miss that a cell need not be refined for.
    refine : int
        Parts of a cell at most; a step is located to 1 / (cells * refine).
    model : Model
        The equations.
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
        self.parameters, self.cells = list(parameters), cells
        flat = np.arange(len(parameters) * cells)  # cells of all sets
        n, levels = 4, []
        while flat.size:
            which, cell = np.divmod(flat, cells)
            value = (cell[:, None] + np.arange(n + 1) / n) / cells
            points = _answers(parameters, which.repeat(n + 1), value.ravel(), dt, method, model).reshape(2, -1, n + 1)
            miss = _miss(points)
            coarse = (miss > error) & (4 * n <= refine)
            levels.append((n, flat[~coarse], points[:, ~coarse]))
            flat, n = flat[coarse], 4 * n

        parts = np.empty(len(parameters) * cells, dtype=np.intp)
        for n, flat, _ in levels:
            parts[flat] = n
        offsets = np.cumsum(parts + 1) - (parts + 1)
        self._points = np.empty((2, parts.sum() + parts.size))
        for n, flat, points in levels:
            self._points[:, offsets[flat, None] + np.arange(n + 1)] = points
        self._parts, self._offsets = (array.reshape(-1, cells) for array in (parts, offsets))

    def __len__(self) -> int:
        """Points in the table."""
        return self._points.shape[1]

    def look_up(self, which: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Activities (2, n), u and v, for option values (n,) of the ``which``-th parameter sets (n,)."""
        x = value * self.cells
        cell = np.minimum(x.astype(np.intp), self.cells - 1)
        parts = self._parts[which, cell]
        y = (x - cell) * parts
        middle = np.minimum(y.astype(np.intp) | 1, parts - 1)  # of the two parts that a parabola spans
        at = self._offsets[which, cell] + middle
        left, centre, right = self._points[:, at - 1], self._points[:, at], self._points[:, at + 1]
        t = y - middle
        return centre + t / 2 * (right - left + t * (left + right - 2 * centre))


class Table(Diagonal):
    """Looks the pulled arms' activities up in a table.

    Parameters
    ----------
    n_arms, parameters, n_games, ties, tolerance, rng
        See :class:`nsa_brian.engine.Engine`; each game may have its own parameters.
    model : Model
        The equations, without noise and without couplings between options.
    table : ResponseTable, optional
        An existing table of the games' different sets, in the order in which they first appear.
    **grid
        ``dt``, ``method`` and the grid's settings of a table made here, see :class:`ResponseTable`.
    """

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters],
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1e-6,
        rng: np.random.Generator | None = None,
        table: ResponseTable | None = None,
        model: Model = PAPER,
        **grid: Any,
    ) -> None:
        super().__init__(n_arms, parameters, n_games, ties, tolerance, rng, model)
        if model.noise:
            raise ValueError("a table holds one answer for each value, and noise makes many: use rounds or network")
        distinct, self._which = distinct_sets(self.parameters)
        self.table = ResponseTable(distinct, model=model, **grid) if table is None else table
        if self.table.parameters != distinct:
            raise ValueError("table was made for other parameters than those of the games")
        self._value = numpy_function("Phi_v", self.model.function_of_weight("v"), self._constants())
        self.reset()

    def _answer(self, w: np.ndarray) -> np.ndarray:
        return self.table.look_up(self._which, self._value(w=w))


def _miss(points: np.ndarray) -> np.ndarray:
    """How far parabolas through every other point pass by the points between, at most; points (2, cells, 4n + 1)."""
    left, centre, right = points[..., 0:-1:4], points[..., 2::4], points[..., 4::4]
    before = (3 * left + 6 * centre - right) / 8 - points[..., 1::4]
    after = (3 * right + 6 * centre - left) / 8 - points[..., 3::4]
    return np.maximum(np.abs(before), np.abs(after)).max(axis=(0, 2))


def _answers(
    parameters: Sequence[NSAParameters], which: np.ndarray, value: np.ndarray, dt: Any, method: str, model: Model
) -> np.ndarray:
    """Activities (2, n) for many option values of many parameter sets, in one call."""
    return Pairs([parameters[i] for i in which], dt, method, "Phi_v", model).respond(value)
