"""The strategy of a parameter set, measured and in words: how it learns, what it remembers, when it explores."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import envs
from envs.base import lay_out
from evolution.fitness import scores
from evolution.games import FitnessGames
from evolution.genome import Genome
from experiments.core.functions import critical_weight, holds_for, refusal
from nsa_brian import NSA, NSAParameters
from nsa_brian.model.model import PAPER, Model
from nsa_brian.model.preparing import RateMap
from nsa_brian.model.timing import EULER, engine_options, stated
from nsa_brian.preparation import paper_part

#: Arms, games and rounds of a trial in which behaviour is measured, on MAB-P, which changes between two trials.
GAMES = (10, 20, 500)
#: The same for spiking neurons, which take longer to play.
SPIKING_GAMES = (5, 8, 100)
#: Where the critical weight of the paper's model holds.
ANYWHERE = holds_for(PAPER, GAMES[0])
#: Standard deviation of the perturbation that robustness is measured with, as a fraction of the genes' ranges, and the
#: number of perturbed sets.
PERTURBATION, DRAWS = 0.01, 20
#: Most rewards, or misses, in a row that are tried.
IN_A_ROW = 100


@dataclass(frozen=True)
class Strategy:
    """Measurements of a parameter set.

    Attributes
    ----------
    w_max, critical : float
        The highest weight, and the critical one, above which an option's activity outlasts the input; NaN if there is
        none.
    holds_for : str
        In which games the critical weight holds.
    unknown : str
        Why the critical weight is unknown; empty if it is known.
    explores : str
        How an arm is chosen where U and V disagree.
    learned, forgotten : float
        How far one reward moves the weight of a new arm towards w_max, and one miss a full weight towards 0, as
        fractions.
    rewards, misses : int or None
        In a row, after which a new arm is remembered, and a full one forgotten; None if never within 100.
    agreement : float
        Fraction of rounds in which U and V agree.
    stays : tuple of float
        How often an arm is chosen again after a reward, and after a miss.
    regret, silenced, chance : float
        Regret in the games; with U silenced, NaN for spiking models; and of random choice.
    off : tuple of float
        Regret with exact genes and with perturbed ones, on the same games; NaN for spiking models.
    """

    w_max: float
    critical: float
    holds_for: str
    learned: float
    forgotten: float
    rewards: int | None
    misses: int | None
    agreement: float
    stays: tuple[float, float]
    regret: float
    silenced: float
    off: tuple[float, float]
    chance: float
    unknown: str = ""
    explores: str = "at random"

    def sentences(self) -> list[str]:
        """Return the strategy in words."""
        told = [
            f"It learns {_pace(self.learned)} from rewards: one moves the weight of a new arm {self.learned:.0%} of "
            f"the way to w_max = {self.w_max:.3g}. It learns {_pace(self.forgotten)} from misses: one moves a full "
            f"weight {self.forgotten:.0%} of the way to 0."
        ]
        where = "" if self.holds_for == ANYWHERE else f" ({self.holds_for})"
        if np.isfinite(self.critical):
            told.append(
                f"An arm is remembered through phase 2 while its weight is above w* = {self.critical:.3g}{where}, "
                f"{self.critical / self.w_max:.0%} of w_max: {_row(self.rewards, 'reward')} to get there from nothing, "
                f"{_row(self.misses, 'miss', 'misses')} to be forgotten again."
            )
        elif self.unknown:
            told.append(f"Its critical weight w* is not known: {self.unknown}.")
        elif self.w_max:
            told.append(
                f"There is no critical weight w*{where}: activity outlasts the input at every weight, or at none."
            )
        after_reward, after_miss = self.stays
        told.append(
            f"U and V agree in {self.agreement:.1%} of the rounds; in the others, {1 - self.agreement:.1%}, an arm is "
            f"explored {self.explores}. It stays with an arm after {after_reward:.0%} of the rewards and after "
            f"{after_miss:.0%} of the misses: {_kind(after_reward, after_miss)}."
        )
        if np.isfinite(self.silenced):
            told.append(
                f"With U silenced (no input in phase 1) regret {_change(self.regret, self.silenced)}; "
                f"random choice has {self.chance:.3f}."
            )
        exact, off = self.off
        if np.isfinite(off):
            told.append(
                f"With all genes perturbed by about {PERTURBATION:.0%} of their ranges, regret {_change(exact, off)}: "
                f"{_robustness(off - exact)}."
            )
        return told


def strategy(
    parameters: NSAParameters,
    model: Model,
    genome: Genome | None = None,
    tell: Callable[[str], None] = lambda text: None,
    dt: float | None = None,
    method: str = EULER,
) -> Strategy:
    """Measure the strategy of parameters on games that are the same for all sets.

    Parameters
    ----------
    parameters : NSAParameters
    model : Model
    genome : Genome, optional
        Whose genes are perturbed; by default all of the model.
    tell : callable, optional
        Is called with a line before each measurement.
    dt, method
        Time step in ms and integration method, as of :class:`evolution.games.FitnessGames`.
    """
    options = {**_leniency(model), **engine_options(dt, method)}
    tell("measuring the champion's strategy: {1} games with {0} arms".format(*games_of(model)))
    regret, chance, agreement, stays = _played(parameters, model, options)
    silenced, off = float("nan"), (float("nan"), float("nan"))
    at, w_max = _critical_weight(parameters, model, engine_options(dt, method)), parameters.w_max
    if not model.structure.spikes:
        if "I_ext" in model.structure.used:
            tell("measuring the champion's strategy: the same games with U silenced")
            silenced = _played(dataclasses.replace(parameters, I_ext=0.0), model, options)[0]
        tell(f"measuring the champion's robustness: {DRAWS} perturbed sets")
        genome = Genome(model=model) if genome is None else genome
        off = _perturbed(parameters, genome, model, stated(dt, method))
    tell(f"measuring the champion's learning: {IN_A_ROW} rewards and {IN_A_ROW} misses in a row")
    up, down = (_weights(parameters, model, *ends, options) for ends in ((0.0, 1.0), (w_max, 0.0)))
    return Strategy(
        w_max=w_max,
        critical=at,
        holds_for=ANYWHERE if _is_calibrated(model) else holds_for(model, GAMES[0]),
        learned=up[1] / w_max,
        forgotten=1 - down[1] / w_max,
        rewards=_first(up > at),
        misses=_first(down < at),
        agreement=agreement,
        stays=stays,
        regret=regret,
        silenced=silenced,
        off=off,
        chance=chance,
        unknown="" if _is_calibrated(model) else refusal(model),
        explores="at random" if model.structure.choice.explore == "1" else "by the model's own weights",
    )


def games_of(model: Model) -> tuple[int, int, int]:
    """Return arms, games and rounds of a trial in which a model's behaviour is measured."""
    return SPIKING_GAMES if model.structure.spikes else GAMES


