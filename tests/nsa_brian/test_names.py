"""Names of a model: what is taken is refused in one line, and everything else works in every engine."""

import re
from pathlib import Path

import numpy as np
import pytest
from targets import brian2_target

from nsa_brian import Coupling, Model, NSANetwork, NSAParameters, Parameter, Population
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.table import Table
from nsa_brian.errors import ModelError
from nsa_brian.model import names
from nsa_brian.spiking.shipped import SPIKING

SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=5, duration_free=5)
RATE = "du/dt = (-u + I_u + I - {0}{{noise}}) / tau_u : 1"

#: Names of Python, of C++'s headers, of our templates and of Brian2's generated code that a model may have.
STRANGE = """
    DBL_MAX BLOCK sum min max id type print input next zip
    inputs outputs tables depth support machine arrays given fixed units room memory step game left start ends sets
    which
    nsa k y x state part invariant lio value entry pulled changed places name source target order when data flags mode
    free copy weights main math arr address
""".split()  # noqa: SIM905 - a list to be read
#: Names that are taken, and by what.
TAKEN = {
    "self": "code that Brian2 generates",
    "variables": "code that Brian2 generates",
    "owner": "code that Brian2 generates",
    "scalar_code": "code that Brian2 generates",
    "vector_code": "code that Brian2 generates",
    "LazyArange": "code that Brian2 generates",
    "range": "code that Brian2 generates",
    "len": "code that Brian2 generates",
    "idx": "code that Brian2 generates",
    "bitand": "a word of C++",
    "double": "a word of C++",
    "lambda": "a word of Python",
    "R": "something with a meaning of its own",
    "delay": "Brian2's groups or the network's objects",
    "exp": "a function",
    "mV": "a unit",
    "pi": "a constant",
}


def declared(kind, name):
    """A model in which a name stands for one kind of thing."""
    if kind == "parameter":
        return Model(rate_u=RATE.format(f"{name} * u"), constants={name: 0.3})
    if kind == "state":
        return Model(rate_u=f"{RATE.format(name)}\nd{name}/dt = (u - {name}) / (50 * ms) : 1", carried=(name,))
    if kind == "synapse":
        return Model(synapse=f"{name} : 1", plasticity=f"{name} += chosen\nw += chosen * (R - w) / (2 + {name})")
    if kind == "helper":
        return Model(plasticity=f"{name} = tanh(u)\nw += chosen * (R - w) * {name}")
    if kind == "population":
        return Model(
            rate_u=RATE.format("G"),
            populations=(Population(name, "dpp/dt = (-pp + into) / (5 * ms) : 1"),),
            couplings=(Coupling("u", name, "into", "u_pre / n_arms"), Coupling(name, "u", "G", "0.1 * pp_pre")),
        )
    return Model(rate_u=RATE.format(name), couplings=(Coupling("v", "u", name, "0.1 * v_pre", to="others"),))


slow = pytest.mark.slow
KINDS = ("parameter", "state", "synapse", "helper", "population", "coupling")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TAKEN)
def test_a_taken_name_is_refused_with_what_takes_it(name, kind):
    with pytest.raises((ModelError, ValueError)) as told:
        declared(kind, name)
    assert "\n" not in str(told.value)
    assert repr(name) in str(told.value)


@pytest.mark.parametrize(("name", "taker"), TAKEN.items())
def test_the_error_says_by_what_a_name_is_taken(name, taker):
    with pytest.raises(ModelError, match=rf"the name '{name}' is taken, by {re.escape(taker)}"):
        names.check_name("parameters", name)


