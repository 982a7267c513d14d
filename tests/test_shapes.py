"""A kind of data is one class: here ``collections.deque``, with all that crosses the boundary. And
unusual values, which go in as usual ones."""

from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.code.reading import Making
from pullback.call.code.writing import Where, Writing
from pullback.call.located import located
from pullback.call.marshal import Flattener
from pullback.call.packed import conversion_of
from pullback.call.shape import Shape
from pullback.call.shapes import shape_of
from pullback.call.shapes.sequence import List
from pullback.call.space import Space
from pullback.frontend.kinds.kinds import ListK
from pullback.frontend.python import pytypes
from pullback.frontend.python.pytypes import register, type_of
from pullback.native.pyabi import LIST_ITEMS, TUPLE_SIZE


@dataclass(frozen=True, slots=True)
class DequeK(ListK):
    """A deque: a list for the compiler."""


class Deque(List, of=DequeK):
    """The shape of a deque: its items go through a list."""

    direct = False

    def _tree(self, counted):
        return None

    def items(self, value):
        if type(value) is not deque:
            raise self.mismatch(value)
        return tuple(value)

    def made(self, parts, like=None):
        return deque(parts)

    def given(self, given, count, what):
        return super().given(list(given) if type(given) is deque else given, count, what)

    def read(self, w: Writing, obj: str, where: Where):
        c = w.code
        w.exactly(obj, w.names.symbol(deque))
        copy = c.call("ptr", "PySequence_List", f"ptr {obj}")
        n, size = c.load("i64", copy, TUPLE_SIZE), c.load("i64", copy, TUPLE_SIZE)
        items = w.room(c.mul(size, 8))
        with c.counting(n) as i:
            at = c.mul(i, 8)
            c.store("ptr", c.load("ptr", c.load("ptr", copy, LIST_ITEMS), at), items, at)
        c.call("void", "Py_DecRef", f"ptr {copy}")  # the deque holds them
        return n, items

    def finished(self, m: Making, made: str):
        cls = f"ptr @{m.names.symbol(deque)}"
        out = m.checked(m.code.call("ptr", "PyObject_CallOneArg", cls, f"ptr {made}"))
        m.code.call("void", "Py_DecRef", f"ptr {made}")
        return out


@pytest.fixture(autouse=True)
def known():
    register(deque, lambda value: DequeK(type_of(list(value)).elem))
    yield
    del pytypes._FAST[deque]


def squares(rows, scale):
    return scale * sum(x * x for row in rows for x in row)


ROWS = deque([[1.0, 2.0], [3.0]])
GRADIENT = deque([[4.0, 8.0], [12.0]])


def test_a_deque_is_an_argument():
    assert all(conversion_of(type_of(ROWS), space) is not None for space in Space)
    assert pb.jit(squares)(ROWS, 2.0) == 28.0
    assert pb.grad(squares, method="dual")(ROWS, 2.0) == GRADIENT
    value, (rows, scale) = pb.value_and_grad(squares, argnums=(0, 1))(ROWS, 2.0)
    assert (value, rows, scale) == (28.0, GRADIENT, 14.0)
    assert type(rows) is deque


def test_its_products():
    tangent = deque([[1.0, 0.0], [1.0]])
    for along in (tangent, [[1.0, 0.0], [1]], deque([[1, 0.0], [np.float32(1)]])):
        assert pb.jvp(squares, (ROWS, 2.0), (along, None)) == (28.0, 16.0)
    out, pullback = pb.vjp(squares, ROWS, 2.0)
    assert out == 28.0 and pullback(1.0) == (GRADIENT, 14.0)
    with pytest.raises(TypeError, match="the tangent of a list of lists of float items has its"):
        pb.jvp(squares, (ROWS, 2.0), (deque([None]), None))


def test_it_is_packed_unpacked_and_evaluated():
    assert pb.unpack(pb.pack(ROWS)) == ROWS
    assert pb.unpack(pb.grad(squares)(pb.pack(ROWS), 2.0)) == GRADIENT
    assert driver.gradient(squares, (ROWS, 2.0), (0,), "eval") == (28.0, (GRADIENT,))
    vector, unravel = pb.ravel(ROWS)
    assert vector.tolist() == [1.0, 2.0, 3.0] and unravel(vector) == ROWS


def test_errors_say_where():
    shape, wrong = shape_of(type_of(ROWS)), deque([[1.0], ["one"]])
    told = r"a str where a number is expected, at arg0\[1\]\[0\]"
    with pytest.raises(TypeError, match=told), located([shape], [wrong]):
        Flattener().leaves(shape, wrong)


def test_every_kind_has_a_shape_of_its_own():
    names = {of.__name__ for of, _ in Shape.classes}
    assert {"ScalarK", "ArrayK", "ListK", "TupleK", "RecordK", "StaticK", "UnionK", "SymbolK",
            "OptionalK", "DequeK"} <= names  # fmt: skip
    assert type(shape_of(type_of(ROWS))) is Deque


@dataclass(frozen=True)
class Row:
    values: np.ndarray
    count: int
    next: "Row | None"


@dataclass(frozen=True)
class Own(Row):
    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


def all_squares(row):
    return np.sum(row.values * row.values)


def unusual_arrays():
    shifted = np.zeros(17, np.uint8)[1:].view(np.float64)
    shifted[:] = [1.0, 2.0]
    noted = np.zeros(2, np.dtype("f8", metadata={"unit": "m"}))
    noted[:] = [1.0, 2.0]
    return shifted, noted


@pytest.mark.parametrize("array", unusual_arrays(), ids=["not aligned", "with metadata"])
def test_arrays_that_compiled_code_does_not_read_in_place(array):
    expected = np.array([2.0, 4.0])
    assert np.array_equal(pb.grad(lambda x: np.sum(x * x))(array), expected)
    assert np.array_equal(pb.grad(lambda xs: np.sum(xs[0] * xs[0]))([array])[0], expected)
    row = Row(array, 1, None)
    assert np.array_equal(pb.grad(all_squares)(row).values, expected)
    assert np.array_equal(pb.vjp(all_squares, row)[1](1.0)[0].values, expected)
    assert pb.jvp(all_squares, (row,), (Row(array, None, None),)) == (5.0, 10.0)
    assert pb.jit(all_squares)(pb.pack(row)) == 5.0


def test_ints_of_more_than_64_bits_in_nodes():
    with pytest.raises(OverflowError, match="too large to convert to a 64-bit integer"):
        pb.jit(lambda row: 2 * row.count)(Row(np.ones(1), 1 << 70, None))


def test_packed_data_of_classes_that_are_not_plain_is_a_copy():
    array = np.ones(2)
    packed = pb.pack(Own(array, 1, None))
    array[:] = 5.0
    assert np.array_equal(pb.unpack(packed).values, np.ones(2))
