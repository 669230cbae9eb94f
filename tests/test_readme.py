"""What the README and the documentation show runs as written."""

import re
import shlex

import pytest
from guide import NOTEBOOKS, PAGES, ROOT, blocks, commands, notebook, recipe

from experiments.parser import build_parser

README = PAGES["README.md"]
#: Scripts of all pages: the README's by default, the others among the slow tests. The recipes of the guide to models
#: run in tests/nsa_brian/test_extensions.py.
SCRIPTS = [
    pytest.param(name, i, marks=() if name == "README.md" and "NSANetwork" not in text else pytest.mark.slow)
    for name in PAGES
    if name not in NOTEBOOKS
    for i, text in enumerate(blocks(name))
    if name != "docs/howto/models.md" or not recipe(text)
]


#: Scripts of the README whose networks Brian2 compiles in a dozen pieces: the same without its compiler by default.
NETWORKS = [i for i, text in enumerate(blocks("README.md")) if "NSANetwork" in text]


@pytest.mark.parametrize("number", NETWORKS)
def test_networks_of_the_readme_run_without_a_compiler(number, tmp_path, run_script):
    numpy = "import brian2; brian2.prefs.codegen.target = 'numpy'\n"
    done = run_script(numpy + blocks("README.md")[number].replace("n_rounds=20", "n_rounds=1"), tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("page", "number"), SCRIPTS, ids=lambda value: str(value).removesuffix(".md"))
def test_python_examples_run(page, number, tmp_path, run_script):
    done = run_script(blocks(page)[number], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("page", NOTEBOOKS)
def test_notebooks_run(page, tmp_path, run_script):
    done = run_script(notebook(page), tmp_path, MPLBACKEND="agg")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_notebooks_are_python(page):
    compile(notebook(page), page, "exec")


@pytest.mark.parametrize("command", commands())
def test_commands_are_understood(command):
    words = shlex.split(command)[1:]
    if words != ["--version"] and "--help" not in words:
        build_parser().parse_args(words)


def test_nothing_is_left_to_fill_in_and_every_file_it_shows_is_there():
    assert not re.search(r"@[A-Z]+@|TODO", README)
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_readme_is_short():
    assert len(README.splitlines()) < 150


def test_the_two_commands_of_the_readme_stand_first():
    found = re.findall(r"^pip install.*&&.*$", README, re.M)
    assert found[:2] == ["pip install . && nsa play", 'pip install ".[test]" && pytest']
