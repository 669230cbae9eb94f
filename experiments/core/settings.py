"""Settings of the games on one bandit."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import envs
import nsa_brian
from envs import Bandit
from experiments.core.agents import PAPER_AGENTS, check_bandit, check_names
from experiments.core.errors import at_least
from experiments.core.inputs import check_unchanged, contents_of, file_digests, keep_contents, with_tables
from experiments.core.model_inputs import check_tables, digests_of, tables, values_for
from experiments.core.named import read_agent
from experiments.core.nsa_agents import NSA, agent_from_dict, agent_to_dict, check_agent, is_nsa, with_noise
from experiments.core.study_settings import StudySettings
from nsa_brian import ParameterSet, load
from nsa_brian.common.memory import NUMBER, check_memory
from nsa_brian.engines.registry import DEFAULT_ENGINE, ENGINES, ties_refusal
from nsa_brian.model.agreement import TIES
from nsa_brian.model.timing import DOUBLE, EULER, check_step, engine_options
from nsa_brian.plugins import plugin_digests

#: Size of the record of one round.
BYTES_A_ROUND = 33
#: Strongest noise, in units of the activity (of order 1).
MOST_NOISE = 1e6
#: Settings that are stored only if they differ from these values.
_OPTIONAL: dict[str, Any] = {"inputs": {}, "input_files": {}, "dt": None, "method": EULER, "precision": DOUBLE}


@dataclass(frozen=True, kw_only=True)
class PlaySettings(StudySettings):
    """Repeated games of agents on a bandit: everything that results depend on, and nothing else.

    ``nsa`` has the parameters and the model of the agent ``nsa``, ``nsa_agents`` those of agents ``nsa:WHAT``, which
    are read if not given. A ``noise`` other than 0 applies to all NSA agents; with 0, models keep their own noise.

    ``inputs`` has the digests of input files by path: plugins, files in ``env_options``, which are read at
    construction, and ``input_files``, the files with values of model inputs, by name of the input. Each NSA agent
    receives the inputs that its model has.

    ``dt`` is the time step of all NSA agents in ms; None is 1 ms, or 0.5 ms for models with spiking neurons. ``method``
    is "euler", "rk2" or "rk4"; models with noise or spiking neurons need "euler". ``precision`` is "double" or, for
    models of many or spiking neurons, "single". They are part of ``id`` if they differ from their defaults.
    """

    env: str = "MAB-P"
    env_options: dict[str, Any] = field(default_factory=dict)
    arms: int = 10
    trials: int = 2
    rounds: int = 2000
    repetitions: int = 5
    agents: tuple[str, ...] = PAPER_AGENTS
    nsa: ParameterSet = field(default_factory=load)
    engine: str = DEFAULT_ENGINE
    ties: str = "random"
    noise: float = 0.0
    seed: int = 0
    nsa_agents: dict[str, ParameterSet] = field(default_factory=dict)
    inputs: dict[str, str] = None  # type: ignore[assignment]  # set at construction
    input_files: dict[str, str] = field(default_factory=dict)
    dt: float | None = None
    method: str = EULER
    precision: str = DOUBLE

    def __post_init__(self) -> None:
        known = {**plugin_digests(), **digests_of(self.input_files)} if self.inputs is None else self.inputs
        object.__setattr__(self, "inputs", {**file_digests(self.env, self.env_options), **known})
        at_least(self, arms=2, trials=1, rounds=1, repetitions=1, seed=0)
        for name, legal in (("engine", tuple(ENGINES)), ("ties", TIES)):
            if getattr(self, name) not in legal:
                raise ValueError(f"{name} must be one of {', '.join(legal)}, got {getattr(self, name)!r}")
        check_step(self.dt, self.method, self.precision)
        if not 0 <= self.noise <= MOST_NOISE:
            raise ValueError(f"noise must be a number from 0 to {MOST_NOISE:g}, got {self.noise}")
        if self.noise and self.engine not in ("rounds", "network"):
            raise ValueError(f"noise needs engine rounds or network, got {self.engine!r}")
        for name in ("name", "n_arms", "n_games", "trial_rounds", "seed", "rng"):
            if name in self.env_options:
                raise ValueError(
                    f"unknown setting {name!r} of {self.env}; it is set by env, arms, repetitions, rounds or seed"
                )
        others = [name for name in self.agents if is_nsa(name) and name != NSA]
        object.__setattr__(self, "nsa_agents", {name: self.nsa_agents.get(name) or read_agent(name) for name in others})

    def nsa_agent(self, name: str) -> ParameterSet:
        """Return an NSA agent, including noise."""
        agent = self.nsa if name == NSA else self.nsa_agents[name]
        return with_noise(agent, self.noise) if self.noise else agent

    def with_noise(self, noise: float) -> PlaySettings:
        """Return these settings with this noise in all NSA agents, in place of the noise of their models."""
        given = {NSA: self.nsa_agent(NSA) if self.nsa.model else self.nsa, **self.nsa_agents}
        made = {name: with_noise(agent, noise) if agent.model else agent for name, agent in given.items()}
        return dataclasses.replace(self, noise=noise, nsa=made.pop(NSA), nsa_agents=made)

    def check(self) -> None:
        """Raise an error if the bandit, an agent or the engine does not accept the settings.

        Not part of construction: results can be loaded where a user's agent or schedule is missing.
        """
        check_names(self.agents)
        check_memory(self.memory, "games of that size")
        for name in self.agents:
            if is_nsa(name):
                check_agent(self.nsa_agent(name), self.engine, self.dt, self.method, self.precision)
                if ties_refusal(self.engine, self.ties):
                    raise ValueError(ties_refusal(self.engine, self.ties))
        if self.input_files:
            models = [self.nsa_agent(name).model for name in self.agents if is_nsa(name)]
            check_tables(self.input_tables, self.input_files, models, [self.arms])
        bandit = self.make_bandit(1)
        check_bandit(self.agents, bandit)
        horizon = bandit.horizon
        if horizon is not None and horizon < self.n_rounds:
            raise ValueError(
                f"the {self.env} lasts {horizon} rounds, but {self.trials} trials x {self.rounds} rounds were asked for"
            )

    @property
    def n_rounds(self) -> int:
        """Rounds per game."""
        return self.trials * self.rounds

    @property
    def memory(self) -> float:
        """Bytes that the games of an agent need at least: its record, twice while it is transposed, and all arms."""
        return float(self.repetitions) * (2 * BYTES_A_ROUND * self.n_rounds + 3 * NUMBER * self.arms)

    @property
    def id(self) -> str:
        """Short identifier of the settings and input files."""
        plain = self.to_dict()
        plain = {key: value for key, value in plain.items() if value or key not in ("model", "nsa_agents")}
        text = json.dumps(plain, sort_keys=True)
        return f"{self.env}-k{self.arms}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    @property
    def input_tables(self) -> dict[str, np.ndarray]:
        """Values of model inputs by name, (rounds, columns) each."""
        return tables(self.input_files, self.inputs)

    def inputs_of(self, agent: str) -> dict[str, np.ndarray]:
        """Return the values of the inputs that an NSA agent has, in the form that engines take."""
        return values_for(self.nsa_agent(agent).model, self.input_tables) if self.input_files else {}

    @property
    def integration(self) -> dict[str, Any]:
        """Time step, method and precision as options of an engine; none that has its default."""
        return engine_options(self.dt, self.method, self.precision)

    @property
    def bandit_options(self) -> dict[str, Any]:
        """Options of the bandit, with the file of a schedule replaced by its table."""
        return with_tables(self.env, self.env_options, self.inputs)

    def make_bandit(self, n_games: int) -> Bandit:
        """Return the bandit for a batch of games."""
        made = envs.make(self.env, self.arms, n_games=n_games, trial_rounds=self.rounds, **self.bandit_options)
        check_unchanged(self.env, self.env_options, self.inputs)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values; input files only if there are any."""
        main = agent_to_dict(self.nsa)
        plain: dict[str, Any] = {}
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if each.name == "nsa":
                plain |= {"parameters": main["parameters"], "parameters_name": main["parameters_name"]}
            elif each.name == "nsa_agents":
                plain |= {"model": main["model"], "nsa_agents": {k: agent_to_dict(agent) for k, agent in value.items()}}
            elif each.name not in _OPTIONAL or value != _OPTIONAL[each.name]:
                plain[each.name] = value
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PlaySettings:
        """Restore settings from :meth:`to_dict`, directly or through JSON."""
        own = {each.name for each in dataclasses.fields(cls)}
        made = {name: value for name, value in values.items() if name in own}
        others = {name: agent_from_dict(agent) for name, agent in values.get("nsa_agents", {}).items()}
        made |= {"agents": tuple(values["agents"]), "nsa": agent_from_dict(values), "nsa_agents": others}
        return cls(**{"inputs": {}, **made})

    def __getstate__(self) -> dict[str, Any]:
        """Pickle with the contents of input files, so that other processes do not read them again."""
        return {**vars(self), "contents": contents_of(self.inputs.values())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        keep_contents(state["contents"])
        vars(self).update({name: value for name, value in state.items() if name != "contents"})

    def __getattr__(self, name: str) -> Any:
        """Return deprecated fields of 0.2, to be removed in 0.4."""
        if name not in _BEFORE:
            raise AttributeError(f"settings have no {name!r}")
        _warn_before(name)
        return agent_to_dict(self.nsa)[name]


#: Fields of 0.2, now part of ``nsa``.
_BEFORE = ("parameters", "parameters_name", "model")


def _warn_before(name: str) -> None:
    warnings.warn(f"PlaySettings: use nsa=ParameterSet(...) in place of {name}", DeprecationWarning, stacklevel=3)


def _init_as_before(self: PlaySettings, init: Any = PlaySettings.__init__, **given: Any) -> None:
    """Accept the deprecated fields of 0.2."""
    old = {name: given.pop(name) for name in _BEFORE if name in given}
    if old:
        _warn_before(next(iter(old)))
        if isinstance(old.get("model"), nsa_brian.Model):
            old["model"] = old["model"].to_dict()
        given["nsa"] = agent_from_dict({**agent_to_dict(load()), **old})
    init(self, **given)


PlaySettings.__init__ = _init_as_before  # type: ignore[method-assign]
