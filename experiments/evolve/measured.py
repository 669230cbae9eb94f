"""Measurements of a search: computed once, stored in its folder, and drawn from there."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evolution import AnySearch, Champion, StagedSearch, choose_champion
from evolution.checkpoint import versions
from evolution.workers import Workers
from experiments.core.outside import note
from experiments.evolve.options import Sources
from experiments.evolve.strategy import Strategy, strategy
from nsa_brian import DEFAULT_SET, NSAParameters, load
from nsa_brian.common.archive import ArchiveFormat
from nsa_brian.model.timing import stated

FILE = "measured.npz"
MEASURED = ArchiveFormat("nsa-search-measurements", 1, "measurements of a search")

#: Sets that come with the package, to compare with.
SHIPPED = (DEFAULT_SET, "evolved", "minbandit-38", "minbandit-29")

#: Is called with a line before each measurement that takes time.
Tell = Callable[[str], None]


def champion_of(search: AnySearch, sources: Sources, folder: Path, workers: Workers, tell: Tell) -> Champion:
    """Return the champion, chosen and reported beside the shipped sets on held-out games."""
    others = {name: load(name).parameters for name in SHIPPED}
    if search.start is not None:
        others[f"start ({sources.start})"] = search.start

    def choose() -> dict[str, Any]:
        tell("choosing the champion on games held out from the search")
        found = choose_champion(search, workers, others=others)
        return {**dataclasses.asdict(found), "parameters": found.parameters.to_dict()}

    beside = {name: each.to_dict() for name, each in others.items()}
    key = {"settings": search.settings.to_dict(), "others": beside, "summary": search.summary()}
    found = _once(folder, "champion", search, key, choose)
    parameters = NSAParameters.from_dict(found["parameters"], search.settings.model.declared)
    return Champion(**{**found, "parameters": parameters})


def strategy_of(search: AnySearch, parameters: NSAParameters, folder: Path, tell: Tell) -> Strategy:
    """Return the strategy of the champion."""
    games, genome = search.settings.games, search.genome
    model, integration = games.model, stated(games.dt, games.method)
    key = {"parameters": parameters.to_dict(), "model": model.to_dict(), "fixed": genome.fixed, **integration}

    def measure() -> dict[str, Any]:
        return dataclasses.asdict(strategy(parameters, model, genome, tell, **integration))

    found = _once(folder, "strategy", search, key, measure)
    return Strategy(**{**found, "stays": tuple(found["stays"]), "off": tuple(found["off"])})


def shipped_regrets(search: StagedSearch, folder: Path, tell: Tell) -> dict[str, float]:
    """Return the regrets of the shipped sets on the held-out games that the runs are compared on.

    Spiking neurons would take minutes to play them, and a custom fitness is not saved: none then.
    """
    settings = search.settings
    if settings.model.structure.spikes or search.custom_fitness:
        return {}

    sets = [settings.model.complete(load(name).parameters) for name in SHIPPED]

    def play() -> dict[str, float]:
        tell(f"playing {', '.join(SHIPPED)} on the held-out games that the runs were compared on")
        return dict(zip(SHIPPED, search.held_out_regrets(sets), strict=True))

    key = {"settings": settings.to_dict(), "sets": [each.to_dict() for each in sets]}
    found: dict[str, float] = _once(folder, "shipped", search, key, play)
    return found


def _once(
    folder: Path, name: str, search: AnySearch, key: Mapping[str, Any], compute: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return a measurement as it is stored under the same key, else compute and store it."""
    text = json.dumps([key, versions(), search.extra.get("inputs")], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    stored = _read(folder).get(name, {})
    if stored.get("key") == digest:
        return dict(stored["value"])
    value = compute()
    try:
        entries = {**_read(folder), name: {"key": digest, "value": value}}
        MEASURED.write(folder / FILE, {"entries": entries}, {})
    except OSError as error:
        note(f"the measurements cannot be stored: {error}")
    return value


def _read(folder: Path) -> dict[str, Any]:
    """Return what is stored; nothing if there is no such file, or one that is damaged."""
    try:
        entries = MEASURED.read(folder / FILE, "entries")[0]["entries"]
    except ValueError:
        return {}
    return entries if isinstance(entries, dict) else {}
