{# A whole decision round in one call: C++ from Brian2's generator, in loops that a compiler turns into vector code.

   {{vector_code['begin']}} sets a unit to the start of its round, {{vector_code['step']}} is one time step.
   A block of units lies in local arrays, under the names that the generated code knows the group's arrays by.

   A parameter of a set is read at the unit's place in `which`.

   USES_VARIABLES { u, v, I, input_steps, round_steps, n_units, which }
   ITERATE_ALL { _idx } #}
{% macro before_run() %}
{% endmacro %}
{% macro run() %}
#cython: language_level=3
# Compiled for {{ machine() }}
{% set arrays = array_variables(variables) %}
cimport numpy as _numpy
from libc.stdint cimport int32_t
_numpy.import_array()

cdef extern from *:
    """
    #include <math.h>
    #include <string.h>
    #include <limits.h>
    #include "stdint_compat.h"
    {{ hashdefine_lines|autoindent }}
    {{ support_code_lines|autoindent }}

    namespace nsa {

    // e^x to within two units in the last place, without a call, so that it can be vectorised by every compiler:
    // x = k ln 2 + r with |r| <= ln 2 / 2, a Taylor polynomial for e^r, and 2^k added to the exponent bits.
    // It saturates at e^-708 and e^709, where double precision ends.
    static inline double exp(double x)
    {
        x = x < -708.0 ? -708.0 : (x > 709.0 ? 709.0 : x);
        const double k = rint(x * 1.4426950408889634074);
        const double r = fma(k, -1.90821492927058770002e-10, fma(k, -6.93147180369123816490e-01, x));
        const double r2 = r * r, r4 = r2 * r2;
        const double low = fma(fma(r, 1. / 120, 1. / 24), r2, fma(r, 1. / 6, 1. / 2));
        const double middle = fma(fma(r, 1. / 362880, 1. / 40320), r2, fma(r, 1. / 5040, 1. / 720));
        const double high = fma(fma(r, 1. / 6227020800., 1. / 479001600), r2, fma(r, 1. / 39916800, 1. / 3628800));
        double e = fma(fma(fma(high, r4, middle), r4, low), r2, r) + 1;
        int64_t bits;
        memcpy(&bits, &e, sizeof bits);
        bits += (int64_t)(int32_t)k << 52;
        memcpy(&e, &bits, sizeof e);
        return e;
    }

    // A truth value as a factor: chosen, where converting an integer would cost as much as the sigmoid's division.
    using ::int_;
    static inline double int_(bool truth) { return truth ? 1.0 : 0.0; }

    {% if 'stream' in variables %}
    // The next number of a stream, of mean 0 and variance 1: the sum of four uniform ones (Kloeden and Platen's weak
    // Euler scheme asks for no more than the right moments), cut from one turn of Steele et al.'s splitmix64.
    static inline double noise(uint64_t& state)
    {
        uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        const uint64_t sum = (z & 0xffff) + ((z >> 16) & 0xffff) + ((z >> 32) & 0xffff) + (z >> 48);
        return ((double)(int32_t)sum - 131070.0) * {{ 1 / (4 * (65536**2 - 1) / 12)**0.5 }};
    }
    {% endif %}

    // The loop's turns are independent of each other.
    #if defined(__clang__)
    #define NSA_VECTORISE _Pragma("clang loop vectorize(enable)")
    #elif defined(__GNUC__)
    #define NSA_VECTORISE _Pragma("GCC ivdep")
    #else
    #define NSA_VECTORISE
    #endif

    static inline int steps_to(int step, int border, int next)
    {
        return border > step && border < next ? border : next;
    }

    static void run(const int n_units{% for name, var in arrays %}, {{ c_type(var) }}* _all_{{ name }}{% endfor %})
    {
        const int BLOCK = {{ BLOCK }};
        {% for name, var in arrays if var.scalar %}
        const {{ c_type(var) }}* {{ get_array_name(var) }} = _all_{{ name }};
        {% endfor %}
        {{ scalar_code['step']|autoindent }}
        for (int start = 0; start < n_units; start += BLOCK)
        {
            const int left = n_units - start < BLOCK ? n_units - start : BLOCK;
            {% for name, var in arrays if not var.scalar and name != 'which' %}
            alignas(64) {{ c_type(var) }} {{ get_array_name(var) }}[BLOCK];
            for (int i = 0; i < left; i++)
                {{ get_array_name(var) }}[i] = _all_{{ name }}[{{ '_all_which[start + i]' if name in of_sets else 'start + i' }}];
            {% endfor %}
            {
                {{ scalar_code['begin']|autoindent }}
                for (int _idx = 0; _idx < left; _idx++)
                {
                    {{ vector_code['begin']|autoindent }}
                }
            }
            {% if 'stream' in variables %}
            alignas(64) uint64_t _state[BLOCK];
            memcpy(_state, {{ get_array_name(variables['stream']) }}, left * sizeof(uint64_t));
            {% endif %}
            for (int step = 0, next; ; step = next)
            {
                next = INT_MAX;  // where the next phase of any unit of the block ends
                for (int i = 0; i < left; i++)
                    next = steps_to(step, {{ input_steps }}[i], steps_to(step, {{ round_steps }}[i], next));
                if (next == INT_MAX)
                    break;
                for (int s = step; s < next; s++)
                    NSA_VECTORISE
                    for (int _idx = 0; _idx < left; _idx++)
                    {
                        {% if 'stream' in variables %}
                        {{ get_array_name(variables['n_u']) }}[_idx] = noise(_state[_idx]);
                        {{ get_array_name(variables['n_v']) }}[_idx] = noise(_state[_idx]);
                        {% endif %}
                        {{ vector_code['step']|autoindent }}
                    }
                for (int i = 0; i < left; i++)
                {
                    if ({{ input_steps }}[i] == next)
                        {{ I }}[i] = 0;
                    if ({{ round_steps }}[i] == next)  // later steps of a unit that is done go nowhere
                    {
                        {% for name in outputs %}
                        _all_{{ name }}[start + i] = {{ get_array_name(variables[name]) }}[i];
                        {% endfor %}
                    }
                }
            }
        }
    }

    }  // namespace nsa
    """
    void _run "nsa::run" (int{% for name, var in arrays %}, {{ c_type(var) }}*{% endfor %}) nogil

def main(_namespace):
    cdef int n_units = _namespace["{{ array_name(variables['n_units']) }}"][0]
    {% for name, var in arrays %}
    cdef {{ c_type(var) }}* _data_{{ name }} = <{{ c_type(var) }}*> _numpy.PyArray_DATA(_namespace["{{ array_name(var) }}"])
    {% endfor %}
    with nogil:
        _run(n_units{% for name, var in arrays %}, _data_{{ name }}{% endfor %})
{% endmacro %}
{% macro after_run() %}
{% endmacro %}
