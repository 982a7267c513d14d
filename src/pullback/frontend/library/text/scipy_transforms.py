"""``scipy.fft`` as plain Python that the front end compiles: the Fourier transforms of ``np.fft``
(``fourier_transforms``) with SciPy's arguments and errors. ``workers=`` and ``overwrite_x=`` change
nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text import fourier_transforms
from pullback.frontend.library.text.fourier_transforms import (
    Pair,
    complex_lines,
    factor_of,
    first_axes,
    half_lines,
    last_axes,
    length_of,
    real_lines,
)
from pullback.frontend.library.text_helpers import known, times, unsupported

Norm = str | None

# --- one axis ------------------------------------------------------------------------------------


def fft(x: Pair, n: int | None = None, axis: int = -1, norm: Norm = None,
        overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Pair:
    scale = scale_of(norm, True, plan, workers)
    size = size_of(x[0], n, axis)
    return complex_lines(x, size, n is None, axis, factor_of(size, scale), 0)


def ifft(x: Pair, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Pair:
    scale = scale_of(norm, False, plan, workers)
    size = size_of(x[0], n, axis)
    return complex_lines(x, size, n is None, axis, factor_of(size, scale), 1)


def rfft(x: Any, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Pair:
    a, scale = np.asarray(x), scale_of(norm, True, plan, workers)
    size = size_of(a, n, axis)
    return real_lines(a, size, n is None, axis, factor_of(size, scale))


def ihfft(x: Any, n: int | None = None, axis: int = -1, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Pair:
    a, scale = np.asarray(x), scale_of(norm, False, plan, workers)
    size = size_of(a, n, axis)
    real, imag = real_lines(a, size, n is None, axis, factor_of(size, scale))
    return real, -imag


def irfft(x: Pair, n: int | None = None, axis: int = -1, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Any:
    scale = scale_of(norm, False, plan, workers)
    size = _whole_size(x[0], n, axis)
    return half_lines(x, size, n is None, axis, factor_of(size, scale))


def hfft(x: Pair, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Any:
    scale = scale_of(norm, True, plan, workers)
    size = _whole_size(x[0], n, axis)
    return half_lines((x[0], -x[1]), size, n is None, axis, factor_of(size, scale))


def scale_of(norm: Norm, forward: bool, plan: Any, workers: int | None) -> str:
    """Return the scaling of the sums: that of a forward transform of this name."""
    if plan is not None:
        raise NotImplementedError(
            "Passing a precomputed plan is not yet supported by scipy.fft functions"
        )
    if norm is not None and norm != "backward" and norm != "ortho" and norm != "forward":
        raise ValueError(
            f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"'
        )
    if workers == 0:
        raise ValueError("workers must not be zero")
    if norm == "ortho":
        return "ortho"
    return "backward" if (norm == "forward") != forward else "forward"


def size_of(x: Any, n: int | None, axis: int) -> int:
    """Return the length of a transform."""
    if not -x.ndim <= axis < x.ndim:
        raise IndexError("tuple index out of range")
    size: int = x.shape[axis] if n is None else n
    if size < 1:
        raise ValueError(f"invalid number of data points ({size}) specified")
    return size


def _whole_size(x: Any, n: int | None, axis: int) -> int:
    """Return the length of the result of an inverse transform to real numbers."""
    if not -x.ndim <= axis < x.ndim:
        raise IndexError("tuple index out of range")
    if n is not None:
        if n < 1:
            raise ValueError(f"invalid number of data points ({n // 2 + 1}) specified")
        return n
    size: int = (x.shape[axis] - 1) * 2
    if size < 1:
        raise ValueError(f"Invalid number of data points ({size}) specified")
    return size


# --- several axes --------------------------------------------------------------------------------


def fftn(x: Pair, s: Any = None, axes: Any = None, norm: Norm = None, overwrite_x: bool = False,
         workers: int | None = None, *, plan: Any = None) -> Pair:
    scale_of(norm, True, plan, workers)
    places, sizes = axes_of(x[0], s, axes), _lengths(s)
    return fourier_transforms.fftn(x, sizes, places, norm)


def ifftn(x: Pair, s: Any = None, axes: Any = None, norm: Norm = None, overwrite_x: bool = False,
          workers: int | None = None, *, plan: Any = None) -> Pair:
    scale_of(norm, False, plan, workers)
    places, sizes = axes_of(x[0], s, axes), _lengths(s)
    return fourier_transforms.ifftn(x, sizes, places, norm)


def rfftn(x: Any, s: Any = None, axes: Any = None, norm: Norm = None, overwrite_x: bool = False,
          workers: int | None = None, *, plan: Any = None) -> Pair:
    scale_of(norm, True, plan, workers)
    a = np.asarray(x)
    places, sizes = axes_of(a, s, axes), _lengths(s)
    return fourier_transforms.rfftn(a, sizes, places, norm)


def ihfftn(x: Any, s: Any = None, axes: Any = None, norm: Norm = None, overwrite_x: bool = False,
           workers: int | None = None, *, plan: Any = None) -> Pair:
    scale = scale_of(norm, False, plan, workers)
    a = np.asarray(x)
    places, sizes = axes_of(a, s, axes), _lengths(s)
    real, imag = fourier_transforms.rfftn(a, sizes, places, scale)
    return real, -imag


def irfftn(x: Pair, s: Any = None, axes: Any = None, norm: Norm = None, overwrite_x: bool = False,
           workers: int | None = None, *, plan: Any = None) -> Any:
    scale_of(norm, False, plan, workers)
    places, sizes = axes_of(x[0], s, axes), _lengths(s)
    return fourier_transforms.irfftn(x, sizes, places, norm)


def hfftn(x: Pair, s: Any = None, axes: Any = None, norm: Norm = None, overwrite_x: bool = False,
          workers: int | None = None, *, plan: Any = None) -> Any:
    scale = scale_of(norm, False, plan, workers)
    places, sizes = axes_of(x[0], s, axes), _lengths(s)
    return fourier_transforms.irfftn((x[0], -x[1]), sizes, places, scale)


def fft2(x: Pair, s: Any = None, axes: Any = (-2, -1), norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Pair:
    return fftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ifft2(x: Pair, s: Any = None, axes: Any = (-2, -1), norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Pair:
    return ifftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def rfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Pair:
    return rfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ihfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Norm = None,
           overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Pair:
    return ihfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def irfft2(x: Pair, s: Any = None, axes: Any = (-2, -1), norm: Norm = None,
           overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Any:
    return irfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def hfft2(x: Pair, s: Any = None, axes: Any = (-2, -1), norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Any = None) -> Any:
    return hfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def _lengths(s: Any) -> Any:
    return (s,) if isinstance(s, (int, np.integer)) else s


def axes_of(x: Any, s: Any, axes: Any) -> Any:
    """Return the axes of a transform, counted from 0; an error unless they fit the array and the
    lengths."""
    sizes = _lengths(s)
    if axes is None:
        if sizes is not None and len(sizes) > x.ndim:
            raise ValueError("shape requires more axes than are present")
        found = first_axes(x.ndim) if sizes is None else _counted(x, last_axes(len(sizes)))
    else:
        one = isinstance(axes, (int, np.integer))
        found = _counted(x, (known(axes),) if one else known(tuple(axes)))
        if sizes is not None and len(sizes) != len(found):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
    if len(found) == 0:
        unsupported("a transform along no axis", "name an axis")
    _require_lengths(x, sizes, found)
    return found


def _counted(x: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Return axes counted from 0, each of them once."""
    left, found = known(axes), first_axes(0)
    for _ in times(len(left)):
        if not -x.ndim <= left[0] < x.ndim:
            raise ValueError("axes exceeds dimensionality of input")
        found = (*found, left[0] % x.ndim)
        left = left[1:]
    if len(set(found)) != len(found):
        raise ValueError("all axes must be unique")
    return known(found)  # type: ignore[no-any-return]  # what it was given


