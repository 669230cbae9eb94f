"""Engine ``rounds`` for any populations: a whole decision round of all neurons as one generated C++ loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from nsa_brian.codegen.columns import Columns
from nsa_brian.codegen.pairs import distinct_values
from nsa_brian.common.texts import shown
from nsa_brian.engines.populations import PopulationEngine
from nsa_brian.model.structure import SYNAPSE


class ColumnRounds(PopulationEngine):
    """Compiled engine for populations of many or spiking neurons; each game may have its own parameters.

    Parameters
    ----------
    record : bool
        Record the spikes of each round, see :meth:`spikes`.
    *args, **options
        See :class:`nsa_brian.engines.base.Engine`.
    """

    name = "rounds"

    def __init__(self, *args: Any, record: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        sets, which = distinct_values(self.values)
        self.columns = Columns(self.model, sets, which, self.n_arms, self.seeds(), self.dt, record, self.precision)
        reading = np.array([self.columns.courses[i].reading for i in which])
        counts = [self.columns.sizes[name] for name in ("u", "v")]
        self._per_rate = np.array(counts)[:, None, None] * reading[None, :, None]
        self.reset()

    def respond(self) -> None:
        """Run a round up to the choice."""
        columns = self.columns
        for name, array in columns.given.items():
            array[:] = self.static(name)
        for name, array in columns.game_inputs.items():
            array[:] = self.static(name)[:, 0]
        for name in self.structure.dynamic:
            columns.states[SYNAPSE][name][:] = self._synapses[name]
        columns.respond()
        self._read_synapse()
        np.divide(columns.counts, self._per_rate, out=self._rates)
        self._check_neurons()
        for row, name in enumerate(("u", "v")):
            if name in self.structure.populations[name].state:
                self._rates[row] = self.state(name)
        self._rates[:] = self._end.show(self._rates)

    def own_settings(self) -> dict[str, Any]:
        """Return the keywords of this class."""
        return {"record": self.columns.raster is not None}

    def _lasting_arrays(self) -> dict[str, np.ndarray]:
        return {**super()._lasting_arrays(), **self.columns.lasting}

    def _read_synapse(self) -> None:
        for name in self.structure.dynamic:
            self._synapses[name][:] = self.columns.states[SYNAPSE][name]

    def _await(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        if not self.structure.after:
            return
        self.columns.choice[:] = self.choices(arms)
        for name, array in self.columns.learnt.items():
            array[:] = self.static(name)
        self.columns.await_outcome(rewards)
        self._read_synapse()

    @property
    def games(self) -> Columns:
        """Alias of ``columns``, its name until 0.2."""
        return self.columns

    def neurons(self, variable: str) -> np.ndarray:
        """Return a state variable of neurons as a writable array (games, neurons)."""
        place = self.structure.place_of(variable)
        return self.columns.states[place][variable]

    @property
    def b(self) -> np.ndarray:
        """The variable of contacts, a writable array (games, arms, neurons, neurons)."""
        return self.columns.b

    def spikes(self, population: str, game: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return the spikes of a population in the last round: times in seconds since its start, and neurons."""
        columns = self.columns
        if columns.raster is None:
            raise ValueError("spikes were not recorded; pass record=True to the engine")
        start = 0
        for name, size in columns.neurons.items():
            if name == population:
                steps, neurons = np.nonzero(columns.raster[game, :, start : start + size])
                return steps * columns.courses[0].dt, neurons
            start += size
        raise ValueError(f"there is no population {shown(population)}; known: {', '.join(columns.neurons)}")
