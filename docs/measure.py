"""Measure everything that the pages of results show: runs the commands and writes `docs/results/*.json`.

    python docs/measure.py                  all of it; hours on a quiet machine with two cores
    python docs/measure.py table bench      some of it
    python docs/measure.py --quick          with small settings, to try the pages
    python docs/measure.py --readme         only renew the README's numbers from the files

A command that was stopped goes on where it was when this is started again with the same --work. Figures go beside the
files. At the end the README's block of results is renewed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "_ext"))

from pages import results  # noqa: E402

from experiments.bench.command import processor, tables  # noqa: E402
from experiments.core.results import versions  # noqa: E402
from experiments.registry import study  # noqa: E402

SPIKING_GAME = "--arms 5 --trials 1 --rounds 300 --repetitions 40 --agents nsa,random"
SMALL_GAME = "--arms 3 --trials 1 --rounds 20 --repetitions 2 --agents nsa,random"


class Measurement(NamedTuple):
    """A command, the same with small settings, whether its figure is kept, and what is left out of its file."""

    command: str
    quick: str
    figure: bool = False
    without: tuple[str, ...] = ()


MEASUREMENTS = {
    "play": Measurement("nsa play", "nsa play --preset quick", True),
    "table": Measurement("nsa table --preset full --workers 2", "nsa table --preset quick", True, ("cells",)),
    "table-minbandit-38": Measurement(
        "nsa table --preset full --parameters minbandit-38 --drift published-table --workers 2",
        "nsa table --preset quick --parameters minbandit-38 --drift published-table",
        without=("cells",),
    ),
    "standings": Measurement(
        "nsa standings --preset full --workers 2", "nsa standings --preset quick", True, ("cells",)
    ),
    "report": Measurement("nsa report --workers 2", "nsa report --preset quick"),
    "response": Measurement("nsa response", "nsa response --preset quick", True),
    "noise": Measurement("nsa noise --workers 2", "nsa noise --preset quick", True),
    "play-rate": Measurement(f"nsa play {SPIKING_GAME}", f"nsa play {SMALL_GAME}"),
    **{
        f"play-{model}": Measurement(
            f"nsa play --model {model} {SPIKING_GAME} --workers 2", f"nsa play --model {model} {SMALL_GAME}"
        )
        for model in ("spiking", "spiking-ei", "spiking-learning")
    },
    "decision-spiking": Measurement(
        "nsa decision --model spiking", "nsa decision --model spiking --preset quick", True
    ),
    "decision-spiking-ei": Measurement(
        "nsa decision --model spiking-ei", "nsa decision --model spiking-ei --preset quick", True
    ),
    "bench": Measurement("nsa bench", "nsa bench --quick", True),
}


def measure(name: str, quick: bool, work: Path) -> dict[str, Any]:
    """Run a command and say what came of it."""
    how = MEASUREMENTS[name]
    command = how.quick if quick else how.command
    words = [sys.executable, "-m", "experiments", *shlex.split(command)[1:], "--json", "--out", str(work)]
    begun = time.perf_counter()
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    seconds = time.perf_counter() - begun
    told = json.loads(done.stdout)
    files, report = told.pop("files", {}), told.pop("report", None)
    record: dict[str, Any] = {"command": command, "seconds": round(seconds, 1), "stand_in": quick}
    record["machine"] = {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()}
    record["versions"] = told.pop("versions", None) or versions()
    record["settings"] = told.pop("settings", {})
    if name == "bench":
        record["text"] = tables(told)
    elif report is not None:
        header = ["study", "what the paper says", "verdict", "what came out"]
        rows = [[each[key] for key in ("study", "statement", "verdict", "evidence")] for each in told["claims"]]
        record["tables"] = [{"caption": "", "header": header, "rows": rows}]
    else:
        found = study(command.split()[1]).load(files["results"])
        record["tables"] = [
            {"caption": t.caption, "header": list(t.header), "rows": [list(r) for r in t.rows], "right": list(t.right)}
            for t in found.tables
        ]
    if "cells" in told:
        told["n_cells"] = len(told["cells"])
    if "standings" in told:
        told["n_ranked"] = len(told["standings"]["all"]["ranks"]["mean"])
    record["summary"] = {key: value for key, value in told.items() if key not in how.without}
    if how.figure:
        shutil.copyfile(files.get("figure", work / "bench.png"), DOCS / "results" / f"{name}.png")
    return record


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(MEASUREMENTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="small settings")
    parser.add_argument("--readme", action="store_true", help="only renew the README's numbers")
    parser.add_argument("--work", type=Path, default=Path("nsa-results/docs"), help="where the commands' files go")
    args = parser.parse_args()
    for name in [] if args.readme else args.names or MEASUREMENTS:
        print(f"{name}: {MEASUREMENTS[name].quick if args.quick else MEASUREMENTS[name].command}", flush=True)
        text = json.dumps(measure(name, args.quick, args.work), indent=1, ensure_ascii=False)
        (DOCS / "results" / f"{name}.json").write_text(text + "\n", "utf-8")
    readme = DOCS.parent / "README.md"
    readme.write_text(results.with_block(readme.read_text("utf-8"), results.load(DOCS / "results")), "utf-8")


if __name__ == "__main__":
    main()