def _require_lengths(x: Any, sizes: Any, axes: tuple[int, ...]) -> None:
    left, lengths = axes, first_axes(0)
    for _ in times(len(axes)):
        size = length_of(x, sizes, axes[: len(lengths) + 1])
        lengths = (*lengths, x.shape[known(left[0])] if size is None else size)
        left = left[1:]
    if min(lengths) < 1:
        raise ValueError(f"invalid number of data points ({list(lengths)}) specified")


# --- shifts, frequencies, lengths ----------------------------------------------------------------


def fftshift(x: Any, axes: Any = None) -> Any:
    return fourier_transforms.fftshift(x, axes)


def ifftshift(x: Any, axes: Any = None) -> Any:
    return fourier_transforms.ifftshift(x, axes)


def fftfreq(n: int, d: float = 1.0) -> Any:
    return fourier_transforms.fftfreq(n, d)


def rfftfreq(n: int, d: float = 1.0) -> Any:
    return fourier_transforms.rfftfreq(n, d)


def next_fast_len(target: int, real: bool = False) -> int:
    """Return the first length from ``target`` on without a large prime factor."""
    if target < 0:
        raise ValueError("Target length must be positive")
    size = target
    while _rest(size, real) > 1:
        size += 1
    return size


def prev_fast_len(target: int, real: bool = False) -> int:
    if target < 0:
        raise ValueError("Target length must be positive")
    size = target
    while _rest(size, real) > 1:
        size -= 1
    return size


def _rest(size: int, real: bool) -> int:
    """Return what is left without the small prime factors: up to 5, or 11 of complex numbers."""
    rest = max(size, 1)
    for factor in (2, 3, 5):
        while rest % factor == 0:
            rest //= factor
    if not real:
        for factor in (7, 11):
            while rest % factor == 0:
                rest //= factor
    return rest
