"""Public names of ``experiments.core.metrics``: measures of games."""

from experiments.core.metrics import (
    choice_entropy,
    distribution_entropy,
    estimate,
    fingerprint,
    level_with_best,
    mean_ranks,
    measures,
    published_regret,
    regret,
    reward,
    smooth,
)

__all__ = [
    "choice_entropy",
    "distribution_entropy",
    "estimate",
    "fingerprint",
    "level_with_best",
    "mean_ranks",
    "measures",
    "published_regret",
    "regret",
    "reward",
    "smooth",
]
