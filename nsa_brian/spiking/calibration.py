"""Names that moved to :mod:`nsa_brian.preparation`."""

from nsa_brian.preparation import LASTING, check_map, critical_value, gain_function, paper_part
from nsa_brian.preparation import prepare as calibrated

__all__ = ["LASTING", "calibrated", "check_map", "critical_value", "gain_function", "paper_part"]
