"""``nsa play``: agents against a bandit."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from envs import Bandit
from experiments.core import metrics
from experiments.core.agents import Agent, make_agent
from experiments.core.game import Record
from experiments.core.game import play as play_game
from experiments.core.nsa_agents import NSAAgent, is_nsa
from experiments.core.randomness import streams
from experiments.core.results import PlayResults
from experiments.core.settings import PlaySettings, versions
from experiments.core.workers import run_jobs

Progress = Callable[[int], None]


def run(settings: PlaySettings, workers: int = 1, progress: Progress = lambda rounds: None) -> PlayResults:
    """Let each agent play all repetitions.

    Parameters
    ----------
    settings : PlaySettings
    workers : int
        Processes. Their number changes the time, never the outcome: each repetition has its own random numbers.
    progress : callable
        Told how many game-rounds were played since it was last called; they add up to :func:`work`.
    """
    if workers == 1:
        records = {
            agent: play_agent(settings, agent, range(settings.repetitions), progress) for agent in settings.agents
        }
    else:
        records = _play_parallel(settings, workers, progress)
    return PlayResults(settings, versions(), records)


def work(settings: PlaySettings) -> int:
    """Game-rounds to play in all."""
    return len(settings.agents) * settings.repetitions * settings.n_rounds


def report(results: PlayResults) -> dict[str, Any]:
    """The outcome as one JSON object."""
    return {
        "settings": dataclasses.asdict(results.settings),
        "versions": results.versions,
        "agents": {
            agent: metrics.measures(record, results.settings.rounds) for agent, record in results.records.items()
        },
    }


def make_player(settings: PlaySettings, agent: str, repetitions: range) -> Agent:
    """One of the agents, with the random numbers of some repetitions."""
    nsa = settings.nsa_agent(agent) if is_nsa(agent) else NSAAgent()
    return make_agent(
        agent,
        settings.arms,
        len(repetitions),
        streams(settings.seed, f"agent {agent}", repetitions),
        nsa.make_parameters(),
        settings.engine,
        settings.ties,
        nsa.make_model(),
    )


def trained(settings: PlaySettings, rounds: int) -> tuple[Any, Bandit]:
    """The first agent, one of the nsa kind, after some rounds of the first game, and the bandit as it then is."""
    agent, bandit = make_player(settings, settings.agents[0], range(1)), settings.make_bandit(1)
    bandit.reset(streams(settings.seed, "bandit", range(1)))
    if rounds:
        play_game(agent, bandit, rounds)
    return agent, bandit


def play_agent(
    settings: PlaySettings, agent: str, repetitions: range, progress: Progress = lambda rounds: None
) -> Record:
    """One agent in some of the repetitions, all at once."""
    n_games = len(repetitions)
    bandit = settings.make_bandit(n_games)
    bandit.reset(streams(settings.seed, "bandit", repetitions))
    player = make_player(settings, agent, repetitions)
    return play_game(player, bandit, settings.n_rounds, lambda: progress(n_games))


def _play_parallel(settings: PlaySettings, workers: int, progress: Progress) -> dict[str, Record]:
    bounds = np.linspace(0, settings.repetitions, min(workers, settings.repetitions) + 1).astype(int)
    batches = [range(start, stop) for start, stop in itertools.pairwise(bounds)]
    parts: dict[str, dict[int, Record]] = {agent: {} for agent in settings.agents}
    jobs = {
        (agent, batch): partial(play_agent, settings, agent, batch) for agent in settings.agents for batch in batches
    }

    def done(name: tuple[str, range], record: Record) -> None:
        agent, batch = name
        parts[agent][batch.start] = record
        progress(len(batch) * settings.n_rounds)

    run_jobs(jobs, workers, done)
    return {agent: _join([found[start] for start in sorted(found)]) for agent, found in parts.items()}


def _join(records: list[Record]) -> Record:
    names = [field.name for field in dataclasses.fields(Record)]
    return Record(**{name: np.concatenate([getattr(record, name) for record in records]) for name in names})
