"""Run the commands behind the pages of results and write `docs/results/*.json`.

    python docs/measure.py                  all commands; hours on a quiet machine with two cores
    python docs/measure.py table bench      some of them
    python docs/measure.py --quick          with small settings, to test the pages
    python docs/measure.py --pages          no measurement; only update the numbers in README and pages

With the same --work, stopped commands resume. Figures are written beside the files. At the end the numbers in README
and pages are updated.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

DOCS = Path(__file__).resolve().parent
README = DOCS.parent / "README.md"
sys.path.insert(0, str(DOCS / "_ext"))

from pages import quotes, results  # noqa: E402

from experiments.bench.command import processor  # noqa: E402
from experiments.bench.command import tables as bench_tables  # noqa: E402
from experiments.core.game_settings import PAPER_BANDITS  # noqa: E402
from experiments.core.results import versions  # noqa: E402
from experiments.evolve.page import report_table  # noqa: E402
from experiments.registry import study  # noqa: E402

SPIKING_GAME = "--arms 5 --trials 1 --rounds 300 --repetitions 40 --agents nsa,random"
SMALL_GAME = "--arms 3 --trials 1 --rounds 20 --repetitions 2 --agents nsa,random"
#: Champions of staged searches, and the default sets of releases 0.2 and 0.1.
CHAMPIONS = "--agents nsa:evolved,nsa:evolved-0.1,nsa:evolution-1.json,nsa:evolution-2.json,nsa:evolution-3.json,random"


class Measurement(NamedTuple):
    """A command, its variant with small settings, the figure to store, and keys to omit from the file."""

    command: str
    quick: str
    figure: str = ""
    without: tuple[str, ...] = ()


MEASUREMENTS = {
    "play": Measurement("nsa play", "nsa play --preset quick", "figure"),
    "table": Measurement("nsa table --preset full --workers 2", "nsa table --preset quick", "figure", ("cells",)),
    "table-minbandit-38": Measurement(
        "nsa table --preset full --parameters minbandit-38 --drift published-table --workers 2",
        "nsa table --preset quick --parameters minbandit-38 --drift published-table",
        without=("cells",),
    ),
    "standings": Measurement(
        "nsa standings --preset full --workers 2", "nsa standings --preset quick", "figure", ("cells",)
    ),
    "ablation": Measurement(
        "nsa ablation --preset full --seed 101 --repetitions 16 --workers 2",
        "nsa ablation --preset quick",
        "figure",
        ("cells",),
    ),
    "bound": Measurement(
        "nsa bound --preset full --seed 101 --repetitions 8 --workers 2",
        "nsa bound --preset quick",
        "figure",
        ("cells",),
    ),
    "report": Measurement("nsa report --workers 2", "nsa report --preset quick"),
    **{
        f"evolution-{name}": Measurement(f"nsa evolve {options} --workers 2", f"nsa evolve {quick}", figure)
        for name, options, quick, figure in (
            ("1", "--seed 1", "--preset quick --seed 1", "race"),
            ("2", "--seed 2", "--preset quick --seed 2", "race"),
            ("3", "--seed 3", "--preset quick --seed 3", "race"),
            ("default", "--reproduce evolved-0.3", "--preset quick --seed 1", "race"),
            ("evolved", "--preset evolved", "--preset paper-quick --start minbandit-38 --inexact 0.005", "fitness"),
            ("adapting", "--model adapting.py --seed 1", "--model adapting.py --preset quick", "race"),
            ("paper-main", "--preset paper-main --seed 1", "--preset paper-quick", "functions"),
            ("paper-appendix", "--preset paper-appendix --seed 1", "--preset paper-quick --seed 1", "functions"),
        )
    },
    "table-from-nothing": Measurement(
        f"nsa table --preset full {CHAMPIONS} --workers 2", f"nsa table --preset quick {CHAMPIONS}", without=("cells",)
    ),
    "response": Measurement("nsa response", "nsa response --preset quick", "figure"),
    "noise": Measurement("nsa noise --workers 2", "nsa noise --preset quick", "figure"),
    "play-rate": Measurement(f"nsa play {SPIKING_GAME}", f"nsa play {SMALL_GAME}"),
    **{
        f"play-{model}": Measurement(
            f"nsa play --model {model} {SPIKING_GAME} --workers 2", f"nsa play --model {model} {SMALL_GAME}"
        )
        for model in ("spiking", "spiking-ei", "spiking-learning")
    },
    "decision-spiking": Measurement(
        "nsa decision --model spiking", "nsa decision --model spiking --preset quick", "figure"
    ),
    "decision-spiking-ei": Measurement(
        "nsa decision --model spiking-ei", "nsa decision --model spiking-ei --preset quick", "figure"
    ),
    "bench": Measurement("nsa bench", "nsa bench --quick", "figure"),
}


def measure(name: str, quick: bool, work: Path) -> dict[str, Any]:
    """Run a command and return its record."""
    how = MEASUREMENTS[name]
    command = how.quick if quick else how.command
    out = work.resolve() / (f"{name}-quick" if quick else name)  # a search needs its own folder
    work.mkdir(parents=True, exist_ok=True)
    (work / "adapting.py").write_text(adapting(), "utf-8")
    words = [sys.executable, "-m", "experiments", *shlex.split(command)[1:], "--json", "--out", str(out)]
    begun = time.perf_counter()
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, cwd=work)
    seconds = time.perf_counter() - begun
    if (out / "best.json").exists():  # distinct names of champions in tables
        shutil.copyfile(out / "best.json", work / f"{name}.json")
    return record(name, quick, json.loads(done.stdout), seconds, out)


def adapting() -> str:
    """Return the model file of the README."""
    found = re.search(r"^```python\n(# adapting\.py\n.*?)^```", README.read_text("utf-8"), re.M | re.S)
    assert found is not None
    return found[1]


def record(name: str, quick: bool, output: dict[str, Any], seconds: float, out: Path) -> dict[str, Any]:
    """Return the record of a command from its JSON output, and copy its figure."""
    how = MEASUREMENTS[name]
    command = how.quick if quick else how.command
    files = output.pop("files", {})
    found: dict[str, Any] = {"command": command, "seconds": round(seconds, 1), "stand_in": quick, **machine()}
    found["versions"] = output.pop("versions", None) or found["versions"]
    found["settings"] = output.pop("settings", {})
    kind = command.split()[1]
    if kind == "bench":
        found["text"] = bench_tables(output)
    else:
        tables = {"report": claims, "evolve": champion}.get(kind) or partial(of_study, kind)
        found["tables"] = tables(output, files)
    if "cells" in output:
        output["n_cells"] = len(output["cells"])
    if "standings" in output:
        output["n_ranked"] = len(output["standings"]["all"]["ranks"]["mean"])
        output["regret_by_arms"] = regret_by_arms(output["cells"])
    found["summary"] = {key: value for key, value in output.items() if key not in how.without}
    if how.figure:
        shutil.copyfile(files.get(how.figure, out / "bench.png"), DOCS / "results" / f"{name}.png")
    return found


def regret_by_arms(cells: list[dict[str, Any]]) -> dict[int, dict[str, float]]:
    """Return the mean regret of each agent over the paper's bandits, by number of arms."""
    papers = [cell for cell in cells if cell["env"] in PAPER_BANDITS]
    found = {}
    for arms in sorted({cell["arms"] for cell in papers}):
        played = [cell["agents"] for cell in papers if cell["arms"] == arms]
        found[arms] = {name: mean(agents[name]["regret"]["mean"] for agents in played) for name in played[0]}
    return found


