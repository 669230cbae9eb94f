"""The benchmark measures what it says."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from targets import on_target

import baselines
from experiments.bench import calibration as calibration_bench
from experiments.bench import command as bench_command
from experiments.bench import figure as bench_figure
from experiments.bench import limits as bench_limits
from experiments.bench import measure as bench
from experiments.bench import policies as policy_bench
from experiments.bench import several as several_bench
from experiments.bench import signals as signal_bench
from experiments.bench import spikes as spike_bench
from experiments.bench import stretches as stretch_bench
from experiments.bench.limit import LimitKernel, LimitTable
from experiments.bench.plain_policies import PLAIN
from experiments.bench.spikes import LimitSpikes
from nsa_brian import NSANetwork, ParameterSet, load, prepare
from nsa_brian.codegen.pairs import answers
from nsa_brian.engines.columns import ColumnRounds
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.table import Table
from nsa_brian.spiking.shipped import EI, SPIKING

PARAMETERS = load().parameters
DOCUMENTED = Path(__file__).parents[3] / "docs" / "results" / "bench.json"
#: What Brian2's networks run on.
NETWORKS = ("numpy", "auto")


@pytest.fixture(
    scope="module", params=["documented", *(pytest.param(name, marks=pytest.mark.slow) for name in NETWORKS)]
)
def found(request):
    """All figures: the documentation's; among the slow tests new ones, networks with and without the compiler."""
    if request.param == "documented":
        return json.loads(DOCUMENTED.read_text("utf-8"))["summary"]
    prepare(SPIKING, PARAMETERS, spike_bench.ARMS)  # finds the coupling, which takes the compiler
    told = []
    short = load().parameters.replace(duration_input=100, duration_free=100)  # networks go through every step
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "load", lambda: ParameterSet(short, "short"))
        patch.setattr(bench, "NSANetwork", on_target(NSANetwork, request.param))
        patch.setattr(spike_bench, "NSANetwork", on_target(NSANetwork, request.param))
        measured = bench.measure(bench.Effort(slow_rounds=2, fast_rounds=20, policy_rounds=10, repeats=1), told.append)
    assert len(told) == bench.N_MEASUREMENTS  # or the bar would not end where it should
    return measured


def test_the_limit_computes_the_same():
    value = np.linspace(0, 1, 101)
    assert LimitKernel(PARAMETERS).respond(value) == pytest.approx(answers(PARAMETERS, value, "Phi_v"), abs=1e-9)


def test_the_limit_of_one_pair_computes_the_same():
    values = np.linspace(0, 1, 7)
    found = np.transpose([LimitKernel(PARAMETERS).respond_one(value) for value in values])
    assert found == pytest.approx(answers(PARAMETERS, values, "Phi_v"), abs=1e-9)


@pytest.mark.parametrize("n_arms", [2, 10, 200])
def test_the_limit_of_the_table_makes_the_same_choices(n_arms):
    engine = Table(n_arms, PARAMETERS, 3)
    engine.respond()
    limit, ours = LimitTable(engine), stretch_bench.player(engine)
    for chances, luck in stretch_bench.known_rounds(n_arms, 3, 700):
        arms = limit.play(chances, luck)
        assert (arms == ours(chances, luck)).all()
    assert len(np.unique(arms)) > 1
    assert limit.earned.min() > 0


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [5, 40])
def test_the_limit_of_several_variables_makes_the_same_choices(n_arms):
    model, parameters = several_bench.NOVELTY, several_bench.of_length(PARAMETERS, 200)
    engine = Rounds(n_arms, model.complete(parameters), several_bench.GAMES, model=model)
    limit, ours = several_bench.LimitNovelty(engine), several_bench.played(engine)()
    play = limit.restarted()
    for chances, luck in stretch_bench.known_rounds(n_arms, several_bench.GAMES, 200):
        arms = play(chances, luck)
        assert (arms == ours(chances, luck)).all()
    assert len(np.unique(arms)) > 1
    assert limit.state[0] == pytest.approx(engine.w, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [5, 40])
