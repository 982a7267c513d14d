"""One class in several unions: in programs of their own, and in one program."""

from __future__ import annotations

import enum
import gc
import linecache
import sys
import threading
import types
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pytest

import pullback as pb
from pullback.core.pretty import show
from pullback.frontend.kinds.kinds import UnionK
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.specialise import specialise
from tests import campaign, harness
from tests.frontend.shared_classes import Add, Circle, Num, Square

T = TypeVar("T")


@dataclass(frozen=True)
class Neg:
    inner: Num | Add | Neg


@dataclass(frozen=True)
class Small:
    tree: Num | Add


@dataclass(frozen=True)
class Large:
    tree: Num | Add | Neg


@dataclass(frozen=True)
class Maybe:
    tree: Num | Add | None


@dataclass(frozen=True)
class Backwards:
    tree: Add | Num


@dataclass(frozen=True)
class Rows:
    rows: np.ndarray


@dataclass(frozen=True)
class Two:
    shape: Circle | Square


@dataclass(frozen=True)
class Three:
    shape: Circle | Square | Rows


class Point(NamedTuple):
    x: float
    y: float


class Origin(NamedTuple):
    scale: float


@dataclass(frozen=True)
class Places:
    place: Point | Origin


class Op(enum.Enum):
    PLUS = 1
    TIMES = 2


@dataclass(frozen=True)
class Binary:
    op: Op
    name: str
    left: Binary | Num | None
    right: Binary | Num | None


@dataclass(frozen=True)
class Vectors:
    rows: np.ndarray
    rest: Vectors | None


Alias = Num | Add


@dataclass(frozen=True)
class Named:
    tree: Alias | None


@dataclass(frozen=True)
class Cons(Generic[T]):
    head: T
    tail: Cons[T] | None


@dataclass(frozen=True)
class Rose:
    value: float
    children: Cons[Rose] | None


def total(t: Any) -> float:
    match t:
        case None:
            return 0.0
        case Num(value):
            return value * value
        case Add(left, right):
            return total(left) * 0.5 + total(right)
        case Neg(inner):
            return -total(inner)


def area(shape: Any) -> float:
    match shape:
        case Circle(radius):
            return 3.0 * radius * radius
        case Square(side):
            return side * side
        case Rows(rows):
            return np.sum(rows * rows)


def small(s: Small) -> float:
    return total(s.tree)


def large(s: Large) -> float:
    return total(s.tree)


def maybe(s: Maybe) -> float:
    return total(s.tree)


def named(s: Named) -> float:
    return total(s.tree)


def backwards(s: Backwards) -> float:
    return total(s.tree)


def widened(s: Small, large: Large) -> float:
    return total(s.tree) * total(large.tree)


def chosen(s: Small, large: Large, x: float) -> float:
    tree = s.tree if x > 0.0 else large.tree
    return total(tree) * x


def all_three(s: Small, m: Maybe, b: Backwards, x: float) -> float:
    found = 0.0
    for tree in (s.tree, m.tree, b.tree):
        found += total(tree) * x
    return found


def wrapped(s: Small, x: float) -> float:
    large = Neg(Num(x) if x < 0.0 else s.tree)
    return total(Neg(Add(s.tree, large.inner)))


def grown(s: Small, n: int) -> float:
    tree = s.tree
    for _ in range(n):
        tree = Add(tree, Num(0.5))
    return total(tree)


def shapes(a: Two, b: Three, x: float) -> float:
    either = a.shape if x > 0.0 else b.shape
    return area(a.shape) + 2.0 * area(b.shape) + area(either) * x


def made(x: float) -> float:
    shape = Circle(x) if x > 0.0 else Square(x * 2.0)
    return area(shape)


def places(p: Places) -> float:
    match p.place:
        case Point(x, y):
            return x * y
        case Origin(scale):
            return scale * scale


def calculated(b: Any) -> float:
    match b:
        case None:
            return 1.0
        case Num(value):
            return value
        case Binary(Op.PLUS, name, left, right):
            return calculated(left) + calculated(right) * (2.0 if name == "twice" else 1.0)
        case Binary(_, _, left, right):
            return calculated(left) * calculated(right)


