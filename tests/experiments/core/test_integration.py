"""``--dt``, ``--method`` and ``--precision``: in games, results, identities and searches, and what is refused."""

import dataclasses
import json

import numpy as np
import pytest
from brian2 import ms
from small_studies import STUDIES, small

from evolution import FitnessGames
from evolution.fitness import scores
from experiments.core.functions import critical_weight
from experiments.core.game import play
from experiments.core.play import make_bandit, make_player, play_agent
from experiments.core.settings import PlaySettings
from nsa_brian import DEFAULT_SET, NSA, load, load_model
from nsa_brian.common.game_streams import streams
from nsa_brian.model.model import PAPER
from nsa_brian.model.timing import engine_options

PLAY = ["play", "--agents", "nsa", "--rounds", "30", "--trials", "1", "--repetitions", "2", "--no-figures"]
#: Identities of the quick presets in 0.2, without time step and method.
BEFORE = {
    "play": "MAB-P-k10-e75ed4da",
    "table": "2098477a",
    "standings": "393a1460",
    "entropy": "edc6a7d6",
    "noise": "0654db4f",
    "updates": "61fb21f2",
    "response": "bd932826",
    "environments": "8efe3a8f",
    "decision": "f40951cc",
    "tune": "fd67c807",
}
#: Agents of the standings since 0.3.
NEW = ("nsa:familiarity-surprise", "value-step:tuned", "aspiration:tuned", "familiarity:tuned")
INTEGRATED = [name for name, study in STUDIES.items() if hasattr(study.options_type, "method")]


@pytest.mark.parametrize("name", BEFORE)
def test_default_settings_keep_their_identity(name):
    study = STUDIES[name]
    options = study.presets["quick"]
    if getattr(options, "parameters", None) == DEFAULT_SET:
        options = dataclasses.replace(options, parameters="evolved")
    settings = study.settings_of(options)
    if name == "standings":
        settings = dataclasses.replace(settings, agents=tuple(agent for agent in settings.agents if agent not in NEW))
    if name == "response":  # the default is all shipped sets
        before = tuple(chosen for chosen in settings.parameters if chosen != "evolved-0.3")
        settings = dataclasses.replace(settings, parameters=before)
    assert settings.id == BEFORE[name]


@pytest.mark.parametrize("name", INTEGRATED)
def test_time_step_and_method_are_part_of_settings_and_identity(name):
    study = STUDIES[name]
    options = dataclasses.replace(study.presets["quick"], dt=2.0, method="rk4")
    if name == "noise":
        options = dataclasses.replace(options, method="euler")
    settings = study.settings_of(options)
    plain = json.loads(json.dumps(settings.to_dict()))
    assert plain["dt"] == 2.0
    assert plain.get("method", "euler") == options.method
    assert settings.id != small(name).id != BEFORE.get(name)
    assert study.settings_type.from_dict(plain).to_dict() == settings.to_dict()


def test_every_study_that_plays_nsa_has_them():
    assert set(STUDIES) - set(INTEGRATED) == {"environments", "tune"}


@pytest.mark.parametrize("engine", ["rounds", pytest.param("table", marks=pytest.mark.slow)])
def test_games_are_those_of_an_agent_with_this_time_step_and_method(engine):
    settings = PlaySettings(arms=3, trials=1, rounds=60, repetitions=2, engine=engine, dt=5.0, method="rk4")
    found = play_agent(settings, "nsa", range(2))
    rng = streams(0, "agent nsa", range(2))
    agent = NSA(3, engine=engine, n_games=2, rng=rng, dt=5 * ms, method="rk4")
    expected = play(agent, make_bandit(settings, range(2)), 60)
    assert (agent.engine.dt, agent.engine.method) == (5 * ms, "rk4")
    np.testing.assert_array_equal(found.arms, expected.arms)
    player = make_player(settings, "nsa", range(2))
    assert (player.engine.dt, player.engine.method) == (5 * ms, "rk4")


def test_the_command_records_them_and_workers_get_them(nsa, tmp_path, workers_at_hand):
    words = [*PLAY, "--dt", "2.5", "--method", "rk2", "--json"]
    one = json.loads(nsa(*words, "--out", "one", cwd=tmp_path))
    two = json.loads(nsa(*words, "--workers", "2", "--out", "two", cwd=tmp_path))
    assert (one["settings"]["dt"], one["settings"]["method"]) == (2.5, "rk2")
    assert one.pop("files") != two.pop("files")
    assert one == two


@pytest.mark.slow
def test_precision_is_recorded_and_part_of_the_identity(nsa, tmp_path):
    words = ["play", "--model", "spiking", "--agents", "nsa", "--arms", "2", "--rounds", "3", "--trials", "1"]
    words += ["--repetitions", "2", "--no-figures", "--json", "--out", "one"]
    double, single = (json.loads(nsa(*words, "--precision", each, cwd=tmp_path)) for each in ("double", "single"))
    assert "precision" not in double["settings"]
    assert single["settings"]["precision"] == "single"
    assert double["files"]["results"] != single["files"]["results"]
    settings = PlaySettings(arms=2, nsa=dataclasses.replace(load(), model=load_model("spiking")), precision="single")
    assert make_player(settings, "nsa", range(1)).engine.columns.states["u"]["vm_of_u"].dtype == np.float32


def test_a_response_depends_on_them():
    study = STUDIES["response"]
    quick = dataclasses.replace(study.presets["quick"], parameters=("evolved",))
    made = {}
    for dt, method in ((0.5, "rk4"), (20.0, "rk4"), (20.0, "euler")):
        (cell,) = study.cells(dataclasses.replace(quick, dt=dt, method=method)).values()
        made[dt, method] = cell()["u"]
    euler, rk4 = (np.abs(made[20.0, method] - made[0.5, "rk4"]).max() for method in ("euler", "rk4"))
    assert 0 < 10 * rk4 < euler


