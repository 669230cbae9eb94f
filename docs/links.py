"""Check the internal links of the built site: `python docs/links.py site`."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag


class Page(HTMLParser):
    """Links and link targets of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Store the link and the id of a tag."""
        for name, value in attrs:
            if value and name == "id":
                self.places.add(value)
            elif value and name in ("href", "src") and not re.match(r"[a-z]+:|//", value):
                self.links.add(value)


def broken(site: Path) -> tuple[int, int, list[str]]:
    """Return the number of pages, the number of links, and the broken links."""
    paths = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path.resolve(): Page(path.read_text("utf-8")) for path in paths}
    wrong = []
    for path, page in pages.items():
        for link in sorted(page.links):
            target, place = urldefrag(unquote(link))
            target = target.split("?")[0]
            file = (path.parent / target).resolve() if target else path
            file = file / "index.html" if file.is_dir() else file
            if not file.exists() or (place and file in pages and place not in pages[file].places):
                wrong.append(f"{path.relative_to(site.resolve())}: {link}")
    return len(pages), sum(len(page.links) for page in pages.values()), wrong


if __name__ == "__main__":
    n_pages, n_links, wrong = broken(Path(sys.argv[1]))
    print(f"{n_pages} pages, {n_links} internal links, {len(wrong)} broken", *wrong, sep="\n")
    sys.exit(bool(wrong))
