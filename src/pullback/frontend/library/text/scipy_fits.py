"""``leastsq`` and ``curve_fit`` of ``scipy.optimize`` as plain Python that the front end compiles.

The place is the value that the iteration gives (``levenberg_marquardt``, and ``least_squares`` if
there are bounds). Its derivative is that of the least sum of squares; the derivative of the
covariance is that of the inverse of J^T J with the exact Jacobian J at that place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import along, constant, least_of, root_of
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.levenberg_marquardt import (
    EPS,
    Residuals,
    by_differences,
    least_sum,
    length,
)
from pullback.frontend.library.text.scipy_least_squares import least_squares
from pullback.frontend.library.text.trust_reflective import between
from pullback.frontend.library.text_helpers import parameters_of, unsupported

Fit = tuple[Vector, Vector, Matrix, int, int, int]
"""The place, the residuals, the inverse of J^T J, how it ended, the numbers of calls."""


def _residuals(func: Callable[..., Any], args: Any) -> Residuals:
    """Return the function of a vector that gives a vector."""
    given = args if isinstance(args, tuple) else (args,)

    def f(x: Vector) -> Vector:
        y = np.atleast_1d(np.asarray(func(x, *given))).astype(float)
        if y.ndim != 1:
            unsupported("residuals that are no vector", "return a vector")
        return y

    return f


def exact_jacobian(f: Residuals, x: Vector) -> Matrix:
    """Return the Jacobian by forward mode."""
    push = along(f)
    return np.array([push(x, row) for row in np.eye(x.size)]).T


def half_squares(f: Residuals) -> Callable[[Vector], float]:
    """Return the function that is made least."""

    def cost(x: Vector) -> float:
        y = f(x)
        c: float = 0.5 * np.sum(y * y)
        return c

    return cost


def _least(f: Residuals, x0: Any, args: Any, slopes: Any, transposed: bool, ftol: float,
           xtol: float, gtol: float, maxfev: int, epsfcn: Any, factor: float,
           diag: Any) -> Fit:  # fmt: skip
    """Return the place and how it was found."""
    start = np.ravel(np.asarray(x0)).astype(float)
    if start.size > f(start).size:
        raise TypeError(
            f"Improper input: func input vector length N={start.size} must not exceed func "
            f"output vector length M={f(start).size}"
        )
    scales = None if diag is None else constant(np.asarray(diag).astype(float))
    known, x = constant(f), constant(start)
    if slopes is None:
        eps = EPS if epsfcn is None else float(constant(epsfcn))
        x, _, info, calls, jacobians, r, order = least_sum(
            known, by_differences(known, eps), x, ftol, xtol, gtol,
            maxfev if maxfev > 0 else 200 * (start.size + 1), start.size, factor, scales,
        )  # fmt: skip
    else:
        given = args if isinstance(args, tuple) else (args,)
        exact = constant(lambda x: np.asarray(slopes(x, *given)).astype(float))
        x, _, info, calls, jacobians, r, order = least_sum(
            known, lambda x, fx: exact(x).T if transposed else exact(x), x, ftol, xtol, gtol,
            maxfev if maxfev > 0 else 100 * (start.size + 1), 0, factor, scales,
        )  # fmt: skip
    near = 1e-3 * (length(x) + length(x - constant(start))) + 10.0 * constant(xtol)
    y = least_of(half_squares(f), x, near if info < 5 else -1.0)
    found = np.full((start.size, start.size), np.inf)
    if info < 5 and np.all(np.diag(r) != 0.0):
        half = np.zeros_like(r)
        half[order] = np.linalg.inv(r)
        found = half @ half.T

    def inverse(c: Matrix) -> Matrix:
        j = exact_jacobian(f, y)
        return (j.T @ j) @ c - np.eye(y.size)

    return y, f(y), root_of(inverse, constant(found)), info, calls, jacobians


def _said(info: int, ftol: float, xtol: float, gtol: float, most: int) -> str:
    if info == 1:
        return (
            "Both actual and predicted relative reductions in the sum of squares\n  are at most "
            f"{ftol:f}"
        )
    if info == 2:
        return f"The relative error between two consecutive iterates is at most {xtol:f}"
    if info == 3:
        return (
            "Both actual and predicted relative reductions in the sum of squares\n  are at most "
            f"{ftol:f} and the relative error between two consecutive iterates is at \n  most "
            f"{xtol:f}"
        )
    if info == 4:
        return (
            "The cosine of the angle between func(x) and any column of the\n  Jacobian is at "
            f"most {gtol:f} in absolute value"
        )
    if info == 5:
        return f"Number of calls to function has reached maxfev = {most}."
    if info == 6:
        return (
            f"ftol={ftol:f} is too small, no further reduction in the sum of squares\n  is "
            "possible."
        )
    if info == 7:
        return (
            f"xtol={xtol:f} is too small, no further improvement in the approximate\n  solution "
            "is possible."
        )
    return (
        f"gtol={gtol:f} is too small, func(x) is orthogonal to the columns of\n  the Jacobian to "
        "machine precision."
    )


def _most(slopes: Any, maxfev: int, n: int) -> int:
    return maxfev if maxfev > 0 else (200 if slopes is None else 100) * (n + 1)


def leastsq(func: Callable[..., Any], x0: Any, args: Any = (), Dfun: Any = None,
            full_output: bool = False, col_deriv: bool = False, ftol: float = 1.49012e-8,
            xtol: float = 1.49012e-8, gtol: float = 0.0, maxfev: int = 0, epsfcn: Any = None,
            factor: float = 100, diag: Any = None) -> Any:  # fmt: skip
    f = _residuals(func, args)
    x, fx, covariance, info, calls, jacobians = _least(
        f, x0, args, Dfun, col_deriv, ftol, xtol, gtol, maxfev, epsfcn, factor, diag
    )
    if not full_output:
        return x, info
    told = {"nfev": calls, "fvec": fx}
    if Dfun is not None:
        told["njev"] = jacobians
    text = _said(info, ftol, xtol, gtol, _most(Dfun, maxfev, x.size))
    if np.any(np.isinf(covariance)):
        return x, None, told, text, info
    return x, covariance, told, text, info


def _model(f: Callable[..., Any], x: Any, y: Vector, sigma: Any) -> Residuals:
    """Return the residuals of a model, each divided by its error."""
    if sigma is None:
        return lambda p: f(x, *p) - y
    errors = np.asarray(sigma)
    if errors.ndim < 2:
        if errors.ndim == 1 and errors.size != 1 and errors.size != y.size:
            raise ValueError("`sigma` has incorrect shape.")
        return lambda p: (1.0 / errors) * (f(x, *p) - y)
    if errors.shape[0] != y.size or errors.shape[1] != y.size:
        raise ValueError("`sigma` has incorrect shape.")
    half = np.linalg.cholesky(errors)
    return lambda p: np.linalg.solve(half, f(x, *p) - y)


def _slopes(jac: Callable[..., Any], x: Any, sigma: Any) -> Any:
    """Return the Jacobian of the residuals of a model."""
    if sigma is None:
        return lambda p: np.asarray(jac(x, *p))
    errors = np.asarray(sigma)
    if errors.ndim == 1:
        return lambda p: (1.0 / errors)[:, None] * np.asarray(jac(x, *p))
    half = np.linalg.cholesky(errors)
    return lambda p: np.linalg.solve(half, np.asarray(jac(x, *p)))


def _finite(x: Any) -> Any:
    numbers = np.asarray(x).astype(float)
    if not np.all(np.isfinite(numbers)):
        raise ValueError("array must not contain infs or NaNs")
    return numbers


def _started(f: Callable[..., Any], p0: Any, bounds: Any) -> Vector:
    """Return the first values of the parameters."""
    if p0 is not None:
        return np.atleast_1d(np.asarray(p0)).astype(float)
    start = np.ones(parameters_of(f) - 1)
    if bounds is None:
        return start
    low, high = between(bounds, start.size)
    to_high = np.where(np.isfinite(high), high - 1.0, 1.0)
    middle = np.where(np.isfinite(high), 0.5 * (low + high), low + 1.0)
    return np.where(np.isfinite(low), middle, to_high)


def _by_reflections(f: Residuals, slopes: Any, start: Vector, bounds: Any, tolerances: Any,
                    maxfev: Any, x_scale: Any, loss: Any, f_scale: float) -> Any:  # fmt: skip
    """Return the parameters, the residuals, the covariance without its factor, twice the cost, how
    it ended, and the number of calls."""
    ftol, xtol, gtol = tolerances
    made = least_squares(
        f, start, "2-point" if slopes is None else slopes, bounds, "trf",
        1e-8 if ftol is None else ftol, 1e-8 if xtol is None else xtol,
        1e-8 if gtol is None else gtol, x_scale, loss, f_scale,
        max_nfev=maxfev,
    )  # fmt: skip
    if not made.success:
        raise RuntimeError(f"Optimal parameters not found: {made.message}")
    j = made.jac
    s, vt = constant(np.linalg.svd(j, full_matrices=False))[1:]
    good = s > EPS * max(j.shape[0], j.shape[1]) * s[0]
    found = (vt.T * np.where(good, 1.0 / np.where(good, s, 1.0) ** 2, 0.0)) @ vt
    covariance = root_of(lambda c: (j.T @ j) @ c - np.eye(start.size), found)
    return made.x, made.fun, covariance, 2.0 * made.cost, made.status, made.nfev, made.message


def _by_steps(f: Residuals, slopes: Any, start: Vector, tolerances: Any, maxfev: Any,
              epsfcn: Any, factor: float, diag: Any) -> Any:  # fmt: skip
    """Return the same, by the method of Levenberg and Marquardt."""
    ftol = 1.49012e-8 if tolerances[0] is None else tolerances[0]
    xtol = 1.49012e-8 if tolerances[1] is None else tolerances[1]
    gtol = 0.0 if tolerances[2] is None else tolerances[2]
    most = 0 if maxfev is None else maxfev
    x, fx, covariance, info, calls, _ = _least(
        f, start, (), slopes, False, ftol, xtol, gtol, most, epsfcn, factor, diag
    )
    text = _said(info, ftol, xtol, gtol, _most(slopes, most, start.size))
    if info >= 5:
        raise RuntimeError(f"Optimal parameters not found: {text}")
    return x, fx, covariance, np.sum(fx**2), info, calls, text


def curve_fit(f: Callable[..., Any], xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None,
              absolute_sigma: bool = False, check_finite: Any = None, bounds: Any = None,
              method: Any = None, jac: Any = None, *, full_output: bool = False,
              ftol: Any = None, xtol: Any = None, gtol: Any = None, maxfev: Any = None,
              max_nfev: Any = None, epsfcn: Any = None, factor: float = 100, diag: Any = None,
              x_scale: Any = None, loss: Any = "linear", f_scale: float = 1.0) -> Any:  # fmt: skip
    if method is not None and method != "lm" and method != "trf":
        unsupported("curve_fit by this method", "take lm or trf, the defaults")
    if isinstance(jac, str):
        unsupported("curve_fit with jac as a text", "leave it away")
    if bounds is not None and method == "lm":
        raise ValueError(
            "Method 'lm' only works for unconstrained problems. Use 'trf' or 'dogbox' instead."
        )
    strict = check_finite is None or check_finite
    y = _finite(ydata) if strict else np.asarray(ydata).astype(float)
    x: Any = xdata
    if isinstance(xdata, (list, tuple, np.ndarray)):
        x = _finite(xdata) if strict else np.asarray(xdata).astype(float)
    if y.size == 0:
        raise ValueError("`ydata` must not be empty!")
    start, tolerances = _started(f, p0, bounds), (ftol, xtol, gtol)
    model, slopes = _model(f, x, y, sigma), None if jac is None else _slopes(jac, x, sigma)
    if bounds is None and method != "trf":
        if y.size != 1 and start.size > y.size:
            raise TypeError(
                f"The number of func parameters={start.size} must not exceed the number of data "
                f"points={y.size}"
            )
        popt, fx, pcov, squares, status, calls, text = _by_steps(
            _residuals(model, ()), slopes, start, tolerances, maxfev, epsfcn, factor, diag
        )
    else:
        popt, fx, pcov, squares, status, calls, text = _by_reflections(
            _residuals(model, ()), slopes, start, bounds, tolerances,
            maxfev if max_nfev is None else max_nfev, x_scale, loss, f_scale,
        )  # fmt: skip
    if not absolute_sigma:
        if fx.size > start.size:
            pcov = pcov * (squares / (fx.size - start.size))
        else:
            pcov = np.full_like(pcov, np.inf)
    if not full_output:
        return popt, pcov
    return popt, pcov, {"nfev": calls, "fvec": fx}, text, status
