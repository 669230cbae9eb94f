"""What every engine has in common: synapses, the choice, the learning rule, and the order of a round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from brian2 import Quantity, get_device, ms, second

from nsa_brian.codegen.cache import check_cache
from nsa_brian.common.checks import REAL, WHOLE, check_integer, check_number, make_rng, one_per_game
from nsa_brian.common.texts import shown
from nsa_brian.engines.inputs import Inputs
from nsa_brian.engines.randomness import Randomness
from nsa_brian.engines.round_end import RoundEnd
from nsa_brian.engines.stretch import RoundByRound, Stretch, runaway
from nsa_brian.model.agreement import N_LUCK, TIES, choice_probabilities, select
from nsa_brian.model.course import default_dt
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER, TOLERANCE, TOLERANCE_IN_HZ, Model, check_counts, check_noise
from nsa_brian.model.structure import SIGNALS
from nsa_brian.parameter_set import load
from nsa_brian.parameters import NSAParameters

#: Asks the bandits of all games for the reward of the arms pulled: (games,) -> (games,).
Pull = Callable[[np.ndarray], np.ndarray]


class Engine(ABC):
    """A way to run the model. A subclass says how the activities come about; the rest is the same for all.

    Parameters
    ----------
    n_arms : int
        Options K, at least 2.
    parameters : NSAParameters, or a sequence of them, optional
        One set for all games, or one for each, where the engine can do that; by default the package's default set.
        Parameters of the model's own that they do not name have their defaults.
    n_games : int
        Games played side by side, each with its own weights and luck.
    ties : {"random", "first"}
        See :func:`nsa_brian.model.agreement.select`.
    tolerance : float, optional
        What counts as a tie, by default 1e-6, and 1 Hz where a population shows a firing rate.
    rng : numpy.random.Generator
        Source of tie breaks and random arms. Drawn outside the simulator, so that engines can be compared choice for
        choice. A child of it is the source of the neurons' own random numbers.
    model : Model
        What is run, by default the paper's.
    dt : Quantity, optional
        Time step, by default 1 ms, and 0.5 ms where neurons spike.
    method : str
        Any of Brian2's integration methods; with random numbers, or neurons that spike, Euler's.
    prepared : sequence of mapping, optional
        The numbers of each game's set in SI units, as :func:`nsa_brian.prepare` finds them; a model that has something
        to prepare needs them.
    lenient : bool
        Let neurons play whose numbers are not finite, as silent ones, where they are refused otherwise.
    inputs : mapping, optional
        Values of the model's inputs by name, see :class:`nsa_brian.engines.inputs.Inputs`.

    Attributes
    ----------
    activity : array (2, games, arms)
        What U and V showed at the end of the last round: activities, or firing rates in Hz.
    u, v, w : array (games, arms)
        The activities one by one, and the weights.
    synapses : dict
        All variables of the plastic synapses by name, ``w`` among them, each (games, arms).
    signals : dict
        All signals by name, each (games,).
    agreed : array of bool (games,)
        Whether U and V agreed in the last decision.
    arms : array of int (games,)
        The arms that were learnt from last.
    """

    #: Its name, by which a model says whether it can be run.
    name: ClassVar[str] = ""

    activity: np.ndarray
    w: np.ndarray

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters] | None = None,
        n_games: int = 1,
        ties: str = "random",
        tolerance: float | None = None,
        rng: Randomness | None = None,
        *,
        model: Model = PAPER,
        dt: Any = None,
        method: str = "euler",
        prepared: Sequence[Mapping[str, float]] | None = None,
        lenient: bool = False,
        inputs: Mapping[str, Any] | None = None,
    ) -> None:
        if type(get_device()).__name__ != "RuntimeDevice":
            raise ValueError("NSA asks the bandit after each round and so needs Brian2's runtime device")
        check_cache()
        n_arms, n_games = check_integer("n_arms", n_arms, 2), check_integer("n_games", n_games, 1)
        if ties not in TIES:
            raise ValueError(f"ties must be one of {', '.join(TIES)}, got {shown(ties)}")
        if not isinstance(model, Model):
            raise ValueError(f"model must be a Model, got {shown(model)}")
        refusal = model.refusal(self.name)
        if refusal:
            raise ValueError(refusal)
        self.dt = default_dt(model) * second if dt is None else dt
        check_integration(self.dt, method)
        check_noise(model, method)
        self.n_arms, self.n_games, self.model, self.method = n_arms, n_games, model, method
        self.structure = model.structure
        self.ties, self.tolerance, self.lenient = ties, self._tolerance(tolerance), lenient
        parameters = load().parameters if parameters is None else parameters
        given = [parameters] * n_games if isinstance(parameters, NSAParameters) else listed_sets(parameters)
        if len(given) != n_games:
            raise ValueError(f"parameters must be one set or {n_games}, one for each game, got {len(given)}")
        completed = {p: model.complete(p) for p in set(given)}
        self.parameters = [completed[p] for p in given]
        check_counts(model, self.parameters)
        self.values = self._prepared(prepared)
        self._watched = model != PAPER  # whose activities are bounded
        self.rng: Randomness = make_rng(None, rng)
        self.agreed = np.zeros(n_games, dtype=bool)
        self.arms = np.zeros(n_games, dtype=np.intp)
        self._first = np.arange(n_games) * n_arms  # where each game's arms begin in flattened weights
        self.signals = {name: np.zeros(n_games) for name in self.structure.state(SIGNALS)}
        self.inputs = Inputs(model, n_games, n_arms, inputs)
        self._end = RoundEnd(self)

    def _tolerance(self, given: float | None) -> Any:
        """What ties in U and in V: one number, or one for each."""
        if given is not None:
            return check_number("tolerance", given, 0)
        choice, populations = self.structure.choice, self.structure.populations
        rates = [populations[name].spikes and not getattr(choice, name) for name in ("u", "v")]
        if rates[0] == rates[1]:
            return TOLERANCE_IN_HZ if rates[0] else TOLERANCE
        return np.where(rates, TOLERANCE_IN_HZ, TOLERANCE)

    def _prepared(self, prepared: Sequence[Mapping[str, float]] | None) -> list[Mapping[str, float]]:
        """The numbers of each game's set, the same object for games that have the same."""
        if prepared is not None:
            if len(prepared) not in (1, self.n_games):
                raise ValueError(f"prepared must be of one set or of {self.n_games}, one a game, got {len(prepared)}")
            return list(prepared) * (self.n_games // len(prepared))
        if self.model.prepare:
            raise ValueError(
                f"the model {self.model.name} has numbers to be found before it plays: hand over "
                "prepared=nsa_brian.prepare(model, parameters, n_arms), one for each game, or use nsa_brian.NSA"
            )
        values = {p: self.model.values_in_si(p) for p in set(self.parameters)}
        return [values[p] for p in self.parameters]

    def constants(self) -> dict[str, Any]:
        """All that has a name in the equations, in SI units: numbers, or arrays (games,) where games differ.

        Numbers are numpy's, which overflow to infinity as those of compiled code do. Of models whose static lines are
        computed here, arrays always: numpy's square of a single number can differ from that of an array in the last
        bit, and a game must not depend on those beside it.
        """
        n_arms = np.float64(self.n_arms)
        if self.structure.single and len({id(values) for values in self.values}) == 1:
            return {**{name: np.float64(value) for name, value in self.values[0].items()}, "n_arms": n_arms}
        found = {name: np.array([values[name] for values in self.values]) for name in self.values[0]}
        return {**found, "n_arms": n_arms}

    @property
    def synapses(self) -> Mapping[str, np.ndarray]:
        """All variables of the plastic synapses by name."""
        return {"w": self.w}

    @property
    def u(self) -> np.ndarray:
        """What U showed."""
        return self.activity[0]

    @property
    def v(self) -> np.ndarray:
        """What V showed."""
        return self.activity[1]

    def state(self, name: str) -> np.ndarray:
        """A state variable of neurons at a round's end, or a mean over them: (games, arms), or (games, 1) of a game."""
        if name not in ("u", "v"):
            raise ValueError(f"the engine {type(self).__name__} knows u and v of neurons, and not {shown(name)}")
        return self.activity["uv".index(name)]

    def chosen(self, name: str) -> np.ndarray:
        """A variable of the options that were chosen last, (games,): of a neuron, the synapse, or an input."""
        return np.broadcast_to(self.seen([name])[name], (self.n_games, self.n_arms)).reshape(-1)[
            self._first + self.arms
        ]

    def seen(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Variables of options and games when a round is over, (games, arms) or (games, 1) each."""
        found, variables = {}, self._variables()
        for name in names:
            if name in self.signals:
                found[name] = self.signals[name][:, None]
            elif name in self.inputs.now:
                found[name] = self.inputs.now[name]
            elif name in variables:
                found[name] = variables[name]
            elif name in self.structure.shown:
                found[name] = self.activity["uv".index(name)]
            else:
                found[name] = self.state(name)
        return found

    @abstractmethod
    def respond(self) -> None:
        """Run a round up to the choice: bring u and v up to date for the present synapses, signals and inputs."""

    def select(self) -> np.ndarray:
        """Choose by what U and V show; the arm of each game."""
        luck = self.rng.random((self.n_games, N_LUCK))
        if self._watched and not np.isfinite(self.activity).all():
            raise runaway(self.model)
        return self.choose(luck)

    def choose(self, luck: np.ndarray, activity: np.ndarray | None = None, lenient: bool = False) -> np.ndarray:
        """The same with given luck (games, 3)."""
        activity = self.activity if activity is None else activity
        weigh, exploit = self._end.weigh(activity, lenient), self.structure.choice.exploit
        arms, self.agreed = select(activity, luck, self.ties, self.tolerance, weigh, exploit)
        return arms

    def probabilities(self) -> np.ndarray:
        """How likely each arm is to be chosen (games, arms), by what U and V show now."""
        weigh, exploit = self._end.weigh(self.activity), self.structure.choice.exploit
        return choice_probabilities(self.activity, self.ties, self.tolerance, weigh, exploit)

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from the reward, a number from 0 to 1, of the arm pulled in each game."""
        arms = one_per_game("arm", arms, self.n_games, self.n_arms - 1, WHOLE).astype(np.intp, copy=False)
        self._learn(arms, one_per_game("reward", rewards, self.n_games, 1, REAL))
        if self._watched:
            for name, array in {**self.synapses, **self.signals}.items():
                if not np.isfinite(array).all():
                    raise runaway(self.model, name)

    def _learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """All that follows on a reward: phases after the choice, signals, the learning rule."""
        self.arms = arms
        self._await(arms, rewards)
        self._end.update_signals(arms, rewards)
        self._end.learn(arms, rewards)
        self.inputs.next()

    def _await(self, arms: np.ndarray, rewards: np.ndarray) -> None:  # noqa: B027 - most have none
        """Run the phases after the choice, and let contacts learn, where a model has them."""

    def _variables(self) -> Mapping[str, np.ndarray]:
        """The synapses' variables, to be written to."""
        return self.synapses

    def initial(self, text: str) -> Any:
        """The number that an expression starts from, or (games, 1) where games differ."""
        value = numpy_function(text, {}, self.constants())()
        return value[:, None] if np.ndim(value) else value

    def reset(self) -> None:
        """Forget everything: the synapses and signals start their game anew, and inputs their first round."""
        for name, array in self._variables().items():
            array[:] = self.initial(self.structure.initial[name])
        for name, array in self.signals.items():
            array[:] = np.reshape(self.initial(self.structure.initial[name]), -1)
        self.inputs.reset()

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

    def stretch(self, *, lenient: bool = False) -> Stretch:
        """Many rounds at once, against bandits that are known beforehand; see :class:`Stretch`."""
        return RoundByRound(self, lenient)

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
