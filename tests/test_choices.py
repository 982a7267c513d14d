"""Optional numbers, strings and members of enumerations cross the boundary by compiled code."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.packed import conversion_of
from pullback.call.space import Space
from pullback.frontend.python.pytypes import type_of
from tests.test_boundary import by_general_way, same


class Op(enum.Enum):
    ADD = "+"
    SCALE = "*"


@dataclass(frozen=True)
class Link:
    op: Op
    name: str
    weight: float | None
    place: tuple[float, int] | None
    rest: Link | None


def chain(n, name="x"):
    made = None
    for k in range(n):
        weight = None if k % 3 == 0 else 0.5 + k
        place = None if k % 2 else (1.0 + k, k)
        made = Link(list(Op)[k % 2], f"{name}{k % 4}", weight, place, made)
    return made


def total(link, a):
    out = 1.0
    while link is not None:
        weight = 1.0 if link.weight is None else link.weight
        if link.name == "x1":
            weight = weight * a
        out = out + weight if link.op is Op.ADD else out * weight
        if link.place is not None:
            out += link.place[0] * link.place[1]
        link = link.rest
    return out


def doubled(link):
    if link is None:
        return None
    twice = None if link.weight is None else 2.0 * link.weight
    return Link(link.op, link.name, twice, link.place, doubled(link.rest))


def nodes(link):
    while link is not None:
        yield link
        link = link.rest


def test_there_is_compiled_code():
    kind = type_of(chain(3))
    assert all(conversion_of(kind, space) is not None for space in Space)


def test_gradients_have_none_where_there_is_no_number():
    data = chain(8)
    value, (found, _) = pb.value_and_grad(total, argnums=(0, 1))(data, 0.7)
    assert value == total(data, 0.7)
    h = 1e-6
    for part, given in zip(nodes(found), nodes(data), strict=True):
        assert part.op is None and part.name is None
        assert (part.weight is None) == (given.weight is None)
        if given.place is None:
            assert part.place is None
        else:
            assert part.place[1] is None and isinstance(part.place[0], float)
    up, down = (pb.jit(total)(data, 0.7 + s) for s in (h, -h))
    assert pb.grad(total, argnums=1)(data, 0.7) == pytest.approx((up - down) / (2 * h), rel=1e-6)


def test_results_packed_data_and_tangents():
    data = chain(6)
    assert pb.jit(doubled)(data) == doubled(data)
    assert pb.unpack(pb.pack(data)) == data
    assert pb.grad(total)(pb.pack(data), 0.3) is not None
    _, pullback = pb.vjp(doubled, data)
    (cotangent,) = pullback(pb.grad(total)(data, 0.3))
    given = [x.weight for x in nodes(pb.grad(total)(data, 0.3))]
    assert [x.weight for x in nodes(cotangent)] == [None if g is None else 2 * g for g in given]
    tangent = pb.grad(total)(data, 0.3)
    _, forward = pb.jvp(doubled, (data,), (tangent,))
    assert [x.weight for x in nodes(forward)] == [None if g is None else 2 * g for g in given]


def test_new_strings_and_wrong_values():
    f = pb.jit(total)
    assert f(chain(4), 0.5) == total(chain(4), 0.5)
    assert f(chain(4, "never met before "), 0.5) == total(chain(4, "y"), 0.5)
    for wrong in (
        Link("+", "x", None, None, None),
        Link(Op.ADD, 3, None, None, None),
        Link(Op.ADD, "x", "1.0", None, None),
        Link(Op.ADD, None, None, None, None),
    ):
        with pytest.raises(TypeError):
            f(wrong, 0.5)


@dataclass(frozen=True)
class Layer:
    array: np.ndarray | None
    numbers: list[float] | None
    rows: list[list[float]] | None
    weight: float
    rest: Layer | None


def layers_sum(t):
    if t is None:
        return 0.0
    s = t.weight + 2.0 * layers_sum(t.rest)
    if t.array is not None:
        s += np.sum(t.array * t.array)
    if t.numbers is not None:
        for x in t.numbers:
            s += x * x * x
    if t.rows is not None:
        for row in t.rows:
            for x in row:
                s += t.weight * x
    return s


def layers():
    last = Layer(None, None, [[1.0], [2.0, 3.0]], 3.0, None)
    return Layer(None, [1.0, 2.0], None, 1.0, Layer(np.arange(3.0), None, None, 2.0, last))


def test_arrays_and_lists_that_may_be_none():
    t = layers()
    for space in Space:
        assert conversion_of(type_of(t), space) is not None
    assert pb.jit(layers_sum)(t) == pytest.approx(layers_sum(t))
    found = pb.grad(layers_sum)(t)
    assert same(found, by_general_way(layers_sum, t))
    assert same(found.numbers, [3.0, 12.0])
    assert found.array is None
    assert found.rest.rest.rows == [[12.0], [12.0, 12.0]]
    assert same(pb.unpack(pb.pack(t)), t)
    again = pb.jit(lambda t: Layer(t.array, t.numbers, t.rows, 2.0 * t.weight, t.rest))(t)
    assert again.weight == 2.0
    assert same(again.rest, t.rest)
    along = Layer(None, [1.0, 0.0], None, 1.0, Layer(np.ones(3), None, None, 0.0, None))
    assert pb.jvp(layers_sum, (t,), (along,))[1] == 1.0 + 3.0 + 2.0 * 6.0
    assert same(pb.vjp(layers_sum, t)[1](1.0)[0], found)


def test_a_list_of_arrays_and_none():
    def total(xs):
        s = 0.0
        for x in xs:
            if x is not None:
                s += np.sum(x * x)
        return s

    xs = [np.arange(3.0), None, np.ones(2)]
    found = pb.grad(total)(xs)
    assert same(found, [np.array([0.0, 2.0, 4.0]), None, np.array([2.0, 2.0])])
    assert same(found, by_general_way(total, xs))


@dataclass(frozen=True)
class Weighted:
    value: float
    weight: float | None
    pair: tuple[float, ...] | None
    next: Weighted | None


def weighted(x):
    s = 0.0
    while x is not None:
        if x.weight is not None:
            s += x.value * x.weight
        x = x.next
    return s


def test_tangents_of_optional_numbers_in_an_unusual_form():
    chain = Weighted(2.0, 3.0, None, Weighted(5.0, None, None, None))
    out, pullback = pb.vjp(lambda x: Weighted(x, 3.0 * x, None, None), 1.0)
    assert out == Weighted(1.0, 3.0, None, None)
    for one in (1.0, 1, np.int64(1), np.array(1.0)):
        assert pb.jvp(weighted, (chain,), (Weighted(0.0, one, None, None),)) == (6.0, 2.0)
        assert pullback(Weighted(0.0, one, None, None)) == (3.0,)
    with pytest.raises(TypeError, match=r"is a number, not a str, at tangent\.weight"):
        pb.jvp(weighted, (chain,), (Weighted(0.0, "one", None, None),))


def test_optional_tuples_of_any_length_are_tuples_in_both_tiers():
    chain = Weighted(2.0, 3.0, (1.0, 2.0), None)
    for tier in ("native", "eval"):
        assert driver.run(lambda x: [x], (chain,), tier) == [chain]
