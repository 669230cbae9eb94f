"""Plugins: users' own Python files that are run in every process, so that what they enter into registries is known.

A plugin's file is read once, in the process of the command. Work for other processes carries its text along, so that
they need no file. A plugin is identified by a digest of its text and of the user's own modules that it imports.
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

#: Hexadecimal digits of a SHA-256 that stand for the content of a file.
DIGITS = 16

#: The packages of this distribution, which results name by their version.
_OURS = ("nsa_brian", "envs", "baselines", "evolution", "experiments")


@dataclass(frozen=True)
class Plugin:
    """A user's file: where it was, its text, and a digest of the text and of the modules that it imports."""

    path: str
    source: bytes
    digest: str


#: The plugins of the command, and those that this process has run.
_chosen: list[Plugin] = []
_run: set[Plugin] = set()


def load_plugins(paths: Iterable[str | Path]) -> None:
    """Run users' files, in place of those that were chosen before; a ValueError says what is wrong with one."""
    _chosen.clear()
    for path in paths:
        source = read_source(path)
        run_module(path, source)
        plugin = Plugin(str(path), source, _digest(source))
        _run.add(plugin)
        _chosen.append(plugin)


def chosen_plugins() -> tuple[Plugin, ...]:
    """The plugins of the command."""
    return tuple(_chosen)


def plugin_digests() -> dict[str, str]:
    """The digests of the plugins of the command, by their paths."""
    return {plugin.path: plugin.digest for plugin in _chosen}


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


def _digest(source: bytes) -> str:
    """The first digits of the SHA-256 of a plugin's text, followed by the user's own modules that it imports."""
    digest = hashlib.sha256(source)
    for name, text in sorted(_own_modules(source, {}).items()):
        digest.update(f"\n{name}\n".encode() + text)
    return digest.hexdigest()[:DIGITS]


def _own_modules(source: bytes, found: dict[str, bytes]) -> dict[str, bytes]:
    """The texts of the modules that a text imports, and of those that these import, but for installed ones."""
    for module in _imported(source):
        for name, path in _files(module):
            if name not in found:
                found[name] = path.read_bytes()
                _own_modules(found[name], found)
    return found


def _imported(source: bytes) -> set[str]:
    """The first names of all modules that a text imports; none if it is not Python."""
    names = []
    with suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.append(node.module)
    return {name.partition(".")[0] for name in names} - set(_OURS)


def _files(module: str) -> Iterator[tuple[str, Path]]:
    """The Python files of a module or of a whole package, each with a name; none if it is installed or not found."""
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
    """Whether a file belongs to Python or to an installed package."""
    place = Path(path).resolve()
    standard = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")]
    return bool({"site-packages", "dist-packages"} & set(place.parts)) or any(map(place.is_relative_to, standard))
