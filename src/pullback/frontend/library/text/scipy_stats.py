"""The methods of distributions of ``scipy.stats`` as plain Python that the front end compiles. The
name of a text is that of the distribution and that of its method."""

from __future__ import annotations

import numpy as np
import scipy.special

from pullback.frontend.library.text.domains import Array

_LOG_ROOT = float(0.5 * np.log(2.0 * np.pi))


def _standard(x: Array, loc: Array, scale: Array) -> Array:
    """Return how many scales x is above loc; NaN if the scale is not positive."""
    return (np.asarray(x) - loc) / np.where(np.asarray(scale) > 0, scale, np.nan)


def norm_logpdf(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return -0.5 * z * z - _LOG_ROOT - np.log(scale)


def norm_pdf(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return np.exp(-0.5 * z * z) / (np.sqrt(2.0 * np.pi) * scale)


def norm_cdf(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    return scipy.special.ndtr(_standard(x, loc, scale))


def norm_logcdf(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    return scipy.special.log_ndtr(_standard(x, loc, scale))


def norm_sf(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    return scipy.special.ndtr(-_standard(x, loc, scale))


def norm_logsf(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    return scipy.special.log_ndtr(-_standard(x, loc, scale))


def norm_ppf(q: Array, loc: Array = 0, scale: Array = 1) -> Array:
    width = np.where(np.asarray(scale) > 0, scale, np.nan)
    return loc + width * scipy.special.ndtri(q)


def norm_isf(q: Array, loc: Array = 0, scale: Array = 1) -> Array:
    width = np.where(np.asarray(scale) > 0, scale, np.nan)
    return loc - width * scipy.special.ndtri(q)


def expon_logpdf(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, -np.inf, -z) - np.log(scale)


def expon_pdf(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, 0.0, np.exp(-np.maximum(z, 0.0))) / scale


def expon_cdf(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, 0.0, -np.expm1(-np.maximum(z, 0.0)))
