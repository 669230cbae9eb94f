"""Connecting Synapses without compiling code."""

from __future__ import annotations

import numpy as np
from brian2 import Synapses
from brian2.codegen.runtime.numpy_rt import NumpyCodeObject


def connect(synapses: Synapses, i: np.ndarray, j: np.ndarray) -> None:
    """Create the synapses from neurons ``i`` to neurons ``j``, in this order.

    Brian2 would compile the code that creates them, which takes seconds for each coupling, to run it once. Code that
    runs in time steps is still compiled.
    """
    target, synapses.codeobj_class = synapses.codeobj_class, NumpyCodeObject
    try:
        synapses.connect(i=i, j=j)
    finally:
        synapses.codeobj_class = target
