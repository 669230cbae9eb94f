"""The first look of a staged search: many random sets on few games, the best of them again on more, and so on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from evolution.fitness import Games, OwnFitness, choices
from evolution.genome import Genome
from evolution.judging import Around, check_finite, evaluate_around
from evolution.workers import Workers
from nsa_brian.parameters import NSAParameters

#: Of the sets of a round of looking, one in so many is looked at again, on so many times the games.
KEEP, MORE = 8, 4
#: Rounds of looking.
LOOKS = 3
#: Rounds of a game at most; few tell the good from the hopeless.
ROUNDS = 1000
#: Players that are scored between two moments at which a search can be stopped.
BATCH = 512
#: Sets of the first look whose activities are watched: if they are finite with none, no set will do.
WATCHED = 64
#: Share of choices in which two sets must differ to count as two strategies.
DIFFERENT = 0.1


class Look:
    """Sets drawn uniformly in the genome's space, and what was found of them so far.

    Parameters
    ----------
    n_sets : int
        Sets at first.
    n_starts : int
        Those that shall be found: twice as many are looked at to the last, if there are so many.
    games : Games
        What they are judged by; in the first looks by a single trial and few games of each kind.
    genome : Genome
    seed : tuple of int
    fitness : callable, optional
        A fitness of the user's own in place of the games.
    inexact : float
        How far genes are off, but for the first look: a random set stands for its surroundings anyway.

    Attributes
    ----------
    looked_at : list of array of int
        The sets of each look, by their numbers.
    regrets : list of array
        Their regrets, as far as they are known.
    """

    def __init__(
        self,
        n_sets: int,
        n_starts: int,
        games: Games,
        genome: Genome,
        seed: tuple[int, ...],
        fitness: OwnFitness | None = None,
        inexact: float = 0.0,
    ) -> None:
        self.n_sets, self.n_starts = n_sets, n_starts
        self._genome, self._seed, self._fitness = genome, seed, fitness
        #: What counts as the same set at each look.
        self.around = [Around(genome, 0.0)] + [Around(genome, inexact)] * (LOOKS - 1)
        rounds = min(games.rounds, ROUNDS)
        trials = [1] * (LOOKS - 1) + [games.trials]
        #: What is played at each look.
        self.games = [replace(games, iterations=MORE**i, trials=n, rounds=rounds) for i, n in enumerate(trials)]
        for played, size, around in zip(self.games, self.sizes, self.around, strict=True):
            played.check_memory(min(size, BATCH // around.players) * around.at_once)
        self.looked_at = [np.arange(n_sets)]
        self.regrets = [np.empty(0)]

    @cached_property
    def vectors(self) -> np.ndarray:
        """The genes (sets, genes) of all sets."""
        return np.random.default_rng(self._seed).uniform(-math.pi, math.pi, (self.n_sets, self._genome.size))

    @property
    def done(self) -> bool:
        """Whether all looks were taken."""
        return len(self.looked_at) == LOOKS and len(self.regrets[-1]) == len(self.looked_at[-1])

    @property
    def sizes(self) -> list[int]:
        """Sets of each look."""
        fewest = min(2 * self.n_starts, self.n_sets)
        return [max(fewest, self.n_sets // KEEP**look) for look in range(LOOKS)]

    def step(self, workers: Workers | None = None) -> None:
        """Score some more sets; after the last of a look, choose who is looked at again."""
        look = len(self.looked_at) - 1
        sets, known = self.looked_at[look], self.regrets[look]
        judge, seed, around = self._fitness or self.games[look], (*self._seed, look), self.around[look]
        some = [self.parameters(number) for number in sets[len(known) : len(known) + BATCH // around.players]]
        found = evaluate_around(judge, seed, some, workers, around)
        if look == 0 and not len(known):
            check_finite(judge, some[:WATCHED], workers)
        self.regrets[look] = known = np.concatenate([known, found.regret.mean(axis=1)])
        if len(known) == len(sets) and look + 1 < LOOKS:
            best = sets[np.argsort(known, kind="stable")]
            self.looked_at.append(best[: self.sizes[look + 1]])
            self.regrets.append(np.empty(0))

    def parameters(self, number: int) -> NSAParameters:
        """A set by its number."""
        return self._genome.decode(self.vectors[number].tolist())

    def starts(self) -> list[int]:
        """The best sets of the last look, best first, that differ from each other in what they do.

        Many genes stand for one strategy, win-stay-lose-shift above all. Sets that choose alike on the same games
        count once; where there are too few others, the best of those left over fill up.
        """
        order = self.looked_at[-1][np.argsort(self.regrets[-1], kind="stable")]
        if self._fitness is not None:  # which says nothing of choices
            return [int(number) for number in order[: self.n_starts]]
        done = choices(self.games[0], (*self._seed, LOOKS), [self.parameters(number) for number in order])
        chosen: list[int] = []
        for i in range(len(order)):
            if len(chosen) < self.n_starts and all((done[i] != done[j]).mean() >= DIFFERENT for j in chosen):
                chosen.append(i)
        rest = [i for i in range(len(order)) if i not in chosen]
        return [int(order[i]) for i in (chosen + rest)[: self.n_starts]]

    def state(self) -> dict[str, Any]:
        """What was found so far, as arrays by name."""
        found = {f"look_{i}_sets": sets for i, sets in enumerate(self.looked_at)}
        return {**found, **{f"look_{i}_regrets": regrets for i, regrets in enumerate(self.regrets)}}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what :meth:`state` gave; a ValueError if it gave no such thing."""
        looks = range(sum(name.endswith("_sets") for name in state))
        looked_at = [state[f"look_{i}_sets"] for i in looks]
        regrets = [state[f"look_{i}_regrets"] for i in looks]
        for sets, known in zip(looked_at, regrets, strict=True):
            if sets.ndim != 1 or known.ndim != 1 or sets.dtype.kind != "i" or known.dtype.kind != "f":
                raise ValueError("a look has numbers of sets and their regrets, each in one row")
            if not len(sets) or len(known) > len(sets) or sets.min() < 0 or sets.max() >= self.n_sets:
                raise ValueError(f"a look is at some of {self.n_sets} sets, each with at most one regret")
        if not 1 <= len(looked_at) <= LOOKS or len(looked_at[0]) != self.n_sets:
            raise ValueError(f"there are 1 to {LOOKS} looks, the first at all {self.n_sets} sets")
        self.looked_at, self.regrets = looked_at, regrets