def test_a_critical_weight_depends_on_them():
    parameters = dataclasses.replace(load().parameters, duration_input=500.0, duration_free=500.0)  # far from its end
    w = np.linspace(0, parameters.w_max, 4001)
    exact, euler, rk4 = (
        critical_weight(parameters, PAPER, w, options=engine_options(dt, method))
        for dt, method in ((1.0, "rk4"), (20.0, "euler"), (20.0, "rk4"))
    )
    assert abs(rk4 - exact) < abs(euler - exact)


@pytest.mark.slow
def test_a_search_is_scored_with_them():
    size = {"envs": ("MAB-P",), "arms": (5,), "iterations": 4, "trials": 1, "rounds": 300}
    sets = [load(name).parameters for name in ("evolved", "minbandit-38")]
    found = {
        (dt, engine): scores(FitnessGames(**size, dt=dt, engine=engine), (1,), sets).regret
        for dt in (None, 20.0)
        for engine in ("table", "rounds")
    }
    assert (found[None, "rounds"] != found[20.0, "rounds"]).any()
    np.testing.assert_allclose(found[20.0, "table"], found[20.0, "rounds"], atol=0.02)


def test_default_games_of_a_search_keep_their_identity():
    plain = FitnessGames().to_dict()
    assert not {"dt", "method", "precision", "inputs"} & set(plain)
    games = FitnessGames(dt=2.0, method="rk4")
    assert FitnessGames.from_dict(games.to_dict()) == games


@pytest.mark.slow
def test_a_search_records_them_and_resumes_with_them(nsa, refused, tmp_path):
    words = ["evolve", "--preset", "quick", "--look", "16", "--rungs", "1x2x1", "--population", "8", "--rounds", "20"]
    words += ["--dt", "4", "--method", "rk4", "--no-figures", "--out", "s"]
    nsa(*words, "--time-limit", "0.00001", cwd=tmp_path)
    assert "has --dt 4.0, not 2.0" in refused("evolve", "--resume", "s", "--dt", "2", cwd=tmp_path)
    assert "has --method rk4, not euler" in refused("evolve", "--resume", "s", "--method", "euler", cwd=tmp_path)
    found = json.loads(nsa("evolve", "--resume", "s", "--no-figures", "--json", cwd=tmp_path))
    assert (found["settings"]["dt"], found["settings"]["method"]) == (4.0, "rk4")
    best = json.loads((tmp_path / "s" / "best.json").read_text())
    assert "dt 4 ms, rk4" in best["source"]
    assert best["evolve"]["dt"] == 4.0


LATCH = """from nsa_brian import Model
MODEL = Model(
    name="latch",
    rate_v="dv/dt = (-v + I_v{noise}) / tau_v : 1\\ndlatch/dt = int(v > 1) * (1 - latch) / dt : 1",
)
"""

REFUSED = {
    "zero": ([*PLAY, "--dt", "0"], "dt must be a number of ms above 0, got 0"),
    "not a number": ([*PLAY, "--dt", "nan"], "dt must be a number of ms above 0, got nan"),
    "a precision": ([*PLAY, "--precision", "half"], "precision must be one of double, single, got 'half'"),
    "a precision that rates have not": (
        [*PLAY, "--precision", "single"],
        "precision must be double for the engine rounds and the model paper, got 'single'",
    ),
    "a precision that searches of rates have not": (
        ["evolve", "--preset", "quick", "--precision", "single"],
        "precision must be double for the engine table and the model paper, got 'single'",
    ),
    "text": (["standings", "--dt", "fast"], "--dt takes numbers, got 'fast'"),
    "too long": (
        ["table", "--dt", "500"],
        f"tau_u and tau_v must be at least dt = 500 ms with method euler, got {load().parameters.tau_u:g} ms",
    ),
    "too short": (["entropy", "--dt", "1e-9"], "time steps at most"),
    "too long for spikes": ([*PLAY, "--model", "spiking", "--dt", "50"], "must be at least dt = 50 ms, got"),
    "unknown method": (["updates", "--method", "rk5"], "method must be one of euler, rk2, rk4, got 'rk5'"),
    "noise": ([*PLAY, "--noise", "0.1", "--method", "rk4"], "with noise the method must be euler"),
    "dt in a model": ([*PLAY, "--model", "latch.py", "--method", "rk4"], "model latch uses dt in a string"),
    "spikes": (["decision", "--model", "spiking", "--method", "rk4"], "the method must be euler"),
    "response": (["response", "--dt", "500"], "must be at least dt = 500 ms"),
    "report": (["report", "--method", "x"], "method must be one of"),
    "check": (["check", "--dt", "-1"], "dt must be a number of ms above 0, got -1"),
    "search": (["evolve", "--dt", "-1"], "dt must be a number of ms above 0, got -1"),
    "range of a search": (["evolve", "--dt", "10"], "tau_u and tau_v must be at least dt = 10 ms"),
    "spikes of a search": (["evolve", "--model", "spiking", "--method", "rk2"], "the method must be euler"),
    "long steps of spikes": (["evolve", "--model", "spiking", "--dt", "4"], "must be at least dt = 4 ms"),
    "baselines": (["tune", "--dt", "1"], "unrecognized arguments: --dt 1"),
}


@pytest.mark.parametrize(("words", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_integrated_is_refused(words, message, refused, tmp_path):
    (tmp_path / "latch.py").write_text(LATCH)
    assert message in refused(*words, cwd=tmp_path)
