"""``least_squares`` of ``scipy.optimize`` as plain Python that the front end compiles.

The place is the value that the iteration gives (``trust_reflective``, ``levenberg_marquardt``).
Its derivative is that of the least cost, where the exact gradient is 0; a number that a bound holds
moves with the bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import along, constant, root_of, slope_of, with_slope
from pullback.frontend.library.text.constrained_minima import pressed_within
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.levenberg_marquardt import EPS, least_sum
from pullback.frontend.library.text.trust_reflective import (
    GivenBounds,
    between,
    least_within,
    moved_inside,
    sides,
)
from pullback.frontend.library.text_helpers import unsupported

Residuals = Callable[[Vector], Vector]


class LeastSquaresResult:
    """What ``least_squares`` gives."""

    def __init__(
        self, x: Vector, f: Residuals, cost: Callable[[Vector], float], slopes: Any, loss: Any,
        optimality: float, active_mask: Vector, status: int, nfev: int, njev: Any,
    ) -> None:  # fmt: skip
        self.x = x
        self.optimality = optimality
        self.active_mask = active_mask
        self.status = status
        self.success = status > 0
        self.nfev = nfev
        self.njev = njev
        self._residuals = f
        self._cost = cost
        self._slopes = slopes
        self._loss = loss

    @property
    def fun(self) -> Vector:
        """The residuals at the place."""
        return self._residuals(self.x)

    @property
    def cost(self) -> float:
        """Half the sum of their squares, or what the loss makes of them."""
        return self._cost(self.x)

    @property
    def grad(self) -> Vector:
        """The gradient of the cost."""
        return with_slope(self._cost)(self.x)[1]

    @property
    def jac(self) -> Matrix:
        """The Jacobian of the residuals, times the weights of the loss."""
        x = self.x
        push = along(self._residuals)
        j = np.array([push(x, e) for e in np.eye(x.size)]).T if self._slopes is None else (
            self._slopes(x, x)
        )
        return j * self._loss(self._residuals(x))[1][:, None]

    @property
    def message(self) -> str:
        """How it ended."""
        if self.status == 0:
            return "The maximum number of function evaluations is exceeded."
        if self.status == 1:
            return "`gtol` termination condition is satisfied."
        if self.status == 2:
            return "`ftol` termination condition is satisfied."
        if self.status == 3:
            return "`xtol` termination condition is satisfied."
        return "Both `ftol` and `xtol` termination conditions are satisfied."

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def Bounds(lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: bool = False) -> GivenBounds:
    return GivenBounds(np.atleast_1d(np.asarray(lb)), np.atleast_1d(np.asarray(ub)))


def _rho(loss: Any, z: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the loss of squares and its first two derivatives."""
    if not isinstance(loss, str):
        made = loss(z)
        return made[0], made[1], made[2]
    if loss == "linear":
        return z, np.ones_like(z), np.zeros_like(z)
    if loss == "soft_l1":
        t = 1.0 + z
        return 2.0 * (np.sqrt(t) - 1.0), t**-0.5, -0.5 * t**-1.5
    if loss == "cauchy":
        t = 1.0 + z
        return np.log1p(z), 1.0 / t, -1.0 / t**2
    if loss == "arctan":
        t = 1.0 + z**2
        return np.arctan(z), 1.0 / t, -2.0 * z / t**2
    if loss != "huber":
        unsupported("this loss", "linear, soft_l1, huber, cauchy or arctan")
    small, w = z <= 1.0, np.where(z <= 1.0, 1.0, z)
    slope = np.where(small, 1.0, w**-0.5)
    return np.where(small, z, 2.0 * np.sqrt(w) - 1.0), slope, np.where(small, 0.0, -0.5 * w**-1.5)


def _losses(loss: Any, scale: float) -> Any:
    """Return the function that gives the cost of residuals and their weights."""

    def losses(f: Vector) -> tuple[float, Vector, Vector]:
        value, first, second = _rho(loss, (f / scale) ** 2)
        if isinstance(loss, str) and loss == "linear":
            return 0.5 * np.sum(f * f), first, first
        bent = first + 2.0 * second / scale**2 * f**2
        rows = np.sqrt(np.where(bent < EPS, EPS, bent))
        return 0.5 * scale**2 * np.sum(value), rows, first / rows

    return losses


