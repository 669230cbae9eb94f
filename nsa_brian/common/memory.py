"""Checks for enough free memory before work begins."""

from __future__ import annotations

import math
from pathlib import Path

import psutil

#: Bytes of a float64.
NUMBER = 8


class TooBigError(ValueError):
    """Work that does not fit into memory."""


def check_memory(needed: float, what: str) -> None:
    """Raise a TooBigError if work needs more memory than is free.

    Parameters
    ----------
    needed : float
        Lower bound in bytes.
    what : str
        Name of the work in the error.

    Raises
    ------
    TooBigError
    """
    free = free_memory()
    if needed > free:
        raise TooBigError(f"not enough memory: {what} needs about {_size(needed)}, but only {_size(free)} are free")


def free_memory() -> float:
    """Return the bytes that this process can still allocate, by the limits of machine, control group and process."""
    return max(0.0, min(_of_the_machine(), _of_the_group(), _of_the_process()))


def _of_the_machine() -> float:
    """Return the available memory, swap included."""
    return float(psutil.virtual_memory().available + psutil.swap_memory().free)


def _of_the_group(mounted: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> float:
    """Return what Linux control groups (v1 or v2) leave, as in containers and batch jobs; infinity without a limit."""
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
    """Return the folders of our group and its parents, with the names of their limit, usage and page-cache entries."""
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
    """Return what the address-space limit leaves (``ulimit -v``, on Linux)."""
    if not hasattr(psutil, "RLIMIT_AS"):
        return math.inf
    process = psutil.Process()
    limit, _ = process.rlimit(psutil.RLIMIT_AS)
    return math.inf if limit == psutil.RLIM_INFINITY else float(limit - process.memory_info().vms)


def _size(size: float) -> str:
    return f"{size / 2**30:,.0f} GB" if size >= 10 * 2**30 else f"{size / 2**20:,.0f} MB"
