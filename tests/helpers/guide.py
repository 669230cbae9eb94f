"""The documentation's pages: their code, their notebooks, their commands, and the models of docs/howto/extending.md."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: All pages that are written by hand, by their path.
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "generated" not in path.parts
}
NOTEBOOKS = [name for name, text in PAGES.items() if "\nfile_format: mystnb\n" in text]


def blocks(name):
    """The Python of a page, each block a script of its own."""
    return re.findall(r"```python\n(.*?)```", PAGES[name], re.S)


def notebook(name):
    """The cells of a notebook as one script."""
    return "\n".join(re.findall(r"```\{code-cell\} python\n(.*?)```", PAGES[name], re.S))


def commands():
    """Every `nsa` command of the pages, in the text and in blocks."""
    text = "\n".join(PAGES.values())
    inline = re.findall(r"`(nsa [^`>]*)", text)
    fenced = [line for block in re.findall(r"```(?:console)?\n(.*?)```", text, re.S) for line in block.splitlines()]
    return sorted({*inline, *(line for line in fenced if line.startswith("nsa "))})


#: The text of each file of a model by its name.
PIECES = {
    found[1]: found[0]
    for found in (
        (block, re.match(r"# (\w+\.py)\n", block)[1])
        for block in blocks("docs/howto/extending.md")
        if block.startswith("# ") and "MODEL" in block
    )
}


def model_of(name):
    """The model of one of the files."""
    scope = {}
    exec(PIECES[name], scope)
    return scope["MODEL"]
