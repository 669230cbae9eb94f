"""Generate the pages of results and the README's results from the files in `docs/results/`."""

import json
import textwrap
from pathlib import Path
from typing import NamedTuple

from pages.markdown import block, code, table


class Page(NamedTuple):
    """Title, introduction and results files of a page."""

    title: str
    text: str
    files: tuple[str, ...]


PAGES = {
    "table": Page(
        "The comparison table",
        "Mean regret of NSA, of the paper's baselines and of chance, on four bandits with 5 to 1,000 arms, with 95% "
        "confidence intervals. The second part has the authors' set and the drift of the published table; it says how "
        "many of the paper's cells lie within two standard errors of ours.",
        ("table", "table-minbandit-38"),
    ),
    "standings": Page(
        "Standings",
        "NSA beside all policies, with tuned parameters, on the paper's bandits and on five others. What the ranks "
        "mean: [](../../explanation/standings.md).",
        ("standings",),
    ),
    "ablation": Page(
        "Ablation",
        "What each mechanism of the best known NSA is worth. What the variants are: [](../../explanation/ablation.md).",
        ("ablation",),
    ),
    "bound": Page(
        "Distance to the bound",
        "Regret of agents above that of a near-Bayesian agent that knows how the bandit changes. How it works: "
        "[](../../explanation/standings.md).",
        ("bound",),
    ),
    "claims": Page(
        "The paper's claims",
        "The paper's claims about its experiments, and our results; `nsa report` prints this and writes a page with "
        "all figures.",
        ("report",),
    ),
    "evolution": Page(
        "Evolution",
        "Results and cost of the search for parameters. How it works: [](../../explanation/evolution.md).",
        (
            *(f"evolution-{name}" for name in ("default", "evolved", "1", "2", "3")),
            "table-from-nothing",
            *(f"evolution-{name}" for name in ("ablation", "adapting", "paper-main", "paper-appendix")),
            "response",
        ),
    ),
    "noise": Page(
        "Noise",
        "Regret against the strength of white noise in the rates. How to play with noise: [](../../howto/noise.md).",
        ("noise",),
    ),
    "spikes": Page(
        "Spiking neurons",
        "How spiking models play beside the rate model, and how they fire. How they are declared: "
        "[](../../howto/models.md).",
        (
            "play-rate",
            "play-spiking",
            "play-spiking-ei",
            "play-spiking-learning",
            "decision-spiking",
            "decision-spiking-ei",
        ),
    ),
    "time-step": Page(
        "Time step",
        "Choices, regret, critical weight and firing with other time steps and integration methods. What this means: "
        "[](../../explanation/time_step.md).",
        ("time-step",),
    ),
    "speed": Page(
        "Speed",
        "Speed of engines and policies, compared with hand-written C++, plain Python and SMPyBandits. Why the fast "
        "engines are exact: [](../../explanation/engines.md).",
        ("bench", "smpybandits"),
    ),
}


