"""``nsa fit``: fit NSA and models of behaviour to the choices of subjects, and compare them."""

from __future__ import annotations

import argparse
import dataclasses
from dataclasses import dataclass

import numpy as np

from experiments.core.cells import Arrays, Cell
from experiments.core.command import Command
from experiments.core.errors import UserError
from experiments.core.formats import csv_text
from experiments.core.results import Results, Row
from experiments.core.study import Export, Study
from experiments.core.study_command import add_arguments, command_of, run
from experiments.core.tables import Table
from experiments.studies.fit.candidates import Candidate
from experiments.studies.fit.cell import FitCell, by_subject
from experiments.studies.fit.comparison import aic, bic, random_effects
from experiments.studies.fit.predictive import Statistics
from experiments.studies.fit.settings import FitSettings
from nsa_brian.errors import printable

#: Log evidence of an agent for which some choice is impossible.
IMPOSSIBLE = -1e9
#: Runs of a search whose best values differ by less than this, in nats, have found the same maximum.
AGREE = 0.1


@dataclass(frozen=True)
class Fit:
    """Fit of an agent to a subject.

    Attributes
    ----------
    log_likelihood : float
        Of all choices, at the best parameters.
    nats_per_choice, chance : float
        Minus the log-likelihood per choice, and that of random choices: lower is better.
    log_posterior : float or None
        Log-likelihood plus log prior; None without priors.
    held_out : float or None
        Log-likelihood of choices under parameters fitted to the others; None without cross-validation.
    converged : bool
        Whether at least two runs of the search found the same maximum.
    """

    subject: str
    agent: str
    trials: int
    log_likelihood: float
    nats_per_choice: float
    chance: float
    parameters: dict[str, float]
    aic: float
    bic: float
    log_posterior: float | None
    held_out: float | None
    converged: bool


@dataclass(frozen=True)
class Compared:
    """An agent over all subjects: sums, means over choices, and random effects."""

    log_likelihood: float
    nats_per_choice: float
    held_out_nats_per_choice: float | None
    aic: float
    bic: float
    n_parameters: int
    subjects_won: int
    frequency: float
    exceedance_probability: float
    protected_exceedance_probability: float


@dataclass(frozen=True)
class FitSummary:
    """All fits, and the comparison of agents.

    Attributes
    ----------
    fits : list of Fit
    agents : dict
        Comparison by agent.
    chance_nats_per_choice : float
    bayesian_omnibus_risk : float
        Probability that all agents are equally frequent.
    free : dict
        Free parameters by agent, in words.
    predictive : dict
        Statistics of choices, means over subjects: those of the ``subjects`` and of the simulations of each agent.
    """

    fits: list[Fit]
    agents: dict[str, Compared]
    chance_nats_per_choice: float
    bayesian_omnibus_risk: float
    free: dict[str, list[str]]
    predictive: dict[str, Statistics]


