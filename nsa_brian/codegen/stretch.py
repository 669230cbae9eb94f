"""A stretch of rounds of many games in one call, for games whose answers are looked up in a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from brian2 import ms
from brian2.codegen.codeobject import create_runner_codeobj

from nsa_brian.codegen.code_objects import code_object_class
from nsa_brian.codegen.group import UnitGroup
from nsa_brian.model.agreement import N_LUCK
from nsa_brian.model.model import Model
from nsa_brian.model.reading import Value, names_in, plain
from nsa_brian.model.structure import closure
from nsa_brian.parameters import NSAParameters

#: Rounds of a call: enough to make a call's own cost nothing, few enough to stay in the processor's caches.
ROUNDS = 128


@dataclass(frozen=True)
class Grid:
    """A response table's arrays: ``parts`` and ``offsets`` (sets, cells), ``points`` (2, n)."""

    parts: np.ndarray
    offsets: np.ndarray
    points: np.ndarray


class Stretch:
    """Select, pay, learn and look up, round after round, game by game.

    Parameters
    ----------
    model : Model
        Whose learning rule is an expression of the pulled option's weight.
    coordinate : str
        What the table is looked up by.
    parameters : sequence of NSAParameters
        The sets.
    which : array of int (games,)
        The set of each game.
    n_arms : int
    grid : Grid
    ties, tolerance
        See :func:`nsa_brian.model.agreement.select`.
    n_rows : int
        Games of the bandits; each of ours meets one of them.

    Attributes
    ----------
    weights : array (games, arms)
    ends : array (2, games, arms)
        The activities. Both are read and written by a call: set them before, look at them after.
    earned : array (games,)
        The probabilities of the arms chosen so far, added up.
    """

    def __init__(
        self,
        model: Model,
        coordinate: str,
        parameters: list[NSAParameters],
        which: np.ndarray,
        n_arms: int,
        grid: Grid,
        ties: str,
        tolerance: float,
        n_rows: int,
    ) -> None:
        structure = model.structure
        assert isinstance(structure.rule, Value)
        n_games = len(which)
        values = [{**model.values_in_si(p), "n_arms": float(n_arms)} for p in parameters]
        self._group = group = UnitGroup("nsa_stretch", 1 * ms)
        used = [name for name in values[0] if name in structure.used or name == "n_arms"]
        group.add_shared(dict.fromkeys([*used, *structure.synaptic, "u", "v", "R", "_value", "_tolerance"], 0.0))
        lines = {**structure.expressions, **{name: text for name, text, _ in structure.rule.helpers}}
        for name in closure({coordinate, *names_in(structure.rule.expression)}, lines) & set(lines):
            group.add_expression(name, plain(lines[name]))
        tables: dict[str, np.ndarray] = {
            "_sets": np.array([[each[name] for name in used] for each in values], dtype=float).ravel(),
            "_which": np.asarray(which, dtype=np.int32),
            "_row": np.zeros(n_games, dtype=np.int32),
            "_weights": np.zeros(n_games * n_arms),
            "_ends": np.zeros(2 * n_games * n_arms),
            "_chances": np.zeros(ROUNDS * n_rows * n_arms),
            "_luck": np.zeros(ROUNDS * n_rows * (N_LUCK + 1)),
            "_parts": grid.parts.ravel().astype(np.int64),
            "_offsets": grid.offsets.ravel().astype(np.int64),
            "_points": grid.points.ravel(),
            "_arms": np.zeros(ROUNDS * n_games, dtype=np.int32),
            "_agreed": np.zeros(ROUNDS * n_games, dtype=np.int8),
            "_earned": np.zeros(n_games),
            "_sizes": np.zeros(7, dtype=np.int64),
        }
        for name, array in tables.items():
            group.add({name: array}, len(array))
        self._run = create_runner_codeobj(
            group,
            {"learn": f"w = {plain(structure.rule.expression)}", "value": f"_value = {coordinate}"},
            "stretch",
            run_namespace={},
            check_units=False,  # those of the equations were checked with the model
            needed_variables=["_tolerance"],
            template_kwds={"tables": (*tables,), "of_sets": used},
            codeobj_class=code_object_class(),
        )
        self._sizes = group.array("_sizes")
        self._sizes[:] = (n_games, n_arms, 0, n_rows, grid.parts.shape[1], grid.points.shape[1], ties == "random")
        group.array("_tolerance")[0] = tolerance
        self.weights = group.array("_weights").reshape(n_games, n_arms)
        self.ends = group.array("_ends").reshape(2, n_games, n_arms)
        self.earned = group.array("_earned")

    def play(self, row: np.ndarray, chances: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play rounds.

        Parameters
        ----------
        row : array of int (games,)
            The bandits' game that each of ours meets.
        chances : array (rounds, rows, arms)
            Reward probabilities; :data:`ROUNDS` rounds at most.
        luck : array (rounds, rows, 4)
            Uniform numbers: three for the decision, the last one for the reward.

        Returns
        -------
        arms : array of int (rounds, games)
        agreed : array of bool (rounds, games)
        """
        array, n_rounds, n_games = self._group.array, len(chances), len(row)
        array("_row")[:] = row
        array("_chances")[: chances.size] = chances.ravel()
        array("_luck")[: luck.size] = luck.ravel()
        self._sizes[2] = n_rounds
        self._run()
        arms, agreed = (array(name)[: n_rounds * n_games].reshape(n_rounds, n_games) for name in ("_arms", "_agreed"))
        return arms.copy(), agreed.astype(bool)
