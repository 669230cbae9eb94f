"""Every example runs, and says or draws something."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
#: A network of its own, for which the compiler takes half a minute.
NETWORK = "inhibit_between_options"
WITHOUT_COMPILER = """
import runpy
import brian2
brian2.prefs.codegen.target = "numpy"
runpy.run_path({!r}, run_name="__main__")
"""


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.slow) if path.stem == NETWORK else path for path in EXAMPLES],
    ids=[path.stem for path in EXAMPLES],
)
def test_example_runs(path, tmp_path, run_script):
    says_or_draws(path, run_script(path, tmp_path), tmp_path)


def test_an_example_of_a_network_runs_without_a_compiler(tmp_path, run_script):
    path = next(path for path in EXAMPLES if path.stem == NETWORK)
    says_or_draws(path, run_script(WITHOUT_COMPILER.format(str(path)), tmp_path), tmp_path)


def says_or_draws(path, done, tmp_path):
    assert done.returncode == 0, done.stderr
    assert done.stdout
    if "savefig" in path.read_text("utf-8"):
        assert (tmp_path / f"{path.stem}.png").stat().st_size > 10_000


def test_an_example_runs_as_a_user_starts_it(tmp_path):
    path = next(path for path in EXAMPLES if path.stem == "play_a_game")
    assert subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, check=True).stdout


def test_there_are_examples():
    assert len(EXAMPLES) >= 5
