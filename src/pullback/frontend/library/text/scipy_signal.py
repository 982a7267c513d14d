"""Functions of ``scipy.signal`` as plain Python that the front end compiles. What SciPy computes by
Fourier transforms if that is faster is computed directly, unless the call says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Matrix, Vector
from pullback.frontend.library.text.scipy_transforms import next_fast_len
from pullback.frontend.library.text_helpers import unsupported


def convolve(in1: Vector, in2: Vector, mode: str = "full", method: str = "auto") -> Vector:
    """Return the convolution of two vectors; ``mode="same"`` has the length of the first."""
    x, h = _signal(in1), _signal(in2)
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if method == "fft" and (x.shape[0] == 0 or h.shape[0] == 0):
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    if method == "fft" and x.dtype == np.float64 and h.dtype == np.float64:
        return fftconvolve(x, h, mode)
    if mode == "same":
        if x.shape[0] == 0 and h.shape[0] > 0:
            return x[:0] * h[:0]
        start = (h.shape[0] - 1) // 2
        return np.convolve(x, h)[start : start + x.shape[0]]
    return np.convolve(x, h, "valid" if mode == "valid" else "full")


def fftconvolve(in1: Vector, in2: Vector, mode: str = "full") -> Vector:
    x, h = 1.0 * _signal(in1), 1.0 * _signal(in2)
    if x.dtype == np.float32 or h.dtype == np.float32:
        unsupported("fftconvolve of float32", "convert it to float64")
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    n, k = x.shape[0], h.shape[0]
    if n == 0 or k == 0:
        return np.zeros(0)
    size = next_fast_len(n + k - 1, True)
    found = np.fft.irfft(np.fft.rfft(x, size) * np.fft.rfft(h, size), size)
    if mode == "same":
        return found[(k - 1) // 2 : (k - 1) // 2 + n]
    if mode == "valid":
        return found[min(n, k) - 1 : max(n, k)]
    return found[: n + k - 1]


def correlate(in1: Vector, in2: Vector, mode: str = "full", method: str = "auto") -> Vector:
    return convolve(in1, _signal(in2)[::-1], mode, method)


def _signal(x: Any) -> Vector:
    a = np.asarray(x)
    if a.ndim != 1:
        unsupported("a convolution of other than vectors", "loop over the rows")
    if a.dtype not in (np.float64, np.float32, np.int64):
        unsupported("a convolution of other numbers", "convert it to float64")
    return a


def _numbers(x: Any) -> Array:
    """A filter computes in float64."""
    a = np.asarray(x)
    if a.dtype != np.float64 and a.dtype != np.int64:
        unsupported("a filter of other numbers", "convert it to float64")
    return a


def lfilter(b: Vector, a: Vector, x: Array, axis: Axis = -1, zi: Any = None) -> Any:
    """Return what a digital filter makes of a signal: a[0] y[t] is the sum of b[k] x[t - k], less
    that of a[k] y[t - k]; with ``zi``, what is left of the signal before, also what is left."""
    above, below, data = _numbers(np.atleast_1d(b)), _numbers(np.atleast_1d(a)), _numbers(x)
    if above.dtype == np.int64 and below.dtype == np.int64 and data.dtype == np.int64:
        raise NotImplementedError("input type 'int64' not supported")
    if above.ndim != 1 or above.shape[0] == 0:
        raise ValueError("Parameter b is not a non-empty 1d array")
    if below.ndim != 1 or below.shape[0] == 0:
        raise ValueError("Parameter a is not a non-empty 1d array")
    if data.ndim == 0:
        raise ValueError("selected axis is out of range")
    if below[0] == 0:
        raise ValueError("BUG: filter coefficient a[0] == 0 not supported yet")
    first = 1.0 * below[0]
    if zi is not None:
        if data.ndim != 1:
            unsupported("a filter with zi of other than a vector", "loop over the rows")
        return _with_state(above / first, below / first, 1.0 * data, np.asarray(zi) * 1.0)
    signals = np.moveaxis(1.0 * data, axis, -1)
    return np.moveaxis(_each_filtered(above / first, below / first, signals), -1, axis)


def _each_filtered(b: Vector, a: Vector, x: Array) -> Array:
    if x.ndim > 2:
        unsupported("a filter of more than two axes", "loop over the first one")
    if x.ndim == 1:
        return _filtered(b, a, x)
    filtered = np.zeros(x.shape)
    for row in range(x.shape[0]):
        filtered[row] = _filtered(b, a, x[row])
    return filtered


def _filtered(b: Vector, a: Vector, x: Vector) -> Vector:
    n = x.shape[0]
    y = np.zeros(n)
    for t in range(n):
        total = 0.0
        for k in range(min(b.shape[0], t + 1)):
            total += b[k] * x[t - k]
        for k in range(1, min(a.shape[0], t + 1)):
            total -= a[k] * y[t - k]
        y[t] = total
    return y


def _with_state(b: Vector, a: Vector, x: Vector, zi: Vector) -> tuple[Vector, Vector]:
    """Return what a filter (a[0] is 1) makes of a signal after another one, and what is left."""
    count = max(len(a), len(b)) - 1
    if len(zi) != count:
        raise ValueError(f"Unexpected shape for zi: expected ({count},), found ({len(zi)},).")
    above = np.concatenate((b, np.zeros(count + 1 - len(b))))
    below = np.concatenate((a, np.zeros(count + 1 - len(a))))
    state, y = np.concatenate((zi, np.zeros(1))), np.zeros(len(x))
    for t in range(len(x)):
        now = state[0] + above[0] * x[t]
        y[t] = now
        state = np.concatenate((state[1:] + above[1:] * x[t] - below[1:] * now, np.zeros(1)))
    return y, state[:count]


def sosfilt(sos: Matrix, x: Array, axis: Axis = -1, zi: Any = None) -> Any:
    """Return what sections of a filter, of second order, make of a signal one after the other."""
    sections, data = _numbers(sos), _numbers(x)
    if sections.ndim != 2:
        unsupported("sections of a filter that are no matrix", "make them a matrix")
    if data.ndim == 0:
        raise ValueError("x must be at least 1-D")
    if sections.dtype == np.int64 and data.dtype == np.int64:
        raise NotImplementedError("input type 'int64' not supported")
    if sections.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not np.all(sections[:, 3] == 1):
        raise ValueError("sos[:, 3] should be all ones")
    if data.shape[axis] == 0:
        raise ValueError("cannot reshape array of size 0")
    if zi is not None:
        if data.ndim != 1:
            unsupported("a filter with zi of other than a vector", "loop over the rows")
        y, states = 1.0 * data, []
        for k in range(len(sections)):
            y, left = _with_state(1.0 * sections[k, :3], 1.0 * sections[k, 3:], y, 1.0 * zi[k])
            states.append(left)
        return y, np.stack(states)
    y = np.moveaxis(1.0 * data, axis, -1)
    for section in sections:
        y = _each_filtered(1.0 * section[:3], 1.0 * section[3:], y)
    return np.moveaxis(y, -1, axis)


def detrend(data: Array, axis: Axis = -1, type: str = "linear") -> Array:
    """Return data less their mean, or less the line that fits them best."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    x = np.moveaxis(1.0 * _numbers(data), axis, -1)
    rest = x - np.mean(x, axis=-1, keepdims=True)
    if type in ("constant", "c"):
        return np.moveaxis(rest, -1, axis)
    n = x.shape[-1]
    if x.size == 0:
        raise ValueError("illegal value in 4-th argument of internal None")
    t = np.arange(n) - (n - 1) / 2.0
    slope = np.sum(rest * t, axis=-1, keepdims=True) / max(np.sum(t * t), 0.5)
    return np.moveaxis(rest - slope * t, -1, axis)
