"""Names that moved to :mod:`nsa_brian.model.spiking`."""

from nsa_brian.model.spiking import Pool, SpikingModel

__all__ = ["Pool", "SpikingModel"]