def machine() -> dict[str, Any]:
    """Return machine and versions."""
    of = {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()}
    return {"machine": of, "versions": versions()}


def claims(output: dict[str, Any], files: dict[str, str]) -> list[dict[str, Any]]:
    """Return the table of the paper's claims."""
    output.pop("report")
    header = ["study", "what the paper says", "verdict", "what came out"]
    rows = [[each[key] for key in ("study", "statement", "verdict", "evidence")] for each in output["claims"]]
    return [{"caption": "", "header": header, "rows": rows}]


def champion(output: dict[str, Any], files: dict[str, str]) -> list[dict[str, Any]]:
    """Return the table of a champion and the sets it is compared with."""
    header, rows = report_table(output["champion"]["report"])
    caption = (
        f"{output['generations']:,} generations, {output['game_rounds']:,} game-rounds. On games that the search "
        "never saw and that chose nobody:"
    )
    return [{"caption": caption, "header": header, "rows": rows, "right": list(range(1, len(header)))}]


def of_study(kind: str, output: dict[str, Any], files: dict[str, str]) -> list[dict[str, Any]]:
    """Return the tables of a study."""
    return [
        {"caption": t.caption, "header": list(t.header), "rows": [list(r) for r in t.rows], "right": list(t.right)}
        for t in study(kind).load(files["results"]).tables
    ]


def write_numbers(root: Path) -> None:
    """Update the numbers in the README and in the pages from the results files."""
    found = results.load(DOCS / "results")
    readme = root / README.name
    readme.write_text(results.with_block(readme.read_text("utf-8"), found), "utf-8")
    for name, quoted in quotes.QUOTES.items():
        page = root / name
        page.write_text(quotes.renewed(page.read_text("utf-8"), quoted, found), "utf-8")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(MEASUREMENTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="small settings")
    parser.add_argument("--pages", action="store_true", help="only update the numbers in README and pages")
    parser.add_argument("--work", type=Path, default=Path("nsa-results/docs"), help="folder of the commands' files")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in MEASUREMENTS]
    if unknown:
        parser.error(f"unknown measurement {unknown[0]!r}; known: {', '.join(MEASUREMENTS)}")
    for name in [] if args.pages else args.names or MEASUREMENTS:
        print(f"{name}: {MEASUREMENTS[name].quick if args.quick else MEASUREMENTS[name].command}", flush=True)
        text = json.dumps(measure(name, args.quick, args.work), indent=1, ensure_ascii=False)
        (DOCS / "results" / f"{name}.json").write_text(text + "\n", "utf-8")
    write_numbers(DOCS.parent)


if __name__ == "__main__":
    main()
