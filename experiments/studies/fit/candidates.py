"""Agents that are fitted: NSA with any parameters and model, and policies with known choice probabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import baselines
import nsa_brian  # Brian2 is imported on first use
from baselines.behaviour import BehaviourModel
from experiments.core.nsa_agents import is_nsa
from experiments.studies.fit.data import Game
from experiments.studies.fit.genes import LAPSE, Gene
from nsa_brian import ParameterSet
from nsa_brian.errors import closest, shown

#: Values of parameters by name, one per set: (sets,) each.
Values = Mapping[str, np.ndarray]

#: Parameters of NSA that are free by default, with their search ranges and the typical values of simulated subjects.
#: Few of the 22 can be recovered from a few hundred choices; these can (``nsa recover``). mu_eta scales the learning
#: rate at low weights, r_eta that at high ones, alpha_v is the weight from which on an option is exploited; its values
#: are scaled to w_max if that is higher.
FREE_OF_NSA = {
    "mu_eta": ((-10.0, 0.0), (-9.0, -1.0)),
    "r_eta": ((0.0, 1.0), (0.1, 0.9)),
    "alpha_v": ((0.0, 4.5), (0.4, 3.6)),
    "lapse": ((0.0, 1.0), (0.05, 0.45)),
}

#: Typical values of simulated subjects where the middle of the search range is not: with a low inverse temperature, for
#: example, choices are random under any model.
TYPICAL = {"beta": (3.0, 20.0), "kernel_beta": (2.0, 10.0), "lapse": (0.05, 0.45), "bias": (0.5, 0.9)}

#: Name of the probability of a random choice, a parameter of every fit.
LAPSE_NAME = "lapse"


class Player(ABC):
    """An agent in many games at once, whose choices are made outside."""

    @abstractmethod
    def probabilities(self, offered: np.ndarray | None = None) -> np.ndarray:
        """Return the choice probabilities (games, arms) of the next round.

        Arms are those offered, (arms,) or (games, arms), by default all.
        """

    @abstractmethod
    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from the arm and the reward of each game."""

    @property
    @abstractmethod
    def values(self) -> np.ndarray | None:
        """Weights or values of the arms (games, arms); None if the agent has none."""


