"""What the page of nsa explore shows, without a browser."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from guide import RECIPES, model_of
from selection import mostly_slow

import envs
import nsa_brian
from experiments import cli
from experiments.core.functions import activities_left
from experiments.explore import code
from experiments.explore.answers import Answers
from experiments.explore.catalogue import Catalogue
from experiments.explore.lesion import lesioned
from experiments.explore.view import FieldError, View
from nsa_brian import NSA, Input, Lateral, Model, NSANetwork, ParameterSet, check, load
from nsa_brian.model.loading import SPIKING


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue.of()


@pytest.fixture(scope="module")
def answers(catalogue):
    return Answers(catalogue)


def asked(answers, what, **given):
    more = {key: given.pop(key) for key in ("w", "at", "until") if key in given}
    found = answers.answer({"ask": what, "view": given, **more})
    json.dumps(found, allow_nan=False)
    assert "error" not in found, found
    return found


def refused(answers, **given):
    found = answers.answer({"ask": "curves", "view": given})
    assert set(found) == {"error", "field"}
    return found["field"], found["error"]


def test_the_catalogue_has_all_shipped_models_sets_bandits_and_policies(answers):
    start = answers.start()
    assert set(start["models"]) == {"paper", *SPIKING}
    assert set(start["sets"]) == set(nsa_brian.parameter_set.names())
    groups = {group["title"]: group["names"] for group in start["models"]["paper"]["groups"]}
    assert sum(map(len, groups.values())) == 22
    assert groups["U"] == ["tau_u", "gain_u", "offset_u", "threshold_u"]
    tau = start["models"]["paper"]["parameters"]["tau_u"]
    assert (tau["low"], tau["high"], tau["log"], tau["unit"]) == (5, 300, True, "ms")
    assert "J_u" in {g["title"]: g["names"] for g in start["models"]["spiking"]["groups"]}["The model's own"]
    assert "MAB-D" in start["envs"]
    assert "schedule" not in start["envs"]
    assert "thompson" in start["policies"]
    assert not any("oracle" in name for name in start["policies"])


@pytest.mark.parametrize("name", ["paper", *SPIKING])
def test_sliders_have_a_range_that_holds_the_default(name, answers):
    for parameter in answers.start()["models"][name]["parameters"].values():
        assert parameter["low"] < parameter["high"]
        assert parameter["low"] <= parameter["default"] <= parameter["high"]
        assert parameter["low"] > 0 or not parameter["log"]


def test_curves_are_those_of_the_model(answers):
    found = asked(answers, "curves", parameters={"alpha_v": 2.5})
    parameters = load().parameters.replace(alpha_v=2.5)
    w, x = np.array(found["w"]), np.array(found["x"])
    sigmoid = parameters.r_v / (1 + np.exp(-parameters.beta_v * (w - 2.5)))
    gaussian = (1 - parameters.r_v) * np.exp(-((w - parameters.mu_v) ** 2) / (2 * parameters.sigma_v**2))
    np.testing.assert_allclose(found["functions"]["Phi_v"], sigmoid + gaussian, atol=1e-4)
    s = 1 / (1 + np.exp(-parameters.gain_u * (x - parameters.offset_u)))
    np.testing.assert_allclose(found["functions"]["phi_u"], s * (s > parameters.threshold_u), atol=1e-4)
    left = activities_left(parameters, nsa_brian.MODELS["paper"], np.array(found["left"]["w"]))
    np.testing.assert_allclose([found["left"]["u"], found["left"]["v"]], left, atol=2e-4)
    assert found["critical"] != asked(answers, "curves")["critical"]


def test_a_decision_is_that_of_the_brian2_network(answers):
    """Rounds that end earlier have the activities that the network passes through."""
    changed = {"tau_u": 100, "duration_input": 500, "duration_free": 400}
    found = asked(answers, "decision", arms=3, parameters=changed)
    network = NSANetwork(3, load().parameters.replace(**changed), name="explored")
    network.set_weights(found["w"])
    decision = network.decide()
    steps = np.rint(np.array(found["plain"]["t"]) * 1000).astype(int)
    assert steps[0] == 0
    assert steps[-1] == 900
    assert 500 in steps
    np.testing.assert_allclose(np.array(found["plain"]["u"]["lines"]).T, decision.u[steps], atol=1e-4)
    np.testing.assert_allclose(np.array(found["plain"]["v"]["lines"]).T, decision.v[steps], atol=1e-4)
    assert math.isclose(sum(found["plain"]["probabilities"]), 1, abs_tol=1e-3)


def test_silencing_u_changes_the_decision_and_nothing_else(answers):
    quiet = asked(answers, "decision", arms=3)
    found = asked(answers, "decision", arms=3, silence="u")
    assert found["plain"] == quiet["plain"]
    assert "perturbed" not in quiet
    assert np.abs(found["perturbed"]["u"]["lines"]).max() == 0
    np.testing.assert_allclose(found["perturbed"]["probabilities"], 1 / 3, atol=1e-3)


def test_a_game_is_that_of_nsa_play(answers, tmp_path, capsys):
    view = {"arms": 4, "rounds": 30, "trials": 2, "seed": 3, "policies": ["ucb1", "random"]}
    found = asked(answers, "game", **view, at=0, until=60)
    while found["at"] < 60:
        more = asked(answers, "game", **view, at=found["at"], until=60)
        for name, part in more["players"].items():
            found["players"][name]["regret"] += part["regret"]
        found["at"] = more["at"]
    play = code.as_command(View.from_dict(view, answers.catalogue), answers.catalogue).splitlines()[0]
    words = [*play.split()[1:], "--json", "--no-figures", "--out", str(tmp_path)]
    assert cli.main(words) == 0
    summary = json.loads(capsys.readouterr().out)
    for name in ("nsa", "ucb1", "random"):
        mean = float(np.mean(found["players"][name]["regret"]))
        assert math.isclose(mean, _regret(summary, name), abs_tol=1e-4)


def _regret(summary, name):
    return summary["agents"][name]["regret"]["mean"]


def test_a_game_in_parts_is_the_game_in_one_go(catalogue):
    view = {"arms": 3, "rounds": 40, "trials": 1}
    parts, whole = Answers(catalogue), Answers(catalogue)
    arms = []
    for stop in (1, 2, 9, 40):
        while len(arms) < stop:
            arms += asked(parts, "game", **view, at=len(arms), until=stop)["players"]["nsa"]["arms"]
    at, all_arms = 0, []
    while at < 40:
        found = asked(whole, "game", **view, at=at, until=40)
        all_arms, at = all_arms + found["players"]["nsa"]["arms"], found["at"]
    assert arms == all_arms
    assert asked(parts, "game", **view, at=5, until=9)["players"]["nsa"]["arms"] == arms[5:9]  # again
    dropped = asked(Answers(catalogue), "game", **view, at=20, until=22)
    assert (dropped["at"], dropped["players"]["nsa"]["arms"]) == (22, arms[20:22])


def test_a_perturbed_game_differs_only_from_its_start_on(catalogue):
    view = {"arms": 3, "rounds": 60, "trials": 1, "silence": "u", "start": 20, "stop": 60}
    answers, found, at = Answers(catalogue), {"nsa": [], "nsa, unperturbed": []}, 0
    while at < 60:
        part = asked(answers, "game", **view, at=at, until=60)
        for name, arms in found.items():
            arms += part["players"][name]["arms"]
        at = part["at"]
    one, other = found.values()
    assert one[:20] == other[:20]
    assert one[20:] != other[20:]


def test_a_perturbation_lasts_into_trials_that_are_added(catalogue):
    view = {"arms": 3, "rounds": 30, "silence": "u", "start": 20, "stop": 50, "policies": ["random", "ucb1"]}
    found = []
    for answers, trials in [(kept := Answers(catalogue), 1), (kept, 2), (Answers(catalogue), 2)]:
        arms = []
        while len(arms) < 30 * trials:
            part = asked(answers, "game", **view, trials=trials, at=len(arms), until=30 * trials)
            arms += part["players"]["nsa"]["arms"]
        found.append(arms)
    assert found[1] == found[2]


def test_bad_values_name_their_field(answers):
    assert refused(answers, parameters={"tau_u": -1})[0] == "tau_u"
    assert "a number above 0" in refused(answers, parameters={"tau_u": -1})[1]
    assert refused(answers, parameters={"gain_v": "x"})[0] == "gain_v"
    assert refused(answers, parameters={"r_v": float("nan")})[0] == "r_v"
    assert refused(answers, parameters={"tau_u": 0.5})[0] == "tau_u"  # shorter than the time step
    assert refused(answers, arms=1)[0] == "arms"
    assert refused(answers, arms=2.5)[0] == "arms"
    assert refused(answers, env="nowhere")[0] == "env"
    assert refused(answers, env="schedule")[0] == "env"
    assert refused(answers, policies=["thompson"])[0] == "policies"
    assert refused(answers, policies=["thompson", "nobody"])[0] == "policies"
    assert refused(answers, model="/etc/passwd")[0] == "model"
    assert refused(answers, set="../x.json")[0] == "set"
    assert refused(answers, silence="w")[0] == "silence"
    assert refused(answers, model="spiking", parameters={"neurons": 2.5})[0] == "neurons"
    assert "no parameter" in refused(answers, parameters={"J_u": 1})[1]
    assert "no input" in refused(answers, inputs={"light": 1})[1]
    assert "no field" in refused(answers, color="red")[1]
    for question in (
        None,
        [],
        {},
        {"ask": "files"},
        {"ask": "curves", "view": 3},
        {"ask": "curves", "view": {"set": []}},
    ):
        assert "error" in answers.answer(question)
    assert "error" in answers.answer({"ask": "game", "view": {}, "at": -1, "until": 5})
    assert "error" in answers.answer({"ask": "decision", "view": {"weights": "game"}, "w": [1, 2]})


@pytest.mark.parametrize(
    "changes",
    [
        {"gain_u": 1e300}, {"beta_v": 1e308}, {"alpha_v": -1e300}, {"w_max": 1e-300}, {"w_max": 1e300},
        {"sigma_v": 1e-150}, {"I_ext": 1e300}, {"tau_u": 1e12}, {"duration_free": 1e-9},
        {"offset_u": -1e300, "threshold_v": 1e300},
    ],
    ids=str,
)  # fmt: skip
def test_extreme_values_give_pictures_or_an_error_that_names_a_field(changes, answers):
    for what in ("curves", "decision"):
        found = answers.answer({"ask": what, "view": {"arms": 3, "parameters": changes}})
        json.dumps(found, allow_nan=False)
        assert "error" not in found or found["field"] in changes, found


def test_what_would_take_minutes_is_refused(answers):
    assert refused(answers, parameters={"duration_free": 1e9})[0] == "duration_free"
    assert refused(answers, model="spiking", parameters={"free_time": 1e9})[0] == "free_time"
    assert refused(answers, model="spiking", parameters={"neurons": 5000})[0] == "neurons"


@pytest.mark.slow
def test_a_model_that_fails_is_told_and_the_page_goes_on(tmp_path):
    path = tmp_path / "runaway.py"
    rate = "dv/dt = (-v + I_v + exp(v * 1e4)) / tau_v : 1"
    path.write_text(f"from nsa_brian import Model\nMODEL = Model(name='runaway', rate_v={rate!r})\n")
    answers = Answers(Catalogue.of(str(path)))
    found = [
        answers.answer({"ask": what, "view": {"model": "runaway", "arms": 3}, "until": 9})
        for what in ("curves", "game")
    ]
    assert "runaway" in found[1]["error"]
    assert "error" not in answers.answer({"ask": "code", "view": {"model": "runaway"}})


def test_a_view_survives_a_link_and_a_file(catalogue):
    chosen = {"set": "minbandit-38", "parameters": {"tau_u": 55.5}, "policies": ["ucb1", "random"], "weights": "game"}
    played = {"arms": 7, "env": "MAB-D", "seed": 4, "rounds": 20, "trials": 3, "silence": "uv", "start": 3, "stop": 9}
    view = View.from_dict({**chosen, **played}, catalogue)
    assert View.from_text(view.to_query(), catalogue) == view
    assert View.from_text(f"http://127.0.0.1:1/?token=x#{view.to_query()}", catalogue) == view
    assert View.from_text(json.dumps(view.to_dict()), catalogue) == view
    for bad in ("arms=many", "p.tau_u=fast", "{", '{"arms": 1}', "colour=red"):
        with pytest.raises(ValueError, match=r"must be|field|JSON"):
            View.from_text(bad, catalogue)


LIT = {"model": "lit", "arms": 3, "inputs": {"light": 1}, "option": 2, "rounds": 10, "trials": 1}


@pytest.fixture
def lit(tmp_path):
    """The file of a model with an input."""
    path = tmp_path / "silenced.py"
    path.write_text(
        "from nsa_brian import Input, Model\n"
        "MODEL = Model(name='lit', inputs=Input('light'),"
        " rate_u='du/dt = (-u + I_u + I - 3 * light{noise}) / tau_u : 1')\n"
    )
    return path


def test_inputs_of_a_model_reach_the_decision(lit):
    found = asked(Answers(Catalogue.of(str(lit))), "decision", **LIT)
    u, plain = (np.array(found[way]["u"]["lines"]) for way in ("perturbed", "plain"))
    assert u[2].max() <= 0 < plain[2].max()
    np.testing.assert_allclose(u[:2], plain[:2], atol=1e-6)


@pytest.mark.slow
def test_the_python_code_runs(lit):
    answers = Answers(Catalogue.of(str(lit)))
    texts = asked(answers, "code", **{**LIT, "silence": "v", "start": 2, "parameters": {"tau_u": 70}})
    assert "lit" in texts["parameters"]
    assert str(lit) in texts["command"]
    done = subprocess.run([sys.executable, "-c", texts["python"]], capture_output=True, text=True)
    assert done.stdout.startswith("regret "), done.stderr


def test_the_parameter_file_has_values_and_model(answers):
    texts = asked(answers, "code", parameters={"tau_u": 70.5}, set="minbandit-38")
    found = ParameterSet.from_json(texts["parameters"])
    assert found.parameters == load("minbandit-38").parameters.replace(tau_u=70.5)
    assert "--parameters explored.json" in texts["command"]
    assert "nsa explore --view 'set=minbandit-38&p.tau_u=70.5'" in texts["command"]


def test_champions_of_a_search_are_presets(tmp_path):
    model = Model(name="own", plasticity="w + rate * (R * w_max - w)", parameters=nsa_brian.Parameter("rate", 0.1))
    best = ParameterSet(model.complete(load().parameters).replace(rate=0.3), "champion", model=model)
    (tmp_path / "best.json").write_text(best.to_json())
    catalogue = Catalogue.of("", [str(tmp_path)])
    start = Answers(catalogue).start()
    (name,) = [name for name, each in start["sets"].items() if each["model"] == "own"]
    assert start["sets"][name]["values"]["rate"] == 0.3
    view = {"model": "own", "set": name, "arms": 3}
    assert asked(Answers(catalogue), "curves", **view)["critical"]
    with pytest.raises(FieldError, match="belongs to the model own"):
        View.from_dict({"set": name}, catalogue)


@pytest.mark.parametrize(
    "name",
    [name if name in ("lateral.py", "hybrid.py") else pytest.param(name, marks=pytest.mark.slow) for name in RECIPES],
)
def test_u_or_v_can_be_silenced_in_every_model_of_the_guide(name):
    assert {"u_silenced", "v_silenced"} <= lesioned(model_of(name)).structure.used


def test_a_silenced_rate_population_is_silent_and_otherwise_nothing_changes():
    model = lesioned(nsa_brian.MODELS["paper"])
    bandits = [envs.make("MAB-P", 4, seed=2) for _ in range(2)]
    agents = [NSA(4, seed=1), NSA(4, seed=1, model=model)]
    for agent, bandit in zip(agents, bandits, strict=True):
        agent.play_ahead(*bandit.ahead(60))
    np.testing.assert_allclose(agents[0].engine.w, agents[1].engine.w, atol=1e-9)
    silenced = NSA(4, seed=1, model=model, inputs={"v_silenced": [1.0] * 40})
    silenced.engine.set_weights(np.full(4, 4.0))
    silenced.select_arm()
    assert np.abs(silenced.engine.v).max() == 0


@pytest.mark.slow
def test_a_lesioned_model_agrees_on_all_engines():
    assert check(lesioned(nsa_brian.MODELS["paper"]), n_rounds=5).agree
    assert check(lesioned(nsa_brian.load_model("spiking")), n_rounds=3, n_arms=2).agree
    lateral = Model(
        name="lit",
        inputs=Input("light"),
        lateral=Lateral("u", "L", "-0.1 * phi_u_pre"),
        rate_u="du/dt = (-u + I_u + I + L - light{noise}) / tau_u : 1",
    )
    assert check(lesioned(lateral), n_rounds=5).agree


@pytest.mark.slow
@pytest.mark.parametrize("name", SPIKING)
def test_every_shipped_model_opens_with_spikes(name, answers):
    view = {"model": name, "arms": 3, "rounds": 4, "trials": 1, "silence": "u", "start": 2, "stop": 4}
    assert asked(answers, "curves", **view)["unit"] == "Hz"
    found = asked(answers, "decision", **view)
    assert len(found["plain"]["u"]["spikes"]["t"]) > 0
    assert len(found["perturbed"]["u"]["spikes"]["t"]) == 0
    at = 0
    while at < 4:
        at = asked(answers, "game", **view, at=at, until=4)["at"]


@pytest.mark.parametrize("name", mostly_slow(RECIPES, "hybrid.py"))
def test_every_model_of_the_guide_opens(name, tmp_path):
    path = tmp_path / name
    path.write_text(RECIPES[name])
    answers = Answers(Catalogue.of(str(path)))
    view = {"model": next(iter(answers.catalogue.models)), "arms": 3, "rounds": 4, "trials": 1, "silence": "u"}
    assert asked(answers, "curves", **view)["left"]["u"]
    assert asked(answers, "decision", **view)["perturbed"]
    assert asked(answers, "game", **view, at=0, until=4)["at"] > 0
