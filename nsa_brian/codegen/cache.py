"""The folder that compiled code is kept in: ours alone, and with nothing in it but whole files.

What lies in Brian2's cache is loaded and run without being looked at, so whoever can write there can run code as us;
and a process that was killed while a linker wrote leaves half a file behind, which no later run would get past.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import struct
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from brian2.codegen.runtime.cython_rt import extension_manager
from brian2.core.preferences import prefs
from brian2.utils.logger import get_logger

logger = get_logger("nsa_brian")

#: Where Brian2 puts its files in Cython's own cache.
SUBFOLDER = "brian_extensions"


def see_to_cache() -> None:
    """Have Brian2 load whole files only, from a cache that is ours; from a temporary one, and say so, if it is not."""
    extension_manager.CythonExtensionManager._load_module = _load_whole
    folder = extension_manager.get_cython_cache_dir()
    if folder is None:  # there is no Cython
        return
    reason = refusal(os.path.expanduser(folder))
    if reason:
        temporary = tempfile.mkdtemp(prefix="nsa-cache-")  # which nobody else may enter
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        os.environ["CYTHON_CACHE_DIR"] = temporary  # for processes that we start
        prefs.codegen.runtime.cython.cache_dir = os.path.join(temporary, SUBFOLDER)
        logger.warn(
            f"Brian2's cache {folder} is not used, for {reason}; compiled code goes to a temporary folder and is gone "
            "when this ends. CYTHON_CACHE_DIR names a folder of your own"
        )


@cache
def refusal(folder: str) -> str:
    """Why compiled code is not to be kept in a folder, which is made if need be; empty if it may."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            return "it cannot be written"
        if not hasattr(os, "geteuid"):  # Windows, where a folder of the user's home is the user's own
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
    """Whether others can put files into a folder; outside of ours it is enough that they cannot take ours away."""
    if found.st_mode & stat.S_ISVTX and not inside:
        return False
    by_group = inside and found.st_mode & stat.S_IWGRP and not _private(found.st_gid)
    return bool(found.st_mode & stat.S_IWOTH or by_group)


def _private(gid: int) -> bool:
    """Whether a group is one's own, which many systems give everybody, and let it write by default."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(gid), pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return False
    return group.gr_name == user and set(group.gr_mem) <= {user}


def is_whole(path: str | Path) -> bool:
    """Whether a compiled file has its end: to load half of one may end the process.

    An ELF file tells in its header where the table of its sections lies, which comes last.
    """
    with open(path, "rb") as file:
        head = file.read(64)
        size = file.seek(0, os.SEEK_END)
    if not sys.platform.startswith("linux") or head[4:5] == b"\1":  # other formats, and ELF of 32 bits
        return size > 0
    if len(head) < 64 or head[:4] != b"\x7fELF":
        return False
    order = "<" if head[5] == 1 else ">"
    (start,), (each, n) = struct.unpack_from(order + "Q", head, 40), struct.unpack_from(order + "HH", head, 58)
    return start > 0 and start + each * n <= size


_load = extension_manager.CythonExtensionManager._load_module


def _load_whole(self: Any, module_path: str, **settings: Any) -> Any:
    """Brian2's way to load a module, or to compile it if there is none; with what is damaged made anew.

    It is called with the module's lock in hand.
    """
    there = os.path.isfile(module_path)
    if there and not is_whole(module_path):
        os.remove(module_path)
        there = False
    before = list(sys.path)
    try:
        return _load(self, module_path, **settings)
    except ImportError:
        if not there:
            raise
        sys.path[:] = before  # Brian2 puts its folder there for the time of the import
        os.remove(module_path)
        return _load(self, module_path, **settings)
