"""Everything that is known about library functions: importing this module registers it."""

from __future__ import annotations

from pullback.frontend import (
    builtins_calls,
    combinator_calls,
    integer_calls,
    iteration_calls,
    itertools_calls,
    math_calls,
    numpy_choice,
    numpy_create,
    numpy_elementwise,
    numpy_linalg,
    numpy_linear,
    numpy_methods,
    numpy_reduce,
    numpy_scan,
    numpy_shape,
    numpy_sort,
    numpy_special,
    numpy_spectral,
    operator_calls,
    partial_calls,
)

__all__ = [
    "builtins_calls",
    "combinator_calls",
    "integer_calls",
    "iteration_calls",
    "itertools_calls",
    "math_calls",
    "numpy_choice",
    "numpy_create",
    "numpy_elementwise",
    "numpy_linalg",
    "numpy_linear",
    "numpy_methods",
    "numpy_reduce",
    "numpy_scan",
    "numpy_shape",
    "numpy_sort",
    "numpy_special",
    "numpy_spectral",
    "operator_calls",
    "partial_calls",
]