def _played(
    parameters: NSAParameters, model: Model, options: Mapping[str, Any]
) -> tuple[float, float, float, tuple[float, float]]:
    """Return regret, that of random choice, agreement, and how often it stays after a reward and after a miss."""
    n_arms, n_games, rounds = games_of(model)
    bandit = envs.make("MAB-P", n_arms, seed=1, n_games=n_games, trial_rounds=rounds)
    agent = NSA(n_arms, parameters, seed=1, n_games=n_games, model=model, **options)
    probabilities, uniform = lay_out(bandit, 2 * rounds)
    if agent.plays_ahead:
        chosen, agreed = agent.play_ahead(probabilities, uniform)
    else:
        chosen, agreed = _one_by_one(agent, probabilities, uniform)
    earned = np.take_along_axis(probabilities, chosen[:, :, None], axis=2)[:, :, 0]
    best, paid = probabilities.max(axis=2), (uniform < earned)[:-1]
    again = chosen[1:] == chosen[:-1]
    stays = tuple(float(again[which].mean()) if which.any() else float("nan") for which in (paid, ~paid))
    chance = best.mean() - probabilities.mean()
    return float((best - earned).mean()), float(chance), float(agreed.mean()), stays  # type: ignore[return-value]


def _perturbed(
    parameters: NSAParameters, genome: Genome, model: Model, integration: Mapping[str, Any]
) -> tuple[float, float]:
    """Return the regret of a set, and the mean regret of perturbed ones."""
    n_arms, n_games, rounds = GAMES
    played: dict[str, Any] = {
        "envs": ("MAB-P",),
        "arms": (n_arms,),
        "iterations": n_games,
        "trials": 2,
        "rounds": rounds,
    }
    games = FitnessGames(**played, model=model, **integration)
    by = np.random.default_rng(1).normal(0, PERTURBATION, (DRAWS, genome.size))
    individuals = [parameters, *(genome.perturb(parameters, each) for each in by)]
    exact, *perturbed = scores(games, (1,), individuals).regret.mean(axis=1).tolist()
    return exact, float(np.mean(perturbed))


