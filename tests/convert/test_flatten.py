"""Tuples become variables, and the program means the same."""

import numpy as np
import pytest

from pullback.convert.flatten import flatten_tuples, leaves_of
from pullback.core.build import Builder, f64, i64
from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.terms import (
    Build,
    Call,
    Case,
    CaseArm,
    Dialect,
    Function,
    If,
    Index,
    Inject,
    Let,
    Loop,
    MakeTuple,
    Prim,
    Program,
    Project,
    Update,
    Var,
    Vjp,
    While,
)
from pullback.core.types import (
    BOOL,
    F64,
    I64,
    Array,
    Named,
    Sum,
    Tuple,
    Type,
    Variant,
)

PAIR = Tuple((F64, I64))
NESTED = Tuple((PAIR, Array(F64, 1)), ("pair", "xs"), "Record")


def pair(b: Builder, t: Type, *items):
    (v,) = b.let(MakeTuple(t, items), (t,))
    return v


def part(b: Builder, a, i: int):
    (v,) = b.let(Project(a, i), (a.type.items[i],))
    return v


def program(params, b, *results, functions=()):
    main = Function("main", tuple(params), b.block(results), tuple(r.type for r in results))
    return Program({f.name: f for f in (main, *functions)}, {}, "main")


def flat(p: Program) -> Program:
    check(p, Dialect.SOURCE)
    q = flatten_tuples(p)
    check(q, Dialect.FLAT)
    return q


def test_leaves() -> None:
    assert leaves_of(NESTED) == (F64, I64, Array(F64, 1))
    assert leaves_of(Array(Array(PAIR, 1), 2)) == (
        Array(Array(F64, 1), 2), Array(Array(I64, 1), 2)
    )
    assert leaves_of(Tuple(())) == ()
    assert leaves_of(Array(Tuple(()), 1)) == (Array(BOOL, 1),)
    assert leaves_of(Sum((Variant("a", (PAIR,)),))) == (Sum((Variant("a", (F64, I64)),)),)
    assert leaves_of(Named("List")) == (Named("List"),)


def test_parameters_results_calls_and_branches() -> None:
    r, c = Var("r", NESTED), Var("c", BOOL)
    b, yes, no = Builder(), Builder(), Builder()
    inner = Var("r", NESTED)
    callee = Builder()
    p = part(callee, inner, 0)
    twice = callee.prim("mul", part(callee, p, 0), f64(2.0))
    swapped = pair(callee, PAIR, twice, part(callee, p, 1))
    f = Function("f", (inner,), callee.block((swapped, part(callee, inner, 1))),
                 (PAIR, Array(F64, 1)))
    s, xs = yes.let(Call("f", (r,)), (PAIR, Array(F64, 1)))
    then = yes.block((s, xs))
    orelse = no.block((part(no, r, 0), part(no, r, 1)))
    q, ys = b.let(If(c, then, orelse), (PAIR, Array(F64, 1)))
    g = flat(program([r, c], b, part(b, q, 0), pair(b, NESTED, q, ys), functions=[f]))
    xs_in = np.array([1.0, 2.0])
    for flag, factor in ((True, 2.0), (False, 1.0)):
        first, x, n, ys_out = evaluate(g, [3.0, 4, xs_in, flag])[0]
        assert (first, x, n) == (3.0 * factor, 3.0 * factor, 4)
        assert np.array_equal(ys_out, xs_in)
    assert [v.name for v in g.functions["main"].params] == ["r.pair.0", "r.pair.1", "r.xs", "c"]


