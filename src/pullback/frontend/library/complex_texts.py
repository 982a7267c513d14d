"""Texts that take real and complex arrays as they are: the calls of these functions with complex
arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from pullback.core.later import LINALG, SPECIAL
from pullback.frontend.kinds.values import Specialiser, Value
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.complex_calls import OF_COMPLEX
from pullback.frontend.library.complex_numpy import as_array
from pullback.frontend.library.text import (
    eigenvalues,
    polynomial_zeros,
    polynomials,
    scipy_eigenvalues,
    scipy_integrals,
    scipy_linalg,
)
from pullback.frontend.python.python_values import with_defaults


def of_either(
    text: Callable[..., Any], sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return the result of a text."""
    assert isinstance(text, FunctionType)
    return sp.call(with_defaults(text), [as_array(sp, v, node) for v in args], node, kwargs)


_TEXTS: dict[Any, Callable[..., Any]] = {
    np.linalg.eig: eigenvalues.eig, np.linalg.eigvals: eigenvalues.eigvals,
    np.roots: polynomial_zeros.roots, np.poly: polynomials.poly, LINALG.expm: scipy_linalg.expm,
    SPECIAL.lambertw: scipy_integrals.lambertw, SPECIAL.wofz: scipy_integrals.wofz,
    LINALG.eig: scipy_eigenvalues.eig, LINALG.eigvals: scipy_eigenvalues.eigvals,
}  # fmt: skip
for _function, _text in _TEXTS.items():
    OF_COMPLEX[_function] = partial(of_either, _text)

__all__: list[str] = []
