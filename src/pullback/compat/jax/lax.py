"""``jax.lax``: loops and choices, and the operations that NumPy has under other names."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.special

from pullback.combinators import stop_gradient
from pullback.compat.library_names import absent
from pullback.structures import leaves, rebuilt, stacked

Function = Callable[..., Any]


def _item(tree: Any, i: Any) -> Any:
    """Return a part of a structure of arrays: an item of each along its first axis."""
    return rebuilt(tree, tuple([x[i] for x in leaves(tree)]))


def _length(tree: Any) -> Any:
    """Return the common length of arrays. Raises ``ValueError`` if they have none."""
    sizes = [np.shape(x)[0] for x in leaves(tree)]
    for size in sizes:
        if size != sizes[0]:
            raise ValueError("different leading axis sizes")
    return sizes[0]


def scan(
    f: Function, init: Any, xs: Any = None, length: Any = None, reverse: bool = False,
    unroll: Any = 1,
) -> Any:  # fmt: skip
    """Return the last carry and the ys of ``carry, y = f(carry, x)`` over the items of xs.

    ``reverse`` goes through the items from the last to the first."""
    n = length
    if len(leaves(xs)) > 0:
        n = _length(xs)
        if length is not None and length != n:
            raise ValueError("scan got a length that differs from that of xs")
    elif n is None:
        raise ValueError("scan got no values to scan over and no length")
    carry, ys = init, []
    for i in range(n):
        carry, y = f(carry, _item(xs, n - 1 - i if reverse else i))
        ys.append(y)
    return carry, stacked(n, lambda i: ys[n - 1 - i if reverse else i])


def fori_loop(
    lower: Any, upper: Any, body_fun: Function, init_val: Any, *, unroll: Any = None
) -> Any:
    """Return the value after ``value = body_fun(i, value)`` for i from ``lower`` to ``upper``."""
    value = init_val
    for i in range(lower, upper):
        value = body_fun(i, value)
    return value


def while_loop(cond_fun: Function, body_fun: Function, init_val: Any) -> Any:
    """Return the first value for which ``cond_fun`` does not hold. Its reverse mode is known."""
    value = init_val
    while cond_fun(value):
        value = body_fun(value)
    return value


def cond(pred: Any, true_fun: Function, false_fun: Function, *operands: Any) -> Any:
    """Return what one of two functions returns; only this one is run."""
    if pred:
        return true_fun(*operands)
    return false_fun(*operands)


def switch(index: Any, branches: Sequence[Function], *operands: Any) -> Any:
    """Return what the function at this place returns; the last or first one, if there is none."""
    return branches[builtins.min(builtins.max(index, 0), len(branches) - 1)](*operands)


def map(f: Function, xs: Any, *, batch_size: Any = None) -> Any:
    """Return the results of ``f`` for the items of xs, as arrays."""
    return stacked(_length(xs), lambda i: f(_item(xs, i)))


def associative_scan(fn: Function, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """Return the partial results of ``fn`` over the items of arrays, of which ``fn`` is given
    arrays of any number of items."""
    first = rebuilt(elems, tuple([np.moveaxis(x, axis, 0) for x in leaves(elems)]))
    n = _length(first)
    rows: list[Any] = []
    for k in range(n):
        at = n - 1 - k if reverse else k
        row = rebuilt(first, tuple([x[at : at + 1] for x in leaves(first)]))
        rows.append(fn(rows[-1], row) if k > 0 else row)
    whole = stacked(n, lambda i: _item(rows[n - 1 - i if reverse else i], 0))
    return rebuilt(whole, tuple([np.moveaxis(x, 0, axis) for x in leaves(whole)]))


def select(pred: Any, on_true: Any, on_false: Any) -> Any:
    """Return one of two arrays, element by element."""
    return np.where(pred, on_true, on_false)


def clamp(min: Any, x: Any, max: Any) -> Any:
    """Return x between two bounds."""
    return np.minimum(np.maximum(x, min), max)


# --- parts of arrays ------------------------------------------------------------------------------


def _start(x: Any, axis: int, start: Any, size: Any) -> Any:
    """Return where a part of this size begins: moved so that it lies within the array."""
    extent = np.shape(x)[axis]
    return builtins.min(builtins.max(start + extent if start < 0 else start, 0), extent - size)


def dynamic_slice_in_dim(operand: Any, start_index: Any, slice_size: Any, axis: int = 0) -> Any:
    """Return a part of an array along an axis."""
    start = _start(operand, axis, start_index, slice_size)
    moved = np.moveaxis(operand, axis, 0)
    return np.moveaxis(moved[start : start + slice_size], 0, axis)


def dynamic_slice(operand: Any, start_indices: Any, slice_sizes: Any) -> Any:
    """Return a part of an array."""
    part = operand
    for axis, size in enumerate(tuple(slice_sizes)):
        part = dynamic_slice_in_dim(part, start_indices[axis], size, axis)
    return part


def dynamic_update_slice_in_dim(operand: Any, update: Any, start_index: Any, axis: int) -> Any:
    """Return an array with another part along an axis."""
    size = np.shape(update)[axis]
    start = _start(operand, axis, start_index, size)
    moved = np.moveaxis(operand, axis, 0).copy()
    moved[start : start + size] = np.moveaxis(update, axis, 0)
    return np.moveaxis(moved, 0, axis)


def dynamic_index_in_dim(operand: Any, index: Any, axis: int = 0, keepdims: bool = True) -> Any:
    """Return the items at one place of an axis."""
    part = dynamic_slice_in_dim(operand, index, 1, axis)
    return part if keepdims else np.moveaxis(part, axis, 0)[0]


index_in_dim = dynamic_index_in_dim


def slice_in_dim(
    operand: Any, start_index: Any, limit_index: Any, stride: int = 1, axis: int = 0
) -> Any:
    """Return every so many items of a part of an array along an axis."""
    return np.moveaxis(np.moveaxis(operand, axis, 0)[start_index:limit_index:stride], 0, axis)


def _running(accumulate: Function, operand: Any, axis: int, reverse: bool) -> Any:
    if reverse:
        return np.flip(accumulate(np.flip(operand, axis), axis), axis)
    return accumulate(operand, axis)


def cumsum(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return the sums of the items so far."""
    return _running(lambda x, k: np.cumsum(x, k), operand, axis, reverse)


