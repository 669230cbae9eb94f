"""Games of spiking neurons by the batch: a decision round of all their neurons, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from brian2 import Equations, ms
from brian2.codegen.codeobject import create_runner_codeobj
from brian2.equations.equations import SUBEXPRESSION
from brian2.units.fundamentalunits import DIMENSIONLESS
from brian2.utils.stringtools import word_substitute

from nsa_brian.codegen.code_objects import NumpyRound, code_object_class, why_not_compiled
from nsa_brian.codegen.group import UnitGroup
from nsa_brian.codegen.invariants import Invariants, time_step
from nsa_brian.model.reading import names_in, plain
from nsa_brian.model.structure import equation, variable
from nsa_brian.spiking.model import SpikingModel
from nsa_brian.spiking.streams import states
from nsa_brian.spiking.structure import OF_OPTIONS, REFRACTORY, SPIKED, Neurons
from nsa_brian.spiking.timing import Timing


class SpikingGames:
    """A batch of games, each with one of some parameter sets.

    Parameters
    ----------
    model : SpikingModel
    values : sequence of dict
        The sets: numbers in SI units by name.
    which : array of int (games,)
        The set of each game.
    n_arms : int
    seeds : array (games, seeds)
        Uniform numbers: each neuron's noise follows from its own, see :func:`n_seeds`.
    dt : Quantity
    record : bool
        Keep the spikes of a round.

    Attributes
    ----------
    gain, choice, eta : array (games, arms)
        What options are given: the strength of the synapse; 1 or -1 in an outcome; the learning rate.
    counts : array (2, games, arms)
        Spikes of the option in U and V while they were counted in the last round.
    b : array (games, arms, neurons, neurons)
        The state of synapses that learn by spikes.
    raster : array of bool (games, steps, neurons)
        Whether each neuron fired, population after population, if spikes are recorded.
    timing : Timing
        Of each set.
    states : dict
        The state variables of each population's neurons, by name: (games, neurons) each.
    """

    def __init__(
        self,
        model: SpikingModel,
        values: Sequence[Mapping[str, float]],
        which: np.ndarray,
        n_arms: int,
        seeds: np.ndarray,
        dt: Any = 0.5 * ms,
        record: bool = False,
    ) -> None:
        target = code_object_class()
        if issubclass(target, NumpyRound):
            raise ValueError(
                "spiking neurons need compiled code, for the engine rounds and, whatever the engine, for finding a "
                f"coupling: {why_not_compiled()}"
            )
        self.model, self.n_games, self.n_arms = model, len(which), n_arms
        populations = model.structure.populations
        self.timing = [Timing.of(each, float(dt)) for each in values]
        flips = bool(model.flips)

        names = {name: _Names(neurons, flips) for name, neurons in populations.items()}
        self._group = group = UnitGroup("nsa_spikes", dt)
        texts = " ".join(text for each in names.values() for text in each.texts)
        if flips:
            texts += " " + " ".join(statement.expression for statement in model.structure.flips)
        used = [name for name in values[0] if name in names_in(plain(texts))]
        group.add_shared(dict.fromkeys([*used, "I"], 0.0))
        group.add_shared({"_n_games": self.n_games, "_n_options": n_arms})
        for each in names.values():
            group.add_shared(dict.fromkeys(each.shared, 0.0))
            group.add(dict.fromkeys(each.arrays), 1)
        blocks: dict[str, str] = {}
        game: dict[str, str] = {}
        invariants = Invariants({*used, "dt"})
        for name, each in names.items():
            each.enter(group)
            blocks[f"begin_{name}"] = each.begin
            blocks[f"step_{name}"] = each.step(invariants, group.variables)
            blocks[f"reset_{name}"] = each.reset
            blocks[f"rates_{name}"] = each.rates
            if each.neurons.refractory:
                game[f"refractory_in_{name}"] = plain(each.neurons.refractory)
        group.add_shared(dict.fromkeys(invariants.found, 0.0))
        game |= invariants.found
        blocks["game"] = "\n".join(f"{key} = {text}" for key, text in game.items())
        if flips:
            group.add_shared(dict.fromkeys(("R", "Phi_eta", "since_pre"), 0.0))
            group.add(dict.fromkeys(("b", "chance", "since_post")), 1)
            blocks["flip"] = "\n".join(f"{s.target} {s.operation} {plain(s.expression)}" for s in model.structure.flips)

        sizes = {name: int(values[0][neurons.count]) for name, neurons in populations.items()}
        self.neurons = {name: size * (n_arms if names[name].neurons.of_options else 1) for name, size in sizes.items()}
        rooms = {name: (size + 7) // 8 * 8 for name, size in self.neurons.items()}
        n_options = self.n_games * n_arms
        stride = sum(len(names[name].arrays) * rooms[name] for name in names)
        total, steps = sum(self.neurons.values()), max(timing.round_steps for timing in self.timing)
        n = sizes["u"]
        tables = {
            "_sets": np.array([[each[name] for name in used] for each in values], dtype=float).ravel(),
            "_steps": np.array([timing.steps for timing in self.timing], dtype=np.int32).ravel(),
            "_which": np.asarray(which, dtype=np.int32),
            "_gain": np.zeros(n_options),
            "_choice": np.zeros(n_options),
            "_memory": np.zeros(self.n_games * stride + 8),
            "_streams": np.zeros(self.n_games * sum(rooms.values()), dtype=np.int64),
            "_counts": np.zeros(2 * n_options),
            "_sizes": np.array(list(sizes.values()), dtype=np.int32),
            "_mode": np.array([0, steps if record else 0], dtype=np.int32),
            "_raster": np.zeros(self.n_games * steps * total if record else 1, dtype=bool),
            "_b": np.zeros(n_options * n * n if flips else 1),
            "_eta": np.zeros(n_options),
            "_reward": np.zeros(self.n_games),
            "_luck": np.zeros(self.n_games, dtype=np.int64),
        }
        for name, array in tables.items():
            group.add({name: array}, len(array))
        self._run = create_runner_codeobj(
            group,
            blocks,
            "spikes",
            run_namespace={},
            check_units=False,  # those of the equations were checked with the model
            template_kwds={
                "_tables": tuple(tables),
                "_of_sets": used,
                "_populations": [each.told for each in names.values()],
                "_means": [mean for each in names.values() for mean in each.means],
                "_flips": flips,
            },
            codeobj_class=target,
        )
        shape = (self.n_games, n_arms)
        self.gain, self.choice, self.eta = (group.array(name).reshape(shape) for name in ("_gain", "_choice", "_eta"))
        self.counts = group.array("_counts").reshape(2, *shape)
        self.reward = group.array("_reward")
        self.b = group.array("_b").reshape(*shape, n, n) if flips else np.zeros((*shape, 0, 0))
        self.raster = group.array("_raster").reshape(self.n_games, -1, total) if record else None
        self._rooms = rooms
        # A population's arrays lie side by side in a game's part of the memory, which begins at a multiple of 64 bytes.
        memory = group.array("_memory")
        first = -(memory.ctypes.data // memory.itemsize) % 8
        games, at = memory[first : first + self.n_games * stride].reshape(self.n_games, stride), 0
        self.states: dict[str, dict[str, np.ndarray]] = {}
        for name, each in names.items():
            arrays = games[:, at : at + len(each.arrays) * rooms[name]].reshape(self.n_games, -1, rooms[name])
            at += len(each.arrays) * rooms[name]
            of_state = {variable: each.arrays.index(each.names[variable]) for variable in each.neurons.state}
            self.states[name] = {key: arrays[:, i, : self.neurons[name]] for key, i in of_state.items()}
        self._sets, self._used = group.array("_sets").reshape(len(values), -1), used
        self._seed(seeds)

    def set_value(self, name: str, values: np.ndarray) -> None:
        """Give a parameter other values, in SI units: one for each set."""
        if name in self._used:
            self._sets[:, self._used.index(name)] = values

    def _seed(self, seeds: np.ndarray) -> None:
        """Give each neuron, and each game, a stream of its own."""
        whole = states(seeds)
        streams = self._group.array("_streams").reshape(self.n_games, -1)
        at = start = 0
        for name, size in self.neurons.items():
            streams[:, start : start + size] = whole[:, at : at + size]
            at, start = at + size, start + self._rooms[name]
        self._group.array("_luck")[:] = whole[:, at]

    def respond(self) -> None:
        """Run a round of all games from rest, with :attr:`gain`: :attr:`counts` are then its spikes."""
        if self.raster is not None:
            self.raster[:] = 0
        self._call(0)

    def await_outcome(self, rewards: np.ndarray) -> None:
        """Let the round go on with :attr:`choice`, then flip synapses by the outcome, with :attr:`eta`."""
        self.reward[:] = rewards
        self._call(1)

    def _call(self, mode: int) -> None:
        self._group.array("_mode")[0] = mode
        self._run()


def n_seeds(model: SpikingModel, values: Mapping[str, float], n_arms: int) -> int:
    """Uniform numbers that a game needs: one for each neuron, one for synapses that flip."""
    neurons = model.structure.populations.values()
    return 1 + sum(int(values[each.count]) * (n_arms if each.of_options else 1) for each in neurons)


class _Names:
    """A population under the names that it has in the code of a whole game: ``vm`` of U is ``vm_of_u``."""

    def __init__(self, neurons: Neurons, flips: bool) -> None:
        self.neurons = neurons
        place = neurons.name
        self.names = neurons.names_in_code
        self.means: list[dict[str, Any]] = []
        for mean in neurons.means:
            by_option = neurons.of_options and mean.source in ("u", "v")
            variable = f"{mean.variable}_of_{mean.source}"
            self.means.append(
                {"name": self.names[mean.name], "of": variable, "source": mean.source, "place": place,
                 "by_option": by_option}
            )  # fmt: skip
        drawn = [*(["noise"] if neurons.draws_noise else []), *neurons.poisson]
        arrays = [*(self.names[name] for name in [*neurons.state, *drawn]), f"{SPIKED}_of_{place}"]
        arrays += [mean["name"] for mean in self.means if mean["by_option"]]
        seen = set().union(*(names_in(str(eq.expr)) for eq in neurons.equations))
        arrays += [self.names[name] for name in OF_OPTIONS if neurons.of_options and name in seen]
        if neurons.refractory:
            arrays.append(f"wait_in_{place}")
        if flips and neurons.of_options:
            arrays.append(f"last_in_{place}")
        self.arrays = arrays
        self.shared = [mean["name"] for mean in self.means if not mean["by_option"]]
        self.shared += [f"mean_of_{self.names[event]}" for event in neurons.poisson]
        self.shared += [f"refractory_in_{place}"] if neurons.refractory else []
        self._flips = flips

    @property
    def texts(self) -> list[str]:
        """All its strings, for the names in them."""
        neurons = self.neurons
        found = [str(eq.expr) for eq in neurons.equations] + [neurons.threshold, neurons.refractory]
        found += [statement.expression for statement in neurons.reset]
        return [*found, *neurons.initial.values(), *neurons.poisson.values()]

    @property
    def told(self) -> dict[str, Any]:
        """What the template needs to know."""
        poisson = [self.names[event] for event in self.neurons.poisson]
        words: list[dict[str, Any]] = []
        if self.neurons.draws_noise:
            words.append({"noise": True, "events": [self.names["noise"]]})
        words += [{"noise": False, "events": poisson[i : i + 2]} for i in range(0, len(poisson), 2)]
        return {
            "name": self.neurons.name,
            "of_options": self.neurons.of_options,
            "arrays": self.arrays,
            "refractory": bool(self.neurons.refractory),
            "poisson": poisson,
            "words": words,
        }

    def _said(self, text: str) -> str:
        return plain(word_substitute(text, self.names))

    def enter(self, group: UnitGroup) -> None:
        """Enter what has no array: the lines without dynamics."""
        for eq in self.neurons.equations:
            if eq.type == SUBEXPRESSION:
                text = self._said(str(eq.expr))
                group.variables.add_subexpression(self.names[eq.varname], expr=text, dimensions=eq.dim)
        if "N" not in group.variables:
            group.variables.add_constant("N", 1)

    @property
    def begin(self) -> str:
        """The start of a round."""
        place = self.neurons.name
        lines = [f"{self.names[name]} = {self._said(text)}" for name, text in self.neurons.initial.items()]
        lines.append(f"{SPIKED}_of_{place} = 0")
        if self.neurons.refractory:
            lines.append(f"wait_in_{place} = 0")
        if self._flips and self.neurons.of_options:
            lines.append(f"last_in_{place} = -1e12")
        return "\n".join(lines)

    def step(self, invariants: Invariants, variables: Mapping[str, Any]) -> str:
        """One time step, and who fires at its end."""
        neurons, place = self.neurons, self.neurons.name
        lines, known = [], set(self.names.values())
        for eq in neurons.equations:
            text = self._said(str(eq.expr))
            if REFRACTORY in eq.flags:
                text = f"free_in_{place} * ({text})"
            lines.append(equation(eq.type, self.names[eq.varname], eq.dim, text))
        defined = {eq.varname for eq in lines}
        lines += [variable(name, DIMENSIONLESS) for name in sorted(known | {f"free_in_{place}"}) if name not in defined]
        code = time_step(Equations(lines), variables, "euler")
        before, fires = "", f"int({self._said(neurons.threshold)})"
        if neurons.refractory:
            before = f"wait_in_{place} = wait_in_{place} - 1\nfree_in_{place} = int(wait_in_{place} <= 0)\n"
            fires += f" * free_in_{place}"
        return f"{before}{invariants.split(code, variables)}\n{SPIKED}_of_{place} = {fires}"

    @property
    def reset(self) -> str:
        """What a spike does to its neuron."""
        return "\n".join(f"{self.names[s.target]} {s.operation} {self._said(s.expression)}" for s in self.neurons.reset)

    @property
    def rates(self) -> str:
        """How many events a time step has on average."""
        return "\n".join(
            f"mean_of_{self.names[event]} = ({self._said(rate)}) * dt" for event, rate in self.neurons.poisson.items()
        )
