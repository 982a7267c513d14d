"""``solve_ivp`` of ``scipy.integrate`` by Runge-Kutta methods, as plain Python that is compiled:
P. Bogacki and L. F. Shampine, "A 3(2) pair of Runge-Kutta formulas" (1989); J. R. Dormand and P. J.
Prince, "A family of embedded Runge-Kutta formulae" (1980); L. F. Shampine, "Some practical
Runge-Kutta formulas" (1986), for values inside of steps; E. Hairer, S. P. Norsett and G. Wanner,
*Solving Ordinary Differential Equations I*, section II.4, for the lengths of steps.

The lengths of steps have no derivative; the derivative is that of the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.dormand_prince import (
    Slope,
    at_of_eight,
    error_of_eight,
    inside_of_eight,
    step_of_eight,
)
from pullback.frontend.library.text_helpers import known, unsupported

_EPS = float(np.finfo(float).eps)

_TIMES_23: Any = (0.5, 0.75)
_STAGES_23: Any = ((0.5,), (0.0, 0.75))
_STEP_23 = (2 / 9, 1 / 3, 4 / 9)
_ERROR_23 = (5 / 72, -1 / 12, -1 / 9, 1 / 8)
_DENSE_23 = ((1.0, -4 / 3, 5 / 9), (0.0, 1.0, -2 / 3), (0.0, 4 / 3, -8 / 9), (0.0, -1.0, 1.0))

_TIMES_45: Any = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
_STAGES_45: Any = (
    (1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)  # fmt: skip
_STEP_45 = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
_ERROR_45 = (-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40)
_DENSE_45 = (
    (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
    (0.0, 0.0, 0.0, 0.0),
    (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
    (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
    (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
    (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
    (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
)


class OdeSolution:
    """The solution as a function of time, which ``dense_output`` asks for."""

    def __init__(
        self, ts: Vector, starts: Matrix, insides: Array, way: float, method: str
    ) -> None:
        self.ts = ts
        self._starts = starts
        self._insides = insides
        self._way = way
        self._method = method

    def _one(self, t: float) -> Vector:
        at, last = self._way * constant(t), len(self.ts) - 2
        k = max(min(np.searchsorted(self._way * constant(self.ts), at) - 1, last), 0)
        if self._way < 0.0:
            k = max(min(np.searchsorted(self._way * constant(self.ts), at, "right") - 1, last), 0)
        h = self.ts[k + 1] - self.ts[k]
        x = (t - self.ts[k]) / h if h != 0.0 else 0.0 * t
        return _at(self._insides[k], x, self._starts[k], self._method)

    def __call__(self, t: Any) -> Any:
        if np.ndim(t) == 0:
            return self._one(1.0 * np.asarray(t).item())
        return np.stack([self._one(1.0 * v) for v in np.asarray(t)], axis=1)


class OdeResult:
    """What ``solve_ivp`` gives."""

    def __init__(self, t: Vector, y: Array, sol: Any, nfev: int, status: int) -> None:
        self.t = t
        self.y = y
        self.sol = sol
        self.t_events = None
        self.y_events = None
        self.nfev = nfev
        self.njev = 0
        self.nlu = 0
        self.status = status
        self.success = status >= 0

    @property
    def message(self) -> str:
        """How it ended."""
        if self.success:
            return "The solver successfully reached the end of the integration interval."
        return "Required step size is less than spacing between numbers."

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def _size(x: Vector) -> float:
    """The root of the mean square."""
    y: float = np.linalg.norm(x) / x.size**0.5
    return y


def _mixed(stages: Any, weights: Any) -> Vector:
    """Return the sum of stages with weights."""
    total = stages[0] * weights[0]
    for k in range(1, len(weights)):
        if weights[k] != 0.0:
            total = total + stages[k] * weights[k]
    return total


def _first_step(f: Callable[..., Vector], t: float, y: Vector, end: float, most: float,
                slope: Vector, order: int, rtol: float, atol: Any) -> float:  # fmt: skip
    length = abs(end - t)
    if length == 0.0:
        return 0.0
    way = 1.0 if end > t else -1.0
    scale = atol + np.abs(y) * rtol
    d0, d1 = _size(y / scale), _size(slope / scale)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, length)
    after = f(t + h0 * way, y + h0 * way * slope)
    d2 = _size((after - slope) / scale) / h0
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
              t_eval: Any = None, dense_output: bool = False, *, vectorized: bool = False,
              args: Any = None, max_step: float = np.inf, rtol: float = 1e-3, atol: Any = 1e-6,
              first_step: Any = None) -> OdeResult:  # fmt: skip
    if method != "RK45" and method != "RK23" and method != "DOP853":
        unsupported("solve_ivp with this method", "take RK45, RK23 or DOP853")
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
    rtol = max(rtol, 100.0 * _EPS)
    if np.any(np.asarray(atol) < 0.0):
        raise ValueError("`atol` must be positive.")
    if max_step <= 0.0:
        raise ValueError("`max_step` must be positive.")
    slope, step, calls = _begun(f, t, start, end, method, max_step, rtol, atol, first_step)
    return _stepped(f, t, start, end, slope, step, calls, method, t_eval, dense_output, max_step,
                    rtol, atol)  # fmt: skip


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
    bounds, starts, insides = [t], [], []
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
            inside = _inside(f, stages, before, y_before, h, y, method)
            calls += 3 if method == "DOP853" else 0
        first = False
        if dense:
            bounds.append(t)
            starts.append(y_before)
            insides.append(inside)
        if t_eval is None:
            ts.append(t)
            ys.append(y)
        else:
            while done < len(t_eval) and way * (t_eval[done] - t) <= 0.0:
                at = t_eval[done] * 1.0
                ts.append(at)
                ys.append(_at(inside, (at - before) / h, y_before, method))
                done += 1
    sol = None
    if dense:
        sol = OdeSolution(np.array(bounds), np.array(starts), np.array(insides), way, method)
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
        y, stages = _advanced(f, before, y_before, slope, h, t, method)
        if step < least:
            return t, y, stages, h, step, -1 - calls
        calls += 11 if method == "DOP853" else len(stages) - 2
        calls += 1
        scale = constant(atol + np.maximum(np.abs(y_before), np.abs(y)) * rtol)
        found = _error(constant(stages), constant(h), scale, method)
        if found < 1.0:
            factor = 10.0 if found == 0.0 else min(10.0, 0.9 * found**exponent)
            if rejected:
                factor = min(1.0, factor)
            return t, y, stages, h, length * factor, calls
        step, rejected = length * max(0.2, 0.9 * found**exponent), True


def _advanced(f: Slope, t: float, y: Vector, slope: Vector, h: float, end: float,
              method: str) -> Any:  # fmt: skip
    """Return the solution after a step, and all slopes."""
    if method == "DOP853":
        return step_of_eight(f, t, y, slope, h, end)
    stages = _stages(f, t, y, slope, h, method == "RK45")
    after = y + h * _mixed(stages, _STEP_45 if method == "RK45" else _STEP_23)
    return after, (*stages, f(end, after))


def _error(stages: Any, h: float, scale: Vector, method: str) -> float:
    """Return the error of a step, for which 1 is the most that is allowed."""
    if method == "DOP853":
        return error_of_eight(stages, h, scale)
    return _size(_mixed(stages, _ERROR_45 if method == "RK45" else _ERROR_23) * h / scale)


def _stages(f: Slope, t: float, y: Vector, slope: Vector, h: float, five: bool) -> Any:
    """Return the slopes inside of a step."""
    k1 = slope
    times, weights = (_TIMES_45, _STAGES_45) if five else (_TIMES_23, _STAGES_23)
    k2 = f(t + times[0] * h, y + _mixed((k1,), weights[0]) * h)
    k3 = f(t + times[1] * h, y + _mixed((k1, k2), weights[1]) * h)
    if not five:
        return k1, k2, k3
    k4 = f(t + times[2] * h, y + _mixed((k1, k2, k3), weights[2]) * h)
    k5 = f(t + times[3] * h, y + _mixed((k1, k2, k3, k4), weights[3]) * h)
    k6 = f(t + times[4] * h, y + _mixed((k1, k2, k3, k4, k5), weights[4]) * h)
    return k1, k2, k3, k4, k5, k6


def _inside(f: Slope, stages: Any, t: float, y: Vector, h: float, after: Vector,
            method: str) -> Matrix:  # fmt: skip
    """Return the polynomials that give the solution inside of a step."""
    if method == "DOP853":
        return inside_of_eight(f, stages, t, y, h, after)
    table = _DENSE_45 if method == "RK45" else _DENSE_23
    return h * np.stack([_mixed(stages, row) for row in zip(*table, strict=True)])


def _at(inside: Matrix, x: float, y: Vector, method: str) -> Vector:
    """Return the solution at a part of a step."""
    if method == "DOP853":
        return at_of_eight(inside, x, y)
    total = inside[-1] * x
    for k in range(len(inside) - 2, -1, -1):
        total = (total + inside[k]) * x
    return y + total


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
            inside = _inside(f, stages, before, y_before, h, y, "DOP853")
            while done < n and way * (times[done] - now) <= 0.0:
                rows.append(_at(inside, (times[done] - before) / h, y_before, "DOP853"))
                done += 1
    return np.array(rows)
