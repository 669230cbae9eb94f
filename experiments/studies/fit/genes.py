"""Free parameters of a fit: ranges, scales and priors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from baselines import Tunable
from nsa_brian import Parameter
from nsa_brian.common.texts import is_number, shown

#: Probability of a random choice, free in the fits of NSA, whose rule alone makes some choices impossible.
LAPSE = Tunable(0, 1, meaning="probability of a random choice")


@dataclass(frozen=True)
class Gene:
    """A free parameter.

    Attributes
    ----------
    name : str
    range : Tunable
        Search range and scale.
    prior : Prior, optional
        None is a uniform prior: maximum likelihood.
    typical : (float, float), optional
        Range of the values of simulated subjects; by default the middle 80% of the search range.
    """

    name: str
    range: Tunable
    prior: Prior | None = None
    typical: tuple[float, float] | None = None

    @classmethod
    def of_parameter(cls, info: Parameter) -> Gene:
        """Return the gene of a parameter of NSA or of its model."""
        if info.search is None:
            raise ValueError(f"parameter {info.name} has no search range and cannot be fitted")
        low, high = info.search
        return cls(info.name, Tunable(low, high, info.scale, info.legal, meaning=info.meaning))

    def draw(self, uniform: np.ndarray) -> np.ndarray:
        """Return typical values for uniform random numbers, evenly distributed on the scale of the search."""
        low, high = (0.1, 0.9)
        if self.typical is not None:  # within the range that was given
            low, high = np.clip(self.range.position(np.array(self.typical)), 0, 1)
        return np.asarray(self.range.at(low + uniform * (high - low)))

    def log_prior(self, values: np.ndarray) -> np.ndarray:
        """Return the log density of the prior up to a constant; 0 without one."""
        return np.zeros(len(values)) if self.prior is None else self.prior.log_density(values)

    @property
    def text(self) -> str:
        """The range in words."""
        scale = "" if self.range.scale == "linear" else f", {self.range.scale}"
        prior = "" if self.prior is None else f", prior {self.prior.text}"
        return f"{self.name} ({self.range.low:g} to {self.range.high:g}{scale}{prior})"


#: Distributions of scipy by name, with the names of their two numbers.
_FAMILIES = {
    "beta": (lambda a, b: stats.beta(a, b), "A:B, both above 0"),
    "gamma": (lambda shape, scale: stats.gamma(shape, scale=scale), "SHAPE:SCALE, both above 0"),
    "normal": (lambda mean, sd: stats.norm(mean, sd), "MEAN:SD"),
    "lognormal": (lambda median, sigma: stats.lognorm(sigma, scale=median), "MEDIAN:SIGMA, both above 0"),
}


@dataclass(frozen=True)
class Prior:
    """A prior distribution of a parameter's value: a family and its two numbers."""

    family: str
    first: float
    second: float

    @classmethod
    def of(cls, text: str) -> Prior:
        """Parse a prior such as ``beta:1.1:1.1``, ``gamma:1.2:5``, ``normal:0:1`` or ``lognormal:5:1``."""
        family, *numbers = str(text).split(":")
        if family not in _FAMILIES or len(numbers) != 2 or not all(map(is_number, numbers)):
            known = ", ".join(f"{name}:{numbers.split(',')[0]}" for name, (_, numbers) in _FAMILIES.items())
            raise ValueError(f"a prior must be one of {known}, got {shown(text)}")
        prior = cls(family, *map(float, numbers))
        if not np.isfinite(prior.log_density(np.linspace(0.01, 0.99, 3))).any() and family != "normal":
            raise ValueError(f"a prior {family} takes {_FAMILIES[family][1]}, got {shown(text)}")
        if not (np.isfinite([prior.first, prior.second]).all() and prior.second > 0):
            raise ValueError(f"a prior {family} takes {_FAMILIES[family][1]}, got {shown(text)}")
        return prior

    @property
    def text(self) -> str:
        """The prior as it is given."""
        return f"{self.family}:{self.first:g}:{self.second:g}"

    def log_density(self, values: np.ndarray) -> np.ndarray:
        """Return the log density of values."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(_FAMILIES[self.family][0](self.first, self.second).logpdf(values))
