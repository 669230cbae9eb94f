"""The search for parameters by evolution: CMA-ES over the genome, judged by games, from one process to a cluster.

``Search`` is a search under way, ``SearchSettings`` and ``Games`` say what is searched and what it is judged by,
``choose_champion`` picks the winner on games that the search has not seen.
"""

from evolution.champion import Champion, choose_champion
from evolution.fitness import Games, Scores, scores
from evolution.genome import Genome
from evolution.search import Search, SearchSettings

__all__ = ["Champion", "Games", "Genome", "Scores", "Search", "SearchSettings", "choose_champion", "scores"]
