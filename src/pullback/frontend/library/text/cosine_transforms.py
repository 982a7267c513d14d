"""The cosine and sine transforms of ``scipy.fft`` as plain Python that the front end compiles: each
is a Fourier transform of its items in another order, with factors before and behind (J. Makhoul,
"A fast cosine transform in one and two dimensions", 1980).

    dct 1   of the items, there and back again
    dct 2   of the items with even places, then of the others backwards, turned by a quarter
    dct 3   the inverse of dct 2
    dct 4   of the items turned by an eighth, among zeros
    dst k   dct k of the items with other signs or backwards; dst 1 of them, there and negative back
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.fourier_transforms import (
    complex_lines,
    first_axes,
    fitted,
    half_lines,
    length_of,
    real_lines,
)
from pullback.frontend.library.text.scipy_transforms import axes_of, scale_of, size_of
from pullback.frontend.library.text_helpers import known, times

Norm = str | None


def dct(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
        overwrite_x: bool = False, workers: int | None = None,
        orthogonalize: bool | None = None) -> Any:
    return _along(x, True, True, type, n, axis, scale_of(norm, True, None, workers), orthogonalize)


def idct(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None) -> Any:
    scale = scale_of(norm, False, None, workers)
    return _along(x, True, False, type, n, axis, scale, orthogonalize)


def dst(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
        overwrite_x: bool = False, workers: int | None = None,
        orthogonalize: bool | None = None) -> Any:
    return _along(x, False, True, type, n, axis, scale_of(norm, True, None, workers), orthogonalize)


def idst(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None) -> Any:
    scale = scale_of(norm, False, None, workers)
    return _along(x, False, False, type, n, axis, scale, orthogonalize)


def dctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, *,
         orthogonalize: bool | None = None) -> Any:
    return _over(x, True, True, type, s, axes, scale_of(norm, True, None, workers), orthogonalize)


def idctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None,
          orthogonalize: bool | None = None) -> Any:
    scale = scale_of(norm, False, None, workers)
    return _over(x, True, False, type, s, axes, scale, orthogonalize)


def dstn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None,
         orthogonalize: bool | None = None) -> Any:
    return _over(x, False, True, type, s, axes, scale_of(norm, True, None, workers), orthogonalize)


def idstn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None,
          orthogonalize: bool | None = None) -> Any:
    scale = scale_of(norm, False, None, workers)
    return _over(x, False, False, type, s, axes, scale, orthogonalize)


def _over(
    x: Any, cosine: bool, forward: bool, type: int, s: Any, axes: Any, scale: str,
    orthogonalize: bool | None,
) -> Any:  # fmt: skip
    """Return the transform along several axes."""
    found = np.asarray(x)
    sizes = (s,) if isinstance(s, (int, np.integer)) else s
    places = axes_of(found, s, axes)
    done = first_axes(0)
    for _ in times(len(places)):
        k = len(done)
        n = length_of(found, sizes, places[: k + 1])
        found = _along(found, cosine, forward, type, n, known(places[k]), scale, orthogonalize)
        done = (*done, 0)
    return found


def _along(
    x: Any, cosine: bool, forward: bool, type: int, n: int | None, axis: int, scale: str,
    orthogonalize: bool | None,
) -> Any:  # fmt: skip
    a = np.asarray(x)
    size = size_of(a, n, axis)
    if not -a.ndim <= axis < a.ndim:
        raise IndexError("tuple index out of range")
    kind = known(type)
    if not 1 <= kind <= 4:
        raise ValueError("invalid DCT type" if cosine else "invalid DST type")
    if not forward and (kind == 2 or kind == 3):
        kind = 5 - kind
    if kind == 1 and cosine and size < 2:
        raise RuntimeError("zero-length FFT requested")
    lines = np.moveaxis(a, axis, -1)
    if n is not None:
        lines = fitted(lines, size)
    if lines.dtype != np.float32:
        lines = lines.astype(np.float64)
    orthogonal = scale == "ortho" if orthogonalize is None else orthogonalize
    period = 2.0 * size if kind != 1 else 2.0 * (size - 1 if cosine else size + 1)
    factor = 1.0
    if scale == "forward":
        factor = 1.0 / period
    elif scale == "ortho":
        factor = float(1.0 / np.sqrt(period))
    transform = _cosines if cosine else _sines
    made = transform(lines, size, kind, factor, orthogonal)
    return np.moveaxis(made.astype(lines.dtype), -1, axis)


_ROOT = float(np.sqrt(2.0))


def _cosines(x: Any, n: int, type: int, factor: float, orthogonal: bool) -> Any:
    kind = known(type)
    if kind == 1:
        if orthogonal:
            x = np.concatenate((x[..., :1] * _ROOT, x[..., 1:-1], x[..., -1:] * _ROOT), axis=-1)
        whole = np.concatenate((x, x[..., 1:-1][..., ::-1]), axis=-1)
        found = real_lines(whole, 2 * n - 2, True, -1, factor)[0]
        if orthogonal:
            ends = found[..., :1] / _ROOT, found[..., -1:] / _ROOT
            found = np.concatenate((ends[0], found[..., 1:-1], ends[1]), axis=-1)
        return found
    if kind == 2:
        found = _second(x, n, factor)
        if orthogonal:
            found = np.concatenate((found[..., :1] / _ROOT, found[..., 1:]), axis=-1)
        return found
    if kind == 3:
        if orthogonal:
            x = np.concatenate((x[..., :1] * _ROOT, x[..., 1:]), axis=-1)
        return _third(x, n, factor)
    return _fourth(x, n, factor)


def _sines(x: Any, n: int, type: int, factor: float, orthogonal: bool) -> Any:
    kind = known(type)
    if kind == 1:
        gap = np.zeros_like(x[..., :1])
        whole = np.concatenate((gap, x, gap, -x[..., ::-1]), axis=-1)
        return -real_lines(whole, 2 * n + 2, True, -1, factor)[1][..., 1 : n + 1]
    signs = 1.0 - 2.0 * (np.arange(n) % 2)
    if kind == 2:
        found = _second(x * signs, n, factor)[..., ::-1]
        if orthogonal:
            found = np.concatenate((found[..., :-1], found[..., -1:] / _ROOT), axis=-1)
        return found
    if kind == 3:
        if orthogonal:
            x = np.concatenate((x[..., :-1], x[..., -1:] * _ROOT), axis=-1)
        return _third(x[..., ::-1], n, factor) * signs
    return _fourth(x[..., ::-1], n, factor) * signs


def _second(x: Any, n: int, factor: float) -> Any:
    ordered = np.concatenate((x[..., ::2], x[..., 1::2][..., ::-1]), axis=-1)
    half = n // 2 + 1
    real, imag = real_lines(ordered, n, True, -1, 2.0 * factor)
    angle = np.arange(half) * (0.5 * np.pi / n)
    c, s = np.cos(angle), np.sin(angle)
    back = (real * s - imag * c)[..., 1 : n - half + 1]
    return np.concatenate((real * c + imag * s, back[..., ::-1]), axis=-1)


def _third(x: Any, n: int, factor: float) -> Any:
    half = n // 2 + 1
    angle = np.arange(half) * (0.5 * np.pi / n)
    c, s = np.cos(angle), np.sin(angle)
    first = x[..., :half]
    back = np.concatenate((np.zeros_like(x[..., :1]), x[..., n - half + 1 :][..., ::-1]), axis=-1)
    pair = first * c + back * s, first * s - back * c
    ordered = half_lines(pair, n, True, -1, factor)
    middle = (n + 1) // 2
    even, odd = ordered[..., :middle], ordered[..., middle:][..., ::-1]
    if n % 2 == 0:
        both = np.stack((even, odd), axis=-1)
        return np.reshape(both, x.shape)
    both = np.stack((even[..., :-1], odd), axis=-1)
    return np.concatenate((np.reshape(both, (*x.shape[:-1], n - 1)), even[..., -1:]), axis=-1)


def _fourth(x: Any, n: int, factor: float) -> Any:
    k = np.arange(n)
    angle = k * (0.5 * np.pi / n)
    given = x * np.cos(angle), -x * np.sin(angle)
    real, imag = complex_lines(given, 2 * n, False, -1, 2.0 * factor, 0)
    turn = (2.0 * k + 1.0) * (0.25 * np.pi / n)
    return real[..., :n] * np.cos(turn) + imag[..., :n] * np.sin(turn)
