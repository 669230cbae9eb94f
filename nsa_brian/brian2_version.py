"""The Brian2 versions that this package is tested with; its internals, which we use, may change."""

from __future__ import annotations

import warnings
from importlib.metadata import PackageNotFoundError, version

#: From the first on, and below the second.
SUPPORTED = ((2, 9), (2, 12))
RANGE = ">={}.{},<{}.{}".format(*SUPPORTED[0], *SUPPORTED[1])


def check_brian2(found: str | None = None) -> None:
    """Refuse a Brian2 that is too old, and warn of one that is newer than those that were tested.

    Parameters
    ----------
    found : str, optional
        The version; by default the installed one. Brian2 itself is not imported.
    """
    if found is None:
        try:
            found = version("brian2")
        except PackageNotFoundError:  # a copy without metadata, or none: the import will tell
            return
    try:
        number = tuple(map(int, found.split(".")[:2]))
    except ValueError:  # a name that somebody gave a build of their own
        return
    remedy = f'run: pip install "brian2{RANGE}"'
    if number < SUPPORTED[0]:
        raise ImportError(f"Brian2 {found} is too old, nsa-brian needs {RANGE}; {remedy}")
    if number >= SUPPORTED[1]:
        warnings.warn(
            f"Brian2 {found} is newer than the versions nsa-brian is tested with ({RANGE}); if it fails, {remedy}",
            stacklevel=2,
        )
