"""Brian2 code objects for the templates ``round``, ``game``, ``stretch`` and ``columns``: compiled C++.

Without a compiler, the first two run in numpy. Compiler flags are set for these code objects only; the user's Brian2
preferences are not changed.
"""

from __future__ import annotations

import ast
import hashlib
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from functools import cache
from importlib import resources
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from brian2 import Network
from brian2.codegen.generators.cpp_generator import CPPCodeGenerator, c_data_type
from brian2.codegen.runtime.cython_rt import CythonCodeObject
from brian2.codegen.runtime.numpy_rt import NumpyCodeObject
from brian2.core.preferences import prefs
from brian2.core.variables import ArrayVariable, Variable
from brian2.devices.device import get_device
from brian2.parsing.rendering import CPPNodeRenderer
from brian2.utils.logger import catch_logs, get_logger
from brian2.utils.stringtools import word_substitute

from nsa_brian.codegen.cache import check_cache, replacing_damaged_files
from nsa_brian.errors import ModelError
from nsa_brian.model.functions import COMPILED, FUNCTIONS

logger = get_logger("nsa_brian")

#: Units stepped together: four or more vectors in flight hide arithmetic latency, and a block's state and parameters
#: fit in the L1 cache.
BLOCK = 64


@cache
def machine() -> str:
    """Return an id of the processor that code is compiled for: machines of a cluster may share one cache."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        features = next(line for line in lines if line.lower().startswith(("flags", "features")))
    except (OSError, StopIteration):
        features = platform.processor()
    return f"{platform.machine()} {hashlib.sha256(features.encode()).hexdigest()[:12]}"


def _template(name: str) -> str:
    return (resources.files("nsa_brian.codegen") / "templates" / name).read_text("utf-8")


#: Floating-point types by name.
FLOAT_TYPES: dict[str, np.dtype[Any]] = {"double": np.dtype(np.float64), "single": np.dtype(np.float32)}


class RealRenderer(CPPNodeRenderer):
    """Renderer of expressions in one floating-point type: Brian2's divides integers in 32 bits.

    Parameters
    ----------
    suffix : str
        Suffix of C++ numbers of that type.
    auto_vectorise
        See Brian2's renderer.
    """

    def __init__(self, suffix: str, auto_vectorise: Any) -> None:
        super().__init__(auto_vectorise=auto_vectorise)
        self._suffix = suffix

    def render_Constant(self, node: ast.Constant) -> str:  # noqa: N802 - Brian2's
        """Render every number in that type."""
        value: Any = node.value
        if isinstance(value, bool):
            return super().render_Constant(node)
        text = repr(float(value))
        return "INFINITY" if text == "inf" else text + self._suffix  # Brian2 may have evaluated a product to infinity

    def render_BinOp(self, node: ast.BinOp) -> str:  # noqa: N802 - Brian2's
        """Divide without Brian2's 32-bit factor."""
        if isinstance(node.op, ast.Div):
            return f"{self.render_element_parentheses(node.left)}/{self.render_element_parentheses(node.right)}"
        return super().render_BinOp(node)


class DoubleGenerator(CPPCodeGenerator):
    """Brian2's C++ generator in double precision, independent of the user's preferences."""

    real, suffix = FLOAT_TYPES["double"], ""

    def translate(self, code: Any, dtype: Any) -> Any:
        """Generate code whose temporary variables are of the type of the state variables."""
        return super().translate(code, self.real)

    def translate_expression(self, expr: str) -> str:
        """Translate an expression."""
        text = word_substitute(expr, self.func_name_replacements)
        return RealRenderer(self.suffix, self.auto_vectorise).render_expr(text).strip()

    def translate_statement(self, statement: Any) -> str:
        """Translate a statement; variables that Brian2 infers to be integers are floating-point numbers too."""
        if np.issubdtype(statement.dtype, np.number):
            statement.dtype = self.real
        return super().translate_statement(statement)

    def translate_statement_sequence(self, *statements: Any) -> Any:
        """Prefix a model's names, so that they cannot collide with names of C++, its headers or a template."""
        *blocks, keywords = super().translate_statement_sequence(*statements)
        names = {name: f"x_{name}" for name, var in self.variables.items() if isinstance(var, Variable)}
        names["double"] = c_data_type(self.real)  # the clock's variables are always doubles
        prefixed = [
            {key: [word_substitute(line, names) for line in lines] for key, lines in block.items()} for block in blocks
        ]
        return *prefixed, keywords


class SingleGenerator(DoubleGenerator):
    """The same in single precision."""

    real, suffix = FLOAT_TYPES["single"], "f"


