"""Random numbers of a network's neurons, drawn before each time step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nsa_brian.codegen.streams import SharedStreams, Streams, n_streams
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.structure import Structure


class Numbers:
    """Streams of random numbers: those of the neurons, and one for the contacts of each game.

    Parameters
    ----------
    structure : Structure
    groups : mapping
        NeuronGroups by population.
    seeds : array (games, seeds), optional
        Uniform random numbers; None if the model draws nothing.
    """

    def __init__(self, structure: Structure, groups: Mapping[str, Any], seeds: np.ndarray | None) -> None:
        self._structure = structure
        self.streams: dict[str, Any] = {}
        self._normal: dict[str, list[np.ndarray]] = {}
        self._events: dict[str, list[np.ndarray]] = {}
        self._means: dict[str, list[float]] = {}
        at = 0
        if seeds is None:
            return
        for key, group in groups.items():
            size = len(group) // len(seeds)
            own = seeds[:, at : at + n_streams(structure, size)]
            self.streams[key] = Streams(own.ravel()) if structure.single else SharedStreams(own, size)
            at += own.shape[1]
            neurons = structure.populations[key]
            written = {code: name for name, code in neurons.written.items()}
            self._normal[key] = [group.variables[written[code]].get_value() for code in neurons.normal]
            self._events[key] = [group.variables[written[code]].get_value() for code in neurons.poisson]
        self.streams["contacts"] = Streams(seeds[:, at])

    def set_rates(self, values: Mapping[str, float], dt: float) -> None:
        """Set the mean number of events per time step of ``dt`` seconds."""
        self._means = {
            key: [float(numpy_function(rate, {}, values)()) * dt for rate in neurons.poisson.values()]
            for key, neurons in self._structure.populations.items()
        }

    def hand_out(self) -> None:
        """Draw each neuron's random numbers for the next time step."""
        for key, arrays in self._normal.items():
            streams = self.streams[key]
            for array in arrays:
                array[:] = streams.noise()
            for array, mean in zip(self._events[key], self._means[key], strict=True):
                array[:] = streams.events(mean)

    def luck(self, n: int) -> np.ndarray:
        """Return uniform random numbers (games, n) for contacts."""
        return self.streams["contacts"].uniform(n)
