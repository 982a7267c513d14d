"""More of ``continuous_distributions``: distributions of what lies between two ends, and of
logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.continuous_distributions import (
    INFINITY,
    LOG_2,
    LOG_PI,
    LOG_ROOT,
    logpdf_of_beta,
)

SUPPORTS = {
    **dict.fromkeys(("arcsine", "johnsonsb", "bradford", "trapezoid"), (0.0, 1.0)),
    **dict.fromkeys(("semicircular", "rdist"), (-1.0, 1.0)), "loglaplace": (0.0, INFINITY),
    "anglit": (-math.pi / 4.0, math.pi / 4.0), "cosine": (-math.pi, math.pi),
    "wrapcauchy": (0.0, 2.0 * math.pi),
}  # fmt: skip


def pdf_of_arcsine(x: Any) -> Any:
    return 1.0 / math.pi / np.sqrt(x * (1.0 - x))


def cdf_of_arcsine(x: Any) -> Any:
    return 2.0 / math.pi * np.arcsin(np.sqrt(x))


def ppf_of_arcsine(q: Any) -> Any:
    return np.sin(math.pi / 2.0 * q) ** 2


def entropy_of_arcsine() -> Any:
    return LOG_PI - 2.0 * LOG_2


def mean_of_arcsine() -> Any:
    return 0.5


def var_of_arcsine() -> Any:
    return 0.125


def pdf_of_semicircular(x: Any) -> Any:
    return 2.0 / math.pi * np.sqrt(1.0 - x * x)


def cdf_of_semicircular(x: Any) -> Any:
    return 0.5 + (x * np.sqrt(1.0 - x * x) + np.arcsin(x)) / math.pi


def ppf_of_semicircular(q: Any) -> Any:
    return 2.0 * scipy.special.betaincinv(1.5, 1.5, q) - 1.0


def entropy_of_semicircular() -> Any:
    return LOG_PI - 0.5


def mean_of_semicircular() -> Any:
    return 0.0


def var_of_semicircular() -> Any:
    return 0.25


def logpdf_of_rdist(x: Any, c: Any) -> Any:
    return logpdf_of_beta((x + 1.0) / 2.0, c / 2.0, c / 2.0) - LOG_2


def cdf_of_rdist(x: Any, c: Any) -> Any:
    return scipy.special.betainc(c / 2.0, c / 2.0, (x + 1.0) / 2.0)


def sf_of_rdist(x: Any, c: Any) -> Any:
    return scipy.special.betainc(c / 2.0, c / 2.0, (1.0 - x) / 2.0)


def ppf_of_rdist(q: Any, c: Any) -> Any:
    return 2.0 * scipy.special.betaincinv(c / 2.0, c / 2.0, q) - 1.0


def mean_of_rdist(c: Any) -> Any:
    return 0.0


def var_of_rdist(c: Any) -> Any:
    return 1.0 / (c + 1.0)


def pdf_of_anglit(x: Any) -> Any:
    return np.cos(2.0 * x)


def cdf_of_anglit(x: Any) -> Any:
    return np.sin(x + math.pi / 4.0) ** 2


def sf_of_anglit(x: Any) -> Any:
    return np.cos(x + math.pi / 4.0) ** 2


def ppf_of_anglit(q: Any) -> Any:
    return np.arcsin(np.sqrt(q)) - math.pi / 4.0


def entropy_of_anglit() -> Any:
    return 1.0 - LOG_2


def mean_of_anglit() -> Any:
    return 0.0


def var_of_anglit() -> Any:
    return math.pi * math.pi / 16.0 - 0.5


def pdf_of_cosine(x: Any) -> Any:
    return (1.0 + np.cos(x)) / (2.0 * math.pi)


def cdf_of_cosine(x: Any) -> Any:
    return (math.pi + x + np.sin(x)) / (2.0 * math.pi)


def sf_of_cosine(x: Any) -> Any:
    return (math.pi - x - np.sin(x)) / (2.0 * math.pi)


def entropy_of_cosine() -> Any:
    return LOG_PI + 2.0 * LOG_2 - 1.0


def mean_of_cosine() -> Any:
    return 0.0


def var_of_cosine() -> Any:
    return math.pi * math.pi / 3.0 - 2.0


def allowed_of_johnsonsb(a: Any, b: Any) -> Any:
    return b > 0.0 and a == a


def pdf_of_johnsonsb(x: Any, a: Any, b: Any) -> Any:
    at = a + b * scipy.special.logit(x)
    return np.exp(np.log(b) - np.log(x) - np.log1p(-x) - 0.5 * at * at - LOG_ROOT)


def cdf_of_johnsonsb(x: Any, a: Any, b: Any) -> Any:
    return scipy.special.ndtr(a + b * scipy.special.logit(x))


def sf_of_johnsonsb(x: Any, a: Any, b: Any) -> Any:
    return scipy.special.ndtr(-a - b * scipy.special.logit(x))


def ppf_of_johnsonsb(q: Any, a: Any, b: Any) -> Any:
    return scipy.special.expit((scipy.special.ndtri(q) - a) / b)


def isf_of_johnsonsb(q: Any, a: Any, b: Any) -> Any:
    return scipy.special.expit((-scipy.special.ndtri(q) - a) / b)


def pdf_of_bradford(x: Any, c: Any) -> Any:
    return c / (c * x + 1.0) / np.log1p(c)


def cdf_of_bradford(x: Any, c: Any) -> Any:
    return np.log1p(c * x) / np.log1p(c)


def ppf_of_bradford(q: Any, c: Any) -> Any:
    return np.expm1(q * np.log1p(c)) / c


def entropy_of_bradford(c: Any) -> Any:
    k = np.log1p(c)
    return k / 2.0 - np.log(c / k)


def mean_of_bradford(c: Any) -> Any:
    k = np.log1p(c)
    return (c - k) / (c * k)


def var_of_bradford(c: Any) -> Any:
    k = np.log1p(c)
    return ((c + 2.0) * k - 2.0 * c) / (2.0 * c * k * k)


def allowed_of_trapezoid(c: Any, d: Any) -> Any:
    return 0.0 <= c <= d <= 1.0


def pdf_of_trapezoid(x: Any, c: Any, d: Any) -> Any:
    height = 2.0 / (d - c + 1.0)
    if x < c:
        return height * x / c
    return height if x <= d else height * (1.0 - x) / (1.0 - d)


def cdf_of_trapezoid(x: Any, c: Any, d: Any) -> Any:
    if x < c:
        return x * x / c / (d - c + 1.0)
    if x <= d:
        return (c + 2.0 * (x - c)) / (d - c + 1.0)
    return 1.0 - (1.0 - x) ** 2 / (d - c + 1.0) / (1.0 - d)


def ppf_of_trapezoid(q: Any, c: Any, d: Any) -> Any:
    whole = 1.0 + d - c
    if q < c / whole:
        return np.sqrt(q * c * whole)
    if q <= (2.0 * d - c) / whole:
        return 0.5 * q * whole + 0.5 * c
    return 1.0 - np.sqrt((1.0 - q) * whole * (1.0 - d))


def entropy_of_trapezoid(c: Any, d: Any) -> Any:
    whole = 1.0 + d - c
    return 0.5 * (1.0 - d + c) / whole + np.log(0.5 * whole)


def allowed_of_wrapcauchy(c: Any) -> Any:
    return 0.0 < c < 1.0


def pdf_of_wrapcauchy(x: Any, c: Any) -> Any:
    return (1.0 - c * c) / (2.0 * math.pi * (1.0 + c * c - 2.0 * c * np.cos(x)))


def cdf_of_wrapcauchy(x: Any, c: Any) -> Any:
    wide = (1.0 + c) / (1.0 - c)
    if x < math.pi:
        return np.arctan(wide * np.tan(x / 2.0)) / math.pi
    return 1.0 - np.arctan(wide * np.tan((2.0 * math.pi - x) / 2.0)) / math.pi


def ppf_of_wrapcauchy(q: Any, c: Any) -> Any:
    narrow = (1.0 - c) / (1.0 + c)
    if q < 0.5:
        return 2.0 * np.arctan(narrow * np.tan(math.pi * q))
    return 2.0 * math.pi - 2.0 * np.arctan(narrow * np.tan(math.pi * (1.0 - q)))


def entropy_of_wrapcauchy(c: Any) -> Any:
    return np.log(2.0 * math.pi * (1.0 - c * c))


def pdf_of_loglaplace(x: Any, c: Any) -> Any:
    return c / 2.0 * x ** (c - 1.0 if x < 1.0 else -c - 1.0)


def cdf_of_loglaplace(x: Any, c: Any) -> Any:
    return 0.5 * x**c if x < 1.0 else 1.0 - 0.5 * x ** (-c)


def sf_of_loglaplace(x: Any, c: Any) -> Any:
    return 1.0 - 0.5 * x**c if x < 1.0 else 0.5 * x ** (-c)


def ppf_of_loglaplace(q: Any, c: Any) -> Any:
    return (2.0 * q) ** (1.0 / c) if q < 0.5 else (2.0 * (1.0 - q)) ** (-1.0 / c)


def isf_of_loglaplace(q: Any, c: Any) -> Any:
    return (2.0 * q) ** (-1.0 / c) if q < 0.5 else (2.0 * (1.0 - q)) ** (1.0 / c)


def entropy_of_loglaplace(c: Any) -> Any:
    return np.log(2.0 / c) + 1.0
