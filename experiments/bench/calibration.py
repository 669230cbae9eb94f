"""Time to calibrate the sets of a search: background and coupling of spiking models."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from experiments.bench.stretches import best
from experiments.bench.timed_set import timed_set
from nsa_brian import NSAParameters, prepare
from nsa_brian.model.shipped import ADEX, EI, SPIKING
from nsa_brian.preparation import BATCH

MODELS = (SPIKING, ADEX, EI)
#: Options of the calibrated network.
ARMS = 5
N_MEASUREMENTS = len(MODELS)


def measure(
    repeats: int, tick: Callable[[str], None] = lambda what: None, n_sets: int = BATCH
) -> dict[str, float | None]:
    """Return seconds per set of each model, for sets that are calibrated together; the best of at most two repeats."""
    found: dict[str, float | None] = {}
    for model in MODELS:
        tick(f"{model.name}, calibration")
        prepare(model, _sets(1, 0), ARMS, lenient=True)  # compiles
        turns = [partial(prepare, model, _sets(n_sets, 1 + i), ARMS, lenient=True) for i in range(min(repeats, 2))]
        found[f"calibration.{model.name}.s_per_set"] = min(best(turn, 1) for turn in turns) / n_sets
    return found


def _sets(n_sets: int, number: int) -> list[NSAParameters]:
    """Return sets that were not calibrated before, all nearly the same."""
    parameters = timed_set()
    first = number * BATCH
    return [parameters.replace(w_max=parameters.w_max * (1 + 1e-6 * (1 + first + i))) for i in range(n_sets)]
