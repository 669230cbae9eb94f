"""Public names of ``experiments.core.settings``."""

from experiments.core.settings import PlaySettings

__all__ = ["PlaySettings"]