class FitStudy(Study[FitSettings, FitSummary]):
    """Study of fits to behaviour."""

    name = "fit"
    unit = "fits"
    examples = """  nsa fit data.csv --agents nsa,q-learning,win-stay-lose-shift
  nsa fit data.csv --condition stimuli --scale-rewards=-1,1
  nsa fit data.csv --search nsa=mu_eta,alpha_v,lapse --search q-learning=step,beta:0.1:20,lapse
  nsa fit data.csv --agents q-learning --prior q-learning.step=beta:1.1:1.1 --prior q-learning.beta=gamma:1.2:5
  nsa fit data.csv --folds 4 --workers 2

columns of the file, in any order; those of hBayesDM, HDDM and cpm are known:
  subject      also subjID, subj_idx, ppt, participant
  choice       also response, arm, action; numbers from 0 or from 1, or names; empty or NA: a missed trial
  reward       also outcome, feedback, or gain and loss; from 0 to 1, else --scale-rewards=LOW,HIGH
  block        also run, session: learning starts anew; optional
  offered      arms to choose from, separated by spaces; optional"""
    presets = {
        "standard": FitSettings(),
        "quick": FitSettings(
            agents=("nsa", "q-learning"), subjects=3, screened=64, restarts=2, generations=15, predictive=5
        ),
    }

    def cells(self, settings: FitSettings) -> dict[str, Cell]:
        """Return a cell for each agent; workers divide its subjects among them."""
        behaviour = settings.behaviour()
        work = (settings.effort, settings.predictive, settings.seed)
        return {
            name: FitCell(each, behaviour.subjects, behaviour.n_arms, *work)
            for name, each in settings.candidates.items()
        }

    def summary(self, results: Results[FitSettings, FitSummary]) -> FitSummary:
        """Return all fits and the comparison of agents."""
        settings = results.settings
        fits = [
            _fit(settings.candidates[agent], subject, found)
            for agent, cell in results.cells.items()
            for subject, found in by_subject(cell).items()
        ]
        by_agent = {name: [fit for fit in fits if fit.agent == name] for name in settings.agents}
        first = next(iter(by_agent.values()))
        scores = np.array([[getattr(fit, settings.criterion) for fit in each] for each in by_agent.values()]).T
        effects = random_effects(np.maximum(-scores / 2, IMPOSSIBLE))
        n_trials, wins = sum(fit.trials for fit in first), scores.argmin(axis=1)
        agents = {
            name: _compared(each, n_trials, int((wins == i).sum()), effects.frequencies[i], effects.exceedance[i],
                            effects.protected[i])
            for i, (name, each) in enumerate(by_agent.items())
        }  # fmt: skip
        chance = sum(fit.chance * fit.trials for fit in first) / n_trials
        return FitSummary(fits, agents, chance, effects.omnibus_risk, settings.free_text, _predictive(results))

    def tables(self, results: Results[FitSettings, FitSummary]) -> list[Table]:
        """Return the comparison of agents, and the parameters of each agent."""
        summary, settings = results.summary, results.settings
        fits = [fit for fit in summary.fits if fit.agent == settings.agents[0]]
        n_trials = sum(fit.trials for fit in fits)
        rows = []
        for name, found in summary.agents.items():
            held_out = found.held_out_nats_per_choice
            rows.append([
                name, str(found.n_parameters), f"{found.nats_per_choice:.4f}",
                *([] if held_out is None else [f"{held_out:.4f}"]), f"{found.log_likelihood:.1f}", f"{found.aic:.1f}",
                f"{found.bic:.1f}", str(found.subjects_won), f"{found.frequency:.2f}",
                f"{found.protected_exceedance_probability:.3f}",
            ])  # fmt: skip
        held = [] if not settings.folds else ["held out"]
        header = ["agent", "free", "nats a choice", *held, "log L", "AIC", "BIC", "won", "frequency", "pxp"]
        criterion = [getattr(found, settings.criterion) for found in summary.agents.values()]
        who = "all subjects pooled" if settings.pooled else f"{len(fits)} subjects"
        caption = (
            f"{printable(settings.data)}: {who}, {n_trials} choices; chance {summary.chance_nats_per_choice:.4f} nats "
            f"a choice; won: subjects with the lowest {settings.criterion.upper()}; pxp: protected exceedance "
            f"probability (Bayesian omnibus risk {summary.bayesian_omnibus_risk:.3f}){settings.model_note}"
        )
        tables = [Table(caption, header, rows, range(1, len(header)), bold=[int(np.argmin(criterion))])]
        return [*tables, *_parameter_tables(summary), *_predictive_tables(summary)]

    def rows(self, results: Results[FitSettings, FitSummary]) -> list[Row]:
        """Return a row for each fit and parameter."""
        found: list[Row] = []
        for fit in results.summary.fits:
            row = {key: value for key, value in dataclasses.asdict(fit).items() if key != "parameters"}
            named: list[tuple[str, float | None]] = [*fit.parameters.items()] or [("", None)]
            found += [{**row, "parameter": name, "value": value} for name, value in named]
        return found

    def exports(self, results: Results[FitSettings, FitSummary]) -> list[Export]:
        """Return the fits as CSV."""
        return [Export("fits", "csv", csv_text(self.rows(results)))]

    def check_cells(self, results: Results[FitSettings, FitSummary]) -> None:
        """Raise a ValueError unless every agent has been fitted to the same subjects."""
        subjects = [
            results.cells.get(agent, {}).get("subjects", np.empty(0)).tolist() for agent in results.settings.agents
        ]
        if not subjects[0] or any(each != subjects[0] for each in subjects):
            raise ValueError("agents were not fitted to the same subjects")


