"""Constants, identities, extents, views, branches, trivial loops."""

import numpy as np

from pullback.ad.differentiate import gradient
from pullback.core.terms import Build, Case, Dialect, If, Index, Loop, Prim, Sum_, While
from pullback.core.traverse import all_lets
from pullback.core.types import BOOL, F32, F64, I64, Decl, Named, Sum, Variant
from pullback.opt.dce import drop_dead
from pullback.opt.scalar.simplify import simplify
from tests.ad.flatcore import A1, A2, A3, AI, Fn, program
from tests.opt.agreement import agree, ops, prims

V = np.array([0.3, -0.2, 0.7, 1.1])
M = np.array([[0.1, 0.5, -0.4], [0.9, 0.2, 0.6]])


def test_constants_are_folded() -> None:
    def body(c, x):
        y = c.sqrt(c.expr(2.0)) * 3.0
        n = c.expr(7, I64) % 4 + 2
        return x * y, n, c.real(n), c.to_real(c.expr(0.1), static=(F32,)), c.expr(3.0) < 4.0

    assert prims(agree(simplify, program([F64], body), [1.5])) == ["mul"]


def test_what_raises_is_not_folded() -> None:
    def body(c, n):
        big = c.expr(2**62, I64)
        c.require(c.expr(1.0) < 2.0, "ValueError", "never")
        return c.prim("add.ck", big, big), n

    assert prims(agree(simplify, program([I64], body), [1])) == ["add.ck"]


def test_identities() -> None:
    def body(c, x, n, b):
        y = c.neg(c.neg(x * 1.0)) / 1.0
        z = c.select(c.prim("not", c.prim("not", b)), c.pow(y, 2.0), y + 0.0)
        m = (n + 3) + 4
        k = c.expr(1, I64) * n - n
        return z, m, k, c.mulz(x, 0.0), c.eq(n, n)

    p = program([F64, I64, BOOL], body)
    q = agree([simplify, drop_dead], p, [-0.0, 5, True], [np.nan, 5, False])
    assert prims(q) == ["add", "add", "mul", "select"]


def test_extents_are_traced_to_their_origin() -> None:
    def body(c, a, n):
        y = c.build(n, 3, lambda i, j: c.real(i + j))
        y = c.loop(n, [y], lambda i, y: y.set((i, 0), 1.0))
        y = c.if_(n < 2, lambda: y.set((0, 0), 4.0), lambda: y)
        t = y.view("transpose", static=(1, 0))
        part = t.view("slice", 1, 2, 1, static=(0,))
        tall = part.view("expand", static=(1,))
        return t.dim(0), t.dim(1), part.dim(0), tall.dim(1), a.dim() * a.dim(), tall.dim(2)

    q = agree(simplify, program([A1, I64], body), [V, 2], [V, 1])
    assert prims(q).count("dim") == 1
    results = q.functions["main"].body.results
    assert [getattr(r, "value", r) for r in results[:4]] == [
        3, q.functions["main"].params[1], 2, 1
    ]
    assert results[5] is results[1]


def test_one_dim_per_array_where_it_enters() -> None:
    def body(c, m):
        rows = c.build(m.dim(0), lambda i: c.sum(m.dim(1), lambda j: m.at(i, j) * c.real(m.dim(1))))
        return c.total(rows), m.dim(1)

    q = agree(simplify, program([A2], body), [M])
    lets = q.functions["main"].body.lets
    assert [let.op.name for let in lets[:2]] == ["dim", "dim"] and prims(q).count("dim") == 2


def test_extents_of_arrays_in_branches_loops_and_arrays() -> None:
    def body(c, a, n):
        b = c.if_(
            n < 2, lambda: c.build(3, lambda i: c.real(i)), lambda: c.build(3, lambda i: c.real(n))
        )
        grown = c.loop(n, [a], lambda i, s: c.build(s.dim() + 1, lambda k: c.real(k)))
        kept = c.while_(
            [a.view("copy"), c.expr(0, I64)],
            lambda s, k: k < s.dim(),
            lambda s, k: (s.set(k, c.real(s.dim())), k + 1),
        )[0]
        rows = c.build(n, lambda i: c.build(4, lambda j: c.real(i + j)))
        stacked = c.prim("stack", rows)
        ragged = c.build(n, lambda i: c.build(i, lambda j: c.real(i + j)))
        return (
            b.dim(), grown.dim(), kept.dim(), stacked.dim(0), stacked.dim(1), rows.at(0).dim(),
            ragged.at(1).dim(),
        )

    q = agree(simplify, program([A1, I64], body), [V, 2], [V, 3])
    values = [getattr(r, "value", None) for r in q.functions["main"].body.results]
    assert values == [3, None, None, None, None, 4, None]
    agree([simplify, simplify], program([A1, I64], body), [V, 2], [V, 3])


