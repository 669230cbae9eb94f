"""From rates to spikes: the one map that serves all spiking models.

Of a rate model's parameters, ``w_max`` and the ten of the value and learning rate functions are used as they are. Time
constants, gains, offsets, thresholds and the input give way to neurons. What those are there for is the critical value
Phi* of Phi_v, from which on activity outlasts the input; it is carried over. In a spiking network U drives V with a
strength, and activity outlasts the input from some strength on, which is measured with the network itself and put in
for the parameter that the model calls ``critical``. ``gain`` is the strength in units of it: 1 at Phi*, and ``top`` at
the highest value that a weight can have, for whatever rate model. So the critical weight w* is the same in both.

Before that, where a model says so (``homeostasis``), the background is set such that an untrained network fires at the
rate ``spontaneous``: neurons whose constants are all off by a tenth then still hold a memory or lose it as they should.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from brian2 import ms

from nsa_brian.codegen.expression import numpy_function
from nsa_brian.codegen.pairs import answers
from nsa_brian.codegen.spikes import SpikingGames, n_seeds
from nsa_brian.model.critical import critical
from nsa_brian.model.reading import names_in
from nsa_brian.parameters import NSAParameters
from nsa_brian.spiking.model import SpikingModel
from nsa_brian.spiking.timing import DT, Timing

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


def calibrated(
    model: SpikingModel, parameters: Sequence[NSAParameters], n_arms: int, dt: Any = 0.5 * ms, mend: bool = False
) -> list[Values]:
    """All numbers of each parameter set in SI units, with those that are found for it.

    What is found for a set does not depend on those beside it. With ``mend``, sets that have no critical strength get
    none, so that nothing outlasts the input.

    Raises
    ------
    ValueError
        If the rate parameters, or the neurons, have no critical strength, or if sets differ in numbers of neurons.
    """
    _check_counts(model, parameters)
    step, options = float(dt / ms), min(n_arms, OPTIONS)
    todo = [p for p in dict.fromkeys(parameters) if (model, p, options, step, mend) not in _known]
    for i in range(0, len(todo), BATCH):
        part = todo[i : i + BATCH]
        values = [_mapped(model, p, mend) for p in part]
        if model.homeostasis:
            _balance(model, values, options, dt)
        if model.critical:
            _find_critical(model, values, options, dt, mend)
        _known.update({(model, p, options, step, mend): found for p, found in zip(part, values, strict=True)})
    return [_known[model, p, options, step, mend] for p in parameters]


#: What was found already.
_known: dict[tuple[SpikingModel, NSAParameters, int, float, bool], Values] = {}


def _check_counts(model: SpikingModel, parameters: Sequence[NSAParameters]) -> None:
    """Refuse numbers of neurons that no batch can have: one serves all of its games."""
    values = [model.values_in_si(p) for p in dict.fromkeys(parameters)]
    for name in sorted({neurons.count for neurons in model.structure.populations.values()}):
        counts = list(dict.fromkeys(found[name] for found in values))
        if len(counts) > 1 or counts[0] % 1:
            given = " and ".join(f"{count:g}" for count in counts[:2])
            raise ValueError(f"{name} must be one whole number for all games, got {given}")


def gain_function(model: SpikingModel, values: Mapping[str, Any]) -> Callable[..., Any]:
    """A function of the weights ``w``: how strong such synapses are, in units of the critical strength."""
    structure = model.structure
    helpers = {name: text for name, text, _ in structure.gain.helpers}
    return numpy_function(structure.gain.expression, {**structure.expressions, **helpers}, values)


def _mapped(model: SpikingModel, parameters: NSAParameters, mend: bool = False) -> Values:
    """The numbers of a set, with what the rate model's come to."""
    values = model.values_in_si(parameters)
    if not {"Phi_star", "Phi_top"} & _names_of_gain(model):
        return values
    phi = numpy_function(model.structure.expressions["Phi_v"], {}, values)
    highest = float(np.max(phi(w=np.linspace(0, values["w_max"], 4001))))
    try:
        star = critical_value(paper_part(parameters))
    except ValueError:
        if not mend:
            raise
        star = np.inf
    if highest <= star and mend:
        return {**values, "Phi_star": 2 * abs(highest) + 1, "Phi_top": 4 * abs(highest) + 2}  # beyond all values
    if highest <= star:
        raise ValueError(
            "the rate parameters have no critical weight that spiking neurons could share: no weight up to w_max has "
            f"a value above the critical one, {star:.3g}"
        )
    return {**values, "Phi_star": star, "Phi_top": highest}


