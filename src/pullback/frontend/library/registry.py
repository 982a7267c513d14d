"""Everything that is known about library functions: importing this module registers it."""

from __future__ import annotations

from pullback.frontend.library import (
    combinators,
    consumers,
    itertools_functions,
    list_methods,
    math_floats,
    math_functions,
    math_integers,
    operator_functions,
    partial_application,
    python_builtins,
)
from pullback.frontend.library.numpy import (
    choice,
    concatenate,
    create,
    decompositions,
    elementwise,
    linalg,
    methods,
    padding,
    products,
    reduce,
    scan,
    shape,
    sort,
    special_functions,
)
from pullback.frontend.library.text import names
from pullback.frontend.memory import dicts

__all__ = [
    "choice",
    "combinators",
    "concatenate",
    "consumers",
    "create",
    "decompositions",
    "dicts",
    "elementwise",
    "itertools_functions",
    "linalg",
    "list_methods",
    "math_floats",
    "math_functions",
    "math_integers",
    "methods",
    "names",
    "operator_functions",
    "padding",
    "partial_application",
    "products",
    "python_builtins",
    "reduce",
    "scan",
    "shape",
    "sort",
    "special_functions",
]
