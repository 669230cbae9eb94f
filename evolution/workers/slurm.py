"""Workers in SLURM jobs, started by dask-jobqueue. Needs the extra ``cluster``."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from distributed import Security

from evolution.workers.dask import DaskWorkers
from nsa_brian.common.interrupts import on_interrupt
from nsa_brian.common.texts import shown

with on_interrupt(signal.default_int_handler):  # dask-jobqueue replaces the handler on import, to exit with code 0
    from dask_jobqueue.slurm import SLURMCluster

#: Options that dask-jobqueue has a keyword for, with our defaults; all others are sbatch's.
OPTIONS: dict[str, Any] = {
    "queue": None,
    "account": None,
    "walltime": "01:00:00",
    "memory": "2GB",
    "interface": None,
    "local_directory": None,
    "log_directory": None,
    "shared_temp_directory": None,
    "protocol": "tls",
    "job_name": "nsa",
}

#: Options become lines of a shell script: what a shell would obey is refused, but for variables in a folder's name.
_PLAIN = r"[\w./:,=@%+-]+"
_LEGAL = {"local_directory": rf"({_PLAIN}|\$\w+|\$\{{\w+\}})+"}
#: sbatch reads its own lines itself, such as --constraint=a|b and --nodelist=n[1-4].
_OF_SBATCH = r"[\w./:,=@%+|&*()\[\]-]+"

#: Compiled code goes to a folder of the job's own, not to a home that all nodes share, and is gone when it ends.
PROLOGUE = [
    'export CYTHON_CACHE_DIR="$(mktemp -d "${TMPDIR:-/tmp}/nsa-cache-XXXXXXXXXX")" OMP_NUM_THREADS=1',
    "trap 'rm -rf \"$CYTHON_CACHE_DIR\"' EXIT",
]


class SlurmWorkers(DaskWorkers):
    """SLURM jobs of one core each, submitted with the first work and replaced when they end at their time limit.

    Jobs and scheduler are connected by TLS. The certificates are made for these workers alone and are stored in files
    that only their owner can read, in ``shared_temp_directory`` (by default the current folder), until ``close``. With
    ``protocol=tcp`` there is no encryption, and whoever reaches the scheduler's port can run code as the user.

    Parameters
    ----------
    jobs : int
        Number of jobs.
    options : dict
        Those of ``OPTIONS``, and any of sbatch's by its long name, such as ``{"qos": "long"}``.

    Raises
    ------
    ValueError
        If there is no SLURM here, or it would not take such a job.
    """

    def __init__(self, jobs: int, options: dict[str, str]) -> None:
        if shutil.which("sbatch") is None:
            raise ValueError("there is no SLURM here: sbatch was not found")
        check_options(options)
        known = {**OPTIONS, **{name: value for name, value in options.items() if name in OPTIONS}}
        security = _certificates() if known["protocol"] == "tls" else None
        known["protocol"] += "://"
        # A folder of our own, and of nobody else's, which is gone whatever becomes of the cluster.
        self._folder = tempfile.TemporaryDirectory(
            prefix=".nsa-certificates-", dir=known["shared_temp_directory"] or os.getcwd()
        )
        known["shared_temp_directory"] = self._folder.name
        self._cluster = SLURMCluster(
            cores=1,
            processes=1,
            security=security,
            scheduler_options={"dashboard": False, "dashboard_address": "127.0.0.1:0"},  # for nobody to look at
            job_script_prologue=PROLOGUE,
            job_extra_directives=[f"--{name}={value}" for name, value in options.items() if name not in OPTIONS],
            **{name: value for name, value in known.items() if value is not None},
        )
        try:
            _try_out(self._cluster.job_script())
            super().__init__(self._cluster, timeout=60)
        except BaseException:
            self._end()
            raise
        self._expected, self._submitted = jobs, False

    def _begin(self) -> None:
        if not self._submitted:
            jobs = self._expected
            self._cluster.adapt(minimum=jobs, maximum=jobs, interval="2s")  # scale() would not replace those that end
            self._submitted = True

    def close(self) -> None:
        """Disconnect, and end the jobs."""
        super().close()
        self._end()

    def _end(self) -> None:
        self._cluster.close()
        for name in ("ca_file", "cert", "key"):
            file = getattr(self._cluster, f"_job_{name}", None)  # which would miss its folder at its own end
            if file is not None:
                file.close()
        self._folder.cleanup()


def check_options(options: dict[str, str]) -> None:
    """Require names and values without shell metacharacters: they become lines of a job's script."""
    for name, value in options.items():
        legal = _LEGAL.get(name, _PLAIN if name in OPTIONS else _OF_SBATCH)
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", name) or not re.fullmatch(legal, value, re.ASCII):
            raise ValueError(f"--slurm-option {name}={shown(value)}: empty, or contains shell metacharacters")
    if options.get("protocol", "tls") not in ("tls", "tcp"):
        raise ValueError(f"--slurm-option protocol must be tls or tcp, got {shown(options['protocol'])}")


def _certificates() -> Security:
    try:
        return Security.temporary()
    except ImportError:
        raise ValueError(
            'TLS takes cryptography: pip install "nsa-brian[cluster]"; or say --slurm-option protocol=tcp'
        ) from None


def _try_out(script: str) -> None:
    """Ask SLURM whether it accepts the job, before waiting for one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.sh"
        path.write_text(script)
        asked = subprocess.run(["sbatch", "--test-only", str(path)], capture_output=True, text=True)
    if asked.returncode:
        raise ValueError(f"SLURM refuses the job: {' '.join(asked.stderr.split())}")