def cumprod(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return the products of the items so far."""
    return _running(lambda x, k: np.cumprod(x, k), operand, axis, reverse)


def cummax(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return the largest of the items so far."""
    return _running(lambda x, k: np.maximum.accumulate(x, k), operand, axis, reverse)


def cummin(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return the smallest of the items so far."""
    return _running(lambda x, k: np.minimum.accumulate(x, k), operand, axis, reverse)


# --- operations by their names --------------------------------------------------------------------


def rsqrt(x: Any) -> Any:
    """Return ``1 / sqrt(x)``."""
    return 1.0 / np.sqrt(x)


def integer_pow(x: Any, y: int) -> Any:
    """Return a power with a whole exponent."""
    return x**y


def concatenate(operands: Any, dimension: int) -> Any:
    """Return arrays joined along an axis."""
    return np.concatenate(operands, axis=dimension)


def reshape(operand: Any, new_sizes: Any) -> Any:
    """Return an array in another shape."""
    return np.reshape(operand, new_sizes)


def transpose(operand: Any, permutation: Any) -> Any:
    """Return an array with its axes in another order."""
    return np.transpose(operand, permutation)


def iota(dtype: Any, size: int) -> Any:
    """Return 0, 1, ... as an array."""
    return np.arange(size).astype(dtype)


def convert_element_type(operand: Any, new_dtype: Any) -> Any:
    """Return an array with elements of another type."""
    return np.asarray(operand).astype(new_dtype)


abs, sign, neg, floor, ceil, square = np.abs, np.sign, np.negative, np.floor, np.ceil, np.square
exp, exp2, expm1, log, log1p, sqrt, cbrt = (
    np.exp, np.exp2, np.expm1, np.log, np.log1p, np.sqrt, np.cbrt
)  # fmt: skip
sin, cos, tan, asin, acos, atan, atan2 = (
    np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2
)  # fmt: skip
sinh, cosh, tanh, asinh, acosh, atanh = (
    np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh
)  # fmt: skip
add, sub, mul, pow, max, min = (
    np.add, np.subtract, np.multiply, np.power, np.maximum, np.minimum
)  # fmt: skip
eq, ne, lt, le, gt, ge = (
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal
)  # fmt: skip
conj, real, imag, complex, is_finite = np.conj, np.real, np.imag, builtins.complex, np.isfinite
dot, batch_matmul, full, full_like, expand_dims, rev = (
    np.dot, np.matmul, np.full, np.full_like, np.expand_dims, np.flip
)  # fmt: skip
logistic, erf, erfc, erf_inv, lgamma, digamma = (
    scipy.special.expit, scipy.special.erf, scipy.special.erfc, scipy.special.erfinv,
    scipy.special.gammaln, scipy.special.digamma,
)  # fmt: skip

__getattr__ = absent(__name__, {
    "conv": "scipy.signal.convolve, or np.einsum over np.lib.stride_tricks.sliding_window_view",
    "conv_general_dilated": "scipy.signal.convolve, or np.einsum over sliding_window_view",
    "custom_root": "pb.implicit_root",
    "div": "x / y, or x // y of ints",
    "fori": "fori_loop",
    "psum": "np.sum over the axis itself",
    "pmean": "np.mean over the axis itself",
    "sort": "np.sort(x, axis)",
    "top_k": "np.sort and np.argsort",
})  # fmt: skip

__all__ = [
    "abs", "acos", "acosh", "add", "asin", "asinh", "associative_scan", "atan", "atan2", "atanh",
    "batch_matmul", "cbrt", "ceil", "clamp", "complex", "concatenate", "cond", "conj",
    "convert_element_type", "cos", "cosh", "cummax", "cummin", "cumprod", "cumsum", "digamma",
    "dot", "dynamic_index_in_dim", "dynamic_slice", "dynamic_slice_in_dim",
    "dynamic_update_slice_in_dim", "eq", "erf", "erf_inv", "erfc", "exp", "exp2", "expand_dims",
    "expm1", "floor", "fori_loop", "full", "full_like", "ge", "gt", "imag", "index_in_dim",
    "integer_pow", "iota", "is_finite", "le", "lgamma", "log", "log1p", "logistic", "lt", "map",
    "max", "min", "mul", "ne", "neg", "pow", "real", "reshape", "rev", "rsqrt", "scan", "select",
    "sign", "sin", "sinh", "slice_in_dim", "sqrt", "square", "stop_gradient", "sub", "switch",
    "tan", "tanh", "transpose", "while_loop",
]  # fmt: skip
