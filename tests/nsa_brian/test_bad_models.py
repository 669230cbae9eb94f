"""Bad models are told in one line, when they are made or read."""

import re

import pytest
from guide import model_of

from nsa_brian import Coupling, Lateral, Model, Parameter, Population, load_model

RATE = "du/dt = (-u + I_u + I{0}{{noise}}) / tau_u : 1"


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
        "unknown unit 'msec'; did you mean ms?",
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
    "noise twice": ({"rate_u": "du/dt = (-u + I_u{noise} + I{noise}) / tau_u : 1"}, "rate_u: {noise} stands once"),
    "noise beside the leak": ({"rate_u": "du/dt = (-u + I_u + I){noise} / tau_u : 1"}, "rate_u: {noise} stands once"),
    "noise of another strength": ({"rate_v": "dv/dt = 2 * (-v + I_v{noise}) / tau_v : 1"}, "what tau_v divides"),
    "noise in another variable": (
        {"rate_u": "du/dt = (-u + I_u + I + a) / tau_u : 1\nda/dt = (-a{noise}) / (20 * ms) : 1"},
        "rate_u: {noise} stands once",
    ),
    "noise below 0": ({"noise": -1}, "noise must be a number from 0 to 1e+06, got -1"),
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
        Model.from_dict({**model_of("adapting.py").to_dict(), **change})


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
