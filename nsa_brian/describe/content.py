"""What a methods section says of a model: populations, couplings, phases, choice, learning, integration, parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version

from brian2 import __version__ as brian2_version

from nsa_brian.describe.blocks import Document, Inline, listed
from nsa_brian.describe.parameter_table import parameter_table, unit_text
from nsa_brian.errors import printable
from nsa_brian.export.texts import is_zero
from nsa_brian.model.course import default_dt
from nsa_brian.model.formula import EQUALS, Formula, expression, number, row, symbol
from nsa_brian.model.latex import Rows, joined, label
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.preparing import Balance, Critical, RateMap
from nsa_brian.model.structure import Link, Neurons
from nsa_brian.parameter_set import ParameterSet

PAPER_REFERENCE = "Danieli and Lepperød (2026), Biological Cybernetics, doi:10.1007/s00422-026-01037-5"
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_METHODS = {
    "euler": "Euler's method",
    "rk2": "the Runge-Kutta method of order 2",
    "rk4": "the Runge-Kutta method of order 4",
}


class Description:
    """The description of a model with its parameters.

    Parameters
    ----------
    chosen : ParameterSet
        Parameters, and the model; None is the paper's.
    found : mapping, optional
        Values found by calibration, in SI units.
    dt : float, optional
        Time step in ms.
    method : str
    """

    def __init__(
        self,
        chosen: ParameterSet,
        found: Mapping[str, float] | None = None,
        dt: float | None = None,
        method: str = "euler",
    ) -> None:
        self._chosen, self._found = chosen, found or {}
        self._model: Model = chosen.model or PAPER
        self._structure, self._rows = self._model.structure, Rows(self._model)
        self._values = self._model.complete(chosen.parameters).to_dict()
        self._dt = 1e3 * default_dt(self._model) if dt is None else dt
        self._method = method

    def document(self) -> Document:
        """Return the description."""
        found = Document(f"Model {printable(self._model.name)}")
        self._overview(found)
        self._populations(found)
        self._couplings(found)
        self._option(found)
        self._round(found)
        self._choice(found)
        self._learning(found)
        self._integration(found)
        parameter_table(found, self._chosen, self._found)
        return found

    def _value(self, name: str) -> str:
        """Return the value of a parameter in its unit, as text."""
        unit = unit_text(self._model.declared[name].unit)
        return f"{self._values[name]:g}" + (f" {unit}" if unit else "")

    def _each(self, neurons: Neurons) -> str:
        kind = "spiking neuron" if neurons.spikes else "rate neuron"
        if neurons.count == 1:
            return f"one {kind}"
        return f"{neurons.count if isinstance(neurons.count, int) else self._value(neurons.count)} {kind}s"

    # Sections --------------------------------------------------------------------------------------------------------

    def _overview(self, to: Document) -> None:
        structure = self._structure
        counted = [
            f"{self._each(neurons)} in {label(name)}"
            for name, neurons in structure.populations.items()
            if neurons.of_options
        ]
        shared = [
            f"{self._each(neurons)} in {label(name)}"
            for name, neurons in structure.populations.items()
            if not neurons.of_options
        ]
        parts: list[Inline] = ["The model chooses between ", symbol("K"), " options. "]
        parts += ["Each option has ", *listed(counted), ". "]
        parts += ["All options share ", *listed(shared), ". "] if shared else []
        base = "It is the Neural Selection Agreement model"
        parts.append(
            f"{base} of {PAPER_REFERENCE}." if self._model == PAPER else f"{base} ({PAPER_REFERENCE}) with changes."
        )
        to.say(*parts)

    def _populations(self, to: Document) -> None:
        for name, neurons in self._structure.populations.items():
            to.head(f"Population {label(name)}")
            names = self._rows.names(name)
            owner = "option" if neurons.of_options else "game"
            kind = "spiking" if neurons.spikes else "rate"
            count: list[Inline] = [_count(neurons, kind)]
            if isinstance(neurons.count, str):
                count = [symbol(neurons.count), " = ", self._value(neurons.count), f" {kind} neurons"]
            to.say(f"Each {owner} has ", *count, f" in {label(name)}, described by")
            to.equations(self._rows.population(name))
            sentences: list[Inline] = []
            if neurons.spikes:
                sentences += ["A neuron fires when ", expression(neurons.threshold, names), ". Then "]
                rows = self._rows.spikes(name)[1:]
                sentences += listed([joined(each) for each in rows]) if rows else ["nothing is reset"]
                if neurons.refractory:
                    sentences += [", and it is refractory for ", expression(neurons.refractory)]
                    refractory = neurons.refractory in self._values
                    sentences += [f" = {self._value(neurons.refractory)}"] if refractory else []
                sentences.append(". ")
            sentences += self._start(neurons, names)
            for code in neurons.normal:
                sentences += [
                    names.get(code, symbol(code)),
                    " is a standard normal random number, drawn anew for each neuron and time step. ",
                ]
            for code, rate in neurons.poisson.items():
                sentences += [
                    names.get(code, symbol(code)),
                    " is the number of events of a Poisson process with rate ",
                    expression(rate, names),
                    " in a time step, drawn for each neuron. ",
                ]
            if sentences:
                to.say(*sentences)
        if any(link.variable.endswith(f"_in_{link.target}") for link in self._structure.links):
            to.say(
                "Angle brackets are means over the neurons of the population in the index: over those of the same "
                "option in equations of options, else over all."
            )

    def _start(self, neurons: Neurons, names: Mapping[str, Formula]) -> list[Inline]:
        """Return sentences about initial values and carried-over state."""
        starts = [
            row(names.get(code, symbol(code)), EQUALS, expression(text))
            for code, text in neurons.initial.items()
            if not is_zero(text)
        ]
        rest = "all other variables are 0" if starts else "all variables are 0"
        carried = [names.get(code, symbol(code)) for code in neurons.carried]
        found: list[Inline] = (
            ["At the start of a round ", *listed([*starts, *([rest] if len(starts) < len(neurons.initial) else [])])]
            if neurons.initial
            else []
        )
        if carried:
            found += [
                ", except that ",
                *listed(carried),
                f" {'is' if len(carried) == 1 else 'are'} carried over from round to round",
            ]
        return [*found, ". "] if found else []

    def _couplings(self, to: Document) -> None:
        links = [link for link in self._structure.links if link.target in self._structure.populations]
        direct = [link for link in links if not link.variable.endswith(f"_in_{link.target}")]
        if not direct:
            return
        to.head("Couplings")
        for link in direct:
            to.say(
                symbol(link.variable),
                f" is the input of {label(link.target)} from {label(link.source)}, {self._reach(link)}:",
            )
            to.equations(self._rows.link(link))

    def _reach(self, link: Link) -> str:
        source, target = self._structure.populations[link.source], self._structure.populations[link.target]
        if link.diagonal:
            one = source.count == 1 and target.count == 1
            return "one-to-one within each option" if one else "all-to-all within each option"
        if source.of_options and target.of_options:
            return "from all other options" if link.to == "others" else "from all options, its own included"
        return "from all options to the game" if source.of_options else "from the game to all options"

    def _option(self, to: Document) -> None:
        rows = self._rows.option()
        to.head("Synapses")
        own = [symbol(name) for name in self._structure.synaptic if name != "w"]
        more: list[Inline] = (
            [", and the variables " if len(own) > 1 else ", and the variable ", *listed(own)] if own else []
        )
        initial = {"w": "0", **{k: v for k, v in self._structure.initial.items() if k in self._structure.synaptic}}
        starts: list[Inline] = listed([row(symbol(k), EQUALS, expression(v)) for k, v in initial.items()])
        to.say(
            "Each option has a plastic weight ",
            symbol("w"),
            " from U to V",
            *more,
            "; at the start of a game ",
            *starts,
            ". " + ("Functions of them are" if rows else ""),
        )
        to.equations(rows)
        if self._structure.contacts:
            name = symbol(next(iter(self._structure.contacts)))
            to.say(
                "Every pair of a neuron of U and a neuron of V of the same option has a contact with the variable ",
                name,
                ".",
            )

    def _round(self, to: Document) -> None:
        structure = self._structure
        to.head("Round")
        n = len(structure.phases)
        count = _NUMBERS[n] if n < len(_NUMBERS) else str(n)
        parts: list[Inline] = [f"A round has {count} phase{'s' * (n > 1)}. "]
        for phase in structure.phases:
            on = [row(symbol(name), EQUALS, expression(phase.on.get(name, "0"))) for name in structure.phased]
            when = ", after the choice" if phase.after_choice else ""
            parts += [f"{printable(phase.name).capitalize()} lasts ", expression(phase.duration)]
            parts += [f" = {self._value(phase.duration)}{when}" if phase.duration in self._values else when]
            parts += [", with ", *listed(on)] if on else []
            parts.append(". ")
        if structure.after:
            parts += [
                "After the choice ",
                symbol("choice"),
                " is 1 for the neurons of the chosen option and -1 for all others, and ",
                symbol("R"),
                " is the reward. ",
            ]
        for name, given in structure.inputs.items():
            per = "each option" if given.per == "option" else "the game"
            unit = f" {given.unit}" if given.unit else ""
            parts += [
                symbol(name),
                f" is an external input of {per}, constant within a round (default {given.default:g}{unit}). ",
            ]
        to.say(*parts)

    def _choice(self, to: Document) -> None:
        structure, choice = self._structure, self._structure.choice
        names = self._rows.names()
        to.head("Choice")
        parts: list[Inline] = []
        for key in ("u", "v"):
            text, neurons = getattr(choice, key), structure.populations[key]
            parts += [symbol(key), " is "] if text or neurons.spikes else []
            if text:
                parts += [expression(text, names), " of the option at the choice. "]
            elif neurons.spikes:
                window = choice.window or structure.before[-1].duration
                parts += [
                    f"the mean firing rate of the option's neurons in {label(key)} in the last ",
                    expression(window),
                    " before the choice. ",
                ]
        tolerance = self._model.tolerance
        near: list[Inline] = [number(tolerance), " Hz"] if tolerance == 1 else [number(tolerance)]
        parts += [
            "U and V each prefer the option with the highest ",
            symbol("u"),
            " and ",
            symbol("v"),
            "; options within ",
            *near,
            " of the maximum tie, and ties are broken at random. ",
        ]
        if choice.exploit == "agreement":
            parts.append("If both prefer the same option it is chosen (exploitation). Otherwise ")
        else:
            parts.append("In every round ")
        if choice.explore == "1":
            parts.append("an option is drawn at random, all with the same probability (exploration).")
        else:
            parts += [
                "an option is drawn with a probability proportional to ",
                expression(choice.explore, names),
                *self._legend(choice.explore),
                ".",
            ]
        to.say(*parts)

    def _legend(self, text: str) -> list[Inline]:
        """Return what the names of the exploration rule mean."""
        meanings = {
            "u_top": "the highest u",
            "v_top": "the highest v",
            "best_u": "1 for the option that U prefers, else 0",
            "best_v": "1 for the option that V prefers, else 0",
            "u_at_v": "u of the option that V prefers",
            "v_at_u": "v of the option that U prefers",
        }
        found: list[Inline] = []
        for name in [each for each in meanings if re.search(rf"\b{each}\b", text)]:
            found += [", where " if not found else ", ", symbol(name), f" is {meanings[name]}"]
        return found

    def _learning(self, to: Document) -> None:
        structure = self._structure
        to.head("Learning")
        if structure.signals or structure.signal_update:
            to.say(
                "The game has signals, updated after each reward ",
                symbol("R"),
                " before the weights; variables of options in these equations are those of the chosen option, and ",
                symbol("agreed"),
                " is 1 if U and V agreed:",
            )
            to.equations(self._rows.signals())
        if structure.contacts:
            to.say(
                "At the end of a round every contact changes by the rule below, where ",
                symbol("since_pre"),
                " and ",
                symbol("since_post"),
                " are the times since its neurons fired last and ",
                symbol("chance"),
                " is a uniform random number:",
            )
            to.equations(self._rows.contacts())
        if isinstance(structure.rule, tuple):
            to.say(
                "After the reward ",
                symbol("R"),
                ", from 0 to 1, the variables of every option change; ",
                symbol("chosen"),
                " is 1 for the chosen option, else 0:",
            )
        else:
            to.say("After the reward ", symbol("R"), ", from 0 to 1, only the weight of the chosen option changes:")
        to.equations(self._rows.learning())

    def _integration(self, to: Document) -> None:
        to.head("Integration")
        package = version("nsa-brian")
        method = _METHODS.get(self._method, self._method)
        to.say(
            f"Equations were integrated with {method} and a time step of ",
            number(self._dt),
            f" ms by the package nsa-brian {package} on the simulator Brian 2 "
            f"(version {brian2_version}; Stimberg, Brette and Goodman 2019, eLife 8:e47314). "
            "Within a time step all variables are advanced from the state at its start"
            + ("; spikes act at its end." if self._structure.spikes else "."),
        )
        steps: list[Inline] = []
        for step in self._model.prepare:
            if isinstance(step, RateMap):
                steps += [
                    symbol("Phi_star"),
                    " and ",
                    symbol("Phi_top"),
                    " are the critical and the highest value of the rate model with the same parameters. ",
                ]
            elif isinstance(step, Balance):
                steps += [
                    symbol(step.name),
                    " was calibrated such that U of an untrained network fires at the rate ",
                    symbol(step.to),
                    ". ",
                ]
            elif isinstance(step, Critical):
                steps += [
                    symbol(step.name),
                    " was calibrated such that activity outlasts the input where ",
                    symbol("gain"),
                    " is at least 1. ",
                ]
        if steps:
            to.say(*steps)


def _count(neurons: Neurons, kind: str) -> str:
    return f"one {kind} neuron" if neurons.count == 1 else f"{neurons.count} {kind} neurons"
