"""Memory: what is free, against what a piece of work will take at least. Told before it begins, not by the kernel."""

from __future__ import annotations

import math
import resource
from pathlib import Path

#: Bytes of a number.
NUMBER = 8


class TooBigError(ValueError):
    """Something that will not fit into memory."""


def check_memory(needed: float, what: str) -> None:
    """Refuse what takes more memory than there is.

    Parameters
    ----------
    needed : float
        Bytes, rather too few than too many: what might fit is tried.
    what : str
        What takes them.
    """
    free = free_memory()
    if needed > free:
        raise TooBigError(f"not enough memory: {what} would take some {_told(needed)}, and {_told(free)} are free")


def free_memory() -> float:
    """Bytes that this process may still take: of the machine's, of its group's and of its own limit."""
    return max(0.0, min(_of_the_machine(), _of_the_group(), _of_the_process()))


def _of_the_machine() -> float:
    """What the kernel could free, swap included; infinite where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        table = {name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines)}
        return 1024.0 * (table["MemAvailable"] + table["SwapFree"])
    except (OSError, ValueError, KeyError, IndexError):
        return math.inf


def _of_the_group(mounted: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> float:
    """What a container, a batch system or a service leaves us (control groups, both versions)."""
    left = math.inf
    for folder, limit, used, cache in _groups(mounted, own):
        try:
            most = int((folder / limit).read_text())
            stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            left = min(left, most - int((folder / used).read_text()) + int(stat[cache]))
        except (OSError, ValueError, KeyError):  # no limit ("max"), or none that we may see
            continue
    return left


def _groups(mounted: Path, own: Path) -> list[tuple[Path, str, str, str]]:
    """The folders of our groups and of those above, with the names of limit, use, and cache that can be freed."""
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
    """What the limit on our address space leaves (``ulimit -v``)."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return math.inf
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        used = 0
    return float(limit - used)


def _told(size: float) -> str:
    return f"{size / 2**30:,.0f} GB" if size >= 10 * 2**30 else f"{size / 2**20:,.0f} MB"
