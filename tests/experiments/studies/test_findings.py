"""What the studies find: decisions, responses, updates, bandits."""

import dataclasses

import numpy as np
import pytest

from envs import BANDITS
from experiments.core.claims import AGREES, NO, PARTLY
from experiments.studies.environments.study import STUDY as ENVIRONMENTS
from experiments.studies.response.study import STUDY as RESPONSE
from experiments.studies.updates.study import Part, Summary, Trial, signs
from nsa_brian import load
from nsa_brian.model.critical import critical


def test_a_trained_network_agrees_and_nothing_sustains_activity_in_an_untrained_one(done):
    untrained, trained = done["decision"][0].summary.decisions
    p = load().parameters
    driven, decayed = ((1 - 1 / p.tau_u) ** round(duration) for duration in (p.duration_input, p.duration_free))
    assert untrained.u_end == pytest.approx([p.I_ext * (1 - driven) * decayed] * len(untrained.u_end))
    assert trained.agreed
    assert max(trained.u_end) > 0.9


def test_the_critical_weight_is_the_papers_step(tmp_path):
    results, _ = RESPONSE.run(RESPONSE.presets["paper"], tmp_path)
    share = {name: found.critical_share for name, found in results.summary.sets.items()}
    assert share["minbandit-38"] == pytest.approx(0.64, abs=0.01)
    assert share["minbandit-29"] == pytest.approx(0.31, abs=0.01)


def test_no_critical_weight_where_nothing_lasts():
    w = np.linspace(0, 1, 11)
    assert np.isnan(critical(w, np.full(11, 1e-9)))
    assert np.isnan(critical(w, np.ones(11)))
    assert critical(w, (w > 0.45).astype(float)) == pytest.approx(0.5)


def test_updates_are_positive_at_first(done):
    first = done["updates"][0].summary.trials[0]
    assert first.early.update > 0 < first.early.reward


@pytest.mark.parametrize(("early", "verdict"), [((0.1, -0.01), AGREES), ((0.1, -0.0015), PARTLY), ((-0.1, 0.1), NO)])
def test_a_claim_can_fail(early, verdict):
    parts = [Part(x, 0.001, 0.5) for x in early]
    assert signs(Summary(100, [Trial(part, part) for part in parts])).verdict == verdict


def test_every_bandit_can_be_looked_at(tmp_path):
    envs = tuple(sorted(set(BANDITS) - {"schedule"}))
    settings = dataclasses.replace(ENVIRONMENTS.presets["paper"], envs=envs, rounds=50)
    results, _ = ENVIRONMENTS.run(settings, tmp_path)
    assert len(ENVIRONMENTS.draw(results).axes) == len(settings.envs) + 1  # and the colour bar
    assert results.summary.envs["needle"].best == pytest.approx(0.8)
