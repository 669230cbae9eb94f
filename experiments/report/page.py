"""The report as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from experiments.core.claims import Claim
from experiments.core.page import inline, render, shown
from experiments.core.results import Results
from experiments.core.study import Study

#: Settings that are too long to show.
IN_FULL = ("parameter_values", "nsa_agents")


@dataclass(frozen=True)
class Part:
    """Results of a study and the command that computes them."""

    results: Results[Any, Any]
    command: str

    @property
    def study(self) -> Study[Any, Any]:
        """The study."""
        return self.results.study

    @cached_property
    def claims(self) -> list[Claim]:
        """Claims of the paper with verdicts."""
        return self.study.claims(self.results)

    @property
    def image(self) -> str:
        """Figure as a PNG in base64."""
        return inline(self.study.image(self.results, "png", dpi=130))

    @property
    def settings(self) -> dict[str, str]:
        """Settings as text."""
        return {name: shown(value) for name, value in self.results.settings_dict.items() if name not in IN_FULL}


def page(parts: Sequence[Part], preset: str) -> str:
    """Return the page."""
    return render(
        "report",
        parts=parts,
        claims=[claim for part in parts for claim in part.claims],
        preset=preset,
        versions=", ".join(f"{name} {version}" for name, version in parts[0].results.versions.items()),
    )
