"""Random models: the network, the compiled engines and the table agree on them."""

import numpy as np
import pytest
from games import SHORT, agree, game
from hypothesis import HealthCheck, given, settings
from hypothesis import Phase as Phases
from hypothesis import strategies as st
from random_models import models, models_of_parts, models_that_fire
from targets import brian2_target, on_target

from nsa_brian import NSANetwork, check
from nsa_brian.engines.rounds import Rounds


@given(model=models(), seed=st.integers(0, 5))
@settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_random_models_agree_without_a_compiler(model, seed):
    with brian2_target("numpy"):
        found = [
            game(make(3, SHORT, 1, rng=np.random.default_rng(seed), model=model), 10, seed)
            for make in (NSANetwork, Rounds)
        ]
    agree(*found)


@pytest.mark.slow
@given(model=models(), seed=st.integers(0, 5))
@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_random_models_agree_on_every_path(model, seed):
    """Network, rounds in numpy, compiled rounds one by one and many in a call, and the table.

    The table interpolates over the steps of a drive with `%`, and the check says so.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nsa_brian.engines.network.NSANetwork", on_target(NSANetwork, "numpy"))
        found = check(model, SHORT, n_rounds=12, seed=seed)
    differ = {engine.engine for engine in found.engines if not engine.agrees}
    assert differ <= ({"table"} if "%" in model.drive_v else set()), f"{model.to_dict()}\n{found}"


def agree_on_every_path(model, seed, n_rounds=6):
    """All engines agree; the table may refuse."""
    parameters = SHORT.replace(duration_input=20, duration_free=20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nsa_brian.engines.network.NSANetwork", on_target(NSANetwork, "numpy"))
        found = check(model, parameters, n_arms=3, n_rounds=n_rounds, seed=seed)
    # Interpolation rounds off, and a step turns that into another number.
    given = model.to_dict()
    read = str([given[name] for name in ("rate_u", "rate_v", "drive_v", "plasticity")] + [given.get("choice")])
    steps = any(word in read for word in ("%", "//", "floor", "ceil", "int(", "sign"))
    differ = {engine.engine for engine in found.engines if not engine.agrees}
    assert differ <= ({"table"} if steps else set()), f"{model.to_json()}\n{found}"


def drawn(n_examples):
    return settings(
        max_examples=n_examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        phases=[Phases.generate],
    )


@pytest.mark.slow
@given(model=st.one_of(models_of_parts(), models_of_parts(), models_that_fire()), seed=st.integers(0, 5))
@drawn(3)
def test_random_models_of_all_parts_agree_on_few_rounds(model, seed):
    """Without a compiler where that is possible, which is quicker."""
    with brian2_target("numpy" if model.structure.single else "auto"):
        agree_on_every_path(model, seed, 3)


@pytest.mark.slow
@given(model=st.one_of(models_of_parts(), models_that_fire()), seed=st.integers(0, 5))
@drawn(200)
def test_random_models_of_all_parts_agree(model, seed):
    agree_on_every_path(model, seed)
