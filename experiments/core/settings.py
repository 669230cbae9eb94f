"""What an experiment is: settings as data, with an id."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import envs
from envs import Bandit
from experiments.core.agents import PAPER, check_names
from experiments.core.errors import at_least
from experiments.core.inputs import check_unchanged, contents_of, file_digests, keep_contents, with_tables
from experiments.core.model_inputs import check_tables, digests_of, tables, values_for
from experiments.core.named import read_agent
from experiments.core.nsa_agents import NSA, NSAAgent, is_nsa
from nsa_brian import DEFAULT_SET, load
from nsa_brian.common.memory import NUMBER, check_memory
from nsa_brian.engines.registry import DEFAULT_ENGINE, ENGINES, ties_refusal
from nsa_brian.model.agreement import TIES
from nsa_brian.plugins import plugin_digests

#: What is written down of a round of a game.
BYTES_A_ROUND = 33
#: Strongest noise, in units of the activity, whose own scale is 1: beyond, numbers end long before the noise does.
MOST_NOISE = 1e6
#: Settings that are stored where they say something.
_OPTIONAL = {"inputs", "input_files"}


@dataclass(frozen=True, kw_only=True)
class PlaySettings:
    """Agents against a bandit, repeated. Everything that the outcome depends on, and nothing else.

    ``parameters``, ``parameters_name`` and ``model`` (None for the paper's) are those of the agent ``nsa``,
    ``nsa_agents`` has those of others of its kind, ``nsa:WHAT``; what is not given of them is read. A ``noise`` other
    than 0 is that of all of them; else models with noise of their own keep it.

    ``inputs`` has the digests of the input files by their paths: of the plugins, of files that ``env_options`` name,
    which are read when the settings are made, and of ``input_files``: those with the values of a model's inputs, by the
    inputs' names. Agents of the nsa kind are told those that their model has.
    """

    env: str = "MAB-P"
    env_options: dict[str, Any] = field(default_factory=dict)
    arms: int = 10
    trials: int = 2
    rounds: int = 2000
    repetitions: int = 5
    agents: tuple[str, ...] = PAPER
    parameters: dict[str, float] = field(default_factory=lambda: load().parameters.to_dict())
    parameters_name: str = DEFAULT_SET
    engine: str = DEFAULT_ENGINE
    ties: str = "random"
    noise: float = 0.0
    seed: int = 0
    model: dict[str, Any] | None = None
    nsa_agents: dict[str, NSAAgent] = field(default_factory=dict)
    inputs: dict[str, str] = None  # type: ignore[assignment]  # digests once the settings are made
    input_files: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {**plugin_digests(), **digests_of(self.input_files)} if self.inputs is None else self.inputs
        object.__setattr__(self, "inputs", {**file_digests(self.env, self.env_options), **known})
        at_least(self, arms=2, trials=1, rounds=1, repetitions=1, seed=0)
        for name, legal in (("engine", tuple(ENGINES)), ("ties", TIES)):
            if getattr(self, name) not in legal:
                raise ValueError(f"{name} must be one of {', '.join(legal)}, got {getattr(self, name)!r}")
        if not 0 <= self.noise <= MOST_NOISE:
            raise ValueError(f"noise must be a number from 0 to {MOST_NOISE:g}, got {self.noise}")
        if self.noise and self.engine not in ("rounds", "network"):
            raise ValueError(f"noise in the rates is run by rounds or network, not by engine {self.engine!r}")
        for name in ("name", "n_arms", "n_games", "trial_rounds", "seed", "rng"):
            if name in self.env_options:
                raise ValueError(f"unknown setting {name!r} of {self.env}; the game has its own options for that")
        others = [name for name in self.agents if is_nsa(name) and name != NSA]
        nsa = NSAAgent(self.parameters, self.parameters_name, self.model)
        object.__setattr__(self, "parameters", nsa.parameters)
        object.__setattr__(self, "model", nsa.model)
        object.__setattr__(self, "nsa_agents", {name: self.nsa_agents.get(name) or read_agent(name) for name in others})

    def nsa_agent(self, name: str) -> NSAAgent:
        """Parameters and model of an agent of the nsa kind, noise included."""
        main = NSAAgent(self.parameters, self.parameters_name, self.model)
        agent = main if name == NSA else self.nsa_agents[name]
        return agent.with_noise(self.noise) if self.noise else agent

    def with_noise(self, noise: float) -> PlaySettings:
        """The same with so much noise in all agents of the nsa kind, in models with noise of their own too."""
        model = None if self.model is None else self.nsa_agent(NSA).with_noise(noise).model
        others = {
            name: agent if agent.model is None else agent.with_noise(noise) for name, agent in self.nsa_agents.items()
        }
        return dataclasses.replace(self, noise=noise, model=model, nsa_agents=others)

    def check(self) -> None:
        """Refuse what a bandit, an agent or an engine refuses.

        Apart from construction, since results can be looked at where a user's own agent or schedule is not known.
        """
        check_names(self.agents)
        check_memory(self.memory, "games of that size")
        for name in self.agents:
            if is_nsa(name):
                self.nsa_agent(name).check(self.engine)
                if ties_refusal(self.engine, self.ties):
                    raise ValueError(ties_refusal(self.engine, self.ties))
        if self.input_files:
            models = [self.nsa_agent(name).make_model() for name in self.agents if is_nsa(name)]
            check_tables(self.input_tables, self.input_files, models, [self.arms])
        horizon = self.make_bandit(1).horizon
        if horizon is not None and horizon < self.n_rounds:
            raise ValueError(
                f"the {self.env} lasts {horizon} rounds, but {self.trials} trials x {self.rounds} rounds were asked for"
            )

    @property
    def n_rounds(self) -> int:
        """Rounds of a game."""
        return self.trials * self.rounds

    @property
    def memory(self) -> float:
        """Bytes that the games of an agent take at least: its record, twice when it is turned, and all arms."""
        return float(self.repetitions) * (2 * BYTES_A_ROUND * self.n_rounds + 3 * NUMBER * self.arms)

    @property
    def id(self) -> str:
        """A short name that differs when the settings or the input files do."""
        plain = dataclasses.asdict(self)
        plain = {key: value for key, value in plain.items() if value or key not in _OPTIONAL | {"model", "nsa_agents"}}
        text = json.dumps(plain, sort_keys=True)
        return f"{self.env}-k{self.arms}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    @property
    def input_tables(self) -> dict[str, np.ndarray]:
        """The values of inputs by name, (rounds, columns) each."""
        return tables(self.input_files, self.inputs)

    def inputs_of(self, agent: str) -> dict[str, np.ndarray]:
        """The values of those inputs that an agent of the nsa kind has, as engines take them."""
        return values_for(self.nsa_agent(agent).make_model(), self.input_tables) if self.input_files else {}

    @property
    def bandit_options(self) -> dict[str, Any]:
        """The bandit's own settings, with the table of a schedule in place of its file."""
        return with_tables(self.env, self.env_options, self.inputs)

    def make_bandit(self, n_games: int) -> Bandit:
        """The bandit of these settings for some games at once."""
        made = envs.make(self.env, self.arms, n_games=n_games, trial_rounds=self.rounds, **self.bandit_options)
        check_unchanged(self.env, self.env_options, self.inputs)
        return made

    def to_dict(self) -> dict[str, Any]:
        """All of them as plain values; without input files if there are none."""
        plain = dataclasses.asdict(self)
        return {key: value for key, value in plain.items() if value or key not in _OPTIONAL}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> PlaySettings:
        """Settings from what :meth:`to_dict` made of them, JSON in between or not."""
        others = {name: NSAAgent(**agent) for name, agent in values.get("nsa_agents", {}).items()}
        made = {"inputs": {}, **values, "agents": tuple(values["agents"]), "nsa_agents": others}
        return cls(**made)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the contents of input files go along, so that another process does not read them again."""
        return {**vars(self), "contents": contents_of(self.inputs.values())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        keep_contents(state["contents"])
        vars(self).update({name: value for name, value in state.items() if name != "contents"})
