"""Tuples of several lengths in one place, and keys of several types: values, derivatives, what
Python raises, arguments and results."""

import math
import random

import pytest

import pullback as pb
from tests.campaign import part, seeds
from tests.foreign.__main__ import is_right
from tests.frontend.unlike_tuple_programs import PROGRAMS


def name_of(f):
    return f.__name__


@pytest.mark.parametrize("f", PROGRAMS, ids=name_of)
def test_as_in_python(f):
    is_right(f, (1.3,))


@pytest.mark.parametrize("f", part("values", PROGRAMS, 3), ids=name_of)
def test_every_method(f):
    wanted = pb.grad(f)(1.3)
    for found in (pb.grad(f, method="dual")(1.3), pb.jvp(f, (1.3,), (1.0,))[1]):
        assert found == pytest.approx(wanted, rel=1e-12)


def rows_of(x, n):
    made = []
    for i in range(n):
        made.append((x, "a") if i % 2 else (x * i,) if i % 4 else x if i % 8 else None)
    return made


def test_results():
    found = pb.jit(rows_of)(2.0, 12)
    assert found == rows_of(2.0, 12) and list(map(type, found)) == list(map(type, rows_of(2.0, 12)))
    out, pullback = pb.vjp(lambda x: rows_of(x, 6), 2.0)
    assert out == [None, (2.0, "a"), (4.0,), (2.0, "a"), 2.0, (2.0, "a")]
    cotangent = [None, (1.0, None), (1.0,), None, 3.0, (0.5, None)]
    assert pullback(cotangent) == (1.0 + 2.0 + 3.0 + 0.5,)
    _, tangent = pb.jvp(lambda x: rows_of(x, 6), (2.0,), (1.0,))
    assert tangent == [None, (1.0, None), (2.0,), (1.0, None), 1.0, (1.0, None)]


def of_rows(rows, x):
    total = 0.0
    for r in rows:
        if isinstance(r, float):
            total += r * x
        elif len(r) == 2:
            total += r[0] * r[1] * x
        else:
            total += r[0] ** 2
    return total


