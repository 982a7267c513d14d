"""Compile NumPy's and SciPy's dense linear algebra, of real matrices.

The algorithms are in ``text.linear_algebra``.

    np.linalg     solve inv det slogdet cholesky; qr eigh eigvalsh svd svdvals matrix_power are
                  in ``decompositions``
    scipy.linalg  solve inv det cholesky cho_factor cho_solve solve_triangular

Each of them takes matrices of rank 2; ``LinAlgError`` is raised where NumPy raises it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from pullback.core.build import boolean
from pullback.core.later import LINALG
from pullback.core.types import F64, Real
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.dtypes import real_of
from pullback.frontend.kinds.values import (
    ArrayV,
    RecordV,
    Scalar,
    SliceV,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, flag
from pullback.frontend.library.compiled_text import array_of, items_of, run_program, truth_of
from pullback.frontend.library.numpy.create import eye
from pullback.frontend.library.numpy.elementwise import numpy_scalar
from pullback.frontend.library.numpy.rearrange import as_array, transpose
from pullback.frontend.library.numpy.sort import as_type
from pullback.frontend.library.text import linear_algebra as programs
from pullback.frontend.library.told import core_dimension, told

SINGULAR = "Singular matrix"
SINGULAR_OF_SCIPY = "A singular matrix detected: slice(s) [0] are singular."
FALSE, TRUE = Static(False), Static(True)
_ALL = SliceV(NONE, NONE, NONE)

# --- arguments and results -----------------------------------------------------------------------


def matrix(sp: Specialiser, x: Value, node: ast.AST, square: bool = True) -> tuple[ArrayV, Real]:
    """Return the argument as a matrix of float64, and the element type of results."""
    array = as_array(sp, x, node)
    if array.rank != 2:
        reason = f"linear algebra is supported for matrices, not for arrays of rank {array.rank}"
        sp.refuse(node, reason, "loop over the matrices of a stack")
    rows, columns = ext.extents(sp, array)
    if square and not ext.same(sp, rows, columns):
        message = "Last 2 dimensions of the array must be square"
        sp.require(sp.b.prim("eq", rows, columns), "LinAlgError", message, node)
    return as_type(sp, array, F64, node), real_of(array.elem)


def right_side(sp: Specialiser, b: Value, node: ast.AST) -> tuple[ArrayV, ArrayV]:
    """Return the right side b as it is, and as a matrix of float64."""
    array = as_array(sp, b, node)
    if array.rank > 2:
        sp.refuse(node, "a right side has rank 1 or 2", error=ArgumentValueError)
    wide = as_type(sp, array, F64, node)
    if wide.rank == 2:
        return array, wide
    column = sp.b.prim("expand", wide.atom, static=(1,))
    own = (*ext.extents(sp, wide), ext.ONE)
    return array, ext.note(sp, sp.view(column, wide), own)


def solution(
    sp: Specialiser, x: Value, like: ArrayV, t: Real, node: ast.AST
) -> ArrayV:
    """Return the matrix x in the form of the right side ``like``."""
    found = array_of(x)
    if like.rank == 1:
        column = array_of(sp.subscript(found, TupleV((_ALL, Static(0))), node))
        # nothing else refers to the matrix that it is all of
        found = ext.note(sp, sp.fresh(column.atom, node), ext.extents(sp, column))
    wanted = F64 if F64 in (t, real_of(like.elem)) else t
    return as_type(sp, found, wanted, node)


def number(sp: Specialiser, x: Value, t: Real, node: ast.AST) -> Scalar:
    """Return a number that a program computed as NumPy's."""
    return numpy_scalar(sp.convert(sp.scalar(x, node), t, node))


def check_rows(
    sp: Specialiser, a: ArrayV, b: ArrayV, node: ast.AST, is_vector: bool = False
) -> None:
    """Emit a ValueError at run time unless the right side fits the matrix. ``is_vector``: it was
    one before it became a matrix of one column."""
    name, form = ("solve1", "(m)->(m)") if is_vector else ("solve", "(m,n)->(m,n)")
    plain = (
        f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
        f"(m,m),{form}"
    )
    rows, others = ext.extents(sp, a)[0], ext.extents(sp, b)[0]
    message, shown = told(partial(core_dimension, plain), plain, others, rows)
    ext.check_equal(sp, rows, others, message, node, *shown)


