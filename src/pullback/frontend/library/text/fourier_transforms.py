"""``np.fft`` as plain Python that the front end compiles: of pairs of real and imaginary parts.

An axis is moved to the end, the lines along it become the rows of a matrix, and the rows are
transformed (``library/fourier_rows.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.fourier_rows import (
    half_transform,
    own,
    real_transform,
    transform,
    two_parts,
)
from pullback.frontend.library.text_helpers import known, times, unsupported

Pair = tuple[Any, Any]
"""The real and the imaginary parts of an array."""
Norm = str | None

# --- one axis ------------------------------------------------------------------------------------


def fft(a: Pair, n: int | None = None, axis: int = -1, norm: Norm = None) -> Pair:
    size = _along(a[0], axis) if n is None else n
    return complex_lines(a, size, n is None, axis, factor_of(size, norm), 0)


def ifft(a: Pair, n: int | None = None, axis: int = -1, norm: Norm = None) -> Pair:
    size = _along(a[0], axis) if n is None else n
    return complex_lines(a, size, n is None, axis, factor_of(size, _swapped(norm, size)), 1)


def rfft(a: Any, n: int | None = None, axis: int = -1, norm: Norm = None) -> Pair:
    x = np.asarray(a)
    size = _along(x, axis) if n is None else n
    return real_lines(x, size, n is None, axis, factor_of(size, norm))


def irfft(a: Pair, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    size = (_along(a[0], axis) - 1) * 2 if n is None else n
    return half_lines(a, size, n is None, axis, factor_of(size, _swapped(norm, size)))


def hfft(a: Pair, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    size = (_along(a[0], axis) - 1) * 2 if n is None else n
    factor = factor_of(size, _swapped(_swapped(norm, 1), size))
    return half_lines((a[0], -a[1]), size, n is None, axis, factor)


def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: Norm = None) -> Pair:
    x = np.asarray(a)
    size = _along(x, axis) if n is None else n
    real, imag = real_lines(x, size, n is None, axis, factor_of(size, _swapped(norm, 1)))
    return real, -imag


def _along(x: Any, axis: int) -> int:
    if not -x.ndim <= axis < x.ndim:
        raise IndexError("tuple index out of range")
    return x.shape[axis]  # type: ignore[no-any-return]  # an array of any type


def _swapped(norm: Norm, size: int) -> Norm:
    """Return the scaling of the inverse transform, which has the other direction."""
    if size < 1:  # which NumPy finds first
        raise ValueError(f"Invalid number of FFT data points ({size}) specified.")
    if norm is None or norm == "backward":
        return "forward"
    if norm == "forward":
        return "backward"
    if norm != "ortho":
        raise ValueError(
            f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".'
        )
    return norm


def factor_of(size: int, norm: Norm) -> float:
    """Return the number by which the sums of a transform of this length are multiplied."""
    if size < 1:
        raise ValueError(f"Invalid number of FFT data points ({size}) specified.")
    if norm is None or norm == "backward":
        return 1.0
    if norm == "ortho":
        return 1.0 / np.sqrt(float(size))  # type: ignore[no-any-return]  # a number of NumPy
    if norm == "forward":
        return 1.0 / float(size)
    raise ValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')


# --- lines along an axis, as rows ----------------------------------------------------------------


def complex_lines(
    a: Pair, size: int, whole: bool, axis: int, factor: float, inverse: int
) -> Pair:
    """Return the transforms of the lines along an axis, which get the length ``size`` first unless
    they have it (``whole``)."""
    x, y = _rows(a[0], size, whole, axis), _rows(a[1], size, whole, axis)
    return _pair_of(transform(x, y, factor, inverse), a[0], axis)


def real_lines(x: Any, size: int, whole: bool, axis: int, factor: float) -> Pair:
    return _pair_of(real_transform(_rows(x, size, whole, axis), factor), x, axis)


def half_lines(a: Pair, size: int, whole: bool, axis: int, factor: float) -> Any:
    half = size // 2 + 1
    x, y = _rows(a[0], half, whole, axis), _rows(a[1], half, whole, axis)
    found = half_transform(x, y, size, factor)
    if a[0].dtype == np.float32:
        found = found.astype(np.float32)
    if a[0].ndim == 1:
        return own(found[0])
    if a[0].ndim == 2:
        return own(np.moveaxis(found, -1, axis))
    lines = np.reshape(found, (*_beside(a[0], axis), found.shape[1]))
    return own(np.moveaxis(lines, -1, axis))


def _rows(x: Any, size: int, whole: bool, axis: int) -> Any:
    """Return the lines along an axis as the rows of a matrix."""
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    lines = np.moveaxis(x, axis, -1)
    if not whole:
        lines = fitted(lines, size)
    if x.ndim == 1:
        return lines[None, :]
    if x.ndim == 2:
        return lines
    count = 1
    for n in lines.shape[:-1]:
        count *= n
    return np.reshape(lines, (count, lines.shape[-1]))


def fitted(lines: Any, size: int) -> Any:
    """Return lines of this length: the first items, or zeros behind them."""
    have = lines.shape[-1]
    if have >= size:
        return lines[..., :size]
    rest = np.zeros((*lines.shape[:-1], size - have), dtype=lines.dtype)
    return np.concatenate((lines, rest), axis=-1)


def _beside(x: Any, axis: int) -> tuple[int, ...]:
    """Return the extents without that of an axis."""
    place = known(axis) % x.ndim
    return x.shape[:place] + x.shape[place + 1 :]  # type: ignore[no-any-return]  # a shape


def _pair_of(pairs: Any, like: Any, axis: int) -> Pair:
    """Return transformed rows as the lines along the axis of an array like this one."""
    if like.dtype == np.float32:
        pairs = pairs.astype(np.float32)
    if like.ndim == 1:
        return two_parts(pairs[0])
    if like.ndim == 2:
        return two_parts(np.moveaxis(pairs, -2, known(axis) % 2))
    lines = np.reshape(pairs, (*_beside(like, axis), pairs.shape[1], 2))
    return two_parts(np.moveaxis(lines, -2, axis % like.ndim))


# --- several axes --------------------------------------------------------------------------------


def fftn(a: Pair, s: Any = None, axes: Any = None, norm: Norm = None) -> Pair:
    found, left = a, axes_of(a[0], s, axes)
    for _ in times(len(left)):
        found = fft(found, length_of(a[0], s, left), known(left[-1]), norm)
        left = left[:-1]
    return found


def ifftn(a: Pair, s: Any = None, axes: Any = None, norm: Norm = None) -> Pair:
    found, left = a, axes_of(a[0], s, axes)
    for _ in times(len(left)):
        found = ifft(found, length_of(a[0], s, left), known(left[-1]), norm)
        left = left[:-1]
    return found


def fft2(a: Pair, s: Any = None, axes: Any = (-2, -1), norm: Norm = None) -> Pair:
    return fftn(a, s, axes, norm)


def ifft2(a: Pair, s: Any = None, axes: Any = (-2, -1), norm: Norm = None) -> Pair:
    return ifftn(a, s, axes, norm)


def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Norm = None) -> Pair:
    x = np.asarray(a)
    left = axes_of(x, s, axes)
    found = rfft(x, length_of(x, s, left), known(left[-1]), norm)
    for _ in times(len(left) - 1):
        left = left[:-1]
        found = fft(found, length_of(x, s, left), known(left[-1]), norm)
    return found


def irfftn(a: Pair, s: Any = None, axes: Any = None, norm: Norm = None) -> Any:
    found, places = a, axes_of(a[0], s, axes)
    done = places[:1]
    for _ in times(len(places) - 1):
        found = ifft(found, length_of(a[0], s, done), known(done[-1]), norm)
        done = places[: len(done) + 1]
    return irfft(found, length_of(a[0], s, places), known(places[-1]), norm)


def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Norm = None) -> Pair:
    return rfftn(a, s, axes, norm)


def irfft2(a: Pair, s: Any = None, axes: Any = (-2, -1), norm: Norm = None) -> Any:
    return irfftn(a, s, axes, norm)


def axes_of(x: Any, s: Any, axes: Any) -> Any:
    """Return the axes of a transform: all, the last ones for which there is a length, or these."""
    if axes is None:
        return first_axes(x.ndim) if s is None else last_axes(len(s))
    if s is not None and len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if len(axes) == 0:
        unsupported("a transform along no axis", "name an axis")
    left = known(tuple(axes))
    for _ in times(len(left)):
        if s is None and not -x.ndim <= left[0] < x.ndim:
            raise IndexError(f"index {left[0]} is out of bounds for axis 0 with size {x.ndim}")
        left = left[1:]
    return known(tuple(axes))


def first_axes(number: int) -> tuple[int, ...]:
    axes: tuple[int, ...] = ()
    for _ in times(number):
        axes = (*axes, len(axes))
    return axes


def last_axes(number: int) -> tuple[int, ...]:
    axes: tuple[int, ...] = ()
    for _ in times(number):
        axes = (-1 - len(axes), *axes)
    return axes


def length_of(x: Any, s: Any, axes: Any) -> Any:
    """Return the length of a transform along the last of the axes; None: that of the axis."""
    if s is None:
        return None
    at = len(axes) - 1
    return x.shape[known(axes[at])] if s[at] == -1 else s[at]


# --- shifts and frequencies ----------------------------------------------------------------------


def fftshift(x: Any, axes: Any = None) -> Any:
    """Return an array whose first item comes to the middle."""
    a = np.asarray(x)
    if axes is None:
        return np.roll(a, tuple(n // 2 for n in a.shape), first_axes(a.ndim))
    if isinstance(axes, (int, np.integer)):
        return np.roll(a, a.shape[axes] // 2, axes)
    return np.roll(a, tuple(a.shape[k] // 2 for k in axes), axes)


def ifftshift(x: Any, axes: Any = None) -> Any:
    """Return an array whose middle item comes to the front."""
    a = np.asarray(x)
    if axes is None:
        return np.roll(a, tuple(-(n // 2) for n in a.shape), first_axes(a.ndim))
    if isinstance(axes, (int, np.integer)):
        return np.roll(a, -(a.shape[axes] // 2), axes)
    return np.roll(a, tuple(-(a.shape[k] // 2) for k in axes), axes)


def fftfreq(n: int, d: float = 1.0) -> Any:
    if not isinstance(n, (int, np.integer)):
        raise ValueError("n should be an integer")
    step = 1.0 / (n * d)
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    k = np.arange(n)
    return np.where(k < (n - 1) // 2 + 1, k, k - n) * step


def rfftfreq(n: int, d: float = 1.0) -> Any:
    if not isinstance(n, (int, np.integer)):
        raise ValueError("n should be an integer")
    step = 1.0 / (n * d)
    return np.arange(n // 2 + 1) * step
