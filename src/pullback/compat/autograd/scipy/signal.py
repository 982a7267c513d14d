"""autograd's own ``convolve``: along chosen axes, with others that are summed over."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def convolve(A: Any, B: Any, axes: Any = None, dot_axes: Any = ((), ()), mode: str = "full") -> Any:
    """Return the convolution of two arrays.

    Args:
        A: an array.
        B: another one.
        axes: the axes of A and those of B that are convolved with each other; all of both, if it is
            left out.
        dot_axes: the axes of A and those of B that are multiplied and summed over.
        mode: ``"full"`` or ``"valid"``.

    Returns:
        An array with the axes of A that are left, those of B, and the convolved ones.
    """
    if mode not in ("full", "valid"):
        raise AssertionError(f"Mode {mode} not yet implemented")
    every = tuple([k for k, _ in enumerate(np.shape(A))])
    left, right = (every, every) if axes is None else (tuple(axes[0]), tuple(axes[1]))
    summed = tuple(dot_axes[0])
    a, b = _sorted(A, left, summed), _sorted(B, right, tuple(dot_axes[1]))
    if mode == "full":
        return _windows(_padded(a, b, left, summed), b, left, summed)
    sizes, others = _sizes(a, left, summed), _sizes(b, left, summed)
    if all([n >= m for n, m in zip(sizes, others, strict=True)]):
        return _windows(a, b, left, summed)
    if not all([n <= m for n, m in zip(sizes, others, strict=True)]):
        raise ValueError("One array must be larger than the other along all convolved dimensions")
    return _exchanged(_windows(b, a, left, summed), np.shape(B), left, summed)


def _last(axes: Any, behind: Any = ()) -> Any:
    """Return the places of as many axes at the end, before some others."""
    count = len(axes) + len(behind)
    return tuple([k - count for k, _ in enumerate(axes)])


def _sorted(x: Any, convolved: Any, summed: Any) -> Any:
    """Return the array with the convolved axes behind the others, and those of the sum last."""
    moved = (*convolved, *summed)
    return np.moveaxis(x, moved, _last(moved))


def _sizes(x: Any, convolved: Any, summed: Any) -> Any:
    """Return the extents of the convolved axes."""
    return tuple([np.shape(x)[k] for k in _last(convolved, summed)])


def _padded(a: Any, b: Any, convolved: Any, summed: Any) -> Any:
    """Return the array with zeros around it, so that each overlap with the other is a window."""
    left = np.shape(a)[: np.ndim(a) - len(convolved) - len(summed)]
    around = tuple([(n - 1, n - 1) for n in _sizes(b, convolved, summed)])
    return np.pad(a, (*[(0, 0) for _ in left], *around, *[(0, 0) for _ in summed]))


def _windows(a: Any, b: Any, convolved: Any, summed: Any) -> Any:
    """Return the products of the windows of the first array with the second one."""
    own, last = _last(convolved, summed), _last(summed)
    windows = sliding_window_view(a, _sizes(b, convolved, summed), axis=own)
    kernel, inside = np.flip(b, own), (*_last(summed, convolved), *_last(convolved))
    first = np.ndim(a) - len(convolved) - len(summed)
    places = tuple([first + k for k, _ in enumerate(convolved)])
    result = np.tensordot(windows, kernel, axes=(inside, (*last, *own)))
    return np.moveaxis(result, places, _last(convolved))


def _exchanged(x: Any, shape: Any, convolved: Any, summed: Any) -> Any:
    """Return the result with the axes of the second array, which come first, behind those of the
    first one."""
    first = shape[: len(shape) - len(convolved) - len(summed)]
    return np.moveaxis(x, tuple([k for k, _ in enumerate(first)]), _last(first, convolved))


__all__ = ["convolve"]
