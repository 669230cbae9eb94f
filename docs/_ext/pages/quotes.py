"""Numbers that the pages quote from the files in `docs/results/`.

The numbers are part of the pages' text, so that they show everywhere. `QUOTES` lists them. `python docs/measure.py
--pages` updates them, and a test compares them with the files.
"""

import re
from typing import NamedTuple


class Quote(NamedTuple):
    """Text of a page with numbers of a results file.

    A number is written ``{KEY/KEY:FORMAT}``; ``path`` is the file and the common first keys.
    """

    path: str
    words: str


BENCH = "bench/summary"
STANDINGS = "standings/summary"
RANKS = f"{STANDINGS}/standings/all/ranks"
BY_BANDIT = f"{STANDINGS}/regret_by_bandit"
CHAMPIONS = "table-from-nothing/summary/mean_regret"
BANDITS = ("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP", "switching", "random-walk", "reversal", "needle", "seasonal")
REPORT = "summary/champion/report"
BEYOND = "{%s/nsa:.3f} | {%s/nsa:familiarity-surprise:.3f} | {%s/optimistic:tuned:.3f} |"
RATE, SPIKING = "time-step/summary/rate", "time-step/summary/spiking"
ON_HELD_OUT = (
    "the champion has regret {champion/regret:.4f}, set `evolved` {evolved/regret:.4f}, the authors' set 38 "
    "{minbandit-38/regret:.4f} and set 29 {minbandit-29/regret:.4f}."
)

