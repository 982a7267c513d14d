"""If and Case: lazy branches, joined arrays, sums by value and nodes of recursive data."""

import numpy as np
import pytest

from pullback.ad.differentiate import DerivativeError, differentiate, gradient, tangent
from pullback.core.eval import Node, evaluate
from pullback.core.types import Array, Decl, Named, Sum, Variant
from tests.ad.agreement import agree
from tests.ad.flatcore import A1, BOOL, F64, I64, Fn, program

V = np.array([0.3, -0.2, 0.7, 1.1, 0.5])

SHAPE = Sum((
    Variant("Circle", (F64,)), Variant("Box", (F64, F64)), Variant("Path", (A1, I64, F64)),
    Variant("Nothing", ()),
))
LIST = Decl("List", (Variant("Nil", ()), Variant("Cons", (F64, Named("List")))))
TREE = Decl("Tree", (
    Variant("Leaf", (F64, I64)), Variant("Node", (Named("Tree"), A1, Named("Tree"))),
    Variant("Made", (SHAPE, Named("List"))),
))


@pytest.mark.parametrize("q", [True, False])
def test_scalars_with_and_without_residuals(q: bool) -> None:
    def body(c, q, x, y):
        a = c.if_(q, lambda: c.sin(x) * y, lambda: c.exp(x))
        b, d = c.if_(x > 0.1, lambda: (x, 1.0), lambda: (y * y, a))
        e = c.if_(q, lambda: c.if_(y > 5.0, lambda: x, lambda: y * b), lambda: d)
        return a * b + d * e

    agree(program([BOOL, F64, F64], body), [q, 0.4, 0.9])


def test_the_branch_not_taken_gives_no_nan() -> None:
    def body(c, x):
        return c.if_(x > 0.0, lambda: c.sqrt(x), lambda: x * 2.0)

    (_, d), _ = evaluate(gradient(program([F64], body), (0,)), (0.0, 1.0))
    assert d == 2.0


@pytest.mark.parametrize("q", [True, False])
def test_arrays_one_of_them_inactive(q: bool) -> None:
    def body(c, q, xs):
        grid = c.build(5, lambda i: c.real(i))
        a = c.if_(q, lambda: xs, lambda: grid)
        b = c.if_(q, lambda: grid, lambda: c.build(3, lambda i: xs.at(i) * xs.at(0)))
        e = c.if_(q, lambda: b, lambda: xs.view("slice", 4, 3, -2, static=(0,)).view("copy"))
        s = c.sum(3, lambda i: a.at(i) * b.at(i) * e.at(i))
        return s, a, e.view("transpose", static=(0,))

    agree(program([BOOL, A1], body), [q, V])


@pytest.mark.parametrize("q", [True, False])
def test_updates_of_an_array_that_is_inactive_on_one_side(q: bool) -> None:
    def body(c, q, xs):
        grid = c.build(5, lambda i: c.real(i) + 1.0)
        a = c.if_(q, lambda: c.prim("copy", xs), lambda: grid)
        a = c.loop(5, (a,), lambda k, a: a.set(k, a.at(k) * xs.at(4 - k) + a.at(0)))
        return c.total(a)

    agree(program([BOOL, A1], body), [q, V])


@pytest.mark.parametrize("q", [True, False])
def test_arrays_updated_on_both_sides(q: bool) -> None:
    def body(c, q, xs):
        y = c.build(5, lambda i: c.sin(xs.at(i)))
        y = c.if_(q, lambda: y.set(1, y.at(0)), lambda: y.set(2, y.at(1)).set(1, xs.at(3)))
        y = c.if_(q, lambda: c.build(5, lambda i: y.at(i) * y.at(1)), lambda: y)
        y = y.set(4, y.at(1) * y.at(2))
        return c.total(y)

    agree(program([BOOL, A1], body), [q, V])


def area(c, s, scale):
    return c.case(
        s, lambda r: r * r * scale, lambda a, b: a * b,
        lambda pts, n, w: c.total(pts) * w * c.real(n), lambda: c.sin(scale))


