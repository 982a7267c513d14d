"""Questions of curves for texts of the library (``solver_calls``): splines that smooth, and
solutions of differential equations between two ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.core.later import Later
from pullback.core.reverse_communication import Ask

_integrate = Later("scipy.integrate")
_interpolate = Later("scipy.interpolate")

VALUE, SLOPES, ENDS = 1, 1, 2
"""What is asked: a function; the right side of equations, what is left of the conditions at the
ends."""


def smoothing(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return knots and coefficients of a spline that smooths, as many of these as of those."""
    x, y, w = given.vector(), given.vector(), given.vector()
    degree, s = int(given.number()), given.number()
    t, c, _ = _interpolate.UnivariateSpline(x, y, w, k=degree, s=s)._eval_args
    return np.concatenate((t, c, np.zeros(len(t) - len(c))))


def curve(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return knots and coefficients of a curve that smooths, as many of each of its coordinates as
    of knots."""
    u, x, w = given.vector(), given.vector(), given.vector()
    degree, s = int(given.number()), given.number()
    points = x.reshape(len(u), -1).T
    (t, c, _), _ = _interpolate.splprep(points, w=w, u=u, k=degree, s=s, quiet=2)
    rest = np.zeros(len(t) - len(c[0]))
    return np.concatenate([t, *(np.append(v, rest) for v in c)])


def natural(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the values at the points of a natural spline that smooths."""
    x, y, w = given.vector(), given.vector(), given.vector()
    return _interpolate.make_smoothing_spline(x, y, w)(x)


def solve_bvp(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the number of nodes, these, the solution there, parameters, how it was found, and what
    is left in each interval."""
    fixed, close = told
    x, n = given.vector(), int(given.number())
    y, p = given.vector().reshape(n, -1), given.vector()
    tol, most, bc_tol = given.number(), int(given.number()), given.number()

    def slopes(x: Any, y: Any, p: Any = ()) -> Any:
        return ask(SLOPES, np.concatenate(([len(x)], x, np.ravel(y), p))).reshape(n, -1)

    def ends(a: Any, b: Any, p: Any = ()) -> Any:
        return ask(ENDS, np.concatenate((a, b, p)))

    found = _integrate.solve_bvp(
        slopes, ends, x, y, None if fixed else p, tol=tol, max_nodes=most,
        bc_tol=bc_tol if close else None,
    )  # fmt: skip
    free = [] if fixed else found.p
    return np.concatenate(
        ([len(found.x)], found.x, np.ravel(found.y), free, [found.niter, found.status],
         found.rms_residuals)
    )  # fmt: skip


def weighted(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return an integral with a weight, and its error."""
    a, b, by = given.number(), given.number(), given.vector()
    epsabs, epsrel = given.number(), given.number()
    limit, maxp1, limlst = (int(given.number()) for _ in range(3))
    return _integrate.quad(
        lambda x: float(ask(VALUE, [x])[0]), a, b, epsabs=epsabs, epsrel=epsrel, limit=limit,
        weight=told[0], wvar=float(by[0]) if len(by) == 1 else tuple(by), maxp1=maxp1,
        limlst=limlst,
    )[:2]  # fmt: skip


__all__ = ["curve", "natural", "smoothing", "solve_bvp", "weighted"]
