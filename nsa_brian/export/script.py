"""A model with its parameters, a bandit and the game loop as a plain Brian2 script that needs brian2 and numpy alone.

The script is read from the objects of the network engine, so that both have the same strings. With the same seed it
makes the same choices: it carries copies of the random streams and of the choice rule.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from nsa_brian.codegen.streams import _NORMAL, _UNIT, n_seeds, n_streams
from nsa_brian.engines.network import NSANetwork
from nsa_brian.errors import printable
from nsa_brian.export.limits import BANDITS, check_exportable
from nsa_brian.export.objects import Objects
from nsa_brian.export.parameters import imports, parameter_lines
from nsa_brian.export.rules import Rules
from nsa_brian.export.texts import is_zero, number_text, numpy_text, unit_text
from nsa_brian.model.model import PAPER, Model
from nsa_brian.parameters import NSAParameters
from nsa_brian.preparation import with_prepared

CITATION = (
    "Danieli and Lepperød (2026). A bio-inspired minimal model for non-stationary K-armed bandits. Biological "
    "Cybernetics. https://doi.org/10.1007/s00422-026-01037-5"
)
ABOUT = "Two populations, U and V, have neurons for each option; an option is taken if both agree on it, else any."


@dataclass(frozen=True)
class Game:
    """The game of a script: arms, rounds, seed, and the bandit with its settings."""

    n_arms: int = 5
    n_rounds: int = 30
    seed: int = 0
    bandit: str = "MAB-P"
    settings: Mapping[str, float] | None = None


def to_script(
    parameters: NSAParameters,
    model: Model = PAPER,
    game: Game = Game(),
    *,
    dt: Any = None,
    set_name: str = "",
    command: str = "",
) -> str:
    """Return a plain Brian2 script that plays a game with a model.

    Parameters
    ----------
    parameters : NSAParameters
    model : Model
    game : Game
    dt : Quantity, optional
        Time step.
    set_name, command : str
        Name of the parameter set, and the command that makes the same choices, for the text at the top.

    Raises
    ------
    ValueError
        If the model or the bandit cannot be exported; the message says why.
    """
    check_exportable(model, game.bandit)
    options = {"model": model} if dt is None else {"model": model, "dt": dt}
    options = with_prepared(model, parameters, game.n_arms, 1, options)
    network = NSANetwork(game.n_arms, parameters, seed=0, **options)
    for each in network.network.objects:  # else Brian2 warns that they were never run
        each._network = network.network.id
    return Script(network, game).text(set_name, command)


class Script:
    """The text of a script for a network and a game."""

    def __init__(self, network: NSANetwork, game: Game) -> None:
        self._network, self._game = network, game
        self._model, self._structure = network.model, network.structure
        self._objects = Objects(network)
        self._rules = Rules(network, self._objects)

    def text(self, set_name: str, command: str) -> str:
        """Return the script."""
        structure, objects, rules = self._structure, self._objects, self._rules
        context: dict[str, Any] = {
            "title": _in_docstring(f"The model {printable(self._model.name)} on the bandit {self._game.bandit}"),
            "about": _in_docstring(self._about(set_name, command)),
            "seed": self._game.seed,
            "n_arms": self._game.n_arms,
            "n_rounds": self._game.n_rounds,
            "inputs": self._inputs(),
            "time_step": number_text(float(self._network.dt), "ms"),
            "phases": self._phases(),
            "n_before": len(structure.before),
            "after": bool(structure.after),
            "spiking": [objects.names[key] for key in ("u", "v") if structure.populations[key].spikes],
            "window": numpy_text(structure.choice.window or structure.before[-1].duration),
            "groups": objects.groups,
            "synapses": objects.synapses,
            "order": objects.order,
            "objects": ", ".join([*(each.name for each in objects.groups), *(each.name for each in objects.synapses)]),
            "single": structure.single,
            "contacts": bool(structure.contacts),
            **self._random(),
            "readout": rules.readout(),
            "explore": rules.explore(),
            "agreement": structure.choice.exploit == "agreement",
            "tolerance": self._tolerance(),
            "signals": rules.update_signals(),
            "learn": rules.learn(),
            "by_statements": rules.by_statements,
            "learns": self._learns(),
            "shown": any("shown[" in line for line in (*rules.learn(), *rules.update_signals(), *rules.explore())),
            "phase_lines": self._phase_lines(),
            "carried": structure.carried,
            "rest": self._rest(),
            "begin_after": self._begin_after(),
            "initial": self._initial(),
            "w": objects.at["w"],
        }
        context["bandit"] = self._bandit()
        context["parameters"] = parameter_lines(self._network, context)
        context["imports"] = imports(context)
        return _tidy(_environment().get_template("script.py.jinja").render(context))

    # Parts -----------------------------------------------------------------------------------------------------------

    def _about(self, set_name: str, command: str) -> str:
        lines = [ABOUT]
        if self._model.name != "paper":
            lines.append(f'This is the model "{printable(self._model.name)}", which changes the paper\'s.')
        if set_name:
            lines.append(f"Parameters: {printable(set_name)}.")
        lines.append("It needs brian2 and numpy.")
        found = f"{textwrap.fill(CITATION, 120)}\n\n{textwrap.fill(' '.join(lines), 120)}"
        return found + (f"\n\nThe same choices are made by\n\n    {command}" if command else "")

    def _bandit(self) -> str:
        defaults = BANDITS[self._game.bandit]
        template = _environment().get_template(f"{self._game.bandit}.py.jinja")
        return template.render({**defaults, **(self._game.settings or {})}).strip()

    def _inputs(self) -> list[dict[str, Any]]:
        found = []
        for name, given in self._structure.inputs.items():
            per_option = given.per == "option"
            shape = "(n_rounds, n_arms)" if per_option else "n_rounds"
            unit = f" * {given.unit if given.unit.isidentifier() else f'({given.unit})'}" if given.unit else ""
            code = f"np.full({shape}, {number_text(given.default)}){unit}"
            found.append({"name": name, "per_option": per_option, "code": code})
        return found

    def _phases(self) -> list[dict[str, Any]]:
        phased = self._structure.phased
        return [
            {
                "name": phase.name,
                "duration": numpy_text(phase.duration),
                "on": {name: numpy_text(phase.on.get(name, "0")) for name in phased},
            }
            for phase in self._structure.phases
        ]

    def _phase_lines(self) -> list[str]:
        """Return what sets the names of phases in all groups, and the rates of Poisson events."""
        network, objects = self._network, self._objects
        found = []
        groups = {objects.names[key]: group for key, group in network._objects.groups.items()}
        groups |= {"options": network.options} if network.options is not None else {}
        for name in self._structure.phased:
            found += [f'{key}.{name} = on["{name}"]' for key, group in groups.items() if name in group.user_equations]
        for key, neurons in self._structure.populations.items():
            for code, rate in neurons.poisson.items():
                text = numpy_text(rate)
                for name in self._structure.phased:
                    text = re.sub(rf"\b{name}\b", f'on["{name}"]', text)
                label = f"{objects.names[key]}.{self._rules.written(key, code)}"
                found.append(f'means["{label}"] = float(({text}) * time_step)')
        return found

    def _random(self) -> dict[str, Any]:
        """Return what a script needs for the neurons' random numbers."""
        structure, objects = self._structure, self._objects
        streams, drawn, start = [], [], 0
        for key, neurons in structure.populations.items():
            name = objects.names[key]
            size = len(self._network._objects.groups[key])
            stop = start + n_streams(structure, size)
            bits = f"stream_{name}.bits()" if structure.single else f"stream_{name}.halves(len({name}))"
            if neurons.normal or neurons.poisson:
                streams.append({"name": name, "start": start, "stop": stop})
            for code in neurons.normal:
                drawn.append(f"{name}.{self._rules.written(key, code)} = normal({bits})")
            for code in neurons.poisson:
                label = f"{name}.{self._rules.written(key, code)}"
                drawn.append(f'{label} = poisson({bits}, means["{label}"])')
            start = stop
        if structure.contacts:
            streams.append({"name": "contacts", "start": start, "stop": start + 1})
        return {
            "draws": structure.draws,
            "normal": any(each.normal for each in structure.populations.values()),
            "poisson": any(each.poisson for each in structure.populations.values()),
            "streams": streams,
            "drawn": drawn,
            "n_seeds": n_seeds(self._model, self._network.values[0], self._game.n_arms),
            "unit_variance": repr(_UNIT),
            "polynomial": [repr(each) for each in _NORMAL],
        }

    def _tolerance(self) -> list[str]:
        given = self._network.tolerance
        both = [float(given)] * 2 if isinstance(given, float | int) else [float(each) for each in given]
        return [f"{each:g}" for each in both]

    def _learns(self) -> str:
        if not self._rules.by_statements:
            new = " Eq. (3): it moves towards w_max after a reward, else towards 0."
            return "Change the weight of the pulled arm." + (new if self._model.plasticity == PAPER.plasticity else "")
        return "Change the variables of all options; `chosen` is 1 for the pulled arm, else 0."

    def _rest(self) -> list[str]:
        """Return the lines that start a round."""
        structure, objects, rules = self._structure, self._objects, self._rules
        found = []
        for key, neurons in structure.populations.items():
            name = objects.names[key]
            for code, text in neurons.initial.items():
                if code not in neurons.carried:
                    found.append(f"{name}.{rules.written(key, code)} = {self._value(code, text)}")
            if neurons.spikes:
                found += [f"{name}.lastspike = -1e9 * second", f"{name}.not_refractory = True"]
                found += [f"{name}.count = 0"] if key in ("u", "v") else []
        given = self._network._objects.given
        names = [name for name in given if name not in ("choice", "R")]
        found += rules.static(names)
        for name in given:
            for group, here, size, of_options in given[name]:
                found.append(f"{objects._name_of(group)}.{here} = {self._handed(name, size, of_options)}")
        return found

    def _handed(self, name: str, size: int, of_options: bool) -> str:
        """Return the value of a variable of options or games for a group of neurons."""
        structure = self._structure
        if name in ("choice", "R"):
            return "0"
        value = name if name in structure.expressions else self._rules.read(name)
        if name in structure.names("signals"):
            return f"{value}[0]"
        if name in structure.inputs and structure.inputs[name].per == "game":
            return value
        return f"np.repeat({value}, {size})" if size > 1 and of_options else value

    def _begin_after(self) -> list[str]:
        """Return the lines that begin the phases after the choice."""
        found, given = [], self._network._objects.given
        for group, here, size, _ in given.get("choice", ()):
            code = "np.where(np.arange(n_arms) == arm, 1.0, -1.0)"
            code = f"np.repeat({code}, {size})" if size > 1 else code
            found.append(f"{self._objects._name_of(group)}.{here} = {code}")
        found += [f"{self._objects._name_of(group)}.{here} = R" for group, here, _, _ in given.get("R", ())]
        if self._structure.contacts:
            found.append("UV.chance = stream_contacts.uniform(len(UV))")
        return found

    def _initial(self) -> list[str]:
        """Return the lines that set what is not 0 at the start of the game."""
        structure, objects = self._structure, self._objects
        found = []
        for name, text in structure.initial.items():
            if name in objects.at and not is_zero(text):
                found.append(f"{objects.at[name]}.{name} = {self._value(name, text)}")
        for key, neurons in structure.populations.items():
            for code in neurons.carried:
                if not is_zero(neurons.initial[code]):
                    value = self._value(code, neurons.initial[code])
                    found.append(f"{objects.names[key]}.{self._rules.written(key, code)} = {value}")
        if structure.contacts and any(line.startswith("options.w = ") for line in found):
            variable = next(iter(structure.contacts))
            found += [
                "n_contacts = len(UV) // n_arms",
                "strong = np.rint(np.clip(options.w[:] / w_max, 0, 1) * n_contacts)",
                f"UV.{variable} = (np.arange(n_contacts) < strong[:, None]).ravel()",
            ]
        if structure.contacts:
            found.append("learn(np.zeros(n_arms), 0.0)  # weights that fit the contacts")
        return found

    def _value(self, name: str, text: str) -> str:
        dimension = self._structure.dimensions[name]
        return f"0 * {_base(dimension)}" if is_zero(text) and _base(dimension) else numpy_text(text)


def _base(dimension: Any) -> str:
    """Return the base unit of a dimension; empty if it has none."""
    found = unit_text(dimension)
    return "" if found == "1" else found


def _in_docstring(text: str) -> str:
    """Escape a text for a docstring, so that names of models and files stay text."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _environment() -> Environment:
    loader = PackageLoader("nsa_brian", "export/templates")
    return Environment(loader=loader, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)


def _tidy(text: str) -> str:
    """Return a script with at most two empty lines in a row, and one before each object."""
    return re.sub(r"\n{4,}", "\n\n\n", text).rstrip() + "\n"
