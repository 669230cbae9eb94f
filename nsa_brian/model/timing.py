"""Time step, integration method, precision, and the number of steps in a round of the paper's two phases.

Importing this module does not import Brian2, which takes a second.
"""

from __future__ import annotations

from typing import Any

from nsa_brian.common.texts import shown
from nsa_brian.parameters import NSAParameters

MOST_STEPS = 2**31 - 1
#: Methods of commands and searches: Euler's, which models with noise or spikes need, and Runge-Kutta of order 2 and 4.
EULER = "euler"
METHODS = (EULER, "rk2", "rk4")
#: Floating-point types of neurons.
DOUBLE, SINGLE = "double", "single"
PRECISIONS = (DOUBLE, SINGLE)
#: Help texts of the options.
DT_HELP = "time step in ms (default 1, or 0.5 if neurons spike)"
METHOD_HELP = f"integration method: {', '.join(METHODS)} (default {EULER}; the only one with noise or spikes)"
PRECISION_HELP = f"precision of many or spiking neurons: {', '.join(PRECISIONS)}, which is faster (default {DOUBLE})"
#: Methods that are unstable if a time step is longer than a time constant.
EXPLICIT = ("euler", "heun", "milstein", "rk2", "rk4")


def check_step(dt: float | None, method: str, precision: str = DOUBLE) -> None:
    """Require a time step in ms above 0, or None, a known method and a known precision."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {shown(method)}")
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, got {shown(precision)}")
    if dt is not None and not (isinstance(dt, int | float) and not isinstance(dt, bool) and dt > 0):
        raise ValueError(f"dt must be a number of ms above 0, got {shown(dt)}")


def stated(dt: float | None, method: str, precision: str = DOUBLE) -> dict[str, Any]:
    """Return time step, method and precision by name, without those that have their default."""
    given = {"dt": (dt, None), "method": (method, EULER), "precision": (precision, DOUBLE)}
    return {name: value for name, (value, default) in given.items() if value != default}


def engine_options(dt: float | None, method: str, precision: str = DOUBLE) -> dict[str, Any]:
    """Return the options of an engine, for a time step in ms; without those that have their default."""
    found = stated(dt, method, precision)
    if dt is not None:
        from brian2 import ms  # here: Brian2 takes a second to import

        found["dt"] = dt * ms
    return found


def described(dt: float | None, method: str, precision: str = DOUBLE) -> str:
    """Return time step, method and precision as the end of a caption, without those that have their default."""
    texts = {"dt": f"dt {dt:g} ms" if dt is not None else "", "method": method, "precision": f"{precision} precision"}
    return "".join(f", {texts[name]}" for name in stated(dt, method, precision))


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
