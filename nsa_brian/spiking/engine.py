"""Engine ``spiking``: the model with populations of spiking neurons in place of each rate neuron.

The decision is carried through phase 2 by persistent firing; the agreement rule reads firing rates, and the weight,
its value function and the plasticity rule are those of the rate model.

>>> from nsa_brian import SpikingNSA
>>> network = SpikingNSA(n_arms=5, seed=1)
>>> decision = network.decide()
>>> decision.arm, decision.agreed, len(decision.t_u)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from brian2 import SpikeMonitor, ms, second

from nsa_brian.codegen.expression import numpy_function
from nsa_brian.engines.base import Engine, Pull
from nsa_brian.engines.randomness import Randomness
from nsa_brian.parameter_set import load
from nsa_brian.parameters import NSAParameters
from nsa_brian.spiking import calibration
from nsa_brian.spiking.network import SpikingNetwork
from nsa_brian.spiking.parameters import SpikingParameters


@dataclass(frozen=True)
class SpikingDecision:
    """One decision and the spikes that led to it.

    Attributes
    ----------
    arm : int or array (games,)
        The chosen arm.
    agreed : bool or array (games,)
        Whether U and V agreed on it; a random arm otherwise.
    u, v : array (arms,), or (games, arms)
        Firing rates of the populations in Hz in the last part of phase 2, which decided.
    t_u, i_u, t_v, i_v : array (spikes,)
        Time in seconds since the round's start and neuron of each spike in U and in V. Neuron i belongs to option
        ``i // neurons``; the options of a game lie side by side, game after game.
    """

    arm: Any
    agreed: Any
    u: np.ndarray
    v: np.ndarray
    t_u: np.ndarray
    i_u: np.ndarray
    t_v: np.ndarray
    i_v: np.ndarray


class SpikingNSA(Engine):
    """The spiking network playing; ``n_games`` games lie side by side in it, uncoupled.

    Parameters
    ----------
    n_arms, n_games, ties, rng
        See :class:`nsa_brian.engines.base.Engine`. A child of ``rng`` is the source of the neurons' noise.
    parameters : NSAParameters, optional
        The rate model to follow, by default the package's default set: its value and learning rate functions are
        used as they are, and its critical weight is met by the strength of the coupling (see
        :mod:`nsa_brian.spiking.calibration`).
    tolerance : float
        Firing rates in Hz that tie. The default is about the standard deviation of the difference between two
        options of equal weight; silent options tie anyway.
    seed : int, optional
        Makes ``rng`` where none is given.
    spiking : SpikingParameters, optional
        The neurons and synapses.
    dt : Quantity
        Time step.
    record : bool
        Whether to keep all spikes of all rounds in ``spikes``.
    name : str
        Prefix of all Brian2 names.

    Attributes
    ----------
    network : SpikingNetwork
        Its ``U``, ``V``, ``options`` are NeuronGroups, its ``network`` the Brian2 Network to add monitors to.
    spiking : SpikingParameters
        As given, with the strength of the coupling filled in.
    spikes : dict
        The SpikeMonitors of ``"U"`` and ``"V"`` if recording.
    """

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters] | None = None,
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1.0,
        rng: Randomness | None = None,
        *,
        seed: int | None = None,
        spiking: SpikingParameters | None = None,
        dt: Any = 0.5 * ms,
        record: bool = False,
        name: str = "nsa_spiking",
    ) -> None:
        parameters = load().parameters if parameters is None else parameters
        rng = np.random.default_rng(seed) if rng is None else rng
        super().__init__(n_arms, parameters, n_games, ties, tolerance, rng)
        if len(set(self.parameters)) > 1:
            raise ValueError("the spiking engine plays all games with the same parameters")
        spiking = SpikingParameters() if spiking is None else spiking
        if spiking.J_v is None:
            spiking = spiking.replace(J_v=calibration.coupling(self.parameters[0], spiking, dt))
        self.spiking = spiking
        self.network = SpikingNetwork(n_games, n_arms, spiking, self.rng.spawn(1)[0], dt, name)
        self._value = numpy_function("Phi_v", self.model.function_of_weight("v"), self.constants())
        self.spikes = self._monitors() if record else {}
        self.network.network.add(*self.spikes.values())
        self.reset()

    @property
    def activity(self) -> np.ndarray:  # type: ignore[override]
        """Firing rates of U and V in Hz in the last part of the last round."""
        return self.network.rates

    @property
    def w(self) -> np.ndarray:  # type: ignore[override]
        """Weights, a view of Brian2's own array."""
        return self.network.option_values("w")

    def respond(self) -> None:
        """Run one round and stop at its end."""
        self._value_weights()
        self.network.run(1)

    def play(self, pull: Pull, n_rounds: int) -> None:
        """Play a whole game in one ``Network.run``."""

        def at_end() -> None:
            arms = self.select()
            self.learn(arms, pull(arms))
            self._value_weights()

        self._value_weights()
        self.network.run(n_rounds, at_end)

    def decide(self) -> SpikingDecision:
        """Run a single decision with the present weights, record its spikes, and learn nothing."""
        network = self.network.network
        start = float(network.t / second)
        monitors = self.spikes or self._monitors()
        if not self.spikes:
            network.add(*monitors.values())
        self.respond()
        if not self.spikes:
            network.remove(*monitors.values())
        arms = self.select()
        spikes = {}
        for key, monitor in monitors.items():
            now = monitor.t / second >= start
            spikes[f"t_{key.lower()}"], spikes[f"i_{key.lower()}"] = monitor.t[now] / second - start, monitor.i[now]
        if self.n_games == 1:
            return SpikingDecision(int(arms[0]), bool(self.agreed[0]), self.u[0].copy(), self.v[0].copy(), **spikes)
        return SpikingDecision(arms, self.agreed, self.u.copy(), self.v.copy(), **spikes)

    def _value_weights(self) -> None:
        """Put the value of the present weights into the network."""
        self.network.option_values("Phi_v")[:] = self._value(w=self.w)

    def _monitors(self) -> dict[str, SpikeMonitor]:
        groups = {"U": self.network.U, "V": self.network.V}
        return {key: SpikeMonitor(group, name=f"{group.name}_spikes") for key, group in groups.items()}
