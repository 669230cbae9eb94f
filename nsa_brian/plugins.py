"""Plugins: users' own Python files that are run in every process, so that what they enter into registries is known.

A plugin's file is read once, in the process of the command. Work for other processes carries its text along, so that
they need no file.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nsa_brian.common.plugins import naming_plugins
from nsa_brian.model.modules import read_source, run_module


@dataclass(frozen=True)
class Plugin:
    """A user's file: where it was, and its text."""

    path: str
    source: bytes


#: The plugins of the command, and those that this process has run.
_chosen: list[Plugin] = []
_run: set[Plugin] = set()


def load_plugins(paths: Iterable[str | Path]) -> None:
    """Run users' files, in place of those that were chosen before; a ValueError says what is wrong with one."""
    _chosen.clear()
    for path in paths:
        plugin = Plugin(str(path), read_source(path))
        run_module(plugin.path, plugin.source)
        _run.add(plugin)
        _chosen.append(plugin)


def chosen_plugins() -> tuple[Plugin, ...]:
    """The plugins of the command."""
    return tuple(_chosen)


def carrying_plugins(function: Callable[..., Any]) -> Callable[..., Any]:
    """A picklable function that, in another process, first runs the plugins there and then does the same."""
    return partial(_call, tuple(_chosen), pickle.dumps(function)) if _chosen else function


def _call(plugins: tuple[Plugin, ...], pickled: bytes, *args: Any) -> Any:
    """Unpickled only here: what is in it may need the plugins."""
    for plugin in plugins:
        if plugin not in _run:
            run_module(plugin.path, plugin.source)
            _run.add(plugin)
    with naming_plugins():  # here, where its lines are known
        return pickle.loads(pickled)(*args)
