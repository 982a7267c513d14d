"""What refusals of updates advise where an object may be in several places, followed."""

from __future__ import annotations

from collections import OrderedDict
from types import SimpleNamespace

import numpy as np

from pullback.errors import MutationError, UnsupportedError
from tests.frontend.mended import X, mends

ZEROS = np.zeros(2)


def refused_one_table(x):
    d = {"k": x}
    ds = [d, d]
    ds[0]["k"] = 2.0
    return ds[0]["k"] * ds[1]["k"] * x


@mends(
    refused_one_table, (1.5,), "make each one anew, as in [{} for _ in range(n)] or "
    "tables.append(d.copy())", MutationError, differs=True,
)  # fmt: skip
def mended_one_table(x):
    d = {"k": x}
    ds = [d, d.copy()]
    ds[0]["k"] = 2.0
    return ds[0]["k"] * ds[1]["k"] * x


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


def refused_oldest(xs):
    d = OrderedDict()
    total = 0.0
    for k, x in enumerate(xs):
        d[k % 5] = x * k
        if len(d) > 2:
            oldest, v = d.popitem(last=False)
            total += v * (oldest + 1.0)
    return total


@mends(
    refused_oldest, (np.arange(1.0, 9.0),), "take the first key: k = next(iter(d)); v = d.pop(k)",
    UnsupportedError,
)  # fmt: skip
def mended_oldest(xs):
    d = OrderedDict()
    total = 0.0
    for k, x in enumerate(xs):
        d[k % 5] = x * k
        if len(d) > 2:
            oldest = next(iter(d))
            v = d.pop(oldest)
            total += v * (oldest + 1.0)
    return total
