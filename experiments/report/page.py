"""The report: one HTML page that needs nothing but a browser."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import Any

from experiments.core.claims import Claim
from experiments.core.study import StudyResults
from experiments.core.tables import Table

#: What each part shows, for its heading and for those who cannot see its figure.
PARTS = {
    "environments": (
        "The bandits",
        "A panel for each bandit: reward probability of each arm (rows) over the rounds of the trials, dark is high.",
    ),
    "decision": (
        "A decision, watched",
        "Activities u and v of each arm over the two phases of a decision, before, during and after training: "
        "without training all die out alike, after it the best arm's outlast the input.",
    ),
    "response": (
        "What the network computes",
        "For each parameter set: activity left at a round's end against the weight, a step at the critical weight; "
        "option value and learning rate against the weight; responses of both populations.",
    ),
    "table": ("The comparison", "Heat map of the mean regret of each agent for each bandit and number of arms."),
    "standings": (
        "Against the state of the art",
        "Left, mean regret of NSA and of every policy, with its tuned parameters, on each bandit, the paper's and "
        "others; right, each agent's mean rank with the critical difference. Those without a rank see the bandit: "
        "an oracle that starts anew at each change, and the best arm itself.",
    ),
    "entropy": (
        "Entropy of the choices",
        "Left, each agent's choices over the rounds with the entropy of the last twenty; right, reward, regret and "
        "choice entropy of all agents in trials 1 and 2 against the entropy of the reward distribution.",
    ),
    "updates": (
        "Weight updates",
        "Weight change a round and mean reward over a change of the bandit, and the weights of one game as a map.",
    ),
}


@dataclass(frozen=True)
class Part:
    """A study with its results and the command that makes them."""

    study: Any
    results: StudyResults
    command: str


def page(parts: Sequence[Part], claims: Sequence[Claim], preset: str) -> str:
    """The whole page."""
    style, script = (_resource(name) for name in ("report.css", "report.js"))
    links = "".join(f'<a href="#{part.study.NAME}">{escape(PARTS[part.study.NAME][0])}</a>' for part in parts)
    sections = "\n".join(section(part, [claim for claim in claims if claim.study == part.study.NAME]) for part in parts)
    versions = ", ".join(f"{name} {version}" for name, version in parts[0].results.versions.items())
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>NSA on Brian2: report ({escape(preset)})</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<header>
<h1>Neural Selection Agreement on Brian2</h1>
<p>Every table and figure of the paper “A bio-inspired minimal model for non-stationary K-armed bandits” (Danieli and
Lepperød), computed anew with preset <b>{escape(preset)}</b>; {escape(versions)}. Click a column's head to sort by
it.</p>
<nav><a href="#claims">The paper's claims</a>{links}</nav>
</header>
<main>
<section id="claims">
<h2>The paper's claims</h2>
{claims_table(claims)}
</section>
{sections}
</main>
<script>{script}</script>
</body>
</html>
"""


def section(part: Part, claims: Sequence[Claim]) -> str:
    """Figure, tables, settings and command of one study."""
    title, description = PARTS[part.study.NAME]
    image = io.BytesIO()
    part.study.draw(part.results).savefig(image, format="png", dpi=130)
    source = base64.b64encode(image.getvalue()).decode()
    in_full = ("parameter_values", "nsa_agents")
    settings = {key: value for key, value in part.results.settings.items() if key not in in_full}
    listed = "".join(f"<dt>{escape(key)}</dt><dd>{escape(_show(value))}</dd>" for key, value in settings.items())
    said = "".join(
        f'<p class="claim">The paper: {escape(claim.statement)}. Ours: {escape(claim.evidence)}. {_badge(claim)}</p>'
        for claim in claims
    )
    tables = "\n".join(html_table(table) for table in part.study.tables(part.results))
    return f"""<section id="{part.study.NAME}">
<h2>{escape(title)}</h2>
<p>{escape(description)}</p>
<figure><img src="data:image/png;base64,{source}" alt="{escape(description)}"></figure>
{said}
{tables}
<details><summary>Settings and command</summary>
<pre>{escape(part.command)}</pre>
<dl>{listed}</dl>
</details>
</section>"""


def html_table(table: Table) -> str:
    """A table that can be sorted by its columns and scrolled on a small screen."""
    head = "".join(f'<th scope="col"><button>{escape(cell) or "&nbsp;"}</button></th>' for cell in table.header)

    def cells(row: Sequence[str]) -> str:
        return "".join(
            f'<td class="number">{escape(cell)}</td>' if i in table.right else f"<td>{escape(cell)}</td>"
            for i, cell in enumerate(row)
        )

    body = "\n".join(f"<tr>{cells(row)}</tr>" for row in table.rows)
    return f"""<div class="scroll" tabindex="0"><table>
<caption>{escape(table.caption)}</caption>
<thead><tr>{head}</tr></thead>
<tbody>{body}</tbody>
</table></div>"""


def claims_table(claims: Sequence[Claim]) -> str:
    """All claims with number and verdict."""
    rows = "\n".join(
        f"<tr><td>{escape(claim.statement)}</td><td>{escape(claim.evidence)}</td><td>{_badge(claim)}</td></tr>"
        for claim in claims
    )
    head = "".join(f'<th scope="col"><button>{name}</button></th>' for name in ("the paper says", "we find", "verdict"))
    return f"""<div class="scroll" tabindex="0"><table class="claims">
<thead><tr>{head}</tr></thead>
<tbody>{rows}</tbody>
</table></div>"""


def _badge(claim: Claim) -> str:
    return f'<span class="verdict {claim.verdict}">{claim.verdict}</span>'


def _show(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _resource(name: str) -> str:
    return (resources.files("experiments.report") / name).read_text("utf-8")
