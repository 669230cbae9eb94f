"""Options that choose where a command computes: in processes of this machine, on a Dask cluster, or in SLURM jobs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from evolution.workers.local import K, Processes, Serial, T, Workers
from experiments.core.errors import UserError, blame_user
from experiments.core.extras import extra
from nsa_brian.common.checks import check_whole
from nsa_brian.common.texts import shown

#: Largest number of processes or jobs.
MOST_WORKERS = 4096


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("workers", "One of --workers, --scheduler and --slurm; the results are the same.")
    add = group.add_argument
    add("--workers", type=int, default=1, metavar="N", help="number of processes (default 1)")
    add("--scheduler", metavar="ADDRESS", help="a Dask scheduler, tcp:// or tls:// (extra: cluster)")
    add("--slurm", type=int, metavar="JOBS", help="number of SLURM jobs, connected by TLS (extra: cluster)")
    add("--slurm-option", action="append", default=[], metavar="KEY=VALUE", help="queue, account, walltime, memory ...")


def given_workers(args: argparse.Namespace) -> list[str]:
    """Return the options that were given."""
    names = ("scheduler", "slurm", "slurm_option")
    return [*["workers"] * (args.workers > 1), *(name for name in names if getattr(args, name) not in (None, []))]


def check_workers(args: argparse.Namespace) -> None:
    """Raise a ValueError for invalid options."""
    if args.workers < 1:
        raise ValueError(f"workers must be a whole number from 1 up, got {args.workers}")
    if args.workers > MOST_WORKERS:
        raise ValueError(f"workers must be at most {MOST_WORKERS}, got {args.workers}")
    if args.slurm is not None:
        check_whole("--slurm", args.slurm, 1, MOST_WORKERS)
    if args.slurm_option and args.slurm is None:
        raise ValueError("--slurm-option goes with --slurm JOBS")
    chosen = [f"--{name}" for name in given_workers(args) if name != "slurm_option"]
    if len(chosen) > 1:
        raise ValueError(f"give only one of {', '.join(chosen)}")


def start_cluster(args: argparse.Namespace) -> Workers | None:
    """Connect to the cluster that the options name; None if they name none."""
    try:
        if args.scheduler is not None:
            return extra("cluster", "evolution.workers.dask").DaskWorkers(args.scheduler)
        if args.slurm is not None:
            options = dict(map(_slurm_option, args.slurm_option))
            return extra("cluster", "evolution.workers.slurm").SlurmWorkers(args.slurm, options)
    except ModuleNotFoundError as error:
        raise UserError(str(error)) from None
    return None


def start_workers(args: argparse.Namespace, most: int) -> Workers:
    """Start the workers that the options name; processes at most as many as ``most``."""
    return start_cluster(args) or (Serial() if args.workers == 1 else Processes(min(args.workers, most)))


@contextmanager
def cluster_or_processes(args: argparse.Namespace) -> Iterator[int | Workers]:
    """Connect to the cluster that the options name until the end of the block; else return a number of processes."""
    with blame_user():
        cluster = start_cluster(args)
    try:
        yield args.workers if cluster is None else cluster
    finally:
        if cluster is not None:
            cluster.close()


def run_jobs(jobs: Mapping[K, Callable[[], T]], workers: int | Workers, done: Callable[[K, T], None]) -> None:
    """Run picklable functions on the given workers or in new processes, at most as many as there are jobs.

    New processes end at once on any exception, Ctrl-C included. ``done`` is called as by :meth:`Workers.run`.
    """
    if not jobs:
        return
    if not isinstance(workers, int):
        workers.run(jobs, done)
        return
    pool = Processes(min(workers, len(jobs)))
    try:
        pool.run(jobs, done)
    finally:
        pool.close()


def _slurm_option(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"--slurm-option takes KEY=VALUE, got {shown(text)}")
    return key.strip(), value.strip()
