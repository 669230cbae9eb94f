"""A model of one's own through the commands: played, watched, compared, kept in files, carried to other processes."""

import dataclasses
import json
import re
from functools import partial

import numpy as np
import pytest
from guide import PIECES
from selection import mostly_slow

import baselines
import envs
import nsa_brian
from experiments import play, results
from experiments.core.functions import respond
from experiments.core.named import read_agent
from experiments.core.play import trained
from experiments.core.settings import PlaySettings
from experiments.core.workers import run_jobs
from experiments.parser import build_parser
from experiments.studies.decision.rates import decide
from experiments.studies.table.study import DEFAULT as PAPER
from nsa_brian import DEFAULT_SET, NSA, NSAParameters, ParameterSet, load, load_model
from nsa_brian.plugins import load_plugins

#: Strong enough to change a short game.
ADAPTING = PIECES["adapting.py"].replace('Parameter("b", 0.3,', 'Parameter("b", 2,')
#: No table has its answers, since what is left of a round goes on into the next one.
CARRIED = ADAPTING.replace('name="adapting"', 'name="carried", carried=("a",)')
SHORT = NSAParameters(tau_u=20, tau_v=30, duration_input=100, duration_free=100)
GAME = ["--arms", "3", "--trials", "1", "--rounds", "20", "--repetitions", "3"]

