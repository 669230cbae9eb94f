"""The jobs of SLURM: what options may say in their scripts, and that they speak TLS."""

import os

import pytest

slurm = pytest.importorskip("evolution.workers.slurm")


@pytest.mark.parametrize(
    "option",
    [
        {"queue": "a\n#SBATCH --wrap=x"},
        {"job_name": "x; rm -rf ~"},
        {"local_directory": "$(touch x)"},
        {"log_directory": "`touch x`"},
        {"qos": "a b"},
        {"comment": '"'},
        {"walltime": ""},
        {"": "x"},
        {"a b": "x"},
        {"wrap\n": "x"},
        {"protocol": "ucx"},
    ],
    ids=lambda option: repr(option),
)
def test_what_a_shell_would_obey_is_refused(option):
    with pytest.raises(ValueError, match="--slurm-option"):
        slurm.check_options(option)


def test_what_users_write_is_taken():
    slurm.check_options(
        {"queue": "normal,long", "walltime": "1-02:00:00", "memory": "2GB", "local_directory": "/tmp/$USER/${JOB}/x"}
        | {"constraint": "a|b&c", "nodelist": "n[1-4,7]", "mail-user": "a@b.c", "qos": "long", "protocol": "tcp"}
    )


@pytest.mark.slow
def test_ctrl_c_is_left_to_the_command(run_script, tmp_path):
    """dask-jobqueue makes it end the process with code 0."""
    script = """import signal
before = signal.getsignal(signal.SIGINT)
import evolution.workers.slurm
assert signal.getsignal(signal.SIGINT) is before"""
    assert run_script(script, tmp_path).returncode == 0


def test_certificates_are_made_for_the_search_and_are_gone_after_it(tmp_path, monkeypatch):
    pytest.importorskip("cryptography")
    sbatch = tmp_path / "bin" / "sbatch"
    sbatch.parent.mkdir()
    sbatch.write_text("#!/bin/sh\nexit 0\n")  # it takes every job and runs none
    sbatch.chmod(0o755)
    monkeypatch.setenv("PATH", f"{sbatch.parent}:{os.environ['PATH']}")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    workers = slurm.SlurmWorkers(1, {"interface": "lo"})
    try:
        assert workers._cluster.scheduler_address.startswith("tls://")
        assert "--tls-key" in workers._cluster.job_script()
        (folder,) = (tmp_path / "work").iterdir()
        assert folder.stat().st_mode & 0o077 == 0
    finally:
        workers.close()
    assert not list((tmp_path / "work").iterdir())
