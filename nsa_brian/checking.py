"""``check``: play a model along every path that a command can take, and compare it with the reference."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from brian2 import prefs
from brian2.utils.logger import catch_logs

from nsa_brian.codegen.code_objects import NumpyRound, code_object_class
from nsa_brian.engines.base import Engine
from nsa_brian.engines.registry import ENGINES, engine_class
from nsa_brian.engines.stretch import CompiledRounds
from nsa_brian.errors import ModelError
from nsa_brian.model.agreement import N_LUCK
from nsa_brian.model.course import Course, default_dt
from nsa_brian.model.loading import load_model
from nsa_brian.model.model import Model
from nsa_brian.model.timing import EULER, engine_options, stated
from nsa_brian.parameter_set import load
from nsa_brian.parameters import NSAParameters
from nsa_brian.preparation import with_prepared

#: The engine that the others are compared with.
REFERENCE = "network"
#: Differences that count as rounding, relative to max(1, abs(value)), of engines that integrate and that interpolate.
ROUNDING, INTERPOLATION = 1e-9, 1e-6
#: Number of rounds on slow paths.
FEW = 5
#: Name of the path that a search takes.
SEARCH = "as in a search"


@dataclass(frozen=True)
class Difference:
    """The first difference between a path and the reference.

    Attributes
    ----------
    round, game, arm : int
        Counted from 0; ``arm`` is None for a variable of the game.
    variable : str
        ``"choice"``, ``"agreement"``, or a variable's name.
    value, reference : float
    """

    round: int
    game: int
    arm: int | None
    variable: str
    value: float
    reference: float

    def __str__(self) -> str:
        place = f"round {self.round}, game {self.game}" + ("" if self.arm is None else f", arm {self.arm}")
        return f"{place}: {self.variable} is {self.value:.6g}, not {self.reference:.6g}"


@dataclass(frozen=True)
class EngineCheck:
    """The outcome of one path through an engine.

    Attributes
    ----------
    engine : str
    path : str
        How rounds were played: ``"round by round"``, ``"compiled rounds"``, ``"as in a search"``, ``"in numpy"``; empty
        for the reference.
    refusal : str
        Why the engine cannot run the model; empty if it can.
    error : str
        The error that ended the game; empty if there was none.
    choices : float
        Share of choices that equal the reference's.
    activity, synapses, carried : float
        Largest difference from the reference in activities, synaptic variables and state carried over between rounds,
        up to the first round with different choices.
    difference : Difference, optional
        The first one beyond ``tolerance``.
    tolerance : float
        Largest difference that counts as rounding, relative to max(1, abs(value)).
    rounds : int
        Number of rounds compared.
    ms_per_round : float
        Wall time of a round of all games.
    steps_per_second : float
        Throughput, in time steps of one option.
    """

    engine: str
    path: str = ""
    refusal: str = ""
    error: str = ""
    choices: float = float("nan")
    activity: float = float("nan")
    synapses: float = float("nan")
    carried: float = float("nan")
    difference: Difference | None = None
    tolerance: float = ROUNDING
    rounds: int = 0
    ms_per_round: float = float("nan")
    steps_per_second: float = float("nan")

    @property
    def agrees(self) -> bool:
        """Whether the engine refuses the model, or agrees with the reference."""
        return bool(self.refusal) or (self.difference is None and not self.error)

    @property
    def name(self) -> str:
        """Engine and path."""
        return f"{self.engine}, {self.path}" if self.path else self.engine

    def __str__(self) -> str:
        if self.refusal:
            return f"refused: {self.refusal}"
        if self.error:
            return f"failed: {self.error}"
        speed = f"{self.ms_per_round:.3g} ms a round, {self.steps_per_second:.2g} steps/s"
        if self.engine == REFERENCE and not self.path:
            return f"{speed}; the reference"
        parts = {"activities": self.activity, "synapses": self.synapses, "carried state": self.carried}
        found = ", ".join(f"{part} within {value:.0e}" for part, value in parts.items() if value == value)
        return f"{speed}; {self.choices:.0%} of the choices, {found}"


@dataclass(frozen=True)
class Check:
    """The outcome of :func:`check`: an :class:`EngineCheck` for each path, and what was played."""

    model: Model
    engines: tuple[EngineCheck, ...]
    played: dict[str, Any] = field(default_factory=dict)

    @property
    def agree(self) -> bool:
        """Whether all engines that run the model agree."""
        return all(engine.agrees for engine in self.engines)

    def to_dict(self) -> dict[str, Any]:
        """Convert to a dict for JSON."""
        found = []
        for engine in self.engines:
            plain = {key: None if value != value else value for key, value in dataclasses.asdict(engine).items()}
            found.append({**plain, "agrees": engine.agrees})
        structure = self.model.structure
        return {
            "model": self.model.to_dict(),
            "agree": self.agree,
            "dense": structure.dense,
            "coordinate": structure.coordinate,
            "engines": found,
            "played": self.played,
        }

    def __str__(self) -> str:
        lines = [f"model {self.model.name}: {_how_it_runs(self.model)}"]
        width = max(len(found.name) for found in self.engines)
        lines += [f"  {found.name:<{width}}  {found}" for found in self.engines]
        rounds, arms, games = (self.played[key] for key in ("rounds", "arms", "games"))
        details = f"{games} games of {rounds} rounds, {arms} arms; differences up to {ROUNDING:.0e} are rounding"
        if any(found.engine == "table" and not found.refusal for found in self.engines):
            details += f", in table up to {INTERPOLATION:.0e}"
        if self.model.structure.inputs:
            details += "; inputs are random numbers from 0 to 1"
        verdict = [f"they agree ({details})"]
        if not self.agree:
            wrong = [found for found in self.engines if not found.agrees]
            verdict = [f"they differ ({details})"]
            verdict += [f"  {found.name}: {found.error or found.difference}" for found in wrong]
        return "\n".join([*lines, *verdict])


def check(
    model: Model | str | Path,
    parameters: NSAParameters | str | None = None,
    n_arms: int = 4,
    n_rounds: int = 25,
    n_games: int = 2,
    seed: int = 0,
    method: str = "euler",
    dt: float | None = None,
) -> Check:
    """Play a model along every path with the same random numbers, and compare.

    The reference is the Brian2 network in one run. The other paths are the network round by round and rounds in numpy,
    both for a few rounds, compiled rounds one at a time as in a user's loop, compiled rounds many per call as in
    commands and searches, and the table. Choices, activities, synapses after learning, and carried state are compared
    in every round.

    Parameters
    ----------
    model : Model, or an argument of :func:`nsa_brian.load_model`
    parameters : NSAParameters or str, optional
        By default the default set, with parameters that the model adds at their defaults.
    n_arms, n_rounds, n_games, seed : int
        The games; arms pay with different probabilities.
    method : str
        Integration method. Engines agree choice for choice with ``euler``. With methods of higher order, input from
        other neurons is constant within a step in ``network``; in the others it changes within a pair.
    dt : float, optional
        Time step in ms; by default the model's.

    Returns
    -------
    Check
        ``print`` it, or read ``.agree``.

    Raises
    ------
    ValueError
        If the model fails on every path.
    """
    model = model if isinstance(model, Model) else load_model(model)
    if n_rounds < 2:
        raise ValueError(f"n_rounds must be at least 2, got {n_rounds}")
    if not isinstance(parameters, NSAParameters):
        parameters = load(parameters).parameters if parameters else load().parameters
    parameters = model.complete(parameters)
    games = _Games(model, parameters, n_arms, n_rounds, n_games, seed, method, dt)
    reference: list[_Round] | ModelError = []
    found: list[EngineCheck] = []
    for path in _paths(model):
        refusal = model.refusal(path.engine)
        if refusal:
            found.append(EngineCheck(path.engine, refusal=refusal))
            continue
        try:
            records: list[_Round] | ModelError = path.play(games)
        except ModelError as error:
            records = error
        if path.is_reference:
            reference = records
        found.append(_compared(path, records, reference, games))
    if isinstance(reference, ModelError):
        found = [each for each in found if each.path != SEARCH]  # which continues with values that are not finite
        if all(each.error or each.refusal for each in found):
            raise reference
        details = "did not fail, where the reference did"
        found = [each if each.error or each.refusal else dataclasses.replace(each, error=details) for each in found]
    played = {"rounds": n_rounds, "arms": n_arms, "games": n_games, "seed": seed, "method": method, **stated(dt, EULER)}
    return Check(model, tuple(found), played)


@dataclass(frozen=True)
class _Round:
    """The compared values of a round: the neurons' state at its end, the synapses after learning."""

    arms: np.ndarray
    agreed: np.ndarray
    activity: Mapping[str, np.ndarray]
    synapses: Mapping[str, np.ndarray]
    carried: Mapping[str, np.ndarray]
    seconds: float = 0.0

    @classmethod
    def of(cls, engine: Engine, arms: np.ndarray, agreed: np.ndarray, names: list[str], seconds: float = 0.0) -> _Round:
        u, v = engine.activity
        carried = {name: engine.state(name).copy() for name in names}
        synapses = {name: array.copy() for name, array in engine.synapses.items()}
        synapses |= {name: array[:, None].copy() for name, array in engine.signals.items()}
        return cls(arms.copy(), agreed.copy(), {"u": u.copy(), "v": v.copy()}, synapses, carried, seconds)


