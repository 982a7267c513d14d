"""Functions of ``scipy.signal`` that take a signal apart or put it together at another rate, of two
axes, or by its frequencies, and signals by formulas; as plain Python that the front end compiles.
"""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Axis, Matrix, Vector
from pullback.frontend.library.text.scipy_spectra import _sizes
from pullback.frontend.library.text_helpers import known, unsupported


def _real(x: Any, axes: int) -> Array:
    a = np.asarray(x)
    if a.ndim != known(axes) or np.iscomplexobj(a) or a.dtype != np.float64:
        unsupported("this function of a signal of other axes or numbers", "convert it to float64")
    return a


# --- two axes -------------------------------------------------------------------------------------


def _around(n: int, more: int, boundary: str) -> Vector:
    """Return which rows stand in a matrix that has ``more`` rows added on both sides."""
    at = np.arange(-more, n + more)
    if boundary in ("wrap", "circular"):
        return at % n
    turned = at % (2 * n)
    return np.where(turned < n, turned, 2 * n - 1 - turned)


def _slid(x: Matrix, h: Matrix, mode: str, boundary: str, fillvalue: Any, after: int) -> Matrix:
    """Return the sums of what a matrix that slides over another one covers, times its items."""
    if boundary not in ("fill", "pad", "wrap", "circular", "symm", "symmetric"):
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and "
                         "'symmetric' (or 'symm').")  # fmt: skip
    (m, n), (k, j) = x.shape, h.shape
    if mode == "valid":
        first, last, rows, columns = k - 1, j - 1, m - k + 1, n - j + 1
    elif mode == "same":
        first, last, rows, columns = (k - after) // 2, (j - after) // 2, m, n
        first, last = k - 1 - first, j - 1 - last
    elif mode == "full":
        first, last, rows, columns = 0, 0, m + k - 1, n + j - 1
    else:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    if boundary in ("fill", "pad"):
        whole = np.zeros((m + 2 * k - 2, n + 2 * j - 2)) + fillvalue
        whole[k - 1 : k - 1 + m, j - 1 : j - 1 + n] = x
    else:
        whole = x[_around(m, k - 1, boundary)][:, _around(n, j - 1, boundary)]
    total = np.zeros((rows, columns))
    for a in range(k):
        for b in range(j):
            i, c = first + a, last + b
            total += h[a, b] * whole[i : i + rows, c : c + columns]
    return total


def _inside(mode: str, x: Matrix, h: Matrix) -> bool:
    """Return whether the second matrix is the one in which the first one slides."""
    if mode != "valid":
        return False
    wide = x.shape[0] >= h.shape[0] and x.shape[1] >= h.shape[1]
    if not wide and not (x.shape[0] <= h.shape[0] and x.shape[1] <= h.shape[1]):
        raise ValueError("For 'valid' mode, one must be at least as large as the other in every "
                         "dimension")  # fmt: skip
    return not wide


def convolve2d(in1: Matrix, in2: Matrix, mode: str = "full", boundary: str = "fill",
               fillvalue: Any = 0) -> Matrix:  # fmt: skip
    x, h = _real(in1, 2), _real(in2, 2)
    if _inside(mode, x, h):
        return _slid(h, x[::-1, ::-1], mode, boundary, fillvalue, 0)
    return _slid(x, h[::-1, ::-1], mode, boundary, fillvalue, 0)


def correlate2d(in1: Matrix, in2: Matrix, mode: str = "full", boundary: str = "fill",
                fillvalue: Any = 0) -> Matrix:  # fmt: skip
    x, h = _real(in1, 2), _real(in2, 2)
    if _inside(mode, x, h):
        return _slid(h, x, mode, boundary, fillvalue, 1)[::-1, ::-1]
    return _slid(x, h, mode, boundary, fillvalue, 1)


# --- rates ----------------------------------------------------------------------------------------


def upfirdn(h: Vector, x: Vector, up: int = 1, down: int = 1, axis: Axis = -1,
            mode: str = "constant", cval: float = 0) -> Vector:  # fmt: skip
    """Return every ``down``-th item of the convolution of a filter with a signal that has zeros
    between its items."""
    if mode != "constant" or known(cval) != 0:
        unsupported("upfirdn with this mode or cval", "constant, with zeros around the signal")
    taps, signal = _real(h, 1), _real(x, 1)
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    wide = np.zeros((len(signal) - 1) * up + 1)
    wide[::up] = signal
    return np.convolve(taps, wide)[::down]


