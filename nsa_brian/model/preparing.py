"""What is found for a model's parameters before it plays: see :func:`nsa_brian.preparation.prepare`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from nsa_brian.errors import ModelError, shown


class _Step:
    """Something to be found, told by names of parameters."""

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            if not isinstance(getattr(self, f.name), str):
                given = shown(getattr(self, f.name))
                raise ModelError(f"{type(self).__name__}: {f.name} must be a parameter's name, got {given}")


@dataclass(frozen=True)
class RateMap(_Step):
    """``Phi_star``, the critical value of the rate model of the same parameters, and ``Phi_top``, the highest value."""


@dataclass(frozen=True)
class Balance(_Step):
    """A parameter with which an untrained network fires at a rate.

    Parameters
    ----------
    name : str
        The parameter, such as the rate of a background.
    to : str
        The parameter that tells U's firing rate.
    """

    name: str
    to: str


@dataclass(frozen=True)
class Critical(_Step):
    """A parameter with which activity outlasts the input from ``gain`` = 1 on.

    Parameters
    ----------
    name : str
        The parameter, such as the strength of the synapses from U to V; its default is where the search begins.
    """

    name: str


STEPS = (RateMap, Balance, Critical)
