"""``nsa ablation``: what each mechanism of a model is worth, as the regret that its loss costs on the same games."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from experiments.core.cells import Cell
from experiments.core.formats import csv_text
from experiments.core.game_settings import PAPER_BANDITS, GameSettings, bandits
from experiments.core.metrics import Estimate, estimate
from experiments.core.nsa_agents import NSA, agent_from_dict, agent_to_dict, is_nsa
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Export, Study
from experiments.core.tables import Table
from experiments.studies.ablation.variants import Variant, variants
from experiments.studies.standings.study import OTHERS, places
from experiments.studies.table.comparison import cell_name, play_cell
from nsa_brian.parameter_set import BEST, DEFAULT_SET, model_names

#: The full model among the agents.
FULL = "full"
#: Groups of bandits.
ALL, PAPER, OTHER = GROUPS = ("all", "paper's", "others")


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """The full model and its variants, bandits and numbers of arms. All variants play with the same random numbers."""

    agents: tuple[str, ...] = setting((NSA,), "nsa, the full model, and nsa:WHAT, further agents to compare", "A,B")
    parameters: str = setting(BEST, "parameter set of the full model: a name or a file", "SET")
    envs: tuple[str, ...] = bandits((*PAPER_BANDITS, *OTHERS))
    arms: tuple[int, ...] = setting((10, 100), "numbers of arms (reversal: always 2)", "K,L")
    repetitions: int = setting(20, "number of independent games")
    noise: tuple[float, ...] = setting((0.03, 0.05, 0.1), "strengths of noise in the rates; 0 for none", "X,Y")
    spiking: str = setting("", "the spiking version of the full model: a name or a file", "MODEL")

    def __post_init__(self) -> None:
        if self.model and self.parameters == BEST:  # the set of that model, if it has one
            object.__setattr__(self, "parameters", self.model if self.model in model_names() else DEFAULT_SET)
        super().__post_init__()
        wrong = [agent for agent in self.agents if not is_nsa(agent)]
        if wrong:
            raise ValueError(f"agents of an ablation are nsa and nsa:WHAT, got {', '.join(wrong)}")
        if any(not 0 <= strength < np.inf for strength in self.noise):
            raise ValueError(f"noise must be at least 0, got {', '.join(map(str, self.noise))}")

    @cached_property
    def variants(self) -> list[Variant]:
        """The variants, made from the model of the full agent."""
        others = [agent for agent in self.agents if agent != NSA]
        return variants(self.nsa_agents[NSA], [x for x in self.noise if x], self.spiking, others)

    def own_dict(self) -> dict[str, Any]:
        """Convert the fields, and all variants in full."""
        plain = super().own_dict()
        plain["variants"] = [
            {**{f.name: getattr(each, f.name) for f in dataclasses.fields(each)}, "agent": agent_to_dict(each.agent)}
            for each in self.variants
        ]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Restore the settings; variants are read, not made again."""
        made = super().from_dict(plain)
        stored = [Variant(**{**each, "agent": agent_from_dict(each["agent"])}) for each in plain["variants"]]
        vars(made)["variants"] = stored
        return made


DEFAULT = Settings()


@dataclass(frozen=True)
class Worth:
    """What a variant costs: its regret minus that of the full model, on the same games.

    Attributes
    ----------
    what, kind : str
    cells : dict
        Number of cells by group of bandits.
    regret, full : dict
        Mean regret of the variant, and of the full model in the same cells, by group.
    cost : dict
        Mean difference with its confidence interval, by group. The unit is the mean over the cells of one repetition,
        whose games have the same random numbers.
    by_bandit : dict
        Mean difference by bandit.
    """

    what: str
    kind: str
    cells: dict[str, int]
    regret: dict[str, float]
    full: dict[str, float]
    cost: dict[str, Estimate]
    by_bandit: dict[str, float]


@dataclass(frozen=True)
class Summary:
    """Mean regret of the full model by group of bandits, and the worth of each variant, the costliest first."""

    full: dict[str, float]
    variants: dict[str, Worth]


