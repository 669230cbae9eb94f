"""Every study in a small size, computed when it is first asked for, and a Dask cluster for all tests that want one."""

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


@pytest.fixture(scope="session")
def dask_cluster(tmp_path_factory):
    """Two workers in processes of their own, of two threads each."""
    distributed = pytest.importorskip("distributed")
    quiet = {"dashboard_address": None, "local_directory": tmp_path_factory.mktemp("dask"), "host": "127.0.0.1"}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, **quiet) as cluster:
        yield cluster
