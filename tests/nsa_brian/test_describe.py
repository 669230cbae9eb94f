"""Descriptions of models: formulas, documents in every format, diagrams."""

import re
import shutil
import subprocess
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest
from guide import RECIPES, model_of
from own_models import OWN_MODELS

from nsa_brian import DEFAULT_SET, load, load_model
from nsa_brian.describe.blocks import Equations, Paragraph, Table
from nsa_brian.describe.content import Description
from nsa_brian.describe.diagram import diagram
from nsa_brian.describe.formats import to_html, to_latex, to_markdown
from nsa_brian.model.formula import expression, number, symbol
from nsa_brian.model.loading import SPIKING

ALL = {name: load_model(name) for name in ("paper", *SPIKING)}
ALL |= {name: model_of(name) for name in RECIPES} | {each.__name__: each() for each in OWN_MODELS}
every_model = pytest.mark.parametrize("model", ALL.values(), ids=ALL)


def described(model, **options):
    chosen = load()
    return Description(replace(chosen, model=model, parameters=model.complete(chosen.parameters)), **options).document()


def words(document):
    """The text of a description, without formulas."""
    paragraphs = [block.parts for block in document.blocks if isinstance(block, Paragraph)]
    return " ".join("".join(part for part in parts if isinstance(part, str)) for parts in paragraphs)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a - (b - c)", r"a - \left( b - c \right)"),
        ("a - b - c", "a - b - c"),
        ("a * (b + c)", r"a \, \left( b + c \right)"),
        ("a + -b", r"a + \left( - b \right)"),
        ("-a * b", r"- a \, b"),
        ("(a + b)**2", r"\left( a + b \right)^{2}"),
        ("-a**2", "- a^{2}"),
        ("(-a)**2", r"\left( - a \right)^{2}"),
        ("a / (b * c)", r"\frac{a}{b \, c}"),
        ("1 / (1 + a / (b * c))", r"\frac{1}{1 + a / \left( b \, c \right)}"),
        ("-(a + b)", r"- \left( a + b \right)"),
        ("2 * 3", r"2 \cdot 3"),
        ("50 * ms", r"50 \, \mathrm{ms}"),
        ("int(a > b)", r"\left[ a > b \right]"),
        ("nsa_clip(a, 0, 1)", r"\operatorname{clip} \left( a, 0, 1 \right)"),
    ],
)
def test_an_expression_keeps_its_meaning_and_its_order(text, latex):
    assert expression(text).latex == latex


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("tau_u", r"\tau_{u}"), ("Phi_eta", r"\Phi_{\eta}"), ("g_xi", r"g_{\mathrm{xi}}"), ("g_xI", r"g_{\mathrm{xI}}"),
        ("w_max", r"w_{\mathrm{max}}"), ("dt", r"\Delta t"), ("n_arms", "K"),
    ],
)  # fmt: skip
def test_names_as_on_paper(name, latex):
    assert symbol(name).latex == latex


def test_numbers():
    assert [number(x).latex for x in (1e-6, 0.25, 3, 2.5e-7)] == ["10^{-6}", "0.25", "3", r"2.5 \cdot 10^{-7}"]


@every_model
def test_a_description_has_every_equation_and_parameter(model):
    document = described(model)
    structure = model.structure
    equations = [block for block in document.blocks if isinstance(block, Equations)]
    rows = [row for block in equations for row in block.rows]
    assert [block.first for block in equations] == [
        1 + sum(len(b.rows) for b in equations[:i]) for i in range(len(equations))
    ]
    derivatives = [left for left, _ in rows if left.latex.startswith(r"\frac{\mathrm{d}")]
    assert len(derivatives) == sum(
        len([eq for eq in place if eq.type == "differential equation"]) for place in structure.places.values()
    )
    (table,) = [block for block in document.blocks if isinstance(block, Table)]
    symbols = [row[0].latex for row in table.rows]
    used = [name for name in model.declared if name in structure.used]
    assert symbols[: len(used)] == [symbol(name).latex for name in used]
    said = words(document)
    for phase in structure.phases:
        assert f"{phase.name.capitalize()} lasts" in said


@every_model
def test_every_format_is_well_formed(model):
    document, drawing = described(model), diagram(model)
    latex, markdown, page = to_latex(document), to_markdown(document), to_html(document, drawing)
    count = sum(len(block.rows) for block in document.blocks if isinstance(block, Equations))
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\begin{") == latex.count(r"\end{")
    assert len(re.findall(r"\\tag\{\d+\}", markdown)) == count
    root = ElementTree.fromstring(f"<div>{page}</div>")
    assert len(root.findall(".//div[@class='equation']")) == count
    assert root.find(".//figure") is not None
    assert model._repr_html_().count('class="equation"') > 0


@every_model
def test_nothing_overlaps_in_a_diagram(model):
    root = ElementTree.fromstring(diagram(model))
    name = "{http://www.w3.org/2000/svg}rect"
    found = [
        (each.get("class"), *(float(each.get(key)) for key in ("x", "y", "width", "height")))
        for each in root.iter(name)
    ]
    boxes = [each for each in found if each[0].startswith("population")]
    assert len(boxes) == len(model.structure.populations)
    assert sum("game" in each[0] for each in boxes) == len(model.structure.of_games)
    width, height = (float(root.get(key)) for key in ("width", "height"))
    for first, second in combinations(found, 2):
        (_, x, y, w, h), (_, a, b, c, d) = first, second
        assert x + w <= a + 1 or a + c <= x + 1 or y + h <= b + 1 or b + d <= y + 1, (first, second)
    for _, x, y, w, h in found:
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height


def test_what_a_diagram_marks():
    paper, lateral = diagram(ALL["paper"]), diagram(ALL["lateral.py"])
    assert paper.count('class="plastic one"') == 2  # I_v, and the legend
    assert paper.count('class="all"') == 1  # the legend
    assert lateral.count('class="all"') == 2
    assert 'class="plastic all"' in diagram(ALL["spiking-ei"])


def test_sentences():
    assert "one-to-one within each option" in words(described(ALL["paper"]))
    assert "from all other options" in words(described(ALL["lateral.py"]))
    assert "carried over from round to round" in words(described(ALL["carried.py"]))
    assert "In every round an option is drawn with a probability proportional to" in words(described(ALL["softmax.py"]))
    assert "Poisson process" in words(described(ALL["spiking-ei"]))
    assert "Wang (2002), Neuron" in words(described(ALL["spiking-ei"]))
    assert "the Runge-Kutta method of order 4" in words(described(ALL["paper"], method="rk4"))


def test_values_that_were_calibrated():
    model = ALL["spiking"]
    rows = {row[0].latex: row for block in described(model).blocks if isinstance(block, Table) for row in block.rows}
    assert rows["J_{v}"][1] == "calibrated"
    known = described(model, found={"J_v": 0.4e-9, "Phi_star": 0.5, "Phi_top": 0.9})
    rows = {row[0].latex: row for block in known.blocks if isinstance(block, Table) for row in block.rows}
    assert (rows["J_{v}"][1].latex, rows["J_{v}"][2]) == ("0.4", "nA")
    assert rows[r"w_{\mathrm{max}}"][4] == f"set {DEFAULT_SET}"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs LaTeX")
@every_model
def test_latex_compiles(model, tmp_path):
    (tmp_path / "model.tex").write_text(to_latex(described(model), standalone=True), "utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "model.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
