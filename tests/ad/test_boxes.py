"""The residuals of one call of a recursion are a node with room for the arm that was taken only."""

from pullback.ad.differentiate import gradient
from pullback.core.types import Named, Sum
from tests.ad.agreement import agree
from tests.ad.flatcore import F64, I64, Fn, program


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
