"""Compilers and their cache: the same answers with each and with none, whatever a cache holds and whoever owns it."""

import itertools
import os
import re
import shutil
import subprocess
import sys

import pytest
from brian2 import Network, NeuronGroup, ms
from brian2.codegen.runtime.cython_rt import extension_manager

from nsa_brian import NSANetwork
from nsa_brian.codegen import cache
from nsa_brian.codegen.cache import _private, is_whole, refusal


def run_python(code, **environment):
    """Begin a script in an interpreter that has nothing imported, compiled or kept yet."""
    command = [sys.executable, "-c", code]
    return subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


PLAY = """
import numpy as np
from nsa_brian import NSA, NSAParameters
parameters = NSAParameters(tau_u=20, tau_v=30, duration_input=60, duration_free=60)
agent = NSA(5, parameters, "rounds", seed=3)
for _ in range(60):
    arm = agent.select_arm()
    agent.update(arm, float(arm == 2))
print(arm, *agent.engine.w[0], *agent.engine.u[0], *agent.engine.v[0])
"""


@pytest.fixture(scope="module")
def played(run_script, tmp_path_factory):
    """What the script says."""
    done = run_script(PLAY, tmp_path_factory.mktemp("played"))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_a_compiler_the_same_answer_and_one_warning(tmp_path, played, run_script):
    fallback = run_script(PLAY, tmp_path, PATH=str(tmp_path), CYTHON_CACHE_DIR=str(tmp_path), CC="", CXX="")
    assert fallback.returncode == 0, fallback.stderr
    assert [float(x) for x in fallback.stdout.split()] == pytest.approx([float(x) for x in played.split()], abs=1e-12)
    warnings = [line for line in fallback.stderr.splitlines() if line.startswith("WARNING")]
    assert len(warnings) == 1
    assert re.search(
        r"some 500 times slower: .*command .* failed.*; a C\+\+ compiler .* has to be installed", warnings[0]
    )


def test_a_users_wish_for_numpy_is_told_as_the_cause(run_script, tmp_path):
    numpy = "import brian2; brian2.prefs.codegen.target = 'numpy'\n" + PLAY
    told = run_script(numpy, tmp_path).stderr
    assert "500 times slower: Brian2's preference codegen.target is not 'auto'" in told


