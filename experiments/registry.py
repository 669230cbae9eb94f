"""The commands of ``nsa``. Only the command that is asked for is imported."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from experiments.core.command import Command
    from experiments.core.study import Study


class Entry(NamedTuple):
    """A command: its group in the help, its name, the module that has it as ``STUDY`` or ``COMMAND``, its help."""

    group: str
    name: str
    module: str
    help: str


LOOK, PAPER, MODELS, SEARCH, TOOLS = GROUPS = (
    "play and look",
    "the paper's experiments",
    "models",
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
        "play a model along every path of every engine: which run it, whether they agree, how fast each is",
    ),
    Entry(
        LOOK, "environments", "studies.environments.study", "the bandits' probabilities over three trials, arms as rows"
    ),
    Entry(
        LOOK,
        "decision",
        "studies.decision.study",
        "one decision watched in the Brian2 network: u(t) and v(t) of every arm through both phases",
    ),
    Entry(
        LOOK,
        "response",
        "studies.response.study",
        "what the network computes: the activity left against the weight, w*, and the functions behind it",
    ),
    Entry(PAPER, "table", "studies.table.study", "the comparison table: four bandits, 5 to 1000 arms, all agents"),
    Entry(
        PAPER,
        "standings",
        "studies.standings.study",
        "where NSA stands among all tuned policies, over the paper's bandits and others",
    ),
    Entry(
        PAPER,
        "entropy",
        "studies.entropy.study",
        "entropy of the choices: over the rounds of MAB-P, and against the entropy of the reward distribution",
    ),
    Entry(
        PAPER,
        "updates",
        "studies.updates.study",
        "NSA's weight change a round, its mean reward and its weights, over a change of the bandit",
    ),
    Entry(
        PAPER,
        "report",
        "report.command",
        "run what is missing of all studies and write one page with every figure and table",
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
        "tune the baselines' own parameters on games of the kind that NSA's were evolved on",
    ),
    Entry(
        PAPER,
        "noise",
        "studies.noise.study",
        "NSA's regret against the strength of noise in its rates, for each bandit",
    ),
    Entry(
        TOOLS,
        "record",
        "tools.record",
        "write a bandit's probabilities, round by round, to a .csv file that the bandit `schedule` plays back",
    ),
    Entry(MODELS, "parameters", "tools.parameters", "list the parameter sets, or show one"),
    Entry(
        TOOLS,
        "bench",
        "bench.command",
        "measure how fast the engines and the policies are on this machine, side by side",
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
    """Return a study by its name."""
    return next(found for found in studies() if found.name == name)
