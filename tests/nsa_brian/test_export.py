"""Exported scripts: they need brian2 and numpy alone, and make the choices of the network engine."""

import ast

import pytest
from exported import PLAIN, Game, choices, exported, imports, quick, run_alone, run_here, to_script
from guide import RECIPES, model_of
from models import OTHERS
from own_models import OWN_MODELS, drug
from spiking import OWN, unfound

from nsa_brian import MODELS, Model, Parameter, load_model
from nsa_brian.export.texts import brian2_text, number_text, numpy_text
from nsa_brian.model.loading import BEYOND, SPIKING

pytestmark = pytest.mark.usefixtures("without_compiler")
GAME = Game(3, 30, 1, settings={"trial_rounds": 20})


def with_found(name):
    """A shipped model, or one of the guide's, with couplings as declared: finding them takes a compiler."""
    model = model_of(name) if name in RECIPES else load_model(name)
    return unfound(model) if model.prepare else model


@pytest.mark.parametrize(
    ("model", "rounds"), [(MODELS["paper"], 12), (drug(), 12), (OWN, 3)], ids=["paper", "inputs and a pool", "spikes"]
)
def test_a_script_makes_the_choices_of_the_network(model, rounds, tmp_path):
    parameters, game = quick(model), Game(3, rounds, 2)
    text = to_script(parameters, model, game)
    assert imports(text) <= PLAIN
    assert run_here(text, tmp_path)["arms"] == choices(model, parameters, game)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper", *BEYOND, *SPIKING, *RECIPES])
def test_every_shipped_model_and_recipe_makes_the_same_choices_elsewhere(name, tmp_path):
    model = with_found(name)
    parameters = quick(model)
    text = exported(model, parameters, GAME)
    assert imports(text) <= PLAIN
    assert run_alone(text, tmp_path) == choices(model, parameters, GAME)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [*(each() for each in OWN_MODELS), *OTHERS.values(), OWN], ids=lambda model: model.name
)
def test_every_part_of_the_language_makes_the_same_choices_elsewhere(model, tmp_path):
    parameters = quick(model)
    assert run_alone(exported(model, parameters, GAME), tmp_path) == choices(model, parameters, GAME)


@pytest.mark.slow
def test_calibrated_values_are_written_as_numbers(tmp_path):
    from targets import brian2_target

    model, game = load_model("spiking"), Game(2, 4, 1)
    parameters = model.complete(quick(model)).replace(neurons=20, input_time=400, free_time=800, reading_time=250)
    with brian2_target("auto"):  # calibration takes a compiler
        text = to_script(parameters, model, game)
        expected = choices(model, parameters, game)
    assert "calibrated" in text
    assert "Phi_star = " in text
    assert run_here(text, tmp_path)["arms"] == expected


def test_a_script_reads_like_one():
    text = to_script(quick(MODELS["paper"]), MODELS["paper"], GAME, set_name="mine", command="nsa play")
    for line in (
        "tau_u = 10*ms ",
        "    du/dt = (-u + I_u + I) / tau_u : 1",
        "    I_v_post = Phi_v * phi_u_pre : 1 (summed)",
        'VU.connect(j="i")',
        "    UV.w[arm] = (w + Phi_eta * (R * w_max - w))[arm]",
        "@network_operation",
    ):
        assert line in text
    assert "doi.org" in text.partition("import")[0]
    assert "nsa_" not in text
    assert max(map(len, text.splitlines())) <= 120
    assert text == to_script(quick(MODELS["paper"]), MODELS["paper"], GAME, set_name="mine", command="nsa play")


@pytest.mark.parametrize("name", ['x""" + str(print("run")) + """', "p\\Users", 'ends in "'])
def test_names_stay_text(name):
    model = MODELS["paper"].change(name=name, plasticity="w + 0.1 * (R * w_max - w)")
    tree = ast.parse(to_script(quick(model), model, GAME, set_name=name, command=f"nsa play --model '{name}'"))
    assert name in ast.get_docstring(tree)
    assert not [node for node in tree.body[1:] if isinstance(node, ast.Expr) and isinstance(node.value, ast.BinOp)]


def test_what_a_script_has_no_place_for_is_refused():
    with pytest.raises(ValueError, match="no script has the bandit 'MAB-Q'; did you mean MAB-P"):
        to_script(quick(MODELS["paper"]), game=Game(bandit="MAB-Q"))
    taken = Model(
        name="taken",
        plasticity="w + Phi_eta * (R * w_max - w) * seed",
        parameters=(Parameter("seed", 0.5),),
    )
    with pytest.raises(ValueError, match="model taken: the name 'seed' has a meaning in exported scripts"):
        to_script(quick(taken), taken)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.179, "ms", "179*ms"), (3.0, "", "3"), (2e-6, "nS/mV", "2*(nS/mV)"), (0.1, "", "0.1"), (-0.07, "mV", "-70*mV")],
)
def test_numbers_with_units(value, unit, text):
    assert number_text(value, unit) == text


@pytest.mark.parametrize("value", [1.2345678901234567e-10, 3.141592653589793e-9, 7.7e-11])
def test_a_number_in_a_unit_is_exact(value):
    from brian2 import amp, nA

    assert float(eval(number_text(value, "nA"), {"nA": nA, "amp": amp})) == value


@pytest.mark.parametrize(
    ("text", "brian2", "numpy"),
    [
        ("nsa_clip(u, 0, 1)", "clip(u, 0, 1)", "np.clip(u, 0, 1)"),
        ("nsa_mod(u, 2) + 1", "u % 2 + 1", "u % 2 + 1"),
        ("int(u > 1 and v > 2)", "int(u > 1 and v > 2)", "np.int_(np.logical_and(u > 1, v > 2))"),
        ("exp(-u**2 / 2)", "exp(-u**2 / 2)", "np.exp(-u ** 2 / 2)"),
        ("pi * u", "pi * u", "np.pi * u"),
    ],
)
def test_expressions(text, brian2, numpy):
    assert (brian2_text(text), numpy_text(text)) == (brian2, numpy)
