"""Measurements that are compared with hand-written code."""

from __future__ import annotations

#: Label, unit, and the names of our measurement and of the limit.
PAIRS = (
    ("a pair and time step, 1000 pairs", "ns", "rounds.ns_per_unit_step", "limit.ns_per_unit_step"),
    ("a round of one game", "ms", "rounds.ms_per_round.single", "limit.rounds_ms.single"),
    (
        "coupled, 10 arms: an option and time step",
        "ns",
        "coupled.ns_per_unit_step.k10",
        "limit.coupled_ns_per_unit_step.k10",
    ),
    ("coupled, 100 arms", "ns", "coupled.ns_per_unit_step.k100", "limit.coupled_ns_per_unit_step.k100"),
    (
        "table, 256 games, 10 arms: a game and round",
        "µs",
        "table.us_per_game_round.compiled.k10",
        "limit.table_us.k10",
    ),
    ("table, 256 games, 200 arms", "µs", "table.us_per_game_round.compiled.k200", "limit.table_us.k200"),
    *(
        (
            f"{model}, {games}, {precision}{note}",
            "ns",
            f"{model}.{precision}.ns_per_neuron_step.games{n}",
            f"limit.{model}.ns_per_neuron_step.games{n}",
        )
        for model, n, games in (("spiking", 1, "one game"), ("spiking", 16, "16 games"), ("spiking-ei", 16, "16 games"))
        for precision, note in (("double", ": a neuron and step" if n == 1 else ""), ("single", ""))
    ),
)
