"""All commands with random options and damaged files: an exit code, at most one line, nothing half written."""

import os
import shutil

import fuzzing
import pytest

from experiments.cli import main

#: Cases that once found something.
KNOWN = ()
SHORT, LONG = 60, int(os.environ.get("NSA_FUZZ", "2000"))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Good files of every kind."""
    import contextlib
    import io

    folder = tmp_path_factory.mktemp("corpus")
    here = os.getcwd()

    def nsa(*words, cwd=None):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            assert main([*map(str, words)]) == 0
        return out.getvalue()

    os.chdir(folder)
    try:
        fuzzing.corpus(folder, nsa)
    finally:
        os.chdir(here)
    return folder


def fuzz(numbers, files, tmp_path):
    findings = []
    for number in numbers:
        folder = tmp_path / str(number)
        shutil.copytree(files, folder, copy_function=_copy)
        done = fuzzing.case(number, folder)
        if done.findings:
            findings.append(f"{number}: {' '.join(done.words)!r:.300}: {done.findings}")
        shutil.rmtree(folder, ignore_errors=True)
    assert not findings, "\n".join(findings)


def _copy(source, target):
    if os.path.isfile(source):
        shutil.copy(source, target)
    else:
        os.mkfifo(target)


def test_no_case_ends_in_a_traceback(files, tmp_path):
    fuzz([*KNOWN, *range(SHORT)], files, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_no_case_of_many_ends_in_a_traceback(part, files, tmp_path):
    fuzz(range(SHORT + part, LONG, 4), files, tmp_path)
