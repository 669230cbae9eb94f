"""The length of a round of the paper's two phases in time steps; without Brian2, which takes a second to import."""

from __future__ import annotations

from nsa_brian.parameters import NSAParameters

MOST_STEPS = 2**31 - 1
#: Methods that leave the truth, and soon all numbers, where a time step is longer than a time constant.
EXPLICIT = ("euler", "heun", "milstein", "rk2", "rk4")


def steps_in(time: float, dt: float) -> int:
    """Time steps in a time, at least one; rounding errors of units must not decide between two numbers of steps."""
    return max(1, round(float(f"{time / dt:.12g}")))


def steps_of(parameters: NSAParameters, dt: float = 1.0, method: str = "euler") -> tuple[int, int]:
    """Time steps of phase 1, and of a whole round, for a time step of ``dt`` ms; at least one in each phase."""
    if not dt > 0:
        raise ValueError(f"dt must be above 0 ms, got {dt:g} ms")
    check_shortest(min(parameters.tau_u, parameters.tau_v), dt, method)
    n_input = steps_in(parameters.duration_input, dt)
    n_round = n_input + steps_in(parameters.duration_free, dt)
    check_length(n_round)
    return n_input, n_round


def check_shortest(tau: float, dt: float, method: str) -> None:
    """Refuse a time constant, in ms, that a step is too long for."""
    if method in EXPLICIT and tau < dt * (1 - 1e-12):
        raise ValueError(f"tau_u and tau_v must be at least dt = {dt:g} ms with method {method}, got {tau:g} ms")


def check_length(n_round: int) -> None:
    """Refuse a round that cannot be counted."""
    if n_round > MOST_STEPS:
        raise ValueError(f"a round may have {MOST_STEPS} time steps at most, the durations make it {n_round:g}")