class _Games:
    """The games that every path plays, with random numbers drawn beforehand."""

    def __init__(
        self,
        model: Model,
        parameters: NSAParameters,
        n_arms: int,
        n_rounds: int,
        n_games: int,
        seed: int,
        method: str,
        dt: float | None,
    ) -> None:
        self.model, structure = model, model.structure
        self.n_rounds, self.seed = n_rounds, seed
        self._size = (n_arms, parameters, n_games)
        self.row = np.arange(n_games)
        self.chances = np.broadcast_to(np.linspace(0.2, 0.8, n_arms), (n_rounds, n_games, n_arms))
        self.luck = np.random.default_rng([seed, 1]).random((n_rounds, n_games, N_LUCK + 1))
        rng = np.random.default_rng([seed, 2])
        sizes = {"option": (n_rounds, n_games, n_arms), "game": (n_rounds, n_games)}
        inputs = {name: rng.random(sizes[given.per]) for name, given in structure.inputs.items()}
        ways = {"method": method, **engine_options(dt, EULER), **({"inputs": inputs} if inputs else {})}
        self.ways = with_prepared(self.model, parameters, n_arms, n_games, ways)
        #: Names of state that is carried over between rounds, or that belongs to a game.
        pools = [name for place in structure.of_games for name in structure.state(place)]
        self.carried = list(dict.fromkeys([*structure.carried, *pools]))
        step = default_dt(model) if dt is None else 1e-3 * dt
        course = Course.of(model, model.values_in_si(parameters), step, method)
        self.steps = course.round_steps * n_arms * n_games

    def engine(self, name: str) -> Engine:
        """Create an engine."""
        make: Any = engine_class(name, self.model)
        return make(*self._size, rng=_Replay(self.luck, self.seed), model=self.model, **self.ways)

    def rewards(self, t: int, arms: np.ndarray) -> np.ndarray:
        """Return the rewards of the arms pulled in a round."""
        return (self.luck[t, :, N_LUCK] < self.chances[t, self.row, arms]).astype(float)


