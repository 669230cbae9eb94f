"""Optional dependencies."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def extra(name: str, module: str) -> ModuleType:
    """Import a module that needs an optional dependency.

    Parameters
    ----------
    name : str
        The extra, as in ``pip install "nsa-brian[name]"``.
    module : str
        Module to import.

    Raises
    ------
    ModuleNotFoundError
        If the dependency is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'{error.name} is missing: pip install "nsa-brian[{name}]"', name=error.name
        ) from None
