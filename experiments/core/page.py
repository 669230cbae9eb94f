"""Self-contained HTML pages with a common layout."""

from __future__ import annotations

import base64
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader


def render(folder: str, **values: Any) -> str:
    """Render the template ``page.html`` of a folder of ``experiments``."""
    loader = ChoiceLoader([PackageLoader("experiments", folder), PackageLoader("experiments", "core/pages")])
    template = Environment(loader=loader, autoescape=True).get_template("page.html")
    return template.render(style=_resource("page.css"), script=_resource("page.js"), **values)


def inline(png: bytes) -> str:
    """Return an image in base64."""
    return base64.b64encode(png).decode()


def shown(value: Any) -> str:
    """Return the value of a setting as text."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _resource(name: str) -> str:
    return (resources.files("experiments.core") / "pages" / name).read_text("utf-8")
