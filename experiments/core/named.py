"""From names to agents of the nsa kind: parameter sets and models, shipped, in files or in plugins.

What the user names is read once, in the process of the command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar, cast

import nsa_brian
from experiments.core.nsa_agents import NSA
from nsa_brian import DEFAULT_SET, ParameterSet, load
from nsa_brian.common.user_files import parse_json, read_text
from nsa_brian.engines.registry import named
from nsa_brian.parameter_set import names

T = TypeVar("T")

#: What was read already, while it is to be read once.
_known: dict[tuple[Callable[[str], object], str], object] | None = None


@contextmanager
def reading_once() -> Iterator[None]:
    """Within, a file is read when it is first named, and never again."""
    global _known
    _known = {}
    try:
        yield
    finally:
        _known = None


def once(reader: Callable[[str], T], name: str) -> T:
    """What a reader makes of a name, read once within :func:`reading_once`."""
    if _known is None:
        return reader(name)
    if (reader, name) not in _known:
        _known[reader, name] = reader(name)
    return cast(T, _known[reader, name])


def read_agent(name: str) -> ParameterSet:
    """Return the agent ``nsa:WHAT``: a parameter set or file with its model, or a model with the default set.

    Raises
    ------
    ValueError
        If there is neither.
    """
    what = name.removeprefix(f"{NSA}:")
    try:
        return read_set(DEFAULT_SET, what) if _is_model(what) else read_set(what)
    except ValueError as error:
        raise ValueError(f"agent {name}: {error}") from None


def read_set(parameters: str = DEFAULT_SET, model: str = "") -> ParameterSet:
    """Return a parameter set by name or file, complete with what its model adds.

    Parameters
    ----------
    parameters : str
        A shipped set, or a file, which may bring its model.
    model : str
        Another model by name or file, if one is given.

    Raises
    ------
    ValueError
        If there is no such thing, or if the set is of another model.
    """
    chosen = once(load, parameters)
    if not model and chosen.model is None:
        return chosen

    from nsa_brian.agent import model_of  # here: it takes Brian2, which baselines play without

    found = model_of(chosen, once(nsa_brian.load_model, model) if model else None)
    own = None if found == nsa_brian.MODELS["paper"] else found
    return replace(chosen, parameters=found.complete(chosen.parameters), model=own)


def set_of(model: str) -> str:
    """The set that goes with a model where none is named: a parameter file is both."""
    if not model.endswith(".json"):
        return DEFAULT_SET

    from nsa_brian.model.loading import holds_parameters  # here: it takes Brian2

    return model if holds_parameters(model) else DEFAULT_SET


def _is_model(what: str) -> bool:
    """Whether a name means a model rather than a parameter set."""
    if what in names():
        return False
    if what.endswith(".py") or ".py:" in what:
        return True
    if what.endswith(".json"):
        try:
            return "format" in parse_json(read_text(what))
        except (ValueError, TypeError):
            return False  # as a parameter file it will be told what is wrong with it

    from nsa_brian.model import loading  # here: it takes Brian2

    return what in loading.MODELS or what in loading.ALIASES or what in loading.SPIKING


def read_model_and_engine(model: str | None, engine: str | None) -> tuple[str, str | None]:
    """What the options ``--model`` and ``--engine`` mean: ``rate`` is the paper's model, ``spiking`` no engine."""
    if engine is not None:
        engine, model = named(engine, model)
    if model == "":
        raise ValueError("--model names nothing")
    return "paper" if model == "rate" else model or "", engine
