"""The critical weight w*, above which an option's activity outlasts the input."""

from __future__ import annotations

import numpy as np

#: Activity below which a network counts as silent.
SILENT = 1e-3


def critical(x: np.ndarray, u: np.ndarray) -> float:
    """Return the value of x (a weight, or an option value) above which activity u lasts; NaN if always or never.

    Activity lasts where u ends above half of its maximum.
    """
    lasts = u > u.max() / 2
    if u.max() < SILENT or lasts.all() or not lasts[-1]:
        return float("nan")
    return float(x[np.flatnonzero(~lasts)[-1] + 1])
