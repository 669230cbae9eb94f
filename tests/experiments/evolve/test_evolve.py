"""``nsa evolve``, end to end: killed and resumed, on workers of all kinds, its files and figures, bad input."""

import csv
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import slurm
from search_files import written
from selection import mostly_slow

from evolution.checkpoint import read_generation
from evolution.workers.dask import DaskWorkers
from experiments.evolve import folder as evolution_folder
from nsa_brian import DEFAULT_SET, PARAMETERS, load

EVOLVE = [
    "evolve",
    "--preset",
    "paper-quick",
    "--population",
    "8",
    "--rounds",
    "40",
    "--generations",
    "10",
    "--seed",
    "5",
]


@pytest.fixture(scope="module")
def serial(tmp_path_factory, nsa_said):
    """A search in one process, and what it printed."""
    out = tmp_path_factory.mktemp("serial")
    return out / "s", nsa_said(*EVOLVE, "--no-figures", "--out", "s", cwd=out)


class TestASearch:
    def test_prints_a_line_for_each_generation(self, serial):
        lines = [line for line in serial[1].splitlines() if line.startswith("generation ")]
        assert len(lines) == 10
        assert all(word in lines[0] for word in ("1/10", "best", "mean", "16-84%", "sigma", "left"))

    def test_keeps_a_logbook(self, serial):
        with (serial[0] / "logbook.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert [row["generation"] for row in rows] == [str(i) for i in range(1, 11)]
        for row in rows:
            assert float(row["low"]) <= float(row["high"]) <= float(row["best"]) <= float(row["optimum"])

    def test_keeps_every_generation(self, serial):
        for i in range(1, 11):
            generation = read_generation(serial[0], i)
            assert generation["parameters"].shape == (8, len(PARAMETERS))
            assert (np.diff(generation["regret"]) >= 0).all()

    def test_leaves_a_set_that_every_command_takes(self, serial, nsa):
        chosen = load(serial[0] / "best.json")
        assert "8 individuals, 10 generations" in chosen.source
        assert "seed 5" in chosen.source
        short = ["--rounds", "20", "--trials", "1", "--repetitions", "1", "--agents", "nsa", "--out", serial[0].parent]
        played = nsa("play", "--parameters", serial[0] / "best.json", *short, "--json", cwd=serial[0].parent)
        assert json.loads(played)["settings"]["parameters"] == chosen.parameters.to_dict()

    def test_reports_the_champion_beside_shipped_sets(self, serial):
        rows = [
            line.split() for line in serial[1].splitlines() if line.startswith(("champion ", "evolved", "minbandit"))
        ]
        assert [row[0] for row in rows][:5] == ["champion", DEFAULT_SET, "evolved", "minbandit-38", "minbandit-29"]

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", mostly_slow(["png", "svg"], "png"))
    def test_figures_are_drawn_from_the_folder(self, kind, serial, tmp_path, nsa):
        nsa("evolution-figures", serial[0], "--out", tmp_path, "--format", kind)
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            f"fitness.{kind}",
            f"functions.{kind}",
            f"genome.{kind}",
            f"parameters.{kind}",
        ]


