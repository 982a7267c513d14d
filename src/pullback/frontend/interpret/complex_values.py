"""Complex numbers and arrays in expressions: operators, comparisons, truth, classes.

What the operators do with real and imaginary parts is text in plain Python. Here operands become
pairs of parts, and the pairs that a text returns become complex numbers again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.types import F32, F64, I64, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret import scalars
from pullback.frontend.kinds.complex_pairs import (
    Complex,
    ComplexArray,
    Pair,
    is_complex,
    is_complex_array,
)
from pullback.frontend.kinds.values import (
    ArrayV,
    Indexed,
    Items,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library.arrays_as_numbers import only_element
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import complex_arrays as arrays
from pullback.frontend.library.text import complex_numbers as python

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_OPERATORS = {
    "+": python.add, "-": python.sub, "*": python.mul, "/": python.truediv, "**": python.pow,
}  # fmt: skip
_UNARY = {"-": python.neg, "+": python.pos}
_MOST_PRODUCTS = 100
"""Up to this size of a whole exponent Python multiplies."""


def class_of_pair(value: Value) -> type | None:
    """Return the class that a complex number or array has in Python; None: it is none."""
    if not isinstance(value, RecordV) or not issubclass(value.cls, Pair):
        return None
    if issubclass(value.cls, Complex):
        return complex
    part = value.fields["real"]
    if isinstance(part, ArrayV):
        return np.ndarray
    single = isinstance(part, Scalar) and part.type == F32
    return np.complex64 if single else np.complex128


def is_of_numpy(value: Value) -> bool:
    """Whether an operand is NumPy's, real or complex."""
    if isinstance(value, RecordV):
        return issubclass(value.cls, ComplexArray)
    return isinstance(value, ArrayV) or (isinstance(value, Scalar) and not value.py)


def is_operand(value: Value) -> bool:
    """Whether a value is a number or an array."""
    return is_complex(value) or isinstance(value, ArrayV) or scalars.is_number(value)


