"""Complex numbers and arrays of them: pairs of reals.

A complex number is a record of two real numbers, a complex array one of two arrays of one shape. So
paths that meet, loops, lists, captures, derivatives and what is kept on disk treat them as they
treat every record, and behind the front end there are only reals. What operators and functions do
with the two parts is written as text (``library.text.complex_numbers``, ``complex_arrays``);
``interpret.complex_values`` calls it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from pullback.core.build import lit
from pullback.core.frozen import dataclass
from pullback.core.types import F64, Real
from pullback.frontend.kinds.kinds import RecordK, parts
from pullback.frontend.kinds.plain_kinds import (
    ArrayK,
    Kind,
    ScalarK,
    StaticK,
    static_kind,
    static_scalar,
)
from pullback.frontend.kinds.values import ArrayV, RecordV, Scalar, Static, Value

if TYPE_CHECKING:
    import ast

    from pullback.frontend.kinds.values import Specialiser


class Pair:
    """A complex number, or an array of them."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Complex(Pair):
    """A ``complex`` of Python."""

    real: Any
    imag: Any


@dataclass(frozen=True, slots=True, eq=False)
class ComplexArray(Pair):
    """A complex number or array of NumPy."""

    real: Any
    imag: Any


def is_complex(value: Value) -> bool:
    """Whether a value is a complex number, or an array of them."""
    return isinstance(value, RecordV) and issubclass(value.cls, Pair)


def is_complex_array(value: Value) -> TypeGuard[RecordV]:
    """Whether a value is a complex array with axes."""
    return (
        isinstance(value, RecordV)
        and issubclass(value.cls, ComplexArray)
        and isinstance(value.fields["real"], ArrayV)
    )


def holds_pairs(kind: Kind) -> bool:
    """Whether there are complex numbers in a value of this kind."""
    own = isinstance(kind, RecordK) and issubclass(kind.cls, Pair)
    return own or any(map(holds_pairs, parts(kind)))


def of_complex(known: complex) -> RecordV:
    """Return a complex number that is known."""
    return RecordV(Complex, {"real": Static(known.real), "imag": Static(known.imag)})


def together(of: type, real: Any, imag: Any) -> object:
    """Return the complex number, or array of them, of these parts."""
    if issubclass(of, Complex):
        return complex(real, imag)
    x, y = np.asarray(real), np.asarray(imag)
    made = np.empty(x.shape, np.complex64 if x.dtype == np.float32 else np.complex128)
    made.real, made.imag = x, y
    return made if x.ndim else made[()]


def met_by(kind: Kind, of: type) -> tuple[tuple[str, Kind], ...] | None:
    """Return the fields of the kind of a complex number that another number of this kind becomes,
    where it meets one of the class ``of``; None: it becomes none. A number of Python that meets one
    of NumPy becomes one of NumPy."""
    if isinstance(kind, RecordK):
        known = issubclass(of, ComplexArray) and issubclass(kind.cls, Complex)
        return kind.fields if known else None
    number = static_scalar(kind.value) if isinstance(kind, StaticK) else kind
    if not issubclass(of, Pair) or not isinstance(number, ScalarK) or number.rank0:
        return None
    if issubclass(of, Complex) and not number.py:
        return None
    part = number.type if isinstance(number.type, Real) else F64
    zero = static_kind(0.0) if number.py else ScalarK(part, False)
    if isinstance(kind, StaticK) and isinstance(kind.value, (int, float)):
        return ("real", static_kind(float(kind.value))), ("imag", zero)
    return ("real", ScalarK(part, number.py)), ("imag", zero)


def meeting(a: Kind, b: Kind) -> tuple[Kind, Kind] | None:
    """Return the kinds of two complex numbers of one class, where one of ``a`` and ``b`` is the
    kind of such a number and the other one becomes one; None: that is not so."""
    for one, other in ((a, b), (b, a)):
        if not isinstance(one, RecordK) or has_axes(one) or has_axes(other):
            continue
        if fields := met_by(other, one.cls):
            return one, RecordK(one.cls, fields)
    return None


def has_axes(kind: Kind) -> bool:
    """Whether a value of this kind is a complex array with axes."""
    is_pair = isinstance(kind, RecordK) and issubclass(kind.cls, ComplexArray)
    return is_pair and any(isinstance(k, ArrayK) for k in parts(kind))


def is_met(value: Value, of: type) -> bool:
    """Whether a value is a number that becomes a complex one of another class."""
    if not isinstance(value, RecordV):
        return issubclass(of, Pair)
    return issubclass(of, ComplexArray) and issubclass(value.cls, Complex)


def pair_of(run: Specialiser, value: Value, of: type, node: ast.AST) -> RecordV:
    """Return a number as the complex number of the class ``of`` that it is where it meets one."""
    if isinstance(value, RecordV):
        return RecordV(of, value.fields)
    if isinstance(value, Static) and isinstance(value.value, (int, float)):
        return RecordV(of, {"real": Static(float(value.value)), "imag": Static(0.0)})
    number = run.scalar(value, node)
    part = number.type if isinstance(number.type, Real) else F64
    real = Scalar(run.convert(value, part, node), number.py)
    imag = Static(0.0) if number.py else Scalar(lit(0.0, part), False)
    return RecordV(of, {"real": real, "imag": imag})


__all__ = [
    "Complex",
    "ComplexArray",
    "Pair",
    "has_axes",
    "holds_pairs",
    "is_complex",
    "is_complex_array",
    "is_met",
    "meeting",
    "met_by",
    "of_complex",
    "pair_of",
    "together",
]  # fmt: skip
