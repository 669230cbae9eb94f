"""The settings that all who play games share, how results files tell them, and how they are recalled from there."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol, get_origin, get_type_hints

from experiments.core.agents import PAPER, expand, tuned
from experiments.core.model_inputs import INPUT_HELP, digests_of, files_of
from experiments.core.named import read, read_agent
from experiments.core.nsa_agents import MODEL_HELP, NSA, NSAAgent, is_nsa
from experiments.core.options import setting, some
from experiments.core.settings import PlaySettings
from nsa_brian import DEFAULT_SET
from nsa_brian.engines.registry import DEFAULT_ENGINE, ENGINES
from nsa_brian.errors import printable
from nsa_brian.plugins import plugin_digests

#: The bandits of the paper's comparison.
PAPER_BANDITS = ("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP")


def bandits(default: tuple[str, ...] = PAPER_BANDITS, text: str = "bandits, comma separated") -> Any:
    """The setting of those who play several bandits."""
    return setting(default, text, "E,F")


@dataclass(frozen=True, kw_only=True)
class GameSettings:
    """Who plays, for how long, how often.

    Parameter sets and models are named; what they are is read when the settings are made, and held in ``nsa_agents``.
    """

    agents: tuple[str, ...] = setting(PAPER, "agents, comma separated, or state-of-the-art", "A,B")
    trials: int = setting(2, "trials")
    rounds: int = setting(2000, "rounds of a trial")
    repetitions: int = setting(5, "games, each with its own luck")
    parameters: str = setting(DEFAULT_SET, "NSA's parameters: a set's name or a file", "SET")
    model: str = setting("", MODEL_HELP, "MODEL")
    engine: str = setting(DEFAULT_ENGINE, f"how NSA is run: {', '.join(ENGINES)}", "NAME")
    ties: str = setting("random", "ties of NSA's argmax: random, or first (not with engine table)", "RULE")
    seed: int = setting(0, "same seed, same games")
    input: tuple[str, ...] = setting((), INPUT_HELP, "NAME=FILE.csv", flag="--input")
    nsa_agents: dict[str, NSAAgent] = field(init=False, repr=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", expand(self.agents))
        for name, values in vars(self).items():
            if isinstance(values, tuple) and name != "agents" and len(set(values)) < len(values):
                twice = next(value for value in values if values.count(value) > 1)
                raise ValueError(f"{name} names {twice} twice")
        others = {agent: read_agent(agent) for agent in self.agents if is_nsa(agent) and agent != NSA}
        object.__setattr__(self, "nsa_agents", {NSA: read(self.parameters, self.model), **others})
        _ = self.input_digests  # the files are read now

    @cached_property
    def input_digests(self) -> dict[str, str]:
        """The digests of the files with values of inputs, by their paths."""
        return digests_of(files_of(self.input))

    def games(self, env: str, arms: int, env_options: Mapping[str, Any] = MappingProxyType({})) -> PlaySettings:
        """The games of these settings on one bandit, checked."""
        made = self.values(env, arms, env_options)
        made.check()
        return made

    def values(self, env: str, arms: int, env_options: Mapping[str, Any]) -> PlaySettings:
        """The same, not checked yet."""
        shared = some(self, "trials", "rounds", "repetitions", "agents", "engine", "ties", "seed", "nsa_agents")
        if self.input:
            shared["input_files"] = files_of(self.input)
            shared["inputs"] = {**plugin_digests(), **self.input_digests}
        return PlaySettings(env=env, env_options=dict(env_options), arms=arms, **shared, **vars(self.nsa_agents[NSA]))

    @property
    def sets(self) -> dict[str, NSAAgent]:
        """The parameter sets that are named, and with which model."""
        return {self.parameters: self.nsa_agents[NSA]}

    @property
    def length(self) -> str:
        """How long and how often, for the caption of a table."""
        return (
            f"{self.trials} x {self.rounds} rounds, {self.repetitions} games, "
            f"seed {self.seed}; nsa: {self.parameters}{model_told(self)}"
        )

    def parameters_of(self, agent: str) -> Mapping[str, float]:
        """The parameters of an agent of the nsa kind."""
        return self.nsa_agents[agent].parameters


class NamesSets(Protocol):
    """Settings that name parameter sets."""

    @property
    def sets(self) -> dict[str, NSAAgent]:
        """The parameter sets that are named, and with which model."""


def model_told(settings: NamesSets) -> str:
    """The name of NSA's model and the files of its inputs, to be put behind something; nothing for the paper's."""
    name, inputs = _model_names(settings), getattr(settings, "input", ())
    return (f", model {name}" if name else "") + "".join(f", input {printable(text)}" for text in inputs)


def _model_names(settings: NamesSets) -> str:
    return ", ".join(dict.fromkeys(agent.model_name for agent in settings.sets.values() if agent.model is not None))


def told(settings: Any) -> dict[str, Any]:
    """Settings as plain JSON, with the parameters, models and tuned policies that they name, in full."""
    plain = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings) if field.init}
    if not plain.get("input"):
        plain.pop("input", None)
    if "parameters" in plain:
        del plain["model"]  # its name, and all of it, follow
        plain.update(_named(settings))
    chosen = {name.partition(":")[0] for name in plain.get("agents", ()) if name.endswith(":tuned")}
    if chosen:
        plain["tuned"] = {name: values for name, values in tuned().items() if name in chosen}
    return json.loads(json.dumps(plain))  # as a results file gives it back: lists for tuples


def _named(settings: Any) -> dict[str, Any]:
    """Parameters of the sets that settings name; and, where there is more than that, all agents of the nsa kind."""
    agents: dict[str, NSAAgent] = settings.nsa_agents
    found: dict[str, Any] = {"parameter_values": {name: agent.parameters for name, agent in settings.sets.items()}}
    models = _model_names(settings)
    if models:
        found["model"] = models
    if models or len(agents) > len(settings.sets):
        found["nsa_agents"] = {name: dataclasses.asdict(agent) for name, agent in agents.items()}
    return found


def recall(kind: type, plain: Mapping[str, Any]) -> Any:
    """Settings that :func:`told` was told of. Nothing is read or checked: what they name may be gone since."""
    made: Any = object.__new__(kind)
    types = get_type_hints(kind)
    for each in dataclasses.fields(kind):
        value: Any = _recall_agents(plain) if each.name == "nsa_agents" else plain.get(each.name, each.default)
        object.__setattr__(made, each.name, tuple(value) if get_origin(types[each.name]) is tuple else value)
    return made


def _recall_agents(plain: Mapping[str, Any]) -> dict[str, NSAAgent]:
    if "nsa_agents" in plain:
        return {name: NSAAgent(**agent) for name, agent in plain["nsa_agents"].items()}
    several = not isinstance(plain["parameters"], str)
    return {
        name if several else NSA: NSAAgent(values, parameters_name=name)
        for name, values in plain["parameter_values"].items()
    }