class _Replay:
    """A generator that replays random numbers drawn beforehand, the same for every path."""

    def __init__(self, luck: np.ndarray, seed: int) -> None:
        self._luck, self._rng = iter(luck[:, :, :N_LUCK]), np.random.default_rng(seed)

    def random(self, size: Any) -> np.ndarray:
        """Return the numbers of the next decision."""
        return next(self._luck)

    def spawn(self, n_children: int) -> Any:
        """Return generators for the random numbers of neurons."""
        return self._rng.spawn(n_children)


@dataclass(frozen=True)
class _Path:
    engine: str
    how: str
    play: Callable[[_Games], list[_Round]]
    is_reference: bool = False


def _paths(model: Model) -> Iterator[_Path]:
    """Yield all paths that a command, a user's loop or a search can take, the reference first."""
    yield _Path(REFERENCE, "", partial(_in_one_run, name=REFERENCE), is_reference=True)
    yield _Path(REFERENCE, "round by round", partial(_one_by_one, name=REFERENCE, n_rounds=FEW))
    # Populations of many neurons are played round by round, each round compiled.
    compiled = model.structure.single and not issubclass(code_object_class(), NumpyRound)
    for name in ENGINES:
        if name == REFERENCE:
            continue
        yield _Path(name, "round by round", partial(_one_by_one, name=name))
        if model.refusal(name):
            continue
        if compiled:
            yield _Path(name, "compiled rounds", partial(_many, name=name))
        yield _Path(name, SEARCH, partial(_many, name=name, lenient=True))
        if compiled and name == "rounds":
            yield _Path(name, "in numpy", _in_numpy)


