"""What refusals of NumPy's less usual keywords advise, followed."""

from __future__ import annotations

import numpy as np

from pullback.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from tests.frontend.mended import M, X, mends

F = np.float32([1.0, 2.0, 3.0])


def refused_signature(m):
    return np.vectorize(np.sum, signature="(n)->()")(m)


@mends(refused_signature, (M,), "a comprehension: np.array([f(r) for r in a])", UnsupportedError)
def mended_signature(m):
    return np.array([np.sum(r) for r in m])


def refused_trim(m):
    return np.trim_zeros(m[:1, 1:])


@mends(refused_trim, (M,), "a[first:last]", UnsupportedError)
def mended_trim(m):
    return m[:1, 1:]


def refused_bounds(x, b):
    return np.histogram2d(x, x, b)[0]


@mends(refused_bounds, (X, np.array([-0.05, 1.55, 3.15])), "bins=(b, b)", UnsupportedError)
def mended_bounds(x, b):
    return np.histogram2d(x, x, bins=(b, b))[0]


def refused_running_type(x):
    return np.maximum.accumulate(x, dtype=np.float64)


@mends(refused_running_type, (F,), "convert first: x.astype(t)", UnsupportedError)
def mended_running_type(x):
    return np.maximum.accumulate(x.astype(np.float64))


def refused_compared_type(x):
    return np.equal(x, x, dtype=np.float64)


@mends(
    refused_compared_type, (F,), "convert the operands: x.astype(...)", ArgumentTypeError,
    TypeError, differs=True,
)  # fmt: skip
def mended_compared_type(x):
    return np.equal(x.astype(np.float64), x.astype(np.float64))


def refused_ints_of_floats(x):
    return np.add(x, x, dtype=np.int64)


@mends(
    refused_ints_of_floats, (X,), "convert the operands: x.astype(int)", ArgumentTypeError,
    TypeError, differs=True,
)  # fmt: skip
def mended_ints_of_floats(x):
    return np.add(x.astype(int), x.astype(int))


def refused_joined_ints(x):
    return np.concatenate((x, x), dtype=np.int64)


@mends(
    refused_joined_ints, (X,), "convert the result: x.astype(int)", UnsupportedError, TypeError,
    differs=True,
)  # fmt: skip
def mended_joined_ints(x):
    return np.concatenate((x, x)).astype(int)


def refused_casting(x):
    a = np.zeros(3)
    np.copyto(a, x, casting="no")
    return a


@mends(refused_casting, (np.array([1.0, 2.0, 3.0]),), "leave casting= out", UnsupportedError)
def mended_casting(x):
    a = np.zeros(3)
    np.copyto(a, x)
    return a


def refused_einsum_type(x):
    return np.einsum("i,i->i", x, x, dtype=np.float32)


@mends(
    refused_einsum_type, (X,), "convert the operands: x.astype(...)", ArgumentTypeError, TypeError,
    differs=True,
)  # fmt: skip
def mended_einsum_type(x):
    return np.einsum("i,i->i", x.astype(np.float32), x.astype(np.float32))


def refused_pairs_of_vectorize(x):
    squares, cubes = np.vectorize(lambda v: (v * v, v * v * v))(x)
    return squares + cubes


@mends(refused_pairs_of_vectorize, (X,), "one call for each result", UnsupportedError)
def mended_pairs_of_vectorize(x):
    squares, cubes = np.vectorize(lambda v: v * v)(x), np.vectorize(lambda v: v * v * v)(x)
    return squares + cubes


def refused_where(x):
    return np.exp(x, where=x > 0.0)


@mends(refused_where, (X,), "give it out=np.zeros_like(x)", UnsupportedError)
def mended_where(x):
    return np.exp(x, where=x > 0.0, out=np.zeros_like(x))


def refused_shapes_of_ints(x):
    return np.ones(np.broadcast_shapes(3, (1,))) * x


@mends(refused_shapes_of_ints, (X,), "give it tuples: (n,)", UnsupportedError)
def mended_shapes_of_ints(x):
    return np.ones(np.broadcast_shapes((3,), (1,))) * x


def refused_grid(x):
    return list(np.meshgrid(x, x, copy=False))


@mends(refused_grid, (X,), "leave copy= out", UnsupportedError)
def mended_grid(x):
    return list(np.meshgrid(x, x))


def refused_equivalence(m):
    return np.array_equiv(m, m[0])


@mends(refused_equivalence, (M,), "np.all(a == b)", UnsupportedError)
def mended_equivalence(m):
    return bool(np.all(m == m[0]))


def refused_dots(m):
    return np.einsum("i...->i", m)


@mends(
    refused_dots, (M,), "np.einsum('...i->...', x)", ArgumentValueError, ValueError, differs=True
)
def mended_dots(m):
    return np.einsum("...i->...", m)


def refused_axes(m, x):
    return np.einsum(m, x)


@mends(
    refused_axes, (M, X), "np.einsum('ij,jk->ik', a, b)", ArgumentTypeError, TypeError,
    differs=True,
)  # fmt: skip
def mended_axes(m, x):
    return np.einsum("ij,jk->ik", m, m.T)


def refused_mean_of_ints(x):
    return np.mean(x, dtype=int)


@mends(refused_mean_of_ints, (X,), "np.mean(x)", UnsupportedError)
def mended_mean_of_ints(x):
    return np.mean(x)


def refused_rule_of_gaps(x):
    return np.nanquantile(x, 0.5, method="lower")


@mends(refused_rule_of_gaps, (X,), "np.quantile(x[~np.isnan(x)], q)", UnsupportedError)
def mended_rule_of_gaps(x):
    return np.quantile(x[~np.isnan(x)], 0.5, method="lower")


def refused_directive(x):
    return np.r_["0,2", x, x]


@mends(refused_directive, (X,), "np.stack or np.concatenate with axis=", UnsupportedError)
def mended_directive(x):
    return np.stack([x, x], axis=0)


def refused_rule(x):
    return np.quantile(x, 0.5, method="hazen")


@mends(refused_rule, (X,), "write method='linear'", UnsupportedError)
def mended_rule(x):
    return np.quantile(x, 0.5, method="linear")


def refused_narrow_output(m, y):
    return np.sum(m, axis=0, out=y.copy())


@mends(refused_narrow_output, (M, F), "write out[...] = f(x)", UnsupportedError, differs=True)
def mended_narrow_output(m, y):
    out = y.copy()
    out[...] = np.sum(m, axis=0)
    return out


def refused_parts(x):
    return np.frexp(x)[1]


@mends(refused_parts, (F,), "x.astype(float)", UnsupportedError)
def mended_parts(x):
    return np.frexp(x.astype(float))[1]


def refused_divisor(x):
    return np.gcd(x, 2)


@mends(refused_divisor, (X,), "x.astype(int)", UnsupportedError, TypeError, differs=True)
def mended_divisor(x):
    return np.gcd(x.astype(int), 2)