def _steps(x: Vector, size: float, rel: Any) -> Vector:
    """Return the steps of differences."""
    sign = np.where(x >= 0.0, 1.0, -1.0)
    plain = size * sign * np.maximum(1.0, np.abs(x))
    if rel is None:
        return plain
    h = rel * sign * np.abs(x)
    return np.where((x + h) - x == 0.0, plain, h)


def _one_sided(f: Residuals, low: Vector, high: Vector, rel: Any) -> Any:
    """Return the Jacobian by differences that stay between the bounds."""

    def slopes(x: Vector, fx: Vector) -> Matrix:
        h = _steps(x, EPS**0.5, rel)
        down, up = x - low, high - x
        fits = np.abs(h) <= np.maximum(down, up)
        out = (x + h < low) | (x + h > high)
        h = np.where(fits, np.where(out, -h, h), np.where(up >= down, up, -down))
        rows = np.zeros((x.size, fx.size))
        for j in range(x.size):
            y = x.copy()
            y[j] = x[j] + h[j]
            rows[j] = (f(y) - fx) / (y[j] - x[j])
        return rows.T

    return slopes


def _central(f: Residuals, low: Vector, high: Vector, rel: Any) -> Any:
    """Return the Jacobian by differences to both sides, or of three points on one side near a
    bound."""

    def slopes(x: Vector, fx: Vector) -> Matrix:
        h = np.abs(_steps(x, EPS ** (1.0 / 3.0), rel))
        down, up = x - low, high - x
        both = (down >= h) & (up >= h)
        h = np.where(both, h, np.where(
            up >= down, np.minimum(h, 0.5 * up), -np.minimum(h, 0.5 * down)
        ))  # fmt: skip
        least = np.minimum(up, down)
        again = ~both & (np.abs(h) <= least)
        h, both = np.where(again, least, h), both | again
        rows = np.zeros((x.size, fx.size))
        for j in range(x.size):
            y, z = x.copy(), x.copy()
            y[j] = x[j] - h[j] if both[j] else x[j] + h[j]
            z[j] = x[j] + h[j] if both[j] else x[j] + 2.0 * h[j]
            if both[j]:
                rows[j] = (f(z) - f(y)) / (z[j] - y[j])
            else:
                rows[j] = (-3.0 * fx + 4.0 * f(y) - f(z)) / (z[j] - x[j])
        return rows.T

    return slopes


def least_squares(fun: Callable[..., Any], x0: Any, jac: Any = "2-point", bounds: Any = None,
                  method: str = "trf", ftol: Any = 1e-8, xtol: Any = 1e-8, gtol: Any = 1e-8,
                  x_scale: Any = None, loss: Any = "linear", f_scale: float = 1.0,
                  diff_step: Any = None, tr_solver: Any = None, tr_options: Any = None,
                  jac_sparsity: Any = None, max_nfev: Any = None, verbose: int = 0,
                  args: Any = (), kwargs: Any = None) -> LeastSquaresResult:  # fmt: skip
    if method != "trf" and method != "lm":
        unsupported("least_squares by this method", "take trf, the default, or lm")
    if tr_solver == "lsmr" or tr_options is not None or jac_sparsity is not None:
        unsupported("least_squares with lsmr", "leave tr_solver, tr_options and jac_sparsity away")
    named = {} if kwargs is None else kwargs
    start = np.atleast_1d(np.asarray(x0)).astype(float)
    if start.ndim > 1:
        raise ValueError("`x0` must have at most 1 dimension.")
    low, high = between(bounds, start.size)
    if method == "lm" and not np.all((low == -np.inf) & (high == np.inf)):
        raise ValueError("Method 'lm' doesn't support bounds.")
    if np.any(low >= high):
        raise ValueError("Each lower bound must be strictly less than each upper bound.")
    if not np.all((start >= low) & (start <= high)):
        raise ValueError("Initial guess is outside of provided bounds")

    def f(x: Vector) -> Vector:
        y = np.atleast_1d(np.asarray(fun(x, *args, **named))).astype(float)
        if y.ndim != 1:
            unsupported("residuals that are no vector", "return a vector")
        return y

    exact: Any = None
    if not isinstance(jac, str):

        def exact(x: Vector, fx: Vector) -> Matrix:
            return np.asarray(jac(x, *args, **named)).astype(float)

    elif jac != "2-point" and jac != "3-point":
        unsupported("least_squares with complex steps", "leave jac away")
    found = _found(
        f, exact, jac, start, low, high, method, (ftol, xtol, gtol), x_scale, loss, f_scale,
        diff_step, max_nfev,
    )  # fmt: skip
    return _result(f, exact, start, low, high, xtol, loss, f_scale, method, jac, bounds, found)


