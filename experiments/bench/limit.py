"""The limit: a kernel written by hand, compiled on the spot."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from nsa_brian import NSAParameters

_FIELDS = ("tau_u", "tau_v", "gain_u", "offset_u", "threshold_u", "gain_v", "offset_v", "threshold_v", "I_ext")
_PLAIN = ["-O3", "-fPIC"]
_WIDE = ["-mprefer-vector-width=512"] if platform.machine().lower() in ("x86_64", "amd64") else []
_FAST = [*_PLAIN, "-ffast-math", "-fno-associative-math", "-march=native", *_WIDE]
_DOUBLES = ctypes.POINTER(ctypes.c_double)


class LimitKernel:
    """``limit_kernel.cpp``, a call a kernel: activities (2, n) at a round's end for option values (n,).

    Raises
    ------
    FileNotFoundError
        If there is no C++ compiler that works.
    """

    def __init__(self, parameters: NSAParameters) -> None:
        compiler = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++") or shutil.which("clang++")
        if compiler is None:
            raise FileNotFoundError("no C++ compiler on PATH")
        source = str(resources.files("experiments.bench") / "limit_kernel.cpp")
        with tempfile.TemporaryDirectory() as folder:
            compiled, library = str(Path(folder) / "limit.o"), str(Path(folder) / "limit.so")
            for flags in (_FAST, _PLAIN):
                compilation = [compiler, *flags, "-c", source, "-o", compiled]
                if subprocess.run(compilation, capture_output=True).returncode == 0:
                    break
            else:
                raise FileNotFoundError(f"{compiler} does not compile")
            # Linked apart: with -ffast-math, gcc would change how the whole process rounds the smallest numbers.
            subprocess.run([compiler, "-shared", compiled, "-o", library], check=True, capture_output=True)
            kernel = ctypes.CDLL(library)
            self._decide, self._decide_coupled = kernel.decide, kernel.decide_coupled
        self._parameters = (ctypes.c_double * len(_FIELDS))(*(getattr(parameters, name) for name in _FIELDS))
        self._input_steps = round(parameters.duration_input)
        self._round_steps = self._input_steps + round(parameters.duration_free)

    def respond(self, value: np.ndarray) -> np.ndarray:
        """Run a round of dt = 1 ms."""
        return self._run(self._decide, value)

    def respond_coupled(self, value: np.ndarray, inhibition: float) -> np.ndarray:
        """Run a round of one game (of 1,024 options at most) whose options inhibit each other."""
        return self._run(self._decide_coupled, value, ctypes.c_double(inhibition))

    def _run(self, kernel: Any, value: np.ndarray, *more: Any) -> np.ndarray:
        value = np.ascontiguousarray(value, dtype=float)
        ends = np.empty((2, len(value)))
        given, u, v = (array.ctypes.data_as(_DOUBLES) for array in (value, *ends))
        kernel(len(value), given, self._parameters, *more, self._input_steps, self._round_steps, u, v)
        return ends
