"""More of ``continuous_distributions``: distributions of positive sizes and distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.continuous_distributions import (
    EULER,
    INFINITY,
    LOG_2,
    LOG_ROOT,
    ROOT_2,
    _log_half_step,
    logcdf_of_lognorm,
    logpdf_of_lognorm,
    logsf_of_lognorm,
    mean_of_lognorm,
    ppf_of_lognorm,
    var_of_lognorm,
)
from pullback.frontend.library.text.positive_distributions import (
    logcdf_of_invgauss,
    logpdf_of_invgauss,
    logsf_of_invgauss,
)

SUPPORTS = dict.fromkeys(
    ("halflogistic", "halfgennorm", "foldnorm", "levy", "nakagami", "rice", "ncx2",
     "fatiguelife", "wald", "gibrat"), (0.0, INFINITY),
)  # fmt: skip


def logpdf_of_halflogistic(x: Any) -> Any:
    return LOG_2 - x - 2.0 * np.log1p(np.exp(-x))


def cdf_of_halflogistic(x: Any) -> Any:
    return np.tanh(x / 2.0)


def sf_of_halflogistic(x: Any) -> Any:
    return 2.0 * scipy.special.expit(-x)


def ppf_of_halflogistic(q: Any) -> Any:
    return 2.0 * np.arctanh(q)


def isf_of_halflogistic(q: Any) -> Any:
    return -scipy.special.logit(0.5 * q) if q < 0.5 else 2.0 * np.arctanh(1.0 - q)


def entropy_of_halflogistic() -> Any:
    return 2.0 - LOG_2


def mean_of_halflogistic() -> Any:
    return 2.0 * LOG_2


def var_of_halflogistic() -> Any:
    return math.pi * math.pi / 3.0 - 4.0 * LOG_2 * LOG_2


def logpdf_of_halfgennorm(x: Any, beta: Any) -> Any:
    return np.log(beta) - scipy.special.gammaln(1.0 / beta) - x**beta


def cdf_of_halfgennorm(x: Any, beta: Any) -> Any:
    return scipy.special.gammainc(1.0 / beta, x**beta)


def sf_of_halfgennorm(x: Any, beta: Any) -> Any:
    return scipy.special.gammaincc(1.0 / beta, x**beta)


def ppf_of_halfgennorm(q: Any, beta: Any) -> Any:
    return scipy.special.gammaincinv(1.0 / beta, q) ** (1.0 / beta)


def isf_of_halfgennorm(q: Any, beta: Any) -> Any:
    return scipy.special.gammainccinv(1.0 / beta, q) ** (1.0 / beta)


def entropy_of_halfgennorm(beta: Any) -> Any:
    return 1.0 / beta - np.log(beta) + scipy.special.gammaln(1.0 / beta)


def allowed_of_foldnorm(c: Any) -> Any:
    return c >= 0.0


def pdf_of_foldnorm(x: Any, c: Any) -> Any:
    return np.exp(np.logaddexp(-0.5 * (x - c) ** 2, -0.5 * (x + c) ** 2) - LOG_ROOT)


def cdf_of_foldnorm(x: Any, c: Any) -> Any:
    return 0.5 * (scipy.special.erf((x - c) / ROOT_2) + scipy.special.erf((x + c) / ROOT_2))


def sf_of_foldnorm(x: Any, c: Any) -> Any:
    return scipy.special.ndtr(c - x) + scipy.special.ndtr(-x - c)


def mean_of_foldnorm(c: Any) -> Any:
    return 2.0 * np.exp(-0.5 * c * c - LOG_ROOT) + c * scipy.special.erf(c / ROOT_2)


def var_of_foldnorm(c: Any) -> Any:
    return c * c + 1.0 - mean_of_foldnorm(c) ** 2


def pdf_of_levy(x: Any) -> Any:
    return np.exp(-LOG_ROOT - 1.5 * np.log(x) - 0.5 / x)


def cdf_of_levy(x: Any) -> Any:
    return scipy.special.erfc(np.sqrt(0.5 / x))


def sf_of_levy(x: Any) -> Any:
    return scipy.special.erf(np.sqrt(0.5 / x))


def ppf_of_levy(q: Any) -> Any:
    return 1.0 / scipy.special.ndtri(0.5 * q) ** 2


def isf_of_levy(q: Any) -> Any:
    return 0.5 / scipy.special.erfinv(q) ** 2


def entropy_of_levy() -> Any:
    return (1.0 + 3.0 * EULER + math.log(16.0 * math.pi)) / 2.0


def mean_of_levy() -> Any:
    return np.inf


def var_of_levy() -> Any:
    return np.inf


def logpdf_of_nakagami(x: Any, nu: Any) -> Any:
    ends = LOG_2 + nu * np.log(nu) - scipy.special.gammaln(nu)
    return ends + scipy.special.xlogy(2.0 * nu - 1.0, x) - nu * x * x


def cdf_of_nakagami(x: Any, nu: Any) -> Any:
    return scipy.special.gammainc(nu, nu * x * x)


def sf_of_nakagami(x: Any, nu: Any) -> Any:
    return scipy.special.gammaincc(nu, nu * x * x)


def ppf_of_nakagami(q: Any, nu: Any) -> Any:
    return np.sqrt(scipy.special.gammaincinv(nu, q) / nu)


def isf_of_nakagami(q: Any, nu: Any) -> Any:
    return np.sqrt(scipy.special.gammainccinv(nu, q) / nu)


def mean_of_nakagami(nu: Any) -> Any:
    return np.exp(_log_half_step(nu)) / np.sqrt(nu)


def var_of_nakagami(nu: Any) -> Any:
    return 1.0 - mean_of_nakagami(nu) ** 2


def allowed_of_rice(b: Any) -> Any:
    return b >= 0.0


def pdf_of_rice(x: Any, b: Any) -> Any:
    return np.exp(np.log(x) - 0.5 * (x - b) ** 2 + np.log(scipy.special.i0e(x * b)))


def cdf_of_rice(x: Any, b: Any) -> Any:
    return scipy.special.chndtr(x * x, 2.0, b * b)


def ppf_of_rice(q: Any, b: Any) -> Any:
    return np.sqrt(scipy.special.chndtrix(q, 2.0, b * b))


def mean_of_rice(b: Any) -> Any:
    t = 0.5 * b * b
    sides = (1.0 + t) * scipy.special.i0e(0.5 * t) + t * scipy.special.i1e(0.5 * t)
    return math.sqrt(math.pi / 2.0) * sides


def var_of_rice(b: Any) -> Any:
    return 2.0 + b * b - mean_of_rice(b) ** 2


def allowed_of_ncx2(df: Any, nc: Any) -> Any:
    return df > 0.0 and nc >= 0.0


def logpdf_of_ncx2(x: Any, df: Any, nc: Any) -> Any:
    half = df / 2.0 - 1.0
    if nc == 0.0:
        ends = scipy.special.xlogy(half, x) - scipy.special.gammaln(df / 2.0)
        return ends - x / 2.0 - LOG_2 * df / 2.0
    u, v = np.sqrt(x), np.sqrt(nc)
    power = scipy.special.xlogy(half / 2.0, x / nc) - 0.5 * (u - v) ** 2
    return power + np.log(scipy.special.ive(half, u * v) / 2.0)


def cdf_of_ncx2(x: Any, df: Any, nc: Any) -> Any:
    return scipy.special.chndtr(x, df, nc)


def ppf_of_ncx2(q: Any, df: Any, nc: Any) -> Any:
    return scipy.special.chndtrix(q, df, nc)


def mean_of_ncx2(df: Any, nc: Any) -> Any:
    return df + nc


def var_of_ncx2(df: Any, nc: Any) -> Any:
    return 2.0 * (df + 2.0 * nc)


def logpdf_of_fatiguelife(x: Any, c: Any) -> Any:
    power = (x - 1.0) ** 2 / (2.0 * x * c * c)
    return np.log1p(x) - power - np.log(2.0 * c) - LOG_ROOT - 1.5 * np.log(x)


def cdf_of_fatiguelife(x: Any, c: Any) -> Any:
    root = np.sqrt(x)
    return scipy.special.ndtr((root - 1.0 / root) / c)


def sf_of_fatiguelife(x: Any, c: Any) -> Any:
    root = np.sqrt(x)
    return scipy.special.ndtr((1.0 / root - root) / c)


def ppf_of_fatiguelife(q: Any, c: Any) -> Any:
    at = c * scipy.special.ndtri(q)
    return 0.25 * (at + np.sqrt(at * at + 4.0)) ** 2


def isf_of_fatiguelife(q: Any, c: Any) -> Any:
    at = -c * scipy.special.ndtri(q)
    return 0.25 * (at + np.sqrt(at * at + 4.0)) ** 2


def mean_of_fatiguelife(c: Any) -> Any:
    return c * c / 2.0 + 1.0


def var_of_fatiguelife(c: Any) -> Any:
    square = c * c
    return square * (5.0 * square + 4.0) / 4.0


def logpdf_of_wald(x: Any) -> Any:
    return logpdf_of_invgauss(x, 1.0)


def logcdf_of_wald(x: Any) -> Any:
    return logcdf_of_invgauss(x, 1.0)


def logsf_of_wald(x: Any) -> Any:
    return logsf_of_invgauss(x, 1.0)


def mean_of_wald() -> Any:
    return 1.0


def var_of_wald() -> Any:
    return 1.0


def logpdf_of_gibrat(x: Any) -> Any:
    return logpdf_of_lognorm(x, 1.0)


def cdf_of_gibrat(x: Any) -> Any:
    return np.exp(logcdf_of_lognorm(x, 1.0))


def sf_of_gibrat(x: Any) -> Any:
    return np.exp(logsf_of_lognorm(x, 1.0))


def ppf_of_gibrat(q: Any) -> Any:
    return ppf_of_lognorm(q, 1.0)


def isf_of_gibrat(q: Any) -> Any:
    return np.exp(-scipy.special.ndtri(q))


def entropy_of_gibrat() -> Any:
    return LOG_ROOT + 0.5


def mean_of_gibrat() -> Any:
    return mean_of_lognorm(1.0)


def var_of_gibrat() -> Any:
    return var_of_lognorm(1.0)
