"""Generate pages in `docs/generated/`: commands, parameters, bandits, policies, results."""

import shutil
from pathlib import Path

from pages import commands, registered, results

DOCS = Path(__file__).resolve().parents[2]
GENERATED = DOCS / "generated"
HEADER = """Examples
========

Short scripts in the style of Brian2's examples. Each is a file in ``examples/``; its output is shown below it. The
paper's model in plain Brian2 is in ``examples/frompapers/``.
"""
PAGES = {
    "commands.md": commands.page,
    "parameters.md": registered.parameters_page,
    "models.md": registered.models_page,
    "bandits.md": registered.bandits_page,
    "policies.md": registered.policies_page,
}


def write_pages(app=None):
    """Write the pages whose text has changed, so that Sphinx reads only these again."""
    pages = {name: make() for name, make in PAGES.items()}
    pages |= {f"results/{name}.md": text for name, text in results.pages(DOCS / "results").items()}
    for name, text in pages.items():
        path = GENERATED / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    for path in (GENERATED / "results").glob("*.md"):
        if f"results/{path.name}" not in pages:
            path.unlink()


def copy_examples(app=None):
    """Copy the examples to a clean folder, into which they may write files."""
    target = GENERATED / "scripts"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in sorted((DOCS.parent / "examples").rglob("*.py")):
        shutil.copy2(path, target)
    (target / "GALLERY_HEADER.rst").write_text(HEADER, "utf-8")


def setup(app):
    """Write the pages before Sphinx reads its sources."""
    write_pages()
    copy_examples()
    return {"version": "1", "parallel_read_safe": True}
