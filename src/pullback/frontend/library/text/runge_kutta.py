"""Steps of Runge-Kutta methods, as plain Python that the front end compiles: P. Bogacki and L. F.
Shampine, "A 3(2) pair of Runge-Kutta formulas" (1989); J. R. Dormand and P. J. Prince, "A family of
embedded Runge-Kutta formulae" (1980); L. F. Shampine, "Some practical Runge-Kutta formulas" (1986),
for values inside of steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.dormand_prince import (
    Slope,
    at_of_eight,
    error_of_eight,
    inside_of_eight,
    step_of_eight,
)

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


def size(x: Vector) -> float:
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


def advanced(f: Slope, t: float, y: Vector, slope: Vector, h: float, end: float,
              method: str) -> Any:  # fmt: skip
    """Return the solution after a step, and all slopes."""
    if method == "DOP853":
        return step_of_eight(f, t, y, slope, h, end)
    stages = _stages(f, t, y, slope, h, method == "RK45")
    after = y + h * _mixed(stages, _STEP_45 if method == "RK45" else _STEP_23)
    return after, (*stages, f(end, after))


def error_of(stages: Any, h: float, scale: Vector, method: str) -> float:
    """Return the error of a step, for which 1 is the most that is allowed."""
    if method == "DOP853":
        return error_of_eight(stages, h, scale)
    return size(_mixed(stages, _ERROR_45 if method == "RK45" else _ERROR_23) * h / scale)


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


def inside_of(f: Slope, stages: Any, t: float, y: Vector, h: float, after: Vector,
            method: str) -> Matrix:  # fmt: skip
    """Return the polynomials that give the solution inside of a step."""
    if method == "DOP853":
        return inside_of_eight(f, stages, t, y, h, after)
    table = _DENSE_45 if method == "RK45" else _DENSE_23
    return h * np.stack([_mixed(stages, row) for row in zip(*table, strict=True)])


def at_of(inside: Matrix, x: float, y: Vector, method: str) -> Vector:
    """Return the solution at a part of a step."""
    if method == "DOP853":
        return at_of_eight(inside, x, y)
    total = inside[-1] * x
    for k in range(len(inside) - 2, -1, -1):
        total = (total + inside[k]) * x
    return y + total
