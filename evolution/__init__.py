"""The search for parameters by evolution: CMA-ES over the genome of any model, from one process to a cluster.

``Search`` is a search under way and ``StagedSearch`` one that begins from nothing; ``SearchSettings``,
``StagedSettings`` and ``Games`` say what is searched and what it is judged by; ``choose_champion`` picks the winner on
games that the search has not seen. Each is imported when it is asked for, so that commands that search nothing do not
wait for DEAP.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolution.champion import Champion, choose_champion
    from evolution.fitness import Games, Scores, scores
    from evolution.genome import Genome
    from evolution.search import Search
    from evolution.settings import SearchSettings
    from evolution.staged import StagedSearch
    from evolution.staged_settings import Rung, StagedSettings

__all__ = [
    "Champion",
    "Games",
    "Genome",
    "Rung",
    "Scores",
    "Search",
    "SearchSettings",
    "StagedSearch",
    "StagedSettings",
    "choose_champion",
    "scores",
]

_MODULES = {
    "Champion": "champion",
    "choose_champion": "champion",
    "Games": "fitness",
    "Scores": "fitness",
    "scores": "fitness",
    "Genome": "genome",
    "Search": "search",
    "SearchSettings": "settings",
    "StagedSearch": "staged",
    "StagedSettings": "staged_settings",
    "Rung": "staged_settings",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"evolution.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'evolution' has no attribute {name!r}")
