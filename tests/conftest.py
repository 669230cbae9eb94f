"""What several test files need."""

import contextlib
import gc
import io
import os
import subprocess
import sys

import pytest
from scripts import Scripts
from targets import TARGETS, brian2_target

from experiments.cli import main

# What the compiler would tell a debugger takes it a sixth of its time, and changes nothing of what it makes.
os.environ["CFLAGS"] = f"{os.environ.get('CFLAGS', '')} -g0".strip()

#: The units that take longest, longest first: begun first, so that at the end no process waits long for another.
LONGEST = (
    "studies",
    "scripts",
    "evolve",
    "nsa_brian/test_stretch.py",
    "nsa_brian/test_extensions.py",
    "experiments/test_cli.py",
    "evolution/test_evolution.py",
    "experiments/core/test_model_flow.py",
    "nsa_brian/test_populations.py",
    "baselines/test_baselines.py",
    "nsa_brian/test_check.py",
    "nsa_brian/test_model_texts.py",
    "nsa_brian/test_spiking.py",
    "nsa_brian/test_spiking_engines.py",
    "nsa_brian/test_spiking_calibration.py",
    "evolution/test_evolve_models.py",
    "evolution/test_staged.py",
    "nsa_brian/common/test_beta.py",
    "nsa_brian/test_model.py",
    "experiments/core/test_model_inputs.py",
    "experiments/test_outside.py",
    "test_fuzz.py",
)
#: Files that share what is made once for a session.
TOGETHER = {
    "studies": ("experiments/studies/", "experiments/report/"),
    "evolve": ("experiments/evolve/",),
    "scripts": ("test_examples.py", "test_readme.py", "nsa_brian/test_engines.py", "nsa_brian/test_compilers.py"),
}


def unit_of(nodeid):
    """What runs in one process, one after the other: a file, for it makes and compiles things that all of it uses."""
    path = nodeid.split("::")[0].removeprefix("tests/")
    return next((unit for unit, paths in TOGETHER.items() if path.startswith(paths)), path)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Begin with what takes longest."""
    place = {path: n for n, path in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(unit_of(item.nodeid), len(place)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand whole files to the processes, in the order of the tests."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return unit_of(nodeid)

    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.fixture(autouse=True)
def little_to_look_through():
    """Set aside what is there: Brian2 has Python look for garbage in all of it before every run of a network.

    What was set aside before is not looked through here either, so this takes no time.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture
def without_compiler():
    """Brian2 without its C++ compiler: a short game on a network is quicker than to compile the network."""
    with brian2_target("numpy"):
        yield


@pytest.fixture(params=TARGETS.values(), ids=TARGETS)
def with_and_without_compiler(request):
    """Brian2 without its C++ compiler, and among the slow tests with it: for what is the same in both."""
    with brian2_target(request.param):
        yield


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
def nsa_said():
    """Run the command in this process, for fixtures of a module or a session; what it prints."""

    def run(*args, cwd):
        said = io.StringIO()
        with contextlib.chdir(cwd), contextlib.redirect_stdout(said):
            assert main([*map(str, args)]) == 0
        return said.getvalue()

    return run


@pytest.fixture(scope="session")
def nsa_script(run_script):
    """Run the command in a process of its own that has Brian2 imported, to its end."""

    def run(*args, cwd):
        return run_script(f"from experiments.cli import main\nassert main({[*map(str, args)]}) == 0", cwd)

    return run


@pytest.fixture(scope="session")
def run_script():
    """Run Python text, or a file, in an interpreter of its own that has Brian2 imported; what came of it."""
    scripts = Scripts()
    yield scripts
    scripts.close()


@pytest.fixture(scope="session")
def two_processes():
    """Worker processes for tests that are not about how they begin and end: each imports Brian2 when it begins."""
    from evolution.workers import Processes

    made = Processes(2)
    yield made
    made.close()


@pytest.fixture
def workers_at_hand(two_processes, monkeypatch):
    """Commands that would start worker processes find those at work, and leave them so."""

    class AtHand:
        run, map = two_processes.run, two_processes.map

        def __init__(self, n):
            assert n <= two_processes.width
            self.width = n

        def close(self):
            pass

    monkeypatch.setattr("experiments.core.workers.Processes", AtHand)


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
