"""A model as Brian2 objects: NeuronGroups for its populations, Synapses for its couplings."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from brian2 import Clock, Equations, NeuronGroup, Synapses
from brian2.equations.equations import DIFFERENTIAL_EQUATION, SUBEXPRESSION, SingleEquation
from brian2.units.fundamentalunits import DIMENSIONLESS
from brian2.utils.stringtools import word_substitute

from nsa_brian.codegen.connect import connect
from nsa_brian.model.functions import CANONICAL
from nsa_brian.model.model import Model
from nsa_brian.model.reading import names_in, unit_of
from nsa_brian.model.structure import OPTIONS, SYNAPSE, Link, U, V, equation, variable
from nsa_brian.parameters import NSAParameters

#: The order within a time step: what arrives, link by link; then the synapses; then the neurons. So all step from the
#: same state.
_ARRIVING, _SYNAPSES, _NEURONS = -1000, -1, 0


class NetworkObjects:
    """The objects of a network, made from a model's structure.

    Attributes
    ----------
    groups : dict
        The NeuronGroup of each population, by its name in the model; ``"u"`` and ``"v"`` first.
    synapses : dict
        The Synapses of each coupling, by the variable that it delivers.
    owner : dict
        The object that holds each state variable.
    clock : Clock
    all : list
        Everything, for a Network.
    """

    def __init__(
        self, model: Model, parameters: NSAParameters, n_games: int, n_arms: int, dt: Any, method: str, name: str
    ) -> None:
        structure = self._structure = model.structure
        self._n_games, self._n_arms = n_games, n_arms
        values = parameters.to_dict()
        namespace = {key: value * unit_of(model.declared[key].unit) for key, value in values.items()}
        namespace |= {"n_arms": float(n_arms), **({"noise": model.noise} if model.noise else {}), **CANONICAL}
        self.clock = Clock(dt=dt, name=f"{name}_clock")
        self._made = {"namespace": namespace, "clock": self.clock, "method": method}
        self.groups = {}
        for place in (U, V, *structure.populations):
            size = n_games * n_arms if place in OPTIONS else n_games
            label = f"{name}_{place.upper() if place in OPTIONS else place}"
            self.groups[place] = NeuronGroup(size, self._neurons(place, model.noise), name=label, **self._made)
        labels = {"I_u": f"{name}_VU", "I_v": f"{name}_UV"}
        self.synapses = {}
        for link in structure.links:
            self.synapses[link.variable] = self._synapses(link, labels.get(link.variable, f"{name}_{link.variable}"))
            if _from_other_partners(link):
                own = dataclasses.replace(link, variable=f"{link.variable}_own", to="own", helpers=())
                own = dataclasses.replace(own, drive=_inlined(link))
                self.synapses[own.variable] = self._synapses(own, f"{name}_{own.variable}")
        self.owner = {key: self.groups[place] for place in self.groups for key in structure.state(place)}
        self.owner |= dict.fromkeys(structure.state(SYNAPSE), self.synapses["I_v"])
        self.all = [*self.groups.values(), *self.synapses.values()]

    def _neurons(self, place: str, noise: float) -> Equations:
        """A population's equations, with variables for all that arrives."""
        structure = self._structure
        lines = list(structure.places[place])
        for link in structure.links:
            if link.target == place:
                lines += self._arrival(link)
        if place == U:
            lines.append(variable("I", DIMENSIONLESS, "shared"))
        if noise and place in OPTIONS:
            lines.append(variable(f"n_{place}", DIMENSIONLESS))
        return Equations(lines)

    def _arrival(self, link: Link) -> list[SingleEquation]:
        """What holds the sum that arrives.

        What comes from the others is what comes from all, less one's own: so that the sum is formed in the same order
        for every neuron, and neurons that are alike stay alike to the last bit.
        """
        if not _from_others(link):
            return [variable(link.variable, link.dimension)]
        own = f"({_inlined(link)})"
        lines = [variable(f"{link.variable}_all", link.dimension)]
        if _from_other_partners(link):
            own = f"{link.variable}_own"
            lines.append(variable(own, link.dimension))
        return [*lines, equation(SUBEXPRESSION, link.variable, link.dimension, f"{link.variable}_all - {own}")]

    def _synapses(self, link: Link, label: str) -> Synapses:
        """The synapses of a coupling, connected."""
        structure = self._structure
        lines = [self._seen(eq, link) for eq in link.helpers]
        if link.variable == "I_v":
            for eq in structure.places[SYNAPSE]:
                seen = self._seen(eq, link)
                if seen.type == DIFFERENTIAL_EQUATION:
                    seen = SingleEquation(seen.type, seen.varname, seen.dim, expr=seen.expr, flags=["clock-driven"])
                lines.append(seen)
        arriving = f"{link.variable}_all" if _from_others(link) else link.variable
        summed = equation(SUBEXPRESSION, f"{arriving}_post", link.dimension, self._ended(link.drive, link))
        summed = SingleEquation(summed.type, summed.varname, summed.dim, expr=summed.expr, flags=["summed"])
        source, target = self.groups[link.source], self.groups[link.target]
        made = Synapses(source, target, Equations([*lines, summed]), order=_SYNAPSES, name=label, **self._made)
        connect(made, *self._ends(link))
        for updater in made.summed_updaters.values():
            updater.order = _ARRIVING + link.rank
        return made

    def _ends(self, link: Link) -> tuple[np.ndarray, np.ndarray]:
        """The neurons that each synapse of a coupling comes from and goes to; none leaves its game."""
        games, n_arms = np.arange(self._n_games), self._n_arms
        options = np.arange(len(games) * n_arms)
        if link.source in OPTIONS and link.target in OPTIONS and link.to != "own":
            return np.repeat(options, n_arms), np.repeat(options.reshape(-1, n_arms), n_arms, axis=0).ravel()
        if (link.source in OPTIONS) == (link.target in OPTIONS):
            return (options, options) if link.source in OPTIONS else (games, games)
        own = options // n_arms  # each option's game
        return (options, own) if link.source in OPTIONS else (own, options)

    def _seen(self, eq: SingleEquation, link: Link) -> SingleEquation:
        return eq if eq.expr is None else equation(eq.type, eq.varname, eq.dim, self._ended(str(eq.expr), link))

    def _ended(self, text: str, link: Link) -> str:
        """An expression as the synapses of a link see it: variables of the neurons with ``_pre`` and ``_post``."""
        structure = self._structure
        ends = {name: f"{name}_pre" for name in structure.visible(link.source)}
        if link.source != link.target:
            ends |= {name: f"{name}_post" for name in structure.visible(link.target)}
        return word_substitute(text, {name: end for name, end in ends.items() if name in names_in(text)})


def _from_others(link: Link) -> bool:
    return link.to == "others" and link.source in OPTIONS and link.target in OPTIONS


def _from_other_partners(link: Link) -> bool:
    """Whether one's own contribution, to be taken away, is that of the partner in the other population."""
    return _from_others(link) and link.source != link.target


def _inlined(link: Link) -> str:
    """A drive with its helper lines put in."""
    text = link.drive
    for eq in reversed(link.helpers):
        text = word_substitute(text, {eq.varname: f"({eq.expr})"})
    return text
