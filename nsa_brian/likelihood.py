"""Probabilities and log-likelihood of a subject's choices, for fitting models to behaviour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nsa_brian.agent import read_parameters
from nsa_brian.common.checks import check_integer, check_probabilities, make_rng
from nsa_brian.common.texts import shown
from nsa_brian.engines.base import Engine, listed_sets
from nsa_brian.engines.registry import DEFAULT_ENGINE, engine_class, ties_refusal
from nsa_brian.model.model import Model
from nsa_brian.parameters import NSAParameters
from nsa_brian.preparation import with_prepared
from nsa_brian.replay import Ahead, round_by_round

#: Engines whose responses can be computed for all rounds at once, with these options.
_AHEAD = ("rounds", "table")
_PLAIN = {"model", "inputs", "prepared", "ties", "tolerance", "dt", "method"}


def choice_probabilities(
    arms: Sequence[int] | np.ndarray,
    rewards: Sequence[float] | np.ndarray,
    n_arms: int,
    parameters: NSAParameters | str | Path | Mapping[str, float] | Sequence[NSAParameters],
    model: Model | str | Path | None = None,
    lapse: float | Sequence[float] | np.ndarray = 0.0,
    engine: str = DEFAULT_ENGINE,
    inputs: Mapping[str, Any] | None = None,
    offered: Any = None,
    blocks: Any = None,
    samples: int | None = None,
    seed: int | None = 0,
    **options: Any,
) -> np.ndarray:
    """Return the probability of each arm in each round, given the choices and rewards of the rounds before it.

    The choice rule gives every arm a probability (:func:`nsa_brian.model.agreement.choice_probabilities`), and the
    model learns from the subject's choices and rewards, not from its own. With probability ``lapse`` a subject chooses
    at random.

    Without noise the probabilities are exact. With noise, in rates or spikes, they are means over ``samples``
    simulations with independent noise, so that their standard error is at most ``0.5 / sqrt(samples)``. If noise
    reaches what lasts from round to round (contacts, carried variables, a rule that reads activities), a simulation
    counts in proportion to the probability that it gave to the choices before (sequential importance sampling), and
    the error grows with the number of rounds.

    Parameters
    ----------
    arms, rewards : sequences of the same length, or arrays (sets, rounds)
        Chosen arms, from 0 to ``n_arms - 1``, and their rewards from 0 to 1. By default all sets see the same subject;
        with two dimensions each set has a subject of its own.
    n_arms : int
    parameters : NSAParameters, str, Path, mapping or sequence
        Parameters, the name of a shipped set, a parameter file or a mapping of names to values, as for
        :class:`nsa_brian.NSA`; or a sequence of NSAParameters, to evaluate many sets at once.
    model : Model, str or Path, optional
        A model, or an argument of :func:`nsa_brian.load_model`; by default the model in the parameter file, else the
        paper's.
    lapse : float, or one for each set
        From 0 to 1.
    engine : str
    inputs : mapping, optional
        Values of the model's inputs by name, round by round; see :class:`nsa_brian.engines.inputs.Inputs`.
    offered : array of bool (rounds, arms) or (sets, rounds, arms), optional
        Arms that the subject could choose in each round, by default all of them. Favourites, ties and random choices
        are then among these.
    blocks : sequence, optional
        Block of each round: where it changes, a new game starts with untrained weights. By default one game.
    samples : int, optional
        Number of simulations; required for models with noise, and not used by others.
    seed : int, optional
        Seed of the simulations.
    **options
        As for :class:`nsa_brian.NSA`.

    Returns
    -------
    array (rounds, arms), or (sets, rounds, arms) for a sequence of sets

    Examples
    --------
    >>> choice_probabilities([0, 2, 2], [0, 1, 1], n_arms=3, parameters="evolved").shape
    (3, 3)
    """
    parameters, model = read_parameters(parameters, model)
    n_arms = check_integer("n_arms", n_arms, 2)
    chosen, got = _array("arms", arms), _array("rewards", rewards)
    single = isinstance(parameters, NSAParameters)
    sets = [parameters] if isinstance(parameters, NSAParameters) else listed_sets(parameters)
    several = chosen.ndim == 2 and len(chosen) == len(sets) and not single
    if not (chosen.ndim == 1 or several) or chosen.shape != got.shape or not chosen.size:
        raise ValueError(f"arms and rewards must be of the same length, at least 1, got {chosen.shape} and {got.shape}")
    if chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= n_arms:
        raise ValueError(f"arms must be whole numbers from 0 to {n_arms - 1}, got {shown(arms)}")
    check_probabilities("rewards", got)
    starts = _starts(blocks, chosen.shape[-1])
    size = (len(sets), chosen.shape[-1])
    mask = _mask(offered, np.broadcast_to(chosen, size), n_arms)
    by_round = None if mask is None else mask.swapaxes(0, 1)
    trials = Trials(np.broadcast_to(chosen, size).T, np.broadcast_to(got, size).T, starts, by_round)
    lapses = _lapses(lapse, len(sets))
    if not model.structure.draws:
        options |= {"model": model, "inputs": inputs}
        found = _exact(trials, n_arms, sets, engine, options)
    elif samples is None:
        raise ValueError(
            f"model {model.name} has noise: its probabilities are means over simulations, so pass their number, samples"
        )
    else:
        samples = check_integer("samples", samples, 1)
        options |= {"model": model, "inputs": inputs, "rng": make_rng(seed, None)}
        found = _simulated(trials, n_arms, sets, engine, lapses, samples, options)
    found = with_lapses(found, lapses, mask)
    return found[0] if single else found


def log_likelihood(
    arms: Sequence[int] | np.ndarray,
    rewards: Sequence[float] | np.ndarray,
    n_arms: int,
    parameters: NSAParameters | str | Path | Mapping[str, float] | Sequence[NSAParameters],
    model: Model | str | Path | None = None,
    lapse: float | Sequence[float] | np.ndarray = 0.05,
    engine: str = DEFAULT_ENGINE,
    inputs: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Return the log-likelihood of a sequence of choices: the sum of the logarithms of their probabilities.

    Parameters
    ----------
    arms, rewards, n_arms, parameters, model, engine, inputs, **options
        See :func:`choice_probabilities`, also for models with noise.
    lapse : float, or one for each set
        From 0 to 1; with 0, one choice that the model never makes gives minus infinity.

    Returns
    -------
    float, or array with a value for each set

    Examples
    --------
    >>> log_likelihood([0, 2, 2, 2], [0, 1, 1, 0], n_arms=3, parameters="evolved") < 0
    True
    """
    found = choice_probabilities(arms, rewards, n_arms, parameters, model, lapse, engine, inputs, **options)
    chosen = np.broadcast_to(arms, found.shape[:-1])
    with np.errstate(divide="ignore"):  # log(0), for a choice that is never made
        total = np.log(np.take_along_axis(found, chosen[..., None], axis=-1)).sum(axis=(-2, -1))
    return float(total) if found.ndim == 2 else total


