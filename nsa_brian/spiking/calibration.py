"""From rates to spikes: the coupling with which a spiking network has the rate model's critical weight w*.

In both models an option's activity outlasts the input if the value Phi_v of its weight exceeds a critical one. In the
spiking network U drives V with ``J_v * Phi_v``, and activity outlasts the input from some current ``J*`` on. So with
``J_v = J* / Phi*``, where Phi* is the rate model's critical value, w* is the same in both.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian.codegen.pairs import answers
from nsa_brian.model.critical import critical
from nsa_brian.parameters import NSAParameters
from nsa_brian.spiking.network import SpikingNetwork
from nsa_brian.spiking.parameters import SpikingParameters

#: Firing rate in Hz above which activity counts as having outlasted the input.
LASTING = 5.0


def coupling(parameters: NSAParameters, spiking: SpikingParameters, dt: Any = 0.5 * ms) -> float:
    """The strength J_v in nA that gives the spiking network the critical weight of the rate model."""
    return critical_current(spiking, float(dt / ms)) / critical_value(parameters)


@cache
def critical_value(parameters: NSAParameters, points: int = 4001) -> float:
    """Phi*: the option value above which a rate model's activity u outlasts the input.

    Raises
    ------
    ValueError
        If activity lasts for no value, or for all of them.
    """
    value = np.linspace(0, 1, points)
    u, _ = answers(parameters, value, "Phi_v")
    found = critical(value, u)
    if np.isnan(found):
        raise ValueError(
            "the rate parameters have no critical weight that spiking neurons could share: their activity outlasts "
            "the input always or never; give SpikingParameters a number for J_v"
        )
    return found


@cache
def critical_current(spiking: SpikingParameters, dt: float = 0.5, points: int = 100) -> float:
    """J*: the current in nA from U to V with all channels open above which activity outlasts the input.

    Measured with the network itself, each of many currents in an option of its own: over a wide range, then over a
    narrow one. The share of options that last tells where the step is, noise averaged out.
    """
    spiking = spiking.replace(J_v=spiking.rheobase)
    network = SpikingNetwork(1, points, spiking, np.random.default_rng(0), dt * ms)
    low, high = 0.5, 16.0  # times the rheobase
    for narrowed in (1.25, 1.05):
        currents = np.geomspace(low, high, points)
        network.option_values("Phi_v")[:] = currents
        network.run(1)
        lasts = (network.rates[:, 0] > LASTING).all(axis=0)
        if lasts.all() or not lasts.any():
            raise ValueError(
                f"with these spiking parameters activity outlasts the input for {'all' if lasts.all() else 'no'} "
                f"currents from {low * spiking.rheobase:g} to {high * spiking.rheobase:g} nA; give J_v a number"
            )
        critical = low * (high / low) ** (1 - lasts.mean())
        low, high = critical / narrowed, critical * narrowed
    return float(critical * spiking.rheobase)
