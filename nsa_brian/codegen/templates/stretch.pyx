{# Many rounds of many games in one call: respond, select, reward, learn.

   `_answer` says how options respond: "table", looked up, game by game; "changed", options with a changed synapse are
   integrated, those of all games together; "all", every option of every game is integrated. With `_shares`, equal options
   are integrated once.
   {{scalar_code['learn']}} is the learning rule of one option, {{scalar_code['value']}} the coordinates of its
   response in the table, {{scalar_code['signal']}} updates the game's signals, {{scalar_code['weigh']}} computes an option's
   exploration weight, {{scalar_code['show']}} the outputs of U and V. All work on scalars, with their names in the
   generated code. Arrays are passed as addresses, in the order of `_buffers`. Names with a leading underscore cannot be
   hidden by a user's variables.

   USES_VARIABLES { w, R, _entry }
   ALLOWS_SCALAR_WRITE
   ITERATE_ALL { _idx } #}
{% set _numbers = [] %}
{% for name, var in _array_variables(variables) if name != '_entry' %}{% if _numbers.append((name, var)) %}{% endif %}{% endfor %}
{% macro _number(name) %}{{ get_array_name(variables[name]) }}[0]{% endmacro %}

{# Declare the scalars of a game and of an option; load the game's parameters. #}
{% macro _of_game() %}
const int64_t _set = _which[_game];
(void)_set;
{% for name, var in _numbers %}
{{ _c_type(var) }} {{ get_array_name(var) }}[1] = {0};
{% endfor %}
{% for name in _of_sets if name in variables %}
{{ _number(name) }} = _sets[_set * {{ _of_sets|length }} + {{ _of_sets.index(name) }}];
{% endfor %}
{% endmacro %}

{# Load the synapse at `_place`. #}
{% macro _load() %}
{% for name in _synaptic if name in variables %}
{{ _number(name) }} = _last_{{ name }}[_place];
{% endfor %}
{% endmacro %}

{# Load the game's signals and inputs. #}
{% macro _load_game() %}
{% for name in _signals if name in variables %}
{{ _number(name) }} = _signal_{{ name }}[_game];
{% endfor %}
{% for name in _given_games if name in variables %}
{{ _number(name) }} = _given_{{ name }}[_round * _n_games + _game];
{% endfor %}
{% for name in _reads if name in variables and name not in _outputs %}
{{ _number(name) }} = _pool_{{ name }}[_game];
{% endfor %}
{% endmacro %}

{# Load all that rules and the choice read of the option at `_place`. #}
{% macro _see() %}
{{ _load() }}
{% for name in _reads if name in variables and name in _outputs %}
{{ _number(name) }} = _ends[{{ _outputs.index(name) }} * _n_units + _place];
{% endfor %}
{% for name in _given_options if name in variables %}
{{ _number(name) }} = _given_{{ name }}[_round * _n_units + _place];
{% endfor %}
{{ _load_game() }}
{% endmacro %}

{# Store a variable of the synapse at `_place`. #}
{% macro _keep(name) %}
if (!(fabs({{ _number(name) }}) <= DBL_MAX))
{
    if (_lenient)
        {{ _number(name) }} = 0;
    else
        _lost = {{ 2 + _synaptic.index(name) }};
}
_last_{{ name }}[_place] = {{ _number(name) }};
{% endmacro %}

{# Load what an expression reads of the eight options from `_first` on. #}
{% macro _take_eight(seen) %}
const int _left = _n_arms - _first < 8 ? (int)(_n_arms - _first) : 8;
const int64_t _place = _game * _n_arms + _first;
(void)_place, (void)_left;
{% for name, source in seen.items() if name in variables %}
alignas(64) double _of_{{ name }}[8];
if (_left == 8)
    memcpy(_of_{{ name }}, {{ source }} + _place, sizeof _of_{{ name }});
else
    nsa::take(_of_{{ name }}, {{ source }} + _place, _left, 8);
{% endfor %}
{% endmacro %}

{# Declare the scalars of option `_i` of the eight. #}
{% macro _declare_one(seen) %}
{% for name in seen if name in variables %}
double {{ get_array_name(variables[name]) }}[1] = {_of_{{ name }}[_i]};
{% endfor %}
{% endmacro %}

{# Apply statements to the eight options from `_first` on. #}
{% macro _learn_eight(block, targets) %}
{{ _take_eight(_seen_by[block]) }}
{% if block == 'learn' %}
// As an array: compilers do not vectorise the comparison of integers.
alignas(64) double _is_arm[8] = {0};
if (_arm >= _first && _arm < _first + 8)
    _is_arm[_arm - _first] = 1;
(void)_is_arm;
{% endif %}
NSA_VECTORISE
for (int _i = 0; _i < 8; _i++)
{
    {% for name in targets if name in variables and name not in _seen_by[block] %}
    double {{ get_array_name(variables[name]) }}[1] = {0};
    {% endfor %}
    {{ _declare_one(_seen_by[block])|indent(4) }}
    {% if 'chosen' in variables %}
    const double {{ get_array_name(variables['chosen']) }}[1] = { {{ '_is_arm[_i]' if block == 'learn' else '0' }} };
    (void){{ get_array_name(variables['chosen']) }};
    {% endif %}
    {
        {{ scalar_code[block]|join('\n')|indent(8) }}
    }
    {% for name in _synaptic if name in targets %}
    _of_{{ name }}[_i] = {{ _number(name) }};
    {% endfor %}
}
NSA_STORED;
nsa::Which _not_finite = {0};
{% for name in _synaptic if name in targets %}
_not_finite |= nsa::non_finite(_of_{{ name }});
{% endfor %}
if (nsa::flags(_not_finite))
{
    {% for name in _synaptic if name in targets %}
    if (!nsa::finite(_of_{{ name }}, 8))
    {
        if (_lenient)
            nsa::replace_non_finite(_of_{{ name }}, 8);
        else
            _lost = {{ 2 + _synaptic.index(name) }};
    }
    {% endfor %}
}
{% if _answer != 'all' %}
nsa::Which _moved = {0}, _matters = {0};  // which options changed, and which so that their responses change
if (_left == 8)
{
    {% for name in _synaptic if name in targets %}
    {{ '_matters' if name in _depends_on else '_moved' }} |= nsa::differ(_of_{{ name }}, _last_{{ name }} + _place);
    memcpy(_last_{{ name }} + _place, _of_{{ name }}, sizeof _of_{{ name }});
    {% endfor %}
}
else
    for (int _i = 0; _i < _left; _i++)
    {
        {% for name in _synaptic if name in targets %}
        {{ '_matters' if name in _depends_on else '_moved' }}[_i] |= nsa::bits(_of_{{ name }}[_i]) ^ nsa::bits(_last_{{ name }}[_place + _i]) ? -1 : 0;
        _last_{{ name }}[_place + _i] = _of_{{ name }}[_i];
        {% endfor %}
    }
nsa::set_flags(_changed + _place, nsa::flags(_matters));
{% else %}
{% for name in _synaptic if name in targets %}
memcpy(_last_{{ name }} + _place, _of_{{ name }}, _left * sizeof(double));
{% endfor %}
{% endif %}
{% if _settles %}
_moved |= _matters;
const uint64_t _moves = nsa::flags(_moved);
nsa::clear_flags(_settled + _place, _moves);
nsa::clear_flags(_settled + _n_units + _place, _moves);
const uint64_t _is_chosen = _arm >= _first && _arm < _first + 8 ? (uint64_t)1 << 8 * (_arm - _first) : 0;
const uint64_t _own = (_left == 8 ? 0 : (uint64_t)1 << 8 * _left) - 1;
nsa::set_flags(_own_settled + _first, 0x0101010101010101u & _own & ~(_moves | _is_chosen));
{% endif %}
{% endmacro %}

{# Apply statements to the options of a game, eight at a time. Terms with the factor `chosen` are left out where no option
   is chosen. Options that the rule left as they were, with this reward and not chosen, are skipped until they change:
   all that the rule reads is the same. #}
{% macro _learn_by_statements() %}
{{ _load_game() }}
{% if _settles %}
int8_t* const _own_settled = _settled + ({{ _number('R') }} != 0 ? _n_units : 0) + _game * _n_arms;
{% endif %}
for (int64_t _first = 0; _first < _n_arms; _first += 8)
{
    {% if _settles %}
    _first = nsa::next_block(_own_settled, _first, _n_arms, _arm);
    if (_first >= _n_arms)
        break;
    {% endif %}
    {% if _has_idle %}
    if (_arm < _first || _arm >= _first + 8)
    {
        {{ _learn_eight('idle', _idle_targets)|indent(8) }}
        continue;
    }
    {% endif %}
    {{ _learn_eight('learn', _targets)|indent(4) }}
}
{% endmacro %}

{# The rest of a game's round after the responses: select, reward, learn. #}
{% macro _turn() %}
const int64_t _at = _round * _n_rows + _row[_game];
const double* _drawn = _luck + 4 * _at;
{% if _weighs or _shows %}
{{ _load_game() }}
{% endif %}
{% if _shows %}
for (int64_t _first = 0; _first < _n_arms; _first += 8)
{
    {{ _take_eight(_seen_by_show)|indent(4) }}
    {% for name in _shown_by_expression %}
    alignas(64) double _of_{{ name }}[8];
    {% endfor %}
    NSA_VECTORISE
    for (int _i = 0; _i < 8; _i++)
    {
        {{ _declare_one(_seen_by_show)|indent(8) }}
        {% for name in _shown_by_expression %}
        double {{ get_array_name(variables[name]) }}[1];
        {% endfor %}
        {
            {{ scalar_code['show']|join('\n')|indent(12) }}
        }
        {% for name in _shown_by_expression %}
        _of_{{ name }}[_i] = {{ _number(name) }};
        {% endfor %}
    }
    NSA_STORED;
    {% for name in ('_shown_u', '_shown_v') %}
    memcpy(_shown + {{ loop.index0 }} * _n_units + _place, {{ '_of_' ~ name if name in _shown_by_expression else '_ends + ' ~ loop.index0 ~ ' * _n_units + _place' }}, _left * sizeof(double));
    {% endfor %}
}
const double* _u = _shown + _game * _n_arms;
const double* _v = _u + _n_units;
{% else %}
const double* _u = _ends + _game * _n_arms;
const double* _v = _ends + (_n_games + _game) * _n_arms;
{% endif %}
int64_t _k_u, _k_v, _lost = 0;  // _lost: code of a non-finite variable
if (_watch && !(nsa::finite(_u, _n_arms) && nsa::finite(_v, _n_arms)))
{
    if (!_lenient)
    {
        _sizes[{{ _sizes.index('runaway') }}] = 1;
        return;
    }
    _k_u = nsa::highest(nsa::silence(_u, _n_arms, _silent.data()), _n_arms, _drawn[0], _tolerance, _random);
    _k_v = nsa::highest(nsa::silence(_v, _n_arms, _silent.data()), _n_arms, _drawn[1], _tolerance, _random);
    {% if _keeps_highest %}
    _highest_u = _highest_v = nsa::Highest();
    {% endif %}
}
else
{
    {% if _keeps_highest %}
    _k_u = _highest_u.of(_u, _n_arms, _drawn[0], _tolerance, _random);
    _k_v = _highest_v.of(_v, _n_arms, _drawn[1], _tolerance, _random);
    {% else %}
    _k_u = nsa::highest(_u, _n_arms, _drawn[0], _tolerance, _random);
    _k_v = nsa::highest(_v, _n_arms, _drawn[1], _tolerance, _random);
    {% endif %}
}
const bool _agree = _k_u == _k_v && (_random || _u[_k_u] > 0);  // as in the public code, a silent U explores
{% if _weighs %}
int64_t _explored = (int64_t)(_drawn[2] * _n_arms);
{% if _exploits %}
if (!_agree)
{% endif %}
{
    {% for name, text in _of_choice if name in variables and not name.startswith('best') %}
    {{ _number(name) }} = {{ text }};
    {% endfor %}
    for (int64_t _first = 0; _first < _n_arms; _first += 8)
    {
        {{ _take_eight(_seen_by_choice)|indent(8) }}
        alignas(64) double _of_weight[8];
        NSA_VECTORISE
        for (int _i = 0; _i < 8; _i++)
        {
            const int64_t _k = _first + _i;
            (void)_k;
            {{ _declare_one(_seen_by_choice)|indent(12) }}
            {% for name, text in _of_choice if name in variables and name.startswith('best') %}
            const double {{ get_array_name(variables[name]) }}[1] = { {{ text }} ? 1.0 : 0.0 };
            {% endfor %}
            double {{ get_array_name(variables['_weight']) }}[1];
            {
                {{ scalar_code['weigh']|join('\n')|indent(16) }}
            }
            _of_weight[_i] = {{ _number('_weight') }};
        }
        NSA_STORED;
        memcpy(_weights.data() + _first, _of_weight, _left * sizeof(double));
    }
    if (!nsa::finite(_weights.data(), _n_arms))
    {
        if (_lenient)
            nsa::replace_non_finite(_weights.data(), _n_arms);
        else
            _lost = {{ 2 + _synaptic|length + _signals|length }};
    }
    if (_lost)
    {
        _sizes[{{ _sizes.index('runaway') }}] = _lost;
        return;
    }
    const int64_t _picked = nsa::pick(_weights.data(), _n_arms, _drawn[2]);
    _explored = _picked < 0 ? _explored : _picked;
}
const int64_t _arm = {{ '_agree ? _k_v : _explored' if _exploits else '_explored' }};
{% else %}
const int64_t _arm = {{ '_agree ? _k_v : ' if _exploits }}(int64_t)(_drawn[2] * _n_arms);
{% endif %}
const double _chance = _chances[_round * _stride + _row[_game] * _n_arms + _arm];
_arms[_round * _n_games + _game] = (int32_t)_arm;
_agreed[_round * _n_games + _game] = _agree;
_earned[_game] += _chance;
{{ _number('R') }} = _drawn[3] < _chance;
{% if scalar_code['signal'] %}
{
    const int64_t _place = _game * _n_arms + _arm;
    {% if 'agreed' in variables %}
    {{ _number('agreed') }} = _agree;
    {% endif %}
    {{ _see()|indent(4) }}
    {
        {{ scalar_code['signal']|join('\n')|indent(8) }}
    }
    {% for name in _signals if name in variables %}
    if (!(fabs({{ _number(name) }}) <= DBL_MAX))
    {
        if (_lenient)
            {{ _number(name) }} = 0;
        else
            _lost = {{ 2 + _synaptic|length + _signals.index(name) }};
    }
    _signal_{{ name }}[_game] = {{ _number(name) }};
    {% endfor %}
}
{% endif %}
{% if _by_statements %}
{{ _learn_by_statements() }}
{% else %}
{
    const int64_t _place = _game * _n_arms + _arm;
    {{ _see()|indent(4) }}
    {% if 'chosen' in variables %}
    {{ _number('chosen') }} = 1;
    {% endif %}
    {
        {{ scalar_code['learn']|join('\n')|indent(8) }}
    }
    {% for name in _synaptic if name in _targets %}
    {{ _keep(name)|indent(4) }}
    {% endfor %}
    _pulled[_game] = _arm;
}
{% endif %}
{% if _answer == 'all' %}
// A synapse with dynamics may have become non-finite during the round.
{% for name in _synaptic if name in _outputs %}
if (!nsa::finite(_last_{{ name }} + _game * _n_arms, _n_arms))
{
    if (_lenient)
        nsa::replace_non_finite(_last_{{ name }} + _game * _n_arms, _n_arms);
    else
        _lost = {{ 2 + _synaptic.index(name) }};
}
{% endfor %}
{% endif %}
if (_lost)
{
    _sizes[{{ _sizes.index('runaway') }}] = _lost;
    return;
}
{% endmacro %}

{# Look up the response of the option at `_place` in a table of one variable; if it is not there, the game waits. #}
{% macro _look_up_one() %}
{{ _load() }}
{
    {{ scalar_code['value']|join('\n')|indent(4) }}
}
const double _share = {{ _number('_value_0') }} / _scale[_set];
const int64_t _cell = nsa::cell(_share, _cells), _in_set = _set * _cells + _cell;
if (_cell >= 0 && _parts[_in_set])
{
    const double _was_u = _ends[_place], _was_v = _ends[_n_units + _place];
    (void)_was_u, (void)_was_v;
    nsa::look_up(_share * _cells - _cell, _parts[_in_set], _points + 2 * _offsets[_in_set], _ends[_place], _ends[_n_units + _place]);
    {% if _keeps_highest %}
    _highest_u.changed(_place - _game * _n_arms, _was_u, _ends[_place]);
    _highest_v.changed(_place - _game * _n_arms, _was_v, _ends[_n_units + _place]);
    {% endif %}
    {{ '_changed[_place] = 0' if _by_statements else '_pulled[_game] = -1' }};
}
else
    _waits = true;
{% endmacro %}

{# Look up the responses of changed options among the eight from `_first` on, in a table of several variables. #}
{% macro _look_up_eight() %}
{{ _take_eight(_seen_by_table) }}
alignas(64) double _at[{{ _n_variables }}][8];
{% if _derived %}
// Coordinates that are computed, most often from weights, are kept while the variables that they come from stay.
int64_t _differs = 0;
for (int _i = 0; _i < (_left == 8 ? 8 : _left); _i++)
    _differs |= {% for name in _derived_from %}{{ ' | ' if not loop.first }}(nsa::bits(_of_{{ name }}[_i]) ^ nsa::bits(_was_{{ name }}[_place + _i])){% endfor %};
if (!_differs)
{
    {% for i in range(_n_variables) %}
    memcpy(_at[{{ i }}], {{ '_derived_' ~ i ~ '.data() + _place' if i in _derived else '_of_' ~ _of_table[i] }}, sizeof _at[{{ i }}]);
    {% endfor %}
}
else
{% endif %}
{
    NSA_VECTORISE
    for (int _i = 0; _i < 8; _i++)
    {
        {{ _declare_one(_seen_by_table)|indent(4) }}
        {% for i in range(_n_variables) %}
        double {{ get_array_name(variables['_value_' ~ i]) }}[1];
        {% endfor %}
        {
            {{ scalar_code['value']|join('\n')|indent(8) }}
        }
        {% for i in range(_n_variables) %}
        _at[{{ i }}][_i] = {{ _number('_value_' ~ i) }};
        {% endfor %}
    }
    NSA_STORED;
    {% for i in _derived %}
    memcpy(_derived_{{ i }}.data() + _place, _at[{{ i }}], _left * sizeof(double));
    {% endfor %}
    {% for name in _derived_from %}
    memcpy(_was_{{ name }}.data() + _place, _of_{{ name }}, _left * sizeof(double));
    {% endfor %}
}
nsa::Lines<{{ _n_variables }}, {{ _line }}>& _lines = _lines_of[_first / 8];
const nsa::Which _is_left = _lines.left(_at);
const bool _any_left = nsa::flags(_is_left);
if (_any_left)
    for (int _i = 0; _i < _left; _i++)
        if (_is_left[_i] && _changed[_place + _i])
        {
            {{ _find_line()|indent(12) }}
        }
alignas(64) double _found_u[8], _found_v[8];
_lines.look_up(_at, _found_u, _found_v);
nsa::Which _not_known = nsa::non_finite(_found_u);  // those that are not known are NaN
_not_known |= nsa::non_finite(_found_v);
if (_left == 8 && !_any_left && !nsa::flags(_not_known))
{
    memcpy(_ends + _place, _found_u, sizeof _found_u);
    memcpy(_ends + _n_units + _place, _found_v, sizeof _found_v);
    memset(_changed + _place, 0, 8);
}
else
    for (int _i = 0; _i < _left; _i++)
        if (_changed[_place + _i])
        {
            if (_not_known[_i])
            {
                _waits = true;
                continue;
            }
            _ends[_place + _i] = _found_u[_i];
            _ends[_n_units + _place + _i] = _found_v[_i];
            _changed[_place + _i] = 0;
        }
{% endmacro %}

{# Find the line of option `_i`: most often it is that of the option before, since both were never chosen. #}
{% macro _find_line() %}
if (_before && _before->begins(_before_i, _at, _i))
    _lines.set(_i, *_before, _before_i);
else
{
    double _point[{{ _n_variables }}], _low[{{ _n_variables }}];
    const double* const _units = _scale + _set * {{ _n_variables }};
    for (int _d = 0; _d < {{ _n_variables }}; _d++)
        _point[_d] = _at[_d][_i] / _units[_d];
    int _level;
    const int64_t _cell = nsa::find_cell<{{ _n_variables }}>(_keys, _places, _n_slots, _set, _cells, {{ _levels }}, _point, _low, _level);
    if (_cell >= 0)
        _lines.set(_i, _at, _points + {{ 2 * 5 ** _n_variables }} * _cell, _point, _low[{{ _line }}], (double)(_cells << _level) / _units[{{ _line }}]);
    else if (_cell == -2)
    {
        {{ _integrate_one()|indent(8) }}
    }
    else
        _lines.set(_i, NAN, NAN);
    _before = &_lines;
    _before_i = _i;
}
{% endmacro %}

{# Integrate an option of which the table has no cell, unless its coordinates were integrated before. #}
{% macro _integrate_one() %}
const int64_t _key[] = {_set + 1{% for i in range(_n_variables) %}, nsa::bits(_at[{{ i }}][_i]){% endfor %}};
int64_t* const _known = _memo + nsa::slot(_key, {{ _n_variables + 1 }}, {{ _memo_slots }}) * {{ _memo_width }};
if (memcmp(_known, _key, sizeof _key) != 0)
{
    _of_pair[0] = (int32_t)_set;
    {% for name in _inputs %}
    _in_{{ name }}[0] = _at[{{ _of_table.index(name) }}][_i];
    {% endfor %}
    _respond(1, _arrays);
    memcpy(_known, _key, sizeof _key);
    {% for name in _outputs[:2] %}
    _known[{{ _n_variables + 1 + loop.index0 }}] = nsa::bits(_out_{{ name }}[0]);
    {% endfor %}
}
_lines.set(_i, nsa::number(_known[{{ _n_variables + 1 }}]), nsa::number(_known[{{ _n_variables + 2 }}]));
{% endmacro %}

{% macro _look_up() %}
bool _waits = false;
{% if _n_variables > 1 %}
const nsa::Lines<{{ _n_variables }}, {{ _line }}>* _before = nullptr;  // the last option whose line was found
int _before_i = 0;
{% if not _by_statements %}
if (_pulled[_game] >= 0)
    _changed[_game * _n_arms + _pulled[_game]] = 1;
{% endif %}
for (int64_t _k = 0; _k < _n_arms && (_k = nsa::next(_changed + _game * _n_arms, _k, _n_arms)) >= 0;)
{
    const int64_t _first = _k & ~(int64_t)7;
    {{ _look_up_eight()|indent(4) }}
    _k = _first + 8;
}
{% if not _by_statements %}
if (!_waits)
    _pulled[_game] = -1;
{% endif %}
{% elif _by_statements %}
for (int64_t _place = _game * _n_arms; (_place = nsa::next(_changed, _place, (_game + 1) * _n_arms)) >= 0; _place++)
{
    {{ _look_up_one()|indent(4) }}
}
{% else %}
if (_pulled[_game] >= 0)
{
    const int64_t _place = _game * _n_arms + _pulled[_game];
    {{ _look_up_one()|indent(4) }}
}
{% endif %}
if (_waits)
    break;
{% endmacro %}

{# Integrate the options whose synapse has changed, or all of them, in the games from `_begin` to `_end`. Equal ones are integrated
   once. #}
{% macro _integrate_distinct() %}
int _n = 0;
{% if _answer == 'all' %}
for (int64_t _game = _begin; _game < _end; _game++)
    for (int64_t _place = _game * _n_arms; _place < (_game + 1) * _n_arms; _place++)
    {
        {{ _put_in()|indent(8) }}
    }
{% elif _by_statements %}
for (int64_t _game = _begin; _game < _end; _game++)
    for (int64_t _place = _game * _n_arms; (_place = nsa::next(_changed, _place, (_game + 1) * _n_arms)) >= 0; _place++)
    {
        {{ _put_in()|indent(8) }}
        _changed[_place] = 0;
    }
{% else %}
for (int64_t _game = _begin; _game < _end; _game++)
    if (_pulled[_game] >= 0)
    {
        const int64_t _place = _game * _n_arms + _pulled[_game];
        {{ (_look_ahead() if _depth > 1 else _put_in())|indent(8) }}
        _pulled[_game] = -1;
    }
{% endif %}
if (_n)
    _respond(_n, _arrays);
{% if _depth > 1 %}
for (int _i = 0; _i < _n; _i++)
{
    _forecasts[_slots[_i]].u = _out_u[_i];
    _forecasts[_slots[_i]].v = _out_v[_i];
    if (!_is_first[_i])
        continue;
    const int64_t _place = _places[_i];
    {{ _take_out('_out_', '[_i]')|indent(4) }}
}
{% else %}
for (int _i = 0; _i < _n; _i++)
{
    const int64_t _place = _places[_i];
    {{ _take_out('_out_', '[_i]')|indent(4) }}
    if (_slots[_i] < 0)
        continue;
    {% for name in _outputs %}
    _memo[(_slots[_i] + 1) * {{ _memo_width }} - {{ loop.revindex }}] = nsa::bits(_out_{{ name }}[_i]);
    {% endfor %}
    _waiting[_slots[_i]] = 0;
}
for (const auto& _twin : _twins)
{
    const int64_t _place = _twin.first, _i = _twin.second;
    {{ _take_out('_out_', '[_i]')|indent(4) }}
}
_twins.clear();
{% endif %}
{% endmacro %}

{# Store the outputs of the option at `_place`. #}
{% macro _take_out(before, after) %}
{% for name in _outputs %}
_ends[{{ loop.index0 }} * _n_units + _place] = {{ before }}{{ name }}{{ after }};
{% if name in _lasting %}
_last_{{ name }}[_place] = {{ before }}{{ name }}{{ after }};
{% endif %}
{% endfor %}
{% endmacro %}

{# Add the option at `_place` to those to be integrated, unless its response is known or will be: its parameter set and
   inputs have the same bits as those in a row of `_memo`. #}
{% macro _put_in() %}
_of_pair[_n] = _which[_game];
{% for name in _inputs %}
{% if name in _signals %}
_in_{{ name }}[_n] = _signal_{{ name }}[_game];
{% elif name in _given_games %}
_in_{{ name }}[_n] = _given_{{ name }}[_round * _n_games + _game];
{% else %}
_in_{{ name }}[_n] = {{ '_given_' ~ name ~ '[_round * _n_units + _place]' if name in _given_options else '_last_' ~ name ~ '[_place]' }};
{% endif %}
{% endfor %}
const int64_t _key[] = {_of_pair[_n] + 1{% for name in _inputs %}, nsa::bits(_in_{{ name }}[_n]){% endfor %}};
const int64_t _slot = nsa::slot(_key, {{ _inputs|length + 1 }}, {{ _memo_slots }});
int64_t* const _known = _memo + _slot * {{ _memo_width }};
if (memcmp(_known, _key, sizeof _key) == 0)
{
    if (_waiting[_slot])
        _twins.emplace_back(_place, _waiting[_slot] - 1);
    else
    {
        {% for name in _outputs %}
        const double _known_{{ name }} = nsa::number(_known[{{ _memo_width }} - {{ loop.revindex }}]);
        {% endfor %}
        {{ _take_out('_known_', '')|indent(8) }}
    }
}
else
{
    _slots[_n] = _waiting[_slot] ? -1 : _slot;
    if (!_waiting[_slot])
    {
        memcpy(_known, _key, sizeof _key);
        _waiting[_slot] = _n + 1;
    }
    _places[_n++] = _place;
}
{% endmacro %}

{# Use the predicted response of the option at `_place` if the prediction was right. Otherwise predict the next rounds:
   the same option again if U and V agreed, else the options that the random numbers select. The rewards are known, and
   so are the weights that follow. Integrating them together costs little more than integrating one, since they fill
   otherwise empty lanes of a vector. #}
{% macro _look_ahead() %}
nsa::Forecast* const _own = _forecasts.data() + _game * {{ _depth }};
int& _seen = _seen_of[_game];
if (++_seen < {{ _depth }} && _own[_seen].place == _place && _own[_seen].w == _last_w[_place])
{
    _ends[_place] = _own[_seen].u;
    _ends[_n_units + _place] = _own[_seen].v;
}
else
{
    {{ _of_game()|indent(4) }}
    const bool _same = _round == 0 || _agreed[(_round - 1) * _n_games + _game];
    int64_t _next = _place;
    _seen = 0;
    for (int _i = 0; _i < {{ _depth }}; _i++)
    {
        _own[_i].place = -1;
        if (_round + _i >= _n_rounds)
            continue;
        double _w = _last_w[_next];
        for (int _j = 0; _j < _i; _j++)
            if (_own[_j].place == _next)
                _w = _own[_j].w;
        if (_i)
        {
            const int64_t _at = (_round + _i - 1) * _n_rows + _row[_game];
            {% for name in _synaptic if name in variables %}
            {{ _number(name) }} = {{ '_w' if name == 'w' else '_last_' + name + '[_next]' }};
            {% endfor %}
            {{ _number('R') }} = _luck[4 * _at + 3] < _chances[(_round + _i - 1) * _stride + _row[_game] * _n_arms + _next - _game * _n_arms];
            {
                {{ scalar_code['learn']|join('\n')|indent(16) }}
            }
            _w = {{ _number('w') }};
        }
        _own[_i].place = _next;
        _own[_i].w = _w;
        _places[_n] = _next;
        _slots[_n] = _game * {{ _depth }} + _i;
        _is_first[_n] = _i == 0;
        _of_pair[_n] = _which[_game];
        {% for name in _inputs %}
        _in_{{ name }}[_n] = {{ '_w' if name == 'w' else '_last_' + name + '[_next]' }};
        {% endfor %}
        _n++;
        if (!_same)
            _next = _game * _n_arms + (int64_t)(_luck[4 * ((_round + _i) * _n_rows + _row[_game]) + 2] * _n_arms);
    }
}
{% endmacro %}

{# Integrate all options of the games from `_begin` to `_end`, and store the state that lasts to the next round. #}
{% macro _integrate_all() %}
const int64_t _skipped = _begin * _n_arms, _n_own = (_end - _begin) * _n_arms;
{% if _shares %}
for (int64_t _game = _begin; _game < _end; _game++)
    nsa::fill(_of_pair + _game * _n_arms - _skipped, _n_arms, _which[_game]);
{% endif %}
{% for name in _inputs %}
{% if name in _signals or name in _given_games %}
for (int64_t _game = _begin; _game < _end; _game++)
    nsa::fill(_in_{{ name }} + _game * _n_arms - _skipped, _n_arms, {{ '_signal_' ~ name ~ '[' if name in _signals else '_given_' ~ name ~ '[_round * _n_games + ' }}_game]);
{% else %}
memcpy(_in_{{ name }}, {{ '_given_' ~ name ~ ' + _round * _n_units' if name in _given_options else '_last_' ~ name }} + _skipped, _n_own * sizeof(double));
{% endif %}
{% endfor %}
{% for name in _game_inputs %}
memcpy(_game_input_{{ name }}, {{ '_signal_' ~ name if name in _signals else '_given_' ~ name ~ ' + _round * _n_games' }}, _n_games * sizeof(double));
{% endfor %}
_respond((int)_n_own, _arrays);
{% for name in _outputs %}
memcpy(_ends + {{ loop.index0 }} * _n_units + _skipped, _out_{{ name }}, _n_own * sizeof(double));
{% if name in _lasting %}
memcpy(_last_{{ name }} + _skipped, _out_{{ name }}, _n_own * sizeof(double));
{% endif %}
{% endfor %}
{% endmacro %}

{% macro before_run() %}
{% endmacro %}
{% macro run() %}
#cython: language_level=3, binding=False, always_allow_keywords=False
# Compiled for {{ _machine() }}
from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <float.h>
    #include <math.h>
    #include <string.h>
    #include <utility>
    #include <vector>
    #include "numpy/ndarraytypes.h"
    #include "stdint_compat.h"
    {{ hashdefine_lines|autoindent }}
    {{ support_code_lines|autoindent }}
    {{ _support|autoindent }}
    namespace nsa {

    typedef void (*respond_t)(int, void**);

    static void run(const int64_t* _entry)
    {
        {% for name, type in _buffers %}
        {{ type }}* const _{{ name }} = ({{ type }}*)_entry[{{ loop.index0 }}];
        {% endfor %}
        {% for name in _sizes %}
        const int64_t _{{ name }} = _sizes[{{ loop.index0 }}];
        {% endfor %}
        const int64_t _n_units = _n_games * _n_arms;
        const double _tolerance = _limits[0];
        std::vector<double> _silent(_n_arms);
        {% if _weighs %}
        std::vector<double> _weights(_n_arms);
        {% endif %}
        {% if _n_variables != 1 %}
        const respond_t _respond = (respond_t)_call[0];
        void** const _arrays = (void**)(_call + 1);
        {% endif %}
        {% for i in _derived %}
        std::vector<double> _derived_{{ i }}(_n_units + 8);
        {% endfor %}
        {% for name in _derived_from %}
        std::vector<double> _was_{{ name }}(_n_units + 8, NAN);
        {% endfor %}
        {% if _answer == 'table' %}
        for (int64_t _game = 0; _game < _n_games; _game++)
        {
            {{ _of_game()|indent(12) }}
            {% if _keeps_highest %}
            nsa::Highest _highest_u, _highest_v;
            {% endif %}
            {% if _n_variables > 1 %}
            std::vector<nsa::Lines<{{ _n_variables }}, {{ _line }}>> _lines_of((_n_arms + 7) / 8);
            {% endif %}
            int64_t _round = _from[_game];
            for (; _round < _n_rounds; _round++)
            {
                {{ _look_up()|indent(16) }}
                {{ _turn()|indent(16) }}
            }
            _from[_game] = _round;
        }
        {% else %}
        {% if _shares %}
        const int64_t _most = {{ '_n_games * ' ~ _depth if _answer == 'changed' and not _by_statements else '_n_units' }};
        std::vector<int64_t> _places(_most), _slots(_most);
        {% endif %}
        {% if _depth > 1 %}
        std::vector<char> _is_first(_n_games * {{ _depth }});
        std::vector<nsa::Forecast> _forecasts(_n_games * {{ _depth }});
        std::vector<int> _seen_of(_n_games, {{ _depth }});
        {% elif _shares %}
        std::vector<int> _waiting({{ _memo_slots }});  // by row of the memo: 1 + index of the option being integrated
        std::vector<std::pair<int64_t, int>> _twins;  // options, and the equal ones being integrated
        {% endif %}
        // Where options respond for themselves, games are played one after the other, so that caches hold their state;
        // together as many as fill vectors.
        const int64_t _together = {{ '1 + 255 / _n_arms' if _shares and _answer == 'all' else '_n_games' }};
        for (int64_t _begin = 0; _begin < _n_games; _begin += _together)
        {
            const int64_t _end = _begin + _together < _n_games ? _begin + _together : _n_games;
            {% if _shares and _answer == 'all' %}
            nsa::FasterWay _way;
            {% endif %}
            for (int64_t _round = 0; _round < _n_rounds; _round++)
            {
                {% if _shares and _answer == 'all' %}
                _way.begin();
                if (_way.is_first())
                {
                    {{ _integrate_distinct()|indent(20) }}
                }
                else
                {
                    {{ _integrate_all()|indent(20) }}
                }
                _way.end();
                {% else %}
                {{ (_integrate_distinct() if _shares else _integrate_all())|indent(16) }}
                {% endif %}
                for (int64_t _game = _begin; _game < _end; _game++)
                {
                    {{ _of_game()|indent(20) }}
                    {{ _turn()|indent(20) }}
                }
            }
        }
        {% endif %}
    }

    }  // namespace nsa
    """
    void* _address "nsa::address" (object)
    void _run "nsa::run" (const int64_t*) nogil

def main(_namespace):
    cdef const int64_t* entry = <const int64_t*> _address(_namespace["{{ _array_name(variables['_entry']) }}"])
    with nogil:
        _run(entry)
{% endmacro %}
{% macro after_run() %}
{% endmacro %}
