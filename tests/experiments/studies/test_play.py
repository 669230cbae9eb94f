"""Playing: common luck, determinism, results files."""

import dataclasses
import json

import numpy as np
import pytest

import baselines
import envs
from experiments import play, results
from experiments.core.files import write_atomically
from experiments.core.game import play as play_game
from experiments.core.metrics import fingerprint, regret
from experiments.core.results import RESULTS
from experiments.core.settings import PlaySettings
from experiments.studies.play.cell import PlayCell
from experiments.studies.play.study import STUDY
from nsa_brian import Model, NSAParameters, ParameterSet
from nsa_brian.common.game_streams import streams

SHORT = NSAParameters(tau_u=20, tau_v=30, duration_input=60, duration_free=60)
SETTINGS = PlaySettings(arms=4, trials=2, rounds=15, repetitions=3, nsa=ParameterSet(SHORT))


def fingerprints(settings, **options):
    return {agent: fingerprint(record) for agent, record in play.run(settings, **options).records.items()}


@pytest.fixture(scope="module")
def played():
    return play.run(SETTINGS)


def test_same_seed_same_games_whatever_the_order_number_of_agents_and_workers(played, workers_at_hand):
    expected = {agent: fingerprint(record) for agent, record in played.records.items()}
    assert fingerprints(dataclasses.replace(SETTINGS, agents=SETTINGS.agents[::-1])) == expected
    assert fingerprints(dataclasses.replace(SETTINGS, agents=("nsa",))) == {"nsa": expected["nsa"]}
    assert fingerprints(SETTINGS, workers=2) == expected
    other = fingerprints(dataclasses.replace(SETTINGS, seed=1))
    assert not set(other.values()) & set(expected.values())


@pytest.mark.slow
def test_more_repetitions_leave_the_first_ones_as_they_were(played):
    more = play.run(dataclasses.replace(SETTINGS, repetitions=5))
    for agent, record in played.records.items():
        assert (more.records[agent].arms[:3] == record.arms).all()
        assert (more.records[agent].rewards[:3] == record.rewards).all()


def test_all_agents_meet_the_same_probabilities_and_the_same_luck(played):
    records = list(played.records.values())
    for record in records[1:]:
        assert (record.best == records[0].best).all()
        same_arm = record.arms == records[0].arms
        assert same_arm.any()
        assert (record.rewards[same_arm] == records[0].rewards[same_arm]).all()


def test_repetitions_differ(played):
    best = played.records["random"].best
    assert len({row.tobytes() for row in best}) == 3


def test_progress_adds_up_to_the_work(played):
    for workers in (1, 2):
        told = []
        play.run(dataclasses.replace(SETTINGS, agents=("random", "ucb1")), workers, told.append)
        assert sum(told) == 2 * 3 * 30


def test_a_results_file_gives_back_what_was_saved(played, tmp_path):
    path = tmp_path / "r.npz"
    results.save(played, path)
    back = results.load(path)
    assert back.settings == played.settings
    assert back.versions == played.versions
    for agent, record in played.records.items():
        for name, array in record.arrays().items():
            assert (getattr(back.records[agent], name) == array).all()
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.npz"]


def test_all_rounds_are_a_data_frame(played):
    pytest.importorskip("pandas")
    frame = played.to_dataframe(rounds=True)
    assert list(frame) == ["agent", "game", "trial", "round", "arm", "reward", "probability", "best", "agreed"]
    settings = played.settings
    assert len(frame) == len(settings.agents) * settings.repetitions * settings.n_rounds
    for agent, record in played.records.items():
        own = frame[frame.agent == agent]
        shape = record.arms.shape
        found = {name: own[name].to_numpy().reshape(shape) for name in frame if name != "agent"}
        assert (found["game"] == np.arange(shape[0])[:, None]).all()
        assert (found["round"] == np.arange(shape[1])).all()
        assert (found["trial"] == np.arange(shape[1]) // settings.rounds).all()
        assert (found["arm"] == record.arms).all()
        assert (found["reward"] == record.rewards).all()
        assert (found["probability"] == record.expected).all()
        assert (found["best"] == record.best).all()
        if agent == "nsa":
            assert (found["agreed"] == record.agreed).all()
            assert 0 < record.agreed.mean() < 1
        else:
            assert record.agreed is None
            assert own.agreed.isna().all()


def test_results_of_0_2_have_no_agreement(played, tmp_path):
    cells = {agent: {k: v for k, v in found.items() if k != "agreed"} for agent, found in played.cells.items()}
    results.save(dataclasses.replace(played, cells=cells), tmp_path / "old.npz")
    assert results.load(tmp_path / "old.npz").records["nsa"].agreed is None


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "r.npz"
    path.write_bytes(b"old")

    def fail(file):
        file.write(b"half")
        raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError):
        write_atomically(path, fail)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.npz"]


def test_the_id_differs_when_settings_do():
    changes = [{}, {"seed": 1}, {"arms": 5}, {"ties": "first"}, {"env_options": {"sd": 0.1}}, {"agents": ("nsa",)}]
    assert len({dataclasses.replace(SETTINGS, **change).id for change in changes}) == len(changes)


