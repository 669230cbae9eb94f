"""The time that a search has left."""

from __future__ import annotations

import time

from evolution import AnySearch


class Clock:
    """Estimates the time left from the time that the work has taken so far.

    Parameters
    ----------
    search : Search or StagedSearch
    limit : float, optional
        Minutes after which the search is to stop.
    """

    def __init__(self, search: AnySearch, limit: float | None = None) -> None:
        self._search, self._limit = search, None if limit is None else 60 * limit
        self._began, self._first = time.monotonic(), search.progress.done

    @property
    def passed(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self._began

    @property
    def over(self) -> bool:
        """Whether the time limit has passed."""
        return self._limit is not None and self.passed > self._limit

    @property
    def left(self) -> str:
        """Minutes and seconds."""
        progress = self._search.progress
        if progress.done <= self._first:  # only held-out games, which are not counted
            return "? left"
        seconds = self.passed / (progress.done - self._first) * (progress.total - progress.done)
        if self._limit is not None:
            seconds = min(seconds, self._limit - self.passed)
        minutes, seconds = divmod(round(max(0.0, seconds)), 60)
        return f"{minutes}:{seconds:02} left"
