"""Pages of HTML that need nothing but a browser: one look, one frame, images inside."""

from __future__ import annotations

import base64
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader


def render(room: str, **values: Any) -> str:
    """The page of a room of ``experiments``, by its template ``page.html``, which stands in the frame of all pages."""
    loader = ChoiceLoader([PackageLoader("experiments", room), PackageLoader("experiments", "core/pages")])
    template = Environment(loader=loader, autoescape=True).get_template("page.html")
    return template.render(style=_resource("page.css"), script=_resource("page.js"), **values)


def inline(png: bytes) -> str:
    """An image as it stands in a page."""
    return base64.b64encode(png).decode()


def shown(value: Any) -> str:
    """A setting, to be read."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _resource(name: str) -> str:
    return (resources.files("experiments.core") / "pages" / name).read_text("utf-8")