def of_real(run: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return a number of Python as a float, and one of NumPy, or an array, as one of reals."""
    match value:
        case Static(bool() | int() | float() as known):
            return Static(float(known))
        case Scalar() if isinstance(value.type, Real):
            return Scalar(value.atom, value.py)
        case Scalar():
            return Scalar(run.convert(value, F64, node), value.py)
        case ArrayV() if not isinstance(value.elem, Real):
            return run.call(run.attribute(value, "astype", node), (Static(float),), node)
        case _:
            return value


def parts(run: Specialiser, value: Value, node: ast.AST) -> TupleV:
    """Return the real and the imaginary part of a number or array, as a tuple."""
    if isinstance(value, RecordV) and issubclass(value.cls, Pair):
        return TupleV((value.fields["real"], value.fields["imag"]))
    return TupleV((of_real(run, value, node), Static(0.0)))


def of_parts(run: Specialiser, pair: Value, node: ast.AST) -> RecordV:
    """Return the complex number of Python that has these parts."""
    assert isinstance(pair, TupleV)
    real, imag = (
        Scalar(run.convert(x, F64, node), True) if isinstance(x, Scalar) and not x.py else x
        for x in (of_real(run, v, node) for v in pair.items)
    )
    return RecordV(Complex, {"real": real, "imag": imag})


def binop(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Compile ``left op right`` of which one is complex; None: none is, or one is no number."""
    if not is_complex(left) and not is_complex(right):
        return None
    if not is_operand(left) or not is_operand(right):
        return None
    text: Callable[..., object] | None = _OPERATORS.get(op)
    if op == "@" and is_array(left) and is_array(right):
        return run.call(Static(np.matmul), (left, right), node)
    if text is None:
        names = " and ".join(repr(_name(v)) for v in (left, right))
        reason = f"unsupported operand type(s) for {op}: {names}"
        run.refuse(node, reason, error=ArgumentTypeError)
    if is_of_numpy(left) or is_of_numpy(right):
        return _numpy_binop(run, op, left, right, node)
    x: Value = parts(run, left, node)
    y: Value = parts(run, right, node)
    if op == "**" and isinstance(right, Scalar) and not isinstance(right.type, Real):
        text, y = python.int_power, Scalar(run.convert(right, I64, node), True)
    n = _whole(right) if op == "**" else None
    found = _power(run, x, n, node) if n is not None else run_program(run, text, (x, y), node)
    return of_parts(run, found, node)


def _power(run: Run, base: Value, n: int, node: ast.AST) -> Value:
    """Return a power with a known whole exponent, by the products that Python makes."""
    product: Value = TupleV((Static(1.0), Static(0.0)))
    square, rest = base, abs(n)
    while rest:
        if rest % 2:
            product = run_program(run, python.mul, (product, square), node)
        rest //= 2
        if rest:
            square = run_program(run, python.mul, (square, square), node)
    text = python.inverse if n < 0 else python.not_too_large
    return run_program(run, text, (product,), node) if n else product


_NUMPY = {
    "+": python.add, "-": python.sub, "*": python.mul, "/": arrays.divide, "**": arrays.power,
}  # fmt: skip


def is_array(value: Value) -> bool:
    """Whether a value is an array with axes, real or complex."""
    return isinstance(value, ArrayV) or is_complex_array(value)


def _numpy_binop(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Compile ``left op right`` of which one is NumPy's."""
    x, y = numpy_parts(run, left, node, False), numpy_parts(run, right, node, False)
    n = _whole(right) if op == "**" else None
    if op in ("/", "**"):  # these choose between the parts, which gives arrays of their own type
        x, y = _beside(run, x, y, node), _beside(run, y, x, node)
    if n is None:
        found = run_program(run, _NUMPY[op], (x, y), node)
    else:
        found = _numpy_power(run, x, n, node)
    return numpy_pair(run, found, node)


def _beside(run: Run, pair: TupleV, other: TupleV, node: ast.AST) -> TupleV:
    """Return the parts of a number of Python as numbers of the type of those of NumPy beside it."""
    like = other.items[0]
    if not is_of_numpy(like) or any(is_of_numpy(v) for v in pair.items):
        return pair
    t = like.elem if isinstance(like, ArrayV) else run.scalar(like, node).type
    return TupleV(tuple(Scalar(run.convert(v, t, node), False) for v in pair.items))


def _numpy_power(run: Run, base: Value, n: int, node: ast.AST) -> Value:
    """Return a power with a known whole exponent, by products."""
    product: Value | None = None
    square, rest = base, abs(n)
    while rest:
        if rest % 2:
            both = (product or square, square)
            product = square if product is None else run_program(run, python.mul, both, node)
        rest //= 2
        if rest:
            square = run_program(run, python.mul, (square, square), node)
    if product is None:
        return run_program(run, arrays.ones, (base,), node)
    return run_program(run, arrays.reciprocal, (product,), node) if n < 0 else product


def numpy_parts(run: Specialiser, value: Value, node: ast.AST, strong: bool) -> TupleV:
    """Return the parts of an operand of NumPy. ``strong``: a number of Python is one of NumPy of
    its own type; else it takes the type of the arrays beside it."""
    real, imag = parts(run, value, node).items
    if isinstance(real, ArrayV) and not isinstance(imag, ArrayV):
        imag = run.call(Static(np.zeros_like), (real,), node)
    if isinstance(real, ArrayV):
        return TupleV((real, imag))
    if isinstance(value, RecordV) and issubclass(value.cls, ComplexArray):
        return TupleV((real, imag))
    if strong or is_of_numpy(value):
        return TupleV(_of_one_type(run, real, imag, node))
    return TupleV((real, imag))


def _of_one_type(
    run: Specialiser, real: Value, imag: Value, node: ast.AST
) -> tuple[Value, Value]:
    """Return two numbers as numbers of NumPy of one type."""
    numbers = [run.scalar(v, node) for v in (real, imag)]
    single = any(n.type == F32 for n in numbers) and all(n.py or n.type == F32 for n in numbers)
    t = F32 if single else F64
    x, y = (Scalar(run.convert(n, t, node), False) for n in numbers)
    return x, y


def numpy_pair(run: Specialiser, pair: Value, node: ast.AST) -> RecordV:
    """Return the complex number or array of NumPy that has these parts: of one shape and type."""
    assert isinstance(pair, TupleV)
    real, imag = (of_real(run, v, node) for v in pair.items)
    if isinstance(real, ArrayV) and not isinstance(imag, ArrayV):
        imag = run.call(Static(np.full_like), (real, imag), node)
    elif isinstance(imag, ArrayV) and not isinstance(real, ArrayV):
        real = run.call(Static(np.full_like), (imag, real), node)
    elif not isinstance(real, ArrayV):
        real, imag = _of_one_type(run, real, imag, node)
    if isinstance(real, ArrayV) and isinstance(imag, ArrayV) and real.elem != imag.elem:
        both = [run.attribute(v, "astype", node) for v in (real, imag)]
        real, imag = (run.call(method, (Static(np.float64),), node) for method in both)
    return RecordV(ComplexArray, {"real": real, "imag": imag})


def _whole(exponent: Value) -> int | None:
    """Return an exponent that is known to be whole and not too large."""
    if isinstance(exponent, RecordV) and exponent.fields["imag"] == Static(0.0):
        exponent = exponent.fields["real"]
    known = exponent.value if isinstance(exponent, Static) else None
    if isinstance(known, (int, float)) and known == int(known) and abs(known) <= _MOST_PRODUCTS:
        return int(known)
    return None


def _name(value: Value) -> str:
    cls = class_of_pair(value)
    if cls is None:
        number = value.value if isinstance(value, Static) else 0.5
        real = isinstance(value, Scalar) and isinstance(value.type, Real)
        cls = float if real else type(number) if isinstance(value, Static) else int
    return cls.__name__


def unary(run: Run, op: str, value: RecordV, node: ast.AST) -> Value:
    """Compile ``-z`` and ``+z``."""
    if op not in _UNARY:
        reason = f"bad operand type for unary {op}: {_name(value)!r}"
        run.refuse(node, reason, error=ArgumentTypeError)
    found = run_program(run, _UNARY[op], (parts(run, value, node),), node)
    return (numpy_pair if is_of_numpy(value) else of_parts)(run, found, node)


def compare(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Compile a comparison of which one side is complex: there is ``==``, and no order."""
    if op not in ("==", "!="):
        names = " and ".join(repr(_name(v)) for v in (left, right))
        reason = f"{op!r} not supported between instances of {names}"
        run.refuse(node, reason, "compare abs(z), z.real or z.imag", error=ArgumentTypeError)
    if not is_operand(left) or not is_operand(right):
        return Static(op == "!=")
    if is_of_numpy(left) or is_of_numpy(right):
        pairs = [numpy_parts(run, v, node, False) for v in (left, right)]
        return run_program(run, arrays.equal if op == "==" else arrays.not_equal, pairs, node)
    given = parts(run, left, node), parts(run, right, node)
    found = run_program(run, python.equal, given, node)
    return found if op == "==" else run.unary("not", found, node)


def subscript(run: Run, value: RecordV, index: Value, node: ast.AST) -> Value:
    """Compile ``z[index]``."""
    if not is_array(value):
        name = f"numpy.{_name(value)}" if is_of_numpy(value) else "complex"
        run.refuse(node, f"{name!r} object is not subscriptable", error=ArgumentTypeError)
    pair = [run.subscript(part, index, node) for part in value.fields.values()]
    return RecordV(ComplexArray, dict(zip(value.fields, pair, strict=True)))


def iterate(run: Run, value: RecordV, node: ast.AST) -> Items:
    """Return the items of a complex array: complex numbers, or arrays with an axis less."""
    real, imag = (run.iterate(part, node) for part in value.fields.values())
    assert isinstance(real, Indexed) and isinstance(imag, Indexed)
    return Indexed(
        real.length, lambda i: RecordV(ComplexArray, {"real": real.at(i), "imag": imag.at(i)})
    )


def truth(run: Run, value: Value, node: ast.AST) -> Value:
    """Return ``bool(z)``."""
    if is_array(value):
        rewrite = "use np.any(z) or np.all(z)"
        own = [v for v in parts(run, value, node).items if isinstance(v, ArrayV)]
        elements = tuple(only_element(run, v, node, rewrite) for v in own)
        value = numpy_pair(run, TupleV(elements), node)
    return run_program(run, python.truth, (parts(run, value, node),), node)


__all__ = [
    "binop", "class_of_pair", "compare", "is_array", "is_of_numpy", "is_operand", "iterate",
    "numpy_pair", "numpy_parts", "of_parts", "of_real", "parts", "subscript", "truth", "unary",
]  # fmt: skip
