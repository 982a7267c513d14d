"""Results, tangents and cotangents that are data: shared as they are, at any depth, without a leak;
what does not have the form of its value is refused with the place."""

import gc
import tracemalloc
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.request import Request, What


@dataclass(frozen=True)
class Cell:
    value: float
    next: "Cell | None"


@dataclass(frozen=True, slots=True)
class Leaf:
    value: float


@dataclass(frozen=True, slots=True)
class Fork:
    left: "Fork | Leaf"
    right: "Fork | Leaf"
    weights: tuple[float, ...] = ()
    array: np.ndarray = field(default_factory=lambda: np.ones(1))


DEEP = 250_000


def scaled(x, s):
    out = None
    while x is not None:
        out = Cell(x.value * s, out)
        x = x.next
    return out


def halved(t):
    if isinstance(t, Leaf):
        return Leaf(t.value * 0.5)
    return Fork(halved(t.left), halved(t.right), t.weights, t.array * 0.5)


def total(t):
    if isinstance(t, Leaf):
        return t.value * t.value
    return total(t.left) + total(t.right) + sum(w * w for w in t.weights) + np.sum(t.array)


def chain(n: int) -> Cell | None:
    out = None
    for i in range(n):
        out = Cell(float(i), out)
    return out


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_very_deep(method: str) -> None:
    x = chain(DEEP)
    out, tangent = pb.jvp(scaled, (x, 2.0), (x, 1.0))
    value, pullback = pb.vjp(scaled, x, 2.0, method=method)
    back, by_scale = pullback(value)
    assert by_scale == pytest.approx(2.0 * sum(i * i for i in range(DEEP)), rel=1e-9)
    for i in range(DEEP - 1):
        assert out.value == 2.0 * i and tangent.value == 3.0 * i and value.value == 2.0 * i
        assert back.value == 4.0 * (DEEP - 1 - i)
        out, tangent, value, back = out.next, tangent.next, value.next, back.next


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_shared_nodes_have_one_cotangent(method: str) -> None:
    leaf = Leaf(3.0)
    out, pullback = pb.vjp(lambda t: t, Fork(leaf, Fork(leaf, Leaf(1.0))), method=method)
    assert out.left is out.right.left
    one, other = Leaf(1.0), Leaf(2.0)
    (g,) = pullback(Fork(one, Fork(one, other)))
    assert g.left is g.right.left and g.left.value == 1.0 and g.right.right.value == 2.0
    with pytest.raises(ValueError, match=r"two different cotangents, at cotangent\.right\.left"):
        pullback(Fork(one, Fork(other, other)))

    def twice(x: float) -> Fork:
        t = Leaf(x)
        return Fork(t, t)

    out, pullback = pb.vjp(twice, 2.0, method=method)
    assert out.left is out.right and pullback(Fork(one, one)) == (1.0,)
    out, pullback = pb.vjp(lambda x: Fork(Leaf(x), Leaf(x)), 2.0, method=method)
    assert out.left is not out.right and pullback(Fork(one, other)) == (3.0,)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_the_chain_rule_across_a_call(method: str) -> None:
    leaf = Leaf(3.0)
    t = Fork(leaf, Fork(leaf, Leaf(1.0), (2.0, 5.0)), (1.0,), np.arange(4.0)[::2])
    out, pullback = pb.vjp(halved, t, method=method)
    (g,) = pullback(pb.grad(total, method=method)(out))
    expected = pb.grad(lambda t: total(halved(t)))(t)
    np.testing.assert_allclose(pb.ravel(g)[0], pb.ravel(expected)[0])
    pb.check_grads(total, (t,))
    pb.check_grads(halved, (t,))
    assert type(g.right.weights) is tuple


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_unusual_tangents_and_cotangents(method: str) -> None:
    t = Fork(Leaf(1.0), Leaf(2.0), (3.0, 4.0))
    given = Fork(Leaf(1), Leaf(np.float32(2.0)), [1, 2], [5])
    _, tangent = pb.jvp(total, (t,), (given,))
    assert tangent == 2.0 + 8.0 + 6.0 + 16.0 + 5.0
    (g,) = pb.vjp(lambda t: t, t, method=method)[1](given)
    assert g.right.value == 2.0 and g.weights == (1.0, 2.0) and g.array.tolist() == [5.0]
    (g,) = pb.vjp(lambda t: t, t, method=method)[1](Fork(None, Leaf(1.0), None, None))
    assert (g.left.value, g.right.value, g.weights) == (0.0, 1.0, (0.0, 0.0))
    for wrong, place in (
        (Fork(Leaf("a"), None, None, None), "left.value"),
        (Fork(None, Fork(Leaf(1.0), Leaf(1.0)), None, None), "right"),
        (Fork(None, None, (1.0,), None), "weights"),
        (Fork(None, None, None, np.ones(2)), "array"),
        (Fork(SimpleNamespace(value=1.0), None, None, None), "left"),
    ):
        with pytest.raises((TypeError, ValueError), match=rf"cotangent\.{place}"):
            pb.vjp(lambda t: t, t, method=method)[1](wrong)
        with pytest.raises((TypeError, ValueError), match=rf"tangent\.{place}"):
            pb.jvp(total, (t,), (wrong,))