def test_rows_stacked_have_their_columns_if_there_is_a_row() -> None:
    def stacked(n):
        def body(c, a, m):
            rows = c.build(m if n is None else n, lambda i: c.build(4, lambda j: c.real(i + j)))
            both = c.prim("stack", rows)
            return both.dim(0), both.dim(1)

        q = agree(simplify, program([A1, I64], body), [V, 2], [V, 0])
        return [getattr(r, "value", None) for r in q.functions["main"].body.results]

    assert stacked(2) == [2, 4]
    assert stacked(None)[1] is None


def test_extents_of_carried_arrays_that_are_made_anew() -> None:
    """Their extents are asked for in front of the loop, unless one of them changes."""

    def grown(more):
        def body(c, a, m):
            def rows(k, s):
                return c.build(s.dim(), m.dim(1), lambda i, j: s.at(i, 0) + m.at(0, j))

            def step(k, s, t):
                return c.build(s.dim(), lambda i: s.at(i) + 1.0), c.build(
                    s.dim(), t.dim(1) + more, lambda i, j: s.at(i) + c.real(t.dim(1)))

            start = c.build(m.dim(0), m.dim(1), lambda i, j: m.at(i, j))
            once = c.build(a.dim(), lambda i: 2.0 * a.at(i))
            x, y = c.loop(2, [once, c.build(a.dim(), 1, lambda i, j: c.expr(0.0))], step)
            z = c.loop(2, [start], rows)
            return (*(c.real(v.dim(k)) for v, k in ((x, 0), (y, 0), (y, 1), (z, 0), (z, 1))), y)

        return body

    def asked_in_loops(p):
        q = agree([simplify, simplify], p, [V, M], [V[:0], M])
        return sum(
            isinstance(let.op, Prim) and let.op.name == "dim"
            for op in ops(q, Loop) for let in all_lets(op.body)
        )

    assert asked_in_loops(program([A1, A2], grown(0))) == 0
    assert asked_in_loops(program([A1, A2], grown(1))) == 1


def test_reads_of_views_are_reads_of_the_array() -> None:
    def body(c, m, k):
        row = m.view("pick", k, static=(0,))
        back = m.view("transpose", static=(1, 0)).view("slice", 2, 3, -1, static=(0,))
        wide = row.view("expand", static=(0,)).view("broadcast", 4, row.dim())
        flat = row.view("reshape", 1, row.dim(), 1)
        return row.at(1), back.at(0, k), wide.at(3, 2), flat.at(0, 1, 0), row[-1]

    q = agree(simplify, program([A2, I64], body), [M, 1])
    unchecked = [op for op in ops(q, Index) if not op.checked]
    assert {op.array for op in unchecked} == {q.functions["main"].params[0]}


def test_a_broadcast_that_is_decided_when_it_runs_stays() -> None:
    def body(c, a, n):
        return c.total(a.view("broadcast", n)), a.view("broadcast", a.dim()).at(0)

    q = agree(simplify, program([A1, I64], body), [V, 4], [V[:1], 3])
    assert prims(q).count("broadcast") == 1


def test_views_of_everything_are_nothing() -> None:
    def body(c, m):
        same = m.view("slice", 0, m.dim(0), 1, static=(0,)).view("transpose", static=(0, 1))
        same = same.view("reshape", m.dim(0), m.dim(1))
        again = same.view("expand", static=(1,)).view("pick", 0, static=(1,))
        return c.total(again)

    q = agree(simplify, program([A2], body), [M])
    assert set(prims(q)) <= {"dim", "to_real", "mul", "add", "sin", "expand"}  # expand is dead


def test_a_copy_that_protects_an_array_stays() -> None:
    def body(c, n):
        y = c.build(n, lambda i: c.real(i))
        old = y.view("copy")
        z = y.set(0, 9.0)
        return old.at(0), z, old.view("copy").at(1)

    q = agree(simplify, program([I64], body), [3])
    assert prims(q).count("copy") == 2


def test_known_branches() -> None:
    t = Sum((Variant("none", ()), Variant("some", (F64,))))

    def body(c, x, b):
        y = c.if_(c.expr(1.0) < 2.0, lambda: x + 1.0, lambda: x * 2.0)
        z = c.case(c.inject(t, 1, y), lambda: c.expr(0.0), lambda v: v * 3.0)
        w = c.if_(b, lambda: c.if_(b, lambda: z, lambda: z * 5.0), lambda: y)
        v = c.if_(c.prim("not", b), lambda: c.sin(w), lambda: c.cos(w))
        return z, w, v

    q = agree(simplify, program([F64, BOOL], body), [0.5, True], [0.5, False])
    assert len(ops(q, If)) == 1 and not ops(q, Case) and prims(q).count("select") == 1