class AblationStudy(Study[Settings, Summary]):
    """Study of the mechanisms of a model."""

    name = "ablation"
    examples = """  nsa ablation --preset full --workers 2
  nsa ablation --model my.py --envs MAB-P,MAB-sin --arms 5
  nsa ablation --spiking spiking --arms 5 --envs MAB-P --rounds 200
  nsa ablation --parameters minbandit-38 --agents nsa,nsa:evolved

Any model has the same lesions: U or V silenced, V or U alone in place of their agreement, uniform exploration. Shipped
models have a list of mechanisms too, each added or taken away with the parameters of the full model and, if a set of
the variant is shipped, with parameters that were searched for it ("retuned"). The cost of a variant is its regret minus
that of the full model, on the same games with the same random numbers."""
    presets = {
        "paper": DEFAULT,
        "full": dataclasses.replace(DEFAULT, arms=(5, 10, 50, 100, 200, 1000), repetitions=40),
        "quick": dataclasses.replace(
            DEFAULT, envs=("MAB-P", "MAB-sin"), arms=(5,), rounds=100, repetitions=4, noise=(0.1,)
        ),
    }
    caption = Caption(
        "What each mechanism is worth",
        "Regret of variants of the best known NSA minus that of the full model, on the same games with the same random "
        "numbers, with 95% intervals: lesions of the populations and of the choice, mechanisms taken away or added, "
        "with the same and with their own parameters, and noise.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each bandit, number of arms and variant; longest first, to balance workers."""
        made: dict[str, Cell] = {}
        agents = {FULL: settings.nsa_agents[NSA], **{each.name: each.agent for each in settings.variants}}
        if len(agents) < 1 + len(settings.variants):
            raise ValueError("two variants have the same name: leave out agents that are variants already")
        most = {each.name: each for each in settings.variants}
        for env, k in sorted(places(settings.envs, settings.arms), key=lambda place: -place[1]):
            games = settings.games(env, k)
            for name, agent in agents.items():
                if name in most and not most[name].plays(k):
                    continue
                # All play as the agent nsa, so that they have the same random numbers.
                own = dataclasses.replace(games, agents=(NSA,), nsa=agent, nsa_agents={})
                own.check()
                made[cell_name(env, k, name)] = Cell(play_cell, own, NSA)
        return made

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return the costs of all variants."""
        settings = results.settings
        cells = list(places(settings.envs, settings.arms))
        full = {place: results.cells[cell_name(*place, FULL)]["regret"] for place in cells}
        played = [each for each in settings.variants if any(each.plays(k) for _, k in cells)]
        found = {each.name: _worth(results, each, full) for each in played}
        order = sorted(found, key=lambda name: -next(iter(found[name].cost.values())).mean)
        means = {group: float(np.mean([full[p] for p in some])) for group, some in _groups(cells).items()}
        return Summary(means, {name: found[name] for name in order})

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return a table of the costs by group of bandits, and one by bandit."""
        found, settings = results.summary, results.settings
        groups = list(found.full)
        header = ["variant", "kind", *(f"cost, {group}" for group in groups), "cells", "what it is"]
        rows = []
        for name, worth in found.variants.items():
            costs = [_text(worth.cost[group]) if group in worth.cost else "–" for group in groups]
            rows.append([name, worth.kind, *costs, str(next(iter(worth.cells.values()))), worth.what])
        means = ", ".join(f"{value:.3f} ({group})" for group, value in found.full.items())
        title = (
            f"regret of each variant minus that of the full model, {means}, with 95% intervals over the games; "
            f"{settings.length}"
        )
        by_bandit = [
            [name, *(f"{worth.by_bandit[env]:+.3f}" if env in worth.by_bandit else "–" for env in settings.envs)]
            for name, worth in found.variants.items()
        ]
        return [
            Table(title, header, rows, range(2, 3 + len(groups))),
            Table("the same by bandit", ["variant", *settings.envs], by_bandit, range(1, 1 + len(settings.envs))),
        ]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each variant and group of bandits."""
        rows: list[Row] = []
        for name, worth in results.summary.variants.items():
            for group, cost in worth.cost.items():
                low, high = cost.ci95 or (None, None)
                rows.append(
                    {
                        "variant": name,
                        "kind": worth.kind,
                        "what": worth.what,
                        "group": group,
                        "cells": worth.cells[group],
                        "regret": worth.regret[group],
                        "full": worth.full[group],
                        "cost": cost.mean,
                        "cost_low": low,
                        "cost_high": high,
                    }
                )
        return rows

    def exports(self, results: Results[Settings, Summary]) -> list[Export]:
        """Return a CSV file of the rows."""
        return [Export("csv", "csv", csv_text(self.rows(results)))]


STUDY = AblationStudy()


def _groups(cells: list[tuple[str, int]]) -> dict[str, list[tuple[str, int]]]:
    """Return the cells of each group of bandits; all of them, and each group that is a part of them."""
    parts = {
        PAPER: [place for place in cells if place[0] in PAPER_BANDITS],
        OTHER: [place for place in cells if place[0] not in PAPER_BANDITS],
    }
    return {ALL: cells, **{group: some for group, some in parts.items() if 0 < len(some) < len(cells)}}


def _worth(results: Results[Settings, Summary], variant: Variant, full: Mapping[tuple[str, int], np.ndarray]) -> Worth:
    """Return the costs of a variant in the cells that it plays."""
    cells = [place for place in full if variant.plays(place[1])]
    regrets = {place: results.cells[cell_name(*place, variant.name)]["regret"] for place in cells}
    costs = {place: regrets[place] - full[place] for place in cells}
    groups = _groups(cells)
    return Worth(
        what=variant.what,
        kind=variant.kind,
        cells={group: len(some) for group, some in groups.items()},
        regret={group: float(np.mean([regrets[place] for place in some])) for group, some in groups.items()},
        full={group: float(np.mean([full[place] for place in some])) for group, some in groups.items()},
        cost={group: estimate(np.mean([costs[place] for place in some], axis=0)) for group, some in groups.items()},
        by_bandit={
            env: float(np.mean([costs[place] for place in cells if place[0] == env]))
            for env in dict.fromkeys(env for env, _ in cells)
        },
    )


def _text(cost: Estimate) -> str:
    half = f" ±{cost.ci95[1] - cost.mean:.3f}" if cost.ci95 else ""
    return f"{cost.mean:+.3f}{half}"
