"""The spiking model's Brian2 network: populations of integrate-and-fire neurons for every option of every game.

Within an option every neuron of U reaches every neuron of V with the same strength, and the other way round, so a
neuron sees no more of the other population than the mean of its synapses. That mean is what is simulated: one synapse
from each neuron to its option, summed there, and read by all neurons of the option through a linked variable. It is
exact, and costs n synapses where all-to-all connections cost n squared.

Options and games are not coupled. So games lie side by side in the same groups, and ten take little longer than one:
most of a time step is Brian2's overhead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from brian2 import Clock, Network, NetworkOperation, NeuronGroup, Synapses, linked_var, ms, nA

from nsa_brian.codegen.code_objects import told_if_slow
from nsa_brian.spiking import equations
from nsa_brian.spiking.parameters import SpikingParameters

#: Time steps for which noise is drawn at once; a constant, so that a game's noise does not depend on its company.
NOISE_STEPS = 64


class SpikingNetwork:
    """Neurons, synapses, and the clockwork of a round.

    Parameters
    ----------
    n_games, n_arms : int
    spiking : SpikingParameters
        With a number for ``J_v``.
    rng : numpy.random.Generator
        Source of the neurons' noise. Brian2's own generator is not used.
    dt : Quantity
        Time step.
    name : str
        Prefix of all Brian2 names.

    Attributes
    ----------
    U, V : NeuronGroup
        Neuron i belongs to option ``i // neurons``; the options of a game lie side by side, game after game.
    options : NeuronGroup
        The weight ``w`` and its value ``Phi_v``, and the means ``s_u`` and ``s_v`` of the option's synapses.
    UO, VO : Synapses
        From the neurons to their options.
    network : brian2.Network
        All of it; monitors and other Brian2 objects can be added.
    rates : array (2, games, arms)
        Firing rates of U and V in Hz in the last part of the last round.
    input_steps, reading_step, round_steps : int
        The time steps after which the input ends, counting begins, and the round ends.
    """

    def __init__(
        self,
        n_games: int,
        n_arms: int,
        spiking: SpikingParameters,
        rng: np.random.Generator,
        dt: Any = 0.5 * ms,
        name: str = "nsa_spiking",
    ) -> None:
        self.n_games, self.n_arms, self.spiking, self.dt = n_games, n_arms, spiking, dt
        self.input_steps, self.reading_step, self.round_steps = _steps(spiking, float(dt / ms))
        self.rates = np.zeros((2, n_games, n_arms))
        self._noise, self._rng = self._draw_noise(), rng

        n_options = n_games * n_arms
        option = np.repeat(np.arange(n_options), spiking.neurons)  # of each neuron
        namespace = spiking.namespace()
        clock = Clock(dt=dt, name=f"{name}_clock")
        lif: dict[str, Any] = {
            "threshold": equations.THRESHOLD,
            "reset": equations.RESET,
            "refractory": "tau_ref",
            "method": "euler",
            "namespace": namespace,
            "clock": clock,
        }
        self.options = NeuronGroup(n_options, equations.OPTION, clock=clock, name=f"{name}_options")
        self.U = NeuronGroup(len(option), equations.neurons_u(), name=f"{name}_U", **lif)
        self.V = NeuronGroup(len(option), equations.neurons_v(), name=f"{name}_V", **lif)
        self.U.s_v = linked_var(self.options, "s_v", index=option)
        self.V.s_u = linked_var(self.options, "s_u", index=option)
        self.V.Phi_v = linked_var(self.options, "Phi_v", index=option)
        summed = {"namespace": namespace, "clock": clock}
        self.UO = Synapses(self.U, self.options, equations.mean_opening("u"), name=f"{name}_UO", **summed)
        self.VO = Synapses(self.V, self.options, equations.mean_opening("v"), name=f"{name}_VO", **summed)
        timing = NetworkOperation(self._end_of_step, clock=clock, when="end", name=f"{name}_timing")
        self.network = Network(self.options, self.U, self.V, self.UO, self.VO, timing, name=f"{name}_network")
        self._rest()
        with told_if_slow("compiling the spiking network to C++ (once; later runs find it in Brian2's cache)"):
            for synapses in (self.UO, self.VO):
                synapses.connect(i=np.arange(len(option)), j=option)
            self.network.run(0 * ms, namespace={})

    def option_values(self, name: str) -> np.ndarray:
        """A variable of the options, (games, arms): a view of Brian2's own array."""
        return _array(self.options, name).reshape(self.n_games, self.n_arms)

    def run(self, n_rounds: int, at_end: Callable[[], None] = lambda: None) -> None:
        """Run rounds in one ``Network.run``, each from rest; ``at_end`` is called at each one's end, rates read."""
        self._rest()
        self._at_end, self._rounds_left = at_end, n_rounds
        self.network.run(n_rounds * self.round_steps * self.dt, namespace={})

    def _end_of_step(self) -> None:
        """The clockwork of a round, called at the end of each time step."""
        self._step += 1
        if self._step == self.round_steps:
            self._read()
            self._at_end()
            self._rounds_left -= 1
            if self._rounds_left:
                self._rest()
            return
        if self._step == self.input_steps:
            self.U.I = 0 * nA  # phase 2: the coupling alone drives the neurons
        if self._step == self.reading_step:
            for group in (self.U, self.V):
                _array(group, "count")[:] = 0
        self._hand_out_noise()

    def _rest(self) -> None:
        """The start of a round: potentials at rest, synapses closed, input on."""
        start = {"vm": self.spiking.E_L * 1e-3, "s": 0.0, "count": 0.0, "lastspike": -1e9}
        for group in (self.U, self.V):
            for variable, value in start.items():
                _array(group, variable)[:] = value
        self.U.I = self.spiking.I_ext * nA
        self._step = 0
        self._hand_out_noise()

    def _read(self) -> None:
        """Firing rates from the spikes counted."""
        seconds = (self.round_steps - self.reading_step) * float(self.dt)
        for rate, group in zip(self.rates, (self.U, self.V), strict=True):
            spikes = _array(group, "count").reshape(self.n_games, self.n_arms, self.spiking.neurons)
            rate[:] = spikes.mean(axis=2) / seconds

    def _hand_out_noise(self) -> None:
        """Give each neuron its normal number for the next time step."""
        for group, noise in zip((self.U, self.V), next(self._noise), strict=True):
            _array(group, "noise").reshape(noise.shape)[:] = noise

    def _draw_noise(self) -> Iterator[np.ndarray]:
        """Normal numbers (2, games, neurons of a game), step after step."""
        size = (self.n_games, NOISE_STEPS, 2, self.n_arms * self.spiking.neurons)
        while True:
            yield from np.moveaxis(self._rng.normal(0, 1, size), 0, 2)


def _steps(spiking: SpikingParameters, dt: float) -> tuple[int, int, int]:
    """Time steps until the input ends, until counting begins, and of a whole round."""
    shortest = min(spiking.C_m / spiking.g_L * 1e3, spiking.tau_s, spiking.tau_ref, spiking.reading)
    if not 0 < dt <= shortest:
        raise ValueError(f"dt must be above 0 ms and at most {shortest:g} ms, the shortest time, got {dt:g} ms")
    n_input = max(1, round(spiking.duration_input / dt))
    n_round = n_input + max(1, round(spiking.duration_free / dt))
    return n_input, n_round - round(spiking.reading / dt), n_round


def _array(group: Any, variable: str) -> np.ndarray:
    return group.variables[variable].get_value()
