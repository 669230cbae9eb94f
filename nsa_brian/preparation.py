"""Preparing a model for its parameters: the numbers of each set, with those that must be found for it.

A model says by its ``prepare`` what must be found; most have nothing. Of a rate model's parameters, spiking neurons use
``w_max`` and the ten of the value and learning rate functions as they are. Time constants, gains, offsets, thresholds
and the input give way to neurons. What those are there for is the critical value Phi* of Phi_v, from which on activity
outlasts the input; it is carried over (:class:`RateMap`). In a spiking network U drives V with a strength, and activity
outlasts the input from some strength on, which is measured with the network itself (:class:`Critical`). ``gain`` is the
strength in units of it: 1 at Phi*, and ``top`` at the highest value that a weight can have, for whatever rate model. So
the critical weight w* is the same in both.

Before that, the background can be set such that an untrained network fires at a given rate (:class:`Balance`): neurons
whose constants are all off by a tenth then still hold a memory or lose it as they should.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from brian2 import get_device, ms, second

from nsa_brian.codegen.code_objects import announce_if_slow
from nsa_brian.codegen.columns import Columns
from nsa_brian.codegen.pairs import answers
from nsa_brian.codegen.streams import n_seeds
from nsa_brian.common.checks import check_integer
from nsa_brian.common.texts import shown
from nsa_brian.engines.base import check_integration, listed_sets
from nsa_brian.model.course import Course, default_dt
from nsa_brian.model.critical import critical
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import Model, check_counts
from nsa_brian.model.preparing import Balance, Critical, RateMap
from nsa_brian.model.reading import unit_of
from nsa_brian.model.structure import SYNAPSE
from nsa_brian.parameters import NSAParameters

#: Firing rate in Hz above which activity counts as having outlasted the input: between spontaneous and persistent.
LASTING = 8.0
#: Strengths tried at once; by how much the range around the last guess goes up and down, and rounds, of each stage.
POINTS, STAGES = 16, ((10.0, 2), (2.0, 2), (1.35, 12), (1.35, 12))
#: Games that spontaneous firing is measured in, and by how much the background follows it, round by round.
GAMES, FOLLOWS = 8, (0.25,) * 6 + (0.1,) * 8
#: Options of the network that is measured, at most: more change nothing.
OPTIONS = 20
#: Sets that are calibrated together, so that no batch outgrows the memory.
BATCH = 16

Values = dict[str, float]


def prepare(
    model: Model,
    parameters: NSAParameters | Sequence[NSAParameters],
    n_arms: int,
    dt: Any = None,
    lenient: bool = False,
) -> list[Values]:
    """Return all numbers of each parameter set in SI units, with those that are found for it.

    What is found for a set does not depend on those beside it, and is found once.

    Parameters
    ----------
    model : Model
        Its ``prepare`` says what is to be found.
    parameters : NSAParameters, or a sequence of them
    n_arms : int
        Options of the games to be played.
    dt : Quantity, optional
        Time step of the engine that will play them.
    lenient : bool
        Let sets that have no critical strength have none, so that nothing outlasts the input.

    Returns
    -------
    list of dict
        One for each set, the same for equal sets: what engines take as ``prepared``.

    Raises
    ------
    ValueError
        If the rate parameters, or the neurons, have no critical strength, or if sets differ in numbers of neurons.

    Examples
    --------
    >>> from nsa_brian import MODELS, load
    >>> numbers, = prepare(MODELS["paper"], load().parameters, n_arms=3)
    >>> numbers["w_max"] == load().parameters.w_max
    True
    """
    if not isinstance(model, Model):
        raise ValueError(f"model must be a Model, got {shown(model)}")
    n_arms = check_integer("n_arms", n_arms, 2)
    dt = default_dt(model) * second if dt is None else dt
    check_integration(dt)
    given = [parameters] if isinstance(parameters, NSAParameters) else listed_sets(parameters)
    completed = {each: model.complete(each) for each in dict.fromkeys(given)}
    check_counts(model, completed.values())
    if not model.prepare:
        values = {each: model.values_in_si(each) for each in dict.fromkeys(completed.values())}
        return [values[completed[each]] for each in given]
    if type(get_device()).__name__ != "RuntimeDevice":
        raise ValueError(f"the model {model.name} is prepared by simulation and so needs Brian2's runtime device")
    step, options = float(dt / ms), min(n_arms, OPTIONS)
    keys = {each: (model, complete, options, step, lenient) for each, complete in completed.items()}
    todo = [key for key in dict.fromkeys(keys.values()) if key not in _known]
    with announce_if_slow(f"calibrating the model {model.name}"):
        for part in (todo[i : i + BATCH] for i in range(0, len(todo), BATCH)):
            sets = [key[1] for key in part]
            batch = _Batch(model, sets, [model.values_in_si(each) for each in sets], options, dt, lenient)
            for wanted in model.prepare:
                _STEPS[type(wanted)](batch, wanted)
            _known.update(zip(part, batch.values, strict=True))
    return [_known[keys[each]] for each in given]


def with_prepared(
    model: Model, parameters: Any, n_arms: int, n_games: int, options: Mapping[str, Any]
) -> dict[str, Any]:
    """An engine's options, with ``prepared`` for each game if the model has something to find and it is not given."""
    if not model.prepare or options.get("prepared") is not None:
        return dict(options)
    asked = {name: options[name] for name in ("dt", "lenient") if name in options}
    found = prepare(model, parameters, n_arms, **asked)
    return {**options, "prepared": found * n_games if isinstance(parameters, NSAParameters) else found}


