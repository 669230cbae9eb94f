"""Archives: files of arrays with a JSON object that says what they are. Everything we keep is one, and is read here.

Each names its format and the version of its form. A reader names those that it takes, and what else must be as it says;
so what was damaged, cut short, written by another release or made with other settings is told when it is read.
Each also stores a checksum of its content, which is verified when it is read. Files of release 0.2 have none.
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

from evolution.files import write_atomically
from evolution.memory import TooBigError, check_memory
from nsa_brian.files import parse_json

Arrays = dict[str, np.ndarray]

#: The entry of an archive that is JSON, and what it has to say of the others.
_META, _ARRAYS, _CHECKSUM = "meta", "arrays", "checksum"


class DamagedError(ValueError):
    """An archive whose content does not match its checksum.

    Attributes
    ----------
    damage : str
        What is wrong, without what to do about it.
    """

    def __init__(self, path: str | Path) -> None:
        self.damage = f"{path} is damaged: its content does not match its checksum"
        super().__init__(f"{self.damage}; delete it and run again")


class Form(NamedTuple):
    """What an archive says of itself.

    Attributes
    ----------
    format : str
        Its kind.
    version : int
        Of its form.
    called : str
        What such a file is, for those who gave us another.
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
        """Write an archive; compressed, if it is to be small, and waiting for the disk, if it is to last."""
        found = {"format": self.format, "version": self.version, **meta, _ARRAYS: _kinds(arrays)}
        text = np.array(json.dumps({**found, _CHECKSUM: _checksum(json.loads(json.dumps(found)), arrays)}))
        save: Any = np.savez_compressed if small else np.savez
        write_atomically(path, lambda file: save(file, **{_META: text}, **arrays), lasting)

    def read(self, path: str | Path, *keys: str) -> tuple[dict[str, Any], Arrays]:
        """What :meth:`write` wrote; a ValueError, in one line, if it is something else or lacks one of the keys.

        Raises
        ------
        DamagedError
            If the content does not match the checksum.
        """
        meta = self.read_meta(path, _ARRAYS, *keys)
        stored = meta.pop(_CHECKSUM, None)
        with _told(path, self.called):
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files if name != _META}
            if _kinds(arrays) != meta[_ARRAYS]:
                raise ValueError
        if stored is not None and stored != _checksum(meta, arrays):
            raise DamagedError(path)
        del meta[_ARRAYS]
        return meta, arrays

    def read_meta(self, path: str | Path, *keys: str) -> dict[str, Any]:
        """The JSON object alone."""
        path = Path(path)
        with _told(path, self.called):
            if path.exists() and not path.is_file():  # a fifo would keep us waiting, a device never ends
                raise OSError("not a regular file")
            with zipfile.ZipFile(path) as file:
                check_memory(sum(entry.file_size for entry in file.infolist()), str(path))
            with np.load(path, allow_pickle=False) as file:
                meta = dict(parse_json(str(file[_META])))
            found = meta.get("format"), meta.get("version")
            if found[0] != self.format and found != (None, None):
                raise ValueError
        if found != (self.format, self.version):
            raise ValueError(f"{path} was written by another release, which this one cannot read")
        missing = [key for key in keys if key not in meta]
        if missing:
            raise ValueError(f"{path} is not {self.called}: it lacks {missing[0]}")
        return meta


def _kinds(arrays: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    """Type and shape of each array, so that none can be missed."""
    return {name: [np.asarray(array).dtype.str, *np.shape(array)] for name, array in arrays.items()}


def _checksum(meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of the JSON object, as it is read back, and of all arrays in the order in which it names them."""
    digest = hashlib.sha256(json.dumps(meta).encode())
    for name in meta[_ARRAYS]:
        digest.update(np.asarray(arrays[name]).tobytes())
    return digest.hexdigest()


@contextmanager
def _told(path: str | Path, called: str) -> Iterator[None]:
    """Around the reading of a file that may be anything."""
    try:
        yield
    except (MemoryError, TooBigError):
        raise
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception:  # whatever numpy, zip and JSON say of a file that is something else, damaged or cut short
        raise ValueError(f"{path} is not {called}") from None
