"""What refusals of arrays and numbers advise, followed."""

from __future__ import annotations

import math

import numpy as np

import pullback as pb
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    StaticIndexError,
    UnsupportedError,
)
from tests.frontend.mended import MASK, M, X, mends

FIRST = np.array([0, 1])


# --- bools ----------------------------------------------------------------------------------------


def refused_shift(mask):
    return mask[0] << mask[2]


@mends(refused_shift, (MASK,), "use int(...)", ArgumentTypeError)
def mended_shift(mask):
    return int(mask[0]) << int(mask[2])


def refused_bool_difference(mask):
    return mask[0] - mask[1]


@mends(refused_bool_difference, (MASK,), "use ^ or int(...)", ArgumentTypeError, TypeError)
def mended_bool_difference(mask):
    return mask[0] ^ mask[1]


def refused_bool_sign(mask):
    return +mask[0]


@mends(refused_bool_sign, (MASK,), "use int(...)", ArgumentTypeError, TypeError)
def mended_bool_sign(mask):
    return int(mask[0])


def refused_bools_sign(mask):
    return +mask


@mends(refused_bools_sign, (MASK,), "use x.astype(int)", ArgumentTypeError, TypeError)
def mended_bools_sign(mask):
    return mask.astype(int)


def refused_bool_round(mask):
    return np.round(mask)


@mends(refused_bool_round, (MASK,), "convert them: x.astype(int)", ArgumentTypeError)
def mended_bool_round(mask):
    return np.round(mask.astype(int))


def refused_bool_square(mask):
    return mask**2


@mends(refused_bool_square, (MASK,), "convert it: a.astype(int) ** 2", ArgumentTypeError)
def mended_bool_square(mask):
    return mask.astype(int) ** 2


def refused_bools_negated(mask):
    return -mask


@mends(refused_bools_negated, (MASK,), "use ~, or a.astype(int)", ArgumentTypeError, TypeError)
def mended_bools_negated(mask):
    return ~mask


# --- ints -----------------------------------------------------------------------------------------


def refused_extent(x):
    return np.ones(x / 2.0) * x


@mends(refused_extent, (5.0,), "convert it with int(...)", ArgumentTypeError, TypeError)
def mended_extent(x):
    return np.ones(int(x / 2.0)) * x


def refused_range(x):
    return [x * k for k in range(x)]


@mends(refused_range, (2.5,), "convert with int(...)", ArgumentTypeError, TypeError)
def mended_range(x):
    return [x * k for k in range(int(x))]


def refused_float_indices(a, x):
    return a[np.arange(x)]


@mends(refused_float_indices, (X, 2.5), "use idx.astype(int)", StaticIndexError, IndexError)
def mended_float_indices(a, x):
    return a[np.arange(x).astype(int)]


def refused_trunc(n):
    return math.trunc(n[0])


@mends(refused_trunc, (FIRST,), "use int(x)", ArgumentTypeError, TypeError)
def mended_trunc(n):
    return int(n[0])


def refused_float_of_a_row(a):
    return float(a[:1] * a[0])


@mends(refused_float_of_a_row, (X,), "index it, or use .item()", ArgumentTypeError, TypeError)
def mended_float_of_a_row(a):
    return (a[:1] * a[0]).item()


# --- axes and shapes ------------------------------------------------------------------------------


def refused_squeeze(m, n):
    return np.abs(np.squeeze(1j * m[:n]))


@mends(refused_squeeze, (M, 1), "give axis=", UnsupportedError)
def mended_squeeze(m, n):
    return np.abs(np.squeeze(1j * m[:n], axis=0))


def refused_axis(x):
    return np.sum(x, axis=1)


@mends(refused_axis, (2.0,), "leave axis= out", ArgumentValueError, ValueError)
def mended_axis(x):
    return np.sum(x)


def refused_memory_order(m):
    return m.ravel("K")


@mends(
    refused_memory_order,
    (M,),
    "write order='C', or x.T.ravel() for the other order",
    UnsupportedError,
)
def mended_memory_order(m):
    return m.ravel(order="C")


def refused_more_axes(a, m):
    a = a.copy()
    a += m
    return a


