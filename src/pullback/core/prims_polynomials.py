"""Rows for the orthogonal polynomials of SciPy, of a whole degree ("eval_legendre.l") and of a real
one ("eval_legendre"), and their derivatives: multiples of polynomials of the degree before."""

from __future__ import annotations

from pullback.core.formulas import Formula
from pullback.core.rows import NOT_DIFFERENTIABLE, Table
from pullback.core.scipy_rows import Cell, Interval, formulas_of, scipy_row

POLYNOMIALS = Table()

_DEGREE, _POSITIVE, _SMALL = (3.0, 3.0), (0.5, 4.0), (-0.8, 0.8)


def _slope(n: Formula, factor: Formula | float, name: str, *more: Formula | float) -> Formula:
    """A factor times the polynomial of the degree before; 0 where the degree is 0 or less"""
    least = n.where("eq", 0.0, 1.0, n) - 1.0
    return n.where("eq", 0.0, 0.0, least.of(name, *more) * factor)


def _add(name: str, slope: Cell, *domain: Interval) -> None:
    """Add the row of a function of which only the last argument has a derivative."""
    none = (NOT_DIFFERENTIABLE,) * len(domain)
    cells = formulas_of(*none, slope)
    POLYNOMIALS.add(scipy_row(name, cells, _DEGREE, *domain))


def _legendre(end: str, factor: float, jacobi: str) -> Cell:
    """(n + 1) / 2 times Jacobi's polynomial of (1, 1); that of -n - 1 is that of n"""

    def slope(r: Formula, n: Formula, x: Formula) -> Formula:
        m = n.where("lt", 0.0, -n - 1.0, n)
        parameters = (1.0, 1.0, x) if factor == 1.0 else (1.0, 1.0, 2.0 * x - 1.0)
        return _slope(m, (m + 1.0) * (0.5 * factor), jacobi + end, *parameters)

    return slope


def _second(end: str, inner: float, shift: float) -> Cell:
    """Of U_n(a x + b), 2 a times Gegenbauer's of 2; U of -n - 2 is -U of n"""

    def slope(r: Formula, n: Formula, x: Formula) -> Formula:
        m = n.where("lt", -1.0, -n - 2.0, n)
        sign = n.where("lt", -1.0, -2.0 * inner, 2.0 * inner)
        m = m.where("eq", -1.0, 0.0, m)
        return _slope(m, sign, "eval_gegenbauer" + end, 2.0, x * inner + shift)

    return slope


for _end in ("", ".l"):
    _add(f"eval_legendre{_end}", _legendre(_end, 1.0, "eval_jacobi"), _SMALL)
    _add(f"eval_sh_legendre{_end}", _legendre(_end, 2.0, "eval_jacobi"), (0.1, 0.9))
    _add(f"eval_chebyu{_end}", _second(_end, 1.0, 0.0), _SMALL)
    _add(f"eval_chebys{_end}", _second(_end, 0.5, 0.0), _SMALL)
    _add(f"eval_sh_chebyu{_end}", _second(_end, 2.0, -1.0), (0.1, 0.9))
    for _name, _next, _factor, _domain in (
        ("eval_chebyt", "eval_chebyu", 1.0, _SMALL), ("eval_chebyc", "eval_chebys", 1.0, _SMALL),
        ("eval_sh_chebyt", "eval_sh_chebyu", 2.0, (0.1, 0.9)),
    ):  # fmt: skip
        _add(
            f"{_name}{_end}",
            lambda r, n, x, name=_next + _end, factor=_factor: (n - 1.0).of(name, x) * n * factor,
            _domain,
        )
    _add(
        f"eval_laguerre{_end}",
        lambda r, n, x, end=_end: _slope(n, -1.0, f"eval_genlaguerre{end}", 1.0, x),
        _POSITIVE,
    )
    _add(
        f"eval_genlaguerre{_end}",
        lambda r, n, a, x, end=_end: _slope(n, -1.0, f"eval_genlaguerre{end}", a + 1.0, x),
        _POSITIVE,
        _POSITIVE,
    )
    _add(
        f"eval_gegenbauer{_end}",
        lambda r, n, a, x, end=_end: _slope(n, 2.0 * a, f"eval_gegenbauer{end}", a + 1.0, x),
        _POSITIVE,
        _SMALL,
    )
    _add(
        f"eval_jacobi{_end}",
        lambda r, n, a, b, x, end=_end: _slope(
            n, (n + a + b + 1.0) * 0.5, f"eval_jacobi{end}", a + 1.0, b + 1.0, x
        ),
        _POSITIVE, _POSITIVE, _SMALL,
    )  # fmt: skip
    _add(
        f"eval_sh_jacobi{_end}",
        lambda r, n, p, q, x, end=_end: _slope(
            n, n, f"eval_sh_jacobi{end}", p + 2.0, q + 1.0, x
        ),
        (3.0, 4.0), (1.0, 2.0), (0.1, 0.9),
    )  # fmt: skip
_add("eval_hermite.l", lambda r, n, x: _slope(n, 2.0 * n, "eval_hermite.l", x), _SMALL)
_add("eval_hermitenorm.l", lambda r, n, x: _slope(n, n, "eval_hermitenorm.l", x), _SMALL)

__all__ = ["POLYNOMIALS"]
