"""No text of a model is run: what is no arithmetic with known names is refused."""

import ast

import pytest
from guide import PIECES, model_of
from selection import mostly_slow

from nsa_brian import Coupling, Lateral, Model, NSAParameters, Parameter, Population
from nsa_brian.engines.rounds import Rounds
from nsa_brian.model import expression

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


#: The ways to all texts of a model; most of those to labels, which make whole models, among the slow tests.
WAYS = list(texts_of(EVERYTHING.to_dict()))
QUICK_WAYS = [way for way in WAYS if way not in LABELS or way in (("name",), ("parameters", 0, "meaning"))]


def changed(way, text):
    """The model's dictionary with one of its texts changed (``{}`` stands for what it was), and the text."""
    plain = EVERYTHING.to_dict()
    part = plain
    for key in way[:-1]:
        part = part[key]
    part[way[-1]] = text.replace("{}", part[way[-1]], 1)
    return plain, part[way[-1]]


class TestNoTextOfAModelIsRun:
    @pytest.mark.parametrize("way", mostly_slow(WAYS, *QUICK_WAYS), ids=lambda way: ".".join(map(str, way)))
    @pytest.mark.parametrize("beside", ["{} + ", pytest.param("", marks=pytest.mark.slow)], ids=["beside", "alone"])
    def test_what_is_no_expression_of_known_names_is_refused_in_one_line(self, way, beside, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for code in CODE:
            plain, text = changed(way, beside + code)
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
