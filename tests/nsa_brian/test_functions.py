"""Every function and operator of model strings has one meaning, that of numpy in double precision, in every form.

All of them stand in one model, so that each form is compiled once. A form gets arguments x and z and gives the values
of all expressions.
"""

import numpy as np
import pytest
from brian2 import ms
from brian2.units.unitsafefunctions import exprel
from targets import brian2_target

from nsa_brian import Lateral, Model, NSANetwork, NSAParameters, Parameter, SpikingModel, load
from nsa_brian.codegen.columns import Columns
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.stretch import RoundByRound
from nsa_brian.errors import ModelError
from nsa_brian.model.expression import numpy_function
from nsa_brian.model.functions import FUNCTIONS, canonical

#: Expressions of x and z, what numpy has for them, and the difference in units in the last place that is allowed:
#: none where a result is exact or rounded once, some for functions that libraries approximate.
EXPRESSIONS = {
    "floor(x)": (np.floor, 0),
    "ceil(x)": (np.ceil, 0),
    "abs(x)": (np.abs, 0),
    "sqrt(x)": (np.sqrt, 0),
    "sign(x)": (np.sign, 0),
    "int(x)": (np.trunc, 0),
    "int(x > z)": (lambda x, z: np.where(x > z, 1.0, 0.0), 0),
    "int(x <= z)": (lambda x, z: np.where(x <= z, 1.0, 0.0), 0),
    "int(x == z)": (lambda x, z: np.where(x == z, 1.0, 0.0), 0),
    "int(x != z)": (lambda x, z: np.where(x != z, 1.0, 0.0), 0),
    "int(x < z and z < 3 or not (x >= -2))": (
        lambda x, z: np.where(((x < z) & (z < 3)) | (x < -2), 1.0, 0.0),
        0,
    ),
    "clip(x, -1, z)": (lambda x, z: np.clip(x, -1, z), 0),
    "x % z": (np.mod, 0),
    "x // z": (np.floor_divide, 0),
    "x % 0.1": (lambda x: np.mod(x, 0.1), 0),
    "x // 0.1": (lambda x: np.floor_divide(x, 0.1), 0),
    "-7 // 2 + x": (lambda x: x - 4, 0),
    "7 % 4 * x": (lambda x: 3 * x, 0),
    "x + 1/3": (lambda x: x + 1 / 3, 0),
    "x * 2**-1": (lambda x: x * 0.5, 0),
    "x + 3000000000 * 2": (lambda x: x + 6e9, 0),
    "x ** 2": (lambda x: x**2, 1),
    "x ** 3": (lambda x: x**3, 2),
    "x ** 0.5": (np.sqrt, 0),
    "x ** z": (np.power, 4),
    "2 ** x": (lambda x: np.power(2.0, x), 4),
    "exp(x)": (np.exp, 4),
    "expm1(x)": (np.expm1, 4),
    "exprel(x)": (exprel, 4),
    "log(x)": (np.log, 4),
    "log10(x)": (np.log10, 4),
    "log1p(x)": (np.log1p, 4),
    "sin(x)": (np.sin, 4),
    "cos(x)": (np.cos, 4),
    "tan(x)": (np.tan, 4),
    "sinh(x)": (np.sinh, 4),
    "cosh(x)": (np.cosh, 4),
    "tanh(x)": (np.tanh, 4),
    "arcsin(x)": (np.arcsin, 4),
    "arccos(x)": (np.arccos, 4),
    "arctan(x)": (np.arctan, 4),
}
#: Compiled rounds have 0 for results of exp below.
TINY = np.exp(-708)
NAMES = {f"y_{i}": text for i, text in enumerate(EXPRESSIONS)}
EDGES = [0.0, -0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 709.7, 709.79, 710.0, 717.5, 745.0, 746.0, 1e-17, 1e-300,
         5e-324, 1e-310, 2.0**31, 2.0**31 + 0.5, 2.0**53, 2.0**63, 1e18, 1e300, np.inf]  # fmt: skip
SHORT = NSAParameters(tau_u=10, tau_v=10, duration_input=1, duration_free=1)


def arguments():
    """Pairs of edge values, and random ones of all sizes."""
    edges = np.array([*EDGES, *(-x for x in EDGES), np.nan])
    rng = np.random.default_rng(0)
    x, z = (np.repeat(edges, len(edges)), np.tile(edges, len(edges)))
    size = 10.0 ** rng.uniform(-20, 20, (2, 2000))
    near = rng.normal(0, 3, (2, 4000))
    wide = rng.choice([-1, 1], (2, 2000)) * size
    whole = rng.integers(-30, 30, (2, 1000)) / 4
    return np.concatenate([x, near[0], wide[0], whole[0]]), np.concatenate([z, near[1], wide[1], whole[1]])


X, Z = arguments()


def by_rule(compiled):
    """Statements at a round's end."""
    lines = "".join(f"\n{name} : 1" for name in NAMES)
    rule = "\n".join(f"{name} = {text}" for name, text in NAMES.items())
    model = Model(synapse=f"x : 1\nz : 1{lines}", plasticity=rule)
    engine = Rounds(len(X), SHORT, model=model, rng=np.random.default_rng(0))
    put_in(engine)
    stretch = engine.stretch() if compiled else RoundByRound(engine, lenient=False)
    with pytest.raises(ModelError, match="is not finite after learning"):  # which the arguments are not either
        stretch.play(np.zeros(1, int), np.zeros((1, 1, len(X))), np.zeros((1, 1, 4)))
    return {name: engine.synapses[name][0] for name in NAMES}


