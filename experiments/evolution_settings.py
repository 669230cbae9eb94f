"""The settings of ``nsa evolve``, each with its option, and the paper's searches as presets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.game_settings import setting
from nsa_brian import NSAParameters, load

if TYPE_CHECKING:
    from evolution import SearchSettings


@dataclass(frozen=True, kw_only=True)
class EvolutionSettings:
    """What is searched, and what individuals are judged by."""

    population: int = setting(256, "individuals of a generation")
    generations: int = setting(80, "generations")
    envs: tuple[str, ...] = setting(("MAB-P", "MAB-D", "MAB-sin"), "bandits, each NAME or NAME:PRESET", "A,B")
    arms: tuple[int, ...] = setting((40, 200), "numbers of arms", "K,L")
    trials: int = setting(2, "trials of a game")
    rounds: int = setting(2000, "rounds of a trial")
    iterations: int = setting(2, "games of each bandit and number of arms")
    fix: tuple[str, ...] = setting((), "a parameter that is not searched; repeatable", "NAME=VALUE")
    start: str = setting("", "first centre: a set or a file (default: the middle of all ranges)", "SET")
    sigma: float = setting(0.8, "first step size, in units of the unbounded genes", "X")
    stagnation: int = setting(0, "stop, or restart, without improvement within N generations (0: go on)")
    restarts: int = setting(0, "restarts after stagnation, each with twice the population")
    engine: str = setting("table", "table, or rounds: exact and some ten times slower", "NAME")
    seed: int = setting(0, "same seed, same search")

    def search(self, start: NSAParameters | None = None) -> SearchSettings:
        """The settings in the words of the search; ``start`` instead of the set that is named."""
        from evolution import Games, SearchSettings  # here, so that ``nsa --help`` answers at once

        if start is None and self.start:
            start = load(self.start).parameters
        return SearchSettings(
            games=Games(
                envs=self.envs,
                arms=self.arms,
                iterations=self.iterations,
                trials=self.trials,
                rounds=self.rounds,
                engine=self.engine,
            ),
            population=self.population,
            generations=self.generations,
            sigma=self.sigma,
            start=start,
            fixed=dict(map(_assignment, self.fix)),
            stagnation=self.stagnation,
            restarts=self.restarts,
            seed=self.seed,
        )


PAPER_MAIN = EvolutionSettings()
PRESETS = {
    "paper-main": PAPER_MAIN,
    # The appendix does not say what its MAB-0 is beyond the entropy of its rewards, which MAB-P's are near to.
    "paper-appendix": dataclasses.replace(
        PAPER_MAIN, generations=40, envs=("MAB-P", "MAB-sinP:appendix"), arms=(10, 150)
    ),
    "quick": dataclasses.replace(
        PAPER_MAIN, population=24, generations=10, envs=("MAB-P", "MAB-sin"), arms=(10,), rounds=200, iterations=1
    ),
}


def _assignment(text: str) -> tuple[str, float]:
    name, separator, value = text.partition("=")
    try:
        if not separator:
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        raise ValueError(f"--fix takes NAME=VALUE with a number, got {text!r}") from None
