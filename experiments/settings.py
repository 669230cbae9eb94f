"""For scripts: what is played; see ``experiments.core.settings``."""

from experiments.core.settings import PlaySettings

__all__ = ["PlaySettings"]
