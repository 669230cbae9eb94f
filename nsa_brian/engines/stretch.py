"""Many rounds at once, against bandits whose probabilities and luck are known beforehand: compiled, or one by one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from nsa_brian.codegen.integrator import Integrator
from nsa_brian.codegen.stretch import CompiledStretch, Grid, Players
from nsa_brian.engines.randomness import Randomness
from nsa_brian.errors import RunawayError
from nsa_brian.model.agreement import N_LUCK, select
from nsa_brian.model.base import AnyModel
from nsa_brian.model.model import PAPER

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine
    from nsa_brian.engines.separable import Separable


class Stretch(ABC):
    """Respond, select, pay and learn for all games of an engine, many rounds in a call.

    Parameters
    ----------
    engine : Engine
    mend : bool
        What to do where a model of the user's own runs away, beyond all numbers: with it, such neurons count as silent,
        and such synapses start anew at 0. Else it is an error.

    Attributes
    ----------
    earned : array (games,)
        The probabilities of the arms chosen so far, added up.
    """

    earned: np.ndarray

    @abstractmethod
    def play(self, row: np.ndarray, chances: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play rounds.

        Parameters
        ----------
        row : array of int (games,)
            The bandits' game that each of the engine's meets.
        chances : array (rounds, rows, arms)
            Reward probabilities.
        luck : array (rounds, rows, 4)
            Uniform numbers: three for the decision, the last one for the reward. What a model with noise takes besides
            is drawn by the engine.

        Returns
        -------
        arms : array of int (rounds, games)
        agreed : array of bool (rounds, games)
        """


