"""The model as an agent with two methods, ``select_arm`` and ``update``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from nsa_brian.common.checks import check_integer, check_probabilities, make_rng
from nsa_brian.common.copying import Copied
from nsa_brian.common.overrides import overrides
from nsa_brian.common.texts import shown
from nsa_brian.engines.base import Engine, Pull, check_integration
from nsa_brian.engines.randomness import Randomness
from nsa_brian.engines.recording import Recording, check_names, recordable
from nsa_brian.engines.registry import DEFAULT_ENGINE, engine_class, named
from nsa_brian.engines.stretch import CompiledRounds
from nsa_brian.model.loading import load_model
from nsa_brian.model.model import PAPER, Model
from nsa_brian.parameter_set import DEFAULT_SET, ParameterSet, load, model_names
from nsa_brian.parameters import NSAParameters
from nsa_brian.preparation import with_prepared
from nsa_brian.saving import load as load_engine
from nsa_brian.saving import save as save_engine


class NSA(Copied):
    """The Neural Selection Agreement model playing one bandit, or many at once.

    Parameters
    ----------
    n_arms : int
        Number of options K.
    parameters : NSAParameters, str, Path, mapping or sequence
        Parameters, the name of a shipped set, a parameter file, a mapping of names to values, or one set per game. A
        file may contain its model.
    engine : str
        Name of an engine, one of ``nsa_brian.ENGINES``.
    seed : int, optional
        The same seed and rewards give the same choices.
    n_games : int, optional
        Number of games played at once. Arms and rewards are then arrays (games,); by default they are plain numbers.
    ties, tolerance
        See :func:`nsa_brian.model.agreement.select`; the default tolerance depends on the unit of the activities.
    rng : numpy.random.Generator, optional
        Used instead of ``seed``.
    model : Model, SpikingModel, str or Path, optional
        A model, or an argument of :func:`nsa_brian.load_model`; by default the model in the parameter file, else the
        paper's.
    record : sequence of str
        Variables to record in each round: ``u`` and ``v``, variables of the synapse such as ``w``, signals and inputs;
        see :attr:`record`. The engine ``network`` also records them in every time step, see
        :class:`nsa_brian.NSANetwork`. True records spikes, in models that spike.
    **options
        Options of the engine, such as ``dt`` and ``method``; ``inputs`` maps names of the model's inputs to values, see
        :class:`nsa_brian.engines.inputs.Inputs`.

    Examples
    --------
    >>> agent = NSA(n_arms=3, seed=0)
    >>> arm = agent.select_arm()
    >>> agent.update(arm, reward=1)
    """

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | str | Path | Mapping[str, float] | Sequence[NSAParameters] = DEFAULT_SET,
        engine: str = DEFAULT_ENGINE,
        seed: int | None = None,
        n_games: int | None = None,
        ties: str = "random",
        tolerance: float | None = None,
        rng: Randomness | None = None,
        model: Model | str | Path | None = None,
        record: Sequence[str] | bool = (),
        **options: Any,
    ) -> None:
        self._single = n_games is None
        n_arms = check_integer("n_arms", n_arms, 2)
        rng = make_rng(seed, rng)
        engine, model = named(engine, model)
        parameters, model = read_parameters(parameters, model)
        if model != PAPER:
            options["model"] = model
        check_integration(**{name: options[name] for name in ("dt", "method") if name in options})
        if tolerance is not None:
            options["tolerance"] = tolerance
        make = engine_class(engine, model)
        if isinstance(record, Iterable) and not isinstance(record, str):
            record = tuple(record)  # an iterator can be read only once
        if record is not False and (engine == "network" or record is True):
            options["record"] = record
        options = with_prepared(model, parameters, n_arms, n_games or 1, options)
        self.engine: Engine = make(n_arms, parameters, 1 if n_games is None else n_games, ties, rng=rng, **options)
        if not isinstance(record, bool):
            if engine == "network":  # it has checked the names
                names = [name for name in record if recordable(self.engine, name)]
            else:
                names = list(check_names(self.engine, record))
            self.engine.recording = Recording(names) if names else None

    def __repr__(self) -> str:
        engine = self.engine
        games = "" if self._single else f", n_games={engine.n_games}"
        return f"NSA(n_arms={engine.n_arms}, model={engine.model.name!r}, engine={engine.name!r}{games})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_compiled"}  # it is made again

    def save(self, path: str | Path) -> None:
        """Write the agent to a file: settings, model, state and random numbers, at any time between two calls.

        The file is data, without code, and written atomically. Attributes of a subclass are not stored; pickle such an
        agent instead.
        """
        save_engine(self.engine, path, self._single)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return an agent from a file of :meth:`save`; it continues its game with the same choices.

        Raises
        ------
        ValueError
            If it is another file, or damaged.
        """
        agent = cls.__new__(cls)
        agent.engine, agent._single = load_engine(path)
        return agent

    def select_arm(self) -> Any:
        """Run one decision and return the chosen arm (of each game)."""
        self.engine.respond()
        arms = self.engine.select()
        return int(arms[0]) if self._single else arms

    def update(self, arm: Any, reward: Any) -> None:
        """Learn from the reward, a number from 0 to 1, of the pulled arm (in each game)."""
        self.engine.learn(arm, reward)

    @property
    def record(self) -> dict[str, np.ndarray]:
        """What was recorded, by name: ``arm``, ``reward``, ``agreed``, and the variables given as ``record``.

        Arrays are (rounds,) in a single game, else (rounds, games); those of options have a last axis of arms. Values
        are those at the choice, so ``w`` is the weight with which an arm was chosen, before learning.
        """
        if self.engine.recording is None:
            raise ValueError('nothing was recorded: give the agent names of variables, such as record=["w"]')
        return self.engine.recording.arrays(single=self._single)

    @cached_property
    def _compiled(self) -> CompiledRounds | None:
        stretch = None if overrides(type(self), NSA, "select_arm", "update") else self.engine.stretch()
        return stretch if isinstance(stretch, CompiledRounds) else None

    @property
    def plays_ahead(self) -> bool:
        """Whether :meth:`play_ahead` can be used: rounds are compiled, and no subclass overrides the two methods."""
        return self._compiled is not None

    def play_ahead(
        self, probabilities: np.ndarray, luck: np.ndarray, inputs: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Play many rounds at once against bandits known beforehand; faster, with the same choices as round by round.

        An agent that records plays them round by round inside, which takes 1.4 times (``rounds``, 100 games) to 17
        times (``table``, 100 games) as long; choices are the same, values may differ in their last bits.

        Parameters
        ----------
        probabilities : array (rounds, games, arms)
        luck : array (rounds, games)
            Uniform random numbers: an arm pays if its probability is higher. ``Bandit.ahead`` returns both arrays.
        inputs : mapping, optional
            Values of the model's inputs from the first of these rounds on, replacing all earlier ones; see
            :class:`nsa_brian.engines.inputs.Inputs`.

        Returns
        -------
        arms : array of int (rounds, games)
        agreed : array of bool (rounds, games)
            Whether U and V agreed.
        """
        if self._compiled is None:
            raise ValueError(
                "this agent cannot play ahead, since plays_ahead is False: use select_arm and update, or play"
            )
        probabilities, luck = np.atleast_1d(probabilities), np.atleast_1d(luck)
        check_probabilities("probabilities", probabilities)
        check_probabilities("luck", luck)
        if inputs is not None:
            self.engine.inputs.give(inputs)
        return self._compiled.play_drawing(probabilities, luck)

    def play(self, pull: Pull, n_rounds: int) -> dict[str, np.ndarray]:
        """Play many rounds against ``pull(arms) -> rewards``, with the engine's own loop; return their record.

        ``pull`` gets and returns arrays (games,). The record is that of these rounds, see :attr:`record`; without
        ``record`` it has ``arm``, ``reward`` and ``agreed``.
        """
        before = self.engine.recording
        recording = self.engine.recording = Recording() if before is None else before
        start = recording.n_rounds
        try:
            self.engine.play(pull, n_rounds)
        finally:
            self.engine.recording = before
        return recording.arrays(start, self._single)


def read_parameters(
    parameters: Any, model: Model | str | Path | None = None
) -> tuple[NSAParameters | Sequence[NSAParameters], Model]:
    """Return parameters and model as objects, from any arguments that :class:`NSA` accepts.

    Raises
    ------
    ValueError
        If the set or model is unknown, or if they contradict each other.
    """
    if isinstance(model, str) and model in model_names() and parameters == DEFAULT_SET:
        parameters = model  # a shipped model's own set
    model = load_model(model) if isinstance(model, str | Path) else model
    if not isinstance(model, Model | None):
        raise ValueError(f"model must be a Model, a SpikingModel, a name or a file, got {shown(model)}")
    if isinstance(parameters, str | Path):
        chosen = load(parameters)
        return chosen.parameters, model_of(chosen, model)
    if isinstance(parameters, Mapping):
        parameters = NSAParameters.from_dict(parameters, None if model is None else model.declared)
    return parameters, PAPER if model is None else model


def model_of(chosen: ParameterSet, model: Model | None = None) -> Model:
    """Return the model of a parameter set and an optional model, which must not contradict each other.

    A set of the 22 parameters fits any model. A set that contains a model fits that model only.
    """
    if chosen.model is None or model is None:
        return model or chosen.model or PAPER
    if chosen.model != model:
        ours, theirs = model.to_dict(), chosen.model.to_dict()
        parts = [name for name in ours if ours[name] != theirs.get(name) and ours["format"] == theirs["format"]]
        raise ValueError(
            f"parameter set {chosen.name} brings its own model {chosen.model.name}, which is not the model "
            f"{model.name} that was asked for: they differ in {', '.join(parts) or 'format'}"
        )
    return model
