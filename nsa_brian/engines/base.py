"""Base class of all engines: synapses, choice, learning rule, and the order of a round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from brian2 import Quantity, get_device, ms, second

from nsa_brian.codegen.cache import check_cache
from nsa_brian.common.checks import REAL, WHOLE, check_integer, check_number, make_rng, one_per_game
from nsa_brian.common.copying import Copied
from nsa_brian.common.texts import shown
from nsa_brian.engines.inputs import Inputs
from nsa_brian.engines.randomness import Randomness
from nsa_brian.engines.recording import Recording
from nsa_brian.engines.registry import precision_refusal
from nsa_brian.engines.round_end import RoundEnd
from nsa_brian.engines.snapshot import Snapshot, read, rebuilt, settings_of
from nsa_brian.engines.stretch import RoundByRound, Stretch, runaway
from nsa_brian.model.agreement import N_LUCK, TIES, choice_probabilities, select
from nsa_brian.model.course import default_dt
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.model import PAPER, TOLERANCE, TOLERANCE_IN_HZ, Model, check_counts, check_noise
from nsa_brian.model.structure import SIGNALS
from nsa_brian.model.timing import EULER, check_step
from nsa_brian.parameter_set import load
from nsa_brian.parameters import NSAParameters

#: Function that returns the rewards of the arms pulled in all games: (games,) -> (games,).
Pull = Callable[[np.ndarray], np.ndarray]


class Engine(Copied, ABC):
    """Base class of the ways to run a model. A subclass defines how the activities are computed.

    Parameters
    ----------
    n_arms : int
        Options K, at least 2.
    parameters : NSAParameters, or a sequence of them, optional
        One set for all games, or one for each game if the engine supports it; by default the package's default set.
        Parameters of the model that are missing in a set have their defaults.
    n_games : int
        Games played in parallel, each with its own weights and random numbers.
    ties : {"random", "first"}
        See :func:`nsa_brian.model.agreement.select`.
    tolerance : float, optional
        Largest difference that counts as a tie, by default 1e-6, or 1 Hz if the population's output is a firing rate.
    rng : numpy.random.Generator
        Source of tie breaks and random arms. They are drawn outside the simulator, so that engines can be compared
        choice for choice. The neurons' random numbers come from a child of this generator.
    model : Model
        The model to run, by default the paper's.
    dt : Quantity, optional
        Time step, by default 1 ms, or 0.5 ms if neurons spike.
    method : str
        Any of Brian2's integration methods; only Euler's if the model has random numbers or spiking neurons.
    prepared : sequence of mapping, optional
        Parameter values of each game in SI units, as returned by :func:`nsa_brian.prepare`. Required for models that
        have a preparation step.
    lenient : bool
        Treat neurons with non-finite state as silent instead of raising an error.
    precision : {"double", "single"}
        Floating-point type of the neurons. In single precision, populations of many or of spiking neurons take less
        time in the engine ``rounds``; other engines and models have double precision only, and no other engine agrees
        with such games spike for spike.
    inputs : mapping, optional
        Values of the model's inputs by name, see :class:`nsa_brian.engines.inputs.Inputs`.

    Attributes
    ----------
    activity : array (2, games, arms)
        Output of U and V at the end of the last round: activities, or firing rates in Hz.
    u, v, w : array (games, arms)
        Output of U, output of V, and the weights.
    synapses : dict
        All variables of the plastic synapses by name, including ``w``, each (games, arms).
    signals : dict
        All signals by name, each (games,).
    agreed : array of bool (games,)
        Whether U and V agreed in the last decision.
    arms : array of int (games,)
        Arms of the last learning step.
    """

    #: Name of the engine, by which models declare whether they support it.
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
        precision: str = "double",
        inputs: Mapping[str, Any] | None = None,
    ) -> None:
        if type(get_device()).__name__ != "RuntimeDevice":
            raise ValueError("NSA gets a reward from the bandit in each round, so it needs Brian2's runtime device")
        check_cache()
        n_arms, n_games = check_integer("n_arms", n_arms, 2), check_integer("n_games", n_games, 1)
        if ties not in TIES:
            raise ValueError(f"ties must be one of {', '.join(TIES)}, got {shown(ties)}")
        if not isinstance(model, Model):
            raise ValueError(f"model must be a Model, got {shown(model)}")
        refusal = model.refusal(self.name)
        if refusal:
            raise ValueError(refusal)
        check_step(None, EULER, precision)
        refusal = precision_refusal(self.name, model, precision)
        if refusal:
            raise ValueError(refusal)
        self.precision = precision
        self.dt = default_dt(model) * second if dt is None else dt
        check_integration(self.dt, method)
        check_noise(model, method)
        self.n_arms, self.n_games, self.model, self.method = n_arms, n_games, model, method
        self.structure = model.structure
        self.ties, self.tolerance, self.lenient = ties, self._tolerance(tolerance), lenient
        parameters = load().parameters if parameters is None else parameters
        given = [parameters] * n_games if isinstance(parameters, NSAParameters) else listed_sets(parameters)
        if len(given) != n_games:
            raise ValueError(f"parameters must be one set, or one for each of {n_games} games, got {len(given)}")
        completed = {p: model.complete(p) for p in set(given)}
        self.parameters = [completed[p] for p in given]
        check_counts(model, self.parameters)
        self.values = self._prepared(prepared)
        self._watched = model != PAPER  # the paper's activities are bounded
        self.rng: Randomness = make_rng(None, rng)
        self.agreed = np.zeros(n_games, dtype=bool)
        self.arms = np.zeros(n_games, dtype=np.intp)
        self._first = np.arange(n_games) * n_arms  # index of each game's first arm in flattened weights
        self.signals = {name: np.zeros(n_games) for name in self.structure.state(SIGNALS)}
        self.inputs = Inputs(model, n_games, n_arms, inputs)
        #: Record of the rounds, filled while they are played.
        self.recording: Recording | None = None
        self._end = RoundEnd(self)

    def _tolerance(self, given: float | None) -> Any:
        """Return the tolerance of ties: one number, or one each for U and V."""
        if given is not None:
            return check_number("tolerance", given, 0)
        choice, populations = self.structure.choice, self.structure.populations
        rates = [populations[name].spikes and not getattr(choice, name) for name in ("u", "v")]
        if rates[0] == rates[1]:
            return TOLERANCE_IN_HZ if rates[0] else TOLERANCE
        return np.where(rates, TOLERANCE_IN_HZ, TOLERANCE)

    def _prepared(self, prepared: Sequence[Mapping[str, float]] | None) -> list[Mapping[str, float]]:
        """Return the parameter values of each game; games with the same parameter set share one object."""
        if prepared is not None:
            if len(prepared) not in (1, self.n_games):
                raise ValueError(
                    f"prepared must have one entry, or one for each of {self.n_games} games, got {len(prepared)}"
                )
            return list(prepared) * (self.n_games // len(prepared))
        if self.model.prepare:
            raise ValueError(
                f"the model {self.model.name} must be prepared: pass prepared=nsa_brian.prepare(model, parameters, "
                "n_arms), one entry for each game, or use nsa_brian.NSA"
            )
        values = {p: self.model.values_in_si(p) for p in set(self.parameters)}
        return [values[p] for p in self.parameters]

    def constants(self) -> dict[str, Any]:
        """Return the constants of the equations in SI units: numbers, or arrays (games,) where games differ.

        Numbers are numpy floats, which overflow to infinity as in compiled code. Models whose static expressions are
        computed in numpy always get arrays: numpy's square of a scalar can differ in the last bit from that of an
        array, and a game must not depend on the other games.
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
        """Output of U."""
        return self.activity[0]

    @property
    def v(self) -> np.ndarray:
        """Output of V."""
        return self.activity[1]

    def state(self, name: str) -> np.ndarray:
        """Return a state variable of neurons at a round's end, or its mean: (games, arms), or (games, 1) for a pool."""
        if name not in ("u", "v"):
            raise ValueError(f"the engine {type(self).__name__} has the state variables u and v, got {shown(name)}")
        return self.activity["uv".index(name)]

    def chosen(self, name: str) -> np.ndarray:
        """Return a variable of neurons, synapses or inputs for the options chosen last, (games,)."""
        return np.broadcast_to(self.seen([name])[name], (self.n_games, self.n_arms)).reshape(-1)[
            self._first + self.arms
        ]

    def seen(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Return variables of options and games at a round's end, (games, arms) or (games, 1) each."""
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
        """Run a round up to the choice: update u and v for the current synapses, signals and inputs."""

    def select(self) -> np.ndarray:
        """Choose by the outputs of U and V; return the arm of each game."""
        luck = self.rng.random((self.n_games, N_LUCK))
        if self._watched and not np.isfinite(self.activity).all():
            raise runaway(self.model)
        return self.choose(luck)

    def choose(self, luck: np.ndarray, activity: np.ndarray | None = None, lenient: bool = False) -> np.ndarray:
        """Choose as :meth:`select` does, with given uniform random numbers (games, 3)."""
        activity = self.activity if activity is None else activity
        weigh, exploit = self._end.weigh(activity, lenient), self.structure.choice.exploit
        arms, self.agreed = select(activity, luck, self.ties, self.tolerance, weigh, exploit)
        return arms

    def probabilities(self) -> np.ndarray:
        """Return the choice probability of each arm (games, arms) for the current outputs of U and V."""
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
        """Run all that follows a reward: phases after the choice, signals, the learning rule."""
        self.arms = arms
        if self.recording is not None:
            self.recording.add(self, arms, rewards)
        self._await(arms, rewards)
        self._end.update_signals(arms, rewards)
        self._end.learn(arms, rewards)
        self.inputs.next()

    def _await(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Run the phases after the choice and the learning rule of contacts, if the model has them."""

    def _variables(self) -> Mapping[str, np.ndarray]:
        """Return the synapses' variables as writable arrays."""
        return self.synapses

    def initial(self, text: str) -> Any:
        """Return the value of an initial-value expression: a number, or (games, 1) where games differ."""
        value = numpy_function(text, {}, self.constants())()
        return value[:, None] if np.ndim(value) else value

    def reset(self) -> None:
        """Reset synapses and signals to their initial values, and inputs to their first round."""
        for name, array in self._variables().items():
            array[:] = self.initial(self.structure.initial[name])
        for name, array in self.signals.items():
            array[:] = np.reshape(self.initial(self.structure.initial[name]), -1)
        self.inputs.reset()

    def set_weights(self, w: np.ndarray, **others: np.ndarray) -> None:
        """Replace the weights, and other variables of the synapses by name: (games, arms), or (arms,) for all games."""
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

    # Snapshots and copies ---------------------------------------------------------------------------------------------

    def own_settings(self) -> dict[str, Any]:
        """Return the keywords of the engine's own class with which an engine like this one is made."""
        return {}

    def _lasting_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that make up the state, to be read and written, by name.

        A name from the model has a prefix, such as ``synapse w``, so that it differs from the engine's own names.
        """
        signals = {f"signal {name}": array for name, array in self.signals.items()}
        return signals | {f"input {name}": array for name, array in self.inputs.now.items()}

    def snapshot(self) -> Snapshot:
        """Return the state as arrays: all that the next rounds depend on, except the random generator ``rng``."""
        found = {name: array.copy() for name, array in self._lasting_arrays().items()}
        found |= {"agreed": self.agreed.copy(), "arms": self.arms.copy(), **self.inputs.snapshot()}
        return found if self.recording is None else {**found, **self.recording.snapshot()}

    def resume(self, snapshot: Snapshot) -> None:
        """Set the state to that of a snapshot, taken of an engine with the same settings.

        Raises
        ------
        ValueError
            If the snapshot is of an engine with other settings; the state is undefined then.
        """
        self.agreed, self.arms = (read(snapshot, name, getattr(self, name)).copy() for name in ("agreed", "arms"))
        self.inputs.resume(snapshot)
        self.recording = Recording.resumed(snapshot)
        for name, array in self._lasting_arrays().items():
            array[...] = read(snapshot, name, array)

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuilt, (type(self), settings_of(self), self.snapshot(), self.rng)

    def stretch(self, *, lenient: bool = False) -> Stretch:
        """Return an object that plays many rounds per call against bandits known in advance; see :class:`Stretch`."""
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
    """Require a time step with the unit of time, and a method given by its name."""
    if not (isinstance(dt, Quantity) and dt.dim is second.dim and dt.size == 1):
        raise ValueError(f"dt must be a time, such as 1 * ms, got {shown(dt)}")
    if not isinstance(method, str):
        raise ValueError(f"method must be the name of one of Brian2's methods, got {shown(method)}")