def by_equations(make, coupled=False, z=Z):
    """Equations of the synapse that have their right-hand side's value after a time step."""
    lines = "".join(f"\nd{name}/dt = ({text} - {name}) / dt : 1" for name, text in NAMES.items())
    options = {}
    if coupled:
        options = {
            "rate_u": "du/dt = (-u + I_u + I - L) / tau_u : 1",
            "lateral": (Lateral("u", "L", "0.001 * phi_u_pre"),),
        }
    model = Model(synapse=f"dx/dt = 0 * x / second : 1\ndz/dt = 0 * z / second : 1{lines}", **options)
    engine = make(len(X), SHORT, model=model, rng=np.random.default_rng(0))
    put_in(engine, z)
    engine.respond()
    return {name: engine.synapses[name][0] for name in NAMES}


def put_in(engine, z=Z):
    """Write arguments, infinite ones among them, which `set_weights` would refuse."""
    for name, values in (("x", X), ("z", z)):
        engine._variables()[name][0] = values


def by_function():
    return {name: numpy_function(canonical(text), {}, {})(x=X, z=Z) for name, text in NAMES.items()}


FORMS = {
    "numpy expressions": by_function,
    "numpy statements": lambda: by_rule(compiled=False),
    "the compiled stretch": lambda: by_rule(compiled=True),
    "compiled pairs": lambda: by_equations(Rounds),
    "compiled games": lambda: by_equations(Rounds, coupled=True),
}
NUMPY_FORMS = {
    "pairs in numpy": lambda: by_equations(Rounds),
    "the network in numpy": lambda: by_equations(NSANetwork),
}


def ulps(found, wanted):
    """Distance in units in the last place, infinite where only one is a number, 0 where both are the same."""
    found, wanted = np.broadcast_arrays(np.asarray(found, float), np.asarray(wanted, float))
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    same |= (found == 0) & (wanted > 0) & (wanted < TINY)
    with np.errstate(all="ignore"):
        far = np.abs(found - wanted) / np.spacing(np.maximum(np.abs(wanted), 1e-300))
    return np.where(same, 0.0, np.where(np.isfinite(found) & np.isfinite(wanted), far, np.inf))


def reference(text, z):
    function = EXPRESSIONS[text][0]
    with np.errstate(all="ignore"):
        return function(X, z) if "z" in text else function(X)


def by_spikes():
    """Equations of spiking neurons, a game for each pair of arguments."""
    lines = "\n".join(f"d{name}/dt = ({text} - {name}) / dt : 1" for name, text in NAMES.items())
    model = SpikingModel(
        neuron=lines,
        u="",
        v="",
        threshold="0 * y_0 > 1",
        reset="y_0 = 0",
        refractory="",
        initial={},
        gain="Phi_v",
        parameters=(Parameter("x", 1), Parameter("z", 1)),
        critical="",
    )
    times = dict.fromkeys(("input_time", "free_time", "reading_time"), 1)
    values = model.values_in_si(model.complete(load().parameters).replace(neurons=1, **times))
    sets = [{**values, "x": x, "z": z} for x, z in zip(X, Z, strict=True)]
    games = Columns(model, sets, np.arange(len(X)), 1, np.zeros((len(X), 3)), dt=0.5 * ms)
    games.respond()
    return {name.removesuffix("_of_u"): array[:, 0] for name, array in games.states["u"].items()}


FORMS["compiled spikes"] = by_spikes


def hold(found, z=Z):
    """Compare with numpy; the largest difference."""
    most = 0.0
    for name, text in NAMES.items():
        far = ulps(found[name], reference(text, z))
        k = int(np.argmax(far))
        assert far[k] <= EXPRESSIONS[text][1], f"{text} of x = {X[k]!r}, z = {z[k]!r}: {found[name][k]!r}"
        most = max(most, far[k])
    return most


def test_every_function_is_in_the_list():
    called = {name for name in FUNCTIONS if any(f"{name}(" in text for text in EXPRESSIONS)}
    assert called == set(FUNCTIONS)


#: The function of each form is compiled; one form by default, the others among the slow tests.
@pytest.mark.parametrize(
    "form", [form if form == "compiled pairs" else pytest.param(form, marks=pytest.mark.slow) for form in FORMS]
)
def test_means_what_numpy_means(form):
    with np.errstate(all="ignore"):
        assert hold(FORMS[form]()) <= 4


@pytest.mark.parametrize("form", NUMPY_FORMS)
def test_means_the_same_without_a_compiler(form):
    with brian2_target("numpy"), np.errstate(all="ignore"):
        assert hold(NUMPY_FORMS[form]()) <= 4


@pytest.mark.slow
def test_means_the_same_in_the_compiled_network():
    """Brian2's flags let a compiler ignore the sign of 0, which shows where something is divided by it."""
    z = np.where(Z == 0, 0.0, Z)
    assert hold(by_equations(NSANetwork, z=z), z) <= 4
