"""A spiking model as Brian2 objects: NeuronGroups for its populations, Synapses for their means and for learning.

Within an option every neuron of U reaches every neuron of V with the same strength, and the other way round, so a
neuron sees no more of the other population than the mean of its synapses. That mean is what is simulated: one synapse
from each neuron to its option, summed there, and read by all neurons of the option through a linked variable. It is
exact, and costs n synapses where all-to-all connections cost n squared. Only where synapses learn one by one, each is
there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from brian2 import Clock, Equations, NeuronGroup, Quantity, Synapses, linked_var
from brian2.equations.equations import BOOLEAN, PARAMETER, SUBEXPRESSION, SingleEquation
from brian2.units.fundamentalunits import DIMENSIONLESS, Dimension
from brian2.utils.stringtools import word_substitute

from nsa_brian.codegen.connect import connect
from nsa_brian.model.functions import CANONICAL
from nsa_brian.model.reading import names_in
from nsa_brian.model.structure import equation, variable
from nsa_brian.spiking.model import SpikingModel
from nsa_brian.spiking.structure import OF_OPTIONS, SPIKED, Mean, Neurons

#: The time since a neuron fired, in whole steps: the difference of two times misses multiples of dt by rounding errors.
SINCE = "((timestep(t, dt) - timestep(lastspike_{end}, dt)) * dt)"
#: Means are taken before anything moves, so that all step from the same state.
_MEANS = -1000


class SpikingObjects:
    """The objects of a network of spiking neurons, for games side by side.

    Attributes
    ----------
    groups : dict
        The NeuronGroup of each population by name. Neuron i of U and V belongs to option ``i // neurons``; the options
        of a game lie side by side, game after game; and so do the neurons of pools.
    options, games : NeuronGroup
        What is known of each option (its gain, the means over its neurons) and of each game (means over populations).
    learning : Synapses or None
        Those that learn by spikes.
    all : list
        Everything, for a Network.
    """

    def __init__(
        self, model: SpikingModel, values: Mapping[str, float], n_games: int, n_arms: int, dt: Any, name: str
    ) -> None:
        self.model, self.n_games, self.n_arms = model, n_games, n_arms
        structure = model.structure
        dimensions = structure.dimensions
        known = {key: dimensions.get(key, DIMENSIONLESS) for key in values}
        namespace = {key: Quantity(values[key], dim=dimension) for key, dimension in known.items()} | CANONICAL
        self.clock = Clock(dt=dt, name=f"{name}_clock")
        self._made: dict[str, Any] = {"namespace": namespace, "clock": self.clock}
        self.sizes = {key: int(values[neurons.count]) for key, neurons in structure.populations.items()}
        spiked = {mean.source for neurons in structure.populations.values() for mean in neurons.means
                  if mean.variable == SPIKED}  # fmt: skip
        by_option: dict[tuple[str, str], Dimension] = {}
        by_game: dict[tuple[str, str], Dimension] = {}
        for neurons in structure.populations.values():
            for mean in neurons.means:
                kept = by_option if _by_option(neurons, mean) else by_game
                kept[mean.variable, mean.source] = self._dimension(mean)

        options = [variable(key, DIMENSIONLESS) for key in OF_OPTIONS]
        options += [variable(f"{of}_{source}", dimension) for (of, source), dimension in by_option.items()]
        games = [variable(f"{of}_{source}", dimension) for (of, source), dimension in by_game.items()]
        self.options = NeuronGroup(n_games * n_arms, Equations(options), name=f"{name}_options", **self._made)
        self.games = NeuronGroup(n_games, Equations(games), name=f"{name}_games", **self._made)
        self.groups: dict[str, NeuronGroup] = {}
        for key, neurons in structure.populations.items():
            label = f"{name}_{key.upper() if neurons.of_options else key}"
            self.groups[key] = self._neurons(neurons, key in spiked, label)
        self.means = [self._mean(*key, dimension, self.options, name) for key, dimension in by_option.items()]
        self.means += [self._mean(*key, dimension, self.games, name) for key, dimension in by_game.items()]
        self.learning = self._synapses(f"{name}_UV") if model.flips else None
        self.all = [self.options, self.games, *self.groups.values(), *self.means]
        self.all += [self.learning] if self.learning is not None else []

    def _dimension(self, mean: Mean) -> Dimension:
        if mean.variable == SPIKED:
            return DIMENSIONLESS
        found = self.model.structure.populations[mean.source].equations
        return next(eq.dim for eq in found if eq.varname == mean.variable)

    def owners(self, key: str) -> np.ndarray:
        """The option (of U and V) or game (of a pool) that each neuron belongs to."""
        of_options = self.model.structure.populations[key].of_options
        return np.repeat(np.arange(self.n_games * (self.n_arms if of_options else 1)), self.sizes[key])

    def _neurons(self, neurons: Neurons, spiked: bool, label: str) -> NeuronGroup:
        lines: list[SingleEquation] = list(neurons.equations)
        lines += [variable("count", DIMENSIONLESS), variable("I", DIMENSIONLESS, "shared")]
        lines += [variable("noise", DIMENSIONLESS)] if neurons.draws_noise else []
        lines += [variable(event, DIMENSIONLESS) for event in neurons.poisson]
        if spiked:  # in the time step before this one
            text = "int(abs(t - lastspike - dt) < dt / 2)"
            lines.append(equation(SUBEXPRESSION, SPIKED, DIMENSIONLESS, text))
        seen = set().union(*(names_in(str(eq.expr)) for eq in neurons.equations))
        given = [key for key in OF_OPTIONS if neurons.of_options and key in seen]
        lines += [variable(key, DIMENSIONLESS, "linked") for key in given]
        lines += [variable(mean.name, self._dimension(mean), "linked") for mean in neurons.means]
        events = {}
        learns = bool(self.model.flips) and neurons.name == "v"
        if learns:
            lines += [variable(key, DIMENSIONLESS) for key in ("Phi_eta", "R")]  # synapses cannot see linked ones
            lines.append(SingleEquation(PARAMETER, "outcome", DIMENSIONLESS, var_type=BOOLEAN, flags=["shared"]))
            events = {"events": {"outcome": "outcome"}}
        reset = "\n".join(f"{s.target} {s.operation} {s.expression}" for s in neurons.reset)
        owner = self.owners(neurons.name)
        group = NeuronGroup(
            len(owner),
            Equations(lines),
            threshold=neurons.threshold,
            reset=f"{reset}\ncount += 1",
            refractory=neurons.refractory or "0*second",
            method="euler",
            name=label,
            **events,
            **self._made,
        )
        game = owner // self.n_arms if neurons.of_options else owner
        for key in given:
            setattr(group, key, linked_var(self.options, key, index=owner))
        for mean in neurons.means:
            at, index = (self.options, owner) if _by_option(neurons, mean) else (self.games, game)
            setattr(group, mean.name, linked_var(at, f"{mean.variable}_{mean.source}", index=index))
        return group

    def _mean(self, of: str, source: str, dimension: Dimension, target: NeuronGroup, name: str) -> Synapses:
        """Synapses from all neurons of a population to their option or game: the mean of a variable."""
        group, owner = self.groups[source], self.owners(source)
        whole = self.sizes[source]
        if target is self.games and self.model.structure.populations[source].of_options:
            owner, whole = owner // self.n_arms, whole * self.n_arms
        eq = equation(SUBEXPRESSION, f"{of}_{source}_post", dimension, f"{of}_pre / {whole}")
        summed = SingleEquation(eq.type, eq.varname, eq.dim, expr=eq.expr, flags=["summed"])
        to = "options" if target is self.options else "games"
        made = Synapses(group, target, Equations([summed]), name=f"{name}_{of}_{source}_to_{to}", **self._made)
        connect(made, np.arange(len(owner)), owner)
        for updater in made.summed_updaters.values():
            updater.order = _MEANS
        return made

    def _synapses(self, label: str) -> Synapses:
        """The synapses that learn by spikes, from each neuron of U to each neuron of V of its option."""
        seen = {f"since_{end}": SINCE.format(end=end) for end in ("pre", "post")}
        seen |= {"Phi_eta": "Phi_eta_post", "R": "R_post"}
        rule = "\n".join(
            f"{s.target} {s.operation} {word_substitute(s.expression, seen)}" for s in self.model.structure.flips
        )
        made = Synapses(
            self.groups["u"],
            self.groups["v"],
            Equations([variable("b", DIMENSIONLESS), variable("chance", DIMENSIONLESS)]),
            on_post={"outcome": rule},
            on_event={"outcome": "outcome"},
            name=label,
            **self._made,
        )
        n = self.sizes["u"]
        first = np.repeat(np.arange(self.n_games * self.n_arms) * n, n * n)
        within = np.tile(np.arange(n * n), self.n_games * self.n_arms)
        connect(made, first + within // n, first + within % n)
        return made


def _by_option(neurons: Neurons, mean: Mean) -> bool:
    """Whether a mean is taken over the neurons of an option, rather than over those of a game."""
    return neurons.of_options and mean.source in ("u", "v")
