"""A test of a ``study`` is one of every study."""

import pytest
from selection import mostly_slow
from small_studies import STUDIES, small


def pytest_generate_tests(metafunc):
    """A test of ``study_name`` is one of every study, unless it says of which."""
    given = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "study_name" in metafunc.fixturenames and "study_name" not in given:
        # Every variant of an ablation is a model to compile.
        metafunc.parametrize("study_name", mostly_slow(STUDIES, *(STUDIES.keys() - {"ablation"})))


@pytest.fixture
def study(study_name):
    """The study, its small settings beside it."""
    found = STUDIES[study_name]
    return found, small(study_name)
