"""Activities of U and V over the phases of one decision, with compiled code that stays warm.

An engine returns activities at a round's end. So the course is computed by rounds that end earlier: one game for each
point in time, in a model whose last phase lasts until then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from experiments.explore.lesion import rebuilt
from nsa_brian import NSAParameters
from nsa_brian.codegen.pairs import Pairs
from nsa_brian.common.game_streams import GameStreams
from nsa_brian.engines.registry import engine_class
from nsa_brian.model.course import Course, default_dt
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.parts import Choice, Phase
from nsa_brian.model.reading import unit_of
from nsa_brian.model.timing import EULER, engine_options
from nsa_brian.parameters import Parameter
from nsa_brian.preparation import paper_part, prepare

#: Points in time in each phase, and the largest number of options integrated for them.
POINTS, MOST = 40, 4000
#: Weights at which the final activity is computed.
WEIGHTS = 301
#: Largest number of time steps of a round, so that a picture takes seconds.
MOST_STEPS = 30_000
#: Parameter that holds the duration of the last phase.
ELAPSED = "explore_elapsed"


@dataclass(frozen=True)
class Network:
    """A model with its parameters, prepared for a number of arms, and the values of its inputs."""

    model: Model
    parameters: NSAParameters
    prepared: Mapping[str, float]
    arms: int
    inputs: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, model: Model, parameters: NSAParameters, arms: int) -> Network:
        """Return the network without inputs, calibrated if the model asks for it."""
        for each in (model, PAPER) if model.prepare else (model,):  # calibration may run the rate model
            _check_length(each, each.values_in_si(parameters if each is model else paper_part(parameters)))
        return cls(model, parameters, prepare(model, parameters, arms)[0], arms, {})

    @cached_property
    def borders(self) -> tuple[int, ...]:
        """Time step at which each phase before the choice ends."""
        return Course.of(self.model, self.prepared, self.dt).borders

    @property
    def dt(self) -> float:
        """Time step in seconds."""
        return default_dt(self.model)

    def engine(self, seed: int, n_games: int = 1, **options: Any) -> Any:
        """Return the compiled engine; all games have the same random numbers."""
        given = {"model": self.model, "prepared": [self.prepared], **options}
        if self.inputs:
            given["inputs"] = {name: array[None] for name, array in self.inputs.items()}
        rng = GameStreams([np.random.default_rng(seed) for _ in range(n_games)])
        make: Any = engine_class("rounds", self.model)
        return make(self.arms, self.parameters, n_games, rng=rng, **given)


def _check_length(model: Model, values: Mapping[str, float]) -> None:
    """Raise a ValueError if a round has more time steps than a page should wait for."""
    structure = model.structure
    steps = Course.of(model, values, default_dt(model)).round_steps
    if steps > MOST_STEPS:
        phases = " and ".join(phase.duration for phase in structure.before)
        raise ValueError(f"{phases} must add up to at most {MOST_STEPS} time steps here, got {steps}")


def sampled(network: Network) -> tuple[np.ndarray, list[tuple[int, np.ndarray]]]:
    """Return the points in time in seconds, and for each phase its index and the steps within it."""
    count = max(8, min(POINTS, MOST // network.arms))
    phases, times = [], [np.zeros(1)]
    for k, (start, end) in enumerate(pairwise((0, *network.borders))):
        steps = np.rint(np.linspace(1, end - start, count)).astype(int)
        phases.append((k, steps))
        times.append((start + steps) * network.dt)
    return np.concatenate(times), phases


def course(network: Network, w: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the points in time and the activities (2, points, arms) of rate neurons from rest to the choice."""
    t, phases = sampled(network)
    found = [_rest(network)[:, None]]
    for k, steps in phases:
        cut = _cut(network.model, k)
        values = [{**network.prepared, ELAPSED: step * network.dt} for step in steps]
        if warm(network.model):
            pairs = _pairs(cut, len(steps), len(steps) * network.arms)
            before = network.borders[:k]
            borders = [(*before, (before[-1] if before else 0) + step) for step in steps]
            pairs.set_values(values, borders)
            given = {name: np.tile(row, len(steps)) for name, row in start(network, w, pairs.inputs).items()}
            ends = pairs.respond(np.arange(len(steps)).repeat(network.arms), given, network.arms)[:2]
            found.append(ends.reshape(2, len(steps), network.arms))
        else:
            found.append(_by_engine(network, cut, values, w, seed))
    return t, np.concatenate(found, axis=1)