#: What was found already.
_known: dict[tuple[Model, NSAParameters, int, float, bool], Values] = {}


@dataclass(frozen=True)
class _Batch:
    """Sets that are prepared together; each step puts what it finds into their values."""

    model: Any
    sets: list[NSAParameters]
    values: list[Values]
    options: int
    dt: Any
    lenient: bool


def gain_function(model: Any, values: Mapping[str, Any]) -> Callable[..., Any]:
    """A function of the weights ``w``: how strong such synapses are, in units of the critical strength."""
    return numpy_function("gain", model.structure.expressions, values)


def _map_rates(batch: _Batch, step: RateMap) -> None:
    for parameters, values in zip(batch.sets, batch.values, strict=True):
        values |= _rate_map(batch.model, parameters, values, batch.lenient)


def _rate_map(model: Model, parameters: NSAParameters, values: Values, lenient: bool = False) -> Values:
    """What the rate model's parameters come to."""
    phi = numpy_function(model.structure.expressions["Phi_v"], {}, values)
    highest = float(np.max(phi(w=np.linspace(0, values["w_max"], 4001))))
    try:
        star = critical_value(paper_part(parameters))
    except ValueError:
        if not lenient:
            raise
        star = np.inf
    if highest <= star and lenient:
        return {"Phi_star": 2 * abs(highest) + 1, "Phi_top": 4 * abs(highest) + 2}  # beyond all values
    if highest <= star:
        raise ValueError(
            "the rate parameters have no critical weight that spiking neurons could share: no weight up to w_max has "
            f"a value above the critical one, {star:.3g}"
        )
    return {"Phi_star": star, "Phi_top": highest}


def check_map(model: Model, parameters: NSAParameters) -> None:
    """Refuse parameters that cannot be carried over, durations and counts that make no sense, before anything runs."""
    parameters = model.complete(parameters)
    check_counts(model, [parameters])
    if RateMap() in model.prepare:
        _rate_map(model, parameters, model.values_in_si(parameters))
    Course.of(model, model.values_in_si(parameters), default_dt(model))


def paper_part(parameters: NSAParameters) -> NSAParameters:
    """The 22 alone."""
    return NSAParameters(**{info.name: value for info, value in parameters.items()})  # type: ignore[arg-type]


@cache
def critical_value(parameters: NSAParameters, points: int = 4001) -> float:
    """Phi*: the option value above which a rate model's activity u outlasts the input.

    Raises
    ------
    ValueError
        If activity lasts for no value, or for all of them.
    """
    value = np.linspace(0, 1, points)
    u, _ = answers(parameters, value, "Phi_v")
    found = critical(value, u)
    if np.isnan(found):
        raise ValueError(
            "the rate parameters have no critical weight that spiking neurons could share: their activity outlasts "
            "the input always or never"
        )
    return found


def _games(batch: _Batch, each: int, record: bool = False) -> Columns:
    """Untrained games of each set."""
    model, values, options = batch.model, batch.values, batch.options
    many = [found for found in values for _ in range(each)]
    # The same noise for every set, wherever it stands: what is found for it is then its own.
    seeds = np.random.default_rng(0).random((each, n_seeds(model, values[0], options)))
    tiled = np.tile(seeds, (len(values), 1))
    games = Columns(model, many, np.arange(len(many)), options, tiled, batch.dt, record)
    for name, array in games.given.items():
        array[:] = np.repeat([_untrained(model, name, found, options) for found in values], each)[:, None]
    for name, of_game in games.game_inputs.items():
        of_game[:] = np.repeat([_untrained(model, name, found, options) for found in values], each)
    for name in model.structure.dynamic:
        start = [_untrained(model, name, found, options) for found in values]
        games.states[SYNAPSE][name][:] = np.repeat(start, each)[:, None]
    return games


