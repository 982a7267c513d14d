"""Every rule of the checker rejects a program that breaks it, and only then."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pullback.core.build import Builder, boolean, f64, i64
from pullback.core.check import CheckError, check
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    Atom,
    Block,
    Build,
    Call,
    Case,
    CaseArm,
    Dialect,
    If,
    Index,
    Inject,
    Jvp,
    Lit,
    Loop,
    MakeTuple,
    Op,
    Prim,
    Program,
    Project,
    Sum_,
    Update,
    Var,
    Vjp,
    While,
)
from pullback.core.types import (
    F32,
    F64,
    I64,
    Array,
    Handle,
    Named,
    Sum,
    Tuple,
    Type,
    Variant,
)
from tests.core.programs import block, function, program

VEC = Array(F64, 1)
PAIR = Tuple((F64, F64))
MAYBE = Sum((Variant("None", ()), Variant("Some", (F64,))))
ALL = Dialect.ACCUMULATING


def x() -> Var:
    return Var("x", F64)


def vec(name: str = "a") -> Var:
    return Var(name, VEC)


def one(op: Op, types: Sequence[Type], params: Sequence[Var] = ()) -> Program:
    """main with just this op."""
    b = Builder()
    b.let(op, tuple(types))
    return program(params, b)


def rejected(p: Program, message: str, dialect: Dialect = Dialect.SOURCE) -> None:
    with pytest.raises(CheckError, match=message):
        check(p, dialect)


K, A, P = Var("i", I64), vec(), x()

BAD: list[tuple[str, Program, str]] = [
    ("no such primitive", one(Prim("sine", (f64(1),)), [F64]), "no primitive 'sine'"),
    ("prim types", one(Prim("add", (f64(1), i64(1))), [F64]), "'add' takes arguments of one type"),
    ("prim arity", one(Prim("sin", ()), [F64]), "takes 1 arguments, not 0"),
    ("bound type", one(Prim("sin", (f64(1),)), [I64]), r"\(i64\) where \(f64\) is wanted"),
    ("bound count", one(Prim("sin", (f64(1),)), []), "variables"),
    ("exception name", one(Prim("require", (boolean(True),), ("Oops", "")), []), "'Oops'"),
    ("literal", one(Prim("sin", (Lit(True, F64),)), [F64]), "literal True"),
    ("int literal", one(Prim("neg", (Lit(1.0, I64),)), [I64]), "literal 1.0"),
    ("tuple items", one(MakeTuple(PAIR, (f64(1),)), [PAIR]), "items"),
    ("tuple type", one(MakeTuple(F64, ()), [F64]), "not a tuple type"),
    ("component", one(Project(f64(1), 0), [F64]), "no component 0 in f64"),
    ("variant", one(Inject(MAYBE, 2, ()), [MAYBE]), "no variant 2"),
    ("fields", one(Inject(MAYBE, 1, ()), [MAYBE]), "fields"),
    ("not a sum", one(Inject(F64, 0, ()), [F64]), "not a sum"),
    ("case of", one(Case(f64(1), ()), []), "not a sum"),
    ("if cond", one(If(i64(1), block(), block()), []), "condition"),
    ("if arms", one(If(boolean(True), block(f64(1)), block(i64(1))), [F64]), "one branch"),
    ("callee", one(Call("g", ()), []), "no function 'g'"),
    ("call arity", one(Call("main", (f64(1),)), []), "arguments of main"),
    ("build extents", one(Build((f64(1),), (K,), block(f64(1))), [VEC]), "must be i64"),
    ("build indices", one(Build((i64(1),), (), block(f64(1))), [VEC]), "one index per extent"),
    ("sum of ints", one(Sum_((i64(1),), (K,), block(i64(1))), [I64]), "sums of reals"),
    ("loop count", one(Loop(f64(1), K, (), (), block()), []), "count and index"),
    ("loop inits", one(Loop(i64(1), K, (P,), (i64(1),), block(P)), [F64]), "initial values"),
    ("loop next", one(Loop(i64(1), K, (P,), (f64(1),), block(K)), [F64]), "next values"),
    ("while cond", one(While((P,), (f64(1),), block(P), block(P)), [F64]), "condition"),
    ("index rank", one(Index(A, (i64(0), i64(0)), True), [F64], [A]), "2 indices into"),
    ("index type", one(Index(A, (f64(0),), True), [F64], [A]), "indices must be i64"),
    ("update value", one(Update(A, (i64(0),), i64(0), True), [VEC], [A]), "value"),
    ("seed", one(Vjp("main", (), (), (f64(1),)), []), "seeds or tangents"),
    ("wrt", one(Jvp("main", (), (0,), ()), []), "wrt out of range"),
    ("array rank", one(Prim("copy", (Var("z", Array(F64, 0)),)), []), "not in scope"),
    ("scope", one(Prim("sin", (P,)), [F64]), "x .* is not in scope"),
    ("type rank", program([Var("z", Array(F64, 0))], Builder()), "rank 0"),
    ("type bits", program([Var("z", Lit(0, F64).type), Var("y", Named("T"))], Builder()), "'T'"),
    ("results", Program({"main": function("main", [], Builder(), f64(1))}, {}, "g"), "no function"),
]


@pytest.mark.parametrize(("bad", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_rejects(bad: Program, message: str) -> None:
    rejected(bad, message)


def test_declared_results_are_the_blocks() -> None:
    f = function("main", [], Builder(), f64(1))
    wrong = type(f)("main", (), f.body, (I64,))
    rejected(Program({"main": wrong}, {}, "main"), "results")


def test_a_variable_is_bound_once_in_the_program() -> None:
    p, b = x(), Builder()
    p2 = Builder()
    twice = function("g", [p], p2)
    rejected(program([p], b, functions=[twice]), "bound twice")
    b.lets += Builder().lets
    y = b.prim("sin", p)
    b.lets.append(b.lets[0])
    rejected(program([p], b, y), "bound twice")


def test_a_nested_variable_is_not_seen_outside() -> None:
    b, inner = Builder(), Builder()
    y = inner.prim("sin", f64(1))
    b.let(If(boolean(True), inner.block(), block()), ())
    rejected(program([], b, y), "not in scope")


def test_case_arms_fit_the_variants() -> None:
    m, v, n = Var("m", MAYBE), x(), Var("n", I64)
    b = Builder()
    b.let(Case(m, (CaseArm((), block(f64(0))), CaseArm((v,), block(v)))), (F64,))
    check(program([m], b), Dialect.FLAT)
    rejected(one(Case(m, (CaseArm((), block()),)), [], [m]), "1 arms, 2 variants")
    rejected(one(Case(m, (CaseArm((), block()), CaseArm((n,), block()))), [], [m]), "fields of Som")


def test_messages_show_the_let_and_the_function() -> None:
    b, inner = Builder(), Builder()
    inner.let(Prim("sin", (i64(1),)), (F64,))
    b.let(If(boolean(True), inner.block(), block()), ())
    with pytest.raises(CheckError) as info:
        check(program([], b), Dialect.SOURCE)
    assert str(info.value).splitlines() == [
        "[source] function main: primitive 'sin' takes Real, not Int(bits=64) in",
        "let t:f64 = sin 1",
    ]


# --- dialects -------------------------------------------------------------------------------------


def test_dialects() -> None:
    h = Var("h", Handle(1))
    acc = one(AccNew((i64(2),)), [Handle(1)])
    add = one(AccAdd(h, (i64(0),), f64(1)), [], [h])
    pair = one(MakeTuple(PAIR, (f64(1), f64(2))), [PAIR])
    p, b = x(), Builder()
    f = function("f", [p], b, b.prim("sin", p))
    c, q = Builder(), x()
    c.let(Vjp("f", (q,), (0,), (f64(1),)), (F64, F64))
    vjp = program([q], c, functions=[f])
    order = [Dialect.SOURCE, Dialect.FLAT, Dialect.ACCUMULATING]
    for prog, allowed in ((acc, "A"), (add, "A"), (pair, "S"), (vjp, "SL")):
        for letter, dialect in zip("SLA", order):
            if letter in allowed:
                check(prog, dialect)
            else:
                rejected(prog, "in this dialect", dialect)
    hidden = Array(Sum((Variant("V", (PAIR,)),)), 1)
    rejected(program([Var("z", hidden)], Builder()), "in this dialect", Dialect.FLAT)


def test_handles_have_a_rank() -> None:
    h = Var("h", Handle(2))
    rejected(one(AccRead(h, (i64(0),)), [F64], [h]), "1 indices into", ALL)
    rejected(one(AccRead(h, (i64(0), i64(0)), 32), [F64], [h]), "f64", ALL)
    check(one(AccRead(h, (i64(0), i64(0)), 32), [F32], [h]), ALL)


# --- consumption ----------------------------------------------------------------------------------


def fresh(b: Builder, name: str = "a") -> Var:
    (a,) = b.let(Build((i64(3),), (Var("i", I64),), block(f64(0))), (VEC,), None, (name,))
    return a


def put(b: Builder, a: Atom, at: int = 0) -> Var:
    (c,) = b.let(Update(a, (i64(at),), f64(1), False), (VEC,))
    return c


def test_a_consumed_array_is_not_read_again() -> None:
    b = Builder()
    a = fresh(b)
    c = put(b, a)
    check(program([], b, c), ALL)
    b.index(a, (i64(0),), False)
    rejected(program([], b, c), "used after it was consumed", ALL)


def test_nor_returned_nor_consumed_again() -> None:
    b = Builder()
    a = fresh(b)
    c = put(b, a)
    rejected(program([], b, c, a), "used after it was consumed in a result", ALL)
    put(b, a)
    rejected(program([], b), "used after it was consumed", ALL)


def test_nor_through_a_view() -> None:
    b = Builder()
    a = fresh(b)
    v = b.prim("slice", a, i64(0), i64(2), i64(1), static=(0,))
    put(b, a)
    b.index(v, (i64(0),), False)
    rejected(program([], b), "t .* is used after", ALL)


def test_consuming_a_view_consumes_the_array() -> None:
    b = Builder()
    a = fresh(b)
    put(b, b.prim("reshape", a, i64(3)))
    rejected(program([], b, a), "used after it was consumed", ALL)


def test_nor_after_a_branch_that_consumed_it() -> None:
    b, then = Builder(), Builder()
    a = fresh(b)
    c = put(then, a)
    orelse = Builder()
    (r,) = b.let(If(boolean(True), then.block((c,)), orelse.block((a,))), (VEC,))
    check(program([], b, r), ALL)
    rejected(program([], b, r, a), "used after it was consumed", ALL)


def test_what_a_branch_hands_through_is_the_array() -> None:
    b, orelse = Builder(), Builder()
    a = fresh(b)
    other = fresh(orelse)
    (r,) = b.let(If(boolean(True), block(a), orelse.block((other,))), (VEC,))
    put(b, r)
    rejected(program([], b, a), "used after it was consumed", ALL)


def loop(b: Builder, a: Atom, body: Builder, c: Var, *results: Atom) -> Var:
    types = (VEC, *[Array(r.type, 1) for r in results[1:]])
    return b.let(Loop(i64(3), Var("k", I64), (c,), (a,), body.block(results)), types)[0]


def test_a_carried_array_may_be_updated() -> None:
    b, body, c = Builder(), Builder(), vec("c")
    a = fresh(b)
    r = loop(b, a, body, c, put(body, c))
    check(program([], b, put(b, r)), ALL)
    rejected(program([], b, r, a), "used after it was consumed", ALL)


def test_a_captured_array_may_not() -> None:
    b, body, c = Builder(), Builder(), x()
    a = fresh(b)
    put(body, a)
    b.let(Loop(i64(3), Var("k", I64), (c,), (f64(0),), body.block((c,))), (F64,))
    rejected(program([], b), "consumed by a loop that captures it", ALL)
    b, body = Builder(), Builder()
    a = fresh(b)
    put(body, a)
    b.let(Sum_((i64(3),), (Var("k", I64),), body.block()), ())
    rejected(program([], b), "consumed by a loop that captures it", ALL)


def test_nor_may_the_body_see_the_old_name() -> None:
    b, body, c = Builder(), Builder(), vec("c")
    a = fresh(b)
    d = put(body, c)
    body.index(a, (i64(0),), False)
    loop(b, a, body, c, d)
    rejected(program([], b), "captures it", ALL)


def test_nor_is_the_next_version_kept() -> None:
    b, body, c = Builder(), Builder(), vec("c")
    d = put(body, c)
    loop(b, fresh(b), body, c, d, d)
    rejected(program([], b), "also another result", ALL)
    b, body, c = Builder(), Builder(), vec("c")
    a, other = fresh(b), fresh(b, "other")
    put(body, c)
    loop(b, a, body, c, other)
    rejected(program([], b), "captured array", ALL)


def test_an_array_is_carried_once_if_consumed() -> None:
    b, body, c, d = Builder(), Builder(), vec("c"), vec("d")
    a = fresh(b)
    e = put(body, c)
    b.let(Loop(i64(3), Var("k", I64), (c, d), (a, a), body.block((e, d))), (VEC, VEC))
    rejected(program([], b), "given to the same op again", ALL)


def test_a_loop_that_never_ran_hands_its_array_through() -> None:
    b, body, c = Builder(), Builder(), vec("c")
    a = fresh(b)
    r = loop(b, a, body, c, fresh(body))
    put(b, r)
    rejected(program([], b, a), "used after it was consumed", ALL)


def test_while_loops_too() -> None:
    b, body, c = Builder(), Builder(), vec("c")
    a = fresh(b)
    d = put(body, c)
    (r,) = b.let(While((c,), (a,), block(boolean(False)), body.block((d,))), (VEC,))
    check(program([], b, r), ALL)
    rejected(program([], b, a), "used after it was consumed", ALL)


def test_what_a_callee_consumes_is_consumed() -> None:
    p, q, inner, b = vec("p"), vec("q"), Builder(), Builder()
    f = function("f", [p], inner, put(inner, p))
    through = function("g", [q], Builder(), q)
    a = fresh(b)
    (r,) = b.let(Call("f", (a,)), (VEC,))
    check(program([], b, r, functions=[f]), ALL)
    rejected(program([], b, a, functions=[f]), "used after it was consumed", ALL)
    b = Builder()
    a = fresh(b)
    (r,) = b.let(Call("g", (a,)), (VEC,))
    put(b, r)
    rejected(program([], b, a, functions=[through]), "used after it was consumed", ALL)


def test_main_keeps_its_arguments() -> None:
    b, a = Builder(), vec()
    put(b, a)
    rejected(program([a], b), "main consumes its parameter a", ALL)
    b = Builder()
    put(b, b.prim("copy", a))
    check(program([a], b), ALL)


def test_an_empty_block_is_fine() -> None:
    check(Program({"main": function("main", [], Builder())}, {}, "main"), Dialect.FLAT)
    assert Block((), ()).lets == ()
