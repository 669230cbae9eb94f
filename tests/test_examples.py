"""Every example runs, and says or draws something."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").rglob("*.py"))
#: Those that take longest.
LONG = (
    "Danieli_Lepperod_2026",
    "a_baseline_of_your_own",
    "evolve_for_a_bandit_of_your_own",
    "inhibit_between_options",
    "a_bandit_of_your_own",
    "a_neuron_of_your_own",
    "learn_by_spikes",
    "play_with_spikes",
    "silence_u",
    "watch_a_decision",
    "watch_spikes",
)


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.slow) if path.stem in LONG else path for path in EXAMPLES],
    ids=[path.stem for path in EXAMPLES],
)
def test_example_runs(path, tmp_path, run_script):
    done = run_script(path, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    if "savefig" in path.read_text("utf-8"):
        assert (tmp_path / f"{path.stem}.png").stat().st_size > 10_000


@pytest.mark.slow
def test_an_example_runs_as_a_user_starts_it(tmp_path):
    path = next(path for path in EXAMPLES if path.stem == "play_a_game")
    assert subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, check=True).stdout


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


def test_the_papers_model_is_a_short_script_of_plain_brian2():
    (path,) = [path for path in EXAMPLES if path.parent.name == "frompapers"]
    text = path.read_text("utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert imported == {"brian2", "numpy", "matplotlib", "matplotlib.pyplot"}
    assert len(text.splitlines()) < 120
