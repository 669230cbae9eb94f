"""What the neurons of the spiking model are: values with units, sources, and what makes them legal."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

import brian2


def _value(default: float | None, unit: str, meaning: str) -> Any:
    return field(default=default, metadata={"unit": unit, "meaning": meaning})


@dataclass(frozen=True, kw_only=True)
class SpikingParameters:
    """The spiking model's own parameters, checked at construction and frozen. Plain numbers in the units told here.

    The map from a rate model's parameters: ``w_max`` and the ten of the value and learning rate functions are used as
    they are. Time constants, gains, offsets, thresholds and the input give way to the neurons below. What the gains,
    offsets and thresholds are there for, the critical value of Phi_v from which on activity outlasts the input, is
    carried over by the strength of the coupling: see ``J_v``.

    Raises
    ------
    ValueError
        If a value makes no sense; the message names the parameter, what is legal and the value.
    """

    neurons: int = _value(20, "", "neurons of an option in U, and as many in V")
    # Pyramidal cells of Wang (2002), "Probabilistic decision making by slow reverberation in cortical circuits",
    # Neuron 36:955: C_m, g_L (so that the membrane's time constant is 20 ms), E_L and V_th.
    C_m: float = _value(0.5, "nF", "capacity of the membrane")
    g_L: float = _value(25.0, "nS", "leak conductance")  # noqa: N815  # its usual symbol
    E_L: float = _value(-70.0, "mV", "resting potential")
    V_th: float = _value(-50.0, "mV", "potential at which a neuron fires")
    # To rest, as in Dayan and Abbott (2001), "Theoretical neuroscience", section 5.4. Thus, and with a refractory time
    # above Wang's 2 ms, no neuron exceeds 150 Hz, though the coupling goes up to nearly five times its critical value.
    V_reset: float = _value(-70.0, "mV", "potential after a spike")
    tau_ref: float = _value(5.0, "ms", "time after a spike without another")
    # NMDA receptors in Wang (2002): 100 ms, and a spike opens 1 - exp(-0.5/ms * 2 ms) of the closed ones. Slow enough
    # to carry activity through pauses of single neurons (Compte et al. 2000, Cerebral Cortex 10:910).
    tau_s: float = _value(100.0, "ms", "time constant of the synapses")
    opening: float = _value(0.63, "", "part of the closed channels that a spike opens")
    # Below the 4 +- 2 mV of neocortical cells in vivo (Pare et al. 1998, J. Neurophysiology 79:1450).
    sigma: float = _value(3.0, "mV", "standard deviation of the potential of a neuron left alone")
    # Ours. The rheobase is g_L (V_th - E_L) = 0.5 nA, so that the input makes U fire at about 40 Hz.
    I_ext: float = _value(0.8, "nA", "input to U in phase 1")
    J_u: float = _value(1.5, "nA", "current from V to U with all channels open")
    J_v: float | None = _value(
        None, "nA", "current from U to V with all channels open and Phi_v = 1; None: such that w* is the rate model's"
    )
    # Five time constants of the synapses to come up, and seven for what does not last to fall silent.
    duration_input: float = _value(500.0, "ms", "duration of phase 1, input on")
    duration_free: float = _value(700.0, "ms", "duration of phase 2, input off")
    reading: float = _value(250.0, "ms", "last part of phase 2, in which spikes are counted")

    def __post_init__(self) -> None:
        if not isinstance(self.neurons, int) or isinstance(self.neurons, bool) or self.neurons < 1:
            raise ValueError(f"neurons must be a whole number from 1 up, got {self.neurons!r}")
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if value is None and f.name == "J_v":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise ValueError(f"{f.name} must be a number, in {f.metadata['unit'] or 'no unit'}, got {value!r}")
            if f.metadata["unit"] != "mV" and f.name != "I_ext" and value <= 0:
                raise ValueError(f"{f.name} must be above 0, got {value}")
        self._demand("V_th", "above E_L and V_reset", self.V_th > max(self.E_L, self.V_reset))
        self._demand("opening", "at most 1", self.opening <= 1)
        self._demand("sigma", "from 0 up", self.sigma >= 0)
        self._demand("reading", "at most duration_free", self.reading <= self.duration_free)

    def _demand(self, name: str, legal: str, fulfilled: bool) -> None:
        if not fulfilled:
            raise ValueError(f"{name} must be {legal}, got {getattr(self, name)}")

    @property
    def rheobase(self) -> float:
        """The current in nA that just brings a neuron without noise to its threshold."""
        return self.g_L * (self.V_th - self.E_L) / 1e3

    def namespace(self) -> dict[str, Any]:
        """The values by name, as Brian2 quantities."""
        found = {}
        for f in dataclasses.fields(self):
            value, unit = getattr(self, f.name), f.metadata["unit"]
            if value is not None:
                found[f.name] = value * getattr(brian2, unit) if unit else value
        return found

    def replace(self, **changes: Any) -> SpikingParameters:
        """A copy with some values changed."""
        return dataclasses.replace(self, **changes)