def test_the_limit_of_a_signal_makes_the_same_choices(n_arms):
    engine = Rounds(n_arms, signal_bench.of_length(20), signal_bench.GAMES, model=signal_bench.FAMILIARITY)
    limit, ours = signal_bench.LimitFamiliarity(engine), several_bench.played(engine)()
    play = limit.restarted()
    for chances, luck in stretch_bench.known_rounds(n_arms, signal_bench.GAMES, 200):
        arms = play(chances, luck)
        assert (arms == ours(chances, luck)).all()
    assert len(np.unique(arms)) > 1
    assert limit.state[0] == pytest.approx(engine.w, abs=1e-12)


def test_a_signal_has_its_table():
    places = [f"s{steps}.k{k}" for steps in signal_bench.STEPS for k in signal_bench.ARMS]
    numbers = {f"signals.us_per_game_round.{place}": 3.0 for place in places}
    (table,) = bench_command.signal_tables({**numbers, **{f"limit.signals_us.{place}": 2.0 for place in places}})
    assert table.count("1.50") == 6
    assert bench_command.signal_tables({}) == []


def test_several_variables_have_their_table():
    places = [f"s{steps}.k{k}" for steps in several_bench.STEPS for k in several_bench.ARMS]
    names = {"several.us_per_game_round": 3.0, "several.table_us_per_game_round": 1.0, "limit.several_us": 2.0}
    numbers = {f"{name}.{place}": value for place in places for name, value in names.items()}
    table, line = bench_command.several_tables(
        {**numbers, "several.expression_us.k200": 2.0, "several.statements_us.k200": 3.0}
    )
    assert table.count("1.50") == 6
    assert line.endswith("(1.50x)")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "n_games"), [(SPIKING, 1), (SPIKING, 16), (EI, 16)], ids=lambda x: getattr(x, "name", x)
)
def test_the_limit_of_spikes_fires_as_the_engine_does(model, n_games):
    engine = ColumnRounds(5, PARAMETERS, n_games, model=model, prepared=prepare(model, PARAMETERS, 5))
    engine.set_weights(np.linspace(0, PARAMETERS.w_max, 5))
    limit = LimitSpikes(engine)
    ours, by_hand = [], []
    for _ in range(96 // n_games):
        engine.respond()
        limit.respond()
        ours.append(engine.columns.counts.copy())
        by_hand.append(limit.counts.copy())
    ours, by_hand = (np.concatenate(each, axis=1) for each in (ours, by_hand))
    assert ours.mean(axis=1).max() > 30
    error = np.sqrt((ours.var(axis=1) + by_hand.var(axis=1)) / 96)
    assert (np.abs(ours.mean(axis=1) - by_hand.mean(axis=1)) <= 4 * error).all()


def test_calibration_is_timed_for_sets_that_were_not_calibrated_before(monkeypatch):
    calibrated = []

    def prepare(model, sets, n_arms, *, lenient):
        assert lenient
        calibrated.extend((model.name, each) for each in sets)

    monkeypatch.setattr(calibration_bench, "prepare", prepare)
    told = []
    found = calibration_bench.measure(3, told.append)
    assert len(told) == calibration_bench.N_MEASUREMENTS
    assert len(set(calibrated)) == len(calibrated) == 3 * (1 + 2 * 16)
    names = [f"calibration.{name}.s_per_set" for name in ("spiking", "spiking-adex", "spiking-ei")]
    assert list(found) == names
    assert all(seconds > 0 for seconds in found.values())
    (table,) = bench_command.calibration_tables(dict(zip(names, (0.0612, 0.1, 0.7), strict=True)))
    assert [line.split() for line in table.splitlines()[2:]] == [
        ["spiking", "0.0612"],
        ["spiking-adex", "0.1"],
        ["spiking-ei", "0.7"],
    ]
    assert bench_command.calibration_tables({}) == []


def test_the_numpy_loop_computes_the_same():
    w = np.linspace(0, PARAMETERS.w_max, 9)
    assert np.array(bench.numpy_round(w, PARAMETERS)) == pytest.approx(answers(PARAMETERS, w), abs=1e-9)


def test_every_figure_is_there_positive_and_ready_for_json(found):
    wanted = [
        f"{engine}.ms_per_round.k{k}" for engine in ("network", "numpy", "rounds", "table") for k in (10, 100, 1000)
    ]
    wanted += ["rounds.ns_per_unit_step", "limit.ns_per_unit_step", "rounds.engine_share"]
    wanted += ["table.us_per_game_round.single", "rounds.ms_per_round.single", "limit.rounds_ms.single"]
    wanted += ["coupled.ns_per_unit_step", "evolve.game_rounds_per_s"]
    wanted += [f"{name}.k{k}" for name in ("limit.table_us", "table.us_per_game_round.by_round") for k in (10, 200)]
    wanted += ["table.us_per_game_round.k10", "table.us_per_game_round.k200", "ratio.network_over_rounds.k10"]
    for n in (1, 16):
        wanted += [f"spiking.network_ms_per_round.games{n}", f"spiking.ms_per_round.games{n}"]
        wanted += [f"spiking.neuron_steps_per_second.games{n}", f"ratio.spiking_network_over_rounds.games{n}"]
    for name in ("spiking.double", "spiking.single", "spiking-ei.double", "spiking-ei.single", "limit.spiking-ei"):
        wanted += [f"{name}.ns_per_neuron_step.games16"]
    wanted += [f"policy.{policy}.us_per_game_round.k{k}" for policy in baselines.compared() for k in (10, 200)]
    assert all(found[name] > 0 for name in wanted)
    assert found["rounds.engine_share"] < 1
    assert json.loads(json.dumps(found)) == found


def test_ratios_are_of_the_figures_beside_them(found):
    ratio = found["network.ms_per_round.k10"] / found["rounds.ms_per_round.k10"]
    assert found["ratio.network_over_rounds.k10"] == ratio
    assert "(1x)" in bench_command.tables(found)


def test_ours_stands_beside_the_limit(found):
    lines = bench_command.limit_table(found).splitlines()
    assert len(lines) == 2 + len(bench_limits.PAIRS)
    assert lines[-1].endswith(f"{found['ratio.spiking-ei.single_over_limit.games16']:.2f}")


def test_without_a_compiler_there_is_no_limit(found, tmp_path):
    none = {**found, **{limit: None for *_, limit in bench_limits.PAIRS}}
    assert "no compiler" in bench_command.tables({**none, **bench.ratios(none)})
    bench_figure.draw(none).savefig(tmp_path / "bench.png")


def test_every_policy_has_its_line(found):
    lines = bench_command.policy_table(found).splitlines()
    assert {line.split()[0] for line in lines[2:]} == set(baselines.compared())
    assert f"{found['policy.ucb1.us_per_game_round.k200']:.2f}" in next(line for line in lines if "ucb1" in line)


@pytest.mark.slow
def test_policies_in_plain_python_earn_as_much_as_ours():
    assert set(PLAIN) == {name for name in baselines.compared() if not hasattr(baselines.POLICIES[name], "watch")}
    random.seed(0)
    for name, plain in PLAIN.items():
        ours = np.mean([earned(baselines.make(name, 5, seed=seed)) for seed in range(3)])
        assert ours == pytest.approx(np.mean([earned(plain(5)) for _ in range(3)]), abs=0.1), name


def earned(policy):
    """Mean reward of a game of 500 rounds."""
    total = 0
    for number in np.random.default_rng(99).random(500):
        arm = policy.select_arm()
        reward = int(number < (0.2, 0.3, 0.8, 0.4, 0.1)[arm])
        policy.update(arm, reward)
        total += reward
    return total / 500


def test_a_single_game_stands_beside_plain_python():
    found = policy_bench.measure(20, names=("ucb1", "best-arm"))
    ratio = found["single.ucb1.us_per_round.k10"] / found["plain.ucb1.us_per_round.k10"]
    assert found["ratio.single_over_plain.ucb1.k10"] == pytest.approx(ratio)
    text = bench_command.single_table(found)
    assert f"({ratio:.2f})" in text
    assert "best-arm" not in text


@pytest.mark.slow
def test_the_plot_draws(found, tmp_path):
    bench_figure.draw(found).savefig(tmp_path / "bench.png")
    assert (tmp_path / "bench.png").stat().st_size > 10_000