def with_lapses(probabilities: np.ndarray, lapses: np.ndarray, offered: np.ndarray | None = None) -> np.ndarray:
    """Return probabilities (sets, rounds, arms) of subjects that choose at random with probability lapse (sets,)."""
    lapses = lapses[:, None, None]
    among: Any = np.ones(probabilities.shape[-1]) if offered is None else offered
    return (1 - lapses) * probabilities + lapses * among / among.sum(axis=-1, keepdims=True)


class Trials(NamedTuple):
    """Arms and rewards (rounds, sets), starts of games (rounds,), and offered arms (rounds, sets, arms)."""

    arms: np.ndarray
    rewards: np.ndarray
    starts: np.ndarray
    offered: np.ndarray | None


def _exact(trials: Trials, n_arms: int, sets: list[NSAParameters], engine: str, options: dict[str, Any]) -> np.ndarray:
    """Return the probabilities (sets, rounds, arms) of a model without noise."""
    make: Any = engine_class(engine, options["model"])
    refusal = ties_refusal(engine, options.get("ties", "random"))
    if refusal:
        raise ValueError(refusal)
    prepared = with_prepared(options["model"], sets, n_arms, len(sets), options)
    if engine in _AHEAD and prepared.keys() <= _PLAIN and not options["inputs"]:
        ahead = Ahead(n_arms, sets, len(sets), **prepared)
        if ahead.serves:
            return ahead.replay(*trials, table=engine == "table")
    return round_by_round(make(n_arms, sets, len(sets), **prepared), *trials)


