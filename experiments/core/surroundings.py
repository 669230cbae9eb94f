"""Limits on memory and filters of warnings, seen to before numpy and Brian2 are imported."""

from __future__ import annotations

import os
import resource
import sys
import warnings

#: Warnings of other packages' own use of each other, which say nothing to who runs a command.
DEPRECATIONS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
#: The names of modules that are not ours.
OTHERS = r"(?!(nsa_brian|envs|baselines|evolution|experiments)\b)"


#: Bytes of address space that Python, numpy, scipy, matplotlib and Brian2 take, and some to play with.
LEAST = 2**30


def check_address_space() -> None:
    """Raise a MemoryError where too little address space is allowed; where it is limited, compute with one thread.

    OpenBLAS, in numpy and in scipy, reserves memory for each thread when it is imported, and tries without end where
    there is none.
    """
    limit = address_space()
    if limit is not None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if limit < LEAST:
            raise MemoryError


def address_space() -> int | None:
    """The limit on the address space (``ulimit -v``) in bytes; None if there is none."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def out_of_memory(error: BaseException) -> str:
    """What to say of an error that is for want of memory; empty for others."""
    texts = ("failed to map segment", "cannot allocate memory", "can't start new thread")
    if not isinstance(error, MemoryError) and not any(text in str(error).lower() for text in texts):
        return ""
    limit = address_space()
    if limit is None:
        return "not enough memory"
    said = f"the address space is limited to {limit // 1024} kB (ulimit -v)"
    return f"not enough memory: {said}" + (f", and {LEAST // 1024} kB are needed" if limit < LEAST else "")


def spare_other_packages() -> None:
    """Where warnings are errors (``PYTHONWARNINGS=error``), let this hold for our own modules only.

    Worker processes have Python's own filters.
    """
    if any(action == "error" for action, *_ in warnings.filters):
        sys.warnoptions[:] = [option for option in sys.warnoptions if not option.startswith("error")]
        os.environ.pop("PYTHONWARNINGS", None)
        warnings.filterwarnings("default", module=OTHERS)
        for category in DEPRECATIONS:
            warnings.filterwarnings("ignore", category=category, module=OTHERS)
