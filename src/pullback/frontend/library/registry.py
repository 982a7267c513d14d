"""Everything that is known about library functions: importing this module registers it.

For those who add NumPy functions, builtins and methods:

    @register(np.exp, math.exp)                       CALLS[np.exp] = handler
    def exp(sp, args, kwargs, node): ...              -> Value

    @method("array", "sum")                           METHODS["array", "sum"]
    def array_sum(sp, receiver, args, kwargs, node): ...

    @attribute("array", "T")                          ATTRIBUTES["array", "T"]
    def array_t(sp, receiver, node): ...

Receivers: "array", "scalar" (NumPy's), "number" (Python's), "list", "tuple", "range", "function",
"generator".
``frontend/library/numpy/arrays.py`` defines
the hooks that operators and statements on arrays use (all ``node``s are ast nodes):

    binop(sp, op, left, right, node) -> Value         op as written: + - * / // % ** @ & | ^ << >>
    unary(sp, op, operand, node) -> Value             - + ~
    compare(sp, op, left, right, node) -> Value       == != < <= > >=
    subscript(sp, array, index, node) -> Value        index: Scalar/Static/SliceV/TupleV of them/...
    store(sp, array, index, value, node) -> ArrayV    the updated array: same owners, new atom
                                                      (ownership was checked by the caller)
    iterate(sp, array, node) -> Items                 its rows

They are called when at least one operand is an ArrayV. What they may ask of the specialiser is
in ``interface``; elementwise code inside a Build may call ``sp.binop`` on NumPy Scalars
(``py=False``) to get NumPy's meaning and promotion of one element.
"""

from __future__ import annotations

from pullback.frontend.library import (
    batches,
    cache_steps,
    clocks,
    combinators,
    complex_functions,
    complex_numpy,
    complex_texts,
    consumers,
    copying,
    dataclass_fields,
    distributions,
    fourier_functions,
    generator_methods,
    groups_and_copies,
    itertools_functions,
    list_methods,
    marks,
    math_functions,
    math_texts,
    number_methods,
    operator_functions,
    partial_application,
    progress_bars,
    python_builtins,
    selected_items,
    string_methods,
    structures,
    unit_tangents,
)
from pullback.frontend.library.numpy import (
    array_methods,
    choice,
    concatenate,
    create,
    decompositions,
    elementwise,
    limits,
    linalg,
    padding,
    products,
    queries,
    rearrange,
    reduce,
    scan,
    scipy_ufuncs,
    sliding,
    sort,
    special_functions,
)
from pullback.frontend.library.text import iterators, names, ordered
from pullback.frontend.memory import dicts

__all__ = [
    "array_methods",
    "batches",
    "cache_steps",
    "choice",
    "clocks",
    "combinators",
    "complex_functions",
    "complex_numpy",
    "complex_texts",
    "concatenate",
    "consumers",
    "copying",
    "create",
    "dataclass_fields",
    "decompositions",
    "dicts",
    "distributions",
    "elementwise",
    "fourier_functions",
    "generator_methods",
    "groups_and_copies",
    "iterators",
    "itertools_functions",
    "limits",
    "linalg",
    "list_methods",
    "marks",
    "math_functions",
    "math_texts",
    "names",
    "number_methods",
    "operator_functions",
    "ordered",
    "padding",
    "partial_application",
    "products",
    "progress_bars",
    "python_builtins",
    "queries",
    "rearrange",
    "reduce",
    "scan",
    "scipy_ufuncs",
    "selected_items",
    "sliding",
    "sort",
    "special_functions",
    "string_methods",
    "structures",
    "unit_tangents",
]
