"""Settings shared by all studies that play games."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from experiments.core.agents import PAPER_AGENTS, expand
from experiments.core.model_inputs import INPUT_HELP, digests_of, files_of, tables
from experiments.core.named import read_agent, read_set
from experiments.core.nsa_agents import MODEL_HELP, NSA, agent_from_dict, agent_to_dict, is_nsa
from experiments.core.options import setting, some
from experiments.core.settings import PlaySettings
from experiments.core.study_settings import StudySettings
from nsa_brian import DEFAULT_SET, ParameterSet
from nsa_brian.engines.registry import DEFAULT_ENGINE, ENGINES
from nsa_brian.errors import printable
from nsa_brian.model.timing import DOUBLE, DT_HELP, EULER, METHOD_HELP, PRECISION_HELP, check_step, described, stated
from nsa_brian.plugins import plugin_digests

#: The bandits of the paper's comparison.
PAPER_BANDITS = ("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP")


def bandits(default: tuple[str, ...] = PAPER_BANDITS, text: str = "bandits, comma separated") -> Any:
    """Return the setting for several bandits."""
    return setting(default, text, "E,F")


@dataclass(frozen=True, kw_only=True)
class AgentSettings(StudySettings):
    """Settings with parameter sets and models, which are read at construction and stored in ``nsa_agents``."""

    nsa_agents: dict[str, ParameterSet] = field(init=False, repr=False, hash=False)
    dt: float | None = setting(None, DT_HELP, "MS")
    method: str = setting(EULER, METHOD_HELP, "NAME")
    precision: str = setting(DOUBLE, PRECISION_HELP, "NAME")

    def __post_init__(self) -> None:
        check_step(self.dt, self.method, self.precision)

    @property
    def sets(self) -> dict[str, ParameterSet]:
        """The given parameter sets by name."""
        return self.nsa_agents

    @property
    def model_note(self) -> str:
        """Models of NSA, files of their inputs, time step and the like, for a caption; empty for the defaults."""
        names, inputs = self._models, getattr(self, "input", ())
        note = (f", model {names}" if names else "") + "".join(f", input {printable(text)}" for text in inputs)
        return note + described(self.dt, self.method, self.precision)

    @property
    def _models(self) -> str:
        return ", ".join(dict.fromkeys(agent.model_name for agent in self.sets.values() if agent.model is not None))

    def own_dict(self) -> dict[str, Any]:
        """Convert the fields, with all parameter values and, if there are other models or agents, all agents."""
        plain = super().own_dict()
        for name in ("model", "dt", "method", "precision"):  # added below
            del plain[name]
        plain |= stated(self.dt, self.method, self.precision)
        if not plain.get("input"):
            plain.pop("input", None)
        plain["parameter_values"] = {name: agent.parameters.to_dict() for name, agent in self.sets.items()}
        if self._models:
            plain["model"] = self._models
        if self._models or len(self.nsa_agents) > len(self.sets):
            plain["nsa_agents"] = {name: agent_to_dict(agent) for name, agent in self.nsa_agents.items()}
        return plain

    @classmethod
    def restored(cls, field: dataclasses.Field[Any], plain: Mapping[str, Any]) -> Any:
        """Return the value of a field; agents are converted back."""
        if field.name != "nsa_agents":
            return super().restored(field, plain)
        if "nsa_agents" in plain:
            return {name: agent_from_dict(agent) for name, agent in plain["nsa_agents"].items()}
        several = not isinstance(plain["parameters"], str)
        return {
            name if several else NSA: agent_from_dict({"parameters": values, "parameters_name": name})
            for name, values in plain["parameter_values"].items()
        }


@dataclass(frozen=True, kw_only=True)
class GameSettings(AgentSettings):
    """Agents, and the length and number of games."""

    agents: tuple[str, ...] = setting(PAPER_AGENTS, "agents, comma separated, or state-of-the-art", "A,B")
    trials: int = setting(2, "trials per game")
    rounds: int = setting(2000, "rounds per trial")
    repetitions: int = setting(5, "number of independent games")
    parameters: str = setting(DEFAULT_SET, "parameter set of NSA: a name or a file", "SET")
    model: str = setting("", MODEL_HELP, "MODEL", compare=False)
    engine: str = setting(DEFAULT_ENGINE, f"engine that runs NSA: {', '.join(ENGINES)}", "NAME")
    ties: str = setting("random", "how NSA breaks ties: random, or first (not with engine table)", "RULE")
    seed: int = setting(0, "random seed")
    input: tuple[str, ...] = setting((), INPUT_HELP, "NAME=FILE.csv", flag="--input")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "agents", expand(self.agents))
        for name, values in vars(self).items():
            if isinstance(values, tuple) and name != "agents" and len(set(values)) < len(values):
                twice = next(value for value in values if values.count(value) > 1)
                raise ValueError(f"{name}: {twice} is given twice")
        others = {agent: read_agent(agent) for agent in self.agents if is_nsa(agent) and agent != NSA}
        object.__setattr__(self, "nsa_agents", {NSA: read_set(self.parameters, self.model), **others})
        _ = self.input_digests  # read the files now

    @cached_property
    def input_digests(self) -> dict[str, str]:
        """Digests of the input files by path."""
        return digests_of(files_of(self.input))

    @property
    def input_tables(self) -> dict[str, np.ndarray]:
        """Values of model inputs by name, (rounds, columns) each."""
        return tables(files_of(self.input), self.input_digests)

    def games(self, env: str, arms: int, env_options: Mapping[str, Any] = MappingProxyType({})) -> PlaySettings:
        """Return the games on one bandit, checked."""
        made = self.values(env, arms, env_options)
        made.check()
        return made

    def values(self, env: str, arms: int, env_options: Mapping[str, Any]) -> PlaySettings:
        """Return the games on one bandit, not checked."""
        names = ("trials", "rounds", "repetitions", "agents", "engine", "ties", "seed", "nsa_agents")
        shared = some(self, *names, "dt", "method", "precision")
        shared["nsa"] = self.nsa_agents[NSA]
        if self.input:
            shared["input_files"] = files_of(self.input)
            shared["inputs"] = {**plugin_digests(), **self.input_digests}
        return PlaySettings(env=env, env_options=dict(env_options), arms=arms, **shared)

    @property
    def sets(self) -> dict[str, ParameterSet]:
        """The given parameter set by name."""
        return {self.parameters: self.nsa_agents[NSA]}

    @property
    def length(self) -> str:
        """Length and number of games, for the caption of a table."""
        return (
            f"{self.trials} x {self.rounds} rounds, {self.repetitions} games, "
            f"seed {self.seed}; nsa: {self.parameters}{self.model_note}"
        )