def scaled_leaves(t, x):
    """Data beside a number: it is shared as the tree is."""
    return x * total(t), (halved(t), [t, t])


@pytest.mark.parametrize("tier", ["native", "eval"])
def test_data_beside_the_value(tier: str) -> None:
    leaf = Leaf(3.0)
    t = Fork(leaf, Fork(leaf, Leaf(1.0), (2.0, 5.0)), (1.0,), np.arange(4.0)[::2])
    found = []
    for method in ("chad", "dual"):
        request = Request(What.VALUE_AND_GRADIENT, (0, 1), has_aux=True, method=method)
        out: Any = driver.call(scaled_leaves, (t, 2.0), request, tier)
        (value, (half, (one, two))), (by_tree, by_number) = out
        assert one is two and one.left is one.right.left is not half.left
        found.append((value, *(pb.ravel(x)[0] for x in (half, one, by_tree)), by_number))
    for a, b in zip(*found):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def pieces(xs, t, y):
    """Lists of arrays, of records and of lists, from such and beside a tree."""
    rows = [np.array([x * y, x + t.value]) for x in xs]
    singles = [np.float32(x) * np.ones(2, np.float32) for x in xs]
    return rows, [(Leaf(x * t.value), x * y) for x in xs], [[x] * 2 for x in xs], singles, y * y


def test_data_of_all_forms_by_both_methods() -> None:
    xs = [1.0, -2.0, 0.5]
    ct = (
        [np.array([1.0, 2.0]), None, np.array([0.0, 3.0])],
        [(Leaf(1.0), 2.0), (None, 1.0), (Leaf(-1.0), None)],
        [[1.0, 2.0], [0.0, 1.0], [3.0, 3.0]], [np.ones(2, np.float32)] * 3, 5.0,
    )  # fmt: skip
    found = [pb.vjp(pieces, xs, Leaf(3.0), 2.0, method=m) for m in ("chad", "dual")]
    (one, back), (two, again) = found
    np.testing.assert_array_equal(pb.ravel(one)[0], pb.ravel(two)[0])
    for pullback in (again, again):
        np.testing.assert_allclose(pb.ravel(back(ct))[0], pb.ravel(pullback(ct))[0], rtol=1e-12)


def spine(t, x):
    while isinstance(t, Fork):
        t = t.left
    return t.value * x


def test_a_graph_is_not_unfolded() -> None:
    """A node that both fields of the next one hold, again and again: 2**60 ways to the leaf."""
    t: Fork | Leaf = Leaf(3.0)
    for _ in range(60):
        t = Fork(t, t)
    for method in ("chad", "dual"):
        by_tree, by_number = pb.grad(spine, argnums=(0, 1), method=method)(t, 2.0)
        assert by_number == 3.0 and by_tree.left.left is by_tree.left.right
        out, pullback = pb.vjp(lambda t: t, t, method=method)
        assert out.left is out.right and pullback(None)[0].left.weights == ()


def test_errors_say_where() -> None:
    class Other(Leaf):
        pass

    bad: tuple[tuple[Any, str], ...] = (
        (Fork(Leaf(1.0), Fork(Leaf("x"), Leaf(1.0))), r"arg0\.right\.left\.value"),
        (Fork(Leaf(1.0), Leaf(1.0), (1.0, None)), r"arg0\.weights\[1\]"),
        (Fork(Leaf(1.0), SimpleNamespace(value=1.0)), r"arg0\.right"),
        (Fork(Other(1.0), Leaf(1.0)), r"arg0\.left"),
        (Fork(Leaf(1j), Leaf(1.0)), r"arg0\.left\.value"),
        (Fork(Leaf(np.complex128(1)), Leaf(1.0)), r"arg0\.left\.value"),
    )
    for value, place in bad:
        for call in (pb.jit(total), pb.grad(total), lambda t: pb.vjp(total, t)):
            with pytest.raises(TypeError, match=place):
                call(value)


def test_nothing_leaks() -> None:
    leaf = Leaf(3.0)
    t = Fork(leaf, Fork(leaf, Leaf(1.0), (2.0, 5.0)), (1.0,), np.arange(4.0)[::2])
    twin, half = pb.jit(lambda t: (t, [t, t])), pb.jit(halved)

    def work(n: int) -> None:
        for _ in range(n):
            twin(t), half(t), pb.jvp(halved, (t,), (t,))
            out, pullback = pb.vjp(halved, t)
            pullback(out)
            with pytest.raises(ValueError, match="one object has two"):
                inner = Fork(Leaf(1.0), None, None, None)
                pb.vjp(identity, t)[1](Fork(Leaf(1.0), inner, None, None))

    identity = lambda t: t
    work(20)
    tracemalloc.start()
    sizes = []
    for _ in range(5):  # CPython keeps some of the small objects for later: at first, or at times
        work(200)
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    grown = np.diff(sizes)
    assert min(grown) < 30_000, grown  # a tree for each round would be twice that every time
