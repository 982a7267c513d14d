"""The methods of distributions of ``scipy.stats`` as plain Python that the front end compiles. The
name of a text is that of the method and that of the distribution."""

from __future__ import annotations

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array

_LOG_ROOT = float(0.5 * np.log(2.0 * np.pi))


def _standard(x: Array, loc: Array, scale: Array) -> Array:
    """Return how many scales x is above loc; NaN if the scale is not positive."""
    return (np.asarray(x) - loc) / np.where(np.asarray(scale) > 0, scale, np.nan)


def logpdf_of_norm(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return -0.5 * z * z - _LOG_ROOT - np.log(scale)


def pdf_of_norm(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return np.exp(-0.5 * z * z) / (np.sqrt(2.0 * np.pi) * scale)


def cdf_of_norm(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    return scipy.special.ndtr(_standard(x, loc, scale))


def logcdf_of_norm(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    return scipy.special.log_ndtr(_standard(x, loc, scale))


def sf_of_norm(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    return scipy.special.ndtr(-_standard(x, loc, scale))


def logsf_of_norm(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    return scipy.special.log_ndtr(-_standard(x, loc, scale))


def ppf_of_norm(q: Array, loc: Array = 0, scale: Array = 1) -> Array:
    width = np.where(np.asarray(scale) > 0, scale, np.nan)
    return loc + width * scipy.special.ndtri(q)


def isf_of_norm(q: Array, loc: Array = 0, scale: Array = 1) -> Array:
    width = np.where(np.asarray(scale) > 0, scale, np.nan)
    return loc - width * scipy.special.ndtri(q)


def logpdf_of_expon(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, -np.inf, -z) - np.log(scale)


def pdf_of_expon(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, 0.0, np.exp(-np.maximum(z, 0.0))) / scale


def cdf_of_expon(x: Array, loc: Array = 0, scale: Array = 1) -> Array:
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, 0.0, -np.expm1(-np.maximum(z, 0.0)))
