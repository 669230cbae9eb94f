"""Engine ``rounds``: a whole decision round as one generated C++ loop, exact and fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nsa_brian.codegen.games import Games
from nsa_brian.codegen.integrator import Integrator
from nsa_brian.codegen.pairs import Pairs, distinct_values
from nsa_brian.codegen.streams import n_seeds, states
from nsa_brian.engines.separable import Separable, read_only

#: Maximal number of rounds predicted, and of pairs integrated together: full vectors cost little more than one pair.
DEPTH, LANES = 8, 32


class Rounds(Separable, compiled=True):
    """Engine that integrates only the pairs whose synapse has changed, or all of them if the model requires it.

    Parameters
    ----------
    dense : bool
        Integrate every pair in every round. The choices are the same, at a higher cost. Always so if the model couples
        options, carries state over, or has noise.
    *args, **options
        See :class:`nsa_brian.engines.base.Engine`; each game may have its own parameters.
    """

    name = "rounds"

    def __init__(self, *args: Any, dense: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        structure, shape = self.structure, (self.n_games, self.n_arms)
        #: Why every pair is integrated in every round; empty if only those with a changed synapse are.
        self.dense = structure.dense or ("it was asked for" if dense else "")
        sets, which = distinct_values(self.values)
        self._which = which.repeat(self.n_arms)  # parameter set of each option
        if structure.crossing:
            self.games = Games(sets, which, self.n_arms, self.dt, self.method, self.model)
            self.outputs = self.games.outputs
        else:
            one_per_game = not self._end.by_statements and not self.dense
            # Future weights can be predicted if the rule reads only the synapse; predictions hold only u and v.
            alone = one_per_game and self._end.reads_synapse_alone and structure.reads <= {"u", "v"}
            self._depth = max(1, min(DEPTH, LANES // self.n_games)) if alone else 1
            size = self.n_games * (self._depth if one_per_game else self.n_arms)
            self.pairs = Pairs(sets, size, self.dt, self.method, model=self.model)
            self.outputs = self.pairs.outputs
        self.ends = np.zeros((len(self.outputs), *shape))
        #: State that lasts from round to round: synapses, carried-over variables, and random streams as bits of floats.
        carried = [name for place in structure.of_options for name in structure.populations[place].carried]
        self._lasting = {**self._synapses, **{name: np.zeros(shape) for name in carried}}
        if structure.draws:
            self._lasting |= self._streams()
        pools = {name: np.zeros(self.n_games) for place in structure.of_games for name in structure.state(place)}
        self._pools: Mapping[str, np.ndarray] = self.games.pools if structure.crossing else pools
        self.reset()

    def _streams(self) -> dict[str, np.ndarray]:
        """Return the initial state of each neuron's random stream, by the name of its population's stream."""
        seeds = self.rng.spawn(1)[0].random((self.n_games, n_seeds(self.model, self.values[0], self.n_arms)))
        drawn, at = {}, 0
        for name in self.structure.of_options:
            part = states(np.ascontiguousarray(seeds[:, at : at + self.n_arms]))
            drawn[f"_stream_{name}"], at = part.view(float), at + self.n_arms
        return {name: array for name, array in drawn.items() if name in self.outputs}

    def answers(self) -> Integrator:
        """Return the compiled round."""
        if self.structure.crossing:
            return self.games.integrator()
        shares = not self.structure.draws and self.dense == self.structure.dense
        return self.pairs.integrator(self._which if self.dense else None, self.n_arms, self._depth, shares)

    def _going_on(self) -> tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]]:
        return self._lasting, self._pools

    def own_settings(self) -> dict[str, Any]:
        """Return the keywords of this class."""
        return {"dense": self.dense != self.structure.dense}

    def _lasting_arrays(self) -> dict[str, np.ndarray]:
        pools = {f"pool {name}": array for name, array in self._pools.items()}
        states = {f"state {name}": array for name, array in self._lasting.items() if name not in self._synapses}
        return {**super()._lasting_arrays(), **states, **pools}

    def state(self, name: str) -> np.ndarray:
        """Return a state variable of the neurons at a round's end, a read-only view."""
        return read_only(self._pools[name][:, None]) if name in self._pools else super().state(name)

    def answer(self, places: np.ndarray) -> np.ndarray:
        """Integrate some pairs; see :meth:`Separable.answer`."""
        size = self.pairs.size
        if len(places) <= size:
            return self._integrate(places)
        parts = [places[i : i + size] for i in range(0, len(places), size)]
        return np.concatenate([self._integrate(part) for part in parts], axis=1)

    def _integrate(self, places: np.ndarray) -> np.ndarray:
        given = {name: self._given(name).reshape(-1)[places] for name in self.pairs.inputs}
        return self.pairs.respond(self._which[places], given, self.n_arms)

    def _given(self, name: str) -> np.ndarray:
        """Return a variable's values at a round's start, (games, arms)."""
        if name in self._lasting:
            return self._lasting[name]
        value = self.signals[name][:, None] if name in self.signals else self.inputs.now[name]
        return np.broadcast_to(value, (self.n_games, self.n_arms))

    def respond(self) -> None:
        """Integrate the pairs whose synapse has changed, or all of them."""
        if not self.dense:
            super().respond()
            return
        if self.structure.crossing:
            game_inputs = {name: self._given(name)[:, 0] for name in self.games.game_inputs}
            self.games.respond({name: self._given(name) for name in self.games.inputs}, game_inputs)
            self.ends[:] = self.games.ends
        else:
            self.ends[:] = self._integrate(np.arange(self.n_games * self.n_arms)).reshape(self.ends.shape)
        for name, array in self._lasting.items():
            if name in self.outputs:
                array[:] = self.ends[self.outputs.index(name)]
        self._show()

    def refresh(self) -> None:
        """Update the responses of options with a changed synapse; if ``dense``, :meth:`respond` updates them."""
        if not self.dense:
            super().refresh()

    def reset(self) -> None:
        """Reset synapses, signals, inputs and carried-over state."""
        super().reset()
        for neurons in self.structure.populations.values():
            for name in neurons.carried:
                array = self._lasting[name] if name in self._lasting else self._pools[name][:, None]
                array[:] = self.initial(neurons.initial[name])
