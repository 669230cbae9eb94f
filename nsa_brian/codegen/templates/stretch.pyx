{# A stretch of many games in one call: for each round select, pay, learn, and look the pulled option's answer up.

   {{scalar_code['learn']}} is the learning rule for the pulled option, {{scalar_code['value']}} the number that its
   answer is looked up by. Both work on numbers of one option, under the names that the generated code knows them by.

   USES_VARIABLES { w, R, _value, _sets, _which, _row, _weights, _ends, _chances, _luck, _parts, _offsets, _points, _arms, _agreed, _earned, _sizes }
   ALLOWS_SCALAR_WRITE
   ITERATE_ALL { _idx } #}
{% macro before_run() %}
{% endmacro %}
{% macro run() %}
#cython: language_level=3
# Compiled for {{ machine() }}
{% set arrays = array_variables(variables) %}
cimport numpy as _numpy
from libc.stdint cimport int32_t, int64_t, int8_t
_numpy.import_array()

cdef extern from *:
    """
    #include <math.h>
    #include <string.h>
    #include "stdint_compat.h"
    {{ hashdefine_lines|autoindent }}
    {{ support_code_lines|autoindent }}
    {{ support|autoindent }}
    namespace nsa {

    static void run({% for name, var in arrays if name in tables %}{{ c_type(var) }}* _all_{{ name }}{{ ', ' if not loop.last }}{% endfor %}, double _tolerance)
    {
        const int64_t _n_games = _all__sizes[0], _n_arms = _all__sizes[1], _n_rounds = _all__sizes[2], _n_rows = _all__sizes[3];
        const int64_t _cells = _all__sizes[4], _n_points = _all__sizes[5];
        const bool _random = _all__sizes[6];
        for (int64_t _game = 0; _game < _n_games; _game++)
        {
            const int64_t _set = _all__which[_game];
            {% for name, var in arrays if name not in tables %}
            {{ c_type(var) }} {{ get_array_name(var) }}[1] = {0};
            {% endfor %}
            {% for name in of_sets if name in variables %}
            {{ get_array_name(variables[name]) }}[0] = _all__sets[_set * {{ of_sets|length }} + {{ of_sets.index(name) }}];
            {% endfor %}
            double* _w = _all__weights + _game * _n_arms;
            double* _u = _all__ends + _game * _n_arms;
            double* _v = _all__ends + (_n_games + _game) * _n_arms;
            for (int64_t _round = 0; _round < _n_rounds; _round++)
            {
                const int64_t _at = _round * _n_rows + _all__row[_game];
                const double* _drawn = _all__luck + 4 * _at;
                const int64_t _k_u = nsa::highest(_u, _n_arms, _drawn[0], _tolerance, _random);
                const int64_t _k_v = nsa::highest(_v, _n_arms, _drawn[1], _tolerance, _random);
                const bool _agree = _k_u == _k_v;
                const int64_t _arm = _agree ? _k_v : (int64_t)(_drawn[2] * _n_arms);
                const double _chance = _all__chances[_at * _n_arms + _arm];
                _all__arms[_round * _n_games + _game] = (int32_t)_arm;
                _all__agreed[_round * _n_games + _game] = _agree;
                _all__earned[_game] += _chance;
                {{ get_array_name(variables['w']) }}[0] = _w[_arm];
                {{ get_array_name(variables['R']) }}[0] = _drawn[3] < _chance;
                {
                    {{ scalar_code['learn']|autoindent }}
                }
                _w[_arm] = {{ get_array_name(variables['w']) }}[0];
                {
                    {{ scalar_code['value']|autoindent }}
                }
                const int64_t _cell_at = nsa::cell({{ get_array_name(variables['_value']) }}[0], _cells);
                const int64_t _in_set = _set * _cells + _cell_at;
                nsa::look_up({{ get_array_name(variables['_value']) }}[0] * _cells - _cell_at, _all__parts[_in_set],
                             _all__points + _all__offsets[_in_set], _n_points, _u[_arm], _v[_arm]);
            }
        }
    }

    }  // namespace nsa
    """
    void _run "nsa::run" ({% for name, var in arrays if name in tables %}{{ c_type(var) }}*{{ ', ' if not loop.last }}{% endfor %}, double) nogil

def main(_namespace):
    {% for name, var in arrays if name in tables %}
    cdef {{ c_type(var) }}* _data_{{ name }} = <{{ c_type(var) }}*> _numpy.PyArray_DATA(_namespace["{{ array_name(var) }}"])
    {% endfor %}
    cdef double tolerance = _namespace["{{ array_name(variables['_tolerance']) }}"][0]
    with nogil:
        _run({% for name, var in arrays if name in tables %}_data_{{ name }}{{ ', ' if not loop.last }}{% endfor %}, tolerance)
{% endmacro %}
{% macro after_run() %}
{% endmacro %}
