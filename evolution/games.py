"""The games that individuals are scored on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from envs import Bandit, make
from nsa_brian.common.checks import check_number, check_whole
from nsa_brian.common.memory import NUMBER, check_memory
from nsa_brian.common.texts import shown
from nsa_brian.engines.registry import precision_refusal
from nsa_brian.model.timing import DOUBLE, EULER, check_step, engine_options, steps_of
from nsa_brian.parameters import NSAParameters

if TYPE_CHECKING:
    from nsa_brian.model.model import Model

ENGINES = ("table", "rounds")


@dataclass(frozen=True, kw_only=True)
class FitnessGames:
    """The games of a search: every bandit with every number of arms, each played several times.

    Attributes
    ----------
    envs : tuple of str
        Bandits, each a name of ``envs.BANDITS`` or ``NAME:PRESET``.
    arms : tuple of int
    iterations : int
        Games of each bandit and number of arms.
    trials, rounds : int
        Trials of a game, rounds of a trial.
    engine : {"", "table", "rounds"}
        Empty for the fastest engine that runs the model.
    tolerance : float, optional
        Activities that differ by less count as equal, in their own unit; by default the engine's tolerance.
    model : Model
        By default the paper's.
    dt : float, optional
        Time step in ms; by default 1 ms, or 0.5 ms for models with spiking neurons.
    method : {"euler", "rk2", "rk4"}
        Integration method; models with noise or spiking neurons need "euler".
    precision : {"double", "single"}
        Of the neurons; single is for models of many or spiking neurons.
    inputs : mapping
        Values of the model's inputs by name, from a game's first round on: rounds x arms, or one value a round for an
        input of the whole game; see :class:`nsa_brian.engines.inputs.Inputs`.
    """

    envs: tuple[str, ...] = ("MAB-P", "MAB-D", "MAB-sin")
    arms: tuple[int, ...] = (40, 200)
    iterations: int = 2
    trials: int = 2
    rounds: int = 2000
    engine: str = ""
    tolerance: float | None = None
    model: Model = None  # type: ignore[assignment]  # None until __post_init__: Brian2 takes a second to import
    inputs: Mapping[str, Any] = field(default_factory=dict, hash=False)
    dt: float | None = None
    method: str = EULER
    precision: str = DOUBLE

    def __post_init__(self) -> None:
        for name in ("iterations", "trials", "rounds"):
            check_whole(name, getattr(self, name), 1)
        if self.engine and self.engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)} here, got {shown(self.engine)}")
        check_step(self.dt, self.method, self.precision)
        if self.tolerance is not None:
            check_number("tolerance", self.tolerance, 0)
        for name, kind, called in (("envs", str, "names"), ("arms", int, "whole numbers")):
            values = getattr(self, name)
            if not isinstance(values, list | tuple) or not all(isinstance(value, kind) for value in values):
                raise ValueError(f"{name} must be a sequence of {called}, got {shown(values)}")
            object.__setattr__(self, name, tuple(values))
            if not values or len(set(values)) < len(values):
                raise ValueError(f"{name} must name at least one, each once, got {shown(', '.join(map(str, values)))}")
        for n_arms in self.arms:
            check_whole("arms", n_arms, 2)
        self.check_memory(1)
        for env in self.envs:
            for n_arms in self.arms:
                self._make(env, n_arms)
        from nsa_brian.model.model import PAPER, Model, check_noise  # here: Brian2 takes a second to import

        object.__setattr__(self, "model", PAPER if self.model is None else self.model)
        if not isinstance(self.model, Model):
            raise ValueError(f"model must be a Model, got {shown(self.model)}")
        refusal = self.model.refusal(self.played_by) or precision_refusal(self.played_by, self.model, self.precision)
        if refusal:
            raise ValueError(refusal)
        check_noise(self.model, self.method)
        self._check_inputs()

    def _check_inputs(self) -> None:
        from nsa_brian.engines.inputs import Inputs  # here: Brian2 takes a second to import

        for n_arms in self.arms:
            Inputs(self.model, 1, n_arms, self.inputs)
        plain = {name: np.asarray(values, dtype=float).tolist() for name, values in self.inputs.items()}
        object.__setattr__(self, "inputs", plain)

    @property
    def played_by(self) -> str:
        """The name of the engine: the one given, or the fastest that runs the model."""
        return self.engine or self.model.fastest

    @property
    def integration(self) -> dict[str, Any]:
        """Time step, method and precision as options of an engine; none that has its default."""
        return engine_options(self.dt, self.method, self.precision)

    def check_steps(self, parameters: NSAParameters) -> None:
        """Raise an error if a round has too many time steps, or a time constant is shorter than a step."""
        steps_of(parameters, 1.0 if self.dt is None else self.dt, self.method)
        if self.dt is not None:
            from nsa_brian.model.course import check_resolved  # here: Brian2 takes a second to import

            check_resolved(self.model, self.model.values_in_si(self.model.complete(parameters)), 1e-3 * self.dt)

    @property
    def n_rounds(self) -> int:
        """Number of rounds of a game."""
        return self.trials * self.rounds

    @property
    def game_rounds(self) -> int:
        """Number of rounds that an individual plays in all of its games."""
        return len(self.cells) * self.iterations * self.n_rounds

    @property
    def cells(self) -> list[tuple[str, int]]:
        """Bandits and numbers of arms, in the order of the scores."""
        return [(env, n_arms) for n_arms in self.arms for env in self.envs]

    def check_memory(self, n_players: int) -> None:
        """Raise an error if the games of so many players do not fit into memory: all arms, with some copies."""
        n_games = float(n_players) * len(self.envs) * self.iterations
        check_memory(4 * NUMBER * n_games * max(self.arms), "games of that size")

    def bandit(self, env: str, n_arms: int, rng: np.random.Generator) -> Bandit:
        """Return a bandit of these games in its first round."""
        made = self._make(env, n_arms)
        made.reset(rng)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return all settings as plain values, the model in full."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        for name, default in (("inputs", {}), ("dt", None), ("method", EULER), ("precision", DOUBLE)):
            if plain[name] == default:  # unknown to 0.2, whose search ids would change
                del plain[name]
        return {**plain, "envs": list(self.envs), "arms": list(self.arms), "model": self.model.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> FitnessGames:
        """Return the games that :meth:`to_dict` described."""
        from nsa_brian.model.model import Model

        lists = {name: tuple(values[name]) for name in ("envs", "arms")}
        return cls(**{**values, **lists, "model": Model.from_dict(values["model"])})

    def _make(self, env: str, n_arms: int) -> Bandit:
        name, _, preset = env.partition(":")
        made = make(name, n_arms, preset=preset or None, n_games=self.iterations, trial_rounds=self.rounds)
        if made.horizon is not None and made.horizon < self.n_rounds:
            raise ValueError(f"the {name} lasts {made.horizon} rounds, but {self.n_rounds} were asked for")
        return made