def resample_poly(x: Vector, up: int, down: int, axis: Axis = 0, window: Any = ("kaiser", 5.0),
                  padtype: str = "constant", cval: Any = None) -> Vector:  # fmt: skip
    if padtype != "constant" or cval is not None:
        unsupported("resample_poly with padtype or cval", "leave them away")
    more, less = known(up), known(down)
    if more < 1 or less < 1:
        raise ValueError("up and down must be >= 1")
    common = gcd(more, less)
    more, less = known(more // common), known(less // common)
    signal = _real(x, 1)
    if more == 1 and less == 1:
        return signal.copy()
    if isinstance(window, (tuple, str)):
        half = 10 * max(more, less)
        taps = scipy.signal.firwin(2 * half + 1, 1.0 / max(more, less), window=window)
    else:
        taps = _real(window, 1)
        half = (len(taps) - 1) // 2
    before, count = less - half % less, -(-len(signal) * more // less)
    first = (half + before) // less
    after = 0
    while ((len(signal) - 1) * more + len(taps) + before + after - 1) // less + 1 < count + first:
        after += 1
    whole = np.concatenate((np.zeros(before), taps * more, np.zeros(after)))
    return upfirdn(whole, signal, more, less)[first : first + count]


def decimate(x: Vector, q: int, n: Any = None, ftype: Any = "iir", axis: Axis = -1,
             zero_phase: bool = True) -> Vector:  # fmt: skip
    signal, less = _real(x, 1), known(q)
    if not isinstance(ftype, str):
        unsupported("decimate by a system", 'ftype="iir" or "fir"')
    if ftype == "fir":
        order = 20 * less if n is None else n
        taps = scipy.signal.firwin(order + 1, 1.0 / less, window="hamming")
        if zero_phase:
            return resample_poly(signal, 1, less, window=taps)
        return upfirdn(taps, signal, 1, less)[: -(-len(signal) // less)]
    if ftype != "iir":
        raise ValueError("invalid ftype")
    sos = scipy.signal.cheby1(8 if n is None else n, 0.05, 0.8 / less, output="sos")
    if zero_phase:
        return scipy.signal.sosfiltfilt(sos, signal)[::less]
    return scipy.signal.sosfilt(sos, signal)[::less]


def deconvolve(signal: Vector, divisor: Vector) -> tuple[Vector, Vector]:
    """Return the quotient and the rest of a division of polynomials."""
    num, den = np.atleast_1d(signal), np.atleast_1d(divisor)
    if num.ndim > 1:
        raise ValueError("signal must be 1-D.")
    if den.ndim > 1:
        raise ValueError("divisor must be 1-D.")
    n = len(num) - len(den) + 1
    if n < 1:
        raise NotImplementedError("deconvolve by a longer divisor")
    first = np.zeros(n)
    first[0] = 1.0
    found = scipy.signal.lfilter(num, den, first)
    return found, num - np.convolve(den, found)


def istft(Zxx: Matrix, fs: float = 1.0, window: Any = "hann", nperseg: Any = None,
          noverlap: Any = None, nfft: Any = None, input_onesided: bool = True,
          boundary: bool = True, time_axis: int = -1, freq_axis: int = -2,
          scaling: str = "spectrum") -> tuple[Vector, Vector]:  # fmt: skip
    """Return the times and the signal whose segments have these transforms."""
    z = np.asarray(Zxx)
    if not input_onesided or z.ndim != 2 or known(time_axis) != -1 or known(freq_axis) != -2:
        unsupported("istft of two sides, or along other axes", "leave these arguments away")
    usual = 2 * (z.shape[0] - 1)
    size = usual if nperseg is None else nperseg
    length = nfft
    if nfft is None:
        length = size if size == usual + 1 else usual
    elif nfft < size:
        raise ValueError(f"nfft ({nfft}) must be greater than or equal to nperseg ({size}).")
    size, common, _, w = _sizes(size, window, size, noverlap, None)
    step = size - common
    pieces = np.fft.irfft(z, length, axis=0)[:size]
    if scaling == "spectrum":
        pieces = pieces * np.sum(w)
    elif scaling == "psd":
        pieces = pieces * np.sqrt(fs * np.sum(w * w))
    else:
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")
    count = pieces.shape[1]
    x, weight = np.zeros(size + (count - 1) * step), np.zeros(size + (count - 1) * step)
    for k in range(count):
        x[k * step : k * step + size] += pieces[:, k] * w
        weight[k * step : k * step + size] += w * w
    if boundary:
        x, weight = x[size // 2 : -(size // 2)], weight[size // 2 : -(size // 2)]
    x = x / np.where(weight > 1e-10, weight, 1.0)
    return np.arange(len(x)) / fs, x


# --- frequencies ----------------------------------------------------------------------------------


def _frequencies(worN: Any, whole: bool, fs: Any, include_nyquist: bool) -> Vector:
    """Return angles of a turn."""
    if worN is None or isinstance(worN, int):
        count = 512 if worN is None else worN
        last = 2.0 * np.pi if whole else np.pi
        return np.linspace(0.0, last, count, endpoint=include_nyquist and not whole)
    return np.atleast_1d(np.asarray(worN)) * (2.0 * np.pi / fs)


def _response(b: Vector, w: Vector) -> Array:
    return np.exp(-1j * np.outer(w, np.arange(len(b)))) @ (b + 0j)


def freqz(b: Any, a: Any = 1, worN: Any = 512, whole: bool = False, plot: Any = None,
          fs: Any = 2 * np.pi, include_nyquist: bool = False) -> tuple[Vector, Array]:  # fmt: skip
    """Return frequencies and what a filter makes of them."""
    if plot is not None:
        unsupported("freqz with plot", "leave it away")
    w = _frequencies(worN, whole, fs, include_nyquist)
    over, under = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    return w * (fs / (2.0 * np.pi)), _response(over, w) / _response(under, w)


def freqz_sos(sos: Matrix, worN: Any = 512, whole: bool = False,
              fs: Any = 2 * np.pi) -> tuple[Vector, Array]:  # fmt: skip
    sections = np.asarray(sos) * 1.0
    w = _frequencies(worN, whole, fs, False)
    h = np.ones(len(w)) + 0j
    for k in range(len(sections)):
        h = h * (_response(sections[k, :3], w) / _response(sections[k, 3:], w))
    return w * (fs / (2.0 * np.pi)), h


def sosfreqz(*args: Any, **kwargs: Any) -> tuple[Vector, Array]:
    return freqz_sos(*args, **kwargs)


# --- signals by formulas --------------------------------------------------------------------------


def chirp(t: Any, f0: float, t1: float, f1: float, method: str = "linear", phi: float = 0,
          vertex_zero: bool = True, *, complex: bool = False) -> Array:  # fmt: skip
    """Return a wave whose frequency changes from f0 to f1."""
    at = np.asarray(t)
    if method in ("linear", "lin", "li"):
        turns = f0 * at + 0.5 * ((f1 - f0) / t1) * at * at
    elif method in ("quadratic", "quad", "q"):
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            turns = f0 * at + beta * at**3 / 3
        else:
            turns = f1 * at + beta * ((t1 - at) ** 3 - t1**3) / 3
    elif method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0.0:
            raise ValueError("For a logarithmic chirp, f0 and f1 must be nonzero and have the same "
                             "sign.")  # fmt: skip
        if f0 == f1:
            raise NotImplementedError("a logarithmic chirp of one frequency")
        turns = t1 / np.log(f1 / f0) * f0 * ((f1 / f0) ** (at / t1) - 1.0)
    else:
        unsupported("a chirp by this method", "linear, quadratic or logarithmic")
    phase = 2.0 * np.pi * turns + np.deg2rad(phi)
    if complex:
        return np.exp(1j * phase)
    return np.cos(phase)


def sawtooth(t: Any, width: Any = 1) -> Array:
    w = np.asarray(width) + 0.0 * np.asarray(t)
    at = np.mod(np.asarray(t) + 0.0 * w, 2.0 * np.pi)
    rising = at < w * 2.0 * np.pi
    up = at / (np.pi * np.where(rising, w, 1.0)) - 1.0
    down = (np.pi * (w + 1.0) - at) / (np.pi * (1.0 - np.where(rising, 0.0, w)))
    return np.where((w > 1.0) | (w < 0.0), np.nan, np.where(rising, up, down))


def square(t: Any, duty: Any = 0.5) -> Array:
    w = np.asarray(duty) + 0.0 * np.asarray(t)
    up = np.mod(np.asarray(t) + 0.0 * w, 2.0 * np.pi) < w * 2.0 * np.pi
    return np.where((w > 1.0) | (w < 0.0), np.nan, np.where(up, 1.0, -1.0))


def unit_impulse(shape: int, idx: Any = None) -> Vector:
    if not isinstance(shape, int) or isinstance(idx, (tuple, list)):
        unsupported("unit_impulse of several axes", "np.zeros, and one item of it")
    made = np.zeros(shape)
    if idx is None:
        made[0] = 1.0
    elif idx == "mid":
        made[shape // 2] = 1.0
    else:
        made[idx] = 1.0
    return made


def correlation_lags(in1_len: int, in2_len: int, mode: str = "full") -> Vector:
    lags = np.arange(-in2_len + 1, in1_len)
    if mode == "full":
        return lags
    if mode == "same":
        middle, half = len(lags) // 2, in1_len // 2
        return lags[middle - half : middle + half + in1_len % 2]
    if mode != "valid":
        raise ValueError(f"{mode!r} is not a valid mode")
    low = in1_len - in2_len
    return np.arange(low + 1) if low >= 0 else np.arange(low, 1)
