"""Checks of free memory, before work begins that needs more."""

from __future__ import annotations

import math
from pathlib import Path

import psutil

#: Bytes of a floating-point number.
NUMBER = 8


class TooBigError(ValueError):
    """Something does not fit into memory."""


def check_memory(needed: float, what: str) -> None:
    """Raise an error if work needs more memory than is free.

    Parameters
    ----------
    needed : float
        Bytes; a lower bound, since what might fit is tried.
    what : str
        What needs them, for the error.

    Raises
    ------
    TooBigError
    """
    free = free_memory()
    if needed > free:
        raise TooBigError(f"not enough memory: {what} would take some {_size(needed)}, and {_size(free)} are free")


def free_memory() -> float:
    """Bytes that this process may still take: of the machine's memory, its control group's and its own limit."""
    return max(0.0, min(_of_the_machine(), _of_the_group(), _of_the_process()))


def _of_the_machine() -> float:
    """Memory that is available, swap included."""
    return float(psutil.virtual_memory().available + psutil.swap_memory().free)


def _of_the_group(mounted: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> float:
    """What a container, a batch system or a service leaves (Linux control groups, both versions); else infinity."""
    left = math.inf
    for folder, limit, used, cache in _groups(mounted, own):
        try:
            most = int((folder / limit).read_text())
            stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            left = min(left, most - int((folder / used).read_text()) + int(stat[cache]))
        except (OSError, ValueError, KeyError):  # no limit ("max"), or not readable
            continue
    return left


def _groups(mounted: Path, own: Path) -> list[tuple[Path, str, str, str]]:
    """Folders of our group and its parents, with the file names of limit and use and the key of reclaimable cache."""
    try:
        lines = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        return []
    found = []
    for _, controllers, path in (line for line in lines if len(line) == 3):
        if controllers == "":
            top, names = mounted, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            top = mounted / "memory"
        else:
            continue
        here = top / path.lstrip("/")
        found += [(folder, *names) for folder in (here, *here.parents) if folder.is_relative_to(top)]
    return found


def _of_the_process() -> float:
    """What the limit on the address space leaves (``ulimit -v``, on Linux)."""
    if not hasattr(psutil, "RLIMIT_AS"):
        return math.inf
    process = psutil.Process()
    limit, _ = process.rlimit(psutil.RLIMIT_AS)
    return math.inf if limit == psutil.RLIM_INFINITY else float(limit - process.memory_info().vms)


def _size(size: float) -> str:
    return f"{size / 2**30:,.0f} GB" if size >= 10 * 2**30 else f"{size / 2**20:,.0f} MB"
