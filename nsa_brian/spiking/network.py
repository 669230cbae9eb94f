"""Engine ``network`` of spiking models: a Brian2 network, to be watched and added to.

>>> from nsa_brian import SpikingNSA
>>> network = SpikingNSA(n_arms=5, seed=1)
>>> decision = network.decide()
>>> decision.arm, decision.agreed, len(decision.t_u)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from brian2 import Network, NetworkOperation, SpikeMonitor, StateMonitor, ms, second

from nsa_brian.codegen.code_objects import check_compiled, told_if_slow
from nsa_brian.codegen.expression import numpy_function
from nsa_brian.spiking.engine import SpikingEngine
from nsa_brian.spiking.objects import SpikingObjects
from nsa_brian.spiking.streams import Streams
from nsa_brian.spiking.timing import Timing


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
    courses : dict
        By population, ``"u"`` and ``"v"``, and state variable: its course in the neurons watched (neurons, steps).
    """

    arm: Any
    agreed: Any
    u: np.ndarray
    v: np.ndarray
    t_u: np.ndarray
    i_u: np.ndarray
    t_v: np.ndarray
    i_v: np.ndarray
    courses: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)


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
        seeds, at = self.seeds(), 0
        self._streams = {}
        for key, group in groups.items():
            size = len(group) // self.n_games
            self._streams[key] = Streams(seeds[:, at : at + size].ravel())
            at += size
        self._luck = Streams(seeds[:, at])
        self._starts = {
            key: {variable: float(numpy_function(text, {}, values)()) for variable, text in neurons.initial.items()}
            for key, neurons in populations.items()
        }
        self._last = self.timing.round_steps
        with told_if_slow("compiling the spiking network to C++ (once; later runs find it in Brian2's cache)"):
            self.network.run(0 * ms, namespace={})
        check_compiled(self.network, f"model {self.model.name}")
        self.spikes = self._monitors() if record else {}
        self.network.add(*self.spikes.values())
        self.reset()

    def respond(self) -> None:
        """Run one round from rest."""
        self._option("gain")[:] = self.gains()
        self._last = self.timing.round_steps
        groups = self.objects.groups
        self._rest()
        self.network.run(self.timing.round_steps * self._dt, namespace={})
        for rates, group in zip(self._rates, (self.U, self.V), strict=True):
            counts = _array(group, "count").reshape(self.n_games, self.n_arms, -1)
            rates[:] = counts.sum(axis=2) / (counts.shape[2] * self.timing.reading)  # rounded as `rounds` does
        populations = self.model.structure.populations
        self.check_states(
            {key: {name: _array(group, name) for name in populations[key].state} for key, group in groups.items()}
        )

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        if self.UV is None:
            super()._learn(arms, rewards)
            return
        self._option("choice")[:] = self.choices(arms)
        _array(self.V, "Phi_eta")[:] = self.rates_of_learning().repeat(self.objects.sizes["v"])
        _array(self.V, "R").reshape(self.n_games, -1)[:] = np.asarray(rewards)[:, None]
        chances = _array(self.UV, "chance").reshape(self.n_games, -1)
        chances[:] = self._luck.uniform(chances.shape[1])
        self._last = self._step + self.timing.outcome_steps
        if self.timing.outcome_steps == 1:
            self.V.outcome = True
        self._hand_out_noise()
        self.network.run(self.timing.outcome_steps * self._dt, namespace={})
        self.V.outcome = False
        self._option("choice")[:] = 0
        self.read_weights()

    def decide(self, watch: Sequence[int] = ()) -> SpikingDecision:
        """Run a single decision with the present weights, record its spikes, and learn nothing.

        Parameters
        ----------
        watch : sequence of int
            Neurons of U and V whose state variables are recorded in every time step.
        """
        start = float(self.network.t / second)
        monitors = self.spikes or self._monitors()
        extra: list[Any] = [] if self.spikes else list(monitors.values())
        states = {key: self.model.structure.populations[key].state for key in ("u", "v")}
        courses: dict[str, Any] = {}
        if len(watch):
            groups = self.objects.groups
            courses = {key: StateMonitor(groups[key], names, record=list(watch)) for key, names in states.items()}
        extra += courses.values()
        self.network.add(*extra)
        self.respond()
        self.network.remove(*extra)
        arms = self.select()
        spikes: dict[str, Any] = {
            "courses": {
                key: {name: np.asarray(getattr(monitor, name)) for name in states[key]}
                for key, monitor in courses.items()
            }
        }
        for key, monitor in monitors.items():
            now = monitor.t / second >= start - float(self._dt) / 2
            spikes[f"t_{key.lower()}"], spikes[f"i_{key.lower()}"] = monitor.t[now] / second - start, monitor.i[now]
        if self.n_games == 1:
            return SpikingDecision(int(arms[0]), bool(self.agreed[0]), self.u[0].copy(), self.v[0].copy(), **spikes)
        return SpikingDecision(arms, self.agreed, self.u.copy(), self.v.copy(), **spikes)

    @property
    def b(self) -> np.ndarray:
        """The synapses that learn by spikes."""
        n = self.objects.sizes["u"]
        return _array(self.UV, "b").reshape(self.n_games, self.n_arms, n, n)

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
        for key, streams in self._streams.items():
            group, means = self.objects.groups[key], self._means[key]
            if self.model.structure.populations[key].draws_noise:
                _array(group, "noise")[:] = streams.noise()
            events = list(means)
            for pair in (events[i : i + 2] for i in range(0, len(events), 2)):
                for event, numbers in zip(pair, streams.events([means[name] for name in pair]), strict=True):
                    _array(group, event)[:] = numbers

    def _monitors(self) -> dict[str, SpikeMonitor]:
        groups = {"U": self.U, "V": self.V}
        return {key: SpikeMonitor(group, name=f"{group.name}_spikes") for key, group in groups.items()}


def _array(group: Any, variable: str) -> np.ndarray:
    return group.variables[variable].get_value()
