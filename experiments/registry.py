"""Registry of the commands of ``nsa``. Only the requested command is imported."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from experiments.core.command import Command
    from experiments.core.study import Study


class Entry(NamedTuple):
    """A command: its group in the help, name, module (which defines ``STUDY`` or ``COMMAND``) and help text."""

    group: str
    name: str
    module: str
    help: str


LOOK, PAPER, MODELS, FITS, SEARCH, TOOLS = GROUPS = (
    "play and look",
    "the paper's experiments",
    "models",
    "behaviour",
    "search",
    "tools",
)

#: In the order of the report.
ENTRIES = (
    Entry(LOOK, "play", "studies.play.study", "let agents play a bandit: a table, a results file and a figure"),
    Entry(
        MODELS,
        "check",
        "tools.check",
        "run a model in every engine and code path: which support it, whether they agree, how fast they are",
    ),
    Entry(LOOK, "environments", "studies.environments.study", "reward probabilities of the bandits over three trials"),
    Entry(
        LOOK,
        "decision",
        "studies.decision.study",
        "record one decision of the Brian2 network: u(t) and v(t) of every arm in both phases",
    ),
    Entry(
        LOOK,
        "response",
        "studies.response.study",
        "final activity of an option as a function of its weight, critical weight w*, transfer functions",
    ),
    Entry(
        PAPER, "table", "studies.table.study", "the paper's comparison table: four bandits, 5 to 1000 arms, all agents"
    ),
    Entry(
        PAPER,
        "standings",
        "studies.standings.study",
        "rank NSA among all tuned policies, on the paper's bandits and others",
    ),
    Entry(
        PAPER,
        "bound",
        "studies.bound.study",
        "distance of agents to a near-Bayesian agent that knows how the bandit changes",
    ),
    Entry(
        PAPER,
        "entropy",
        "studies.entropy.study",
        "entropy of the choices: over the rounds of MAB-P, and as a function of the entropy of the rewards",
    ),
    Entry(
        PAPER,
        "updates",
        "studies.updates.study",
        "weight changes, mean reward and weights of NSA before and after a change of the bandit",
    ),
    Entry(
        PAPER,
        "report",
        "report.command",
        "run all studies that are not stored yet and write one page with every figure and table",
    ),
    Entry(
        FITS,
        "fit",
        "studies.fit.study",
        "fit NSA and models of behaviour to the choices of subjects, and compare them",
    ),
    Entry(
        FITS,
        "recover",
        "studies.recover.study",
        "fit simulated subjects: which parameters and which agents a fit finds again",
    ),
    Entry(
        SEARCH,
        "evolve",
        "evolve.command",
        "search for better parameters of a model with CMA-ES; resumable, on one machine or a cluster",
    ),
    Entry(SEARCH, "evolution-figures", "evolve.figures_command", "draw the figures of a search from its folder"),
    Entry(
        PAPER,
        "tune",
        "studies.tune.study",
        "tune the parameters of the baselines on the kind of games that NSA was evolved on",
    ),
    Entry(
        PAPER,
        "noise",
        "studies.noise.study",
        "regret of NSA as a function of the noise in its rates, for each bandit",
    ),
    Entry(
        TOOLS,
        "record",
        "tools.record",
        "write the reward probabilities of a bandit to a .csv file, for the bandit `schedule`",
    ),
    Entry(MODELS, "parameters", "tools.parameters", "list the parameter sets, or show one"),
    Entry(
        TOOLS,
        "bench",
        "bench.command",
        "measure the speed of the engines and policies on this machine",
    ),
)


def command(entry: Entry) -> Command:
    """Import and return a command."""
    module = import_module(f"experiments.{entry.module}")
    if hasattr(module, "COMMAND"):
        return module.COMMAND
    return import_module("experiments.core.study_command").command_of(module.STUDY)


def studies() -> list[Study[Any, Any]]:
    """Import and return all studies."""
    return [
        import_module(f"experiments.{entry.module}").STUDY for entry in ENTRIES if entry.module.startswith("studies.")
    ]


def study(name: str) -> Study[Any, Any]:
    """Return a study by name."""
    return next(found for found in studies() if found.name == name)
