"""The functions of ``scipy.optimize`` that ``minimize`` and ``minimize_scalar`` have replaced,
fixed points and assignments, as plain Python that the front end compiles.

An assignment is found by the shortest augmenting paths of R. Jonker and A. Volgenant (1987) in the
form of D. F. Crouse, "On implementing 2D rectangular assignment algorithms" (2016), in SciPy's
order; its indices have no derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.line_searches import second_search
from pullback.frontend.library.text.scipy_minima import minimize
from pullback.frontend.library.text.scipy_minima_of_numbers import minimize_scalar
from pullback.frontend.library.text_helpers import known, unsupported

_STEP = float(np.finfo(float).eps) ** 0.5


def _quiet(disp: Any, full_output: Any, retall: Any) -> None:
    if known(disp):
        unsupported("a minimum whose search prints how it ended", "pass disp as False")
    if known(full_output) or known(retall):
        unsupported("full_output or retall", "take the result of minimize")


def fmin(func: Callable[..., Any], x0: Any, args: Any = (), xtol: float = 1e-4, ftol: float = 1e-4,
         maxiter: Any = None, maxfun: Any = None, full_output: int = 0, disp: int = 1,
         retall: int = 0, callback: Any = None) -> Vector:  # fmt: skip
    _quiet(disp, full_output, retall)
    options = {"xatol": xtol, "fatol": ftol, "maxiter": maxiter, "maxfev": maxfun}
    return minimize(func, x0, args, "Nelder-Mead", callback=callback, options=options).x


def fmin_bfgs(f: Callable[..., Any], x0: Any, fprime: Any = None, args: Any = (),
              gtol: float = 1e-5, norm: float = np.inf, epsilon: float = _STEP,
              maxiter: Any = None, full_output: int = 0, disp: int = 1, retall: int = 0,
              callback: Any = None, xrtol: float = 0, c1: float = 1e-4,
              c2: float = 0.9) -> Vector:  # fmt: skip
    _quiet(disp, full_output, retall)
    if norm != np.inf:
        raise NotImplementedError("fmin_bfgs with another norm than the largest number")
    options = {"gtol": gtol, "eps": epsilon, "maxiter": maxiter, "xrtol": xrtol, "c1": c1, "c2": c2}
    return minimize(f, x0, args, "BFGS", fprime, callback=callback, options=options).x


def fmin_cg(f: Callable[..., Any], x0: Any, fprime: Any = None, args: Any = (), gtol: float = 1e-5,
            norm: float = np.inf, epsilon: float = _STEP, maxiter: Any = None,
            full_output: int = 0, disp: int = 1, retall: int = 0, callback: Any = None,
            c1: float = 1e-4, c2: float = 0.4) -> Vector:  # fmt: skip
    _quiet(disp, full_output, retall)
    if norm != np.inf:
        raise NotImplementedError("fmin_cg with another norm than the largest number")
    options = {"gtol": gtol, "eps": epsilon, "maxiter": maxiter, "c1": c1, "c2": c2}
    return minimize(f, x0, args, "CG", fprime, callback=callback, options=options).x


def fmin_ncg(f: Callable[..., Any], x0: Any, fprime: Any, fhess_p: Any = None, fhess: Any = None,
             args: Any = (), avextol: float = 1e-5, epsilon: float = _STEP, maxiter: Any = None,
             full_output: int = 0, disp: int = 1, retall: int = 0, callback: Any = None,
             c1: float = 1e-4, c2: float = 0.9) -> Vector:  # fmt: skip
    _quiet(disp, full_output, retall)
    options = {"xtol": avextol, "eps": epsilon, "maxiter": maxiter, "c1": c1, "c2": c2}
    return minimize(f, x0, args, "Newton-CG", fprime, fhess, fhess_p, callback=callback,
                    options=options).x  # fmt: skip


def fmin_l_bfgs_b(func: Callable[..., Any], x0: Any, fprime: Any = None, args: Any = (),
                  approx_grad: int = 0, bounds: Any = None, m: int = 10, factr: float = 1e7,
                  pgtol: float = 1e-5, epsilon: float = 1e-8, *, maxfun: int = 15000,
                  maxiter: int = 15000, callback: Any = None,
                  maxls: int = 20) -> tuple[Vector, float, Any]:  # fmt: skip
    jac: Any = fprime
    if known(approx_grad):
        jac = None
    elif fprime is None:
        jac = True
    options = {
        "ftol": factr * float(np.finfo(float).eps), "gtol": pgtol, "eps": epsilon, "maxcor": m,
        "maxfun": maxfun, "maxiter": maxiter, "maxls": maxls,
    }  # fmt: skip
    made = minimize(func, x0, args, "L-BFGS-B", jac, bounds=bounds, callback=callback,
                    options=options)  # fmt: skip
    return made.x, made.fun, {
        "grad": made.jac, "task": made.message, "funcalls": made.nfev, "nit": made.nit,
        "warnflag": made.status,
    }  # fmt: skip


def fmin_tnc(func: Callable[..., Any], x0: Any, fprime: Any = None, args: Any = (),
             approx_grad: int = 0, bounds: Any = None, epsilon: float = 1e-8, scale: None = None,
             offset: None = None, messages: int = 15, maxCGit: int = -1, maxfun: Any = None,
             eta: float = -1, stepmx: float = 0, accuracy: float = 0, fmin: float = 0,
             ftol: float = -1, xtol: float = -1, pgtol: float = -1, rescale: float = -1,
             disp: Any = None, callback: Any = None) -> tuple[Vector, int, int]:  # fmt: skip
    _quiet(messages if disp is None else disp, 0, 0)
    if scale is not None or offset is not None:
        unsupported("fmin_tnc with scale or offset", "leave them away")
    jac: Any = fprime
    if known(approx_grad):
        jac = None
    elif fprime is None:
        jac = True
    options = {"eps": epsilon, "maxCGit": maxCGit, "eta": eta, "stepmx": stepmx,
               "accuracy": accuracy, "minfev": fmin, "ftol": ftol, "xtol": xtol, "gtol": pgtol,
               "rescale": rescale}  # fmt: skip
    if maxfun is not None:
        options["maxfun"] = maxfun
    made = minimize(func, x0, args, "TNC", jac, bounds=bounds, callback=callback,
                    options=options)  # fmt: skip
    return made.x, made.nfev, made.status


def line_search(f: Callable[..., Any], myfprime: Callable[..., Any], xk: Any, pk: Any,
                gfk: Any = None, old_fval: Any = None, old_old_fval: Any = None, args: Any = (),
                c1: float = 1e-4, c2: float = 0.9, amax: Any = None, extra_condition: Any = None,
                maxiter: int = 10) -> Any:  # fmt: skip
    """The step has the derivative of the steps that lead to it."""
    if not 0.0 < c1 < c2 < 1.0:
        raise ValueError("'c1' and 'c2' do not satisfy'0 < c1 < c2 < 1'.")
    start, way, met = np.asarray(xk) * 1.0, np.asarray(pk) * 1.0, np.zeros(1)

    def pair(x: Vector) -> tuple[float, Vector]:
        slope = myfprime(x, *args)
        if isinstance(slope, (list, tuple)):
            unsupported("line_search with a gradient that is a list", "give an array")
        return np.float64(f(x, *args)), slope

    def accepts(t: float, slope: Vector) -> bool:
        good = True
        if extra_condition is not None:
            x = start + t * way
            good = bool(extra_condition(t, x, np.float64(f(x, *args)), slope))
        if good:
            met[0] = 1.0
        return good

    value = np.float64(f(start, *args)) if old_fval is None else old_fval
    steep: Any = (pair(start)[1] if gfk is None else np.asarray(gfk)) @ way
    first = 1.0
    if old_old_fval is not None and steep != 0.0:
        first = min(1.0, 2.02 * (value - old_old_fval) / steep)
    first = 1.0 if first < 0.0 else first
    high = np.inf if amax is None else 1.0 * amax
    if min(first, high) == 0.0:
        raise NotImplementedError("line_search whose first step is 0")
    found, t, new, slope, calls, slopes = second_search(
        pair, start, way, value, steep, first, c1, c2, high, accepts, maxiter
    )
    calls += 1 if old_fval is None else 0
    if not found:
        return None, calls, slopes, None, value, None
    if met[0] == 0.0:
        return t, calls, slopes - 1, new, value, None
    return t, calls, slopes, new, value, slope


def fminbound(func: Callable[..., Any], x1: float, x2: float, args: Any = (), xtol: float = 1e-5,
              maxfun: int = 500) -> float:  # fmt: skip
    return minimize_scalar(
        func, None, (x1, x2), args, "bounded", options={"xatol": xtol, "maxiter": maxfun}
    ).x


def brent(func: Callable[..., Any], args: Any = (), brack: Any = None, tol: float = 1.48e-8,
          full_output: int = 0, maxiter: int = 500) -> Any:  # fmt: skip
    made = minimize_scalar(func, brack, None, args, "brent", tol, {"maxiter": maxiter})
    return (made.x, made.fun, made.nit, made.nfev) if known(full_output) else made.x


def golden(func: Callable[..., Any], args: Any = (), brack: Any = None, tol: float = _STEP,
           full_output: int = 0, maxiter: int = 5000) -> Any:  # fmt: skip
    made = minimize_scalar(func, brack, None, args, "golden", tol, {"maxiter": maxiter})
    return (made.x, made.fun, made.nfev) if known(full_output) else made.x


def fixed_point(func: Callable[..., Any], x0: Any, args: Any = (), xtol: float = 1e-8,
                maxiter: int = 500, method: str = "del2") -> Any:  # fmt: skip
    """The place is Steffensen's; its derivative is that of func(x) - x = 0."""
    if method != "del2" and method != "iteration":
        raise KeyError(method)
    still = constant(lambda x: func(x, *args))
    x = constant(1.0 * np.asarray(x0))
    for _ in range(maxiter):
        once = still(x)
        after = once
        if method == "del2":
            twice = still(once)
            d = twice - 2.0 * once + x
            after = np.where(d != 0.0, x - (once - x) ** 2 / np.where(d != 0.0, d, 1.0), twice)
        far = np.where(x != 0.0, (after - x) / np.where(x != 0.0, x, 1.0), after)
        if np.all(np.abs(far) < xtol):
            return root_of(lambda y: func(y, *args) - y, 1.0 * after)
        x = 1.0 * after
    raise RuntimeError(f"Failed to converge after {maxiter} iterations, value is {x}")


