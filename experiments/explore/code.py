"""A view as Python code, as command lines and as a parameter file."""

from __future__ import annotations

from shlex import quote
from typing import Any

from experiments.explore.catalogue import Catalogue
from experiments.explore.view import View
from nsa_brian import ParameterSet
from nsa_brian.model.model import PAPER
from nsa_brian.parameter_set import names

#: Name of the parameter file in commands and code.
FILE = "explored.json"


def texts(view: View, catalogue: Catalogue) -> dict[str, str]:
    """Return the Python code, the command lines and the content of the parameter file of a view."""
    return {
        "python": as_python(view, catalogue),
        "command": as_command(view, catalogue),
        "parameters": as_set(view, catalogue).to_json(),
    }


def as_set(view: View, catalogue: Catalogue) -> ParameterSet:
    """Return the parameters as a set with its model, which every command takes as ``--parameters``."""
    model, chosen = view.of(catalogue), catalogue.sets[view.set]
    name = chosen.name if not view.parameters else f"{chosen.name}-explored"
    note = f"{chosen.name} with {', '.join(view.parameters)} changed" if view.parameters else chosen.note
    return ParameterSet(view.values(catalogue), name, "nsa explore", note, model=None if model == PAPER else model)


def as_command(view: View, catalogue: Catalogue) -> str:
    """Return the command that plays the shown game without its perturbation, and the one that shows the view again."""
    agents = ",".join(["nsa", *dict.fromkeys(view.policies)])
    words = ["nsa play", "--parameters", FILE if view.parameters else quote(view.set)]
    if not view.parameters and view.of(catalogue) != (catalogue.sets[view.set].model or PAPER):
        words += ["--model", quote(catalogue.sources[view.model])]
    words += ["--env", view.env, "--arms", str(view.arms), "--trials", str(view.trials), "--rounds", str(view.rounds)]
    words += ["--repetitions 1", "--seed", str(view.seed), "--agents", agents]
    return f"{' '.join(words)}\n{explore_command(view, catalogue)}"


def explore_command(view: View, catalogue: Catalogue) -> str:
    """Return the command that shows the view again."""
    words = ["nsa explore"]
    source = catalogue.sources[view.model]
    if source.endswith((".py", ".json")) or ".py:" in source:
        words += ["--model", quote(source)]
    if view.set not in names():
        words += ["--parameters", quote(view.set)]
    return " ".join([*words, *(["--view", quote(view.to_query())] if view.to_query() else [])])


def as_python(view: View, catalogue: Catalogue) -> str:
    """Return a script that plays the bandit of the view, perturbed if the view is."""
    model, source = view.of(catalogue), catalogue.sources[view.model]
    own = catalogue.sets[view.set].model
    lines = ["import envs", "from nsa_brian import NSA, load, load_model", ""]
    if view.silence:
        lines.insert(1, "from experiments.explore.lesion import lesioned")
    lines += [f"chosen = load({view.set!r})"]
    lines += [f"model = {'chosen.model' if own is not None else f'load_model({source!r})'}"]
    lines += ["parameters = model.complete(chosen.parameters)"]
    if view.parameters:
        changes = ", ".join(f"{name}={value!r}" for name, value in view.parameters.items())
        lines += [f"parameters = parameters.replace({changes})"]
    options: list[str] = []
    if view.perturbed:
        lines += _perturbation(view, model)
        options = ["inputs=inputs"]
    given = "".join(f", {option}" for option in ["seed=" + str(view.seed), "model=model", *options])
    lines += [
        "",
        f"bandit = envs.make({view.env!r}, {view.arms}, seed={view.seed}, trial_rounds={view.rounds})",
        f"agent = NSA({view.arms}, parameters{given})",
        "regret = 0.0",
        f"for _ in range({view.trials * view.rounds}):",
        "    arm = agent.select_arm()",
        "    regret += bandit.probabilities.max() - bandit.probabilities[0, arm]",
        "    agent.update(arm, bandit.pull(arm))",
        "    bandit.step()",
        'print(f"regret {regret:.2f}, weights {agent.engine.w[0].round(2)}")',
    ]
    return "\n".join(lines) + "\n"


def _perturbation(view: View, model: Any) -> list[str]:
    """Return lines that make the inputs, and the model whose populations can be silenced."""
    length = view.rounds * view.trials
    lines = ["", f"during = [{view.start} <= t < {view.stop} for t in range({length})]", "inputs = {}"]
    if view.silence:
        lines.append("model = lesioned(model)")
        lines += [f'inputs["{name}_silenced"] = [float(on) for on in during]' for name in view.silence]
    for name, value in view.inputs.items():
        declared = model.structure.inputs[name]
        row = f"{value!r} if on else {declared.default!r}"
        if declared.per == "option":
            chosen = f"on and k == {view.option}" if view.option >= 0 else "on"
            row = f"[{value!r} if {chosen} else {declared.default!r} for k in range({view.arms})]"
        lines.append(f"inputs[{name!r}] = [{row} for on in during]")
    return lines
