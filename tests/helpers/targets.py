"""Brian2 with and without its C++ compiler."""

from contextlib import contextmanager


@contextmanager
def brian2_target(name):
    """Brian2 with another target for its code: "numpy" goes without a compiler, as "auto" does where there is none."""
    import brian2  # here: the process that hands out the tests does without

    before = brian2.prefs.codegen.target
    brian2.prefs.codegen.target = name
    try:
        yield
    finally:
        brian2.prefs.codegen.target = before
