"""Drawing arms in proportion to weights."""

from bisect import bisect_right
from itertools import accumulate
from typing import Any

import numpy as np

from baselines.scalars import FEW_ARMS


def draw(weights: np.ndarray, uniform: Any) -> Any:
    """Draw an arm per game in proportion to weights (games, arms), from one uniform random number per game."""
    last = weights.shape[1] - 1
    if not isinstance(uniform, np.ndarray):  # a single game
        if last < FEW_ARMS:
            (row,) = weights.tolist()
            sums = list(accumulate(row))
            arm = bisect_right(sums, uniform * sums[-1])
            return arm if arm < last else last
        upto = weights.cumsum()
        return min(upto.searchsorted(uniform * upto[-1], "right"), last)
    upto = np.cumsum(weights, axis=1)
    above = upto > (uniform * upto[:, -1])[:, None]
    above[:, last] = True  # in case the product is rounded up to the sum
    return above.argmax(axis=1)