def test_a_schedule_too_short_for_the_game_is_refused_before_playing():
    settings = PlaySettings(env="schedule", env_options={"table": np.zeros((5, 4)).tolist()}, arms=4, rounds=15)
    with pytest.raises(ValueError, match="schedule lasts 5 rounds, but 2 trials x 15 rounds were asked for"):
        settings.check()


def test_nobody_does_better_than_the_best_arm(played):
    for record in played.records.values():
        assert (record.best >= record.expected).all()
        assert (record.best >= record.chance).all()


def test_an_agent_that_knows_the_best_arm_has_no_regret():
    bandit = envs.make("MAB-sin", 5, n_games=3)
    bandit.reset(streams(0, "bandit", range(3)))

    class Oracle:
        def select_arm(self):
            return bandit.best_arm

        def update(self, arm, reward):
            pass

    assert regret(play_game(Oracle(), bandit, 50)) == pytest.approx(0, abs=1e-12)


def test_results_of_an_agent_of_ones_own_can_be_read_where_it_is_not_known(tmp_path, monkeypatch):
    monkeypatch.setitem(baselines.POLICIES, "mine", baselines.POLICIES["random"])
    results.save(play.run(dataclasses.replace(SETTINGS, agents=("mine",))), tmp_path / "r.npz")
    monkeypatch.undo()
    back = results.load(tmp_path / "r.npz")
    assert back.settings.agents == ("mine",)
    with pytest.raises(ValueError, match="unknown agent 'mine'"):
        back.settings.check()


def test_a_game_that_was_stopped_goes_on_unless_what_it_plays_with_has_changed(tmp_path, monkeypatch):
    table = tmp_path / "table.csv"
    computed = []
    call = PlayCell.__call__

    def counted(cell, progress=None):
        computed.append(cell.agent)
        if cell.agent == "ucb1" and len(computed) in (2, 5):
            raise KeyboardInterrupt
        return call(cell)

    monkeypatch.setattr(PlayCell, "__call__", counted)

    def run():
        settings = PlaySettings(
            env="schedule", env_options={"table": str(table)}, arms=2, trials=1, rounds=3, agents=("random", "ucb1")
        )
        return STUDY.run(settings, tmp_path)

    table.write_text("0,1\n" * 3)
    with pytest.raises(KeyboardInterrupt):
        run()
    run()
    assert computed == ["random", "ucb1", "ucb1"]
    with pytest.raises(KeyboardInterrupt):
        run()
    table.write_text("1,0\n" * 3)
    changed, _ = run()
    assert computed[3:] == ["random", "ucb1", "random", "ucb1"]
    assert (changed.records["random"].best_arm == 0).all()


def test_a_cell_is_divided_among_workers_and_put_together_again():
    whole = PlayCell(SETTINGS, "ucb1", range(3))
    parts = whole.split(2)
    assert [part.repetitions for part in parts] == [range(1), range(1, 3)]
    assert sum(part.work for part in parts) == whole.work
    joined = whole.join([part() for part in parts])
    for name, array in whole().items():
        assert (joined[name] == array).all()
    assert len(whole.split(8)) == 3


@pytest.mark.parametrize("name", ["|chance", "random|rewards"])
def test_a_results_file_with_arrays_of_another_shape_is_refused(name, played, tmp_path):
    path = tmp_path / "play.npz"
    results.save(played, path)
    with np.load(path) as file:
        arrays = dict(file)
    meta = json.loads(str(arrays.pop("meta")))
    arrays[name] = arrays[name][:0]
    meta["arrays"][name][1] = 0
    del meta["checksum"]
    np.savez(path, meta=np.array(json.dumps(meta)), **arrays)
    with pytest.raises(
        ValueError, match=rf"is not .*: {name.partition('|')[2]} must be of shape \(\d+, \d+\), got \(0, \d+\)"
    ):
        results.load(path)


def test_results_of_release_0_2_load(played, tmp_path):
    """They have a slash behind an agent, and the bandit's arrays stand alone."""
    shared = ("best_arm", "best", "chance")
    arrays = {
        name if name in shared else f"{agent}/{name}": array
        for agent, cell in played.cells.items()
        for name, array in cell.items()
    }
    meta = {"study": "play", "settings": played.settings_dict, "versions": played.versions}
    RESULTS.write(tmp_path / "old.npz", json.loads(json.dumps(meta)), {**arrays, "input:light": np.ones((2, 4))})
    back = results.load(tmp_path / "old.npz")
    assert back.summary == played.summary
    assert back.inputs.keys() == {"light"}


def test_what_all_agents_share_is_stored_once(played, tmp_path):
    results.save(played, tmp_path / "new.npz")
    _, arrays = RESULTS.read(tmp_path / "new.npz")
    assert {"|best_arm", "|best", "|chance"} <= arrays.keys()
    assert len(arrays) < sum(map(len, played.cells.values()))
    assert results.load(tmp_path / "new.npz").summary == played.summary


def test_settings_of_release_0_2_are_the_same_for_one_release():
    with pytest.warns(DeprecationWarning, match="use nsa=ParameterSet"):
        old = PlaySettings(parameters=SHORT.to_dict(), parameters_name="short", model=Model(noise=0.1))
    new = PlaySettings(nsa=ParameterSet(SHORT, "short", model=Model(noise=0.1)))
    assert old == new
    assert old.id == new.id
    with pytest.warns(DeprecationWarning, match="in place of parameters"):
        assert old.parameters == SHORT.to_dict()
