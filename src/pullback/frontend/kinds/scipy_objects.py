"""Objects of SciPy's classes that are made outside and captured, or are arguments: bounds,
constraints, splines. Their data crosses, and the compiler makes of it what the library has as text
(``library/text/made_outside.py``).

A row says which numbers and arrays an object consists of, what else the compiler has to know of it
(whatever it is compiled for), and how it is put together again, as the gradient by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Row(NamedTuple):
    """The data of an object, what else is known of it, and how it is made of its class, the data
    and that."""

    data: Callable[[Any], tuple[Any, ...]]
    known: Callable[[Any], tuple[Any, ...]]
    made: Callable[[Any, Any, Any], object]


def _extrapolates(spline: Any) -> Any:
    how = spline.extrapolate
    return how if isinstance(how, str) else bool(how)


def _piecewise(spline: Any) -> tuple[Any, ...]:
    return len(spline.c), _extrapolates(spline), spline.axis % 2 == 1 and spline.c.ndim == 3


_SPLINE = Row(
    lambda s: (s.c, s.x), _piecewise,
    lambda cls, held, known: cls.construct_fast(*held, known[1], int(known[2])),
)  # fmt: skip
_SUMS = Row(
    lambda s: (s.t, s.c), lambda s: (s.k, _extrapolates(s), s.axis % 2 == 1 and s.c.ndim == 2),
    lambda cls, held, known: cls.construct_fast(*held, known[0], known[1], int(known[2])),
)  # fmt: skip
_TABLE = Row(
    lambda s: (s.x, s.y, *_outside(s)),
    lambda s: (s._spline.k if s._kind == "spline" else s._kind, bool(s.bounds_error),
               s.fill_value == "extrapolate" if isinstance(s.fill_value, str) else False),
    lambda cls, held, known: cls(
        held[0], held[1], known[0], bounds_error=known[1],
        fill_value="extrapolate" if known[2] else held[2:],
    ),
)  # fmt: skip
_GRID = Row(
    lambda g: (tuple(g.grid), g.values, np.nan if g.fill_value is None else float(g.fill_value)),
    lambda g: (g.method, bool(g.bounds_error), g.fill_value is None),
    lambda cls, held, known: cls(
        held[0], held[1], known[0], known[1], None if known[2] else held[2]
    ),
)  # fmt: skip


def _outside(spline: Any) -> tuple[Any, ...]:
    fill = spline.fill_value
    if isinstance(fill, str):
        return np.nan, np.nan
    return tuple(fill) if isinstance(fill, tuple) else (fill, fill)


ROWS: dict[tuple[str, str], Row] = {
    ("scipy.optimize._constraints", "Bounds"): Row(
        lambda b: (b.lb, b.ub), lambda b: (), lambda cls, held, known: cls(*held)
    ),
    ("scipy.optimize._constraints", "LinearConstraint"): Row(
        lambda c: (c.A, c.lb, c.ub), lambda c: (), lambda cls, held, known: cls(*held)
    ),
    **{
        ("scipy.interpolate._cubic", name): _SPLINE
        for name in ("CubicSpline", "CubicHermiteSpline", "PchipInterpolator",
                     "Akima1DInterpolator")
    },
    ("scipy.interpolate._interpolate", "PPoly"): _SPLINE,
    ("scipy.interpolate._bsplines", "BSpline"): _SUMS,
    ("scipy.interpolate._interpolate", "interp1d"): _TABLE,
    ("scipy.interpolate._rgi", "RegularGridInterpolator"): _GRID,
}  # fmt: skip
"""The classes of which objects are data, by their modules and names."""

WITH_FUNCTIONS: dict[tuple[str, str], tuple[str, ...]] = {
    ("scipy.optimize._constraints", "NonlinearConstraint"): ("fun", "lb", "ub", "jac"),
}
"""The classes whose objects hold functions, and the attributes that are read of them."""


def is_row(cls: type) -> bool:
    """Whether objects of a class are data."""
    return (cls.__module__, cls.__name__) in ROWS


def held_attributes(cls: type) -> tuple[str, ...] | None:
    """Return which attributes of an object with functions are read; None: it is of no such
    class."""
    return WITH_FUNCTIONS.get((cls.__module__, cls.__name__))


__all__ = ["ROWS", "WITH_FUNCTIONS", "Row", "held_attributes", "is_row"]
