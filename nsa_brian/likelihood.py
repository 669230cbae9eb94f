"""How likely a model makes the choices that a subject made: for fitting models to behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nsa_brian.engines.registry import DEFAULT_ENGINE, engine_class
from nsa_brian.model.agreement import choice_probabilities
from nsa_brian.model.base import AnyModel
from nsa_brian.model.loading import load_model
from nsa_brian.model.model import PAPER
from nsa_brian.parameters import NSAParameters


def log_likelihood(
    arms: Sequence[int],
    rewards: Sequence[float],
    n_arms: int,
    parameters: NSAParameters | Sequence[NSAParameters],
    model: AnyModel | str | Path = PAPER,
    lapse: float = 0.05,
    engine: str = DEFAULT_ENGINE,
    **options: Any,
) -> Any:
    """The log-likelihood of a sequence of choices: the model sees what the subject did and got, round by round.

    The agreement rule gives every arm a probability (:func:`nsa_brian.model.agreement.choice_probabilities`). Where U
    and V agree it is 1 for one arm and 0 for all others, and real subjects lapse: with probability ``lapse`` they
    choose at random.

    Parameters
    ----------
    arms, rewards : sequences of the same length
        What was chosen, from 0 to ``n_arms - 1``, and what it brought.
    n_arms : int
    parameters : NSAParameters, or a sequence of them
        One set, or many at once.
    model : Model, str or Path
        What is run, or what :func:`nsa_brian.load_model` takes for it. Without noise, with which activities are not
        known.
    lapse : float
        From 0 to 1; with 0 a single choice that the model never makes is minus infinity.
    engine, **options
        As of :class:`nsa_brian.NSA`.

    Returns
    -------
    float, or array of one for each set

    Examples
    --------
    >>> from nsa_brian import load
    >>> log_likelihood([0, 2, 2, 2], [0, 1, 1, 0], n_arms=3, parameters=load().parameters) < 0
    True
    """
    model = load_model(model) if isinstance(model, str | Path) else model
    chosen, got = np.asarray(arms), np.asarray(rewards, dtype=float)
    if chosen.ndim != 1 or chosen.shape != got.shape or not len(chosen):
        raise ValueError(f"arms and rewards must be of the same length, from 1 up, got {chosen.shape} and {got.shape}")
    if chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= n_arms:
        raise ValueError(f"arms must be whole numbers from 0 to {n_arms - 1}, got {arms!r:.60}")
    if not ((got >= 0) & (got <= 1)).all():
        raise ValueError("rewards must be numbers from 0 to 1")
    if not 0 <= lapse <= 1:
        raise ValueError(f"lapse must be a number from 0 to 1, got {lapse}")
    if model.noise or model.kind == "spiking":
        raise ValueError(f"model {model.name} has noise, so that its activities, and its likelihood, are not known")
    single = isinstance(parameters, NSAParameters)
    sets: list[NSAParameters] = [parameters] if isinstance(parameters, NSAParameters) else list(parameters)
    make: Any = engine_class(engine, model)
    player = make(n_arms, sets, len(sets), model=model, **options)
    total = np.zeros(len(sets))
    with np.errstate(divide="ignore"):  # a choice that is never made
        for arm, reward in zip(chosen, got, strict=True):
            player.respond()
            likely = choice_probabilities(player.activity, player.ties, player.tolerance)[:, arm]
            total += np.log((1 - lapse) * likely + lapse / n_arms)
            player.learn(np.full(len(sets), arm), np.full(len(sets), reward))
    return float(total[0]) if single else total
