"""Checks stand before loops: the same programs raise, in the same places of the source."""

import numpy as np
import pytest

import pullback as pb
from pullback.core.effects import EffectsOf
from pullback.core.eval import evaluate, site_of
from pullback.core.terms import Build, Let, Program, Site, Sum_
from pullback.core.traverse import all_lets
from pullback.core.types import F64, I64
from pullback.opt.control.checks import hoist_checks
from pullback.opt.dce import drop_dead
from pullback.opt.scalar.simplify import simplify
from tests.ad.flatcore import A1, A2, AI, program
from tests.opt.agreement import agree, checked, outcome

V = np.array([0.3, -0.2, 0.7, 1.1])
M = np.arange(6.0).reshape(2, 3)
PASSES = [simplify, hoist_checks, simplify, drop_dead]


def lifted(p: Program, *runs) -> Program:
    """The program after the pass. Errors are compared by their type: the message of an index that
    is out of range does not name the index any more."""
    q = agree(PASSES, p)
    for args in runs:
        want, got = outcome(p, args), outcome(q, args)
        assert got == want or (got[0] is want[0] and issubclass(want[0], Exception)), (got, want)
    return q


def raising_loops(p: Program) -> int:
    effects = EffectsOf(p)
    return sum(
        bool(effects(let.op)) and isinstance(let.op, Build | Sum_)
        for f in p.functions.values()
        for let in all_lets(f.body)
    )


def test_two_arrays_over_one_range() -> None:
    def body(c, a, b):
        s = c.sum(a.dim(), lambda i: a[i] * b[i])
        return s, c.loop(b.dim(), [s], lambda i, s: s + a[i])

    q = lifted(
        program([A1, A1], body), [V, V], [V, V[:2]], [V[:2], V], [V[:0], V[:0]], [V[:0], V]
    )
    assert checked(q) == 0 and raising_loops(q) == 0


def test_shifted_and_scaled_indices() -> None:
    def body(c, a, n):
        m = c.max_(n, 0)
        s = c.sum(m, lambda i: a[i + 2])
        t = c.sum(m, lambda i: a[i * 2])
        return s * t

    q = lifted(program([A1, I64], body), [V, 2], [V, 1], [V, 0], [V[:0], -1], [V, 3])
    assert checked(q) == 0 and raising_loops(q) == 0


def test_an_index_that_may_be_negative_stays_checked() -> None:
    def body(c, a, n):
        return c.sum(c.max_(n, 0), lambda i: a[c.expr(2, I64) - i])

    q = lifted(program([A1, I64], body), [V, 2], [V, 5], [V, 9], [V, 0])
    assert checked(q) == 1


def test_out_of_nests_and_triangles() -> None:
    def body(c, m, a, n):
        def row(i):
            def term(j):
                return c.sum(j + 1, lambda k: m[i, k] * a[k])

            return c.sum(n, term)

        return c.build(m.dim(0), row)

    p = program([A2, A1, I64], body)
    q = lifted(p, [M, V, 3], [M, V, 4], [M, V[:2], 3], [M, V[:2], 2], [M[:0], V, 99], [M, V, 0])
    assert checked(q) == 0 and raising_loops(q) == 0


def test_invariant_conditions() -> None:
    def body(c, a, b, n):
        def step(i):
            ok = c.prim("or", a.dim().eq(b.dim()), b.dim().eq(1))
            c.require(ok, "ValueError", "shapes")
            return c.sum(n, lambda j: a.at(i) + c.real(j))

        return c.build(a.dim(), step)

    q = lifted(program([A1, A1, I64], body), [V, V, 2], [V, V[:1], 2], [V, V[:2], 2],
               [V[:0], V[:2], 2])
    assert raising_loops(q) == 0


def test_conditions_whose_message_shows_values() -> None:
    """Values that are the same in all rounds are shown before the loop too."""

    def rows(xs, w):
        return sum(np.sum((x[1:] @ w) ** 2) for x in xs)

    def each(xs, w):
        total = 0.0
        for i in range(len(xs)):
            total += np.sum(xs[i, :2] * w[i])
        return total

    for f, stay in ((rows, 0), (each, 1)):
        w = np.ones((2, 2))
        assert pb.show(f, M, w, stage="hoist checks").count("do require ") == stay
        assert pb.jit(f)(M, w) == pytest.approx(f(M, w))
        with pytest.raises((ValueError, IndexError)) as theirs:
            f(M, np.ones((1, 2)))
        with pytest.raises(type(theirs.value)) as ours:
            pb.jit(f)(M, np.ones((1, 2)))
        assert str(ours.value) == str(theirs.value)
        assert pb.jit(f)(M[:0], np.ones((1, 2))) == 0.0


def test_what_is_in_a_branch_stays() -> None:
    def body(c, a, b):
        return c.sum(
            a.dim(), lambda i: c.if_(a.at(i) < 0.5, lambda: b[i], lambda: c.expr(0.0))
        )

    q = lifted(program([A1, A1], body), [V, V], [V, V[:2]], [V, V[:1]])
    assert checked(q) == 1


