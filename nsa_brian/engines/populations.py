"""Base class of engines for populations of many neurons: static expressions in numpy, firing rates, contacts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from nsa_brian.codegen.streams import count_of, n_seeds
from nsa_brian.engines.base import Engine
from nsa_brian.engines.stretch import runaway
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.structure import SIGNALS


class PopulationEngine(Engine):
    """Base class of engines for populations of many neurons, or of spiking neurons.

    Expressions of an option that are constant within a round are computed here, in numpy, for all these engines.

    Parameters
    ----------
    *args, **options
        See :class:`nsa_brian.engines.base.Engine`.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        shape = (self.n_games, self.n_arms)
        self._synapses = {name: np.zeros(shape) for name in self.structure.synaptic}
        self._rates = np.zeros((2, *shape))
        constants = self.constants()
        self._static: dict[str, Any] = {}  # functions that compute static expressions, by name
        self._columns = {name: value[:, None] if np.ndim(value) else value for name, value in constants.items()}

    def static(self, name: str) -> np.ndarray:
        """Return the current value of a variable of options or games, (games, arms) or (games, 1)."""
        structure = self.structure
        if name not in structure.expressions:
            found = self.seen([name])[name]
        else:
            if name not in self._static:
                self._static[name] = numpy_function(name, structure.expressions, self._columns)
            lasting = {*structure.synaptic, *structure.state(SIGNALS), *structure.inputs}
            found = self._static[name](**self.seen(structure.comes_down_to({name}) & lasting))
        if name in structure.names(SIGNALS) or (name in structure.inputs and structure.inputs[name].per == "game"):
            return np.broadcast_to(found, (self.n_games, 1))
        return np.broadcast_to(found, (self.n_games, self.n_arms))

    def _lasting_arrays(self) -> dict[str, np.ndarray]:
        synapses = {f"synapse {name}": array for name, array in self._synapses.items()}
        return {**super()._lasting_arrays(), **synapses, "rates": self._rates}

    def seeds(self) -> np.ndarray:
        """Return uniform random numbers (games, seeds), the seeds of the neurons' streams."""
        return self.rng.spawn(1)[0].random((self.n_games, n_seeds(self.model, self.values[0], self.n_arms)))

    @property
    def activity(self) -> np.ndarray:  # type: ignore[override]
        """Output of U and V: firing rates in Hz before the choice, or as the model's choice defines it."""
        return self._rates

    @property
    def w(self) -> np.ndarray:  # type: ignore[override]
        """Weights."""
        return self._synapses["w"]

    @property
    def synapses(self) -> Mapping[str, np.ndarray]:
        """All variables of the plastic synapses by name."""
        return self._synapses

    @abstractmethod
    def neurons(self, variable: str) -> np.ndarray:
        """Return a state variable of neurons as a writable array (games, neurons)."""

    @property
    @abstractmethod
    def b(self) -> np.ndarray:
        """The variable of contacts, a writable array (games, arms, neurons, neurons)."""

    def _check_neurons(self) -> None:
        """Require finite state variables, unless ``lenient``: neurons with others would count as silent."""
        if self.lenient or self.structure.single:
            return
        for population, neurons in self.structure.populations.items():
            for name in neurons.state:
                if not np.isfinite(self.neurons(name)).all():
                    written = next((key for key, code in neurons.written.items() if code == name), name)
                    where = "at a round's end: its equations overflow"
                    raise runaway(self.model, f"{written} of {population}", where)

    def state(self, name: str) -> np.ndarray:
        """Return a variable of single neurons, or a mean over neurons or contacts, (games, arms) or (games, 1)."""
        if name in self.structure.means:
            population, variable = self.structure.means[name]
            if population == "contacts":
                return self.b.mean(axis=(2, 3))
            of_options = self.structure.populations[population].of_options
            width = self.n_arms if of_options else 1
            return self.neurons(variable).reshape(self.n_games, width, -1).mean(axis=2)
        return self.neurons(name).reshape(self.n_games, -1)

    def choices(self, arms: np.ndarray) -> np.ndarray:
        """Return 1 for the chosen option of each game, -1 for the others."""
        choice = np.full((self.n_games, self.n_arms), -1.0)
        choice.reshape(-1)[self._first + arms] = 1
        return choice

    def reset(self) -> None:
        """Reset synapses, signals, inputs, carried-over state and contacts."""
        super().reset()
        for neurons in self.structure.populations.values():
            for name in neurons.carried:
                self.neurons(name)[:] = self.initial(neurons.initial[name])
        self._set_contacts()

    def set_weights(self, w: np.ndarray, **others: np.ndarray) -> None:
        """Replace the weights and other variables of the synapses.

        If weights are made of contacts, they are rounded to the nearest possible weight. Options whose weight does not
        change keep their contacts.
        """
        before = self.w.copy()
        super().set_weights(w, **others)
        self._set_contacts(self.w != before)

    def _set_contacts(self, where: np.ndarray | bool = True) -> None:
        """Set the contacts of some options to match their weights, if the model has contacts."""
        if self.structure.contacts:
            b = self.b
            n = b.shape[2] * b.shape[3]
            count = np.rint(np.clip(self.w / self._columns["w_max"], 0, 1) * n)[:, :, None]
            strong = (np.arange(n) < count).reshape(b.shape)
            np.copyto(b, strong, where=np.reshape(where, (*np.shape(where), 1, 1)))
            self._end.learn_all()

    def count(self, population: str) -> int:
        """Return the number of neurons of a population per option, or per game for a pool."""
        return count_of(self.structure.populations[population], self.values[0])
