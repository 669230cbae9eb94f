"""Which package imports which others."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = {"nsa_brian", "envs", "baselines", "evolution", "experiments"}
#: Helpers that every package may import.
COMMON = "nsa_brian.common"
#: What replaces modules of the standard library that only some platforms have.
SYSTEM = {"filelock", "psutil"}
ALLOWED = {
    "nsa_brian": {"nsa_brian", COMMON, *SYSTEM, "brian2", "sympy", "numpy"},
    "envs": {"envs", COMMON, "numpy"},
    "baselines": {"baselines", COMMON, "numpy"},
    "evolution": {"evolution", "nsa_brian", COMMON, "envs", "deap", "numpy", "dask_jobqueue", "distributed"},
    "experiments": ROOMS | {COMMON, "numpy", "scipy", "tqdm", "matplotlib", "jinja2"},
}
#: What single files may import besides, for an extra that nothing else needs.
EXTRAS = {
    "envs/gymnasium_bandit.py": {"gymnasium"},
    "nsa_brian/export/script.py": {"jinja2"},  # of Brian2 itself
    "experiments/core/gymnasium_game.py": {"gymnasium"},
    "experiments/explore/widget.py": {"anywidget", "traitlets"},
}
STDLIB = sys.stdlib_module_names
FILES = [path for room in sorted(ROOMS) for path in sorted((ROOT / room).rglob("*.py"))]


def imported(path):
    tree = ast.parse(path.read_text("utf-8"))
    for branch in [node for node in ast.walk(tree) if isinstance(node, ast.If)]:
        if isinstance(branch.test, ast.Name) and branch.test.id == "TYPE_CHECKING":
            branch.body = []  # read by type checkers only
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (_package(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield _package(node.module or "")


def _package(module):
    return COMMON if f"{module}.".startswith(f"{COMMON}.") else module.split(".")[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_imports_only_what_it_may(path):
    name = path.relative_to(ROOT)
    assert set(imported(path)) - STDLIB <= ALLOWED[name.parts[0]] | EXTRAS.get(name.as_posix(), set())


@pytest.mark.parametrize("path", sorted((ROOT / "nsa_brian" / "common").glob("*.py")), ids=lambda path: path.name)
def test_the_common_helpers_import_none_of_the_other_packages(path):
    assert set(imported(path)) - STDLIB <= {COMMON, "numpy", *SYSTEM}


def test_bandits_policies_and_common_helpers_do_not_import_brian2():
    helpers = [f"nsa_brian.common.{path.stem}" for path in (ROOT / "nsa_brian" / "common").glob("[!_]*.py")]
    assert helpers
    code = f"import sys, envs, baselines, {', '.join(helpers)}; sys.exit('brian2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_figure_modules_draw(path):
    if "matplotlib" in set(imported(path)):
        assert "figure" in path.stem


#: Who may import whom among the experiments: what all share knows no study, and studies know no command.
FLOORS = {
    "core": {"core"},
    "studies": {"core", "studies"},
    "evolve": {"core", "evolve"},
    "explore": {"core", "explore"},
    "report": {"core", "report", "registry"},
    "bench": {"core", "bench"},
    "tools": {"core", "tools", "studies"},  # nsa record takes the options of nsa play
}
EXPERIMENTS = [path for path in FILES if path.is_relative_to(ROOT / "experiments")]


def parts_of_experiments(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "experiments":
            _, _, rest = node.module.partition(".")
            yield from [rest.split(".")[0]] if rest else (alias.name for alias in node.names)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_of_the_experiments_knows_only_those_below_it(path):
    floor = path.relative_to(ROOT / "experiments").parts[0]
    if floor in FLOORS:
        assert set(parts_of_experiments(path)) <= FLOORS[floor]


def test_only_what_takes_brian2_is_imported_inside_functions():
    """A command imports what it needs when it is asked for; only Brian2 is not for everybody who asks."""
    for path in EXPERIMENTS:
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.Import | ast.ImportFrom):
                        assert getattr(node, "module", "").startswith("nsa_brian."), f"{path}:{node.lineno}"