def linear_sum_assignment(cost_matrix: Matrix, maximize: bool = False) -> tuple[Vector, Vector]:
    costs = constant(np.asarray(cost_matrix).astype(float))
    if costs.ndim != 2:
        unsupported("an assignment by other than a matrix", "make it a matrix")
    if maximize:
        costs = -costs
    if np.any(np.isnan(costs)) or np.any(costs == -np.inf):
        raise ValueError("matrix contains invalid numeric entries")
    if costs.shape[0] <= costs.shape[1]:
        return np.arange(costs.shape[0]), _assigned(costs)
    columns = _assigned(costs.T.copy())
    order = np.argsort(columns)
    return columns[order], order


def _assigned(costs: Matrix) -> Vector:
    """Return the column of each row; there are as many columns as rows, or more."""
    m, n = costs.shape
    u, v = np.zeros(m), np.zeros(n)
    column, row, path = np.full(m, -1), np.full(n, -1), np.full(n, -1)
    for k in range(m):
        shortest, done = np.full(n, np.inf), np.zeros(n) > 0.0
        left, rows = np.arange(n)[::-1].copy(), np.zeros(m) > 0.0
        count, least, i, sink = n, 0.0, k, -1
        while sink < 0:
            rows[i] = True
            lowest, best = np.inf, -1
            for p in range(count):
                j = left[p]
                length = least + costs[i, j] - u[i] - v[j]
                if length < shortest[j]:
                    path[j], shortest[j] = i, length
                if shortest[j] < lowest or (shortest[j] == lowest and row[j] < 0):
                    lowest, best = shortest[j], p
            least = lowest
            if least == np.inf:
                raise ValueError("cost matrix is infeasible")
            j = left[best]
            if row[j] < 0:
                sink = j
            else:
                i = row[j]
            done[j] = True
            count -= 1
            left[best] = left[count]
        for i in range(m):
            if rows[i]:
                u[i] += least if i == k else least - shortest[column[i]]
        v -= np.where(done, least - np.where(done, shortest, 0.0), 0.0)
        j, i = sink, -1
        while i != k:
            i = path[j]
            row[j] = i
            column[i], j = j, column[i]
    return column
