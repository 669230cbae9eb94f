"""``nsa ablation``: variants of any model, and what they cost on the same games."""

import dataclasses
import re

import numpy as np
import pytest
from small_studies import small

import nsa_brian
from experiments.core.named import read_agent, read_set
from experiments.core.nsa_agents import NSA
from experiments.studies.ablation.lesions import LESIONS, lesioned, model_of, noisy
from experiments.studies.ablation.study import STUDY, Settings
from experiments.studies.ablation.variants import MECHANISMS, Variant, variants
from nsa_brian import load_model
from nsa_brian.model.reading import names_in
from nsa_brian.parameter_set import model_names, names

TINY = Settings(envs=("MAB-P", "reversal"), arms=(3, 12), rounds=20, trials=1, repetitions=4, noise=(0.0,))
PAPER = read_set("evolved")


def with_variants(settings, *chosen):
    """Settings with these variants only, so that few models are compiled."""
    made = dataclasses.replace(settings)
    vars(made)["variants"] = [each for each in settings.variants if each.name in chosen]
    return made


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    settings = with_variants(TINY, "V alone", "U alone")
    vars(settings)["variants"].append(Variant("itself", "the full model", "agent", settings.nsa_agents[NSA]))
    few = Variant("few arms", "the full model, in small cells", "noise", settings.nsa_agents[NSA], most_arms=3)
    vars(settings)["variants"].append(few)
    return STUDY.run(settings, tmp_path_factory.mktemp("ablation"))[0]


class TestCosts:
    def test_are_paired_differences_on_the_same_games_with_the_same_random_numbers(self, results):
        assert results.summary.variants["itself"].cost["all"].mean == 0
        assert results.summary.variants["itself"].cost["all"].ci95 == (0, 0)
        found = results.summary.variants["V alone"]
        cells = [("MAB-P", 3), ("MAB-P", 12), ("reversal", 2)]
        costs = [
            results.cells[f"{env}/{k}/V alone"]["regret"] - results.cells[f"{env}/{k}/full"]["regret"]
            for env, k in cells
        ]
        assert found.cost["all"].mean == pytest.approx(np.mean(costs))
        unit = np.mean(costs, axis=0)
        half = 3.1824463 * unit.std(ddof=1) / 2  # Student's t with 3 degrees of freedom
        assert found.cost["all"].ci95 == pytest.approx((unit.mean() - half, unit.mean() + half))
        assert found.cells == {"all": 3, "paper's": 2, "others": 1}
        assert found.by_bandit["reversal"] == pytest.approx(np.mean(costs[2]))

    def test_of_variants_with_few_arms_are_those_of_small_cells(self, results):
        found = results.summary.variants["few arms"]
        assert found.cells == {"all": 2, "paper's": 1, "others": 1}
        assert "MAB-P/12/few arms" not in results.cells
        assert found.full["all"] != results.summary.full["all"]

    def test_are_listed_from_the_highest_to_the_lowest(self, results):
        means = [worth.cost["all"].mean for worth in results.summary.variants.values()]
        assert means == sorted(means, reverse=True)
        rows = STUDY.rows(results)
        assert [row["variant"] for row in rows if row["group"] == "all"] == list(results.summary.variants)

    def test_are_drawn_as_bars_a_panel_for_each_group(self, results):
        figure = STUDY.draw(results)
        panels = [ax for ax in figure.axes if ax.get_title(loc="left")]
        assert [ax.get_title(loc="left").split(":")[0] for ax in panels] == [
            "all bandits",
            "the paper's bandits",
            "other bandits",
        ]
        assert [tick.get_text() for tick in panels[0].get_yticklabels()] == list(results.summary.variants)


@pytest.mark.parametrize("what", ["evolved", "spiking", "familiarity", "kalman"])
def test_any_model_has_lesions(what):
    full = read_agent(f"nsa:{what}")
    found = {lesion.name: lesioned(full, lesion.change) for lesion in LESIONS}
    assert found["V alone"].model.choice.explore == "best_v"
    assert found["U alone"].model.choice.exploit == "never"
    assert (found["uniform exploration"] is None) == (model_of(full).choice.explore == "1")
    for each in filter(None, found.values()):
        values = each.parameters.to_dict()
        assert all(values[name] == value for name, value in full.parameters.to_dict().items() if name in values)


