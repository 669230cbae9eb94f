"""Make the agents and bandits of games, and play them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import nsa_brian  # Brian2 is imported on first use: baselines do not need it
from envs import Bandit
from experiments.core.agents import Agent, make_policy
from experiments.core.cells import Progress, no_progress
from experiments.core.game import Record, can_share, play_together
from experiments.core.game import play as play_game
from experiments.core.nsa_agents import is_nsa
from experiments.core.settings import PlaySettings
from nsa_brian.common.game_streams import streams


def make_player(settings: PlaySettings, agent: str, repetitions: range) -> Agent:
    """Return an agent with the random numbers of some repetitions."""
    n_games, rng = len(repetitions), streams(settings.seed, f"agent {agent}", repetitions)
    if not is_nsa(agent):
        return make_policy(agent, settings.arms, n_games, rng)
    nsa, inputs = settings.nsa_agent(agent), settings.inputs_of(agent)
    options: dict[str, Any] = settings.integration | ({"inputs": inputs} if inputs else {})
    return nsa_brian.NSA(
        settings.arms,
        nsa.parameters,
        settings.engine,
        n_games=n_games,
        ties=settings.ties,
        rng=rng,
        model=nsa.model,
        **options,
    )


def make_bandit(settings: PlaySettings, repetitions: range) -> Bandit:
    """Return the bandit of some repetitions, after a reset."""
    bandit = settings.make_bandit(len(repetitions))
    bandit.reset(streams(settings.seed, "bandit", repetitions))
    return bandit


def trained(settings: PlaySettings, rounds: int) -> tuple[Any, Bandit]:
    """Return the first agent, which must be NSA, and the bandit, after some rounds of the first game."""
    agent, bandit = make_player(settings, settings.agents[0], range(1)), make_bandit(settings, range(1))
    if rounds:
        play_game(agent, bandit, rounds)
    return agent, bandit


def play_agent(settings: PlaySettings, agent: str, repetitions: range, progress: Progress = no_progress) -> Record:
    """Play some repetitions with one agent as a batch."""
    bandit = make_bandit(settings, repetitions)
    player = make_player(settings, agent, repetitions)
    return play_game(player, bandit, settings.n_rounds, lambda rounds: progress(rounds * len(repetitions)))


def play_agents(settings: PlaySettings, agents: Sequence[str], repetitions: range) -> dict[str, Record]:
    """Play some repetitions with each agent; the bandit is computed once for all that can share it."""
    bandit = make_bandit(settings, repetitions)
    players = {agent: make_player(settings, agent, repetitions) for agent in agents}
    sharing = [agent for agent, player in players.items() if can_share(player, bandit)]
    shared = play_together([players[agent] for agent in sharing], bandit, settings.n_rounds) if sharing else []
    records = dict(zip(sharing, shared, strict=True))
    return {agent: records.get(agent) or play_agent(settings, agent, repetitions) for agent in agents}
