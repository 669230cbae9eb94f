"""What several test files need."""

import brian2
import pytest


@pytest.fixture
def without_compiler():
    """Brian2 without its C++ compiler: a short game on a network is quicker than to compile the network."""
    before = brian2.prefs.codegen.target
    brian2.prefs.codegen.target = "numpy"
    yield
    brian2.prefs.codegen.target = before