@pytest.mark.parametrize("name", ["ｗ", "é", "nsa_mod", "_x", "x_pre", "1w", "a b", ""])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ModelError):
        names.check_name("parameters", name)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"plasticity": "ｗ + 0.1"}, r"plasticity: only ASCII characters are allowed, got '\\uff57'"),
        ({"rate_u": RATE.format("0").replace("tau_u", "(20 * ｍs)")}, r"only ASCII characters .* got '\\uff4d'"),
        ({"rate_u": RATE.format("q"), "parameters": (Parameter("q", 1, unit="ｍs"),)}, "unit: only ASCII characters"),
        ({"plasticity": "1w = 2"}, "'1w' is not a valid name of a variable"),
        ({"plasticity": "None = 2"}, "'None' is not a valid name of a variable"),
        ({"plasticity": "lambda = 2"}, "'lambda' is not a valid name of a variable"),
        ({"plasticity": "0/0"}, "a division by zero"),
        ({"plasticity": "w + R / (2 - 2)"}, "a division by zero"),
        ({"plasticity": "w + R * log(0)"}, r"log\(0\) is not a finite number"),
        ({"plasticity": "w + True"}, "only numbers and names are allowed, got True"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_text_that_is_no_expression_is_refused(given, told):
    with pytest.raises(ModelError, match=told):
        Model(**given)


@slow
@pytest.mark.parametrize("target", ["auto", "numpy"])
def test_strange_names_work_in_every_engine(target):
    """All of them in one model, and each with the value that shows when it is mixed up with another."""
    values = {name: 0.001 * (i + 1) for i, name in enumerate(STRANGE)}
    total = " + ".join(f"{name} * u" for name in STRANGE)
    model = Model(
        rate_u=RATE.format(f"({total})"), plasticity=f"w + (R - w) * ({' + '.join(STRANGE)})", constants=values
    )
    plain = Model(
        rate_u=RATE.format(f"{sum(values.values())!r} * u"), plasticity=f"w + (R - w) * {sum(values.values())!r}"
    )
    chances, luck = np.full((6, 2, 3), 0.5), np.random.default_rng(1).random((6, 2, 4))
    for make in (NSANetwork, Rounds, Table) if target == "numpy" else (Rounds,):  # the table compiles the same rounds
        found = []
        with brian2_target(target):
            for each in (model, plain):
                engine = make(3, SHORT, 2, rng=np.random.default_rng(0), model=each)
                engine.stretch().play(np.arange(2), chances, luck)
                found.append(np.stack([engine.u, engine.v, engine.w]))
        assert found[0] == pytest.approx(found[1], abs=1e-12)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=slow)
        for kind in KINDS[1:]
        for name in ("DBL_MAX", "tables", "outputs", "sets", "sum")
    ],
)
def test_strange_names_are_variables_too(name, kind):
    """Of what generated code has beside them: with a plain name the game is the same."""
    chances, luck = np.full((4, 2, 3), 0.5), np.random.default_rng(1).random((4, 2, 4))
    found = []
    for each in (name, "plain"):
        engine = Rounds(3, SHORT, 2, rng=np.random.default_rng(0), model=declared(kind, each))
        engine.stretch().play(np.arange(2), chances, luck)
        found.append(np.stack([engine.u, engine.v, engine.w]))
    assert (found[0] == found[1]).all()


@pytest.mark.slow
def test_strange_names_work_in_the_compiled_network():
    values = dict.fromkeys(STRANGE, 0.001)
    total = " + ".join(f"{name} * u" for name in STRANGE)
    networks = [
        NSANetwork(3, SHORT, seed=0, model=Model(rate_u=RATE.format(text), constants=constants))
        for text, constants in ((f"({total})", values), (f"{0.001 * len(STRANGE)!r} * u", {}))
    ]
    for network in networks:
        network.play(np.ones_like, 3)
    assert networks[0].w == pytest.approx(networks[1].w, abs=1e-12)


@pytest.mark.slow
def test_code_that_brian2_could_not_compile_ends_the_game(monkeypatch):
    """Brian2 prints Cython's complaint and leaves the code out: u stayed 0, and the game went on."""
    monkeypatch.setattr(names, "TAKEN", ())
    model = Model(rate_u=RATE.format("range * u"), constants={"range": 0.3})
    with pytest.raises(ModelError, match="Brian2 could not compile the code of nsa_U_stateupdater"):
        NSANetwork(3, SHORT, seed=0, model=model).respond()


def test_spiking_models_refuse_them_too():
    with pytest.raises(ModelError, match="the name 'self' is taken, by code that Brian2 generates"):
        SPIKING.change(u="I_syn = J_u * s_v + I_in * I * self : amp", parameters=(Parameter("self", 1),))


def test_the_reference_lists_all_of_them():
    text = (Path(__file__).parents[2] / "docs" / "reference" / "names.md").read_text("utf-8")
    listed = set(re.findall(r"\w+", text))
    for group in (names.MEANINGS, names.OBJECTS, names.CODE, names.CPP):
        assert group <= listed, sorted(group - listed)
