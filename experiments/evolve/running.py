"""A search under way: generation by generation, each written before the next begins; then its champion."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from evolution.champion import Champion, choose_champion
from evolution.search import Search
from evolution.workers import Workers
from experiments.core.figures import rendered
from experiments.core.files import write_bytes
from experiments.evolve import folder as folders
from experiments.evolve.figure import draw_fitness
from experiments.evolve.settings import EvolutionSettings
from nsa_brian import load


def evolve(
    search: Search,
    settings: EvolutionSettings,
    folder: Path,
    workers: Workers,
    time_limit: float | None = None,
    quiet: bool = False,
) -> None:
    """Go on until the search is over or the time (minutes) is."""
    began = drawn = time.monotonic()
    first = search.generation
    if not quiet:
        model, engine = search.settings.model.name, search.settings.games.played_by
        print(f"the model {model}, {search.genome.size} genes, played by {engine}", flush=True)
    if first and not quiet:
        print(f"going on after generation {first} of {settings.generations}")
    while not search.stop:
        search.step(workers)
        with _undisturbed():
            folders.save(folder, settings, search)
        now = time.monotonic()
        done = search.generation - first
        left = (now - began) / done * (settings.generations - search.generation)
        if time_limit is not None:
            left = min(left, 60 * time_limit - (now - began))
        if not quiet:
            print(progress_line(search, settings, max(0.0, left)), flush=True)
        if now - drawn > 5:
            _draw_progress(search, folder)
            drawn = time.monotonic()
        if time_limit is not None and now - began > 60 * time_limit:
            if not quiet:
                print(f"time limit; go on with: nsa evolve --resume {quote(str(folder))}")
            return
    if not quiet:
        print(f"the search is over: {search.stop}")
        if search.generation > first:
            print(_speed(search, settings, first, time.monotonic() - began))


def choose(search: Search, settings: EvolutionSettings, folder: Path, workers: Workers) -> Champion:
    """Find the champion and write it."""
    others = {name: load(name).parameters for name in ("minbandit-38", "minbandit-29")}
    if search.settings.start is not None:
        others[f"start ({settings.start})"] = search.settings.start
    champion = choose_champion(search, workers, others=others)
    folders.save_champion(folder, settings, search, champion)
    return champion


def progress_line(search: Search, settings: EvolutionSettings, left: float) -> str:
    """One generation in one line."""
    record = search.logbook[-1]
    numbers = (
        f"best {record['best']:.4f}  mean {record['mean']:.4f}  16-84% {record['low']:.4f} to {record['high']:.4f}"
        f"  regret {record['regret']:.4f}  sigma {record['sigma']:.3f}"
    )
    minutes, seconds = divmod(round(left), 60)
    width = len(str(settings.generations))
    return f"generation {search.generation:{width}}/{settings.generations}  {numbers}  {minutes}:{seconds:02} left"


def _speed(search: Search, settings: EvolutionSettings, first: int, seconds: float) -> str:
    """How fast the generations of this run were."""
    games = len(settings.envs) * len(settings.arms) * settings.iterations
    rounds = games * settings.trials * settings.rounds
    played = rounds * sum(record["population"] for record in search.logbook[first:])
    n = search.generation - first
    return f"{seconds / n:.1f} s a generation, {played / seconds:,.0f} game-rounds a second"


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C waits until the files are written."""
    asked = []
    before = signal.signal(signal.SIGINT, lambda *_: asked.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def _draw_progress(search: Search, folder: Path) -> None:
    write_bytes(folder / "fitness.png", rendered(draw_fitness(list(search.logbook)), "png"))