def fail_unless(sp: Specialiser, good: Value, message: str, node: ast.AST) -> None:
    sp.require(truth_of(good), "LinAlgError", message, node)


def named(example: object, values: Sequence[Value]) -> Value:
    """Return several results as NumPy's named tuple."""
    cls: Any = type(example)
    return RecordV(cls, dict(zip(cls._fields, values, strict=False)))


_ONE = np.eye(1)


def regular_solution(
    sp: Specialiser, m: ArrayV, columns: ArrayV, node: ast.AST, message: str = SINGULAR
) -> Value:
    """Return x with m x = columns; LinAlgError at run time if m is singular."""
    if not sp.lapack:
        x, regular = items_of(run_program(sp, programs.solve, (m, columns), node))
        fail_unless(sp, regular, message, node)
        return x
    site = sp.site(node)
    x_atom = sp.b.prim("solve.ck", m.atom, columns.atom, static=(message,), site=site)
    return ext.note(sp, sp.fresh(x_atom, node), ext.extents(sp, columns))


# --- solve, inv, det -----------------------------------------------------------------------------


def solved(sp: Specialiser, a: Value, b: Value, node: ast.AST) -> Value:
    m, t = matrix(sp, a, node)
    given, columns = right_side(sp, b, node)
    check_rows(sp, m, columns, node, isinstance(given, ArrayV) and given.rank == 1)
    return solution(sp, regular_solution(sp, m, columns, node), given, t, node)