SHAPES = [
    Node(0, (0.7,)), Node(1, (0.5, 1.5)), Node(2, (V[:3], 2, 0.4)), Node(3, ()),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_sum_as_argument(shape: Node) -> None:
    p = program([SHAPE, F64], lambda c, s, x: area(c, s, x) * area(c, s, x * x))
    agree(p, [shape, 0.6])


@pytest.mark.parametrize("q", [True, False])
def test_sums_made_and_taken_apart(q: bool) -> None:
    def body(c, q, x, y, xs):
        s = c.if_(q, lambda: c.inject(SHAPE, 0, x * y), lambda: c.inject(SHAPE, 1, c.sin(x), y))
        t = c.if_(x > y, lambda: s, lambda: c.inject(SHAPE, 2, xs, 3, x))
        u = c.case(t, lambda r: c.inject(SHAPE, 1, r, r), lambda a, b: t,
                   lambda pts, n, w: c.inject(SHAPE, 2, c.build(2, lambda i: pts.at(i) * w), n, w),
                   lambda: t)
        return area(c, s, x) + area(c, t, y) * area(c, u, x)

    for x in (0.6, 1.6):
        agree(program([BOOL, F64, F64, A1], body), [q, x, 0.8, V])


def test_sums_carried_by_loops_and_in_arrays() -> None:
    def body(c, x, xs):
        s = c.loop(3, (c.inject(SHAPE, 0, x),), lambda k, s: c.case(
            s, lambda r: c.inject(SHAPE, 1, r, c.sin(r)), lambda a, b: c.inject(SHAPE, 0, a * b),
            lambda pts, n, w: s, lambda: s))
        many = c.build(4, lambda i: c.if_(
            (i % 2).eq(0), lambda: c.inject(SHAPE, 0, xs.at(i)),
            lambda: c.inject(SHAPE, 1, xs.at(i), x)))
        some = many.view("slice", 3, 4, -1, static=(0,))
        other = c.prim("copy", many)
        other = other.set(2, c.inject(SHAPE, 2, xs, 1, x * x)).set(0, many.at(1))
        return (area(c, s, x), c.sum(4, lambda i: area(c, some.at(i), x) * xs.at(i)),
                c.sum(4, lambda i: area(c, other.at(i), x)))

    agree(program([F64, A1], body), [0.6, V])


def test_an_array_of_sums_as_argument() -> None:
    a = np.empty(4, object)
    a[:] = SHAPES
    agree(program([Array(SHAPE, 1), F64], lambda c, a, x: c.sum(
        a.dim(), lambda i: area(c, a.at(i), x))), [a, 0.7])


# -- recursive data -----------------------------------------------------------------------------

TOTAL = Fn("total", (Named("List"), F64), (F64,), lambda c, xs, w: c.case(
    xs, lambda: c.expr(0.0),
    lambda head, tail: c.sin(head) * w + head * c.call("total", tail, w * head)))


def cons(*xs: float) -> Node:
    out = Node(0, ())
    for x in reversed(xs):
        out = Node(1, (x, out))
    return out


def test_a_linked_list() -> None:
    p = program([Named("List"), F64], lambda c, xs, w: c.call("total", xs, w), [TOTAL], [LIST])
    agree(p, [cons(0.5, -0.3, 0.8), 0.9])
    agree(p, [cons(), 0.9])


def test_a_linked_list_in_a_while_loop() -> None:
    def body(c, xs):
        def more(node, s, go):
            return go

        def step(node, s, go):
            return c.case(node, lambda: (node, s, False),
                          lambda head, tail: (tail, s * head + c.sin(head), True))

        _, s, _ = c.while_((xs, 1.0, c.expr(True, BOOL)), more, step)
        return s

    agree(program([Named("List")], body, [], [LIST]), [cons(0.5, -0.3, 0.8)])


def test_a_node_that_is_shared() -> None:
    tail = cons(0.5, -0.3)
    tree = Node(1, (Node(2, (SHAPES[1], tail)), V[:2], Node(2, (SHAPES[2], Node(1, (0.2, tail))))))
    agree(FOLD_TREE, [tree, 0.7])
    inner = Node(0, (0.3, 2))
    agree(FOLD_TREE, [Node(1, (inner, V[:2], Node(1, (inner, V, inner)))), 0.7])


FOLD = Fn("fold", (Named("Tree"), F64), (F64,), lambda c, t, x: c.case(
    t, lambda v, n: v * c.real(n) * x,
    lambda left, a, right: c.call("fold", left, x * a.at(0)) * c.call("fold", right, x)
    + c.total(a),
    lambda s, xs: area(c, s, x) + c.call("total", xs, x)))
FOLD_TREE = program(
    [Named("Tree"), F64], lambda c, t, x: c.call("fold", t, x), [FOLD, TOTAL], [LIST, TREE])


def test_lists_made_inside() -> None:
    """range -> list -> mapped list -> sum: nodes are made and taken apart."""
    L = Named("List")
    mapped = Fn("mapped", (L, F64), (L,), lambda c, xs, w: c.case(
        xs, lambda: c.inject(L, 0),
        lambda head, tail: c.inject(L, 1, c.sin(head) * w, c.call("mapped", tail, w))))
    made = Fn("made", (I64, F64), (L,), lambda c, n, x: c.if_(
        n.eq(0), lambda: c.inject(L, 0),
        lambda: c.inject(L, 1, x, c.call("made", n - 1, x * 0.5))))

    def body(c, x, w):
        a = c.call("made", 3, x)
        both = c.inject(L, 1, 2.0, c.call("mapped", a, w))
        return c.call("total", both, w) * c.call("total", a, x)

    agree(program([F64, F64], body, [mapped, made, TOTAL], [LIST]), [0.8, 1.2])


def test_nodes_with_arrays_made_inside_and_returned() -> None:
    T, L = Named("Tree"), Named("List")
    grow = Fn("grow", (I64, A1), (T,), lambda c, n, a: c.if_(
        n.eq(0), lambda: c.inject(T, 0, a.at(1), 2),
        lambda: c.inject(T, 1, c.call("grow", n - 1, a),
                         c.build(2, lambda i: a.at(i) * c.real(n)),
                         c.inject(T, 2, c.inject(SHAPE, 2, a, 1, a.at(0)), c.inject(L, 0)))))

    def body(c, a, x):
        still = c.inject(T, 0, 1.0, 1)
        grid = c.build(2, lambda i: c.real(i) + 0.5)
        t = c.inject(T, 1, still, grid, c.call("grow", 2, a))
        return c.call("fold", t, x), t

    agree(program([A1, F64], body, [grow, FOLD, TOTAL], [LIST, TREE]), [V, 0.8])


def test_nodes_joined_by_branches_and_in_arrays() -> None:
    L = Named("List")

    def body(c, xs, x, q):
        a = c.if_(q, lambda: xs, lambda: c.inject(L, 1, x, xs))
        many = c.build(3, lambda i: c.inject(L, 1, x * c.real(i), a))
        return c.sum(3, lambda i: c.call("total", many.at(i), x))

    for q in (True, False):
        agree(program([L, F64, BOOL], body, [TOTAL], [LIST]), [cons(0.5, 0.2), 0.7, q])


def test_an_array_of_nodes_as_argument() -> None:
    a = np.empty(3, object)
    shared = cons(0.4)
    a[:] = [shared, cons(), Node(1, (0.3, shared))]
    agree(program([Array(Named("List"), 1), F64], lambda c, a, x: c.sum(
        3, lambda i: c.call("total", a.at(i), x)), [TOTAL], [LIST]), [a, 0.7])


def test_a_list_without_reals_stays_as_it_is() -> None:
    ints = Decl("Ints", (Variant("Nil", ()), Variant("Cons", (I64, Named("Ints")))))
    length = Fn("length", (Named("Ints"), F64), (F64,), lambda c, xs, x: c.case(
        xs, lambda: x, lambda n, t: c.call("length", t, x * c.real(n))))
    p = program([Named("Ints"), F64], lambda c, xs, x: c.call("length", xs, x), [length], [ints])
    agree(p, [Node(1, (3, Node(1, (2, Node(0, ()))))), 0.7])


def test_derivatives_of_data_inside_and_stop_gradient_of_data_are_refused() -> None:
    L = Named("List")
    inside = program([L, F64], lambda c, v, x: c.vjp("total", (v, x), (1,), (1.0,))[1],
                     [TOTAL], [LIST])
    jvp = program([L, F64], lambda c, v, x: c.jvp("total", (v, x), (1,), (1.0,))[1],
                  [TOTAL], [LIST])
    for p in (inside, jvp):
        for make in (differentiate, lambda p: gradient(p, (1,)), lambda p: tangent(p, (1,))):
            with pytest.raises(DerivativeError, match="data"):
                make(p)
    still = program([L], lambda c, v: c.call("total", c.stop_gradient(v), 1.0), [TOTAL], [LIST])
    for make in (gradient, tangent):
        with pytest.raises(DerivativeError, match="stop_gradient"):
            make(still, (0,))
