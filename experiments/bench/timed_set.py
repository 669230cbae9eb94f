"""Parameter set that the benchmarks play."""

from nsa_brian import NSAParameters, load

#: The same in all releases: a default set with shorter rounds would look like faster engines.
TIMED_SET = "evolved"


def timed_set() -> NSAParameters:
    """Return the parameter set that the benchmarks play."""
    return load(TIMED_SET).parameters
