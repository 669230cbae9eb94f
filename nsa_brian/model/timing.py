"""The number of time steps in a round of the paper's two phases; does not import Brian2, which takes a second."""

from __future__ import annotations

from nsa_brian.parameters import NSAParameters

MOST_STEPS = 2**31 - 1
#: Methods that are unstable if a time step is longer than a time constant.
EXPLICIT = ("euler", "heun", "milstein", "rk2", "rk4")


def steps_in(time: float, dt: float) -> int:
    """Return the number of time steps in a time, at least one; rounding errors of units have no effect."""
    return max(1, round(float(f"{time / dt:.12g}")))


def steps_of(parameters: NSAParameters, dt: float = 1.0, method: str = "euler") -> tuple[int, int]:
    """Return the time steps of phase 1 and of a round, for a time step of ``dt`` ms; at least one in each phase."""
    if not dt > 0:
        raise ValueError(f"dt must be above 0 ms, got {dt:g} ms")
    check_shortest(min(parameters.tau_u, parameters.tau_v), dt, method)
    n_input = steps_in(parameters.duration_input, dt)
    n_round = n_input + steps_in(parameters.duration_free, dt)
    check_length(n_round)
    return n_input, n_round


def check_shortest(tau: float, dt: float, method: str) -> None:
    """Raise ValueError if a time constant, in ms, is shorter than a step of an explicit method."""
    if method in EXPLICIT and tau < dt * (1 - 1e-12):
        raise ValueError(f"tau_u and tau_v must be at least dt = {dt:g} ms with method {method}, got {tau:g} ms")


def check_length(n_round: int) -> None:
    """Raise ValueError if a round has too many time steps."""
    if n_round > MOST_STEPS:
        raise ValueError(f"a round may have {MOST_STEPS} time steps at most, got {n_round:g} from the durations")
