"""What several test files need."""

import subprocess
import sys

import brian2
import pytest
from scripts import Scripts

from experiments.cli import main

#: What takes long to make is made once: all tests of such a fixture run in one process.
SHARED = {"done", "evolved", "found", "left", "page", "serial"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Group the tests by what they share."""
    for item in items:
        shared = SHARED.intersection(item.fixturenames)
        if shared:
            group = "studies" if "done" in shared else f"{item.path.stem} {min(shared)}"
            item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture
def without_compiler():
    """Brian2 without its C++ compiler: a short game on a network is quicker than to compile the network."""
    before = brian2.prefs.codegen.target
    brian2.prefs.codegen.target = "numpy"
    yield
    brian2.prefs.codegen.target = before


def nsa_words(*args):
    """The words that start the command in a process of its own."""
    return [sys.executable, "-m", "experiments", *map(str, args)]


@pytest.fixture(scope="session")
def nsa_process():
    """Run the command in a process of its own, to its end."""

    def run(*args, cwd, **options):
        return subprocess.run(nsa_words(*args), cwd=cwd, capture_output=True, text=True, timeout=300, **options)

    run.words = nsa_words
    return run


@pytest.fixture(scope="session")
def run_script():
    """Run Python text, or a file, in an interpreter of its own that has Brian2 imported; what came of it."""
    scripts = Scripts()
    yield scripts
    scripts.close()


@pytest.fixture
def nsa(monkeypatch, capsys):
    """Run the command in this process; what it prints."""

    def run(*args, cwd=None):
        if cwd is not None:
            monkeypatch.chdir(cwd)
        assert main([*map(str, args)]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def refused(monkeypatch, capsys):
    """Run a command in this process that is to end with exit code 2 and leave no file; the one line that it says."""

    def run(*args, cwd):
        monkeypatch.chdir(cwd)
        before = files(cwd)
        with pytest.raises(SystemExit) as left:
            main([*map(str, args)])
        told = capsys.readouterr()
        assert (left.value.code, told.out, len(told.err.splitlines())) == (2, "", 1), told.err
        assert files(cwd) == before
        return told.err

    def files(folder):
        return sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)

    return run
