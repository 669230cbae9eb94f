"""Brian2 with and without its C++ compiler."""

from contextlib import contextmanager

import pytest

#: Targets, the compiled one among the slow tests: Brian2 compiles a network in many pieces.
TARGETS = {"numpy": "numpy", "compiled": pytest.param("auto", marks=pytest.mark.slow)}
#: The network on each of them.
each_network_target = pytest.mark.parametrize("network_target", TARGETS.values(), ids=TARGETS)


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


def on_target(network, name):
    """A class of networks that are made and run with a target of their own, whatever runs beside them."""

    class OnTarget(network):
        def __init__(self, *args, **options):
            with brian2_target(name):
                super().__init__(*args, **options)

        def respond(self):
            with brian2_target(name):
                super().respond()

        def play(self, *args, **options):
            with brian2_target(name):
                super().play(*args, **options)

        def decide(self, *args, **options):
            with brian2_target(name):
                return super().decide(*args, **options)

    return OnTarget
