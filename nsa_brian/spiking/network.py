"""Engine ``network`` of spiking models: a Brian2 network, to be watched and added to.

>>> from nsa_brian import SpikingNSA
>>> network = SpikingNSA(n_arms=5, seed=1)
>>> decision = network.decide()
>>> decision.arm, decision.agreed, len(decision.t_u)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from brian2 import Network, NetworkOperation, SpikeMonitor, StateMonitor, ms, second

from nsa_brian.codegen.code_objects import told_if_slow
from nsa_brian.codegen.expression import numpy_function
from nsa_brian.spiking.engine import SpikingEngine
from nsa_brian.spiking.objects import SpikingObjects
from nsa_brian.spiking.structure import Neurons
from nsa_brian.spiking.timing import Timing

#: Time steps for which noise is drawn at once; a constant, so that a game's noise does not depend on its company.
NOISE_STEPS = 64


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


class SpikingNSA(SpikingEngine):
    """The network of spiking neurons playing; ``n_games`` games lie side by side in it, uncoupled.

    Parameters
    ----------
    record : bool
        Whether to keep all spikes of all rounds in ``spikes``.
    name : str
        Prefix of all Brian2 names.
    *args, **options
        See :class:`nsa_brian.spiking.engine.SpikingEngine`. All games have the same parameters.

    Attributes
    ----------
    U, V : NeuronGroup
    pools : dict of NeuronGroup
    options : NeuronGroup
        The ``gain`` of each option, and the means over its neurons.
    UV : Synapses or None
        Those that learn by spikes.
    network : brian2.Network
        All of it; monitors and other Brian2 objects can be added.
    spikes : dict
        The SpikeMonitors of ``"U"`` and ``"V"`` if recording.
    timing : Timing
    """

    name = "network"

    def __init__(self, *args: Any, record: bool = False, name: str = "nsa_spiking", **options: Any) -> None:
        super().__init__(*args, **options)
        if len(set(self.parameters)) > 1:
            raise ValueError("the engine network plays all games with the same parameters; use rounds")
        values = self.values[0]
        self.timing = Timing.of(values, float(self._dt))
        self.objects = SpikingObjects(self.model, values, self.n_games, self.n_arms, self._dt, name)
        groups = self.objects.groups
        self.U, self.V, self.options = groups["u"], groups["v"], self.objects.options
        self.pools = {key: group for key, group in groups.items() if key not in ("u", "v")}
        self.UV = self.objects.learning
        timing = NetworkOperation(self._end_of_step, clock=self.objects.clock, when="end", name=f"{name}_timing")
        self.network = Network(*self.objects.all, timing, name=f"{name}_network")
        populations = self.model.structure.populations
        noise = iter(self.rng.spawn(len(populations) + 1))
        self._luck = next(noise)
        self._noise = {key: self._drawn(neurons, next(noise)) for key, neurons in populations.items()}
        self._starts = {
            key: {variable: float(numpy_function(text, {}, values)()) for variable, text in neurons.initial.items()}
            for key, neurons in populations.items()
        }
        self._last = self.timing.round_steps
        self._rest()
        with told_if_slow("compiling the spiking network to C++ (once; later runs find it in Brian2's cache)"):
            self.network.run(0 * ms, namespace={})
        self.spikes = self._monitors() if record else {}
        self.network.add(*self.spikes.values())
        self.reset()

    def respond(self) -> None:
        """Run one round from rest."""
        self._option("gain")[:] = self.gains()
        self._last = self.timing.round_steps
        self._rest()
        self.network.run(self.timing.round_steps * self._dt, namespace={})
        for rates, group in zip(self._rates, (self.U, self.V), strict=True):
            counts = _array(group, "count").reshape(self.n_games, self.n_arms, -1)
            rates[:] = counts.sum(axis=2) / (counts.shape[2] * self.timing.reading)  # rounded as `rounds` does

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        if self.UV is None:
            super()._learn(arms, rewards)
            return
        self._option("choice")[:] = self.choices(arms)
        _array(self.V, "Phi_eta")[:] = self.rates_of_learning().repeat(self.objects.sizes["v"])
        _array(self.V, "R").reshape(self.n_games, -1)[:] = np.asarray(rewards)[:, None]
        synapses = _array(self.UV, "chance").reshape(self.n_games, -1)
        synapses[:] = self._luck.random(synapses.shape)
        self._last = self._step + self.timing.outcome_steps
        if self.timing.outcome_steps == 1:
            self.V.outcome = True
        self.network.run(self.timing.outcome_steps * self._dt, namespace={})
        self.V.outcome = False
        self._option("choice")[:] = 0
        self._read_synapses()

    def decide(self) -> SpikingDecision:
        """Run a single decision with the present weights, record its spikes, and learn nothing."""
        start = float(self.network.t / second)
        monitors = self.spikes or self._monitors()
        if not self.spikes:
            self.network.add(*monitors.values())
        self.respond()
        if not self.spikes:
            self.network.remove(*monitors.values())
        arms = self.select()
        spikes = {}
        for key, monitor in monitors.items():
            now = monitor.t / second >= start - float(self._dt) / 2
            spikes[f"t_{key.lower()}"], spikes[f"i_{key.lower()}"] = monitor.t[now] / second - start, monitor.i[now]
        if self.n_games == 1:
            return SpikingDecision(int(arms[0]), bool(self.agreed[0]), self.u[0].copy(), self.v[0].copy(), **spikes)
        return SpikingDecision(arms, self.agreed, self.u.copy(), self.v.copy(), **spikes)

    def watch(self, population: str, variables: Any, neurons: Any) -> StateMonitor:
        """Record variables of some neurons of ``"U"``, ``"V"`` or a pool, from now on."""
        group = {"U": self.U, "V": self.V, **self.pools}[population]
        monitor = StateMonitor(group, variables, record=neurons)
        self.network.add(monitor)
        return monitor

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._put_in_synapses()

    def set_weights(self, w: np.ndarray, **others: np.ndarray) -> None:
        """Put in weights; where they are made of synapses, the nearest that there can be."""
        super().set_weights(w, **others)
        self._put_in_synapses()

    def _put_in_synapses(self) -> None:
        if self.UV is not None:
            _array(self.UV, "b")[:] = self.strong(self.objects.sizes["u"]).ravel()
            self._read_synapses()

    def _read_synapses(self) -> None:
        self.weigh(_array(self.UV, "b").reshape(self.n_games, self.n_arms, -1).mean(axis=2))

    def _option(self, name: str) -> np.ndarray:
        return _array(self.options, name).reshape(self.n_games, self.n_arms)

    def _end_of_step(self) -> None:
        """The clockwork of a round, called at the end of each time step."""
        self._step += 1
        if self._step == self._last:
            return
        if self._step == self.timing.input_steps:
            self._put_in_input(0)
        if self._step == self.timing.reading_step:
            for group in (self.U, self.V):
                _array(group, "count")[:] = 0
        if self.UV is not None and self._last > self.timing.round_steps and self._step == self._last - 1:
            self.V.outcome = True
        self._hand_out_noise()

    def _rest(self) -> None:
        """The start of a round: all neurons at rest, input on."""
        for key, group in self.objects.groups.items():
            for variable, value in {**self._starts[key], "count": 0.0, "lastspike": -1e9}.items():
                _array(group, variable)[:] = value
            _array(group, "not_refractory")[:] = True
        self._put_in_input(1)
        self._step = 0
        self._hand_out_noise()

    def _put_in_input(self, on: int) -> None:
        for group in self.objects.groups.values():
            _array(group, "I")[:] = on
        values = {**self.values[0], "I": float(on)}
        self._means = {
            key: {
                event: float(numpy_function(rate, {}, values)()) * float(self._dt)
                for event, rate in neurons.poisson.items()
            }
            for key, neurons in self.model.structure.populations.items()
        }

    def _hand_out_noise(self) -> None:
        """Give each neuron its random numbers for the next time step."""
        for key, drawn in self._noise.items():
            for variable, numbers in next(drawn).items():
                _array(self.objects.groups[key], variable).reshape(self.n_games, -1)[:] = numbers

    def _drawn(self, neurons: Neurons, rng: Any) -> Iterator[dict[str, Any]]:
        """The random numbers of a population, (games, neurons of a game) each, step after step."""
        size = (self.n_games, NOISE_STEPS, len(self.objects.owners(neurons.name)) // self.n_games)
        while True:
            normal = rng.normal(0, 1, size) if neurons.draws_noise and not self.quiet else None
            chances = {event: None if self.quiet else rng.random(size) for event in neurons.poisson}
            for step in range(NOISE_STEPS):
                found: dict[str, Any] = {}
                if neurons.draws_noise:
                    found["noise"] = 0.0 if normal is None else normal[:, step]
                for event, chance in chances.items():
                    mean = self._means[neurons.name][event]
                    found[event] = mean if chance is None else _poisson(mean, chance[:, step])
                yield found

    def _monitors(self) -> dict[str, SpikeMonitor]:
        groups = {"U": self.U, "V": self.V}
        return {key: SpikeMonitor(group, name=f"{group.name}_spikes") for key, group in groups.items()}


def _poisson(mean: float, chance: np.ndarray) -> np.ndarray:
    """Poisson numbers from uniform ones."""
    here = upto = np.exp(-mean)
    found = np.zeros(chance.shape)
    count = 0
    while (chance >= upto).any() and count < 1000:
        found += chance >= upto
        count += 1
        here *= mean / count
        upto += here
    return found


def _array(group: Any, variable: str) -> np.ndarray:
    return group.variables[variable].get_value()
