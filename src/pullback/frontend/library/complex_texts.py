"""Texts that take real and complex arrays as they are: the calls of these functions with complex
arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from pullback.core.later import LINALG, SPECIAL, LaterFunction
from pullback.frontend.interpret.complex_values import numpy_pair
from pullback.frontend.kinds.values import (
    ArrayV,
    RecordV,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.complex_calls import OF_COMPLEX
from pullback.frontend.library.complex_numpy import as_array, has_text
from pullback.frontend.library.text import (
    complex_arrays,
    complex_equations,
    complex_matrices,
    eigenvalues,
    matrix_functions,
    matrix_stacks,
    polynomial_zeros,
    polynomials,
    pseudo_inverse,
    scipy_eigenvalues,
    scipy_fourier_filters,
    scipy_integrals,
    scipy_linalg,
    scipy_linear_systems,
    scipy_matrix_functions,
    scipy_resampling,
    scipy_schur,
)
from pullback.frontend.python.python_values import with_defaults


def of_either(
    text: Callable[..., Any], sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return the result of a text."""
    assert isinstance(text, FunctionType)
    given = args if text in _OF_SEVERAL else [as_array(sp, v, node) for v in args]
    return sp.call(with_defaults(text), given, node, kwargs)


_OF_SEVERAL = (
    matrix_functions.multi_dot, complex_equations.cho_solve, scipy_linear_systems.lu_solve,
)  # fmt: skip
"""Texts whose first argument is a list or tuple of arrays."""


def det(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    part = args[0].fields["real"] if args and isinstance(args[0], RecordV) else None
    if isinstance(part, ArrayV) and part.rank > 2:
        return of_either(matrix_stacks.det, sp, args, kwargs, node)
    return has_text(complex_arrays.det, sp, args, kwargs, node)


_TEXTS: dict[Any, Callable[..., Any]] = {
    np.linalg.eig: eigenvalues.eig, np.linalg.eigvals: eigenvalues.eigvals,
    np.roots: polynomial_zeros.roots, np.poly: polynomials.poly, LINALG.expm: scipy_linalg.expm,
    SPECIAL.lambertw: scipy_integrals.lambertw,
    LINALG.eig: scipy_eigenvalues.eig, LINALG.eigvals: scipy_eigenvalues.eigvals,
    **{getattr(np.linalg, name): getattr(complex_matrices, name) for name in (
        "eigh", "eigvalsh", "svd", "svdvals", "cholesky", "qr", "slogdet", "matrix_power",
    )},
    np.linalg.pinv: pseudo_inverse.pinv,
    **{getattr(np.linalg, name): getattr(matrix_functions, name) for name in (
        "lstsq", "cond", "matrix_rank", "tensorsolve", "tensorinv", "multi_dot", "vector_norm",
        "matrix_norm", "trace", "diagonal", "outer", "cross", "matmul", "vecdot", "tensordot",
        "matrix_transpose",
    )},
    **{getattr(LINALG, name): getattr(complex_equations, name) for name in (
        "eigh", "eigvalsh", "svd", "svdvals", "qr", "pinv", "pinvh", "cholesky", "cho_factor",
        "cho_solve", "solve_triangular", "inv", "det", "norm", "polar", "orth",
        "null_space",
    )},
    **{getattr(LINALG, name): getattr(scipy_linear_systems, name) for name in (
        "lu", "lu_factor", "lu_solve", "solve", "solve_sylvester", "solve_continuous_lyapunov",
        "solve_discrete_lyapunov",
    )},
    **{getattr(LINALG, name): getattr(scipy_matrix_functions, name) for name in (
        "sqrtm", "logm", "fractional_matrix_power", "cosm", "sinm", "tanm", "coshm", "sinhm",
        "tanhm",
    )},
    LINALG.lstsq: scipy_linalg.lstsq,
    LaterFunction("scipy.signal", "istft"): scipy_resampling.istft,
    LINALG.schur: scipy_schur.schur, LINALG.hessenberg: scipy_schur.hessenberg,
    LINALG.qz: scipy_schur.qz, LINALG.rsf2csf: scipy_schur.rsf2csf,
    **{LaterFunction("scipy.ndimage", name): getattr(scipy_fourier_filters, name) for name in (
        "fourier_gaussian", "fourier_uniform", "fourier_ellipsoid", "fourier_shift",
    )},
}  # fmt: skip


def norm(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Norms that look at the sizes of the items."""
    x, *rest = args
    order = rest[0] if rest else kwargs.get("ord", Static(None))
    axis = rest[1] if len(rest) > 1 else kwargs.get("axis", Static(None))
    vectors = _rank(x) == 1 or (isinstance(axis, Static) and isinstance(axis.value, int))
    known = order.value if isinstance(order, Static) else 0
    if not vectors and known in (2, -2, "nuc"):
        return of_either(matrix_stacks.norm, sp, args, kwargs, node)
    sizes = sp.call(Static(np.abs), (x,), node)
    return sp.call(Static(np.linalg.norm), (sizes, *rest), node, kwargs)


def _rank(value: Value) -> int:
    part = value.fields["real"] if isinstance(value, RecordV) else value
    return part.rank if isinstance(part, ArrayV) else 0


@register(complex_matrices.of_parts)
def of_parts(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return numpy_pair(sp, TupleV(tuple(args)), node)


for _function, _text in _TEXTS.items():
    OF_COMPLEX[_function] = partial(of_either, _text)
OF_COMPLEX[np.linalg.det] = det
OF_COMPLEX[np.linalg.norm] = norm

__all__: list[str] = []
