"""Engine ``table``: what a pair answers at a round's end, tabulated once and looked up ever after.

It applies where that answer is a function of one number, which the model knows: the option value ``Phi_v`` in the
paper's, the weight itself where an equation uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian.codegen.expression import numpy_function
from nsa_brian.codegen.pairs import Pairs, distinct_sets
from nsa_brian.codegen.stretch import Grid
from nsa_brian.engines.separable import Separable
from nsa_brian.model.model import PAPER, Model
from nsa_brian.parameters import NSAParameters


class ResponseTable:
    """The activities u, v at a round's end against one number, for one or many parameter sets.

    The number is the model's ``coordinate``: the option value, in the paper's model from 0 to 1, or the weight, from
    0 to w_max. Over it the answer is nearly a straight line but for one or a few steps, where an option's activity
    begins to outlast the input. Beyond the range the answer is integrated. A grid of equal cells, each in four parts,
    is interpolated by parabolas over two parts each, and refined where parabolas through every other point pass by the
    points between by more than ``error``: four times the parts, and again, ``refine`` at most.

    Parameters
    ----------
    parameters : sequence of NSAParameters
    dt, method
        See :class:`nsa_brian.codegen.pairs.Pairs`.
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
        self.parameters, self.cells, self.model = [model.complete(p) for p in parameters], cells, model
        self._integration = (dt, method)
        self._beyond: Pairs | None = None
        self.coordinate = model.structure.coordinate
        #: The number at the table's end, for each set.
        self.scale = np.array([p.w_max if self.coordinate == "w" else 1.0 for p in parameters], dtype=float)
        # The paper's weights are finite and its functions of them lie between 0 and 1; others need watching.
        self.bounded = self.coordinate == "Phi_v" and all(
            getattr(model, name) == getattr(PAPER, name) for name in ("gaussian_sigmoid", "plasticity", "initial")
        )
        flat, n, levels = np.arange(len(parameters) * cells), 4, []  # cells of all sets
        points = self._first_points(n)
        while flat.size:
            coarse = (_miss(points) > error) & (4 * n <= refine)
            levels.append((n, flat[~coarse], points[:, ~coarse]))
            flat, n, points = flat[coarse], 4 * n, self._more_points(flat[coarse], 4 * n, points[:, coarse])

        parts = np.empty(len(parameters) * cells, dtype=np.intp)
        for n, flat, _ in levels:
            parts[flat] = n
        offsets = np.cumsum(parts + 1) - (parts + 1)
        self._points = np.empty((2, parts.sum() + parts.size))
        for n, flat, points in levels:
            self._points[:, offsets[flat, None] + np.arange(n + 1)] = points
        self._beyond = None  # as large as the grid; made anew, for a few values, if any lie beyond
        self._parts, self._offsets = (array.reshape(-1, cells) for array in (parts, offsets))

    def _first_points(self, n: int) -> np.ndarray:
        """Activities (2, cells of all sets, n + 1) at the points of all cells in n parts each."""
        sets = np.arange(len(self.parameters))
        flat = np.arange(len(sets) * self.cells)
        begun = self._at(flat, np.arange(n) / n).reshape(2, len(sets), self.cells, n)
        last = self._integrate(sets, self.scale).reshape(2, len(sets), 1, 1)
        ends = np.concatenate([begun[:, :, 1:, :1], last], axis=2)  # a cell ends where the next one begins
        return np.concatenate([begun, ends], axis=3).reshape(2, len(flat), n + 1)

    def _more_points(self, flat: np.ndarray, n: int, known: np.ndarray) -> np.ndarray:
        """The same of some cells, where every fourth point is known."""
        points = np.empty((2, len(flat), n + 1))
        points[:, :, ::4] = known
        new = np.flatnonzero(np.arange(n + 1) % 4)
        points[:, :, new] = self._at(flat, new / n)
        return points

    def _at(self, flat: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Activities (2, n, places) at places, from 0 to 1, within some cells (n,) of all sets."""
        which, cell = np.divmod(flat, self.cells)
        value = (cell[:, None] + places) / self.cells * self.scale[which, None]
        return self._integrate(which.repeat(len(places)), value.ravel()).reshape(2, len(flat), len(places))

    def __len__(self) -> int:
        """Points in the table."""
        return self._points.shape[1]

    @property
    def grid(self) -> Grid:
        """The table's arrays, for compiled code."""
        return Grid(self.coordinate, self._parts, self._offsets, self._points, self.scale)

    def look_up(self, which: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Activities (2, n), u and v, for values (n,) of the coordinate and of the ``which``-th parameter sets (n,)."""
        if not self.bounded:
            value = value / self.scale[which]
            beyond = ~((value >= 0) & (value <= 1))
            if beyond.any():
                return self._look_beyond(which, value, beyond)
        return self._interpolate(which, value)

    def _look_beyond(self, which: np.ndarray, value: np.ndarray, beyond: np.ndarray) -> np.ndarray:
        """The same where some values lie outside of the table: those are integrated."""
        found = np.empty((2, len(value)))
        found[:, ~beyond] = self._interpolate(which[~beyond], value[~beyond])
        found[:, beyond] = self._integrate(which[beyond], value[beyond] * self.scale[which[beyond]])
        return found

    def _interpolate(self, which: np.ndarray, value: np.ndarray) -> np.ndarray:
        x = value * self.cells
        cell = np.minimum(x.astype(np.intp), self.cells - 1)
        parts = self._parts[which, cell]
        y = (x - cell) * parts
        middle = np.minimum(y.astype(np.intp) | 1, parts - 1)  # of the two parts that a parabola spans
        at = self._offsets[which, cell] + middle
        left, centre, right = self._points[:, at - 1], self._points[:, at], self._points[:, at + 1]
        t = y - middle
        return centre + t / 2 * (right - left + t * (left + right - 2 * centre))

    def _integrate(self, which: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Activities (2, n) for many values of many parameter sets, in one call."""
        if self._beyond is None or self._beyond.size < len(value):
            given = "" if self.coordinate == "w" else self.coordinate
            self._beyond = Pairs(self.parameters, len(value), *self._integration, given, self.model)
        return self._beyond.respond(which, {self.coordinate: value})[:2]


class Table(Separable):
    """Looks the activities of options whose synapse has changed up in a table.

    Parameters
    ----------
    n_arms, parameters, n_games, ties, tolerance, rng
        See :class:`nsa_brian.engines.base.Engine`; each game may have its own parameters.
    model : Model
        What is run; one whose answers are a function of one number.
    table : ResponseTable, optional
        An existing table of the games' different sets, in the order in which they first appear.
    **grid
        ``dt``, ``method`` and the grid's settings of a table made here, see :class:`ResponseTable`.
    """

    name = "table"

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
        distinct, which = distinct_sets(self.parameters)
        self._which = which.repeat(n_arms)  # the set of each option
        self.table = ResponseTable(distinct, model=model, **grid) if table is None else table
        if self.table.parameters != distinct or self.table.model != model:
            raise ValueError("table was made for other parameters than those of the games")
        given = model.structure.expressions
        constants, names = self.constants(), model.structure.comes_down_to({self.table.coordinate})
        self._one_a_game = numpy_function(self.table.coordinate, given, constants)
        self._anywhere = numpy_function(self.table.coordinate, given, {})
        self._constants = {name: value for name, value in constants.items() if name in names}
        self.reset()

    def _answers(self) -> Grid:
        return self.table.grid

    def answer(self, places: np.ndarray) -> np.ndarray:
        """Look some options up."""
        w = self._synapses["w"].reshape(-1)[places]
        if self._statements is None and len(places) == self.n_games:  # one in each game, in their order
            value = self._one_a_game(w=w)
        else:
            game = places // self.n_arms
            value = self._anywhere(w=w, **{n: x[game] if np.ndim(x) else x for n, x in self._constants.items()})
        return self.table.look_up(self._which[places], value)


def _miss(points: np.ndarray) -> np.ndarray:
    """How far parabolas through every other point pass by the points between, at most; points (2, cells, 4n + 1)."""
    left, centre, right = points[..., 0:-1:4], points[..., 2::4], points[..., 4::4]
    before = (3 * left + 6 * centre - right) / 8 - points[..., 1::4]
    after = (3 * right + 6 * centre - left) / 8 - points[..., 3::4]
    return np.maximum(np.abs(before), np.abs(after)).max(axis=(0, 2))
