"""Engine ``table``: responses of options are looked up in a table, which is computed on demand.

It applies to models in which the response is a function of one variable: the option value ``Phi_v`` in the paper's
model, or the weight itself if an equation uses it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nsa_brian.codegen.pairs import distinct_sets
from nsa_brian.codegen.stretch import Grid
from nsa_brian.engines.registry import ties_refusal
from nsa_brian.engines.response_table import ResponseTable
from nsa_brian.engines.separable import Separable, read_only
from nsa_brian.model.expression import numpy_function


class Table(Separable, compiled=True):
    """Engine that looks up the activities of options whose synapse has changed in a table.

    Parameters
    ----------
    table : ResponseTable, optional
        An existing table for the games' distinct parameter sets, in order of first appearance.
    *args, **options
        ``cells``, ``error`` and ``refine`` of a new table, see :class:`ResponseTable`; all others as in
        :class:`nsa_brian.engines.base.Engine`. Each game may have its own parameters. ``ties="first"`` is not
        supported: interpolated activities are not exact enough.
    """

    name = "table"

    def __init__(self, *args: Any, table: ResponseTable | None = None, **options: Any) -> None:
        grid = {name: options.pop(name) for name in ("cells", "error", "refine") if name in options}
        super().__init__(*args, **options)
        refusal = ties_refusal(self.name, self.ties)
        if refusal:
            raise ValueError(refusal)
        distinct, which = distinct_sets(self.parameters)
        self._which = which.repeat(self.n_arms)  # parameter set of each option
        if table is None:
            table = ResponseTable(distinct, self.dt, self.method, model=self.model, **grid)
        self.table = table
        if self.table.parameters != distinct or self.table.model != self.model:
            raise ValueError("table was made for other parameters or another model than those of the games")
        given = self.structure.expressions
        constants, names = self.constants(), self.structure.comes_down_to({self.table.coordinate})
        self._coordinate_per_game = numpy_function(self.table.coordinate, given, constants)
        self._coordinate = numpy_function(self.table.coordinate, given, {})
        self._constants = {name: value for name, value in constants.items() if name in names}
        self.reset()

    def state(self, name: str) -> np.ndarray:
        """Return the activity of U or V; a table holds no other state."""
        return read_only(self.ends["uv".index(name)])

    def answers(self) -> Grid:
        """Return the current table."""
        return self.table.grid

    def answer(self, places: np.ndarray) -> np.ndarray:
        """Look up some options; see :meth:`Separable.answer`."""
        w = self._synapses["w"].reshape(-1)[places]
        if not self._end.by_statements and len(places) == self.n_games:  # one in each game, in order
            value = self._coordinate_per_game(w=w)
        else:
            game = places // self.n_arms
            value = self._coordinate(w=w, **{n: x[game] if np.ndim(x) else x for n, x in self._constants.items()})
        return self.table.look_up(self._which[places], value)
