"""Compile NumPy's eigenvalues, singular values and QR (the algorithms are in ``text.spectral``).

The signs of eigenvectors and singular vectors are NumPy's, whatever computes them.
``text.spectral`` says what happens where a derivative does not exist."""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from pullback.core.build import boolean
from pullback.core.later import LINALG
from pullback.core.terms import Atom
from pullback.errors import ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    ArrayV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind, flag
from pullback.frontend.library.compiled_text import array_of, items_of, run_program
from pullback.frontend.library.numpy.create import eye
from pullback.frontend.library.numpy.linalg import (
    TRUE,
    fail_unless,
    inv,
    matrix,
    named,
    triangular,
)
from pullback.frontend.library.numpy.products import matmul
from pullback.frontend.library.numpy.sort import as_type
from pullback.frontend.library.text import spectral as programs
from pullback.frontend.library.text.linear_algebra import cholesky
from pullback.frontend.library.text.reflections import complete_qr

# --- the bases, which are constants --------------------------------------------------------------


def _found(sp: Specialiser, name: str, a: ArrayV, node: ast.AST) -> ArrayV:
    """Return what a primitive of LAPACK finds for a matrix."""
    rows, n = ext.extents(sp, a)
    shape: dict[str, tuple[Atom, ...]] = {
        "eigenvalues": (n,), "singular_values": (n,), "orthonormal": (rows, n),
    }  # fmt: skip
    return ext.note(sp, sp.fresh(sp.b.prim(name, a.atom), node), shape.get(name, (n, n)))


def _register_basis(
    function: Callable[..., object], meaning: Callable[..., object], name: str, rest: object
) -> None:
    """Register LAPACK's primitive in place of a program that computes a basis and something more;
    ``rest`` computes that from the basis (and the matrix)."""

    @register(function)
    def basis(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        if not sp.lapack:
            return run_program(sp, meaning, args, node)
        (a,) = args
        v = _found(sp, name, array_of(a), node)
        given = (v,) if rest is programs.all_finite else (v, a)
        return TupleV((v, run_program(sp, rest, given, node)))


_register_basis(
    programs.eigenvectors, programs.own_eigenvectors, "eigenvectors", programs.all_finite
)
_register_basis(
    programs.right_vectors, programs.own_right_vectors, "right_vectors", programs.all_finite
)
_register_basis(programs.orthonormal, programs.householder, "orthonormal", programs.triangle)


def _register_primitive(function: Callable[..., object], name: str) -> None:
    """Register a primitive of LAPACK in place of a program of one matrix."""

    @register(function)
    def found(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (a,) = args
        return _found(sp, name, array_of(a), node)


for _program, _name in (
    (programs.symmetric_values, "eigenvalues"), (programs.tall_values, "singular_values"),
    (programs.upper_factor, "upper_factor"),
):  # fmt: skip
    _register_primitive(_program, _name)


@register(programs.product)
def product(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    a, b = map(array_of, args)
    if not sp.lapack:
        return matmul(sp, a, b, node)
    made = sp.fresh(sp.b.prim("product", a.atom, b.atom), node)
    return ext.note(sp, made, (ext.extents(sp, a)[0], ext.extents(sp, b)[1]))


@register(programs.below)
def below(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    m, b = map(array_of, args)
    return triangular(sp, m, b, True, False, node)


@register(programs.factor)
def factor(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (a,) = map(array_of, args)
    if not sp.lapack:
        return items_of(run_program(sp, cholesky, (a,), node))[0]
    return ext.note(sp, sp.fresh(sp.b.prim("cholesky", a.atom), node), ext.extents(sp, a))


# --- symmetric matrices --------------------------------------------------------------------------

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
    program = programs.known_eigvalsh if sp.lapack else programs.eigvalsh
    w, found = items_of(run_program(sp, program, (m, _lower(sp, uplo, node)), node))
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


# --- singular values -----------------------------------------------------------------------------


@register(np.linalg.svd)
def svd(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.linalg.svd(a, full_matrices=True, compute_uv=True)"""
    a, full, vectors = bind(
        sp, "np.linalg.svd", args, kwargs, node, a=MISSING, full_matrices=TRUE, compute_uv=TRUE
    )
    if not flag(sp, vectors, node, "compute_uv"):
        return svdvals(sp, (a,), {}, node)
    m, t = matrix(sp, a, node, square=False)
    whole = Scalar(boolean(flag(sp, full, node, "full_matrices")), True)
    *parts, found = items_of(run_program(sp, programs.svd, (m, whole), node))
    fail_unless(sp, found, _SVD, node)
    values = [as_type(sp, array_of(x), t, node) for x in parts]
    return named(np.linalg.svd(np.eye(1)), values)


@register(np.linalg.svdvals, LINALG.svdvals)
def svdvals(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The singular values, in descending order."""
    (a,) = bind(sp, "svdvals", args, kwargs, node, x=MISSING)
    m, t = matrix(sp, a, node, square=False)
    program = programs.known_singular_values if sp.lapack else programs.singular_values
    s, found = items_of(run_program(sp, program, (m,), node))
    fail_unless(sp, found, _SVD, node)
    return as_type(sp, array_of(s), t, node)


# --- QR ------------------------------------------------------------------------------------------


@register(np.linalg.qr)
def qr(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.linalg.qr(a, mode): "reduced", "complete" or "r"."""
    a, mode = bind(sp, "np.linalg.qr", args, kwargs, node, a=MISSING, mode=Static("reduced"))
    which = sp.static(mode, node, "mode")
    if which not in ("reduced", "complete", "r"):
        sp.refuse(node, f"np.linalg.qr is not supported with mode={which!r}", "use 'reduced'")
    m, t = matrix(sp, a, node, square=False)
    if which == "r" and sp.lapack:
        return as_type(sp, array_of(run_program(sp, programs.known_r, (m,), node)), t, node)
    program = complete_qr if which == "complete" else programs.qr
    found = items_of(run_program(sp, program, (m,), node))
    q, r = (as_type(sp, array_of(x), t, node) for x in found)
    return r if which == "r" else named(np.linalg.qr(np.eye(1)), (q, r))


# --- powers --------------------------------------------------------------------------------------


@register(np.linalg.matrix_power)
def matrix_power(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.linalg.matrix_power(a, n), n known at compile time: by squaring."""
    a, power = bind(sp, "np.linalg.matrix_power", args, kwargs, node, a=MISSING, n=MISSING)
    n = sp.static_int(power, node, "n")
    m, _ = matrix(sp, a, node)
    base: Value = inv(sp, (a,), {}, node) if n < 0 else a
    if n == 0:
        return eye(sp, (ext.int_value(ext.extents(sp, m)[0]),), {}, node)
    result: Value | None = None
    for bit in reversed(bin(abs(n))[2:]):
        if bit == "1":
            result = base if result is None else matmul(sp, result, base, node)
        base = matmul(sp, base, base, node)
    assert result is not None
    return result
