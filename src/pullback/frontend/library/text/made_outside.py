"""What the library has as text for objects of SciPy that were made outside, of their data
(``kinds/scipy_objects.py``), as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text import scipy_frozen_densities
from pullback.frontend.library.text.basis_splines import Spline
from pullback.frontend.library.text.constrained_minima import LinearConstraint, NonlinearConstraint
from pullback.frontend.library.text.piecewise_cubics import PPoly
from pullback.frontend.library.text.scipy_interpolate import RegularGridInterpolator, interp1d
from pullback.frontend.library.text.scipy_splines import Univariate
from pullback.frontend.library.text.trust_reflective import GivenBounds
from pullback.frontend.library.text_helpers import known, times, unsupported


def bounds(said: Any, lb: Any, ub: Any) -> GivenBounds:
    return GivenBounds(np.atleast_1d(np.asarray(lb)), np.atleast_1d(np.asarray(ub)))


def linear(said: Any, A: Any, lb: Any, ub: Any) -> Any:
    return LinearConstraint(A, lb, ub)


def nonlinear(said: Any, fun: Any, lb: Any, ub: Any, jac: Any) -> Any:
    return NonlinearConstraint(fun, lb, ub, jac)


def pieces(said: Any, c: Any, x: Any) -> PPoly:
    count, extrapolate, turned = said
    parts = tuple(c[k] for k, _ in enumerate(times(known(count))))
    return PPoly(parts, x, extrapolate, turned)


def sums(said: Any, t: Any, c: Any) -> Spline:
    k, extrapolate, turned = said
    return Spline(t, c, times(known(k)), extrapolate, turned)


def table(said: Any, x: Any, y: Any, below: Any, above: Any) -> Any:
    kind, raises, extrapolates = said
    if extrapolates:
        return interp1d(x, y, kind, bounds_error=False, fill_value="extrapolate",
                        assume_sorted=True)  # fmt: skip
    return interp1d(x, y, kind, bounds_error=raises, fill_value=(below, above), assume_sorted=True)


def grid(said: Any, points: Any, values: Any, fill: Any) -> Any:
    method, raises, extrapolates = said
    return RegularGridInterpolator(points, values, method, raises, None if extrapolates else fill)


def univariate(said: Any, x: Any, y: Any, w: Any, t: Any, c: Any) -> Univariate:
    k, ext = said
    return Univariate(x, y, w, t, c, times(known(k)), known(ext))


def normal(said: Any, mean: Any, cov: Any) -> Any:
    return scipy_frozen_densities.multivariate_normal(mean, cov, said[0])


def student(said: Any, loc: Any, shape: Any, df: Any) -> Any:
    if said[0]:
        unsupported("a frozen multivariate_t with allow_singular=True", "one without it")
    return scipy_frozen_densities.multivariate_t(loc, shape, df)


def shares(said: Any, alpha: Any) -> Any:
    return scipy_frozen_densities.dirichlet(alpha)


def products(said: Any, df: Any, scale: Any) -> Any:
    return scipy_frozen_densities.wishart(df, scale)


def inverses(said: Any, df: Any, scale: Any) -> Any:
    return scipy_frozen_densities.invwishart(df, scale)


MADE = {
    "Bounds": bounds, "LinearConstraint": linear, "NonlinearConstraint": nonlinear,
    "BSpline": sums, "interp1d": table, "RegularGridInterpolator": grid,
    **dict.fromkeys(("CubicSpline", "CubicHermiteSpline", "PchipInterpolator",
                     "Akima1DInterpolator", "PPoly"), pieces),
    **dict.fromkeys(("UnivariateSpline", "InterpolatedUnivariateSpline",
                     "LSQUnivariateSpline"), univariate),
    "multivariate_normal_frozen": normal, "multivariate_t_frozen": student,
    "dirichlet_frozen": shares, "wishart_frozen": products, "invwishart_frozen": inverses,
}  # fmt: skip
"""What makes an object of a class, by its name."""

__all__ = ["MADE"]
