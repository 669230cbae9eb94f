"""Files of agents in mid-game: their settings as JSON, and their state as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from brian2 import second

from nsa_brian.common.archive import ArchiveFormat, DamagedError
from nsa_brian.common.generators import from_data, to_data
from nsa_brian.engines.base import Engine
from nsa_brian.engines.registry import engine_class
from nsa_brian.engines.snapshot import rebuilt, settings_of
from nsa_brian.model.model import Model
from nsa_brian.parameters import NSAParameters

#: A file of an agent. It holds data only: reading one runs no code of the file.
AGENT = ArchiveFormat("nsa-agent", 1, "a saved agent")
#: Settings that are times; they are stored in seconds.
_TIMES = ("dt", "record_dt")


def save(engine: Engine, path: str | Path, single: bool) -> None:
    """Write an agent's engine to a file, atomically; ``single`` if its arms are plain numbers.

    Raises
    ------
    ValueError
        If something of it is not data: a class, a random generator or functions of the user's.
    """
    if type(engine) is not engine_class(engine.name, engine.model):
        raise ValueError(f"an agent with the user's engine {type(engine).__name__} cannot be saved; pickle it instead")
    settings = settings_of(engine)
    sets, of_games = _distinct(settings.pop("parameters"))
    values, values_of_games = _distinct(settings.pop("prepared"))
    settings["model"] = engine.model.to_dict()
    for name in _TIMES:
        if settings.get(name) is not None:
            settings[name] = float(settings[name] / second)
    rng, drawn = to_data(engine.rng)
    meta = {
        "engine": engine.name,
        "single": single,
        "settings": settings,
        "parameters": {"sets": [each.to_dict() for each in sets], "of_games": of_games},
        "values": {"sets": [dict(each) for each in values], "of_games": values_of_games},
        "rng": rng,
    }
    arrays = {**engine.snapshot(), **{f"rng {name}": array for name, array in drawn.items()}}
    AGENT.write(Path(path), meta, arrays, small=True)


def load(path: str | Path) -> tuple[Engine, bool]:
    """Read an engine from a file, and whether its arms are plain numbers.

    Raises
    ------
    ValueError
        If it is another file, or damaged.
    """
    try:
        meta, arrays = AGENT.read(path, "engine", "single", "settings", "parameters", "values", "rng")
    except DamagedError as error:
        raise ValueError(f"{error.damage}; save the agent again") from None
    try:
        settings = dict(meta["settings"])
        model = settings["model"] = Model.from_dict(settings["model"])
        sets = [NSAParameters.from_dict(each, model.declared) for each in meta["parameters"]["sets"]]
        settings["parameters"] = [sets[i] for i in meta["parameters"]["of_games"]]
        settings["prepared"] = [meta["values"]["sets"][i] for i in meta["values"]["of_games"]]
        for name in _TIMES:
            if settings.get(name) is not None:
                settings[name] *= second
        rng = from_data(meta["rng"], {name.removeprefix("rng "): array for name, array in arrays.items()})
        return rebuilt(engine_class(meta["engine"], model), settings, arrays, rng), bool(meta["single"])
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError) as error:
        why = (str(error) or type(error).__name__).splitlines()[0]
        raise ValueError(f"{path} is not {AGENT.called} of this release: {why}") from None


def _distinct(values: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Return the distinct objects, and the index of each game's; games share objects."""
    found: dict[int, tuple[int, NSAParameters | Mapping[str, float]]] = {}
    which = [found.setdefault(id(value), (len(found), value))[0] for value in values]
    return [value for _, value in found.values()], which
