"""The settings that studies of played games share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from experiments.core.agents import PAPER, expand
from experiments.core.nsa_agents import MODEL_HELP, NSA, NSAAgent, is_nsa, read, read_agent
from experiments.core.settings import PlaySettings
from nsa_brian import DEFAULT_SET
from nsa_brian.engines.registry import DEFAULT_ENGINE, ENGINES


def setting(default: Any, text: str, metavar: str = "N") -> Any:
    """A field of a study's settings, with the help text of its option."""
    return field(default=default, metadata={"help": text, "metavar": metavar})


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
    ties: str = setting("random", "ties of NSA's argmax: random or first", "RULE")
    seed: int = setting(0, "same seed, same games")
    nsa_agents: dict[str, NSAAgent] = field(init=False, repr=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", expand(self.agents))
        for name, values in vars(self).items():
            if isinstance(values, tuple) and len(set(values)) < len(values):
                twice = next(value for value in values if values.count(value) > 1)
                raise ValueError(f"{name} names {twice} twice")
        others = {agent: read_agent(agent) for agent in self.agents if is_nsa(agent) and agent != NSA}
        object.__setattr__(self, "nsa_agents", {NSA: read(self.parameters, self.model), **others})

    def games(self, env: str, arms: int, **env_options: Any) -> PlaySettings:
        """The games of these settings on one bandit, checked."""
        made = PlaySettings(
            env=env,
            env_options=env_options,
            arms=arms,
            trials=self.trials,
            rounds=self.rounds,
            repetitions=self.repetitions,
            agents=self.agents,
            engine=self.engine,
            ties=self.ties,
            seed=self.seed,
            nsa_agents=self.nsa_agents,
            **vars(self.nsa_agents[NSA]),
        )
        made.check()
        return made


def played(settings: Mapping[str, Any]) -> str:
    """How long and how often, for the caption of a table."""
    return (
        f"{settings['trials']} x {settings['rounds']} rounds, {settings['repetitions']} games, "
        f"seed {settings['seed']}; nsa: {settings['parameters']}{model_told(settings)}"
    )


def model_told(settings: Mapping[str, Any]) -> str:
    """The name of NSA's model, to be put behind something; nothing for the paper's."""
    return f", model {settings['model']}" if "model" in settings else ""


def parameters_played(settings: Mapping[str, Any]) -> dict[str, float]:
    """The parameters of the only agent of a study, by the settings of its results."""
    (agent,) = settings["agents"]
    if agent == NSA:
        return settings["parameter_values"][settings["parameters"]]
    return settings["nsa_agents"][agent]["parameters"]