@pytest.mark.parametrize("what", ["evolved", pytest.param("familiarity", marks=pytest.mark.slow)])
@pytest.mark.parametrize("population", ["U", "V"])
def test_a_silenced_population_shows_nothing(what, population):
    lesion = next(each for each in LESIONS if each.name == f"{population} silenced")
    agent = lesioned(read_agent(f"nsa:{what}"), lesion.change)
    played = nsa_brian.NSA(3, agent.parameters, seed=1, n_games=2, model=agent.model)
    played.engine.set_weights(np.full((2, 3), 2.0))
    played.select_arm()
    assert (played.engine.activity["UV".index(population)] == 0).all()


@pytest.mark.slow
def test_noise_in_a_population_has_the_strength_it_says():
    full = read_agent("nsa:familiarity")
    agent = noisy(full, 0.1)
    exact, shaken = (
        nsa_brian.NSA(500, each.parameters, seed=1, n_games=20, model=each.model) for each in (full, agent)
    )
    for played in (exact, shaken):
        played.select_arm()
    assert (shaken.engine.activity - exact.engine.activity).std() == pytest.approx(0.1, rel=0.1)


class TestVariants:
    def test_with_noise_have_the_fewer_arms_the_longer_a_round(self):
        most = {}
        for what in ("familiarity", "evolved"):
            found = {each.name: each for each in variants(read_agent(f"nsa:{what}"), (0.1,), "", ())}
            most[what] = found["noise 0.1"].most_arms
        assert most == {"familiarity": 60_000 // 50, "evolved": 60_000 // (2888 + 2687)}

    def test_have_a_mechanism_with_the_full_models_parameters_and_with_its_own(self):
        full = read_agent("nsa:familiarity")
        found = {each.name: each for each in variants(full, (0.1,), "", ())}
        for name, _, variant, _ in MECHANISMS["familiarity"]:
            assert found[name].agent.model == load_model(variant)
            assert (f"{name}, retuned" in found) == (variant in model_names())
        assert found["without recovery of novelty"].agent.parameters.eta == full.parameters.eta
        assert found["the paper's model"].agent == read_set()

    def test_name_only_models_that_are_shipped(self):
        for mechanisms in MECHANISMS.values():
            for _, _, variant, _ in mechanisms:
                assert not isinstance(variant, str) or load_model(variant).name == variant

    def test_of_familiarity_with_surprise_lack_one_mechanism_each(self):
        full = read_agent("nsa:familiarity-surprise")
        found = {each.name: each.agent.model for each in variants(full, (), "", ())}
        assert "eta_h" not in found["without novelty in learning"].declared
        assert "recovery" not in found["without recovery of novelty"].declared
        assert not {"rise", "sink"} & set(found["with a fixed aspiration"].declared)
        assert "h" not in names_in(
            found["without memory in U"].populations[0].equations.partition("=")[2].rpartition(":")[0]
        )
        for name in ("without novelty in learning", "without memory in U"):
            assert "fast" in found[name].declared

    def test_of_the_papers_model_keep_all_else(self):
        found = {each.name: each.agent for each in variants(PAPER, (), "spiking", ("nsa:minbandit-38",))}
        assert 0 < found["constant learning rate"].parameters.rate < 1
        assert found["no forgetting"].parameters.tau_u == PAPER.parameters.tau_u
        assert found["spiking"].model.structure.spikes
        assert found["minbandit-38"] == read_set("minbandit-38")


def test_settings_come_back_with_all_variants_though_none_is_made_again():
    settings = small("ablation")
    back = Settings.from_dict(settings.to_dict())
    assert [each.name for each in back.variants] == [each.name for each in settings.variants]
    assert [each.agent for each in back.variants] == [each.agent for each in settings.variants]
    assert back.to_dict() == settings.to_dict()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--agents", "nsa,ucb1"], "agents of an ablation are nsa and nsa:WHAT, got ucb1"),
        (["--noise", "-1"], "noise must be at least 0"),
        (["--model", "nothing"], "no model 'nothing'"),
        (["--agents", "nsa,nsa:linear value"], "no parameter set 'linear value'"),
    ],
)
def test_bad_settings_are_refused_in_one_line(words, message, refused, tmp_path):
    assert re.search(message, refused("ablation", "--preset", "quick", *words, cwd=tmp_path))


def test_the_full_preset_has_the_papers_cells_and_the_others():
    from experiments.studies.standings.study import places

    full = STUDY.presets["full"]
    cells = list(places(full.envs, full.arms))
    assert len([env for env, _ in cells if env.startswith("MAB")]) == 24
    assert len(cells) == 49
    assert full.parameters in [*names(), *model_names()]
