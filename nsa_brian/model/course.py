"""The phases of a round in time steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brian2 import second

from nsa_brian.model.expression import numpy_function
from nsa_brian.model.reading import unit_of
from nsa_brian.model.timing import check_length, check_shortest, steps_in

if TYPE_CHECKING:
    from nsa_brian.model.model import Model

#: Default time steps in seconds, of rate models and of spiking models.
DT, SPIKING_DT = 1e-3, 0.5e-3


@dataclass(frozen=True)
class Course:
    """Time steps of a round.

    Attributes
    ----------
    borders : tuple of int
        Step at which each phase before the choice ends.
    after : tuple of int
        Step at which each phase after the choice ends, counted from the start of the round.
    reading_step : int
        Step from which spikes are counted.
    dt : float
        Time step in seconds.
    """

    borders: tuple[int, ...]
    after: tuple[int, ...]
    reading_step: int
    dt: float

    @classmethod
    def of(cls, model: Model, values: Mapping[str, float], dt: float, method: str = "euler") -> Course:
        """Return the course for values in SI units and a time step in seconds, with at least one step per phase.

        Raises
        ------
        ValueError
            If a phase that the model declares is shorter than a step, or a time constant is too short for the method.
        """
        structure = model.structure
        if not dt > 0:
            raise ValueError(f"dt must be above 0 ms, got {1e3 * dt:g} ms")
        for name in ("u", "v"):
            if name in structure.populations[name].state:
                check_shortest(1e3 * values[f"tau_{name}"], 1e3 * dt, method)
        times = {phase.duration: numpy_function(phase.duration, {}, values)() for phase in structure.phases}
        window = structure.choice.window
        if window:
            times[window] = numpy_function(window, {}, values)()
        if model.phases:
            shortest = min(times, key=times.__getitem__)
            if times[shortest] < dt * (1 - 1e-12):
                raise ValueError(f"{shortest} must be at least dt = {1e3 * dt:g} ms, got {1e3 * times[shortest]:g} ms")
        borders, total = [], 0
        for phase in structure.phases:
            total += steps_in(times[phase.duration], dt)
            borders.append(total)
        check_length(total)
        n = len(structure.before)
        last = structure.before[-1].duration
        if window and times[window] > times[last] * (1 + 1e-12):
            raise ValueError(
                f"{window} must be at most {last} = {1e3 * times[last]:g} ms, got {1e3 * times[window]:g} ms"
            )
        reading = borders[n - 1] - steps_in(times[window or last], dt)
        return cls(tuple(borders[:n]), tuple(borders[n:]), reading, dt)

    @property
    def round_steps(self) -> int:
        """Number of steps until the choice."""
        return self.borders[-1]

    @property
    def input_steps(self) -> int:
        """Number of steps of the first phase."""
        return self.borders[0]

    @property
    def reading(self) -> float:
        """Duration in seconds for which spikes are counted."""
        return (self.round_steps - self.reading_step) * self.dt


def check_resolved(model: Model, values: Mapping[str, float], dt: float) -> None:
    """Raise ValueError if a time of the model's own parameters, such as a time constant, is shorter than a step.

    Values are in SI units, the time step is in seconds. Times of 0, such as no delay, are legal.
    """
    for info in model.parameters:
        value = values[info.name]
        if unit_of(info.unit).dim is second.dim and 0 < value < dt * (1 - 1e-12):
            raise ValueError(f"{info.name} must be at least dt = {1e3 * dt:g} ms, got {1e3 * value:g} ms")


def default_dt(model: Model) -> float:
    """Return the default time step in seconds."""
    return SPIKING_DT if model.structure.spikes else DT