@mends(refused_more_axes, (X, M), "write a = a + ...", ArgumentValueError, ValueError)
def mended_more_axes(a, m):
    a = a.copy()
    a = a + m
    return a


# --- joining, padding, updating -------------------------------------------------------------------


def refused_lists_joined(xs):
    return np.concatenate([[x, 2.0 * x] for x in xs])


@mends(
    refused_lists_joined, ([1.0, 2.0],), "make arrays of them: [np.array(x) for x in xs]",
    UnsupportedError,
)  # fmt: skip
def mended_lists_joined(xs):
    return np.concatenate([np.array([x, 2.0 * x]) for x in xs])


def refused_numbers_joined(xs):
    return np.concatenate([2.0 * x for x in xs])


@mends(
    refused_numbers_joined, ([1.0, 2.0],), "make one array: np.array(xs)", ArgumentValueError,
    ValueError,
)  # fmt: skip
def mended_numbers_joined(xs):
    return np.array([2.0 * x for x in xs])


def refused_padding(n):
    return np.pad(np.arange(n), 1, constant_values=0.5)


@mends(refused_padding, (3,), "a.astype(np.float64)", UnsupportedError, differs=True)
def mended_padding(n):
    return np.pad(np.arange(n).astype(np.float64), 1, constant_values=0.5)


def refused_other_view(x):
    a = np.zeros((2, 3))
    a.mT[1] = x
    return a


@mends(refused_other_view, (2.0,), "write a[i, j] = ...", UnsupportedError)
def mended_other_view(x):
    a = np.zeros((2, 3))
    a[:, 1] = x
    return a


def refused_at(a, idx, v):
    a = a.copy()
    np.add.at(a, idx, b=v)
    return a


@mends(
    refused_at, (X, FIRST, 2.0), "write np.add.at(a, indices, values)", ArgumentTypeError, TypeError
)
def mended_at(a, idx, v):
    a = a.copy()
    np.add.at(a, idx, v)
    return a


# --- sequences ------------------------------------------------------------------------------------


def refused_sorted_sets(xs):
    return [len(s) for s in sorted([set(xs), {xs[0]}])]


@mends(
    refused_sorted_sets, ([2, 1],),
    "sort by numbers, or tuples of them: key=lambda x: ...", ArgumentTypeError,
)  # fmt: skip
def mended_sorted_sets(xs):
    return [len(s) for s in sorted([set(xs), {xs[0]}], key=lambda s: len(s))]


def refused_checkpoint(x):
    return pb.loop(10, lambda i, s: s * 1.1, x, checkpoint="root")


@mends(refused_checkpoint, (1.0,), 'checkpoint="sqrt", or a number', ArgumentValueError)
def mended_checkpoint(x):
    return pb.loop(10, lambda i, s: s * 1.1, x, checkpoint="sqrt")


# --- updates in place -----------------------------------------------------------------------------


def refused_growth(x):
    a = np.array(x[0])
    a += x
    return a


@mends(refused_growth, (X,), "write a = a + ...", ArgumentValueError, ValueError)
def mended_growth(x):
    a = np.array(x[0])
    a = a + x
    return a


def refused_larger_item(x):
    parts = [x[:1] * 2.0, x]
    parts[0] *= M[:, :1] * x[0]
    return parts[0]


@mends(refused_larger_item, (X,), "write new = parts[0] * ...", ArgumentValueError, ValueError)
def mended_larger_item(x):
    parts = [x[:1] * 2.0, x]
    new = parts[0] * (M[:, :1] * x[0])
    return new


def refused_misfit(x):
    k = np.array([1, 2, 3])
    k -= x
    return k


@mends(refused_misfit, (X,), "write k = k - ...", ArgumentTypeError, TypeError)
def mended_misfit(x):
    k = np.array([1, 2, 3])
    k = k - x
    return k


def refused_round(x):
    return round(np.asarray(x[0] * 0.7))


@mends(refused_round, (X,), "use np.round(x, decimals)", ArgumentTypeError, TypeError)
def mended_round(x):
    return np.round(np.asarray(x[0] * 0.7), 0)
