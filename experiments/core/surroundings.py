"""Memory limits and warning filters, checked and set before numpy and Brian2 are imported."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module

#: Warnings between other packages, which do not concern users.
DEPRECATIONS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
#: Modules of other packages.
OTHERS = r"(?!(nsa_brian|envs|baselines|evolution|experiments)\b)"


#: Bytes of address space that Python, numpy, scipy, matplotlib, Brian2 and a small game take.
LEAST = 2**30


def check_address_space() -> None:
    """Raise a MemoryError if the address space is too small; if it is limited, use one thread.

    OpenBLAS, in numpy and scipy, reserves memory for each thread on import, and retries forever if it gets none.
    """
    limit = address_space()
    if limit is not None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if limit < LEAST:
            raise MemoryError


def address_space() -> int | None:
    """Return the limit on the address space (``ulimit -v``) in bytes; None if there is none."""
    psutil = import_module("psutil")  # after the SIGINT handler is set
    if not hasattr(psutil, "RLIMIT_AS"):  # not on Linux
        return None
    limit, _ = psutil.Process().rlimit(psutil.RLIMIT_AS)
    return None if limit == psutil.RLIM_INFINITY else limit


def out_of_memory(error: BaseException) -> str:
    """Return the message for an error caused by lack of memory; empty for other errors."""
    texts = ("failed to map segment", "cannot allocate memory", "can't start new thread")
    if not isinstance(error, MemoryError) and not any(text in str(error).lower() for text in texts):
        return ""
    limit = address_space()
    if limit is None:
        return "not enough memory"
    reason = f"the address space is limited to {limit // 1024} kB (ulimit -v)"
    return f"not enough memory: {reason}" + (f", and {LEAST // 1024} kB are needed" if limit < LEAST else "")


def spare_other_packages() -> None:
    """Restrict ``PYTHONWARNINGS=error`` to our own modules; worker processes use Python's default filters."""
    if any(action == "error" for action, *_ in warnings.filters):
        sys.warnoptions[:] = [option for option in sys.warnoptions if not option.startswith("error")]
        os.environ.pop("PYTHONWARNINGS", None)
        warnings.filterwarnings("default", module=OTHERS)
        for category in DEPRECATIONS:
            warnings.filterwarnings("ignore", category=category, module=OTHERS)
