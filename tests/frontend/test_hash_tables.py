"""Dicts and sets whose keys only the run knows: what Python does with them, in unusual programs."""

from collections import Counter, OrderedDict, defaultdict
from functools import cache
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness


def colliding(x, n):
    """Keys that differ in high bits only, and negative ones."""
    d = {}
    for i in range(-n, n):
        d[i * 2**32] = x * i
        d[-i] = d.get(-i, 1.0) * x
    t = 0.0
    for k, v in d.items():
        t = t * 0.5 + v * (1 if k > 0 else 2)
    return t


def put_in_again(x, n):
    d = {i: x * i for i in range(n)}
    for i in range(0, n, 2):
        del d[i]
    d[0] = 5.0 * x
    d[3] = d[3] * x
    t = 0.0
    for k, v in d.items():
        t = t * 0.5 + v + k
    return t + len(d)


def deleted_at_once(x, n):
    """There are few items, and many have been there."""
    d = {}
    for i in range(5 * n):
        d[i] = x * i
        d.pop(i - 3, None)
    t = 0.0
    for k, v in d.items():
        t = t / 2 + v * k
    return t


def rows_in_place(x, n):
    d = {}
    for i in range(n):
        d.setdefault(i % 3, []).append(x * i)
    row = d[1]
    row.append(5.0 * x)
    e = d
    e[2][0] = x * x
    return sum(sum(row) * k for k, row in d.items()) + len(d[1])


def dicts_in_a_dict(x, n):
    d, e = {}, defaultdict(dict)
    for i in range(n):
        d.setdefault(i % 2, {})[i] = x * i
        e[i % 3][i] = x
    d[0][n + 7] = 1.0
    return sum(sum(row.values()) * k for k, row in d.items()) + len(d[0]) + sum(e[1].values())


def keys_as_tuples(x, n):
    d = defaultdict(float)
    for i in range(n):
        d[(i % 3, i % 2 == 0)] += x * i
    t = sum(v * (3.0 if even else k) for (k, even), v in d.items())
    return t + len(d) + d[7, True] + len(d)


def a_default_is_put_in(x, n):
    d = defaultdict(lambda: x)
    d[n] += x
    if d[n + 1] > 100.0:
        return x
    return d[n] * len(d) + (1.0 if n + 1 in d else 0.0) + (2.0 if n + 2 in d else 0.0)


def counted(x, n):
    c = Counter([i % 3 for i in range(n)])
    c.update([5, 5])
    return sum(v * x**k for k, v in c.items()) + c[100] + len(c)


def strings(x, n):
    d = {"a": x, "b": 2 * x}
    names = ["a", "b", "c"]
    for i in range(n):
        k = names[i % 3]
        d[k] = d.get(k, 0.0) + x * i
    return d["c"] + d["a"] * d["b"]


def merged(x, n):
    d = dict(zip(range(n), [x * i for i in range(n)], strict=True))
    e = {**d, 100: x}
    e |= {101: 3 * x}
    e.update({i: 1.0 for i in range(2)})
    f = e | d
    return sum(k * v for k, v in e.items()) + sum(f.values()) + (1.0 if e == f else 2.0)


def copies(x, n):
    d = {}
    for i in range(n):
        d[i] = x * i
    e, same = d.copy(), d
    e[0] = 100.0
    same[1] = 3.0 * x
    return sum(d.values()) + 2.0 * sum(e.values()) + sum(dict(same).values())


def sets(x, n):
    a, b = {1, 2, 3, n}, {i for i in range(n)}
    a.discard(77)
    a -= {3}
    b |= a
    t = x * len(a & b) + x * x * len(a | b) + len(b - a) + len(a ^ b) + sum(sorted(a))
    return t + (1.0 if a <= b else 2.0) + max(a) + (5.0 if 2 in a and 3 not in a else 7.0)


