"""Names that moved to :mod:`nsa_brian.engines`."""

from nsa_brian.engines.spiking import SpikingRounds

__all__ = ["SpikingRounds"]
