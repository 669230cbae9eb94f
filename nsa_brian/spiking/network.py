"""Names that moved to :mod:`nsa_brian.engines`."""

from nsa_brian.engines.spiking import SpikingDecision, SpikingNSA

__all__ = ["SpikingDecision", "SpikingNSA"]
