"""Calls become bodies."""

from pullback.core.call_graph import call_order, recursive_functions
from pullback.core.check import check
from pullback.core.terms import Call, Dialect, Vjp
from pullback.core.types import F64, I64
from pullback.opt.control.inline import SMALL, inline_calls
from tests.ad.flatcore import Fn, program
from tests.opt.agreement import agree, ops, prims


def long(c, x):
    for _ in range(SMALL + 5):
        x = c.sin(x)
    return x


def test_small_functions_are_copied_and_others_called() -> None:
    small = Fn("small", (F64,), (F64,), lambda c, x: c.if_(x < 0.0, lambda: -x, lambda: x * x))
    large = Fn("large", (F64,), (F64,), long)
    def body(c, x):
        return c.call("large", c.call("small", x)) + c.call("large", c.call("small", x))

    p = program([F64], body, [small, large])
    q = agree(inline_calls, p, [0.5], [-2.0])
    assert [op.function for op in ops(q, Call)] == ["large", "large"]


def test_functions_called_once_disappear() -> None:
    large = Fn("large", (F64,), (F64,), long)
    outer = Fn("outer", (F64,), (F64,), lambda c, x: c.call("large", x) * 2.0)
    p = program([F64], lambda c, x: c.loop(3, [x], lambda i, s: c.call("outer", s)), [outer, large])
    q = agree(inline_calls, p, [0.5])
    assert set(q.functions) == {"main"} and prims(q).count("sin") == SMALL + 5


def test_recursion_stays() -> None:
    even = Fn("even", (I64, F64), (F64,), lambda c, n, x: c.if_(
        n < 1, lambda: x, lambda: c.call("odd", n - 1, x)))
    odd = Fn("odd", (I64, F64), (F64,), lambda c, n, x: c.if_(
        n < 1, lambda: -x, lambda: c.call("even", n - 1, c.call("twice", x))))
    twice = Fn("twice", (F64,), (F64,), lambda c, x: x * 2.0)
    p = program([I64, F64], lambda c, n, x: c.call("even", n, x), [even, odd, twice])
    q = agree(inline_calls, p, [5, 1.0], [4, 1.0])
    assert recursive_functions(p) == {"even", "odd"}
    assert {op.function for op in ops(q, Call)} == {"even", "odd"}
    order = call_order(p)
    assert order.index("twice") < order.index("odd") and order[-1] == "main"


def test_differentiated_functions_stay_callable() -> None:
    inner = Fn("inner", (F64,), (F64,), lambda c, x: c.sin(x))
    f = Fn("f", (F64,), (F64,), lambda c, x: c.call("inner", x) * x)
    p = program([F64], lambda c, x: (*c.vjp("f", [x], [0], [1.0]), c.call("f", x)), [f, inner])
    q = inline_calls(p)
    check(q, Dialect.FLAT)
    assert len(ops(q, Vjp)) == 1 and "f" in q.functions and not ops(q, Call)