@register(np.linalg.solve)
def solve(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    a, b = bind(sp, "np.linalg.solve", args, kwargs, node, a=MISSING, b=MISSING)
    return solved(sp, a, b, node)


_IGNORED = {"overwrite_a": FALSE, "overwrite_b": FALSE, "check_finite": TRUE}
"""Options of SciPy's functions that change no result."""


@register(np.linalg.inv)
def inv(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (a,) = bind(sp, "inv", args, kwargs, node, a=MISSING)
    return _inverse(sp, a, SINGULAR, node)


@register(LINALG.inv)
def inv_of_scipy(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return the same, or say in SciPy's words that there is none."""
    kwargs = {k: v for k, v in kwargs.items() if k not in _IGNORED}
    (a,) = bind(sp, "inv", args, kwargs, node, a=MISSING)
    return _inverse(sp, a, SINGULAR_OF_SCIPY, node)


def _inverse(sp: Specialiser, a: Value, message: str, node: ast.AST) -> Value:
    m, t = matrix(sp, a, node)
    n = ext.int_value(ext.extents(sp, m)[0])
    x = regular_solution(sp, m, array_of(eye(sp, (n,), {}, node)), node, message)
    return as_type(sp, array_of(x), t, node)


@register(np.linalg.det)
def det(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return the determinant, whose derivative is right for singular matrices too."""
    (a,) = bind(sp, "det", args, kwargs, node, a=MISSING)
    m, t = matrix(sp, a, node)
    program = programs.packed_det if sp.lapack else programs.det
    return number(sp, run_program(sp, program, (m,), node), t, node)


@register(LINALG.det)
def det_of_scipy(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return the same; of numbers of single precision, too, it is one of double precision."""
    kwargs = {k: v for k, v in kwargs.items() if k not in _IGNORED}
    made = det(sp, args, kwargs, node)
    return sp.call(Static(np.float64), (made,), node) if isinstance(made, Scalar) else made


@register(np.linalg.slogdet)
def slogdet(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (a,) = bind(sp, "slogdet", args, kwargs, node, a=MISSING)
    m, t = matrix(sp, a, node)
    program = programs.packed_slogdet if sp.lapack else programs.slogdet
    sign, size = items_of(run_program(sp, program, (m,), node))
    values = (number(sp, sign, t, node), number(sp, size, t, node))
    return named(np.linalg.slogdet(_ONE), values)


# --- Cholesky and triangular systems -------------------------------------------------------------


def factor(sp: Specialiser, a: Value, node: ast.AST, message: str) -> tuple[ArrayV, Real]:
    """Return the lower Cholesky factor, computed from the lower triangle."""
    m, t = matrix(sp, a, node)
    if not sp.lapack:
        low, positive = items_of(run_program(sp, programs.cholesky, (m,), node))
        fail_unless(sp, positive, message, node)
        return array_of(low), t
    atom = sp.b.prim("cholesky.ck", m.atom, static=(message,), site=sp.site(node))
    return ext.note(sp, sp.fresh(atom, node), ext.extents(sp, m)), t


def _transposed(sp: Specialiser, x: Value, node: ast.AST) -> ArrayV:
    array = as_array(sp, x, node)
    return transpose(sp, array, [1, 0], node) if array.rank == 2 else array


@register(np.linalg.cholesky)
def cholesky(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.linalg.cholesky(a, upper=False): only that triangle of a is read."""
    a, upper = bind(sp, "np.linalg.cholesky", args, kwargs, node, a=MISSING, upper=FALSE)
    return _cholesky(sp, a, not flag(sp, upper, node, "upper"), _NOT_POSITIVE, node)


_NOT_POSITIVE = "Matrix is not positive definite"
_MINOR = "a leading minor of the array is not positive definite"


def _cholesky(sp: Specialiser, a: Value, lower: bool, message: str, node: ast.AST) -> ArrayV:
    low, t = factor(sp, a if lower else _transposed(sp, a, node), node, message)
    result = as_type(sp, low, t, node)
    return result if lower else _transposed(sp, result, node)


def _register_scipy_cholesky(function: Callable[..., object], pair: bool) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        kwargs = {k: v for k, v in kwargs.items() if k not in _IGNORED}
        a, lower = bind(sp, function.__name__, args, kwargs, node, a=MISSING, lower=FALSE)
        a = sp.call(Static(np.atleast_2d), (a,), node)
        result = _cholesky(sp, a, flag(sp, lower, node, "lower"), _MINOR, node)
        return TupleV((result, lower)) if pair else result


_register_scipy_cholesky(LINALG.cholesky, False)
_register_scipy_cholesky(LINALG.cho_factor, True)


def triangular(
    sp: Specialiser, a: ArrayV, columns: ArrayV, lower: bool, unit: bool, node: ast.AST
) -> Value:
    """Return the solution by substitution; the diagonal is not checked."""
    if sp.lapack:
        static = (int(lower), int(unit))
        atom = sp.b.prim("solve_triangular", a.atom, columns.atom, static=static)
        return ext.note(sp, sp.fresh(atom, node), ext.extents(sp, columns))
    program = programs.solve_lower if lower else programs.solve_upper
    return run_program(sp, program, (a, columns, Scalar(boolean(unit), True)), node)


@register(LINALG.solve_triangular)
def solve_triangular(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    kwargs = {k: v for k, v in kwargs.items() if k not in _IGNORED}
    a, b, trans, lower, unit = bind(
        sp, "solve_triangular", args, kwargs, node,
        a=MISSING, b=MISSING, trans=Static(0), lower=FALSE, unit_diagonal=FALSE,
    )  # fmt: skip
    m, t = matrix(sp, a, node)
    given, columns = right_side(sp, b, node)
    check_rows(sp, m, columns, node)
    is_lower, is_unit = flag(sp, lower, node, "lower"), flag(sp, unit, node, "unit_diagonal")
    if not is_unit:
        good = run_program(sp, programs.nonzero_diagonal, (m,), node)
        fail_unless(sp, good, "singular matrix", node)
    if sp.static(trans, node, "trans") in (1, 2, "T", "C"):
        m, is_lower = _transposed(sp, m, node), not is_lower
    return solution(sp, triangular(sp, m, columns, is_lower, is_unit, node), given, t, node)


@register(LINALG.cho_solve)
def cho_solve(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """scipy.linalg.cho_solve((c, lower), b)"""
    kwargs = {k: v for k, v in kwargs.items() if k not in _IGNORED}
    pair, b = bind(sp, "cho_solve", args, kwargs, node, c_and_lower=MISSING, b=MISSING)
    if not isinstance(pair, TupleV) or len(pair.items) != 2:
        reason = "cho_solve takes the pair (c, lower)"
        sp.refuse(node, reason, "c_and_lower = cho_factor(a)", error=ArgumentTypeError)
    m, t = matrix(sp, pair.items[0], node)
    low = m if flag(sp, pair.items[1], node, "lower") else _transposed(sp, m, node)
    given, columns = right_side(sp, b, node)
    check_rows(sp, m, columns, node)
    half = array_of(triangular(sp, low, columns, True, False, node))
    x = triangular(sp, _transposed(sp, low, node), half, False, False, node)
    return solution(sp, x, given, t, node)
