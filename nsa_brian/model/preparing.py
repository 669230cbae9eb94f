"""Calibration steps of a model: see :func:`nsa_brian.preparation.prepare`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from nsa_brian.errors import ModelError, shown


class _Step:
    """A calibration step, given by names of parameters."""

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            if not isinstance(getattr(self, f.name), str):
                given = shown(getattr(self, f.name))
                raise ModelError(f"{type(self).__name__}: {f.name} must be a parameter's name, got {given}")


@dataclass(frozen=True)
class RateMap(_Step):
    """A step that finds ``Phi_star`` and ``Phi_top``, the critical and highest value of the set's rate model."""


@dataclass(frozen=True)
class Balance(_Step):
    """A step that finds a parameter such that an untrained network fires at a given rate.

    Parameters
    ----------
    name : str
        The parameter, such as the rate of a background.
    to : str
        The parameter that holds U's firing rate.
    """

    name: str
    to: str


@dataclass(frozen=True)
class Critical(_Step):
    """A step that finds a parameter such that activity outlasts the input from ``gain`` = 1 on.

    Parameters
    ----------
    name : str
        The parameter, such as the strength of the synapses from U to V; the search starts at its default.
    """

    name: str


STEPS = (RateMap, Balance, Critical)