def _in_one_run(games: _Games, name: str) -> list[_Round]:
    """Play all rounds in one run, and record each after learning."""
    engine = games.engine(name)
    found: list[_Round] = []
    learn, last = engine.learn, time.perf_counter()

    def watched(arms: np.ndarray, rewards: np.ndarray) -> None:
        nonlocal last
        learn(arms, rewards)
        now = time.perf_counter()
        found.append(_Round.of(engine, arms, engine.agreed, games.carried, now - last))
        last = now

    engine.learn = watched  # type: ignore[method-assign]
    engine.play(lambda arms: games.rewards(len(found), arms), games.n_rounds)
    return found


def _one_by_one(games: _Games, name: str, n_rounds: int | None = None) -> list[_Round]:
    """Play round by round (respond, select, learn), as in a user's loop."""
    engine, found = games.engine(name), []
    for t in range(min(n_rounds or games.n_rounds, games.n_rounds)):
        start = time.perf_counter()
        engine.respond()
        arms = engine.select()
        engine.learn(arms, games.rewards(t, arms))
        seconds = time.perf_counter() - start
        found.append(_Round.of(engine, arms, engine.agreed, games.carried, seconds))
    return found


def _many(games: _Games, name: str, lenient: bool = False) -> list[_Round]:
    """Play as commands and searches do: one round per call, then 2, 3, 5, 8, ... per call from the game's start."""
    engine = games.engine(name)
    stretch = engine.stretch(lenient=lenient)
    found = []
    for t in range(games.n_rounds):
        start = time.perf_counter()
        arms, agreed = stretch.play(games.row, games.chances[t : t + 1], games.luck[t : t + 1])
        found.append(_Round.of(engine, arms[0], agreed[0], games.carried, time.perf_counter() - start))
    if not isinstance(stretch, CompiledRounds):
        return found  # where a call loops over the same rounds
    lengths = [2, 3]
    while lengths[-1] < games.n_rounds:
        lengths.append(lengths[-1] + lengths[-2])
    for n in sorted({min(n, games.n_rounds) for n in lengths}):
        if engine.structure.draws:  # a reset does not restart the neurons' random streams
            engine = games.engine(name)
        engine.reset()
        stretch = engine.stretch(lenient=lenient)
        start = time.perf_counter()
        arms, agreed = stretch.play(games.row, games.chances[:n], games.luck[:n])
        seconds = (time.perf_counter() - start) / n
        for t in range(n):
            if (arms[t] != found[t].arms).any() or (agreed[t] != found[t].agreed).any():
                return [*found[:t], dataclasses.replace(found[t], arms=arms[t], agreed=agreed[t])]
        ahead = _Round.of(engine, arms[-1], agreed[-1], games.carried, seconds)
        if not _same(ahead, found[n - 1]):  # a table computes what it has not yet in numpy, with other rounding errors
            found[n - 1] = ahead
    return [dataclasses.replace(each, seconds=seconds) for each in found]