def _statistics(found: list[np.ndarray]) -> Statistics:
    """Return means over subjects, without those who have no such trials."""
    rows = np.array(found)
    known = ~np.isnan(rows)
    with np.errstate(invalid="ignore"):
        means = np.where(known, rows, 0).sum(axis=0) / known.sum(axis=0)
    return Statistics.of_array(means)


def _predictive(results: Results[FitSettings, FitSummary]) -> dict[str, Statistics]:
    if not results.settings.predictive:
        return {}
    cells = {agent: list(by_subject(cell).values()) for agent, cell in results.cells.items()}
    observed = [found["observed"] for found in next(iter(cells.values()))]
    simulated = {agent: _statistics([found["simulated"] for found in each]) for agent, each in cells.items()}
    return {"subjects": _statistics(observed), **simulated}


def _fit(agent: Candidate, subject: str, found: Arrays) -> Fit:
    n_trials, total = len(found["arms"]), float(found["log_likelihood"])
    runs = np.sort(found["runs"])[::-1]
    priors = any(gene.prior is not None for gene in agent.genes)
    return Fit(
        subject=subject,
        agent=agent.name,
        trials=n_trials,
        log_likelihood=total,
        nats_per_choice=-total / n_trials,
        chance=float(np.log(found["n_offered"]).mean()),
        parameters={gene.name: float(value) for gene, value in zip(agent.genes, found["values"], strict=True)},
        aic=aic(total, len(agent.genes)),
        bic=bic(total, len(agent.genes), n_trials),
        log_posterior=total + float(found["log_prior"]) if priors else None,
        held_out=float(found["held_out"]) if "held_out" in found else None,
        converged=bool(len(runs) < 2 or runs[0] - runs[1] < AGREE),
    )


def _compared(fits: list[Fit], n_trials: int, won: int, frequency: float, exceeds: float, protected: float) -> Compared:
    total = sum(fit.log_likelihood for fit in fits)
    held_out = [fit.held_out for fit in fits if fit.held_out is not None]
    return Compared(
        log_likelihood=total,
        nats_per_choice=-total / n_trials,
        held_out_nats_per_choice=-sum(held_out) / n_trials if held_out else None,
        aic=sum(fit.aic for fit in fits),
        bic=sum(fit.bic for fit in fits),
        n_parameters=len(fits[0].parameters),
        subjects_won=won,
        frequency=float(frequency),
        exceedance_probability=float(exceeds),
        protected_exceedance_probability=float(protected),
    )


def _parameter_tables(summary: FitSummary) -> list[Table]:
    """Return a table of the free parameters: median and quartiles over subjects."""
    rows = []
    for agent, texts in summary.free.items():
        fits = [fit for fit in summary.fits if fit.agent == agent]
        apart = sum(not fit.converged for fit in fits)
        for i, text in enumerate(texts):
            name = list(fits[0].parameters)[i]
            low, middle, high = np.quantile([fit.parameters[name] for fit in fits], [0.25, 0.5, 0.75])
            note = f"{apart} of {len(fits)} fits: runs of the search differ" if apart and not i else ""
            rows.append([agent, text, f"{middle:.4g}", f"{low:.4g} to {high:.4g}", note])
    if not rows:
        return []
    header = ["agent", "free parameter", "median", "quartiles", "note"]
    return [Table("free parameters, over subjects", header, rows, (2, 3))]


def _predictive_tables(summary: FitSummary) -> list[Table]:
    rows = []
    for name, each in summary.predictive.items():
        numbers = (each.switch, each.win_stay, each.lose_shift, each.reward[0], each.reward[-1])
        rows.append([name, *("–" if value is None else f"{value:.3f}" for value in numbers)])
    if not rows:
        return []
    header = ["simulated", "switch", "win-stay", "lose-shift", "reward in first tenth", "in last tenth"]
    return [Table("predictive check: fitted agents play the subjects' games", header, rows, range(1, 6))]


STUDY = FitStudy()


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a study; the data may also be given without --data."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="CSV or TSV file of choices and rewards")
    add_arguments(STUDY, parser)


def _run(args: argparse.Namespace) -> None:
    if args.file is not None:
        if args.set_data is not None:
            raise UserError("give one file: FILE or --data FILE")
        args.set_data = args.file
    run(STUDY, args)


COMMAND = Command(command_of(STUDY).epilog, _add_arguments, _run)