def check_map(model: SpikingModel, parameters: NSAParameters) -> None:
    """Refuse parameters that cannot be carried over, durations and counts that make no sense, before anything runs."""
    _check_counts(model, [parameters])
    Timing.of(_mapped(model, model.complete(parameters)), DT)


def _names_of_gain(model: SpikingModel) -> set[str]:
    gain = model.structure.gain
    return set().union(*map(names_in, [gain.expression, *(text for _, text, _ in gain.helpers)]))


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


def _games(model: SpikingModel, values: list[Values], each: int, options: int, dt: Any) -> SpikingGames:
    """Untrained games of each set, the first option at the critical strength."""
    many = [found for found in values for _ in range(each)]
    # The same noise for every set, wherever it stands: what is found for it is then its own.
    seeds = np.random.default_rng(0).random((each, n_seeds(model, values[0], options)))
    games = SpikingGames(model, many, np.arange(len(many)), options, np.tile(seeds, (len(values), 1)), dt)
    untrained = [float(gain_function(model, found)(w=0.0)) for found in values]
    games.gain[:] = np.repeat(untrained, each)[:, None]
    return games


def _balance(model: SpikingModel, values: list[Values], options: int, dt: Any) -> None:
    """Find the background with which an untrained network fires at its spontaneous rate."""
    games = _games(model, values, GAMES, options, dt)
    name = model.homeostasis
    wanted = np.array([found["spontaneous"] for found in values])
    level = np.array([found[name] for found in values])
    for follows in FOLLOWS:
        games.set_value(name, level.repeat(GAMES))
        games.respond()
        rate = _rates(games, values)[0].mean(axis=1).reshape(-1, GAMES).mean(axis=1)
        level = level * (wanted / np.maximum(rate, 0.05 * wanted)) ** follows
    for found, best in zip(values, level, strict=True):
        found[name] = float(best)


def _find_critical(model: SpikingModel, values: list[Values], options: int, dt: Any, mend: bool) -> None:
    """Find the strength from which on activity outlasts the input.

    Each of many strengths has a game of its own: over a wide range, then over narrow ones. The share of games in which
    the first option lasts tells where the step is, noise averaged out.
    """
    games = _games(model, values, POINTS, options, dt)
    games.gain[:, 0] = 1
    name = model.critical
    centre = np.array([found[name] for found in values])
    for stage, (reach, n_rounds) in enumerate(STAGES):
        low, high = centre / reach, centre * reach
        games.set_value(name, np.geomspace(low, high, POINTS, axis=1).ravel())
        lasting = np.zeros(len(values))
        for _ in range(n_rounds):
            games.respond()
            lasts = (_rates(games, values)[:, :, 0] > LASTING).all(axis=0)
            lasting += lasts.reshape(-1, POINTS).mean(axis=1) / n_rounds
        if stage == 0:
            odd = (lasting == 0) | (lasting == 1)
        if stage == 0 and odd.any() and not mend:
            which = "all" if lasting.max() == 1 else "no"
            raise ValueError(
                f"with these neurons activity outlasts the input for {which} {name} from a tenth of its default to ten "
                f"times it; the model {model.name} needs another default of {name}, or other neurons"
            )
        centre = low * (high / low) ** (1 - lasting)
    for found, best, without in zip(values, centre, odd, strict=True):
        found[name] = 0.0 if without else float(best)


def _rates(games: SpikingGames, values: list[Values]) -> np.ndarray:
    """Firing rates of U and V in Hz, (2, games, options)."""
    each = games.n_games // len(values)
    reading = np.repeat([timing.reading for timing in games.timing[::each]], each)
    return games.counts / (values[0]["neurons"] * reading)[None, :, None]
