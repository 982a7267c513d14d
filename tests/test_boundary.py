"""Data in and out by compiled conversions: the same as the general way, at any depth, shared alike,
and without a leak."""

import enum
import gc
import math
import random
import sys
import tracemalloc
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.packed import conversion_of, encode
from pullback.call.request import Request, What
from pullback.call.space import Space
from pullback.frontend.python.pytypes import type_of


@dataclass(frozen=True)
class Cell:
    value: float
    next: "Cell | None"


@dataclass(frozen=True, slots=True)
class Fork:
    left: "Fork | None"
    value: float
    right: "Fork | None"


class Pair(NamedTuple):
    x: float
    k: int


@dataclass(frozen=True)
class Leaf:
    pair: Pair
    flag: bool


@dataclass(frozen=True, slots=True)
class Rose:
    weight: float
    numbers: list[float]
    points: list[Pair]
    corner: tuple[float, int]
    array: np.ndarray
    rows: list[list[float]]
    children: "list[Rose | Leaf]"


@dataclass(frozen=True)
class Careful:
    """A class whose instances may not be made by hand."""

    value: float
    next: "Careful | None"
    seen: int = field(default=0)

    def __post_init__(self) -> None:
        assert self.value >= 0


@dataclass(frozen=True)
class Odd:
    value: float
    next: "Odd | None"

    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return 2 * found if name == "value" else found


class Colour(enum.Enum):
    RED = 1


@dataclass(frozen=True)
class Painted:
    colour: Colour
    next: "Painted | None"


def chain(n, cls=Cell):
    out = None
    for i in range(n):
        out = cls(float(i), out)
    return out


def squares(x):
    s = 0.0
    while x is not None:
        s += x.value * x.value
        x = x.next
    return s


def fork_sum(t):
    return 0.0 if t is None else fork_sum(t.left) + math.sin(t.value) + fork_sum(t.right)


def rose_sum(t):
    match t:
        case Leaf(pair=p, flag=flag):
            return p.x * p.k if flag else 2.0 * p.x
        case Rose():
            s = t.weight * t.corner[0]
            for x in t.numbers:
                s += x * x * t.weight
            for p in t.points:
                s += p.x * p.k
            for i in range(t.array.shape[0]):
                s += math.sin(t.array[i])
            for row in t.rows:
                for x in row:
                    s += x * x * x
            for c in t.children:
                s += rose_sum(c)
            return s


def random_rose(rng, depth, pool):
    if depth == 0 or rng.random() < 0.2:
        return Leaf(Pair(rng.random(), rng.randrange(-5, 5)), rng.random() < 0.5)
    children = [random_rose(rng, depth - 1, pool) for _ in range(rng.randrange(4))]
    if pool and rng.random() < 0.5:
        children.append(rng.choice(pool))
    made = Rose(
        rng.random(),
        [rng.random() for _ in range(rng.randrange(4))],
        [Pair(rng.random(), 3) for _ in range(rng.randrange(3))],
        (rng.random(), 7),
        np.array([rng.random() for _ in range(rng.randrange(5))]),
        [[rng.random() for _ in range(rng.randrange(3))] for _ in range(rng.randrange(3))],
        children,
    )
    pool.append(made)
    return made


def same(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "__dataclass_fields__"):
        names = a.__dataclass_fields__
        return type(a) is type(b) and all(same(getattr(a, n), getattr(b, n)) for n in names)
    return type(a) is type(b) and a == b


def by_general_way(f, *args):
    """The gradient by the entry that is given converted data."""
    function, unit = driver.found(f, args, Request(What.GRADIENT, (0,), True))
    return unit.compiled(packed=True).general(function, *args)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_as_the_general_way(seed):
    rng = random.Random(seed)
    tree = random_rose(rng, 5, [])
    if isinstance(tree, Leaf):
        tree = Rose(1.0, [], [], (2.0, 1), np.zeros(1), [], [tree, tree])
    conversion = conversion_of(type_of(tree), Space.FORWARD)
    assert conversion is not None and encode(conversion, tree, 0, False) is not None
    gradient = pb.grad(rose_sum)(tree)
    assert same(gradient, by_general_way(rose_sum, tree))
    _, (expected,) = driver.gradient(rose_sum, (tree,), (0,), "eval")
    np.testing.assert_allclose(pb.ravel(gradient)[0], pb.ravel(expected)[0], rtol=1e-12)
    assert pb.jit(rose_sum)(tree) == pytest.approx(rose_sum(tree), rel=1e-12)
    packed = pb.pack(tree)
    assert same(pb.unpack(packed), tree)
    assert same(pb.unpack(pb.grad(rose_sum)(packed)), gradient)
    assert pb.jit(rose_sum)(packed) == pb.jit(rose_sum)(tree)


