"""Run a search step by step, saving each step before the next begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from evolution import AnySearch
from evolution.genome import VALUES_OF_UNUSED
from evolution.workers import Workers
from experiments.core.figures import rendered
from experiments.core.files import write_bytes
from experiments.evolve.figure import draw_fitness
from experiments.evolve.progress import Clock
from nsa_brian.common.interrupts import on_interrupt

#: What to do about a search that does not converge.
NARROWER = "Use a staged search (--preset default), a better start (--start) or smaller steps (--sigma)."


def evolve(
    search: AnySearch,
    folder: Path,
    workers: Workers,
    tell: Callable[[str], None],
    time_limit: float | None = None,
    figures: bool = True,
) -> None:
    """Run until the search is over or the time limit (minutes) has passed."""
    settings, progress = search.settings, search.progress
    clock, played, warned = Clock(search, time_limit), progress.game_rounds, False
    tell(f"the model {settings.model.name}, {search.genome.size} genes, played by {settings.games.played_by}")
    if search.genome.unused:
        tell(unused_text(search))
    if played:
        tell(f"resuming after {progress.so_far}")
    drawn = time.monotonic()
    while not search.stop:
        search.step(workers)
        with _undisturbed():
            search.save(folder, search.extra)
        progress = search.progress
        tell(f"{progress.last}  {clock.left}")
        if progress.warning and not warned:
            tell(f"{progress.warning}: the search does not converge. {NARROWER}")
            warned = True
        if figures and time.monotonic() - drawn > 5 and search.generation:
            write_bytes(folder / "fitness.png", rendered(draw_fitness(list(search.logbook)), "png"))
            drawn = time.monotonic()
        if clock.over:
            tell(f"time limit; resume with: nsa evolve --resume {quote(str(folder))}")
            return
    tell(f"the search is over: {search.stop}")
    if search.progress.game_rounds > played:
        tell(f"{(search.progress.game_rounds - played) / clock.passed:,.0f} game-rounds a second")


def unused_text(search: AnySearch) -> str:
    """Return which of the 22 parameters are not searched, and the values that they have."""
    names = ", ".join(search.genome.unused)
    return f"not searched with this model, at the values of the set {VALUES_OF_UNUSED}: {names}"


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Delay Ctrl-C until the files are written."""
    asked = []
    with on_interrupt(lambda *_: asked.append(True)):
        yield
    if asked:
        raise KeyboardInterrupt
