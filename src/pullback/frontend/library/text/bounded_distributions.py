"""More of ``continuous_distributions``: distributions between two numbers, on a circle, and those
that are made of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.text.continuous_distributions import LOG_2, LOG_ROOT


def allowed_of_triang(c: Any) -> Any:
    return 0.0 <= c <= 1.0


def pdf_of_triang(x: Any, c: Any) -> Any:
    if c == 0.0:
        return 2.0 - 2.0 * x
    if x < c or c == 1.0:
        return 2.0 * x / c
    return 2.0 * (1.0 - x) / (1.0 - c)


def cdf_of_triang(x: Any, c: Any) -> Any:
    if c == 0.0:
        return 2.0 * x - x * x
    if x < c or c == 1.0:
        return x * x / c
    return (x * x - 2.0 * x + c) / (c - 1.0)


def ppf_of_triang(q: Any, c: Any) -> Any:
    return np.sqrt(c * q) if q < c else 1.0 - np.sqrt((1.0 - c) * (1.0 - q))


def entropy_of_triang(c: Any) -> Any:
    return 0.5 - LOG_2


def mean_of_triang(c: Any) -> Any:
    return (c + 1.0) / 3.0


def var_of_triang(c: Any) -> Any:
    return (1.0 - c + c * c) / 18.0


def logpdf_of_powerlaw(x: Any, a: Any) -> Any:
    return np.log(a) + scipy.special.xlogy(a - 1.0, x)


def pdf_of_powerlaw(x: Any, a: Any) -> Any:
    return a * x ** (a - 1.0)


def cdf_of_powerlaw(x: Any, a: Any) -> Any:
    return x**a


def logcdf_of_powerlaw(x: Any, a: Any) -> Any:
    return a * np.log(x)


def sf_of_powerlaw(x: Any, a: Any) -> Any:
    return -np.expm1(a * np.log(x))


def ppf_of_powerlaw(q: Any, a: Any) -> Any:
    return q ** (1.0 / a)


def entropy_of_powerlaw(a: Any) -> Any:
    return 1.0 - 1.0 / a - np.log(a)


def mean_of_powerlaw(a: Any) -> Any:
    return a / (a + 1.0)


def var_of_powerlaw(a: Any) -> Any:
    return a / (a + 2.0) / (a + 1.0) ** 2


def allowed_of_loguniform(a: Any, b: Any) -> Any:
    return a > 0.0 and b > a


def support_of_loguniform(a: Any, b: Any) -> tuple[Any, Any]:
    return a, b


def logpdf_of_loguniform(x: Any, a: Any, b: Any) -> Any:
    return -np.log(x) - np.log(np.log(b) - np.log(a))


def cdf_of_loguniform(x: Any, a: Any, b: Any) -> Any:
    return (np.log(x) - np.log(a)) / (np.log(b) - np.log(a))


def ppf_of_loguniform(q: Any, a: Any, b: Any) -> Any:
    return np.exp(np.log(a) + q * (np.log(b) - np.log(a)))


def entropy_of_loguniform(a: Any, b: Any) -> Any:
    width = np.log(b) - np.log(a)
    return 0.5 * (np.log(a) + np.log(b)) + np.log(width)


def mean_of_loguniform(a: Any, b: Any) -> Any:
    return (b - a) / (np.log(b) - np.log(a))


def var_of_loguniform(a: Any, b: Any) -> Any:
    width = np.log(b) - np.log(a)
    return (b * b - a * a) / (2.0 * width) - ((b - a) / width) ** 2


def support_of_truncexpon(b: Any) -> tuple[Any, Any]:
    return 0.0, b


def logpdf_of_truncexpon(x: Any, b: Any) -> Any:
    return -x - np.log(-np.expm1(-b))


def cdf_of_truncexpon(x: Any, b: Any) -> Any:
    return np.expm1(-x) / np.expm1(-b)


def sf_of_truncexpon(x: Any, b: Any) -> Any:
    return (np.exp(-b) - np.exp(-x)) / np.expm1(-b)


def ppf_of_truncexpon(q: Any, b: Any) -> Any:
    return -np.log1p(q * np.expm1(-b))


def isf_of_truncexpon(q: Any, b: Any) -> Any:
    return -np.log(np.exp(-b) - q * np.expm1(-b))


def entropy_of_truncexpon(b: Any) -> Any:
    e = np.exp(b)
    return np.log(e - 1.0) + (1.0 + e * (b - 1.0)) / (1.0 - e)


def mean_of_truncexpon(b: Any) -> Any:
    return (1.0 - (b + 1.0) * np.exp(-b)) / -np.expm1(-b)


def var_of_truncexpon(b: Any) -> Any:
    second = 2.0 * (1.0 - 0.5 * (b * b + 2.0 * b + 2.0) * np.exp(-b)) / -np.expm1(-b)
    return second - mean_of_truncexpon(b) ** 2


def _log_mass(a: Any, b: Any) -> Any:
    """The logarithm of the probability that a normal number is between a and b."""
    if b <= 0.0:
        top = scipy.special.log_ndtr(b)
        return top + np.log1p(-np.exp(scipy.special.log_ndtr(a) - top))
    if a > 0.0:
        top = scipy.special.log_ndtr(-a)
        return top + np.log1p(-np.exp(scipy.special.log_ndtr(-b) - top))
    return np.log1p(-scipy.special.ndtr(a) - scipy.special.ndtr(-b))


def allowed_of_truncnorm(a: Any, b: Any) -> Any:
    return a < b


def support_of_truncnorm(a: Any, b: Any) -> tuple[Any, Any]:
    return a, b


def logpdf_of_truncnorm(x: Any, a: Any, b: Any) -> Any:
    return -0.5 * x * x - LOG_ROOT - _log_mass(a, b)


def logcdf_of_truncnorm(x: Any, a: Any, b: Any) -> Any:
    whole = _log_mass(a, b)
    value = _log_mass(a, x) - whole
    return np.log1p(-np.exp(_log_mass(x, b) - whole)) if value > -0.1 else value


def logsf_of_truncnorm(x: Any, a: Any, b: Any) -> Any:
    whole = _log_mass(a, b)
    value = _log_mass(x, b) - whole
    return np.log1p(-np.exp(_log_mass(a, x) - whole)) if value > -0.1 else value


def ppf_of_truncnorm(q: Any, a: Any, b: Any) -> Any:
    if a < 0.0:
        low, high = scipy.special.ndtr(a), scipy.special.ndtr(b)
        return scipy.special.ndtri(low * (1.0 - q) + high * q)
    low, high = scipy.special.ndtr(-a), scipy.special.ndtr(-b)
    return -scipy.special.ndtri(low * (1.0 - q) + high * q)


def _moments_of_truncnorm(a: Any, b: Any) -> tuple[Any, Any]:
    at_a, at_b = np.exp(logpdf_of_truncnorm(a, a, b)), np.exp(logpdf_of_truncnorm(b, a, b))
    mean = at_a - at_b
    below = at_a * (a - mean) if at_a != 0.0 else 0.0
    above = at_b * (b - mean) if at_b != 0.0 else 0.0
    return mean, 1.0 + below - above


def mean_of_truncnorm(a: Any, b: Any) -> Any:
    return _moments_of_truncnorm(a, b)[0]


def var_of_truncnorm(a: Any, b: Any) -> Any:
    return _moments_of_truncnorm(a, b)[1]


def entropy_of_truncnorm(a: Any, b: Any) -> Any:
    mass = scipy.special.ndtr(b) - scipy.special.ndtr(a)
    ends = a * np.exp(-0.5 * a * a - LOG_ROOT) - b * np.exp(-0.5 * b * b - LOG_ROOT)
    return LOG_ROOT + 0.5 + np.log(mass) + ends / (2.0 * mass)


def allowed_of_vonmises(kappa: Any) -> Any:
    return kappa >= 0.0


def logpdf_of_vonmises(x: Any, kappa: Any) -> Any:
    half = np.sin(0.5 * x)
    return -2.0 * kappa * half * half - 2.0 * LOG_ROOT - np.log(scipy.special.i0e(kappa))


def cdf_of_vonmises(x: Any, kappa: Any) -> Any:
    """G. W. Hill, "Algorithm 518: incomplete Bessel function I0" (1977), as SciPy has it: numbers
    beyond a half turn count the turns."""
    turns = np.round(x / (2.0 * math.pi))
    y = x - 2.0 * math.pi * turns
    if kappa >= 50.0:
        z = math.sqrt(2.0 / math.pi) / scipy.special.i0e(kappa) * np.sin(0.5 * y)
        return scipy.special.ndtr(z) + turns
    count = int(29.0 + 0.5 * kappa - 100.0 / (kappa + 5.0))
    s, c, sn, cn = np.sin(y), np.cos(y), np.sin(count * y), np.cos(count * y)
    r, v = 0.0 * kappa, 0.0 * kappa
    for k in range(count - 1, 0, -1):
        sn, cn = sn * c - cn * s, cn * c + sn * s
        r = kappa / (2.0 * k + kappa * r)
        v = r * (sn / k + v)
    found = 0.5 + y / (2.0 * math.pi) + v / math.pi
    return np.minimum(np.maximum(found, 0.0), 1.0) + turns


def ppf_of_vonmises(q: Any, kappa: Any) -> Any:
    still, q0 = constant(kappa), constant(q)
    low, high = -math.pi, math.pi
    for _ in range(60):
        middle = 0.5 * (low + high)
        if cdf_of_vonmises(middle, still) < q0:
            low = middle
        else:
            high = middle
    return root_of(lambda x: cdf_of_vonmises(x, kappa) - q, 0.5 * (low + high))


def entropy_of_vonmises(kappa: Any) -> Any:
    zero, one = scipy.special.i0e(kappa), scipy.special.i1e(kappa)
    return kappa * (1.0 - one / zero) + 2.0 * LOG_ROOT + np.log(zero)


def allowed_of_skewnorm(a: Any) -> Any:
    return np.isfinite(a)


def logpdf_of_skewnorm(x: Any, a: Any) -> Any:
    return LOG_2 - 0.5 * x * x - LOG_ROOT + scipy.special.log_ndtr(a * x)


def cdf_of_skewnorm(x: Any, a: Any) -> Any:
    """Owen's function is subtracted; where little would be left, the density is integrated."""
    found = np.maximum(scipy.special.ndtr(x) - 2.0 * scipy.special.owens_t(x, a), 0.0)
    return np.where((found < 1e-6) & (a > 0.0) & (x < 0.0), _left_of_skewnorm(x, a), found)