def test_sharing_is_kept():
    shared = Fork(None, 1.0, None)
    lone = Fork(None, 1.0, None)
    g = pb.grad(fork_sum)(Fork(shared, 2.0, Fork(shared, 3.0, lone)))
    assert g.left is g.right.left and g.left is not g.right.right
    assert g.left.value == 2 * math.cos(1.0) and g.right.right.value == math.cos(1.0)
    u = pb.unpack(pb.pack(Fork(shared, 2.0, shared)))
    assert u.left is u.right and u.left == shared

    inner = Rose(1.0, [], [], (2.0, 1), np.zeros(1), [], [])
    row = [inner]  # one list in two nodes: what is in it is one variable
    top = Rose(1.0, [], [], (0.0, 0), np.zeros(0), [], [
        Rose(0.0, [], [], (0.0, 0), np.zeros(0), [], row),
        Rose(0.0, [], [], (0.0, 0), np.zeros(0), [], row)])  # fmt: skip
    del inner
    g = pb.grad(rose_sum)(top)
    assert g.children[0].children[0] is g.children[1].children[0]
    assert g.children[0].children[0].weight == 4.0


def test_two_arguments_are_two_variables():
    x = chain(3)
    f = lambda a, b: squares(a) + 3.0 * squares(b)
    a, b = pb.grad(f, argnums=(0, 1))(x, x)
    assert (a.value, b.value) == (4.0, 12.0)
    packed = pb.pack(x)
    a, b = map(pb.unpack, pb.grad(f, argnums=(0, 1))(packed, packed))
    assert (a.value, b.value) == (4.0, 12.0)
    a, b = pb.grad(f, argnums=(0, 1))(x, packed)
    assert a.value == 4.0 and pb.unpack(b).value == 12.0


def test_a_million_deep():
    x = chain(1_000_000)
    g = pb.grad(squares)(x)
    values, node = [], g
    while node is not None:
        values.append(node.value)
        node = node.next
    assert values == [2.0 * i for i in range(999_999, -1, -1)]
    assert pb.unpack(pb.pack(x)).next.value == 999_998.0


def test_records_lists_and_hidden_arguments():
    points = [Pair(float(i), i) for i in range(100)]
    f = lambda ps: sum(p.x * p.x * p.k for p in ps)
    g = pb.grad(f)(points)
    assert g == [Pair(2.0 * i * i, None) for i in range(100)]
    hidden = chain(4)
    g = pb.grad(lambda t: squares(t) * squares(hidden))(chain(2))
    assert g == Cell(28.0, Cell(0.0, None))
    nested = [[1.0, 2.0], [], [3.0]]
    f = lambda rows: sum(x * x for row in rows for x in row)
    assert pb.grad(f)(nested) == [[2.0, 4.0], [], [6.0]]
    arrays = [np.arange(3.0), np.ones(2)]
    g = pb.grad(lambda xs: sum(np.sum(x * x) for x in xs))(arrays)
    assert same(g, [2 * np.arange(3.0), 2 * np.ones(2)])


def test_init_is_not_run():
    x = Careful(1.0, Careful(2.0, None))
    g = pb.grad(lambda t: -squares(t))(x)
    assert (g.value, g.next.value, g.seen) == (-2.0, -4.0, None)
    inner = "Careful(value=-4.0, next=None, seen=None)"
    assert repr(g) == f"Careful(value=-2.0, next={inner}, seen=None)"


def test_unusual_classes_go_the_general_way():
    assert not conversion_of(type_of(Odd(1.0, None)), Space.FORWARD).by_itself
    g = pb.grad(squares)(Odd(1.5, None))
    assert vars(g)["value"] == 6.0
    assert pb.unpack(pb.grad(squares)(pb.pack(Cell(1.5, None)))).value == 3.0
    assert pb.unpack(pb.pack(Odd(1.5, None))).next is None


