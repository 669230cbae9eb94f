"""``nsa recover``: simulate subjects with known parameters, fit them, and compare what was found with what was true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import envs
from experiments.core.cells import Arrays, Cell
from experiments.core.errors import at_least
from experiments.core.formats import csv_text
from experiments.core.inputs import check_unchanged, file_digests, with_tables
from experiments.core.options import setting
from experiments.core.results import Results, Row
from experiments.core.study import Export, Study
from experiments.core.tables import Table
from experiments.studies.fit.batch import Batch
from experiments.studies.fit.candidates import Candidate
from experiments.studies.fit.comparison import bic
from experiments.studies.fit.data import Game, Subject
from experiments.studies.fit.fitting import best
from experiments.studies.fit.settings import SearchSettings
from experiments.studies.recover.simulating import simulate, typical_values

RECOVERED = ("nsa", "q-learning", "choice-kernel", "win-stay-lose-shift")


@dataclass(frozen=True, kw_only=True)
class RecoverSettings(SearchSettings):
    """Simulated subjects, and how they are fitted."""

    agents: tuple[str, ...] = setting(RECOVERED, "agents that play and are fitted, comma separated", "A,B")
    subjects: int = setting(40, "simulated subjects of each agent")
    rounds: int = setting(300, "choices of each subject")
    env: str = setting("random-walk", f"bandit: {', '.join(envs.BANDITS)}", "NAME")
    env_options: dict[str, Any] | None = setting(
        None, "option of the bandit; repeatable", "KEY=VALUE", flag="--env-option"
    )
    arms: int = setting(4, "number of arms", "K")

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, subjects=2, rounds=2, arms=2)
        _ = self.bandit(1)

    @property
    def input_digests(self) -> dict[str, str]:
        """Digests of the files of the bandit."""
        return file_digests(self.env, self.env_options or {})

    def bandit(self, n_games: int) -> envs.Bandit:
        """Return the bandit that simulated subjects play."""
        options, digests = self.env_options or {}, self.input_digests
        made = envs.make(
            self.env, self.arms, n_games=n_games, trial_rounds=self.rounds, **with_tables(self.env, options, digests)
        )
        check_unchanged(self.env, options, digests)
        return made


@dataclass(frozen=True)
class Recovered:
    """Recovery of a parameter.

    Attributes
    ----------
    correlation : float or None
        Of true and fitted values on the scale of the search; None if one of them does not vary.
    bias, rmse : float
        Mean and root mean square of fitted minus true values.
    lowest, highest : float
        Smallest and largest true value.
    """

    agent: str
    parameter: str
    lowest: float
    highest: float
    correlation: float | None
    bias: float
    rmse: float


@dataclass(frozen=True)
class RecoverSummary:
    """Recovery of all parameters, and of the agents.

    Attributes
    ----------
    parameters : list of Recovered
    confusion : dict
        Share of the subjects of each agent (first key) for which each agent (second key) has the lowest BIC.
    """

    parameters: list[Recovered]
    confusion: dict[str, dict[str, float]]


class RecoverStudy(Study[RecoverSettings, RecoverSummary]):
    """Study of the recovery of parameters and agents."""

    name = "recover"
    unit = "fits"
    examples = """  nsa recover --agents nsa --search nsa=mu_eta,sigma_eta,alpha_v,lapse
  nsa recover --agents q-learning,q-kernel --rounds 100 --env reversal --arms 2"""
    presets = {
        "standard": RecoverSettings(),
        "quick": RecoverSettings(
            agents=("nsa", "q-learning"), subjects=4, rounds=60, screened=32, restarts=2, generations=10
        ),
    }

    def cells(self, settings: RecoverSettings) -> dict[str, Cell]:
        """Return a cell for each agent that plays and each that is fitted to it."""
        return {
            f"{true}|{fitted}": Cell(recover_cell, settings, settings.candidates[true], settings.candidates[fitted])
            for true in settings.agents
            for fitted in settings.agents
        }

    def summary(self, results: Results[RecoverSettings, RecoverSummary]) -> RecoverSummary:
        """Return correlations, biases and the confusion matrix."""
        settings = results.settings
        parameters = [
            _recovered(each, i, results.cells[f"{name}|{name}"])
            for name, each in settings.candidates.items()
            for i in range(len(each.genes))
        ]
        confusion = {}
        for true in settings.agents:
            scores = np.array([self.scores(results, true, fitted) for fitted in settings.agents])
            shares = np.bincount(scores.argmin(axis=0), minlength=len(scores)) / settings.subjects
            confusion[true] = dict(zip(settings.agents, shares.tolist(), strict=True))
        return RecoverSummary(parameters, confusion)

    def scores(self, results: Results[RecoverSettings, RecoverSummary], true: str, fitted: str) -> np.ndarray:
        """Return the BIC (subjects,) of an agent that was fitted to the subjects of another."""
        totals = results.cells[f"{true}|{fitted}"]["log_likelihood"]
        n_parameters, rounds = len(results.settings.candidates[fitted].genes), results.settings.rounds
        return np.array([bic(total, n_parameters, rounds) for total in totals])

    def tables(self, results: Results[RecoverSettings, RecoverSummary]) -> list[Table]:
        """Return a table of parameters and the confusion matrix."""
        settings, summary = results.settings, results.summary
        rows = []
        for each in summary.parameters:
            correlation = "–" if each.correlation is None else f"{each.correlation:.3f}"
            true = f"{each.lowest:.3g} to {each.highest:.3g}"
            rows.append([each.agent, each.parameter, true, correlation, f"{each.bias:+.3g}", f"{each.rmse:.3g}"])
        caption = (
            f"recovery of parameters: {settings.subjects} subjects x {settings.rounds} rounds, {settings.env}, "
            f"{settings.arms} arms, seed {settings.seed}; nsa: {settings.parameters}{settings.model_note}"
        )
        tables = [
            Table(caption, ["agent", "parameter", "true values", "correlation", "bias", "RMSE"], rows, (2, 3, 4, 5))
        ]
        shares = [[true, *(f"{share:.2f}" for share in row.values())] for true, row in summary.confusion.items()]
        header = ["simulated", *settings.agents]
        title = "confusion matrix: share of subjects for which each agent has the lowest BIC"
        return [*tables, Table(title, header, shares, range(1, len(header)))]

    def rows(self, results: Results[RecoverSettings, RecoverSummary]) -> list[Row]:
        """Return a row for each subject and parameter."""
        found: list[Row] = []
        for name, each in results.settings.candidates.items():
            cell = results.cells[f"{name}|{name}"]
            for i, gene in enumerate(each.genes):
                for subject, (true, fitted) in enumerate(zip(cell["true"][:, i], cell["values"][:, i], strict=True)):
                    values = {"true": float(true), "fitted": float(fitted)}
                    found.append({"agent": name, "subject": subject, "parameter": gene.name, **values})
        return found

    def exports(self, results: Results[RecoverSettings, RecoverSummary]) -> list[Export]:
        """Return true and fitted values as CSV."""
        return [Export("values", "csv", csv_text(self.rows(results)))]

    def check_cells(self, results: Results[RecoverSettings, RecoverSummary]) -> None:
        """Raise a ValueError unless all agents were fitted to all subjects."""
        for true in results.settings.agents:
            for fitted in results.settings.agents:
                found = results.cells.get(f"{true}|{fitted}", {}).get("log_likelihood")
                if found is None or found.shape != (results.settings.subjects,):
                    raise ValueError(f"{fitted} was not fitted to {results.settings.subjects} subjects of {true}")


STUDY = RecoverStudy()


def recover_cell(settings: RecoverSettings, true: Candidate, fitted: Candidate) -> Arrays:
    """Simulate the subjects of one agent and fit another to them; subjects depend on neither other agents nor fits."""
    stream = (settings.seed, int.from_bytes(true.name.encode(), "big"))
    rng = np.random.default_rng(stream)
    n = settings.subjects
    values = typical_values(true, n, rng)
    arms, rewards = simulate(true, values, settings.bandit(n), settings.rounds, rng)
    seeds = [(*stream, int.from_bytes(fitted.name.encode(), "big"), subject) for subject in range(n)]
    subjects = [Subject(str(i), (Game("", arms[i], rewards[i]),)) for i in range(n)]
    batch = Batch(subjects, settings.arms)
    found, _ = best(fitted, batch, settings.effort, seeds)
    totals = batch.log_likelihood(fitted, found, np.arange(n))
    return {"true": _columns(true, values, n), "values": _columns(fitted, found, n), "log_likelihood": totals}


def _columns(agent: Candidate, values: Any, n: int) -> np.ndarray:
    return np.array([values[gene.name] for gene in agent.genes]).reshape(len(agent.genes), n).T


def _recovered(agent: Candidate, i: int, cell: Arrays) -> Recovered:
    gene, true, fitted = agent.genes[i], cell["true"][:, i], cell["values"][:, i]
    places = np.array([gene.range.position(each) for each in (true, fitted)])
    varies = np.isfinite(places).all() and (np.ptp(places, axis=1) > 0).all()
    correlation = float(np.corrcoef(places)[0, 1]) if varies else None
    error = fitted - true
    ends, rmse = (float(true.min()), float(true.max())), float(np.sqrt((error**2).mean()))
    return Recovered(agent.name, gene.name, *ends, correlation, float(error.mean()), rmse)
