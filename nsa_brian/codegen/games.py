"""Batches of games whose options are coupled: a round of all their pairs in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from brian2 import ms
from brian2.codegen.codeobject import create_runner_codeobj

from nsa_brian.codegen.code_objects import code_object_class, entry_of
from nsa_brian.codegen.coupled import sent_by_options, step_code, unit_equations
from nsa_brian.codegen.group import UnitGroup
from nsa_brian.codegen.integrator import Integrator
from nsa_brian.codegen.unit import Unit
from nsa_brian.model.course import Course
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.reading import names_in, plain
from nsa_brian.model.structure import SIGNALS


class Games:
    """A batch of games, each with one of several parameter sets.

    Parameters
    ----------
    values : sequence of mapping
        The parameter sets: values in SI units by name.
    which : array of int (games,)
        The parameter set of each game.
    n_arms : int
    dt, method
        See :class:`nsa_brian.codegen.pairs.Pairs`. Input from other options is held constant within a step.
    model : Model

    Attributes
    ----------
    outputs : tuple of str
        Names of the options' outputs.
    ends : array (outputs, games, arms)
        Outputs at the end of the last round.
    pools : dict of array (games,)
        State of the pools, by name; it is carried over to the next round if the model says so.
    game_inputs : dict of array (games,)
        Signals and inputs of the game.
    """

    def __init__(
        self,
        values: Sequence[Mapping[str, float]],
        which: np.ndarray,
        n_arms: int,
        dt: Any = 1 * ms,
        method: str = "euler",
        model: Model = PAPER,
    ) -> None:
        structure = model.structure
        options = structure.of_options
        #: Signals and inputs that all options of a game share.
        of_game = structure.of_game
        unit = Unit(model, shared=[*structure.names(SIGNALS), *of_game])
        self.n_games, self.n_arms = len(which), n_arms
        self.inputs, self.outputs = unit.inputs, unit.outputs
        pools = tuple(name for place in structure.of_games for name in structure.state(place))

        self._group = group = UnitGroup("nsa_games", dt)
        equations = unit_equations(model, unit.equations)
        sent = [link.variable for link in sent_by_options(model)]
        received = [
            link.variable for link in structure.crossing if not (link.source in options and link.target in options)
        ]
        lines = {name: plain(text) for name, text in structure.expressions.items() if name in structure.names(SIGNALS)}
        texts = [text for place in structure.of_games for text in structure.populations[place].texts]
        texts += [text for link in structure.crossing for text in link.texts]
        texts += [text for place in structure.of_games for text in structure.populations[place].initial.values()]
        texts += lines.values()
        used = [name for name in values[0] if name in unit.names.union(*(names_in(plain(text)) for text in texts))]
        group.add_shared(dict.fromkeys((*used, *structure.phased, *received, *pools, *of_game, *lines), 0.0))
        group.add_shared({f"_sum_{name}": 0.0 for name in sent})
        group.add_shared({name: 0.0 for name in unit.start if name.startswith("_")})
        group.add_shared({"_n_games": 0, "n_arms": 0.0})  # a float, or 1 / n_arms would be computed in 32 bits
        group.add(dict.fromkeys([*self.inputs, *(f"_sent_{name}" for name in sent)]), n_arms)
        group.add_equations(equations, n_arms)
        code = step_code(
            model, equations, group.variables, method, {*used, "dt", "n_arms", *of_game, *lines}, unit.constant
        )
        group.add_shared(dict.fromkeys(code.of_game, 0.0))
        # Intermediate variables, as in `_p = ...; p = _p`: Brian2 takes expressions with functions for vectors.
        on_the_way = [line.partition(" = ")[0].strip() for line in code.pool.splitlines()]
        group.add_shared({name: 0.0 for name in on_the_way if name not in group.variables})
        group.add(dict.fromkeys([*code.of_unit, *code.parts]), n_arms)

        n_units = self.n_games * n_arms
        borders = [Course.of(model, each, float(dt), method).borders for each in values]
        tables = {
            "_sets": np.array([[each[name] for name in used] for each in values], dtype=float).ravel(),
            "_steps": np.array(borders, dtype=np.int32).ravel(),
            "_which": np.asarray(which, dtype=np.int32),
            "_given": np.zeros(max(1, len(self.inputs)) * n_units),
            "_game_inputs": np.zeros(max(1, len(of_game)) * self.n_games),
            "_ends": np.zeros(len(self.outputs) * n_units),
            "_pools": np.zeros(max(1, len(pools)) * self.n_games),
        }
        for name, array in tables.items():
            group.add({name: array}, len(array))
        pool_start = {
            name: plain(text)
            for place in structure.of_games
            for name, text in structure.populations[place].initial.items()
            if name not in structure.carried
        }
        phased = {name: text for name, text in unit.start.items() if name in structure.phased or name.startswith("_")}
        unit_start = {name: text for name, text in unit.start.items() if name not in phased}
        unit_start |= {name: "0" for names in unit.normal.values() for name in names}
        blocks = {
            "begin_game": {**phased, **lines, **pool_start, **code.of_game},
            "begin": {**unit_start, **code.of_unit},
        }
        abstract = {key: "\n".join(f"{name} = {text}" for name, text in lines.items()) for key, lines in blocks.items()}
        self._run = create_runner_codeobj(
            group,
            {**abstract, "send": code.send, "pool": code.pool, "step": code.step},
            "game",
            run_namespace={},
            needed_variables=[*unit.normal, *self.outputs],
            check_units=False,  # checked when the model was made
            template_kwds={
                "_tables": tuple(tables),
                "_of_sets": used,
                "_inputs": self.inputs,
                "_outputs": self.outputs,
                "_pool_states": pools,
                "_of_game": of_game,
                "_sent": sent,
                "_phases": unit.phases,
                "_n_borders": len(borders[0]),
                "_normal": unit.normal,
            },
            codeobj_class=code_object_class(),
        )
        group.array("_n_games")[0], group.array("n_arms")[0] = self.n_games, n_arms
        shape = (self.n_games, n_arms)
        self._given = group.array("_given")[: len(self.inputs) * n_units].reshape(-1, *shape)
        self.ends = group.array("_ends").reshape(-1, *shape)
        self.pools = dict(zip(pools, group.array("_pools").reshape(-1, self.n_games), strict=False))
        self.game_inputs = dict(zip(of_game, group.array("_game_inputs").reshape(-1, self.n_games), strict=False))

    def respond(self, given: Mapping[str, np.ndarray], game_inputs: Mapping[str, np.ndarray]) -> None:
        """Run a round of all games; update :attr:`ends` and :attr:`pools`.

        Parameters
        ----------
        given : mapping
            Arrays (games, arms): the state that lasts from round to round (synapses, carried-over variables, random
            streams), and inputs of options.
        game_inputs : mapping
            Signals and inputs of the game, (games,) each.
        """
        for row, name in zip(self._given, self.inputs, strict=True):
            row[:] = given[name]
        for name, array in self.game_inputs.items():
            array[:] = game_inputs[name]
        self._run()

    def integrator(self) -> Integrator:
        """Return the compiled round, to be called from compiled code."""
        inputs = dict(zip(self.inputs, self._given, strict=True))
        outputs = dict(zip(self.outputs, self.ends, strict=True))
        of_pair = self._group.array("_which")
        return Integrator(
            entry_of(self._run), inputs, outputs, of_pair, every=True, shares=False, game_inputs=self.game_inputs
        )
