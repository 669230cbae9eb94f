"""The length of a round in time steps."""

from __future__ import annotations

from typing import Any

from brian2 import ms

from nsa_brian.parameters import NSAParameters


def steps_of(parameters: NSAParameters, dt: Any, method: str) -> tuple[int, int]:
    """Time steps of phase 1, and of a whole round; at least one in each phase."""
    step = float(dt / ms)
    if not step > 0:
        raise ValueError(f"dt must be above 0 ms, got {step:g} ms")
    shortest = min(parameters.tau_u, parameters.tau_v)
    if method == "euler" and shortest < step:
        raise ValueError(f"tau_u and tau_v must be at least dt = {step:g} ms with method euler, got {shortest:g} ms")
    n_input = max(1, round(parameters.duration_input / step))
    return n_input, n_input + max(1, round(parameters.duration_free / step))
