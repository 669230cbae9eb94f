"""The declaration: a model is data, with parameters of its own and names that mean one thing."""

import dataclasses
import json
import pickle

import brian2
import numpy as np
import pytest
from guide import PIECES, model_of

from nsa_brian import (
    NSA,
    PARAMETERS,
    Lateral,
    Model,
    NSAParameters,
    Parameter,
    ParameterSet,
    load,
    load_model,
)
from nsa_brian.engines.rounds import Rounds
from nsa_brian.errors import ModelError
from nsa_brian.model.model import PAPER

ADAPTING = model_of("adapting.py")
RATE = "du/dt = (-u + I_u + I{0}{{noise}}) / tau_u : 1"


class TestAModelIsData:
    @pytest.mark.parametrize("name", PIECES)
    def test_it_survives_pickle_and_json(self, name):
        model = model_of(name)
        for again in (pickle.loads(pickle.dumps(model)), Model.from_json(model.to_json())):
            assert again == model
            assert hash(again) == hash(model)
        assert Model.from_dict(json.loads(json.dumps(model.to_dict()))) == model

    def test_it_is_frozen_and_compared_by_what_it_says(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            ADAPTING.name = "other"
        with pytest.raises(TypeError):
            ADAPTING.initial["u"] = "1"
        assert dataclasses.replace(ADAPTING, name="other") != ADAPTING
        assert Model() == PAPER
        assert Model(initial={"w": "1"}) != Model(initial={"w": "2"})

    def test_constants_are_parameters_that_are_not_searched(self):
        model = Model(rate_v="dv/dt = (-v + I_v) / tau_x : 1", constants={"tau_x": 30 * brian2.ms})
        (parameter,) = model.parameters
        assert (parameter.default, parameter.unit, parameter.search) == (0.03, "second", None)

    def test_the_shipped_model_and_files(self, tmp_path):
        assert load_model("paper") is load_model("rate") is PAPER
        path = tmp_path / "adapting.json"
        ADAPTING.save(path)
        assert load_model(path) == ADAPTING
        (tmp_path / "mine.py").write_text(PIECES["adapting.py"] + "\nOTHER = Model(name='other', noise=0.1)\n")
        assert load_model(tmp_path / "mine.py") == ADAPTING
        assert load_model(f"{tmp_path / 'mine.py'}:OTHER").name == "other"

    def test_a_parameter_set_brings_its_model(self, tmp_path):
        values = ADAPTING.complete(load().parameters).replace(b=0.7)
        path = tmp_path / "best.json"
        path.write_text(ParameterSet(values, "best", model=ADAPTING).to_json())
        found = load(path)
        assert found.model == ADAPTING
        assert found.parameters.b == 0.7
        assert load_model(path) == ADAPTING


class TestParameters:
    def test_a_set_of_the_22_serves_any_model(self):
        engine = Rounds(3, load().parameters, model=ADAPTING)
        assert engine.parameters[0].b == 0.3
        assert engine.parameters[0].tau_a == 300
        assert list(ADAPTING.declared) == [*PARAMETERS, "b", "tau_a"]

    def test_a_foreign_parameter_is_refused(self):
        with pytest.raises(ValueError, match="model 'paper' has no parameter 'b'"):
            Rounds(3, ADAPTING.complete(load().parameters))

    def test_they_are_in_their_units_in_every_engine(self, with_and_without_compiler):
        """300 ms written in three ways."""
        rate = "du/dt = (-u + I_u + I - a{noise}) / tau_u : 1\nda/dt = (-a + u) / %s : 1"
        models = [
            Model(rate_u=rate % "tau_a", parameters=(Parameter("tau_a", 300, unit="ms"),)),
            Model(rate_u=rate % "tau_a", constants={"tau_a": 0.3 * brian2.second}),
            Model(rate_u=rate % "(300 * ms)"),
        ]
        short = NSAParameters(tau_u=12, tau_v=16, duration_input=40, duration_free=40)
        found = []
        for model in models:
            engine = Rounds(2, short, model=model)
            engine.set_weights(np.array([1.0, 4.0]))
            found.append(engine.activity.copy())
        assert found[1] == pytest.approx(found[0], abs=1e-15)
        assert found[2] == pytest.approx(found[0], abs=1e-15)

    def test_an_agent_takes_values_by_name(self):
        values = {**load().parameters.to_dict(), "b": 0.5}
        agent = NSA(3, values, model=ADAPTING, seed=0)
        assert agent.engine.parameters[0].b == 0.5
        assert agent.engine.parameters[0].tau_a == 300

    def test_numbers_of_numpy_are_numbers(self):
        parameter = Parameter("b", np.int64(3))
        assert json.dumps(parameter.to_dict())

    def test_words_of_our_own_python_are_free(self):
        """Names that the compiled learning rule might have had for itself."""
        model = Model(
            plasticity="w + result * function * Phi_eta * (R * w_max - w)", constants={"result": 0.5, "function": 1.0}
        )
        engine = Rounds(2, load().parameters, model=model)
        engine.learn(np.array([0]), np.array([1.0]))
        assert engine.w[0, 0] > 0

    def test_a_power_beyond_all_numbers_is_told_in_one_line(self):
        model = Model(plasticity="w + k**2 * (R - w)", constants={"k": 1e200})
        agent = NSA(3, NSAParameters(duration_input=20, duration_free=20), model=model, seed=0, n_games=1)
        with np.errstate(all="ignore"), pytest.raises(ModelError, match="w is not finite after learning"):
            agent.play(np.ones_like, 50)


class TestNames:
    def test_helper_lines_stand_in_any_string(self):
        model = Model(
            rate_u="""
                both = I_u + I : 1   # a comment
                du/dt = (-u + both{noise}) / tau_u : 1
            """,
            response="z = x - offset : 1\nphi = clip(gain * z / 10, 0, 1) : 1",
            gaussian_sigmoid="q = w - mu : 1\nPhi = r * exp(-q**2 / (2 * sigma**2)) : 1",
            drive_u="half = 0.5 * phi_v_pre : 1\n2 * half",
            drive_v="sent = Phi_v * phi_u_pre : 1\nsent",
            plasticity="change = Phi_eta * (R * w_max - w) : 1\nw + change",
            initial={"w": "top = w_max : 1\n0.1 * top"},
        )
        assert model.structure.names("u") == ["both", "u", "z_u", "phi_u"]
        assert {"q_v", "Phi_v", "q_eta", "Phi_eta"} <= set(model.structure.names("synapse"))

    def test_a_parameter_of_both_populations_is_meant_for_each(self):
        model = Model(
            response="phi = clip(slope * (x - offset), 0, 1) : 1",
            parameters=(Parameter("slope_u", 1.0), Parameter("slope_v", 2.0)),
        )
        assert "slope_u" in str(model.response_of("u")["phi_u"].expr)
        assert "slope_v" in str(model.response_of("v")["phi_v"].expr)

    def test_a_line_may_go_on_while_a_bracket_is_open(self):
        assert Model(plasticity="w + Phi_eta * (\n  R * w_max\n  - w)").structure.rule.expression

    @pytest.mark.slow
    def test_users_names_do_not_meet_those_of_the_generated_code(self):
        """Names that the templates use for themselves."""
        names = ("room", "memory", "step", "game", "left", "start", "given", "ends", "sets", "which", "nsa", "sum", "k")
        given = {
            "rate_u": RATE.format(" - L + " + " + ".join(names)),
            "lateral": (Lateral("u", "L", "0.1 * phi_u_pre"),),
            "constants": dict.fromkeys(names, 0.001),
            "noise": 0.01,
        }
        short = NSAParameters(tau_u=12, tau_v=16, duration_input=40, duration_free=40)
        for changes in ({}, {"lateral": (), "rate_u": RATE.format(" + " + " + ".join(names))}):
            engine = Rounds(3, short, rng=np.random.default_rng(0), model=Model(**{**given, **changes}))
            engine.respond()
            assert np.isfinite(engine.activity).all()
