"""Fitness: what parameters earn on stated games, or what a function of the user's own says of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from envs import Bandit, make
from envs.base import lay_out
from envs.base import stretches as laid_out
from evolution.luck import CommonLuck, stream
from nsa_brian.common.checks import check_number, check_whole
from nsa_brian.common.memory import NUMBER, check_memory
from nsa_brian.common.texts import shown
from nsa_brian.engines.registry import engine_class
from nsa_brian.model.agreement import N_LUCK
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine
    from nsa_brian.model.model import Model

ENGINES = ("table", "rounds")

#: A fitness of the user's own: what parameters are worth under a seed, the more the better. It must be picklable to
#: be asked in other processes, and draw its random numbers from the seed, which all of a generation share.
OwnFitness = Callable[[NSAParameters, tuple[int, ...]], float]

#: Is shown the arms (rounds, games) that were chosen.
Show = Callable[[np.ndarray], None]

#: Rounds after which a model's activities count as finite.
FEW = 5

#: The table's grid: a quarter of the default's cost; games part ways with ``rounds`` in 1 to 2 of 100. Few cells, for
#: most are refined anyway, and where the answer is smooth none need be: the choices of 256 cells refined by 64.
GRID: dict[str, Any] = {"cells": 64, "refine": 256}


@dataclass(frozen=True, kw_only=True)
class Games:
    """The games that individuals are judged by: every bandit with every number of arms, some iterations of each.

    Attributes
    ----------
    envs : tuple of str
        Bandits, each a name of ``envs.BANDITS`` or ``NAME:PRESET``.
    arms : tuple of int
    iterations : int
        Games of a bandit and a number of arms.
    trials, rounds : int
        Trials of a game, rounds of a trial.
    engine : {"", "table", "rounds"}
        What plays them; empty for the fastest that runs the model.
    tolerance : float, optional
        Activities that differ by less count as equal, in their own unit; by default what the engine has.
    model : Model
        Who plays them; by default the paper's.
    inputs : mapping
        Values of the model's inputs by name, from a game's first round on: rounds x arms, or one a round for an input
        of the game; see :class:`nsa_brian.engines.inputs.Inputs`.
    """

    envs: tuple[str, ...] = ("MAB-P", "MAB-D", "MAB-sin")
    arms: tuple[int, ...] = (40, 200)
    iterations: int = 2
    trials: int = 2
    rounds: int = 2000
    engine: str = ""
    tolerance: float | None = None
    model: Model = None  # type: ignore[assignment]  # a model once it is made; Brian2 takes a second to import
    inputs: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ("iterations", "trials", "rounds"):
            check_whole(name, getattr(self, name), 1)
        if self.engine and self.engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)} here, got {shown(self.engine)}")
        if self.tolerance is not None:
            check_number("tolerance", self.tolerance, 0)
        for name, kind, called in (("envs", str, "names"), ("arms", int, "whole numbers")):
            values = getattr(self, name)
            if not isinstance(values, list | tuple) or not all(isinstance(value, kind) for value in values):
                raise ValueError(f"{name} must be a sequence of {called}, got {shown(values)}")
            object.__setattr__(self, name, tuple(values))
            if not values or len(set(values)) < len(values):
                raise ValueError(f"{name} must name at least one, each once, got {shown(', '.join(map(str, values)))}")
        for n_arms in self.arms:
            check_whole("arms", n_arms, 2)
        self.check_memory(1)
        for env in self.envs:
            for n_arms in self.arms:
                self._make(env, n_arms)
        from nsa_brian.model.model import Model  # here: Brian2 takes a second to import

        object.__setattr__(self, "model", _paper() if self.model is None else self.model)
        if not isinstance(self.model, Model):
            raise ValueError(f"model must be a Model, got {shown(self.model)}")
        refusal = self.model.refusal(self.played_by)
        if refusal:
            raise ValueError(refusal)
        self._check_inputs()

    def _check_inputs(self) -> None:
        from nsa_brian.engines.inputs import Inputs  # here: Brian2 takes a second to import

        for n_arms in self.arms:
            Inputs(self.model, 1, n_arms, self.inputs)
        plain = {name: np.asarray(values, dtype=float).tolist() for name, values in self.inputs.items()}
        object.__setattr__(self, "inputs", plain)

    @property
    def played_by(self) -> str:
        """The engine: the one that is named, or the fastest that runs the model."""
        return self.engine or self.model.fastest

    @property
    def n_rounds(self) -> int:
        """Rounds of a game."""
        return self.trials * self.rounds

    @property
    def game_rounds(self) -> int:
        """Rounds that an individual plays, in all of its games."""
        return len(self.cells) * self.iterations * self.n_rounds

    @property
    def cells(self) -> list[tuple[str, int]]:
        """Bandits and numbers of arms, in the order of the scores."""
        return [(env, n_arms) for n_arms in self.arms for env in self.envs]

    def check_memory(self, n_players: int) -> None:
        """Refuse games of so many players that will not fit into memory: all arms of all games, and some copies."""
        n_games = float(n_players) * len(self.envs) * self.iterations
        check_memory(4 * NUMBER * n_games * max(self.arms), "games of that size")

    def bandit(self, env: str, n_arms: int, rng: np.random.Generator) -> Bandit:
        """A bandit of these games, at its start."""
        made = self._make(env, n_arms)
        made.reset(rng)
        return made

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values, the model in full."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        if not self.inputs:  # which games of 0.2 did not have
            del plain["inputs"]
        return {**plain, "envs": list(self.envs), "arms": list(self.arms), "model": self.model.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Games:
        """What :meth:`to_dict` made."""
        from nsa_brian.model.model import Model

        lists = {name: tuple(values[name]) for name in ("envs", "arms")}
        return cls(**{**values, **lists, "model": Model.from_dict(values["model"])})

    def _make(self, env: str, n_arms: int) -> Bandit:
        name, _, preset = env.partition(":")
        made = make(name, n_arms, preset=preset or None, n_games=self.iterations, trial_rounds=self.rounds)
        if made.horizon is not None and made.horizon < self.n_rounds:
            raise ValueError(f"the {name} lasts {made.horizon} rounds, but {self.n_rounds} were asked for")
        return made


class Scores(NamedTuple):
    """Means over all rounds, each (individuals, cells of the games).

    Attributes
    ----------
    reward : reward probability of the chosen arm, the fitness
    regret : what was missing to the best arm's
    """

    reward: np.ndarray
    regret: np.ndarray


def scores(games: Games, seed: tuple[int, ...], individuals: Sequence[NSAParameters]) -> Scores:
    """Let individuals play.

    All of them meet the same bandits and the same luck, which depend on the seed and on the cell alone. So an
    individual's scores are the same whoever is scored beside it, in this process or in another. Where parameters make a
    model of the user's own run away, beyond all numbers, its neurons count as silent and its synapses start anew at 0.

    Parameters
    ----------
    games : Games
    seed : tuple of int
        Such as the search's seed and the generation.
    individuals : sequence of NSAParameters
    """
    with np.errstate() if games.model == _paper() else np.errstate(all="ignore"):
        return _scores(games, seed, individuals)


def _scores(
    games: Games, seed: tuple[int, ...], individuals: Sequence[NSAParameters], show: Show = lambda arms: None
) -> Scores:
    from nsa_brian.preparation import with_prepared  # here: Brian2 takes a second to import

    model, engine = games.model, games.played_by
    individuals = [model.complete(individual) for individual in individuals]
    shared = _shared(games, individuals)
    if games.tolerance is not None:
        shared["tolerance"] = games.tolerance
    if games.inputs:
        shared["inputs"] = games.inputs
    if model.structure.spikes:  # neurons that are not finite count as silent
        shared["mend"] = True
    named = [(env, iteration) for env in games.envs for iteration in range(games.iterations)]
    players = [individual for individual in individuals for _ in named]
    found = []
    for n_arms in games.arms:
        noise = [stream(seed, f"{env} {n_arms} noise {iteration}") for env, iteration in named]
        shared["rng"] = CommonLuck(noise, len(individuals))
        options = with_prepared(model, players, n_arms, len(players), shared)
        found.append(_play(engine_class(engine, model)(n_arms, players, len(players), **options), games, seed, show))
    return Scores(*np.concatenate(found, axis=2))


def _shared(games: Games, individuals: Sequence[NSAParameters]) -> dict[str, Any]:
    """What the engines of all games have in common."""
    shared: dict[str, Any] = {"model": games.model}
    if games.played_by == "table":
        from nsa_brian.codegen.pairs import distinct_sets  # here: Brian2 takes a second to import
        from nsa_brian.engines.response_table import ResponseTable

        shared["table"] = ResponseTable(distinct_sets(individuals)[0], model=games.model, **GRID)
    return shared


def any_finite(games: Games, individuals: Sequence[NSAParameters]) -> bool:
    """Whether with some of the parameters activities stay finite over a few rounds.

    Certain for the paper's model, and for spikes, which are counted.
    """
    model = games.model
    if model == _paper() or model.structure.spikes:
        return True
    individuals = [model.complete(individual) for individual in individuals]
    with np.errstate(all="ignore"):
        engine: Engine = engine_class(games.played_by, model)(
            2, individuals, len(individuals), rng=np.random.default_rng(0), **_shared(games, individuals)
        )
        finite = np.ones(len(individuals), dtype=bool)
        for _ in range(FEW):
            engine.respond()
            finite &= np.isfinite(engine.activity).all(axis=(0, 2))
            if not finite.any():
                return False
            engine.learn(np.zeros(len(individuals), dtype=int), np.ones(len(individuals)))
    return True


def choices(games: Games, seed: tuple[int, ...], individuals: Sequence[NSAParameters]) -> np.ndarray:
    """The arms that individuals choose in all rounds of all games, (individuals, game-rounds)."""
    n_games, seen = len(games.envs) * games.iterations, list[np.ndarray]()
    with np.errstate(all="ignore"):
        _scores(games, seed, individuals, seen.append)
    return np.concatenate([arms.reshape(len(arms), -1, n_games).swapaxes(0, 1) for arms in seen], axis=1).reshape(
        len(individuals), -1
    )


def own_scores(fitness: OwnFitness, seed: tuple[int, ...], individuals: Sequence[NSAParameters]) -> Scores:
    """What a fitness of the user's own says of individuals, as the scores of one cell: regret is minus the reward."""
    found = []
    for individual in individuals:
        value = float(fitness(individual, seed))
        if not math.isfinite(value):
            raise ValueError(f"a fitness must be a finite number, got {shown(value)} for {individual.to_dict()}")
        found.append([value])
    return Scores(np.array(found), -np.array(found))


