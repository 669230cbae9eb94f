{# A whole decision round in one call: C++ from Brian2's generator, in loops that a compiler turns into vector code.

   {{vector_code['begin']}} sets a unit to the start of its round, {{vector_code['step']}} is one time step.
   A block of units lies in local arrays, under the names that the generated code knows the group's arrays by.

   A parameter of a set is read at the unit's place in `_which`.

   USES_VARIABLES { u, v, I, _input_steps, _round_steps, _n_units, _which }
   ITERATE_ALL { _idx } #}
{% macro before_run() %}
{% endmacro %}
{% macro run() %}
#cython: language_level=3, binding=False, always_allow_keywords=False
# Compiled for {{ _machine() }}
{% set arrays = _array_variables(variables) %}
from libc.stdint cimport int32_t

cdef extern from *:
    """
    #include <math.h>
    #include <string.h>
    #include <float.h>
    #include <limits.h>
    #include <vector>
    #include "numpy/ndarraytypes.h"
    #include "stdint_compat.h"
    {{ hashdefine_lines|autoindent }}
    {{ support_code_lines|autoindent }}

    {{ _support|autoindent }}
    namespace nsa {

    static inline int steps_to(int step, int border, int next)
    {
        return border > step && border < next ? border : next;
    }

    static void run(int n_units, void** arrays)
    {
        {% for name, var in arrays %}
        {{ _c_type(var) }}* _all_{{ name }} = ({{ _c_type(var) }}*)arrays[{{ loop.index0 }}];
        {% endfor %}
        const int BLOCK = {{ _BLOCK }};
        {% for name, var in arrays if var.scalar %}
        const {{ _c_type(var) }}* {{ get_array_name(var) }} = _all_{{ name }};
        {% endfor %}
        {{ scalar_code['step']|autoindent }}
        for (int start = 0; start < n_units; start += BLOCK)
        {
            const int left = n_units - start < BLOCK ? n_units - start : BLOCK;
            // Whole vectors, but for one or two units; those beyond the last do as it does and count for nothing.
            const int room = left < 3 ? left : (left + 7) / 8 * 8;
            {% for name, var in arrays if not var.scalar and name != '_which' %}
            alignas(64) {{ _c_type(var) }} {{ get_array_name(var) }}[BLOCK];
            nsa::take({{ get_array_name(var) }}, _all_{{ name }}{{ ', _all__which + start' if name in _of_sets else ' + start' }}, left, room);
            {% endfor %}
            {
                {{ scalar_code['begin']|autoindent }}
                for (int _idx = 0; _idx < room; _idx++)
                {
                    {{ vector_code['begin']|autoindent }}
                }
            }
            {% if '_stream' in variables %}
            alignas(64) uint64_t _state[BLOCK];
            memcpy(_state, {{ get_array_name(variables['_stream']) }}, room * sizeof(uint64_t));
            {% endif %}
            for (int step = 0, next; ; step = next)
            {
                next = INT_MAX;  // where the next phase of any unit of the block ends
                for (int i = 0; i < left; i++)
                    next = steps_to(step, {{ _input_steps }}[i], steps_to(step, {{ _round_steps }}[i], next));
                if (next == INT_MAX)
                    break;
                for (int s = step; s < next; s++)
                {
                    NSA_VECTORISE
                    for (int _idx = 0; _idx < room; _idx++)
                    {
                        {% if '_stream' in variables %}
                        {{ get_array_name(variables['n_u']) }}[_idx] = nsa::noise(_state[_idx]);
                        {{ get_array_name(variables['n_v']) }}[_idx] = nsa::noise(_state[_idx]);
                        {% endif %}
                        {{ vector_code['step']|autoindent }}
                    }
                    NSA_STORED;
                }
                for (int i = 0; i < room; i++)
                {
                    if ({{ _input_steps }}[i] == next)
                        {{ I }}[i] = 0;
                    if (i < left && {{ _round_steps }}[i] == next)  // later steps of a unit that is done go nowhere
                    {
                        {% for name in _outputs %}
                        _all_{{ name }}[start + i] = {{ get_array_name(variables[name]) }}[i];
                        {% endfor %}
                    }
                }
            }
        }
    }

    }  // namespace nsa
    """
    void* _address "nsa::address" (object)
    void _run "nsa::run" (int, void**) nogil

cdef tuple _names = ({% for name, var in arrays %}"{{ _array_name(var) }}", {% endfor %})

cdef int _find(dict _namespace, void** addresses) except -1:
    cdef int i
    for i in range({{ arrays|length }}):
        addresses[i] = _address(_namespace[_names[i]])
    return 0

def entry(_namespace):
    cdef void* addresses[{{ arrays|length }}]
    _find(_namespace, addresses)
    return [<size_t> &_run, *[<size_t> address for address in addresses]]

def main(_namespace):
    cdef int n_units = _namespace["{{ _array_name(variables['_n_units']) }}"][0]
    cdef void* addresses[{{ arrays|length }}]
    _find(_namespace, addresses)
    with nogil:
        _run(n_units, addresses)
{% endmacro %}
{% macro after_run() %}
{% endmacro %}
