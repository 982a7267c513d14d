"""Loops that store every element of an array, or append one item in each round, are builds; rows
that a parallel loop reads again and again are copied. Random programs agree with Python."""

import random
import textwrap

import numpy as np
import pytest

import pullback as pb
from tests import campaign
from tests.exact import functions_of
from tests.harness import difference, direction, gradient, inner, run

X = np.array([0.5, -1.25, 2.0, 0.75])
A = np.array([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4], [-1.3, 0.6, 0.8], [0.1, 1.7, -0.2]])


def check(f, *args) -> None:
    """The value is Python's, and the gradient is that of differences, by both methods."""
    expected = run(f, args, "python")
    tangents = tuple(direction(np.random.default_rng(1), x) for x in args)
    slope = difference(f, args, tangents)
    for method in ("chad", "dual"):
        value, slopes = gradient(f, args, (0, 1), "eval", method)
        assert abs(value - expected) <= 1e-12 * (1.0 + abs(expected))
        assert abs(inner(slopes, tangents) - slope) <= 1e-6 * (1.0 + abs(slope))


# --- what becomes a build -------------------------------------------------------------------------


def scratch_outside(x, a):
    u, v = np.zeros(3), np.zeros(3)
    s = 0.0
    for i in range(len(x)):
        for j in range(3):
            u[j] = x[i] * a[i, j]
            v[j] = u[j] * u[j]
        for j in range(3):
            s += v[j] * u[2 - j]
    return s


def every_element_in_a_nest(x, a):
    n, m = a.shape
    c = np.zeros((n, m))
    for i in range(n):
        y = np.sin(x[i])
        for j in range(m):
            c[i, j] = y
            for k in range(n):
                c[i, j] += x[k] * a[k, j]
    return np.sum(c * c)


def in_branches(x, a):
    u = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.0:
            u[i] = x[i] * a[i, 0]
        else:
            u[i] += 2.0
    return np.sum(u * u)


def appended(x, a):
    s = 0.0
    for k in range(3):
        items, rows, count = [], [], 0
        for i in range(len(x)):
            items.append(x[i] * a[i, k])
            rows.append(a[i] * x[i])
            count += 1
        items.append(2.0)
        for e in items:
            s += e * e
        s += rows[k][0] * rows[0][k] * count
    return s


def rows_changed_again(x, a):
    n, m = a.shape
    p = np.ones((n, m))
    for i in range(n):
        for j in range(m):
            p[i, j] = np.exp(a[i, j])
        for j in range(m):
            p[i, j] = p[i, j] / (1.0 + x[i] * x[i])
    return np.sum(p * p)


@pytest.mark.parametrize(
    "f", [scratch_outside, every_element_in_a_nest, in_branches, appended, rows_changed_again]
)
def test_builds(f) -> None:
    text = pb.show(f, X, A, stage="stores")
    before = pb.show(f, X, A, stage="tables")
    assert before.count(":=") > text.count(":=") <= (f is appended)
    check(f, X, A)
    check(f, X[:1], A[:1]) if f is not appended else None


# --- what stays -----------------------------------------------------------------------------------


def other_elements_are_read(x, a):
    u = np.ones(len(x))
    for i in range(len(x)):
        u[i] = x[i] * u[i - 1]
    return np.sum(u)


def not_every_element(x, a):
    u = np.ones(len(x))
    for i in range(len(x) - 1):
        u[i] = x[i]
    return np.sum(u * u)


def mirrored_elements_are_read(x, a):
    u = np.ones(len(x))
    for i in range(len(x)):
        u[i] = x[i] + u[len(x) - 1 - i]
    v = u
    return np.sum(v * v)


def appended_sometimes(x, a):
    items = []
    for i in range(len(x)):
        if x[i] > 0.0:
            items.append(x[i] * a[i, 1])
    return sum(items) + len(items)


def appended_and_read(x, a):
    items = []
    for i in range(len(x)):
        items.append(x[i] + (items[i - 1] if i > 0 else 0.0))
    return sum(items)


def in_place_round_after_round(x, a):
    u = x * 1.0
    for k in range(3):
        for i in range(len(u)):
            u[i] += a[i, k] * u[i]
    return np.sum(u)


def inside_of_rows(x, a):
    rows = [[0.0] * 3 for _ in range(len(x))]
    for i in range(len(x)):
        for j in range(3):
            for k in range(2):
                rows[i][j] += a[i, j] * x[k]
    return sum(row[0] * row[2] + row[1] for row in rows)


