"""The declaration: a model is data, checked when it is made, and bad ones are told in one line."""

import ast
import dataclasses
import json
import pickle
import re

import brian2
import numpy as np
import pytest
from guide import PIECES, model_of

from nsa_brian import (
    NSA,
    PARAMETERS,
    Coupling,
    Lateral,
    Model,
    NSAParameters,
    Parameter,
    ParameterSet,
    Population,
    load,
    load_model,
)
from nsa_brian.codegen import expression
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
        model = Model(rate_v="dv/dt = (-v + I_v{noise}) / tau_x : 1", constants={"tau_x": 30 * brian2.ms})
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
        with pytest.raises(ValueError, match="parameter 'b' is none of the model paper's"):
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
        with np.errstate(all="ignore"), pytest.raises(ModelError, match="activities are not finite"):
            agent.play(np.ones_like, 50)


#: What would be code, if anything ran it.
CODE = (
    "__import__('os').system('touch pwned')",
    "open('pwned', 'w')",
    "w.__class__",
    "exp.__globals__",
    "(lambda: 1)()",
    "[x for x in (1, 2)]",
    "eval('1')",
    "w[0]",
    "f'{w}'",
    "w if R else 1",
    "__builtins__",
    "w\nimport os",
    'w); system("touch pwned"); (w',
    "{{ cycler.__init__.__globals__ }}",
    "\x1b[2J",
    "w @ w",
    "-" * 5000 + "w",
    "9**9**9**9",
    "10**500",
    "'a'",
    "1j",
    "...",
    "1e400",
)
#: All strings of a model have something to say in this one.
EVERYTHING = Model(
    name="everything",
    rate_u="du/dt = (-u + I_u + I + L + G - a{noise}) / tau_u : 1\nda/dt = (-a + k * u) / tau_a : 1",
    synapse="m : 1",
    plasticity="w += chosen * Phi_eta * (R * w_max - w)\nm += 0.1 * chosen * (R - m)",
    parameters=(Parameter("k", 0.3, symbol="k", meaning="m"), Parameter("tau_a", 300, unit="ms")),
    initial={"m": "0.5"},
    carried=("a",),
    lateral=(Lateral("u", "L", "-0.1 * phi_u_pre"),),
    populations=(Population("pool", "dg/dt = (-g + E) / (5 * ms) : 1"),),
    couplings=(Coupling("u", "pool", "E", "phi_u_pre / n_arms"), Coupling("pool", "u", "G", "-0.1 * g_pre")),
)
#: Texts for people, which no code is made of.
LABELS = {("name",), *(("parameters", i, label) for i in (0, 1) for label in ("symbol", "meaning"))}


def texts_of(plain, way=()):
    """The ways to all texts in a model's dictionary."""
    parts = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, part in parts:
        yield from [(*way, key)] if isinstance(part, str) else texts_of(part, (*way, key))


def changed(way, text):
    """The model's dictionary with one of its texts changed (``{}`` stands for what it was), and the text."""
    plain = EVERYTHING.to_dict()
    part = plain
    for key in way[:-1]:
        part = part[key]
    part[way[-1]] = text.replace("{}", part[way[-1]], 1)
    return plain, part[way[-1]]


