"""Records of games round by round, in every engine."""

import copy

import numpy as np
import pytest
from games import SHORT
from own_models import OWN_MODELS

import envs
from nsa_brian import NSA, NSANetwork

ARMS, ROUNDS = 3, 12


def pull(arms):
    return (np.asarray(arms) == 1).astype(int)


@pytest.mark.parametrize("engine", ["rounds", "table", "network"])
def test_a_record_has_what_the_choice_was_made_of(engine, without_compiler):
    rounds = 3 if engine == "network" else ROUNDS
    agent, other = (NSA(ARMS, SHORT, engine, n_games=2, seed=1, record=names) for names in (["w", "u"], ()))
    expected = {"arm": [], "agreed": [], "w": [], "u": []}
    for _ in range(rounds):
        arms = agent.select_arm()
        assert (arms == other.select_arm()).all()
        for name, value in zip(expected, (arms, other.engine.agreed, other.engine.w, other.engine.u), strict=True):
            expected[name].append(value.copy())
        agent.update(arms, pull(arms))
        other.update(arms, pull(arms))
    for name, values in expected.items():
        assert (agent.record[name] == values).all(), name
    assert (agent.record["reward"] == pull(agent.record["arm"])).all()
    with pytest.raises(ValueError, match="nothing was recorded"):
        other.record  # noqa: B018


@pytest.mark.parametrize("engine", ["rounds", "network"])
def test_names_may_come_from_an_iterator(engine, without_compiler):
    agent = NSA(ARMS, SHORT, engine, seed=1, record=iter(["w", "u"]))
    assert agent.play(pull, 1)["u"].shape == (1, ARMS)
    if engine == "network":
        network = NSANetwork(ARMS, SHORT, seed=1, record=iter(["w", "u"]))
        assert [*agent.engine.monitors] == [*network.monitors] == ["w", "u"]
        assert [*copy.deepcopy(network).monitors] == ["w", "u"]


@pytest.mark.parametrize("engine", ["rounds", "table"])
def test_rounds_ahead_are_recorded_and_make_the_same_choices(engine):
    probabilities, luck = envs.make("MAB-D", ARMS, n_games=2, seed=1).ahead(60)
    fast, recorded = (NSA(ARMS, engine=engine, n_games=2, seed=1, record=names) for names in ((), ["w"]))
    assert fast.plays_ahead
    arms, agreed = fast.play_ahead(probabilities, luck)
    found = recorded.play_ahead(probabilities, luck)
    assert (found[0] == arms).all()
    assert (found[1] == agreed).all()
    assert (recorded.record["arm"] == arms).all()
    assert (recorded.record["agreed"] == agreed).all()
    assert recorded.record["w"].shape == (60, 2, ARMS)
    assert recorded.engine.w == pytest.approx(fast.engine.w, rel=1e-12)  # compiled rounds round differently


def test_play_returns_the_record_of_its_rounds(without_compiler):
    agent = NSA(ARMS, SHORT, seed=1, record=["w"])
    first, second = agent.play(pull, 4), agent.play(pull, 3)
    assert first["w"].shape == (4, ARMS)
    assert second["arm"].shape == (3,)
    assert (np.concatenate([first["w"], second["w"]]) == agent.record["w"]).all()
    assert sorted(NSA(ARMS, SHORT, seed=1).play(pull, 4)) == ["agreed", "arm", "reward"]


def test_signals_and_inputs_are_recorded(without_compiler):
    models = {make.__name__: make() for make in OWN_MODELS}
    light = np.random.default_rng(0).random(ROUNDS)
    agent = NSA(ARMS, SHORT, model=models["drug"], seed=1, record=["drug", "cost"], inputs={"drug": light})
    found = agent.play(pull, 3)
    assert (found["drug"] == light[:3]).all()
    assert found["cost"].shape == (3, ARMS)
    agent = NSA(ARMS, SHORT, model=models["arousal"], n_games=2, seed=1, record=["arousal"])
    assert (agent.play(pull, 3)["arousal"][0] == 0.5).all()  # its initial value
    assert agent.record["arousal"].shape == (3, 2)


def test_copies_keep_the_record(tmp_path, without_compiler):
    agent = NSA(ARMS, SHORT, seed=1, record=["w"])
    agent.play(pull, 3)
    agent.save(tmp_path / "agent.npz")
    for other in (copy.deepcopy(agent), NSA.load(tmp_path / "agent.npz")):
        other.play(pull, 2)
        assert other.record["w"].shape == (5, ARMS)
        assert (other.record["w"][:3] == agent.record["w"]).all()
    assert agent.record["w"].shape == (3, ARMS)


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ("w", "record must be a sequence of names, got 'w'"),
        (["weight"], "cannot record 'weight' by round; the model has u, v, w"),
        ([3], "cannot record 3 by round"),
    ],
)
def test_other_names_are_refused(record, why, without_compiler):
    with pytest.raises(ValueError, match=why):
        NSA(ARMS, SHORT, record=record)
