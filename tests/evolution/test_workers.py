"""Worker processes that the system ends."""

import threading
from functools import partial

import pytest
from lost_work import always, double, once

from evolution.workers import Processes, WorkersLostError


@pytest.fixture
def pool():
    made = Processes(2)
    yield made
    made.close()


def test_work_that_was_lost_is_done_again(pool, tmp_path):
    assert pool.map(partial(once, tmp_path / "there"), [1, 2, 3]) == [1, 2, 3]
    assert pool.map(double, range(4)) == [0, 2, 4, 6]


def test_may_be_started_from_a_thread_which_never_hears_ctrl_c():
    def work():
        pool = Processes(1)
        found.extend(pool.map(double, [1, 2]))
        pool.close()

    found = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [2, 4]


def test_work_that_is_lost_again_and_again_is_given_up_and_the_rest_was_done(pool):
    found = {}
    jobs = {i: partial(double, i) for i in range(4)} | {"lost": partial(always, 0)}
    with pytest.raises(WorkersLostError, match="ended from outside 4 times in a row"):
        pool.run(jobs, found.__setitem__)
    assert found == {i: 2 * i for i in range(4)}


def test_a_mistake_in_the_work_is_told_as_it_is(pool):
    with pytest.raises(TypeError):
        pool.map(double, [None])
