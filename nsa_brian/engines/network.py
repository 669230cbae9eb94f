"""Engine ``network``, the reference: the paper's network as Brian2 users write it.

Two NeuronGroups U and V, diagonal Synapses between them, and a ``network_operation`` that watches the clock: it
ends phase 1 by taking the input away, and at a round's end it selects an arm, asks the bandit for the reward,
applies the learning rule and sends the network back to its start. One ``Network.run`` plays a whole game.

>>> from nsa_brian import NSANetwork
>>> network = NSANetwork(n_arms=5, record=["u", "v"], seed=1)
>>> decision = network.decide()
>>> decision.arm, decision.agreed, decision.u.shape  # doctest: +SKIP
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from brian2 import BrianObjectException, Network, NetworkOperation, StateMonitor, Synapses, ms, second

from nsa_brian.codegen.code_objects import check_compiled, told_if_slow
from nsa_brian.common.checks import check_integer, make_rng
from nsa_brian.common.texts import shown
from nsa_brian.engines.base import Engine, Pull, check_integration
from nsa_brian.engines.network_objects import NetworkObjects
from nsa_brian.engines.randomness import Randomness
from nsa_brian.errors import ModelError
from nsa_brian.model.model import PAPER, Model, check_noise
from nsa_brian.model.timing import steps_of
from nsa_brian.parameter_set import load
from nsa_brian.parameters import NSAParameters

#: Time steps whose noise is drawn together; a constant, so that a game's noise does not depend on the batch.
NOISE_AHEAD = 64


@dataclass(frozen=True)
class Decision:
    """One decision and how the network came to it.

    Attributes
    ----------
    arm : int or array (games,)
        The chosen arm.
    agreed : bool or array (games,)
        Whether U and V agreed on it; a random arm otherwise.
    t : array (steps + 1,)
        Time since the round's start in seconds.
    u, v : array (steps + 1, arms), or (steps + 1, games, arms)
        The activities from rest to the end of phase 2.
    """

    arm: Any
    agreed: Any
    t: np.ndarray
    u: np.ndarray
    v: np.ndarray


class NSANetwork(Engine):
    """The network of Brian2 objects. ``n_games`` games lie side by side in the same groups, uncoupled.

    Parameters
    ----------
    n_arms, n_games, ties, tolerance, rng
        See :class:`nsa_brian.engines.base.Engine`.
    parameters : NSAParameters, optional
        By default the package's default set.
    seed : int, optional
        Makes ``rng`` where none is given.
    dt : Quantity
        Time step.
    method : str
        Any of Brian2's integration methods. Brian2 holds what the synapses sum up constant within a time step, so
        methods of higher order gain nothing here; in the engine ``rounds`` they do.
    record : sequence of str
        Variables of U, V or UV to record, such as ``["u", "v", "w", "Phi_v"]``.
    record_dt : Quantity, optional
        Time step of the recording, by default that of the simulation.
    name : str
        Prefix of all Brian2 names; two networks in one script want two.
    model : Model
        What is run; this engine runs every one.

    Attributes
    ----------
    U, V : NeuronGroup
    UV, VU : Synapses
    populations : dict of NeuronGroup
        Those of a game's own, by name.
    couplings : dict of Synapses
        Those that the model adds, by the variable that they deliver.
    monitors : dict
        The StateMonitor that recorded a variable, by the variable's name.
    network : brian2.Network
        All of it; more Brian2 objects can be added before playing.
    namespace : dict
        Values of names in the equations of objects that were added.
    """

    name = "network"

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters] | None = None,
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1e-6,
        rng: Randomness | None = None,
        *,
        seed: int | None = None,
        dt: Any = 1 * ms,
        method: str = "euler",
        record: Sequence[str] = (),
        record_dt: Any = None,
        name: str = "nsa",
        model: Model = PAPER,
    ) -> None:
        parameters = load().parameters if parameters is None else parameters
        rng = make_rng(seed, rng)
        super().__init__(n_arms, parameters, n_games, ties, tolerance, rng, model)
        check_integration(dt, method)
        check_noise(model, method)
        if len(set(self.parameters)) > 1:
            raise ValueError("the network engine plays all games with the same parameters")
        self.dt, self.method = dt, method
        self.input_steps, self.round_steps = steps_of(self.parameters[0], float(dt / ms), method)

        with told_if_slow("compiling the network to C++ (once; later runs find it in Brian2's cache)"):
            self._objects = NetworkObjects(model, self.parameters[0], n_games, n_arms, dt, method, name)
        self.U, self.V = self._objects.groups["u"], self._objects.groups["v"]
        self.UV, self.VU = self._objects.synapses["I_v"], self._objects.synapses["I_u"]
        self.populations = {place: self._objects.groups[place] for place in model.structure.populations}
        self.couplings = {
            key: synapses for key, synapses in self._objects.synapses.items() if key not in ("I_u", "I_v")
        }
        self.monitors = self._monitors(record, record_dt if record_dt is not None else dt, name)
        clock = self._objects.clock
        timing = NetworkOperation(self._end_of_step, clock=clock, when="end", name=f"{name}_timing")
        self.network = Network(*self._objects.all, timing, name=f"{name}_network")
        self.network.add(*dict.fromkeys(self.monitors.values()))
        if model.noise:
            self._noise_rng = self.rng.spawn(1)[0]
            self._noise: list[np.ndarray] = []
            self.network.add(NetworkOperation(self._draw, clock=clock, when="start", name=f"{name}_noise"))
        #: The caller's names for objects that were added to the network, as of ``Network.run``.
        self.namespace: dict[str, Any] = {}
        self._stored: dict[str, Any] = {}
        self._at_start: list[Callable[[], None]] = []
        self._at_end: list[Callable[[], None]] = []
        self._pull: Pull | None = None
        self._compiled = False  # and looked at
        self._trace: tuple[np.ndarray, np.ndarray] | None = None
        self._starts = {name: self.initial(name) for name in self._objects.owner}
        self.reset()

    @property
    def activity(self) -> np.ndarray:  # type: ignore[override]
        """Activities of U and V, copied from Brian2's arrays."""
        return np.stack([self.u, self.v])

    @property
    def u(self) -> np.ndarray:
        """Activity of U, a view of Brian2's own array."""
        return self._view(self.U, "u")

    @property
    def v(self) -> np.ndarray:
        """Activity of V, a view of Brian2's own array."""
        return self._view(self.V, "v")

    @property
    def w(self) -> np.ndarray:  # type: ignore[override]
        """Weights of UV, a view of Brian2's own array."""
        return self._view(self.UV, "w")

    @property
    def synapses(self) -> dict[str, np.ndarray]:
        """All variables of UV by name, views of Brian2's own arrays."""
        return {name: self.state(name) for name in self.model.structure.synaptic}

    def state(self, name: str) -> np.ndarray:
        """A state variable, a view of Brian2's own array: (games, arms), or (games, 1) of a game's own population."""
        return self._view(self._objects.owner[name], name)

    @property
    def lateral(self) -> list[Synapses]:
        """The Synapses of the model's lateral couplings."""
        return [self.couplings[lateral.variable] for lateral in self.model.lateral]

    def at_start(self, function: Callable[[], None]) -> None:
        """Have a function called at the start of every round, when everything is reset."""
        self._at_start.append(function)

    def at_end(self, function: Callable[[], None]) -> None:
        """Have a function called at the end of every round, before anything is learnt."""
        self._at_end.append(function)

    def reset(self) -> None:
        """Forget everything: synapses, and what is carried over, start anew."""
        super().reset()
        for name in self.model.carried:
            self.state(name)[:] = self._starts[name]
        self._rest()

    def store(self, name: str = "default") -> None:
        """Keep the state of the network and of its random numbers under a name, as ``Network.store`` does."""
        self.network.store(name)
        generators = [self.rng, *([self._noise_rng] if self.model.noise else [])]
        noise = list(self._noise) if self.model.noise else []
        self._stored[name] = copy.deepcopy((generators, noise, self.agreed))

    def restore(self, name: str = "default") -> None:
        """Go back to where :meth:`store` was called with that name."""
        if name not in self._stored:
            raise KeyError(f"nothing was stored under the name {shown(name)}")
        self.network.restore(name)
        generators, noise, self.agreed = copy.deepcopy(self._stored[name])
        self.rng = generators[0]
        if self.model.noise:
            self._noise_rng, self._noise = generators[1], noise

    def respond(self) -> None:
        """Run one round and stop at its end."""
        self._run(1, None)

    def play(self, pull: Pull, n_rounds: int, **report: Any) -> None:
        """Play a whole game in one ``Network.run``.

        Parameters
        ----------
        pull : callable
            Takes the arm of each game, returns the reward of each game: ``bandit.pull``, or a function of yours.
        n_rounds : int
        **report
            ``report`` and ``report_period``, as of ``Network.run``.
        """
        self._run(check_integer("n_rounds", n_rounds, 0), pull, **report)

    def decide(self) -> Decision:
        """Run a single decision with the present weights, watch it, and learn nothing."""
        shape = (self.round_steps + 1, self.n_games, self.n_arms)
        self._trace = u, v = np.zeros(shape), np.zeros(shape)
        try:
            self.respond()
        finally:
            self._trace = None
        arms = self.select()
        t = np.arange(self.round_steps + 1) * float(self.dt / second)
        if self.n_games == 1:
            return Decision(int(arms[0]), bool(self.agreed[0]), t, u[:, 0], v[:, 0])
        return Decision(arms, self.agreed, t, u, v)

    def _run(self, n_rounds: int, pull: Pull | None, **report: Any) -> None:
        self._begin()
        self._pull, self._rounds_left = pull, n_rounds
        try:
            self.network.run(n_rounds * self.round_steps * self.dt, namespace=self.namespace, **report)
        except BrianObjectException as error:
            if not isinstance(error.__cause__, ZeroDivisionError):
                raise
            raise ModelError(
                f"model {self.model.name}: an equation divides by zero, where Brian2's compiled code ends; keep what "
                "divides above 0"
            ) from None

    def _end_of_step(self) -> None:
        """The clockwork of a round, called at the end of each time step."""
        if not self._compiled:
            check_compiled(self.network, f"model {self.model.name}")
            self._compiled = True
        self._step += 1
        if self._trace is not None:
            self._trace[0][self._step], self._trace[1][self._step] = self.u, self.v
        if self._step == self.input_steps:
            self.U.I = 0  # phase 2: the coupling alone drives the activities
        elif self._step == self.round_steps:
            for function in self._at_end:
                function()
            if self._pull is not None:
                arms = self.select()
                self.learn(arms, self._pull(arms))
                self._rounds_left -= 1
                if self._rounds_left:
                    self._begin()

    def _begin(self) -> None:
        """A round begins."""
        self._rest()
        if self._trace is not None:
            self._trace[0][0], self._trace[1][0] = self.u, self.v
        for function in self._at_start:
            function()

    def _rest(self) -> None:
        """The start of a round: neurons where they start unless they are carried over, input on."""
        synaptic = self.model.structure.synaptic
        for name, start in self._starts.items():
            if name not in self.model.carried and name not in synaptic:
                self.state(name)[:] = start
        self.U.I = self.parameters[0].I_ext
        self._step = 0

    def _draw(self) -> None:
        """New noise for every neuron at the start of a time step; drawn ahead, for a call costs more than a number."""
        if not self._noise:
            size = (self.n_games, NOISE_AHEAD, 2, self.n_arms)
            self._noise = list(self._noise_rng.normal(0, 1, size).transpose(1, 2, 0, 3))
        self._view(self.U, "n_u")[:], self._view(self.V, "n_v")[:] = self._noise.pop()

    def _view(self, group: Any, variable: str) -> np.ndarray:
        return group.variables[variable].get_value().reshape(self.n_games, -1)

    def _monitors(self, record: Sequence[str], dt: Any, name: str) -> dict[str, StateMonitor]:
        groups = {"U": self.U, "V": self.V, "UV": self.UV, **self.populations}
        # Each group's own equations tell whose variable it is: Synapses also see those of the neurons they join.
        owner = {var: key for key, group in groups.items() for var in group.equations.names}
        if isinstance(record, str) or not isinstance(record, Iterable):
            raise ValueError(f"record must be a sequence of names, got {shown(record)}")
        unknown = [var for var in record if var not in owner]
        if unknown:
            raise ValueError(
                f"cannot record {shown(unknown[0])}; {_listed(list(groups))} have {', '.join(sorted(owner))}"
            )
        recorded = {key: [var for var in record if owner[var] == key] for key in groups}
        monitor = partial(StateMonitor, record=True, dt=dt)
        monitors = {
            key: monitor(groups[key], variables, name=f"{name}_{key}_monitor")
            for key, variables in recorded.items()
            if variables
        }
        return {var: monitors[owner[var]] for var in record}


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
