"""Brian2's cache of compiled code: check that no other user can write to it, and replace damaged files.

Brian2 loads any module in its cache, so whoever can write there can run code in the user's name. A process killed
during linking leaves a truncated file, on which every later run would fail.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import struct
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from brian2.codegen.runtime.cython_rt import extension_manager
from brian2.core.preferences import prefs
from brian2.utils.logger import get_logger

logger = get_logger("nsa_brian")

#: Brian2's folder in Cython's cache.
SUBFOLDER = "brian_extensions"


def check_cache() -> None:
    """Switch Brian2 to a temporary cache, with a warning, if others can write to the cache or we cannot."""
    folder = extension_manager.get_cython_cache_dir()
    if folder is None:  # Cython is not installed
        return
    reason = refusal(os.path.expanduser(folder))
    if reason:
        temporary = tempfile.mkdtemp(prefix="nsa-cache-")  # with access for the user only
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        os.environ["CYTHON_CACHE_DIR"] = temporary  # for worker processes
        prefs.codegen.runtime.cython.cache_dir = os.path.join(temporary, SUBFOLDER)
        logger.warn(
            f"Brian2's cache {folder} is not used, because {reason}; compiled code goes to a temporary folder, which "
            "is deleted at exit. Set CYTHON_CACHE_DIR to a folder of your own to keep it"
        )


@cache
def refusal(folder: str) -> str:
    """Return why a folder, created if missing, is not a safe cache; empty if it is safe."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            return "it cannot be written"
        if not hasattr(os, "geteuid"):  # Windows, where others have no access to the user's home
            return ""
        mine, root = os.geteuid(), os.stat("/").st_uid
        path = Path(os.path.abspath(folder))
        for place in dict.fromkeys([path, *path.parents, path.resolve(), *path.resolve().parents]):
            found = place.lstat()
            inside = place in (path, path.resolve())
            if found.st_uid not in ({mine} if inside else {mine, root}):
                return f"{place} belongs to somebody else"
            if not stat.S_ISLNK(found.st_mode) and _others_write(found, inside):
                return f"others can write to {place}"
    except OSError as error:
        return f"it cannot be written: {error.strerror}"
    return ""


def _others_write(found: os.stat_result, inside: bool) -> bool:
    """Return whether others can add files to the cache (``inside``), or replace a folder above it."""
    if found.st_mode & stat.S_ISVTX and not inside:
        return False
    by_group = inside and found.st_mode & stat.S_IWGRP and not _private(found.st_gid)
    return bool(found.st_mode & stat.S_IWOTH or by_group)


def _private(gid: int) -> bool:
    """Return whether a group is the user's private group, as many systems create for every user."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(gid), pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return False
    return group.gr_name == user and set(group.gr_mem) <= {user}


def is_whole(path: str | Path) -> bool:
    """Return whether a compiled file is complete: loading a truncated one may crash the process.

    The header of an ELF file gives the position of its section table, which comes last.
    """
    with open(path, "rb") as file:
        head = file.read(64)
        size = file.seek(0, os.SEEK_END)
    if not sys.platform.startswith("linux") or head[4:5] == b"\1":  # other formats, and 32-bit ELF
        return size > 0
    if len(head) < 64 or head[:4] != b"\x7fELF":
        return False
    order = "<" if head[5] == 1 else ">"
    (start,), (each, n) = struct.unpack_from(order + "Q", head, 40), struct.unpack_from(order + "HH", head, 58)
    return start > 0 and start + each * n <= size


@contextmanager
def replacing_damaged_files() -> Iterator[None]:
    """Let Brian2 recompile modules whose file in the cache is damaged, within the ``with`` block.

    Used only for our own code objects and networks; other networks use Brian2's extension manager unchanged.
    """
    manager = extension_manager.cython_extension_manager
    before = vars(manager).get("_load_module")
    manager._load_module = partial(_load_module, manager)
    try:
        yield
    finally:
        if before is None:
            del manager._load_module
        else:
            manager._load_module = before


def _load_module(manager: Any, module_path: str, **settings: Any) -> Any:
    """Load a module, or compile it if its file is missing or damaged. Brian2 calls it with the module's lock held."""
    load = type(manager)._load_module
    there = os.path.isfile(module_path)
    if there and not is_whole(module_path):
        os.remove(module_path)
        there = False
    before = list(sys.path)
    try:
        return load(manager, module_path, **settings)
    except ImportError:
        if not there:
            raise
        sys.path[:] = before  # Brian2 adds the cache during the import
        os.remove(module_path)
        return load(manager, module_path, **settings)
