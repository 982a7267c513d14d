"""Loops that change one cell carry it, where no other element that they read may be it."""

import re

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.core.terms import Loop, Update
from pullback.core.types import F64
from pullback.opt.arrays.cells import carry_cells
from tests import campaign
from tests.ad.flatcore import A1, program
from tests.opt.agreement import agree, ops

RNG = np.random.default_rng(34)
M = RNG.normal(size=(6, 6))
S = M @ M.T + 6.0 * np.eye(6)


def cholesky(a, b):
    a = a.copy()
    n = len(a)
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] ** 2
        a[i, i] = np.sqrt(a[i, i])
    return sum(np.log(a[i, i]) * b[0, i] for i in range(n))


def elimination(a, b):
    """L and U in the place of a matrix, then both triangles solved in place."""
    a, x = a.copy(), b[0].copy()
    n = len(a)
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]
    for i in range(len(x)):
        for j in range(i):
            x[i] -= a[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i, j] * x[j]
        x[i] = x[i] / a[i, i]
    return np.sum(np.sin(x))


def in_a_function(a, b):
    def add(to, i, row):
        for v in row:
            to[i] += v * v
        return to

    total = np.zeros(len(a))
    for i in range(len(a)):
        total = add(total, i, a[i])
    return sum(np.sum(np.tanh(add(np.ones(2), 1, row))) for row in b) + np.dot(total, b[1])


def counters(a, b):
    """Ints, truth values, a maximum, two cells in turns."""
    most, seen, count = np.full(3, -9.0), np.zeros(2, dtype=bool), np.zeros(2, dtype=int)
    for row in a:
        for v in row:
            most[1] = max(most[1], v)
            count[0] += v > 0.0
            seen[1] = seen[1] or v > 1.0
            most[2] += v * count[0]
    return most[1] + most[2] * count[0] + (2.0 if seen[1] else 1.0) * b[0, 0]


def other_elements_of_it(a, b):
    """The loop reads the cell itself at another name of the index: it stays."""
    x = b[0].copy()
    for i in range(len(x)):
        for j in range(len(x)):
            x[i] += 0.1 * a[i, j] * x[j]
    return np.sum(x * x)


PROGRAMS = [cholesky, elimination, in_a_function, counters, other_elements_of_it]


@pytest.mark.parametrize("f", campaign.part("values", PROGRAMS, 2), ids=lambda f: f.__name__)
def test_cells(f) -> None:
    for a, b in ((S, M), (S[:2, :2], M[:2, :2]), (S[:1, :1], M[:2, :1])):
        if len(a) < 2 and f is in_a_function:
            continue
        assert pb.jit(f)(a, b) == pytest.approx(f(a, b), rel=1e-12)
        one, other = (pb.grad(f, argnums=(0, 1), method=m)(a, b) for m in ("chad", "dual"))
        for x, y in zip(one, other, strict=True):
            assert np.allclose(x, y, rtol=1e-10, atol=1e-12)
        pb.check_grads(f, (a, b))
    value, found = driver.gradient(f, (S, M), (0, 1), "eval", "chad")
    assert np.isclose(value, f(S, M), rtol=1e-12)
    u, w = RNG.normal(size=(2, 6, 6))
    tangent = pb.jvp(f, (S, M), (u, w))[1]
    assert np.isclose(tangent, np.sum(found[0] * u) + np.sum(found[1] * w), rtol=1e-9)
    both = pb.vmap(f)(np.stack((S, 2.0 * S)), np.stack((M, M)))
    assert np.allclose(both, [f(S, M), f(2.0 * S, M)], rtol=1e-11)


def test_eliminations_carry_no_matrix_in_inner_loops() -> None:
    for f, sums in ((cholesky, 3), (elimination, 5)):
        text = pb.show(f, S, M)
        assert text.count("= sum ") == sums and len(re.findall(r"\] = loop i\d* < i", text)) <= 2


V = np.array([0.5, -1.0, 2.0])


def test_a_cell_that_may_not_exist() -> None:
    """Where there are no rounds, nothing is read and nothing changes."""

    def f(a, n, at):
        a = a.copy()
        a[0] = a[1] * 2.0
        for k in range(n):
            a[at] += a[at] * k
        a[0] += 1.0
        for k in range(n - 1):
            a[at] *= 0.5 + k
        return np.sum(a * a)

    for n, at in ((0, 7), (3, 1), (2, 0), (1, 2), (0, 10**12), (-3, -(10**12))):
        assert pb.jit(f)(V, n, at) == f(V, n, at)
        pb.check_grads(lambda a, n=n, at=at: f(a, n, at), (V,))
    with pytest.raises(IndexError, match="7"):
        pb.jit(f)(V, 1, 7)

    def forward(low, x):
        x = x.copy()
        for i in range(len(low)):
            for j in range(i):
                x[i] -= low[i, j] * x[j]
        return np.sum(x * x)

    for x in (M[0], M[0, :4], M[0, :0]):
        low = S[: len(x)] if len(x) else S[:1]
        assert pb.jit(forward)(low, x) == pytest.approx(forward(low, x), rel=1e-12)
        pb.check_grads(forward, (low, x))
    assert ":f64[:] = loop i1 < i" not in pb.show(forward, S, M[0])


def rounds(c, a, p, q):
    """Rounds in which one element more than a has becomes half of itself and another one."""
    n = a.dim()
    start = c.build(n + 1, lambda i: c.real(i) * 0.25)

    def one(k, b):
        return b.set(p(c, k), b.at(p(c, k)) * 0.5 + b.at(q(c, k)))

    return c.loop(n, [start], one)


CELL = (lambda c, k: 0), (lambda c, k: k + 1)


@pytest.mark.parametrize(
    ("p", "q", "leaves"),
    [
        (lambda c, k: 0, lambda c, k: k + 1, True),
        (lambda c, k: 0, lambda c, k: 0, True),
        (lambda c, k: 0, lambda c, k: k, False),
        (lambda c, k: k, lambda c, k: 0, False),
    ],
)
def test_other_cells_must_be_known_to_be_others(p, q, leaves: bool) -> None:
    code = program([A1], lambda c, a: rounds(c, a, p, q))
    found = agree(carry_cells, code, [V], [V[:1]], [V[:0]])
    (loop,) = ops(found, Loop)
    assert [v.type == F64 for v in loop.carried] == [leaves]


def test_of_two_updates_one_is_left() -> None:
    def body(c, a):
        once = c.build(a.dim() + 2, lambda i: c.real(i)).set(1, c.real(a.dim()))
        read = once.at(1) + once.at(0)
        return once.set(1, read * 2.0)

    found = agree(carry_cells, program([A1], body), [V], [V[:0]])
    assert len(ops(found, Update)) == 2  # no loop that carries a cell: nothing is looked at
    found = agree(carry_cells, program([A1], lambda c, a: rounds(c, body(c, a), *CELL)), [V])
    assert len(ops(found, Update)) == 2
