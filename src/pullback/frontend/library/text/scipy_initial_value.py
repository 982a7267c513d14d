"""``solve_ivp`` and ``odeint`` of ``scipy.integrate`` as plain Python that is compiled:
``runge_kutta`` has the formulas, ``known_steps`` the implicit methods and events; E. Hairer, S. P.
Norsett and G. Wanner, *Solving Ordinary Differential Equations I*, section II.4, for the lengths
of steps.

The lengths of steps have no derivative; the derivative is that of the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.domains import Array, Events, Vector
from pullback.frontend.library.text.dormand_prince import Slope
from pullback.frontend.library.text.known_steps import IMPLICIT, solved_by_scipy
from pullback.frontend.library.text.ode_solutions import OdeResult, OdeSolution
from pullback.frontend.library.text.runge_kutta import advanced, at_of, error_of, inside_of, size
from pullback.frontend.library.text_helpers import known, unsupported

_EPS = float(np.finfo(float).eps)


def _first_step(f: Callable[..., Vector], t: float, y: Vector, end: float, most: float,
                slope: Vector, order: int, rtol: float, atol: Any) -> float:  # fmt: skip
    length = abs(end - t)
    if length == 0.0:
        return 0.0
    way = 1.0 if end > t else -1.0
    scale = atol + np.abs(y) * rtol
    d0, d1 = size(y / scale), size(slope / scale)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, length)
    after = f(t + h0 * way, y + h0 * way * slope)
    d2 = size((after - slope) / scale) / h0
    if d1 <= 1e-15 and d2 <= 1e-15:
        h1 = max(1e-6, h0 * 1e-3)
    else:
        h1 = (0.01 / max(d1, d2)) ** (1.0 / (order + 1))
    return min(100.0 * h0, h1, length, most)


def _checked(times: Vector, t0: float, end: float) -> None:
    if times.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(times < min(t0, end)) or np.any(times > max(t0, end)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    steps = np.diff(times)
    if (end > t0 and np.any(steps <= 0.0)) or (end < t0 and np.any(steps >= 0.0)):
        raise ValueError("Values in `t_eval` are not properly sorted.")


def _spacing(t: float, way: float) -> float:
    """Ten times the distance from a number to the next one in this direction."""
    part, power = math.frexp(t)
    if t == 0.0 or power < -1020:
        return 10.0 * 5e-324
    gap: float = 2.0 ** (power - 53)
    return 10.0 * (gap / 2.0 if part * way == -0.5 else gap)


def solve_ivp(fun: Callable[..., Any], t_span: Any, y0: Any, method: str = "RK45",
              t_eval: Any = None, dense_output: bool = False, *, events: Events = None,
              vectorized: bool = False, args: Any = None, max_step: float = np.inf,
              rtol: float = 1e-3, atol: Any = 1e-6, first_step: Any = None, jac: Any = None,
              jac_sparsity: Any = None, lband: Any = None, uband: Any = None,
              min_step: float = 0.0) -> OdeResult:  # fmt: skip
    if method not in ("RK45", "RK23", "DOP853", *IMPLICIT):
        unsupported("solve_ivp with this method", "take RK45, RK23, DOP853, Radau, BDF or LSODA")
    if jac_sparsity is not None or lband is not None or uband is not None:
        unsupported("solve_ivp with a sparse Jacobian", "leave jac_sparsity, lband and uband away")
    given = () if args is None else args
    start = np.asarray(y0).astype(float)
    if start.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if start.size == 0:
        raise NotImplementedError("solve_ivp without unknowns")

    def f(t: float, y: Vector) -> Vector:
        return np.asarray(fun(t, y, *given)).astype(float)

    t, end = 1.0 * t_span[0], 1.0 * t_span[1]
    if t_eval is not None:
        _checked(np.asarray(t_eval), t, end)
    if method in IMPLICIT or events is not None:
        return _by_scipy(f, start, t, end, method, t_eval, dense_output, events, given, jac, rtol,
                         atol, max_step, first_step, min_step)  # fmt: skip
    rtol = max(rtol, 100.0 * _EPS)
    if np.any(np.asarray(atol) < 0.0):
        raise ValueError("`atol` must be positive.")
    if max_step <= 0.0:
        raise ValueError("`max_step` must be positive.")
    slope, step, calls = _begun(f, t, start, end, method, max_step, rtol, atol, first_step)
    return _stepped(f, t, start, end, slope, step, calls, method, t_eval, dense_output, max_step,
                    rtol, atol)  # fmt: skip


def _by_scipy(f: Slope, start: Vector, t: float, end: float, method: str, t_eval: Any, dense: bool,
              events: Any, given: Any, jac: Any, rtol: float, atol: Any, max_step: float,
              first_step: Any, min_step: float) -> OdeResult:  # fmt: skip
    """Return the solution by SciPy's own steps."""
    names: Any = ("max_step",)
    values: Any = (max_step,)
    if first_step is not None:
        names, values = (*names, "first_step"), (*values, first_step)
    if method == "LSODA":
        names, values = (*names, "min_step"), (*values, min_step)
    return solved_by_scipy(
        f, start, t, end, method, t_eval, dense, () if events is None else events, given,
        jac if method in IMPLICIT else None, rtol, atol, names, values,
    )  # fmt: skip


