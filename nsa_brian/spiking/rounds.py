"""Engine ``rounds`` of spiking models: a whole decision round of all neurons as one generated C++ loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from nsa_brian.codegen.spikes import SpikingGames
from nsa_brian.spiking.engine import SpikingEngine


class SpikingRounds(SpikingEngine):
    """Spiking neurons, compiled; games may have parameters of their own.

    Parameters
    ----------
    record : bool
        Keep the spikes of each round, see :meth:`spikes`.
    **options
        See :class:`nsa_brian.spiking.engine.SpikingEngine`.
    """

    name = "rounds"

    def __init__(self, *args: Any, record: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        sets = list({id(found): found for found in self.values}.values())
        places = {id(found): i for i, found in enumerate(sets)}
        which = [places[id(found)] for found in self.values]
        self.games = SpikingGames(self.model, sets, np.array(which), self.n_arms, self.seeds(), self._dt, record)
        reading = np.array([self.games.timing[i].reading for i in which])
        self._per_rate = (sets[0]["neurons"] * reading)[None, :, None]
        self.reset()

    def respond(self) -> None:
        """Run one round from rest."""
        self.games.gain[:] = self.gains()
        self.games.respond()
        np.divide(self.games.counts, self._per_rate, out=self._rates)
        self.check_states(self.games.states)

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        if not self.model.flips:
            super()._learn(arms, rewards)
            return
        self.games.choice[:] = self.choices(arms)
        self.games.eta[:] = self.rates_of_learning()
        self.games.await_outcome(rewards)
        self.read_weights()

    @property
    def b(self) -> np.ndarray:
        """The synapses that learn by spikes."""
        return self.games.b

    def spikes(self, population: str, game: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Times in seconds since the round's start, and neurons, of a population's spikes in the last round."""
        if self.games.raster is None:
            raise ValueError("spikes are kept with record=True")
        start = 0
        for name, size in self.games.neurons.items():
            if name == population:
                steps, neurons = np.nonzero(self.games.raster[game, :, start : start + size])
                return steps * self.games.timing[0].dt, neurons
            start += size
        raise ValueError(f"there is no population {population!r}; known: {', '.join(self.games.neurons)}")
