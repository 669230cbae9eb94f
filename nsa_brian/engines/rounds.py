"""Engine ``rounds``: a whole decision round as one generated C++ loop, exact and fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian.codegen.games import Games
from nsa_brian.codegen.integrator import Integrator
from nsa_brian.codegen.pairs import Pairs, distinct_sets
from nsa_brian.engines.randomness import Randomness
from nsa_brian.engines.separable import Separable, read_only
from nsa_brian.model.model import PAPER, Model, check_noise
from nsa_brian.model.structure import OPTIONS
from nsa_brian.parameters import NSAParameters

#: Rounds of a game that are foreseen at most, and pairs that are integrated together for it: some vectors full of them
#: cost little more than one pair.
DEPTH, LANES = 8, 32


class Rounds(Separable):
    """Integrates the pairs whose synapse has changed; or all of them, where the model wants that.

    Parameters
    ----------
    n_arms, parameters, n_games, ties, tolerance, rng
        See :class:`nsa_brian.engines.base.Engine`; each game may have its own parameters.
    dt, method
        See :class:`nsa_brian.codegen.pairs.Pairs`.
    dense : bool
        Integrate every pair in every round, needed or not: the same choices, for what it costs. Where the model
        couples options, carries state over, or has noise, there is no other way.
    model : Model
        What is run.
    """

    name = "rounds"

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters],
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1e-6,
        rng: Randomness | None = None,
        *,
        dt: Any = 1 * ms,
        method: str = "euler",
        dense: bool = False,
        model: Model = PAPER,
    ) -> None:
        super().__init__(n_arms, parameters, n_games, ties, tolerance, rng, model)
        check_noise(model, method)
        #: Why every pair is integrated in every round; empty if only those whose synapse has changed are.
        self.dense = model.structure.dense or ("it was asked for" if dense else "")
        structure, shape = model.structure, (n_games, n_arms)
        sets, which = distinct_sets(self.parameters)
        self._which = which.repeat(n_arms)  # the set of each option
        if structure.crossing:
            self.games = Games(sets, which, n_arms, dt, method, model)
            self.outputs = self.games.outputs
        else:
            one_a_game = self._statements is None and not self.dense
            # Where the rule reads no neurons, the weights to come can be foreseen.
            self._depth = max(1, min(DEPTH, LANES // n_games)) if one_a_game and not structure.rule_reads else 1
            size = n_games * (self._depth if one_a_game else n_arms)
            self.pairs = Pairs(sets, size, dt, method, model=model)
            self.outputs = self.pairs.outputs
        self.ends = np.zeros((len(self.outputs), *shape))
        #: What goes on from round to round: the synapses, and the neurons' variables that are carried over.
        self._lasting = {**self._synapses}
        self._lasting |= {name: np.zeros(shape) for name in model.carried if structure.place_of(name) in OPTIONS}
        pools = {name: np.zeros(n_games) for place in structure.populations for name in structure.state(place)}
        self._pools: Mapping[str, np.ndarray] = self.games.pools if structure.crossing else pools
        self.reset()

    def answers(self) -> Integrator:
        """The compiled round."""
        if self.model.structure.crossing:
            return self.games.integrator()
        return self.pairs.integrator(self._which if self.dense else None, self.n_arms, self._depth)

    def _going_on(self) -> tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]]:
        return self._lasting, self._pools

    def state(self, name: str) -> np.ndarray:
        """A state variable of the neurons at a round's end."""
        return read_only(self._pools[name][:, None]) if name in self._pools else super().state(name)

    def answer(self, places: np.ndarray) -> np.ndarray:
        """Integrate some pairs."""
        size = self.pairs.size
        if len(places) <= size:
            return self._integrate(places)
        parts = [places[i : i + size] for i in range(0, len(places), size)]
        return np.concatenate([self._integrate(part) for part in parts], axis=1)

    def _integrate(self, places: np.ndarray, luck: np.ndarray | None = None) -> np.ndarray:
        given = {name: self._lasting[name].reshape(-1)[places] for name in self.pairs.inputs}
        return self.pairs.respond(self._which[places], given, luck, self.n_arms)

    def respond(self) -> None:
        """Integrate the pairs whose synapse has changed, or all of them."""
        if not self.dense:
            super().respond()
            return
        luck = self.rng.random((self.n_games, self.n_arms)) if self.model.noise else None
        if self.model.structure.crossing:
            self.games.respond(self._lasting, luck)
            self.ends[:] = self.games.ends
        else:
            everywhere = np.arange(self.n_games * self.n_arms)
            ends = self._integrate(everywhere, None if luck is None else luck.ravel())
            self.ends[:] = ends.reshape(self.ends.shape)
        for name, array in self._lasting.items():
            if name in self.outputs:
                array[:] = self.ends[self.outputs.index(name)]

    def refresh(self) -> None:
        """Bring answers up to date where a synapse has changed; where all are integrated, that is the next round's."""
        if not self.dense:
            super().refresh()

    def reset(self) -> None:
        """Forget everything: synapses, and what is carried over, start anew."""
        super().reset()
        for name in self.model.carried:
            array = self._lasting[name] if name in self._lasting else self._pools[name][:, None]
            array[:] = self.initial(name)
