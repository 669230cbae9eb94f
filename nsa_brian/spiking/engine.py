"""What the two engines of spiking models have in common: parameters that are found, weights, firing rates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian.codegen.code_objects import told_if_slow
from nsa_brian.codegen.expression import numpy_function
from nsa_brian.codegen.spikes import n_seeds
from nsa_brian.common.checks import make_rng
from nsa_brian.common.texts import shown
from nsa_brian.engines.base import Engine
from nsa_brian.engines.randomness import Randomness
from nsa_brian.engines.stretch import runaway
from nsa_brian.parameter_set import load
from nsa_brian.parameters import NSAParameters
from nsa_brian.spiking.calibration import calibrated, gain_function
from nsa_brian.spiking.model import SpikingModel
from nsa_brian.spiking.shipped import SPIKING


class SpikingEngine(Engine):
    """A network of spiking neurons playing.

    Parameters
    ----------
    n_arms, n_games, ties, rng
        See :class:`nsa_brian.engines.base.Engine`. A child of ``rng`` is the source of the neurons' noise.
    parameters : NSAParameters, or a sequence of them, optional
        By default the package's default set, with the model's own at their defaults.
    tolerance : float
        Firing rates in Hz that tie. The default is about the standard deviation of the difference between two
        options of equal weight; silent options tie anyway.
    model : SpikingModel
    dt : Quantity
        Time step.
    seed : int, optional
        Makes ``rng`` where none is given.
    mend : bool
        Let sets that have no critical strength play, at chance, where they are refused otherwise.
    free_time : float, optional
        Another duration of phase 2 in ms, with all that was found for the parameters' own: to watch firing for longer.

    Attributes
    ----------
    values : list of dict
        The numbers of each game's set in SI units, those that were found included.
    """

    model: SpikingModel

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters] | None = None,
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1.0,
        rng: Randomness | None = None,
        *,
        model: SpikingModel = SPIKING,
        dt: Any = 0.5 * ms,
        seed: int | None = None,
        mend: bool = False,
        free_time: float | None = None,
    ) -> None:
        parameters = load().parameters if parameters is None else parameters
        rng = make_rng(seed, rng)
        if not isinstance(model, SpikingModel):
            raise ValueError(f"model must be a SpikingModel, got {shown(model)}")
        self._dt, self._mend, self._free_time = dt, mend, free_time
        super().__init__(n_arms, parameters, n_games, ties, tolerance, rng, model)
        self._weights = np.zeros((n_games, n_arms))
        self._rates = np.zeros((2, n_games, n_arms))
        constants = {name: value[:, None] if np.ndim(value) else value for name, value in self.constants().items()}
        self._w_max = constants["w_max"]
        self._gain = gain_function(model, constants)
        self._eta = numpy_function("Phi_eta", model.structure.expressions, constants)
        self._weight = numpy_function(model.weight, {}, constants) if model.flips else None

    def seeds(self) -> np.ndarray:
        """Uniform numbers (games, seeds), of which the streams of a game's neurons begin."""
        noise = self.rng.spawn(1)[0]
        return noise.random((self.n_games, n_seeds(self.model, self.values[0], self.n_arms)))

    @cached_property
    def values(self) -> list[dict[str, float]]:
        """The numbers of each game's set in SI units."""
        with told_if_slow(f"finding the critical coupling of the model {self.model.name}"):
            found = calibrated(self.model, self.parameters, self.n_arms, self._dt, self._mend)
        if self._free_time is None:
            return found
        longer = {id(values): {**values, "free_time": 1e-3 * self._free_time} for values in found}
        return [longer[id(values)] for values in found]

    def constants(self) -> dict[str, Any]:
        """All that has a name in the equations, in SI units, (games,) each.

        Where games are alike too: numpy's square of a single number can differ from that of an array in the last bit,
        and a game must not depend on those beside it.
        """
        found = {name: np.array([values[name] for values in self.values]) for name in self.values[0]}
        return {**found, "n_arms": np.float64(self.n_arms)}

    @property
    def activity(self) -> np.ndarray:  # type: ignore[override]
        """Firing rates of U and V in Hz in the last part of the last round."""
        return self._rates

    @property
    def w(self) -> np.ndarray:  # type: ignore[override]
        """Weights; those of synapses that learn by spikes are their means."""
        return self._weights

    def check_states(self, states: Mapping[str, Mapping[str, np.ndarray]]) -> None:
        """Require finite numbers in neurons, by population and name: a neuron that has others would count as silent."""
        if self._mend:
            return
        for population, variables in states.items():
            for name, array in variables.items():
                if not np.isfinite(array).all():
                    raise runaway(self.model, f"{name} of {population}", "at a round's end: its equations overflow")

    def gains(self) -> np.ndarray:
        """How strong the synapses are, in units of the critical strength."""
        return self._gain(w=self._weights)

    def rates_of_learning(self) -> np.ndarray:
        """Phi_eta of each weight."""
        return np.broadcast_to(self._eta(w=self._weights), self._weights.shape)

    def choices(self, arms: np.ndarray) -> np.ndarray:
        """1 for the chosen option of each game, -1 for the others."""
        choice = np.full(self._weights.shape, -1.0)
        choice.reshape(-1)[self._first + arms] = 1
        return choice

    @property
    @abstractmethod
    def b(self) -> np.ndarray:
        """The synapses that learn by spikes (games, arms, neurons, neurons), to be written to."""

    def read_weights(self) -> None:
        """Read the weights from the share of synapses that are strong."""
        assert self._weight is not None
        self._weights[:] = self._weight(b=self.b.mean(axis=(2, 3)))

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._put_in_synapses()

    def set_weights(self, w: np.ndarray, **others: np.ndarray) -> None:
        """Put in weights; where they are made of synapses, the nearest that there can be.

        An option whose weight stays what it was keeps its synapses.
        """
        before = self._weights.copy()
        super().set_weights(w, **others)
        self._put_in_synapses(self._weights != before)

    def _put_in_synapses(self, where: np.ndarray | bool = True) -> None:
        """Make as many synapses strong as the weights of some options ask for, if there are any."""
        if self.model.flips:
            b = self.b
            n = b.shape[2] * b.shape[3]
            count = np.rint(np.clip(self._weights / self._w_max, 0, 1) * n)[:, :, None]
            strong = (np.arange(n) < count).reshape(b.shape)
            np.copyto(b, strong, where=np.reshape(where, (*np.shape(where), 1, 1)))
            self.read_weights()

    @property
    def synapses(self) -> Mapping[str, np.ndarray]:
        """The weights."""
        return {"w": self._weights}
