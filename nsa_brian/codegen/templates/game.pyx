{# A decision round of games whose options are coupled in one call: C++ from Brian2's generator.

   A game has scalars (parameters, pools, sums over its options) and units, its options. In a time step every unit sends
   ({{vector_code['send']}}), the sums are formed, pools receive, send and step ({{scalar_code['pool']}}), and every unit
   steps ({{vector_code['step']}}). The units of a game are local arrays with the names of the group's arrays in the
   generated code, padded to a multiple of eight, so that loops consist of whole vectors; padding units copy the first
   option and are ignored.

   USES_VARIABLES { _sets, _steps, _which, _given, _game_inputs, _ends, _pools, _n_games, n_arms }
   ALLOWS_SCALAR_WRITE
   ITERATE_ALL { _idx } #}
{% import "interface.pyx" as _interface %}
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
        std::vector<double> memory({{ units|length + _normal|length }} * _room + 8);
        double* const aligned = (double*)(((uintptr_t)memory.data() + 63) / 64 * 64);
        {% for name, var in units %}
        double* __restrict {{ get_array_name(var) }} = aligned + {{ loop.index0 }} * _room;
        {% endfor %}
        {% for stream in _normal %}
        uint64_t* __restrict _state{{ stream }} = (uint64_t*)(aligned + {{ units|length + loop.index0 }} * _room);
        {% endfor %}
        // Names with a leading underscore, or qualified, cannot be hidden by a user's variables.
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
            {% for name in _of_game if name in variables %}
            {{ get_array_name(variables[name]) }}[0] = _all__game_inputs[{{ _of_game.index(name) }} * n_games + game];
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
                for (int64_t _idx = 0; _idx < _room; _idx++)
                {
                    {{ vector_code['begin']|autoindent }}
                }
            }
            {% for stream in _normal %}
            memcpy(_state{{ stream }}, {{ get_array_name(variables[stream]) }}, _room * sizeof(uint64_t));
            {% endfor %}
            const int* _borders = _all__steps + {{ _n_borders }} * set;
            for (int step = 0; step < _borders[{{ _n_borders - 1 }}]; step++)
            {
                {% for phase in _phases %}
                if (step == _borders[{{ loop.index0 }}])
                {
                    {% for name, value in phase.items() if name in variables %}
                    {{ get_array_name(variables[name]) }}[0] = {{ get_array_name(variables[value]) ~ '[0]' if value else '0' }};
                    {% endfor %}
                }
                {% endfor %}
                {
                    {{ scalar_code['send']|autoindent }}
                    NSA_VECTORISE
                    for (int64_t _idx = 0; _idx < _room; _idx++)
                    {
                        {% for stream, names in _normal.items() %}
                        {% for name in names %}
                        {{ get_array_name(variables[name]) }}[_idx] = nsa::noise(_state{{ stream }}[_idx]);
                        {% endfor %}
                        {% endfor %}
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
                    for (int64_t _idx = 0; _idx < _room; _idx++)
                    {
                        {{ vector_code['step']|autoindent }}
                    }
                    NSA_STORED;
                }
            }
            {% for name in _outputs %}
            memcpy(_all__ends + {{ loop.index0 }} * n_units + game * n_options, {{ '_state' ~ name if name in _normal else get_array_name(variables[name]) }}, n_options * sizeof(double));
            {% endfor %}
            {% for name in _pool_states %}
            _all__pools[{{ loop.index0 }} * n_games + game] = {{ get_array_name(variables[name]) }}[0];
            {% endfor %}
        }
    }

    }  // namespace nsa
    """
{{ _interface.calls(given) }}
{% endmacro %}
{% macro after_run() %}
{% endmacro %}
