"""Interpolation of images of ``scipy.ndimage`` by splines, as plain Python that the front end
compiles: M. Unser, A. Aldroubi and M. Eden, "B-spline signal processing" (1993). Everything has a
derivative, by the image and by the places: the coordinates, a matrix, an offset, an angle.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text_helpers import axes, of_axis, unsupported

_POLES: Any = {
    2: (math.sqrt(8.0) - 3.0,),
    3: (math.sqrt(3.0) - 2.0,),
    4: (math.sqrt(664.0 - math.sqrt(438976.0)) + math.sqrt(304.0) - 19.0,
        math.sqrt(664.0 + math.sqrt(438976.0)) - math.sqrt(304.0) - 19.0),
    5: (math.sqrt(67.5 - math.sqrt(4436.25)) + math.sqrt(26.25) - 6.5,
        math.sqrt(67.5 + math.sqrt(4436.25)) - math.sqrt(26.25) - 6.5),
}  # fmt: skip
_MODES: Any = ("reflect", "grid-mirror", "mirror", "nearest", "wrap", "grid-wrap", "constant",
               "grid-constant")  # fmt: skip
_PADDING = 12


def _image(x: Any, output: Any, order: int, mode: str) -> Array:
    a = np.asarray(x)
    if output is not None:
        unsupported("an interpolation with output", "leave it away, and convert the result")
    if np.iscomplexobj(a):
        unsupported("an interpolation of complex numbers", "interpolate the parts")
    if a.dtype != np.float64 and a.dtype != np.float32:
        unsupported("an interpolation of ints, whose result are ints", "convert them to float64")
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    if mode not in _MODES:
        raise RuntimeError("boundary mode not supported")
    if a.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    return a


# --- coefficients ---------------------------------------------------------------------------------


def _first(x: Array, z: float, mode: str) -> Array:
    """Return where the recursion begins."""
    n, k = x.shape[0], np.arange(x.shape[0])
    if mode == "grid-wrap":
        powers = np.where(k == 0, 1.0, z ** (1.0 * n - k))
        return np.tensordot(powers, x, 1) / (1.0 - z**n)
    if mode == "reflect" or mode == "grid-mirror" or mode == "nearest":
        there = np.where(k == n - 1, 0.0, z ** (1.0 * k))
        back = np.where(k == 0, 0.0, z ** (2.0 * n - 1.0 - k))
        total = np.tensordot(there + back, x, 1)  # its last term has this sum where x[0] should be
        total = total + z ** (n - 1.0) * (x[n - 1] + z**n * total)
        return total * (z / (1.0 - z ** (2.0 * n))) + x[0]
    powers = np.where((k == 0) | (k == n - 1), 0.0, z ** (2.0 * n - 2.0 - k)) + z ** (1.0 * k)
    return np.tensordot(powers, x, 1) / (1.0 - z ** (2.0 * n - 2.0))


def _last(y: Array, z: float, mode: str) -> Array:
    """Return where the backward recursion begins."""
    n = y.shape[0]
    if mode == "grid-wrap":
        k = np.arange(n)
        powers = np.where(k == n - 1, 1.0, z ** (1.0 * k + 1.0))
        return np.tensordot(powers, y, 1) * (z / (z**n - 1.0))
    if mode == "reflect" or mode == "grid-mirror" or mode == "nearest":
        return y[n - 1] * (z / (z - 1.0))
    return (z * y[n - 2] + y[n - 1]) * z / (z * z - 1.0)


def _filtered(x: Array, order: int, axis: int, mode: str) -> Array:
    """Return the coefficients of the spline through the items along an axis."""
    c = np.moveaxis(x, axis, 0).astype(float)
    n = c.shape[0]
    if n < 2:
        return x
    for z in _POLES[order]:
        c = c * ((1.0 - z) * (1.0 - 1.0 / z))
    for z in _POLES[order]:
        y = np.zeros_like(c)
        y[0] = _first(c, z, mode)
        for i in range(1, n):
            y[i] = c[i] + z * y[i - 1]
        back = np.zeros_like(c)
        back[n - 1] = _last(y, z, mode)
        for i in range(n - 2, -1, -1):
            back[i] = z * (back[i + 1] - y[i])
        c = back
    return np.moveaxis(c, 0, axis)


def spline_filter1d(input: Array, order: int = 3, axis: int = -1, output: Any = np.float64,
                    mode: str = "mirror") -> Array:  # fmt: skip
    x = _image(input, None if output is np.float64 else output, order, mode)
    return x.astype(float) if order < 2 else _filtered(x.astype(float), order, axis, mode)


def spline_filter(input: Array, order: int = 3, output: Any = np.float64,
                  mode: str = "mirror") -> Array:  # fmt: skip
    if order < 2:
        raise RuntimeError("spline order not supported")
    x = _image(input, None if output is np.float64 else output, order, mode).astype(float)
    for axis in axes(x):
        x = _filtered(x, order, axis, mode)
    return x


def _prepared(x: Array, order: int, mode: str, cval: float, prefilter: bool) -> Any:
    """Return the coefficients of an image, and by how many items it is longer at each end."""
    if order < 2 or not prefilter:
        return x.astype(float), 0
    if mode == "nearest":
        return spline_filter(np.pad(x, _PADDING, mode="edge"), order, mode=mode), _PADDING
    if mode == "grid-constant":
        padded = np.pad(x, _PADDING, constant_values=cval)
        return spline_filter(padded, order, mode=mode), _PADDING
    return spline_filter(x, order, mode=mode), 0


# --- places ---------------------------------------------------------------------------------------


def _mapped(x: Array, n: int, mode: str) -> Array:
    """Return places inside of an axis, as SciPy maps those outside."""
    low, high, wide = x < 0.0, x > n - 1.0, 1.0 * n
    if mode == "grid-constant" or mode == "constant" or mode == "nearest":
        return x
    if n < 2:
        return np.where(low | high, 0.0, x)
    if mode == "mirror":
        twice = 2.0 * wide - 2.0
        below = twice * np.trunc(-x / twice) + x
        below = np.where(below <= 1.0 - wide, below + twice, -below)
        above = x - twice * np.trunc(x / twice)
        above = np.where(above >= wide, twice - above, above)
    elif mode == "reflect" or mode == "grid-mirror":
        twice = 2.0 * wide
        below = np.where(x < -twice, twice * np.trunc(-x / twice) + x, x)
        near = np.where(below > -1e-15, 1e-15, -below) - 1.0
        below = np.where(below < -wide, below + twice, near)
        above = x - twice * np.trunc(x / twice)
        above = np.where(above >= wide, twice - above - 1.0, above)
    elif mode == "wrap":
        below = x + (wide - 1.0) * (np.trunc(-x / (wide - 1.0)) + 1.0)
        above = x - (wide - 1.0) * np.trunc(x / (wide - 1.0))
    else:
        below = x + wide * (np.trunc((-1.0 - x) / wide) + 1.0)
        above = x - wide * np.trunc(x / wide)
    return np.where(low, below, np.where(high, above, x))


def _weights(x: Array, order: int) -> Array:
    """Return the values of the spline at the distances to the items, in a last axis."""
    y = x - np.floor(x if order % 2 == 1 else x + 0.5)
    z = 1.0 - y
    if order == 0:
        return np.stack((np.ones_like(y),), axis=-1)
    if order == 1:
        return np.stack((z, y), axis=-1)
    if order == 2:
        return np.stack((0.5 * (0.5 - y) ** 2, 0.75 - y * y, 0.5 * (0.5 + y) ** 2), axis=-1)
    if order == 3:
        return np.stack((
            z * z * z / 6.0, (y * y * (y - 2.0) * 3.0 + 4.0) / 6.0,
            (z * z * (z - 2.0) * 3.0 + 4.0) / 6.0, y * y * y / 6.0,
        ), axis=-1)  # fmt: skip
    if order == 4:
        t = y * y
        even, other = 19.0 / 96.0 + t * (0.25 - t / 6.0), y * (11.0 / 24.0 - t / 6.0)
        return np.stack((
            (0.5 - y) ** 4 / 24.0, even - other, t * (t * 0.25 - 0.625) + 115.0 / 192.0,
            even + other, (0.5 + y) ** 4 / 24.0,
        ), axis=-1)  # fmt: skip
    u, v = y * y, z * z
    return np.stack((
        z**5 / 120.0, _outer(y), u * (u * (0.25 - y / 12.0) - 0.5) + 0.55,
        v * (v * (0.25 - z / 12.0) - 0.5) + 0.55, _outer(z), y**5 / 120.0,
    ), axis=-1)  # fmt: skip


def _outer(y: Array) -> Array:
    """Return the values of the spline of order 5 between one and two items away."""
    t = y + 1.0
    return t * (t * (t * (t * (t / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425


def _taps(x: Vector, n: int, order: int, mode: str) -> Any:
    """Return which items count at places along an axis, and whether they are outside."""
    first = np.floor(x if order % 2 == 1 else x + 0.5).astype(int) - order // 2
    k = first[:, None] + np.arange(order + 1)
    out = (k < 0) | (k >= n)
    if mode == "grid-constant" or mode == "nearest":
        return np.minimum(np.maximum(k, 0), n - 1), out
    if n < 2:
        return 0 * k, out
    if mode == "grid-wrap":
        return k % n, out
    if mode == "reflect" or mode == "grid-mirror":
        k = k % (2 * n)
        return np.where(k < n, k, 2 * n - 1 - k), out
    k = k % (2 * n - 2)
    return np.where(k < n, k, 2 * n - 2 - k), out


def _sampled(c: Array, places: Any, order: int, mode: str, cval: float) -> Vector:
    """Return the spline at places, a vector for each axis."""
    count = len(places[0])
    at, by = np.zeros((count, 1), dtype=int), np.ones((count, 1))
    beyond, lost = np.zeros((count, 1)) > 0.0, np.zeros(count) > 0.0
    for axis in axes(c):
        n, x = c.shape[axis], places[axis]
        inside = _mapped(x, n, mode)
        if mode == "constant":
            lost = lost | (x < 0.0) | (x > n - 1.0)
            inside = np.minimum(np.maximum(x, 0.0), n - 1.0)
        k, out = _taps(stop_gradient(inside), n, order, mode)
        w = _weights(inside, order)
        at = (at[:, :, None] * n + k[:, None, :]).reshape(count, -1)
        by = (by[:, :, None] * w[:, None, :]).reshape(count, -1)
        beyond = (beyond[:, :, None] | out[:, None, :]).reshape(count, -1)
    values = np.ravel(c)[at]
    if mode == "grid-constant":
        values = np.where(beyond, cval, values)
    found = np.sum(values * by, axis=1)
    return np.where(lost, cval, found)


def map_coordinates(input: Array, coordinates: Array, output: Any = None, order: int = 3,
                    mode: str = "constant", cval: float = 0.0,
                    prefilter: bool = True) -> Array:  # fmt: skip
    x, places = _image(input, output, order, mode), np.asarray(coordinates)
    if places.shape[0] != x.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    c, more = _prepared(x, order, mode, cval, prefilter)
    flat = places.reshape(x.ndim, -1) + 1.0 * more
    found = _sampled(c, tuple(flat[k] for k in axes(x)), order, mode, cval)
    return found.reshape(places.shape[1:]).astype(x.dtype)


def _grid(shape: Any) -> Matrix:
    """Return the indices of all items, a row for each axis."""
    return np.indices(shape).reshape(len(shape), -1).astype(float)


def _moved(x: Array, shape: Any, places: Any, order: int, mode: str, cval: float,
           prefilter: bool) -> Array:  # fmt: skip
    """Return an image of this shape, whose items are those of places."""
    c, more = _prepared(x, order, mode, cval, prefilter)
    found = _sampled(c, tuple(p + 1.0 * more for p in places), order, mode, cval)
    return found.reshape(shape).astype(x.dtype)


def shift(input: Array, shift: Any, output: Any = None, order: int = 3, mode: str = "constant",
          cval: float = 0.0, prefilter: bool = True) -> Array:  # fmt: skip
    x = _image(input, output, order, mode)
    grid = _grid(x.shape)
    places = tuple(grid[k] - of_axis(shift, k) for k in axes(x))
    return _moved(x, x.shape, places, order, mode, cval, prefilter)


def zoom(input: Array, zoom: Any, output: Any = None, order: int = 3, mode: str = "constant",
         cval: float = 0.0, prefilter: bool = True, *,
         grid_mode: bool = False) -> Array:  # fmt: skip
    x = _image(input, output, order, mode)
    shape = tuple(round(x.shape[k] * of_axis(zoom, k)) for k in axes(x))
    grid, places = _grid(shape), []
    for k in axes(x):
        if grid_mode:
            by = x.shape[k] / shape[k]
            places.append((grid[k] + 0.5) * by - 0.5)
        else:
            by = (x.shape[k] - 1) / (shape[k] - 1) if shape[k] > 1 else 1.0
            places.append(grid[k] * by)
    return _moved(x, shape, places, order, mode, cval, prefilter)


def affine_transform(input: Array, matrix: Array, offset: Any = 0.0, output_shape: Any = None,
                     output: Any = None, order: int = 3, mode: str = "constant",
                     cval: float = 0.0, prefilter: bool = True) -> Array:  # fmt: skip
    x, m = _image(input, output, order, mode), np.asarray(matrix)
    shape = x.shape if output_shape is None else output_shape
    grid, n = _grid(shape), x.ndim
    if m.ndim == 1:
        if m.shape[0] != n:
            raise RuntimeError("invalid shape of transform matrix")
        scaled = tuple((grid[k] + of_axis(offset, k) / m[k]) * m[k] for k in axes(x))
        return _moved(x, shape, scaled, order, mode, cval, prefilter)
    if m.shape[1] == n + 1:
        if m.shape[0] != n and m.shape[0] != n + 1:
            raise RuntimeError("invalid shape of transform matrix")
        turned = m[:n, :n] @ grid + m[:n, n][:, None]
        whole = tuple(turned[k] for k in axes(x))
        return _moved(x, shape, whole, order, mode, cval, prefilter)
    if m.shape[0] != n or m.shape[1] != n:
        raise RuntimeError("invalid shape of transform matrix")
    turned = m @ grid
    places = tuple(turned[k] + of_axis(offset, k) for k in axes(x))
    return _moved(x, shape, places, order, mode, cval, prefilter)


def _at(mapping: Any, at: Vector, shape: Any, more: Any) -> Vector:
    """Return the place that a function gives for an item."""
    return np.array(mapping(tuple(int(at[k]) for k, _ in enumerate(shape)), *more)) * 1.0


def geometric_transform(input: Array, mapping: Any, output_shape: Any = None, output: Any = None,
                        order: int = 3, mode: str = "constant", cval: float = 0.0,
                        prefilter: bool = True, extra_arguments: Any = (),
                        extra_keywords: Any = None) -> Array:  # fmt: skip
    x = _image(input, output, order, mode)
    shape, more = x.shape if output_shape is None else output_shape, extra_arguments
    grid = np.indices(shape).reshape(len(shape), -1).T
    if extra_keywords is not None:
        unsupported("geometric_transform with extra_keywords", "a function that has them")
    places = np.array([_at(mapping, at, shape, more) for at in grid])
    return _moved(x, shape, tuple(places[:, k] for k in axes(x)), order, mode, cval, prefilter)


def rotate(input: Array, angle: float, axes: Any = (1, 0), reshape: bool = True,
           output: Any = None, order: int = 3, mode: str = "constant", cval: float = 0.0,
           prefilter: bool = True) -> Array:  # fmt: skip
    x = _image(input, output, order, mode)
    if x.ndim != 2:
        unsupported("rotate of an array that has not two axes", "rotate its planes one by one")
    known = library_value("degrees", np.array([1.0 * angle]), (), 2)
    d = np.deg2rad(angle - stop_gradient(1.0 * angle))
    c, s = known[0] * np.cos(d) - known[1] * np.sin(d), known[1] * np.cos(d) + known[0] * np.sin(d)
    m = np.array([[c, s], [-s, c]])
    rows, columns = x.shape
    inner = np.array([1.0 * rows, 1.0 * columns])
    shape = (rows, columns)
    if reshape:
        ends = np.array([[0.0, 0.0, rows, rows], [0.0, columns, 0.0, columns]])
        corners = stop_gradient(m) @ ends
        wide = (np.max(corners, axis=1) - np.min(corners, axis=1) + 0.5).astype(int)
        shape = (wide[0], wide[1])
    center = m @ ((np.array([1.0 * shape[0], 1.0 * shape[1]]) - 1.0) / 2.0)
    turned = m @ _grid(shape)
    off = (inner - 1.0) / 2.0 - center
    return _moved(x, shape, (turned[0] + off[0], turned[1] + off[1]), order, mode, cval, prefilter)
