"""Parameter sets and models by name or file. Each file is read once, in the main process."""

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
from nsa_brian.parameter_set import model_names, names

T = TypeVar("T")

#: Cache of :func:`reading_once`, None outside of it.
_known: dict[tuple[Callable[[str], object], str], object] | None = None


@contextmanager
def reading_once() -> Iterator[None]:
    """Read each file only once within this context."""
    global _known
    _known = {}
    try:
        yield
    finally:
        _known = None


def once(reader: Callable[[str], T], name: str) -> T:
    """Return ``reader(name)``, cached within :func:`reading_once`."""
    if _known is None:
        return reader(name)
    if (reader, name) not in _known:
        _known[reader, name] = reader(name)
    return cast(T, _known[reader, name])


def read_agent(name: str, default: str = DEFAULT_SET) -> ParameterSet:
    """Return the agent ``nsa:WHAT``: a parameter set or file with its model, or a model with the set ``default``.

    Raises
    ------
    ValueError
        If there is no such set or model.
    """
    what = name.removeprefix(f"{NSA}:")
    try:
        return read_set(default, what, default) if _is_model(what) else read_set(what)
    except ValueError as error:
        raise ValueError(f"agent {name}: {error}") from None


def read_set(parameters: str = DEFAULT_SET, model: str = "", default: str = DEFAULT_SET) -> ParameterSet:
    """Return a parameter set by name or file, completed with the parameters of its model.

    Parameters
    ----------
    parameters : str
        A shipped set, or a file, which may include a model. In place of ``default``, a shipped model that has a set of
        its own gets that one.
    model : str
        Name or file of a model; by default that of the set.
    default : str
        The set that is used where none is asked for.

    Raises
    ------
    ValueError
        If there is no such set or model, or if the set belongs to another model.
    """
    if parameters == default and model in model_names():
        parameters = model
    chosen = once(load, parameters)
    if not model and chosen.model is None:
        return chosen

    from nsa_brian.agent import model_of  # here: it imports Brian2, which baselines do not need

    found = model_of(chosen, once(nsa_brian.load_model, model) if model else None)
    own = None if found == nsa_brian.MODELS["paper"] else found
    return replace(chosen, parameters=found.complete(chosen.parameters), model=own)


def set_of(model: str) -> str:
    """Return the default parameter set of a model: its own file if that has parameters."""
    if not model.endswith(".json"):
        return DEFAULT_SET

    from nsa_brian.model.loading import holds_parameters  # here: it imports Brian2

    return model if holds_parameters(model) else DEFAULT_SET


def _is_model(what: str) -> bool:
    """Return whether a name is that of a model rather than of a parameter set."""
    if what in names():
        return False
    if what.endswith(".py") or ".py:" in what:
        return True
    if what.endswith(".json"):
        try:
            return "format" in parse_json(read_text(what))
        except (ValueError, TypeError):
            return False  # reading it as a parameter file gives the error

    from nsa_brian.model import loading  # here: it imports Brian2

    return what in (*loading.MODELS, *loading.ALIASES, *loading.SPIKING, *loading.BEYOND)


def read_model_and_engine(model: str | None, engine: str | None) -> tuple[str, str | None]:
    """Return the model and engine that the options mean: ``rate`` is the paper's model, ``spiking`` not an engine."""
    if engine is not None:
        engine, model = named(engine, model)
    if model == "":
        raise ValueError("--model needs a value")
    return "paper" if model == "rate" else model or "", engine
