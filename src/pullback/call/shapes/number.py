"""Numbers and truth values: Python's and NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from pullback.call import given as tangent_of
from pullback.call.code.reading import Making, Reading, Source, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.given import Normal, What, placed
from pullback.call.shape import Leaves, Made, NodeOf, Part, Shape
from pullback.call.trees import Form, Writer, scalar_leaf
from pullback.core.types import Bool, Int, Real, Type
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.kinds import ScalarK
from pullback.frontend.python.exact import exact_int, require_exact
from pullback.lower.loopcode import Ty
from pullback.lower.values import machine
from pullback.native import Nothing, PyBool, Tree
from pullback.native.builder import Code, increment
from pullback.native.pyabi import FLOAT_VALUE, OB_TYPE, SCALAR_VALUE
from pullback.native.text import memory_type

_NUMPY: dict[Type, Callable[..., object]] = {
    Real(64): np.float64,
    Real(32): np.float32,
    Int(64): np.int64,
    Int(32): np.int32,
    Bool(): np.bool_,
}


class Number(Shape):
    """A number of exactly one class: Python's (``py``) or NumPy's."""

    leaf = atomic = True

    def __init__(self, kind: ScalarK, declared: object) -> None:
        super().__init__(kind)
        self.type, self.py = kind.type, kind.py
        self.ty = machine(kind.type)
        self.real = isinstance(kind.type, Real)
        self.may_be_int = kind.may_be_int
        self.one_leaf = self.py and not self.may_be_int
        self.is_float = self.one_leaf and self.ty is Ty.F64

    def leaf_types(self) -> Iterator[Type]:
        yield self.type
        if self.may_be_int:
            yield Bool()

    # --- values and leaves ---

    def number(self, value: object) -> object:
        """The leaf of a value, which is any number that can be this one."""
        require_exact(value)
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if isinstance(value, np.complexfloating):
            raise ArgumentTypeError("a complex number where a real one is expected")
        match self.type:
            case Real(bits) if isinstance(value, (int, float, np.number, np.bool_)):
                return float(value) if bits == 64 else np.float32(value)
            case Int() if isinstance(value, (int, np.integer, np.bool_)):
                return int(value)
            case Bool() if isinstance(value, (bool, np.bool_)):
                return bool(value)
            case t:
                word = {Real: "a number", Int: "an int", Bool: "a bool"}[type(t)]
                raise ArgumentTypeError(f"a {type(value).__name__} where {word} is expected")

    def inside(self, value: object) -> Sequence[Part]:
        self.number(value)
        return ()

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return like

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        out.append(self.number(value))

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        leaf = next(leaves)
        if self.may_be_int and next(leaves) and not gradient:
            return exact_int(leaf)
        if gradient and not self.real:
            return None
        if not self.py:
            return _NUMPY[self.type](leaf)
        match self.type:
            case Real():
                return float(leaf)  # type: ignore[arg-type]  # a number
            case Int():
                return int(leaf)  # type: ignore[call-overload]  # a number
            case Bool():
                return bool(leaf)

    # --- tangents ---

    def tangent(self, given: object, what: What) -> object:
        """The tangent of a real number."""
        assert isinstance(self.type, Real)
        return tangent_of.number(self.type, given, what)

    def tangents(self, leaves: Leaves, given: object, what: What, out: list[object]) -> None:
        next(leaves)
        out.append(self.tangent(given, what) if self.real else None)

    def root_numbers(self, given: object, what: What) -> Iterator[object]:
        if self.real:
            yield self.tangent(given, what)

    def normal(self, value: object, given: object, made: Normal, where: str) -> object:
        if given is None or not self.real:
            return None
        with placed(where):
            return self.tangent(given, made.what)

    # --- entry points ---

    @property
    def direct(self) -> bool:
        return True

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        return scalar_leaf(self.type, self.py), at

    def result_form(self) -> Form | None:
        number = scalar_leaf(self.type, self.py)
        return Form((number, PyBool()), _seen) if self.may_be_int else Form(number)

    def gradient_form(self) -> Form | None:
        return Form(scalar_leaf(self.type, self.py) if self.real else Nothing())

    def tangent_argument(
        self, w: Writer, at: str, sizes: Iterator[str]
    ) -> tuple[Tree, str] | None:
        if self.real:
            return scalar_leaf(self.type, self.py), at
        w.check(f"{at} is None")
        return None

    # --- compiled conversions ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        (slot,), near = next(slots)
        w.code.store(memory_type(self.ty), self._read(w, obj, where), slot)
        if near and w.dual:
            value = w.code.load("double", _given_number(w.code, where.tangent))
            if self.ty is Ty.F32:
                value = w.code.let(f"fptrunc double {value} to float")
            w.code.store(memory_type(self.ty), value, near[0])
        elif near:
            w.code.store("i64", w.new_ids("1"), near[0])

    def _read(self, w: Writing, obj: str, where: Where) -> str:
        c = w.code
        if not self.py:
            w.exactly(obj, f"pb_np_{self.ty.value}")
            return c.load(memory_type(self.ty), obj, SCALAR_VALUE)
        match self.ty:
            case Ty.F64 if where.in_node:
                ty = c.load("ptr", obj, OB_TYPE)
                is_float, is_numpy = c.same(ty, "@pb_float"), c.same(ty, "@pb_np_f64")
                return c.choose(
                    c.let(f"or i1 {is_float}, {is_numpy}"),
                    lambda: c.load("double", obj, FLOAT_VALUE),
                    lambda: c.let(f"sitofp i64 {_integer(w, obj)} to double"),
                    "double",
                )
            case Ty.F64:
                w.exactly(obj, "pb_float")
                return c.load("double", obj, FLOAT_VALUE)
            case Ty.I64:
                return _integer(w, obj)
            case _:
                yes, no = c.same(obj, "@pb_true"), c.same(obj, "@pb_false")
                c.need(c.let(f"or i1 {yes}, {no}"), "fail")
                return c.let(f"zext i1 {yes} to i8")

    def decode(self, m: Making, sources: Sources) -> str:
        source, c = next(sources), m.code
        if self.may_be_int:
            told = c.load("i8", next(sources).words[0])
            if m.reading is Reading.VALUE:
                return c.choose(
                    c.let(f"icmp ne i8 {told}, 0"), lambda: self._int(m, source.words[0]),
                    lambda: self._boxed(m, source.words[0]), "ptr",
                )  # fmt: skip
        if m.reading is Reading.VALUE:
            return self._boxed(m, source.words[0])
        if not self.real:
            return increment(c, "@pb_none")
        if m.reading is Reading.TANGENT:
            return self._boxed(m, source.beside[0])
        if source.given:
            return self._boxed(m, source.given[0])
        if not source.object:
            return self._boxed(m, self._real(c, source))
        if self.py or self.ty is Ty.F32:
            return increment(c, source.object)
        return self._boxed(m, c.at(source.object, FLOAT_VALUE))

    def _real(self, c: Code, source: Source) -> str:
        """The address of a cotangent of this type."""
        if source.ty is self.ty:
            return source.real
        short = c.slot("float")
        c.store("float", c.let(f"fptrunc double {c.load('double', source.real)} to float"), short)
        return short

    def _int(self, m: Making, address: str) -> str:
        """The int that a float is in Python."""
        c, number = m.code, self._boxed(m, address)
        function = m.names.symbol(exact_int)
        made = c.call("ptr", "PyObject_CallOneArg", f"ptr @{function}", f"ptr {number}")
        c.call("void", "Py_DecRef", f"ptr {number}")
        return m.checked(made)

    def _boxed(self, m: Making, address: str) -> str:
        c, ty = m.code, self.ty
        if not self.py:
            descr = f"ptr @pb_descr_{ty.value}"
            return m.checked(c.call("ptr", "PyArray_Scalar", f"ptr {address}", descr, "ptr null"))
        value = c.load(memory_type(ty), address)
        match ty:
            case Ty.F64:
                return m.checked(c.call("ptr", "PyFloat_FromDouble", f"double {value}"))
            case Ty.I64:
                return m.checked(c.call("ptr", "PyLong_FromLongLong", f"i64 {value}"))
            case _:
                yes = c.let(f"icmp ne i8 {value}, 0")
                return increment(c, c.let(f"select i1 {yes}, ptr @pb_true, ptr @pb_false"))

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        cell, c = next(sources).real, m.code
        if self.real and cell:
            value = _given_number(c, given)
            total = c.let(f"fadd double {c.load('double', cell)}, {c.load('double', value)}")
            c.store("double", total, cell)


class WithoutAxes(Number):
    """An array without axes (``np.asarray(1.0)``): a NumPy number inside, and an array outside."""

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        number = super().value(leaves, made, gradient)
        return number if gradient else np.asarray(number)

    def result_form(self) -> Form | None:
        return Form(scalar_leaf(self.type, self.py), np.asarray)

    def decode(self, m: Making, sources: Sources) -> str:
        made = super().decode(m, sources)
        if m.reading is not Reading.VALUE:
            return made
        c, function = m.code, m.names.symbol(np.asarray)
        array = c.call("ptr", "PyObject_CallOneArg", f"ptr @{function}", f"ptr {made}")
        c.call("void", "Py_DecRef", f"ptr {made}")
        return m.checked(array)


def _shape(kind: ScalarK, declared: object) -> Shape:
    return (WithoutAxes if kind.rank0 else Number)(kind, declared)


Shape.classes[ScalarK, None] = _shape


def _seen(pair: object) -> object:
    """What Python sees of a float and of whether it is an int."""
    assert isinstance(pair, tuple)
    number, is_int = pair
    return exact_int(number) if is_int else number


def _given_number(c: Code, given: str) -> str:
    """The address of the double that a tangent is; None is zero."""
    cell = c.slot("double")
    c.need(c.call("i1", "pb.tangent", f"ptr {given}", f"ptr {cell}"), "fail")
    return cell


def _integer(w: Writing, obj: str) -> str:
    c = w.code
    w.exactly(obj, "pb_int")
    over = c.slot("i32")
    n = c.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {obj}", f"ptr {over}")
    c.need(c.same(c.load("i32", over), "0", "i32"), "fail")
    return n
