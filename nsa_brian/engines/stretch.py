"""Many rounds per call, against bandits with known probabilities and random numbers; compiled, or in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from nsa_brian.codegen.integrator import Integrator
from nsa_brian.codegen.stretch import Cells, CompiledStretch, Grid, Players
from nsa_brian.errors import RunawayError
from nsa_brian.model.agreement import N_LUCK
from nsa_brian.model.model import PAPER, Model

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine
    from nsa_brian.engines.separable import Separable


class Stretch(ABC):
    """Plays many rounds of all games of an engine per call: respond, select, reward, learn.

    Parameters
    ----------
    engine : Engine
    lenient : bool
        If a model diverges, treat neurons with non-finite activity as silent and reset non-finite synapses to 0,
        instead of raising an error.

    Attributes
    ----------
    earned : array (games,)
        Sum of the reward probabilities of the arms chosen so far.
    """

    earned: np.ndarray

    @abstractmethod
    def play(self, row: np.ndarray, chances: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play rounds.

        Parameters
        ----------
        row : array of int (games,)
            The row of ``chances`` and ``luck`` for each game of the engine.
        chances : array (rounds, rows, arms)
            Reward probabilities.
        luck : array (rounds, rows, 4)
            Uniform random numbers: three for the decision, the last one for the reward.

        Returns
        -------
        arms : array of int (rounds, games)
        agreed : array of bool (rounds, games)
        """


class RoundByRound(Stretch):
    """Rounds of any engine, one by one in Python: the reference, and the fallback without a compiler."""

    def __init__(self, engine: Engine, lenient: bool) -> None:
        self._engine, self._lenient = engine, lenient
        self.earned = np.zeros(engine.n_games)

    def play(self, row: np.ndarray, chances: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play rounds; see :meth:`Stretch.play`."""
        engine, size = self._engine, (len(chances), self._engine.n_games)
        arms, agreed = np.empty(size, dtype=np.int32), np.empty(size, dtype=bool)
        for t, (chance, drawn) in enumerate(zip(chances, luck, strict=True)):
            engine.respond()
            activity = engine.activity
            if not np.isfinite(activity).all():
                if not self._lenient:
                    raise runaway(engine.model)
                activity = np.where(np.isnan(activity), -np.inf, activity)
            arms[t] = engine.choose(drawn[row, :N_LUCK], activity, self._lenient)
            agreed[t] = engine.agreed
            expected = chance[row, arms[t]]
            rewards = (drawn[row, N_LUCK] < expected).view(np.int8)
            if self._lenient:
                engine._learn(arms[t], rewards)
                self._replace_non_finite()
            else:
                engine.learn(arms[t], rewards)
            self.earned += expected
        return arms, agreed

    def _replace_non_finite(self) -> None:
        """Replace non-finite values of synapses and signals by 0."""
        for array in self._engine.signals.values():
            array[~np.isfinite(array)] = 0
        synapses = self._engine.synapses
        if not all(np.isfinite(array.sum()) for array in synapses.values()):  # far cheaper than checking each element
            self._engine.set_weights(**{name: np.where(np.isfinite(x), x, 0.0) for name, x in synapses.items()})


class CompiledRounds(Stretch):
    """Rounds in compiled code, with the same choices as :class:`RoundByRound`.

    Both leave the engine's synapses and activities in the same state, so they can be mixed.

    Parameters
    ----------
    engine : Separable
    players : Players
        The engine's games.
    answers : Grid, Cells or Integrator
        How its options respond.
    lenient : bool
        See :class:`Stretch`.
    """

    def __init__(self, engine: Separable, players: Players, answers: Grid | Cells | Integrator, lenient: bool) -> None:
        self._engine, self._lenient = engine, lenient
        watched = engine.model != PAPER and isinstance(answers, Integrator)  # tables know whether they are finite
        self._compiled = CompiledStretch(players, answers, watched, lenient)
        self._games = np.arange(engine.n_games)
        #: Options to update at the start of the next stretch.
        self._left = np.empty(0, dtype=np.intp)
        self._every = isinstance(answers, Integrator) and answers.every
        self.earned = self._compiled.earned

    def play_drawing(self, chances: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play rounds, each game against its own bandit, with decisions drawn from the engine's generator.

        Parameters
        ----------
        chances : array (rounds, games, arms)
            Reward probabilities.
        luck : array (rounds, games)
            Uniform random numbers for the rewards.

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
                f"with the same number of rounds from 1 up, got {np.shape(chances)} and {np.shape(luck)}"
            )
        rng, shape = engine.rng, (engine.n_games, N_LUCK)
        # Generators with a stream per game have ``rounds``.
        decisions = rng.rounds(n_rounds, shape) if hasattr(rng, "rounds") else rng.random((n_rounds, *shape))
        # A record has values of every round, which compiled rounds do not return.
        rounds = self if engine.recording is None else RoundByRound(engine, self._lenient)
        return rounds.play(self._games, chances, np.concatenate([decisions, luck[:, :, None]], axis=2))

    def play(self, row: np.ndarray, chances: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play rounds; see :meth:`Stretch.play`."""
        engine, compiled = self._engine, self._compiled
        if not self._every and engine.stale is not self._left:  # the engine was used in between
            engine.refresh()
            compiled.start_anew()
            self._watch(engine.ends[:2])
        compiled.begin(row, chances, luck, engine.inputs.ahead(len(chances)))
        compiled.run()
        while (games := compiled.waiting).size and not compiled.runaway:
            places = compiled.stale(games)
            found = engine.answer(places)
            engine.ends.reshape(len(found), -1)[:, places] = found
            self._watch(found[:2])
            compiled.answered(games)
            compiled.run()
        if compiled.runaway:
            name = compiled.runaway_variable
            raise runaway(engine.model, name, EXPLORE) if name == "explore" else runaway(engine.model, name)
        if not self._every:
            engine.stale = self._left = compiled.stale(self._games)
        engine._by_hand = False
        arms, agreed = compiled.choices
        engine.agreed, engine.arms = agreed[-1].copy(), arms[-1].astype(np.intp)
        engine.inputs.skip(len(chances))
        return arms, agreed

    def _watch(self, activity: np.ndarray) -> None:
        """Turn on the check of activities if some are not finite."""
        if not np.isfinite(activity).all():
            self._compiled.watch()


#: Part of the error for a non-finite exploration weight.
EXPLORE = "in the choice: its expression overflows or divides by zero"


def runaway(
    model: Model, name: str = "", where: str = "after learning: the rule overflows or divides by zero"
) -> RunawayError:
    """Return the error for a model with a non-finite variable of that name, or non-finite activities."""
    if name:
        return RunawayError(f"model {model.name}: {name} is not finite {where}")
    return RunawayError(
        f"model {model.name}: activities are not finite at a round's end; its equations grow without bound, or the "
        "time step is too long for them"
    )
