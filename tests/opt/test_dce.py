"""Dead code is removed."""

import numpy as np

from pullback.ad.differentiate import differentiate, gradient
from pullback.core.build import i64
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    Build,
    Call,
    Case,
    Dialect,
    If,
    Loop,
    Program,
    Sum_,
    Update,
    Vjp,
    While,
)
from pullback.core.types import F64, I64, Handle, Sum, Variant
from pullback.opt.control.inline import inline_calls
from pullback.opt.dce import drop_dead
from tests.ad.flatcore import A1, Fn, program
from tests.opt.agreement import agree, ops, prims

V = np.array([0.3, -0.2, 0.7])


def test_lets_loops_and_results() -> None:
    def body(c, a, x):
        dead = c.build(a.dim(), lambda i: c.exp(a.at(i)))
        s, _ = c.build(a.dim(), lambda i: (c.sin(a.at(i)), c.cos(dead.at(i))))
        y, _ = c.if_(x < 1.0, lambda: (x * 2.0, c.tan(x)), lambda: (x, x))
        return s, y

    q = agree(drop_dead, program([A1, F64], body), [V, 0.5], [V, 1.5])
    assert prims(q) == ["dim", "lt", "mul", "sin"]
    assert [len(b.body.results) for b in ops(q, Build)] == [1]


def test_carried_cycles_and_emitted_values() -> None:
    def body(c, n, x):
        s, _t, _u, e1, _e2 = c.loop(
            n, [x, x, x],
            lambda i, s, t, u: (s + u, t * c.sin(t), c.cos(u), s, c.exp(t)),
        )
        w, _ = c.while_([x, x], lambda w, v: w < 5.0, lambda w, v: (w + 1.0, c.tan(v)))
        return s, e1, w

    q = agree(drop_dead, program([I64, F64], body), [3, 0.5])
    assert prims(q) == ["add", "add", "cos", "lt"]
    assert len(ops(q, Loop)[0].carried) == 2 and len(ops(q, While)[0].carried) == 1


def test_case_and_sums() -> None:
    t = Sum((Variant("a", ()), Variant("b", (F64, F64))))

    def body(c, x, n):
        v = c.inject(t, 1, x, x * 3.0)
        y, _ = c.case(
            v, lambda: (c.expr(0.0), c.expr(1.0)), lambda p, q: (p, c.exp(q))
        )
        s, _ = c.sum(n, lambda i: (c.real(i), c.sin(c.real(i))))
        return y, s

    q = agree(drop_dead, program([F64, I64], body), [0.5, 3])
    assert prims(q) == ["mul", "to_real"] and len(ops(q, Case)) == 1
    assert [len(op.body.results) for op in ops(q, Sum_)] == [1]


def test_what_can_raise_stays() -> None:
    def body(c, a, i, n):
        a[i]
        c.require(i < 2, "ValueError", "too large")
        c.build(n, lambda k: a[k + i] * 2.0)
        c.if_(i < 0, lambda: a[i + 1], lambda: c.exp(a.at(0)))
        return a.dim()

    q = agree(drop_dead, program([A1, I64, I64], body), [V, 1, 1], [V, 2, 0], [V, 1, 5], [V, 9, 1])
    assert "mul" not in prims(q) and "exp" not in prims(q)
    assert not ops(q, Build) and len(ops(q, Sum_)) == 1 and len(ops(q, If)) == 1


def test_parameters_results_and_functions() -> None:
    f = Fn(
        "f", (F64, F64, I64), (F64, F64),
        lambda c, x, y, n: c.if_(
            n < 1, lambda: (x, y), lambda: c.call("f", x * 2.0, c.sin(y), n - 1)
        ),
    )
    g = Fn("g", (F64,), (F64,), lambda c, x: c.call("h", x))
    h = Fn("h", (F64,), (F64,), lambda c, x: x)
    p = program([F64, I64], lambda c, x, n: c.call("f", x, x, n)[0], [f, g, h])
    q = agree(drop_dead, p, [0.5, 3])
    assert set(q.functions) == {"main", "f"}
    assert len(q.functions["f"].params) == 2 and len(q.functions["f"].results) == 1
    assert prims(q) == ["lt", "mul", "sub"]


