"""Inputs are of exactly the classes whose behaviour is compiled; anything else is refused by name,
argument and place, also where it is captured, in every operator and in both tiers."""

from __future__ import annotations

import enum
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.request import Request, What


class Metres(float):
    """Without a behaviour of its own, but another class to isinstance."""


class Loud(float):
    def __mul__(self, other: object) -> Any:
        return 99.0


class Count(int):
    pass


class Pair(tuple[float, ...]):
    pass


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(NamedTuple):
    x: float
    y: float


@dataclass(frozen=True)
class Leaf:
    value: float
    weights: np.ndarray


@dataclass(frozen=True)
class Node:
    left: Leaf | Node
    right: Leaf | Node


@dataclass(frozen=True)
class Model:
    scale: float
    steps: int = 1
    parts: tuple[float, ...] = ()


MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
RECORDS = np.ones(3).view(np.recarray)
ONES = np.ones(3)


def squares(a):
    return (a * a).sum()


def square(x):
    return x * x


def first(xs):
    return xs[0] * 2.0


def total(t):
    match t:
        case Leaf(value, weights):
            return value * value + weights.sum()
        case Node(left, right):
            return total(left) + total(right)


SUBCLASSES = [
    (squares, np.matrix([[1.0, 2.0]]), "a matrix", "np.asarray"),
    (squares, RECORDS, "a recarray", "np.asarray"),
]


@pytest.mark.parametrize(("f", "value", "name", "rewrite"), SUBCLASSES)
def test_a_subclass_is_refused(f, value, name, rewrite):
    """The error has name and argument, in each operator; a call that fitted before changes
    nothing."""
    message = rf"{name}: .*at arg0\n.*Instead: .*{rewrite}"
    for call in (pb.jit(f), pb.grad(f), pb.value_and_grad(f), lambda v: pb.vjp(f, v), pb.pack,
                 pb.ravel, lambda v: pb.cost(f, v)):  # fmt: skip
        with pytest.raises(TypeError, match=message):
            call(value)
    with pytest.raises(TypeError, match=message):
        driver.call(f, (value,), Request(What.VALUE), "eval")
    if not isinstance(value, int):
        with pytest.raises(TypeError, match=name):
            pb.jvp(f, (value,), (value,))


def test_the_second_argument_and_places_inside():
    def f(x, data):
        return x * data[1]["a"].sum()

    with pytest.raises(TypeError, match=r"a recarray: .*at arg1\[1\]\['a'\]"):
        pb.jit(f)(1.0, (2.0, {"a": RECORDS}))
    tree = Node(Leaf(1.0, ONES), Leaf(2.0, ONES))
    compiled, gradient = pb.jit(total), pb.grad(total)
    assert compiled(tree) == 11.0
    for bad, place in (
        (Node(tree, Leaf(Loud(1.0), ONES)), r"a Loud: .*at arg0\.right\.value"),
        (Node(tree, Leaf(1.0, RECORDS)), r"a recarray: .*at arg0\.right\.w"),
        (Node(Leaf("a", ONES), tree), r"a str where a number is expected, at arg0\.left\.value"),
    ):  # fmt: skip
        for call in (compiled, gradient, pb.ravel, pb.pack):
            with pytest.raises(TypeError, match=place):
                call(bad)
    gradient(tree)


def test_after_a_call_that_fitted():
    for call in (pb.jit(squares), pb.grad(squares), pb.value_and_grad(squares)):
        call(ONES)
        with pytest.raises(TypeError, match="at arg0"):
            call(RECORDS)
        call(ONES)
    for direction in (pb.vjp(squares, ONES)[1], lambda t: pb.jvp(squares, (ONES,), (t,))):
        for other, name in ((MASKED, "a MaskedArray"), (RECORDS, "a recarray")):
            with pytest.raises(TypeError, match=name):
                direction(other)


def test_numbers_and_tuples_of_classes_derived_from_pythons():
    """They behave as their classes say, in a call after one that fitted without them."""
    compiled, gradient = pb.jit(square), pb.grad(square)
    for _ in range(2):
        assert (compiled(2.0), gradient(2.0)) == (4.0, 4.0)
        assert (compiled(Loud(2.0)), gradient(Loud(2.0))) == (99.0, 0.0)
        assert (compiled(Metres(2.0)), gradient(Metres(2.0))) == (4.0, 4.0)
        assert compiled(Count(2)) == 4
        assert pb.jit(first)(Pair((1.0, 2.0))) == first((1.0, 2.0))
    assert pb.grad(first)(Pair((1.0, 2.0))) == pb.grad(first)((1.0, 2.0))
    with pytest.raises(TypeError, match="a Count: it has no real number"):
        pb.grad(square)(Count(2))
    for direction in (pb.vjp(square, 2.0)[1], lambda t: pb.jvp(square, (2.0,), (t,))):
        with pytest.raises(TypeError, match="a Loud"):
            direction(Loud(1.0))


