"""The log-likelihood of a subject's choices, for fitting models to behaviour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nsa_brian.agent import read_parameters
from nsa_brian.common.checks import check_integer, check_number, check_probabilities
from nsa_brian.common.texts import shown
from nsa_brian.engines.base import listed_sets
from nsa_brian.engines.registry import DEFAULT_ENGINE, engine_class
from nsa_brian.model.model import Model
from nsa_brian.parameters import NSAParameters
from nsa_brian.preparation import with_prepared


def log_likelihood(
    arms: Sequence[int],
    rewards: Sequence[float],
    n_arms: int,
    parameters: NSAParameters | str | Path | Mapping[str, float] | Sequence[NSAParameters],
    model: Model | str | Path | None = None,
    lapse: float = 0.05,
    engine: str = DEFAULT_ENGINE,
    inputs: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Return the log-likelihood of a sequence of choices; the model learns from the subject's choices and rewards.

    The agreement rule gives every arm a probability (:func:`nsa_brian.model.agreement.choice_probabilities`). Where U
    and V agree it is 1 for one arm and 0 for all others. Subjects are assumed to lapse: with probability ``lapse`` they
    choose at random.

    Parameters
    ----------
    arms, rewards : sequences of the same length
        Chosen arms, from 0 to ``n_arms - 1``, and their rewards.
    n_arms : int
    parameters : NSAParameters, str, Path, mapping or sequence
        Parameters, the name of a shipped set, a parameter file or a mapping of names to values, as for
        :class:`nsa_brian.NSA`; or a sequence of NSAParameters, to evaluate many sets at once.
    model : Model, str or Path, optional
        A model without noise, or an argument of :func:`nsa_brian.load_model`; by default the model in the parameter
        file, else the paper's.
    lapse : float
        From 0 to 1; with 0, one choice that the model never makes gives minus infinity.
    engine : str
    inputs : mapping, optional
        Values of the model's inputs by name, round by round; see :class:`nsa_brian.engines.inputs.Inputs`.
    **options
        As for :class:`nsa_brian.NSA`.

    Returns
    -------
    float, or array with a value for each set

    Examples
    --------
    >>> log_likelihood([0, 2, 2, 2], [0, 1, 1, 0], n_arms=3, parameters="evolved") < 0
    True
    """
    parameters, model = read_parameters(parameters, model)
    n_arms = check_integer("n_arms", n_arms, 2)
    chosen, got = _array("arms", arms), _array("rewards", rewards)
    if chosen.ndim != 1 or chosen.shape != got.shape or not len(chosen):
        raise ValueError(f"arms and rewards must be of the same length, at least 1, got {chosen.shape} and {got.shape}")
    if chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= n_arms:
        raise ValueError(f"arms must be whole numbers from 0 to {n_arms - 1}, got {shown(arms)}")
    check_probabilities("rewards", got)
    lapse = check_number("lapse", lapse, 0, 1)
    if model.structure.draws:
        raise ValueError(f"model {model.name} has noise; log_likelihood needs a model without random numbers")
    single = isinstance(parameters, NSAParameters)
    sets = [parameters] if isinstance(parameters, NSAParameters) else listed_sets(parameters)
    make: Any = engine_class(engine, model)
    options = with_prepared(model, sets, n_arms, len(sets), options)
    player = make(n_arms, sets, len(sets), model=model, inputs=inputs, **options)
    total = np.zeros(len(sets))
    with np.errstate(divide="ignore"):  # log(0), for a choice that is never made
        for arm, reward in zip(chosen, got, strict=True):
            player.respond()
            likely = player.probabilities()[:, arm]
            total += np.log((1 - lapse) * likely + lapse / n_arms)
            player.learn(np.full(len(sets), arm), np.full(len(sets), reward))
    return float(total[0]) if single else total


def _array(name: str, values: Any) -> np.ndarray:
    """Return values as an array of numbers."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numbers, got {shown(values)}")
    return array
