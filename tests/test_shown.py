"""What a prompt and a notebook show of networks, decisions, searches, studies, models and running games."""

import nbclient
import nbformat
import pytest
from guide import RECIPES, model_of

from evolution import Games, Search, SearchSettings
from experiments.registry import study
from nsa_brian import MODELS, NSANetwork, load
from nsa_brian.model.model import PAPER, Model

SHORT = load().parameters.replace(duration_input=600, duration_free=500)
pytestmark = pytest.mark.usefixtures("without_compiler")


def test_a_network_and_its_decision():
    network = NSANetwork(n_arms=3, parameters=SHORT, seed=1, record=["u", "w"])
    assert repr(network) == "NSANetwork(n_arms=3, model='paper', record=['u', 'w'], t=0. s)"
    decision = network.decide()
    seconds = network.round_steps / 1000
    assert repr(decision) == f"Decision(arm={decision.arm}, agreed={decision.agreed}, {seconds:g} s)"
    assert f"t={seconds:g} s" in repr(network)


def test_a_network_and_decisions_of_several_games():
    network = NSANetwork(n_arms=3, parameters=SHORT, n_games=4, seed=1)
    decision = network.decide()
    assert "n_games=4" in repr(network)
    assert repr(decision).startswith(f"Decision(4 games, agreed in {decision.agreed.sum()}, ")


def test_a_decision_with_spikes():
    network = NSANetwork(n_arms=2, seed=1, model=model_of("contacts.py"), record=True)
    decision = network.decide()
    assert "record=True" in repr(network)
    assert len(decision.t_u) > 0
    assert f"spikes: {len(decision.t_u)} of U, {len(decision.t_v)} of V" in repr(decision)


@pytest.mark.parametrize(
    ("fitness", "found"), [(None, "lowest regret"), (lambda parameters, seed: 1.5, "best fitness")]
)
def test_a_search(fitness, found):
    games = Games(envs=("MAB-P",), arms=(3,), trials=1, rounds=10, iterations=1)
    search = Search(SearchSettings(games=games, population=4, generations=3), fitness)
    assert repr(search) == "Search(22 genes of model 'paper': 0 of 3 generations)"
    search.step()
    best = abs(search.hall_of_fame[0].fitness.values[0])
    assert repr(search) == f"Search(22 genes of model 'paper': 1 of 3 generations, {found} {best:.4g})"


def test_a_study():
    assert repr(study("table")) == "<study nsa table: presets paper, full, quick>"


def lines(model):
    return model._repr_latex_().removeprefix("$$").removesuffix("$$").replace(" \\\\", "").splitlines()


def test_the_papers_equations():
    shown = lines(PAPER)
    assert shown[1:6] == [
        r"&\text{U, one neuron of each option:}",
        r"\frac{\mathrm{d}u}{\mathrm{d}t} &= \frac{- u + I_{u} + I}{\tau_{u}}",
        r"s_{u} &= \frac{1}{1 + \exp \left( - \mathrm{gain}_{u} \, \left( u - \mathrm{offset}_{u} \right) \right)}",
        r"\phi_{u} &= s_{u} \, \left[ s_{u} > \mathrm{threshold}_{u} \right]",
        r"I_{u} &= \phi_{v}",
    ]
    assert shown[-2] == r"w &\leftarrow w + \Phi_{\eta} \, \left( R \, w_{\mathrm{max}} - w \right)"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "lateral.py",
            r"I_{\mathrm{lateral}} &= \sum_{\text{other options}} \left( - \mathrm{inhibition} \, \phi_{u} \right)",
        ),
        ("static_pool.py", r"&\text{pool, one neuron of each game:}"),
        ("hybrid.py", r"I_{u} &= \left\langle \frac{s}{s_{\mathrm{top}}} \right\rangle_{\text{V}}"),
        ("contacts.py", r"\text{spike if } &x > 1"),
        ("contacts.py", r"x &\leftarrow 0"),
    ],
)
def test_what_other_models_declare(name, line):
    assert line in lines(model_of(name))


def test_functions_and_operators():
    odd = "int(u > 1 and not u // 2 > 3) + int(u) + sqrt(abs(u)) + clip(u % 2, 0, 1) * tanh(u)**2"
    shown = lines(Model(rate_u=f"du/dt = (-u + I_u + I + {odd}) / tau_u : 1"))[2]
    for part in (
        r"\left[ u > 1 \wedge u \, \text{div} \, 2 \leq 3 \right]",
        r"\operatorname{int} \left( u \right)",
        r"\sqrt{\left| u \right|}",
        r"\operatorname{clip} \left( u \, \text{mod} \, 2, 0, 1 \right)",
        r"\left( \tanh \left( u \right) \right)^{2}",
    ):
        assert part in shown


@pytest.mark.parametrize("model", [*MODELS.values(), *map(model_of, RECIPES)], ids=lambda model: model.name)
def test_every_model_has_its_state_variables_shown(model):
    shown = model._repr_latex_()
    assert shown.count(r"\frac{\mathrm{d}") == sum(
        len([eq for eq in equations if eq.type == "differential equation"])
        for equations in model.structure.places.values()
    )
    assert shown.count("{") == shown.count("}")
    assert shown.count(r"\left") - shown.count(r"\leftarrow") == shown.count(r"\right")


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """What the cells of a notebook show."""
    notebook = nbformat.v4.new_notebook()
    play = "run(PlaySettings(env='MAB-P', arms=3, rounds=5, repetitions=1, agents=('random',)){})"
    texts = [
        "from experiments.core.settings import PlaySettings\nfrom experiments.play import run\nimport nsa_brian",
        play.format("") + "\npass",
        play.format(", progress=False") + "\npass",
        "nsa_brian.Model()",
    ]
    notebook.cells = [nbformat.v4.new_code_cell(text) for text in texts]
    where = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=where).execute()
    return [cell.outputs for cell in notebook.cells[1:]]


@pytest.mark.slow
def test_run_shows_progress_in_a_notebook_unless_told_not_to(cells):
    assert "100%" in str(cells[0]) or "application/vnd.jupyter.widget-view+json" in str(cells[0])  # with ipywidgets
    assert cells[1] == []


@pytest.mark.slow
def test_a_notebook_shows_a_model_as_formulas(cells):
    (shown,) = cells[2]
    assert shown.data["text/latex"] == PAPER._repr_latex_()
    assert shown.data["text/plain"] == repr(PAPER)


def test_run_tells_a_function_and_writes_nothing_where_there_is_no_terminal(capfd):
    from experiments.core.settings import PlaySettings
    from experiments.play import run

    settings = PlaySettings(env="MAB-P", arms=3, rounds=5, repetitions=2, agents=("random",))
    told = []
    run(settings, progress=told.append)
    run(settings)
    assert sum(told) == sum(cell.work for cell in study("play").cells(settings).values())
    assert capfd.readouterr() == ("", "")
