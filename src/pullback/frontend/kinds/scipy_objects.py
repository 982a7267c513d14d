"""Objects of SciPy's classes that are made outside and captured, or are arguments: bounds,
constraints, splines. Their data crosses, and the compiler makes of it what the library has as text
(``library/text/made_outside.py``).

A row says which numbers and arrays an object consists of, what else the compiler has to know of it
(whatever it is compiled for), and how it is put together again, as the gradient by it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
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


def _bare(cls: Any, **attributes: Any) -> object:
    """Return an object that has these attributes only: a gradient, which may be none of those that
    the class makes (a matrix that is not positive, say)."""
    made = cls.__new__(cls)
    vars(made).update(attributes)
    return made


def _density(*names: str) -> Row:
    """The row of a frozen density of SciPy that holds its parameters under these names."""
    return Row(
        lambda d: tuple(getattr(d, name) for name in names),
        lambda d: (bool(getattr(d, "allow_singular", False)),),
        lambda cls, held, known: _bare(cls, **dict(zip(names, held, strict=True))),
    )


_NORMAL = Row(
    lambda d: (d.mean, d.cov_object.covariance),
    lambda d: (bool(d.allow_singular),),
    lambda cls, held, known: _bare(
        cls, mean=held[0], cov_object=SimpleNamespace(covariance=held[1]), allow_singular=known[0]
    ),
)  # fmt: skip
_SMOOTH = Row(
    lambda s: (*(np.zeros(0) if v is None else v for v in s._data[:3]), *s._eval_args[:2]),
    lambda s: (s._eval_args[2], s.ext),
    lambda cls, held, known: _bare(
        cls, _data=held[:3], _eval_args=(*held[3:], known[0]), ext=known[1]
    ),
)  # fmt: skip


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
    **{
        ("scipy.interpolate._fitpack2", name): _SMOOTH
        for name in ("UnivariateSpline", "InterpolatedUnivariateSpline",
                     "LSQUnivariateSpline")
    },
    ("scipy.stats._multivariate", "multivariate_normal_frozen"): _NORMAL,
    ("scipy.stats._multivariate", "multivariate_t_frozen"): _density("loc", "shape", "df"),
    ("scipy.stats._multivariate", "dirichlet_frozen"): _density("alpha"),
    ("scipy.stats._multivariate", "wishart_frozen"): _density("df", "scale"),
    ("scipy.stats._multivariate", "invwishart_frozen"): _density("df", "scale"),
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