def _begun(f: Slope, t: float, y: Vector, end: float, method: str, most: float, rtol: float,
           atol: Any, first_step: Any) -> tuple[Vector, float, int]:  # fmt: skip
    """Return the slope at the beginning, the first step, and the number of calls."""
    slope = f(t, y)
    if first_step is None:
        order = 2 if method == "RK23" else 4 if method == "RK45" else 7
        step = _first_step(
            constant(f), constant(t), constant(y), constant(end), most, constant(slope), order,
            constant(rtol), constant(atol),
        )  # fmt: skip
        return slope, step, 2
    step = constant(1.0 * first_step)
    if step <= 0.0:
        raise ValueError("`first_step` must be positive.")
    if step > abs(end - t):
        raise ValueError("`first_step` exceeds bounds.")
    return slope, step, 1


def _stepped(f: Slope, t: float, y: Vector, end: float, slope: Vector, step: float, calls: int,
             method: str, t_eval: Any, dense: bool, most: float, rtol: float,
             atol: Any) -> OdeResult:  # fmt: skip
    """Make all steps."""
    ts, ys, status, done, way = [t], [y], 0, 0, 1.0 if end >= t else -1.0
    bounds, starts, insides, lengths = [t], [], [], []
    if t_eval is not None:
        ts, ys = [], []
        if len(t_eval) > 0 and t_eval[0] == t:
            ts.append(t_eval[0] * 1.0)
            ys.append(y)
            done = 1
    elif t == end:
        ts.append(end)
        ys.append(y)
    first = done == 1
    if dense and t == end:
        bounds.append(end)
        starts.append(y)
        insides.append(np.zeros((7, y.size)))
        lengths.append(0.0 * t)
    while way * (t - end) < 0.0:
        before, y_before = t, y
        t, y, stages, h, step, more = _step(
            f, t, y, end, slope, step, way, method, most, rtol, atol
        )
        calls += more
        if more < 0:
            calls, status = calls - more, -1
            break
        slope, inside = stages[-1], np.zeros((0, 0))
        if dense or first or (t_eval is not None and done < len(t_eval)
                     and way * (t_eval[done] - t) <= 0.0):  # fmt: skip
            inside = inside_of(f, stages, before, y_before, h, y, method)
            calls += 3 if method == "DOP853" else 0
        first = False
        if dense:
            bounds.append(t)
            starts.append(y_before)
            insides.append(inside)
            lengths.append(h)
        if t_eval is None:
            ts.append(t)
            ys.append(y)
        else:
            while done < len(t_eval) and way * (t_eval[done] - t) <= 0.0:
                at = t_eval[done] * 1.0
                ts.append(at)
                ys.append(at_of(inside, (at - before) / h, y_before, method))
                done += 1
    sol = None
    if dense:
        sol = OdeSolution(np.array(bounds), np.array(starts), np.array(insides), way, method,
                          np.array(lengths))  # fmt: skip
    return OdeResult(np.array(ts), np.stack(ys, axis=1), sol, calls, status)