PLUGIN = """
import numpy as np
import baselines, envs, nsa_brian


class Fixed(envs.Bandit):
    def _begin(self):
        return np.tile(np.linspace(0.1, 0.9, self.n_arms), (self.n_games, 1))

    def _next(self):
        return self.probabilities


class Last(baselines.Policy):
    def _select(self):
        return np.full(self.n_games, self.n_arms - 1)

    def _learn(self, arms, rewards):
        pass


envs.BANDITS["fixed"] = Fixed
baselines.POLICIES["last"] = Last
nsa_brian.MODELS["quick"] = nsa_brian.Model(name="quick", plasticity="w + 0.5 * (R * w_max - w)")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a model, parameters of the 22, and parameters of the model; registries as they were afterwards."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.py").write_text(ADAPTING)
    (tmp_path / "short.json").write_text(json.dumps(SHORT.to_dict()))
    model = load_model("my.py")
    best = NSAParameters.from_dict({**SHORT.to_dict(), "b": 0.05}, model.declared)
    (tmp_path / "best.json").write_text(ParameterSet(best, "best", model=model).to_json())
    registries = envs.BANDITS, baselines.POLICIES, nsa_brian.MODELS
    before = [dict(registry) for registry in registries]
    yield tmp_path
    load_plugins([])
    for registry, content in zip(registries, before, strict=True):
        registry.clear()
        registry.update(content)


@pytest.fixture
def outcome_of(nsa):
    """The command in this process, without drawing, which takes most of its time; what it prints with --json."""
    return lambda *words: json.loads(nsa(*words, "--no-figures", "--json", "--quiet"))


@pytest.mark.slow
def test_a_model_is_played_with_a_set_of_the_22_and_its_own_parameters_at_their_defaults(outcome_of):
    outcome = outcome_of("play", *GAME, "--agents", "nsa", "--parameters", "short.json", "--model", "my.py")
    settings = outcome["settings"]
    assert settings["model"]["name"] == "adapting"
    assert {name: settings["parameters"][name] for name in ("tau_u", "b", "tau_a")} == {
        "tau_u": 20,
        "b": 2,
        "tau_a": 300,
    }
    model = load_model("my.py")
    by_hand = PlaySettings(
        arms=3, trials=1, rounds=20, repetitions=3, agents=("nsa",), nsa=ParameterSet(SHORT, model=model)
    )
    assert play.report(play.run(by_hand))["agents"] == outcome["agents"]
    plain = outcome_of("play", *GAME, "--agents", "nsa", "--parameters", "short.json")
    assert plain["settings"]["model"] is None
    assert plain["agents"] != outcome["agents"]
    assert outcome_of("play", *GAME, "--agents", "nsa", "--parameters", "short.json", "--model", "rate") == plain


@pytest.mark.slow
def test_agents_of_the_nsa_kind_play_side_by_side_whatever_the_workers_and_without_the_models_file(
    outcome_of, folder, workers_at_hand
):
    agents = "nsa,nsa:best.json,nsa:my.py,nsa:minbandit-38,random"
    words = ["play", *GAME, "--agents", agents, "--parameters", "short.json"]
    together = outcome_of(*words)
    assert outcome_of(*words, "--workers", "2") == together
    assert len({found["fingerprint"] for found in together["agents"].values()}) == 5
    alone = outcome_of("play", *GAME, "--agents", "nsa", "--parameters", "short.json")
    assert alone["agents"]["nsa"] == together["agents"]["nsa"]
    others = together["settings"]["nsa_agents"]
    assert [found["model"] and found["model"]["name"] for found in others.values()] == ["adapting", "adapting", None]
    assert [found["parameters"].get("b") for found in others.values()] == [0.05, 2, None]

    model = load_model("my.py")
    (folder / "my.py").unlink()
    back = results.load(together["files"]["results"]).settings
    assert back.nsa_agent("nsa:my.py").model == model
    (folder / "best.json").rename(folder / "moved.json")
    assert play.report(play.run(back))["agents"] == together["agents"]
    assert dataclasses.replace(back, seed=1).nsa_agents == back.nsa_agents  # nothing is read again


def test_a_parameter_file_brings_its_model_into_an_empty_folder(outcome_of, folder, workers_at_hand):
    with_model = outcome_of("play", *GAME, "--agents", "nsa", "--parameters", "best.json", "--model", "my.py")
    (folder / "my.py").unlink()
    for workers in ("1", "2"):
        outcome = outcome_of("play", *GAME, "--agents", "nsa", "--parameters", "best.json", "--workers", workers)
        assert outcome == with_model
    assert outcome["settings"]["parameters"]["b"] == 0.05


def test_a_file_of_a_model_a_name_in_a_file_and_the_shipped_name_are_models_too(folder):
    (folder / "two.py").write_text(ADAPTING + "OTHER = Model(name='other', plasticity='w + 0.1 * (R - w)')\n")
    load_model("my.py").save("model.json")
    assert read_agent("nsa:two.py").model_name == read_agent("nsa:model.json").model_name == "adapting"
    assert read_agent("nsa:two.py:OTHER").model_name == "other"
    assert read_agent("nsa:paper") == read_agent(f"nsa:{DEFAULT_SET}") == load()


def test_the_agent_takes_a_model_and_a_file_that_brings_one(folder):
    model = load_model("my.py")
    assert NSA(2, "best.json").engine.model == NSA(2, "short.json", model="my.py").engine.model == model
    assert NSA(2, "best.json").engine.parameters[0].b == 0.05
    assert NSA(2, {**SHORT.to_dict(), "b": 0.2}, model=model).engine.parameters[0].b == 0.2
    with pytest.raises(ValueError, match="set best brings its own model adapting, which is not the model paper"):
        NSA(2, "best.json", model="paper")
    with pytest.raises(ValueError, match="spiking is a model, not an engine; the engines are rounds, table, network"):
        NSA(2, engine="spiking", model=model)


STUDIES = {
    "table": ["--arms", "3", "--envs", "MAB-P,MAB-D", "--agents", "nsa,nsa:best.json,random", "--rounds", "20"],
    "standings": ["--arms", "3", "--envs", "MAB-P,MAB-D", "--agents", "nsa,nsa:best.json,random", "--rounds", "20"],
    "bound": ["--arms", "3", "--envs", "MAB-P,MAB-D", "--agents", "nsa,nsa:best.json", "--rounds", "20"],
    "entropy": ["--arms", "3", "--peaked-arms", "3", "--betas", "8", "--rounds", "20", "--agents", "nsa,nsa:best.json"],
    "updates": ["--arms", "3", "--rounds", "20"],
    "decision": ["--arms", "3", "--after", "0,20"],
    "response": [],
    "noise": ["--arms", "3", "--envs", "MAB-P", "--rounds", "10", "--agents", "nsa,nsa:best.json,random"],
}


@pytest.mark.parametrize("name", mostly_slow(STUDIES, "table", "response"))
def test_every_study_takes_a_model_and_its_results_hold_it(name, outcome_of, nsa, folder):
    words = [name, "--preset", "quick", "--parameters", "short.json", *STUDIES[name]]
    outcome = outcome_of(*words, "--model", "my.py")
    plain = outcome_of(*words)
    assert outcome["settings"]["model"] == "adapting"
    kept = outcome["settings"]["nsa_agents"]["short.json" if name == "response" else "nsa"]
    assert dict(kept["model"], initial={}) == json.loads(load_model("my.py").to_json())
    assert outcome["settings"]["parameter_values"]["short.json"]["b"] == 2
    assert "model" not in plain["settings"]
    assert {**outcome, "settings": 0, "files": 0} != {**plain, "settings": 0, "files": 0}
    for file in ("my.py", "short.json", "best.json"):
        (folder / file).unlink()
    again = outcome_of(name, "--from", outcome["files"]["results"])
    assert {**again, "files": 0} == {**outcome, "files": 0}
    assert "adapting" in nsa(name, "--from", outcome["files"]["results"], "--quiet")


def test_a_study_is_the_same_with_workers(outcome_of, folder, workers_at_hand):
    words = ["table", "--preset", "quick", *STUDIES["table"], "--parameters", "best.json"]
    one, two = outcome_of(*words), outcome_of(*words, "--workers", "2", "--out", "other")
    assert {**one, "files": 0} == {**two, "files": 0}


def model_of(folder, text):
    (folder / "text.py").write_text(text)
    return load_model("text.py")


def test_a_decision_goes_on_from_all_that_the_trained_engine_knows(folder, with_and_without_compiler):
    more = """carried=("a",), synapse="slow : 1", drive_v="(Phi_v + slow) * phi_u_pre", plasticity='''
        w += chosen * Phi_eta * (R * w_max - w)
        slow += 0.02 * w / w_max
    ''', rate_u="""
    model = model_of(folder, ADAPTING.replace("rate_u=", more))
    games = PlaySettings(arms=3, trials=1, rounds=20, agents=("nsa",), nsa=ParameterSet(SHORT, model=model))
    found = decide(games, 20)
    agent, _ = trained(games, 20)
    agent.engine.respond()
    assert found["u_end"] == pytest.approx(agent.engine.u[0], abs=1e-9)
    assert found["v_end"] == pytest.approx(agent.engine.v[0], abs=1e-9)
    assert agent.engine.synapses["slow"].any()
    assert agent.engine.state("a").any()


def test_the_response_of_a_model_that_carries_state_over_is_that_of_a_games_beginning(
    folder, with_and_without_compiler
):
    models = [model_of(folder, text) for text in (CARRIED, ADAPTING)]
    carried, anew = (respond(model.complete(SHORT), 51, model) for model in models)
    for key in anew:
        assert carried[key] == pytest.approx(anew[key], abs=1e-9, nan_ok=True)


def test_response_shows_sets_with_their_own_models(outcome_of, folder):
    outcome = outcome_of("response", "--preset", "quick", "--parameters", "short.json,best.json")
    assert set(outcome["sets"]) == {"short.json", "best.json"}
    models = [found["model"] for found in outcome["settings"]["nsa_agents"].values()]
    assert models[0] is None
    assert models[1]["name"] == "adapting"


@pytest.mark.slow
def test_one_of_the_nsa_kind_can_be_watched(outcome_of):
    words = ["--preset", "quick", "--agents", "nsa:best.json", "--arms", "3", "--rounds", "20"]
    assert outcome_of("updates", *words)["settings"]["agents"] == ["nsa:best.json"]
    assert outcome_of("decision", *words, "--after", "5")["settings"]["agents"] == ["nsa:best.json"]


def test_what_a_study_is_depends_on_what_its_files_held_when_it_was_made(folder):
    def settings():
        return dataclasses.replace(PAPER, model="my.py", agents=("nsa", "nsa:best.json"))

    first = settings()
    name = first.id
    assert settings().id == name
    (folder / "my.py").write_text(ADAPTING.replace('"b", 2', '"b", 3'))
    assert settings().id != name
    (folder / "my.py").write_text(ADAPTING)
    (folder / "best.json").write_text((folder / "best.json").read_text().replace("0.05", "0.06"))
    assert settings().id != name
    (folder / "my.py").unlink()
    (folder / "best.json").unlink()
    assert first.id == name
    assert first.games("MAB-P", 3).nsa.model_name == "adapting"


def test_a_command_runs_a_models_file_once(outcome_of, folder):
    count = "with open('count', 'a') as file: file.write('x')\n"
    (folder / "my.py").write_text(ADAPTING + count)
    outcome_of("response", "--preset", "quick", "--points", "11", "--model", "my.py")
    assert (folder / "count").read_text() == "x"


@pytest.mark.slow
def test_noise_is_the_models_own_unless_it_is_given(outcome_of, folder):
    (folder / "noisy.py").write_text(ADAPTING.replace('name="adapting"', 'name="noisy", noise=0.2'))
    words = ["play", *GAME, "--agents", "nsa,nsa:short.json", "--parameters", "short.json", "--model"]

    def noises(*options):
        outcome = outcome_of(*words, *options)
        settings = PlaySettings.from_dict(outcome["settings"])
        made = [settings.nsa_agent(agent).model for agent in settings.agents]
        return outcome["agents"]["nsa"]["fingerprint"], [0 if model is None else model.noise for model in made]

    own, given, none = noises("noisy.py"), noises("noisy.py", "--noise", "0.1"), noises("noisy.py", "--noise", "0")
    assert [found[1] for found in (own, given, none)] == [[0.2, 0], [0.1, 0.1], [0, 0]]
    assert given[0] == noises("my.py", "--noise", "0.1")[0]
    assert none[0] == noises("my.py")[0]
    assert len({own[0], given[0], none[0]}) == 3


def test_parameters_lists_a_models_own_and_prints_a_file_that_brings_the_model(folder, nsa, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    shown = nsa("parameters", "--model", "my.py")
    assert re.search(r"b +2 +above 0 +0\.001 to 3 \(log\) +strength of adaptation", shown)
    assert re.search(r"tau_a +300 +ms +above 0 +20 to 3000 \(log\) +its time constant", shown)
    assert len(shown.split("─\n")[1].splitlines()) == 24
    (folder / "printed.json").write_text(nsa("parameters", "minbandit-38", "--model", "my.py", "--json"))
    model = load_model("my.py")
    (folder / "my.py").unlink()
    printed = load("printed.json")
    assert (printed.model, printed.parameters) == (model, model.complete(load("minbandit-38").parameters))
    assert re.search(r"b +0\.05 +above 0", nsa("parameters", "best.json"))


@pytest.mark.slow
def test_a_plugin_is_known_in_every_process(outcome_of, folder, workers_at_hand):
    (folder / "plugin.py").write_text(PLUGIN)
    words = ["play", *GAME, "--env", "fixed", "--agents", "nsa,last,random", "--parameters", "short.json"]
    words += ["--model", "quick", "--plugin", "plugin.py"]
    outcome = outcome_of(*words)
    assert outcome["agents"]["last"]["regret"]["mean"] == pytest.approx(0)
    assert outcome["settings"]["model"]["name"] == "quick"
    assert outcome_of(*words, "--workers", "2") == outcome


def test_a_plugin_is_known_in_every_process_of_a_study(outcome_of, folder, workers_at_hand):
    (folder / "plugin.py").write_text(PLUGIN.replace('"fixed"', '"still"').replace('"last"', '"end"'))  # names anew
    words = ["table", "--preset", "quick", "--envs", "still", "--arms", "3", "--agents", "end,random"]
    assert outcome_of(*words, "--plugin", "plugin.py", "--workers", "2")["cells"][0]["best"] == "end"


@pytest.mark.slow
def test_a_plugin_goes_to_other_processes_as_text(folder):
    (folder / "plugin.py").write_text(PLUGIN)
    load_plugins(["plugin.py"])
    (folder / "plugin.py").unlink()
    found = {}
    run_jobs({"settings": partial(envs.settings_of, "fixed")}, 1, found.__setitem__)
    assert set(found["settings"]) == {"trial_rounds"}


def test_every_command_takes_plugins():
    parser = build_parser()
    (commands,) = (action for action in parser._actions if action.choices)
    for name, command in commands.choices.items():
        assert any("--plugin" in action.option_strings for action in command._actions), name


BAD = {
    "no file": (["--model", "gone.py"], "gone.py: there is no such file"),
    "syntax": (["--model", "syntax.py"], "syntax.py: SyntaxError: "),
    "raises": (["--model", "raises.py"], "raises.py: ZeroDivisionError: division by zero"),
    "exits": (["--model", "exits.py"], "exits.py: SystemExit: 3"),
    "equation": (["--model", "typo.py"], "typo.py: model adapting: .*'tau_b'"),
    "parameter": (["--model", "range.py"], "range.py: parameter b: search must be two numbers"),
    "no model in it": (["--model", "empty.py"], "empty.py has no MODEL; it defines no Model"),
    "no such model in it": (["--model", "my.py:THEIRS"], "my.py has no model 'THEIRS'; it has MODEL"),
    "name": (["--model", "papr"], "no model 'papr'; did you mean paper"),
    "not JSON": (["--model", "text.json"], "text.json: not JSON"),
    "version": (["--model", "version.json"], "version.json: a model of version 99 cannot be read here"),
    "other model": (["--model", "carried.py", "--parameters", "best.json"], "best brings its own model adapting"),
    "the paper's": (["--model", "rate", "--parameters", "best.json"], "which is not the model paper"),
    "table": (["--model", "carried.py", "--engine", "table"], "the engine table cannot run the model carried: a is"),
    "table, beside": (["--agents", "nsa:carried.py", "--engine", "table"], "table cannot run the model carried"),
    "engine": (["--model", "my.py", "--engine", "spiking"], "spiking is a model, not an engine"),
    "spiking": (["--model", "spiking", "--parameters", "best.json"], "which is not the model spiking"),
    "spiking engine": (["--model", "spiking", "--engine", "table"], "the engine table cannot run the model spiking"),
    "spiking noise": (["--model", "spiking", "--noise", "0.1"], "the model spiking replaces U and V"),
    "noise place": (["--model", "quiet.py", "--noise", "0.1"], "rate_u has no place for noise"),
    "noise place, beside": (["--agents", "nsa:quiet.py", "--noise", "0.1"], "rate_u has no place for noise"),
    "agent": (["--agents", "nsa,nsa:gone.json"], "agent nsa:gone.json: no parameter set 'gone.json'"),
    "agent's model": (["--agents", "nsa:gone.py"], "agent nsa:gone.py: gone.py: there is no such file"),
    "agent without": (["--agents", "nsa:"], "agent nsa:: no parameter set ''"),
    "agent twice": (["--agents", "nsa:my.py,nsa:my.py"], "agent 'nsa:my.py' is given twice"),
    "own value": (["--parameters", "own.json"], "own.json: parameter b must be a number above 0, got -1"),
    "own name": (["--parameters", "name.json"], "name.json: unknown parameter 'bb'"),
    "beside, steps": (["--agents", "nsa:tau.json"], "tau_u and tau_v must be at least dt = 1 ms"),
    "plugin": (["--plugin", "gone.py"], "gone.py: there is no such file"),
    "plugin raises": (["--plugin", "raises.py"], "raises.py: ZeroDivisionError"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line_exit_code_2_and_nothing_written(options, message, folder, refused):
    texts = {
        "syntax.py": "MODEL = (",
        "raises.py": "1 / 0",
        "exits.py": "raise SystemExit(3)",
        "typo.py": ADAPTING.replace("/ tau_a", "/ tau_b"),
        "range.py": ADAPTING.replace("(0.001, 3)", "(3, 0.001)"),
        "empty.py": "",
        "carried.py": CARRIED,
        "quiet.py": ADAPTING.replace("{noise}", ""),
        "text.json": "no",
        "version.json": load_model("my.py").to_json().replace('"version": 1', '"version": 99'),
        "own.json": (folder / "best.json").read_text().replace('"b": 0.05', '"b": -1'),
        "name.json": (folder / "best.json").read_text().replace('"b": 0.05', '"bb": 1'),
        "tau.json": json.dumps({**SHORT.to_dict(), "tau_u": 0.5}),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    said = refused("play", *GAME, *options, cwd=folder)
    assert re.search(message, said), said


BAD_STUDIES = {
    "decision": (["decision", "--agents", "nsa,nsa:my.py"], "agents must be one NSA agent (nsa or nsa:WHAT), got nsa,"),
    "updates": (["updates", "--agents", "random"], "agents must be one NSA agent (nsa or nsa:WHAT), got random"),
    "noise": (["noise", "--agents", "random"], "agents must include an NSA agent (nsa or nsa:WHAT), got random"),
    "noise place": (["noise", "--model", "quiet.py"], "rate_u has no place for noise"),
    "response": (["response", "--model", "spiking"], "has no response to a weight: its neurons spike"),
    "response's model": (["response", "--parameters", "best.json", "--model", "quiet.py"], "brings its own model"),
    "table": (["table", "--model", "gone.py"], "gone.py: there is no such file"),
    "engine": (["entropy", "--parameters", "best.json", "--engine", "spiking"], "which is not the model spiking"),
    "report": (["report", "--model", "gone.py"], "gone.py: there is no such file"),
    "parameters": (["parameters", "best.json", "--model", "quiet.py"], "brings its own model"),
}


@pytest.mark.parametrize(("words", "message"), BAD_STUDIES.values(), ids=BAD_STUDIES)
def test_studies_refuse_models_in_one_line(words, message, folder, refused):
    (folder / "quiet.py").write_text(ADAPTING.replace("{noise}", ""))
    assert message in refused(*words, cwd=folder)


def test_settings_of_a_plain_run_say_nothing_of_models():
    found = PAPER.to_dict()
    assert not {"model", "nsa_agents"} & set(found)
    assert found["parameter_values"] == {DEFAULT_SET: load().parameters.to_dict()}
    assert np.all([agent.model is None for agent in PAPER.nsa_agents.values()])
