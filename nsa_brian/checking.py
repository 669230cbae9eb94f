"""``check``: a model on all engines side by side. Which run it, whether they agree, and how fast each is."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nsa_brian.engines.registry import ENGINES, engine_class
from nsa_brian.model.base import AnyModel
from nsa_brian.model.loading import load_model
from nsa_brian.model.timing import steps_of
from nsa_brian.parameter_set import load
from nsa_brian.parameters import NSAParameters
from nsa_brian.spiking.timing import DT, Timing

#: The engine that the others are held against.
REFERENCE = "network"


@dataclass(frozen=True)
class EngineCheck:
    """How one engine did.

    Attributes
    ----------
    engine : str
    refusal : str
        Why it does not run the model; empty if it does.
    choices : float
        Share of the choices that are the reference's.
    activity, synapses : float
        Largest difference from the reference's activities, and variables of the synapses, as long as the choices are
        the same.
    ms_per_round : float
        Time of a round of all games.
    steps_per_second : float
        Time steps of an option that it gets through in a second.
    """

    engine: str
    refusal: str = ""
    choices: float = float("nan")
    activity: float = float("nan")
    synapses: float = float("nan")
    ms_per_round: float = float("nan")
    steps_per_second: float = float("nan")

    @property
    def agrees(self) -> bool:
        """Whether it refuses, or makes the reference's choices."""
        return bool(self.refusal) or self.choices == 1


@dataclass(frozen=True)
class Check:
    """What :func:`check` found: an :class:`EngineCheck` for each engine, and what was played."""

    model: AnyModel
    engines: tuple[EngineCheck, ...]
    played: dict[str, Any] = field(default_factory=dict)

    @property
    def agree(self) -> bool:
        """Whether all engines that run the model agree."""
        return all(engine.agrees for engine in self.engines)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON takes it."""
        found = []
        for engine in self.engines:
            plain = {key: None if value != value else value for key, value in dataclasses.asdict(engine).items()}
            found.append({**plain, "agrees": engine.agrees})
        structure = self.model.structure
        return {
            "model": self.model.to_dict(),
            "agree": self.agree,
            "dense": structure.dense,
            "coordinate": structure.coordinate,
            "engines": found,
            "played": self.played,
        }

    def __str__(self) -> str:
        lines = [f"model {self.model.name}: {_how_it_runs(self.model)}"]
        for found in self.engines:
            if found.refusal:
                lines.append(f"  {found.engine:<8} refused: {found.refusal}")
                continue
            held = "the reference"
            if found.engine != REFERENCE:
                held = (
                    f"{found.choices:.0%} of the choices, activities within {found.activity:.0e}, "
                    f"synapses within {found.synapses:.0e}"
                )
            lines.append(
                f"  {found.engine:<8} {found.ms_per_round:.3g} ms a round, {found.steps_per_second:.2g} steps/s; {held}"
            )
        rounds, arms, games = (self.played[key] for key in ("rounds", "arms", "games"))
        told = f"{games} games of {rounds} rounds, {arms} arms"
        if self.model.noise:
            told += ", played without the model's noise, whose numbers differ between engines"
        return "\n".join([*lines, f"{'they agree' if self.agree else 'THEY DO NOT AGREE'} ({told})"])


def check(
    model: AnyModel | str | Path,
    parameters: NSAParameters | str | None = None,
    n_arms: int = 4,
    n_rounds: int = 25,
    n_games: int = 2,
    seed: int = 0,
    method: str = "euler",
) -> Check:
    """Play a model on all engines, with the same luck, and compare.

    Parameters
    ----------
    model : Model, or what :func:`nsa_brian.load_model` takes
    parameters : NSAParameters or str, optional
        By default the default set, the model's own parameters at their defaults.
    n_arms, n_rounds, n_games, seed : int
        What is played: arms that pay with different probabilities.
    method : str
        How equations are integrated. Engines agree choice for choice with ``euler``; methods of higher order take
        what other neurons send as constant in ``network`` and as changing, within a pair, in the others.

    Returns
    -------
    Check
        ``print`` it, or ask ``.agree``.
    """
    model = model if isinstance(model, AnyModel) else load_model(model)
    if n_rounds < 2:
        raise ValueError(f"n_rounds must be at least 2, got {n_rounds}")
    if not isinstance(parameters, NSAParameters):
        parameters = load(parameters).parameters if parameters else load().parameters
    parameters = model.complete(parameters)
    quiet: Any = dataclasses.replace(model, noise=0.0) if model.noise else model  # type: ignore[type-var]
    spiking = model.kind == "spiking"
    if spiking:
        ways: dict[str, Any] = {}
        steps = Timing.of(model.values_in_si(parameters), DT).round_steps * n_arms * n_games
    else:
        ways = {"method": method}
        steps = steps_of(parameters, method=method)[1] * n_arms * n_games
    found: list[EngineCheck] = []
    reference: _Game | None = None
    for name in (REFERENCE, *(name for name in ENGINES if name != REFERENCE)):
        refusal = model.refusal(name)
        if refusal:
            found.append(EngineCheck(name, refusal))
            continue
        rng = np.random.default_rng(seed)
        options = {"dense": True} if name == "rounds" and model.noise else {}  # the way that noise is integrated
        make: Any = engine_class(name, model)
        engine = make(n_arms, parameters, n_games, rng=rng, model=quiet, **ways, **options)
        game = _play(engine, n_rounds, seed)
        reference = reference or game
        seconds = game.seconds
        same = (game.arms == reference.arms).all(axis=1)
        first = int(np.argmin(same)) + 1 if not same.all() else n_rounds  # rounds up to the first that differs
        found.append(
            EngineCheck(
                name,
                choices=float((game.arms == reference.arms).mean()),
                activity=float(np.abs(game.activity[:first] - reference.activity[:first]).max()),
                synapses=float(np.abs(game.synapses[:first] - reference.synapses[:first]).max()),
                ms_per_round=1e3 * seconds,
                steps_per_second=steps / seconds,
            )
        )
    played = {"rounds": n_rounds, "arms": n_arms, "games": n_games, "seed": seed, "method": method}
    return Check(model, tuple(found), played)


@dataclass(frozen=True)
class _Game:
    arms: np.ndarray  # (rounds, games)
    activity: np.ndarray  # (rounds, 2, games, arms)
    synapses: np.ndarray  # (rounds, variables, games, arms), before learning
    seconds: float  # a round, without the first


def _play(engine: Any, n_rounds: int, seed: int) -> _Game:
    """Play, and write down every round's end."""
    luck: Iterator[np.ndarray] = iter(np.random.default_rng([seed, 1]).random((n_rounds, engine.n_games)))
    chances = np.linspace(0.2, 0.8, engine.n_arms)
    arms, activity, synapses, times = [], [], [], []

    def pull(chosen: np.ndarray) -> np.ndarray:
        arms.append(chosen.copy())
        activity.append(engine.activity.copy())
        synapses.append(np.array([array.copy() for array in engine.synapses.values()]))
        times.append(time.perf_counter())
        return (next(luck) < chances[chosen]).astype(float)

    engine.play(pull, n_rounds)
    return _Game(np.array(arms), np.array(activity), np.array(synapses), (times[-1] - times[0]) / (n_rounds - 1))


def _how_it_runs(model: AnyModel) -> str:
    """What follows from the model's structure, in a sentence."""
    structure = model.structure
    if structure.dense:
        return f"all options are integrated in every round, since {structure.dense}"
    if structure.coordinate:
        what = structure.coordinate
        return f"only options whose synapse has changed are integrated; a round's end is a function of {what}"
    return "only options whose synapse has changed are integrated"