def ordered(x, n):
    d = OrderedDict()
    for i in range(n):
        d[i] = x + i
    d.move_to_end(1)
    k, v = d.popitem()
    best = max(d, key=d.get)
    return v * k + d.pop(2) + d.pop(77, 3.0) + best * d[best] + next(v for v in d.values())


def changed_by_a_call(d, k, x):
    if k not in d:
        d[k] = x * k
    return d[k]


def in_a_generator(x, n):
    d = {}
    return sum(changed_by_a_call(d, i % 3, x) for i in range(n)) + len(d)


def while_it_runs(x, n):
    d = {i: x**i for i in range(n)}
    for k in d:
        d[k] = d[k] / 2
        if k == n - 2:
            d[1000] = x
            break
    return sum(d.values())


def a_local_cache(x, n):
    @cache
    def d(i, j=0):
        if i <= 0 or j <= 0:
            return 1.0
        return d(i - 1, j) * x + d(i, j=j - 1) + d(i - 1, j - 1) * x * x

    return d(n, n) + d(n - 1, n)


@cache
def even(n):
    return 1.0 if n == 0 else odd(n - 1) + 1.0


def odd(n):
    return 0.0 if n == 0 else even(n - 1) * 2.0 + even(n // 2)


def twice(x, n):
    return x * even(n) + odd(n)


def across_functions(x, n):
    return twice(x, n) + twice(x * x, n + 1)


def made_anew(x, n):
    """Names that change places, tables that are made anew or grow between two calls."""
    a, b = {i: x for i in range(n)}, {i: 2.0 * x for i in range(n)}
    a[1], b[2] = b[2] + 1.0, a[1] + 2.0
    a, b = b, a
    a[77] = 3.0

    def total():
        return sum(a.values()) - 2.0 * sum(b.values())

    t = total()
    b[50] = x
    for i in range(n):
        if i % 3:
            b[i] = x * i
        else:
            b = {}
    return t + total() + len(b) + (x if isinstance(b, dict) and type(a) is dict else 0.0)


def arrays_and_functions(x, n):
    d, f = {}, {}
    for i in range(n):
        d[i] = np.array([x, 1.0 * i])
        f[i] = lambda y, i=i: y * i
    d[1][0] += 5.0
    return np.sum(d[1]) + sum(v[0] * v[1] for v in d.values()) + f[2](x)


def shared_row(x, n):
    row, d = [x], {}
    d[n] = row
    d[n + 1] = row
    d[n].append(2.0 * x)
    return sum(d[n + 1])


PROGRAMS = [
    colliding, put_in_again, deleted_at_once, rows_in_place, dicts_in_a_dict, keys_as_tuples,
    a_default_is_put_in, counted, strings, merged, copies, sets, ordered, in_a_generator,
    while_it_runs, a_local_cache, across_functions, made_anew, arrays_and_functions,
    shared_row,
]  # fmt: skip


CHOSEN = [f for f in PROGRAMS if campaign.chosen("foreign", f.__name__, 3)]


@pytest.mark.parametrize("f", CHOSEN, ids=lambda f: f.__name__)
def test_values_and_derivatives_are_those_of_python(f: Any) -> None:
    x, n, h = 0.7, 9, 1e-6
    value, gradient = pb.value_and_grad(f)(x, n)
    assert value == pytest.approx(f(x, n), rel=1e-12)
    assert gradient == pytest.approx((f(x + h, n) - f(x - h, n)) / (2 * h), rel=1e-5)


def test_tables_in_loops_that_run_in_lanes() -> None:
    def f(xs, n):
        return sum(put_in_again(x, n) * x for x in xs)

    xs = np.linspace(-1.0, 1.0, 40)
    value, gradient = pb.value_and_grad(f)(xs, 9)
    assert value == pytest.approx(f(xs, 9), rel=1e-12)
    alone = pb.grad(lambda x, n: put_in_again(x, n) * x)
    assert gradient == pytest.approx([alone(float(x), 9) for x in xs], rel=1e-12)


def test_a_derivative_of_a_derivative() -> None:
    slope = pb.grad(a_local_cache)
    h = 1e-5
    expected = (slope(0.7 + h, 5) - slope(0.7 - h, 5)) / (2 * h)
    assert pb.grad(lambda x: pb.grad(a_local_cache)(x, 5))(0.7) == pytest.approx(expected, rel=1e-7)


# --- what raises ----------------------------------------------------------------------------------


def missing(x, n):
    d = {i: x for i in range(n)}
    return d[n]


def missing_pair(x, n):
    d = {}
    for i in range(n):
        d[i, i % 2 == 0] = x
    return d[n, True]


def missing_string(x, n):
    names, d = ["a", "b"], {}
    d[names[n % 2]] = x
    return d[names[(n + 1) % 2]]


def missing_item(x, n):
    s = {i for i in range(n)}
    s.remove(n)
    return x


def grown_in_the_last_round(x, n):
    d = {i: x for i in range(n)}
    for k in d:
        if k == n - 1:
            d[100] = x
    return len(d) * x


@pytest.mark.parametrize(
    "f",
    [missing, missing_pair, missing_string, missing_item, grown_in_the_last_round],
    ids=lambda f: f.__name__,
)
def test_errors_are_those_of_python(f: Any) -> None:
    with pytest.raises((KeyError, RuntimeError)) as expected:
        f(0.5, 9)
    with pytest.raises(type(expected.value)) as found:
        pb.jit(f)(0.5, 9)
    assert str(found.value) == str(expected.value)


# --- what is refused ------------------------------------------------------------------------------


def float_key(x, n):
    d = {}
    d[x] = 1.0
    return d[x]


def keys_of_two_classes(x, n):
    d = {}
    d[n] = x
    d[n > 3] = 2.0 * x
    return x


def deleted_while_it_runs(x, n):
    d = {i: x for i in range(n)}
    for k in d:
        del d[k]
    return x


@cache
def by_a_float(x):
    return x * x


def cached_by_a_float(x, n):
    return by_a_float(x) + n


def cached_inside_of_a_derivative(x, n):
    return pb.grad(lambda y: y * even(n))(x)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (float_key, "two equal floats may have different derivatives"),
        (keys_of_two_classes, "a bool as a key of a dict of ints"),
        (deleted_while_it_runs, "runs over"),
    ],
    ids=lambda v: v.__name__ if callable(v) else "",
)
def test_what_is_refused(f: Any, why: str) -> None:
    with pytest.raises(pb.PullbackError, match=why):
        pb.jit(f)(0.5, 9)


