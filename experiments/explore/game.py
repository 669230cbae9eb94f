"""Games that are played while one watches: NSA, NSA without the perturbation, and two policies on the same bandit."""

from __future__ import annotations

import math
from collections import OrderedDict
from time import perf_counter
from typing import Any

import numpy as np

import envs
from envs import Bandit
from envs.base import lay_out, pay
from experiments.core.agents import make_policy
from experiments.explore.catalogue import Catalogue
from experiments.explore.courses import Network
from experiments.explore.panels import network_of, perturbed, plain
from experiments.explore.view import FieldError, View
from nsa_brian import NSA
from nsa_brian.common.checks import check_whole
from nsa_brian.common.game_streams import streams

#: Rounds between two stored sets of weights, and the time in seconds after which a request is answered.
STRIDE, BUDGET = 5, 0.06
#: Games that are kept, to be continued or shown again.
KEPT = 24


class Run:
    """An agent in a game on its own copy of the bandit, and all that it did so far.

    Parameters
    ----------
    agent
        NSA or a policy, for one game.
    bandit : Bandit
        After a reset.
    """

    def __init__(self, agent: Any, bandit: Bandit) -> None:
        self.agent, self.bandit = agent, bandit
        self.arms: list[int] = []
        self.agreed: list[bool] = []
        self.rewards: list[int] = []
        self.regrets: list[float] = []
        self.best: list[int] = []
        #: Weights after some rounds, by the number of rounds.
        self.weights: dict[int, list[float]] = {}
        if isinstance(agent, NSA):
            self._store()

    def __len__(self) -> int:
        return len(self.arms)

    def _store(self) -> None:
        self.weights[len(self)] = plain(self.agent.engine.w[0])

    def advance(self, until: int, deadline: float) -> None:
        """Play until a round is reached or the time is up, but at least a few rounds."""
        first = True
        while len(self) < until and (first or perf_counter() < deadline):
            first = False
            length = min(STRIDE, until - len(self))
            if len(self):
                self.bandit.step()
            probabilities, luck = lay_out(self.bandit, length)
            ahead = getattr(self.agent, "plays_ahead", False)
            arms, agreed = (
                self.agent.play_ahead(probabilities, luck)[:2] if ahead else self._one_by_one(probabilities, luck)
            )
            chosen = probabilities[np.arange(length), 0, arms[:, 0]]
            self.arms += arms[:, 0].tolist()
            self.agreed += agreed[:, 0].tolist()
            self.rewards += (luck[:, 0] < chosen).astype(int).tolist()
            self.best += probabilities[:, 0].argmax(axis=1).tolist()
            self.regrets += (probabilities[:, 0].max(axis=1) - chosen).tolist()
            if isinstance(self.agent, NSA):
                self._store()

    def _one_by_one(self, probabilities: np.ndarray, luck: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        arms, agreed = [], []
        for row, uniform in zip(probabilities, luck, strict=True):
            arm = np.atleast_1d(self.agent.select_arm())
            agreed.append(np.array(self.agent.engine.agreed) if isinstance(self.agent, NSA) else np.zeros(1, bool))
            self.agent.update(arm, pay(row, uniform, arm))
            arms.append(arm)
        return np.array(arms), np.array(agreed)

    def part(self, start: int, stop: int) -> dict[str, Any]:
        """Return some of the rounds as plain data."""
        these = slice(start, stop)
        return {
            "arms": self.arms[these],
            "agreed": [int(each) for each in self.agreed[these]],
            "rewards": self.rewards[these],
            "best": self.best[these],
            "regret": plain(np.array(self.regrets[these])),
            "weights": {n: row for n, row in self.weights.items() if start < n <= stop or n == start == 0},
        }


class Games:
    """The games of a page. Those asked for last are kept, so that a changed parameter replays NSA alone."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._runs: OrderedDict[Any, Run] = OrderedDict()

    def play(self, view: View, at: Any, until: Any) -> dict[str, Any]:
        """Return rounds of all players from ``at`` to ``until``, or as many as can be played in a moment."""
        for name, value in (("at", at), ("until", until)):
            check_whole(name, value, 0)
        last = min(until, view.rounds * view.trials)
        runs = self._players(view)
        deadline = perf_counter() + BUDGET
        for run in runs.values():
            run.advance(min(at, last), math.inf)  # what the page has already, if the run was dropped
            run.advance(last, deadline)
        reached = min(map(len, runs.values()))
        return {
            "at": min(reached, last),
            "length": view.rounds * view.trials,
            "players": {name: run.part(at, min(reached, last)) for name, run in runs.items()},
        }

    def _players(self, view: View) -> dict[str, Run]:
        game = (view.env, view.arms, view.seed, view.rounds)
        network = network_of(view.of(self._catalogue), view.values(self._catalogue), view.arms)
        keys: dict[str, Any] = {"nsa": (network.model, network.parameters)}
        if view.perturbed:
            given = (view.silence, *sorted(view.inputs.items()), view.option, view.start, view.stop, view.trials)
            keys = {"nsa": (*keys["nsa"], given), "nsa, unperturbed": keys["nsa"]}
        keys |= {policy: policy for policy in view.policies}
        found = {}
        for name, key in keys.items():
            if (game, key) not in self._runs:
                is_policy = isinstance(key, str)
                agent = _policy(view, name) if is_policy else _nsa(view, network, name == "nsa" and view.perturbed)
                self._runs[game, key] = Run(agent, _bandit(view))
            self._runs.move_to_end((game, key))
            found[name] = self._runs[game, key]
        while len(self._runs) > KEPT:
            self._runs.popitem(last=False)
        return found


def _bandit(view: View) -> Bandit:
    try:
        bandit = envs.make(view.env, view.arms, n_games=1, trial_rounds=view.rounds)
    except ValueError as error:
        raise FieldError("arms" if "arms" in str(error) else "env", str(error)) from None
    bandit.reset(streams(view.seed, "bandit", range(1)))
    return bandit


def _policy(view: View, name: str) -> Any:
    return make_policy(name, view.arms, 1, streams(view.seed, f"agent {name}", range(1)))


def _nsa(view: View, network: Network, disturbed: bool) -> NSA:
    """Return NSA with the random numbers of ``nsa play``, perturbed in some rounds or not."""
    options: dict[str, Any] = {"prepared": [network.prepared]} if network.model.prepare else {}
    if disturbed:
        network = perturbed(network, view)
        options["inputs"] = _schedule(view, network)
    rng = streams(view.seed, "agent nsa", range(1))
    return NSA(view.arms, network.parameters, n_games=1, rng=rng, model=network.model, **options)


def _schedule(view: View, network: Network) -> dict[str, np.ndarray]:
    """Return the values of the inputs in each round: the defaults outside the perturbed rounds."""
    found = {}
    on = (np.arange(view.rounds * view.trials) >= view.start) & (np.arange(view.rounds * view.trials) < view.stop)
    for name, value in network.inputs.items():
        declared = network.model.structure.inputs[name]
        shape = (len(on), view.arms) if declared.per == "option" else (len(on),)
        found[name] = np.where(on.reshape(-1, *[1] * (len(shape) - 1)), np.broadcast_to(value, shape), declared.default)
    return found