def test_trivial_loops() -> None:
    def body(c, x, n):
        none = c.loop(0, [x], lambda i, s: s * 2.0)
        one = c.loop(1, [x], lambda i, s: s * 3.0 + c.real(i))
        never = c.while_([x], lambda s: c.expr(False, BOOL), lambda s: s * 2.0)
        empty = c.sum(n, 0, lambda i, j: x * c.real(i))
        single = c.sum(1, 1, lambda i, j: x * c.real(j))
        return none, one, never, empty, single

    q = agree(simplify, program([F64, I64], body), [0.5, 3])
    assert not ops(q, (Loop, While, Sum_))


def test_carried_values_that_stay() -> None:
    def body(c, x, n):
        s, t, u = c.loop(n, [x, x * 2.0, c.expr(1.0)], lambda i, s, t, u: (s + t, t, 1.0))
        w, v = c.while_(
            [x, s], lambda w, v: w < 9.0, lambda w, v: (w + c.abs(v) + 1.0, v)
        )
        return s, t, u, w, v

    q = agree(simplify, program([F64, I64], body), [0.5, 3], [0.5, 0])
    assert [len(op.carried) for op in ops(q, (Loop, While))] == [1, 1]


def test_other_programs_stay() -> None:
    tree = Decl("T", (Variant("leaf", (F64,)), Variant("node", (Named("T"), Named("T")))))
    f = Fn("f", (Named("T"),), (F64,), lambda c, t: c.case(
        t, lambda x: c.exp(x), lambda p, q: c.call("f", p) * c.call("f", q)))

    def body(c, x, a, k, cube):
        t = c.inject(Named("T"), 0, x)
        t = c.inject(Named("T"), 1, t, t)
        gather = c.build(k.dim(), lambda i: a[k.at(i)] * cube.at(0, 0, 0))
        return c.call("f", t), gather, c.prim("stop_gradient", gather).at(0)

    p = program([F64, A1, AI, A3], body, [f], [tree])
    agree(simplify, p, [0.5, V, np.array([0, -1]), np.ones((1, 1, 1))],
          [0.5, V, np.array([0, 7]), np.ones((1, 1, 1))])


def test_accumulators() -> None:
    def body(c, m):
        t = m.view("transpose", static=(1, 0)).view("slice", 1, 2, 1, static=(0,))
        return c.sum(2, 2, lambda i, j: t.at(i, j) * t.at(i, j))

    g = gradient(program([A2], body), (0,))
    agree(simplify, g, [M, 1.0], dialect=Dialect.ACCUMULATING)


def test_float32_constants_round() -> None:
    def body(c, x):
        third = c.to_real(c.expr(1.0) / 3.0, static=(F32,))
        return x * third

    q = agree(simplify, program([F32], body), [np.float32(1.7)])
    (op,) = ops(q, Prim)
    assert op.args[1].value == float(np.float32(1 / 3))
    assert not ops(q, Build)


def test_numbers_that_every_round_makes_the_same() -> None:
    def body(c, x, n):
        s, t, u = c.loop(n, [x, x * 2.0, x], lambda i, s, t, u: (s * x, 4.0, u + s))
        v, w = c.loop(n, [x, x * 2.0], lambda i, v, w: (v + w, 4.0))  # here the body reads it
        last = c.loop(n, [x * 3.0], lambda i, y: c.expr(5.0))
        return s, t, u, v, w, last

    q = agree(simplify, program([F64, I64], body), [0.5, 3], [0.5, 1], [0.5, 0])
    assert [len(op.carried) for op in ops(q, Loop)] == [2, 2, 0]
    assert prims(q).count("select") == 2


def test_floats_of_ints_are_compared_as_ints() -> None:
    big = 2.0**53
    for value, as_ints in ((0.0, True), (-3.0, True), (0.5, False), (big, False), (-big, False)):
        for name in ("lt", "le", "eq", "ge", "gt", "ne"):
            for swapped in (False, True):

                def body(c, n, name=name, value=value, swapped=swapped):
                    operands = (c.to_real(n, static=(F64,)), c.expr(value))
                    return c.prim(name, *(operands[::-1] if swapped else operands))

                runs = [[k] for k in (-(1 << 53) - 1, -4, -3, -2, 0, 1, 1 << 53, (1 << 53) + 1)]
                q = agree([simplify, drop_dead], program([I64], body), *runs)
                assert ("to_real" in prims(q)) != as_ints
