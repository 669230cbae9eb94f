"""Engine ``table``: responses of options are looked up in a table, which is computed on demand.

It applies to models in which the response is a function of one to three variables: the option value ``Phi_v`` in the
paper's model, or variables of the synapse that an equation uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsa_brian.codegen.pairs import distinct_sets
from nsa_brian.codegen.stretch import Cells, Grid
from nsa_brian.engines.cell_table import CellTable
from nsa_brian.engines.registry import ties_refusal
from nsa_brian.engines.response_table import ResponseTable
from nsa_brian.engines.separable import Separable, read_only
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import Model
from nsa_brian.parameters import NSAParameters


class Table(Separable, compiled=True):
    """Engine that looks up the activities of options whose synapse has changed in a table.

    Parameters
    ----------
    table : ResponseTable or CellTable, optional
        An existing table for the games' distinct parameter sets, in order of first appearance.
    *args, **options
        ``cells``, ``error`` and ``refine`` of a new table, see :class:`ResponseTable` for one variable and
        :class:`nsa_brian.engines.cell_table.CellTable` for several; all others as in
        :class:`nsa_brian.engines.base.Engine`. Each game may have its own parameters. ``ties="first"`` is not
        supported: interpolated activities are not exact enough.
    """

    name = "table"

    def __init__(self, *args: Any, table: ResponseTable | CellTable | None = None, **options: Any) -> None:
        grid = {name: options.pop(name) for name in ("cells", "error", "refine") if name in options}
        super().__init__(*args, **options)
        refusal = ties_refusal(self.name, self.ties)
        if refusal:
            raise ValueError(refusal)
        distinct, which = distinct_sets(self.parameters)
        self._which = which.repeat(self.n_arms)  # parameter set of each option
        if table is None:
            table = make_table(self.model, distinct, dt=self.dt, method=self.method, **grid)
        self.table = table
        if self.table.parameters != distinct or self.table.model != self.model:
            raise ValueError("table was made for other parameters or another model than those of the games")
        given = self.structure.expressions
        constants, names = self.constants(), self.structure.comes_down_to(self.table.coordinates)
        self._per_game = [numpy_function(name, given, constants) for name in self.table.coordinates]
        self._coordinates = [numpy_function(name, given, {}) for name in self.table.coordinates]
        self._constants = {name: value for name, value in constants.items() if name in names}
        self.reset()

    def own_settings(self) -> dict[str, Any]:
        """Return the keywords of this class."""
        return dict(self.table.settings)

    def state(self, name: str) -> np.ndarray:
        """Return the activity of U or V; a table holds no other state."""
        return read_only(self.ends["uv".index(name)])

    def answers(self) -> Grid | Cells:
        """Return the current table."""
        return self.table.grid

    def answer(self, places: np.ndarray) -> np.ndarray:
        """Look up some options; see :meth:`Separable.answer`."""
        seen = {name: self._synapses[name].reshape(-1)[places] for name in self.structure.depends_on}
        if not self._end.by_statements and len(places) == self.n_games:  # one in each game, in order
            values = [coordinate(**seen) for coordinate in self._per_game]
        else:
            game = places // self.n_arms
            seen |= {name: value[game] if np.ndim(value) else value for name, value in self._constants.items()}
            values = [coordinate(**seen) for coordinate in self._coordinates]
        if isinstance(self.table, CellTable):
            return self.table.look_up(self._which[places], np.array([np.broadcast_to(x, len(places)) for x in values]))
        return self.table.look_up(self._which[places], values[0])


def make_table(model: Model, parameters: Sequence[NSAParameters], **options: Any) -> ResponseTable | CellTable:
    """Return an empty table for a model, of the kind for its number of variables."""
    kind = ResponseTable if len(model.structure.coordinates) == 1 else CellTable
    return kind(parameters, model=model, **options)
