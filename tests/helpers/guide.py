"""The pieces of docs/extending.md: files of a model each, as a user would write them."""

import re
from pathlib import Path

GUIDE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text("utf-8")

#: The text of each file by its name.
PIECES = {
    found[1]: found[0]
    for found in (
        (block, re.match(r"# (\w+\.py)\n", block)[1])
        for block in re.findall(r"```python\n(.*?)```", GUIDE, re.S)
        if block.startswith("# ") and "MODEL" in block
    )
}


def model_of(name):
    """The model of one of the files."""
    scope = {}
    exec(PIECES[name], scope)
    return scope["MODEL"]
