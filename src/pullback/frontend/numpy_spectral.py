"""NumPy's eigenvalues, singular values and QR (the algorithms: ``linear_programs``)."""

from __future__ import annotations

import ast

import numpy as np
import scipy.linalg

from pullback.core.types import F64, Real
from pullback.errors import ArgumentValueError
from pullback.frontend import extents as ext
from pullback.frontend import linear_programs as programs
from pullback.frontend.arguments import MISSING, Args, Kwargs, bind, flag
from pullback.frontend.numpy_linalg import (
    TRUE,
    fail_unless,
    inv,
    matrix,
    named,
    transposed,
)
from pullback.frontend.numpy_linear import matmul
from pullback.frontend.numpy_sort import as_type
from pullback.frontend.programs import array_of, items_of, run_program
from pullback.frontend.values import ArrayV, Scalar, Specialiser, Static, Value, register
from pullback.core.build import boolean

_EIGEN = "Eigenvalues did not converge"
_SVD = "SVD did not converge"


def _lower(sp: Specialiser, uplo: Value, node: ast.AST) -> Scalar:
    which = str(sp.static(uplo, node, "UPLO")).upper()
    if which not in ("L", "U"):
        reason = "UPLO argument must be 'L' or 'U'"
        sp.refuse(node, reason, error=ArgumentValueError)
    return Scalar(boolean(which == "L"), True)


@register(np.linalg.eigvalsh)
def eigvalsh(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The eigenvalues of a symmetric matrix, from one triangle."""
    a, uplo = bind(sp, "np.linalg.eigvalsh", args, kwargs, node, a=MISSING, UPLO=Static("L"))
    m, t = matrix(sp, a, node)
    w, found = items_of(run_program(sp, programs.eigvalsh, (m, _lower(sp, uplo, node)), node))
    fail_unless(sp, found, _EIGEN, node)
    return as_type(sp, array_of(w), t, node)


@register(np.linalg.eigh)
def eigh(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Eigenvalues and eigenvectors of a symmetric matrix, from one triangle."""
    a, uplo = bind(sp, "np.linalg.eigh", args, kwargs, node, a=MISSING, UPLO=Static("L"))
    m, t = matrix(sp, a, node)
    w, v, found = items_of(run_program(sp, programs.eigh, (m, _lower(sp, uplo, node)), node))
    fail_unless(sp, found, _EIGEN, node)
    values = [as_type(sp, array_of(x), t, node) for x in (w, v)]
    return named(np.linalg.eigh(np.eye(1)), values)


# --- tall and wide -------------------------------------------------------------------------------


def _is_tall(sp: Specialiser, m: ArrayV) -> bool | None:
    """Whether there are at least as many rows as columns; None if only the data can tell."""
    rows, columns = ext.extents(sp, m)
    return True if ext.same(sp, rows, columns) else None
