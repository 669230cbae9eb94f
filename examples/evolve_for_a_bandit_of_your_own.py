"""
Evolve for a bandit of your own
===============================

Good and bad arms change places every hundred rounds. CMA-ES starts from a parameter set found for other bandits and
searches for a better one.
"""

import numpy as np

import envs
from evolution import FitnessGames, Search, SearchSettings, choose_champion
from nsa_brian import load


class Swap(envs.Bandit):
    """A third of the arms pay well, the others badly; every 100 rounds they change places."""

    def _begin(self):
        return np.where(self._rng.random((self.n_games, self.n_arms)) < 1 / 3, 0.8, 0.2)

    def _next(self):
        return 1 - self.probabilities if self.round % 100 == 0 else self.probabilities


envs.BANDITS["swap"] = Swap
games = FitnessGames(envs=("swap",), arms=(6,), trials=1, rounds=400, iterations=2)
settings = SearchSettings(games=games, population=16, generations=10, start=load("minbandit-29").parameters, sigma=0.3)

search = Search(settings)
while not search.stop:
    search.step()
    print(search.logbook[-1]["generation"], f"mean regret {search.logbook[-1]['regret']:.3f}")

champion = choose_champion(search, others={"start": settings.start})
for name, found in champion.report.items():
    print(f"{name:<9} regret {found['regret']:.3f} on held-out games")
