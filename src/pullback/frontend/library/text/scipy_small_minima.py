"""Small functions of ``scipy.optimize``: the function of H. H. Rosenbrock and its derivatives,
differences, searches on a grid, monotone fits, and older names, as plain Python that the front end
compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Constraints, Matrix, Vector
from pullback.frontend.library.text.scipy_minima import minimize
from pullback.frontend.library.text.scipy_older_minima import fmin
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import known, unsupported

_STEP = float(np.finfo(float).eps) ** 0.5


def rosen(x: Any) -> Any:
    v = np.asarray(x)
    return np.sum(100.0 * (v[1:] - v[:-1] ** 2.0) ** 2.0 + (1 - v[:-1]) ** 2.0, axis=0)


def rosen_der(x: Any) -> Array:
    v = np.asarray(x) * 1.0
    middle = v[1:-1]
    inner = 200 * (middle - v[:-2] ** 2) - 400 * (v[2:] - middle**2) * middle - 2 * (1 - middle)
    first = -400 * v[:1] * (v[1:2] - v[:1] ** 2) - 2 * (1 - v[:1])
    return np.concatenate((first, inner, 200 * (v[-1:] - v[-2:-1] ** 2)))


def rosen_hess(x: Any) -> Matrix:
    v = np.atleast_1d(np.asarray(x)) * 1.0
    off = np.diag(-400 * v[:-1], 1) - np.diag(400 * v[:-1], -1)
    inner = 202 + 1200 * v[1:-1] ** 2 - 400 * v[2:]
    first = 1200 * v[:1] ** 2 - 400 * v[1:2] + 2
    return off + np.diag(np.concatenate((first, inner, np.full(1, 200.0))))


def rosen_hess_prod(x: Any, p: Any) -> Vector:
    return rosen_hess(x) @ np.asarray(p)


def approx_fprime(xk: Any, f: Callable[..., Any], epsilon: Any = _STEP, *args: Any) -> Any:
    """Return differences of ``f``, as SciPy takes them; their derivative is that of differences."""
    x = np.asarray(xk).astype(float)
    steps = np.zeros(len(x)) + epsilon
    signs = np.where(x >= 0.0, 1.0, -1.0)
    steps = np.where(steps == 0.0, _STEP * signs * np.maximum(1.0, np.abs(x)), steps)
    start, found = f(x, *args), []
    if np.ndim(start) > 0:
        unsupported("approx_fprime of a function that gives a vector", "one call for each item")
    for k in range(len(x)):
        there = x.copy()
        there[k] = x[k] + steps[k]
        found.append((f(there, *args) - start) / (there[k] - x[k]))
    return np.array(found)


def check_grad(func: Callable[..., Any], grad: Callable[..., Any], x0: Any, *args: Any,
               epsilon: float = _STEP) -> float:  # fmt: skip
    rest = grad(x0, *args) - approx_fprime(x0, func, epsilon, *args)
    y: float = np.sqrt(np.sum(rest**2))
    return y


def brute(func: Callable[..., Any], ranges: Any, args: Any = (), Ns: int = 20, full_output: int = 0,
          finish: Any = fmin, disp: bool = False, workers: int = 1) -> Any:  # fmt: skip
    if known(full_output) or disp:
        unsupported("brute with full_output or disp", "leave them away")
    axes = []
    for r in ranges:
        if isinstance(r, slice):
            unsupported("brute with slices", "pairs of bounds, and how many points: Ns")
        axes.append(np.linspace(r[0], r[1], Ns, endpoint=True))
    still, best, least, total = constant(func), np.zeros(len(axes)), np.inf, Ns ** len(axes)
    for k in range(total):
        x, rest = np.zeros(len(axes)), k
        for j, axis in enumerate(axes[::-1]):
            x[len(axes) - 1 - j] = axis[rest % Ns]
            rest = rest // Ns
        value = np.float64(np.ravel(np.asarray(still(x, *args)))[0])
        if value < least or k == 0:
            least = value
            best = x
    if finish is None:
        return best[0] if len(axes) == 1 else best
    x = fmin(func, constant(best), args, disp=0)
    return x


class _Monotone:
    """What ``isotonic_regression`` gives."""

    def __init__(self, x: Vector, weights: Vector, blocks: Vector) -> None:
        self.x = x
        self.weights = weights
        self.blocks = blocks


def isotonic_regression(y: Any, *, weights: Any = None, increasing: bool = True) -> _Monotone:
    values = np.asarray(y) * 1.0
    w = np.ones(len(values)) if weights is None else np.asarray(weights) * 1.0
    if values.ndim != 1 or len(values) != len(w):
        raise ValueError("Input arrays y and w must have one dimension of equal length.")
    found = told(described("isotonic", increasing), constant(packed((values, w)))).astype(np.int64)
    sizes = np.zeros(len(found) - 1)
    sums = np.zeros(len(found) - 1)
    x = np.zeros(len(values))
    for k in range(len(found) - 1):
        first, last = found[k], found[k + 1]
        sizes[k] = np.sum(w[first:last])
        sums[k] = np.sum(w[first:last] * values[first:last])
        x[first:last] = sums[k] / sizes[k]
    return _Monotone(x, sizes, found)


# --- older names ----------------------------------------------------------------------------------


def fmin_powell(func: Callable[..., Any], x0: Any, args: Any = (), xtol: float = 1e-4,
                ftol: float = 1e-4, maxiter: Any = None, maxfun: Any = None, full_output: int = 0,
                disp: int = 1, retall: int = 0, callback: Any = None,
                direc: Any = None) -> Any:  # fmt: skip
    if known(disp):
        unsupported("a minimum whose search prints how it ended", "pass disp as False")
    if known(full_output) or known(retall) or callback is not None or direc is not None:
        unsupported("full_output, retall, callback or direc", "take the result of minimize")
    if maxiter is not None or maxfun is not None:
        unsupported("fmin_powell with maxiter or maxfun", "leave them away")
    options = {"xtol": xtol, "ftol": ftol}
    return minimize(func, x0, args, "Powell", options=options).x


def fmin_slsqp(func: Callable[..., Any], x0: Any, eqcons: Constraints = (), f_eqcons: Any = None,
               ieqcons: Constraints = (), f_ieqcons: Any = None, bounds: Any = (),
               fprime: Any = None, fprime_eqcons: Any = None, fprime_ieqcons: Any = None,
               args: Any = (), iter: int = 100, acc: float = 1e-6, iprint: int = 1,
               disp: Any = None, full_output: int = 0, epsilon: float = _STEP,
               callback: Any = None) -> Vector:  # fmt: skip
    if known(iprint) or (disp is not None and disp):
        unsupported("a minimum whose search prints how it ended", "pass iprint as 0")
    if known(full_output) or callback is not None:
        unsupported("full_output or callback", "take the result of minimize")
    made = [{"type": "eq", "fun": c, "args": args} for c in eqcons]
    made += [{"type": "ineq", "fun": c, "args": args} for c in ieqcons]
    if f_eqcons is not None:
        made += [{"type": "eq", "fun": f_eqcons, "jac": fprime_eqcons, "args": args}]
    if f_ieqcons is not None:
        made += [{"type": "ineq", "fun": f_ieqcons, "jac": fprime_ieqcons, "args": args}]
    box = None if len(bounds) == 0 else bounds
    options = {"maxiter": iter, "ftol": acc, "eps": epsilon}
    return minimize(func, x0, args, "SLSQP", fprime, bounds=box, constraints=tuple(made),
                    options=options).x  # fmt: skip