def _found(f: Residuals, exact: Any, jac: Any, start: Vector, low: Vector, high: Vector,
           method: str, tolerances: Any, x_scale: Any, loss: Any, f_scale: float, diff_step: Any,
           max_nfev: Any) -> Any:  # fmt: skip
    """Return the place, and how it was found."""
    known, x, below, above = constant(f), constant(start), constant(low), constant(high)
    rel = None if diff_step is None else constant(diff_step)
    if not isinstance(jac, str):
        slopes = constant(exact)
    elif jac == "2-point":
        slopes = _one_sided(known, below, above, rel)
    else:
        slopes = _central(known, below, above, rel)
    by_jacobian = isinstance(x_scale, str) or (x_scale is None and method == "lm")
    scales = None
    if not by_jacobian:
        scales = np.ones(x.size) if x_scale is None else np.ones(x.size) * constant(x_scale)
    ftol, xtol, gtol = (0.0 if t is None else constant(t) for t in tolerances)
    most = 100 * x.size if max_nfev is None else max_nfev
    if method == "trf":
        return least_within(
            known, slopes, constant(_losses(loss, f_scale)),
            moved_inside(x, below, above, 1e-10), below, above, ftol, xtol, gtol, most, scales,
        )  # fmt: skip
    if not isinstance(loss, str) or loss != "linear":
        raise ValueError("method='lm' supports only 'linear' loss function.")
    if known(x).size < x.size:
        raise ValueError(
            "Method 'lm' doesn't work when the number of residuals is less than the number of "
            "variables."
        )
    x, fx, info, calls, jacobians, _, _ = least_sum(
        known, slopes, x, ftol, xtol, gtol, most, 0, 100.0,
        None if scales is None else 1.0 / scales,
    )  # fmt: skip
    steepest = np.max(np.abs(fx @ slopes(x, fx)))
    status = 0 if info >= 5 else 1 if info == 4 else info + 1
    return x, steepest, status, calls, jacobians


def _result(f: Residuals, exact: Any, start: Vector, low: Vector, high: Vector, xtol: Any,
            loss: Any, f_scale: float, method: str, jac: Any, bounds: Any,
            found: Any) -> LeastSquaresResult:  # fmt: skip
    x, steepest, status, calls, jacobians = found
    losses = _losses(loss, f_scale)

    def cost(x: Vector) -> float:
        c: float = losses(f(x))[0]
        return c

    push = along(constant(f))
    bent = np.array([np.sum(push(x, e) ** 2) for e in np.eye(x.size)])
    far = np.sqrt(np.sum(x * x)) + np.sqrt(np.sum((x - constant(start)) ** 2))
    near = 1e-3 * far + 10.0 * constant(0.0 if xtol is None else xtol) if status > 0 else -1.0
    mask = sides(x, constant(low), constant(high), 0.0 if xtol is None else constant(xtol))
    if bounds is None and method == "trf":
        mask = np.zeros_like(x)
    counted = None if method == "lm" and isinstance(jac, str) else jacobians
    return LeastSquaresResult(
        root_of(pressed_within(slope_of(cost), bent, low, high), x, near), f, cost, exact, losses,
        steepest, mask, status, calls, counted,
    )  # fmt: skip
