"""Individuals evaluated by SLURM jobs, started by dask-jobqueue. Needs the extra ``cluster``."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from dask_jobqueue.slurm import SLURMCluster

from evolution.dask_workers import DaskWorkers

#: Options that dask-jobqueue has a keyword for, with our defaults; all others are sbatch's.
OPTIONS: dict[str, Any] = {
    "queue": None,
    "account": None,
    "walltime": "01:00:00",
    "memory": "2GB",
    "interface": None,
    "local_directory": None,
    "log_directory": None,
    "job_name": "nsa-evolve",
}

#: Compiled code goes to a folder of the node's own, not to a home that all nodes share.
PROLOGUE = 'export CYTHON_CACHE_DIR="${TMPDIR:-/tmp}/nsa-cache-$USER-$(hostname)" OMP_NUM_THREADS=1'


class SlurmWorkers(DaskWorkers):
    """So many SLURM jobs of one core, each replaced by a new one when it ends at its time limit.

    Parameters
    ----------
    jobs : int
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
        known = {**OPTIONS, **{name: value for name, value in options.items() if name in OPTIONS}}
        self._cluster = SLURMCluster(
            cores=1,
            processes=1,
            job_script_prologue=[PROLOGUE],
            job_extra_directives=[f"--{name}={value}" for name, value in options.items() if name not in OPTIONS],
            **{name: value for name, value in known.items() if value is not None},
        )
        try:
            _try_out(self._cluster.job_script())
            self._cluster.adapt(minimum=jobs, maximum=jobs, interval="2s")  # scale() would not replace those that end
            super().__init__(self._cluster, timeout=60)
        except BaseException:
            self._cluster.close()
            raise

    def close(self) -> None:
        """Leave, and end the jobs."""
        super().close()
        self._cluster.close()


def _try_out(script: str) -> None:
    """Ask SLURM whether it would take the job, before any is waited for."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.sh"
        path.write_text(script)
        asked = subprocess.run(["sbatch", "--test-only", str(path)], capture_output=True, text=True)
    if asked.returncode:
        raise ValueError(f"SLURM refuses the job: {' '.join(asked.stderr.split())}")
