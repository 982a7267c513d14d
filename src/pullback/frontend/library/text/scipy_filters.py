"""Filters of ``scipy.ndimage`` as plain Python that the front end compiles: an array is made longer
at its ends, as the mode says, and each item of the result is a sum, a maximum or a rank of a window
of it. All of it has a derivative, also by the weights and by the widths of Gaussians."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text_helpers import axes, known, of_axis, times, unsupported


def _image(x: Any, output: Any, ranked: bool = False) -> Array:
    """Return the array; ``ranked``: its items are chosen, and not summed up."""
    a = np.asarray(x)
    if output is not None:
        unsupported("a filter with output", "leave it away, and convert the result")
    if np.iscomplexobj(a):
        unsupported("a filter of complex numbers", "filter the parts")
    is_real = a.dtype == np.float64 or a.dtype == np.float32
    if not ranked and not is_real:
        unsupported("a filter of ints, whose result are ints", "convert them to float64")
    if ranked and is_real and np.any(np.isnan(a)):
        raise NotImplementedError("a filter that chooses items, of NaN")
    return a


def _chosen(x: Array, given: Any) -> Any:
    """Return the axes of a filter."""
    if given is None:
        return axes(x)
    each = given if isinstance(given, tuple) else (given,)
    return tuple(known(axis) % x.ndim for axis in each)


def _places(n: int, before: int, behind: int, mode: str) -> Vector:
    """Return which item stands in each place of the longer array."""
    k = np.arange(-before, n + behind)
    if mode == "reflect" or mode == "grid-mirror":
        k = k % (2 * n)
        return np.where(k < n, k, 2 * n - 1 - k)
    if mode == "mirror":
        if n == 1:
            return k * 0
        k = k % (2 * n - 2)
        return np.where(k < n, k, 2 * n - 2 - k)
    if mode == "nearest":
        return np.minimum(np.maximum(k, 0), n - 1)
    if mode == "wrap" or mode == "grid-wrap":
        return k % n
    raise RuntimeError("boundary mode not supported")


def _longer(x: Array, before: int, behind: int, mode: str, cval: float, axis: int) -> Array:
    """Return the array with so many items more along an axis."""
    y = np.moveaxis(x, axis, 0)
    n = y.shape[0]
    if mode == "constant" or mode == "grid-constant":
        k = np.arange(-before, n + behind)
        inner = y[np.minimum(np.maximum(k, 0), n - 1)]
        out = ((k < 0) | (k >= n)).reshape((-1,) + (1,) * (y.ndim - 1))
        around = np.asarray(cval).astype(x.dtype)
        return np.moveaxis(np.where(out, around, inner), 0, axis)
    return np.moveaxis(y[_places(n, before, behind, mode)], 0, axis)


def _reach(size: int, origin: int) -> int:
    """Return how many items of a window lie before its own."""
    middle: int = size // 2 + origin
    if middle < 0 or middle >= size:
        raise ValueError("Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= "
                         "(len(weights)-1) // 2")  # fmt: skip
    return middle


def correlate1d(input: Array, weights: Vector, axis: int = -1, output: Any = None,
                mode: str = "reflect", cval: float = 0.0, origin: int = 0) -> Array:  # fmt: skip
    """Return the sums of windows along an axis, each item by its weight."""
    x, w = _image(input, output), np.asarray(weights)
    if w.ndim != 1 or w.shape[0] < 1:
        raise RuntimeError("no filter weights given")
    if x.size == 0:
        return 1.0 * x
    before = _reach(w.shape[0], origin)
    y = _longer(x, before, w.shape[0] - 1 - before, mode, cval, axis)
    found = np.sum(sliding_window_view(y, w.shape[0], axis=axis) * w, axis=-1)
    return found.astype(x.dtype)


def convolve1d(input: Array, weights: Vector, axis: int = -1, output: Any = None,
               mode: str = "reflect", cval: float = 0.0, origin: int = 0) -> Array:  # fmt: skip
    w = np.asarray(weights)
    turned = -origin - (1 if w.shape[0] % 2 == 0 else 0)
    return correlate1d(input, w[::-1], axis, output, mode, cval, turned)


def _windows(x: Array, shape: Any, mode: Any, cval: float, origin: Any) -> Array:
    """Return the windows of all items: their axes are the last ones."""
    y = x
    for axis in axes(x):
        size = shape[axis]
        before = _reach(size, of_axis(origin, axis))
        y = _longer(y, before, size - 1 - before, of_axis(mode, axis), cval, axis)
    return sliding_window_view(y, shape)


def correlate(input: Array, weights: Array, output: Any = None, mode: str = "reflect",
              cval: float = 0.0, origin: Any = 0) -> Array:  # fmt: skip
    """Return the sums of windows along all axes, each item by its weight."""
    x, w = _image(input, output), np.asarray(weights)
    if w.ndim != x.ndim:
        raise RuntimeError(
            f"weights.ndim ({w.ndim}) must match len(axes) ({x.ndim})"
        )
    found = np.sum(_windows(x, w.shape, mode, cval, origin) * w, axis=axes(w, True))
    return found.astype(x.dtype)


def convolve(input: Array, weights: Array, output: Any = None, mode: str = "reflect",
             cval: float = 0.0, origin: int = 0) -> Array:  # fmt: skip
    w = np.asarray(weights)
    if isinstance(origin, (tuple, list, np.ndarray)):
        unsupported("a convolution with several origins", "correlate with turned weights")
    turned = tuple(-origin - (1 if n % 2 == 0 else 0) for n in w.shape)
    return correlate(input, np.flip(w), output, mode, cval, turned)


# --- Gaussians ------------------------------------------------------------------------------------


def _gaussian(sigma: float, order: int, radius: int) -> Vector:
    """Return the weights of a Gaussian, or of its derivative of an order."""
    x = np.arange(-radius, radius + 1)
    bell = np.exp(-0.5 / (sigma * sigma) * x**2)
    bell = bell / np.sum(bell)
    slope = -x / (sigma * sigma)
    before, factor, drop = np.zeros_like(bell), np.ones_like(bell), 0.0
    for _ in times(order):
        before, factor = factor, slope * factor - drop * before
        drop += 1.0 / (sigma * sigma)
    return (factor * bell)[::-1]


def gaussian_filter1d(input: Array, sigma: float, axis: int = -1, order: int = 0,
                      output: Any = None, mode: str = "reflect", cval: float = 0.0,
                      truncate: float = 4.0, *, radius: Any = None) -> Array:  # fmt: skip
    if order < 0:
        raise ValueError("order must be non-negative")
    wide = float(sigma)
    reach = int(truncate * wide + 0.5) if radius is None else radius
    return correlate1d(input, _gaussian(wide, order, reach), axis, output, mode, cval, 0)


def gaussian_filter(input: Array, sigma: Any, order: Any = 0, output: Any = None,
                    mode: Any = "reflect", cval: float = 0.0, truncate: float = 4.0, *,
                    radius: Any = None, axes: Any = None) -> Array:  # fmt: skip
    x = _image(input, output)
    y = 1.0 * x
    for k, axis in enumerate(_chosen(x, axes)):
        wide = of_axis(sigma, k)
        if wide > 1e-15:
            y = gaussian_filter1d(y, wide, axis, of_axis(order, k), None,
                                  of_axis(mode, k), cval, truncate,
                                  radius=of_axis(radius, k))  # fmt: skip
    return y


def gaussian_laplace(input: Array, sigma: Any, output: Any = None, mode: Any = "reflect",
                     cval: float = 0.0) -> Array:  # fmt: skip
    """Return the sum of the second derivatives by a Gaussian."""
    x = _image(input, output)
    total = 0.0 * x
    for axis in axes(x):
        order = tuple(2 if k == axis else 0 for k in axes(x))
        total = total + gaussian_filter(x, sigma, order, None, mode, cval)
    return total


def gaussian_gradient_magnitude(input: Array, sigma: Any, output: Any = None,
                                mode: Any = "reflect", cval: float = 0.0) -> Array:  # fmt: skip
    x = _image(input, output)
    total = 0.0 * x
    for axis in axes(x):
        order = tuple(1 if k == axis else 0 for k in axes(x))
        total = total + gaussian_filter(x, sigma, order, None, mode, cval) ** 2
    return np.sqrt(total)


# --- slopes and means -----------------------------------------------------------------------------


def _slope(x: Array, axis: int, across: Any, mode: Any, cval: float) -> Array:
    own = known(axis) % x.ndim
    y = correlate1d(x, np.array([-1.0, 0.0, 1.0]), own, None, of_axis(mode, own), cval, 0)
    for k in axes(x):
        if k != own:
            y = correlate1d(y, np.array(across), k, None, of_axis(mode, k), cval, 0)
    return y


def sobel(input: Array, axis: int = -1, output: Any = None, mode: Any = "reflect",
          cval: float = 0.0) -> Array:  # fmt: skip
    return _slope(_image(input, output), axis, [1.0, 2.0, 1.0], mode, cval)


def prewitt(input: Array, axis: int = -1, output: Any = None, mode: Any = "reflect",
            cval: float = 0.0) -> Array:  # fmt: skip
    return _slope(_image(input, output), axis, [1.0, 1.0, 1.0], mode, cval)


def laplace(input: Array, output: Any = None, mode: Any = "reflect",
            cval: float = 0.0) -> Array:  # fmt: skip
    x = _image(input, output)
    total = 0.0 * x
    for axis in axes(x):
        total = total + correlate1d(x, np.array([1.0, -2.0, 1.0]), axis, None,
                                    of_axis(mode, axis), cval, 0)  # fmt: skip
    return total


def uniform_filter1d(input: Array, size: int, axis: int = -1, output: Any = None,
                     mode: str = "reflect", cval: float = 0.0, origin: int = 0,
) -> Array:  # fmt: skip
    if size < 1:
        raise RuntimeError("incorrect filter size")
    return correlate1d(input, np.ones(size) / size, axis, output, mode, cval, origin)


def uniform_filter(input: Array, size: Any = 3, output: Any = None, mode: Any = "reflect",
                   cval: float = 0.0, origin: Any = 0, *,
                   axes: Any = None) -> Array:  # fmt: skip
    x = _image(input, output)
    y = 1.0 * x
    for k, axis in enumerate(_chosen(x, axes)):
        y = uniform_filter1d(y, of_axis(size, k), axis, None, of_axis(mode, k), cval,
                             of_axis(origin, k))  # fmt: skip
    return y


# --- largest, least, ranks ------------------------------------------------------------------------


def _extreme(x: Array, size: int, axis: int, mode: str, cval: float, origin: int,
             least: bool) -> Array:  # fmt: skip
    before = _reach(size, origin)
    y = _longer(x, before, size - 1 - before, mode, cval, axis)
    windows = sliding_window_view(y, size, axis=axis)
    return np.min(windows, axis=-1) if least else np.max(windows, axis=-1)


def maximum_filter1d(input: Array, size: int, axis: int = -1, output: Any = None,
                     mode: str = "reflect", cval: float = 0.0, origin: int = 0,
) -> Array:  # fmt: skip
    return _extreme(_image(input, output, True), size, axis, mode, cval, origin, False)


def minimum_filter1d(input: Array, size: int, axis: int = -1, output: Any = None,
                     mode: str = "reflect", cval: float = 0.0, origin: int = 0,
) -> Array:  # fmt: skip
    return _extreme(_image(input, output, True), size, axis, mode, cval, origin, True)


def _extremes(input: Any, size: Any, footprint: Any, output: Any, mode: Any, cval: float,
              origin: Any, chosen: Any, least: bool) -> Array:  # fmt: skip
    if size is None and footprint is None:
        raise RuntimeError("no footprint provided")
    x = _image(input, output, True)
    if footprint is not None:
        if chosen is not None:
            unsupported("a filter with footprint and axes", "one of them")
        found = _items(x, footprint, mode, cval, origin)
        return np.min(found, axis=-1) if least else np.max(found, axis=-1)
    y = x
    for k, axis in enumerate(_chosen(x, chosen)):
        y = _extreme(y, of_axis(size, k), axis, of_axis(mode, k), cval, of_axis(origin, k), least)
    return y


def maximum_filter(input: Array, size: Any = None, footprint: Any = None, output: Any = None,
                   mode: Any = "reflect", cval: float = 0.0, origin: Any = 0, *,
                   axes: Any = None) -> Array:  # fmt: skip
    return _extremes(input, size, footprint, output, mode, cval, origin, axes, False)


def minimum_filter(input: Array, size: Any = None, footprint: Any = None, output: Any = None,
                   mode: Any = "reflect", cval: float = 0.0, origin: Any = 0, *,
                   axes: Any = None) -> Array:  # fmt: skip
    return _extremes(input, size, footprint, output, mode, cval, origin, axes, True)


def _items(x: Array, footprint: Any, mode: Any, cval: float, origin: Any) -> Array:
    """Return the items of all windows of this form, in a last axis."""
    mask = np.asarray(footprint)
    if mask.ndim != x.ndim:
        raise RuntimeError(
            f"footprint.ndim ({mask.ndim}) must match len(axes) ({x.ndim})"
        )
    places = np.flatnonzero(np.ravel(mask) != 0)
    if len(places) == 0:
        raise ValueError("All-zero footprint is not supported.")
    windows = _windows(x, mask.shape, mode, cval, origin)
    return np.reshape(windows, (*x.shape, -1))[..., places]


def _sorted(x: Array, size: Any, footprint: Any, mode: Any, cval: float, origin: Any) -> Array:
    """Return the items of all windows, sorted."""
    if footprint is not None:
        return np.sort(_items(x, footprint, mode, cval, origin), axis=-1)
    if size is None:
        raise RuntimeError("no footprint or filter size provided")
    shape = tuple(of_axis(size, k) for k in axes(x))
    windows = _windows(x, shape, mode, cval, origin)
    return np.sort(np.reshape(windows, (*x.shape, -1)), axis=-1)


def rank_filter(input: Array, rank: int, size: Any = None, footprint: Any = None,
                output: Any = None, mode: Any = "reflect", cval: float = 0.0,
                origin: Any = 0) -> Array:  # fmt: skip
    found = _sorted(_image(input, output, True), size, footprint, mode, cval, origin)
    n = found.shape[-1]
    k = rank + n if rank < 0 else rank
    if k < 0 or k >= n:
        raise RuntimeError("rank not within filter footprint size")
    return found[..., k]


def median_filter(input: Array, size: Any = None, footprint: Any = None, output: Any = None,
                  mode: Any = "reflect", cval: float = 0.0, origin: Any = 0) -> Array:  # fmt: skip
    found = _sorted(_image(input, output, True), size, footprint, mode, cval, origin)
    return found[..., found.shape[-1] // 2]


def percentile_filter(input: Array, percentile: float, size: Any = None, footprint: Any = None,
                      output: Any = None, mode: Any = "reflect", cval: float = 0.0,
                      origin: Any = 0) -> Array:  # fmt: skip
    found = _sorted(_image(input, output, True), size, footprint, mode, cval, origin)
    p = percentile + 100.0 if percentile < 0.0 else percentile
    if p < 0.0 or p > 100.0:
        raise RuntimeError("invalid percentile")
    n = found.shape[-1]
    return found[..., n - 1 if p == 100.0 else int(n * p / 100.0)]


# --- functions of one's own -----------------------------------------------------------------------


def generic_filter(input: Array, function: Any, size: Any = None, footprint: Any = None,
                   output: Any = None, mode: Any = "reflect", cval: float = 0.0, origin: Any = 0,
                   extra_arguments: Any = (), extra_keywords: Any = None) -> Array:  # fmt: skip
    """Return a function of the items of each window."""
    if extra_keywords is not None:
        unsupported("generic_filter with extra_keywords", "a function that has captured them")
    if size is None and footprint is None:
        raise RuntimeError("no footprint or filter size provided")
    x = _image(input, output)
    if footprint is None:
        shape = tuple(of_axis(size, k) for k in axes(x))
        windows = np.reshape(_windows(x, shape, mode, cval, origin), (x.size, -1))
    else:
        windows = np.reshape(_items(x, footprint, mode, cval, origin), (x.size, -1))
    found = np.array([function(window, *extra_arguments) for window in windows])
    return found.astype(x.dtype).reshape(x.shape)


def generic_gradient_magnitude(input: Array, derivative: Any, output: Any = None,
                               mode: Any = "reflect", cval: float = 0.0, extra_arguments: Any = (),
                               extra_keywords: Any = None) -> Array:  # fmt: skip
    if extra_keywords is not None:
        unsupported("a generic gradient with extra_keywords", "a function that has captured them")
    x = _image(input, output)
    total = 0.0 * x
    for axis in axes(x):
        made = derivative(x, axis, None, of_axis(mode, axis), cval, *extra_arguments)
        total = total + made * made
    return np.sqrt(total)


def generic_laplace(input: Array, derivative2: Any, output: Any = None, mode: Any = "reflect",
                    cval: float = 0.0, extra_arguments: Any = (),
                    extra_keywords: Any = None) -> Array:  # fmt: skip
    if extra_keywords is not None:
        unsupported("a generic Laplacian with extra_keywords", "a function that has captured them")
    x = _image(input, output)
    total = 0.0 * x
    for axis in axes(x):
        total = total + derivative2(x, axis, None, of_axis(mode, axis), cval, *extra_arguments)
    return total
