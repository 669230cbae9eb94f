"""The settings of ``nsa evolve``, each with its option, and the paper's searches as presets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from evolution.fitness import Games
from evolution.settings import SearchSettings
from experiments.core.game_settings import bandits
from experiments.core.options import setting, some
from nsa_brian import load
from nsa_brian.model.loading import load_model

#: Options that are settings of the games, or of the search, under the same names.
OF_GAMES = ("envs", "arms", "iterations", "trials", "rounds")
OF_SEARCHES = ("population", "generations", "sigma", "stagnation", "restarts", "seed")


@dataclass(frozen=True, kw_only=True)
class EvolutionSettings:
    """What is searched, and what individuals are judged by."""

    population: int = setting(256, "individuals of a generation")
    generations: int = setting(80, "generations")
    envs: tuple[str, ...] = bandits(("MAB-P", "MAB-D", "MAB-sin"), "bandits, each NAME or NAME:PRESET")
    arms: tuple[int, ...] = setting((40, 200), "numbers of arms", "K,L")
    trials: int = setting(2, "trials of a game")
    rounds: int = setting(2000, "rounds of a trial")
    iterations: int = setting(2, "games of each bandit and number of arms")
    model: str = setting(
        "", "what is evolved: FILE.py, FILE.py:NAME, FILE.json (default: the start's, else the paper's)", "MODEL"
    )
    fix: tuple[str, ...] = setting((), "a parameter that is not searched; repeatable", "NAME=VALUE", flag="--fix")
    start: str = setting("", "first centre: a set or a file (default: the middle of all ranges)", "SET")
    sigma: float = setting(0.8, "first step size, in units of the unbounded genes", "X")
    stagnation: int = setting(0, "stop, or restart, without improvement within N generations (0: go on)")
    restarts: int = setting(0, "restarts after stagnation, each with twice the population")
    engine: str = setting(
        "", "table, or rounds: exact and some ten times slower (default: table where the model allows it)", "NAME"
    )
    seed: int = setting(0, "same seed, same search")

    def search(self) -> SearchSettings:
        """The settings in the words of the search."""
        start = load(self.start) if self.start else None
        brought = None if start is None else start.model
        model = load_model(self.model) if self.model else brought
        if brought is not None and brought != model:
            raise ValueError(f"--start {self.start} brings its own model, {brought.name}, and --model is another")
        return SearchSettings(
            games=Games(**some(self, *OF_GAMES), engine=self.engine, model=model),  # type: ignore[arg-type]  # None is the paper's
            start=None if start is None else start.parameters,
            fixed=assignments(self.fix),
            **some(self, *OF_SEARCHES),
        )

    @classmethod
    def of(cls, search: SearchSettings) -> EvolutionSettings:
        """The options that come to a search; its model and its start have no file, only a name."""
        games = search.games
        return cls(
            **some(games, *OF_GAMES),
            engine=games.played_by,
            model=games.model.name,
            start="" if search.start is None else "of its own",
            fix=tuple(f"{name}={repr(value).removesuffix('.0')}" for name, value in search.fixed.items()),
            **some(search, *OF_SEARCHES),
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


def assignments(texts: Iterable[str]) -> dict[str, float]:
    """What ``--fix`` was given, by name."""
    return dict(map(_assignment, texts))


def _assignment(text: str) -> tuple[str, float]:
    name, separator, value = text.partition("=")
    try:
        if not separator:
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        raise ValueError(f"--fix takes NAME=VALUE with a number, got {text!r}") from None
