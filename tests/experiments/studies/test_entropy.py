"""``nsa entropy``: what it stores is what its figures are drawn of."""

import dataclasses

import numpy as np
import pytest

from experiments.core.metrics import choice_entropy
from experiments.core.play import play_agent
from experiments.studies.entropy.study import STUDY


def test_the_curve_of_all_games_can_be_computed_again_from_the_results_file(done):
    results, path = done["entropy"]
    settings, loaded = results.settings, STUDY.load(path)
    for agent in settings.agents:
        found = loaded.cells[f"a/{agent}"]
        record = play_agent(settings.games("MAB-P", settings.arms), agent, range(settings.repetitions))
        assert np.array_equal(found["arms"], record.arms)
        assert found["arms"].dtype == np.uint8
        entropy = choice_entropy(found["arms"].astype(int))
        assert loaded.summary.over_time[agent].entropy == entropy.mean(axis=1).mean()


@pytest.mark.slow
def test_results_of_release_0_2_are_drawn_as_they_were(done):
    results, _ = done["entropy"]
    cells = dict(results.cells)
    for agent in results.settings.agents:
        found = results.cells[f"a/{agent}"]
        arms = found["arms"].astype(np.int32)
        cells[f"a/{agent}"] = {**found, "arms": arms[0], "entropy": choice_entropy(arms).mean(axis=0)}
    assert STUDY.image(dataclasses.replace(results, cells=cells), "png") == STUDY.image(results, "png")
