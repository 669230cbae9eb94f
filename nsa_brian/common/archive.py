"""Archives: NumPy ``.npz`` files with a JSON object that describes their arrays. All results are stored as archives.

An archive stores its format, the version of the format, and a checksum. Reading one raises a ValueError if it is
damaged, truncated, or of another format or version. Files of release 0.2 have no checksum.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nsa_brian.common.atomic import write_atomically
from nsa_brian.common.memory import TooBigError, check_memory
from nsa_brian.common.user_files import parse_json

Arrays = dict[str, np.ndarray]

#: Name of the entry with the JSON object; its keys for the arrays' dtypes and for the checksum.
_META, _ARRAYS, _CHECKSUM = "meta", "arrays", "checksum"
#: Names that no array can have: that entry's, and those of the arguments of ``numpy.savez``.
_TAKEN = (_META, "file", "allow_pickle")


class DamagedError(ValueError):
    """An archive whose content does not match its checksum.

    Attributes
    ----------
    damage : str
        The message without the advice to delete the file.
    """

    def __init__(self, path: str | Path) -> None:
        self.damage = f"{path} is damaged: its content does not match its checksum"
        super().__init__(f"{self.damage}; delete it and run again")


class ArchiveFormat(NamedTuple):
    """A kind of archive, with methods to write and read it.

    Attributes
    ----------
    format : str
        Name of the format.
    version : int
        Version of the format.
    called : str
        Description of such a file in error messages, with its article: "a results file".
    """

    format: str
    version: int
    called: str

    def write(
        self,
        path: Path,
        meta: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
        small: bool = False,
        lasting: bool = True,
    ) -> None:
        """Write an archive; ``small`` compresses it, ``lasting`` waits until it is on disk (fsync).

        Raises
        ------
        ValueError
            If an array is called ``meta``, ``file`` or ``allow_pickle``.
        """
        for name in _TAKEN:
            if name in arrays:
                raise ValueError(f"an array of an archive cannot be called {name}")
        meta = {"format": self.format, "version": self.version, **meta, _ARRAYS: _dtypes(arrays)}
        text = np.array(json.dumps({**meta, _CHECKSUM: _checksum(json.loads(json.dumps(meta)), arrays)}))
        save: Any = np.savez_compressed if small else np.savez
        write_atomically(path, lambda file: save(file, **{_META: text}, **arrays), lasting)

    def read(self, path: str | Path, *keys: str) -> tuple[dict[str, Any], Arrays]:
        """Read an archive.

        Raises
        ------
        DamagedError
            If the content does not match the checksum.
        ValueError
            If it is not such an archive, or its JSON object lacks one of the keys.
        """
        meta = self.read_meta(path, _ARRAYS, *keys)
        stored = meta.pop(_CHECKSUM, None)
        with _describing_errors(path, self.called):
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files if name != _META}
            if _dtypes(arrays) != meta[_ARRAYS]:
                raise ValueError
        if stored is not None and stored != _checksum(meta, arrays):
            raise DamagedError(path)
        del meta[_ARRAYS]
        return meta, arrays

    def read_meta(self, path: str | Path, *keys: str) -> dict[str, Any]:
        """Read only the JSON object."""
        path = Path(path)
        with _describing_errors(path, self.called):
            if path.exists() and not path.is_file():  # reading a pipe blocks, and a device has no end
                raise OSError("not a regular file")
            with zipfile.ZipFile(path) as file:
                check_memory(sum(entry.file_size for entry in file.infolist()), str(path))
            with np.load(path, allow_pickle=False) as file:
                meta = dict(parse_json(str(file[_META])))
            found = meta.get("format"), meta.get("version")
            if found[0] != self.format and found != (None, None):
                raise ValueError
        if found != (self.format, self.version):
            raise ValueError(f"{path} was written by another release and cannot be read by this one")
        missing = [key for key in keys if key not in meta]
        if missing:
            raise ValueError(f"{path} is not {self.called}: it lacks {missing[0]}")
        return meta


def _dtypes(arrays: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    """Return the dtype and shape of each array."""
    return {name: [np.asarray(array).dtype.str, *np.shape(array)] for name, array in arrays.items()}


def _checksum(meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    """Return the SHA-256 of the JSON object, as it is read back, and of all arrays in its order."""
    digest = hashlib.sha256(json.dumps(meta).encode())
    for name in meta[_ARRAYS]:
        digest.update(np.asarray(arrays[name]).tobytes())
    return digest.hexdigest()


@contextmanager
def _describing_errors(path: str | Path, called: str) -> Iterator[None]:
    """Convert any exception from reading a file into a ValueError with its path."""
    try:
        yield
    except (MemoryError, TooBigError):
        raise
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception:  # from numpy, zip or JSON: another kind of file, damaged or truncated
        raise ValueError(f"{path} is not {called}") from None
