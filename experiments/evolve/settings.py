"""The settings of ``nsa evolve``, each with its option, and searches as presets: in stages, and the paper's."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evolution.fitness import Games
from evolution.settings import SearchSettings
from evolution.staged_settings import Rung, StagedSettings
from experiments.core.game_settings import bandits
from experiments.core.model_inputs import INPUT_HELP, check_tables, digests_of, files_of, tables, values_for
from experiments.core.named import once
from experiments.core.options import setting, some
from nsa_brian import load
from nsa_brian.common.texts import shown
from nsa_brian.model.loading import load_model
from nsa_brian.model.model import Model

#: What a start is called that no option named.
OF_ITS_OWN = "a set of its own"

#: Options that are settings of the games, or of any search, under the same names.
OF_GAMES = ("envs", "arms", "trials", "rounds")
OF_SEARCHES = ("population", "inexact", "seed")
#: Those that only a search of one run has, and those that only a search in stages has.
OF_ONE_RUN = ("generations", "iterations", "start", "stagnation", "restarts")
OF_STAGES = ("look", "rungs")


@dataclass(frozen=True, kw_only=True)
class EvolutionSettings:
    """What is searched, how, and what individuals are judged by."""

    look: int | None = setting(None, "in stages: random sets that are looked at first")
    rungs: tuple[str, ...] = setting(
        (), "in stages: the race of the best, each rung as runs x generations x games of each kind", "RxGxN,..."
    )
    population: int = setting(64, "individuals of a generation")
    generations: int | None = setting(None, "one run: generations")
    envs: tuple[str, ...] = bandits(("MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"), "bandits, each NAME or NAME:PRESET")
    arms: tuple[int, ...] = setting((5, 40, 200), "numbers of arms", "K,L")
    trials: int = setting(2, "trials of a game")
    rounds: int = setting(1000, "rounds of a trial")
    iterations: int | None = setting(None, "one run: games of each bandit and number of arms")
    model: str = setting(
        "", "what is evolved: FILE.py, FILE.py:NAME, FILE.json (default: the start's, else the paper's)", "MODEL"
    )
    input: tuple[str, ...] = setting((), INPUT_HELP, "NAME=FILE.csv", flag="--input")
    fix: tuple[str, ...] = setting(
        (), "a parameter that is not searched, beside those of the preset; repeatable", "NAME=VALUE", flag="--fix"
    )
    start: str = setting("", "one run: first centre, a set or a file (default: the middle of all ranges)", "SET")
    sigma: tuple[float, ...] = setting(
        (0.03, 0.25), "first step size, in units of the unbounded genes; in stages runs begin with each of several", "X"
    )
    stagnation: int = setting(0, "one run: stop, or restart, without improvement within N generations (0: go on)")
    restarts: int = setting(0, "one run: restarts after stagnation, each with twice the population")
    inexact: float = setting(
        0.0, "judge sets with genes off by this part of their ranges and rates read coarsely, for broad places", "PART"
    )
    engine: str = setting(
        "", "table, or rounds: exact and some ten times slower (default: table where the model allows it)", "NAME"
    )
    seed: int = setting(0, "same seed, same search")

    @property
    def in_stages(self) -> bool:
        """Whether this is a search from nothing."""
        return self.look is not None

    def search(self) -> SearchSettings | StagedSettings:
        """The settings in the words of the search."""
        start = once(load, self.start) if self.start else None
        brought = None if start is None else start.model
        model = once(load_model, self.model) if self.model else brought
        if brought is not None and brought != model:
            raise ValueError(f"--start {self.start} brings its own model, {brought.name}, and --model is another")
        played: dict[str, Any] = {**some(self, *OF_GAMES), "engine": self.engine, "model": model}
        played["inputs"] = read_inputs(self.input, model, self.arms)
        given: dict[str, Any] = {**some(self, *OF_SEARCHES), "fixed": assignments(self.fix)}
        if self.look is not None:
            rungs = tuple(_rung(text) for text in self.rungs)
            games = Games(**played, iterations=1)
            return StagedSettings(games=games, sets=self.look, rungs=rungs, sigmas=self.sigma, **given)
        if len(self.sigma) > 1:
            raise ValueError(f"--sigma takes one step size for one run, got {', '.join(map(str, self.sigma))}")
        return SearchSettings(
            sigma=self.sigma[0],
            games=Games(**played, **some(self, "iterations")),
            start=None if start is None else start.parameters,
            **some(self, "generations", "stagnation", "restarts"),
            **given,
        )

    def to_dict(self) -> dict[str, Any]:
        """All options by name; without ``input`` where there is none."""
        plain = dataclasses.asdict(self)
        return plain if self.input else {name: value for name, value in plain.items() if name != "input"}

    @classmethod
    def of(cls, search: SearchSettings | StagedSettings) -> EvolutionSettings:
        """The options that come to a search; its model, start and inputs have no file, only a name."""
        games = search.games
        found = cls(
            **some(games, *OF_GAMES),
            engine=games.played_by,
            model=games.model.name,
            fix=assigned(search.fixed),
            **some(search, *OF_SEARCHES),
        )
        if isinstance(search, StagedSettings):
            rungs = tuple("x".join(map(str, rung)) for rung in search.rungs)
            return dataclasses.replace(found, look=search.sets, rungs=rungs, sigma=search.sigmas)
        return dataclasses.replace(
            found,
            sigma=(search.sigma,),
            iterations=games.iterations,
            start="" if search.start is None else OF_ITS_OWN,
            **some(search, "generations", "stagnation", "restarts"),
        )


#: A look at some thousand sets, then a race of those that do best, the later rungs by more games.
DEFAULT = EvolutionSettings(look=4096, rungs=("8x15x4", "4x20x8", "2x30x8", "1x80x16"))
PAPER_MAIN = EvolutionSettings(
    population=256,
    generations=80,
    envs=("MAB-P", "MAB-D", "MAB-sin"),
    arms=(40, 200),
    rounds=2000,
    iterations=2,
    sigma=(0.8,),
)
PRESETS = {
    "default": DEFAULT,
    "quick": dataclasses.replace(
        DEFAULT, look=256, rungs=("3x4x1", "1x6x2"), population=16, envs=("MAB-P", "MAB-sin"), arms=(10,), rounds=200
    ),
    # Neurons that spike take a thousand times as long to play a round as a table.
    "spiking": dataclasses.replace(
        DEFAULT, look=64, rungs=("2x6x1", "1x8x2"), population=16, envs=("MAB-P", "MAB-sin"), arms=(5,), rounds=250
    ),
    # What found the default set: small steps from the authors' set, on games of the kind that policies are tuned on.
    # docs/explanation/evolution.md says why nine genes are fixed.
    "evolved": EvolutionSettings(
        start="minbandit-38",
        fix=(
            *("tau_u=179", "tau_v=238", "duration_input=2888", "duration_free=2687", "I_ext=1"),
            *("gain_u=37.7", "threshold_u=-0.42", "offset_u=0", "gain_v=20"),
        ),
        sigma=(0.05,),
        generations=60,
        arms=(5, 20, 100),
        rounds=2000,
        iterations=4,
        inexact=0.005,
        seed=41,
    ),
    "paper-main": PAPER_MAIN,
    # The appendix does not say what its MAB-0 is beyond the entropy of its rewards, which MAB-P's are near to.
    "paper-appendix": dataclasses.replace(
        PAPER_MAIN, generations=40, envs=("MAB-P", "MAB-sinP:appendix"), arms=(10, 150)
    ),
    "paper-quick": dataclasses.replace(
        PAPER_MAIN, population=24, generations=10, envs=("MAB-P", "MAB-sin"), arms=(10,), rounds=200, iterations=1
    ),
}


def preset_for(given: Iterable[str], model: str) -> str:
    """The preset that is meant where none is named: with options of one run the paper's, which has one."""
    if set(given) & set(OF_ONE_RUN):
        return "paper-main"
    return "spiking" if model and once(load_model, model).structure.spikes else "default"