class CompiledRound(CythonCodeObject):
    """A round as C++ in a Cython module, compiled once and stored in Brian2's cache."""

    generator_class = DoubleGenerator
    class_name = COMPILED
    templater = CythonCodeObject.templater.derive(
        "nsa_brian.codegen",
        env_globals={  # with an underscore, since templates also see a model's variables by name
            "_BLOCK": BLOCK,
            "_machine": machine,
            "_support": "".join(map(_template, ("functions.hpp", "random.hpp", "nsa.hpp"))),
            "_c_type": lambda var: c_data_type(var.dtype),
            "_array_name": lambda var: get_device().get_array_name(var),
            "_array_variables": lambda variables: [
                (name, var)
                for name, var in sorted(variables.items())
                if isinstance(var, ArrayVariable) and name != "_n_units"
            ],
        },
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.extra_compile_args += extra_flags(self.compiler)

    def compile_block(self, block: str) -> Any:
        """Compile or load from the cache, with a message if it takes a while."""
        said = "compiling a decision round to C++ (once; later runs find it in Brian2's cache)"
        with replacing_damaged_files(), announce_if_slow(said):
            compiled = super().compile_block(block)
        if block == "run" and compiled is None:  # Brian2 prints Cython's error and continues
            raise RuntimeError("the decision round was not compiled; see the message above")
        return compiled


class SingleRound(CompiledRound):
    """A round in single precision."""

    generator_class = SingleGenerator


class NumpyRound(NumpyCodeObject):
    """A round in numpy."""

    class_name = "nsa_numpy_round"
    templater = NumpyCodeObject.templater.derive("nsa_brian.codegen")


# Register the functions for our code objects: Brian2 adds numpy implementations only for its own ones, and would then
# use them for compiled rounds too, whose class derives from numpy's.
for _each in FUNCTIONS.values():
    _cpp = _each.implementations[CPPCodeGenerator]
    _each.implementations.add_implementation(COMPILED, _cpp.get_code(None), name=_cpp.name)
    _each.implementations.add_implementation(NumpyRound.class_name, _each.pyfunc)


def extra_flags(compiler: str) -> list[str]:
    """Return compiler flags of the round, added to Brian2's own.

    They undo -ffast-math: every operation is rounded as in IEEE 754, so that results are the same to the last bit in
    every lane of every vector, with every compiler. errno and traps stay off, since they prevent vectorisation. Loop
    unswitching is off: it takes half of GCC's compile time, makes nothing faster, and lost stores of loops in GCC 12.
    Clang, which rejects some flags of GCC, accepts this one.
    """
    if compiler == "msvc":
        return ["/fp:precise"]
    wide = ["-mprefer-vector-width=512"] if platform.machine().lower() in ("x86_64", "amd64") else []
    exact = ["-fno-fast-math", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
    return [*exact, "-fno-unswitch-loops", *wide]


#: Held while Brian2's messages are caught, since that changes streams of the whole process.
_one_at_a_time = threading.Lock()


def code_object_class(precision: str = "double") -> type[NumpyCodeObject]:
    """Return the code object class that the machine and the user's preferences allow; warn if it is the slow one."""
    check_cache()
    # Replace Brian2's long message on a missing compiler, and Cython's traceback on a full disk, by ours.
    with _one_at_a_time, replacing_damaged_files(), catch_logs(), redirect_stderr(StringIO()):
        target = get_device().code_object_class()
    if issubclass(target, CythonCodeObject):
        return {"double": CompiledRound, "single": SingleRound}[precision]
    logger.warn(f"no compiled code is used, so NSA runs some 500 times slower: {why_not_compiled()}", once=True)
    return NumpyRound


@cache
def why_not_compiled() -> str:
    """Return why Brian2 does not compile, in one line."""
    if prefs.codegen.target != "auto":
        return "Brian2's preference codegen.target is not 'auto'"
    with _one_at_a_time, catch_logs() as said, redirect_stderr(StringIO()):
        if CythonCodeObject.is_available():
            return "Brian2 could not compile when it first tried"
    told = " ".join(" ".join(message for _, _, message in said).split())
    cause = told.removeprefix("Cannot use Cython, a test compilation failed: ").partition(" Certain compiler")[0]
    return f"{cause}; a C++ compiler (gcc or clang) has to be installed, and Brian2's cache writable"


def check_compiled(network: Network, what: str) -> None:
    """Require that all code of a network was compiled: if Cython fails, Brian2 only prints it and skips the code."""
    for each in network.sorted_objects:
        for code_object in each.code_objects:
            if not isinstance(code_object, CythonCodeObject) or code_object.compiled_code["run"] is not None:
                continue
            code = getattr(code_object.code, "run", "").strip()
            if code and "EMPTY_CODE_BLOCK" not in code:
                raise ModelError(f"{what}: Brian2 could not compile the code of {each.name}; see the message above")


def entry_of(code_object: Any) -> list[int]:
    """Return the addresses of a compiled round's function and of its arrays, for compiled code that calls it."""
    return code_object.compiled_code["run"].entry(code_object.namespace)


def _log(what: str) -> None:
    with suppress(AssertionError):  # raised by Brian2 while its messages are being caught
        logger.info(what)


@contextmanager
def announce_if_slow(what: str, after: float = 1.0) -> Iterator[None]:
    """Log a message if the ``with`` block takes more than ``after`` seconds."""
    timer = threading.Timer(after, _log, [what + " ..."])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