def rows_of(v: Any) -> float:
    found = 0.0
    while v is not None:
        found += np.sum(v.rows * v.rows)
        v = v.rest
    return found


def rows_and_more(v: Vectors, w: Vectors) -> float:
    return rows_of(v) + 2.0 * rows_of(w)


def rose(r: Rose) -> float:
    found, rest = r.value * r.value, r.children
    while rest is not None:
        found += 0.5 * rose(rest.head)
        rest = rest.tail
    return found


TREE = Add(Num(1.5), Add(Num(2.0), Num(0.5)))
BIG = Neg(Add(Num(1.2), Num(0.7)))

CASES: list[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]] = [
    (small, (Small(TREE),), (0,)),
    (large, (Large(BIG),), (0,)),
    (large, (Large(TREE),), (0,)),
    (maybe, (Maybe(TREE),), (0,)),
    (maybe, (Maybe(None),), ()),
    (named, (Named(TREE),), (0,)),
    (backwards, (Backwards(TREE),), (0,)),
    (widened, (Small(TREE), Large(BIG)), (0, 1)),
    (chosen, (Small(TREE), Large(BIG), 1.5), (0, 1, 2)),
    (chosen, (Small(TREE), Large(BIG), -1.5), (0, 1, 2)),
    (all_three, (Small(TREE), Maybe(TREE), Backwards(TREE), 0.7), (0, 1, 2, 3)),
    (wrapped, (Small(TREE), 1.5), (0, 1)),
    (grown, (Small(TREE), 3), (0,)),
    (shapes, (Two(Circle(1.5)), Three(Rows(np.ones((2, 3)))), 0.5), (0, 1, 2)),
    (shapes, (Two(Circle(1.5)), Three(Square(2.0)), -0.5), (0, 1, 2)),
    (made, (1.5,), (0,)),
    (made, (-1.5,), (0,)),
    (places, (Places(Point(1.5, 2.0)),), (0,)),
    (places, (Places(Origin(1.5)),), (0,)),
    (calculated, (Binary(Op.PLUS, "twice", Num(1.5), Binary(Op.TIMES, "", Num(2.0), None)),), (0,)),
    (rows_and_more, (Vectors(np.ones(3), None), Vectors(np.ones((2, 2)), None)), (0, 1)),
    (rose, (Rose(1.5, Cons(Rose(2.0, None), Cons(Rose(0.5, None), None))),), (0,)),
]


@pytest.mark.parametrize(("f", "args", "argnums"), campaign.part("values", CASES, 3))
def test_values_and_gradients(
    f: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[int, ...]
) -> None:
    assert np.isclose(harness.run(f, args, "eval"), f(*args), rtol=1e-12)
    rng = np.random.default_rng(0)
    tangents = tuple(
        harness.direction(rng, a) if k in argnums else harness.still(a) for k, a in enumerate(args)
    )
    if not argnums:
        return
    expected = harness.difference(f, args, tangents)
    for method in ("chad", "dual"):
        value, grads = harness.gradient(f, args, argnums, "native", method)
        assert np.isclose(value, f(*args), rtol=1e-12)
        slope = sum(harness.inner(g, tangents[k]) for g, k in zip(grads, argnums))
        assert np.isclose(slope, expected, rtol=1e-6), method


# --- derivatives by nodes, inside -----------------------------------------------------------------


def slope_of_maybe(s: Maybe) -> float:
    return total(pb.grad(maybe)(s).tree)


def slope_of_both(s: Small, t: Large) -> float:
    first, second = pb.grad(widened, argnums=(0, 1))(s, t)
    return total(first.tree) + total(second.tree)


def slope_of_wrapped(s: Small, x: float) -> float:
    return total(pb.grad(wrapped)(s, x).tree) * x


def slope_of_shapes(a: Two, b: Three, x: float) -> float:
    first, _, third = pb.grad(shapes, argnums=(0, 1, 2))(a, b, x)
    return area(first.shape) + third


INSIDE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (slope_of_maybe, (Maybe(TREE),)),
    (slope_of_both, (Small(TREE), Large(BIG))),
    (slope_of_wrapped, (Small(TREE), 1.5)),
    (slope_of_shapes, (Two(Circle(1.5)), Three(Square(2.0)), 0.5)),
]