def test_arrays_of_records_are_several_arrays() -> None:
    n, i, k = Var("n", I64), Var("i", I64), Var("k", I64)
    acc = Var("s", PAIR)
    b, body, step = Builder(), Builder(), Builder()
    e = pair(body, PAIR, body.prim("to_real", i, static=(F64,)), i)
    (ps,) = b.let(Build((n,), (i,), body.block((e,))), (Array(PAIR, 1),))
    new = pair(b, PAIR, f64(10.0), i64(7))
    (qs,) = b.let(Update(ps, (i64(1),), new, True), (Array(PAIR, 1),))
    (back,) = b.let(
        Prim("slice", (qs, i64(2), n, i64(-1)), (0,)), (Array(PAIR, 1),)
    )
    (item,) = step.let(Index(back, (k,), True), (PAIR,))
    total = pair(
        step, PAIR,
        step.prim("add", part(step, acc, 0), part(step, item, 0)),
        step.prim("add", part(step, acc, 1), part(step, item, 1)),
    )
    start = pair(b, PAIR, f64(0.0), i64(0))
    loop = Loop(n, k, (acc,), (start,), step.block((total, item)))
    s, emitted = b.let(loop, (PAIR, Array(PAIR, 1)))
    g = flat(program([n], b, s, emitted, b.dim(qs, 0)))
    x, j, xs, js, length = evaluate(g, [3])[0]
    assert (x, j, length) == (12.0, 9, 3)
    assert list(xs) == [2.0, 10.0, 0.0] and list(js) == [2, 7, 0]


def test_fields_of_sums_and_while() -> None:
    shape = Sum((Variant("none", ()), Variant("some", (PAIR,))))
    x = Var("x", F64)
    b = Builder()
    (s,) = b.let(Inject(shape, 1, (pair(b, PAIR, x, i64(3)),)), (shape,))
    got = Var("p", PAIR)
    left, right = Builder(), Builder()
    arms = (
        CaseArm((), left.block((f64(0.0),))),
        CaseArm((got,), right.block((part(right, got, 0),))),
    )
    (y,) = b.let(Case(s, arms), (F64,))
    state, test, body = Var("s", PAIR), Builder(), Builder()
    go = test.prim("lt", part(test, state, 1), i64(5))
    next_ = pair(
        body, PAIR,
        body.prim("mul", part(body, state, 0), f64(2.0)),
        body.prim("add", part(body, state, 1), i64(1)),
    )
    start = pair(b, PAIR, y, i64(0))
    (end,) = b.let(While((state,), (start,), test.block((go,)), body.block((next_,))), (PAIR,))
    g = flat(program([x], b, end))
    assert evaluate(g, [1.5])[0] == (48.0, 5)


def test_an_index_out_of_an_array_of_empty_tuples() -> None:
    empty = Tuple(())
    n, i = Var("n", I64), Var("i", I64)
    b, body = Builder(), Builder()
    (es,) = b.let(Build((n,), (i,), body.block((pair(body, empty),))), (Array(empty, 1),))
    b.let(Index(es, (i64(2),), True), (empty,))
    g = flat(program([n], b, b.dim(es, 0)))
    assert evaluate(g, [3])[0] == (3,)
    with pytest.raises(IndexError):
        evaluate(g, [2])


def test_derivatives_name_real_leaves() -> None:
    r, x = Var("r", PAIR), Var("x", F64)
    inner, y = Var("r", PAIR), Var("y", F64)
    callee, b = Builder(), Builder()
    out = callee.prim("mul", part(callee, inner, 0), y)
    f = Function("f", (y, inner), callee.block((out,)), (F64,))
    v, ct = b.let(Vjp("f", (x, r), (1,), (f64(1.0),)), (F64, PAIR))
    g = flatten_tuples(program([r, x], b, v, part(b, ct, 0), part(b, ct, 1), functions=[f]))
    check(g, Dialect.FLAT)
    (op,) = [let.op for let in g.functions["main"].body.lets if isinstance(let.op, Vjp)]
    assert op.wrt == (1,) and len(op.args) == 3
    # the cotangent of the integer is any integer: the argument's own
    assert g.functions["main"].body.results[2] is g.functions["main"].params[1]


def test_programs_without_tuples_stay_as_they_are() -> None:
    x = Var("x", F64)
    b = Builder()
    p = program([x], b, b.prim("sin", x))
    lets: tuple[Let, ...] = flat(p).functions["main"].body.lets
    assert [type(let.op) for let in lets] == [Prim]