def _untrained(model: Model, name: str, values: Values, options: int) -> float:
    """What a name of an option, or of a game, is worth when a game begins."""
    structure, constants = model.structure, {**values, "n_arms": float(options)}
    start = {key: numpy_function(text, {}, constants)() for key, text in structure.initial.items()}
    start |= {key: given.default * float(unit_of(given.unit)) for key, given in structure.inputs.items()}
    return float(numpy_function(name, structure.expressions, constants)(**start))


def _balance(batch: _Batch, step: Balance) -> None:
    """Find the background with which an untrained network fires at its spontaneous rate."""
    games, values = _games(batch, GAMES), batch.values
    wanted = np.array([found[step.to] for found in values])
    level = np.array([found[step.name] for found in values])
    for follows in FOLLOWS:
        games.set_value(step.name, level.repeat(GAMES))
        games.respond()
        rate = _rates(games, values)[0].mean(axis=1).reshape(-1, GAMES).mean(axis=1)
        level = level * (wanted / np.maximum(rate, 0.05 * wanted)) ** follows
    for found, best in zip(values, level, strict=True):
        found[step.name] = float(best)


def _find_critical(batch: _Batch, step: Critical) -> None:
    """Find the strength from which on activity outlasts the input.

    Each of many strengths has a game of its own: over a wide range, then over narrow ones. The share of games in which
    the first option lasts tells where the step is, noise averaged out.
    """
    games, values = _games(batch, POINTS), batch.values
    if "gain" not in games.given:
        raise ValueError(
            f"prepare, Critical: neurons of the model {batch.model.name} must read gain, a static line of the synapse "
            "of which 1 is the critical strength"
        )
    games.given["gain"][:, 0] = 1
    centre = np.array([found[step.name] for found in values])
    for stage, (reach, n_rounds) in enumerate(STAGES):
        low, high = centre / reach, centre * reach
        games.set_value(step.name, np.geomspace(low, high, POINTS, axis=1).ravel())
        lasting = np.zeros(len(values))
        for _ in range(n_rounds):
            games.respond()
            rates = _rates(games, values)
            lasts = (rates[:, :, 0] > LASTING).all(axis=0)
            lasting += lasts.reshape(-1, POINTS).mean(axis=1) / n_rounds
        if stage == 0:
            odd = (lasting == 0) | (lasting == 1)
            if odd.any() and not batch.lenient:
                i = int(np.argmax(odd))
                one = replace(batch, values=[{**values[i], step.name: float(high[i])}])
                raise _no_step(one, step, low[i], rates[:, i * POINTS : (i + 1) * POINTS], bool(lasting[i]))
        centre = low * (high / low) ** (1 - lasting)
    for found, best, without in zip(values, centre, odd, strict=True):
        found[step.name] = 0.0 if without else float(best)


def _no_step(batch: _Batch, step: Critical, low: float, rates: np.ndarray, always: bool) -> ValueError:
    """The error for a set, at the highest strength, whose activity lasts always or never; it says what neurons did."""
    model, (values,), untrained = batch.model, batch.values, rates[:, :, 1:].mean()
    if always and untrained > LASTING:
        did = f"neurons fire without input, at {untrained:.3g} Hz while untrained"
    elif always:
        did = f"firing lasts at the lowest value too, at {rates[:, 0, 0].min():.3g} Hz"
    elif rates.any():
        best = rates[:, :, 0].min(axis=0).max()
        did = f"neurons fired without lasting, at {best:.3g} Hz at most at the round's end ({LASTING:g} Hz would last)"
    else:
        games = _games(batch, 1, record=True)
        games.given["gain"][:, 0] = 1
        games.respond()
        assert games.raster is not None
        n = games.neurons["u"] + games.neurons["v"]  # which come first
        did = "neurons fired, but none of them at the round's end"
        if not games.raster[:, :, :n].any():
            did = "neurons stayed silent, even while the input was on"
    info = model.declared[step.name]
    first, last = (f"{value / float(unit_of(info.unit)):.3g}" for value in (low, values[step.name]))
    return ValueError(
        f"{'every' if always else 'no'} {step.name} from {first} to {last} {info.unit} makes activity outlast the "
        f"input: {did}; the model {model.name} needs another default of {step.name}, or other neurons"
    )


def _rates(games: Columns, values: list[Values]) -> np.ndarray:
    """Firing rates of U and V in Hz, (2, games, options)."""
    each = games.n_games // len(values)
    reading = np.repeat([course.reading for course in games.courses[::each]], each)
    sizes = np.array([games.sizes[name] for name in ("u", "v")])
    return games.counts / (sizes[:, None, None] * reading[None, :, None])


_STEPS: dict[type, Callable[[_Batch, Any], None]] = {
    RateMap: _map_rates,
    Balance: _balance,
    Critical: _find_critical,
}
