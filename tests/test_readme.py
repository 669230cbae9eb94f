"""What the README and the guides show runs as written."""

import re
import shlex
from pathlib import Path

import pytest

from experiments.parser import build_parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
GUIDE = "".join((ROOT / "docs" / name).read_text("utf-8") for name in ("extending.md", "spiking.md"))
SCRIPTS = re.findall(r"```python\n(.*?)```", README + GUIDE, re.S)
COMMANDS = sorted(set(re.findall(r"`(nsa [^`>]*)", README + GUIDE)))


@pytest.mark.parametrize("script", SCRIPTS, ids=range(len(SCRIPTS)))
def test_python_examples_run(script, tmp_path, run_script):
    done = run_script(script, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_understood(command):
    words = shlex.split(command)[1:]
    if "--help" not in words:
        build_parser().parse_args(words)


def test_nothing_is_left_to_fill_in_and_every_file_it_shows_is_there():
    assert not re.search(r"@[A-Z]+@|TODO", README)
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target
