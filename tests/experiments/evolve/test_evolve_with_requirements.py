"""``nsa evolve --require`` and ``--search``: recorded, resumed and reproduced, and refused in one line."""

import json

import pytest

from evolution.checkpoint import read, search_id
from experiments.evolve.options import new_settings
from nsa_brian import load

EVOLVE = ["evolve", "--envs", "MAB-P", "--arms", "3", "--iterations", "1", "--trials", "1", "--rounds", "20"]
EVOLVE += ["--population", "6", "--generations", "1", "--start", "minbandit-38", "--sigma", "0.1", "--no-figures"]
#: Ids of searches of release 0.3 before there were requirements.
IDS = {"default": "1d51d153", "evolved": "1a80c275", "paper-main": "3635b5ae"}
SET_38 = load("minbandit-38").parameters


@pytest.fixture(scope="module")
def evolved(tmp_path_factory, nsa_said):
    """A search for three parameters with two requirements, and what it printed."""
    here = tmp_path_factory.mktemp("evolved")
    words = [
        "--search",
        "w_max,r_v,alpha_v",
        "--fix",
        "r_eta=0.2",
        "--require",
        "w_max < 6",
        "--require",
        "silent-rest",
    ]
    return here, json.loads(nsa_said(*EVOLVE, *words, "--out", "s", "--json", cwd=here))


def test_only_what_is_named_is_searched(evolved):
    here, found = evolved
    assert found["genes"] == 3
    best = load(here / "s" / "best.json").parameters.to_dict()
    expected = SET_38.replace(r_eta=0.2).to_dict()
    assert {name for name in best if best[name] != expected[name]} == {"w_max", "r_v", "alpha_v"}


def test_requirements_are_recorded_with_the_champions_values(evolved):
    here, found = evolved
    assert found["settings"]["require"] == ["w_max < 6", "silent-rest"]
    assert load(here / "s" / "best.json").evolve["require"] == ["w_max < 6", "silent-rest"]
    assert found["champion"]["required"] == {"silent-rest": pytest.approx(0, abs=0.01)}
    assert read(here / "s").settings.require == ("w_max < 6", "silent-rest")


def test_the_same_search_is_found_again(evolved, nsa):
    here, found = evolved
    again = json.loads(
        nsa("evolve", "--resume", "s", "--search", "r_v,alpha_v,w_max", "--no-figures", "--json", cwd=here)
    )
    assert again["champion"] == found["champion"]
    reproduced = json.loads(nsa("evolve", "--reproduce", "s/best.json", "--no-figures", "--json", "--out", "t"))
    assert reproduced["reproduced"]


def test_resuming_with_other_requirements_or_genes_is_refused(evolved, refused):
    here, _ = evolved
    assert "has --require w_max < 6,silent-rest" in refused("evolve", "--resume", "s", "--require", "robust", cwd=here)
    assert "has --search" in refused("evolve", "--resume", "s", "--search", "r_v", cwd=here)


def test_a_search_that_finds_nothing_that_meets_them_says_so(tmp_path, nsa, capsys):
    with pytest.raises(SystemExit) as left:
        nsa(*EVOLVE, "--require", "w_max < 2", "--out", "s", "--quiet", cwd=tmp_path)
    told = capsys.readouterr()
    assert left.value.code == 2
    assert "candidates of the search meets its requirements" in told.err
    assert not (tmp_path / "s" / "best.json").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--search", "w_max", "--fix", "w_max=3"], "--search and --fix both name w_max"),
        (["--search", "w_mx"], "did you mean w_max"),
        (["--require", "silent-rset"], "did you mean silent-rest"),
        (["--require", "w_max = 3"], "a condition compares"),
        (["--require", "w_max < 1/0"], "requirement 'w_max < 1/0' cannot be computed: "),
        (["--require", "w_max < 9**9**9"], "cannot be computed"),
        (["--require", "w_max < (-8)**0.5"], "a complex number"),
        (["--require", "w_max < 1e999"], "a number is too large"),
        (["--require", "w_max < exp(exp)"], "unknown parameter 'exp'"),
        (["--require", "_ < 1"], "unknown parameter '_'"),
        (["--require", "clip(w_max) < 1"], "clip has 3 arguments, got 1"),
        (["--model", "spiking", "--require", "critical-weight"], "its neurons spike"),
        (["--model", "spiking", "--search", "gain_u"], "gain_u is not used by the model spiking"),
        (["--model", "spiking", "--search", "J_v"], "J_v has no search range in the model spiking"),
    ],
)
def test_bad_requirements_and_genes_are_refused_in_one_line(words, message, refused, tmp_path):
    assert message in refused("evolve", *words, cwd=tmp_path)


def test_what_a_preset_fixes_can_be_searched():
    settings, _ = new_settings("evolved", {"search": ("tau_u", "offset_u")})
    assert {gene.name for gene in settings.genome.genes} == {"tau_u", "offset_u"}
    assert settings.fixed["gain_v"] == 20


def test_ids_of_searches_without_requirements_stay_as_they_were():
    ids = {name: search_id(new_settings(name, {})[0].to_dict()) for name in ("default", "evolved", "paper-main")}
    assert ids == IDS