_STEPS, _WEIGHTS = np.polynomial.laguerre.laggauss(48)
_PARTS = np.exp(_STEPS + np.log(_WEIGHTS))


def _left_of_skewnorm(x: Any, a: Any) -> Any:
    """Return the integral of the density below ``x``, far on the left of ``a`` > 0, where it falls
    as an exponential function of so many ``scale`` (by Gauss and Laguerre)."""
    scale = 1.0 / ((1.0 + a * a) * np.abs(x))
    t = (x + 0.0 * scale)[..., None] - scale[..., None] * _STEPS
    slope = (a + 0.0 * scale)[..., None]
    density = np.exp(-0.5 * t * t - LOG_ROOT) * scipy.special.ndtr(slope * t)
    return 2.0 * scale * np.sum(density * _PARTS, axis=-1)


def sf_of_skewnorm(x: Any, a: Any) -> Any:
    return np.maximum(scipy.special.ndtr(-x) + 2.0 * scipy.special.owens_t(x, a), 0.0)


def mean_of_skewnorm(a: Any) -> Any:
    return math.sqrt(2.0 / math.pi) * a / np.sqrt(1.0 + a * a)


def var_of_skewnorm(a: Any) -> Any:
    return 1.0 - mean_of_skewnorm(a) ** 2


def logpdf_of_exponnorm(x: Any, K: Any) -> Any:
    rate = 1.0 / K
    return rate * (0.5 * rate - x) + scipy.special.log_ndtr(x - rate) - np.log(K)


def cdf_of_exponnorm(x: Any, K: Any) -> Any:
    rate = 1.0 / K
    log = rate * (0.5 * rate - x) + scipy.special.log_ndtr(x - rate)
    return scipy.special.ndtr(x) - np.exp(log)


def sf_of_exponnorm(x: Any, K: Any) -> Any:
    rate = 1.0 / K
    log = rate * (0.5 * rate - x) + scipy.special.log_ndtr(x - rate)
    return scipy.special.ndtr(-x) + np.exp(log)


def mean_of_exponnorm(K: Any) -> Any:
    return K


def var_of_exponnorm(K: Any) -> Any:
    return 1.0 + K * K
