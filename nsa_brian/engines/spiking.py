"""Engines of spiking models under their names until 0.2; they prepare the model on creation."""

from __future__ import annotations

from typing import Any

from nsa_brian.common.checks import make_rng
from nsa_brian.common.texts import shown
from nsa_brian.engines.columns import ColumnRounds
from nsa_brian.engines.decision import Decision
from nsa_brian.engines.network import NSANetwork
from nsa_brian.model.model import Model
from nsa_brian.model.shipped import SPIKING
from nsa_brian.parameter_set import load
from nsa_brian.parameters import NSAParameters
from nsa_brian.preparation import with_prepared

#: Name of :class:`Decision` for spiking neurons until 0.2.
SpikingDecision = Decision


def SpikingNSA(n_arms: int, *args: Any, **options: Any) -> NSANetwork:  # noqa: N802 - it was a class until 0.2
    """Return the prepared Brian2 network of a spiking model, by default ``spiking``.

    Parameters
    ----------
    n_arms, *args, **options
        See :class:`nsa_brian.NSANetwork`. ``free_time`` changes the duration of phase 2, in ms, without preparing the
        model anew: to observe longer firing.
    """
    return _made(NSANetwork, n_arms, *args, **{"name": "nsa_spiking", **options})


def SpikingRounds(n_arms: int, *args: Any, **options: Any) -> ColumnRounds:  # noqa: N802 - it was a class until 0.2
    """Return the compiled engine of a spiking model; see :class:`nsa_brian.engines.columns.ColumnRounds`."""
    seed, rng = options.pop("seed", None), options.pop("rng", None)
    return _made(ColumnRounds, n_arms, *args, rng=make_rng(seed, rng), **options)


def _made(
    engine: Any,
    n_arms: int,
    parameters: Any = None,
    n_games: int = 1,
    *args: Any,
    free_time: Any = None,
    **options: Any,
) -> Any:
    model = options.setdefault("model", SPIKING)
    if not isinstance(model, Model):
        raise ValueError(f"model must be a Model, got {shown(model)}")
    parameters = load().parameters if parameters is None else parameters
    options = with_prepared(model, parameters, n_arms, n_games, options)
    if free_time is not None:
        if "prepared" not in options:  # the model has no preparation step
            sets = [parameters] if isinstance(parameters, NSAParameters) else parameters
            options["prepared"] = [model.values_in_si(each) for each in sets]
        longer = {id(each): {**each, "free_time": 1e-3 * free_time} for each in options["prepared"]}
        options["prepared"] = [longer[id(each)] for each in options["prepared"]]
    return engine(n_arms, parameters, n_games, *args, **options)
