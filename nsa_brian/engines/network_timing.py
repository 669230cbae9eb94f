"""The network operation at the end of each time step, and short calls of compiled code during a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from brian2 import NetworkOperation
from brian2.codegen.runtime.cython_rt import CythonCodeObject
from brian2.core.base import BrianObject


class Timing(NetworkOperation):
    """Call a function at the end of each time step, and the compiled code of a network's objects without detours.

    Brian2 calls an object's code through five Python methods in every time step, which takes longer than the code of
    small groups. From the second time step of a run on, the objects' ``run`` is the last of them. Objects that do
    anything else, or whose arrays may be replaced during a run, stay as they are.

    Parameters
    ----------
    function : callable
    objects : iterable of BrianObject
        Objects to call directly, with what they contain.
    **options
        See ``NetworkOperation``.
    """

    def __init__(self, function: Callable[[], None], objects: Iterable[Any], **options: Any) -> None:
        super().__init__(function, **options)
        self._called = [each for given in objects for each in _contained(given)]

    def before_run(self, run_namespace: Any) -> None:
        """Remove the direct calls of the last run, whose code Brian2 has replaced."""
        super().before_run(run_namespace)
        for each in (*self._called, self):
            each.__dict__.pop("run", None)

    def run(self) -> None:
        """Set the direct calls; called in the first time step of a run."""
        for each in self._called:
            direct = _direct_call(each)
            if direct is not None:
                each.__dict__["run"] = direct
        self.__dict__["run"] = self.function
        self.function()


def _contained(given: Any) -> Iterator[Any]:
    yield given
    for each in given.contained_objects:
        yield from _contained(each)


def _direct_call(each: Any) -> Callable[[], Any] | None:
    """Return what ``each.run()`` comes down to, if that is one block of compiled code."""
    if type(each).run is not BrianObject.run or len(each.code_objects) != 1:
        return None
    (code,) = each.code_objects
    direct = isinstance(code, CythonCodeObject) and not code.nonconstant_values
    return partial(code.run_block, "run") if direct else None
