"""Files, locks and archives: whole or not there, one writer at a time, and nothing taken for what it is not."""

import json
import os
import resource
import signal
import subprocess
import sys

import numpy as np
import psutil
import pytest

from nsa_brian.common import memory
from nsa_brian.common.archive import ArchiveFormat
from nsa_brian.common.atomic import write_atomically
from nsa_brian.common.lock import Lock, LockedError

FORM = ArchiveFormat("test-form", 2, "a test's archive")


def script(text, *args):
    return subprocess.Popen([sys.executable, "-c", text, *map(str, args)], stdout=subprocess.PIPE, text=True)


HOLD = """
import sys, time
from pathlib import Path
from nsa_brian.common.lock import Lock
with Lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""

WRITE = """
import sys, time
from pathlib import Path
from nsa_brian.common.atomic import write_atomically
def write(file):
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
write_atomically(Path(sys.argv[1]), write)
"""


class TestFiles:
    def test_a_writer_that_fails_leaves_what_was_there(self, tmp_path):
        path = tmp_path / "a.txt"
        write_atomically(path, lambda file: file.write(b"whole"))
        with pytest.raises(ZeroDivisionError):
            write_atomically(path, lambda file: file.write(b"x" * (1 // 0)))
        assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]
        assert path.read_bytes() == b"whole"

    def test_what_a_killed_writer_left_is_cleared_by_the_next(self, tmp_path):
        path = tmp_path / "a.txt"
        writer = script(WRITE, path)
        assert writer.stdout.readline() == "writing\n"
        write_atomically(path, lambda file: file.write(b"mine"))
        assert len(list(tmp_path.glob(".*.part"))) == 1  # it is at work
        writer.kill()
        writer.communicate()
        write_atomically(path, lambda file: file.write(b"whole"))
        assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]

    def test_a_full_disk_is_told_with_the_files_name(self, tmp_path):
        path = tmp_path / "a.txt"
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        try:
            with pytest.raises(OSError, match="too large") as told:
                write_atomically(path, lambda file: file.write(b"x" * 5000))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, ignored)
        assert told.value.filename == str(path)
        assert not list(tmp_path.iterdir())

    def test_names_may_be_as_long_as_the_file_system_allows(self, tmp_path):
        path = tmp_path / ("é" * 125 + ".txt")
        write_atomically(path, lambda file: file.write(b"whole"))
        assert [each.name for each in tmp_path.iterdir()] == [path.name]


class TestLock:
    def test_the_second_is_told_who_the_first_is(self, tmp_path):
        first = script(HOLD, tmp_path / "x", 60)
        first.stdout.readline()
        with pytest.raises(LockedError, match=f"x is in use by process {first.pid} on .* \\(-c "), Lock(tmp_path / "x"):
            pass
        first.kill()
        first.communicate()

    def test_a_killed_process_is_in_nobodys_way(self, tmp_path):
        first = script(HOLD, tmp_path / "x", 60)
        first.stdout.readline()
        first.kill()
        first.communicate()
        assert (tmp_path / "x" / ".lock").exists()
        with Lock(tmp_path / "x"):
            pass
        assert not list((tmp_path / "x").iterdir())

    def test_who_waits_gets_it_when_the_first_ends_and_is_told_for_whom(self, tmp_path):
        first = script(HOLD, tmp_path / "x", 0.5)
        first.stdout.readline()
        told = []
        with Lock(tmp_path / "x", wait=True, tell=told.append):
            assert (tmp_path / "x" / ".lock").read_text().startswith(f" process {os.getpid()} ")
        assert f"process {first.pid}" in told[0]
        first.communicate()
        assert not list(tmp_path.rglob("*lock"))

    def test_a_folder_that_was_made_for_it_goes_and_the_users_own_stays(self, tmp_path):
        with Lock(tmp_path / "x" / "y"):
            pass
        with Lock(tmp_path):
            pass
        assert not list(tmp_path.iterdir())

    def test_many_at_once_never_hold_it_together(self, tmp_path):
        count = """
import sys, time
from pathlib import Path
from nsa_brian.common.lock import Lock
folder = Path(sys.argv[1])
for _ in range(20):
    with Lock(folder / "x", wait=True):
        (folder / "inside").mkdir()
        time.sleep(0.001)
        (folder / "inside").rmdir()
