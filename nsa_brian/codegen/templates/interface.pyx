{# Entry points of a compiled round for Python and for other compiled code, which passes the addresses of its arrays. #}
{% macro calls(arrays, n_units="0") %}
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
    cdef int n_units = {{ n_units }}
    cdef void* addresses[{{ arrays|length }}]
    _find(_namespace, addresses)
    with nogil:
        _run(n_units, addresses)
{% endmacro %}
