"""Engine ``table``: what options answer is looked up, where it was tabulated when it was first asked for.

It applies where an answer is a function of one number, which the model knows: the option value ``Phi_v`` in the
paper's, the weight itself where an equation uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsa_brian.codegen.expression import numpy_function
from nsa_brian.codegen.pairs import distinct_sets
from nsa_brian.codegen.stretch import Grid
from nsa_brian.engines.randomness import Randomness
from nsa_brian.engines.registry import ties_refusal
from nsa_brian.engines.response_table import ResponseTable
from nsa_brian.engines.separable import Separable
from nsa_brian.model.model import PAPER, Model
from nsa_brian.parameters import NSAParameters


class Table(Separable):
    """Looks the activities of options whose synapse has changed up in a table.

    Parameters
    ----------
    n_arms, parameters, n_games, ties, tolerance, rng
        See :class:`nsa_brian.engines.base.Engine`; each game may have its own parameters. ``ties="first"`` is refused:
        interpolated activities are not exact enough for it.
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
        rng: Randomness | None = None,
        table: ResponseTable | None = None,
        model: Model = PAPER,
        **grid: Any,
    ) -> None:
        super().__init__(n_arms, parameters, n_games, ties, tolerance, rng, model)
        refusal = ties_refusal(self.name, ties)
        if refusal:
            raise ValueError(refusal)
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

    def answers(self) -> Grid:
        """The table as it is now."""
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
