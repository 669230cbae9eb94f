"""Prepare a model for its parameters: values in SI units, and values found by calibration.

``Model.prepare`` lists what is calibrated; in most models nothing. Of a rate model's parameters, spiking models use
``w_max`` and the ten of the value and learning rate functions unchanged. Neurons replace time constants, gains,
offsets, thresholds and the input. These determine the critical value Phi* of Phi_v, above which activity outlasts the
input; it is kept (:class:`RateMap`). In a spiking network activity outlasts the input if U drives V strongly enough;
this critical strength is measured with the network itself (:class:`Critical`). ``gain`` is the strength in units of it:
1 at Phi*, and ``top`` at the highest value, for every rate model. So the critical weight w* is the same in both.

Before that, the background can be set such that an untrained network fires at a given rate (:class:`Balance`). Neurons
whose constants are all off by a tenth then still hold or lose a memory as intended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from brian2 import get_device, ms, second

from nsa_brian.codegen.code_objects import announce_if_slow
from nsa_brian.codegen.columns import Columns
from nsa_brian.codegen.pairs import answers
from nsa_brian.codegen.streams import count_of, n_seeds, n_streams
from nsa_brian.common.checks import check_integer
from nsa_brian.common.texts import shown
from nsa_brian.engines.base import check_integration, listed_sets
from nsa_brian.model.course import Course, check_resolved, default_dt
from nsa_brian.model.critical import critical
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import Model, check_counts
from nsa_brian.model.preparing import Balance, Critical, RateMap
from nsa_brian.model.reading import unit_of
from nsa_brian.model.structure import SYNAPSE
from nsa_brian.model.timing import DOUBLE, SINGLE
from nsa_brian.parameters import NSAParameters

#: Firing rate in Hz above which activity counts as persistent; spontaneous activity is below.
LASTING = 8.0
#: Strengths tried at once.
POINTS = 16


@dataclass(frozen=True)
class Effort:
    """How much is simulated for a calibration.

    Attributes
    ----------
    stages : (factor, rounds) of each stage of :class:`Critical`: the range around the last estimate, and the rounds
    games : games in which :class:`Balance` measures spontaneous firing
    follows : exponents of the background's correction after each round
    precision : precision of the neurons' variables
    """

    stages: tuple[tuple[float, int], ...]
    games: int
    follows: tuple[float, ...]
    precision: str = DOUBLE


FULL = Effort(((10.0, 2), (2.0, 2), (1.35, 12), (1.35, 12)), 8, (0.25,) * 6 + (0.1,) * 8)
#: For searches: less than a third of the rounds, in single precision. The last stage is narrow, and half of the rounds
#: are its own: those before only find its range. Values differ from those of FULL about as much as those of FULL with
#: other random numbers do, by 2 to 3% in the median set of ``spiking-ei``.
QUICK = Effort(((10.0, 1), (2.0, 1), (1.35, 2), (1.15, 4)), 4, (0.25,) * 6 + (0.1,) * 3, SINGLE)
#: Largest number of options of the measured network; more make no difference.
OPTIONS = 20
#: Option values among which the critical one of a rate model is found, and the step of the first search.
GRID, COARSE = np.linspace(0, 1, 4001), 20
#: Number of sets that are calibrated together, which limits memory.
BATCH = 16

Values = dict[str, float]

_NO_STAR = (
    "the rate parameters have no critical weight for spiking neurons: activity outlasts the input always or never"
)


def prepare(
    model: Model,
    parameters: NSAParameters | Sequence[NSAParameters],
    n_arms: int,
    dt: Any = None,
    lenient: bool = False,
) -> list[Values]:
    """Return all values of each parameter set in SI units, including those found by calibration.

    The values found for a set do not depend on the other sets, and are cached.

    Parameters
    ----------
    model : Model
        Its ``prepare`` lists what is calibrated.
    parameters : NSAParameters, or a sequence of them
    n_arms : int
        Number of options of the games to be played.
    dt : Quantity, optional
        Time step of the engine that will play.
    lenient : bool
        For searches: accept sets without a critical strength, and calibrate with fewer rounds and in single precision
        (``QUICK``), which changes values by some percent. Sets without a critical strength get 0: activity never
        outlasts the input.

    Returns
    -------
    list of dict
        One per set, the same for equal sets: the argument ``prepared`` of engines.

    Raises
    ------
    ValueError
        If the rate parameters or the neurons have no critical strength, or if sets differ in numbers of neurons.

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
            left = batch
            for wanted in model.prepare:
                _STEPS[type(wanted)](left, wanted)
                left = left.without_lost()
            _known.update(zip(part, batch.values, strict=True))
    return [_known[keys[each]] for each in given]


