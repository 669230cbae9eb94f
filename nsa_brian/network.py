"""Engine ``network``, the reference: the paper's network as Brian2 users write it.

Two NeuronGroups U and V, diagonal Synapses between them, and a ``network_operation`` that watches the clock: it
ends phase 1 by taking the input away, and at a round's end it selects an arm, asks the bandit for the reward,
applies the plasticity rule and sends the network back to rest. One ``Network.run`` plays a whole game.

>>> from nsa_brian import NSANetwork
>>> network = NSANetwork(n_arms=5, record=["u", "v"], seed=1)
>>> decision = network.decide()
>>> decision.arm, decision.agreed, decision.u.shape  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from brian2 import Clock, Network, NetworkOperation, NeuronGroup, StateMonitor, Synapses, ms, second

from nsa_brian.code_objects import told_if_slow
from nsa_brian.engine import Engine, Pull
from nsa_brian.model import PAPER, Lateral, Model, check_noise
from nsa_brian.parameter_set import load
from nsa_brian.parameters import NSAParameters
from nsa_brian.timing import steps_of

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
        See :class:`nsa_brian.engine.Engine`.
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
        The equations; this engine alone can run couplings between options.

    Attributes
    ----------
    U, V : NeuronGroup
    UV, VU : Synapses
    lateral : list of Synapses
        Those between options, if the model has any.
    monitors : dict
        The StateMonitor that recorded a variable, by the variable's name.
    network : brian2.Network
        All of it; more Brian2 objects can be added before playing.
    """

    def __init__(
        self,
        n_arms: int,
        parameters: NSAParameters | Sequence[NSAParameters] | None = None,
        n_games: int = 1,
        ties: str = "random",
        tolerance: float = 1e-6,
        rng: np.random.Generator | None = None,
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
        rng = np.random.default_rng(seed) if rng is None else rng
        super().__init__(n_arms, parameters, n_games, ties, tolerance, rng, model)
        check_noise(model, method)
        if len(set(self.parameters)) > 1:
            raise ValueError("the network engine plays all games with the same parameters")
        parameters = self.parameters[0]
        self.dt, self.method = dt, method
        self.input_steps, self.round_steps = steps_of(parameters, float(dt / ms), method)

        size = n_games * n_arms
        namespace = {info.name: value * (ms if info.unit == "ms" else 1) for info, value in parameters.items()}
        namespace |= {**model.values, "n_arms": n_arms}
        clock = Clock(dt=dt, name=f"{name}_clock")
        made = {"namespace": namespace, "clock": clock, "method": method}
        self.U = NeuronGroup(size, model.population_u(), name=f"{name}_U", **made)
        self.V = NeuronGroup(size, model.population_v(), name=f"{name}_V", **made)
        self.UV = Synapses(self.U, self.V, model.synapse_uv(), name=f"{name}_UV", **made)
        self.VU = Synapses(self.V, self.U, model.synapse_vu(), name=f"{name}_VU", **made)
        with told_if_slow("compiling the network to C++ (once; later runs find it in Brian2's cache)"):
            self.UV.connect(j="i")
            self.VU.connect(j="i")
            self.lateral = [self._lateral(lateral, f"{name}_{lateral.variable}", made) for lateral in model.lateral]
        self.monitors = self._monitors(record, record_dt if record_dt is not None else dt, name)
        timing = NetworkOperation(self._end_of_step, clock=clock, when="end", name=f"{name}_timing")
        self.network = Network(self.U, self.V, self.UV, self.VU, *self.lateral, timing, name=f"{name}_network")
        self.network.add(*dict.fromkeys(self.monitors.values()))
        if model.noise:
            self._noise_rng = self.rng.spawn(1)[0]
            self._noise: list[np.ndarray] = []
            self.network.add(NetworkOperation(self._draw, clock=clock, when="start", name=f"{name}_noise"))
        self._pull: Pull | None = None
        self._trace: tuple[np.ndarray, np.ndarray] | None = None
        self._rest()

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
        self._run(n_rounds, pull, **report)

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
        self._rest()
        self._pull, self._rounds_left = pull, n_rounds
        self.network.run(n_rounds * self.round_steps * self.dt, namespace={}, **report)

    def _end_of_step(self) -> None:
        """The clockwork of a round, called at the end of each time step."""
        self._step += 1
        if self._trace is not None:
            self._trace[0][self._step], self._trace[1][self._step] = self.u, self.v
        if self._step == self.input_steps:
            self.U.I = 0  # phase 2: the coupling alone drives the activities
        elif self._step == self.round_steps and self._pull is not None:
            arms = self.select()
            self.learn(arms, self._pull(arms))
            self._rounds_left -= 1
            if self._rounds_left:
                self._rest()

    def _rest(self) -> None:
        """The start of a round: no activity, input on."""
        self.u[:] = 0
        self.v[:] = 0
        self.U.I = self.parameters[0].I_ext
        self._step = 0

    def _draw(self) -> None:
        """New noise for every neuron at the start of a time step; drawn ahead, for a call costs more than a number."""
        if not self._noise:
            size = (self.n_games, NOISE_AHEAD, 2, self.n_arms)
            self._noise = list(self._noise_rng.normal(0, 1, size).transpose(1, 2, 0, 3))
        self._view(self.U, "n_u")[:], self._view(self.V, "n_v")[:] = self._noise.pop()

    def _lateral(self, lateral: Lateral, name: str, made: dict[str, Any]) -> Synapses:
        """Synapses from every option of a game to every other option of it."""
        group = {"u": self.U, "v": self.V}[lateral.population]
        synapses = Synapses(group, group, lateral.synapse, name=name, **made)
        synapses.connect("i != j and i // n_arms == j // n_arms")
        return synapses

    def _view(self, group: Any, variable: str) -> np.ndarray:
        return group.variables[variable].get_value().reshape(self.n_games, self.n_arms)

    def _monitors(self, record: Sequence[str], dt: Any, name: str) -> dict[str, StateMonitor]:
        groups = {"U": self.U, "V": self.V, "UV": self.UV}
        # Each group's own equations tell whose variable it is: Synapses also see those of the neurons they join.
        owner = {var: key for key, group in groups.items() for var in group.equations.names}
        unknown = [var for var in record if var not in owner]
        if unknown:
            raise ValueError(f"cannot record {unknown[0]!r}; U, V and UV have {', '.join(sorted(owner))}")
        recorded = {key: [var for var in record if owner[var] == key] for key in groups}
        monitor = partial(StateMonitor, record=True, dt=dt)
        monitors = {
            key: monitor(groups[key], variables, name=f"{name}_{key}_monitor")
            for key, variables in recorded.items()
            if variables
        }
        return {var: monitors[owner[var]] for var in record}
