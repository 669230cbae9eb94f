"""Which cases of a test run by default."""

import pytest


def mostly_slow(cases, *quick):
    """Cases for ``parametrize``: those named run by default, the others among the slow tests."""
    return [case if case in quick else pytest.param(case, marks=pytest.mark.slow) for case in cases]
