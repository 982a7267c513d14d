"""Rows for dense linear algebra: operations on whole float64 matrices that a library does.

    product(x, y)                      x y
    solve(a, b)                        x with a x = b; NaN if a is singular
    solve_triangular(m, b; lower, unit)    from one triangle of m, with ones on its diagonal if unit
    cholesky(a)                        the lower factor, from the lower triangle; or NaN
    logdet(a, v), det(a, v)            v, which is known to be log |det a| (or det a)
    lu(a)                              L U packed, and a last column with the row exchanges
    eigenvectors(a)                    of a symmetric matrix, ascending by eigenvalue
    right_vectors(a)                   the right singular vectors of a tall matrix, in columns
    orthonormal(a)                     q of the QR of a tall matrix
    eigenvalues(a)                     of a symmetric matrix, ascending
    singular_values(a)                 of a tall matrix, descending
    upper_factor(a)                    r of the QR of a tall matrix
    known(x, v)                        v, which is what x is but for rounding

``solve.ck`` and ``cholesky.ck`` raise LinAlgError with their static message where the others give
NaN. From ``lu`` to ``upper_factor`` they have no derivative: they are asked of constants only
(``stop_gradient``), and the rest is plain Core. The derivative of ``known`` is that of x, which is
arrays of any rank; when derivatives have been written, it is v (``ad.known_values``): nobody
computes x where nothing is differentiated. Rules: Giles, Collected Matrix Derivative Results for
Forward and Reverse Mode Algorithmic Differentiation (2008)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np

from pullback.core.later import Later
from pullback.core.rows import NOT_DIFFERENTIABLE, Mark, Row, Rule, Static, Table, Whole
from pullback.core.terms import Atom, Build, Lit, Sum_, Var
from pullback.core.types import F64, I64, Array, Type

if TYPE_CHECKING:
    from pullback.core.build import Builder

LINEAR = Table()

Matrix = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
MATRIX = Array(F64, 2)

# --- types ---------------------------------------------------------------------------------------


def _matrices(count: int, texts: int = 0, flags: int = 0, extra: tuple[Type, ...] = ()) -> Rule:
    """``count`` matrices, then ``extra``; the result has the type of the last argument."""
    wanted = (*(MATRIX,) * count, *extra)

    def rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
        if types != wanted:
            raise TypeError(f"takes {', '.join(map(str, wanted))}, not {types}")
        kinds = [str] * texts + [int] * flags
        if len(static) != len(kinds) or not all(map(isinstance, static, kinds)):
            raise TypeError(f"takes {texts} messages and {flags} flags, not {static}")
        return (wanted[-1],)

    return rule


def _vector(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    _matrices(1)(types, static)
    return (Array(F64, 1),)


def _alike(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    match types:
        case (Array(elem) as x, y) if x == y and elem == F64 and not static:
            return (x,)
        case _:
            raise TypeError(f"takes two arrays of reals of one rank, not {types}")


# --- meaning -------------------------------------------------------------------------------------

_scipy_linalg = Later("scipy.linalg")


def _nan_unless(
    found: Callable[[], object], shape: tuple[int, ...], message: str = ""
) -> Matrix:
    try:
        with np.errstate(all="ignore"):
            return np.asarray(found(), np.float64)
    except np.linalg.LinAlgError:
        if message:
            raise np.linalg.LinAlgError(message) from None
        return np.full(shape, np.nan)


def _solve(a: Matrix, b: Matrix, message: str = "") -> Matrix:
    return _nan_unless(lambda: np.linalg.solve(a, b), b.shape, message)


def _cholesky(a: Matrix, message: str = "") -> Matrix:
    return _nan_unless(lambda: np.linalg.cholesky(a), a.shape, message)


def _solve_triangular(m: Matrix, b: Matrix, lower: int, unit: int) -> Matrix:
    def found() -> object:
        return _scipy_linalg.solve_triangular(
            m, b, lower=bool(lower), unit_diagonal=bool(unit), check_finite=False
        )

    return _nan_unless(found, b.shape) if b.size else np.zeros(b.shape)


def _lu(a: Matrix) -> Matrix:
    n = len(a)
    if n == 0:
        return np.zeros((0, 1))
    packed, pivots, _ = _scipy_linalg.lapack.dgetrf(a)
    return np.concatenate([packed, pivots[:, None] + 1.0], axis=1)  # SciPy counts from 0


def _eigenvectors(a: Matrix) -> Matrix:
    return _nan_unless(lambda: np.linalg.eigh(a)[1], a.shape)


def _right_vectors(a: Matrix) -> Matrix:
    n = a.shape[1]
    return _nan_unless(lambda: np.linalg.svd(a, full_matrices=False)[2].T, (n, n))


def _orthonormal(a: Matrix) -> Matrix:
    return _nan_unless(lambda: np.linalg.qr(a)[0], a.shape)


def _eigenvalues(a: Matrix) -> Matrix:
    return _nan_unless(lambda: np.linalg.eigvalsh(a), a.shape[:1])


def _singular_values(a: Matrix) -> Matrix:
    return _nan_unless(lambda: np.linalg.svd(a, compute_uv=False), a.shape[1:])


def _upper_factor(a: Matrix) -> Matrix:
    return _nan_unless(lambda: np.linalg.qr(a, mode="r"), (a.shape[1],) * 2)


def _known(a: Matrix, v: float) -> float:
    return v


def _copied(x: Matrix, v: Matrix) -> Matrix:
    return v.copy()


# --- emitting matrices ---------------------------------------------------------------------------

Element = Callable[["Builder", Var, Var], Atom]


def _matrix(b: Builder, rows: Atom, columns: Atom, element: Element) -> Var:
    """The matrix of these elements."""
    i, j, inner = Var("i", I64), Var("j", I64), type(b)()
    body = inner.block((element(inner, i, j),))
    return b.let(Build((rows, columns), (i, j), body), (MATRIX,))[0]


def _sum(b: Builder, n: Atom, term: Callable[[Builder, Var], Atom]) -> Var:
    k, inner = Var("k", I64), type(b)()
    body = inner.block((term(inner, k),))
    return b.let(Sum_((n,), (k,), body), (F64,))[0]


def _at(b: Builder, a: Atom, i: Atom, j: Atom) -> Var:
    return b.index(a, (i, j), checked=False)


def _t(b: Builder, a: Atom) -> Var:
    """The transpose."""
    return b.prim("transpose", a, static=(1, 0))


def _product(b: Builder, x: Atom, y: Atom) -> Var:
    return b.prim("product", x, y)


def _each(b: Builder, like: Atom, element: Element) -> Var:
    return _matrix(b, b.dim(like, 0), b.dim(like, 1), element)


def _minus(b: Builder, x: Atom | None, y: Atom) -> Var:
    """x - y, or -y."""

    def element(c: Builder, i: Var, j: Var) -> Atom:
        mine = _at(c, y, i, j)
        return c.prim("neg", mine) if x is None else c.prim("sub", _at(c, x, i, j), mine)

    return _each(b, y, element)


def _masked(b: Builder, x: Atom, keep: str, diagonal: float) -> Var:
    """The elements where ``i keep j`` ("gt": below the diagonal, "lt": above), the diagonal times a
    constant, and zeros."""

    def element(c: Builder, i: Var, j: Var) -> Atom:
        value = _at(c, x, i, j)
        kept = c.prim("select", c.prim(keep, i, j), value, Lit(0.0, F64))
        on = c.prim("mul", value, Lit(diagonal, F64)) if diagonal else Lit(0.0, F64)
        return c.prim("select", c.prim("eq", i, j), on, kept)

    return _each(b, x, element)


def _identity(b: Builder, like: Atom) -> Var:
    return _each(
        b, like,
        lambda c, i, j: c.prim("select", c.prim("eq", i, j), Lit(1.0, F64), Lit(0.0, F64)),
    )  # fmt: skip


# --- rules ---------------------------------------------------------------------------------------

Args = tuple[Atom, ...]
Given = tuple[Atom | None, ...]


def _product_tangent(b: Builder, args: Args, d: Given, out: Atom, static: Static) -> Atom:
    """dx y + x dy"""
    terms = [
        _product(b, *pair)
        for pair in ((d[0], args[1]), (args[0], d[1]))
        if pair[0] is not None and pair[1] is not None
    ]
    first, *more = terms
    if not more:
        return first
    (second,) = more
    return _each(b, first, lambda c, i, j: c.prim("add", _at(c, first, i, j), _at(c, second, i, j)))


def _product_cotangents(b: Builder, args: Args, ct: Atom, out: Atom, static: Static) -> Given:
    """x* = c* y^T, y* = x^T c*"""
    return _product(b, ct, _t(b, args[1])), _product(b, _t(b, args[0]), ct)


def _solve_tangent(b: Builder, args: Args, d: Given, x: Atom, static: Static) -> Atom:
    """a dx = db - da x"""
    right = d[1]
    if d[0] is not None:
        right = _minus(b, d[1], _product(b, d[0], x))
    assert right is not None
    return b.prim("solve", args[0], right)


def _solve_cotangents(b: Builder, args: Args, ct: Atom, x: Atom, static: Static) -> Given:
    """b* = a^-T x*,  a* = -b* x^T"""
    w = b.prim("solve", _t(b, args[0]), ct)
    return _minus(b, None, _product(b, w, _t(b, x))), w


def _keep(static: Static) -> tuple[str, float]:
    lower, unit = static
    return ("gt" if lower else "lt"), (0.0 if unit else 1.0)


def _triangular_tangent(b: Builder, args: Args, d: Given, x: Atom, static: Static) -> Atom:
    right = d[1]
    if d[0] is not None:
        right = _minus(b, d[1], _product(b, _masked(b, d[0], *_keep(static)), x))
    assert right is not None
    return b.prim("solve_triangular", args[0], right, static=static)


def _triangular_cotangents(b: Builder, args: Args, ct: Atom, x: Atom, static: Static) -> Given:
    lower, unit = static
    assert isinstance(lower, int)
    w = b.prim("solve_triangular", _t(b, args[0]), ct, static=(1 - lower, unit))
    back = _minus(b, None, _product(b, w, _t(b, x)))
    return _masked(b, back, *_keep(static)), w


def _down(b: Builder, low: Atom, x: Atom, flipped: bool) -> Var:
    """low^-1 x, or low^-T x."""
    m = _t(b, low) if flipped else low
    return b.prim("solve_triangular", m, x, static=(0 if flipped else 1, 0))


def _cholesky_tangent(b: Builder, args: Args, d: Given, low: Atom, static: Static) -> Atom:
    """dl = l phi(l^-1 da l^-T), phi: the lower triangle with half the diagonal"""
    da = d[0]
    assert da is not None
    half = _masked(b, da, "gt", 0.5)
    whole = _each(b, da, lambda c, i, j: c.prim("add", _at(c, half, i, j), _at(c, half, j, i)))
    s = _down(b, low, _t(b, _down(b, low, whole, False)), False)
    return _product(b, low, _masked(b, s, "gt", 0.5))


def _cholesky_cotangents(b: Builder, args: Args, ct: Atom, low: Atom, static: Static) -> Given:
    """s = l^-T phi(l^T l*) l^-1, whose two triangles meet in the lower one of a*"""
    p = _masked(b, _product(b, _t(b, low), _masked(b, ct, "gt", 1.0)), "gt", 0.5)
    s = _down(b, low, _t(b, _down(b, low, p, True)), True)
    both = _each(b, s, lambda c, i, j: c.prim("add", _at(c, s, i, j), _at(c, s, j, i)))
    return (_masked(b, both, "gt", 0.5),)


def _trace(b: Builder, x: Atom) -> Var:
    return _sum(b, b.dim(x, 0), lambda c, k: _at(c, x, k, k))


def _logdet_tangent(b: Builder, args: Args, d: Given, out: Atom, static: Static) -> Atom:
    """tr(a^-1 da)"""
    assert d[0] is not None
    return _trace(b, b.prim("solve", args[0], d[0]))


def _scaled_inverse(b: Builder, a: Atom, factor: Atom) -> Var:
    """factor a^-T"""
    inverse = b.prim("solve", _t(b, a), _identity(b, a))
    return _each(b, inverse, lambda c, i, j: c.prim("mul", _at(c, inverse, i, j), factor))


def _logdet_cotangents(b: Builder, args: Args, ct: Atom, out: Atom, static: Static) -> Given:
    return _scaled_inverse(b, args[0], ct), None


def _det_tangent(b: Builder, args: Args, d: Given, out: Atom, static: Static) -> Atom:
    return b.prim("mul", out, _logdet_tangent(b, args, d, out, static))


def _det_cotangents(b: Builder, args: Args, ct: Atom, out: Atom, static: Static) -> Given:
    return _scaled_inverse(b, args[0], b.prim("mul", ct, out)), None


def _known_tangent(b: Builder, args: Args, d: Given, out: Atom, static: Static) -> Atom:
    assert d[0] is not None
    return d[0]


def _known_cotangents(b: Builder, args: Args, ct: Atom, out: Atom, static: Static) -> Given:
    return ct, None


# --- the rows ------------------------------------------------------------------------------------


def _row(
    name: str, rule: Rule, numpy: Callable[..., object], whole: Whole | None, arity: int = 1,
    effect: bool = False, cost: Literal["one", "size", "cubic"] = "cubic",
) -> None:
    partials = (Mark.WHOLE if whole else NOT_DIFFERENTIABLE, *(Mark.WHOLE,) * (arity - 1))
    LINEAR.add(Row(
        name, arity, rule, numpy, partials, {"array": "lower"}, effect=effect,
        cost=cost, whole=whole,
    ))  # fmt: skip


_SOLVE = Whole(_solve_tangent, _solve_cotangents)
_CHOLESKY = Whole(_cholesky_tangent, _cholesky_cotangents)
_SCALAR = (F64,)

_row("product", _matrices(2), np.matmul, Whole(_product_tangent, _product_cotangents), 2)
_row("solve", _matrices(2), _solve, _SOLVE, 2)
_row("solve.ck", _matrices(2, texts=1), _solve, _SOLVE, 2, effect=True)
_row("solve_triangular", _matrices(2, flags=2), _solve_triangular,
     Whole(_triangular_tangent, _triangular_cotangents), 2)  # fmt: skip
_row("cholesky", _matrices(1), _cholesky, _CHOLESKY)
_row("cholesky.ck", _matrices(1, texts=1), _cholesky, _CHOLESKY, effect=True)
_row("logdet", _matrices(1, extra=_SCALAR), _known, Whole(_logdet_tangent, _logdet_cotangents), 2,
     cost="one")  # fmt: skip
_row("det", _matrices(1, extra=_SCALAR), _known, Whole(_det_tangent, _det_cotangents), 2,
     cost="one")  # fmt: skip
_row("lu", _matrices(1), _lu, None)
_row("eigenvectors", _matrices(1), _eigenvectors, None)
_row("right_vectors", _matrices(1), _right_vectors, None)
_row("orthonormal", _matrices(1), _orthonormal, None)
_row("eigenvalues", _vector, _eigenvalues, None)
_row("singular_values", _vector, _singular_values, None)
_row("upper_factor", _matrices(1), _upper_factor, None)
_row("known", _alike, _copied, Whole(_known_tangent, _known_cotangents), 2, cost="size")
