"""Compiled stretches of games: the choices of the round-by-round path, whatever the batch and wherever it is cut."""

import numpy as np
import pytest
from guide import model_of

from evolution import Games, scores
from evolution.fitness import rounds
from nsa_brian import Model, NSAParameters, load
from nsa_brian.codegen.stretch import ROUNDS
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.table import Table
from nsa_brian.model.agreement import N_LUCK, select

SETS = [load(name).parameters for name in ("evolved", "minbandit-38", "minbandit-29")]
SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=80, duration_free=80)


def known_games(env, n_arms, n_games, n_rounds, seed=0):
    """Probabilities (rounds, games, arms) and luck (rounds, games, 4) of one bandit."""
    games = Games(envs=(env,), arms=(n_arms,), iterations=n_games, trials=2, rounds=n_rounds // 2)
    played = list(rounds(games, (seed,), n_arms))
    return np.array([chances for chances, _ in played]), np.array([luck for _, luck in played])


def by_round(engine, row, chances, luck):
    arms, agreed = [], []
    for chance, drawn in zip(chances, luck, strict=True):
        engine.respond()
        chosen, agree = select(engine.activity, drawn[row, :N_LUCK], engine.ties, engine.tolerance)
        engine.learn(chosen, (drawn[row, N_LUCK] < chance[row, chosen]).astype(float))
        arms.append(chosen)
        agreed.append(agree)
    return np.array(arms), np.array(agreed)


def in_stretches(engine, row, chances, luck, cut=ROUNDS):
    stretch = engine.stretch(chances.shape[1])
    parts = [stretch.play(row, chances[i : i + cut], luck[i : i + cut]) for i in range(0, len(chances), cut)]
    return tuple(np.concatenate(found) for found in zip(*parts, strict=True))


@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize("n_arms", [2, 5, 9, 16, 200])
def test_choices_weights_and_activities_are_those_of_the_round_by_round_path(n_arms, ties):
    players = [p for p in SETS for _ in range(4)]
    row = np.tile(np.arange(4), 3)
    chances, luck = known_games("MAB-P", n_arms, 4, 300)
    one, other = (Table(n_arms, players, 12, ties) for _ in range(2))
    expected, found = by_round(one, row, chances, luck), in_stretches(other, row, chances, luck)
    assert (found[0] == expected[0]).all()
    assert (found[1] == expected[1]).all()
    assert other.w == pytest.approx(one.w, abs=1e-12)
    one.respond()
    assert other.activity == pytest.approx(one.activity, abs=1e-9)
    assert len(np.unique(expected[0])) > 1


@pytest.mark.slow
@pytest.mark.parametrize("env", ["MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"])
@pytest.mark.parametrize("n_arms", [5, 50, 1000])
def test_a_hundred_games_of_four_thousand_rounds(env, n_arms):
    for parameters in SETS:
        chances, luck = known_games(env, n_arms, 100 if n_arms < 1000 else 20, 4000)
        row = np.arange(chances.shape[1])
        one, other = (Table(n_arms, parameters, len(row)) for _ in range(2))
        assert (in_stretches(other, row, chances, luck)[0] == by_round(one, row, chances, luck)[0]).all()


def test_it_does_not_matter_where_a_game_is_cut_nor_who_plays_beside():
    chances, luck = known_games("MAB-sin", 6, 5, 90)
    whole = in_stretches(Table(6, SHORT, 5), np.arange(5), chances, luck)[0]
    assert (in_stretches(Table(6, SHORT, 5), np.arange(5), chances, luck, cut=7)[0] == whole).all()
    alone = in_stretches(Table(6, SHORT, 1), np.array([3]), chances, luck)[0]
    assert (alone[:, 0] == whole[:, 3]).all()


def test_the_engine_goes_on_where_the_stretch_ended():
    chances, luck = known_games("MAB-P", 4, 3, 80)
    row = np.arange(3)
    one, other = Table(4, SHORT, 3), Table(4, SHORT, 3)
    expected = by_round(one, row, chances, luck)[0]
    first = in_stretches(other, row, chances[:40], luck[:40])[0]
    rest = by_round(other, row, chances[40:], luck[40:])[0]
    assert (np.concatenate([first, rest]) == expected).all()


def test_a_model_of_ones_own_with_the_papers_learning_has_it_too():
    model = model_of("adapting.py")
    chances, luck = known_games("MAB-P", 5, 3, 120)
    one, other = (Table(5, SHORT, 3, model=model) for _ in range(2))
    assert (in_stretches(other, np.arange(3), chances, luck)[0] == by_round(one, np.arange(3), chances, luck)[0]).all()


@pytest.mark.parametrize(
    "engine",
    [
        Rounds(3, SHORT),
        Table(3, SHORT, model=model_of("plain_weight.py")),
        Table(3, SHORT, model=Model(plasticity="w + 2 * Phi_eta * (R * w_max - w)")),
        Table(3, SHORT, model=model_of("decay.py")),
    ],
    ids=["another engine", "a table over w", "weights without bounds", "statements"],
)
def test_there_is_none_where_it_would_not_be_the_same(engine):
    assert engine.stretch(1) is None


def test_scores_of_a_search_are_the_same_to_the_last_bit(monkeypatch):
    games = Games(envs=("MAB-P", "MAB-D"), arms=(5, 20), iterations=2, rounds=100)
    individuals = [*SETS, SHORT]
    compiled = scores(games, (3,), individuals)
    monkeypatch.setattr(Table, "stretch", lambda self, n_rows: None)
    assert (scores(games, (3,), individuals).reward == compiled.reward).all()
    assert (scores(games, (3,), individuals).regret == compiled.regret).all()
