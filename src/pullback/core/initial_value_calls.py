"""Calls of ``scipy.integrate.solve_ivp`` for texts of the library (``solver_calls``): SciPy's own
steps, the events, and the polynomials that give the solution inside of each step, which all have
one form,

    y(t) = c0 + sum over k of ck (t - s1) / d1 ... (t - sk) / dk
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.core.called_python import Floats
from pullback.core.later import Later
from pullback.core.reverse_communication import Ask

_integrate = Later("scipy.integrate")

VALUE, SLOPE, EVENT = 1, 2, 10
_MOST = {"Radau": 3, "BDF": 6, "LSODA": 12}
"""The most factors of a polynomial."""


def _event(ask: Ask, k: int, terminal: float, direction: float) -> Any:
    """Return an event as SciPy takes it."""

    def event(t: float, y: Any) -> float:
        return float(ask(EVENT + k, np.concatenate(([t], y)))[0])

    made: Any = event
    made.terminal, made.direction = terminal, direction
    return made


def _form(inside: Any, method: str, n: int) -> Floats:
    """Return the polynomials of a step: the places s, the lengths d, and the coefficients c."""
    most = _MOST[method]
    s, d, c = np.zeros(most), np.ones(most), np.zeros((most + 1, n))
    if hasattr(inside, "Q"):
        s[:], d[:] = inside.t_old, inside.h
        c[0], c[1:] = inside.y_old, inside.Q.T
    elif hasattr(inside, "D"):
        k = inside.order
        s[:k], d[:k], c[: k + 1] = inside.t_shift, inside.denom, inside.D
    elif hasattr(inside, "yh"):
        s[:], d[:] = inside.t, inside.h
        c[: inside.yh.shape[1]] = inside.yh.T
    else:  # a step of no length
        c[0] = inside.value
    return np.concatenate((s, d, c.ravel()))


def solve_ivp(ask: Ask, told: list[Any], given: Any) -> Floats:
    """Return how it ended; the time and place of each step, before it and after it, and of the
    methods of ``_MOST`` its polynomials; how many events there are of each kind, and for each its
    time and the number of its step."""
    method, slopes, names, count = told
    span, y0, kinds = given.vector(), given.vector(), given.vector().reshape(count, 2)
    rtol, atol = given.vector(), given.vector()
    more: dict[str, Any] = given.options(names)
    if slopes == "matrix":
        more["jac"] = given.vector().reshape(len(y0), len(y0))
    elif slopes:
        more["jac"] = lambda t, y: ask(SLOPE, np.concatenate(([t], y))).reshape(len(y), len(y))
    events = [_event(ask, k, *kind) for k, kind in enumerate(kinds)]
    found = _integrate.solve_ivp(
        lambda t, y: ask(VALUE, np.concatenate(([t], y))), span, y0, method, dense_output=True,
        events=events or None, rtol=rtol[0] if len(rtol) == 1 else rtol,
        atol=atol[0] if len(atol) == 1 else atol, **more,
    )  # fmt: skip
    steps = found.sol.interpolants
    rows = [np.concatenate(([p.t_old, p.t], p(p.t_old), p(p.t))) for p in steps]
    if method in _MOST:
        rows = [np.append(r, _form(p, method, len(y0))) for r, p in zip(rows, steps, strict=True)]
    ends = np.array([p.t for p in steps])
    way = 1.0 if span[1] >= span[0] else -1.0
    told_events = [np.zeros(0) if not events else np.concatenate(found.t_events)]
    at = np.minimum(np.searchsorted(way * ends, way * told_events[0]), len(steps) - 1)
    kept = [len(t) for t in found.t_events or ()]
    head = [found.status, found.nfev, found.njev, found.nlu, len(steps)]
    return np.concatenate((head, kept, *rows, *told_events, at))


__all__ = ["solve_ivp"]