def test_values_of_wrong_types():
    f = pb.grad(squares)
    assert f(Cell(3, Cell(2.0, None))) == Cell(6.0, Cell(4.0, None))  # an int is a float too
    assert f(Cell(np.float64(3.0), None)) == Cell(6.0, None)  # the general way
    for wrong in (Cell("3", None), Cell(1.0, Fork(None, 1.0, None)), Cell(1.0, 2.0)):
        with pytest.raises(TypeError):
            f(wrong)
    loop = Cell(1.0, Cell(2.0, None))
    object.__setattr__(loop.next, "next", loop)
    with pytest.raises(ValueError, match="contains itself"):
        f(loop)
    for tangent in (loop, Cell(1.0, None)):
        with pytest.raises(ValueError, match="contains itself"):
            pb.jvp(squares, (loop,), (tangent,))
    children = []
    ring = Rose(1.0, [], [], (2.0, 1), np.zeros(1), [], [])
    children.append(ring)
    object.__setattr__(ring, "children", children)
    with pytest.raises(ValueError, match="contains itself"):
        pb.grad(rose_sum)(ring)
    assert pb.unpack(pb.pack(Painted(Colour.RED, None))) == Painted(Colour.RED, None)
    with pytest.raises(TypeError):
        pb.pack(memoryview(b""))
    with pytest.raises(TypeError):
        pb.unpack(Cell(1.0, None))
    big = [2**70, 1]
    with pytest.raises((TypeError, OverflowError)):
        pb.jit(lambda xs: sum(xs))(big)


def test_lists_change_their_type():
    f = pb.jit(lambda xs: sum(x.x for x in xs))
    assert f([Pair(1.0, 1)]) == 1.0
    assert f([Pair(3, 1)]) == 3 and type(f([Pair(3, 1)])) is int
    assert f([]) == 0


def test_packed_data():
    numbers = np.arange(4.0)
    packed = pb.pack((numbers, [1.0, 2.0], 3.0))
    numbers[:] = 0.0
    f = lambda t: np.sum(t[0] * t[0]) * t[2] + sum(x * x for x in t[1])
    assert pb.jit(f)(packed) == 47.0
    a, xs, c = pb.unpack(pb.grad(f)(packed))
    assert same(a, 6.0 * np.arange(4.0)) and xs == [2.0, 4.0] and c == 14.0
    value, g = pb.value_and_grad(f)(packed)
    assert value == 47.0 and pb.unpack(g)[2] == 14.0
    again = pb.jit(lambda p, g: p[2] - 0.1 * g[2])(packed, g)  # a gradient is data too
    assert again == pytest.approx(1.6)
    assert pb.unpack(pb.pack(pb.pack(1.5))) == 1.5
    assert pb.unpack(pb.grad(lambda x: x * x)(pb.pack(1.5))) == 3.0
    assert pb.pack(packed) is packed and "packed" in repr(packed)
    out, pullback = pb.vjp(f, packed)
    assert out == 47.0 and pb.unpack(pullback(1.0)[0])[2] == 14.0


def test_pullbacks_own_their_data():
    xs, tree = np.arange(3.0), Rose(2.0, [1.0], [], (0.5, 1), np.ones(2), [[1.0]], [])
    out, pullback = pb.vjp(lambda t, a: rose_sum(t) * np.sum(a * a), tree, xs)
    xs[:], tree.array[:] = 100.0, 100.0
    tree.numbers[0] = 100.0
    for scale in (1.0, 2.0):
        g, a = pullback(scale)
        assert same(a, scale * out / 5.0 * 2 * np.arange(3.0))
        assert same(g.array, scale * 5.0 * np.full(2, math.cos(1.0)))
        assert g.numbers == [scale * 5.0 * 4.0]
    (g,) = pb.vjp(fork_sum, chain_of_forks(1000))[1](2.0)
    assert g.value == 2.0 * math.cos(999.0)


def chain_of_forks(n):
    out = None
    for i in range(n):
        out = Fork(None, float(i), out)
    return out


def counts(tree):
    return [sys.getrefcount(x) for x in (tree, tree.left, tree.left.value, Fork, None)]


def test_references_are_counted():
    leaf = Fork(None, 0.25, None)
    tree = Fork(leaf, 0.5, Fork(leaf, 0.75, None))
    rose = random_rose(random.Random(3), 4, [])
    f, g, h = pb.jit(fork_sum), pb.grad(fork_sum), pb.grad(rose_sum)
    packed = pb.pack(tree)

    def work():
        for _ in range(50):
            f(tree), g(tree), h(rose), f(packed), pb.unpack(g(packed)), pb.unpack(packed)

    work()
    while gc.collect():  # what other tests left may keep more
        pass
    before = counts(tree)
    tracemalloc.start()
    work()
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    for _ in range(8):
        work()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - size
    tracemalloc.stop()
    after = counts(tree)
    assert after[:4] == before[:4] and after[4] - before[4] < 40
    assert grown < 32 * 400 * 2  # four hundred rounds of six calls
    made = g(tree)
    assert sys.getrefcount(made.left) == 4  # two fields, the stack and the call
    assert sys.getrefcount(made.right) == 3