def test_main_and_differentiated_functions_keep_their_shape() -> None:
    f = Fn("f", (F64, F64), (F64, F64), lambda c, x, y: (x * x, c.sin(y)))
    p = program([F64, F64, F64], lambda c, x, y, z: c.vjp("f", [x, y], [0], [1.0, 0.0])[2], [f])
    q = drop_dead(p)
    assert len(q.functions["f"].params) == 2 and len(q.functions["main"].params) == 3
    assert len(ops(q, Vjp)) == 1


def test_a_chain_of_many_calls() -> None:
    fs = [
        Fn(f"f{k}", (F64, F64), (F64,), lambda c, x, y, k=k: c.call(f"f{k + 1}", x, c.sin(y)))
        for k in range(1500)
    ]
    fs.append(Fn("f1500", (F64, F64), (F64,), lambda c, x, y: x))
    p = program([F64], lambda c, x: c.call("f0", x, x), fs)
    q = drop_dead(p)
    assert not prims(q) and all(len(op.args) == 1 for op in ops(q, Call))


def test_dead_updates() -> None:
    def body(c, n):
        y = c.build(n, lambda i: c.real(i))
        z = y.set(0, 5.0)
        z.set(1, 2.0)
        return n

    q = agree(drop_dead, program([I64], body), [3])
    assert not ops(q, (Update, Build))


def test_accumulations_stay() -> None:
    def f(c, a):
        e = c.build(a.dim(), lambda i: c.exp(a.at(i)))
        return c.sum(a.dim(), lambda i: e.at(i) * c.sin(a.at(i)))

    g: Program = gradient(program([A1], f), (0,))
    q = agree(drop_dead, g, [V, 1.0], dialect=Dialect.ACCUMULATING)
    assert len(ops(q, AccAdd)) == len(ops(g, AccAdd)) > 0


def test_additions_to_accumulators_that_nobody_reads_go() -> None:
    def inner(c, a):
        halves = a.view("slice", 0, 2, 1, static=(0,))
        e = c.build(2, lambda i: c.exp(halves.at(i)) * a.at(i))
        return c.sum(2, lambda i: e.at(i) * c.sin(e.at(i)))

    def body(c, a):
        value, gradient = c.vjp("f", [a], [0], [1.0])
        return (value, gradient.at(0)) if wanted else value

    f = Fn("f", (A1,), (F64,), inner)
    for wanted in (True, False):
        p = inline_calls(differentiate(program([A1], body, [f])))
        q = agree(drop_dead, p, [V], dialect=Dialect.ACCUMULATING)
        assert bool(ops(q, AccAdd)) == bool(ops(q, AccNew)) == wanted


def test_handles_in_loops_and_calls_are_followed() -> None:
    def new(c):
        return c.let(AccNew((i64(1),)), (Handle(1),))[0]

    def add(c, h, x):
        c.let(AccAdd(h.atom, (i64(0),), x.atom), ())

    def body(c, n, x):
        first, second, third = new(c), new(c), new(c)
        last = c.loop(n, [first], lambda i, h: (h,))
        c.call("add", last, x)
        add(c, c.if_(x < 1.0, lambda: second, lambda: third), x * 2.0)
        read = (first, third, second)[k]
        return c.let(AccRead(read.atom, (i64(0),)), (F64,))[0]

    function = Fn("add", (Handle(1), F64), (), add)
    for k in range(3):
        p = program([I64, F64], body, [function])
        q = agree(drop_dead, p, [2, 0.5], [2, 1.5], dialect=Dialect.ACCUMULATING)
        assert len(ops(q, AccAdd)) == 1 and bool(ops(q, Call)) == (k == 0)
