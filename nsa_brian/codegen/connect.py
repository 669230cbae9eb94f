"""Synapses between given neurons, made without the compiler."""

from __future__ import annotations

import numpy as np
from brian2 import Synapses
from brian2.codegen.runtime.numpy_rt import NumpyCodeObject


def connect(synapses: Synapses, i: np.ndarray, j: np.ndarray) -> None:
    """Make the synapses from neurons ``i`` to neurons ``j``, in this order.

    Brian2 would compile the code that lays them out, some seconds for each of a network's couplings, to run it once.
    All that runs in time steps is compiled as ever.
    """
    target, synapses.codeobj_class = synapses.codeobj_class, NumpyCodeObject
    try:
        synapses.connect(i=i, j=j)
    finally:
        synapses.codeobj_class = target
