"""``nsa decision``: one decision watched in the Brian2 network, with untrained, half-trained and trained weights."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.core.game_settings import GameSettings, model_told, setting
from experiments.core.nsa_agents import is_nsa
from experiments.core.settings import PlaySettings
from experiments.core.tables import Table
from experiments.studies.decision import spikes as spiking_decision

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.core.study import Arrays, Cell, StudyResults

NAME = "decision"
HELP = "one decision watched in the Brian2 network: u(t) and v(t) of every arm through both phases"
EXAMPLES = """  nsa decision --arms 8 --after 0,5,50,500
  nsa decision --model my.py
  nsa decision --model spiking"""

#: One in so many time steps is kept.
TIME_STEP = 5


@dataclass(frozen=True, kw_only=True)
class Settings(GameSettings):
    """NSA plays MAB-P for some rounds; then its weights are put into the network, and it decides once more."""

    agents: tuple[str, ...] = setting(("nsa",), "nsa or nsa:WHAT, the only agent that is a network", "nsa")
    trials: int = setting(1, "trials of the training")
    rounds: int = setting(500, "rounds of a trial; the longest training")
    repetitions: int = setting(1, "games; the first is watched")
    arms: int = setting(5, "arms")
    after: tuple[int, ...] = setting((0, 8, 300), "rounds of training before each decision", "N,M")

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.after) < 0 or max(self.after) > self.trials * self.rounds:
            raise ValueError(
                f"after must lie from 0 to {self.trials * self.rounds}, got {','.join(map(str, self.after))}"
            )
        if len(self.agents) != 1 or not is_nsa(self.agents[0]):
            raise ValueError(f"agents must be nsa, the only one that is a network, got {','.join(self.agents)}")


PAPER = Settings()
PRESETS = {"paper": PAPER, "full": PAPER, "quick": dataclasses.replace(PAPER, after=(0, 8, 60), rounds=60)}


def cells(settings: Settings) -> dict[str, Cell]:
    """A cell for each length of training; with spikes, one more for the firing left against the weight."""
    games = settings.games("MAB-P", settings.arms)
    if settings.engine == "spiking":
        watched = {f"{rounds}": partial(spiking_decision.decide, games, rounds) for rounds in settings.after}
        return {**watched, spiking_decision.RESPONSE: partial(spiking_decision.respond, games)}
    return {f"{rounds}": partial(decide, games, rounds) for rounds in settings.after}


def decide(games: PlaySettings, rounds: int) -> Arrays:
    """Train, put the weights into the network, watch."""
    from experiments.core.play import trained
    from nsa_brian import NSANetwork

    agent, bandit = trained(games, rounds)
    engine = agent.engine
    network = NSANetwork(games.arms, engine.parameters[0], ties=games.ties, seed=games.seed, model=engine.model)
    network.set_weights(**{name: values[0] for name, values in engine.synapses.items()})
    for name in engine.model.carried if rounds else ():
        network.state(name)[:] = engine.state(name)
    decision = network.decide()
    return {
        "t": decision.t[::TIME_STEP],
        "u": decision.u[::TIME_STEP],
        "v": decision.v[::TIME_STEP],
        "u_end": decision.u[-1],
        "v_end": decision.v[-1],
        "w": engine.w[0],
        "probabilities": bandit.probabilities[0],
        "arm": np.array(decision.arm),
        "agreed": np.array(decision.agreed),
    }


def summary(results: StudyResults) -> dict[str, Any]:
    """What was decided after each training."""
    decisions = []
    for rounds in results.settings["after"]:
        found = results.cells[str(rounds)]
        lists = {key: found[key].tolist() for key in ("w", "u_end", "v_end", "probabilities")}
        decisions.append({"after": rounds, "arm": int(found["arm"]), "agreed": bool(found["agreed"]), **lists})
    if not spiking(results):
        return {"decisions": decisions}
    critical = {
        model: None
        if np.isnan(results.cells[spiking_decision.RESPONSE][key])
        else float(results.cells[spiking_decision.RESPONSE][key])
        for model, key in (("spiking", "critical"), ("rate", "critical_rate"))
    }
    return {"decisions": decisions, "critical_weight": critical}


def spiking(results: StudyResults) -> bool:
    """Whether spikes were watched, not rates."""
    return results.settings["engine"] == "spiking"


def tables(results: StudyResults) -> list[Table]:
    """The summary as a table."""
    rows = [
        [
            str(found["after"]),
            str(found["arm"]),
            "agreed" if found["agreed"] else "explored",
            *(f"{w:.2f} {u:.2f} {v:.2f}" for w, u, v in zip(found["w"], found["u_end"], found["v_end"], strict=True)),
        ]
        for found in summary(results)["decisions"]
    ]
    arms = [f"arm {k}: w u v" for k in range(results.settings["arms"])]
    left = "the activities left"
    if spiking(results):
        critical = {model: f"{w:.2f}" if w else "none" for model, w in summary(results)["critical_weight"].items()}
        left = f"the firing left (Hz); critical weight {critical['spiking']}, of the rate model {critical['rate']}"
    return [
        Table(
            f"decisions after training on MAB-P{model_told(results.settings)}; of each arm the weight and {left}",
            ["rounds of training", "choice", "", *arms],
            rows,
            (0, 1),
        )
    ]


def draw(results: StudyResults) -> Figure:
    """The course of u and v for each training, or the spikes."""
    from experiments.studies.decision import figure as decision_figure
    from experiments.studies.decision import spiking_figure

    return (spiking_figure if spiking(results) else decision_figure).draw(results)