@pytest.mark.slow
def test_damaged_files_in_the_cache_are_made_anew(tmp_path):
    first = run_python(PLAY, CYTHON_CACHE_DIR=str(tmp_path)).communicate()[0]
    files = list(tmp_path.rglob("*.so"))
    assert len(files) > 1  # with Brian2's test whether it can compile
    damages = (lambda path: os.truncate(path, path.stat().st_size // 2), lambda path: os.truncate(path, 0))
    for path, damage in zip(files, itertools.cycle(damages), strict=False):
        damage(path)
        assert not is_whole(path)
    again = run_python(PLAY, CYTHON_CACHE_DIR=str(tmp_path))
    out, err = again.communicate()
    assert (again.returncode, out) == (0, first), err
    assert "WARNING" not in err
    assert all(is_whole(path) for path in files)


@pytest.mark.slow
def test_damaged_files_are_replaced_for_our_networks_and_not_for_the_users(monkeypatch):
    """A user's own network in the same process uses Brian2's extension manager as it is."""
    manager = extension_manager.cython_extension_manager
    checked = []
    monkeypatch.setattr(cache, "is_whole", lambda path: checked.append(path) or is_whole(path))

    def run_users():
        monkeypatch.setattr(manager, "_code_cache", {})  # as in a new process, which looks for files
        Network(NeuronGroup(1, "dx/dt = -x / second : 1", method="euler", name="users_group")).run(1 * ms)

    def run_ours():
        monkeypatch.setattr(manager, "_code_cache", {})
        NSANetwork(n_arms=2, seed=1).respond()

    for run in (run_users, run_ours):
        run()  # its files are in the cache from now on
    checked.clear()
    run_users()
    assert not checked
    run_ours()
    assert checked


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["/proc/nowhere", "theirs", "open"])
def test_a_cache_that_is_not_ours_alone_is_not_used(tmp_path, folder, played):
    path = tmp_path / folder
    if folder == "open":
        path.mkdir()
        path.chmod(0o777)
    elif folder == "theirs":
        path.mkdir()
        if os.geteuid() != 0:
            pytest.skip("only root gives folders away")
        os.chown(path, 65534, -1)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = run_python(PLAY, CYTHON_CACHE_DIR=str(path), TMPDIR=str(temporary))
    out, err = process.communicate()
    assert (process.returncode, out) == (0, played), err
    warnings = [line for line in err.splitlines() if line.startswith("WARNING")]
    assert len(warnings) == 1, err
    assert re.search("cache .* is not used, because .*; compiled code goes to a temporary folder", warnings[0])
    assert not list(path.rglob("*.so")) if path.exists() else True
    assert not list(temporary.iterdir())


def test_which_folders_are_ours_alone(tmp_path, monkeypatch):
    ours = tmp_path / "shared" / "ours"
    assert refusal(str(ours)) == ""
    assert ours.stat().st_mode & 0o777 == 0o700
    for place, mode, expected in [
        (ours, 0o777, f"others can write to {ours}"),
        (ours, 0o770, "" if _private(ours.stat().st_gid) else f"others can write to {ours}"),
        (ours.parent, 0o777, f"others can write to {ours.parent}"),
        (ours.parent, 0o1777, ""),  # as /tmp is
        (ours.parent, 0o775, ""),
    ]:
        before = place.stat().st_mode
        place.chmod(mode)
        refusal.cache_clear()
        assert refusal(str(ours)) == expected
        place.chmod(before)
    refusal.cache_clear()
    (tmp_path / "file").touch()
    assert refusal(str(tmp_path / "file" / "cache")) == "it cannot be written: Not a directory"
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert "belongs to somebody else" in refusal(str(ours))
    refusal.cache_clear()


def test_a_users_wish_for_single_precision_leaves_the_fast_engine_exact(run_script, tmp_path, played):
    single = "import brian2, numpy; brian2.prefs.core.default_float_dtype = numpy.float32\n" + PLAY
    assert run_script(single, tmp_path).stdout == played


@pytest.mark.slow
def test_two_processes_that_compile_at_once_both_answer(tmp_path, played):
    processes = [run_python(PLAY, CYTHON_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    outputs = [process.communicate() for process in processes]
    assert outputs[0][0] == outputs[1][0] == played
    assert [process.returncode for process in processes] == [0, 0]
    assert list(tmp_path.rglob("*.so"))  # what they compiled; on a fast machine they do not say so


EVERY_KIND = """
from nsa_brian import NSA, Lateral, Model, load
from nsa_brian.spiking.rounds import SpikingRounds
from nsa_brian.spiking.shipped import MODELS

coupled = Model(
    rate_u="du/dt = (-u + I_u + I_lateral + I) / tau_u : 1", lateral=(Lateral("u", "I_lateral", "-0.3 * phi_u_pre"),)
)
for agent in (NSA(4, seed=1), NSA(4, engine="table", seed=1), NSA(4, model=coupled, seed=1)):
    agent.engine.play(lambda arms: arms / 4.0, 30)
    print(agent.engine.w)
for model in MODELS.values():
    found = model.change(critical="", homeostasis="")  # what is found for a model takes longer than to play it
    engine = SpikingRounds(3, found.complete(load().parameters), 2, model=found, seed=0)
    engine.set_weights([[0, 2, 4], [4, 3, 1]])
    engine.play(lambda arms: arms / 4.0, 2)
    assert engine.activity.sum() > 0
    print(engine.activity, engine.w)
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang++") is None, reason="needs Clang")
def test_clang_makes_the_same_of_every_kind_of_code(tmp_path, run_script):
    """Addresses that were stored as numbers and read as addresses were none to it: neurons never fired."""
    expected = run_script(EVERY_KIND, tmp_path)
    assert expected.returncode == 0, expected.stderr
    done = run_python(EVERY_KIND, CC="clang", CXX="clang++", CYTHON_CACHE_DIR=str(tmp_path / "clang"))
    out, err = done.communicate()
    assert done.returncode == 0, err
    assert out == expected.stdout
