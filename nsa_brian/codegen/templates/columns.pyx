{# A decision round of games with any populations in one call: C++ from Brian2's generator.

   A game has scalars (parameters, signals, input from all options) and populations of neurons, option after option; the
   variables of options that change within a round form one more population. A time step first computes all input from
   the state after the previous step ({{vector_code['send_X']}} if it is not a variable itself). Then all neurons take
   their step ({{vector_code['step_u']}}), and those above threshold are reset ({{vector_code['reset_u']}}). A
   population's variables are arrays with the names of the group's arrays in the generated code, padded to
   multiples of 64 bytes, so that loops consist of whole vectors; padding neurons are simulated and ignored. The arrays keep
   their state until the next call, which may run the phases after the choice.

   USES_VARIABLES { _sets, _steps, _which, _given, _game_inputs, _choice, _memory, _streams, _counts, _sizes, _mode, _raster,
                    _n_games, _n_options, _contacts, _learnt, _reward, _luck, R, n_arms }
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
{% set fixed = _tables + ('_n_games', '_n_options', 'dt', 't', 't_in_timesteps') %}
{% for name, var in arrays if name in fixed %}{% if given.append((name, var)) %}{% endif %}{% endfor %}
from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t

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
    #define NSA_REAL {{ _real }}
    {{ _support|autoindent }}
    namespace nsa {

    static void run(int, void** arrays)
    {
        {% if _real == 'float' %}
        const NoSubnormals _flush;
        (void)_flush;
        {% endif %}
        {% for name, var in given %}
        {{ _c_type(var) }}* _all_{{ name }} = ({{ _c_type(var) }}*)arrays[{{ loop.index0 }}];
        {% endfor %}
        const int64_t _games = _all__n_games[0], _options = _all__n_options[0];
        const bool _outcome = _all__mode[0] == 1, _recording = _all__mode[1] > 0 && !_outcome;
        {% for name, var in arrays if name in ('dt', 't', 't_in_timesteps') %}
        const {{ _c_type(var) }}* {{ get_array_name(var) }} = _all_{{ name }};
        {% endfor %}
        const int64_t _width = 64 / sizeof({{ _real }});  // numbers of a vector
        int64_t _stride = 0, _seeds = 0, _total = 0;
        {% for p in _populations %}
        // Neurons per option (or pool), neurons of the population, and its padded size.
        const int64_t _per_{{ p.name }} = _all__sizes[{{ loop.index0 }}];
        const int64_t _size_{{ p.name }} = {{ '_per_' ~ p.name ~ ' * _options' if p.neurons.of_options else '_per_' ~ p.name }};
        const int64_t _room_{{ p.name }} = (_size_{{ p.name }} + _width - 1) / _width * _width;
        const int64_t _at_{{ p.name }} = _stride, _seed_{{ p.name }} = _seeds, _column_{{ p.name }} = _total;
        _stride += {{ p.arrays|length }} * _room_{{ p.name }};
        _seeds += _room_{{ p.name }} / 2;
        _total += {{ '_size_' ~ p.name if p.name != 'synapse' else '0' }};
        (void)_column_{{ p.name }};
        {% for event in p.neurons.poisson %}
        std::vector<int32_t> _chances_{{ event }};
        {% endfor %}
        {% endfor %}
        std::vector<uint32_t> _bits({% for p in _populations %}_room_{{ p.name }} + {% endfor %}0);
        {{ _real }}* const _aligned = ({{ _real }}*)(((uintptr_t)_all__memory + 63) / 64 * 64);
        // Names with a leading underscore, or qualified, cannot be hidden by a user's variables.
        for (int64_t _game = 0; _game < _games; _game++)
        {
            const int64_t set = _all__which[_game];
            {% for name, var in arrays if name not in fixed and var.scalar %}
            {{ _c_type(var) }} {{ get_array_name(var) }}[1] = {0};
            {% endfor %}
            {% for name in _of_sets if name in variables %}
            {{ get_array_name(variables[name]) }}[0] = _all__sets[set * {{ _of_sets|length }} + {{ _of_sets.index(name) }}];
            {% endfor %}
            {% for name in _game_input_names if name in variables %}
            {{ get_array_name(variables[name]) }}[0] = _all__game_inputs[{{ _game_input_names.index(name) }} * _games + _game];
            {% endfor %}
            {{ get_array_name(variables['n_arms']) }}[0] = (double)_options;
            {{ get_array_name(variables['R']) }}[0] = _outcome ? _all__reward[_game] : 0.0;
            {% for p in _populations %}
            {% for name in p.arrays %}
            {{ _real }}* __restrict {{ get_array_name(variables[name]) }} = _aligned + _game * _stride + _at_{{ p.name }} + {{ loop.index0 }} * _room_{{ p.name }};
            {% endfor %}
            uint64_t* __restrict _stream_{{ p.name }} = (uint64_t*)_all__streams + _game * _seeds + _seed_{{ p.name }};
            (void)_stream_{{ p.name }};
            {% endfor %}
            {
                {{ scalar_code['game']|autoindent }}
            }
            const int32_t* _border = _all__steps + {{ _n_phases + 1 }} * set;
            const int64_t _reading_step = _border[{{ _n_phases }}], _round_steps = _border[{{ _n_before - 1 }}];
            {% for p in _populations if p.neurons.refractory %}
            const {{ _real }} _rest_{{ p.name }} = floor(({{ get_array_name(variables['refractory_in_' ~ p.name]) }}[0] + 1e-3 * {{ get_array_name(variables['dt']) }}[0]) / {{ get_array_name(variables['dt']) }}[0]);
            {% endfor %}
            if (!_outcome)
            {
                {% for p in _populations %}
                {
                    {{ scalar_code['begin_' ~ p.name]|autoindent }}
                    for (int64_t _idx = 0; _idx < _room_{{ p.name }}; _idx++)
                    {
                        {{ vector_code['begin_' ~ p.name]|autoindent }}
                    }
                }
                {% if p.row >= 0 %}
                for (int64_t k = 0; k < _options; k++)
                    _all__counts[{{ p.row }} * _games * _options + _game * _options + k] = 0;
                {% endif %}
                {% endfor %}
            }
            {% for p in _populations %}
            {% for name, here in p.given.items() %}
            for (int64_t k = 0; k < _options; k++)
                for (int64_t i = 0; i < _per_{{ p.name }}; i++)
                    {{ get_array_name(variables[here]) }}[k * _per_{{ p.name }} + i] = _all__given[({{ _given_names.index(name) }} * _games + _game) * _options + k];
            {% endfor %}
            {% if p.choice %}
            for (int64_t k = 0; k < _options; k++)
                for (int64_t i = 0; i < _per_{{ p.name }}; i++)
                    {{ get_array_name(variables[p.choice]) }}[k * _per_{{ p.name }} + i] = _outcome ? _all__choice[_game * _options + k] : 0.0;
            {% endif %}
            {% endfor %}
            const int64_t _first = _outcome ? _round_steps : 0, _end = _outcome ? _border[{{ _n_phases - 1 }}] : _round_steps;
            int _phase = _outcome ? {{ _n_before }} : 0;
            for (int64_t _now = _first; _now < _end; _now++)
            {
                const bool _begins = _now == _first || _now == _border[_phase];
                if (_begins)
                {
                    _phase += _now != _first;
                    {% for k in range(_n_phases) %}
                    if (_phase == {{ k }})
                    {
                        {{ scalar_code['phase_' ~ k]|autoindent }}
                    }
                    {% endfor %}
                    {% for p in _populations if p.neurons.poisson %}
                    {
                        {{ scalar_code['rates_' ~ p.name]|autoindent }}
                    }
                    {% for event in p.neurons.poisson %}
                    nsa::chances({{ get_array_name(variables['mean_of_' ~ event]) }}[0], _chances_{{ event }});
                    {% endfor %}
                    {% endfor %}
                }
                {% for link in _arrivals %}
                {% if link.send %}
                {
                    {{ scalar_code['send_' ~ link.name]|autoindent }}
                    NSA_VECTORISE
                    for (int64_t _idx = 0; _idx < _room_{{ link.source }}; _idx++)
                    {
                        {{ vector_code['send_' ~ link.name]|autoindent }}
                    }
                    NSA_STORED;
                }
                {% endif %}
                {% set of = get_array_name(variables[link.of]) %}
                {% set here = get_array_name(variables[link.name]) %}
                {% if link.how == 'own' %}
                for (int64_t k = 0; k < _options; k++)
                {
                    const {{ _real }} _mean = nsa::total({{ of }} + k * _per_{{ link.source }}, _per_{{ link.source }}) / {{ link.divisor }};
                    for (int64_t i = 0; i < _per_{{ link.target }}; i++)
                        {{ here }}[k * _per_{{ link.target }} + i] = _mean;
                }
                {% elif link.how == 'others' %}
                {
                    const {{ _real }} _all = nsa::total({{ of }}, _size_{{ link.source }});
                    for (int64_t k = 0; k < _options; k++)
                    {
                        const {{ _real }} _own = nsa::total({{ of }} + k * _per_{{ link.source }}, _per_{{ link.source }});
                        for (int64_t i = 0; i < _per_{{ link.target }}; i++)
                            {{ here }}[k * _per_{{ link.target }} + i] = (_all - _own) / {{ link.divisor }};
                    }
                }
                {% else %}
                {{ here }}[0] = nsa::total({{ of }}, _size_{{ link.source }}) / {{ link.divisor }};
                {% endif %}
                {% endfor %}
                {% for p in _stepping %}
                {
                    {% for name in p.neurons.normal %}
                    nsa::draw(_stream_{{ p.name }}, _bits.data(), _room_{{ p.name }});
                    NSA_VECTORISE
                    for (int64_t i = 0; i < _room_{{ p.name }}; i++)
                        {{ get_array_name(variables[name]) }}[i] = nsa::normal<{{ _real }}>(_bits[i]);
                    NSA_STORED;
                    {% endfor %}
                    {% for name in p.neurons.poisson %}
                    nsa::draw(_stream_{{ p.name }}, _bits.data(), _room_{{ p.name }});
                    nsa::count_events(_bits.data(), {{ get_array_name(variables[name]) }}, _room_{{ p.name }}, _chances_{{ name }});
                    NSA_STORED;
                    {% endfor %}
                    {{ scalar_code['step_' ~ p.name]|autoindent }}
                    NSA_VECTORISE
                    for (int64_t _idx = 0; _idx < _room_{{ p.name }}; _idx++)
                    {
                        {{ vector_code['step_' ~ p.name]|autoindent }}
                    }
                    NSA_STORED;
                }
                {% if p.neurons.spikes %}
                {
                    {{ scalar_code['reset_' ~ p.name]|autoindent }}
                    const {{ _real }}* _fired = {{ get_array_name(variables['spiked_of_' ~ p.name]) }};
                    const int64_t _span = NSA_MASKED_STORES ? _room_{{ p.name }} : _width;
                    for (int64_t _block = 0; _block < _room_{{ p.name }}; _block += _span)
                    {
                        if (!NSA_MASKED_STORES && !nsa::any(_fired + _block))
                            continue;
                        NSA_VECTORISE
                        for (int64_t _idx = _block; _idx < _block + _span; _idx++)
                        {
                            if (_fired[_idx] != 0)
                            {
                                {
                                    {{ vector_code['reset_' ~ p.name]|autoindent }}
                                }
                                {% if p.neurons.refractory %}
                                {{ get_array_name(variables['wait_in_' ~ p.name]) }}[_idx] = _rest_{{ p.name }};
                                {% endif %}
                                {% if p.keeps_last %}
                                {{ get_array_name(variables['last_in_' ~ p.name]) }}[_idx] = ({{ _real }})_now;
                                {% endif %}
                            }
                        }
                        NSA_STORED;
                    }
                    const bool _counting = {{ '_now >= _reading_step && !_outcome' if p.row >= 0 else 'false' }};
                    for (int64_t _block = 0; (_counting || _recording) && _block < _size_{{ p.name }}; _block += _width)
                    {
                        if (!nsa::any(_fired + _block))
                            continue;
                        for (int64_t _idx = _block; _idx < _block + _width && _idx < _size_{{ p.name }}; _idx++)
                        {
                            if (_fired[_idx] == 0)
                                continue;
                            {% if p.row >= 0 %}
                            if (_counting)
                                _all__counts[({{ p.row }} * _games + _game) * _options + _idx / _per_{{ p.name }}] += 1;
                            {% endif %}
                            if (_recording)
                                _all__raster[(_game * _all__mode[1] + _now) * _total + _column_{{ p.name }} + _idx] = 1;
                        }
                    }
                }
                {% endif %}
                {% endfor %}
            }
            {% if _contact %}
            if (_outcome)
            {
                const {{ _real }}* _last_u = {{ get_array_name(variables['last_in_u']) }};
                const {{ _real }}* _last_v = {{ get_array_name(variables['last_in_v']) }};
                const double _step = {{ get_array_name(variables['dt']) }}[0];
                std::vector<double> chances(_per_v + 8), waits(_per_v + 8);
                {% if 'chance' in variables %}
                double* {{ get_array_name(variables['chance']) }} = chances.data();
                {% endif %}
                {% if 'since_post' in variables %}
                double* {{ get_array_name(variables['since_post']) }} = waits.data();
                {% endif %}
                (void)_last_u;
                for (int64_t k = 0; k < _options; k++)
                {
                    {% for name in _learnt_names if name in variables %}
                    {{ get_array_name(variables[name]) }}[0] = _all__learnt[({{ _learnt_names.index(name) }} * _games + _game) * _options + k];
                    {% endfor %}
                    for (int64_t j = 0; j < _per_v; j++)
                        waits[j] = (_end - 1 - _last_v[k * _per_v + j]) * _step;
                    for (int64_t i = 0; i < _per_u; i++)
                    {
                        {% if 'since_pre' in variables %}
                        {{ get_array_name(variables['since_pre']) }}[0] = (_end - 1 - _last_u[k * _per_u + i]) * _step;
                        {% endif %}
                        double* {{ get_array_name(variables[_contact]) }} = _all__contacts + ((_game * _options + k) * _per_u + i) * _per_v;
                        for (int64_t j = 0; j < _per_v; j++)
                            chances[j] = nsa::uniform(((uint64_t*)_all__luck)[_game]);
                        {{ scalar_code['contact']|autoindent }}
                        for (int64_t _idx = 0; _idx < _per_v; _idx++)
                        {
                            {{ vector_code['contact']|autoindent }}
                        }
                    }
                }
            }
            {% endif %}
        }
    }

    }  // namespace nsa
    """
{{ _interface.calls(given) }}
{% endmacro %}
{% macro after_run() %}
{% endmacro %}
