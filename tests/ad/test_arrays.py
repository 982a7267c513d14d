"""Arrays: reads, views, rearrangements, build and sum."""

import numpy as np
import pytest

from pullback.ad.differentiate import gradient
from pullback.core.eval import evaluate
from pullback.core.types import Array
from tests.ad.agreement import agree
from tests.ad.flatcore import A1, A2, A3, AI, F32, F64, I64, Code, E, program

V = np.array([0.3, -0.2, 0.7, 1.1, 0.5])
M = np.array([[0.1, 0.5, -0.4], [0.9, 0.2, 0.6]])


def dot(c: Code, a: E, b: E) -> E:
    out: E = c.sum(a.dim(), lambda i: a.at(i) * b.at(i))
    return out


def test_reads_also_by_negative_indices() -> None:
    agree(program([A1, I64], lambda c, a, i: a[i] * a[-1] + c.sin(a[-5]) + a.at(2)), [V, -2])


def test_an_index_out_of_range_is_an_error_in_the_forward_sweep() -> None:
    g = gradient(program([A1, I64], lambda c, a, i: a[i]), (0,))
    with pytest.raises(IndexError):
        evaluate(g, (V, 7, 1.0))


@pytest.mark.parametrize("checked", [False, True])
def test_dot_and_elementwise(checked: bool) -> None:
    def body(c, a, b):
        e = c.build(a.dim(), lambda i: c.exp(a[i] if checked else a.at(i)) * b.at(i))
        return dot(c, e, e), e

    agree(program([A1, A1], body), [V, V[::-1].copy()])
    agree(program([A1, A1], body), [V, V])


def test_views_of_a_vector() -> None:
    def body(c, a):
        back = a.view("slice", 4, 3, -2, static=(0,))  # a[4::-2]
        part = a.view("slice", 1, 2, 1, static=(0,))
        none = a.view("slice", 2, 0, 1, static=(0,))
        wide = a.view("expand", static=(0,)).view("broadcast", 3, 5)
        again = wide.view("pick", 1, static=(0,))
        return c.total(back) * c.total(part), c.total(wide) + c.total(none), dot(c, again, a), back

    agree(program([A1], body), [V])


def test_views_of_a_matrix() -> None:
    def body(c, m, i):
        t = m.view("transpose", static=(1, 0))
        row, col = m.view("pick", i, static=(0,)), m.view("pick", 2, static=(1,))
        flipped = t.view("slice", 2, 3, -1, static=(0,))
        cube = m.view("expand", static=(1,)).view("broadcast", 2, 4, 3)
        return c.total(t) * c.total(row), c.total(col) * c.total(flipped), c.total(cube), t

    agree(program([A2, I64], body), [M, 1])
    agree(program([A2, I64], body), [np.asfortranarray(M), 0])


def test_reshape_and_copy() -> None:
    def body(c, m):
        flat = m.view("reshape", 6)
        tall = m.view("transpose", static=(1, 0)).view("reshape", 2, 3)
        twin = c.prim("copy", tall)
        return c.total(flat) * flat[4], c.total(twin) * c.total(tall), twin

    agree(program([A2], body), [M])


def test_build_of_several_results_and_ranks() -> None:
    def body(c, a, m):
        s, p, n = c.build(2, 3, lambda i, j: (a.at(i) * m.at(i, j), c.sin(m.at(i, j)), i + j))
        cube = c.build(2, 3, 2, lambda i, j, k: s.at(i, j) * p.at(k, j) * c.real(n.at(i, j)))
        return c.total(cube), c.total(s), n

    agree(program([A1, A2], body), [V, M])


def test_only_some_results_of_a_build_matter() -> None:
    def body(c, a):
        s, _ = c.build(a.dim(), lambda i: (a.at(i) * a.at(0), c.sqrt(a.at(i) - 9.0)))
        return c.total(s)

    agree(program([A1], body), [V])