def left(network: Network, w: np.ndarray) -> np.ndarray:
    """Return the activities (2, n) of options with n weights at a round's end, for models whose options are alone."""
    cut = _cut(network.model, len(network.borders) - 1)
    pairs = _pairs(cut, 1, len(w))
    last = network.borders[-1] - (0, *network.borders)[-2]
    pairs.set_values([{**network.prepared, ELAPSED: last * network.dt}], [network.borders])
    return pairs.respond(np.zeros(len(w), int), start(network, w, pairs.inputs), network.arms)[:2]


def warm(model: Model) -> bool:
    """Return whether options are integrated one by one, by code that need not be generated again for new values."""
    structure = model.structure
    return structure.single and not structure.crossing and not structure.draws


def start(network: Network, w: np.ndarray, names: Any) -> dict[str, np.ndarray]:
    """Return what options with these weights read at the start of a game's first round, by name."""
    structure, found = network.model.structure, {}
    constants = {**network.prepared, "n_arms": network.arms}
    carried = {name: text for each in structure.populations.values() for name, text in each.initial.items()}
    for name in names:
        if name == "w":
            value: Any = w
        elif name in structure.inputs:
            declared = structure.inputs[name]
            value = network.inputs.get(name, declared.default) * float(unit_of(declared.unit))
        else:
            text = structure.initial.get(name, carried.get(name, "0"))
            value = numpy_function(text, {}, constants)()
        found[name] = np.broadcast_to(value, np.shape(w))
    return found


def _rest(network: Network) -> np.ndarray:
    """Return the activities (2, arms) before the first step."""
    populations, constants = network.model.structure.populations, {**network.prepared, "n_arms": network.arms}
    texts = [populations[name].initial.get(name, "0") for name in ("u", "v")]
    return np.array([np.full(network.arms, float(numpy_function(text, {}, constants)())) for text in texts])


@lru_cache(maxsize=32)
def _cut(model: Model, k: int) -> Model:
    """Return the model whose phase k is the last before the choice, and lasts for a given time."""
    structure = model.structure
    silent = dict.fromkeys(structure.phased, "0")
    last = Phase(structure.before[k].name, ELAPSED, {**silent, **structure.before[k].on})
    phases = (*structure.before[:k], last, *structure.after)
    choice = Choice(model.choice.u, model.choice.v)
    elapsed = Parameter(ELAPSED, 1, "second")
    return rebuilt(model, (elapsed,), name=f"{model.name}-{k}", phases=phases, choice=choice)


@lru_cache(maxsize=16)
def _pairs(model: Model, n_sets: int, size: int) -> Pairs:
    """Return compiled code for pairs of a model; its values are set before each use."""
    values = {name: info.default * float(unit_of(info.unit)) for name, info in model.declared.items()}
    return Pairs(
        [values | {ELAPSED: 1.0}] * n_sets, size, engine_options(1e3 * default_dt(model), EULER)["dt"], model=model
    )


def _by_engine(network: Network, cut: Model, values: list[dict[str, float]], w: np.ndarray, seed: int) -> np.ndarray:
    """Return the activities (2, points, arms) at the ends of rounds of a general engine, a game for each point."""
    used = {name: value for name, value in network.parameters.to_dict().items() if name in cut.declared}
    ends = Network(cut, NSAParameters.from_dict(used, cut.declared), {}, network.arms, network.inputs)
    engine = ends.engine(seed, len(values), prepared=values)
    engine.set_weights(w)
    engine.respond()
    populations = cut.structure.populations
    rates = [engine.state(name) if name in populations[name].state else np.zeros_like(engine.w) for name in ("u", "v")]
    return np.array(rates)