class TestNoTextOfAModelIsRun:
    @pytest.mark.parametrize("way", list(texts_of(EVERYTHING.to_dict())), ids=lambda way: ".".join(map(str, way)))
    def test_what_is_no_expression_of_known_names_is_refused_in_one_line(self, way, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for code in CODE:
            for plain, text in (changed(way, code), changed(way, "{} + " + code)):
                if way in LABELS:
                    label = way[-1]
                    made = Model.from_dict(plain)
                    shown = made.name if label == "name" else getattr(made.parameters[way[1]], label)
                    assert shown.isprintable(), text
                    continue
                with pytest.raises(ValueError, match=r"\w") as told:
                    Model.from_dict(plain)
                assert str(told.value).isprintable(), text
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("name", ["everything", *PIECES])
    def test_what_is_compiled_to_numpy_is_arithmetic_with_known_names(self, name, monkeypatch, without_compiler):
        model = EVERYTHING if name == "everything" else model_of(name)
        run = []

        def look(source, scope):
            run.append((ast.parse(source), scope))
            exec(source, scope)

        monkeypatch.setattr(expression, "exec", look, raising=False)
        Rounds(3, NSAParameters(duration_input=20, duration_free=20), model=model)
        structure = model.structure
        known = {*expression._NUMPY, *model.declared, *structure.dimensions, "_result", "n_arms"}
        for place in structure.places:
            known |= set(structure.names(place))
        assert run
        for tree, scope in run:
            assert scope["__builtins__"] == {}
            kinds = (ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Assign, ast.Return, ast.Dict, ast.Call)
            kinds += (ast.Name, ast.expr_context, ast.Constant, ast.operator, ast.unaryop, ast.cmpop)
            kinds += (ast.BinOp, ast.UnaryOp, ast.Compare)
            assert all(isinstance(node, kinds) for node in ast.walk(tree))
            assert {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} <= known


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


def pool(**changes):
    return {
        "rate_u": RATE.format(" - G"),
        "populations": (Population("pool", "dp/dt = (-p + into) / tau_u : 1"),),
        "couplings": (Coupling("u", "pool", "into", "phi_u_pre"), Coupling("pool", "u", "G", "p_pre")),
        **changes,
    }


#: What was written, and a part of what is said of it.
BAD = {
    "unknown name": ({"rate_u": RATE.format(" - bb")}, "rate_u, u: unknown name 'bb'"),
    "nearest name": ({"plasticity": "w + Phi_etta * R"}, "unknown name 'Phi_etta'; did you mean Phi_eta?"),
    "v in rate_u": ({"rate_u": RATE.format(" + v")}, "rate_u, u cannot use 'v', which belongs to population V"),
    "Phi_v in drive_u": ({"drive_u": "Phi_v * phi_v_pre"}, "drive_u cannot use 'Phi_v', which belongs to the synapse"),
    "u in rate_v": ({"rate_v": "dv/dt = (-v + u + I_v) / tau_v : 1"}, "rate_v, v cannot use 'u'"),
    "xi": ({"rate_u": RATE.format(" + xi")}, "noise is written {noise}"),
    "t": ({"rate_u": RATE.format(" + t / second")}, "t is the simulator's clock"),
    "random function": ({"rate_u": RATE.format(" + randn()")}, "random numbers come from outside"),
    "index of an option": ({"rate_u": RATE.format(" + i")}, "an option does not know its number"),
    "wrong unit in an equation": ({"rate_u": "du/dt = (-u + I_u + I) / gain_u : 1"}, "units do not fit"),
    "wrong unit of a parameter": (
        {"rate_v": "dv/dt = (-v + I_v) / tau_x : 1", "parameters": (Parameter("tau_x", 30),)},
        "units do not fit",
    ),
    "unit that does not exist": (
        {"rate_v": "dv/dt = (-v + I_v) / tau_x : 1", "parameters": (Parameter("tau_x", 30, unit="msec"),)},
        "unknown unit 'msec'; did you mean msecond?",
    ),
    "u with a unit": ({"rate_u": "du/dt = (-u + I_u * volt) / tau_u : volt"}, "u must have no unit"),
    "units in plasticity": ({"plasticity": "w + R * ms"}, "plasticity: units do not fit"),
    "start of nothing": ({"initial": {"q": "1"}}, "initial: there is no state variable 'q'"),
    "empty start": ({"initial": {"w": ""}}, "initial of w must be an expression, got ''"),
    "start with a unit": ({"initial": {"w": "3 * ms"}}, "initial of w: units do not fit"),
    "start by another variable": ({"initial": {"u": "w"}}, "initial of u cannot use 'w'"),
    "carried synapse": ({"carried": ("w",)}, "w is of the synapse and goes on from round to round anyway"),
    "carried nothing": ({"carried": ("a",)}, "carried: there is no state variable 'a'"),
    "name of a parameter": ({"rate_u": RATE.format("") + "\ngain_u = 3 : 1"}, "'gain_u' is taken, by a parameter"),
    "name of a unit": ({"rate_u": RATE.format("") + "\nmV = 3 : 1"}, "'mV'"),
    "name of a function": ({"rate_u": RATE.format("") + "\nexp = 3 : 1"}, "'exp' is the name of a function"),
    "name used twice": (
        {"rate_u": RATE.format("") + "\nq = u : 1", "rate_v": "dv/dt = (-v + I_v) / tau_v : 1\nq = v : 1"},
        "rate_v: the name 'q' is taken, by rate_u",
    ),
    "word of C++": ({"rate_u": RATE.format("") + "\ndouble = u : 1"}, "the name 'double' is taken, by a word of C++"),
    "circular helpers": ({"rate_u": RATE.format(" - f") + "\nf = g : 1\ng = f : 1"}, "rate_u: "),
    "circular drives": (
        {
            "rate_u": RATE.format("") + "\nf = I_u : 1",
            "rate_v": "dv/dt = (-v + I_v) / tau_v : 1\ng = I_v : 1",
            "drive_u": "g_pre",
            "drive_v": "f_pre",
        },
        "circular: I_u and I_v would have to know each other",
    ),
    "statement that changes u": ({"plasticity": "u = 0"}, "plasticity cannot change 'u'"),
    "statement that changes a parameter": ({"plasticity": "w_max += R"}, "plasticity cannot change 'w_max'"),
    "statement that changes nothing": ({"plasticity": "q = R"}, "plasticity changes no variable of the synapse"),
    "learning from what is over": ({"plasticity": "w + I_u"}, "'I_u': it is made of what arrives during a round"),
    "chosen in an expression": ({"plasticity": "w + chosen"}, "unknown name 'chosen'"),
    "lateral to an unknown population": (
        {"couplings": (Coupling("u", "pol", "G", "phi_u_pre"),)},
        "coupling G: there is no population 'pol'",
    ),
    "lateral that nobody reads": ({"lateral": (Lateral("u", "L", "phi_u_pre"),)}, "no equation of u uses 'L'"),
    "lateral with the other end": (
        {"rate_u": RATE.format(" - L"), "lateral": (Lateral("u", "L", "phi_u_pre * u_post"),)},
        "coupling L cannot use 'u_post'",
    ),
    "population that does nothing": (
        {"populations": (Population("pool", "dp/dt = -p / tau_u : 1"),)},
        "population pool: no coupling begins there",
    ),
    "chain within a step": (
        pool(
            rate_u=RATE.format(" - G") + "\nq = G : 1",
            couplings=(*pool()["couplings"][1:], Coupling("u", "pool", "into", "q_pre")),
        ),
        "which arrives at the same moment",
    ),
    "parameter named as the reward": ({"parameters": (Parameter("R", 0.5),)}, "parameters: the name 'R' is taken"),
    "constant named as a constant": (
        {"rate_u": RATE.format(" - e * u"), "constants": {"e": 0.5}},
        "parameters: the name 'e' is taken, by a constant",
    ),
    "constant named as a unit": ({"rate_u": RATE.format(" - ms"), "constants": {"ms": 1}}, "'ms' is taken, by a unit"),
    "macro of C++": ({"rate_u": RATE.format(" - M_PI"), "constants": {"M_PI": 1}}, "'M_PI' is taken, by a word of C++"),
    "private name": ({"rate_u": RATE.format(" - _x"), "constants": {"_x": 1}}, "nor begin with an underscore"),
    "population named as an object of the network": (pool(populations=(Population("UV", "p = into : 1"),)), "'UV' is"),
    "coupling named as a population": (
        pool(couplings=(Coupling("u", "pool", "pool", "phi_u_pre"), Coupling("pool", "u", "G", "p_pre"))),
        "coupling pool: the name 'pool' is taken, by population pool",
    ),
    "synapse with a name of Brian2's": ({"synapse": "delay : 1"}, "synapse: the name 'delay' is taken"),
    "name of a part of a coupling": (
        {"rate_u": RATE.format(" - L") + "\nL_all = u : 1", "lateral": (Lateral("u", "L", "phi_u_pre"),)},
        "the name 'L_all' is taken",
    ),
    "pool that looks at its target": (
        pool(
            couplings=(Coupling("u", "pool", "into", "phi_u_pre"), Coupling("pool", "u", "G", "p_pre * u_post", "own"))
        ),
        "coupling G cannot use 'u_post'",
    ),
    "dt between rounds": ({"plasticity": "w + dt / ms"}, "plasticity: dt is for equations that are integrated"),
    "constant nobody uses": ({"constants": {"q": 3}}, "parameter 'q' is used in no equation"),
    "constant that is a parameter": ({"constants": {"tau_u": 3.0}}, "constant 'tau_u' is a parameter of the model"),
    "parameter declared twice": (
        {"rate_u": RATE.format(" - q"), "parameters": (Parameter("q", 1), Parameter("q", 2))},
        "parameter 'q' is declared twice",
    ),
    "variable without an equation": ({"rate_u": RATE.format("") + "\nq : 1"}, "q has no equation"),
    "flag": ({"rate_u": "du/dt = (-u + I_u + I) / tau_u : 1 (unless refractory)"}, "has a flag"),
    "no rate equation": ({"rate_u": "q = 3 : 1"}, "rate_u must define du/dt"),
    "no response": ({"response": "s = x : 1"}, "response must define phi = ... : 1"),
    "no Phi": ({"gaussian_sigmoid": "F = w : 1"}, "gaussian_sigmoid must define Phi"),
    "not an equation": ({"rate_u": "du/dt = (-u"}, "rate_u: "),
    "not an expression": ({"drive_v": "phi_u_pre *"}, "drive_v: cannot read"),
    "call of the unknown": ({"drive_v": "f(phi_u_pre)"}, "drive_v: unknown name 'f'"),
    "truth value": ({"drive_v": "phi_u_pre * (u_pre < 1)"}, "has a truth value for a number; as a number it is int"),
    "not": ({"drive_v": "not phi_u_pre"}, "drive_v: 'not phi_u' has a truth value for a number"),
    "unit by zero": ({"rate_u": RATE.format(" - q"), "parameters": (Parameter("q", 1, "1/0"),)}, "unknown unit '1/0'"),
    "tower of powers": (
        {"drive_v": "2**3**4**5**6 * phi_u_pre"},
        "drive_v: cannot read '2**3**4**5**6 * phi_u': a power",
    ),
    "number without end": ({"drive_v": "1e999 * phi_u_pre"}, "a number too large"),
    "indexing": ({"drive_v": "phi_u_pre[0]"}, "drive_v: cannot read"),
    "attribute": ({"drive_v": "phi_u_pre.real"}, "drive_v: "),
    "unknown mark": ({"synapse": "q = {noise} : 1"}, "synapse: unknown mark {noise}"),
    "no place for noise": ({"noise": 0.1, "rate_u": RATE.format("").replace("{noise}", "")}, "rate_u has no place"),
    "noise below 0": ({"noise": -1}, "noise must be a number from 0 up, got -1"),
    "not a text": ({"rate_u": 3}, "rate_u must be equations, got 3"),
    "not parameters": ({"parameters": ("b",)}, "parameters must be a tuple of Parameter"),
    "not a mapping": ({"initial": "w = 3"}, "initial must be a mapping"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_model_is_told_in_one_line_when_it_is_made(kind):
    given, said = BAD[kind]
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        Model(**given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: Parameter("b c", 1), "a parameter's name must be a Python name, got 'b c'"),
        (lambda: Parameter("b", "x"), "parameter b must be any finite number, got 'x'"),
        (lambda: Parameter("b", float("nan")), "parameter b must be any finite number, got nan"),
        (lambda: Parameter("tau", -3, unit="ms"), "parameter tau must be a number above 0, got -3"),
        (lambda: Parameter("b", 2, legal=(0, 1)), "parameter b must be a number from 0 to 1, got 2"),
        (lambda: Parameter("b", 1, search=(2, 1)), "search must be two numbers, the lower one first"),
        (lambda: Parameter("b", 1, search=3), "search must be two numbers, got 3"),
        (lambda: Parameter("b", 1, search=(0, 1), scale="log"), "search on a log scale must lie above 0"),
        (
            lambda: Parameter("b", 0.5, legal=(0, 1), search=(0, 2)),
            "search must lie in the legal domain, a number from 0 to 1",
        ),
        (lambda: Parameter("b", 1, scale="cubic"), "scale must be linear or log, got 'cubic'"),
        (lambda: Lateral("w", "I", "phi_u_pre"), "population must be u or v, got 'w'"),
        (lambda: Coupling("u", "v", "I", "phi_u_pre", to="some"), "to must be one of all, others, own, got 'some'"),
        (lambda: Coupling("u", "v", None, "phi_u_pre"), "Coupling: variable must be a text, got None"),
        (lambda: Population("u", "p = 1 : 1"), "a population's name must be a Python name other than u, v"),
        (lambda: Population("pool", "p = 1 : 1", per="arm"), "per must be game, got 'arm'"),
    ],
)
def test_bad_parts_are_refused(made, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        made()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 99}, "a model of version 99 cannot be read here, only of version 1"),
        ({"format": "other"}, "a model is a JSON object whose format is nsa-model"),
        ({"colour": "red"}, "a model has no entry 'colour'"),
        ({"lateral": [{"population": "u"}]}, "not a model: "),
        ({"parameters": [{"name": "b"}]}, "a parameter is an object with name, default"),
        ({"parameters": 3}, "not a model: "),
        ({"rate_u": None}, "rate_u must be equations, got None"),
        ({"drive_v": "__import__('os').system('true')"}, "drive_v: "),
    ],
)
def test_bad_json_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        Model.from_dict({**ADAPTING.to_dict(), **change})


def test_a_file_that_makes_no_model_is_told_so(tmp_path):
    for text, said in (
        ("x = 3", "has no MODEL; it makes no Model"),
        ("raise RuntimeError('oops')", "RuntimeError: oops"),
        ("def f(:", "SyntaxError"),
        ("from nsa_brian import Model\nA = Model(noise=0.1)\nB = Model(noise=0.2)", "it has A, B: name one as"),
        ("from nsa_brian import Model\nMODEL = Model(drive_u='q')", "unknown name 'q'"),
    ):
        path = tmp_path / "mine.py"
        path.write_text(text)
        with pytest.raises(ValueError, match=said):
            load_model(path)