@dataclass(frozen=True)
class Candidate(ABC):
    """An agent with free parameters.

    Attributes
    ----------
    name : str
    genes : tuple of Gene
        Free parameters.
    """

    name: str
    genes: tuple[Gene, ...]

    def at(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """Return the values of the free parameters at points (sets, genes) of the unit cube."""
        return {gene.name: gene.range.at(points[:, i]) for i, gene in enumerate(self.genes)}

    def log_prior(self, values: Values) -> Any:
        """Return the log density of the priors (sets,)."""
        return sum(gene.log_prior(values[gene.name]) for gene in self.genes)

    @abstractmethod
    def player(self, values: Values, n_arms: int, n_games: int, rng: np.random.Generator) -> Player:
        """Return a player with one set of values per game."""

    def choice_probabilities(self, values: Values, games: Sequence[Game], n_arms: int) -> np.ndarray:
        """Return the probabilities of the arms (sets, trials, arms), given the choices and rewards before.

        Trials are those of all games, one game after the other; the agent starts anew in each.
        """
        n_sets, parts = n_sets_of(values), []
        for game in games:
            player = self.player(values, n_arms, n_sets, np.random.default_rng(0))
            found = np.empty((n_sets, len(game), n_arms))
            for t, (arm, reward) in enumerate(zip(game.arms, game.rewards, strict=True)):
                found[:, t] = player.probabilities(None if game.offered is None else game.offered[t])
                player.learn(np.full(n_sets, arm), np.full(n_sets, reward))
            parts.append(found)
        return np.concatenate(parts, axis=1)

    def choice_logs(
        self, values: Values, arms: np.ndarray, rewards: np.ndarray, n_arms: int, offered: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the log probability of choices (games, trials), each game with values of its own (games,)."""
        n_games, n_trials = arms.shape
        player = self.player(values, n_arms, n_games, np.random.default_rng(0))
        found, places = np.empty(arms.shape), np.arange(n_games)
        for t in range(n_trials):
            shown = None if offered is None else offered[:, t]
            found[:, t] = player.probabilities(shown)[places, arms[:, t]]
            player.learn(arms[:, t], rewards[:, t])
        with np.errstate(divide="ignore"):
            return np.log(found)


@dataclass(frozen=True)
class NSACandidate(Candidate):
    """NSA with a parameter set, of which some are free.

    Attributes
    ----------
    agent : ParameterSet
        Parameters that are not free, and the model.
    samples : int
        Simulations of a model with noise.
    seed : int
        Seed of its noise.
    options : mapping
        Options of the engine.
    """

    agent: ParameterSet = field(default_factory=nsa_brian.load)
    samples: int = 100
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def engine(self) -> str:
        """The fastest engine: a table where the response of options is the same for all sets, else rounds."""
        from nsa_brian.replay import response_parameters  # here: it imports Brian2

        structure = (self.agent.model or nsa_brian.MODELS["paper"]).structure
        if not structure.coordinates or response_parameters(self.agent.model) & {gene.name for gene in self.genes}:
            return "rounds"
        return "table"

    def sets(self, values: Values, n: int) -> list[nsa_brian.NSAParameters]:
        """Return n parameter sets."""
        named = {name: column for name, column in values.items() if name != LAPSE_NAME}
        own = self.agent.parameters
        return [own.replace(**{name: float(column[i]) for name, column in named.items()}) for i in range(n)]

    def choice_probabilities(self, values: Values, games: Sequence[Game], n_arms: int) -> np.ndarray:
        """Return the probabilities of the arms (sets, trials, arms), all games in one call."""
        masks = [np.ones((len(game), n_arms), bool) if game.offered is None else game.offered for game in games]
        arms, rewards = (
            np.concatenate(each) for each in zip(*((game.arms, game.rewards) for game in games), strict=True)
        )
        blocks = np.repeat(np.arange(len(games)), [len(game) for game in games])
        return self._probabilities(values, arms, rewards, n_arms, offered=np.concatenate(masks), blocks=blocks)

    def choice_logs(
        self, values: Values, arms: np.ndarray, rewards: np.ndarray, n_arms: int, offered: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the log probability of choices (games, trials), each game with values of its own (games,)."""
        found = self._probabilities(values, arms, rewards, n_arms, offered=offered)
        with np.errstate(divide="ignore"):
            return np.log(np.take_along_axis(found, arms[..., None], axis=-1))[..., 0]

    def _probabilities(
        self, values: Values, arms: np.ndarray, rewards: np.ndarray, n_arms: int, **trials: Any
    ) -> np.ndarray:
        """Return the probabilities of the arms (sets, trials, arms)."""
        model, sets = self.agent.model, self.sets(values, len(arms) if arms.ndim == 2 else n_sets_of(values))
        samples = self.samples if model is not None and model.structure.draws else None
        given = {"samples": samples, "seed": self.seed, **trials, **self.options}
        lapse = values.get(LAPSE_NAME, 0.0)
        return nsa_brian.choice_probabilities(arms, rewards, n_arms, sets, model, lapse, self.engine, **given)

    def player(self, values: Values, n_arms: int, n_games: int, rng: np.random.Generator) -> Player:
        """Return a player."""
        return _NSAPlayer(self, values, n_arms, n_games, rng)


class _NSAPlayer(Player):
    def __init__(self, own: NSACandidate, values: Values, n_arms: int, n_games: int, rng: np.random.Generator) -> None:
        sets, engine, model = own.sets(values, n_games), own.engine, own.agent.model
        self._agent = nsa_brian.NSA(n_arms, sets, engine, n_games=n_games, rng=rng, model=model, **own.options)
        self._lapse = np.broadcast_to(values.get(LAPSE_NAME, 0.0), n_games)

    def probabilities(self, offered: np.ndarray | None = None) -> np.ndarray:
        from nsa_brian.likelihood import with_lapses  # here: they import Brian2
        from nsa_brian.replay import masked_probabilities

        engine = self._agent.engine
        engine.respond()
        found = masked_probabilities(engine, offered)
        shown = None if offered is None else np.broadcast_to(offered, found.shape)[:, None]
        return with_lapses(found[:, None], self._lapse, shown)[:, 0]

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        self._agent.engine.learn(arms, rewards)

    @property
    def values(self) -> np.ndarray | None:
        return np.array(self._agent.engine.w)


@dataclass(frozen=True)
class PolicyCandidate(Candidate):
    """A policy; its tunable parameters are free by default."""

    def player(self, values: Values, n_arms: int, n_games: int, rng: np.random.Generator) -> Player:
        """Return a player."""
        return _PolicyPlayer(self.name, values, n_arms, n_games, rng)


class _PolicyPlayer(Player):
    def __init__(self, name: str, values: Values, n_arms: int, n_games: int, rng: np.random.Generator) -> None:
        own = {key: value for key, value in values.items() if key != LAPSE_NAME or key in _tunable(name)}
        self._policy = baselines.make(name, n_arms, n_games=n_games, rng=rng, **own)
        lapse = 0.0 if LAPSE_NAME in own else values.get(LAPSE_NAME, 0.0)
        self._lapse = np.broadcast_to(lapse, n_games)[:, None]

    def probabilities(self, offered: np.ndarray | None = None) -> np.ndarray:
        found = self._policy.probabilities(offered)
        if not self._lapse.any():
            return found
        guess = 1 / found.shape[1] if offered is None else offered / offered.sum(axis=-1, keepdims=True)
        return (1 - self._lapse) * found + self._lapse * guess

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        self._policy.update(arms, rewards)

    @property
    def values(self) -> np.ndarray | None:
        found = getattr(self._policy, "values", None)
        return None if found is None else np.array(found)


def n_sets_of(values: Values) -> int:
    """Return the number of sets; 1 without free parameters."""
    return max((len(each) for each in values.values()), default=1)


def _tunable(name: str) -> Mapping[str, baselines.Tunable]:
    return baselines.POLICIES[name].tunable


def candidate(name: str, agent: ParameterSet | None, free: Sequence[str] | None = None, **options: Any) -> Candidate:
    """Return an agent with free parameters.

    Parameters
    ----------
    name : str
        ``nsa``, ``nsa:WHAT`` or a policy.
    agent : ParameterSet or None
        Parameters and model of NSA.
    free : sequence of str, optional
        Names of the free parameters; by default those of ``FREE_OF_NSA`` that the model has and the parameters that
        the model adds, or a policy's tunable parameters and, unless it is a model of behaviour, its lapse.
    **options
        Other attributes of :class:`NSACandidate`.

    Raises
    ------
    ValueError
        If the agent has no choice probabilities, or no such parameter.
    """
    known: dict[str, Any]
    if is_nsa(name):
        assert agent is not None
        declared = nsa_brian.PARAMETERS if agent.model is None else agent.model.declared
        known = {**declared, LAPSE_NAME: LAPSE}
        searched = tuple(nsa_brian.PARAMETERS) if agent.model is None else agent.model.searched
        added = [key for key in searched if key not in nsa_brian.PARAMETERS]
        default = [*(key for key in FREE_OF_NSA if key in (*searched, LAPSE_NAME)), *added]
    else:
        _check_policy(name)
        known = {LAPSE_NAME: LAPSE, **_tunable(name)}
        default = list(_tunable(name))
        if not issubclass(baselines.POLICIES[name], BehaviourModel) and LAPSE_NAME not in default:
            default.append(LAPSE_NAME)  # many of them never make some choices
    chosen = default if free is None else list(free)
    for key in chosen:
        if key not in known:
            near = closest(str(key), list(known))
            hint = f"did you mean {near}?" if near else f"known: {', '.join(known)}"
            raise ValueError(f"agent {name} has no parameter {shown(key)} to fit; {hint}")
        if chosen.count(key) > 1:
            raise ValueError(f"agent {name}: parameter {key} is given twice")
    genes = tuple(_gene(key, known[key], agent if is_nsa(name) else None) for key in chosen)
    if is_nsa(name):
        return NSACandidate(name, genes, agent=agent, **options)  # type: ignore[arg-type]
    return PolicyCandidate(name, genes)


def _gene(name: str, info: Any, nsa: ParameterSet | None) -> Gene:
    """Return a free parameter, of NSA or of a policy, with its default range."""
    gene = Gene(name, info) if isinstance(info, baselines.Tunable) else Gene.of_parameter(info)
    if nsa is None:
        return replace(gene, typical=TYPICAL.get(name))
    if name not in FREE_OF_NSA:
        return gene
    (low, high), typical = FREE_OF_NSA[name]
    if name == "alpha_v":  # a weight
        scale = max(1.0, nsa.parameters.w_max / high)
        high, typical = scale * high, (scale * typical[0], scale * typical[1])
    return replace(gene, range=replace(gene.range, low=low, high=high), typical=typical)


def _check_policy(name: str) -> None:
    """Raise a ValueError for an unknown policy, or one without choice probabilities."""
    policy = baselines.make(name, 2)
    if hasattr(policy, "watch"):
        raise ValueError(f"agent {name} sees the bandit and cannot be fitted")
    try:
        policy.probabilities()
    except ValueError as error:
        raise ValueError(f"agent {name} cannot be fitted: {error}") from None
