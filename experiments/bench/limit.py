"""The limit: the work of the engines in hand-written C++, compiled at run time."""

from __future__ import annotations

import ctypes
import functools
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
from nsa_brian.engines.response_table import ResponseTable
from nsa_brian.engines.table import Table

FIELDS = ("tau_u", "tau_v", "gain_u", "offset_u", "threshold_u", "gain_v", "offset_v", "threshold_v", "I_ext")
CURVE = ("r", "alpha", "beta", "mu", "sigma")
_PLAIN = ["-O3", "-fPIC"]
_WIDE = ["-mprefer-vector-width=512"] if platform.machine().lower() in ("x86_64", "amd64") else []
_FAST = [*_PLAIN, "-ffast-math", "-fno-associative-math", "-march=native", *_WIDE]


@functools.cache
def compiled(name: str = "limit_kernel.cpp") -> Any:
    """Compile a source file of this folder and load it.

    Raises
    ------
    FileNotFoundError
        If there is no working C++ compiler.
    """
    compiler = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise FileNotFoundError("no C++ compiler on PATH")
    source = str(resources.files("experiments.bench") / name)
    headers = str(resources.files("nsa_brian.codegen") / "templates")
    with tempfile.TemporaryDirectory() as folder:
        binary, library = str(Path(folder) / "limit.o"), str(Path(folder) / "limit.so")
        for flags in (_FAST, _PLAIN):
            compilation = [compiler, *flags, "-I", headers, "-c", source, "-o", binary]
            if subprocess.run(compilation, capture_output=True).returncode == 0:
                break
        else:
            raise FileNotFoundError(f"{compiler} cannot compile {name}")
        # Linked separately: with -ffast-math, gcc would enable flush-to-zero in the whole process.
        subprocess.run([compiler, "-shared", binary, "-o", library], check=True, capture_output=True)
        return ctypes.CDLL(library)


class LimitKernel:
    """Rounds with dt = 1 ms: final activities (2, n) for option values (n,).

    Raises
    ------
    FileNotFoundError
        If there is no working C++ compiler.
    """

    def __init__(self, parameters: NSAParameters) -> None:
        self._kernel = compiled()
        self._parameters = doubles(getattr(parameters, name) for name in FIELDS)
        self._input_steps = round(parameters.duration_input)
        self._round_steps = self._input_steps + round(parameters.duration_free)

    def respond(self, value: np.ndarray) -> np.ndarray:
        """Run a round of independent pairs."""
        return self._run(self._kernel.decide, value)

    def respond_coupled(self, value: np.ndarray, inhibition: float) -> np.ndarray:
        """Run a round of one game (up to 1,024 options) with lateral inhibition."""
        return self._run(self._kernel.decide_coupled, value, ctypes.c_double(inhibition))

    def respond_one(self, value: float) -> tuple[float, float]:
        """Run a round of one pair and return u and v."""
        u, v = ctypes.c_double(), ctypes.c_double()
        given = (ctypes.c_double(value), self._parameters, self._input_steps, self._round_steps)
        self._kernel.decide_one(*given, ctypes.byref(u), ctypes.byref(v))
        return u.value, v.value

    def _run(self, kernel: Any, value: np.ndarray, *more: Any) -> np.ndarray:
        value = np.ascontiguousarray(value, dtype=float)
        ends = np.empty((2, len(value)))
        given, u, v = map(address, (value, *ends))
        kernel(len(value), given, self._parameters, *more, self._input_steps, self._round_steps, u, v)
        return ends


class LimitTable:
    """Whole games with tabulated responses, starting in the state of an engine; each has its own bandit.

    Parameters
    ----------
    engine : Table
        Its games, with one parameter set and random ties, are copied.

    Raises
    ------
    FileNotFoundError
        If there is no working C++ compiler.
    """

    def __init__(self, engine: Table) -> None:
        self._kernel, self._tolerance = compiled(), ctypes.c_double(engine.tolerance)
        assert isinstance(engine.table, ResponseTable)
        engine.table.make_all()
        p, grid = engine.parameters[0], engine.table.grid
        curves = [getattr(p, f"{name}_{which}") for which in ("eta", "v") for name in CURVE]
        self._learning = doubles([*curves, p.w_max])
        self._grid = [np.ascontiguousarray(array, dtype=np.int64) for array in (grid.parts, grid.offsets)]
        self._grid += [np.ascontiguousarray(array) for array in grid.points.T]
        self._answers = (ctypes.c_int64 * 5)(grid.parts.shape[1], *(array.ctypes.data for array in self._grid))
        self._state = [array.copy() for array in (engine.w, *engine.activity)]
        self.earned = np.zeros(len(engine.w))

    def play(self, chances: np.ndarray, luck: np.ndarray) -> np.ndarray:
        """Return arms (rounds, games), given probabilities (rounds, games, arms) and uniforms (rounds, games, 4)."""
        n_rounds, n_games, n_arms = chances.shape
        arms = np.empty((n_rounds, n_games), dtype=np.int32)
        sizes = (n_games, n_arms, n_rounds, self._learning, self._answers, self._tolerance)
        self._kernel.play_table(*sizes, *map(address, (chances, luck, *self._state, arms, self.earned)))
        return arms


def doubles(values: Any) -> Any:
    """Convert numbers to a C array of doubles."""
    values = [*values]
    return (ctypes.c_double * len(values))(*values)


def address(array: np.ndarray) -> Any:
    """Return a pointer to the data of an array."""
    return ctypes.c_void_p(array.ctypes.data)
