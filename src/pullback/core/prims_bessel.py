"""Rows for functions of SciPy's that solve differential equations of the second order, and for
integrals of them: Bessel's, Airy's, Kelvin's, Mathieu's, parabolic cylinder and spheroidal wave
functions. A derivative is the function of another order, or the second of the two results of a
function, whose own derivative the equation gives. Those by an order or a parameter have none."""

from __future__ import annotations

import math
from collections.abc import Callable

from pullback.core.formulas import Formula
from pullback.core.rows import NOT_DIFFERENTIABLE, Table
from pullback.core.scipy_rows import Cell, Interval, formulas_of, scipy_row

BESSEL = Table()

_POSITIVE, _BOTH, _ORDER = (0.5, 4.0), (-3.0, 3.0), (0.5, 3.0)
_TURN = math.pi / 180.0


def _add(name: str, slope: Cell, *domain: Interval) -> None:
    """Add the row of a function of which only the last argument has a derivative."""
    cells = formulas_of(*(NOT_DIFFERENTIABLE,) * (len(domain) - 1), slope)
    BESSEL.add(scipy_row(name, cells, *domain))


def _pair(
    name: str, second: Callable[..., Formula], *domain: Interval, places: tuple[int, int] = (0, 1)
) -> None:
    """Add the rows of a function and its derivative, of which the second derivative is given, as a
    formula of the function, its derivative and the arguments."""
    first, slope = (f"{name}.{k}" for k in places)
    _add(first, lambda r, *args: args[0].of(slope, *args[1:]), *domain)
    _add(
        slope,
        lambda r, *args: second(args[0].of(first, *args[1:]), r, *args),
        *domain,
    )


# --- Bessel's -------------------------------------------------------------------------------------

for _name in ("jve", "yve", "yn"):
    _add(
        _name,
        lambda r, v, x, name=_name: 0.5 * ((v - 1.0).of(name, x) - (v + 1.0).of(name, x)),
        (2.0, 2.0) if _name == "yn" else _ORDER,
        _POSITIVE,
    )
_add(
    "kn", lambda r, n, x: -0.5 * ((n - 1.0).of("kn", x) + (n + 1.0).of("kn", x)), (2.0, 2.0),
    _POSITIVE,
)  # fmt: skip


def _spherical(name: str, sign: float, whole: float) -> Cell:
    """(n f(n - 1) -+ (n + 1) f(n + 1)) / (2 n + 1), which has no pole at 0"""

    def slope(r: Formula, n: Formula, x: Formula) -> Formula:
        least = n.where("eq", 0.0, 1.0, n) - 1.0
        before = n.where("eq", 0.0, 0.0, n * least.of(name, x))
        return (before + sign * (n + 1.0) * (n + 1.0).of(name, x)) * whole / (2.0 * n + 1.0)

    return slope


for _name, _sign, _whole in (
    ("spherical_jn", -1.0, 1.0), ("spherical_yn", -1.0, 1.0),
    ("spherical_in", 1.0, 1.0), ("spherical_kn", 1.0, -1.0),
):  # fmt: skip
    for _end in ("", ".1"):
        _add(
            f"{_name}{_end}", _spherical(f"{_name}{_end}", _sign, _whole), (2.0, 2.0), _POSITIVE
        )

# --- Airy's and Kelvin's --------------------------------------------------------------------------


def _scaled(sign: float, bounded: bool, more: Cell) -> Cell:
    """What a function of Airy's has more where it is scaled by exp(2 x sqrt(x) / 3), or by the
    inverse of that, which is 1 below 0"""

    def slope(r: Formula, x: Formula) -> Formula:
        assert callable(more)
        root = x.of("sqrt") if not bounded else x.where("lt", 0.0, 0.0, x).of("sqrt")
        return more(r, x) + sign * (root * r)

    return slope


_pair("airy", lambda f, g, x: x * f, _BOTH)
_pair("airy", lambda f, g, x: x * f, _BOTH, places=(2, 3))
for _k, _bounded, _sign in ((0, False, 1.0), (2, True, -1.0)):
    _add(
        f"airye.{_k}",
        _scaled(_sign, _bounded, lambda r, x, k=_k: x.of(f"airye.{k + 1}")),
        _POSITIVE,
    )
    _add(
        f"airye.{_k + 1}",
        _scaled(_sign, _bounded, lambda r, x, k=_k: x * x.of(f"airye.{k}")),
        _POSITIVE,
    )
for _real, _imag, _limit in (("ber", "bei", 0.5), ("ker", "kei", math.nan)):
    _add(_real, lambda r, x, name=f"{_real}p": x.of(name), _POSITIVE)
    _add(_imag, lambda r, x, name=f"{_imag}p": x.of(name), _POSITIVE)
    _add(f"{_real}p", lambda r, x, name=_imag: -r.over(x, 0.0) - x.of(name), _POSITIVE)
    _add(f"{_imag}p", lambda r, x, name=_real, c=_limit: x.of(name) - r.over(x, c), _POSITIVE)

