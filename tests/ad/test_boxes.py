"""What one call of a recursion keeps is a node with room for the arm that was taken only, and so is
what a function keeps that is called at several places."""

import numpy as np
import pytest

from pullback.ad.differentiate import gradient
from pullback.core.types import Named, Sum
from tests.ad.agreement import agree
from tests.ad.flatcore import A1, F64, I64, Fn, program


def nested(c, x, n):
    def odd():
        return c.if_(
            x > 0.8,
            lambda: c.call("f", x * 0.9, n - 1) * c.sin(c.call("f", x, n - 2)) + x,
            lambda: c.exp(c.call("f", x + 0.3, n - 1)) * x,
        )

    def later():
        return c.if_(n.eq(3), odd, lambda: x * c.sin(c.call("f", x, n - 1)))

    y = c.if_(n <= 0, lambda: x * x, later)
    z = c.if_(y > 0.5, lambda: c.sin(y) * x, lambda: y)
    return z * y


F = Fn("f", (F64, I64), (F64,), nested)
P = program([F64, I64], lambda c, x, n: c.call("f", x, n), [F])


def test_each_arm_of_nested_branches_is_a_variant() -> None:
    decl = next(d for name, d in gradient(P, (0,)).decls.items() if name.endswith(".R"))
    calls = [sum(isinstance(t, Named) for t in v.fields) for v in decl.variants]
    assert calls == [0, 2, 1, 1]
    # the other branch, which keeps two reals or none, stays a sum by value
    assert all(sum(isinstance(t, Sum) for t in v.fields) == 1 for v in decl.variants)
    assert len(decl.variants[0].fields) < len(decl.variants[1].fields)


def test_branches_in_a_recursion_agree() -> None:
    for x in (0.4, 0.7, 0.9):
        for n in (0, 1, 3, 5):
            agree(P, [x, n])


def rounds(c, x, xs):
    def long():
        return c.loop(3, (x, x), lambda k, a, b: (c.sin(a * b) * xs.at(k), c.exp(-a * b)))[0]

    return c.if_(x > 0.5, long, lambda: x * xs.at(0))


@pytest.mark.parametrize("calls", [1, 2])
def test_what_several_calls_keep_is_a_node(calls: int) -> None:
    def main(c, x, xs):
        y = c.call("g", x, xs)
        return y if calls == 1 else y * c.call("g", y, xs)

    given = program([F64, A1], main, [Fn("g", (F64, A1), (F64,), rounds)])
    made = gradient(given, (0, 1))
    reverse = next(f for name, f in made.functions.items() if name.endswith("g.rev"))
    assert any(isinstance(p.type, Named) for p in reverse.params) == (calls == 2)
    assert any(p.type == A1 for p in reverse.params)  # the array that came in is not in the node
    for x in (0.3, 0.8):
        agree(given, [x, np.array([0.4, 0.7, 1.1])])