def _simulated(
    trials: Trials,
    n_arms: int,
    sets: list[NSAParameters],
    engine: str,
    lapses: np.ndarray,
    samples: int,
    options: dict[str, Any],
) -> np.ndarray:
    """Return means (sets, rounds, arms) of probabilities over simulations of a model with noise."""
    make: Any = engine_class(engine, options["model"])
    repeated = [each for each in sets for _ in range(samples)]
    made = with_prepared(options["model"], repeated, n_arms, len(repeated), options)
    player: Engine = make(n_arms, repeated, len(repeated), **made)
    arms, rewards = (x.repeat(samples, axis=1) for x in trials[:2])
    offered = None if trials.offered is None else trials.offered.repeat(samples, axis=1)
    flat = round_by_round(player, arms, rewards, trials.starts, offered)
    found = flat.reshape(len(sets), samples, -1, n_arms)
    if not noise_lasts(player):
        return found.mean(axis=1)
    rounds = range(len(arms))
    likely = with_lapses(flat, lapses.repeat(samples), None if offered is None else offered.swapaxes(0, 1))
    with np.errstate(divide="ignore"):
        logs = np.log(np.take_along_axis(likely, arms.T[..., None], axis=-1)).reshape(len(sets), samples, -1)
    before = np.zeros_like(logs)
    for t in rounds[1:]:
        before[:, :, t] = 0 if trials.starts[t] else before[:, :, t - 1] + logs[:, :, t - 1]
    best = before.max(axis=1, keepdims=True)
    weights = np.exp(before - np.where(np.isfinite(best), best, 0.0))
    weights = np.where(np.isfinite(best), weights, 1.0)  # no simulation can have made these choices
    return (weights[..., None] * found).sum(axis=1) / weights.sum(axis=1)[..., None]


def noise_lasts(engine: Engine) -> bool:
    """Return whether random numbers of a round reach later rounds by more than the choice and its reward."""
    structure = engine.structure
    return bool(structure.contacts or structure.carried or structure.after or structure.dynamic) or not (
        engine._end.reads_synapse_alone and not structure.signal_update
    )


def _lapses(lapse: Any, n_sets: int) -> np.ndarray:
    """Return the lapse of each set."""
    given = np.asarray(lapse)
    if given.dtype.kind not in "iuf" or given.shape not in ((), (n_sets,)) or not ((given >= 0) & (given <= 1)).all():
        several = f", or one for each of {n_sets} sets" if n_sets > 1 else ""
        raise ValueError(f"lapse must be a number from 0 to 1{several}, got {shown(lapse)}")
    return np.broadcast_to(given, n_sets).astype(float)


def _starts(blocks: Any, n_rounds: int) -> np.ndarray:
    """Return whether a block starts in each round."""
    starts = np.zeros(n_rounds, dtype=bool)
    starts[0] = True
    if blocks is not None:
        labels = np.asarray(blocks)
        if labels.shape != (n_rounds,):
            raise ValueError(f"blocks must have one entry for each of {n_rounds} rounds, got shape {labels.shape}")
        starts[1:] = labels[1:] != labels[:-1]
    return starts


def _mask(offered: Any, arms: np.ndarray, n_arms: int) -> np.ndarray | None:
    """Return the offered arms (sets, rounds, arms) for choices (sets, rounds); None if that is all of them."""
    if offered is None:
        return None
    mask, size = np.asarray(offered), (*arms.shape, n_arms)
    if mask.dtype != bool or mask.shape not in (size, size[1:]):
        raise ValueError(
            f"offered must be true or false for each of {size[1]} rounds x {n_arms} arms, got {mask.dtype} of shape "
            f"{mask.shape}"
        )
    mask = np.broadcast_to(mask, size)
    wrong = np.argwhere(~np.take_along_axis(mask, arms[..., None], axis=-1)[..., 0])
    if wrong.size:
        number, t = wrong[0]
        raise ValueError(f"arm {arms[number, t]} was chosen in round {t}, but was not offered")
    return None if mask.all() else mask


def _array(name: str, values: Any) -> np.ndarray:
    """Return values as an array of numbers."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numbers, got {shown(values)}")
    return array
