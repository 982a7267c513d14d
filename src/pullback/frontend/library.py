"""Everything that is known about library functions: importing this module registers it."""

from __future__ import annotations

from pullback.frontend import (
    builtins_calls,
    combinator_calls,
    iteration_calls,
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
    partial_calls,
)

__all__ = [
    "builtins_calls",
    "combinator_calls",
    "iteration_calls",
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
    "partial_calls",
]
