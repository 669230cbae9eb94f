"""A Dask cluster for all searches that want one."""

import pytest


@pytest.fixture(scope="session")
def dask_cluster(tmp_path_factory):
    """Two workers in processes of their own, of two threads each."""
    distributed = pytest.importorskip("distributed")
    quiet = {"dashboard_address": None, "local_directory": tmp_path_factory.mktemp("dask"), "host": "127.0.0.1"}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, **quiet) as cluster:
        yield cluster
