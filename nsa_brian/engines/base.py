"""What every engine has in common: synapses, the agreement rule, the learning rule, and the order of a round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from brian2 import Quantity, get_device, ms, second

from nsa_brian.codegen.cache import see_to_cache
from nsa_brian.codegen.expression import numpy_function, numpy_rule
from nsa_brian.common.checks import REAL, WHOLE, check_integer, check_number, make_rng, one_a_game
from nsa_brian.common.texts import shown
from nsa_brian.engines.randomness import Randomness
from nsa_brian.engines.stretch import RoundByRound, Stretch, runaway
from nsa_brian.model.agreement import N_LUCK, TIES, select
from nsa_brian.model.base import AnyModel
from nsa_brian.model.model import PAPER
from nsa_brian.model.reading import Value
from nsa_brian.parameters import NSAParameters

#: Asks the bandits of all games for the reward of the arms pulled: (games,) -> (games,).
Pull = Callable[[np.ndarray], np.ndarray]


class Engine(ABC):
    """A way to run the model. A subclass says how the activities come about; the rest is the same for all.

    Parameters
    ----------
    n_arms : int
        Options K, at least 2.
    parameters : NSAParameters, or a sequence of them
        One set for all games, or one for each, where the engine can do that. Parameters of the model's own that they
        do not name have their defaults.
    n_games : int
        Games played side by side, each with its own weights and luck.
    ties, tolerance
        See :func:`nsa_brian.model.agreement.select`.
    rng : numpy.random.Generator
        Source of tie breaks and random arms, the only randomness of the model. Drawn outside the simulator, so
        that engines can be compared choice for choice.
    model : Model
        What is run, by default the paper's.

    Attributes
    ----------
    activity : array (2, games, arms)
        The activities u and v at the end of the last round.
    u, v, w : array (games, arms)
        The activities one by one, and the weights.
    synapses : dict
        All variables of the plastic synapses by name, ``w`` among them, each (games, arms).
    agreed : array of bool (games,)
        Whether U and V agreed in the last decision.
    """

    #: Its name, by which a model says whether it can be run.
    name: ClassVar[str] = ""

    activity: np.ndarray
    w: np.ndarray
    model: Any  # of the kind that the engine runs

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters],
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1e-6,
        rng: Randomness | None = None,
        model: AnyModel = PAPER,
    ) -> None:
        if type(get_device()).__name__ != "RuntimeDevice":
            raise ValueError("NSA asks the bandit after each round and so needs Brian2's runtime device")
        see_to_cache()
        n_arms, n_games = check_integer("n_arms", n_arms, 2), check_integer("n_games", n_games, 1)
        if ties not in TIES:
            raise ValueError(f"ties must be one of {', '.join(TIES)}, got {shown(ties)}")
        tolerance = check_number("tolerance", tolerance, 0)
        if not isinstance(model, AnyModel):
            raise ValueError(f"model must be a Model, got {shown(model)}")
        refusal = model.refusal(self.name)
        if refusal:
            raise ValueError(refusal)
        self.n_arms, self.n_games = n_arms, n_games
        given = [parameters] * n_games if isinstance(parameters, NSAParameters) else listed_sets(parameters)
        if len(given) != n_games:
            raise ValueError(f"parameters must be one set or {n_games}, one for each game, got {len(given)}")
        completed = {p: model.complete(p) for p in set(given)}
        self.parameters = [completed[p] for p in given]
        self.ties, self.tolerance, self.model = ties, tolerance, model
        self._watched = model != PAPER  # whose activities are bounded
        self.rng: Randomness = make_rng(None, rng)
        self.agreed = np.zeros(n_games, dtype=bool)
        self._first = np.arange(n_games) * n_arms  # where each game's arms begin in flattened weights
        self._compile_rule()

    def constants(self) -> dict[str, Any]:
        """All that has a name in the equations, in SI units: numbers, or arrays (games,) where games differ.

        Numbers are numpy's, which overflow to infinity as those of compiled code do.
        """
        distinct = list(dict.fromkeys(self.parameters))
        values = [{**self.model.values_in_si(p), "n_arms": float(self.n_arms)} for p in distinct]
        if len(distinct) == 1:
            return {name: np.float64(value) for name, value in values[0].items()}
        which = {p: i for i, p in enumerate(distinct)}
        index = np.array([which[p] for p in self.parameters])
        return {name: np.array([each[name] for each in values])[index] for name in values[0]}

    def _compile_rule(self) -> None:
        """The learning rule as a function of arrays: of the pulled arms if it is an expression, else of all."""
        structure = self.model.structure
        given, constants = structure.expressions, self.constants()
        rule = structure.rule
        if isinstance(rule, Value):
            helpers = {name: text for name, text, _ in rule.helpers}
            self._expression = numpy_function(rule.expression, {**given, **helpers}, constants)
            self._statements = None
        else:
            columns = {name: value[:, None] if np.ndim(value) else value for name, value in constants.items()}
            self._statements = numpy_rule(rule, given, columns, structure.synaptic)

    @property
    def synapses(self) -> Mapping[str, np.ndarray]:
        """All variables of the plastic synapses by name."""
        return {"w": self.w}

    @property
    def u(self) -> np.ndarray:
        """Activity of U."""
        return self.activity[0]

    @property
    def v(self) -> np.ndarray:
        """Activity of V."""
        return self.activity[1]

    def state(self, name: str) -> np.ndarray:
        """A state variable of the neurons at a round's end: (games, arms), or (games, 1) of a game's own population."""
        return {"u": self.u, "v": self.v}[name]

    @abstractmethod
    def respond(self) -> None:
        """Run both phases of one round: bring u and v to the end of phase 2 for the present synapses."""

    def select(self) -> np.ndarray:
        """Apply the agreement rule to u and v; the arm of each game."""
        luck = self.rng.random((self.n_games, N_LUCK))
        activity = self.activity
        if self._watched and not np.isfinite(activity).all():
            raise runaway(self.model)
        arms, self.agreed = select(activity, luck, self.ties, self.tolerance)
        return arms

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from the reward, a number from 0 to 1, of the arm pulled in each game."""
        arms = one_a_game("arm", arms, self.n_games, self.n_arms - 1, WHOLE).astype(np.intp, copy=False)
        self._learn(arms, one_a_game("reward", rewards, self.n_games, 1, REAL))
        if self._watched:
            for name, array in self.synapses.items():
                if not np.isfinite(array).all():
                    raise runaway(self.model, name)

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Apply the learning rule, eq. (3) in the paper's model."""
        read = self.model.structure.rule_reads
        if self._statements is None:
            pulled = self._first + arms
            flat = {name: array.reshape(-1) for name, array in self._variables().items()}
            seen = {name: array[pulled] for name, array in flat.items()}
            for name in read:
                seen[name] = np.broadcast_to(self.state(name), (self.n_games, self.n_arms)).reshape(-1)[pulled]
            flat["w"][pulled] = self._expression(**seen, R=rewards)
        else:
            chosen = np.zeros((self.n_games, self.n_arms))
            chosen.reshape(-1)[self._first + arms] = 1
            states = {name: self.state(name) for name in read}
            reward = np.asarray(rewards, dtype=float)[:, None]
            found = self._statements(**self._variables(), **states, chosen=chosen, R=reward)
            for name, array in self._variables().items():
                array[:] = found[name]

    def _variables(self) -> Mapping[str, np.ndarray]:
        """The synapses' variables, to be written to."""
        return self.synapses

    def initial(self, name: str) -> Any:
        """Where a state variable starts: a number, or (games, 1) where games differ."""
        value = numpy_function(self.model.structure.initial[name], {}, self.constants())()
        return value[:, None] if np.ndim(value) else value

    def reset(self) -> None:
        """Forget everything: the synapses start their game anew."""
        for name, array in self._variables().items():
            array[:] = self.initial(name)

    def set_weights(self, w: np.ndarray, **others: np.ndarray) -> None:
        """Put in weights, and other variables of the synapses by name: (games, arms), or (arms,) for all games."""
        variables = self._variables()
        for name, values in {"w": w, **others}.items():
            if name not in variables:
                raise ValueError(f"the synapse has no variable {name!r}; it has {', '.join(variables)}")
            given = np.asarray(values)
            if given.dtype.kind not in REAL:
                raise ValueError(f"{name} must be finite numbers, got {shown(values)}")
            if not np.isfinite(given).all():
                raise ValueError(f"{name} must be finite numbers, got {given[~np.isfinite(given)][0]}")
            variables[name][:] = given

    def stretch(self, *, mend: bool = False) -> Stretch:
        """Many rounds at once, against bandits that are known beforehand; see :class:`Stretch`."""
        return RoundByRound(self, mend)

    def play(self, pull: Pull, n_rounds: int) -> None:
        """Play rounds one after the other: respond, select, pull, learn."""
        for _ in range(check_integer("n_rounds", n_rounds, 0)):
            self.respond()
            arms = self.select()
            self.learn(arms, pull(arms))


def listed_sets(parameters: Any) -> list[NSAParameters]:
    """Return a sequence of parameter sets as a list."""
    if not isinstance(parameters, Iterable) or not all(isinstance(each, NSAParameters) for each in parameters):
        raise ValueError(f"parameters must be NSAParameters, or a sequence of them, got {shown(parameters)}")
    return list(parameters)


def check_integration(dt: Any = ms, method: Any = "euler") -> None:
    """Refuse a time step that is no time, and a method that is no name."""
    if not (isinstance(dt, Quantity) and dt.dim is second.dim and dt.size == 1):
        raise ValueError(f"dt must be a time, such as 1 * ms, got {shown(dt)}")
    if not isinstance(method, str):
        raise ValueError(f"method must be the name of one of Brian2's methods, got {shown(method)}")
