"""The supported Brian2 versions: this package uses Brian2's internals, which may change."""

from __future__ import annotations

import warnings
from importlib.metadata import PackageNotFoundError, version

#: Lowest supported version, and the first one above the tested versions.
SUPPORTED = ((2, 9), (2, 12))
RANGE = ">={}.{},<{}.{}".format(*SUPPORTED[0], *SUPPORTED[1])


def check_brian2(found: str | None = None) -> None:
    """Raise ImportError if Brian2 is too old; warn if it is newer than the tested versions.

    Parameters
    ----------
    found : str, optional
        The version; by default the installed one, without importing Brian2.
    """
    if found is None:
        try:
            found = version("brian2")
        except PackageNotFoundError:  # no metadata, or not installed, which the import will report
            return
    try:
        number = tuple(map(int, found.split(".")[:2]))
    except ValueError:  # a custom build
        return
    remedy = f'run: pip install "brian2{RANGE}"'
    if number < SUPPORTED[0]:
        raise ImportError(f"Brian2 {found} is too old, nsa-brian needs {RANGE}; {remedy}")
    if number >= SUPPORTED[1]:
        warnings.warn(
            f"Brian2 {found} is newer than the versions nsa-brian is tested with ({RANGE}); if it fails, {remedy}",
            stacklevel=2,
        )
