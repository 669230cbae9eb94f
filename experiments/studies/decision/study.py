"""``nsa decision``: record one decision of the Brian2 network with untrained, half-trained and trained weights."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.core.cells import Cell
from experiments.core.game_settings import GameSettings
from experiments.core.nsa_agents import fires, is_nsa
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Caption, Study
from experiments.core.tables import Table
from experiments.studies.decision import rates, spikes, statistics


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """Settings: NSA plays MAB-P for some rounds; then its weights are copied to the network, which decides once."""

    agents: tuple[str, ...] = setting(("nsa",), "one NSA agent, nsa or nsa:WHAT", "nsa")
    trials: int = setting(1, "trials of training")
    rounds: int = setting(500, "rounds per trial; trials x rounds is the longest training")
    repetitions: int = setting(1, "number of games; only the first is recorded")
    arms: int = setting(5, "number of arms")
    after: tuple[int, ...] = setting((0, 8, 300), "rounds of training before each decision", "N,M")

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.after) < 0 or max(self.after) > self.trials * self.rounds:
            raise ValueError(
                f"after must be from 0 to {self.trials * self.rounds}, got {','.join(map(str, self.after))}"
            )
        if len(self.agents) != 1 or not is_nsa(self.agents[0]):
            raise ValueError(f"agents must be one NSA agent (nsa or nsa:WHAT), got {','.join(self.agents)}")

    @property
    def spiking(self) -> bool:
        """Whether both U and V spike: then spikes are recorded, else activities and firing rates."""
        return fires(self.nsa_agents[self.agents[0]])


DEFAULT = Settings()


@dataclass(frozen=True)
class Decided:
    """A decision after some rounds of training, with the final activities of each arm."""

    after: int
    arm: int
    agreed: bool
    w: list[float]
    u_end: list[float]
    v_end: list[float]
    probabilities: list[float]


@dataclass(frozen=True)
class CriticalWeights:
    """Critical weights of both models; None if activity never persists."""

    spiking: float | None
    rate: float | None


@dataclass(frozen=True)
class Summary:
    """All decisions; with spikes, the critical weights too."""

    decisions: list[Decided]
    critical_weight: CriticalWeights | None = None
    #: Firing statistics by kind (untrained, trained, beside a trained one) and population; see ``statistics.py``.
    statistics: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Convert to plain data; omit fields that are None."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}


class DecisionStudy(Study[Settings, Summary]):
    """Study of one decision."""

    name = "decision"
    examples = """  nsa decision --arms 8 --after 0,5,50,500
  nsa decision --model my.py
  nsa decision --model spiking-ei --json"""
    presets = {"paper": DEFAULT, "full": DEFAULT, "quick": dataclasses.replace(DEFAULT, after=(0, 8, 60), rounds=60)}
    caption = Caption(
        "A decision, watched",
        "Activities u and v of each arm over the two phases of a decision, before, during and after training: "
        "without training all die out alike, after it the best arm's outlast the input.",
    )

    def cells(self, settings: Settings) -> dict[str, Cell]:
        """Return a cell for each length of training; for spiking models, also the response and the statistics."""
        games = settings.games("MAB-P", settings.arms)
        decide = spikes.decide if settings.spiking else rates.decide
        watched = {f"{rounds}": Cell(decide, games, rounds) for rounds in settings.after}
        if settings.spiking:
            watched |= {spikes.RESPONSE: Cell(spikes.respond, games)}
            agent = settings.nsa_agents[settings.agents[0]]
            if "free_time" in agent.parameters.to_dict():  # the statistics extend it
                watched |= {statistics.STATISTICS: Cell(statistics.measure, games)}
        return watched

    def summary(self, results: Results[Settings, Summary]) -> Summary:
        """Return the decision after each training."""
        decisions = []
        for rounds in results.settings.after:
            found = results.cells[str(rounds)]
            lists = {key: found[key].tolist() for key in ("w", "u_end", "v_end", "probabilities")}
            decisions.append(Decided(rounds, int(found["arm"]), bool(found["agreed"]), **lists))
        if not results.settings.spiking:
            return Summary(decisions)
        response = results.cells[spikes.RESPONSE]
        critical = [None if np.isnan(w) else float(w) for w in (response["critical"], response["critical_rate"])]
        counted = results.cells.get(statistics.STATISTICS)
        firing = None if counted is None else statistics.summarise(counted["found"])
        return Summary(decisions, CriticalWeights(*critical), firing)

    def tables(self, results: Results[Settings, Summary]) -> list[Table]:
        """Return the summary as tables."""
        rows = [
            [
                str(found.after),
                str(found.arm),
                "agreed" if found.agreed else "explored",
                *(f"{w:.2f} {u:.2f} {v:.2f}" for w, u, v in zip(found.w, found.u_end, found.v_end, strict=True)),
            ]
            for found in results.summary.decisions
        ]
        left, critical = "the activities left", results.summary.critical_weight
        if critical is not None:
            spiking, rate = (f"{w:.2f}" if w else "none" for w in (critical.spiking, critical.rate))
            left = f"the firing left (Hz); critical weight {spiking}, of the rate model {rate}"
        title = f"decisions after training on MAB-P{results.settings.model_note}; of each arm the weight and {left}"
        arms = [f"arm {k}: w u v" for k in range(results.settings.arms)]
        decided = Table(title, ["rounds of training", "choice", "", *arms], rows, (0, 1))
        return [decided, *([_firing(results.summary.statistics)] if results.summary.statistics else [])]

    def rows(self, results: Results[Settings, Summary]) -> list[Row]:
        """Return a row for each training and arm."""
        return [
            {
                "after": found.after,
                "arm": arm,
                "chosen": arm == found.arm,
                "agreed": found.agreed,
                **{key: getattr(found, key)[arm] for key in ("w", "u_end", "v_end", "probabilities")},
            }
            for found in results.summary.decisions
            for arm in range(results.settings.arms)
        ]


def _firing(found: dict[str, Any]) -> Table:
    """Return the firing statistics as a table."""
    labels = {"untrained": "untrained network", "trained": "trained option", "beside": "options beside it"}
    rows = []
    for kind, populations in found.items():
        for population, keys in populations.items():
            early, late = keys["rate"].values()
            cells = [_estimated(each) for each in (early, late, keys["cv"], keys["cv2"], keys["fano"])]
            rows.append([labels[kind], population.upper(), *cells])
    title = (
        f"firing (95% over {statistics.GAMES} games, phase 2 of {statistics.FREE / 1e3:g} s; the trained option's "
        f"weight {statistics.TRAINED:g} w_max)"
    )
    columns = ["", "population", "rate in phase 1 (Hz)", "in phase 2 (Hz)", "CV", "CV2", "Fano, 250 ms"]
    return Table(title, columns, rows, (0, 1))


def _estimated(each: dict[str, float | None]) -> str:
    if each["mean"] is None or each["high"] is None:
        return "-"
    return f"{each['mean']:.2f} ± {each['high'] - each['mean']:.2f}"


STUDY = DecisionStudy()
