"""Windows of ``scipy.signal.windows``, as plain Python that the front end compiles: of any length,
``sym=False`` for those of spectra, which end one item later."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text_helpers import unsupported


def _cosines(M: int, sym: bool, *parts: float) -> Vector:
    n = M if sym else M + 1
    if n <= 1:
        return np.ones(M)
    angle = np.linspace(-np.pi, np.pi, n)
    made = np.zeros(n)
    for k, a in enumerate(parts):
        made = made + a * np.cos(k * angle)
    return made[:M]


def boxcar(M: int, sym: bool = True) -> Vector:
    return np.ones(M)


def hann(M: int, sym: bool = True) -> Vector:
    return _cosines(M, sym, 0.5, 0.5)


def hamming(M: int, sym: bool = True) -> Vector:
    return _cosines(M, sym, 0.54, 0.46)


def blackman(M: int, sym: bool = True) -> Vector:
    return _cosines(M, sym, 0.42, 0.50, 0.08)


def nuttall(M: int, sym: bool = True) -> Vector:
    return _cosines(M, sym, 0.3635819, 0.4891775, 0.1365995, 0.0106411)


def blackmanharris(M: int, sym: bool = True) -> Vector:
    return _cosines(M, sym, 0.35875, 0.48829, 0.14128, 0.01168)


def flattop(M: int, sym: bool = True) -> Vector:
    return _cosines(M, sym, 0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)


def gaussian(M: int, std: float, sym: bool = True) -> Vector:
    n = M if sym else M + 1
    at = np.arange(0, n) - (n - 1.0) / 2.0
    return np.exp(-(at**2) / (2 * std * std))[:M]


def cosine(M: int, sym: bool = True) -> Vector:
    n = M if sym else M + 1
    return np.sin(np.pi / n * (np.arange(0, n) + 0.5))[:M]


def bartlett(M: int, sym: bool = True) -> Vector:
    n = M if sym else M + 1
    if n <= 1:
        return np.ones(M)
    at = np.arange(0, n)
    return np.where(at <= (n - 1) / 2.0, 2.0 * at / (n - 1), 2.0 - 2.0 * at / (n - 1))[:M]


def exponential(M: int, center: Any = None, tau: float = 1.0, sym: bool = True) -> Vector:
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    n = M if sym else M + 1
    middle = (n - 1) / 2 if center is None else center
    return np.exp(-np.abs(np.arange(0, n) - middle) / tau)[:M]


def kaiser(M: int, beta: float, sym: bool = True) -> Vector:
    n = M if sym else M + 1
    if n <= 1:
        return np.ones(M)
    middle = (n - 1) / 2.0
    inside = 1 - ((np.arange(0, n) - middle) / middle) ** 2.0
    return (np.i0(beta * np.sqrt(np.maximum(inside, 0.0))) / np.i0(np.asarray(beta)))[:M]


def tukey(M: int, alpha: float = 0.5, sym: bool = True) -> Vector:
    n = M if sym else M + 1
    if n <= 1:
        return np.ones(M)
    if alpha <= 0:
        return np.ones(M)
    if alpha >= 1.0:
        return hann(M, sym)
    at, width = np.arange(0, n), int(np.floor(alpha * (n - 1) / 2.0))
    rise = 0.5 * (1 + np.cos(np.pi * (-1 + 2.0 * at / alpha / (n - 1))))
    fall = 0.5 * (1 + np.cos(np.pi * (-2.0 / alpha + 1 + 2.0 * at / alpha / (n - 1))))
    return np.where(at <= width, rise, np.where(at < n - width - 1, 1.0, fall))[:M]


_NAMED: Any = {
    "boxcar": boxcar, "hann": hann, "hamming": hamming, "blackman": blackman, "nuttall": nuttall,
    "blackmanharris": blackmanharris, "flattop": flattop, "cosine": cosine, "bartlett": bartlett,
}  # fmt: skip


def _of_spectra(window: Any, n: int) -> Vector:
    """Return the window that is meant: by its name, with a parameter, or an array."""
    if isinstance(window, str):
        if window not in _NAMED:
            unsupported(f"the window {window!r}", "an array of get_window, made outside")
        return _NAMED[window](n, False)
    if isinstance(window, tuple):
        if window[0] == "tukey":
            return tukey(n, window[1], False)
        if window[0] == "kaiser":
            return kaiser(n, window[1], False)
        if window[0] == "gaussian":
            return gaussian(n, window[1], False)
        unsupported("a window with these parameters", "an array of get_window, made outside")
    made = np.asarray(window) * 1.0
    if made.ndim != 1:
        raise ValueError("window must be 1-D")
    return made
