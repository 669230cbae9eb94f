"""Ablation of the staged search: `nsa evolve` with and without its parts, with a third of the default budget.

    python docs/ablation.py                 five seeds of each
    python docs/ablation.py --seeds 2       fewer

Writes `docs/results/evolution-ablation.json`. With the same --work it resumes.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from measure import DOCS, machine
from scipy import stats

WHOLE, RACE = "the whole search", "8x5x4,4x7x8,2x10x8,1x27x16"
#: Options of each variant. All play nearly the same number of game-rounds.
SEARCHES = {
    WHOLE: f"--look 1365 --rungs {RACE}",
    "without a look: runs begin at four random sets": "--look 4 --rungs 8x5x4,4x7x8,2x10x8,1x30x16",
    "without small steps: sigma 0.25": f"--look 1365 --rungs {RACE} --sigma 0.25",
}
#: A candidate that plain CMA-ES does not have.
ADDED = "mean of the last centres"


def search(options: str, seed: int, work: Path) -> dict[str, Any]:
    """Run a search and return its JSON output."""
    words = shlex.split(f"-m experiments evolve {options} --seed {seed} --json --no-figures --out")
    out = work / f"{list(SEARCHES.values()).index(options)}-{seed}"
    done = subprocess.run([sys.executable, *words, str(out)], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def measures(found: dict[str, Any]) -> tuple[float, float, float, float]:
    """Return held-out regret of the champion and of the set `evolved`, gain by the added candidate, and game-rounds."""
    champion = found["champion"]
    rewards = dict(champion["selection"])
    best = max(rewards.values())
    rewards.pop(ADDED, None)
    report = champion["report"]
    return report["champion"]["regret"], report["evolved"]["regret"], best - max(rewards.values()), found["game_rounds"]


def interval(values: np.ndarray) -> str:
    """Return a mean with its 95% confidence interval."""
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values) if len(values) > 1 else float("nan")
    return f"{values.mean():.4f} ± {half:.4f}"


def main() -> None:
    """Run the missing searches and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="seeds of each variant")
    parser.add_argument("--at-once", type=int, default=2, help="number of searches at once, each in one process")
    parser.add_argument("--work", type=Path, default=Path("nsa-results/ablation"), help="folder of the searches")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    seeds = range(1, args.seeds + 1)
    with ThreadPoolExecutor(args.at_once) as pool:
        running = {(n, s): pool.submit(search, options, s, args.work) for n, options in SEARCHES.items() for s in seeds}
        outputs = {key: job.result() for key, job in running.items()}
    rows = []
    columns = {name: np.array([measures(outputs[name, seed]) for seed in seeds]).T for name in SEARCHES}
    whole, _, brought, _ = columns[WHOLE]
    for name, (regret, default, _, rounds) in columns.items():
        beyond = "" if name == WHOLE else interval(regret - whole)
        rows.append([name, interval(regret), interval(regret - default), beyond, f"{rounds.mean() / 1e6:.0f}"])
    added = f"The {ADDED} as a candidate: {interval(brought)} of reward on the games that chose the champion."
    header = ["search", "regret on held-out games", "beyond `evolved`", "beyond the whole search", "10⁶ game-rounds"]
    caption = f"Means over seeds 1 to {args.seeds}, with 95% intervals; differences are of the same seed. {added}"
    record = {
        "command": "python docs/ablation.py" + (f" --seeds {args.seeds}" if args.seeds != 5 else ""),
        "stand_in": args.seeds < 5,
        **machine(),
        "settings": SEARCHES,
        "tables": [{"caption": caption, "header": header, "rows": rows, "right": [1, 2, 3, 4]}],
        "summary": {name: [measures(outputs[name, seed])[:3] for seed in seeds] for name in SEARCHES},
    }
    text = json.dumps(record, indent=1, ensure_ascii=False)
    (DOCS / "results" / "evolution-ablation.json").write_text(text + "\n", "utf-8")
    print("\n".join(" | ".join(row) for row in [header, *rows]), caption, sep="\n")


if __name__ == "__main__":
    main()
