"""The game loop, used by all commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from envs import Bandit
from envs.base import lay_out, pay, stretches
from experiments.core.agents import Agent
from nsa_brian.common.plugins import naming_plugins


@dataclass(frozen=True)
class Record:
    """Record of a batch of games; each array is (games, rounds).

    Attributes
    ----------
    arms : chosen arm
    rewards : reward, 0 or 1
    expected : reward probability of the chosen arm
    best_arm, best : the best arm and its probability p*
    chance : mean probability of the arms, the expected reward of a random choice
    agreed : whether U and V agreed; None for agents other than NSA, and in files of 0.2
    """

    arms: np.ndarray
    rewards: np.ndarray
    expected: np.ndarray
    best_arm: np.ndarray
    best: np.ndarray
    chance: np.ndarray
    agreed: np.ndarray | None = None

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name, without ``agreed`` if it is None."""
        return {name: array for name, array in vars(self).items() if array is not None}


def play(agent: Agent, bandit: Bandit, n_rounds: int, tick: Callable[[int], None] = lambda rounds: None) -> Record:
    """Play a batch of games with a bandit that was just reset.

    Parameters
    ----------
    agent, bandit
        Made for the same ``n_games``.
    n_rounds : int
    tick : callable
        Called with the number of rounds played since the last call, for a progress bar.
    """
    with naming_plugins(policy=agent, bandit=bandit):
        _watch(agent, bandit)
        course = _Course(bandit, n_rounds, tick, one_by_one=not bandit.plays_ahead or _reads_anything(agent, bandit))
        game = _Game(agent, course)
        if game.in_one_run:
            game.play_in_one_run()
        else:
            while course.left:
                game.play_stretch()
                course.advance()
        return game.record()


def can_share(agent: Agent, bandit: Bandit) -> bool:
    """Return whether an agent can play in :func:`play_together`, stretch by stretch."""
    return bandit.plays_ahead and not _reads_anything(agent, bandit) and not _in_one_run(agent, bandit)


def play_together(agents: Sequence[Agent], bandit: Bandit, n_rounds: int) -> list[Record]:
    """Return what :func:`play` does for each agent with the same bandit, whose rounds are computed once.

    Agents take turns after each stretch of rounds, so that the probabilities of one stretch are in memory. Each must be
    one that :func:`can_share` accepts.
    """
    for agent in agents:
        _watch(agent, bandit)
    with naming_plugins(bandit=bandit):
        course = _Course(bandit, n_rounds, lambda rounds: None, one_by_one=False)
    games = [_Game(agent, course) for agent in agents]
    while course.left:
        for agent, game in zip(agents, games, strict=True):
            with naming_plugins(policy=agent, bandit=bandit):
                game.play_stretch()
        with naming_plugins(bandit=bandit):
            course.advance()
    return [game.record() for game in games]


def _watch(agent: Any, bandit: Bandit) -> None:
    """Let an agent that sees the bandit read it before each round; the bandit is in its first."""
    if hasattr(agent, "watch"):
        agent.watch(bandit)


def _reads_anything(agent: Any, bandit: Bandit) -> bool:
    """Return whether an agent may read more of the bandit than round and probabilities, as only a user's can."""
    shipped = type(agent).__module__.startswith("baselines.") and type(bandit).__module__.startswith("envs.")
    return hasattr(agent, "watch") and not shipped


def _plays_ahead(agent: Any, bandit: Bandit) -> bool:
    """Return whether an agent plays a stretch in one call."""
    return getattr(agent, "plays_ahead", False) and bandit.plays_ahead


def _in_one_run(agent: Any, bandit: Bandit) -> bool:
    """Return whether an agent plays all rounds in one call, as NSA on the Brian2 network does."""
    return hasattr(agent, "play") and not _plays_ahead(agent, bandit)