def _step(f: Slope, before: float, y_before: Vector, end: float, slope: Vector, step: float,
          way: float, method: str, most: float, rtol: float, atol: Any) -> Any:  # fmt: skip
    """Make a step that is exact enough. Return time, solution, slopes, the length of the step and
    that of the next one, and the number of calls, negative if the step would be too short."""
    least = _spacing(float(constant(before)), way)
    step, rejected, calls = min(max(step, least), most), False, 0
    exponent = -1.0 / 3.0 if method == "RK23" else -0.2 if method == "RK45" else -0.125
    while True:
        t = before + step * way
        if way * (t - end) > 0.0:
            t = end
        h = t - before
        length = abs(constant(h))
        y, stages = advanced(f, before, y_before, slope, h, t, method)
        if step < least:
            return t, y, stages, h, step, -1 - calls
        calls += 11 if method == "DOP853" else len(stages) - 2
        calls += 1
        scale = constant(atol + np.maximum(np.abs(y_before), np.abs(y)) * rtol)
        found = error_of(constant(stages), constant(h), scale, method)
        if found < 1.0:
            factor = 10.0 if found == 0.0 else min(10.0, 0.9 * found**exponent)
            if rejected:
                factor = min(1.0, factor)
            return t, y, stages, h, length * factor, calls
        step, rejected = length * max(0.2, 0.9 * found**exponent), True


def odeint(func: Callable[..., Any], y0: Any, t: Any, args: Any = (), Dfun: Any = None,
           col_deriv: int = 0, full_output: int = 0, ml: Any = None, mu: Any = None,
           rtol: Any = None, atol: Any = None, tcrit: Any = None, h0: float = 0.0,
           hmax: float = 0.0, hmin: float = 0.0, ixpr: int = 0, mxstep: int = 0, mxhnil: int = 0,
           mxordn: int = 12, mxords: int = 5, printmessg: int = 0,
           tfirst: bool = False) -> Array:  # fmt: skip
    """The solution to the tolerances that SciPy's solver has, by a method of order 8."""
    if known(full_output):
        unsupported("odeint with full_output", "leave it away")
    if tcrit is not None:
        unsupported("odeint with tcrit", "one call for each part")
    given = args if isinstance(args, tuple) else (args,)
    times, y = 1.0 * np.asarray(t), np.atleast_1d(np.asarray(y0)).astype(float)
    if y.ndim > 1:
        raise ValueError("Initial condition y0 must be one-dimensional.")
    gaps = np.diff(times)
    if not (np.all(gaps >= 0.0) or np.all(gaps <= 0.0)):
        raise ValueError(
            "The values in t must be monotonically increasing or monotonically decreasing; "
            "repeated values are allowed."
        )

    def f(t: float, y: Vector) -> Vector:
        made = func(t, y, *given) if tfirst else func(y, t, *given)
        return np.atleast_1d(np.asarray(made)).astype(float)

    relative = constant(1.49012e-8 if rtol is None else rtol)
    absolute = constant(1.49012e-8 if atol is None else atol)
    return _at_times(f, y, times, relative, absolute, h0, hmax if hmax > 0.0 else np.inf)


def _at_times(f: Slope, y: Vector, times: Vector, rtol: Any, atol: Any, first_step: float,
              most: float) -> Array:  # fmt: skip
    """Return the solution at all times, one row for each."""
    rows, done, n = [y], 1, len(times)
    begin, end = times[0], times[n - 1]
    now, way = begin, 1.0 if end >= begin else -1.0
    while done < n and times[done] == begin:
        rows.append(y)
        done += 1
    if done == n:
        return np.array(rows)
    slope = f(now, y)
    step = abs(first_step)
    if step == 0.0:
        step = _first_step(constant(f), constant(now), constant(y), constant(end), most,
                           constant(slope), 7, rtol, atol)  # fmt: skip
    while done < n:
        before, y_before = now, y
        now, y, stages, h, step, calls = _step(
            f, now, y, end, slope, step, way, "DOP853", most, rtol, atol
        )
        if calls < 0:
            raise RuntimeError("odeint: the step is too short, and nothing exact can be said")
        slope = stages[-1]
        if way * (times[done] - now) <= 0.0:
            inside = inside_of(f, stages, before, y_before, h, y, "DOP853")
            while done < n and way * (times[done] - now) <= 0.0:
                rows.append(at_of(inside, (times[done] - before) / h, y_before, "DOP853"))
                done += 1
    return np.array(rows)
