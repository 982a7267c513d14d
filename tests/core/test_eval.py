"""The reference evaluator: the value and the cost of every construct."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from pullback.core.build import Builder, boolean, f64, i64
from pullback.core.eval import Node, evaluate, site_of
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Build,
    Call,
    Case,
    CaseArm,
    Function,
    If,
    Index,
    Inject,
    Loop,
    MakeTuple,
    Program,
    Project,
    Site,
    Sum_,
    Update,
    Var,
    Vjp,
    While,
)
from pullback.core.types import (
    BOOL,
    F32,
    F64,
    I64,
    Array,
    Decl,
    Handle,
    Named,
    Sum,
    Tuple,
    Variant,
)
from tests.core.programs import block, function, program

VEC = Array(F64, 1)
SITE = Site("f.py", 3, 4, 3, 9, "f")


def x() -> Var:
    return Var("x", F64)


def test_straight_line_code_costs_one_a_let() -> None:
    p, b = x(), Builder()
    y = b.prim("exp", b.prim("mul", p, p))
    assert evaluate(program([p], b, y), [0.0]) == ((1.0,), 2)


def test_boundary_types() -> None:
    b = Builder()
    half, n, c = Var("h", F32), Var("n", I64), Var("c", BOOL)
    t = b.prim("mul", half, half)
    (h, m, d), _ = evaluate(program([half, n, c], b, t, n, c), [0.5, np.int64(3), np.True_])
    assert (type(h), type(m), type(d)) == (np.float32, int, bool)


def test_build_and_sum() -> None:
    a, b, inner, total = Var("a", VEC), Builder(), Builder(), Builder()
    n = b.dim(a, 0)
    i, j = Var("i", I64), Var("j", I64)
    products = inner.prim("mul", inner.index(a, (i,), False), inner.index(a, (j,), False))
    (outer,) = b.let(Build((n, n), (i, j), inner.block((products,))), (Array(F64, 2),))
    k = Var("k", I64)
    (s,) = b.let(Sum_((n,), (k,), total.block((total.index(outer, (k, k), False),))), (F64,))
    (m, trace), cost = evaluate(program([a], b, outer, s), [np.array([1.0, 2.0, 3.0])])
    assert np.array_equal(m, np.outer([1, 2, 3], [1, 2, 3])) and trace == 14.0
    assert cost == 3 + 9 * (1 + 3) + 3 * (1 + 1)


def test_loop_carries_and_emits() -> None:
    b, body = Builder(), Builder()
    n, i, s = Var("n", I64), Var("i", I64), Var("s", I64)
    t = body.prim("add", s, i)
    out = b.let(Loop(n, i, (s,), (i64(0),), body.block((t, s))), (I64, Array(I64, 1)))
    (total, before), cost = evaluate(program([n], b, *out), [4])
    assert total == 6 and list(before) == [0, 0, 1, 3] and cost == 1 + 4 * 2
    (zero, empty), _ = evaluate(program([n], b, *out), [0])
    assert zero == 0 and empty.dtype == np.int64 and empty.shape == (0,)


def test_while() -> None:
    b, test, body = Builder(), Builder(), Builder()
    start, s = x(), x()
    c = test.prim("gt", s, f64(1.0))
    half = body.prim("mul", s, f64(0.5))
    out = b.let(While((s,), (start,), test.block((c,)), body.block((half, s))), (F64, VEC))
    (last, seen), cost = evaluate(program([start], b, *out), [6.0])
    assert last == 0.75 and list(seen) == [6.0, 3.0, 1.5] and cost == 1 + 4 * 2 + 3


def test_a_branch_costs_what_is_taken() -> None:
    b, then = Builder(), Builder()
    p = x()
    c = b.prim("gt", p, f64(0.0))
    y = then.prim("log", then.prim("add", p, f64(1.0)))
    (r,) = b.let(If(c, then.block((y,)), block(f64(0.0))), (F64,))
    prog = program([p], b, r)
    assert evaluate(prog, [0.5])[1] == 4
    assert evaluate(prog, [-5.0]) == ((0.0,), 2)


LIST = Named("List")
LIST_DECL = Decl("List", (Variant("Nil", ()), Variant("Cons", (F64, LIST))))


def test_recursive_data_and_calls() -> None:
    xs, head, tail, b, arm = Var("xs", LIST), x(), Var("tail", LIST), Builder(), Builder()
    (rest,) = arm.let(Call("main", (tail,)), (F64,))
    total = arm.prim("add", head, rest)
    arms = (CaseArm((), block(f64(0.0))), CaseArm((head, tail), arm.block((total,))))
    (r,) = b.let(Case(xs, arms), (F64,))
    data = Node(0)
    for v in (3.0, 2.0, 1.0):
        data = Node(1, (v, data))
    assert evaluate(program([xs], b, r, decls=[LIST_DECL]), [data]) == ((6.0,), 1 + 3 * 3)


def _countdown() -> Program:
    n, b, again = Var("n", I64), Builder(), Builder()
    c = b.prim("gt", n, i64(0))
    m = again.prim("sub", n, i64(1))
    (below,) = again.let(Call("main", (m,)), (I64,))
    up = again.prim("add", below, i64(1))
    (r,) = b.let(If(c, again.block((up,)), block(i64(0))), (I64,))
    return program([n], b, r)


def test_deep_recursion() -> None:
    limit, size = sys.getrecursionlimit(), threading.stack_size()
    assert evaluate(_countdown(), [20_000]) == ((20_000,), 2 + 20_000 * 5)
    assert (sys.getrecursionlimit(), threading.stack_size()) == (limit, size)


def test_endless_recursion_is_an_error() -> None:
    with pytest.raises(RecursionError):
        evaluate(_countdown(), [10**9])


def test_calls_tuples_and_sums() -> None:
    pair = Tuple((F64, F64))
    a, k, u = x(), Var("k", F64), x()
    b1, b2 = Builder(), Builder()
    scaled = function("scaled", [k, u], b1, b1.prim("mul", k, u))
    v = x()
    plain = function("plain", [v], b2, b2.prim("neg", v))
    b, then, orelse = Builder(), Builder(), Builder()
    c = b.prim("gt", a, f64(0.0))
    (y1,) = then.let(Call("scaled", (f64(3.0), a)), (F64,))
    (y2,) = orelse.let(Call("plain", (a,)), (F64,))
    (y,) = b.let(If(c, then.block((y1,)), orelse.block((y2,))), (F64,))
    (t,) = b.let(MakeTuple(pair, (y, a)), (pair,))
    (first,) = b.let(Project(t, 0), (F64,))
    maybe = Sum((Variant("None", ()), Variant("Some", (F64,))))
    (s,) = b.let(Inject(maybe, 1, (first,)), (maybe,))
    (results, cost) = evaluate(program([a], b, t, s, functions=[scaled, plain]), [2.0])
    assert results[0] == (6.0, 2.0) and cost == 7
    assert isinstance(results[1], Node) and (results[1].tag, results[1].fields) == (1, (6.0,))
    (again, _) = evaluate(program([a], b, y, functions=[scaled, plain]), [-2.0])
    assert again == (2.0,)


def test_updates_are_in_place_and_cost_one() -> None:
    n, i, b, body, fill = Var("n", I64), Var("i", I64), Builder(), Builder(), Var("k", I64)
    (a,) = b.let(Build((n,), (fill,), block(f64(0.0))), (VEC,))
    c = Var("c", VEC)
    v = body.prim("to_real", i, static=(F64,))
    (d,) = body.let(Update(c, (i,), v, True), (VEC,))
    (r,) = b.let(Loop(n, i, (c,), (a,), body.block((d,))), (VEC,))
    for size in (10, 1000):
        (out,), cost = evaluate(program([n], b, r), [size])
        assert list(out) == list(range(size)) and cost == 2 + size + size * 3


def test_copies_cost_their_size_and_views_do_not() -> None:
    a, b = Var("a", VEC), Builder()
    b.prim("slice", a, i64(0), i64(50), i64(2), static=(0,))
    assert evaluate(program([a], b), [np.zeros(100)])[1] == 1
    b.prim("copy", a)
    assert evaluate(program([a], b), [np.zeros(100)])[1] == 2 + 100


def test_accumulators_are_shared_by_views() -> None:
    b = Builder()
    (h,) = b.let(AccNew((i64(2), i64(3))), (Handle(2),))
    row = b.prim("pick", h, i64(1), static=(0,))
    back = b.prim("slice", row, i64(2), i64(3), i64(-1), static=(0,))
    wide = b.prim("broadcast", b.prim("expand", row, static=(0,)), i64(5), i64(3))
    for handle, idx in ((row, (i64(2),)), (back, (i64(0),)), (wide, (i64(4), i64(2)))):
        b.let(AccAdd(handle, idx, f64(1.0)), ())
    (taken,) = b.let(AccTake(h, (i64(1), i64(2))), (F64,))
    (after,) = b.let(AccRead(row, (i64(2),), 32), (F32,))
    (t, z), cost = evaluate(program([], b, taken, after), [])
    assert t == 3.0 and z == 0.0 and isinstance(z, np.float32) and cost == 10 + 6


def test_arrays_of_arrays_and_stack() -> None:
    ragged, b, i, k = Array(VEC, 1), Builder(), Var("i", I64), Var("k", I64)
    body, fill = Builder(), Builder()
    r = fill.prim("to_real", fill.prim("add", i, k), static=(F64,))
    (row,) = body.let(Build((i64(2),), (k,), fill.block((r,))), (VEC,))
    (rows,) = b.let(Build((i64(3),), (i,), body.block((row,))), (ragged,))
    (second,) = b.let(Index(rows, (i64(-2),), True), (VEC,))
    whole = b.prim("stack", rows)
    (a, s, m), _ = evaluate(program([], b, rows, second, whole), [])
    assert a.dtype == object and list(s) == [1.0, 2.0]
    assert np.array_equal(m, [[0, 1], [1, 2], [2, 3]])


@pytest.mark.parametrize("i", [3, -4])
def test_index_errors_have_pythons_message_and_the_site(i: int) -> None:
    a, b = Var("a", VEC), Builder()
    y = b.index(a, (i64(i),), True, SITE)
    message = f"index {i} is out of bounds for axis 0 with size 3"
    with pytest.raises(IndexError, match=message) as info:
        evaluate(program([a], b, y), [np.zeros(3)])
    assert site_of(info.value) is SITE


def test_an_unchecked_index_out_of_range_is_the_compilers_mistake() -> None:
    a, b = Var("a", VEC), Builder()
    y = b.index(a, (i64(-1),), False)
    with pytest.raises(AssertionError, match="unchecked"):
        evaluate(program([a], b, y), [np.zeros(3)])


def test_require_raises_at_the_innermost_site() -> None:
    c, b, inner = Var("c", BOOL), Builder(), Builder()
    inner.require(c, "ZeroDivisionError", "float division by zero", SITE)
    outer = Site("f.py", 1, 0, 1, 1, "f")
    b.let(If(boolean(True), inner.block(), block()), (), outer)
    assert evaluate(program([c], b), [True]) == ((), 2)
    with pytest.raises(ZeroDivisionError, match="float division by zero") as info:
        evaluate(program([c], b), [False])
    assert site_of(info.value) is SITE


def test_overflow_of_checked_ints_has_the_site() -> None:
    n, b = Var("n", I64), Builder()
    y = b.prim("mul.ck", n, n, site=SITE)
    with pytest.raises(OverflowError) as info:
        evaluate(program([n], b, y), [2**40])
    assert site_of(info.value) is SITE


def test_arguments_are_converted_or_refused() -> None:
    a, b = Var("a", VEC), Builder()
    assert list(evaluate(program([a], b, a), [[1, 2]])[0][0]) == [1.0, 2.0]
    with pytest.raises(TypeError, match="rank 2"):
        evaluate(program([a], b, a), [[[1.0]]])
    with pytest.raises(TypeError, match="takes 1 arguments"):
        evaluate(program([a], b, a), [])


def test_derivative_terms_are_not_evaluated() -> None:
    p, q, b, inner = x(), x(), Builder(), Builder()
    f = function("f", [q], inner, inner.prim("sin", q))
    out = b.let(Vjp("f", (p,), (0,), (f64(1.0),)), (F64, F64))
    with pytest.raises(NotImplementedError):
        evaluate(program([p], b, *out, functions=[f]), [1.0])
    assert isinstance(f, Function)