def with_prepared(
    model: Model, parameters: Any, n_arms: int, n_games: int, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an engine's options, with ``prepared`` for each game if the model needs it and it is not given."""
    if not model.prepare or options.get("prepared") is not None:
        return dict(options)
    asked = {name: options[name] for name in ("dt", "lenient") if name in options}
    found = prepare(model, parameters, n_arms, **asked)
    return {**options, "prepared": found * n_games if isinstance(parameters, NSAParameters) else found}


#: Critical values of rate models by parameter set.
_stars: dict[NSAParameters, float] = {}
#: Cache of prepared values.
_known: dict[tuple[Model, NSAParameters, int, float, bool], Values] = {}


@dataclass(frozen=True)
class _Batch:
    """Sets that are prepared together; each step adds the values that it finds."""

    model: Any
    sets: list[NSAParameters]
    values: list[Values]
    options: int
    dt: Any
    lenient: bool

    def without_lost(self) -> _Batch:
        """Return the sets that can still hold a memory; those that cannot have a coupling of 0."""
        critical = [step.name for step in self.model.prepare if isinstance(step, Critical)]
        left = [i for i, values in enumerate(self.values) if all(values[name] for name in critical)]
        return replace(self, sets=[self.sets[i] for i in left], values=[self.values[i] for i in left])

    @property
    def effort(self) -> Effort:
        """How much to simulate."""
        return QUICK if self.lenient else FULL


def gain_function(model: Any, values: Mapping[str, Any]) -> Callable[..., Any]:
    """Return a function of the weights ``w``: the strength of synapses in units of the critical strength."""
    return numpy_function("gain", model.structure.expressions, values)


def _map_rates(batch: _Batch, step: RateMap) -> None:
    stars = _critical_values([paper_part(parameters) for parameters in batch.sets])
    for star, values in zip(stars, batch.values, strict=True):
        values |= _rate_map(batch.model, star, values, batch.lenient)


def _rate_map(model: Model, star: float, values: Values, lenient: bool = False) -> Values:
    """Return the critical value ``star`` of the rate model, and the highest value of its weights."""
    phi = numpy_function(model.structure.expressions["Phi_v"], {}, values)
    highest = float(np.max(phi(w=np.linspace(0, values["w_max"], 4001))))
    if np.isnan(star) and not lenient:
        raise ValueError(_NO_STAR)
    star = np.inf if np.isnan(star) else star
    if highest <= star and lenient:
        couplings = {step.name: 0.0 for step in model.prepare if isinstance(step, Critical)}
        return {"Phi_star": 2 * abs(highest) + 1, "Phi_top": 4 * abs(highest) + 2, **couplings}  # above all values
    if highest <= star:
        raise ValueError(
            "the rate parameters have no critical weight for spiking neurons: Phi_v must exceed its critical value "
            f"{star:.3g} for some weight up to w_max, its highest value is {highest:.3g}"
        )
    return {"Phi_star": star, "Phi_top": highest}


def check_map(model: Model, parameters: NSAParameters, dt: float | None = None, method: str = "euler") -> None:
    """Raise ValueError for a set without a critical value, or with invalid durations or counts, before playing.

    The time step is in ms; None for the model's default.
    """
    parameters = model.complete(parameters)
    check_counts(model, [parameters])
    if RateMap() in model.prepare:
        (star,) = _critical_values([paper_part(parameters)])
        _rate_map(model, star, model.values_in_si(parameters))
    values = model.values_in_si(parameters)
    Course.of(model, values, default_dt(model) if dt is None else 1e-3 * dt, method)
    if dt is not None:
        check_resolved(model, values, 1e-3 * dt)


def paper_part(parameters: NSAParameters) -> NSAParameters:
    """Return the 22 parameters alone."""
    return NSAParameters(**{info.name: value for info, value in parameters.items()})  # type: ignore[arg-type]


def critical_value(parameters: NSAParameters) -> float:
    """Return Phi*, the option value above which a rate model's activity u outlasts the input.

    Raises
    ------
    ValueError
        If activity outlasts the input for no value, or for all of them.
    """
    (found,) = _critical_values([parameters])
    if np.isnan(found):
        raise ValueError(_NO_STAR)
    return found


def _critical_values(sets: Sequence[NSAParameters]) -> list[float]:
    """Return Phi* of each set, NaN if there is none, to the resolution of a grid of 4001 values.

    U and V excite each other, so activity rises with the value: of the grid, every twentieth value is simulated, and
    those around the step. If activity does not rise, all are.
    """
    new = [each for each in dict.fromkeys(sets) if each not in _stars]
    coarse = np.arange(0, len(GRID), COARSE)
    ends = _end_of_round(new, np.tile(coarse, (len(new), 1)))
    steps = np.array([np.flatnonzero(u <= u.max() / 2)[-1:].sum() for u in ends], dtype=int)
    fine = np.minimum(coarse[steps][:, None] + np.arange(COARSE + 1), len(GRID) - 1)
    for each, u, at, u_around in zip(new, ends, fine, _end_of_round(new, fine), strict=True):
        x, u = np.concatenate([coarse, at]), np.concatenate([u, u_around])
        if (np.diff(u[: len(coarse)]) < 0).any():
            x, (u,) = np.arange(len(GRID)), _end_of_round([each], np.arange(len(GRID))[None])
        order = np.argsort(x)
        _stars[each] = critical(GRID[x[order]], u[order])
    return [_stars[each] for each in sets]


def _end_of_round(sets: Sequence[NSAParameters], at: np.ndarray) -> np.ndarray:
    """Return the activity u of rate models at a round's end, for values of the grid by index (sets, n)."""
    each = [parameters for parameters in sets for _ in range(at.shape[1])]
    return answers(each, GRID[at.ravel()], "Phi_v")[0].reshape(at.shape) if each else np.zeros(at.shape)


def _games(batch: _Batch, each: int, record: bool = False, options: int | None = None) -> Columns:
    """Create untrained games of each set, by default with all options, else with the first ones."""
    model, values = batch.model, batch.values
    options = batch.options if options is None else options
    many = [found for found in values for _ in range(each)]
    # The same noise for every set, so that results do not depend on the other sets.
    seeds = np.random.default_rng(0).random((each, n_seeds(model, values[0], batch.options)))
    tiled = np.tile(seeds[:, _seeds_of(model, values[0], batch.options, options)], (len(values), 1))
    games = Columns(model, many, np.arange(len(many)), options, tiled, batch.dt, record, batch.effort.precision)
    for name, array in games.given.items():
        array[:] = np.repeat([_untrained(model, name, found, options) for found in values], each)[:, None]
    for name, of_game in games.game_inputs.items():
        of_game[:] = np.repeat([_untrained(model, name, found, options) for found in values], each)
    for name in model.structure.dynamic:
        start = [_untrained(model, name, found, options) for found in values]
        games.states[SYNAPSE][name][:] = np.repeat(start, each)[:, None]
    return games


def _seeds_of(model: Model, values: Values, n_arms: int, options: int) -> np.ndarray:
    """Return which seeds of a game are those of its first options, of pools and of contacts."""
    found = []
    for neurons in model.structure.populations.values():
        all_, first = (
            n_streams(model.structure, count_of(neurons, values) * (k if neurons.of_options else 1))
            for k in (n_arms, options)
        )
        found.append(np.arange(all_) < first)
    return np.concatenate([*found, [True]])


def _untrained(model: Model, name: str, values: Values, options: int) -> float:
    """Return the value of a variable of an option or a game at the start of a game."""
    structure, constants = model.structure, {**values, "n_arms": float(options)}
    start = {key: numpy_function(text, {}, constants)() for key, text in structure.initial.items()}
    start |= {key: given.default * float(unit_of(given.unit)) for key, given in structure.inputs.items()}
    return float(numpy_function(name, structure.expressions, constants)(**start))


def _balance(batch: _Batch, step: Balance) -> None:
    """Find the background at which an untrained network fires at its spontaneous rate."""
    if not batch.values:
        return
    effort = batch.effort
    games, values = _games(batch, effort.games), batch.values
    wanted = np.array([found[step.to] for found in values])
    level = np.array([found[step.name] for found in values])
    for follows in effort.follows:
        games.set_value(step.name, level.repeat(effort.games))
        games.respond()
        rate = _rates(games, values)[0].mean(axis=1).reshape(-1, effort.games).mean(axis=1)
        level = level * (wanted / np.maximum(rate, 0.05 * wanted)) ** follows
    for found, best in zip(values, level, strict=True):
        found[step.name] = float(best)


def _find_critical(batch: _Batch, step: Critical, whole: bool = False) -> None:
    """Find the strength above which activity outlasts the input.

    Each of many strengths is played in a separate game, over a wide range and then over narrower ones. The share of
    games in which the first option's activity lasts locates the step, averaged over noise. If options do not affect
    each other, the first one is simulated alone.
    """
    if not batch.values:
        return
    alone = not (whole or batch.model.structure.depends_on_arms)
    games, values = _games(batch, POINTS, options=1 if alone else None), batch.values
    if "gain" not in games.given:
        raise ValueError(
            f"prepare, Critical: neurons of the model {batch.model.name} must read gain, a static line of the synapse "
            "that is 1 at the critical strength"
        )
    games.given["gain"][:, 0] = 1
    centre = np.array([found[step.name] for found in values])
    for stage, (reach, n_rounds) in enumerate(batch.effort.stages):
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
                if alone:
                    _find_critical(batch, step, whole=True)  # raises an error that describes all options
                i = int(np.argmax(odd))
                one = replace(batch, values=[{**values[i], step.name: float(high[i])}])
                raise _no_step(one, step, low[i], rates[:, i * POINTS : (i + 1) * POINTS], bool(lasting[i]))
        centre = low * (high / low) ** (1 - lasting)
    for found, best, without in zip(values, centre, odd, strict=True):
        found[step.name] = 0.0 if without else float(best)


def _no_step(batch: _Batch, step: Critical, low: float, rates: np.ndarray, always: bool) -> ValueError:
    """Return the error for a set whose activity lasts at every strength or at none; it says what neurons did."""
    model, (values,), untrained = batch.model, batch.values, rates[:, :, 1:].mean()
    if always and untrained > LASTING:
        did = f"neurons fire without input, at {untrained:.3g} Hz while untrained"
    elif always:
        did = f"firing lasts at the lowest value too, at {rates[:, 0, 0].min():.3g} Hz"
    elif rates.any():
        best = rates[:, :, 0].min(axis=0).max()
        did = f"neurons fired at most at {best:.3g} Hz at the round's end (persistent is above {LASTING:g} Hz)"
    else:
        games = _games(batch, 1, record=True)
        games.given["gain"][:, 0] = 1
        games.respond()
        assert games.raster is not None
        n = games.neurons["u"] + games.neurons["v"]  # the first columns of the raster
        did = "neurons fired, but none of them at the round's end"
        if not games.raster[:, :, :n].any():
            did = "neurons stayed silent, even while the input was on"
    info = model.declared[step.name]
    first, last = (f"{value / float(unit_of(info.unit)):.3g}" for value in (low, values[step.name]))
    return ValueError(
        f"{'every' if always else 'no'} value of {step.name} in [{first}, {last}] {info.unit} gives persistent "
        f"activity: {did}; the model {model.name} needs another default of {step.name}, or other neurons"
    )


def _rates(games: Columns, values: list[Values]) -> np.ndarray:
    """Return the firing rates of U and V in Hz, (2, games, options)."""
    each = games.n_games // len(values)
    reading = np.repeat([course.reading for course in games.courses[::each]], each)
    sizes = np.array([games.sizes[name] for name in ("u", "v")])
    return games.counts / (sizes[:, None, None] * reading[None, :, None])


_STEPS: dict[type, Callable[[_Batch, Any], None]] = {
    RateMap: _map_rates,
    Balance: _balance,
    Critical: _find_critical,
}
