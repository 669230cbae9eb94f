"""What a spiking model comes to once it is read: its populations, what they see of each other, its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brian2 import second
from brian2.equations.equations import DIFFERENTIAL_EQUATION, SingleEquation
from brian2.units.fundamentalunits import DIMENSIONLESS, Dimension

from nsa_brian.model.reading import Statement, Value

U, V = "u", "v"
REFRACTORY = "unless refractory"
#: The variable that tells whether a neuron fired in the time step before.
SPIKED = "spiked"
#: Names that engines give to neurons of options, besides those that all neurons have.
OF_OPTIONS = ("gain", "choice")
#: What the network's neurons have besides: how often they fired, and whether the outcome is known.
OF_NETWORK = ("count", "outcome")
#: What functions of the weight know.
OF_WEIGHTS = ("w", "Phi_v", "Phi_eta", "Phi_star", "Phi_top")
#: What generated code keeps of neurons besides: time steps until they may fire, whether they may, when they did last.
IN_CODE = ("wait", "free", "last", "refractory")
#: Names of the network's own objects, beside which those of pools stand, and endings of the others'.
OBJECTS = ("U", "V", "UV", "options", "games", "timing", "clock", "network", "U_spikes", "V_spikes")
ENDINGS = ("_to_options", "_to_games", "_pre", "_post")
#: Names of a model's synapses that learn by spikes, with what they are measured in.
OF_SYNAPSES = {
    "b": DIMENSIONLESS,
    "since_pre": second.dim,
    "since_post": second.dim,
    "R": DIMENSIONLESS,
    "Phi_eta": DIMENSIONLESS,
    "chance": DIMENSIONLESS,
}


@dataclass(frozen=True)
class Mean:
    """A name in equations that means the mean of a variable over neurons of a population."""

    name: str
    variable: str
    source: str


@dataclass(frozen=True)
class Neurons:
    """A population of neurons: U, V, or a pool.

    Attributes
    ----------
    name, count : str
        Its name, and the parameter that tells how many neurons an option (or a game, of a pool) has.
    equations : tuple of SingleEquation
        With the flag ``unless refractory`` where they stand still after a spike.
    threshold, refractory : str
        Expressions.
    reset : tuple of Statement
    initial, poisson : mapping
    means : tuple of Mean
        What it sees of other populations.
    draws_noise : bool
    """

    name: str
    count: str
    equations: tuple[SingleEquation, ...]
    threshold: str
    reset: tuple[Statement, ...]
    refractory: str
    initial: Mapping[str, str]
    poisson: Mapping[str, str]
    means: tuple[Mean, ...]
    draws_noise: bool

    @property
    def state(self) -> list[str]:
        """Names of the state variables."""
        return [eq.varname for eq in self.equations if eq.type == DIFFERENTIAL_EQUATION]

    @property
    def of_options(self) -> bool:
        """Whether each option has such neurons."""
        return self.name in (U, V)

    @property
    def names_in_code(self) -> dict[str, str]:
        """Its names in the code of a whole game: ``vm_of_u`` for ``vm`` of U, ``s_v_in_u`` for ``s_v`` as U sees it."""
        own = (*(eq.varname for eq in self.equations), *self.poisson, "noise", SPIKED)
        given = (*(mean.name for mean in self.means), *(OF_OPTIONS if self.of_options else ()))
        return {name: f"{name}_of_{self.name}" for name in own} | {name: f"{name}_in_{self.name}" for name in given}


@dataclass(frozen=True)
class SpikingStructure:
    """A spiking model, read and checked.

    Attributes
    ----------
    populations : mapping
        U, V and the pools by name.
    gain : Value
        The strength of a synapse as an expression of ``Phi_v``.
    rule : Value
        How the weights change at a round's end, where they do not follow from synapses that flip.
    flips : tuple of Statement
        How those change; empty if there are none.
    expressions : mapping
        ``Phi_v`` and ``Phi_eta``, functions of the weight.
    dimensions : mapping
        Of parameters.
    used : frozenset of str
        Parameters that some string uses.
    """

    populations: Mapping[str, Neurons]
    gain: Value
    rule: Value
    flips: tuple[Statement, ...]
    expressions: Mapping[str, str]
    dimensions: Mapping[str, Dimension]
    used: frozenset[str]

    rule_reads: frozenset[str] = frozenset()
    coordinate = ""
    dense = "spiking neurons have noise, or shared pools, or both"

    @property
    def initial(self) -> dict[str, str]:
        """Where the weights start."""
        return {"w": "0"}
