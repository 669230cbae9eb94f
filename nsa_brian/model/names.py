"""Legal and reserved names of variables, parameters, populations and couplings.

Compiled rounds put a prefix before every name of a model, so that it cannot collide with names in C++. The engine
``network`` shows a model's names unchanged. Names that Brian2 and Python reserve there are refused for all engines.
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
#: Names of Brian2 that model strings cannot use, with the reason.
REFUSED = {
    "t": "t is the simulator's clock, which engines do not share; for the time since the round's start use a state "
    "variable: dage/dt = 1 : second",
    "xi": "noise is written {noise}, and its strength given as noise=",
    "rand": "random numbers come from outside the equations: write {noise}",
    "randn": "random numbers come from outside the equations: write {noise}",
    "poisson": "random numbers come from outside the equations: write {noise}",
    "timestep": "timestep reads the simulator's clock, which engines do not share",
    "i": "options have no index i",
    "j": "options have no index j",
    "inf": "equations cannot use inf",
}
#: Names that only some strings can use, and which strings.
KNOWN_IN = {
    "R": "plasticity, signal_update, the contacts' rule, and equations of a model with a phase after the choice",
    "choice": "equations of options in a model with a phase after the choice",
    "chosen": "statements of plasticity",
    "agreed": "signal_update",
    **dict.fromkeys(("u_top", "v_top", "best_u", "best_v", "u_at_v", "v_at_u"), "Choice.explore"),
    **dict.fromkeys(("since_pre", "since_post", "chance"), "the contacts' rule"),
    **dict.fromkeys(("Phi_star", "Phi_top"), "models with prepare=(RateMap(),)"),
}
#: Reserved names with a meaning in model strings.
MEANINGS = {
    *("dt", "n_arms", "I", "I_u", "I_v", "n_u", "n_v", "noise", "R", "chosen", "choice", "agreed", "spiked", "chance"),
    *("u_top", "v_top", "best_u", "best_v", "u_at_v", "v_at_u", "since_pre", "since_post", "Phi_star", "Phi_top"),
    *REFUSED,
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Names of Brian2's groups, and of the network's objects.
OBJECTS = _words("""
    N N_incoming N_outgoing N_pre N_post delay lastupdate lastspike not_refractory t_in_timesteps summed pre post
    U V UV VU timing clock network
""")
#: Objects of a network besides its populations.
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
#: Keywords and macros of C++.
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

#: Names that no variable or parameter may have, and what uses them.
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
    """Raise ModelError for an invalid or reserved name."""
    if name.endswith(("_pre", "_post", "_chosen")) or name.startswith("_"):
        raise ModelError(f"{where}: {name!r} must not end in _pre, _post or _chosen, nor begin with an underscore")
    if not _NAME.fullmatch(name):
        raise ModelError(
            f"{where}: a name has ASCII letters, digits and underscores and begins with a letter, got {name!a}"
        )
    if name.startswith(PREFIX):
        raise ModelError(f"{where}: the name {name!r} is taken: names that begin with {PREFIX} are reserved")
    for names, taker in TAKEN:
        if name in names:
            raise ModelError(f"{where}: the name {name!r} is taken, by {taker}")


def check_identifier(name: str) -> None:
    """Raise ModelError if a population's name is not an identifier, or is reserved."""
    if not _NAME.fullmatch(name) or name in PLACES:
        raise ModelError(
            f"a population's name must be a Python name other than {', '.join(PLACES)}, got {name[:200]!r}"
        )


def check_population(name: str) -> None:
    """Raise ModelError for an invalid population's name, or one of the network's objects; variables may have it."""
    check_identifier(name)
    if name in OBJECTS or name in LEVELS or name.endswith(("_pre", "_post", "_spikes")):
        taken = ", ".join(sorted(OBJECTS | LEVELS))
        raise ModelError(
            f"population {name}: the name {name!r} is taken: a population's name must not be one of {taken}, nor end "
            "in _pre, _post or _spikes"
        )


def check_ascii(where: str, text: str) -> None:
    """Raise ModelError for characters beyond ASCII, some of which Python replaces by others."""
    for line in text.splitlines():
        for character in line:
            if not character.isascii():
                raise ModelError(f"{where}: only ASCII characters are allowed, got {character!a} in {line!r:.80}")