@pytest.mark.parametrize("n", [4, 100])
@pytest.mark.parametrize("method", ["chad", "dual"])
def test_arguments(n, method):
    rows = [(1.0, 2.0) if i % 3 == 0 else (float(i),) if i % 3 == 1 else 0.5 for i in range(n)]
    assert pb.jit(of_rows)(rows, 2.0) == of_rows(rows, 2.0)
    by_rows, by_x = pb.grad(of_rows, argnums=(0, 1), method=method)(rows, 2.0)
    assert by_rows[:3] == [(4.0, 2.0), (2.0,), 2.0] and len(by_rows) == n
    assert by_x == pytest.approx(of_rows(rows, 3.0) - of_rows(rows, 2.0))
    with pytest.raises(TypeError):
        pb.grad(of_rows)([*rows, (1.0, 2.0, 3.0)] * (100 // n), "x")


def unpacked(k):
    rows = [("a", 1.0)]
    for i in range(k):
        rows.append((i,) if i % 2 else ("b", 2.0, i) if i % 3 else 0.5 if i else None)
    return rows


def two_of(k, i):
    a, b = unpacked(k)[i]
    return (a, b)


def item_of(k, i):
    return unpacked(k)[i][1]


def all_of(k, i):
    return [v for v in unpacked(k)[i]]


@pytest.mark.parametrize("f", [two_of, item_of, all_of], ids=name_of)
@pytest.mark.parametrize("i", range(5))
def test_what_python_raises(f, i):
    try:
        wanted = f(5, i)
    except (TypeError, ValueError, IndexError) as e:
        with pytest.raises(type(e)) as found:
            pb.jit(f)(5, i)
        assert str(found.value).splitlines()[0] == str(e)
    else:
        assert pb.jit(f)(5, i) == wanted


def with_keys_of_seed(seed):
    """A function that puts in, asks for and takes out keys of several types."""
    r = random.Random(seed)
    n, a, b, m = r.randint(3, 9), r.randint(1, 5), r.randint(0, 5), r.randint(2, 6)
    texts, pairs, ways = r.randrange(3), r.randrange(3), r.randrange(3)
    at, late, last, first = (r.randint(0, 9) for _ in range(4))

    def key_of(k):
        if k % 3 == texts:
            return "t" * k if k % 4 else None
        return (k, "p") if k % 3 == pairs else k

    def f(x):
        d, s, total = {}, set(), 0.0
        for i in range(n):
            key = key_of((i * a + b) % m)
            if ways == 0 and key in d:
                d.pop(key)
            elif ways == 1:
                d[key] = d.get(key, 0.0) + x * i
            else:
                d[key] = x + i
            s.add(key)
            if i % 3 == 0:
                s.discard("t")
            if i == at:
                d[None] = 2.0 * x
                d["t"] = d.get("t", 1.0) * x
            if i == late:
                d.setdefault(7, x)
                d[1, "p"] = d.pop("tt", 0.5)
            if i == last:
                total += d.popitem()[1] + (None in d)
        if first < 4:
            e = {None: x, 1: 2.0} if first < 2 else {"t": 3.0, (1, "p"): x}
            total += sum((d | e).values()) + (d == e) + len(d.keys() & e.keys())
        for k, v in d.items():
            total = total * 0.7 + v * (len(k) if isinstance(k, str) else 2 if k is None else 3)
        for q in range(m):
            total += (key_of(q) in s) * (q + 1) + d.get(key_of(q), 0.3) * q
        return total + len(d) + len(s) + ((1, "p") in s) * 7 + (1 in d) * 5

    return f


@pytest.mark.parametrize("seed", seeds("values", 4, 3, 80))
def test_random_keys(seed):
    is_right(with_keys_of_seed(seed), (1.3,))


# --- trees of tuples ------------------------------------------------------------------------------

TREE = ("+", ("x",), ("*", 2.0, ("sin", ("x",))))


def of_a_tree(x):
    """The tree is known: the recursion has a form for each kind of node in it."""

    def value(t):
        match t:
            case ("x",):
                return x
            case ("+", a, b):
                return value(a) + value(b)
            case ("*", a, b):
                return value(a) * value(b)
            case ("sin", a):
                return math.sin(value(a))
            case float():
                return t

    return value(TREE)


def of_a_derivative(x):
    def d(t):
        if isinstance(t, float):
            return 0.0
        if t[0] == "x":
            return 1.0
        if t[0] == "+":
            return ("+", d(t[1]), d(t[2]))
        return ("+", ("*", d(t[1]), t[2]), ("*", t[1], d(t[2])))

    def value(t):
        if isinstance(t, float):
            return t
        if t[0] == "x":
            return x
        return value(t[1]) + value(t[2]) if t[0] == "+" else value(t[1]) * value(t[2])

    return value(d(("+", ("x",), ("*", ("x",), ("x",)))))


def linked(x):
    items = None
    for i in range(int(3 * x)):
        items = (x * i, items)
    total = 0.0
    while items is not None:
        v, items = items
        total = total * 2 + v
    return total


def searched(x):
    def insert(t, v):
        if t is None:
            return (v, None, None)
        k, low, high = t
        return (k, insert(low, v), high) if v < k else (k, low, insert(high, v))

    root = None
    for v in [x, 3.0, 0.5, 2.0]:
        root = insert(root, v)
    return root[0]


def parsed_by_hand(x):
    tokens, at = ["x", "*", "2", "*", "x"], 1

    def factor(k):
        return ("var",) if tokens[k] == "x" else ("num", float(tokens[k]))

    node = factor(0)
    while at < len(tokens):
        node = ("*", node, factor(at + 1))
        at += 2

    def value(t):
        if t[0] == "num":
            return t[1]
        return x if t[0] == "var" else value(t[1]) * value(t[2])

    return value(node)


@pytest.mark.parametrize(
    "f", [of_a_tree, of_a_derivative, linked, searched, parsed_by_hand], ids=name_of
)
def test_trees(f):
    """Those that are known when the program is compiled, and those that the run makes."""
    is_right(f, (1.3,))