def test_a_cached_function_of_a_float_is_run_by_each_call() -> None:
    assert pb.value_and_grad(cached_by_a_float)(0.5, 9) == (9.25, 1.0)


def test_one_list_at_two_keys() -> None:
    assert pb.jit(shared_row)(0.5, 9) == shared_row(0.5, 9)


def test_a_derivative_of_what_calls_a_cached_function() -> None:
    for n in (8, 9):
        assert pb.jit(cached_inside_of_a_derivative)(0.5, n) == even(n)


# --- what it costs --------------------------------------------------------------------------------


def table(x, n):
    @cache
    def d(i, j):
        if i == 0 or j == 0:
            return x
        return 0.5 * d(i - 1, j) + 0.5 * d(i, j - 1) + x * d(i - 1, j - 1)

    return d(n, n)


def rows(x, n):
    d = {}
    for i in range(n):
        d.setdefault(i % 2, {})[i] = x * i
        d[i % 2][i] += x
    return sum(d[0].values())


@pytest.mark.parametrize(("f", "degree"), [(table, 2.0), (rows, 1.0), (deleted_at_once, 1.0)])
@pytest.mark.parametrize("method", [None, "chad"])
def test_an_update_costs_the_same_in_large_tables(f: Any, degree: float, method: str) -> None:
    sizes = [8, 16, 32]
    counts = [harness.steps(f, (0.5, n), *([method] if method else [])) for n in sizes]
    assert np.polyfit(np.log(sizes), np.log(counts), 1)[0] < degree + 0.15