def _one_by_one(agent: NSA, probabilities: np.ndarray, uniform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return arms and agreement of a model that cannot play ahead."""
    arms, agreed = np.zeros(uniform.shape, dtype=int), np.zeros(uniform.shape, dtype=bool)
    for i, (p, drawn) in enumerate(zip(probabilities, uniform, strict=True)):
        arms[i], agreed[i] = agent.select_arm(), agent.engine.agreed
        agent.update(arms[i], (drawn < p[np.arange(len(p)), arms[i]]).astype(float))
    return arms, agreed


def _weights(
    parameters: NSAParameters, model: Model, first: float, reward: float, options: Mapping[str, Any]
) -> np.ndarray:
    """Return the weights, from the first on, of an arm that is chosen every round and always gives this reward."""
    n_arms = GAMES[0] if not model.structure.spikes and model.structure.depends_on_arms else 2
    agent = NSA(n_arms, parameters, seed=1, n_games=1, model=model, **options)
    engine = agent.engine
    weights = engine.w.copy()
    weights[:, 0] = first
    engine.set_weights(weights)
    found = [first]
    for _ in range(IN_A_ROW):
        agent.select_arm()
        agent.update(np.array([0]), np.array([reward]))
        found.append(float(engine.w[0, 0]))
    return np.array(found)


def _leniency(model: Model) -> dict[str, Any]:
    """Let spiking neurons without memory play at chance, as in a search; by default they are an error."""
    return {"lenient": True} if model.structure.spikes else {}


def _critical_weight(parameters: NSAParameters, model: Model, options: Mapping[str, Any]) -> float:
    """Return the critical weight, which spiking neurons may be calibrated to; NaN if it is unknown."""
    weights = np.linspace(0, parameters.w_max, 401)
    if _is_calibrated(model):
        return critical_weight(paper_part(parameters), PAPER, weights)
    if refusal(model):
        return float("nan")
    return critical_weight(parameters, model, weights, GAMES[0], options)


def _is_calibrated(model: Model) -> bool:
    """Return whether the model is calibrated to the rate model's critical weight."""
    return any(isinstance(step, RateMap) for step in model.prepare)


def _change(before: float, after: float) -> str:
    if abs(after - before) < 0.005:
        return f"stays at {before:.3f}"
    return f"{'rises' if after > before else 'falls'} from {before:.3f} to {after:.3f}"


def _robustness(rise: float) -> str:
    if rise < 0.02:
        return "it is robust"
    return "it is sensitive" if rise < 0.06 else "it is fragile, and its genes must be exact"


def _first(reached: np.ndarray) -> int | None:
    return int(np.argmax(reached)) if reached.any() else None


def _pace(part: float) -> str:
    return "fast" if part >= 0.5 else "slowly" if part < 0.1 else "at a moderate pace"


def _row(number: int | None, one: str, many: str = "") -> str:
    if number is None:
        return f"{IN_A_ROW} {many or one + 's'} in a row are not enough"
    return f"{number} {one if number == 1 else many or one + 's'} in a row"


def _kind(after_reward: float, after_miss: float) -> str:
    if not after_reward > 0.5:
        return "it hardly exploits what it finds"
    if after_miss < 0.3:
        return "close to win-stay, lose-shift"
    if after_miss > 0.85:
        return "it holds on to a good arm through many misses"
    return "it gives a good arm some credit"
