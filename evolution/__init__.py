"""Search for parameters of any model by CMA-ES, in one process or on a cluster.

``Search`` is a single run, ``StagedSearch`` a search that needs no starting point; ``SearchSettings``,
``StagedSettings`` and ``FitnessGames`` are their settings; ``choose_champion`` chooses the best set on held-out games.
Each name is imported on first use, so that commands without a search need not wait for DEAP.
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolution.champion import Champion, choose_champion
    from evolution.fitness import Scores, batched, scores
    from evolution.games import FitnessGames
    from evolution.genome import Genome
    from evolution.protocol import AnySearch
    from evolution.search import Search
    from evolution.settings import Rung, SearchSettings, StagedSettings
    from evolution.staged import StagedSearch

__all__ = [
    "AnySearch",
    "Champion",
    "FitnessGames",
    "Genome",
    "Rung",
    "Scores",
    "Search",
    "SearchSettings",
    "StagedSearch",
    "StagedSettings",
    "batched",
    "choose_champion",
    "scores",
]

_MODULES = {
    "AnySearch": "protocol",
    "Champion": "champion",
    "choose_champion": "champion",
    "FitnessGames": "games",
    "Scores": "fitness",
    "batched": "fitness",
    "scores": "fitness",
    "Genome": "genome",
    "Search": "search",
    "SearchSettings": "settings",
    "StagedSettings": "settings",
    "Rung": "settings",
    "StagedSearch": "staged",
}


def __getattr__(name: str) -> Any:
    if name == "Games":
        warnings.warn("evolution.Games is now evolution.FitnessGames", DeprecationWarning, stacklevel=2)
        name = "FitnessGames"
    if name in _MODULES:
        return getattr(import_module(f"evolution.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'evolution' has no attribute {name!r}")
