"""Classes that are not plain: their values cross the boundary as stand-ins. And kinds of data that
compiled code reads however many members, classes or parts they have."""

import enum
import linecache
from dataclasses import dataclass, make_dataclass
from typing import NamedTuple

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.packed import conversion_of
from pullback.call.space import Space
from pullback.frontend.python.pytypes import type_of


@dataclass(frozen=True)
class Seen:
    """An object whose attributes are read by a method of its own."""

    value: float
    rows: list[list[float]]
    next: "Seen | None"

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


class Bare(NamedTuple):
    x: float
    y: np.ndarray


class Wrapped(Bare):
    __slots__ = ()

    def __getattribute__(self, name):
        return tuple.__getattribute__(self, name)


def total(s):
    out = 0.0
    while s is not None:
        out += s.value * s.value
        for row in s.rows:
            for x in row:
                out += x * s.value
        s = s.next
    return out


def scaled(s, c):
    return None if s is None else Seen(s.value * c, [[x * c for x in row] for row in s.rows],
                                       scaled(s.next, c))  # fmt: skip


def parts(s):
    return None if s is None else (s.value, s.rows, parts(s.next))


DATA = Seen(1.0, [[1.0, 2.0], []], Seen(2.0, [[3.0]], None))


def test_gradients_of_a_class_that_is_not_plain():
    assert not conversion_of(type_of(DATA), Space.FORWARD).by_itself
    expected = (5.0, [[1.0, 1.0], []], (7.0, [[2.0]], None))
    for method in ("chad", "dual"):
        found = pb.grad(total, method=method)(DATA)
        assert type(found) is Seen and parts(found) == expected
    assert pb.jit(total)(DATA) == total(DATA)
    packed = pb.pack(DATA)
    assert parts(pb.unpack(packed)) == parts(DATA)
    assert parts(pb.unpack(pb.grad(total)(packed))) == expected
    assert parts(driver.gradient(total, (DATA,), (0,), "eval")[1][0]) == expected


def test_its_results_and_products():
    assert parts(pb.jit(scaled)(DATA, 2.0)) == (2.0, [[2.0, 4.0], []], (4.0, [[6.0]], None))
    tangent = Seen(1.0, [[0.0, 1.0], []], None)
    value, along = pb.jvp(scaled, (DATA, 2.0), (tangent, 0.5))
    assert type(along) is Seen and parts(value) == parts(scaled(DATA, 2.0))
    assert parts(along) == (2.5, [[0.5, 3.0], []], (1.0, [[1.5]], None))
    out, pullback = pb.vjp(scaled, DATA, 2.0)
    back, c = pullback(out)
    assert parts(out) == parts(scaled(DATA, 2.0))
    assert parts(back) == parts(scaled(DATA, 4.0))
    assert c == 2.0 * (1.0 + 1.0 + 4.0 + 4.0 + 9.0)
    back, c = pullback(Seen(1, None, None))  # in another form
    assert parts(back) == (2.0, [[0.0, 0.0], []], (0.0, [[0.0]], None)) and c == 1.0


def test_what_is_shared_stays_shared():
    @dataclass(frozen=True)
    class Fork:
        left: "Seen | None"
        right: "Seen | None"

    shared = Seen(3.0, [], None)
    f = lambda t: total(t.left) + 2.0 * total(t.right)
    found = pb.grad(f)(Fork(shared, shared))
    assert found.left is found.right and found.left.value == 18.0


def test_a_named_tuple_that_is_not_plain():
    data = [Wrapped(2.0, np.ones(3)), Wrapped(3.0, np.arange(2.0))]
    found = pb.grad(lambda ps: sum(p.x * np.sum(p.y) for p in ps))(data)
    assert [type(p) for p in found] == [Wrapped, Wrapped] and [p.x for p in found] == [3.0, 1.0]
    assert np.array_equal(found[0].y, np.full(3, 2.0))


def test_wrong_values_are_refused_with_their_place():
    for wrong in (Seen("1", [], None), Seen(1.0, [[1.0], 2.0], None)):
        with pytest.raises(TypeError):
            pb.grad(total)(wrong)
    loop = Seen(1.0, [], None)
    object.__setattr__(loop, "next", loop)
    with pytest.raises(ValueError, match="contains itself"):
        pb.grad(total)(loop)
    with pytest.raises(TypeError):
        pb.vjp(scaled, DATA, 2.0)[1](1.0)


Many = enum.Enum("Many", [f"M{k}" for k in range(100)])


@dataclass(frozen=True)
class Marked:
    mark: Many
    value: float
    next: "Marked | None"


def marks(m):
    out = 0.0
    while m is not None:
        out += m.value if m.mark is Many.M77 else 2.0 * m.value
        m = m.next
    return out


def last(m):
    return m if m.next is None else last(m.next)


def test_an_enumeration_of_many_members():
    data = Marked(Many.M77, 1.0, Marked(Many.M99, 2.0, Marked(Many.M0, 3.0, None)))
    assert conversion_of(type_of(data), Space.FORWARD).by_itself
    assert pb.jit(marks)(data) == 11.0
    assert pb.jit(last)(data) == Marked(Many.M0, 3.0, None)
    assert pb.grad(marks)(data).next.value == 2.0


def test_more_unions_than_the_low_bits_of_an_address_tell():
    classes = []
    for k in range(17):
        fields = [("value", float), ("next", f"C{k} | None")]
        cls = make_dataclass(f"C{k}", fields, frozen=True)
        globals()[f"C{k}"] = cls
        cls.__module__ = __name__
        classes.append(cls)
    shared = [cls(1.0 + k, None) for k, cls in enumerate(classes)]
    data = [(cls(2.0, one), one) for cls, one in zip(classes, shared)]
    terms = (f"p[{k}][0].value * p[{k}][0].next.value + p[{k}][1].value" for k in range(17))
    text = " + ".join(terms)
    source, names = f"def loss(p):\n    return {text}\n", {}
    linecache.cache["<many>"] = (len(source), None, source.splitlines(True), "<many>")
    exec(compile(source, "<many>", "exec"), names)
    found = pb.grad(names["loss"])(tuple(data))
    for k, (p, q) in enumerate(found):
        assert p.next is q and p.value == 1.0 + k and q.value == 3.0


@dataclass(frozen=True)
class Tree:
    value: float
    both: "tuple[Tree, Tree] | None"


def sum_of(t):
    out = t.value
    if t.others is not None:
        for other in t.others:
            out += sum_of(other) * t.value
    return out


def test_nodes_in_an_optional_part():
    leaf = Tree(2.0, None)
    for data in (leaf, Tree(3.0, (leaf, leaf))):  # no node stands for None
        with pytest.raises(NotImplementedError, match="None in place of a node"):
            pb.grad(lambda t: t.value)(data)


@dataclass(frozen=True)
class Rose:
    value: float
    others: "list[Rose] | None"


def test_a_list_of_nodes_that_may_be_none():
    data = Rose(3.0, [Rose(2.0, None), Rose(5.0, [])])
    assert conversion_of(type_of(data), Space.FORWARD).by_itself
    assert pb.grad(sum_of)(data) == Rose(8.0, [Rose(3.0, None), Rose(3.0, [])])
    assert driver.gradient(sum_of, (data,), (0,), "eval")[1][0] == pb.grad(sum_of)(data)
    assert pb.jvp(sum_of, (data,), (data,)) == (24.0, 3.0 + 2.0 * 21.0)
