"""Compiled code of stretches, shared by stretches of one kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from brian2 import ms
from brian2.codegen.codeobject import create_runner_codeobj
from brian2.devices.device import get_device

from nsa_brian.codegen.code_objects import code_object_class
from nsa_brian.codegen.group import UnitGroup
from nsa_brian.codegen.kept import KeptCode


class StretchCode:
    """Compiled code of stretches, called with the addresses of their arrays.

    Parameters
    ----------
    blocks : mapping
        Statements by the name of the block in the template.
    shared : sequence of str
        Variables in them.
    expressions : mapping
        Expressions that they use, by name.
    options : mapping
        Options of the template.
    """

    def __init__(
        self,
        blocks: Mapping[str, str],
        shared: Sequence[str],
        expressions: Mapping[str, str],
        options: Mapping[str, Any],
    ) -> None:
        group, size = UnitGroup("nsa_stretch", 1 * ms), len(options["_buffers"])
        group.add_shared(dict.fromkeys(shared, 0.0))
        for name, text in expressions.items():
            group.add_expression(name, text)
        group.add({"_entry": np.zeros(size, dtype=np.int64)}, size)
        code = create_runner_codeobj(
            group,
            dict(blocks),
            "stretch",
            run_namespace={},
            check_units=False,  # checked when the model was made
            template_kwds=dict(options),
            codeobj_class=code_object_class(),
        )
        # Called directly, each stretch with addresses of its own, since several may run in threads at a time.
        self._main = code.compiled_code["run"].main
        self._name = get_device().get_array_name(group.variables["_entry"])

    def __call__(self, entry: np.ndarray) -> None:
        """Run, with the addresses of the arrays in the order of the template's buffers."""
        self._main({self._name: entry})


_codes: KeptCode[StretchCode] = KeptCode()


def stretch_code(*generated_from: Any) -> StretchCode:
    """Return code, that of an earlier stretch if it is the same."""
    target = code_object_class()
    return _codes.get(repr((target, generated_from)), lambda: StretchCode(*generated_from))
