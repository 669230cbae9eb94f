"""Where candidates are evaluated: in this process, in several, or on a Dask or SLURM cluster. Results are the same."""

from evolution.workers.local import Processes, Serial, Workers, WorkersLostError

__all__ = ["Processes", "Serial", "Workers", "WorkersLostError"]
