"""Names that moved to :mod:`nsa_brian.model.shipped`."""

from nsa_brian.model.shipped import ADEX, EI, EI_LEARNING, LEARNING, MODELS, SPIKING

__all__ = ["ADEX", "EI", "EI_LEARNING", "LEARNING", "MODELS", "SPIKING"]