def _same(a: _Round, b: _Round) -> bool:
    """Return whether all variables of two rounds are exactly equal."""
    pairs = zip((a.activity, a.synapses, a.carried), (b.activity, b.synapses, b.carried), strict=True)
    return all(np.array_equal(x[name], y[name], equal_nan=True) for x, y in pairs for name in x)


def _in_numpy(games: _Games) -> list[_Round]:
    with _numpy_target():
        return _one_by_one(games, "rounds", FEW)


@contextmanager
def _numpy_target() -> Iterator[None]:
    """Use Brian2's numpy target temporarily, without log messages about it."""
    before = prefs.codegen.target
    with catch_logs():
        prefs.codegen.target = "numpy"
        try:
            yield
        finally:
            prefs.codegen.target = before


def _compared(
    path: _Path,
    records: list[_Round] | ModelError,
    reference: list[_Round] | ModelError,
    games: _Games,
) -> EngineCheck:
    """Compare a path's rounds with the reference's."""
    if isinstance(records, ModelError) or isinstance(reference, ModelError):
        return EngineCheck(path.engine, path.how, error=str(records) if isinstance(records, ModelError) else "")
    tolerance = INTERPOLATION if path.engine == "table" else ROUNDING
    pairs = list(zip(records, reference, strict=False))
    same = np.array([bool((a.arms == b.arms).all()) for a, b in pairs])
    upto = pairs if same.all() else pairs[: int(np.argmin(same)) + 1]
    found = next((difference for t, (a, b) in enumerate(upto) if (difference := _difference(t, a, b, tolerance))), None)
    a_round = max(float(np.median([each.seconds for each in records[1:] or records])), 1e-9)
    return EngineCheck(
        path.engine,
        path.how,
        choices=float(np.mean([(a.arms == b.arms).mean() for a, b in pairs])),
        activity=_largest(upto, "activity"),
        synapses=_largest(upto, "synapses"),
        carried=_largest(upto, "carried"),
        difference=found,
        tolerance=tolerance,
        rounds=len(pairs),
        ms_per_round=1e3 * a_round,
        steps_per_second=games.steps / a_round,
    )


def _largest(pairs: list[tuple[_Round, _Round]], part: str) -> float:
    """Return the largest difference in some variables; NaN if there are none."""
    found = [
        float(np.abs(values - getattr(b, part)[name]).max())
        for a, b in pairs
        for name, values in getattr(a, part).items()
    ]
    return max(found, default=float("nan"))


def _difference(t: int, a: _Round, b: _Round, tolerance: float) -> Difference | None:
    """Return the first difference of two rounds beyond rounding: in state, activities, choices, or synapses."""
    for part in ("carried", "activity"):
        if found := _in_variables(t, getattr(a, part), getattr(b, part), tolerance):
            return found
    for name, x, y in (("agreement", a.agreed, b.agreed), ("choice", a.arms, b.arms)):
        if (x != y).any():
            game = int(np.argmax(x != y))
            return Difference(t, game, None, name, float(x[game]), float(y[game]))
    return _in_variables(t, a.synapses, b.synapses, tolerance)


def _in_variables(
    t: int, found: Mapping[str, np.ndarray], wanted: Mapping[str, np.ndarray], tolerance: float
) -> Difference | None:
    for name, x in found.items():
        y = wanted[name]
        far = ~(np.abs(x - y) <= tolerance * np.maximum(1, np.abs(y))) & ~((x == y) | (np.isnan(x) & np.isnan(y)))
        if far.any():
            game, arm = np.unravel_index(int(np.argmax(far)), far.shape)
            return Difference(
                t, int(game), int(arm) if far.shape[1] > 1 else None, name, float(x[game, arm]), float(y[game, arm])
            )
    return None


def _how_it_runs(model: Model) -> str:
    """Describe in a sentence which options engines integrate."""
    structure = model.structure
    if structure.dense:
        return f"all options are integrated in every round, since {structure.dense}"
    if structure.coordinates:
        what = " and ".join(structure.coordinates)
        return f"only options whose synapse has changed are integrated; a round's end is a function of {what}"
    return "only options whose synapse has changed are integrated"
