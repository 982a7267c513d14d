"""What refusals of updates advise where an object may be in several places, followed."""

from __future__ import annotations

import operator
from collections import defaultdict
from types import SimpleNamespace

import numpy as np

import pullback as pb
from pullback.errors import MutationError, UnsupportedError
from tests.frontend.mended import X, mends

ZEROS = np.zeros(2)


def refused_one_table(x):
    d = {"k": x, "f": lambda v: v * x}
    ds = [d, d]
    ds[0]["k"] = 2.0
    return ds[0]["k"] * ds[1]["f"](x)


@mends(
    refused_one_table, (1.5,), "make each one anew, as in [{} for _ in range(n)] or "
    "tables.append(d.copy())", MutationError, differs=True,
)  # fmt: skip
def mended_one_table(x):
    d = {"k": x, "f": lambda v: v * x}
    ds = [d, d.copy()]
    ds[0]["k"] = 2.0
    return ds[0]["k"] * ds[1]["f"](x)


def refused_one_namespace(x):
    o = SimpleNamespace(v=x)
    os = [o, o]
    os[0].v = 2.0
    return os[0].v * os[1].v * x


@mends(
    refused_one_namespace, (1.5,), "make each object anew, as in [Item() for _ in range(n)]",
    MutationError, differs=True,
)  # fmt: skip
def mended_one_namespace(x):
    os = [SimpleNamespace(v=x) for _ in range(2)]
    os[0].v = 2.0
    return os[0].v * os[1].v * x


def refused_one_number(x):
    a = np.array(x)
    parts = [a, a]
    parts[0] += 1.0
    return parts[0] * parts[1]


@mends(
    refused_one_number, (1.5,), "make each array anew, as in [np.array(0.0) for _ in range(n)]",
    MutationError, differs=True,
)  # fmt: skip
def mended_one_number(x):
    parts = [np.array(x) for _ in range(2)]
    parts[0] += 1.0
    return parts[0] * parts[1]


def refused_item_view(x):
    v = x * 2.0
    w = v[0, ...]
    w += 1.0
    return w * v[1]


@mends(refused_item_view, (X,), "work on a copy: w = np.array(w)", MutationError)
def mended_item_view(x):
    v = x * 2.0
    w = v[0, ...]
    w = np.array(w)
    w += 1.0
    return w * v[1]


def refused_met(x):
    a = np.array(x)
    b = a if x > 0.0 else 0.5
    a += 1.0
    return a * b


@mends(refused_met, (1.5,), "write a = a + ...", MutationError, differs=True)
def mended_met(x):
    a = np.array(x)
    b = a if x > 0.0 else 0.5
    a = a + 1.0
    return a * b


def default_updated(x, w=ZEROS):
    w[0] = x[0]
    return w[0] * x[1]


def refused_default(x):
    return default_updated(x) * x[0]


@mends(refused_default, (X,), "work on a copy: w = w.copy()", MutationError)
def mended_default(x):
    return default_copied(x) * x[0]


def default_copied(x, w=ZEROS):
    w = w.copy()
    w[0] = x[0]
    return w[0] * x[1]


WORDS = {"a"}


def refused_set_outside(x):
    def counted(words):
        words.add("b")
        return len(words)

    return pb.grad(lambda v: counted(WORDS) * v * v)(x)


@mends(
    refused_set_outside, (1.5,), "update a copy of it, and return that: s = set(s)", MutationError,
    differs=True,
)  # fmt: skip
def mended_set_outside(x):
    def counted(words):
        s = set(words)
        s.add("b")
        return len(s)

    return pb.grad(lambda v: counted(WORDS) * v * v)(x)


class Held:
    def __init__(self, xs):
        self.xs = xs


def refused_repeated_in_place(x):
    a = Held([x] if x > 1.0 else None)
    a.xs *= 2
    return sum(a.xs)


@mends(refused_repeated_in_place, (1.5,), "a.xs = a.xs * n", UnsupportedError)
def mended_repeated_in_place(x):
    a = Held([x] if x > 1.0 else None)
    a.xs = a.xs * 2
    return sum(a.xs)


class Growing:
    def __init__(self, x):
        self.x = x

    def __iadd__(self, y):
        self.x += y
        return self

    def __isub__(self, y):
        return Growing(self.x - y)


def first_of(xs):
    return 0


def refused_place_of_a_call(x):
    xs = [Growing(x)]
    xs[first_of(xs)] += 2.0
    return xs[0].x


@mends(refused_place_of_a_call, (1.5,), "give what is in the brackets a name", UnsupportedError)
def mended_place_of_a_call(x):
    xs = [Growing(x)]
    k = first_of(xs)
    xs[k] += 2.0
    return xs[0].x


def refused_another_object(x):
    xs = [Growing(x)]
    xs[0] -= 2.0
    return xs[0].x


@mends(refused_another_object, (1.5,), "give the item a name, and put it back", UnsupportedError)
def mended_another_object(x):
    xs = [Growing(x)]
    item = xs[0]
    item -= 2.0
    xs[0] = item
    return xs[0].x


def refused_array_or_none(x):
    m = np.array([[x, x], [x, 1.0]])
    a = m[0] if x > 0.0 else 0.0
    a += 2.0
    return np.sum(a)


@mends(refused_array_or_none, (1.5,), "make a new one: a = a + v", MutationError)
def mended_array_or_none(x):
    m = np.array([[x, x], [x, 1.0]])
    a = m[0] if x > 0.0 else 0.0
    a = a + 2.0
    return np.sum(a)


def refused_view_returned(x):
    d = {"a": x, "b": 2.0 * x}
    return d.values()


@mends(
    refused_view_returned, (2.0,), "make a list of it: return list(d.values())", UnsupportedError,
    differs=True,
)  # fmt: skip
def mended_view_returned(x):
    d = {"a": x, "b": 2.0 * x}
    return list(d.values())


def refused_method_returned(x):
    def log():
        return [].append

    log()(x)
    return x


@mends(
    refused_method_returned, (2.0,),
    "return a function that uses it: return lambda v: items.append(v)", UnsupportedError,
)  # fmt: skip
def mended_method_returned(x):
    def log():
        items = []
        return lambda v: items.append(v)

    log()(x)
    return x


def refused_getter(x):
    d = defaultdict(lambda: x)
    return operator.getitem(d, 1) + len(d)


@mends(refused_getter, (2.0,), "write d[key], also in a lambda", UnsupportedError)
def mended_getter(x):
    d = defaultdict(lambda: x)
    return d[1] + len(d)