"""
        started = [script(count, tmp_path) for _ in range(3)]
        assert [process.wait(60) for process in started] == [0, 0, 0]
        for process in started:
            process.stdout.close()


class TestArchives:
    def write(self, path, **meta):
        FORM.write(path, {"settings": {"a": 1}, **meta}, {"x": np.arange(3)})

    def test_give_back_what_was_written(self, tmp_path):
        self.write(tmp_path / "a.npz")
        meta, arrays = FORM.read(tmp_path / "a.npz", "settings")
        assert (meta["settings"], arrays["x"].tolist()) == ({"a": 1}, [0, 1, 2])

    @pytest.mark.parametrize("name", ["meta", "file", "allow_pickle"])
    def test_have_no_arrays_with_names_of_their_own_parts(self, tmp_path, name):
        with pytest.raises(ValueError, match=f"an array of an archive cannot be called {name}"):
            FORM.write(tmp_path / "a.npz", {}, {name: np.arange(3)})
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("length", [0, 1, 10, 100, 300, -30, -1])
    def test_cut_short_are_told(self, tmp_path, length):
        path = tmp_path / "a.npz"
        self.write(path)
        path.write_bytes(path.read_bytes()[:length])
        with pytest.raises(ValueError, match="is not a test's archive"):
            FORM.read(path)

    @pytest.mark.parametrize("place", range(0, 700, 23))
    def test_with_a_byte_changed_are_told_or_the_same(self, tmp_path, place):
        path = tmp_path / "a.npz"
        self.write(path)
        content = bytearray(path.read_bytes())
        content[place % len(content)] ^= 0x55
        path.write_bytes(content)
        try:
            meta, arrays = FORM.read(path, "settings")
        except ValueError:
            return
        assert (meta["settings"], arrays["x"].tolist()) == ({"a": 1}, [0, 1, 2])

    @pytest.mark.parametrize("what", ["array", "JSON"])
    def test_with_another_value_are_told_and_older_ones_without_a_checksum_are_read(self, tmp_path, what):
        path = tmp_path / "a.npz"
        self.write(path, numbers={"1": 0.1, "a": float("inf")})
        with np.load(path) as file:
            meta, x = json.loads(str(file["meta"])), file["x"]
        if what == "array":
            x[1] = 7
        else:
            meta["settings"] = {"a": 2}
        np.savez(path, meta=np.array(json.dumps(meta)), x=x)
        with pytest.raises(ValueError, match=r"a.npz is damaged: its content does not match its checksum; delete it"):
            FORM.read(path)
        del meta["checksum"]
        np.savez(path, meta=np.array(json.dumps(meta)), x=x)
        assert FORM.read(path)[1]["x"].tolist() == x.tolist()

    def test_of_other_kinds_and_releases_are_told(self, tmp_path):
        path = tmp_path / "a.npz"
        for other, words in (
            (ArchiveFormat("test-form", 1, ""), "written by another release"),
            (ArchiveFormat("other-form", 2, ""), "is not a test's archive"),
        ):
            other.write(path, {}, {})
            with pytest.raises(ValueError, match=words):
                FORM.read(path)
        self.write(path)
        with pytest.raises(ValueError, match="it lacks versions"):
            FORM.read(path, "settings", "versions")

    def test_that_are_no_files_or_hold_code_are_told(self, tmp_path):
        os.mkfifo(tmp_path / "fifo")
        with pytest.raises(ValueError, match="not a regular file"):
            FORM.read(tmp_path / "fifo")
        text = np.array(json.dumps({"format": "test-form", "version": 2}))
        np.savez(tmp_path / "code.npz", meta=text, x=np.array([print], dtype=object))
        with pytest.raises(ValueError, match="is not a test's archive"):
            FORM.read(tmp_path / "code.npz")

    def test_larger_than_memory_are_told_before_they_are_unpacked(self, tmp_path, monkeypatch):
        self.write(tmp_path / "a.npz")
        monkeypatch.setattr(memory, "free_memory", lambda: 100.0)
        with pytest.raises(ValueError, match="not enough memory"):
            FORM.read(tmp_path / "a.npz")


class TestMemory:
    def test_is_that_of_the_machine_at_most(self, monkeypatch):
        assert 0 < memory.free_memory() <= psutil.virtual_memory().total + psutil.swap_memory().total
        monkeypatch.setattr(memory, "_of_the_machine", lambda: 1000.0)
        assert memory.free_memory() <= 1000

    def test_follows_the_limit_of_the_process(self):
        told = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31));"
        told += "from nsa_brian.common.memory import free_memory; print(free_memory())"
        assert float(script(told).communicate()[0]) < 2**31

    @pytest.mark.parametrize(
        ("line", "files"),
        [
            ("0::/job", {"memory.max": "1000", "memory.current": "700", "memory.stat": "inactive_file 50"}),
            (
                "4:memory:/job",
                {
                    "memory.limit_in_bytes": "1000",
                    "memory.usage_in_bytes": "700",
                    "memory.stat": "total_inactive_file 50",
                },
            ),
        ],
        ids=["version 2", "version 1"],
    )
    def test_follows_the_limit_of_the_group_above(self, line, files, tmp_path):
        (tmp_path / "cgroup").write_text(f"{line}/step\n")
        folder = tmp_path / ("memory" if "memory" in line else ".") / "job"
        folder.mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_text(f"{content}\n")
        assert memory._of_the_group(tmp_path, tmp_path / "cgroup") == 350
