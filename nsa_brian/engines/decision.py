"""Recording of a single decision of the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from brian2 import SpikeMonitor, StateMonitor, second

if TYPE_CHECKING:
    from nsa_brian.engines.network import NSANetwork


@dataclass(frozen=True, repr=False)
class Decision:
    """A decision and the recorded activity that led to it.

    Attributes
    ----------
    arm : int or array (games,)
        The chosen arm.
    agreed : bool or array (games,)
        Whether U and V agreed on it.
    t : array (steps + 1,)
        Time since the round's start in seconds.
    u, v : array
        For rate neurons, the activities from rest to the choice, (steps + 1, arms) or (steps + 1, games, arms). For
        spiking neurons, the firing rates in Hz at the choice, (arms,) or (games, arms).
    t_u, i_u, t_v, i_v : array (spikes,)
        Time in seconds since the round's start and neuron of each spike in U and in V. Neuron i belongs to option
        ``i // neurons``; options are numbered game after game.
    courses : dict
        By population and state variable: its values in the recorded neurons (neurons, steps).
    """

    arm: Any
    agreed: Any
    t: np.ndarray
    u: np.ndarray
    v: np.ndarray
    t_u: np.ndarray = field(default_factory=lambda: np.empty(0))
    i_u: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    t_v: np.ndarray = field(default_factory=lambda: np.empty(0))
    i_v: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    courses: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)

    def __repr__(self) -> str:
        outcome = f"arm={self.arm}, agreed={self.agreed}"
        if np.ndim(self.arm):
            outcome = f"{len(self.arm)} games, agreed in {np.count_nonzero(self.agreed)}"
        spikes = f", spikes: {len(self.t_u)} of U, {len(self.t_v)} of V" if len(self.t_u) or len(self.t_v) else ""
        return f"Decision({outcome}, {self.t[-1]:g} s{spikes})"


def decide(network: NSANetwork, watch: Sequence[int] = ()) -> Decision:
    """Run and record a single decision; see :meth:`nsa_brian.NSANetwork.decide`."""
    start, shape = float(network.network.t / second), (network.round_steps + 1, network.n_games, network.n_arms)
    populations = network.structure.populations
    groups = {"u": network.U, "v": network.V}
    network.trace = {name: np.zeros(shape) for name in groups if not populations[name].spikes}
    monitors = network.spikes or spike_monitors(network)
    extra: list[Any] = [] if network.spikes else list(monitors.values())
    variables = {key: [network.shown_name(code) for code in populations[key].state] for key in groups}
    courses = {}
    if len(watch):
        courses = {key: StateMonitor(groups[key], names, record=list(watch)) for key, names in variables.items()}
    extra += courses.values()
    network.network.add(*extra)
    try:
        network.respond()
    finally:
        network.network.remove(*extra)
        trace, network.trace = network.trace, {}
    arms = network.select()
    found: dict[str, Any] = {"courses": {}}
    for key, monitor in courses.items():
        found["courses"][key] = {name: np.asarray(getattr(monitor, name)) for name in variables[key]}
    for key, spikes in monitors.items():
        now = spikes.t / second >= start - float(network.dt) / 2
        found[f"t_{key.lower()}"], found[f"i_{key.lower()}"] = spikes.t[now] / second - start, spikes.i[now]
    activities = [trace.get(name, shown.copy()) for name, shown in zip(groups, network.activity, strict=True)]
    t = np.arange(network.round_steps + 1) * float(network.dt / second)
    if network.n_games > 1:
        return Decision(arms, network.agreed, t, *activities, **found)
    u, v = (activity[..., 0, :] for activity in activities)
    return Decision(int(arms[0]), bool(network.agreed[0]), t, u, v, **found)


def spike_monitors(network: NSANetwork) -> dict[str, SpikeMonitor]:
    """Return a SpikeMonitor for each of ``"U"`` and ``"V"`` that spikes."""
    groups = {"U": network.U, "V": network.V}
    spiking = {key: group for key, group in groups.items() if network.structure.populations[key.lower()].spikes}
    return {key: SpikeMonitor(group, name=f"{group.name}_spikes") for key, group in spiking.items()}
