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
from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text_helpers import unsupported

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


class OdeResult:
    """What ``solve_ivp`` gives."""

    def __init__(self, t: Vector, y: Array, nfev: int, status: int) -> None:
        self.t = t
        self.y = y
        self.sol = None
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
    if method != "RK45" and method != "RK23":
        unsupported("solve_ivp with this method", "take RK45 or RK23")
    if dense_output:
        unsupported("solve_ivp with dense_output", "say the times with t_eval")
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
    slope, order = f(t, start), 4 if method == "RK45" else 2
    if first_step is None:
        known = constant(f)
        step = _first_step(
            known, constant(t), constant(start), constant(end), max_step, constant(slope), order,
            constant(rtol), constant(atol),
        )  # fmt: skip
        calls = 2
    else:
        step, calls = constant(1.0 * first_step), 1
        if step <= 0.0:
            raise ValueError("`first_step` must be positive.")
        if step > abs(end - t):
            raise ValueError("`first_step` exceeds bounds.")
    return _stepped(f, t, start, end, slope, step, calls, method, t_eval, max_step, rtol, atol)


def _stepped(f: Callable[..., Vector], t: float, y: Vector, end: float, slope: Vector, step: float,
             calls: int, method: str, t_eval: Any, most: float, rtol: float,
             atol: Any) -> OdeResult:  # fmt: skip
    """Make all steps."""
    five = method == "RK45"
    ts, ys, status, done, way = [t], [y], 0, 0, 1.0 if end >= t else -1.0
    if t_eval is not None:
        ts, ys = [], []
        if len(t_eval) > 0 and t_eval[0] == t:
            ts.append(t_eval[0] * 1.0)
            ys.append(y)
            done = 1
    elif t == end:
        ts.append(end)
        ys.append(y)
    exponent = -0.2 if five else -1.0 / 3.0
    while way * (t - end) < 0.0:
        least = _spacing(float(constant(t)), way)
        step, rejected, accepted = min(max(step, least), most), False, False
        before, y_before, stages = t, y, (slope,)
        h = 0.0
        while not accepted:
            if step < least:
                status = -1
                break
            t = before + step * way
            if way * (t - end) > 0.0:
                t = end
            h = t - before
            step = abs(constant(h))
            stages = _stages(f, before, y_before, slope, h, five)
            y = y_before + h * _mixed(stages, _STEP_45 if five else _STEP_23)
            stages = (*stages, f(t, y))
            calls += len(stages) - 1
            error = constant(_mixed(stages, _ERROR_45 if five else _ERROR_23) * h)
            scale = constant(atol + np.maximum(np.abs(y_before), np.abs(y)) * rtol)
            found = _size(error / scale)
            if found < 1.0:
                factor = 10.0 if found == 0.0 else min(10.0, 0.9 * found**exponent)
                if rejected:
                    factor = min(1.0, factor)
                accepted = True
            else:
                factor = max(0.2, 0.9 * found**exponent)
                rejected = True
            step *= factor
        if status < 0:
            break
        slope = stages[-1]
        if t_eval is None:
            ts.append(t)
            ys.append(y)
        else:
            while done < len(t_eval) and way * (t_eval[done] - t) <= 0.0:
                at = t_eval[done] * 1.0
                ts.append(at)
                ys.append(_inside(stages, (at - before) / h, h, y_before, five))
                done += 1
    return OdeResult(np.array(ts), np.stack(ys, axis=1), calls, status)


def _stages(f: Callable[..., Vector], t: float, y: Vector, slope: Vector, h: float,
            five: bool) -> Any:  # fmt: skip
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


def _inside(stages: Any, x: float, h: float, y: Vector, five: bool) -> Vector:
    """Return the solution at a part of a step."""
    powers = (x, x**2, x**3, x**4) if five else (x, x**2, x**3)
    total = 0.0 * y
    for k, weights in enumerate(_DENSE_45 if five else _DENSE_23):
        total = total + stages[k] * sum(w * p for w, p in zip(weights, powers, strict=True))
    return y + h * total
