{# A whole decision round in one call: C++ from Brian2's generator, in loops that compilers vectorise.

   {{vector_code['begin']}} sets a unit to the start of its round, {{vector_code['step']}} is one time step.
   A block of units is in local arrays, with the names of the group's arrays in the generated code.
   `_which` has the parameter set of each unit.

   USES_VARIABLES { _n_units, _which }
   ITERATE_ALL { _idx } #}
{% import "interface.pyx" as _interface %}
{# Do `run` steps. If the 16th of them changes no bit of the state, the rest of the phase does not either. #}
{% macro _run_steps(room) %}
{% for name in _state %}
double* const _all_of_{{ name }} = {{ get_array_name(variables[name]) }};
{% endfor %}
{
    {% for name in _state %}
    alignas(64) double {{ get_array_name(variables[name]) }}[BLOCK];
    memcpy({{ get_array_name(variables[name]) }}, _all_of_{{ name }}, {{ room }} * sizeof(double));
    {% endfor %}
    for (int last = 0; last < 2; last++)
    {
        for (int k = 0; k < (last ? 1 : run - 1); k++)
        {
            NSA_VECTORISE
            for (int _idx = 0; _idx < {{ room }}; _idx++)
            {
                {{ vector_code['step']|autoindent }}
            }
        }
        if (last && run == 16)
            moves = {% for name in _state %}{{ ' || ' if not loop.first }}memcmp({{ get_array_name(variables[name]) }}, _all_of_{{ name }}, {{ room }} * sizeof(double)) != 0{% endfor %};
        {% for name in _state %}
        memcpy(_all_of_{{ name }}, {{ get_array_name(variables[name]) }}, {{ room }} * sizeof(double));
        {% endfor %}
    }
}
{% endmacro %}
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
            // Whole vectors, except for one or two units; padding units copy the last one and are ignored.
            const int room = left < 3 ? left : (left + 7) / 8 * 8;
            alignas(64) int32_t which[BLOCK];
            nsa::take(which, _all__which + start, left, room);
            const bool one_set = nsa::equal(which, room);
            {% for name, var in arrays if not var.scalar and name != '_which' %}
            alignas(64) {{ _c_type(var) }} {{ get_array_name(var) }}[BLOCK];
            {% if name in _of_sets %}
            nsa::take({{ get_array_name(var) }}, _all_{{ name }}, which, one_set, room);
            {% elif name in _inputs %}
            nsa::take({{ get_array_name(var) }}, _all_{{ name }} + start, left, room);
            {% endif %}
            {% endfor %}
            {
                {{ scalar_code['begin']|autoindent }}
                for (int _idx = 0; _idx < room; _idx++)
                {
                    {{ vector_code['begin']|autoindent }}
                }
            }
            {% for stream in _normal %}
            alignas(64) uint64_t _state{{ stream }}[BLOCK];
            memcpy(_state{{ stream }}, {{ get_array_name(variables[stream]) }}, room * sizeof(uint64_t));
            {% endfor %}
            for (int step = 0, next; ; step = next)
            {
                next = INT_MAX;  // the next end of a phase in the block
                {% for name in _borders %}
                next = nsa::next_border({{ get_array_name(variables[name]) }}, one_set ? 1 : room, step, next);
                {% endfor %}
                if (next == INT_MAX)
                    break;
                {% if _normal %}
                for (int s = step; s < next; s++)
                {
                    NSA_VECTORISE
                    for (int _idx = 0; _idx < room; _idx++)
                    {
                        {% for stream, names in _normal.items() %}
                        {% for name in names %}
                        {{ get_array_name(variables[name]) }}[_idx] = nsa::noise(_state{{ stream }}[_idx]);
                        {% endfor %}
                        {% endfor %}
                        {{ vector_code['step']|autoindent }}
                    }
                    NSA_STORED;
                }
                {% else %}
                bool moves = true;
                for (int s = step; s < next && moves; s += 16)
                {
                    const int run = next - s < 16 ? next - s : 16;
                    // With a constant number of units, the state of cheap neurons stays in registers.
                    if (room == BLOCK)
                    {
                        {{ _run_steps('BLOCK')|indent(24) }}
                    }
                    else
                    {
                        {{ _run_steps('room')|indent(24) }}
                    }
                }
                {% endif %}
                {% for phase in _phases %}
                {% set border = get_array_name(variables[_borders[loop.index0]]) %}
                {% for name, value in phase.items() if name in variables %}
                {% set array = get_array_name(variables[name]) %}
                for (int i = 0; i < room; i++)
                    {{ array }}[i] = {{ border }}[i] == next ? {{ get_array_name(variables[value]) ~ '[i]' if value else '0' }} : {{ array }}[i];
                {% endfor %}
                {% endfor %}
                // Later steps of a finished unit are ignored.
                const int* const ends = {{ get_array_name(variables[_borders[-1]]) }};
                {% for name in _outputs %}
                nsa::put(_all_{{ name }} + start, {{ get_array_name(variables[name]) }}, ends, next, left);
                {% endfor %}
                {% for stream in _normal %}
                nsa::put((uint64_t*)_all_{{ stream }} + start, _state{{ stream }}, ends, next, left);
                {% endfor %}
            }
        }
    }

    }  // namespace nsa
    """
{{ _interface.calls(arrays, '_namespace["' ~ _array_name(variables['_n_units']) ~ '"][0]') }}
{% endmacro %}
{% macro after_run() %}
{% endmacro %}
