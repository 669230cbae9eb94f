"""Bad models are told in one line, when they are made or read."""

import dataclasses
import re

import pytest
from guide import model_of
from selection import mostly_slow

from nsa_brian import (
    Balance,
    Choice,
    Contacts,
    Coupling,
    Critical,
    Input,
    Lateral,
    Model,
    Parameter,
    Phase,
    Population,
    load_model,
)
from nsa_brian.errors import ModelError

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
    "u in rate_v": ({"rate_v": "dv/dt = (-v + u + I_v) / tau_v : 1"}, "rate_v, v cannot use 'u'"),
    "xi": ({"rate_u": RATE.format(" + xi")}, "noise is written {noise}"),
    "t": ({"rate_u": RATE.format(" + t / second")}, "t is the simulator's clock"),
    "random function": ({"rate_u": RATE.format(" + randn()")}, "random numbers come from outside"),
    "index of an option": ({"rate_u": RATE.format(" + i")}, "options have no index i"),
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
    "carried synapse": ({"carried": ("w",)}, "w belongs to the synapse, whose variables are always carried over"),
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
        "circular: I_u and I_v depend on each other within a time step",
    ),
    "statement that changes u": ({"plasticity": "u = 0"}, "plasticity cannot change 'u'"),
    "statement that changes a parameter": ({"plasticity": "w_max += R"}, "plasticity cannot change 'w_max'"),
    "statement that changes nothing": ({"plasticity": "q = R"}, "plasticity changes no variable of the synapse"),
    "learning from what is over": ({"plasticity": "w + I_u"}, "'I_u': it depends on what arrives during a round"),
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
        "population pool has no effect",
    ),
    "chain within a step": (
        pool(
            rate_u=RATE.format(" - G") + "\nq = G : 1",
            couplings=(*pool()["couplings"][1:], Coupling("u", "pool", "into", "q_pre")),
        ),
        "which arrives in the same time step",
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
    "dt between rounds": ({"plasticity": "w + dt / ms"}, "plasticity: dt can only be used in equations"),
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
    "truth value": ({"drive_v": "phi_u_pre * (u_pre < 1)"}, "has a condition where a number is needed; write int"),
    "not": ({"drive_v": "not phi_u_pre"}, "drive_v: 'not phi_u' has a condition where a number is needed"),
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
    "noise twice": ({"rate_u": "du/dt = (-u + I_u{noise} + I{noise}) / tau_u : 1"}, "rate_u: {noise} must stand once"),
    "noise beside the leak": (
        {"rate_u": "du/dt = (-u + I_u + I){noise} / tau_u : 1"},
        "rate_u: {noise} must stand once",
    ),
    "noise of another strength": (
        {"rate_v": "dv/dt = 2 * (-v + I_v{noise}) / tau_v : 1"},
        "the terms that tau_v divides",
    ),
    "noise in another variable": (
        {"rate_u": "du/dt = (-u + I_u + I + a) / tau_u : 1\nda/dt = (-a{noise}) / (20 * ms) : 1"},
        "rate_u: {noise} must stand once",
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
        (lambda: Lateral("w", "I", "phi_u_pre"), "population must be one of u, v, got 'w'"),
        (lambda: Coupling("u", "v", "I", "phi_u_pre", to="some"), "to must be one of all, others, own, got 'some'"),
        (lambda: Coupling("u", "v", None, "phi_u_pre"), "Coupling: variable must be a text, got None"),
        (lambda: Population("synapse", "p = 1 : 1"), "a population's name must be a Python name other than synapse"),
        (lambda: Population("pool", "p = 1 : 1", per="arm"), "per must be one of option, game, got 'arm'"),
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
        ({"parameters": [{"name": "b"}]}, "a parameter must be an object with name, default"),
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
        ("x = 3", "has no MODEL; it defines no Model"),
        ("raise RuntimeError('oops')", "RuntimeError: oops"),
        ("def f(:", "SyntaxError"),
        ("from nsa_brian import Model\nA = Model(noise=0.1)\nB = Model(noise=0.2)", "it has A, B: name one as"),
        ("from nsa_brian import Model\nMODEL = Model(drive_u='q')", "unknown name 'q'"),
    ):
        path = tmp_path / "mine.py"
        path.write_text(text)
        with pytest.raises(ValueError, match=said):
            load_model(path)


# The parts of a model ------------------------------------------------------------------------------------------------


def firing(name="v", more="", **changes):
    """A population of five neurons that fire."""
    equations = f"dm/dt = (-m + I_{name}{more}) / (10 * ms) : 1 (unless refractory)\nds/dt = -s / (10 * ms) : 1"
    given = {"neurons": 5, "threshold": "m > 0.5", "reset": "m = 0; s += 0.1", "refractory": "2 * ms"}
    return Population(name, **{"equations": equations, "per": "option", **given, **changes})


def with_firing(*more, model=None, **changes):
    """A model whose V fires."""
    return Model(**{"populations": (firing("v", *more, **changes),), "drive_u": "s_pre", **(model or {})})


def both_fire(**changes):
    populations = (firing("u", " + I"), firing("v"))
    return Model(**{"populations": populations, "drive_u": "s_pre", "drive_v": "Phi_v * s_pre", **changes})


def with_contacts(equations="b : 1", rule="b = R", **changes):
    given = {"phases": (*TWO_PHASES, Phase("out", "20 * ms", after_choice=True)), "plasticity": "w = b * w_max"}
    return both_fire(contacts=Contacts(equations, rule), **{**given, **changes})


def third(equations="dh/dt = (-h + u_u) / (10 * ms) : 1", term=" - h_third", model=None, **changes):
    """A model with a third population of an option."""
    populations = (Population("third", equations, **{"per": "option", **changes}),)
    return Model(**{"rate_u": RATE.format(term), "populations": populations, **(model or {})})


def of_game(line="dp/dt = (-p + into) / tau_u : 1", drive="phi_u_pre", back="p_pre", **changes):
    """A model with a population of a game."""
    couplings = (Coupling("u", "pool", "into", drive), Coupling("pool", "u", "G", back))
    populations = (Population("pool", line, per="game"),)
    return Model(**{"rate_u": RATE.format(" - G"), "populations": populations, "couplings": couplings, **changes})


def signal(update="q += R - q", signals="q : 1", **changes):
    return Model(signals=signals, signal_update=update, **changes)


TWO_PHASES = (Phase("input", "duration_input", {"I": "I_ext"}), Phase("free", "duration_free"))

#: What makes the model, and what is said of it.
BAD_PARTS = {
    # Population
    "per": (lambda: third(per="arm"), "population third: per must be one of option, game, got 'arm'"),
    "U of a game": (lambda: Model(populations=(firing("u", per="game"),)), "population u: per must be option, since U"),
    "no neurons": (lambda: third(neurons=0), "population third: neurons must be a whole number from 1 to 100000 or"),
    "fewer than none": (lambda: third(neurons=-1), "or a parameter's name, got -1"),
    "half a neuron": (lambda: third(neurons=1.5), "or a parameter's name, got 1.5"),
    "true neurons": (lambda: third(neurons=True), "or a parameter's name, got True"),
    "neurons beyond memory": (lambda: third(neurons=10**9), "or a parameter's name, got 1000000000"),
    "neurons by the unknown": (
        lambda: with_firing(neurons="w_maxx"),
        "population v, neurons: there is no parameter 'w_maxx'; did you mean w_max?",
    ),
    "neurons by a time": (
        lambda: third(neurons="tau_u"),
        "neurons must be a whole number from 1 up, without a unit, got Parameter(tau_u=179 ms)",
    ),
    "neurons by a fraction": (
        lambda: third(neurons="n", model={"parameters": (Parameter("n", 2.5),)}),
        "neurons must be a whole number from 1 up, without a unit, got Parameter(n=2.5)",
    ),
    "reset without a threshold": (
        lambda: third(reset="h = 0"),
        "population third: reset='h = 0' needs a threshold, at which neurons fire",
    ),
    "refractory without a threshold": (
        lambda: third(refractory="2 * ms"),
        "population third: refractory='2 * ms' needs a threshold, at which neurons fire",
    ),
    "unless refractory without a time": (
        lambda: with_firing(refractory=""),
        "population v: equations have the flag (unless refractory), but no refractory time is given",
    ),
    "unless refractory without a threshold": (
        lambda: third("dh/dt = (-h + u_u) / (10 * ms) : 1 (unless refractory)"),
        "population third: h has a flag, (unless refractory), which needs a threshold and a refractory time",
    ),
    "threshold that is a number": (
        lambda: with_firing(threshold="m"),
        "population v, threshold must be a condition such as 'x > 1', got 'm'",
    ),
    "threshold in a unit": (
        lambda: with_firing(threshold="m > 3 * mV"),
        "population v, threshold: units do not fit in 'int(m > 3 * mV)'",
    ),
    "threshold by what arrives": (
        lambda: with_firing(threshold="I_v > 1"),
        "population v, threshold cannot use 'I_v', which arrives in population V during a round; it sees Phi_eta",
    ),
    "reset of another's": (
        lambda: with_firing(reset="w = 0"),
        "population v, reset cannot change 'w': it changes its variables, m, s",
    ),
    "reset by an expression": (lambda: with_firing(reset="m"), "reset must be statements such as 'name = expression'"),
    "refractory time that is none": (lambda: with_firing(refractory="3"), "'3' has unit 1, not s"),
    "refractory by a variable": (
        lambda: with_firing(refractory="m * ms"),
        "population v, refractory cannot use 'm', which belongs to population V; it sees dt, n_arms",
    ),
    "initial of nothing": (
        lambda: with_firing(initial={"mm": "1"}),
        "population v, initial: there is no state variable 'mm'; did you mean m?",
    ),
    "initial of a line": (
        lambda: third("dh/dt = (-h + g) / (10 * ms) : 1\ng = u_u : 1", initial={"g": "1"}),
        "population third, initial: there is no state variable 'g'; known: h",
    ),
    "initial by a variable": (
        lambda: third(initial={"h": "w"}),
        "initial of h cannot use 'w', which belongs to the synapse from U to V; it sees n_arms",
    ),
    "initial told twice": (
        lambda: third(initial={"h": "1"}, model={"initial": {"h": "2"}}),
        "population third, initial: 'h' is given by the model's initial, too",
    ),
    "nothing carried": (
        lambda: third(carried=("g",)),
        "population third, carried: there is no state variable 'g'; known: h",
    ),
    "random number named as a line": (
        lambda: third(normal=("h",)),
        "population third, normal: the name 'h' is taken, by another line",
    ),
    "random number named as a parameter": (
        lambda: with_firing(" + tau_u / ms", normal=("tau_u",)),
        "population v, normal: the name 'tau_u' is taken, by a parameter",
    ),
    "random number named as the synapse's": (
        lambda: third("dh/dt = (g - h) / (10 * ms) : 1", normal=("g",), model={"synapse": "g : 1"}),
        "the name 'g' is taken, by population third, normal",
    ),
    "random number of two populations": (
        lambda: Model(
            rate_u=RATE.format(" - h_a - k_b"),
            populations=(
                Population("a", "dh/dt = (z - h) / (10 * ms) : 1", per="option", normal=("z",)),
                Population("b", "dk/dt = (z - k) / (10 * ms) : 1", per="option", normal=("z",)),
            ),
        ),
        "population b, normal: the name 'z' is taken, by population a, normal",
    ),
    "random number twice": (
        lambda: with_firing(" + z", normal=("z",), poisson={"z": "3 * Hz"}),
        "population v, poisson: the name 'z' is taken, by another line",
    ),
    "random number that nobody uses": (
        lambda: with_firing(normal=("z",)),
        "population v: no equation uses 'z', a random number of its neurons",
    ),
    "events that nobody uses": (
        lambda: with_firing(poisson={"z": "3 * Hz"}),
        "population v: no equation uses 'z', a random number of its neurons",
    ),
    "events without a rate": (
        lambda: with_firing(" + z", poisson={"z": ""}),
        "rate of z must be an expression, got ''",
    ),
    "rate of events that is none": (
        lambda: with_firing(" + z", poisson={"z": "3"}),
        "population v, rate of z: units do not fit: '3' has unit 1, not s^-1",
    ),
    "rate of events by a variable": (
        lambda: with_firing(" + z", poisson={"z": "m * Hz"}),
        "population v, rate of z cannot use 'm', which belongs to population V; it sees I, n_arms",
    ),
    "rate of events by a line of a variable": (
        lambda: with_firing(
            equations="dm/dt = (z + I_v - m) / (10 * ms) : 1\nds/dt = -s / ms : 1\nr = m * Hz : Hz", poisson={"z": "r"}
        ),
        "population v, rate of z cannot use 'm', which belongs to population V",
    ),
    "two populations of a name": (
        lambda: Model(populations=(firing(), firing()), drive_u="s_pre"),
        "population v: there are two populations of that name",
    ),
    "population named as a place": (
        lambda: Population("contacts", "p = 1 : 1", per="game"),
        "a population's name must be a Python name other than synapse, signals, contacts, got 'contacts'",
    ),
    "population named as the weight": (
        lambda: Model(populations=(Population("w", "dh/dt = -h / ms : 1", per="option"),)),
        "population w: the name 'w' is taken, by the model's own variable",
    ),
    "population that hides the synapse's": (
        lambda: with_firing(
            equations="ds/dt = -s / ms : 1\ng = s : 1", threshold="s > 1", reset="s = 0", model={"synapse": "g : 1"}
        ),
        "population v: the name 'g' is taken, by synapse",
    ),
    "population that hides a phase's": (
        lambda: with_firing(
            equations="ds/dt = -s / ms : 1\ncue = s : 1",
            threshold="s > 1",
            reset="s = 0",
            model={"phases": (Phase("all", "90 * ms", {"cue": "1"}),)},
        ),
        "population v: the name 'cue' is taken, by phase all",
    ),
    "rate_u and a population": (
        lambda: Model(rate_u=RATE.format(" - u"), populations=(firing("u"),)),
        "rate_u and a population u are both given: give only one",
    ),
    "noise and a population": (
        lambda: with_firing(model={"noise": 0.1}),
        "noise needs the short form rate_v; in a population use normal=('NAME',)",
    ),
    "another's variable": (
        lambda: third("dh/dt = (-h + u) / (10 * ms) : 1"),
        "population third, h cannot use 'u', which belongs to population U; it sees I, Phi_eta, Phi_v, dt, h,",
    ),
    "mean of nearly": (lambda: third(term=" - h_thirdd"), "rate_u, u: unknown name 'h_thirdd'; did you mean h_third?"),
    "mean of a line": (
        lambda: third("h = u_u : 1"),
        "rate_u, u cannot use 'h_third': only state variables have a mean over neurons",
    ),
    "an option's variable in a game": (
        lambda: of_game("dp/dt = (-p + into + w) / tau_u : 1"),
        "population pool, p cannot use 'w', which belongs to the synapse from U to V; it sees I, dt, into, n_arms, p",
    ),
    # Coupling
    "coupling to nobody": (
        lambda: Model(couplings=(Coupling("u", "x", "G", "u_pre"),)),
        "coupling G: there is no population 'x'; known: u, v",
    ),
    "over": (lambda: Coupling("u", "v", "G", "u_pre", over="max"), "coupling G: over must be one of sum, mean, got"),
    "post of many": (
        lambda: with_firing(model={"drive_v": "Phi_v * phi_u_pre * m_post"}),
        "drive_v cannot use 'm_post', which belongs to population V; it sees",
    ),
    "an option's variable in a game's drive": (
        lambda: of_game(back="p_pre * Phi_v"),
        "coupling G cannot use 'Phi_v', which belongs to the synapse from U to V; it sees I, dt, into",
    ),
    "nearest name in a drive": (
        lambda: of_game(drive="phi_uu_pre"),
        "coupling into: unknown name 'phi_uu_pre'; did you mean phi_u_pre?",
    ),
    "empty drive": (lambda: of_game(drive=""), "coupling into must be an expression, got ''"),
    "chain of couplings": (
        lambda: Model(
            rate_u=RATE.format(" - G") + "\nq = G : 1",
            rate_v="dv/dt = (-v + I_v - H) / tau_v : 1",
            couplings=(Coupling("v", "u", "G", "phi_v_pre", "others"), Coupling("u", "v", "H", "q_pre", "others")),
        ),
        "coupling H: the drive depends on G, which arrives in the same time step",
    ),
    "two couplings I_u": (
        lambda: Model(couplings=(Coupling("v", "u", "I_u", "phi_v_pre", "own"),) * 2),
        "coupling I_u: there are two couplings of that name",
    ),
    "I_u elsewhere": (
        lambda: of_game(couplings=(Coupling("u", "pool", "I_u", "u_pre"),)),
        "coupling I_u: the name 'I_u' is taken, by what arrives in population U",
    ),
    "coupling named as a neuron's variable": (
        lambda: with_firing(model={"couplings": (Coupling("u", "v", "m", "u_pre"),)}),
        "coupling m: the name 'm' is taken, by population v",
    ),
    # Contacts
    "contacts of rates": (
        lambda: Model(contacts=Contacts("b : 1", "b = R")),
        "contacts: neurons of U must spike",
    ),
    "contacts without an outcome": (
        lambda: with_contacts(phases=()),
        "contacts learn when the outcome is known: they need a phase after the choice",
    ),
    "contacts in a unit": (lambda: with_contacts("b : volt"), "contacts: b must have no unit, got volt"),
    "contacts that move": (lambda: with_contacts("db/dt = -b / ms : 1"), "contacts: b must have no equation, such as"),
    "contacts of two variables": (lambda: with_contacts("b : 1\nc : 1"), "contacts must have one variable, got 2"),
    "contacts that change weights": (
        lambda: with_contacts(rule="w = R"),
        "contacts, rule cannot change 'w': it changes the contact's variable, b",
    ),
    "contacts without a rule": (lambda: with_contacts(rule=""), "contacts, rule must be an expression or statements"),
    "contacts by an expression": (
        lambda: with_contacts(rule="R"),
        "contacts, rule must be statements such as 'b = expression', got 'R'",
    ),
    "contacts by what is nearly known": (
        lambda: with_contacts(rule="b = int(since_per < 20 * ms)"),
        "contacts, rule: unknown name 'since_per'; did you mean since_pre?",
    ),
    # Input
    "input of an arm": (lambda: Input("light", per="arm"), "input light: per must be one of option, game, got 'arm'"),
    "input without end": (lambda: Input("light", default=float("inf")), "default must be a finite number, got inf"),
    "input that is no float": (
        lambda: Input("light", default=10**400),
        "light: default must be a finite number, got 1",
    ),
    "input named as the weight": (
        lambda: Model(inputs=(Input("w"),)),
        "input w: the name 'w' is taken, by the model's own variable",
    ),
    "input named as a parameter": (
        lambda: Model(inputs=(Input("tau_u"),)),
        "input tau_u: the name 'tau_u' is taken, by",
    ),
    "input twice": (lambda: Model(inputs=(Input("a"), Input("a"))), "input a: the name 'a' is taken, by input a"),
    "input of an unknown unit": (
        lambda: Model(rate_u=RATE.format(" + a"), inputs=(Input("a", unit="millivolt"),)),
        "input a: unknown unit 'millivolt'; did you mean mV?",
    ),
    "input that nobody uses": (lambda: Model(inputs=(Input("light"),)), "input light: no string uses it"),
    "input of options in a game": (
        lambda: of_game("dp/dt = (into + a - p) / tau_u : 1", inputs=(Input("a"),)),
        "population pool, p cannot use 'a', which belongs to an input of options",
    ),
    # Phase
    "phase of no time": (
        lambda: Model(phases=(Phase("a", "3"),)),
        "phase a, duration: units do not fit: '3' has unit 1",
    ),
    "phase of an unknown time": (
        lambda: Model(phases=(Phase("a", "duration_fre"),)),
        "phase a, duration: unknown name 'duration_fre'; did you mean duration_free?",
    ),
    "two phases of a name": (
        lambda: Model(phases=(TWO_PHASES[0],) * 2),
        "phase input: there are two phases of that name",
    ),
    "phase that begins with the outcome": (
        lambda: Model(phases=(Phase("a", "9 * ms", after_choice=True),)),
        "phases: the first phase must come before the choice",
    ),
    "phase before the choice after it": (
        lambda: Model(phases=(TWO_PHASES[0], Phase("a", "9 * ms", after_choice=True), TWO_PHASES[1])),
        "phase free: phases before the choice must precede those after it",
    ),
    "phase that sets what is taken": (
        lambda: Model(phases=(Phase("a", "9 * ms", {"tau_u": "1"}),)),
        "phase a: the name 'tau_u' is taken, by a parameter",
    ),
    "phase that sets what nobody reads": (
        lambda: Model(phases=(Phase("a", "9 * ms", {"cue": "1"}),)),
        "phase a: no equation uses 'cue'",
    ),
    "phase that sets by the unknown": (
        lambda: Model(phases=(Phase("a", "9 * ms", {"I": "I_extt"}),)),
        "phase a, I: unknown name 'I_extt'; did you mean I_ext?",
    ),
    "the reward before the choice": (
        lambda: Model(rate_u=RATE.format(" + R")),
        "rate_u, u: unknown name 'R'; it is known in plasticity, signal_update, the contacts' rule, and equations of",
    ),
    # Choice
    "exploit": (lambda: Choice(exploit="always"), "Choice: exploit must be one of agreement, never, got 'always'"),
    "explore by the unknown": (
        lambda: Model(choice=Choice(explore="best_w")),
        "choice, explore: unknown name 'best_w'; did you mean best_",
    ),
    "explore in a unit": (
        lambda: Model(choice=Choice(explore="u * ms")),
        "choice, explore: units do not fit: 'u * ms' has unit s, not 1",
    ),
    "explore by a truth": (
        lambda: Model(choice=Choice(explore="u > v")),
        "choice, explore: 'u > v' has a condition where",
    ),
    "explore by nothing": (lambda: Model(choice=Choice(explore="")), "choice, explore must be an expression, got ''"),
    "explore by the outcome": (
        lambda: Model(choice=Choice(explore="chosen")),
        "choice, explore: unknown name 'chosen'; it is known in statements of plasticity",
    ),
    "window of rates": (
        lambda: Model(choice=Choice(window="duration_free")),
        "choice, window needs spikes to count: neither U nor V spikes",
    ),
    "window that is no time": (
        lambda: with_firing(model={"choice": Choice(window="w_max")}),
        "choice, window: units do",
    ),
    "what arrives shown": (
        lambda: Model(choice=Choice(u="I_u")),
        "choice, u cannot use 'I_u': it depends on what arrives during a round, which is over",
    ),
    "the highest shown": (
        lambda: Model(choice=Choice(u="u_top")),
        "choice, u: unknown name 'u_top'; it is known in Choice.explore",
    ),
    "a neuron's variable shown": (
        lambda: with_firing(model={"choice": Choice(v="m")}),
        "choice, v cannot use 'm', which belongs to population V; it sees",
    ),
    "many neurons that show nothing": (
        lambda: Model(populations=(Population("u", "dx/dt = (I_u + I - x) / tau_u : 1", neurons=3),), drive_v="x_pre"),
        "choice, u must be given: neurons of population U do not spike",
    ),
    # Signals
    "signal that moves": (
        lambda: signal(signals="dq/dt = -q / second : 1"),
        'signals: q has a differential equation; declare it in a population with per="game"',
    ),
    "signal that stays": (lambda: signal(update=""), "signals: nothing changes q; write signal_update"),
    "signal beside one that changes": (
        lambda: signal(signals="q : 1\nz : 1"),
        "signals: nothing changes z; change it in signal_update, or declare a Parameter",
    ),
    "update of no signals": (
        lambda: signal(signals=""),
        "signal_update: there are no signals; declare them as signals=",
    ),
    "update by an option's": (
        lambda: signal("q += w"),
        "signal_update cannot use 'w', which belongs to the synapse from U to V; it sees Phi_eta_chosen,",
    ),
    "update by what is over": (
        lambda: signal("q += I_u_chosen"),
        "signal_update cannot use 'I_u_chosen': it depends on",
    ),
    "update by the input": (lambda: signal("q += I"), "signal_update cannot use 'I', which phases set during a round"),
    "update of a parameter": (
        lambda: signal("w_max += R"),
        "signal_update cannot change 'w_max': it changes the game's signals, q, and helpers of its own",
    ),
    "update by an expression": (
        lambda: signal("R - q"),
        "signal_update must be statements such as 'NAME += expression', got 'R - q'",
    ),
    "update in a unit": (lambda: signal("q += R * ms"), "signal_update, q: units do not fit: 'R * ms' has unit s"),
    "line of signals by an option's": (
        lambda: signal(signals="q : 1\nz = w + q : 1"),
        "signals, z cannot use 'w', which belongs to the synapse from U to V; it sees dt, n_arms, q, z",
    ),
    "signal changed by plasticity": (
        lambda: signal(plasticity="w += chosen * R\nq = 0"),
        "plasticity cannot change 'q': it changes the synapse's variables, w, and helpers of its own",
    ),
    # Prepare
    "step for an unknown parameter": (
        lambda: both_fire(prepare=(Critical("w_maxx"),)),
        "prepare, Critical: there is no parameter 'w_maxx'; did you mean w_max?",
    ),
    "step of another kind": (
        lambda: Model(prepare="RateMap"),
        "prepare must be a tuple of RateMap, Balance or Critical, got 'RateMap'",
    ),
    "step of a number": (lambda: Balance(3, "tau_u"), "Balance: name must be a parameter's name, got 3"),
    "step of rates": (lambda: Model(prepare=(Critical("tau_u"),)), "prepare, Critical: neurons of U must spike"),
    "names without their step": (
        lambda: Model(drive_v="Phi_star * phi_u_pre"),
        "drive_v: unknown name 'Phi_star'; it is known in models with prepare=(RateMap(),)",
    ),
    # Lines
    "synapse that passes on what arrives": (
        lambda: Model(synapse="net = I_u : 1", rate_v="dv/dt = (-v + I_v + net) / tau_v : 1"),
        "synapse, net: neurons read it, but it depends on I_u of the same time step",
    ),
    "circle in the synapse": (lambda: Model(synapse="a = b : 1\nb = a : 1"), "synapse: a is circular: it depends on"),
    "circle across places": (
        lambda: Model(rate_u=RATE.format("") + "\nf = g : 1", synapse="g = f_pre : 1"),
        "rate_u: f is circular: it depends on itself",
    ),
    "constants in a list": (lambda: Model(constants=[3]), "constants must be a mapping of names to numbers, got [3]"),
    "constant that is no number": (lambda: Model(constants={"q": "3"}), "constants: parameter q must be any finite"),
}


@pytest.mark.parametrize("kind", BAD_PARTS)
def test_a_bad_part_is_told_in_one_line(kind):
    made, said = BAD_PARTS[kind]
    with pytest.raises(ModelError, match=re.escape(said)) as caught:
        made()
    assert "\n" not in str(caught.value)


def test_the_models_that_the_bad_ones_are_made_of_are_good():
    for made in (third, of_game, with_firing, both_fire, with_contacts, signal):
        assert made().structure


class Odd:
    def __repr__(self):
        return "two\nlines\x1b"


#: What somebody may give by mistake.
NONSENSE = [
    *(None, 3, -1, 2.5, True, float("nan"), 10**400, b"u", [], {}, (), [3], (None,), ("a b",), object(), Odd()),
    *({3: "a"}, {"a": None}, {"": "1"}, {"u": "("}, {"é": "1"}, {"a": "x" * 10_000}),
    *("", " ", "\n", "\x00", "a b", "é = 3", "(", "3 +", "1/0", "**", "u = 3 : 1", "{noise}", "lambda: 3", "u.real"),
    *("_x", "int", "x" * 100_000, "((((" * 500, "1+" * 3000 + "1", "-" * 3000 + "1"),
]
#: Parts of a model in which every field says something, and what makes a model of them.
PARTS = {
    "population": (
        firing("v", " + z + y", initial={"m": "1"}, carried=("m",), normal=("z",), poisson={"y": "3 * Hz"}),
        lambda part: Model(populations=(part,), drive_u="s_pre"),
    ),
    "coupling": (
        Coupling("v", "u", "G", "phi_v_pre", "others", "mean"),
        lambda part: Model(rate_u=RATE.format(" - G"), couplings=(part,)),
    ),
    "lateral": (Lateral("u", "G", "phi_u_pre"), lambda part: Model(rate_u=RATE.format(" - G"), lateral=(part,))),
    "contacts": (Contacts("b : 1", "b = R"), lambda part: with_contacts().change(contacts=part)),
    "input": (
        Input("a", "option", "mV", 1.0),
        lambda part: Model(rate_u=RATE.format(" - a / mV"), inputs=(part,)),
    ),
    "phase": (Phase("a", "100 * ms", {"I": "1"}), lambda part: Model(phases=(part,))),
    "choice": (
        Choice("u", "v", "duration_free", "never", "w"),
        lambda part: with_firing(model={"choice": part}),
    ),
    "critical": (Critical("w_max"), lambda part: both_fire(prepare=(part,))),
    "balance": (Balance("w_max", "I_ext"), lambda part: both_fire(prepare=(part,))),
    "model": (Model(), lambda part: part),
}


@pytest.mark.parametrize("name", mostly_slow(PARTS, *(PARTS.keys() - {"choice", "contacts", "model"})))
def test_nonsense_in_any_field_is_a_model_error_of_one_line(name):
    """Or it makes a model: some of it is not nonsense in some field."""
    good, model_of_part = PARTS[name]
    model_of_part(good)
    said = 0
    for field in dataclasses.fields(good):
        for given in NONSENSE:
            try:
                model_of_part(dataclasses.replace(good, **{field.name: given}))
            except ModelError as error:
                text = str(error)
                assert text.isprintable(), (field.name, given, text)
                assert len(text) < 1000, (field.name, given, text)
                said += 1
    assert said > 10 * len(dataclasses.fields(good))
