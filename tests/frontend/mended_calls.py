"""What refusals of calls of operators advise, followed: the programs are run as they stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

import pullback as pb
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    MutationError,
    UnsupportedError,
)
from tests.frontend import mended
from tests.frontend.mended import X

mends = partial(mended.mends, outside=True, differs=True)
"""(What Python gives is what Pullback gives: an error.)"""


@dataclass(frozen=True)
class Node:
    x: float
    next: Node | None


class Model:
    def __call__(self, x):
        return x * x


def square(x):
    return x * x


def product(x, y):
    return x * y


def updated(a):
    a[0] = a[1] * 2.0
    return a[0]


def both(nodes):
    return nodes[0].x * nodes[1].x


def fixed(a):
    a = a.copy()
    a.flags.writeable = False
    return a


# --- arguments ------------------------------------------------------------------------------------


def refused_number(x):
    return pb.grad(product, argnums=-3)(x, 2.0)


@mends(
    refused_number, (3.0,), "count from 0: argnums=0 is the first argument", ArgumentTypeError
)
def mended_number(x):
    return pb.grad(product, argnums=0)(x, 2.0)


def refused_name(x):
    return pb.grad(product, "z")(x, 2.0)


@mends(refused_name, (3.0,), 'or name them: argnums=0, argnums=(0, 1)', ArgumentValueError)
def mended_name(x):
    return pb.grad(product, "y")(x, 2.0)


def refused_single(x):
    return pb.jvp(square, x, (1.0,))[1]


@mends(refused_single, (3.0,), "write (x,) for a single one", ArgumentTypeError)
def mended_single(x):
    return pb.jvp(square, (x,), (1.0,))[1]


def refused_int(n):
    return pb.grad(square)(n)


@mends(refused_int, (3,), "pass floats, float(x), a.astype(float)", ArgumentTypeError)
def mended_int(n):
    return pb.grad(square)(float(n))


def refused_motion(n):
    return pb.jvp(product, (2.0, n), (1.0, 1.0))[1]


@mends(refused_motion, (3,), "pass floats where a derivative is wanted: 2.0", ArgumentTypeError)
def mended_motion(n):
    return pb.jvp(product, (2.0, float(n)), (1.0, 1.0))[1]


def refused_ints_among_floats(x):
    return pb.grad(lambda xs: xs[0] * xs[1])([x, 2])


@mends(refused_ints_among_floats, (3.0,), "[float(x) for x in xs]", ArgumentTypeError)
def mended_ints_among_floats(x):
    return pb.grad(lambda xs: xs[0] * xs[1])([float(x) for x in [x, 2]])


def refused_long_list(x):
    return pb.jit(lambda xs: sum(xs))([x, 2] * 40)


@mends(refused_long_list, (3.0,), "write 2.0 for 2: [float(x) for x in xs]", ArgumentTypeError)
def mended_long_list(x):
    return pb.jit(lambda xs: sum(xs))([float(x) for x in [x, 2] * 40])


def refused_read_only(a):
    return pb.grad(updated)(fixed(a))


@mends(refused_read_only, (X,), "pass copies: f(a.copy())", MutationError)
def mended_read_only(a):
    return pb.grad(updated)(fixed(a).copy())


# --- results --------------------------------------------------------------------------------------


def refused_several(x):
    return pb.grad(lambda x: x * x)(x)


@mends(refused_several, (X,), "return a float (for example a sum)", ArgumentTypeError)
def mended_several(x):
    return pb.grad(lambda x: np.sum(x * x))(x)


def refused_small_result(a):
    return pb.jit(lambda a: a[1:])(a)


@mends(
    refused_small_result, (np.uint8([3, 4]),), "return a.astype(np.int64), or int(v)",
    UnsupportedError,
)  # fmt: skip
def mended_small_result(a):
    return pb.jit(lambda a: a[1:].astype(np.int64))(a)


def refused_example(x):
    twice = pb.pure_callback(lambda x: 2.0 * x, 1)
    return pb.jit(lambda x: twice(x))(x)


@mends(refused_example, (3.0,), "or pb.pure_callback(f, 0.0)", ArgumentTypeError)
def mended_example(x):
    twice = pb.pure_callback(lambda x: 2.0 * x, 0.0)
    return pb.jit(lambda x: twice(x))(x)


# --- axes, series, methods ------------------------------------------------------------------------


def refused_axis(x):
    return pb.vmap(product, in_axes="0")(x, 2.0 * x)


@mends(
    refused_axis, (X,), "write in_axes=0, or one axis for each argument: in_axes=(0, None)",
    ArgumentTypeError,
)  # fmt: skip
def mended_axis(x):
    return pb.vmap(product, in_axes=0)(x, 2.0 * x)


def refused_not_mapped(x):
    return pb.vmap(product)(x, 2.0)


@mends(refused_not_mapped, (X,), "give in_axes=None to what is not mapped", ArgumentTypeError)
def mended_not_mapped(x):
    return pb.vmap(product, in_axes=(0, None))(x, 2.0)


def refused_series(x):
    return pb.jet(product, (x, 2.0), ((1.0, 0.0), (1.0,)))[1]


@mends(refused_series, (3.0,), "((1.0, 0.0),), and None for one that stays", ArgumentValueError)
def mended_series(x):
    return pb.jet(product, (x, 2.0), ((1.0, 0.0), None))[1]


def refused_shared(x):
    node = Node(x, None)
    return pb.grad(both, method="chad.naive")((node, node))[0].x


@mends(refused_shared, (3.0,), 'take method="chad" or "dual"', UnsupportedError)
def mended_shared(x):
    node = Node(x, None)
    return pb.grad(both, method="chad")((node, node))[0].x


def refused_object(x):
    return len(pb.compiled(Model()))


@mends(refused_object, (3.0,), "wrap it: f = lambda x: model(x), and use f", ArgumentTypeError)
def mended_object(x):
    model = Model()
    f = lambda x: model(x)
    return len(pb.compiled(f))


def refused_enclosing(xs):
    a = np.zeros(3)

    def f(x):
        a[0] = x
        return a[0] * x

    return pb.vmap(f)(xs)


@mends(refused_enclosing, (X,), "or work on a copy: a_ = a.copy()", MutationError)
def mended_enclosing(xs):
    a = np.zeros(3)

    def f(x):
        a_ = a.copy()
        a_[0] = x
        return a_[0] * x

    return pb.vmap(f)(xs)
