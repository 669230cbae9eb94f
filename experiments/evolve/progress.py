"""How far a search is, in lines that can be read in a terminal and in a log."""

from __future__ import annotations

import time

from evolution.search import Search
from evolution.staged import AnySearch, StagedSearch


class Clock:
    """The time that a search has left, from the time that its work has taken so far."""

    def __init__(self, search: AnySearch, limit: float | None = None) -> None:
        self._search, self._limit = search, None if limit is None else 60 * limit
        self._began, (self._first, _) = time.monotonic(), work(search)

    @property
    def passed(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self._began

    @property
    def over(self) -> bool:
        """Whether the time that was given is."""
        return self._limit is not None and self.passed > self._limit

    @property
    def left(self) -> str:
        """Minutes and seconds."""
        done, total = work(self._search)
        if done <= self._first:  # runs were judged, which is not counted
            return "? left"
        seconds = self.passed / (done - self._first) * (total - done)
        if self._limit is not None:
            seconds = min(seconds, self._limit - self.passed)
        minutes, seconds = divmod(round(max(0.0, seconds)), 60)
        return f"{minutes}:{seconds:02} left"


def work(search: AnySearch) -> tuple[float, float]:
    """Work done, and in all."""
    if isinstance(search, StagedSearch):
        return search.work
    return search.generation, search.settings.generations


def game_rounds(search: AnySearch) -> int:
    """Rounds of games that all individuals of the generations have played, the look's included."""
    if isinstance(search, StagedSearch):
        return search.game_rounds
    each = search.settings.games.game_rounds * search.around.players
    return each * sum(record["population"] for record in search.logbook)


def so_far(search: AnySearch) -> str:
    """How far a search was when it was left."""
    if isinstance(search, Search):
        return f"generation {search.generation} of {search.settings.generations}"
    if not search.runs:
        look = search.look
        sets = ", then ".join(f"{len(found)} of {n}" for found, n in zip(look.regrets, look.sizes, strict=False))
        return f"{sets} sets looked at"
    total = sum(rung.runs * rung.generations for rung in search.settings.rungs)
    return f"generation {search.generation} of {total} in all runs, in rung {search.rung + 1}"


def line(search: AnySearch, clock: Clock) -> str:
    """What was done last."""
    if isinstance(search, StagedSearch):
        return f"{_stage(search)}  {clock.left}"
    return f"{_generation(search, search.settings.generations)}  {clock.left}"


def _generation(search: Search, generations: int) -> str:
    record, width = search.logbook[-1], len(str(generations))
    return (
        f"generation {search.generation:{width}}/{generations}  best {record['best']:.4f}  mean {record['mean']:.4f}"
        f"  16-84% {record['low']:.4f} to {record['high']:.4f}  regret {record['regret']:.4f}"
        f"  sigma {record['sigma']:.3f}"
    )


def _stage(search: StagedSearch) -> str:
    look, settings = search.look, search.settings
    if not search.runs:
        place = max(i for i, regrets in enumerate(look.regrets) if len(regrets))
        best = f"best regret {look.regrets[place].min():.4f}"
        return f"look {place + 1}/{len(look.sizes)}  {len(look.regrets[place])}/{look.sizes[place]} sets  {best}"
    if search.stepped is None:  # none of the runs: they were judged, or have just begun
        return (
            _judged(search)
            if search.judged
            else f"{len(search.runs)} runs begin at {settings.starts} sets that choose differently"
        )
    run, rung = search.runs[search.stepped], settings.rungs[search.rung]
    begin, _ = settings.spans[search.rung]
    record = run.logbook[-1]
    return (
        f"rung {search.rung + 1}/{len(settings.rungs)}  run {search.stepped} of {len(search.runs)}"
        f"  generation {run.generation - begin}/{rung.generations}"
        f"  regret {record['regret']:.4f}  sigma {record['sigma']:.3f}  best on held-out games {search.best:.4f}"
    )


def _judged(search: StagedSearch) -> str:
    """The runs after a rung, best first, and how many of them go on."""
    last = search.judged[-1]
    told = ", ".join(f"run {number} {last[number]:.4f}" for number in sorted(last, key=lambda number: last[number]))
    on = "" if search.stop else f"; {len(search.racing)} of {len(last)} go on"
    return f"rung {len(search.judged)}/{len(search.settings.rungs)} is over, on held-out games: {told}{on}"
