"""Every study in a small size, computed when it is first asked for."""

import pytest
from small_studies import STUDIES, small


class Done(dict):
    """Results and results file of each study."""

    def __init__(self, out):
        super().__init__()
        self.out = out

    def __missing__(self, name):
        self[name] = STUDIES[name].run(small(name), self.out)
        return self[name]


@pytest.fixture(scope="session")
def done(tmp_path_factory):
    """Results and results file of every study in a small size."""
    return Done(tmp_path_factory.mktemp("studies"))