@pytest.mark.parametrize(
    "f",
    [inside_of_rows, other_elements_are_read, not_every_element, mirrored_elements_are_read,
     appended_sometimes, appended_and_read, in_place_round_after_round],
)  # fmt: skip
def test_what_stays(f) -> None:
    assert ":=" in pb.show(f, X, A, stage="stores")
    check(f, X, A)


def test_errors_come_where_they_came() -> None:
    def f(x, a):
        u = np.zeros(len(x))
        for i in range(len(x)):
            u[i] = a[i, int(x[i])]
        return u[0]

    bad = np.array([0.0, 1.0, 3.0, 7.0])
    for x in (np.array([0.0, 1.0, 2.0, 0.0]), bad):
        try:
            expected = f(x, A)
        except IndexError as e:
            with pytest.raises(IndexError, match=str(e)):
                pb.jit(f)(x, A)
            continue
        assert pb.jit(f)(x, A) == expected


# --- rows -----------------------------------------------------------------------------------------


def distances(x, a):
    s = 0.0
    for i in range(len(a)):
        near = 1.0
        for k in range(len(x)):
            d = 0.0
            for c in range(a.shape[1]):
                d += (a[i, c] - x[k]) * (a[i, c] + x[k] * c)
            near += d * d
        s += np.log(near)
    return s


def test_rows_are_copied() -> None:
    big = np.random.default_rng(0).normal(size=(19, 3))
    assert "row" in pb.show(distances, X, big, stage="rows")
    for n in (0, 1, 8, 19):
        check(distances, X, big[:n])
        check(distances, X[:0], big[:n])


# --- random programs ------------------------------------------------------------------------------


class Programs:
    """Random programs of loops that store, over ``x[n]`` and ``a[n, m]``."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def one(self) -> str:
        parts = [self.statement(0) for _ in range(self.rng.randint(2, 4))]
        body = "\n".join(parts)
        return (
            "def f(x, a):\n    n, m = a.shape\n    s = 0.0\n"
            "    u, v, c, w = np.zeros(n), np.ones(n), np.zeros((n, m)), [1.0]\n"
            + textwrap.indent(body, "    ")
            + "\n    return s + np.sum(u) + np.sum(v * v) + np.sum(c * c) + sum(w)\n"
        )

    def pick(self, *texts: str) -> str:
        return self.rng.choice(texts)

    def value(self, i: str, j: str) -> str:
        term = lambda: self.pick(
            f"x[{i}]", f"a[{i}, {j}]", f"u[{i}]", f"v[{i}]", f"c[{i}, {j}]", "0.5", "s * 0.01",
            f"np.sin(x[{i}])", f"v[n - 1 - {i}]", "len(w)", f"{i} + 1.0",
        )  # fmt: skip
        return f"{term()} * {term()} + {term()}"

    def statement(self, depth: int) -> str:
        e = self.value
        rng = self.pick("n", "n", "n", "n - 1")
        kind = self.rng.randrange(7 if depth < 1 else 5)
        if kind == 0:
            target = self.pick("u", "v")
            op = self.pick("=", "=", "+=", "*=")
            return f"for i in range({rng}):\n    {target}[i] {op} {e('i', '0')}"
        if kind == 1:
            return (
                f"for i in range({rng}):\n    u[i] = {e('i', '1')}\n    v[i] = u[i] + {e('i', '0')}"
            )
        if kind == 2:
            inner_ = self.pick(
                f"c[i, j] = {e('i', 'j')}", f"c[i, j] += {e('i', 'j')}",
                "for k in range(n):\n            c[i, j] += x[k] * a[k, j]",
                f"if a[i, j] > 0.0:\n            c[i, j] = {e('i', 'j')}",
            )  # fmt: skip
            loops = self.pick("ij", "ij", "ji")
            head = {"i": f"for i in range({rng}):", "j": "for j in range(m):"}
            return f"{head[loops[0]]}\n    {head[loops[1]]}\n        {inner_}"
        if kind == 3:
            item = e("i", "0").replace("len(w)", "2")
            return f"w = []\nfor i in range({rng}):\n    w.append({item})"
        if kind == 4:
            return f"for i in range({rng}):\n    s += {e('i', '1')} * 0.1\n    u[i] = {e('i', '0')}"
        inner_ = "\n".join(self.statement(depth + 1) for _ in range(2))
        tail = "s += np.sum(u * v) * 0.01"
        return f"for t in range(2):\n{textwrap.indent(inner_, '    ')}\n    {tail}"


@pytest.mark.parametrize("seed", campaign.seeds("agreement", 4, 3, 400))
def test_random_programs(seed: int) -> None:
    text = "import numpy as np\n\n" + Programs(seed).one()
    check(functions_of(text, f"stores {seed}")["f"], X, A)