class _Course:
    """The rounds of a bandit, computed ahead in stretches as they do not depend on the agent.

    Attributes
    ----------
    probabilities : array (rounds, games, arms)
    luck : array (rounds, games)
        Uniform random numbers of the current stretch.
    left : int
        Rounds left to play, including the current stretch.
    """

    def __init__(self, bandit: Bandit, n_rounds: int, tick: Callable[[int], None], one_by_one: bool) -> None:
        self.bandit, self.one_by_one, self._tick = bandit, one_by_one, tick
        lengths = stretches(n_rounds, bandit.n_games, bandit.n_arms)
        self._lengths = iter([1] * n_rounds if one_by_one else lengths)
        self.size = (n_rounds, bandit.n_games)
        self._best_arm, self._best, self._chance = (
            np.empty(self.size, np.int32),
            np.empty(self.size),
            np.empty(self.size),
        )
        self._found: dict[str, np.ndarray] = {}
        self.left = n_rounds
        self._lay_out()

    @property
    def rounds(self) -> slice:
        """The rounds of the current stretch."""
        start = self.size[0] - self.left
        return slice(start, start + len(self.luck))

    def _lay_out(self) -> None:
        self.probabilities, self.luck = lay_out(self.bandit, next(self._lengths))

    def shown_rounds(self) -> Iterator[int]:
        """Yield the rounds of the current stretch, with the bandit's round and probabilities set to each."""
        bandit, start = self.bandit, self.rounds.start
        last = bandit.round, bandit.probabilities
        for t in range(len(self.luck) - 1):
            bandit.round, bandit.probabilities = start + t, self.probabilities[t]
            yield start + t
        bandit.round, bandit.probabilities = last
        yield last[0]

    def advance(self) -> None:
        """Record the best arms of the current stretch, and start the next."""
        p, these = self.probabilities, self.rounds
        if p.strides[0] == 0:  # all rounds share one row
            p = p[:1]
        best_arm = p.argmax(axis=2)
        self._best_arm[these] = best_arm
        self._best[these] = np.take_along_axis(p, best_arm[:, :, None], axis=2)[:, :, 0]
        self._chance[these] = np.add.reduce(p, axis=2)
        self.left -= len(self.luck)
        self._tick(len(self.luck))
        if self.left:
            self.bandit.step()
            self._lay_out()

    def found(self) -> dict[str, np.ndarray]:
        """Return the arrays of the record that do not depend on the agent, with games as the first axis."""
        if not self._found:
            self._chance /= self.bandit.n_arms
            arrays: dict[str, np.ndarray] = {"best_arm": self._best_arm, "best": self._best, "chance": self._chance}
            self._found = {name: array.T.copy() for name, array in arrays.items()}
        return self._found


class _Game:
    """An agent in the rounds of a bandit, and what it did."""

    def __init__(self, agent: Any, course: _Course) -> None:
        self._agent, self._course = agent, course
        self._arms, self._rewards = np.empty(course.size, np.int32), np.empty(course.size, np.int8)
        self._expected = np.empty(course.size)
        self._agreed: list[np.ndarray] = []  # stretch by stretch; empty if the agent is not NSA
        self._t = 0  # round of the stretch
        self._ahead, self._watches = _plays_ahead(agent, course.bandit), hasattr(agent, "watch")
        self.in_one_run = _in_one_run(agent, course.bandit)

    def play_stretch(self) -> None:
        """Play the current stretch."""
        agent, course = self._agent, self._course
        if self._ahead:
            arms, agreed = agent.play_ahead(course.probabilities, course.luck)
            self._agreed.append(agreed)
            self._arms[course.rounds] = arms
            self._rewards[course.rounds] = course.luck < self._expect(arms)
            return
        for _ in course.shown_rounds() if self._watches else course.luck:
            arms = agent.select_arm()
            agent.update(arms, self._pull(arms))
        self._expect(self._arms[course.rounds])

    def play_in_one_run(self) -> None:
        """Play all rounds in one call of the agent."""
        found = self._agent.play(self._pull_and_advance, self._course.size[0])
        if isinstance(found, Mapping) and "agreed" in found:  # a user's agent may return something else
            self._agreed.append(found["agreed"])

    def _pull(self, arms: np.ndarray) -> np.ndarray:
        """Play the next round of the stretch and return the rewards."""
        course, t = self._course, self._t
        rewards = course.bandit.pull(arms) if course.one_by_one else pay(course.probabilities[t], course.luck[t], arms)
        at = course.rounds.start + t
        self._arms[at], self._rewards[at] = arms, rewards
        self._t = (t + 1) % len(course.luck)
        return rewards

    def _pull_and_advance(self, arms: np.ndarray) -> np.ndarray:
        rewards = self._pull(arms)
        if self._t == 0:
            self._expect(self._arms[self._course.rounds])
            self._course.advance()
        return rewards

    def _expect(self, arms: np.ndarray) -> np.ndarray:
        """Record and return the probability of the arms (rounds, games) pulled in the current stretch."""
        expected = np.take_along_axis(self._course.probabilities, arms[:, :, None], axis=2)[:, :, 0]
        self._expected[self._course.rounds] = expected
        return expected

    def record(self) -> Record:
        """Return the record, with games as the first axis."""
        own: dict[str, np.ndarray] = {"arms": self._arms, "rewards": self._rewards, "expected": self._expected}
        agreed = np.concatenate(self._agreed).T.copy() if self._agreed else None
        return Record(**{name: array.T.copy() for name, array in own.items()}, **self._course.found(), agreed=agreed)
