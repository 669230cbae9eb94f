"""``nsa bench``: benchmark of the engines and policies on this machine."""

from __future__ import annotations

import argparse
import platform
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tqdm import tqdm

from experiments.bench import figure as bench_figure
from experiments.bench import limits as bench_limits
from experiments.bench import measure as bench
from experiments.bench.timed_set import TIMED_SET
from experiments.core.command import Command
from experiments.core.errors import blame_user
from experiments.core.figures import rendered
from experiments.core.files import writable_folder, write_bytes, write_text
from experiments.core.json_text import json_text
from experiments.core.results import versions
from experiments.core.tables import text_table
from nsa_brian.common.lock import Lock

EPILOG = f"""Every engine plays whole games on MAB-P with the set {TIMED_SET}; the time includes bandit and record.
The numpy loop is the paper's equations in plain numpy. The limit is the same work in hand-written C++; both sides are
timed without the bandit. For policies, only selection and learning are timed; plain Python is the same policy with
lists and without checks. Times are the best of several repeats.

examples:
  nsa bench
  nsa bench --quick --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds and repeats: less than a minute after compilation"
    )
    parser.add_argument("--out", metavar="DIR", default="nsa-results", help="output folder (default nsa-results)")
    parser.add_argument("--json", action="store_true", help="print one flat JSON object instead of the tables")


def run(args: argparse.Namespace) -> None:
    """Run the benchmark, write and print the results."""
    out = writable_folder(args.out)
    with blame_user(), ExitStack() as entering:
        entering.enter_context(Lock(out, "bench"))  # two benchmarks at once would disturb each other
        held = entering.pop_all()
    with held:
        _measure(args, out)


def _measure(args: argparse.Namespace, out: Path) -> None:
    effort = bench.QUICK if args.quick else bench.FULL
    with tqdm(
        total=bench.N_MEASUREMENTS, disable=None, bar_format="{n_fmt}/{total_fmt} |{bar}| {elapsed} {desc}"
    ) as bar:

        def tick(what: str) -> None:
            bar.set_description_str(what)
            bar.update()

        found = bench.measure(effort, tick)
    machine = {"machine": processor(), "python": platform.python_version(), **versions()}
    record = json_text({**machine, **found})
    write_text(out / "bench.json", record)
    write_bytes(out / "bench.png", rendered(bench_figure.draw(found), "png"))
    where = f"measured on {machine['machine']}, Python {machine['python']}, Brian2 {machine['brian2']}"
    text = f"{tables(found)}\n\n{where}\n"
    write_text(out / "bench.txt", text)
    if args.json:
        print(record)
        return
    print(text)
    print(f"figures  {out / 'bench.json'}\ntable    {out / 'bench.txt'}\nplot     {out / 'bench.png'}")


def processor() -> str:
    """Return the name of the processor."""
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def tables(found: dict[str, Any]) -> str:
    """Return the measurements as tables with ratios."""
    arms = (10, 100, 1000)

    def row(label: str, engine: str) -> list[str]:
        times = [found[f"{engine}.ms_per_round.k{k}"] for k in arms]
        rounds = [found[f"rounds.ms_per_round.k{k}"] for k in arms]
        cells = [f"{t:.3g} ({t / r:.3g}x)" for t, r in zip(times, rounds, strict=True)]
        return [label, *cells]

    one = text_table(
        ["one game: ms a round (x rounds)", *(f"{k} arms" for k in arms)],
        [row("numpy loop", "numpy"), row("network", "network"), row("rounds", "rounds"), row("table", "table")],
        right=(1, 2, 3),
    )
    games = (10, 100, 1000)
    many = text_table(
        ["many games, 10 arms: us a game and round", *(f"{n} games" for n in games), "game-rounds a second"],
        [
            [
                engine,
                *(f"{found[f'{engine}.us_per_game_round.games{n}']:.3g}" for n in games),
                f"{found[f'{engine}.game_rounds_per_second.games1000']:,.0f}",
            ]
            for engine in ("rounds", "table")
        ],
        right=(1, 2, 3, 4),
    )
    lines = [
        f"share of the compiled round in a loop of one's own, one game, 10 arms: {found['rounds.engine_share']:.0%}",
        f"rounds at 1000 arms over 10 arms: {found['ratio.rounds_k1000_over_k10']:.2f}",
        "rounds, 1000 games: "
        + ", ".join(
            f"{found[f'rounds.us_per_game_round.games1000{suffix}']:.3g} us a game and round at {k} arms"
            for k, suffix in ((10, ""), (100, ".k100"), (1000, ".k1000"))
        ),
        f"table, one game: {found['table.us_per_game_round.single']:.2f} us a round",
        f"table, 256 games: {found['table.us_per_game_round.k10']:.2f} us a game and round at 10 arms, "
        f"{found['table.us_per_game_round.k200']:.2f} at 200",
        f"table, 256 games, round by round: {found['table.us_per_game_round.by_round.k10']:.2f} us at "
        f"10 arms, {found['table.us_per_game_round.by_round.k200']:.2f} at 200",
        f"a search: {found['evolve.game_rounds_per_s']:,.0f} game-rounds a second in one process",
    ]
    return "\n\n".join(
        [
            one,
            many,
            limit_table(found),
            "\n".join(lines),
            coupled_table(found),
            *several_tables(found),
            *signal_tables(found),
            spiking_table(found),
            *calibration_tables(found),
            policy_table(found),
            single_table(found),
        ]
    )


def limit_table(found: dict[str, Any]) -> str:
    """Return the table of engines against hand-written code."""
    rows = []
    for label, unit, ours, limit in bench_limits.PAIRS:
        by_hand = found[limit]
        cells = [f"{by_hand:.3g}", f"{found[ours] / by_hand:.2f}"] if by_hand else ["no compiler", ""]
        rows.append([label, unit, f"{found[ours]:.3g}", *cells])
    return text_table(["against the limit", "unit", "ours", "by hand", "ratio"], rows, right=(2, 3, 4))


def coupled_table(found: dict[str, Any]) -> str:
    """Return the table for options that are coupled."""
    keys = [key.rpartition(".")[2] for key in found if key.startswith("coupled.ms_per_round.")]
    rows = []
    for k in keys:
        limit, ratio = found[f"limit.coupled_ns_per_unit_step.{k}"], found[f"ratio.coupled_over_limit.{k}"]
        rows.append(
            [
                f"{k.removeprefix('k')} arms",
                f"{found[f'coupled.network_ms_per_round.{k}']:.3g}",
                f"{found[f'coupled.ms_per_round.{k}']:.3g}",
                f"{found[f'ratio.network_over_coupled.{k}']:.0f}",
                f"{found[f'coupled.ns_per_unit_step.{k}']:.2f}",
                f"{limit:.2f} ({ratio:.2f})" if limit else "no compiler",
            ]
        )
    header = ["one game, options inhibit each other", "network ms a round", "rounds ms a round", "ratio"]
    header += ["ns an option and step", "by hand (ratio)"]
    return text_table(header, rows, right=(1, 2, 3, 4, 5))


def several_tables(found: dict[str, Any]) -> list[str]:
    """Return the table for a model with three synaptic variables, and a line on its learning rule.

    Empty if there are no such measurements, as in results of earlier releases.
    """
    rows = []
    for key in found:
        if not key.startswith("several.us_per_game_round."):
            continue
        place = key.removeprefix("several.us_per_game_round.")
        steps, arms = place.split(".")
        limit = found[f"limit.several_us.{place}"]
        by_hand = [f"{limit:.3g}", f"{found[key] / limit:.2f}"] if limit else ["no compiler", ""]
        table = found[f"several.table_us_per_game_round.{place}"]
        rows.append([f"{steps[1:]} steps, {arms[1:]} arms", f"{found[key]:.3g}", f"{table:.3g}", *by_hand])
    if not rows:
        return []
    header = ["three synaptic variables, statements: us a game and round", "rounds", "table"]
    header += ["by hand", "rounds / by hand"]
    expression, statements = found["several.expression_us.k200"], found["several.statements_us.k200"]
    line = (
        f"table, 200 arms: {expression:.3g} us a game and round if the learning rule is an expression, "
        f"{statements:.3g} if it is a statement ({statements / expression:.2f}x)"
    )
    return [text_table(header, rows, right=(1, 2, 3, 4)), line]


def signal_tables(found: dict[str, Any]) -> list[str]:
    """Return the table for a model whose neurons read a signal; empty for results of earlier releases."""
    rows = []
    for key in found:
        place = key.removeprefix("signals.us_per_game_round.")
        if place == key:
            continue
        steps, arms = place.split(".")
        limit = found[f"limit.signals_us.{place}"]
        by_hand = [f"{limit:.3g}", f"{found[key] / limit:.2f}"] if limit else ["no compiler", ""]
        rows.append([f"{steps[1:]} steps, {arms[1:]} arms", f"{found[key]:.3g}", *by_hand])
    header = ["a signal in U's input, statements: us a game and round", "rounds", "by hand", "ratio"]
    return [text_table(header, rows, right=(1, 2, 3))] if rows else []


def spiking_table(found: dict[str, Any]) -> str:
    """Return the table for spiking neurons."""
    rows = [
        [
            f"{n} game{'s' * (n > 1)}",
            f"{found[f'spiking.network_ms_per_round.games{n}']:.3g}",
            f"{found[f'spiking.ms_per_round.games{n}']:.3g}",
            f"{found[f'ratio.spiking_network_over_rounds.games{n}']:.0f}",
            f"{found[f'spiking.neuron_steps_per_second.games{n}']:.3g}",
        ]
        for n in (1, 16)
    ]
    header = ["spiking neurons, 5 arms of 20 in U and in V", "network ms a round", "rounds ms a round", "ratio"]
    return text_table([*header, "neurons x steps a second"], rows, right=(1, 2, 3, 4))


def calibration_tables(found: dict[str, Any]) -> list[str]:
    """Return the table for the calibration of spiking models; empty for results of earlier releases."""
    rows = [[key.split(".")[1], f"{seconds:.3g}"] for key, seconds in found.items() if key.startswith("calibration.")]
    return [text_table(["calibration in a search, 16 sets, 5 arms", "s a set"], rows, right=(1,))] if rows else []


def policy_table(found: dict[str, Any]) -> str:
    """Return the table of the policies."""
    cost: dict[str, list[str]] = {}
    for key, value in found.items():
        if key.startswith("policy."):
            cost.setdefault(key.split(".")[1], []).append(f"{value:.2f}")
    return text_table(
        ["a policy in 256 games: us a game and round", "10 arms", "200 arms"],
        [[name, *times] for name, times in cost.items()],
        right=(1, 2),
    )


def single_table(found: dict[str, Any]) -> str:
    """Return the table of the policies in a single game, against plain Python."""
    rows: dict[str, list[str]] = {}
    for key, ours in found.items():
        if key.startswith("single."):
            _, name, _, k = key.split(".")
            plain = found[f"plain.{name}.us_per_round.{k}"]
            rows.setdefault(name, []).extend([f"{ours:.2f}", f"{plain:.2f} ({ours / plain:.2f})"])
    return text_table(
        [
            "a policy in a single game: us a round",
            "10 arms",
            "plain Python (ratio)",
            "200 arms",
            "plain Python (ratio)",
        ],
        [[name, *cells] for name, cells in rows.items()],
        right=(1, 2, 3, 4),
    )


COMMAND = Command(EPILOG, add_arguments, run)