loud, louds, records, nested = Loud(3.0), [1.0, Loud(2.0)], RECORDS, {"a": (1.0, RECORDS)}
model = Model(Metres(1.0))


def with_default(x, k=Loud(2.0)):  # noqa: B008  # made once
    return x * k + k * x


def derived():
    inside = Loud(3.0)
    return [
        lambda x: x * loud + loud * x, lambda x: x * louds[1] + louds[1] * x,
        lambda x: x * inside + inside * x, with_default,
    ]  # fmt: skip


@pytest.mark.parametrize("f", derived())
def test_captured_numbers_of_derived_classes(f):
    """The product from the left is the float's own, that from the right its method's."""
    assert pb.jit(f)(2.0) == f(2.0) > 99.0
    assert pb.grad(f)(2.0) == pytest.approx((f(2.5) - f(1.5)) / 1.0)


def captured():
    return [
        (lambda x: (x * records).sum(), "global 'records': a recarray"),
        (lambda x: (x * nested["a"][1]).sum(), "global 'nested', .*: a recarray"),
        (lambda x: x * model.scale, "global 'model': a Metres in the field 'scale' of Model"),
    ]


@pytest.mark.parametrize(("f", "message"), captured())
def test_captured(f, message):
    for call in (pb.jit(f), pb.grad(f)):
        with pytest.raises(TypeError, match=message):
            call(2.0)


changing = (1.0, 2.0)


def test_a_capture_that_becomes_one():
    global changing

    def f(x):
        return x * changing[1]

    compiled = pb.jit(f)
    assert compiled(3.0) == 6.0
    changing = Pair((1.0, 5.0))
    assert compiled(3.0) == 15.0
    changing = (1.0, 2.0)


def test_what_is_a_value_of_its_own():
    """Enumerations, named tuples, bools and NumPy's numbers are no subclasses to refuse."""
    assert pb.jit(lambda x: x if sys.version_info >= (3, 0) else -x)(2.0) == 2.0
    assert pb.jit(lambda x, n: x * n)(2.0, Level.HIGH) == 4.0
    assert pb.jit(lambda p: p.x * p[1])(Point(2.0, 3.0)) == 6.0
    assert pb.jit(lambda b: b * 2)(True) == 2
    assert pb.grad(square)(np.float64(3.0)) == 6.0


def test_memory_maps(tmp_path):
    """A memory map is the array that it shows."""
    path = tmp_path / "data"
    ONES.tofile(path)
    mapped = np.memmap(path, dtype=np.float64, mode="r")
    assert pb.jit(squares)(mapped) == 3.0


@pytest.mark.parametrize(
    "value",
    [[3, 2.0], [2.0, 3], [True, 2], [1.0, np.float64(2.0)], [[1.0], [2]], [(1, 2.0), (1.0, 2.0)],
     [Model(1), Model(2.0)], [None, 1, 2.0]],
)  # fmt: skip
def test_lists_of_numbers_of_several_classes(value):
    """An int among floats does not become a float: isinstance and // would not be Python's. Such a
    list is data, whose items are known one by one."""

    def first(xs):
        return 1.0 if isinstance(xs[0], int) else 2.0

    def classes(xs, pair):
        return [[isinstance(x, k) for k in (bool, int, float, np.float64)] for x in xs + pair[0]]

    assert pb.jit(first)(value) == first(value)
    assert pb.jit(classes)(value, (value, 2.0)) == classes(value, (value, 2.0))
    assert pb.grad(lambda x, xs: x * x)(3.0, value) == 6.0
    long = value * 40
    with pytest.raises(TypeError, match=r"more than 64 of them must be of one type, at arg0"):
        pb.jit(first)(long)
    with pytest.raises(TypeError, match=r"at arg1\[0\]"):
        pb.jit(lambda x, pair: x)(1.0, (long, 2.0))