def check_kind(preset: EvolutionSettings, given: Iterable[str]) -> None:
    """Refuse options of the other kind of search than the preset is."""
    for name in given:
        if name in OF_ONE_RUN and preset.in_stages:
            raise ValueError(
                f"--{name} is for one run (--preset paper-main); a search in stages has --look and --rungs"
            )
        if name in OF_STAGES and not preset.in_stages:
            raise ValueError(f"--{name} is for a search in stages (--preset default), not for one run")


def one_run(settings: EvolutionSettings) -> str:
    """What a search of one run is, and where it starts."""
    return f"CMA-ES from {settings.start}" if settings.start else "CMA-ES"


def inexactly(settings: EvolutionSettings) -> str:
    """How sets are judged, if not as they are; to be put behind a sentence."""
    return f", judged with genes off by {100 * settings.inexact:g}% of their ranges" if settings.inexact else ""


def read_inputs(texts: Iterable[str], model: Model | None, arms: Sequence[int]) -> dict[str, np.ndarray]:
    """The values that ``--input`` was given, if they fit the model and all numbers of arms."""
    files = files_of(texts)
    found = tables(files, digests_of(files))
    check_tables(found, files, [model], arms)
    return values_for(model, found)


def assignments(texts: Iterable[str]) -> dict[str, float]:
    """What ``--fix`` was given, by name."""
    return dict(map(_assignment, texts))


def assigned(fixed: Mapping[str, float]) -> tuple[str, ...]:
    """The same the other way round."""
    return tuple(f"{name}={repr(value).removesuffix('.0')}" for name, value in fixed.items())


def _assignment(text: str) -> tuple[str, float]:
    name, separator, value = text.partition("=")
    try:
        if not separator:
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        raise ValueError(f"--fix takes NAME=VALUE with a number, got {shown(text)}") from None


def _rung(text: str) -> Rung:
    try:
        runs, generations, iterations = map(int, text.split("x"))
        return Rung(runs, generations, iterations)
    except ValueError:
        raise ValueError(
            f"--rungs takes RUNSxGENERATIONSxGAMES,..., such as 8x15x4,1x40x8; got {shown(text)}"
        ) from None
