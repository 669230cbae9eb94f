"""What the outside world does to a command: closed streams, full devices, impatient users, other processes."""

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from experiments.core.json_text import json_text
from nsa_brian import load
from nsa_brian.common.lock import Lock

PLAY = ["play", "--agents", "random,ucb1", "--arms", "4", "--trials", "1", "--rounds", "30", "--repetitions", "2"]
TABLE = ["table", "--preset", "quick", "--agents", "random,ucb1", "--envs", "MAB-P", "--arms", "5,10", "--quiet"]
EVOLVE = [
    "evolve",
    "--preset",
    "paper-quick",
    "--population",
    "4",
    "--rounds",
    "20",
    "--arms",
    "3",
    "--generations",
    "2",
]


@pytest.fixture
def shell(nsa_process, tmp_path):
    """Run the command in a shell that does something to its streams."""

    def run(words, streams):
        line = f'"$@" {streams}'
        return subprocess.run(
            ["sh", "-c", line, "sh", *nsa_process.words(*words)], cwd=tmp_path, capture_output=True, text=True
        )

    return run


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class TestStreams:
    @pytest.mark.slow
    @pytest.mark.parametrize("streams", ["2>&-", "<&- >&- 2>&-"])
    def test_closed_ones_change_nothing_but_what_is_seen(self, shell, streams, tmp_path):
        done = shell([*PLAY, "--workers", "2"], streams)
        assert (done.returncode, done.stderr) == (0, "")
        assert len(files(tmp_path)) == 2

    @pytest.mark.slow
    def test_a_full_device_is_one_line_and_what_was_computed_is_there(self, shell, tmp_path):
        done = shell(PLAY, ">/dev/full")
        assert (done.returncode, done.stderr) == (2, "nsa play: error: No space left on device\n")
        assert len(files(tmp_path)) == 2

    @pytest.mark.parametrize("words", [["--help"], ["play", "--help"], ["--version"], ["parameters"]])
    def test_a_full_device_is_no_traceback(self, shell, words):
        assert "Traceback" not in shell(words, ">/dev/full").stderr

    @pytest.mark.slow
    def test_an_error_that_nobody_hears_is_an_exit_code(self, shell):
        assert shell([*PLAY, "--rounds", "0"], "2>/dev/full").returncode == 2
        assert shell([*PLAY, "--rounds", "0"], "2>&-").returncode == 2

    @pytest.mark.slow
    def test_a_search_that_nobody_reads_says_how_to_go_on(self, nsa_process, tmp_path):
        """As in ``nsa evolve | head -1``, with what a shell says of a program that a closed pipe has ended."""
        search = subprocess.Popen(
            nsa_process.words(*EVOLVE, "--generations", "50", "--out", "s"),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        search.stdout.readline()
        search.stdout.close()
        told = search.stderr.read()
        assert (search.wait(60), len(told.splitlines())) == (141, 1)
        assert "resume with: nsa evolve --resume s" in told


def test_a_full_disk_is_one_line_and_what_is_complete_stays(nsa_process, tmp_path):
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

    done = nsa_process(*PLAY, "--rounds", "2000", "--out", "o", cwd=tmp_path, preexec_fn=small_files)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "File too large" in done.stderr
    assert files(tmp_path) == []


def test_ctrl_c_at_any_moment_of_the_beginning_is_one_word(nsa_process, tmp_path):
    for wait in (0.15, 0.3, 0.5, 0.8):
        process = subprocess.Popen(
            nsa_process.words(*EVOLVE, "--generations", "500"),
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert process.returncode == 130, told
        assert told.strip().startswith(b"stopped")
        assert len(told.strip().splitlines()) == 1


@pytest.mark.parametrize("words", [[*EVOLVE, "--out", "s"], ["evolve", "--resume", "s", "--generations", "90"]])
def test_a_folder_in_use_is_refused(words, tmp_path, refused):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "checkpoint.npz").touch()
    with Lock(tmp_path / "s"):
        assert f"s is in use by process {os.getpid()} on " in refused(*words, cwd=tmp_path)


@pytest.mark.slow
class TestTwoAtOnce:
    def start(self, nsa_process, cwd, *words):
        return subprocess.Popen(
            nsa_process.words(*words), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def test_searches_in_one_folder(self, nsa_process, tmp_path, refused):
        first = self.start(nsa_process, tmp_path, *EVOLVE, "--generations", "60", "--out", "s")
        first.stdout.readline()
        first.stdout.readline()
        for words in ([*EVOLVE, "--seed", "1", "--out", "s"], ["evolve", "--resume", "s", "--generations", "90"]):
            second = self.start(nsa_process, tmp_path, *words)
            told = second.communicate(timeout=60)[1]
            assert second.returncode == 2
            assert f"s is in use by process {first.pid} on " in told
        assert first.wait(120) == 0
        first.communicate()
        assert json.loads((tmp_path / "s" / "best.json").read_text())["source"].count("60 generations") == 1

    def test_studies_of_the_same_wait_and_share(self, nsa_process, tmp_path):
        both = [self.start(nsa_process, tmp_path, *TABLE, "--rounds", "3000", "--out", "o") for _ in range(2)]
        told = [process.communicate(timeout=120) for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert told[0][0] == told[1][0]
        assert sum("waiting for process" in errors for _, errors in told) <= 1
        assert {name.rpartition(".")[2] for name in files(tmp_path)} == {"npz", "png", "csv", "md", "tex"}


class TestFrom:
    @pytest.mark.parametrize(
        "options",
        [["--rounds", "5"], ["--preset", "quick"], ["--workers", "2"], ["--scheduler", "x"], ["--env-option", "sd=1"]],
    )
    def test_options_that_it_would_ignore_are_refused(self, options, refused, tmp_path):
        assert "--from reads computed results" in refused("play", "--from", "x.npz", *options, cwd=tmp_path)


EMPTY = {
    "resume": (["evolve", "--resume", ""], "--resume needs a value"),
    "out": (["evolve", "--out", ""], "--out needs a value"),
    "start": (["evolve", "--start", ""], "--start needs a value"),
    "out of play": ([*PLAY, "--out", ""], "--out needs a value"),
    "engine": ([*PLAY, "--engine", ""], "--engine needs a value"),
    "dashes": (["play", "--rounds=--"], "--rounds: expected one argument"),
    "not UTF-8": (["play", "--parameters", "\udcff.json"], "names must be UTF-8"),
    "long": (["play", "--parameters", "x" * 300], "no parameter set"),
    "long resume": (["evolve", "--resume", "x" * 300], "File name too long"),
    "long from": (["table", "--from", "x" * 300], "File name too long"),
    "long out": ([*PLAY, "--out", "x" * 300], "File name too long"),
}

BEFORE_THE_WORK = {
    "one round": (["updates", "--rounds", "1"], "rounds must be a whole number from 2 up, got 1"),
    "endless time": (["evolve", "--time-limit", "inf"], "--time-limit must be a number of minutes above 0, got inf"),
    "fixed below dt": (["evolve", "--fix", "tau_u=0.5"], "tau_u and tau_v must be at least dt"),
    "fixed too long": (["evolve", "--fix", "duration_input=1e12"], "time steps at most"),
    "start below dt": (["evolve", "--start", "short.json"], "tau_u and tau_v must be at least dt"),
    "noise": (["play", "--noise", "1e308"], "noise must be a number from 0 to 1e+06"),
    "strengths": (["noise", "--strengths", "0,1e308"], "noise must be a number from 0 to 1e+06"),
    "sigma": (["evolve", "--sigma", "1e-320"], "sigma must be a number from 1e-06 to 1e+06"),
    "population": (["evolve", "--population", str(2**63)], "population must be at most"),
    "large population": (["evolve", "--population", str(2**30)], "not enough memory"),
    "rounds": (["play", "--rounds", str(2**63)], "rounds must be at most"),
    "many rounds": (["play", "--rounds", str(2**31 - 1)], "not enough memory"),
    "arms": (["table", "--arms", f"5,{2**31 - 1}"], "not enough memory"),
    "arms of a search": (["evolve", "--arms", f"5,{2**31 - 1}"], "not enough memory"),
    "repetitions": (["standings", "--repetitions", str(2**31 - 1)], "not enough memory"),
    "environments": (["environments", "--rounds", str(2**31 - 1)], "not enough memory"),
    "record": (["record", "x.csv", "--rounds", str(2**31 - 1)], "not enough memory"),
    "check": (["check", "--rounds", str(2**31 - 1)], "not enough memory"),
    "points": (["response", "--points", str(2**31 - 1)], "not enough memory"),
    "workers": (["table", "--workers", str(10**12)], "workers must be at most 4096"),
    "workers of a search": (["evolve", "--workers", str(10**12)], "workers must be at most 4096"),
    "jobs": (["evolve", "--slurm", str(10**12)], "--slurm must be at most 4096"),
    "seed of tune": (["tune", "--seed", "-1"], "seed must be a whole number from 0 up"),
    "tls": (["evolve", "--scheduler", "tls://localhost:8786"], "it takes certificates"),
    "strange scheduler": (["evolve", "--scheduler", "http://localhost:8786"], "begins with tcp://"),
    "no scheduler of a report": (["report", "--scheduler", "nonsense"], "no Dask scheduler answers at nonsense"),
    "tls of a study": (["tune", "--scheduler", "tls://localhost:8786"], "it takes certificates"),
    "jobs of a study": (["play", "--slurm", "0"], "--slurm must be a whole number from 1 up, got 0"),
    "two kinds of workers": (["noise", "--slurm", "2", "--workers", "2"], "give only one of --workers, --slurm"),
    "two clusters": (["entropy", "--slurm", "2", "--scheduler", "x"], "give only one of --scheduler, --slurm"),
    "options for no jobs": (["updates", "--slurm-option", "queue=a"], "--slurm-option goes with --slurm JOBS"),
}


@pytest.mark.parametrize(
    ("words", "message"), [*EMPTY.values(), *BEFORE_THE_WORK.values()], ids=[*EMPTY, *BEFORE_THE_WORK]
)
def test_is_refused_before_anything_is_done(words, message, refused, tmp_path):
    parameters = {**load().parameters.to_dict(), "tau_u": 0.5}
    (tmp_path / "short.json").write_text(json.dumps(parameters))
    assert message in refused(*words, cwd=tmp_path)


def test_names_with_a_dollar_and_a_bar_are_drawn(nsa, tmp_path):
    name = "a$b|c$\N{SNOWMAN}.json"
    (tmp_path / name).write_text(json.dumps(load().parameters.to_dict()))
    nsa(*PLAY, "--agents", f"nsa:{name},random", "--format", "svg", cwd=tmp_path)
    nsa(
        "table",
        "--preset",
        "quick",
        "--agents",
        f"nsa:{name},random",
        "--envs",
        "MAB-P",
        "--arms",
        "3",
        "--rounds",
        "20",
    )
    assert len(files(tmp_path / "nsa-results")) == 7


def test_what_is_no_number_is_null_in_json():
    assert json.loads(json_text({"a": [float("nan"), float("inf"), 1.5]})) == {"a": [None, None, 1.5]}


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="counts processes in /proc")
def test_there_are_no_more_processes_than_jobs(nsa_process, tmp_path):
    process = subprocess.Popen(
        nsa_process.words(*TABLE, "--arms", "5", "--rounds", "20000", "--workers", "40"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
    )
    most = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
                most = max(most, len(file.read().split()))
        except OSError:
            break
        time.sleep(0.02)
    process.communicate()
    assert process.returncode == 0
    assert most <= 3  # two jobs, and multiprocessing's own helper


def test_a_bench_beside_a_bench_is_refused(tmp_path, refused):
    with Lock(tmp_path, "bench"):
        assert "is in use by process" in refused("bench", "--out", ".", cwd=tmp_path)


def test_ctrl_c_is_heard_when_python_drops_it():
    """While an object is cleared away, what is raised is dropped."""
    script = """
import argparse, os, signal, sys, time
from experiments import cli, parser
from experiments.core.outside import answering

class Dropping:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)

def run(args):
    with answering(argparse.ArgumentParser()):
        Dropping()
        time.sleep(20)

parser.parse = lambda words: argparse.Namespace(main=run)
sys.exit(cli.main([]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr.strip()) == (130, "stopped")


class TestMemory:
    @pytest.mark.parametrize("words", [PLAY, ["play", "--agents", "nsa", "--rounds", "3"], ["check"], ["parameters"]])
    def test_too_little_address_space_is_one_line(self, nsa_process, words, tmp_path):
        """Numpy's linear algebra would try for ever to reserve some."""
        done = subprocess.run(
            ["sh", "-c", 'ulimit -v 400000; "$@"', "sh", *nsa_process.words(*words)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=20,
        )
        said = "nsa: error: not enough memory: the address space is limited to 400000 kB (ulimit -v), and 1048576 kB"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{said} are needed\n")
        assert not files(tmp_path)

    @pytest.mark.parametrize(
        "error",
        [ImportError("x.so: failed to map segment from shared object"), RuntimeError("can't start new thread")],
    )
    def test_want_of_memory_has_many_names(self, error, refused, monkeypatch, tmp_path):
        def fail(*args):
            raise error

        (tmp_path / "nsa-results").mkdir()
        monkeypatch.setattr("experiments.core.study_command.compute", fail)
        assert refused(*PLAY, cwd=tmp_path) == "nsa play: error: not enough memory\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["check", "rate", "--rounds", "2", "--games", "1", "--arms", "2"],
        pytest.param([*PLAY, "--agents", "nsa,random", "--workers", "2"], marks=pytest.mark.slow),
        pytest.param([*EVOLVE, "--out", "s"], marks=pytest.mark.slow),
    ],
    ids=["check", "workers", "search"],
)
def test_other_packages_may_warn_where_warnings_are_errors(nsa_process, words, tmp_path):
    done = nsa_process(*words, cwd=tmp_path, env={**os.environ, "PYTHONWARNINGS": "error"})
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_our_own_warnings_are_errors_where_they_are_asked_for(run_script, tmp_path):
    code = """
        import warnings
        from experiments.core.surroundings import spare_other_packages
        warnings.simplefilter("error")
        spare_other_packages()
        warnings.warn_explicit("theirs", UserWarning, "x.py", 1, "brian2.core")
        warnings.warn_explicit("old", DeprecationWarning, "x.py", 1, "brian2.core")
        try:
            warnings.warn_explicit("ours", UserWarning, "x.py", 1, "nsa_brian.agent")
        except UserWarning:
            print("raised")
    """
    done = run_script(textwrap.dedent(code), tmp_path)
    assert done.stdout == "raised\n"
