"""SciPy: derivatives in the forms that its solvers ask for, and solvers of structures.

``minimize``, ``least_squares`` and ``root`` are SciPy's with exact derivatives, for a first guess
of any form (a dict, a record, an object); what SciPy takes besides is handed on. The others give
the derivatives alone, for calls of SciPy's own functions: they take ``args=`` as SciPy does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse
from scipy import LowLevelCallable
from scipy.sparse.linalg import LinearOperator

import pullback as pb
from pullback.api.signatures import with_types

Function = Callable[..., Any]
Result = scipy.optimize.OptimizeResult
_SOLVERS: Any = scipy.optimize  # whose stubs have a signature for each method
_BY_HESSIAN = frozenset({"dogleg", "trust-exact"})
_BY_PRODUCTS = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})
_WITHOUT = frozenset({"nelder-mead", "powell", "cobyla", "cobyqa"})
_DENSE_ROOTS = frozenset({"hybr", "lm"})


# --- derivatives ----------------------------------------------------------------------------------


@with_types
def hessp(f: Function) -> Function:
    """Return ``hessp=`` for ``minimize``: a function ``(x, p, *args)`` that gives the product of
    the Hessian of ``f`` with ``p``.

    Args:
        f: a function of an array that returns one real number.
    """

    def product(x: Any, p: Any, *args: Any) -> Any:
        given = np.array(p, np.asarray(x).dtype)  # SciPy tries what an operator is with ints
        return pb.hvp(f, (x, *args), (given, *[None] * len(args)))[0]

    return product


@with_types
def hess_operator(f: Function) -> Function:
    """Return ``hess=`` for ``minimize(method="trust-constr")`` and for its nonlinear constraints: a
    function ``(x, *args)`` that gives a ``LinearOperator``, which multiplies with the Hessian."""
    product = hessp(f)

    def at(x: Any, *args: Any) -> LinearOperator:
        def times(p: Any) -> Any:
            return product(x, np.ravel(p), *args)

        return LinearOperator((len(x), len(x)), matvec=times, rmatvec=times, dtype=np.float64)

    return at


@with_types
def jac_operator(f: Function) -> Function:
    """Return ``jac=`` for ``least_squares`` (with ``tr_solver="lsmr"``): a function ``(x, *args)``
    that gives a ``LinearOperator``, which multiplies with the Jacobian of ``f`` and with its
    transpose, and never forms it.

    Args:
        f: a function of an array that returns an array of rank 1.
    """

    def at(x: Any, *args: Any) -> LinearOperator:
        def inner(v: Any) -> Any:
            return f(v, *args)

        value, back = pb.vjp(inner, x)
        _, along = pb.linearize(inner, x)
        return LinearOperator(
            (len(value), len(x)), dtype=np.float64,
            matvec=lambda v: along(np.array(v, float).ravel()),
            rmatvec=lambda c: back(np.array(c, float).ravel())[0],
        )  # fmt: skip

    return at


@with_types
def jac_sparsity(f: Function, x: Any, *args: Any, argnum: int = 0) -> scipy.sparse.csr_array:
    """Return ``jac_sparsity=`` for ``least_squares`` and ``solve_ivp``: where the Jacobian of ``f``
    by an argument is not zero along the path that it takes at this point.

    Args:
        f: a function that returns an array of rank 1.
        x: the first argument; ``args``: the others.
        argnum: the argument to differentiate by: 1 for ``f(t, y)`` of a differential equation.

    Returns:
        A sparse matrix of ones. Another branch of ``f`` may have another pattern; then take the sum
        of several.
    """
    found = scipy.sparse.csr_array(pb.sparse_jacobian(f, argnum)(x, *args))
    found.data = np.ones_like(found.data)
    return found


@with_types
def low_level(f: Function, signature: str = "double (double)") -> LowLevelCallable:
    """Return ``f`` as a ``LowLevelCallable`` for ``quad``, ``nquad`` and the filters of
    ``ndimage``: they call compiled code, with no Python in between (``pb.cfunc``)."""
    return LowLevelCallable(pb.cfunc(f, signature).ctypes)


# --- solvers of structures ------------------------------------------------------------------------


@with_types
def minimize(
    f: Function, x0: Any, args: tuple[Any, ...] = (), method: str | None = None, **options: Any
) -> Result:
    """Return what ``scipy.optimize.minimize`` finds, with an exact gradient and, where the method
    takes one, an exact Hessian or products with it.

    Args:
        f: a function ``f(x, *args)`` that returns one real number.
        x0: the first guess: an array, or a structure of floats and arrays (a dict, an object).
        args: further arguments.
        method: as for SciPy.
        options: as for SciPy. ``bounds``, ``constraints`` and ``callback`` are about the vector of
            all numbers (``pb.ravel(x0)[0]``).

    Returns:
        SciPy's result, with ``x`` and ``jac`` in the form of ``x0``.
    """
    start, back, inner = _of_vector(f, x0)
    name = str(method).lower()
    if name in _WITHOUT:
        found: Any = _SOLVERS.minimize(inner, start, args, method, **options)
    else:
        if name in _BY_HESSIAN:
            options.setdefault("hess", pb.hessian(inner))
        elif name in _BY_PRODUCTS and "hess" not in options:
            options.setdefault("hessp", hessp(inner))
        both = pb.value_and_grad(inner)
        found = _SOLVERS.minimize(both, start, args, method, jac=True, **options)
    found.x = back(found.x)
    for name in ("jac", "grad"):  # trust-constr has the Jacobians of the constraints as jac
        if np.shape(found.get(name, 0.0)) == start.shape:
            found[name] = back(np.array(found[name], float))
    return _result(found)


@with_types
def least_squares(
    f: Function, x0: Any, args: tuple[Any, ...] = (), jac: str = "dense", **options: Any
) -> Result:
    """Return what ``scipy.optimize.least_squares`` finds, with an exact Jacobian.

    Args:
        f: a function ``f(x, *args)`` that returns the residuals, an array of rank 1.
        x0: the first guess: an array, or a structure of floats and arrays (a dict, an object).
        args: further arguments.
        jac: ``"dense"``, ``"sparse"`` (few of its numbers are not 0, and where these are is found),
            or ``"operator"`` (it is never formed).
        options: as for SciPy. ``bounds`` and ``x_scale`` are about the vector of all numbers.

    Returns:
        SciPy's result, with ``x`` and ``grad`` in the form of ``x0``.
    """
    start, back, inner = _of_vector(f, x0)
    made = {"dense": pb.jacobian, "sparse": pb.sparse_jacobian, "operator": jac_operator}
    if jac not in made:
        raise ValueError(f"no such form of a Jacobian: {jac!r}; there are {', '.join(made)}")
    if jac == "operator":
        options.setdefault("tr_solver", "lsmr")
    given = made[jac](inner)
    found: Any = _SOLVERS.least_squares(inner, start, given, args=args, **options)
    found.x, found.grad = back(found.x), back(np.array(found.grad, float))
    return _result(found)


@with_types
def root(
    f: Function, x0: Any, args: tuple[Any, ...] = (), method: str = "hybr", **options: Any
) -> Result:
    """Return what ``scipy.optimize.root`` finds, with an exact Jacobian where the method takes one.

    Args:
        f: a function ``f(x, *args)`` that returns an array of rank 1, with as many numbers as there
            are in ``x``.
        x0: the first guess: an array, or a structure of floats and arrays (a dict, an object).
        args: further arguments.
        method: as for SciPy; ``"hybr"`` and ``"lm"`` take the Jacobian.
        options: as for SciPy.

    Returns:
        SciPy's result, with ``x`` in the form of ``x0``.
    """
    start, back, inner = _of_vector(f, x0)
    jac = pb.jacobian(inner) if method in _DENSE_ROOTS else None
    found: Any = _SOLVERS.root(inner, start, args, method, jac, **options)
    found.x = back(found.x)
    return _result(found)


def _result(found: Any) -> Result:
    assert isinstance(found, scipy.optimize.OptimizeResult)
    return found


def _of_vector(f: Function, x0: Any) -> tuple[Any, Function, Function]:
    """Return the numbers of a structure, what gives them its form, and ``f`` as a function of
    them."""
    start, back = pb.ravel(x0)

    def inner(x: Any, *args: Any) -> Any:
        return f(back(x), *args)

    return start, back, pb.jit(inner)


__all__ = [
    "hess_operator", "hessp", "jac_operator", "jac_sparsity", "least_squares", "low_level",
    "minimize", "root",
]  # fmt: skip