@pytest.mark.parametrize(("f", "args"), campaign.part("values", INSIDE, 3))
def test_derivatives_by_nodes_of_what_mixes_unions(f: Callable[..., Any], args: Any) -> None:
    """The values against the same operators run by Python; slopes against differences."""
    compiled = pb.jit(f)
    assert np.isclose(compiled(*args), f(*args), rtol=1e-10)
    rng = np.random.default_rng(0)
    tangents = tuple(harness.direction(rng, a) for a in args)
    expected = harness.difference(compiled, args, tangents)
    _, grads = harness.gradient(f, args, tuple(range(len(args))), "native")
    assert np.isclose(sum(map(harness.inner, grads, tangents)), expected, rtol=1e-5)


def shared_and_widened(m: Maybe, x: float) -> float:
    """Node by node, what is in both places of the tree is one variable, or it is refused."""
    inner = m.tree if m.tree is not None else Num(x)
    return total(pb.grad(total)(Add(inner, inner)))


def test_nodes_that_are_made_for_the_derivative_are_not_split() -> None:
    try:
        found = pb.jit(shared_and_widened)(Maybe(TREE), 1.5)
    except pb.PullbackError as e:
        assert "several nodes of one record" in str(e)
    else:
        assert np.isclose(found, shared_and_widened(Maybe(TREE), 1.5))


# --- one object in two places ---------------------------------------------------------------------


@dataclass(frozen=True)
class Both:
    narrow: Num | Add
    wide: Num | Add | Neg


@dataclass(frozen=True)
class Pair:
    one: Circle | Square
    other: Circle | Square


def both(b: Both) -> float:
    return total(b.narrow) + 3.0 * total(b.wide)


def pair(p: Pair) -> float:
    return area(p.one) * area(p.other)


def slope_of_both_inside(x: float) -> float:
    n = Num(x)
    return total(pb.grad(both)(Both(n, n)).narrow)


SHARED = Num(2.0)


@pytest.mark.parametrize("wide", [SHARED, Neg(SHARED)])
@pytest.mark.parametrize("method", ["chad", "dual"])
def test_one_object_in_two_unions_is_refused(wide: Any, method: str) -> None:
    b = Both(SHARED, wide)
    for derive in (
        lambda: pb.grad(both, method=method)(b),
        lambda: pb.vjp(both, b),
        lambda: pb.jvp(both, (b,), (b,)),
        lambda: pb.ravel(b),
        lambda: pb.pack(b),
    ):
        with pytest.raises(pb.PullbackError, match=r"at arg0\.narrow and arg0\.wide"):
            derive()
    with pytest.raises(pb.PullbackError):
        pb.check_grads(both, (b,))
    assert pb.jit(both)(b) == both(b)
    value, slope = pb.value_and_grad(lambda x: x * both(b))(2.0)
    assert (value, slope) == (2.0 * both(b), both(b))


def test_equal_objects_in_two_unions_are_two() -> None:
    slope = pb.grad(both)(Both(SHARED, Num(2.0)))
    assert slope == Both(Num(4.0), Num(12.0))


def test_one_object_in_two_unions_inside() -> None:
    """Refused, whether the program makes it or is given it; two objects are right."""
    inside = pb.jit(lambda b: total(pb.grad(both)(b).wide))
    assert inside(Both(SHARED, Num(2.0))) == 144.0
    with pytest.raises(pb.PullbackError, match=r"at arg0\.narrow and arg0\.wide"):
        inside(Both(SHARED, SHARED))
    with pytest.raises(pb.PullbackError, match="several nodes of one record"):
        pb.jit(slope_of_both_inside)(2.0)


def shared_record(x: float) -> float:
    c = Circle(x)
    return area(pb.grad(pair)(Pair(c, c)).one)


def two_records(x: float) -> float:
    return area(pb.grad(pair)(Pair(Circle(x), Circle(x))).one)


def shared_in_a_tuple(x: float) -> float:
    c = Circle(x)
    found = pb.grad(lambda t: pair(t[0]) + area(t[1].one))((Pair(c, Square(x)), Pair(c, c)))
    return area(found[0].one) + area(found[1].other)


