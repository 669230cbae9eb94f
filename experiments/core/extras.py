"""Optional extras: packages that only some of us need."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def extra(name: str, module: str) -> ModuleType:
    """A module that takes an extra, or one line that says how to get it.

    Parameters
    ----------
    name : str
        The extra, as in ``pip install "nsa-brian[name]"``.
    module : str
        What is to be imported.

    Raises
    ------
    ModuleNotFoundError
        If what it takes is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'{error.name} is missing: pip install "nsa-brian[{name}]"', name=error.name
        ) from None
