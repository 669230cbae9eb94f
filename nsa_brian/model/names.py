"""Names that a model may give to variables, parameters, populations and couplings, and those that are taken.

Compiled rounds put a prefix before every name of a model, so that nothing in C++ can collide with it. The engine
``network`` shows a model's names to the user as they are; there Brian2 and Python have names of their own, which are
refused here, for all engines alike.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Container

from brian2.core.functions import DEFAULT_CONSTANTS
from brian2.core.namespace import DEFAULT_UNITS

from nsa_brian.errors import ModelError
from nsa_brian.model.functions import FUNCTIONS, PREFIX

CONSTANTS = {name: float(DEFAULT_CONSTANTS[name].value) for name in ("pi", "e")}
#: Why a name that Brian2 knows is none of a model's.
REFUSED = {
    "t": "t is the simulator's clock, which engines do not share; for the time since the round's start write a state "
    "variable of your own: dage/dt = 1 : second",
    "xi": "noise is written {noise}, and its strength given as noise=",
    "rand": "random numbers come from outside the equations: write {noise}",
    "randn": "random numbers come from outside the equations: write {noise}",
    "poisson": "random numbers come from outside the equations: write {noise}",
    "timestep": "the simulator's clock is not shared by the engines",
    "i": "an option does not know its number",
    "j": "an option does not know its number",
    "inf": "there is no inf in equations",
}
#: Names that some strings know, and which.
KNOWN_IN = {
    "R": "plasticity, signal_update, the contacts' rule, and equations of a model with a phase after the choice",
    "choice": "equations of options in a model with a phase after the choice",
    "chosen": "statements of plasticity",
    "agreed": "signal_update",
    **dict.fromkeys(("u_top", "v_top", "best_u", "best_v", "u_at_v", "v_at_u"), "Choice.explore"),
    **dict.fromkeys(("since_pre", "since_post", "chance"), "the contacts' rule"),
    **dict.fromkeys(("Phi_star", "Phi_top"), "models with prepare=(RateMap(),)"),
}
#: Names with a meaning of their own in model strings.
MEANINGS = {
    *("dt", "n_arms", "I", "I_u", "I_v", "n_u", "n_v", "noise", "R", "chosen", "choice", "agreed", "spiked", "chance"),
    *("u_top", "v_top", "best_u", "best_v", "u_at_v", "v_at_u", "since_pre", "since_post", "Phi_star", "Phi_top"),
    *REFUSED,
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Names that Brian2's groups have for themselves, or that the network's objects have.
OBJECTS = _words("""
    N N_incoming N_outgoing N_pre N_post delay lastupdate lastspike not_refractory t_in_timesteps summed pre post
    U V UV VU timing clock network
""")
#: Objects of a network that its populations stand beside.
LEVELS = _words("options games contacts")
#: Parts of a model that variables may belong to, besides populations.
PLACES = ("synapse", "signals", "contacts")
#: Names in the code that Brian2 generates for a network, and arguments of its templates.
CODE = _words("""
    self owner variables variable_indices scalar_code vector_code codeobj_name template_name get_array_name
    load_namespace support_code_lines pointers_lines hashdefine_lines denormals_code_lines template_kwds
    range len dict tuple object set LazyArange bincount broadcast_to minlength numpy numpy_rt brian2 codegen runtime
    NPY_INFINITY PyArrayObject PyArray_CLEARFLAGS cython libc libcpp stdint stdlib limits import_array
    acos asin atan fabs fmod int_ isinf npy_isinf int32_t int64_t uint8_t uint64_t size_t vectorisation_idx
    bint cast cdef cimport cpdef ctypedef cppclass dereference preincrement extern include nogil ndarray ndim
    initialise_queue push_spikes advance peek resize idx namespace start_idx end_idx target_idx spiking_synapse_idx
    spiking_synapses index_events synaptic_var deref preinc new_len newlen curlen
""")
#: Words and macros of C++.
CPP = _words("""
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval
    constexpr constinit continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof
    static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
    union unsigned using virtual void volatile wchar_t while xor xor_eq
    NULL EOF NAN INFINITY HUGE_VAL RAND_MAX INT_MAX INT_MIN errno assert signbit isnan isinf isfinite linux unix
    M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2
""")
PYTHON = frozenset(keyword.kwlist)

#: Names that no variable or parameter may take, with what they are taken by.
TAKEN: tuple[tuple[Container[str], str], ...] = (
    (MEANINGS, "something with a meaning of its own"),
    (OBJECTS, "Brian2's groups or the network's objects"),
    (FUNCTIONS, "a function"),
    (CONSTANTS, "a constant"),
    (DEFAULT_UNITS, "a unit"),
    (CPP, "a word of C++"),
    (CODE, "code that Brian2 generates"),
    (PYTHON, "a word of Python"),
)

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


def check_name(where: str, name: str) -> None:
    """Refuse what is no name, and a name that has a meaning already."""
    if name.endswith(("_pre", "_post", "_chosen")) or name.startswith("_"):
        raise ModelError(f"{where}: {name!r} must neither end in _pre, _post or _chosen nor begin with an underscore")
    if not _NAME.fullmatch(name):
        raise ModelError(
            f"{where}: a name has ASCII letters, digits and underscores and begins with a letter, got {name!a}"
        )
    if name.startswith(PREFIX):
        raise ModelError(f"{where}: the name {name!r} is taken: names that begin with {PREFIX} are the package's own")
    for names, taker in TAKEN:
        if name in names:
            raise ModelError(f"{where}: the name {name!r} is taken, by {taker}")


def check_identifier(name: str) -> None:
    """Refuse a population's name that is none."""
    if not _NAME.fullmatch(name) or name in PLACES:
        raise ModelError(
            f"a population's name must be a Python name other than {', '.join(PLACES)}, got {name[:200]!r}"
        )


def check_population(name: str) -> None:
    """Refuse a population's name that is none, or that the network's objects have; variables need not avoid it."""
    check_identifier(name)
    if name in OBJECTS or name in LEVELS or name.endswith(("_pre", "_post", "_spikes")):
        taken = ", ".join(sorted(OBJECTS | LEVELS))
        raise ModelError(
            f"population {name}: the name {name!r} is taken: a population's is none of {taken}, and ends neither in "
            "_pre or _post nor in _spikes"
        )


def check_ascii(where: str, text: str) -> None:
    """Refuse characters beyond ASCII, some of which Python would take for others."""
    for line in text.splitlines():
        for character in line:
            if not character.isascii():
                raise ModelError(f"{where}: only ASCII characters make equations, got {character!a} in {line!r:.80}")