def load(folder):
    """Read all results files, by name."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(Path(folder).glob("*.json"))}


def pages(folder):
    """Return the text of each page, including the index, by name."""
    found = load(folder)
    texts = {name: page_text(page, found, folder) for name, page in PAGES.items()}
    shown = {name for page in PAGES.values() for name in page.files}
    others = [name for name in found if name not in shown]
    texts |= {name: page_text(Page(title(name), "", (name,)), found, folder) for name in others}
    return {**texts, "index": index_text({**PAGES, **{n: Page(title(n), "", (n,)) for n in others}}, found)}


def title(name):
    """Return a heading for a file name."""
    return name.replace("-", " ").capitalize()


def index_text(listed, found):
    """Return the index page."""
    rows = [
        (f"[{page.title}]({name}.md)", code(found[file]["command"]), version(found[file]), duration(found[file]))
        for name, page in listed.items()
        for file in page.files
        if file in found
    ]
    parts = [
        "# Results",
        "Every number on these pages comes from a file in `docs/results/`, written by the command given with it. "
        "`python docs/measure.py` runs all commands again.",
        table(["page", "command", "version", "time"], rows, right=(3,)),
        "```{toctree}\n:hidden:\n\n" + "\n".join(listed) + "\n```",
    ]
    return "\n\n".join(parts) + "\n"


def page_text(page, found, folder):
    """Return a page with a section for each of its files."""
    parts = [f"# {page.title}", page.text]
    for name in page.files:
        if name in found:
            parts += section(name, found[name], Path(folder), alone=len(page.files) == 1)
        else:
            parts.append(f":::{{note}}\n`docs/results/{name}.json` does not exist: it has not been measured yet.\n:::")
    return "\n\n".join(filter(None, parts)) + "\n"


def section(name, record, folder, alone):
    """Return the section of a file: provenance, figure, tables."""
    parts = [] if alone else [f"## {title(name)}"]
    parts += [provenance(record)]
    if record.get("stand_in"):
        parts.append(":::{warning}\nPreliminary: measured with small settings.\n:::")
    if (folder / f"{name}.png").exists():
        parts.append(f"![Figure of {record['command']}](../../results/{name}.png)")
    if "text" in record:
        parts.append(block(record["text"]))
    for each in record.get("tables", ()):
        parts += [each["caption"], table(each["header"], each["rows"], each.get("right", ()))]
    if not record.get("tables") and "text" not in record:
        parts += plain(record.get("summary", {}))
    return parts


def provenance(record):
    """Return command, versions and machine of a record."""
    machine, versions = record["machine"], record["versions"]
    parts = [f"nsa-brian {versions['nsa-brian']}", f"Brian2 {versions['brian2']}", f"numpy {versions['numpy']}"]
    parts += [f"Python {machine['python']}", f"{machine['processor']}, {machine['cores']} cores", duration(record)]
    return f"{block(record['command'], 'console')}\n\n{', '.join(filter(None, parts))}."


def version(record):
    """Return the version of the package."""
    return record["versions"]["nsa-brian"]


def duration(record):
    """Return the wall time of the command."""
    seconds = record.get("seconds")
    if seconds is None:
        return ""
    return f"{seconds:.0f} s" if seconds < 180 else f"{seconds / 60:.0f} min"


def plain(summary):
    """Return tables of a summary without its own: numbers by name, and one for each list or group of objects."""
    single = {key: value for key, value in summary.items() if not isinstance(value, dict | list)}
    parts = (
        [table(["", ""], [(key.replace("_", " "), number(value)) for key, value in single.items()])] if single else []
    )
    for key, value in summary.items():
        if isinstance(value, dict) and value and all(isinstance(each, dict) for each in value.values()):
            value = [{"": name, **each} for name, each in value.items()]
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            columns = list(dict.fromkeys(column for each in value for column in each))
            rows = [[number(each.get(column, "")) for column in columns] for each in value]
            parts += [f"**{key.replace('_', ' ')}**", table([each.replace("_", " ") for each in columns], rows)]
        elif isinstance(value, dict):
            rows = [(name, number(each)) for name, each in value.items()]
            parts += [f"**{key.replace('_', ' ')}**", table(["", ""], rows)]
        elif isinstance(value, list):
            parts += [f"**{key.replace('_', ' ')}**: {', '.join(map(number, value))}"]
    return parts


def number(value):
    """Format a value."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return ", ".join(map(number, value)) if isinstance(value, list) else str(value)


#: Marks around the results in the README.
BEGIN, END = "<!-- results: written by docs/measure.py -->", "<!-- end of results -->"


def readme_block(found):
    """Return the results for the README."""
    of_table, standings = found["table"], found["standings"]
    search = found["evolution-default"]
    searched = {name: row["regret"] for name, row in search["summary"]["champion"]["report"].items()}
    summary, ranks = of_table["summary"], standings["summary"]["standings"]["all"]["ranks"]
    mean, order = ranks["mean"], list(ranks["mean"])
    best, policy = (next(name for name in order if name.startswith("nsa") == is_nsa) for is_nsa in (True, False))
    regret = summary["mean_regret"]
    sentences = [
        f"- `{of_table['command']}`: NSA has the lowest regret in {summary['cells_won']['nsa']} of "
        f"{summary['n_cells']} cells and is best or level with the best in {summary['cells_won_or_level']['nsa']}. Its "
        f"mean regret is {regret['nsa']:.3f}; chance has {regret['random']:.3f}.",
        f"- `{standings['command']}`: among {len(order)} agents, tuned where they can be, on "
        f"{len(standings['settings']['envs'])} bandits `{best}` ranks number {order.index(best) + 1} with a mean rank "
        f"of {mean[best]:.1f} and the paper's model number {order.index('nsa') + 1} with {mean['nsa']:.1f}. The best "
        f"policy is {policy.split(':')[0]} with {mean[policy]:.1f}. Mean ranks closer than "
        f"{ranks['critical_difference']:.1f} do not differ significantly.",
        *(["- Preliminary: these two were measured with small settings."] if of_table["stand_in"] else []),
        f"- `{search['command']}`: finds the default set, up to rounding, in {search['seconds'] / 60:.0f} minutes, "
        f"from nothing, among sets that are robust and silent at rest: regret {searched['champion']:.3f} on held-out "
        f"games, where the default of 0.2 has {searched['evolved']:.3f} and the authors' sets have "
        f"{searched['minbandit-38']:.3f} and {searched['minbandit-29']:.3f}.",
        f"- Measured with version {version(of_table)}. [The results](docs/results) name command, versions and machine.",
    ]
    lines = [textwrap.fill(each, 119, subsequent_indent="  ", break_on_hyphens=False) for each in sentences]
    return "\n".join([BEGIN, *lines, END])


def with_block(readme, found):
    """Return the README's text with updated results."""
    if BEGIN not in readme:
        return readme
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{readme_block(found)}{after}"