MIXED = [
    lambda xs: sum(x * x for x in xs),
    lambda xs: [x // 2 for x in xs] + [x / 2 for x in xs],
    lambda xs: sum(xs[i] * xs[-1 - i] for i in range(len(xs))),
    lambda xs: [xs[i] ** i for i in range(len(xs))],
    lambda xs: sum(xs) / len(xs) + (max(xs) - min(xs)),
    lambda xs: np.sum(np.array(xs) * 2),
    lambda xs: [x for x in xs if isinstance(x, int)],
    lambda xs: {k: x for k, x in enumerate(xs)},
    lambda xs: xs[::-1] + [7],
]


@pytest.mark.parametrize("k", range(len(MIXED)))
@pytest.mark.parametrize("xs", [[1, 2.5, 3.0], [2.5, 2, 2**31 + 1], [1.5, 2, -0.0]])
def test_lists_of_ints_and_floats(k, xs):
    """Values and classes are Python's."""
    wanted, found = MIXED[k](xs), pb.jit(MIXED[k])(xs)
    assert repr(found) == repr(wanted)


def test_ints_among_floats_have_no_derivatives():
    for xs in ([1, 2.5, 3.0], [(1, 2.5), (1.5, 2.0)], [[1.0, 2], 3.0]):
        with pytest.raises(TypeError, match=r"argument 0 has ints among floats \(a list of"):
            pb.grad(lambda xs: 1.0 * len(xs))(xs)
        slope = pb.grad(lambda xs, s: s * s * len(xs), argnums=1)(xs, 3.0)
        assert slope == 6.0 * len(xs)


def test_lists_that_are_alike():
    assert pb.jit(lambda xs: len(xs))([None, 1.0]) == 2
    assert pb.jit(lambda xs: sum(len(x) for x in xs))([[], [1.0]]) == 1
    assert pb.grad(lambda xs: xs[0] * xs[1])([3.0, 2.0]) == [2.0, 3.0]


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (Model("x"), r"a str in the field 'scale' of Model.*float, at arg0"),
        ((1.0, [Model(1.0, "x")]), r"a str in the field 'steps' .* at arg0\[1\]\[0\]"),
        (Model([1.0]), r"in the field 'scale' .* at arg0"),
        (Model(1.0, 1, ("a",)), r"in the field 'parts' .* at arg0"),
        (Model(square), r"in the field 'scale' .* at arg0"),
        (Model(Model(1.0)), r"in the field 'scale' .* at arg0"),
    ],
)
def test_a_field_of_another_type(value, place):
    with pytest.raises(TypeError, match=place):
        pb.jit(lambda m: m)(value)
    with pytest.raises(TypeError, match=place):
        pb.grad(lambda m, x: x, 1)(value, 1.0)


def test_fields_that_fit():
    """Numbers and arrays stand for each other, and None where a gradient has it."""
    for m in (Model(1), Model(np.ones(2)), Model(np.float32(1.0), 2), Model(1.0, None)):
        pb.jit(lambda m: m.scale * 2.0)(m)


FORTRAN = np.asfortranarray(np.arange(6.0).reshape(2, 3))
TURNED = np.arange(6.0).reshape(3, 2).T


def flattened():
    return [
        lambda x: x.ravel(), lambda x: x.ravel("C"), lambda x: x.flatten(),
        lambda x: x.reshape(6), lambda x: np.ravel(x), lambda x: np.reshape(x, -1),
        lambda x: x.copy().ravel(), lambda x: np.copy(x).reshape(-1), lambda x: x.T.ravel(),
        lambda x: x.copy(order="F").ravel(), lambda x: x[0].ravel(order="K"),
        lambda x: np.ravel(x[1], order="F"),
    ]  # fmt: skip


@pytest.mark.parametrize("f", flattened())
@pytest.mark.parametrize("x", [FORTRAN, TURNED, FORTRAN[:, ::-1], FORTRAN.copy()])
def test_orders_that_are_told(f, x):
    np.testing.assert_array_equal(pb.jit(f)(x), f(x))


def by_memory():
    return [
        lambda x: x.ravel(order="K"), lambda x: x.ravel("A"), lambda x: x.flatten(order="K"),
        lambda x: x.reshape(6, order="A"), lambda x: np.ravel(x, order="K"),
        lambda x: np.reshape(x, 6, order="A"),
    ]  # fmt: skip


@pytest.mark.parametrize("f", by_memory())
def test_orders_of_memory_are_refused(f):
    with pytest.raises(pb.PullbackError, match="depends on how the array lies in memory"):
        pb.jit(f)(FORTRAN)
