"""Compiled stretches of games: the choices of the round-by-round path, whatever the batch and wherever it is cut."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import own_models
import pytest
from guide import PIECES, model_of
from models import OTHERS, WILD
from selection import mostly_slow

from evolution import FitnessGames, scores
from evolution.fitness import rounds
from nsa_brian import NSA, Choice, Input, Model, NSAParameters, Parameter, load
from nsa_brian.codegen import stretch as compiled_stretch
from nsa_brian.codegen.learning import idle_lines, rule_lines
from nsa_brian.codegen.unit import Unit
from nsa_brian.engines.base import Engine
from nsa_brian.engines.cell_table import CellTable
from nsa_brian.engines.response_table import ResponseTable
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.separable import Separable
from nsa_brian.engines.stretch import CompiledRounds, RoundByRound
from nsa_brian.engines.table import Table
from nsa_brian.errors import ModelError, RunawayError
from nsa_brian.model.agreement import N_LUCK
from nsa_brian.model.model import PAPER

SETS = [load(name).parameters for name in ("evolved", "minbandit-38", "minbandit-29")]
SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=80, duration_free=80)

NOISY = dataclasses.replace(PAPER, name="noisy", noise=0.1)
#: Whose weights overshoot, and leave the table over w.
OVERSHOOTING = Model(
    name="overshooting",
    drive_v="w / w_max * phi_u_pre",
    plasticity="w + gain * Phi_eta * (R * w_max - w)",
    parameters=(Parameter("gain", 1.9),),
)
#: Models of every kind of answer and of rule.
MODELS = {
    "the paper's": PAPER,
    "weights that leave the table": OVERSHOOTING,
    **{name: model_of(name) for name in ("decay.py", "noisy_lateral.py")},
}
REST = {"noise": NOISY} | {name: model_of(name) for name in PIECES} | OTHERS


def known_games(env, n_arms, n_games, n_rounds, seed=0):
    """Probabilities (rounds, games, arms) and luck (rounds, games, 4) of one bandit."""
    games = FitnessGames(envs=(env,), arms=(n_arms,), iterations=n_games, trials=2, rounds=n_rounds // 2)
    played = list(rounds(games, (seed,), n_arms))
    return np.array([chances for chances, _ in played]), np.array([luck for _, luck in played])


def by_round(engine, row, chances, luck):
    arms, agreed = [], []
    for chance, drawn in zip(chances, luck, strict=True):
        engine.respond()
        chosen = engine.choose(drawn[row, :N_LUCK])
        engine.learn(chosen, (drawn[row, N_LUCK] < chance[row, chosen]).astype(float))
        arms.append(chosen)
        agreed.append(engine.agreed)
    return np.array(arms), np.array(agreed)


def in_stretches(engine, row, chances, luck, cut=64):
    stretch = engine.stretch()
    assert isinstance(stretch, CompiledRounds)
    parts = [stretch.play(row, chances[i : i + cut], luck[i : i + cut]) for i in range(0, len(chances), cut)]
    return tuple(np.concatenate(found) for found in zip(*parts, strict=True))


def check_the_same(engine_class, n_arms, players, row, chances, luck, **options):
    """Choices, agreement, synapses, activities and state of both paths."""
    one, other = (engine_class(n_arms, players, len(row), rng=np.random.default_rng(1), **options) for _ in range(2))
    expected, found = by_round(one, row, chances, luck), in_stretches(other, row, chances, luck)
    assert (found[0] == expected[0]).all()
    assert (found[1] == expected[1]).all()
    for name in one.synapses:
        assert other.synapses[name] == pytest.approx(one.synapses[name], rel=1e-9, abs=1e-12)
    assert other.activity == pytest.approx(one.activity, abs=1e-9)
    one.respond(), other.respond()
    assert other.activity == pytest.approx(one.activity, abs=1e-9)
    assert len(np.unique(expected[0])) > 1


@pytest.mark.parametrize(("engine_class", "ties"), [(Table, "random"), (Rounds, "first")])
@pytest.mark.parametrize("n_arms", mostly_slow([2, 5, 9, 16, 200], 9))
def test_choices_weights_and_activities_are_those_of_the_round_by_round_path(n_arms, engine_class, ties):
    players = [p for p in SETS for _ in range(4)]
    chances, luck = known_games("MAB-P", n_arms, 4, 300)
    check_the_same(engine_class, n_arms, players, np.tile(np.arange(4), 3), chances, luck, ties=ties)


def test_with_first_ties_a_silent_u_explores_in_both_paths():
    # Without input U stays at 0 for good.
    chances, luck = known_games("MAB-P", 6, 3, 60)
    silent = SHORT.replace(I_ext=0, threshold_v=0.9)
    check_the_same(Rounds, 6, silent, np.arange(3), chances, luck, ties="first")
    engine = Rounds(6, silent, 3, ties="first")
    arms, agreed = in_stretches(engine, np.arange(3), chances, luck)
    assert not agreed.any()
    assert (arms == (luck[:, :, 2] * 6).astype(int)).all()


@pytest.mark.parametrize("n_games", [1, 2, 20])
def test_integrating_ahead_changes_nothing(n_games):
    players = [SETS[i % 3].replace(duration_input=700, duration_free=700) for i in range(n_games)]
    chances, luck = known_games("MAB-P", 6, n_games, 400)
    check_the_same(Rounds, 6, players, np.arange(n_games), chances, luck)


def check_model(model):
    players = [SHORT, SHORT.replace(tau_u=14), SHORT]
    chances, luck = known_games("MAB-P", 5, 3, 150)
    for engine_class in (Table, Rounds):
        if not model.refusal(engine_class.name):
            check_the_same(engine_class, 5, players, np.arange(3), chances, luck, model=model)


@pytest.mark.parametrize("name", mostly_slow(MODELS, "the paper's", "noisy_lateral.py"))
def test_models_of_every_kind_of_answer_and_rule(name):
    check_model(MODELS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in REST if name not in MODELS])
def test_all_other_models(name):
    check_model(REST[name])


@pytest.mark.slow
def test_values_that_leave_the_table_are_integrated(monkeypatch):
    left, look = [], ResponseTable._look_beyond
    monkeypatch.setattr(ResponseTable, "_look_beyond", lambda self, *a: left.append(1) or look(self, *a))
    chances, luck = known_games("MAB-P", 5, 3, 150)
    in_stretches(Table(5, SHORT, 3, model=OVERSHOOTING), np.arange(3), chances, luck)
    assert left


@pytest.mark.slow
@pytest.mark.parametrize("env", ["MAB-P", "MAB-D", "MAB-sin", "MAB-sinP"])
@pytest.mark.parametrize("n_arms", [5, 50, 1000])
def test_a_hundred_games_of_four_thousand_rounds(env, n_arms):
    chances, luck = known_games(env, n_arms, 100 if n_arms < 1000 else 20, 4000)
    row = np.arange(chances.shape[1])
    few = row[:3]  # whose rounds to come are integrated ahead
    for engine_class, sets, rows in ((Table, SETS, row), (Rounds, SETS[:1], row), (Rounds, SETS, few)):
        for parameters in sets:
            one, other = (engine_class(n_arms, parameters, len(rows)) for _ in range(2))
            assert (in_stretches(other, rows, chances, luck)[0] == by_round(one, rows, chances, luck)[0]).all()


@pytest.mark.parametrize("engine_class", [Table, Rounds])
def test_it_does_not_matter_where_a_game_is_cut_nor_who_plays_beside(engine_class):
    chances, luck = known_games("MAB-sin", 6, 5, 90)
    whole = in_stretches(engine_class(6, SHORT, 5), np.arange(5), chances, luck)[0]
    assert (in_stretches(engine_class(6, SHORT, 5), np.arange(5), chances, luck, cut=7)[0] == whole).all()
    alone = in_stretches(engine_class(6, SHORT, 1), np.array([3]), chances, luck)[0]
    assert (alone[:, 0] == whole[:, 3]).all()


@pytest.mark.parametrize(
    "model",
    [PAPER, pytest.param(MODELS["decay.py"], marks=pytest.mark.slow), MODELS["noisy_lateral.py"]],
    ids=lambda model: model.name,
)
def test_the_engine_goes_on_where_the_stretch_ended(model):
    chances, luck = known_games("MAB-P", 4, 3, 90)
    row = np.arange(3)
    one, other = (Rounds(4, SHORT, 3, model=model, rng=np.random.default_rng(1)) for _ in range(2))
    expected = by_round(one, row, chances, luck)[0]
    first, third = (slice(0, 30), slice(60, 90))
    played = [
        in_stretches(other, row, chances[first], luck[first])[0],
        by_round(other, row, chances[30:60], luck[30:60])[0],
        in_stretches(other, row, chances[third], luck[third])[0],
    ]
    assert (np.concatenate(played) == expected).all()


@pytest.mark.slow
def test_a_model_that_runs_away_is_told_and_not_played_on():
    chances, luck = known_games("MAB-P", 3, 2, 20)
    with np.errstate(all="ignore"), pytest.raises(ModelError, match="not finite"):
        in_stretches(Rounds(3, SHORT, 2, model=WILD), np.arange(2), chances, luck)


#: Rules whose effect on an option that was not chosen depends on all that a rule can read.
RULES = {
    "unless rewarded": "w += chosen * Phi_eta * (R * w_max - w) - 0.1 * (1 - R) * w",
    "a trace": "n += chosen - 0.2 * n\nw += chosen * Phi_eta * (R * w_max - w) / (1 + n)",
    "a helper": "q = n * (1 - chosen)\nw += chosen * 0.3 * (R * w_max - w)\nn = 0.5 * q + chosen",
    "activities": "w += chosen * Phi_eta * (R * w_max - w) + 0.01 * v * (w_max - w)",
    "a signal": "w += chosen * Phi_eta * (R * w_max - w) - 0.02 * int(r > 0.5) * w",
}


def with_rule(name):
    more = {"signals": "r : 1", "signal_update": "r += 0.3 * (R - r)"} if name == "a signal" else {}
    return Model(name="rule", synapse="n : 1", plasticity=RULES[name], **more)


@pytest.mark.parametrize("name", mostly_slow(RULES))
def test_statements_skip_only_options_that_they_would_not_change(name):
    # A stretch of one round has skipped nothing yet.
    chances, luck = known_games("MAB-P", 19, 3, 120)
    model, row = with_rule(name), np.arange(3)
    whole, single = (Rounds(19, SHORT, 3, model=model) for _ in range(2))
    arms = in_stretches(whole, row, chances, luck)[0]
    expected = [single.stretch().play(row, chances[i : i + 1], luck[i : i + 1])[0] for i in range(len(chances))]
    assert (arms == np.concatenate(expected)).all()
    assert (whole.activity == single.activity).all()
    for variable, array in whole.synapses.items():
        assert (array == single.synapses[variable]).all()


def sharing_models():
    """Models whose options respond to statements, to a signal with an input, and to state that is carried over."""
    read = Model(name="read", synapse="n : 1", rate_u="du/dt = (-u + I_u + I * (1 + n){noise}) / tau_u : 1",
                 plasticity=RULES["a trace"])  # fmt: skip
    return {"statements": read, "a signal": own_models.arousal(), "carried": own_models.habit()}


@pytest.mark.parametrize("slots", mostly_slow([4096, 4], 4096))
@pytest.mark.parametrize("name", mostly_slow(["statements", "a signal", "carried"], "statements"))
def test_equal_options_are_integrated_once_to_the_last_bit(name, slots, monkeypatch):
    monkeypatch.setattr(compiled_stretch, "MEMO_SLOTS", slots)  # few: most responses are forgotten at once
    model, row = sharing_models()[name], np.arange(4)
    chances, luck = known_games("MAB-P", 9, 4, 120)
    players = [SHORT, SHORT, SHORT.replace(tau_u=14), SHORT]
    one, other = Rounds(9, players, 4, model=model), Rounds(9, players, 4, model=model, dense=True)
    all_of_them = dataclasses.replace(other.answers(), shares=False)
    monkeypatch.setattr(other, "answers", lambda: all_of_them)
    arms = in_stretches(one, row, chances, luck)[0]
    assert (arms == in_stretches(other, row, chances, luck)[0]).all()
    assert len(np.unique(arms)) > 1
    assert (one.ends == other.ends).all()
    for variable, array in one.synapses.items():
        assert (array == other.synapses[variable]).all()


def of_every_round(explore="1", inputs=()):
    """A model in which a signal changes all options in every round, or statements read an input of options."""
    cost = "(R - cost)" if inputs else "R"
    return Model(
        name="every round",
        synapse="h : 1",
        signals="" if inputs else "a : 1",
        initial={"h": "1"} if inputs else {"h": "1", "a": "0.9"},
        inputs=inputs,
        rate_u="du/dt = (-u + " + ("I + w" if inputs else "(1 - h) * w + h * a") + ") / tau_u : 1",
        rate_v="dv/dt = (-v + w) / tau_v : 1",
        signal_update="" if inputs else "a += 0.05 * (R - a)",
        plasticity=f"w += chosen * (0.1 + 0.7 * h) * ({cost} - w)\nh += 0.01 * (1 - h) - chosen * 0.4 * h",
        choice=Choice(explore=explore),
    )


EVERY_ROUND = {
    "an input of options": of_every_round(inputs=(Input("cost", default=0.1),)),
    "weights of 0 and 1": of_every_round("int(u > u_at_v)"),
    "other weights": of_every_round("clip(u - u_at_v, 0, 1) + 0.01 * best_v * h"),
}


@pytest.mark.parametrize("name", mostly_slow(EVERY_ROUND, "weights of 0 and 1"))
def test_options_that_all_change_in_every_round(name):
    # 200 arms: games are played two at a time, for which both ways of integrating are tried.
    chances, luck = known_games("MAB-P", 200, 3, 160)
    players = [SHORT, SHORT.replace(tau_u=14), SHORT]
    check_the_same(Rounds, 200, players, np.arange(3), chances, luck, model=EVERY_ROUND[name])


def test_what_no_neuron_reads_is_not_computed():
    unit = Unit(EVERY_ROUND["weights of 0 and 1"])
    assert set(unit.inputs) == {"a", "h", "w"}
    assert not unit.names & {"Phi_v", "r_v", "gain_u", "I_ext"}


#: Models whose responses depend on two and on three variables.
SEVERAL = {
    2: Model(
        name="two",
        synapse="n : 1",
        initial={"n": "1"},
        rate_u="du/dt = (-u + I_u + I * (1 + 0.3 * n){noise}) / tau_u : 1",
        plasticity="w += chosen * Phi_eta * (R * w_max - w)\nn -= 0.02 * n + chosen * n / 2",
    ),
    3: Model(
        name="three",
        synapse="n : 1\nm : 1",
        initial={"n": "1"},
        rate_u="du/dt = (-u + I_u + I * (1 + 0.3 * n - 0.1 * m){noise}) / tau_u : 1",
        plasticity="w += chosen * Phi_eta * (R * w_max - w)\nn -= 0.02 * n + chosen * n / 2\nm += 0.1 * (chosen - m)",
    ),
}


@pytest.mark.parametrize("n_variables", mostly_slow(SEVERAL, 2))
def test_a_table_of_several_variables_makes_the_choices_of_rounds(n_variables):
    model, row = SEVERAL[n_variables], np.arange(4)
    assert len(model.structure.coordinates) == n_variables
    assert model.fastest == ("table" if n_variables == 2 else "rounds")
    chances, luck = known_games("MAB-P", 9, 4, 200)
    players = [SHORT, SHORT.replace(tau_u=14), SHORT, SHORT]
    table, rounds = Table(9, players, 4, model=model), Rounds(9, players, 4, model=model)
    expected = in_stretches(rounds, row, chances, luck)[0]
    assert (in_stretches(table, row, chances, luck)[0] == expected).all()
    assert len(np.unique(expected)) > 1
    table.respond(), rounds.respond()
    assert table.activity == pytest.approx(rounds.activity, abs=1e-6)
    check_the_same(Table, 9, players, row, chances[:60], luck[:60], model=model, table=table.table)


#: What changes options that are not chosen, so that their responses are followed along it.
MOVES = {"n": "n -= 0.02 * n + chosen * n / 2", "m": "m += 0.1 * (chosen - m)", "w": "w -= 0.01 * w"}


@pytest.mark.parametrize("along", mostly_slow([(2, "n"), (2, "w"), (3, "n"), (3, "m"), (3, "w")], (2, "w")))
def test_responses_are_followed_along_any_variable_of_a_table(along):
    n_variables, name = along
    rule = f"w += chosen * Phi_eta * (R * w_max - w)\n{MOVES[name]}"
    model = dataclasses.replace(SEVERAL[n_variables], name=f"along {name}", plasticity=rule)
    chances, luck = known_games("MAB-P", 19, 2, 150)
    for options in ({}, {"cells": 4, "refine": 1}):  # most cells are too coarse, and their responses integrated
        table = Table(19, [SHORT, SHORT.replace(tau_u=14)], 2, model=model, **options)
        found, seen = in_stretches(table, np.arange(2), chances, luck)[0], table.activity.copy()
        expected = Rounds(19, [SHORT, SHORT.replace(tau_u=14)], 2, model=model)
        assert (found == in_stretches(expected, np.arange(2), chances, luck)[0]).all()
        assert seen == pytest.approx(expected.activity, abs=1e-6)


def test_coordinates_that_are_not_numbers_end_a_game_in_every_engine():
    # Of several bits of NaN, -sqrt(m) has those of the constant.
    model = Model(
        name="edge",
        synapse="n : 1\nm : 1\nq = -sqrt(m) : 1",
        initial={"n": "0.5", "m": "1e6"},
        rate_u="du/dt = (-u + I_u + I * (1 + 0.3 * n) + 0.001 * q{noise}) / tau_u : 1",
        drive_v="0.5 * phi_u_pre",
        plasticity="""
            w += chosen * Phi_eta * (R * w_max - w)
            n -= 0.02 * n + chosen * n / 2
            m -= 2e6 * chosen
        """,
    )
    chances, luck = known_games("MAB-P", 8, 2, 40, seed=3)
    for engine in (Table, Rounds):
        with pytest.raises(RunawayError):
            in_stretches(engine(8, SHORT, 2, model=model), np.arange(2), chances, luck)


def test_a_table_of_several_variables_is_as_exact_as_it_says():
    model, rng = SEVERAL[2], np.random.default_rng(0)
    table = CellTable([model.complete(SHORT)], model=model)
    values = rng.uniform(0, 1, (2, 3000))
    which = np.zeros(3000, dtype=int)
    error = np.abs(table.look_up(which, values) - table._integrate(which, values)).max(axis=0)
    assert np.quantile(error, 0.99) < 1e-7
    assert error.max() < 1e-5  # where a step of the response lies between the points of a cell
    far = np.array([[1e5, np.nan], [0.5, 0.5]])
    assert np.array_equal(table.look_up(which[:2], far), table._integrate(which[:2], far), equal_nan=True)
    # The same cells in another order, in an index that grows.
    again = CellTable([model.complete(SHORT)], model=model)
    backwards = [again.look_up(which[:1], values[:, i : i + 1])[:, 0] for i in range(299, -1, -1)]
    assert (np.transpose(backwards[::-1]) == table.look_up(which[:300], values[:, :300])).all()


@pytest.mark.parametrize(
    "name", mostly_slow(["the paper's", "adapting.py", "self_excitation.py", "novelty.py"], "the paper's")
)
def test_a_round_that_ends_early_has_the_same_bits(name):
    # An age grows in every step, so that no step leaves the state as it was.
    model = PAPER if name == "the paper's" else model_of(name)
    aging = model.change(name="aging", rate_u=f"{model.rate_u}\ndage/dt = 1 : second")
    quick = SHORT.replace(tau_u=3, tau_v=5, duration_input=600, duration_free=900)
    for parameters in (quick, SHORT, SETS[0]):
        one, other = (Rounds(70, parameters, 1, model=each) for each in (model, aging))
        for engine in (one, other):
            engine.set_weights(np.linspace(0, parameters.w_max, 70))
        assert np.unique(one.activity[1]).size > 1
        assert (one.activity == other.activity).all()


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ("w += chosen * Phi_eta * (R * w_max - w)", []),
        ("w -= (w - R) * chosen", []),
        ("n += chosen\nw += chosen * (R - w) / n", ["w += chosen / (n)"]),
        ("w += chosen * exp(w) * (R - w)", ["w += chosen * (exp(w))"]),
        ("w += chosen * (R - w) + n", ["w += chosen * (R - w) + n"]),
        ("w += (R - w) / chosen", ["w += (R - w) / chosen"]),
        ("w = chosen * R", ["w = chosen * R"]),
    ],
)
def test_terms_of_the_chosen_option_are_left_out_for_others(rule, left):
    learn, lines = rule_lines(Model(name="rule", synapse="n : 1", plasticity=rule))
    assert idle_lines(learn, lines) == left


@pytest.mark.parametrize("engine", [Rounds, Table])
def test_statements_about_the_chosen_option_learn_as_an_expression_does(engine):
    model = Model(name="counted", synapse="n : 1", plasticity="n += chosen\nw += chosen * Phi_eta * (R * w_max - w)")
    chances, luck = known_games("MAB-P", 19, 3, 300)
    row = np.arange(3)
    counted, papers = engine(19, SETS[0], 3, model=model), engine(19, SETS[0], 3)
    arms = in_stretches(counted, row, chances, luck)[0]
    assert (arms == in_stretches(papers, row, chances, luck)[0]).all()
    assert (counted.synapses["w"] == papers.synapses["w"]).all()
    assert (counted.synapses["n"] == [np.bincount(arms[:, game], minlength=19) for game in row]).all()


def test_statements_that_fail_for_options_not_chosen_still_fail():
    chances, luck = known_games("MAB-P", 19, 3, 20)
    model = Model(name="mean", synapse="n : 1", plasticity="n += chosen\nw += chosen * (R - w) / n")
    with pytest.raises(ModelError, match="w is not finite after learning"):
        in_stretches(Rounds(19, SHORT, 3, model=model), np.arange(3), chances, luck)


def test_variables_that_no_round_reads_integrate_nothing():
    chances, luck = known_games("MAB-P", 19, 3, 20)
    engine = Rounds(19, SHORT, 3, model=with_rule("a trace"))
    by_round(engine, np.arange(3), chances, luck)
    assert np.count_nonzero(engine.synapses["n"]) > 3
    assert len(engine.stale) <= 3
    in_stretches(engine, np.arange(3), chances, luck)
    assert len(engine.stale) <= 3


def test_stretches_of_one_kind_share_their_code_and_nothing_else():
    chances, luck = known_games("MAB-P", 9, 2, 200)
    row, players = np.arange(2), [SETS[0], SETS[1]]
    alone = [in_stretches(Table(9, p, 2), row, chances, luck, cut=20)[0] for p in players]
    assert (alone[0] != alone[1]).any()
    stretches = [Table(9, p, 2).stretch() for p in players]
    assert stretches[0]._compiled._code is stretches[1]._compiled._code
    turns = [[], []]
    for i in range(0, 200, 20):
        for found, stretch in zip(turns, stretches, strict=True):
            found.append(stretch.play(row, chances[i : i + 20], luck[i : i + 20])[0])
    assert all((np.concatenate(found) == each).all() for found, each in zip(turns, alone, strict=True))
    with ThreadPoolExecutor(2) as threads:
        found = [*threads.map(lambda p: in_stretches(Table(9, p, 2), row, chances, luck, cut=20)[0], players * 4)]
    assert all((each == alone[i % 2]).all() for i, each in enumerate(found))


def test_another_rule_has_another_code():
    one, other = (Table(9, SETS[0], 2, model=model).stretch() for model in (PAPER, OVERSHOOTING))
    assert one._compiled._code is not other._compiled._code


def test_rounds_go_one_by_one_without_a_compiler(without_compiler):
    assert isinstance(Table(3, SHORT).stretch(), RoundByRound)
    assert isinstance(Rounds(3, SHORT).stretch(), RoundByRound)


def test_rounds_go_one_by_one_with_rules_that_a_user_wrote():
    class Cautious(Table):
        def select(self):
            return np.zeros(self.n_games, dtype=int)

    class Forgetful(NSA):
        def update(self, arm, reward):
            pass

    assert isinstance(Cautious(3, SHORT).stretch(), RoundByRound)
    assert not Forgetful(3, SHORT).plays_ahead
    with pytest.raises(ValueError, match="cannot play ahead"):
        Forgetful(3, SHORT).play_ahead(np.ones((1, 1, 3)), np.zeros((1, 1)))


@pytest.mark.parametrize("model", [PAPER, NOISY], ids=["paper", "noisy"])
@pytest.mark.parametrize("n_games", [1, 3])
def test_an_agent_that_plays_ahead_draws_what_it_draws_round_by_round(model, n_games):
    chances, luck = known_games("MAB-P", 4, n_games, 60)
    one, other = (NSA(4, SHORT, "rounds", seed=3, n_games=n_games, model=model) for _ in range(2))
    arms = []
    for chance, drawn in zip(chances, luck, strict=True):
        arms.append(one.select_arm())
        one.update(arms[-1], (drawn[:, N_LUCK] < chance[np.arange(n_games), arms[-1]]).astype(float))
    parts = [other.play_ahead(chances[part], luck[part, :, N_LUCK])[0] for part in (slice(0, 25), slice(25, 60))]
    assert (np.concatenate(parts) == arms).all()


@pytest.mark.parametrize(
    ("probabilities", "luck"),
    [
        ((9, 2, 4), (9, 3)),
        ((9, 3, 5), (9, 3)),
        ((9, 3, 4), (8, 3)),
        ((9, 3, 4), (9,)),
        ((0, 3, 4), (0, 3)),
        ((9,), (9, 3)),
    ],
)
def test_an_agent_that_plays_ahead_refuses_what_is_laid_out_for_others(probabilities, luck):
    agent = NSA(4, SHORT, seed=3, n_games=3)
    with pytest.raises(ValueError, match=r"of shape \(rounds, 3, 4\) and luck of shape \(rounds, 3\)"):
        agent.play_ahead(np.ones(probabilities), np.ones(luck))


@pytest.mark.parametrize(
    "model",
    mostly_slow([PAPER, OVERSHOOTING, MODELS["decay.py"]], PAPER),
    ids=lambda model: model.name,
)
def test_scores_of_a_search_are_the_same_to_the_last_bit(monkeypatch, model):
    games = FitnessGames(envs=("MAB-P", "MAB-D"), arms=(5, 20), iterations=2, rounds=100, model=model)
    individuals = [*SETS, SHORT] if model == PAPER else [SHORT, SHORT.replace(tau_v=20)]
    compiled = scores(games, (3,), individuals)
    monkeypatch.setattr(Separable, "stretch", Engine.stretch)
    assert (scores(games, (3,), individuals).reward == compiled.reward).all()
    assert (scores(games, (3,), individuals).regret == compiled.regret).all()