class RoundByRound(Stretch):
    """The rounds of any engine, one after the other in Python: the reference, and what there is without a compiler."""

    def __init__(self, engine: Engine, mend: bool) -> None:
        self._engine, self._mend = engine, mend
        self.earned = np.zeros(engine.n_games)

    def play(self, row: np.ndarray, chances: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play rounds; see :meth:`Stretch.play`."""
        engine, size = self._engine, (len(chances), self._engine.n_games)
        arms, agreed = np.empty(size, dtype=np.int32), np.empty(size, dtype=bool)
        for t, (chance, drawn) in enumerate(zip(chances, luck, strict=True)):
            engine.respond()
            activity = engine.activity
            if not np.isfinite(activity).all():
                if not self._mend:
                    raise runaway(engine.model)
                activity = np.where(np.isnan(activity), -np.inf, activity)
            arms[t], agreed[t] = select(activity, drawn[row, :N_LUCK], engine.ties, engine.tolerance)
            expected = chance[row, arms[t]]
            rewards = (drawn[row, N_LUCK] < expected).view(np.int8)
            if self._mend:
                engine._learn(arms[t], rewards)
                self._start_anew()
            else:
                engine.learn(arms[t], rewards)
            self.earned += expected
        return arms, agreed

    def _start_anew(self) -> None:
        """Put 0 where learning left no finite number in a synapse."""
        synapses = self._engine.synapses
        if not all(np.isfinite(array.sum()) for array in synapses.values()):  # far cheaper than to look at each
            self._engine.set_weights(**{name: np.where(np.isfinite(x), x, 0.0) for name, x in synapses.items()})


class CompiledRounds(Stretch):
    """The same in compiled code, with the same choices.

    The engine's synapses and activities are left as the other path leaves them, so that the engine may go on either
    way.

    Parameters
    ----------
    engine : Separable
    players : Players
        The engine's games.
    answers : Grid or Integrator
        How its options answer.
    mend : bool
        See :class:`Stretch`.
    """

    def __init__(self, engine: Separable, players: Players, answers: Grid | Integrator, mend: bool) -> None:
        self._engine = engine
        watched = engine.model != PAPER and not isinstance(answers, Grid)  # which knows whether all in it are numbers
        self._compiled = CompiledStretch(players, answers, watched, mend)
        self._games = np.arange(engine.n_games)
        #: What was left stale at the end of the last stretch, for the next one to see to.
        self._left = np.empty(0, dtype=np.intp)
        self._every = not isinstance(answers, Grid) and answers.every
        self.earned = self._compiled.earned

    def play_drawing(self, chances: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play rounds, each game against a bandit of its own, with what the engine draws for its decisions.

        Parameters
        ----------
        chances : array (rounds, games, arms)
            Reward probabilities.
        luck : array (rounds, games)
            Uniform numbers for the rewards.

        Returns
        -------
        arms, agreed
            See :meth:`play`.
        """
        engine = self._engine
        n_rounds, size = len(chances), (engine.n_games, engine.n_arms)
        if n_rounds < 1 or np.shape(chances) != (n_rounds, *size) or np.shape(luck) != (n_rounds, engine.n_games):
            raise ValueError(
                f"probabilities must be of shape (rounds, {size[0]}, {size[1]}) and luck of shape (rounds, {size[0]}), "
                f"of the same rounds, from 1 up, got {np.shape(chances)} and {np.shape(luck)}"
            )
        noise, decisions = self._draw(n_rounds)
        return self.play(self._games, chances, np.concatenate([decisions, luck[:, :, None]], axis=2), noise)

    def _draw(self, n_rounds: int) -> tuple[np.ndarray | None, np.ndarray]:
        """What the engine draws in so many rounds: for the noise, if there is any, then for the decision."""
        engine = self._engine
        rng, n_games = engine.rng, engine.n_games
        n_noise = engine.n_arms if engine.model.noise else 0
        if hasattr(rng, "rounds"):  # has a stream for each game
            drawn = rng.rounds(n_rounds, (n_games, n_noise + N_LUCK))
            noise, luck = drawn[:, :, :n_noise], drawn[:, :, n_noise:]
        else:
            drawn = rng.random((n_rounds, n_games * (n_noise + N_LUCK)))
            noise, luck = (part.reshape(n_rounds, n_games, -1) for part in np.split(drawn, [n_games * n_noise], axis=1))
        return (noise if n_noise else None), luck

    def play(
        self, row: np.ndarray, chances: np.ndarray, luck: np.ndarray, noise: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Play rounds; see :meth:`Stretch.play`. Noise may be given: uniform numbers (rounds, games, arms)."""
        engine, compiled = self._engine, self._compiled
        if not self._every and engine.stale is not self._left:  # something happened in between
            engine.refresh()
            compiled.answered(self._games)
            self._watch(engine.ends[:2])
        if noise is None and engine.model.noise:
            noise = _rounds(engine.rng, len(chances), (engine.n_games, engine.n_arms))
        compiled.begin(row, chances, luck, noise)
        compiled.run()
        while (games := compiled.waiting).size and not compiled.runaway:
            places = compiled.stale(games)
            found = engine.answer(places)
            engine.ends.reshape(len(found), -1)[:, places] = found
            self._watch(found[:2])
            compiled.answered(games)
            compiled.run()
        if compiled.runaway:
            raise runaway(engine.model, compiled.runaway_variable)
        if not self._every:
            engine.stale = self._left = compiled.stale(self._games)
        arms, agreed = compiled.choices
        engine.agreed = agreed[-1].copy()
        return arms, agreed

    def _watch(self, activity: np.ndarray) -> None:
        """Have an eye on the activities from now on, if there is a reason to."""
        if not np.isfinite(activity).all():
            self._compiled.watch()


def _rounds(rng: Randomness, n_rounds: int, size: tuple[int, ...]) -> np.ndarray:
    """What ``rng.random(size)`` gives in each of some rounds; a generator with streams of games' own has ``rounds``."""
    rounds = getattr(rng, "rounds", None)
    return rounds(n_rounds, size) if rounds else rng.random((n_rounds, *size))


def runaway(
    model: AnyModel, name: str = "", where: str = "after learning: the rule overflows or divides by zero"
) -> RunawayError:
    """Return the error for a model whose activities, or whose variable of that name, are not finite."""
    if name:
        return RunawayError(f"model {model.name}: {name} is not finite {where}")
    return RunawayError(
        f"model {model.name}: activities are not finite at a round's end; its equations grow without bound, or the "
        "time step is too long for them"
    )