QUOTES = {
    "docs/explanation/engines.md": [
        Quote(BENCH, "with the set `evolved`) takes {rounds.ms_per_round.k10:.3g} ms with `rounds`,"),
        Quote(BENCH, "{table.ms_per_round.k10:.2g} ms with `table`,"),
        Quote(BENCH, "{network.ms_per_round.k10:.3g} ms with the Brian2 network"),
        Quote(BENCH, "{numpy.ms_per_round.k10:.3g} ms with a plain numpy loop."),
        Quote(BENCH, "With 1,000 arms the network takes {network.ms_per_round.k1000:.3g} ms"),
        Quote(BENCH, "and `rounds` {rounds.ms_per_round.k1000:.3g} ms."),
        Quote(
            "smpybandits/summary",
            "`ucb1` takes {ucb1/k10/us:.2g} us a round, `thompson` {thompson/k10/us:.2g} and `random` "
            "{random/k10/us:.2g} us; those of SMPyBandits take {ucb1/k10/smpybandits_us:.2g}, "
            "{thompson/k10/smpybandits_us:.2g} and {random/k10/smpybandits_us:.2g} us.",
        ),
    ],
    "docs/explanation/beyond.md": [
        *(
            Quote(f"{STANDINGS}/{of}", f"| {label} | " + BEYOND.replace("%s", key))
            for of, rows in (
                (
                    "standings",
                    {"the paper's 24 cells": "paper's/mean_regret", "the other 25 cells": "others/mean_regret"},
                ),
                ("regret_by_bandit", {name: name for name in BANDITS}),
            )
            for label, key in rows.items()
        ),
        Quote(
            BY_BANDIT,
            "is level with the paper's model ({reversal/nsa:familiarity-surprise:.3f} and {reversal/nsa:.3f}).",
        ),
    ],
    "docs/explanation/evolution.md": [
        Quote(
            f"evolution-default/{REPORT}",
            "the regret of the champion is {champion/regret:.4f}, where set 38 has {minbandit-38/regret:.4f} and set "
            "29 {minbandit-29/regret:.4f}.",
        ),
        Quote("evolution-default", "The search took {seconds:.0f} s on two cores, about a quarter"),
        Quote(
            f"evolution-evolved/{REPORT}",
            "its regret is {champion/regret:.4f}, where set 38 has {minbandit-38/regret:.4f} and set 29 "
            "{minbandit-29/regret:.4f}; with perturbed genes it is {champion/regret_off:.4f}.",
        ),
        Quote("evolution-evolved", "That search took {seconds:.0f} s on two cores."),
        Quote(CHAMPIONS, "full` their mean regrets are {nsa:evolved:.4f} and {nsa:evolved-0.1:.4f}."),
        *(Quote(f"evolution-{seed}/{REPORT}", f"Seed {seed}: {ON_HELD_OUT}") for seed in (1, 2, 3)),
        Quote(
            CHAMPIONS,
            "their mean regrets are {nsa:evolution-1.json:.4f}, {nsa:evolution-2.json:.4f} and "
            "{nsa:evolution-3.json:.4f}, and `evolved` has {nsa:evolved:.4f}.",
        ),
        Quote(
            f"evolution-paper-main/{REPORT}",
            "on its games: regret {champion/regret:.4f} and {minbandit-38/regret:.4f}, where `evolved` has "
            "{evolved/regret:.4f}.",
        ),
        Quote(
            f"evolution-paper-appendix/{REPORT}",
            "the champion has {champion/regret:.4f} and set 38 {minbandit-38/regret:.4f}.",
        ),
        Quote(f"evolution-adapting/{REPORT}", "found regret {champion/regret:.4f} on held-out games."),
        Quote(f"evolution-1/{REPORT}", "same budget and seed, has {champion/regret:.4f} on its own."),
        Quote("table/summary/mean_regret", "whose mean regret over all cells is {nsa:.3f};"),
        Quote("table-minbandit-38/summary/mean_regret", "with the drift of the published table, has {nsa:.3f}."),
        Quote("evolution-paper-main", "A search of the size of `paper-main` took {seconds:.0f} s"),
    ],
    "docs/explanation/experiments.md": [
        Quote("table-minbandit-38/summary", "{paper_cells_within_2_se:d} lie within two standard errors of ours"),
    ],
    "docs/explanation/time_step.md": [
        Quote(
            RATE,
            "even at 10 ms they have {evolved-0.3/euler 10/percent_of_choices_changed:.2g}, "
            "{evolved/euler 10/percent_of_choices_changed:.2g} and "
            "{evolved-0.1/euler 10/percent_of_choices_changed:.2g} percent of changed choices.",
        ),
        Quote(
            f"{RATE}/minbandit-29",
            "`minbandit-29` changes {euler 1/percent_of_choices_changed:.2g} percent of its choices at 1 ms and "
            "{euler 10/percent_of_choices_changed:.2g} percent at 10 ms.",
        ),
        Quote(
            f"{RATE}/minbandit-38",
            "changes {euler 1/percent_of_choices_changed:.1f} percent of its choices at 1 ms, "
            "{euler 2/percent_of_choices_changed:.1f} at 2 ms, {euler 5/percent_of_choices_changed:.1f} at 5 ms and "
            "{euler 10/percent_of_choices_changed:.1f} at 10 ms. With `rk4` it changes "
            "{rk4 1/percent_of_choices_changed:.1f}, {rk4 2/percent_of_choices_changed:.1f}, "
            "{rk4 5/percent_of_choices_changed:.1f} and {rk4 10/percent_of_choices_changed:.1f}.",
        ),
        Quote(
            f"{RATE}/minbandit-38",
            "is {euler 1/regret:.4f} at 1 ms and {euler 10/regret:.4f} at 10 ms, where the reference has "
            "{rk4 0.5/regret:.4f}.",
        ),
        Quote(
            f"{RATE}/evolved-0.3",
            "{euler 1/critical_weight:.4f} for `evolved-0.3` at 1 ms and {euler 10/critical_weight:.4f} at 10 ms,",
        ),
        Quote(
            f"{RATE}/minbandit-38",
            "{euler 1/critical_weight:.4f} and {euler 10/critical_weight:.4f} for `minbandit-38`.",
        ),
        Quote(
            "time-step/summary/short_rounds",
            "w\\* of `evolved-0.3` is {rk4:.3f} with `rk4` and {euler:.3f} with Euler's method at 20 ms.",
        ),
        Quote(
            f"{SPIKING}/spiking",
            "U of `spiking` fires {0.25/same_coupling/u/percent_higher:.1f} percent faster at 0.25 ms and "
            "{0.1/same_coupling/u/percent_higher:.1f} percent faster at 0.1 ms; V "
            "{0.25/same_coupling/v/percent_higher:.1f} and {0.1/same_coupling/v/percent_higher:.1f} percent.",
        ),
        Quote(
            f"{SPIKING}/spiking",
            "At 0.1 ms it is {0.1/coupling:.3f} times that of 0.5 ms. Then the rate of U differs by "
            "{0.1/calibrated/u/percent_higher:.1f} percent from that at 0.5 ms, and the rate of V by "
            "{0.1/calibrated/v/percent_higher:.1f} percent.",
        ),
        Quote(
            f"{SPIKING}/spiking",
            "error: {0.5/regret/mean:.3f} ± {0.5/regret/half:.3f} at 0.5 ms and {0.1/regret/mean:.3f} ± "
            "{0.1/regret/half:.3f} at 0.1 ms (200",
        ),
        Quote(
            f"{SPIKING}/spiking-ei",
            "has {0.1/coupling:.3f} times the coupling of 0.5 ms at 0.1 ms. The rate of its U differs by "
            "{0.1/same_coupling/u/percent_higher:.1f} percent with the coupling of 0.5 ms and by "
            "{0.1/calibrated/u/percent_higher:.1f} percent with its own. Its regret is {0.5/regret/mean:.3f} ± "
            "{0.5/regret/half:.3f} at 0.5 ms and {0.1/regret/mean:.3f} ± {0.1/regret/half:.3f} at 0.1 ms.",
        ),
    ],
    "docs/explanation/standings.md": [
        Quote(
            "bound/summary/mean_regret/all",
            "is {oracle-bayes:.3f}; `nsa:familiarity-surprise` has {nsa:familiarity-surprise:.3f}, aspiration "
            "{aspiration:tuned:.3f}, optimistic {optimistic:tuned:.3f}, the paper's model {nsa:.3f} and Thompson "
            "sampling {thompson:.3f}.",
        ),
        Quote(STANDINGS, "has the full table: {n_cells:d} cells,"),
        Quote(STANDINGS, "The best of {n_ranked:d} agents"),
        Quote(
            RANKS,
            "its mean rank is {mean/nsa:familiarity-surprise:.1f}. NSA's mechanisms without neurons follow: value-step "
            "({mean/value-step:tuned:.1f}), familiarity ({mean/familiarity:tuned:.1f}) and aspiration "
            "({mean/aspiration:tuned:.1f}), then optimistic epsilon-greedy ({mean/optimistic:tuned:.1f}). With a "
            "critical difference of {critical_difference:.1f} these five do not differ significantly; all others, the "
            "paper's model with a mean rank of {mean/nsa:.1f} among them,",
        ),
        *(
            Quote(f"{STANDINGS}/standings/{group}/mean_regret", words)
            for group, words in {
                "paper's": "`nsa:familiarity-surprise` is {nsa:familiarity-surprise:.3f}, that of aspiration "
                "{aspiration:tuned:.3f}, of optimistic {optimistic:tuned:.3f} and of the paper's model {nsa:.3f};",
                "others": "on the other bandits {nsa:familiarity-surprise:.3f}, {aspiration:tuned:.3f}, "
                "{optimistic:tuned:.3f} and {nsa:.3f}.",
            }.items()
        ),
        Quote(BY_BANDIT, "on MAB-D ({MAB-D/nsa:.3f}, optimistic {MAB-D/optimistic:tuned:.3f})"),
        Quote(BY_BANDIT, "({random-walk/nsa:.3f}, constant-step {random-walk/constant-step:tuned:.3f}),"),
        Quote(
            BY_BANDIT,
            "`nsa:familiarity-surprise` has as little ({random-walk/nsa:familiarity-surprise:.3f}; on games of another",
        ),
        Quote(
            BY_BANDIT,
            "reversals: {reversal/nsa:.3f}, where softmax has {reversal/softmax:tuned:.3f} and optimistic "
            "{reversal/optimistic:tuned:.3f}.",
        ),
        Quote(
            f"{STANDINGS}/regret_by_arms",
            "rises from {5/nsa:.3f} to {1000/nsa:.3f}, that of GLR-klUCB from {5/glr-klucb:tuned:.3f} to "
            "{1000/glr-klucb:tuned:.3f}.",
        ),
        Quote(BY_BANDIT, "(needle): {needle/nsa:.3f}, M-UCB {needle/m-ucb:tuned:.3f}."),
    ],
}


def renewed(text, quotes, found):
    """Return a page's text with updated numbers; raise a ValueError unless each quote occurs exactly once."""
    for quote in quotes:
        words = re.split(r"\{([^}]*)\}", quote.words)
        values = [value(found, f"{quote.path}/{key}") for key in words[1::2]]
        # Odd items are numbers, even ones text; lines may break between any two words.
        pattern = "".join(
            r"([-+.\de]*\d)" if i % 2 else r"\s+".join(map(re.escape, part.split(" "))) for i, part in enumerate(words)
        )
        places = list(re.finditer(pattern, text))
        if len(places) != 1:
            raise ValueError(f"{quote.words!r} must occur once in the page, found {len(places)} times")
        for i in range(len(values), 0, -1):
            start, end = places[0].span(i)
            text = text[:start] + values[i - 1] + text[end:]
    return text


def value(found, path):
    """Return the formatted value of ``FILE/KEY/KEY:FORMAT``."""
    path, _, form = path.rpartition(":")
    name, *keys = path.split("/")
    found = found[name]
    for key in keys:
        found = found[key]
    return format(found, form)
