"""The documentation's pages: their code, their notebooks, their commands, and the models of docs/howto/models.md."""

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


def recipe(block):
    """The name of the file that a block is, if it declares a model; else nothing."""
    found = re.match(r"# (\w+\.py)\n", block)
    return found[1] if found and "MODEL = " in block else ""


#: The text of each recipe of the guide to models by the name of its file.
RECIPES = {recipe(block): block for block in blocks("docs/howto/models.md") if recipe(block)}
_SPIKING = PAGES["docs/howto/models.md"].partition("\n## Recipes: spiking neurons\n")[2]
#: Those of rate neurons, one in each population of an option or a game; and all others.
PIECES = {name: text for name, text in RECIPES.items() if text not in _SPIKING}
SPIKING_PIECES = {name: text for name, text in RECIPES.items() if text in _SPIKING}


def model_of(name):
    """The model of one of the files."""
    scope = {}
    exec(RECIPES[name], scope)
    return scope["MODEL"]
