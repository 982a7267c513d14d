"""Filters of Fourier transforms of ``scipy.ndimage`` as plain Python that the front end compiles:
what the transform of an image, real or complex, is multiplied by."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text_helpers import axes, known, of_axis, unsupported


def _image(input: Any, output: Any) -> Any:
    if output is not None:
        unsupported("a Fourier filter with output", "leave it away, and convert the result")
    x = np.asarray(input)
    return x if np.iscomplexobj(x) or x.dtype == np.float32 else x * 1.0


def _turns(x: Array, k: int, n: int, axis: int) -> Array:
    """Return the frequencies along an axis, in turns for each item, in the place of that axis."""
    size = x.shape[k]
    at = np.arange(size) * 1.0
    if n >= 0 and k == axis % x.ndim:
        return _along(at / n, k, x.ndim)
    return _along(np.where(at < (size + 1) // 2, at, at - size) / size, k, x.ndim)


def _along(v: Vector, k: int, rank: int) -> Array:
    before, count = known(k), known(rank)
    return v.reshape((1,) * before + (-1,) + (1,) * (count - 1 - before))


def _as(x: Any, made: Any) -> Any:
    return made.astype(x.dtype)


def fourier_gaussian(input: Array, sigma: Any, n: int = -1, axis: int = -1,
                     output: Any = None) -> Any:  # fmt: skip
    x = _image(input, output)
    made = x
    for k in axes(np.real(x)):
        turns = 2.0 * math.pi * of_axis(sigma, k) * _turns(x, k, n, axis)
        made = made * np.exp(-0.5 * turns * turns)
    return _as(x, made)


def fourier_uniform(input: Array, size: Any, n: int = -1, axis: int = -1,
                    output: Any = None) -> Any:  # fmt: skip
    x = _image(input, output)
    made = x
    for k in axes(np.real(x)):
        made = made * np.sinc(of_axis(size, k) * _turns(x, k, n, axis))
    return _as(x, made)


def fourier_ellipsoid(input: Array, size: Any, n: int = -1, axis: int = -1,
                      output: Any = None) -> Any:  # fmt: skip
    x = _image(input, output)
    rank = len(axes(np.real(x)))
    if rank > 3:
        raise NotImplementedError("Only 1d, 2d and 3d inputs are supported")
    square: Any = 0.0
    for k in axes(np.real(x)):
        turns = math.pi * of_axis(size, k) * _turns(x, k, n, axis)
        square = square + turns * turns
    far = square > 0.0
    r = np.sqrt(np.where(far, square, 1.0))
    if rank == 1:
        by = np.sin(r) / r
    elif rank == 2:
        by = 2.0 * scipy.special.j1(r) / r
    else:
        by = 3.0 * (np.sin(r) - r * np.cos(r)) / r**3
    return _as(x, x * np.where(far, by, 1.0))


def fourier_shift(input: Array, shift: Any, n: int = -1, axis: int = -1,
                  output: Any = None) -> Any:  # fmt: skip
    x = _image(input, output)
    made = x + 0j
    for k in axes(np.real(x)):
        made = made * np.exp(-2j * math.pi * of_axis(shift, k) * _turns(x, k, n, axis))
    return made
