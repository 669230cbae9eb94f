"""The end of a round in numpy: outputs of U and V, exploration weights, updates of signals and synapses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nsa_brian.engines.stretch import EXPLORE, runaway
from nsa_brian.model.agreement import Weigh
from nsa_brian.model.expression import numpy_function, numpy_rule
from nsa_brian.model.reading import Value, names_in
from nsa_brian.model.rules import OF_CHOICE
from nsa_brian.model.structure import SIGNALS

if TYPE_CHECKING:
    from nsa_brian.engines.base import Engine


class RoundEnd:
    """A model's rules at a round's end as numpy functions, for the games of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine, structure = engine, engine.structure
        given, constants = structure.expressions, engine.constants()
        columns = {name: value[:, None] if np.ndim(value) else value for name, value in constants.items()}
        rule, choice = structure.rule, structure.choice
        self.by_statements = not isinstance(rule, Value)
        if isinstance(rule, Value):  # only pulled arms change
            helpers = {name: text for name, text, _ in rule.helpers}
            self._rule: Any = numpy_function(rule.expression, {**given, **helpers}, constants)
            texts = [rule.expression, *helpers.values()]
        else:
            self._rule = numpy_rule(rule, given, columns, structure.synaptic)
            texts = [statement.expression for statement in rule]
        self._read_by_rule = self._read(texts)
        self._signals = None
        if structure.signal_update:
            self._signals = numpy_rule(structure.signal_update, given, constants, structure.state(SIGNALS))
        self._read_by_signals = self._read([statement.expression for statement in structure.signal_update])
        self._explore = None
        if choice.explore != "1":
            self._explore = numpy_function(choice.explore, given, columns)
        self._read_by_choice = [name for name in self._read([choice.explore]) if name not in ("u", "v")]
        self._shown = [numpy_function(text, given, columns) if text else None for text in (choice.u, choice.v)]
        self._read_to_show = self._read([choice.u or "0", choice.v or "0"])
        #: Whether the output of U or V is something other than its variable or its rate.
        self.shows = any(self._shown)

    def _read(self, texts: list[str]) -> list[str]:
        """Return the variables that expressions depend on."""
        structure = self._engine.structure
        found = structure.comes_down_to(set().union(*map(names_in, texts)))
        lasting = {*structure.synaptic, *structure.state(SIGNALS), *structure.inputs}
        return sorted(found & (lasting | structure.reads_of(texts)) - set(OF_CHOICE))

    @property
    def reads_synapse_alone(self) -> bool:
        """Whether the learning rule reads no neurons, signals or inputs."""
        return set(self._read_by_rule) <= set(self._engine.structure.synaptic)

    def show(self, activity: np.ndarray) -> np.ndarray:
        """Return the outputs of U and V (2, games, arms), by default the activity."""
        if not self.shows:
            return activity
        seen = self._engine.seen(self._read_to_show)
        found = [
            a if show is None else np.broadcast_to(show(**seen), a.shape)
            for a, show in zip(activity, self._shown, strict=True)
        ]
        return np.stack(found)

    def weigh(self, activity: np.ndarray, lenient: bool = False, among: np.ndarray | None = None) -> Weigh | None:
        """Return the function that weights arms in exploration; None if all weights are equal.

        ``among`` (games, arms) says which arms are offered, for the highest activities of U and V.
        """
        if self._explore is None:
            return None
        return partial(self._weighed, self._explore, activity, self._engine.seen(self._read_by_choice), lenient, among)

    def _weighed(
        self,
        explore: Any,
        activity: np.ndarray,
        seen: dict[str, np.ndarray],
        lenient: bool,
        among: np.ndarray | None,
        k_u: np.ndarray,
        k_v: np.ndarray,
    ) -> np.ndarray:
        u, v = activity
        games, arms = np.arange(len(u)), np.arange(u.shape[1])
        u_top, v_top = (x if among is None else np.where(among, x, -np.inf) for x in (u, v))
        known = {
            "u_top": u_top.max(axis=1), "v_top": v_top.max(axis=1), "u_at_v": u[games, k_v], "v_at_u": v[games, k_u],
        }  # fmt: skip
        columns = {name: value[:, None] for name, value in known.items()}
        best = {"best_u": arms == k_u[:, None], "best_v": arms == k_v[:, None]}
        found = explore(**seen, u=u, v=v, **columns, **{name: value.astype(float) for name, value in best.items()})
        weights = np.array(np.broadcast_to(found, u.shape), dtype=float)
        if not np.isfinite(weights).all():
            if not lenient:
                raise runaway(self._engine.model, "explore", EXPLORE)
            weights[~np.isfinite(weights)] = 0
        return weights

    def update_signals(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Update the signals after the outcome."""
        if self._signals is None:
            return
        engine = self._engine
        pulled, shape = engine._first + arms, (engine.n_games, engine.n_arms)
        seen = {name: array[:, 0] if array.shape[1] == 1 else np.broadcast_to(array, shape).reshape(-1)[pulled]
                for name, array in engine.seen(self._read_by_signals).items()}  # fmt: skip
        seen |= engine.signals
        found = self._signals(**seen, R=np.asarray(rewards, dtype=float), agreed=engine.agreed.astype(float))
        for name, array in engine.signals.items():
            array[:] = found[name]

    def learn_all(self) -> None:
        """Compute the weights from contacts that were set."""
        nobody, nothing = np.zeros((2, self._engine.n_games))
        variables = self._engine._variables()
        seen = self._engine.seen(name for name in self._read_by_rule if name not in variables)
        found = self._rule(**variables, **seen, chosen=nobody[:, None], R=nothing[:, None])
        variables["w"][:] = found["w"]

    def learn(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Apply the learning rule, eq. (3) in the paper's model."""
        engine, variables = self._engine, self._engine._variables()
        if self.by_statements:
            chosen = np.zeros((engine.n_games, engine.n_arms))
            chosen.reshape(-1)[engine._first + arms] = 1
            reward = np.asarray(rewards, dtype=float)[:, None]
            seen = engine.seen(name for name in self._read_by_rule if name not in variables)
            found = self._rule(**variables, **seen, chosen=chosen, R=reward)
            for name, array in variables.items():
                array[:] = found[name]
            return
        pulled, shape = engine._first + arms, (engine.n_games, engine.n_arms)
        seen = {}
        for name, array in engine.seen(self._read_by_rule).items():
            whole = array if array.shape == shape else np.broadcast_to(array, shape)
            seen[name] = whole.reshape(-1)[pulled]
        # With int8 rewards numpy's functions would compute in float16.
        variables["w"].reshape(-1)[pulled] = self._rule(**seen, R=np.asarray(rewards, dtype=float))
