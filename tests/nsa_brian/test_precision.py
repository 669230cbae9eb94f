"""Populations of many neurons in single precision, and the noise that all of them draw."""

import numpy as np
import pytest

from nsa_brian import NSA, load, prepare
from nsa_brian.codegen.streams import normal
from nsa_brian.engines.columns import ColumnRounds
from nsa_brian.model.shipped import ADEX, EI, SPIKING

ARMS = 3


def rounds(precision, model=SPIKING, n_games=2, seed=0, n=1):
    """Rates (rounds, populations, games, options) of options that are silent, near the critical weight and strong."""
    prepared = prepare(model, load().parameters, ARMS)
    rng = np.random.default_rng(seed)
    engine = ColumnRounds(ARMS, n_games=n_games, rng=rng, model=model, prepared=prepared, precision=precision)
    engine.set_weights(np.array([0, 0.55, 1]) * engine.parameters[0].w_max)
    found = []
    for _ in range(n):
        engine.respond()
        found.append(engine.activity.copy())
    return np.array(found), engine


def test_noise_has_the_moments_of_a_normal_number_up_to_the_seventh():
    byte = np.arange(256)
    sums, ways = np.arange(1021), np.ones(1)
    for _ in range(4):
        ways = np.convolve(ways, np.ones(256))
    first = np.minimum(sums, 255)
    second = np.minimum(sums - first, 255)
    third = np.minimum(sums - first - second, 255)
    fourth = sums - first - second - third
    assert set(fourth) == set(byte)
    z = normal((first + (second << 8) + (third << 16) + (fourth << 24)).astype(np.uint64))
    chance = ways / 256.0**4
    moments = [float(chance @ z**k) for k in range(8)]
    assert moments == pytest.approx([1, 0, 1, 0, 3, 0, 15, 0], abs=1e-11)
    assert (np.diff(z) > 0).all()


@pytest.mark.parametrize(
    "model", [SPIKING, *(pytest.param(each, marks=pytest.mark.slow) for each in (ADEX, EI))], ids=lambda m: m.name
)
def test_single_precision_fires_as_double_precision_does(model):
    double, _ = rounds("double", model, 40, n=3)
    single, engine = rounds("single", model, 40, seed=1, n=3)
    assert {array.dtype for array in engine.columns.states["u"].values()} == {np.dtype(np.float32)}
    means, errors = [], []
    for rates in (double, single):
        of_games = rates.mean(axis=0)
        means.append(of_games.mean(axis=1))
        errors.append(of_games.std(axis=1) / 40**0.5)
    assert (np.abs(means[0] - means[1]) < 4 * np.hypot(*errors) + 0.01).all()
    assert (means[0][:, 2] > means[0][:, 0] + 5).all()  # they differ between options, so the comparison means something


def test_rounding_changes_a_few_spikes_only():
    double, single = (rounds(precision, n_games=20)[0] for precision in ("double", "single"))
    assert np.abs(double - single).mean() < 0.02 * double.mean()


def test_a_game_in_single_precision_does_not_depend_on_those_beside_it():
    prepared = prepare(SPIKING, load().parameters, ARMS)
    seeds = np.random.default_rng(0).random((3, 200))

    def counts(chosen):
        agent = ColumnRounds(ARMS, n_games=len(chosen), model=SPIKING, prepared=prepared, precision="single")
        agent.columns._seed(seeds[chosen])
        agent.set_weights(np.array([0, 0.55, 1]) * agent.parameters[0].w_max)
        agent.respond()
        return agent.activity.copy()

    together = counts([0, 1, 2])
    assert (counts([1])[:, 0] == together[:, 1]).all()
    assert (together[:, 0] != together[:, 1]).any()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"precision": "single"}, "precision must be double for the engine rounds and the model paper, got 'single'"),
        ({"precision": "single", "model": "spiking", "engine": "network"}, "must be double for the engine network"),
        ({"precision": "half", "model": "spiking"}, "precision must be one of double, single, got 'half'"),
    ],
)
def test_a_precision_that_an_engine_has_not_is_refused_in_one_line(options, words):
    with pytest.raises(ValueError, match=words) as told:
        NSA(3, seed=0, **options)
    assert "\n" not in str(told.value)
