"""A model: the paper's equations, or yours in their place, in the form that engines want them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from brian2 import Equations

from nsa_brian import equations
from nsa_brian.parameters import PARAMETERS


@dataclass(frozen=True)
class Lateral:
    """Synapses from every option to every other one within a population.

    Parameters
    ----------
    population : {"u", "v"}
    variable : str
        What they add up to in a neuron, a name to be used in the population's rate equation.
    drive : str
        What one of them adds, such as ``"-inhibition * phi_u_pre"``.
    """

    population: str
    variable: str
    drive: str

    def __post_init__(self) -> None:
        if self.population not in ("u", "v"):
            raise ValueError(f"population must be u or v, got {self.population!r}")

    @property
    def synapse(self) -> str:
        """The synapse as Brian2 wants it."""
        return f"{self.variable}_post = {self.drive} : 1 (summed)"


@dataclass(frozen=True, kw_only=True)
class Model:
    """The equations of a rate model. What is not given is the paper's.

    Parameters
    ----------
    rate_u, rate_v, drive_u, drive_v, response, gaussian_sigmoid, plasticity : str
        Brian2 equations and expressions, as the strings of the same names in :mod:`nsa_brian.equations`.
    noise : float
        Standard deviation of the activity that white noise alone would cause; 0 for none.
    lateral : tuple of Lateral
        Couplings between options. Only the engine ``network`` can run them.
    constants : mapping
        Values of names in the strings that are none of the model's 22 parameters.
    """

    rate_u: str = equations.RATE_U
    rate_v: str = equations.RATE_V
    drive_u: str = equations.DRIVE_U
    drive_v: str = equations.DRIVE_V
    response: str = equations.RESPONSE
    gaussian_sigmoid: str = equations.GAUSSIAN_SIGMOID
    plasticity: str = equations.PLASTICITY
    noise: float = 0.0
    lateral: tuple[Lateral, ...] = ()
    constants: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.noise < float("inf"):
            raise ValueError(f"noise must be a number from 0 up, got {self.noise}")
        taken = [name for name in self.constants if name in PARAMETERS or name == "noise"]
        if taken:
            raise ValueError(f"constant {taken[0]!r} is a parameter of the model already")
        for name in ("rate_u", "rate_v"):
            if self.noise and "{noise}" not in getattr(self, name):
                raise ValueError(f"{name} has no place for noise: write {{noise}} where it is to be added")

    @property
    def values(self) -> dict[str, float]:
        """The constants, and the noise if there is any."""
        return {**self.constants, **({"noise": self.noise} if self.noise else {})}

    def response_of(self, population: str) -> Equations:
        """The response phi of population ``"u"`` or ``"v"`` to its own activity, under that population's names."""
        return _renamed(self.response, {"x": population}, ("s", "phi", "gain", "offset", "threshold"), population)

    def function_of_weight(self, suffix: str) -> Equations:
        """The function Phi of the weight: ``"v"`` for the option value, ``"eta"`` for the learning rate."""
        return _renamed(self.gaussian_sigmoid, {}, ("Phi", "r", "beta", "alpha", "mu", "sigma"), suffix)

    def population_u(self) -> Equations:
        """Population U as a NeuronGroup's model; ``I_u`` is summed from V."""
        return Equations("\n".join([*self._rate("u"), "I_u : 1\nI : 1 (shared)"])) + self.response_of("u")

    def population_v(self) -> Equations:
        """Population V as a NeuronGroup's model; ``I_v`` is summed from U."""
        return Equations("\n".join([*self._rate("v"), "I_v : 1"])) + self.response_of("v")

    def pair(self) -> Equations:
        """A neuron of U and its partner in V as one unit, the coupling substituted in.

        The option value ``Phi_v`` stands as a number: the weight does not change within a round.
        """
        drives = f"I_u = {self.drive_u.format(pre='')} : 1\nI_v = {self.drive_v.format(pre='')} : 1"
        given = "I : 1\nPhi_v : 1 (constant)"
        lines = [*self._rate("u"), *self._rate("v"), drives, given]
        return Equations("\n".join(lines)) + self.response_of("u") + self.response_of("v")

    def synapse_uv(self) -> Equations:
        """The plastic synapse from U to V: its weight and the two functions of it."""
        drive = f"I_v_post = {self.drive_v.format(pre='_pre')} : 1 (summed)"
        return Equations("w : 1\n" + drive) + self.function_of_weight("v") + self.function_of_weight("eta")

    def synapse_vu(self) -> Equations:
        """The fixed synapse from V to U."""
        return Equations(f"I_u_post = {self.drive_u.format(pre='_pre')} : 1 (summed)")

    def _rate(self, population: str) -> list[str]:
        """A population's rate equation, with the variables that it needs for noise and lateral couplings."""
        rate, noise = {"u": (self.rate_u, equations.NOISE_U), "v": (self.rate_v, equations.NOISE_V)}[population]
        lines = [rate.format(noise=noise if self.noise else "")]
        if self.noise:
            lines.append(f"n_{population} : 1")
        return lines + [f"{lateral.variable} : 1" for lateral in self.lateral if lateral.population == population]


def check_noise(model: Model, method: str) -> None:
    """Refuse to integrate noise by a method that was made for smooth functions."""
    if model.noise and method != "euler":
        raise ValueError(f"with noise the method must be euler (which is then Euler and Maruyama's), got {method!r}")


def _renamed(text: str, replaced: Mapping[str, str], own: tuple[str, ...], suffix: str) -> Equations:
    """Equations in which some names are replaced and those of ``own`` carry a suffix, as far as they occur."""
    present = Equations(text).identifiers | Equations(text).names
    names = {**replaced, **{name: f"{name}_{suffix}" for name in own}}
    return Equations(text, **{name: new for name, new in names.items() if name in present})


#: The paper's.
PAPER = Model()
