"""Studies on Dask and SLURM clusters that lose workers: the same files as in one process."""

import os
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import slurm

#: Short cells, without Brian2.
POLICIES = ["table", "--agents", "ucb1,d-ucb,random", "--envs", "MAB-P,MAB-sin", "--arms", "4,5,6", "--rounds", "150"]
#: All agents, as in the full preset, in fewer and shorter games.
FULL = ["table", "--preset", "full", "--rounds", "200", "--repetitions", "4"]


def files(folder):
    """All files by name; none of a folder of cells, which is gone after the study."""
    assert not list(folder.glob("*.cells"))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def compared(nsa, tmp_path):
    """Run a command in one process and with other options; assert that output and files are the same."""

    def run(words, options, meanwhile=lambda out: None):
        expected = nsa(*words, "--no-figures", "--quiet", "--out", "one", cwd=tmp_path)
        with ThreadPoolExecutor(1) as beside:
            ending = beside.submit(meanwhile, tmp_path / "cluster")
            found = nsa(*words, "--no-figures", "--quiet", "--out", "cluster", *options, cwd=tmp_path)
            ending.result()
        assert found == expected
        assert files(tmp_path / "cluster") == files(tmp_path / "one")

    return run


def kill_a_worker(cluster, out):
    """End a worker while the study runs; its nanny starts another one."""
    _wait_until(lambda: list(out.glob("*.cells/*.npz")))
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    assert not list(out.glob("*.npz"))


@pytest.mark.parametrize("words", [POLICIES, pytest.param(FULL, marks=pytest.mark.slow)], ids=["policies", "full"])
def test_a_killed_worker_costs_its_cell(words, compared, dask_cluster):
    address = dask_cluster.scheduler_address
    compared(words, ["--scheduler", address], lambda out: kill_a_worker(dask_cluster, out))


@pytest.mark.slow
def test_a_cell_divided_among_workers(compared, dask_cluster):
    words = ["play", "--agents", "ucb1,thompson", "--rounds", "50", "--repetitions", "7"]
    compared(words, ["--scheduler", dask_cluster.scheduler_address])


@pytest.mark.slow
def test_a_killed_command_leaves_its_cells_and_no_work(nsa_process, dask_cluster, tmp_path):
    distributed = pytest.importorskip("distributed")
    words = [*POLICIES, "--no-figures", "--scheduler", dask_cluster.scheduler_address, "--out", "s"]
    killed = subprocess.Popen(nsa_process.words(*words, "--rounds", "2000"), cwd=tmp_path, stderr=subprocess.PIPE)
    _wait_until(lambda: list((tmp_path / "s").glob("*.cells/*.npz")), 60)
    killed.kill()
    killed.communicate()
    with distributed.Client(dask_cluster, set_as_default=False) as client:
        _wait_until(lambda: not any(client.processing().values()))
    assert not list((tmp_path / "s").glob("*.npz"))


@pytest.mark.slow
@pytest.mark.skipif(not slurm.is_here(), reason="needs SLURM's and munge's programs, and root")
def test_on_slurm_that_loses_a_job(nsa, nsa_process, tmp_path):
    """Two jobs of a real SLURM, one of them cancelled in the middle of the study."""
    with tempfile.TemporaryDirectory(dir="/tmp") as short, slurm.running(Path(short)) as environment:
        study = subprocess.Popen(
            nsa_process.words(*FULL, "--no-figures", "--out", "cluster", *slurm.flags(2)), cwd=tmp_path, env=environment
        )
        _wait_until(lambda: list((tmp_path / "cluster").glob("*.cells/*.npz")), 120)
        jobs = slurm.jobs(environment)
        subprocess.run(["scancel", "--signal=KILL", "--full", jobs[0]], env=environment, check=True)
        assert study.wait(300) == 0
        _wait_until(lambda: not slurm.jobs(environment), 60)
    nsa(*FULL, "--no-figures", "--out", "one", cwd=tmp_path)
    assert files(tmp_path / "cluster") == files(tmp_path / "one")


def _wait_until(true, seconds=30):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
