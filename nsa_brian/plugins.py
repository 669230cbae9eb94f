"""Plugins: users' Python files that are run in every process, so that their registry entries are known there.

A plugin's file is read once, in the process of the command. Jobs for other processes carry its source, so that they
need no file. A plugin is identified by a digest of its source and of the user's modules that it imports.
"""

from __future__ import annotations

import ast
import hashlib
import pickle
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nsa_brian.common.plugins import naming_plugins
from nsa_brian.model.modules import read_source, run_module

#: Number of hexadecimal digits of a SHA-256 that identify the content of a file.
DIGITS = 16

#: The packages of this distribution, identified in results by their version.
_OURS = ("nsa_brian", "envs", "baselines", "evolution", "experiments")


@dataclass(frozen=True)
class Plugin:
    """A user's file: path, source, and a digest of the source and of the modules that it imports."""

    path: str
    source: bytes
    digest: str


#: The plugins of the command, and those that this process has run.
_chosen: list[Plugin] = []
_run: set[Plugin] = set()


def load_plugins(paths: Iterable[str | Path]) -> None:
    """Run users' files, which replace the plugins chosen before; raise ValueError if one fails."""
    _chosen.clear()
    for path in paths:
        source = read_source(path)
        run_module(path, source)
        plugin = Plugin(str(path), source, _digest(source))
        _run.add(plugin)
        _chosen.append(plugin)


def plugin_digests() -> dict[str, str]:
    """Return the digests of the command's plugins by path."""
    return {plugin.path: plugin.digest for plugin in _chosen}


def carrying_plugins(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a picklable function that runs the plugins in another process before it calls ``function``."""
    return partial(_call, tuple(_chosen), pickle.dumps(function)) if _chosen else function


def _call(plugins: tuple[Plugin, ...], pickled: bytes, *args: Any) -> Any:
    """Run the plugins, then unpickle and call a function that may need them."""
    for plugin in plugins:
        if plugin not in _run:
            run_module(plugin.path, plugin.source)
            _run.add(plugin)
    with naming_plugins():  # here, where the plugin's source is known
        return pickle.loads(pickled)(*args)


def _digest(source: bytes) -> str:
    """Return the digest of a plugin's source and of the user's modules that it imports."""
    digest = hashlib.sha256(source)
    for name, text in sorted(_own_modules(source, {}).items()):
        digest.update(f"\n{name}\n".encode() + text)
    return digest.hexdigest()[:DIGITS]


def _own_modules(source: bytes, found: dict[str, bytes]) -> dict[str, bytes]:
    """Return the sources of all modules that a source imports, directly or not, except installed ones."""
    for module in _imported(source):
        for name, path in _files(module):
            if name not in found:
                found[name] = path.read_bytes()
                _own_modules(found[name], found)
    return found


def _imported(source: bytes) -> set[str]:
    """Return the top-level names of all modules that a source imports; none if it is not valid Python."""
    names = []
    with suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.append(node.module)
    return {name.partition(".")[0] for name in names} - set(_OURS)


def _files(module: str) -> Iterator[tuple[str, Path]]:
    """Yield name and path of each Python file of a module or package; none if it is installed or not found."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    for folder in folders:
        if not _is_installed(folder):
            yield from ((f"{module}/{path.relative_to(folder)}", path) for path in sorted(Path(folder).rglob("*.py")))
    origin = str(spec.origin) if spec is not None and not folders else ""
    if origin.endswith(".py") and not _is_installed(origin):
        yield f"{module}.py", Path(origin)


def _is_installed(path: str) -> bool:
    """Return whether a file belongs to Python or to an installed package."""
    place = Path(path).resolve()
    standard = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")]
    return bool({"site-packages", "dist-packages"} & set(place.parts)) or any(map(place.is_relative_to, standard))