def test_conditions_of_values_stay() -> None:
    def body(c, a, k):
        def term(i):
            c.require(a.at(i) < 1.0, "ValueError", "too large")
            return a[k[i]]

        return c.sum(k.dim(), term)

    q = lifted(program([A1, AI], body), [V, np.array([0, 1])], [V, np.array([0, 1, 2, 3])],
               [V, np.array([0, 9])])
    assert checked(q) == 1


def test_updates_of_carried_arrays() -> None:
    def body(c, a, n):
        y = c.build(c.max_(n, 0), lambda i: c.real(i))
        y = c.loop(a.dim(), [y], lambda i, y: y.set(i, a.at(i) + y[0], checked=True))
        z = a.view("copy")
        return c.loop(n, [z], lambda i, z: z.set(i + 1, z[i] * 2.0, checked=True)), y

    q = lifted(program([A1, I64], body), [V, 3], [V, 4], [V[:0], 0], [V, 0], [V[:2], 2], [V[:1], 0])
    assert checked(q) == 0


def test_the_order_of_checks_of_one_loop_is_kept() -> None:
    def body(c, a, n, m):
        def term(i):
            c.require(i < n, "ValueError", "first")
            c.require(i < m, "LookupError", "second")
            return a.at(i)

        return c.sum(a.dim(), term)

    p = program([A1, I64, I64], body)
    q = agree(PASSES, p, [V, 9, 9], [V, 2, 9], [V, 9, 2])
    with pytest.raises(ValueError, match="first"):
        evaluate(q, [V, 3, 1])  # the loop would have come to the second one earlier


def test_sums_that_overflow_do_not_pass() -> None:
    def body(c, a, n):
        return c.if_(
            c.expr(0, I64) < n, lambda: c.sum(n, lambda i: a[i + 7]), lambda: c.expr(0.0)
        )

    p = program([A1, I64], body)
    q = agree(PASSES, p)
    for n in (2**63 - 3, 2**62):
        with pytest.raises((OverflowError, IndexError)):
            evaluate(q, [V, n])


def test_sites_are_kept() -> None:
    site = Site("user.py", 7, 4, 7, 9, "f")

    def body(c, a, b):
        def term(i):
            x = b[i]
            old = c.b.lets.pop()
            c.b.lets.append(Let(old.vars, old.op, site))
            return x

        return c.sum(a.dim(), term)

    q = agree(PASSES, program([A1, A1], body))
    with pytest.raises(IndexError) as e:
        evaluate(q, [V, V[:2]])
    assert site_of(e.value) == site


def test_reads_in_a_loop_whose_checks_are_gone_may_move() -> None:
    """A condition that holds unless the loop is empty is known inside it."""
    from pullback.opt.control.licm import hoist_invariants

    def body(c, a, b, x):
        return c.sum(a.dim(), lambda i: c.sum(b.dim(), lambda j: a[j] * b.at(j) * a.at(i) * x))

    p = program([A1, A1, F64], body)
    q = lifted(p, [V, V, 0.5], [V[:2], V, 0.5], [V[:0], V, 0.5])
    assert checked(q) == 0
    agree(hoist_invariants, q, [V, V, 0.5], [V[:2], V, 0.5], [V[:0], V, 0.5])


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    @classmethod
    def identity(cls, n):
        return cls([[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)])

    def inverse(self):
        n = len(self.rows)
        m = [r[:] + e[:] for r, e in zip(self.rows, Matrix.identity(n).rows)]
        for i in range(n):
            p = max(range(i, n), key=lambda k: abs(m[k][i]))
            m[i], m[p] = m[p], m[i]
            piv = m[i][i]
            m[i] = [v / piv for v in m[i]]
            for k in range(n):
                if k != i:
                    f = m[k][i]
                    m[k] = [a - f * b for a, b in zip(m[k], m[i])]
        return Matrix([r[n:] for r in m])

    def __matmul__(self, o):
        columns = [[sum(a * b for a, b in zip(r, c)) for c in zip(*o.rows)] for r in self.rows]
        return Matrix(columns)


def product_of_an_inverse(x, y):
    m = Matrix([[x, 1, 2], [y, x * y, 0.5], [1, 2, y]])
    return (m @ m.inverse()).rows[0][0]


def test_an_extent_has_a_name_only_where_it_stands() -> None:
    """Rows of a list that a loop copies have no common length: what one round calls it is unknown
    in the next loop."""
    value, slope = pb.value_and_grad(product_of_an_inverse)(1.5, 2.0)
    assert value == pytest.approx(product_of_an_inverse(1.5, 2.0))
    step = product_of_an_inverse(1.5 + 1e-6, 2.0) - product_of_an_inverse(1.5 - 1e-6, 2.0)
    assert slope == pytest.approx(step / 2e-6, abs=1e-6)
