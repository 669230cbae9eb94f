"""The report: one HTML page that needs nothing but a browser."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader

from experiments.core.claims import Claim
from experiments.core.results import Results
from experiments.core.study import Study

#: Settings that are too long to be shown.
IN_FULL = ("parameter_values", "nsa_agents")


@dataclass(frozen=True)
class Part:
    """A study's results, and the command that makes them."""

    results: Results[Any, Any]
    command: str

    @property
    def study(self) -> Study[Any, Any]:
        """The study, which has the caption."""
        return self.results.study

    @cached_property
    def claims(self) -> list[Claim]:
        """What the paper says of it, and whether that is so."""
        return self.study.claims(self.results)

    @property
    def image(self) -> str:
        """Its figure, a PNG in base64."""
        return base64.b64encode(self.study.image(self.results, "png", dpi=130)).decode()

    @property
    def settings(self) -> dict[str, str]:
        """Its settings, to be read."""
        return {name: _show(value) for name, value in self.results.told.items() if name not in IN_FULL}


def page(parts: Sequence[Part], preset: str) -> str:
    """The whole page."""
    template = Environment(loader=PackageLoader("experiments", "report"), autoescape=True).get_template("page.html")
    return template.render(
        parts=parts,
        claims=[claim for part in parts for claim in part.claims],
        preset=preset,
        versions=", ".join(f"{name} {version}" for name, version in parts[0].results.versions.items()),
        style=_resource("report.css"),
        script=_resource("report.js"),
    )


def _show(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _resource(name: str) -> str:
    return (resources.files("experiments.report") / name).read_text("utf-8")
