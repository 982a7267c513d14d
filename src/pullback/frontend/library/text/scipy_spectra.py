"""Spectra of signals of ``scipy.signal``, as plain Python that the front end compiles: segments of
a signal, times a window, transformed (P. Welch, 1967)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Matrix, Vector
from pullback.frontend.library.text.scipy_windows import _of_spectra
from pullback.frontend.library.text_helpers import known, unsupported


def _signal(x: Any) -> Vector:
    a = np.asarray(x)
    if a.ndim != 1 or np.iscomplexobj(a):
        unsupported("a spectrum of other than a real vector", "loop over the rows")
    return a * 1.0


def _pieces(x: Vector, size: int, step: int, detrend: Any) -> Matrix:
    """Return the segments of a signal, each in a row, without their mean or their line."""
    count = (len(x) - size) // step + 1
    made = x[np.arange(count)[:, None] * step + np.arange(size)[None, :]]
    if isinstance(detrend, bool):
        if detrend:
            raise ValueError("Trend type must be 'linear' or 'constant'.")
        return made
    if not isinstance(detrend, str):
        unsupported("a function that takes the trend away", "the trend linear or constant")
    made = made - np.mean(made, axis=1)[:, None]
    if detrend == "constant":
        return made
    if detrend != "linear":
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    t = np.arange(size) - (size - 1) / 2.0
    return made - (made @ t / max(np.sum(t * t), 0.5))[:, None] * t


def _sizes(n: int, window: Any, nperseg: Any, noverlap: Any, nfft: Any) -> Any:
    """Return the length of a segment, by how much two overlap, the length of a transform, and the
    window."""
    if isinstance(window, (str, tuple)):
        size = min(256 if nperseg is None else nperseg, n)
        w = _of_spectra(window, size)
    else:
        w = _of_spectra(window, 0)
        size = len(w)
        if nperseg is not None and nperseg != size:
            raise ValueError("value specified for nperseg is different from length of window")
        if size > n:
            raise ValueError("window is longer than input signal")
    length = size if nfft is None else nfft
    if length < size:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    common = size // 2 if noverlap is None else noverlap
    if common >= size:
        raise ValueError("noverlap must be less than nperseg.")
    return size, common, length, w


def _power(x: Vector, y: Vector, fs: float, window: Any, nperseg: Any, noverlap: Any, nfft: Any,
           detrend: Any, scaling: str, one: bool) -> Any:  # fmt: skip
    """Return real and imaginary parts of the power of each segment, a row for each."""
    size, common, length, w = _sizes(len(x), window, nperseg, noverlap, nfft)
    if scaling == "density":
        scale = 1.0 / (fs * np.sum(w * w))
    elif scaling == "spectrum":
        scale = 1.0 / np.sum(w) ** 2
    else:
        raise ValueError(f"Unknown scaling: {scaling!r}")
    step = size - common
    a = np.fft.rfft(_pieces(x, size, step, detrend) * w, length, axis=1)
    twice = np.full(length // 2 + 1, 2.0)
    twice[0] = 1.0
    if length % 2 == 0:
        twice[length // 2] = 1.0
    weight = scale * twice
    if one:
        return (a.real * a.real + a.imag * a.imag) * weight, 0.0, size, step, length
    b = np.fft.rfft(_pieces(y, size, step, detrend) * w, length, axis=1)
    real = (a.real * b.real + a.imag * b.imag) * weight
    return real, (a.real * b.imag - a.imag * b.real) * weight, size, step, length


def _checked(return_onesided: bool, axis: int, average: str) -> None:
    if not return_onesided or average != "mean":
        unsupported("a spectrum of two sides, or of medians", "leave it away")
    if known(axis) not in (0, -1):
        unsupported("a spectrum along an axis", "loop over the rows")


def welch(x: Any, fs: float = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
          nfft: Any = None, detrend: Any = "constant", return_onesided: bool = True,
          scaling: str = "density", axis: Axis = -1,
          average: str = "mean") -> tuple[Vector, Vector]:  # fmt: skip
    _checked(return_onesided, axis, average)
    data = _signal(x)
    p, _, _, _, length = _power(
        data, data, fs, window, nperseg, noverlap, nfft, detrend, scaling, True
    )
    return np.fft.rfftfreq(length, 1.0 / fs), np.mean(p, axis=0)


def periodogram(x: Any, fs: float = 1.0, window: Any = "boxcar", nfft: Any = None,
                detrend: Any = "constant", return_onesided: bool = True,
                scaling: str = "density", axis: Axis = -1) -> tuple[Vector, Vector]:  # fmt: skip
    data = _signal(x)
    shape = "boxcar" if window is None else window
    if nfft is not None and nfft < len(data):
        data = data[:nfft]
    return welch(data, fs, shape, len(data), 0, nfft, detrend, return_onesided, scaling, axis)


def csd(x: Any, y: Any, fs: float = 1.0, window: Any = "hann", nperseg: Any = None,
        noverlap: Any = None, nfft: Any = None, detrend: Any = "constant",
        return_onesided: bool = True, scaling: str = "density", axis: Axis = -1,
        average: str = "mean") -> tuple[Vector, Vector]:  # fmt: skip
    _checked(return_onesided, axis, average)
    a, b = _signal(x), _signal(y)
    n = max(len(a), len(b))
    a, b = np.pad(a, (0, n - len(a))), np.pad(b, (0, n - len(b)))
    p, q, _, _, length = _power(a, b, fs, window, nperseg, noverlap, nfft, detrend, scaling, False)
    return np.fft.rfftfreq(length, 1.0 / fs), np.mean(p, axis=0) + 1j * np.mean(q, axis=0)


def coherence(x: Any, y: Any, fs: float = 1.0, window: Any = "hann", nperseg: Any = None,
              noverlap: Any = None, nfft: Any = None, detrend: Any = "constant",
              axis: Axis = -1) -> tuple[Vector, Vector]:  # fmt: skip
    f, p = welch(x, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, q = welch(y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, both = csd(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    return f, (both.real**2 + both.imag**2) / p / q


def spectrogram(x: Any, fs: float = 1.0, window: Any = ("tukey", 0.25), nperseg: Any = None,
                noverlap: Any = None, nfft: Any = None, detrend: Any = "constant",
                return_onesided: bool = True, scaling: str = "density", axis: Axis = -1,
                mode: str = "psd") -> tuple[Vector, Vector, Matrix]:  # fmt: skip
    _checked(return_onesided, axis, "mean")
    if mode != "psd":
        unsupported("a spectrogram of this mode", "stft, and np.abs or np.angle of it")
    data = _signal(x)
    size = min(256 if nperseg is None else nperseg, len(data))
    if not isinstance(window, (str, tuple)):
        size = len(window)
    common = size // 8 if noverlap is None else noverlap
    p, _, _, step, length = _power(
        data, data, fs, window, nperseg, common, nfft, detrend, scaling, True
    )
    times = (size / 2.0 + step * np.arange(len(p))) / fs
    return np.fft.rfftfreq(length, 1.0 / fs), times, p.T


def stft(x: Any, fs: float = 1.0, window: Any = "hann", nperseg: Any = 256, noverlap: Any = None,
         nfft: Any = None, detrend: Any = False, return_onesided: bool = True,
         boundary: Any = "zeros", padded: bool = True, axis: Axis = -1,
         scaling: str = "spectrum") -> tuple[Vector, Vector, Matrix]:  # fmt: skip
    _checked(return_onesided, axis, "mean")
    data = _signal(x)
    size, common, length, w = _sizes(len(data), window, nperseg, noverlap, nfft)
    if boundary is not None and boundary != "zeros":
        unsupported("stft with this boundary", "zeros, or np.pad")
    if boundary is not None:
        data = np.pad(data, size // 2)
    step = size - common
    if padded:
        data = np.pad(data, (0, (-(len(data) - size) % step) % size))
    if scaling == "spectrum":
        scale = np.sqrt(1.0 / np.sum(w) ** 2)
    elif scaling == "psd":
        scale = np.sqrt(1.0 / (fs * np.sum(w * w)))
    else:
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    z = np.fft.rfft(_pieces(data, size, step, detrend) * w, length, axis=1) * scale
    times = (size / 2.0 + step * np.arange(len(z))) / fs
    if boundary is not None:
        times = times - size / 2.0 / fs
    return np.fft.rfftfreq(length, 1.0 / fs), times, z.T


def hilbert(x: Any, N: Any = None, axis: Axis = -1) -> Array:
    data = np.asarray(x)
    if np.iscomplexobj(data):
        raise ValueError("x must be real.")
    signal = np.moveaxis(data * 1.0, axis, -1)
    n = signal.shape[-1] if N is None else N
    if n <= 0:
        raise ValueError("N must be positive.")
    at = np.arange(n)
    twice = np.where((at == 0) | (2 * at == n), 1.0, np.where(2 * at < n, 2.0, 0.0))
    return np.moveaxis(np.fft.ifft(np.fft.fft(signal, n, axis=-1) * twice, axis=-1), -1, axis)


def resample(x: Any, num: int, t: Any = None, axis: Axis = 0, window: Any = None,
             domain: str = "time") -> Array:  # fmt: skip
    if t is not None or window is not None or domain != "time":
        unsupported("resample with t, window or domain", "leave them away")
    data = np.asarray(x)
    if np.iscomplexobj(data):
        unsupported("resample of complex numbers", "real and imaginary parts by themselves")
    signal = np.moveaxis(data * 1.0, axis, -1)
    n = signal.shape[-1]
    m = min(num, n)
    found = np.fft.rfft(signal, axis=-1)[..., : m // 2 + 1]
    if m % 2 == 0 and num != n:
        last = np.arange(m // 2 + 1) == m // 2
        found = found * np.where(last, 2.0 if num < n else 0.5, 1.0)
    return np.moveaxis(np.fft.irfft(found, num, axis=-1) * (num / n), -1, axis)
