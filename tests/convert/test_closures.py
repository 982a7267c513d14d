"""Closures become data, and the program means the same."""

import math

import pytest

from pullback.convert.closures import convert_closures, first_order_type
from pullback.convert.flatten import flatten_tuples
from pullback.core.build import Builder, f64
from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.terms import (
    Apply,
    Block,
    Build,
    Closure,
    Dialect,
    Function,
    If,
    Index,
    Inject,
    Lit,
    Loop,
    Program,
    Var,
)
from pullback.core.types import (
    BOOL,
    F64,
    I64,
    Arm,
    Array,
    Decl,
    Fun,
    Named,
    Sum,
    Tuple,
    Variant,
)

ONE = Fun((Arm("scale", (F64,)),))
SCALE, SHIFT = Arm("scale", (F64,)), Arm("shift", (F64, F64))
BOTH = Fun((SCALE, SHIFT))


def scale() -> Function:
    """scale(a; u) = u * a"""
    b, a, u = Builder(), Var("a", F64), Var("u", F64)
    return Function("scale", (a, u), b.block((b.prim("mul", u, a),)), (F64,))


def shift() -> Function:
    """shift(a, b; u) = sin(u) + a * b"""
    b, p, q, u = Builder(), Var("a", F64), Var("b", F64), Var("u", F64)
    total = b.prim("add", b.prim("sin", u), b.prim("mul", p, q))
    return Function("shift", (p, q, u), b.block((total,)), (F64,))


def program(params, b, *results, functions=(), decls=()):
    main = Function("main", tuple(params), b.block(results), tuple(r.type for r in results))
    return Program(
        {f.name: f for f in (main, scale(), shift(), *functions)},
        {d.name: d for d in decls},
        "main",
    )


def converted(p: Program, args: list[object]) -> Program:
    """The flat program, after it has been compared with the original at every step."""
    check(p, Dialect.SOURCE)
    first = convert_closures(p)
    check(first, Dialect.FIRST_ORDER)
    flat = flatten_tuples(first)
    check(flat, Dialect.FLAT)
    want = evaluate(p, args)[0]
    assert evaluate(first, args)[0] == want
    assert evaluate(flat, args)[0] == want
    return flat


def test_one_lambda_is_the_tuple_of_its_captures() -> None:
    x = Var("x", F64)
    b = Builder()
    (f,) = b.let(Closure(ONE, "scale", (x,)), (ONE,))
    (y,) = b.let(Apply(f, (f64(3.0),)), (F64,))
    (z,) = b.let(Apply(f, (y,)), (F64,))
    converted(program([x], b, z), [2.0])
    assert first_order_type(ONE) == Tuple((F64,))


@pytest.mark.parametrize("flag", [True, False])
def test_a_choice_of_lambdas_is_a_sum(flag: bool) -> None:
    x, c = Var("x", F64), Var("c", BOOL)
    b, yes, no = Builder(), Builder(), Builder()
    then = yes.block(yes.let(Closure(BOTH, "scale", (x,)), (BOTH,)))
    orelse = no.block(no.let(Closure(BOTH, "shift", (x, f64(0.5))), (BOTH,)))
    (f,) = b.let(If(c, then, orelse), (BOTH,))
    (y,) = b.let(Apply(f, (f64(3.0),)), (F64,))
    flat = converted(program([x, c], b, y), [2.0, flag])
    assert evaluate(flat, [2.0, flag])[0] == (6.0 if flag else math.sin(3.0) + 1.0,)
    assert first_order_type(BOTH) == Sum(
        (Variant("scale", (F64,)), Variant("shift", (F64, F64)))
    )


def test_lambdas_in_arrays_and_tuples_and_loops() -> None:
    xs = Var("xs", Array(F64, 1))
    i, k, total = Var("i", I64), Var("k", I64), Var("s", F64)
    b, made, body = Builder(), Builder(), Builder()
    e = made.index(xs, (i,), False)
    n = b.dim(xs, 0)
    (f,) = made.let(Closure(ONE, "scale", (e,)), (ONE,))
    (fs,) = b.let(Build((n,), (i,), made.block((f,))), (Array(ONE, 1),))
    (g,) = body.let(Index(fs, (k,), True), (ONE,))
    (step,) = body.let(Apply(g, (total,)), (F64,))
    (y,) = b.let(Loop(n, k, (total,), (f64(1.0),), body.block((step,))), (F64,))
    converted(program([xs], b, y), [[2.0, 3.0, 5.0]])


def test_lambdas_that_capture_nothing_keep_the_length_of_their_array() -> None:
    nothing = Fun((Arm("seven", ()),))
    u = Var("u", F64)
    seven = Function("seven", (u,), Block((), (f64(7.0),)), (F64,))
    n, i = Var("n", I64), Var("i", I64)
    b, made = Builder(), Builder()
    (f,) = made.let(Closure(nothing, "seven", ()), (nothing,))
    (fs,) = b.let(Build((n,), (i,), made.block((f,))), (Array(nothing, 1),))
    (g,) = b.let(Index(fs, (Lit(1, I64),), True), (nothing,))
    (y,) = b.let(Apply(g, (f64(1.0),)), (F64,))
    p = program([n], b, y, b.dim(fs, 0), functions=[seven])
    flat = converted(p, [3])
    with pytest.raises(IndexError):
        evaluate(flat, [1])


def test_a_lambda_that_captures_a_list_of_lambdas() -> None:
    """f = compose(f, list): recursion goes through a declaration."""
    step = Fun((SCALE,))
    chain = Decl("Chain", (Variant("end", ()), Variant("more", (step, Named("Chain")))))
    x = Var("x", F64)
    b = Builder()
    (end,) = b.let(Inject(Named("Chain"), 0, ()), (Named("Chain"),))
    (f,) = b.let(Closure(step, "scale", (x,)), (step,))
    b.let(Inject(Named("Chain"), 1, (f, end)), (Named("Chain"),))
    (y,) = b.let(Apply(f, (x,)), (F64,))
    flat = converted(program([x], b, y, decls=[chain]), [3.0])
    assert flat.decls["Chain"].variants[1].fields == (F64, Named("Chain"))


def test_a_smaller_lambda_set_flows_where_a_larger_one_is_expected() -> None:
    """The coercion itself; a front end that joins types leaves none to do."""
    x, c = Var("x", F64), Var("c", BOOL)
    b, yes, no = Builder(), Builder(), Builder()
    (small,) = b.let(Closure(ONE, "scale", (x,)), (ONE,))
    orelse = no.block(no.let(Closure(BOTH, "shift", (x, x)), (BOTH,)))
    (f,) = b.let(If(c, yes.block((small,)), orelse), (BOTH,))
    (y,) = b.let(Apply(f, (f64(3.0),)), (F64,))
    flat = flatten_tuples(convert_closures(program([x, c], b, y)))
    check(flat, Dialect.FLAT)
    assert evaluate(flat, [2.0, True])[0] == (6.0,)
    assert evaluate(flat, [2.0, False])[0] == (math.sin(3.0) + 4.0,)
