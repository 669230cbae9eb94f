"""Batches of games with any populations: a decision round of all their neurons in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from brian2 import ms
from brian2.codegen.codeobject import create_runner_codeobj
from brian2.codegen.generators.cpp_generator import c_data_type
from brian2.core.variables import ArrayVariable
from brian2.devices.device import get_device

from nsa_brian.codegen.code_objects import FLOAT_TYPES, NumpyRound, code_object_class, why_not_compiled
from nsa_brian.codegen.group import UnitGroup
from nsa_brian.codegen.invariants import Invariants
from nsa_brian.codegen.kept import KeptCode
from nsa_brian.codegen.population_code import PopulationCode, arrival, copied, neurons_of
from nsa_brian.codegen.streams import count_of, n_streams, states
from nsa_brian.model.course import Course
from nsa_brian.model.model import Model
from nsa_brian.model.reading import names_in, plain
from nsa_brian.model.structure import SIGNALS, SYNAPSE


class Columns:
    """A batch of games, each with one of several parameter sets.

    Parameters
    ----------
    model : Model
    values : sequence of mapping
        The parameter sets: values in SI units by name.
    which : array of int (games,)
        The parameter set of each game.
    n_arms : int
    seeds : array (games, seeds)
        Uniform random numbers, :func:`nsa_brian.codegen.streams.n_seeds` per game: the seeds of the neurons' streams.
    dt : Quantity
    record : bool
        Record the spikes of a round.
    precision : {"double", "single"}
        Of the neurons' variables and of all computation in time steps.

    Attributes
    ----------
    given : dict of array (games, arms)
        Static variables of options that neurons read, set at a round's start.
    game_inputs : dict of array (games,)
        Signals and inputs of games, set at a round's start.
    learnt : dict of array (games, arms)
        Static variables of options that the learning rule of contacts reads.
    choice : array (games, arms)
        1 for the chosen option and -1 for the others after the choice.
    counts : array (2, games, arms)
        Spike counts of each option in U and V in the last round.
    b : array (games, arms, neurons of U, neurons of V)
        The variable of contacts.
    raster : array of bool (games, steps, neurons)
        Whether each neuron fired, population after population, if spikes are recorded.
    courses : list of Course
        The course of a round for each parameter set.
    states : dict
        The state variables of each population's neurons, by name: (games, neurons) each; those of the synapse that
        change within a round are under ``"synapse"``, (games, arms) each.
    """

    def __init__(
        self,
        model: Model,
        values: Sequence[Mapping[str, float]],
        which: np.ndarray,
        n_arms: int,
        seeds: np.ndarray,
        dt: Any = 0.5 * ms,
        record: bool = False,
        precision: str = "double",
    ) -> None:
        target = code_object_class(precision)
        if issubclass(target, NumpyRound):
            raise ValueError(
                "populations of many neurons, or of neurons that spike, need compiled code, for the engine rounds and, "
                f"with every engine, for calibrating a coupling: {why_not_compiled()}"
            )
        structure, real = model.structure, FLOAT_TYPES[precision]
        width = 64 // real.itemsize  # numbers of a vector; arrays are padded to whole vectors
        self.model, self.n_games, self.n_arms = model, len(which), n_arms
        # Many games may have one set; its course is computed once.
        courses = {id(each): Course.of(model, each, float(dt)) for each in {id(each): each for each in values}.values()}
        self.courses = [courses[id(each)] for each in values]
        contacts = bool(structure.contacts)
        places = {name: PopulationCode(structure, each) for name, each in neurons_of(structure).items()}
        arrivals = [arrival(link, places[link.source]) for link in structure.links]
        arrivals += [copied(name, place, places[SYNAPSE]) for place in places.values() for name in place.moving]

        self._group = group = UnitGroup("nsa_columns", dt, real)
        phases = [{name: plain(phase.on.get(name, "0")) for name in structure.phased} for phase in structure.phases]
        rule = structure.contact_rule
        texts = [text for place in places.values() for text in place.texts]
        texts += [text for link in structure.links for text in link.texts]
        texts += [text for phase in phases for text in phase.values()] + [statement.expression for statement in rule]
        read = set().union(*(names_in(plain(text)) for text in texts))
        used = [name for name in values[0] if name in read]
        game_inputs = [name for name in (*structure.names(SIGNALS), *structure.of_game) if name in read]
        game_inputs = list(dict.fromkeys(game_inputs))
        given = list(dict.fromkeys(name for place in places.values() for name in place.static))
        learnt = structure.read_by_contacts
        shared = dict.fromkeys([*used, "I", *structure.phased, *game_inputs, "R", "n_arms"], 0.0)
        group.add_shared(shared)
        group.add_shared({"_n_games": self.n_games, "_n_options": n_arms})
        group.add_shared({each.name: 0.0 for each in arrivals if each.how == "scalar"})
        for place in places.values():
            group.add_shared(dict.fromkeys(place.shared, 0.0))
            group.add(dict.fromkeys(place.arrays), 1)
        blocks: dict[str, str] = {}
        invariants = Invariants({*used, "dt", "n_arms", *game_inputs})
        for place in places.values():
            place.enter(group)
        for each in arrivals:
            if each.send:
                blocks[f"send_{each.name}"] = f"{each.of} = {each.send}"
        game: dict[str, str] = {}
        for name, place in places.items():
            blocks[f"begin_{name}"] = place.begin
            blocks[f"step_{name}"] = place.step(invariants, group.variables)
            blocks[f"reset_{name}"] = place.reset
            blocks[f"rates_{name}"] = place.rates
            if place.neurons.refractory:
                game[f"refractory_in_{name}"] = plain(place.neurons.refractory)
        group.add_shared(dict.fromkeys(invariants.found, 0.0))
        blocks["game"] = "\n".join(f"{key} = {text}" for key, text in {**game, **invariants.found}.items())
        for k, phase in enumerate(phases):
            blocks[f"phase_{k}"] = "\n".join(f"{name} = {text}" for name, text in phase.items())
        if contacts:
            group.add_shared(dict.fromkeys([*learnt, "since_pre"], 0.0))
            group.add(dict.fromkeys([*structure.contacts, "chance", "since_post"]), 1)
            blocks["contact"] = "\n".join(f"{s.target} {s.operation} {plain(s.expression)}" for s in rule)

        sizes = {name: count_of(place.neurons, values[0]) for name, place in places.items()}
        self.neurons = {
            name: size * (n_arms if places[name].neurons.of_options else 1)
            for name, size in sizes.items()
            if name != SYNAPSE
        }
        rooms = {
            name: -(-size * (n_arms if places[name].neurons.of_options else 1) // width) * width
            for name, size in sizes.items()
        }
        n_options = self.n_games * n_arms
        stride = sum(len(place.arrays) * rooms[name] for name, place in places.items())
        total = sum(self.neurons.values())
        steps = max(course.round_steps for course in self.courses)
        borders = [(*course.borders, *course.after, course.reading_step) for course in self.courses]
        n_contacts = n_options * sizes["u"] * sizes["v"] if contacts else 1
        tables = {
            "_sets": np.array([[each[name] for name in used] for each in values], dtype=float).ravel(),
            "_steps": np.array(borders, dtype=np.int32).ravel(),
            "_which": np.asarray(which, dtype=np.int32),
            "_given": np.zeros(max(1, len(given)) * n_options),
            "_game_inputs": np.zeros(max(1, len(game_inputs)) * self.n_games),
            "_choice": np.zeros(n_options),
            "_memory": np.zeros(self.n_games * stride + width, dtype=real),
            "_streams": np.zeros(self.n_games * sum(rooms.values()) // 2, dtype=np.int64),
            "_counts": np.zeros(2 * n_options),
            "_sizes": np.array(list(sizes.values()), dtype=np.int32),
            "_mode": np.array([0, steps if record else 0], dtype=np.int32),
            "_raster": np.zeros(self.n_games * steps * total if record else 1, dtype=bool),
            "_contacts": np.zeros(n_contacts),
            "_learnt": np.zeros(max(1, len(learnt)) * n_options),
            "_reward": np.zeros(self.n_games),
            "_luck": np.zeros(self.n_games, dtype=np.int64),
        }
        for name, array in tables.items():
            group.add({name: array}, len(array))
        self._run = _code(
            (target, model, tuple(used)),
            group,
            blocks,
            [name for place in places.values() for name in place.arrays],
            {
                "_real": c_data_type(real),
                "_tables": tuple(tables),
                "_of_sets": used,
                "_game_input_names": game_inputs,
                "_given_names": given,
                "_learnt_names": learnt,
                "_populations": list(places.values()),
                # The synapse first, since it reads single neurons as they were before the step.
                "_stepping": sorted(places.values(), key=lambda place: place.name != SYNAPSE),
                "_arrivals": arrivals,
                "_n_before": len(structure.before),
                "_n_phases": len(structure.phases),
                "_contact": next(iter(structure.contacts), ""),
            },
        )
        shape = (self.n_games, n_arms)
        self.choice = group.array("_choice").reshape(shape)
        self.given = dict(zip(given, group.array("_given")[: len(given) * n_options].reshape(-1, *shape), strict=True))
        of_games = group.array("_game_inputs")[: len(game_inputs) * self.n_games].reshape(-1, self.n_games)
        self.game_inputs = dict(zip(game_inputs, of_games, strict=True))
        of_learnt = group.array("_learnt")[: len(learnt) * n_options].reshape(-1, *shape)
        self.learnt = dict(zip(learnt, of_learnt, strict=True))
        self.counts = group.array("_counts").reshape(2, *shape)
        self.reward = group.array("_reward")
        n = (sizes["u"], sizes["v"])
        self.b = group.array("_contacts").reshape(*shape, *n) if contacts else np.zeros((*shape, 0, 0))
        self.raster = group.array("_raster").reshape(self.n_games, -1, total) if record else None
        self.sizes, self._rooms = sizes, rooms
        group.array("n_arms")[0] = n_arms
        # The arrays of all populations of a game are contiguous; the memory is aligned to 64 bytes.
        memory = group.array("_memory")
        first = -(memory.ctypes.data // memory.itemsize) % width
        games, at = memory[first : first + self.n_games * stride].reshape(self.n_games, stride), 0
        self.states: dict[str, dict[str, np.ndarray]] = {}
        for name, place in places.items():
            arrays = games[:, at : at + len(place.arrays) * rooms[name]].reshape(self.n_games, -1, rooms[name])
            at += len(place.arrays) * rooms[name]
            n_own = self.neurons.get(name, n_arms)
            self.states[name] = {key: arrays[:, place.arrays.index(key), :n_own] for key in place.neurons.state}
        lasting = ("_given", "_game_inputs", "_choice", "_streams", "_counts", "_contacts", "_learnt", "_luck")
        #: Arrays that make up the state of the games, by name.
        self.lasting = {"neurons": games, **{name: group.array(name) for name in lasting}}
        self._sets, self._used = group.array("_sets").reshape(len(values), -1), used
        self._seed(seeds)

    @property
    def timing(self) -> list[Course]:
        """Alias of ``courses``, its name until 0.2."""
        return self.courses

    def set_value(self, name: str, values: np.ndarray) -> None:
        """Set a parameter, in SI units: one value for each parameter set."""
        if name in self._used:
            self._sets[:, self._used.index(name)] = values

    def _seed(self, seeds: np.ndarray) -> None:
        """Seed the random streams of the neurons and of the games."""
        whole = states(seeds)
        streams = self._group.array("_streams").reshape(self.n_games, -1)
        at = start = 0
        for name, size in self.neurons.items():
            n = n_streams(self.model.structure, size)
            streams[:, start : start + n] = whole[:, at : at + n]
            at, start = at + n, start + self._rooms[name] // 2
        self._group.array("_luck")[:] = whole[:, at]

    def respond(self) -> None:
        """Run a round of all games up to the choice, with the values of ``given`` and ``game_inputs``."""
        if self.raster is not None:
            self.raster[:] = 0
        self._call(0)

    def await_outcome(self, rewards: np.ndarray) -> None:
        """Run the phases after the choice, then the learning rule of contacts."""
        self.reward[:] = rewards
        self._call(1)

    def _call(self, mode: int) -> None:
        self._group.array("_mode")[0] = mode
        self._run()


#: Compiled rounds.
_codes: KeptCode[Callable[[Mapping[str, Any]], None]] = KeptCode()


def _code(
    generated_from: tuple[Any, ...],
    group: UnitGroup,
    blocks: dict[str, str],
    needed: Sequence[str],
    options: Mapping[str, Any],
) -> Callable[[], None]:
    """Return compiled code for the arrays of a group; that of an earlier group if it is the same."""

    def make() -> Callable[[Mapping[str, Any]], None]:
        code = create_runner_codeobj(
            group,
            blocks,
            "columns",
            run_namespace={},
            check_units=False,  # checked when the model was made
            needed_variables=needed,
            template_kwds=dict(options),
            codeobj_class=generated_from[0],
        )
        main: Callable[[Mapping[str, Any]], None] = code.compiled_code["run"].main
        return main

    main = _codes.get(generated_from, make)
    arrays = [var for var in group.variables.values() if isinstance(var, ArrayVariable)]
    return partial(main, {get_device().get_array_name(var): var.get_value() for var in arrays})
