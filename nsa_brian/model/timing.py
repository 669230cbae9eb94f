"""The length of a round in time steps."""

from __future__ import annotations

from nsa_brian.parameters import NSAParameters

MOST_STEPS = 2**31 - 1
#: Methods that leave the truth, and soon all numbers, where a time step is longer than a time constant.
EXPLICIT = ("euler", "heun", "milstein", "rk2", "rk4")


def steps_of(parameters: NSAParameters, dt: float = 1.0, method: str = "euler") -> tuple[int, int]:
    """Time steps of phase 1, and of a whole round, for a time step of ``dt`` ms; at least one in each phase."""
    if not dt > 0:
        raise ValueError(f"dt must be above 0 ms, got {dt:g} ms")
    shortest = min(parameters.tau_u, parameters.tau_v)
    if method in EXPLICIT and shortest < dt:
        raise ValueError(f"tau_u and tau_v must be at least dt = {dt:g} ms with method {method}, got {shortest:g} ms")
    n_input = max(1, round(parameters.duration_input / dt))
    n_round = n_input + max(1, round(parameters.duration_free / dt))
    if n_round > MOST_STEPS:
        raise ValueError(f"a round may have {MOST_STEPS} time steps at most, the durations make it {n_round:g}")
    return n_input, n_round
