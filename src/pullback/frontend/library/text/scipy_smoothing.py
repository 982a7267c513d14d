"""Filters of ``scipy.signal`` that go over a signal both ways or fit polynomials to it, and the
peaks of a signal, as plain Python that the front end compiles. Which items are peaks, SciPy says;
what is told of them is computed of the signal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Axis, Matrix, Vector
from pullback.frontend.library.text.scipy_signal import _with_state
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import known, unsupported


def savgol_filter(x: Array, window_length: int, polyorder: int, deriv: int = 0,
                  delta: float = 1.0, axis: Axis = -1, mode: Any = "interp",
                  cval: float = 0.0) -> Array:  # fmt: skip
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError(
            "mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'."
        )
    if polyorder >= window_length:
        raise ValueError("polyorder must be less than window_length.")
    signal = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    n = signal.shape[-1]
    half, rest = window_length // 2, window_length % 2
    at = np.arange(window_length) - half
    middle = at + 0.5 if rest == 0 else at * 1.0
    factor = math.factorial(deriv) / delta**deriv if deriv <= polyorder else 0.0
    fit = np.linalg.pinv(middle[:, None] ** np.arange(polyorder + 1))
    weights = fit[min(deriv, polyorder)] * factor
    if mode != "interp":
        found = scipy.ndimage.correlate1d(signal, weights, -1, None, mode, cval, 0)
        return np.moveaxis(found, -1, axis)
    if window_length > n:
        raise ValueError(
            "If mode is 'interp', window_length must be less than or equal to the size of x."
        )
    found = scipy.ndimage.correlate1d(signal, weights, -1, None, "constant", 0.0, 0)
    powers, places = np.arange(polyorder + 1), np.arange(window_length) * 1.0
    ends = np.linalg.pinv(places[:, None] ** powers)
    falling = np.ones(polyorder + 1)
    for k in range(deriv):
        falling = falling * np.maximum(powers - k, 0)
    lower = np.maximum(powers - deriv, 0)
    slopes = (places[:, None] ** lower * falling) @ ends / delta**deriv
    first = signal[..., :window_length] @ slopes[:half].T
    last = signal[..., n - window_length :] @ slopes[window_length - half :].T
    inner = found[..., half : n - half]
    return np.moveaxis(np.concatenate((first, inner, last), axis=-1), -1, axis)


# --- filters both ways ----------------------------------------------------------------------------


def lfilter_zi(b: Vector, a: Vector) -> Vector:
    above, below = np.atleast_1d(np.asarray(b)) * 1.0, np.atleast_1d(np.asarray(a)) * 1.0
    if above.ndim != 1:
        raise ValueError("Numerator b must be 1-D.")
    if below.ndim != 1:
        raise ValueError("Denominator a must be 1-D.")
    if below[0] == 0.0:
        raise NotImplementedError("a filter whose a begins with 0")
    above, below = above / below[0], below / below[0]
    n = max(len(above), len(below))
    above = np.concatenate((above, np.zeros(n - len(above))))
    below = np.concatenate((below, np.zeros(n - len(below))))
    rest = above[1:] - below[1:] * above[0]
    first = np.sum(rest) / (1.0 + np.sum(below[1:]))
    total = np.concatenate((np.ones(1), below[1:-1])).cumsum()
    behind = np.concatenate((np.zeros(1), rest[:-1])).cumsum()
    return total * first - behind


def sosfilt_zi(sos: Matrix) -> Matrix:
    sections = np.asarray(sos) * 1.0
    zi, scale = np.zeros((len(sections), 2)), 1.0
    for k in range(len(sections)):
        b, a = sections[k, :3], sections[k, 3:]
        zi[k] = scale * lfilter_zi(b, a)
        scale = scale * np.sum(b) / np.sum(a)
    return zi


def _extended(x: Vector, padtype: Any, edge: int) -> Vector:
    """Return a signal with more items at both ends."""
    if edge == 0:
        return x
    before, behind = x[1 : edge + 1][::-1], x[len(x) - edge - 1 : len(x) - 1][::-1]
    if padtype == "odd":
        before, behind = 2.0 * x[0] - before, 2.0 * x[-1] - behind
    elif padtype == "constant":
        before, behind = 0.0 * before + x[0], 0.0 * behind + x[-1]
    elif padtype != "even":
        raise ValueError(
            f"Unknown value '{padtype}' for padtype. padtype must be 'even', 'odd', 'constant', or "
            "None."
        )
    return np.concatenate((before, x, behind))


def _edge(n: int, padtype: Any, padlen: Any, usual: int) -> int:
    edge = usual if padlen is None else padlen
    if padtype is None:
        edge = 0
    if n <= edge:
        raise ValueError(
            f"The length of the input vector x must be greater than padlen, which is {edge}."
        )
    return edge


def _there_and_back(b: Vector, a: Vector, zi: Vector, x: Vector, padtype: Any,
                    edge: int) -> Vector:  # fmt: skip
    longer = _extended(x, padtype, edge)
    y, _ = _with_state(b, a, longer, zi * longer[0])
    back = y[::-1]
    z, _ = _with_state(b, a, back, zi * back[0])
    return z[::-1][edge : edge + len(x)]


def filtfilt(b: Vector, a: Vector, x: Array, axis: Axis = -1, padtype: Any = "odd",
             padlen: Any = None, method: str = "pad", irlen: Any = None) -> Array:  # fmt: skip
    if method != "pad":
        unsupported("filtfilt by the method of Gustafsson", "the method pad")
    above, below = np.atleast_1d(np.asarray(b)) * 1.0, np.atleast_1d(np.asarray(a)) * 1.0
    signals = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    count = max(len(above), len(below))
    edge = _edge(signals.shape[-1], padtype, padlen, 3 * count)
    zi = lfilter_zi(above, below)
    above, below = above / below[0], below / below[0]
    if signals.ndim == 1:
        return _there_and_back(above, below, zi, signals, padtype, edge)
    if signals.ndim > 2:
        unsupported("a filter of more than two axes", "loop over the first one")
    rows = [_there_and_back(above, below, zi, row, padtype, edge) for row in signals]
    return np.moveaxis(np.stack(rows), -1, axis)


def _by_sections(sections: Matrix, zi: Matrix, x: Vector) -> Vector:
    y, first = x, x[0]
    for k in range(len(sections)):
        y, _ = _with_state(sections[k, :3], sections[k, 3:], y, zi[k] * first)
    return y


def sosfiltfilt(sos: Matrix, x: Array, axis: Axis = -1, padtype: Any = "odd",
                padlen: Any = None) -> Array:  # fmt: skip
    sections = np.asarray(sos) * 1.0
    signals = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    taps: Any = 2 * len(sections) + 1
    taps -= min(np.count_nonzero(sections[:, 2] == 0), np.count_nonzero(sections[:, 5] == 0))
    edge = _edge(signals.shape[-1], padtype, padlen, 3 * taps)
    zi = sosfilt_zi(sections)
    if signals.ndim > 2:
        unsupported("a filter of more than two axes", "loop over the first one")
    rows = [signals] if signals.ndim == 1 else [row for row in signals]
    made = []
    for row in rows:
        y = _by_sections(sections, zi, _extended(row, padtype, edge))[::-1]
        z = _by_sections(sections, zi, y)[::-1]
        made.append(z[edge : edge + len(row)])
    return made[0] if signals.ndim == 1 else np.moveaxis(np.stack(made), -1, axis)


def medfilt(volume: Array, kernel_size: Any = 3) -> Array:
    x = np.asarray(volume) * 1.0
    size = 3 if kernel_size is None else kernel_size
    if np.ndim(size) == 0 and size % 2 == 0:
        raise ValueError("Each element of kernel_size should be odd.")
    return scipy.ndimage.median_filter(x, size, None, None, "constant", 0.0)


def medfilt2d(input: Matrix, kernel_size: Any = 3) -> Matrix:
    return medfilt(input, kernel_size)


# --- peaks ----------------------------------------------------------------------------------------


def find_peaks(x: Vector, height: Any = None, threshold: Any = None, distance: Any = None,
               prominence: Any = None, width: Any = None, wlen: Any = None, rel_height: float = 0.5,
               plateau_size: Any = None) -> Any:  # fmt: skip
    if threshold is not None or width is not None or plateau_size is not None or wlen is not None:
        unsupported("find_peaks with threshold, width, wlen or plateau_size",
                    "height, distance and prominence")  # fmt: skip
    signal = np.asarray(x) * 1.0
    if signal.ndim != 1:
        raise ValueError("`x` must be a 1-D array")
    numbers: list[Any] = [signal]
    for limit in (height, prominence):
        low, high = limit if isinstance(limit, tuple) else (limit, None)
        numbers.append(np.nan if low is None else low)
        numbers.append(np.nan if high is None else high)
    numbers.append(0.0 if distance is None else distance)
    words = described("find_peaks", height is not None, prominence is not None)
    found = told(words, constant(packed(numbers))).astype(np.int64)
    count = len(found) // 3
    peaks, left, right = found[:count], found[count : 2 * count], found[2 * count :]
    tops = signal[peaks]
    if prominence is None:
        return (peaks, {"peak_heights": tops}) if height is not None else (peaks, {})
    over = tops - np.maximum(signal[left], signal[right])
    if height is None:
        return peaks, {"prominences": over, "left_bases": left, "right_bases": right}
    return peaks, {
        "peak_heights": tops, "prominences": over, "left_bases": left, "right_bases": right,
    }  # fmt: skip


def peak_prominences(x: Vector, peaks: Vector, wlen: Any = None) -> Any:
    if wlen is not None:
        unsupported("peak_prominences with wlen", "leave it away")
    signal, at = np.asarray(x) * 1.0, np.asarray(peaks)
    found = told(described("bases"), constant(packed((signal, at)))).astype(np.int64)
    left, right = found[: len(at)], found[len(at) :]
    return signal[at] - np.maximum(signal[left], signal[right]), left, right


def argrelextrema(data: Vector, comparator: Any, axis: int = 0, order: int = 1,
                  mode: str = "clip") -> Any:  # fmt: skip
    x = np.asarray(data)
    if x.ndim != 1 or mode != "clip":
        unsupported("argrelextrema of other than a vector, or around the end", "loop over the rows")
    n = len(x)
    at = np.arange(n)
    good = np.ones(n, dtype=bool)
    for step in range(1, known(order) + 1):
        good = good & comparator(x, x[np.minimum(at + step, n - 1)])
        good = good & comparator(x, x[np.maximum(at - step, 0)])
    return (np.nonzero(good)[0],)


def argrelmax(data: Vector, axis: int = 0, order: int = 1, mode: str = "clip") -> Any:
    return argrelextrema(data, np.greater, axis, order, mode)


def argrelmin(data: Vector, axis: int = 0, order: int = 1, mode: str = "clip") -> Any:
    return argrelextrema(data, np.less, axis, order, mode)