def rounds(games: Games, seed: tuple[int, ...], n_arms: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rounds of all games with some number of arms, environments x iterations, in all their randomness.

    Yields
    ------
    probabilities : array (games, arms)
    luck : array (games, 4)
        Uniform numbers: three for NSA's decision, the last one for the reward.
    """
    for probabilities, luck in stretches(games, seed, n_arms):
        yield from zip(probabilities, luck, strict=True)


def stretches(
    games: Games, seed: tuple[int, ...], n_arms: int, n_games: int = 0
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The same rounds, many at a time: probabilities (rounds, games, arms) and luck (rounds, games, 4).

    They are so many that the numbers of ``n_games``, if there are more of them, can be laid out as well.
    """
    bandits = [games.bandit(env, n_arms, stream(seed, f"{env} {n_arms}")) for env in games.envs]
    lucks = [stream(seed, f"{env} {n_arms} luck") for env in games.envs]
    for n, length in enumerate(laid_out(games.n_rounds, max(n_games, len(bandits) * games.iterations), n_arms)):
        if n:
            for bandit in bandits:
                bandit.step()
        size = (length, games.iterations, N_LUCK + 1)
        probabilities = np.concatenate([lay_out(bandit, length)[0] for bandit in bandits], axis=1)
        yield probabilities, np.concatenate([luck.random(size) for luck in lucks], axis=1)


def _play(engine: Engine, games: Games, seed: tuple[int, ...], show: Show) -> np.ndarray:
    """Reward and regret (2, individuals, environments); the engine's games are individuals x those of ``rounds``."""
    n_games = len(games.envs) * games.iterations
    game = np.tile(np.arange(n_games), engine.n_games // n_games)
    best, stretch = np.zeros(n_games), engine.stretch(mend=True)
    for probabilities, luck in stretches(games, seed, engine.n_arms, engine.n_games if games.model.noise else 0):
        show(stretch.play(game, probabilities, luck)[0])
        # Added up round by round, as what was earned is: a sum in another order differs in its last bits.
        best = np.add.accumulate(np.vstack([best, probabilities.max(axis=2)]))[-1]
    means = np.stack([stretch.earned, best[game] - stretch.earned]) / games.n_rounds
    return means.reshape(2, -1, len(games.envs), games.iterations).mean(axis=3)


def _paper() -> Model:
    """The paper's model; here, since Brian2 takes a second to import."""
    from nsa_brian.model.model import PAPER

    return PAPER
