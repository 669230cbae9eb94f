"""The course of a round of spiking neurons in time steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nsa_brian.model.timing import MOST_STEPS

#: The time step in seconds where none is given.
DT = 0.5e-3


@dataclass(frozen=True)
class Timing:
    """Time steps until the input ends, until counting begins, and of a whole round; and those of its outcome."""

    input_steps: int
    reading_step: int
    round_steps: int
    outcome_steps: int
    dt: float

    @classmethod
    def of(cls, values: Mapping[str, float], dt: float) -> Timing:
        """For values in SI units, times in seconds."""
        if not dt > 0:
            raise ValueError(f"dt must be above 0 ms, got {1e3 * dt:g} ms")
        times = {name: values[name] for name in ("input_time", "free_time", "reading_time")}
        shortest = min(times, key=times.__getitem__)
        if times[shortest] < dt:
            raise ValueError(f"{shortest} must be at least dt = {1e3 * dt:g} ms, got {1e3 * times[shortest]:g} ms")
        if times["reading_time"] > times["free_time"]:
            raise ValueError(
                f"reading_time must be at most free_time = {1e3 * times['free_time']:g} ms, "
                f"got {1e3 * times['reading_time']:g} ms"
            )
        n_input = max(1, round(times["input_time"] / dt))
        n_round = n_input + max(1, round(times["free_time"] / dt))
        if n_round > MOST_STEPS:
            raise ValueError(f"a round may have {MOST_STEPS} time steps at most, the durations make it {n_round:g}")
        outcome = max(1, round(values["outcome_time"] / dt)) if "outcome_time" in values else 0
        return cls(n_input, n_round - max(1, round(times["reading_time"] / dt)), n_round, outcome, dt)

    @property
    def steps(self) -> tuple[int, int, int, int]:
        """All of them."""
        return self.input_steps, self.reading_step, self.round_steps, self.outcome_steps

    @property
    def reading(self) -> float:
        """Seconds in which spikes are counted."""
        return (self.round_steps - self.reading_step) * self.dt
