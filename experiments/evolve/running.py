"""A search under way: generation by generation, each written before the next begins; then its champion."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shlex import quote

from evolution.champion import Champion, choose_champion
from evolution.search import WIDE, Search
from evolution.staged import AnySearch
from evolution.workers import Workers
from experiments.core.figures import rendered
from experiments.core.files import write_bytes
from experiments.evolve import folder as folders
from experiments.evolve.figure import draw_fitness
from experiments.evolve.figures_command import SHIPPED
from experiments.evolve.progress import Clock, game_rounds, line, so_far
from experiments.evolve.settings import EvolutionSettings
from nsa_brian import load
from nsa_brian.common.interrupts import on_interrupt

#: What to do about steps that stay wide.
NARROWER = "Begin in stages (--preset default), from a better place (--start) or with smaller steps (--sigma)."


def evolve(
    search: AnySearch,
    settings: EvolutionSettings,
    folder: Path,
    workers: Workers,
    time_limit: float | None = None,
    quiet: bool = False,
    figures: bool = True,
) -> None:
    """Go on until the search is over or the time (minutes) is."""
    tell = (lambda text: None) if quiet else partial(print, flush=True)
    clock, played = Clock(search, time_limit), game_rounds(search)
    tell(f"the model {search.settings.model.name}, {search.genome.size} genes, played by {settings.engine}")
    if played:
        tell(f"going on after {so_far(search)}")
    drawn, warned = time.monotonic(), False
    while not search.stop:
        search.step(workers)
        with _undisturbed():
            folders.save(folder, settings, search)
        tell(line(search, clock))
        if isinstance(search, Search) and search.wide and not warned:
            tell(f"steps have been wide for {WIDE} generations: the search does not close in. {NARROWER}")
            warned = True
        if figures and time.monotonic() - drawn > 5 and search.generation:
            _draw_progress(search, folder)
            drawn = time.monotonic()
        if clock.over:
            tell(f"time limit; go on with: nsa evolve --resume {quote(str(folder))}")
            return
    tell(f"the search is over: {search.stop}")
    if game_rounds(search) > played:
        tell(f"{(game_rounds(search) - played) / clock.passed:,.0f} game-rounds a second")


def choose(search: AnySearch, settings: EvolutionSettings, folder: Path, workers: Workers) -> Champion:
    """Find the champion and write it."""
    others = {name: load(name).parameters for name in SHIPPED}
    if isinstance(search, Search) and search.settings.start is not None:
        others[f"start ({settings.start})"] = search.settings.start
    champion = choose_champion(search, workers, others=others)
    folders.save_champion(folder, settings, search, champion)
    return champion


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C waits until the files are written."""
    asked = []
    with on_interrupt(lambda *_: asked.append(True)):
        yield
    if asked:
        raise KeyboardInterrupt


def _draw_progress(search: AnySearch, folder: Path) -> None:
    """The leader's generations so far."""
    write_bytes(folder / "fitness.png", rendered(draw_fitness(list(search.logbook)), "png"))