# --- integrals ------------------------------------------------------------------------------------

for _name, _slope in {
    "itj0y0.0": lambda r, x: x.of("j0"),
    "itj0y0.1": lambda r, x: x.of("y0"),
    "iti0k0.0": lambda r, x: x.of("i0"),
    "iti0k0.1": lambda r, x: x.of("k0"),
    "it2j0y0.0": lambda r, x: (1.0 - x.of("j0")).over(x, 0.0),
    "it2j0y0.1": lambda r, x: -(x.of("y0") / x),
    "it2i0k0.0": lambda r, x: (x.of("i0") - 1.0).over(x, 0.0),
    "it2i0k0.1": lambda r, x: -(x.of("k0") / x),
    "itairy.0": lambda r, x: x.of("airy.0"),
    "itairy.1": lambda r, x: x.of("airy.2"),
    "itairy.2": lambda r, x: (-x).of("airy.0"),
    "itairy.3": lambda r, x: (-x).of("airy.2"),
    "itstruve0": lambda r, x: x.like(0.0).of("struve", x),
    "it2struve0": lambda r, x: -(x.like(0.0).of("struve", x).over(x, 2.0 / math.pi)),
    "itmodstruve0": lambda r, x: x.like(0.0).of("modstruve", x),
}.items():
    _add(_name, _slope, (0.5, 1.5) if _name.startswith("itairy") else _POSITIVE)
BESSEL.add(scipy_row("besselpoly", formulas_of(
    lambda r, a, lmb, nu: (nu.of("jv", 2.0 * a) - (lmb + 1.0) * r) / a,
    NOT_DIFFERENTIABLE, NOT_DIFFERENTIABLE,
), (0.5, 2.0), (1.0, 2.0), (1.0, 2.0)))  # fmt: skip

# --- of equations with parameters -----------------------------------------------------------------

for _name in ("pbdv", "pbvv"):
    _pair(_name, lambda f, g, v, x: (x * x * 0.25 - v - 0.5) * f, _ORDER, _POSITIVE)
_pair("pbwa", lambda f, g, a, x: (a - x * x * 0.25) * f, (0.5, 3.0), (0.5, 3.0))


def _mathieu(name: str, characteristic: str) -> None:
    """Add the rows of a Mathieu function of an angle in degrees, and of its derivative by the angle
    in radians."""
    first, slope = f"{name}.0", f"{name}.1"
    domain = ((2.0, 2.0), (0.5, 3.0), (10.0, 80.0))
    _add(first, lambda r, m, q, x: _TURN * m.of(slope, q, x), *domain)

    def second(r: Formula, m: Formula, q: Formula, x: Formula) -> Formula:
        rest = 2.0 * q * (2.0 * _TURN * x).of("cos") - m.of(characteristic, q)
        return _TURN * (rest * m.of(first, q, x))

    _add(slope, second, *domain)


for _name, _value in (("mathieu_cem", "mathieu_a"), ("mathieu_sem", "mathieu_b")):
    _mathieu(_name, _value)
    for _kind in ("1", "2"):
        _pair(
            f"mathieu_mod{_name[-3:]}{_kind}",
            lambda f, g, m, q, x, name=_value: (
                m.of(name, q) - 2.0 * q * (2.0 * x).of("cosh")
            ) * f,
            (2.0, 2.0), (0.5, 3.0), (0.2, 1.0),
        )  # fmt: skip


for _name, _oblate, _radial in (
    ("pro_ang1", False, False), ("pro_rad1", False, True),
    ("obl_ang1", True, False), ("obl_rad1", True, True),
):  # fmt: skip

    def _second(f: Formula, g: Formula, m: Formula, n: Formula, c: Formula, x: Formula,
                oblate: bool = _oblate, radial: bool = _radial) -> Formula:  # fmt: skip
        """From ((1 - x^2) f')' + (lambda - c^2 x^2 - m^2 / (1 - x^2)) f = 0; c^2 is -c^2 where it
        is oblate, and there x^2 is -x^2 in a radial one"""
        value, wave = m.of("obl_cv" if oblate else "pro_cv", n, c), c * c * (x * x)
        if oblate and radial:
            return (-2.0 * (x * g) + (value - wave - m * m / (1.0 + x * x)) * f) / (1.0 + x * x)
        rest = value + wave if oblate else value - wave
        return (2.0 * (x * g) - (rest - m * m / (1.0 - x * x)) * f) / (1.0 - x * x)

    _pair(
        _name, _second, (1.0, 1.0), (2.0, 2.0), (0.5, 2.0),
        (1.2, 2.0) if _radial and not _oblate else (0.2, 0.8),
    )  # fmt: skip

__all__ = ["BESSEL"]
