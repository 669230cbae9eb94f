"""Compiled code that is kept: made once, the latest codes only, shared by threads, anew under other preferences."""

from concurrent.futures import ThreadPoolExecutor

from brian2 import prefs

from nsa_brian.codegen.kept import KeptCode


def test_the_latest_are_kept():
    kept, made = KeptCode(most=2), []

    def get(name):
        return kept.get(name, lambda: made.append(name) or name)

    for name in ("a", "b", "a", "c", "a", "b"):
        assert get(name) == name
    assert made == ["a", "b", "c", "b"]  # b was the oldest when c came
    assert len(kept) == 2


def test_other_preferences_need_other_code():
    kept, options = KeptCode(), prefs.codegen.cpp.extra_compile_args_gcc
    first = kept.get("a", object)
    try:
        prefs.codegen.cpp.extra_compile_args_gcc = [*options, "-O1"]
        assert kept.get("a", object) is not first
    finally:
        prefs.codegen.cpp.extra_compile_args_gcc = options
    assert kept.get("a", object) is first


def test_threads_share_it():
    kept = KeptCode(most=3)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: kept.get(i % 5, lambda: i % 5), range(20_000)))
    assert found == [i % 5 for i in range(20_000)]
    assert len(kept) == 3
