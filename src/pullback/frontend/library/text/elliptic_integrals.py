"""Elliptic integrals and functions of ``scipy.special`` as plain Python of numbers, by Carlson's
duplications ("Numerical computation of real or complex elliptic integrals", 1995), whose rounds are
smooth in all arguments. The values are SciPy's; the texts have the derivatives.

A ufunc is compiled by the text that has its name (``numpy/special_functions.py:finder``)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.solutions import root_of
from pullback.frontend.library.text.more_special import ellipe, ellipk, start

ROUNDS = 9


def _first_kind(a: Any, b: Any, c: Any) -> Any:
    """R_F of the squares of these numbers, which are not negative"""
    x, y, z = a * a, b * b, c * c
    for _ in range(ROUNDS):
        more = a * b + a * c + b * c
        x, y, z = 0.25 * (x + more), 0.25 * (y + more), 0.25 * (z + more)
        a, b, c = np.sqrt(x), np.sqrt(y), np.sqrt(z)
    mean = (x + y + z) / 3.0
    u, v = 1.0 - x / mean, 1.0 - y / mean
    w = -u - v
    e2, e3 = u * v - w * w, u * v * w
    return (1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0) / np.sqrt(mean)


def _second_kind(a: Any, b: Any, c: Any) -> Any:
    """R_D of the squares of these numbers, of which the last is positive"""
    x, y, z = a * a, b * b, c * c
    total, power = 0.0, 1.0
    for _ in range(ROUNDS):
        more = a * b + a * c + b * c
        total, power = total + power / (c * (z + more)), 0.25 * power
        x, y, z = 0.25 * (x + more), 0.25 * (y + more), 0.25 * (z + more)
        a, b, c = np.sqrt(x), np.sqrt(y), np.sqrt(z)
    mean = (x + y + 3.0 * z) / 5.0
    u, v = 1.0 - x / mean, 1.0 - y / mean
    w = -(u + v) / 3.0
    e2, e3 = u * v - 6.0 * w * w, (3.0 * u * v - 8.0 * w * w) * w
    e4, e5 = 3.0 * (u * v - w * w) * w * w, u * v * w * w * w
    series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 - (
        9.0 * e2 * e3 / 52.0) + 3.0 * e5 / 26.0  # fmt: skip
    return 3.0 * total + power * series / (mean * np.sqrt(mean))


def elliprf(x: Any, y: Any, z: Any) -> Any:
    return _first_kind(np.sqrt(x), np.sqrt(y), np.sqrt(z))


def elliprd(x: Any, y: Any, z: Any) -> Any:
    return _second_kind(np.sqrt(x), np.sqrt(y), np.sqrt(z))


def elliprc(x: Any, y: Any) -> Any:
    if y < 0.0:  # Cauchy's principal value
        root = np.sqrt(-y)
        return np.sqrt(x / (x - y)) * _first_kind(np.sqrt(x - y), root, root)
    root = np.sqrt(y)
    return _first_kind(np.sqrt(x), root, root)


def elliprg(x: Any, y: Any, z: Any) -> Any:
    """(z R_F - (x - z) (y - z) R_D / 3 + sqrt(x y / z)) / 2, with the largest number as z"""
    if x > z and x >= y:
        x, z = z, x
    elif y > z:
        y, z = z, y
    a, b, c = np.sqrt(x), np.sqrt(y), np.sqrt(z)
    rest = (x - z) * (y - z) * _second_kind(a, b, c) / 3.0
    return 0.5 * (z * _first_kind(a, b, c) - rest + a * b / c)


def elliprj(x: Any, y: Any, z: Any, p: Any) -> Any:
    if not p > 0.0:
        return np.nan
    a, b, c, d = np.sqrt(x), np.sqrt(y), np.sqrt(z), np.sqrt(p)
    delta, total, power = (p - x) * (p - y) * (p - z), 0.0, 1.0
    for _ in range(ROUNDS):
        more = a * b + a * c + b * c
        step = (d + a) * (d + b) * (d + c)
        root = np.sqrt(1.0 + power * power * power * delta / (step * step))
        total, power = total + power / step * _first_kind(1.0, root, root), 0.25 * power
        x, y, z, p = 0.25 * (x + more), 0.25 * (y + more), 0.25 * (z + more), 0.25 * (p + more)
        a, b, c, d = np.sqrt(x), np.sqrt(y), np.sqrt(z), np.sqrt(p)
    mean = (x + y + z + 2.0 * p) / 5.0
    u, v, w = 1.0 - x / mean, 1.0 - y / mean, 1.0 - z / mean
    q = -0.5 * (u + v + w)
    e2 = u * v + u * w + v * w - 3.0 * q * q
    e3 = u * v * w + 2.0 * e2 * q + 4.0 * q * q * q
    e4 = (2.0 * u * v * w + e2 * q + 3.0 * q * q * q) * q
    e5 = u * v * w * q * q
    series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 - (
        9.0 * e2 * e3 / 52.0) + 3.0 * e5 / 26.0  # fmt: skip
    return 6.0 * total + power * series / (mean * np.sqrt(mean))


def ellipkm1(p: Any) -> Any:
    return _first_kind(0.0, np.sqrt(p), 1.0)


def _turned(phi: Any) -> tuple[Any, Any]:
    """How many half turns there are in an angle, and the rest"""
    turns = np.rint(stop_gradient(phi) / math.pi)
    return turns, phi - turns * math.pi


def ellipkinc(phi: Any, m: Any) -> Any:
    turns, rest = _turned(phi)
    s = np.sin(rest)
    part = s * _first_kind(np.cos(rest), np.sqrt(1.0 - m * s * s), 1.0)
    return part if turns == 0.0 else part + 2.0 * turns * ellipk(m)


def ellipeinc(phi: Any, m: Any) -> Any:
    turns, rest = _turned(phi)
    s, c = np.sin(rest), np.cos(rest)
    root = np.sqrt(1.0 - m * s * s)
    part = s * (_first_kind(c, root, 1.0) - m * s * s * _second_kind(c, root, 1.0) / 3.0)
    return part if turns == 0.0 else part + 2.0 * turns * ellipe(m)


def ellipj(u: Any, m: Any) -> tuple[Any, Any, Any, Any]:
    """sn, cn, dn and the amplitude, whose integral of the first kind is u"""
    phi = root_of(lambda phi: ellipkinc(phi, m) - u, start("ellipj.3", u, m))
    s, c = np.sin(phi), np.cos(phi)
    return s, c, np.sqrt(c * c + (1.0 - m) * s * s), phi
