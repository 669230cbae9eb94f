"""What a model may add to the two populations: couplings between options, and populations of a game's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

REACHES = ("all", "others", "own")
PER = ("game",)


def _check_texts(part: Any) -> None:
    for name, value in vars(part).items():
        if not isinstance(value, str):
            raise ValueError(f"{type(part).__name__}: {name} must be a text, got {value!r}")
        if name == "variable" and not value.isidentifier():
            raise ValueError(f"{type(part).__name__}: {name} must be a Python name, got {value[:200]!r}")


@dataclass(frozen=True)
class Coupling:
    """Synapses from one population to another.

    Between U and V of all options of a game (or within one of them), from the options to a population of the game's
    own, where contributions of all options add up, or from there to every option.

    Parameters
    ----------
    source, target : str
        ``"u"``, ``"v"`` or the name of a :class:`Population`.
    variable : str
        What arrives in a neuron of the target, a name to be used in its equations.
    drive : str
        What one synapse sends, of variables of the source, such as ``"-strength * phi_u_pre"``.
    to : {"all", "others", "own"}
        Between populations of options: which options a neuron reaches, all of the game (its own included), all
        others, or its own alone.
    """

    source: str
    target: str
    variable: str
    drive: str
    to: str = "all"

    def __post_init__(self) -> None:
        _check_texts(self)
        if self.to not in REACHES:
            raise ValueError(f"coupling {self.variable}: to must be one of {', '.join(REACHES)}, got {self.to!r}")


@dataclass(frozen=True)
class Lateral:
    """Synapses from every option to every other one within a population: a :class:`Coupling` to the others.

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
        _check_texts(self)
        if self.population not in ("u", "v"):
            raise ValueError(f"population must be u or v, got {self.population!r}")

    @property
    def coupling(self) -> Coupling:
        """The same in the words of a coupling."""
        return Coupling(self.population, self.population, self.variable, self.drive, "others")


@dataclass(frozen=True)
class Population:
    """One neuron for each game, such as a pool of inhibition, that couplings join to U and V.

    Parameters
    ----------
    name : str
    equations : str
        Brian2 equations: differential ones, or an expression of what arrives, such as ``"p = excitation : 1"``.
    per : {"game"}
    """

    name: str
    equations: str
    per: str = "game"

    def __post_init__(self) -> None:
        _check_texts(self)
        if self.per not in PER:
            raise ValueError(f"population {self.name}: per must be {' or '.join(PER)}, got {self.per!r}")
        if not isinstance(self.name, str) or not self.name.isidentifier() or self.name in ("u", "v", "synapse"):
            raise ValueError(
                f"a population's name must be a Python name other than u, v, synapse, got {self.name[:200]!r}"
            )
