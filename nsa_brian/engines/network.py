"""Engine ``network``, the reference: the model as a network of Brian2 objects.

Two NeuronGroups U and V, diagonal Synapses between them, and a ``network_operation`` that starts the phases and, at a
round's end, selects an arm, gets the reward from the bandit, applies the learning rule and resets the network. One
``Network.run`` plays a whole game. Other populations are NeuronGroups too.

>>> from nsa_brian import NSANetwork
>>> network = NSANetwork(n_arms=5, record=["u", "v"], seed=1)
>>> decision = network.decide()
>>> decision.arm, decision.agreed, decision.u.shape  # doctest: +SKIP
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from brian2 import (
    BrianObjectException,
    Clock,
    Network,
    StateMonitor,
    Synapses,
)

from nsa_brian.codegen.cache import replacing_damaged_files
from nsa_brian.codegen.code_objects import announce_if_slow, check_compiled
from nsa_brian.common.checks import check_integer, make_rng
from nsa_brian.common.texts import shown
from nsa_brian.engines.base import Pull
from nsa_brian.engines.decision import Decision, decide, spike_monitors
from nsa_brian.engines.network_objects import NetworkObjects
from nsa_brian.engines.network_state import network_arrays, read_state, restore_network, write_state
from nsa_brian.engines.network_timing import Timing
from nsa_brian.engines.numbers import Numbers
from nsa_brian.engines.populations import PopulationEngine
from nsa_brian.engines.randomness import Randomness
from nsa_brian.engines.snapshot import Snapshot, read
from nsa_brian.errors import ModelError
from nsa_brian.model.course import Course
from nsa_brian.model.expression import numpy_function
from nsa_brian.parameters import NSAParameters


class NSANetwork(PopulationEngine):
    """The model as a network of Brian2 objects. All games are in the same groups, uncoupled.

    Parameters
    ----------
    n_arms, parameters, n_games, ties, tolerance, rng
        See :class:`nsa_brian.engines.base.Engine`; all games have the same parameters.
    seed : int, optional
        Seed of ``rng`` if none is given.
    method : str
        Any of Brian2's integration methods. Brian2 holds summed variables constant within a time step, so methods of
        higher order gain nothing here; in the engine ``rounds`` they do.
    record : sequence of str, or True
        Variables of U, V, UV or another population to record, such as ``["u", "v", "w", "Phi_v"]``; for populations of
        many neurons with the population's name, such as ``"vm_u"``. True records all spikes of U and V.
    record_dt : Quantity, optional
        Time step of the recording, by default that of the simulation.
    name : str
        Prefix of all Brian2 names; networks in one script need different ones.
    **options
        See :class:`nsa_brian.engines.base.Engine`.

    Attributes
    ----------
    U, V : NeuronGroup
    UV, VU : Synapses
        The paper's diagonal coupling, if U and V are single neurons; ``UV`` holds the contacts if the model has any.
    populations : dict of NeuronGroup
        Further populations by name.
    couplings : dict of Synapses
        Further couplings, by the variable that they deliver.
    monitors : dict
        The StateMonitor of each recorded variable.
    spikes : dict
        The SpikeMonitors of ``"U"`` and ``"V"`` if spikes are recorded.
    network : brian2.Network
        The whole network; further Brian2 objects can be added before playing.
    namespace : dict
        Values of names in the equations of added objects.
    """

    name = "network"

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters] | None = None,
        n_games: int = 1,
        ties: str = "random",
        tolerance: float | None = None,
        rng: Randomness | None = None,
        *,
        seed: int | None = None,
        record: Sequence[str] | bool = (),
        record_dt: Any = None,
        name: str = "nsa",
        **options: Any,
    ) -> None:
        super().__init__(n_arms, parameters, n_games, ties, tolerance, make_rng(seed, rng), **options)
        if len({id(values) for values in self.values}) > 1:
            raise ValueError("the engine network plays all games with the same parameters; use rounds")
        structure, values = self.structure, self.values[0]
        self.course = Course.of(self.model, values, float(self.dt), self.method)
        self.round_steps = self.course.round_steps
        self._all_steps = (*self.course.borders, *self.course.after)
        self._events = {*self._all_steps, self._all_steps[-1] - 1, self.round_steps, self.course.reading_step}
        said = "compiling the network to C++ (once; later runs find it in Brian2's cache)"
        with replacing_damaged_files(), announce_if_slow(said):
            self._objects = NetworkObjects(self.model, values, n_games, n_arms, self.dt, self.method, name)
        groups = self._objects.groups
        self.U, self.V, self.options = groups["u"], groups["v"], self._objects.options
        self.UV, self.VU = self._objects.synapses.get("I_v"), self._objects.synapses.get("I_u")
        self.UV = self._objects.contacts or self.UV
        self.populations = {key: group for key, group in groups.items() if key not in ("u", "v")}
        self.couplings = {
            key: synapses for key, synapses in self._objects.synapses.items() if key not in ("I_u", "I_v")
        }
        for key in structure.synaptic:
            if key in self._objects.owner:
                self._synapses[key] = self._view(*self._objects.owner[key])
        self._numbers = Numbers(self.structure, groups, self.seeds() if structure.draws else None)
        self._values_of_phases = [
            {key: float(numpy_function(phase.on.get(key, "0"), {}, {**values, "n_arms": float(n_arms)})())
             for key in structure.phased}
            for phase in structure.phases
        ]  # fmt: skip
        if isinstance(record, Iterable) and not isinstance(record, str):
            record = tuple(record)  # an iterator can be read only once
        self.monitors = self._monitors(record, record_dt, name)
        self.spikes = spike_monitors(self) if record is True else {}
        clock = self._objects.clock
        timing = Timing(self._end_of_step, self._objects.all, clock=clock, when="end", name=f"{name}_timing")
        self.network = Network(*self._objects.all, timing, name=f"{name}_network")
        self.network.add(*dict.fromkeys(self.monitors.values()), *self.spikes.values())
        self._own = {each.name for each in self.network.objects}
        self._settings = {"record": record, "record_dt": record_dt, "name": name}
        self.namespace: dict[str, Any] = {}
        self._stored: dict[str, Any] = {}
        self._at_start: list[Callable[[], None]] = []
        self._at_end: list[Callable[[], None]] = []
        self._pull: Pull | None = None
        self._compiled = False  # whether compilation was checked
        #: Activities in all time steps of a recorded decision, by population.
        self.trace: dict[str, np.ndarray] = {}
        self._outcome: tuple[np.ndarray, np.ndarray] | None = None  # arms and rewards, after the choice
        self._starts = {
            code: self.initial(text)
            for neurons in structure.populations.values()
            for code, text in neurons.initial.items()
        }
        self._step = self._phase = self._rounds_left = 0
        self.reset()
        self._rest()

    def __repr__(self) -> str:
        games = f", n_games={self.n_games}" if self.n_games > 1 else ""
        recorded = f", record={[*self.monitors]}" if self.monitors else ""
        recorded = ", record=True" if self.spikes else recorded
        return f"NSANetwork(n_arms={self.n_arms}, model={self.model.name!r}{games}{recorded}, t={self.network.t})"

    # Public interface ------------------------------------------------------------------------------------------------

    @property
    def activity(self) -> np.ndarray:  # type: ignore[override]
        """Output of U and V: read from Brian2's arrays, or as stored at the choice if it may have changed since."""
        return self._rates if self.course.after or self._end.shows else self._live

    @property
    def _live(self) -> np.ndarray:
        """Current activities and firing rates."""
        return np.stack([self._shows("u", self.U), self._shows("v", self.V)])

    def _shows(self, name: str, group: Any) -> np.ndarray:
        neurons = self.structure.populations[name]
        if not neurons.spikes:
            code = name if name in neurons.state else neurons.state[0]
            return self.neurons(code).reshape(self.n_games, self.n_arms, -1).mean(axis=2)
        counts = self._array(group, "count").reshape(self.n_games, self.n_arms, -1)
        return counts.sum(axis=2) / (counts.shape[2] * self.course.reading)  # rounded as in the engine `rounds`

    def neurons(self, variable: str) -> np.ndarray:
        """Return a state variable of neurons, a view of Brian2's array: (games, neurons)."""
        return self._view(*self._objects.owner[variable])

    @property
    def b(self) -> np.ndarray:
        """The variable of contacts."""
        sizes = self._objects.sizes
        name = next(iter(self.structure.contacts))
        return self._array(self.UV, name).reshape(self.n_games, self.n_arms, sizes["u"], sizes["v"])

    def shown_name(self, code: str) -> str:
        """Return the name of a state variable of neurons in its group."""
        return self._objects.owner[code][1]

    @property
    def lateral(self) -> list[Synapses]:
        """The Synapses of the model's lateral couplings."""
        return [self.couplings[lateral.variable] for lateral in self.model.lateral]

    @property
    def timing(self) -> Course:
        """Alias of ``course``, its name until 0.2."""
        return self.course

    @property
    def input_steps(self) -> int:
        """Time steps of the first phase."""
        return self.course.input_steps

    @property
    def pools(self) -> dict[str, Any]:
        """The pools: populations of which each game has one."""
        return {name: self.populations[name] for name in self.structure.of_games}

    def at_start(self, function: Callable[[], None]) -> None:
        """Register a function to be called at the start of every round, after the reset."""
        self._at_start.append(function)

    def at_end(self, function: Callable[[], None]) -> None:
        """Register a function to be called at the end of every round, before the choice."""
        self._at_end.append(function)

    def store(self, name: str = "default", filename: str | Path | None = None) -> None:
        """Store the state of the network and of its random numbers under a name, as ``Network.store`` does.

        Parameters
        ----------
        name : str
        filename : str or Path, optional
            File to store it in, instead of in memory. A file can hold several states; it contains data only, and is
            written atomically, by one process at a time. Its folder is created if missing.
        """
        if filename is None:
            self._stored[name] = self.snapshot(), copy.deepcopy(self.rng)
        else:
            write_state(filename, name, self.snapshot(), self.rng)

    def restore(self, name: str = "default", filename: str | Path | None = None) -> None:
        """Restore the state that :meth:`store` stored under that name, in memory or in a file.

        Objects that were added to the network must be there again, with the same names.
        """
        if filename is not None:
            snapshot, rng = read_state(filename, name)
        elif name in self._stored:
            snapshot, rng = self._stored[name][0], copy.deepcopy(self._stored[name][1])
        else:
            raise KeyError(f"nothing was stored under the name {shown(name)}")
        self.resume(snapshot)
        self.rng = rng

    def own_settings(self) -> dict[str, Any]:
        """Return the keywords of this class.

        Raises
        ------
        ValueError
            If the network has functions or objects that were added to it, of which a copy can not be made.
        """
        added = sorted({each.name for each in self.network.objects} - self._own)
        if added or self._at_start or self._at_end:
            what = f"the added object {added[0]}" if added else "functions of at_start or at_end"
            raise ValueError(f"a network with {what} cannot be copied or saved; use store(name, filename)")
        return dict(self._settings)

    def snapshot(self) -> Snapshot:
        """Return the state; see :meth:`nsa_brian.engines.base.Engine.snapshot`."""
        if self._pull is not None and self._rounds_left:
            raise ValueError("the network is playing: its state can be stored between rounds, not within play")
        streams = {f"stream {name}": each.state.copy() for name, each in self._numbers.streams.items()}
        place = {"step": np.array([self._step, self._phase])}
        return {**super().snapshot(), **streams, **place, **network_arrays(self.network)}

    def resume(self, snapshot: Snapshot) -> None:
        """Set the state; see :meth:`nsa_brian.engines.base.Engine.resume`."""
        restore_network(self.network, snapshot)
        for key in self.structure.synaptic:  # Brian2 may have replaced the arrays
            if key in self._objects.owner:
                self._synapses[key] = self._view(*self._objects.owner[key])
        super().resume(snapshot)
        for name, each in self._numbers.streams.items():
            each.state[:] = read(snapshot, f"stream {name}", each.state)
        step, phase = read(snapshot, "step", np.empty(2, np.int64)).tolist()
        self._set_phase(phase)
        self._step, self._outcome = step, None

    # Playing ---------------------------------------------------------------------------------------------------------

    def respond(self) -> None:
        """Run one round up to the choice."""
        self._run(1, None)
        self._check_neurons()

    def play(self, pull: Pull, n_rounds: int, **report: Any) -> None:
        """Play a whole game in one ``Network.run``.

        Parameters
        ----------
        pull : callable
            Takes the arm of each game, returns the reward of each game: ``bandit.pull``, or a function.
        n_rounds : int
        **report
            ``report`` and ``report_period``, see ``Network.run``.
        """
        self._run(check_integer("n_rounds", n_rounds, 0), pull, **report)

    def decide(self, watch: Sequence[int] = ()) -> Decision:
        """Run and record a single decision with the current weights, without learning.

        Parameters
        ----------
        watch : sequence of int
            Neurons of U and V whose state variables are recorded in every time step.
        """
        return decide(self, watch)

    def _run(self, n_rounds: int, pull: Pull | None, **report: Any) -> None:
        self._begin()
        self._pull, self._rounds_left = pull, n_rounds
        steps = n_rounds * (self.round_steps if pull is None else self._all_steps[-1])
        self._run_steps(steps, **report)

    def _run_steps(self, steps: int, **report: Any) -> None:
        try:
            with replacing_damaged_files():
                self.network.run(steps * self.dt, namespace=self.namespace, **report)
        except BrianObjectException as error:
            if not isinstance(error.__cause__, ZeroDivisionError):
                raise
            raise ModelError(
                f"model {self.model.name}: an equation divides by zero, which stops Brian2's compiled code; keep its "
                "divisors above 0"
            ) from None

    def _end_of_step(self) -> None:
        """Draw random numbers, start phases, choose and end rounds; called at the end of each time step."""
        self._step += 1
        if self._step in self._events or self.trace or not self._compiled:
            self._handle_step()
        elif self._numbers.streams:
            self._numbers.hand_out()

    def _handle_step(self) -> None:
        """Handle a time step in which something happens, or that is recorded."""
        if not self._compiled:
            check_compiled(self.network, f"model {self.model.name}")
            self._compiled = True
        for name, trace in self.trace.items():
            trace[self._step] = self._shows(name, None)
        if self._step == self.course.reading_step:
            self._count_anew()
        if self._step == self._all_steps[-1] - 1:
            self._call_outcome(True)
        if self._step == self.round_steps and self._outcome is None:
            self._choose()
        elif self._step == self._all_steps[-1]:
            self._end_round()
        elif self._step == self._all_steps[self._phase]:
            self._set_phase(self._phase + 1)
            self._numbers.hand_out()
        else:
            self._numbers.hand_out()

    def _choose(self) -> None:
        """End the phases before the choice, and choose if a game is played."""
        for function in self._at_end:
            function()
        if self.course.after or self._end.shows:
            self._rates[:] = self._live
            self._rates[:] = self._end.show(self._rates)
        if self._pull is None:
            return
        self._check_neurons()
        arms = self.select()
        rewards = self._pull(arms)
        self._outcome = (arms, rewards)
        if not self.course.after:
            self._end_round()
        else:
            self._begin_after(arms, np.asarray(rewards, dtype=float))

    def _begin_after(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Begin the phases after the choice, with arm and reward known."""
        self._outcome = (arms, rewards)
        self._give("choice", self.choices(arms))
        self._give("R", rewards[:, None])
        for name in self._objects.learnt if self._objects.contacts is not None else ():
            if name != "R":
                self._give_to(self.V, name, self.static(name), self._objects.sizes["v"], True)
        if self._objects.contacts is not None:
            if "R" in self._objects.learnt:
                self._give_to(self.V, "R", rewards[:, None], self._objects.sizes["v"], True)
            chances = self._array(self.UV, "chance").reshape(self.n_games, -1)
            chances[:] = self._numbers.luck(chances.shape[1])
            self._call_outcome(self._all_steps[-1] - self.round_steps == 1)
        self._set_phase(len(self.course.borders))
        self._numbers.hand_out()

    def _call_outcome(self, now: bool) -> None:
        """Set whether contacts learn at the end of the next time step."""
        if self._objects.contacts is not None and self._outcome is not None:
            self.V.outcome = now

    def _end_round(self) -> None:
        """Learn, and begin the next round if there is one."""
        if self._pull is None:
            return
        assert self._outcome is not None
        arms, rewards = self._outcome
        self._call_outcome(False)
        self.learn(arms, rewards)
        self._outcome = None
        self._rounds_left -= 1
        if self._rounds_left:
            self._begin()

    def _await(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        if self._outcome is not None or not self.course.after:  # the phases have been run already
            return
        self._begin_after(arms, np.asarray(rewards, dtype=float))
        self._run_steps(self._all_steps[-1] - self.round_steps)
        self._call_outcome(False)
        self._outcome = None

    def _begin(self) -> None:
        """Begin a round."""
        self._rest()
        self._numbers.hand_out()
        for name, trace in self.trace.items():
            trace[0] = self._shows(name, None)
        for function in self._at_start:
            function()

    def _rest(self) -> None:
        """Reset to the start of a round: initial state unless carried over, first phase."""
        for name, start in self._starts.items():
            if name not in self.structure.carried:
                self.neurons(name)[:] = start
        for key, group in self._objects.groups.items():
            if self.structure.populations[key].spikes:
                self._array(group, "lastspike")[:] = -1e9
                self._array(group, "not_refractory")[:] = True
        self._count_anew()
        for name in self._objects.given:
            if name in ("choice", "R"):
                self._give(name, np.zeros((self.n_games, 1)))
            else:
                self._give(name, self.static(name))
        self._step, self._outcome = 0, None
        self._set_phase(0)

    def _count_anew(self) -> None:
        for group, key in ((self.U, "u"), (self.V, "v")):
            if self.structure.populations[key].spikes:
                self._array(group, "count")[:] = 0

    def _give(self, name: str, values: np.ndarray) -> None:
        """Set the value of a variable of options or games in all objects that read it."""
        for group, here, size, of_options in self._objects.given.get(name, ()):
            self._give_to(group, here, values, size, of_options)

    def _give_to(self, group: Any, name: str, values: np.ndarray, size: int, of_options: bool) -> None:
        shape = (self.n_games, self.n_arms if of_options else 1)
        array = self._array(group, name).reshape(*shape, size)
        array[:] = np.broadcast_to(values, shape)[:, :, None]

    def _set_phase(self, phase: int) -> None:
        self._phase = phase
        for name, value in self._values_of_phases[phase].items():
            for group in (*self._objects.groups.values(), self.options):
                if group is not None and name in group.variables:
                    self._array(group, name)[:] = value
        values = {**self.values[0], **self._values_of_phases[phase], "n_arms": float(self.n_arms)}
        self._numbers.set_rates(values, float(self.dt))

    # Arrays and monitors ---------------------------------------------------------------------------------------------

    def _array(self, group: Any, variable: str) -> np.ndarray:
        return group.variables[variable].get_value()

    def _view(self, group: Any, variable: str) -> np.ndarray:
        return self._array(group, variable).reshape(self.n_games, -1)

    def _monitors(self, record: Any, dt: Any, name: str) -> dict[str, StateMonitor]:
        if isinstance(record, bool):
            return {}
        groups = {"U": self.U, "V": self.V, **self.populations, **({"UV": self.UV} if self.UV is not None else {})}
        known: dict[str, tuple[str, str]] = {}
        for key, group in groups.items():
            neurons = self.structure.populations.get(key.lower() if key in ("U", "V") else key)
            for variable in group.equations.names:
                # Search each group's own equations only: Synapses also see the variables of their neurons.
                alone = neurons is None or neurons.single
                known[variable if alone else f"{variable}_{neurons.name}"] = (key, variable)  # type: ignore[union-attr]
        if isinstance(record, str) or not isinstance(record, Iterable):
            raise ValueError(f"record must be a sequence of names, got {shown(record)}")
        unknown = [var for var in record if var not in known]
        if unknown:
            raise ValueError(
                f"cannot record {shown(unknown[0])}; {_listed(list(groups))} have {', '.join(sorted(known))}"
            )
        recorded = {key: [known[var][1] for var in record if known[var][0] == key] for key in groups}
        # A clock with a name of its own, since stored states are found by the names of objects.
        clock = self._objects.clock if dt is None else Clock(dt, name=f"{name}_record_clock")
        monitor = partial(StateMonitor, record=True, clock=clock)
        monitors = {
            key: monitor(groups[key], variables, name=f"{name}_{key}_monitor")
            for key, variables in recorded.items()
            if variables
        }
        return {var: monitors[known[var][0]] for var in record}


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