def shared_in_a_list(x: float) -> float:
    c = Circle(x)
    found = pb.grad(lambda ps: sum(pair(p) for p in ps))([Pair(c, c), Pair(c, Circle(x))])
    return area(found[0].one) + area(found[1].other)


def pulled_back(x: float) -> float:
    c = Circle(x)
    _, pull = pb.vjp(pair, Pair(c, c))
    return area(pull(1.0)[0].other)


def handed_on(x: float) -> float:
    return _slope_of(Circle(x))


def _slope_of(c: Circle) -> float:
    return area(pb.grad(pair)(Pair(c, c)).one)


@pytest.mark.parametrize(
    "f", [shared_record, two_records, shared_in_a_tuple, shared_in_a_list, pulled_back, handed_on]
)
def test_records_that_are_shared_in_declared_fields(f: Callable[[float], float]) -> None:
    """They do as when Python runs the operators, or are refused: never a variable for each
    place."""
    expected = f(1.5)
    try:
        found = pb.jit(f)(1.5)
    except pb.PullbackError as e:
        assert "by nodes" in str(e) or "list of records" in str(e)
    else:
        assert np.isclose(found, expected, rtol=1e-12)


# --- classes that come and go ---------------------------------------------------------------------

CELL = '''
from __future__ import annotations
from dataclasses import dataclass

@dataclass(frozen=True)
class Leaf:
    value: float

@dataclass(frozen=True)
class Fork:
    left: Leaf | Fork
    right: Leaf | Fork

def total(t):
    match t:
        case Leaf(v):
            return v * v
        case Fork(l, r):
            return total(l) + total(r)

def made(x):
    return total(Fork(Leaf(x), Leaf(2.0 * x)))

def mixed(t, x):
    return old(t) * total(Fork(Leaf(x), Leaf(x)))
'''


def cell(number: int) -> Any:
    """The module after a cell of a notebook was run: its classes are new ones."""
    name = f"<cell {number}>"
    linecache.cache[name] = (len(CELL), None, CELL.splitlines(True), name)
    module = sys.modules["cells_of_a_notebook"] = types.ModuleType("cells_of_a_notebook")
    exec(compile(CELL, name, "exec"), module.__dict__)
    return module


def core(f: Any, *args: Any) -> str:
    return show(specialise(f, tuple(map(type_of, args)), args).program)


def test_classes_that_are_defined_anew() -> None:
    texts, modules, trees = set(), [], []
    for number in range(2):
        m = cell(number)
        tree = m.Fork(m.Leaf(1.5), m.Leaf(0.5))
        texts.add((core(m.total, tree), core(m.made, 1.5)))
        slope = pb.grad(m.total)(tree)
        assert type(slope) is m.Fork and slope.left.value == 3.0
        modules.append(m)
        trees.append(tree)
    assert len(texts) == 1
    modules[1].old = modules[0].total
    mixed = modules[1].mixed
    try:
        found = pb.jit(mixed)(trees[0], 1.5)
    except pb.PullbackError as e:
        assert "defined anew" in str(e)
    else:
        assert np.isclose(found, mixed(trees[0], 1.5))


def test_unions_and_classes_go() -> None:
    module = cell(3)
    tree = module.Fork(module.Leaf(1.5), module.Leaf(0.5))
    kind = type_of(tree)
    assert isinstance(kind, UnionK)
    union, cls = weakref.ref(kind.union), weakref.ref(module.Fork)
    assert type_of(tree) == kind
    del module, tree, kind, sys.modules["cells_of_a_notebook"]
    for _ in range(2):  # the key of a union goes when the union has gone
        gc.collect()
    assert union() is None and cls() is None


def test_kinds_made_at_once_by_several_threads() -> None:
    for number in range(10, 16):
        module = cell(number)
        tree = module.Fork(module.Leaf(1.5), module.Leaf(0.5))
        start = threading.Barrier(4, timeout=60)

        def kind(start: threading.Barrier = start, tree: Any = tree) -> Any:
            start.wait(60)
            return type_of(tree)

        with ThreadPoolExecutor(4) as pool:
            kinds = [f.result(60) for f in [pool.submit(kind) for _ in range(4)]]
        assert len(set(kinds)) == 1
