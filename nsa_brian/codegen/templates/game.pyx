{# A decision round of whole games whose options are coupled, in one call: C++ from Brian2's generator.

   A game has numbers of its own (parameters, pools, sums over its options) and units, its options. In a time step
   every unit sends ({{vector_code['send']}}), what was sent is summed, pools make of it what they do
   ({{scalar_code['pool']}}), every unit takes its step ({{vector_code['step']}}). The units of a game lie in arrays
   with room up to a multiple of eight, under the names that the generated code knows the group's arrays by, so that
   loops over them are whole vectors; units beyond the last option do as the first one and count for nothing.

   USES_VARIABLES { I, _sets, _steps, _which, _given, _ends, _pools, _n_games, n_arms }
   ALLOWS_SCALAR_WRITE
   ITERATE_ALL { _idx } #}
{% macro before_run() %}
{% endmacro %}
{% macro run() %}
#cython: language_level=3, binding=False, always_allow_keywords=False
# Compiled for {{ _machine() }}
{% set arrays = _array_variables(variables) %}
{% set given = [] %}
{% set fixed = _tables + ('_n_games', 'n_arms', 'dt', 't', 't_in_timesteps') %}
{% for name, var in arrays if name in fixed %}{% if given.append((name, var)) %}{% endif %}{% endfor %}
from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    #include <float.h>
    #include <math.h>
    #include <string.h>
    #include <vector>
    #include "numpy/ndarraytypes.h"
    #include "stdint_compat.h"
    {{ hashdefine_lines|autoindent }}
    {{ support_code_lines|autoindent }}
    {{ _support|autoindent }}
    namespace nsa {

    static void run(int, void** arrays)
    {
        {% for name, var in given %}
        {{ _c_type(var) }}* _all_{{ name }} = ({{ _c_type(var) }}*)arrays[{{ loop.index0 }}];
        {% endfor %}
        const int n_games = _all__n_games[0], n_options = (int)_all_n_arms[0], n_units = n_games * n_options;
        const int _room = (n_options + 7) / 8 * 8;
        {% for name, var in arrays if name in fixed and name not in _tables %}
        const {{ _c_type(var) }}* {{ get_array_name(var) }} = _all_{{ name }};
        {% endfor %}
        {% set units = [] %}
        {% for name, var in arrays if name not in fixed and not var.scalar %}{% if units.append((name, var)) %}{% endif %}{% endfor %}
        std::vector<double> memory({{ units|length + 1 }} * _room + 8);
        double* const aligned = (double*)(((uintptr_t)memory.data() + 63) / 64 * 64);
        {% for name, var in units %}
        double* __restrict {{ get_array_name(var) }} = aligned + {{ loop.index0 }} * _room;
        {% endfor %}
        uint64_t* __restrict _state = (uint64_t*)(aligned + {{ units|length }} * _room);
        (void)_state;
        // Names that begin with an underscore, or are qualified, cannot be hidden by those of a user's variables.
        for (int game = 0; game < n_games; game++)
        {
            const int set = _all__which[game];
            {% for name, var in arrays if name not in fixed and var.scalar %}
            {{ _c_type(var) }} {{ get_array_name(var) }}[1] = {0};
            {% endfor %}
            {% for name in _of_sets if name in variables %}
            {{ get_array_name(variables[name]) }}[0] = _all__sets[set * {{ _of_sets|length }} + {{ _of_sets.index(name) }}];
            {% endfor %}
            {% for name in _pool_states %}
            {{ get_array_name(variables[name]) }}[0] = _all__pools[{{ loop.index0 }} * n_games + game];
            {% endfor %}
            {% for name in _inputs if name in variables %}
            for (int k = 0; k < _room; k++)
                {{ get_array_name(variables[name]) }}[k] = _all__given[{{ _inputs.index(name) }} * n_units + game * n_options + (k < n_options ? k : 0)];
            {% endfor %}
            {
                {{ scalar_code['begin_game']|autoindent }}
            }
            {
                {{ scalar_code['begin']|autoindent }}
                for (int _idx = 0; _idx < _room; _idx++)
                {
                    {{ vector_code['begin']|autoindent }}
                }
            }
            {% if _noise %}
            memcpy(_state, {{ get_array_name(variables['_stream']) }}, _room * sizeof(uint64_t));
            {% endif %}
            const int input_steps = _all__steps[2 * set], round_steps = _all__steps[2 * set + 1];
            for (int step = 0; step < round_steps; step++)
            {
                if (step == input_steps)
                    {{ get_array_name(variables['I']) }}[0] = 0;
                {
                    {{ scalar_code['send']|autoindent }}
                    NSA_VECTORISE
                    for (int _idx = 0; _idx < _room; _idx++)
                    {
                        {% if _noise %}
                        {{ get_array_name(variables['n_u']) }}[_idx] = nsa::noise(_state[_idx]);
                        {{ get_array_name(variables['n_v']) }}[_idx] = nsa::noise(_state[_idx]);
                        {% endif %}
                        {{ vector_code['send']|autoindent }}
                    }
                    NSA_STORED;
                }
                {% for name in _sent %}
                {{ get_array_name(variables['_sum_' + name]) }}[0] = nsa::sum({{ get_array_name(variables['_sent_' + name]) }}, n_options);
                {% endfor %}
                {
                    {{ scalar_code['pool']|autoindent }}
                }
                {
                    {{ scalar_code['step']|autoindent }}
                    NSA_VECTORISE
                    for (int _idx = 0; _idx < _room; _idx++)
                    {
                        {{ vector_code['step']|autoindent }}
                    }
                    NSA_STORED;
                }
            }
            {% for name in _outputs %}
            memcpy(_all__ends + {{ loop.index0 }} * n_units + game * n_options, {{ get_array_name(variables[name]) }}, n_options * sizeof(double));
            {% endfor %}
            {% for name in _pool_states %}
            _all__pools[{{ loop.index0 }} * n_games + game] = {{ get_array_name(variables[name]) }}[0];
            {% endfor %}
        }
    }

    }  // namespace nsa
    """
    void* _address "nsa::address" (object)
    void _run "nsa::run" (int, void**) nogil

cdef tuple _names = ({% for name, var in given %}"{{ _array_name(var) }}", {% endfor %})

cdef int _find(dict _namespace, void** addresses) except -1:
    cdef int i
    for i in range({{ given|length }}):
        addresses[i] = _address(_namespace[_names[i]])
    return 0

def entry(_namespace):
    cdef void* addresses[{{ given|length }}]
    _find(_namespace, addresses)
    return [<size_t> &_run, *[<size_t> address for address in addresses]]

def main(_namespace):
    cdef void* addresses[{{ given|length }}]
    _find(_namespace, addresses)
    with nogil:
        _run(0, addresses)
{% endmacro %}
{% macro after_run() %}
{% endmacro %}