def test_matrix_product_and_softmax() -> None:
    def body(c, m, a):
        mt = m.view("transpose", static=(1, 0))
        p = c.build(2, 2, lambda i, j: c.sum(3, lambda k: m.at(i, k) * mt.at(k, j)))
        e = c.build(2, lambda i: c.sum(2, lambda j: p.at(i, j) * a.at(j)))
        z = c.sum(2, lambda i: c.exp(e.at(i)))
        return c.log(z), c.build(2, lambda i: c.exp(e.at(i)) / z)

    agree(program([A2, A1], body), [M, V])


def test_sums_of_several_results_and_captured_scalars() -> None:
    def body(c, a, x):
        s, q = c.sum(a.dim(), lambda i: (a.at(i) * x, c.sin(a.at(i)) * x * x))
        return s * q

    agree(program([A1, F64], body), [V, 1.3])


def test_nested_builds_and_sums_four_deep() -> None:
    def body(c, m, x):
        def inner(i, j):
            local = c.build(3, lambda k: c.exp(m.at(i, k)) * x)
            return c.sum(3, lambda k: c.sin(local.at(k)) * c.sum(2, lambda r: m.at(r, k) * x))

        return c.sum(2, 2, lambda i, j: c.sum(2, lambda r: inner(i, j) * m.at(r, 1)) * x)

    agree(program([A2, F64], body), [M, 0.6])


def test_empty_arrays() -> None:
    def body(c, a, m):
        e = c.build(a.dim(), lambda i: c.exp(a.at(i)))
        t = m.view("reshape", m.dim(1), m.dim(0))
        return c.total(e) + c.total(t), e

    agree(program([A1, A2], body), [np.zeros(0), np.zeros((0, 3))])


def test_gather_by_indices_and_arrays_of_ints() -> None:
    def body(c, a, idx):
        g = c.build(idx.dim(), lambda k: a.at(idx.at(k)))
        return c.total(g) * g[0], idx

    agree(program([A1, AI], body), [V, np.array([3, 0, 3, 1])])


def test_float32_arrays() -> None:
    f = Array(F32, 1)

    def body(c, a):
        return c.sum(a.dim(), lambda i: c.exp(a.at(i)) * a.at(0)), c.prim("copy", a)

    agree(program([f], body), [V.astype(np.float32)], tolerance=1e-6, differences=False)


def test_arrays_of_arrays() -> None:
    def body(c, m, a):
        rows = c.build(m.dim(0), lambda i: m.view("pick", i, static=(0,)))
        made = c.build(3, lambda i: c.build(5, lambda j: a.at(j) * c.real(i) + m.at(0, i)))
        still = c.build(2, lambda i: c.build(3, lambda j: c.real(i + j)))
        one = made[2]
        stacked = made.view("stack")
        part = rows.view("slice", 1, 2, -1, static=(0,)).view("stack")
        inner = c.build(2, lambda i: dot(c, part.view("pick", i, static=(0,)), still[i]))
        return dot(c, one, a) * c.total(stacked), c.total(part), inner, one

    agree(program([A2, A1], body), [M, V])


def test_arrays_of_arrays_as_arguments_and_results() -> None:
    aa = Array(A1, 1)
    rows = np.empty(3, object)
    rows[:] = [V[:2], V[2:3], V]

    def body(c, a, x):
        s = c.sum(a.dim(), lambda i: c.total(a[i]) * x)
        return s, a[-1], c.build(2, lambda i: c.build(2, lambda j: a[i][0] * c.real(j) * x)), a

    agree(program([aa, F64], body), [rows, 0.8])


def test_rank_three_argument() -> None:
    t = np.arange(24.0).reshape(2, 3, 4) / 10

    def body(c, a):
        b = a.view("transpose", static=(2, 0, 1)).view("pick", 1, static=(1,))
        return c.total(b) * c.total(a), b

    agree(program([A3], body), [t])