class TestTheSameSearch:
    @pytest.mark.slow
    def test_killed_and_resumed(self, tmp_path, serial, nsa, nsa_process, workers_at_hand):
        """In two processes, kill -9 in generation 5 of 10: the serial run's files, byte for byte."""
        search = [*EVOLVE, "--no-figures", "--workers", "2", "--out", "s"]
        killed = subprocess.Popen(nsa_process.words(*search), cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        for line in killed.stdout:
            if line.startswith("generation  4/"):
                workers = _children(killed.pid)
                killed.kill()
                break
        killed.wait()
        _wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))  # none is left behind
        assert 4 <= evolution_folder.load(tmp_path / "s").search.generation < 10
        assert not (tmp_path / "s" / "best.json").exists()
        nsa("evolve", "--resume", "s", "--workers", "2", cwd=tmp_path)
        assert written(tmp_path / "s") == written(serial[0])
        shutil.copytree(serial[0], tmp_path / "serial" / "s")
        nsa("evolve", "--resume", "s", cwd=tmp_path / "serial")  # draws what the search in one process left out
        for name in ("fitness.png", "genome.png", "functions.png", "parameters.png", "search.html"):
            assert (tmp_path / "s" / name).read_bytes() == (tmp_path / "serial" / "s" / name).read_bytes()

    @pytest.mark.slow
    @pytest.mark.parametrize("workers", [1, 2])
    def test_stopped_by_ctrl_c_says_how_to_go_on(self, tmp_path, nsa_process, workers):
        stopped = subprocess.Popen(
            nsa_process.words(*EVOLVE, "--generations", "200", "--workers", workers, "--out", "s"),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for line in stopped.stdout:
            if line.startswith("generation   2/"):
                os.killpg(stopped.pid, signal.SIGINT)  # as a terminal does
                break
        _, errors = stopped.communicate(timeout=60)
        assert stopped.returncode == 130
        assert "resume with: nsa evolve --resume s" in errors
        assert "Traceback" not in errors
        assert evolution_folder.load(tmp_path / "s").search.generation >= 2

    @pytest.mark.slow
    def test_asked_for_again_after_its_time_and_with_more_generations(self, tmp_path, serial, nsa):
        fewer = [*EVOLVE, "--generations", "2", "--no-figures", "--out", "s"]
        nsa(*fewer, "--time-limit", "0.0001", cwd=tmp_path)
        assert evolution_folder.load(tmp_path / "s").search.generation == 1
        assert "resuming after generation 1 of 10" in nsa(*EVOLVE, "--no-figures", "--out", "s", cwd=tmp_path)
        assert not list((tmp_path / "s").glob("*.png"))
        assert written(tmp_path / "s") == written(serial[0])

    @pytest.mark.slow
    def test_on_a_dask_cluster_that_loses_a_worker(self, tmp_path, serial, nsa, dask_cluster):
        """Two workers, one of them killed in the middle of a generation, and not replaced."""
        distributed = pytest.importorskip("distributed")
        with distributed.Client(dask_cluster) as client, ThreadPoolExecutor(1) as beside:

            def lose_a_worker():
                _wait_until((tmp_path / "s" / "generations" / "0001.npz").exists, 60)
                _wait_until(lambda: any(client.processing().values()))
                nanny = next(iter(dask_cluster.workers.values()))
                nanny.close_gracefully()  # or it would begin another worker
                os.kill(nanny.pid, signal.SIGKILL)
                assert not (tmp_path / "s" / "best.json").exists()

            assert len(client.scheduler_info()["workers"]) == 2
            lost = beside.submit(lose_a_worker)
            words = [*EVOLVE, "--no-figures", "--scheduler", dask_cluster.scheduler_address, "--out", "s"]
            nsa(*words, cwd=tmp_path)
            lost.result()
            assert len(client.scheduler_info()["workers"]) == 1
        assert written(tmp_path / "s") == written(serial[0])

    @pytest.mark.slow
    @pytest.mark.skipif(not slurm.is_here(), reason="needs SLURM's and munge's programs, and root")
    def test_on_slurm_that_loses_a_job(self, tmp_path, serial, nsa_process):
        """Two jobs of a real SLURM, one of them cancelled in the middle of the search."""
        with tempfile.TemporaryDirectory(dir="/tmp") as short, slurm.running(Path(short)) as environment:
            search = subprocess.Popen(
                nsa_process.words(*EVOLVE, *slurm.flags(2), "--out", "s"),
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for line in search.stdout:
                if line.startswith("generation  1/"):
                    break
            jobs = slurm.jobs(environment)
            subprocess.run(["scancel", "--signal=KILL", "--full", jobs[0]], env=environment, check=True)
            _wait_until(lambda: set(slurm.jobs(environment)) - set(jobs) or search.poll() is not None, 60)
            search.communicate(timeout=200)
            assert search.returncode == 0
            _wait_until(lambda: not slurm.jobs(environment), 60)
        assert written(tmp_path / "s") == written(serial[0])


BAD = {
    "unknown gene": (["--fix", "tau=3"], "did you mean tau_"),
    "fix without a value": (["--fix", "tau_u"], "--fix takes NAME=VALUE"),
    "fix to an illegal value": (["--fix", "tau_u=-2"], "tau_u must be a number above 0, got -2"),
    "population 1": (["--population", "1"], "population must be a whole number from 4 up, got 1"),
    "not a number": (["--sigma", "wide"], "--sigma takes numbers, got 'wide'"),
    "several steps": (["--preset", "paper-main", "--sigma", "0.1,0.2"], "--sigma takes one step size for a single run"),
    "unknown preset": (["--preset", "papre"], "known: default, quick, spiking, evolved, paper-main"),
    "unknown bandit": (["--envs", "MAB-Q"], "unknown bandit 'MAB-Q'"),
    "unknown engine": (["--engine", "network"], "engine must be one of table, rounds"),
    "unknown start": (["--start", "nobody"], "no parameter set 'nobody'"),
    "resume from nowhere": (["--resume", "nowhere"], "nowhere is not the folder of a search"),
    "resume with a preset": (["--resume", "other", "--preset", "quick"], "--preset is for a new search"),
    "time limit": (["--time-limit", "-1"], "--time-limit must be a number of minutes above 0"),
    "no scheduler": (["--scheduler", "tcp://127.0.0.1:9"], "no Dask scheduler answers at tcp://127.0.0.1:9"),
    "no address": (["--scheduler", "nonsense"], "no Dask scheduler answers at nonsense"),
    "two kinds of workers": (["--scheduler", "tcp://127.0.0.1:9", "--workers", "2"], "give only one of"),
    "workers": (["--workers", "0"], "workers must be a whole number from 1 up"),
    "options for no SLURM": (["--slurm-option", "queue=a"], "goes with --slurm"),
}


@pytest.mark.parametrize(("options", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_one_line(options, words, refused, tmp_path, monkeypatch):
    monkeypatch.setattr(DaskWorkers.__init__, "__defaults__", (1.0,))  # seconds to wait for nobody's answer
    assert words in refused("evolve", *options, cwd=tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--population", "16"], "has --population 8, not 16; only --generations may differ"),
        (["--fix", "w_max=4"], "has --fix none, not w_max=4"),
        (["--start", "minbandit-38"], "has --start none, not minbandit-38"),
        (["--generations", "2"], "is at generation 10 already"),
    ],
)
def test_resume_with_other_settings_is_refused(options, words, serial, refused):
    before = written(serial[0])
    assert words in refused("evolve", "--resume", "s", *options, cwd=serial[0].parent)
    assert written(serial[0]) == before


def test_another_search_in_the_same_folder_is_refused(serial, refused):
    assert "has --seed 5, not 6" in refused(*EVOLVE, "--seed", "6", "--out", "s", cwd=serial[0].parent)


def test_a_checkpoint_that_is_none_is_refused(tmp_path, refused):
    (tmp_path / "checkpoint.npz").write_bytes(b"something else")
    for words in (["evolve", "--resume", "."], ["evolution-figures", "."]):
        assert "is not a checkpoint of a search" in refused(*words, cwd=tmp_path)


def test_a_checkpoint_of_another_release_is_refused(tmp_path, refused):
    np.savez(tmp_path / "checkpoint.npz", meta=np.array(json.dumps({"settings": {"population": 8}, "start": None})))
    for words in (["evolve", "--resume", "."], ["evolution-figures", "."]):
        assert "was written by another release" in refused(*words, cwd=tmp_path)


def _children(pid):
    """Processes that a process has started, where the system tells."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return listed.read_text().split() if listed.exists() else []


def _wait_until(true, seconds=30):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
