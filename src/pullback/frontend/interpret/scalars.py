"""Operators on numbers, with Python's meaning for Python numbers and NumPy's for NumPy scalars.

Python: ints are checked (64 bits), division by zero raises, a power of floats that would be complex
is refused at run time. NumPy: ints wrap, division by zero gives inf, nan or 0. Literals are folded
with Python's own operators.
"""

from __future__ import annotations

import ast
import enum
import operator
from collections.abc import Callable
from dataclasses import replace

from pullback.core.build import boolean, i64, lit
from pullback.core.messages import Limit
from pullback.core.terms import Atom, Lit
from pullback.core.types import BOOL, F64, I32, I64, Bool, Int, Real, Type
from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret import symbol_values
from pullback.frontend.interpret.float_powers import NO_NEGATIVE_POWER, float_power, power_of
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.dtypes import compared, promote
from pullback.frontend.kinds.kinds import Number, static_scalar
from pullback.frontend.kinds.values import (
    CaughtV,
    RecordV,
    RefV,
    Scalar,
    Specialiser,
    Static,
    SymbolV,
    Value,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import integers
from pullback.frontend.python.container_bases import VALUE, holds_value

Fold = Callable[[object, object], object]

FOLD: dict[str, Callable[..., object]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
ARITHMETIC = {"+": "add", "-": "sub", "*": "mul"}
COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
MAX_SUM_BITS = 62
"""Sums, differences and negatives of ints of so many bits fit."""
_FLOAT_BITS = 53
_FLOAT_INT = 2**53
"""Up to here every int is a float."""
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
TOO_MANY_BITS = Limit("OverflowError")
_TOO_LARGE = "integer result does not fit in 64 bits"
_MAX_UNROLLED_POWER = 16


def is_number(value: Value) -> bool:
    """Whether a value is a number, at run time or a literal."""
    return isinstance(value, Scalar) or (
        isinstance(value, Static)
        and (type(value.value) is int or static_scalar(value.value) is not None)
    )


def scalar(sp: Specialiser, value: Value, node: ast.AST) -> Scalar:
    """Return a number with an atom."""
    match value:
        case Scalar():
            return value
        case Static(v):
            kind = static_scalar(v)
            if kind is not None:
                assert isinstance(v, (int, float))
                return Scalar(lit(v, kind.type), True, _bit_length(v))
            if isinstance(v, int):
                sp.require(boolean(False), TOO_MANY_BITS, _TOO_LARGE, node)
                return Scalar(i64(0), True)
        case SymbolV():
            return scalar(sp, symbol_values.operand(sp, value, "arithmetic", node), node)
        case CaughtV():
            held = sp.operand_of_exception(value, node)
            if held is not value:
                return scalar(sp, held, node)
        case RecordV(cls) | RefV(cls=cls) if holds_value(cls):
            return scalar(sp, sp.attribute(value, VALUE, node), node)
        case _:
            pass
    sp.refuse(node, f"expected a number, not {sp.describe(value)}", error=ArgumentTypeError)


def _bit_length(value: int | float) -> int:
    return value.bit_length() if isinstance(value, int) else 64


def convert(sp: Specialiser, value: Value, t: Type, node: ast.AST) -> Atom:
    """Return the atom of a number, converted to a scalar type."""
    given = scalar(sp, value, node)
    x = given.atom
    if x.type == t:
        return x
    if given.py and isinstance(x.type, Real) and isinstance(t, Int):
        given = Scalar(whole(sp, x, node), True)
        x = given.atom
    if t == I32 and given.py and x.type == I64:
        _fits_int32(sp, given, node)
    if x.type == t:
        return x
    if isinstance(x, Lit):
        return lit(x.value, t)
    match t:
        case Real():
            return sp.b.prim("to_real", x, static=(t,))
        case Int():
            return sp.b.prim("to_int", x, static=(t,))
        case _:
            return sp.b.prim("to_bool", x)


def whole(sp: Specialiser, x: Atom, node: ast.AST) -> Atom:
    """Return a Python float that is whole, or is to be truncated, as an int. NaN and infinities
    raise at run time."""
    if isinstance(x, Lit) and abs(x.value) < 2**63:
        return i64(int(x.value))
    b = sp.b
    nan = b.prim("not", b.prim("isnan", x))
    sp.require(nan, "ValueError", "cannot convert float NaN to integer", node)
    below = b.prim("lt", x, Lit(2.0**63, x.type))
    small = b.prim("and", below, b.prim("ge", x, Lit(-(2.0**63), x.type)))
    finite = b.prim("or", small, b.prim("not", b.prim("isinf", x)))
    sp.require(finite, "OverflowError", "cannot convert float infinity to integer", node)
    sp.require(small, TOO_MANY_BITS, "cannot convert float to a 64-bit integer", node)
    return b.prim("to_int", x, static=(I64,))


def _fits_int32(sp: Specialiser, value: Scalar, node: ast.AST) -> None:
    """Require that an int fits into int32: Python's ints take the type of the NumPy ints that they
    meet, if they fit."""
    b, x = sp.b, value.atom
    message = "Python integer out of bounds for int32"
    if isinstance(x, Lit):
        if not -(2**31) <= int(x.value) < 2**31:
            sp.require(boolean(False), "OverflowError", message, node)
    elif value.bits > 31:
        fits = b.prim("and", b.prim("ge", x, i64(-(2**31))), b.prim("lt", x, i64(2**31)))
        sp.require(fits, "OverflowError", message, node)


def fold(op: str, left: Value, right: Value) -> Static | None:
    """Return two literals combined by Python itself; None if Python would raise (then the error
    must be raised at run time) or the result cannot be held by Core."""
    if not (isinstance(left, Static) and isinstance(right, Static)):
        return None
    a, b = left.value, right.value
    if isinstance(a, enum.Flag) and type(a) is type(b) and op in ("&", "|", "^"):
        return Static(FOLD[op](a, b))
    both = all(isinstance(v, (int, float)) for v in (a, b))
    texts = (isinstance(a, str) and (isinstance(b, str) or _of_text(op, a, b))) or (
        isinstance(b, str) and op == "*" and _of_text(op, b, a)
    )
    if op == "@" or not (both or texts):
        return None
    if op in ("**", "<<") and both and abs(b) > 1100:  # type: ignore[arg-type]  # ``both``
        return None
    try:
        result = FOLD[op](a, b)
    except (ArithmeticError, ValueError, TypeError):
        return None
    if isinstance(result, (str, int)) or static_scalar(result) is not None:
        return Static(result)  # an int may be beyond 64 bits: an index, or a term of floats
    return None


def _of_text(op: str, text: str, other: object) -> bool:
    """Whether it is ``"%d" % 3``, or ``"ab" * 3`` of a length that a program may hold."""
    short = isinstance(other, int) and len(text) * other <= 1 << 16
    return (op == "%" and isinstance(other, (int, float))) or (op == "*" and short)


def binop(sp: Specialiser, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Compile ``left op right`` of two numbers."""
    folded = fold(op, left, right)
    if folded is not None:
        return folded
    left, right = large_as_float(left, right), large_as_float(right, left)
    a, b = scalar(sp, left, node), scalar(sp, right, node)
    if op == "@":
        if a.rank0 or b.rank0:
            sp.refuse(node, "@ is not defined for numbers", "use *", error=ArgumentTypeError)
        optionals.unlike(sp, op, left, right, node, "use *")
    if a.py and b.py:
        return _python(sp, op, a, b, node)
    return _numpy(sp, op, left, right, node)


def large_as_float(value: Value, other: Value) -> Value:
    """Return the float nearest to a literal int beyond 64 bits that meets a float, as Python
    does."""
    if isinstance(value, Static) and isinstance(value.value, int):
        real = isinstance(other, Scalar) and isinstance(other.type, Real)
        if real and not -(2**63) <= value.value < 2**63:
            try:
                return Static(float(value.value))
            except OverflowError:
                return value
    return value


def _python(sp: Specialiser, op: str, a: Scalar, b: Scalar, node: ast.AST) -> Scalar:
    if op in ("&", "|", "^", "<<", ">>"):
        return _bits(sp, op, a, b, node)
    if isinstance(a.type, Real) or isinstance(b.type, Real) or op == "/":
        return _float(sp, op, a, b, node)
    return _int(sp, op, a, b, node)


def _bits(sp: Specialiser, op: str, a: Scalar, b: Scalar, node: ast.AST) -> Scalar:
    if isinstance(a.type, Real) or isinstance(b.type, Real):
        sp.refuse(node, f"{op} is not defined for floats", error=ArgumentTypeError)
    py = a.py and b.py
    name = {"&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr"}[op]
    if a.type == b.type == BOOL and op in "&|^":
        return Scalar(sp.b.prim(name, a.atom, b.atom), py)
    if a.type == b.type == BOOL and not py:
        sp.refuse(node, f"{op} of NumPy bools is an int8", "use int(...)", error=ArgumentTypeError)
    t = a.type if a.type == b.type and isinstance(a.type, Int) else I64
    x, y = convert(sp, a, t, node), convert(sp, b, t, node)
    if op in ("<<", ">>") and py and not isinstance(y, Lit):
        sp.require(sp.b.prim("ge", y, i64(0)), "ValueError", "negative shift count", node)
    result = sp.b.prim(name, x, y)
    if op == "<<" and py:  # nothing may be shifted out
        back = sp.b.prim("eq", sp.b.prim("shr", result, y), x)
        fits = sp.b.prim("and", back, sp.b.prim("lt", y, i64(64)))
        fits = sp.b.prim("or", fits, sp.b.prim("eq", x, i64(0)))
        sp.require(fits, TOO_MANY_BITS, _TOO_LARGE, node)
    bits = max(a.bits, b.bits) if op in "&|^" else a.bits if op == ">>" else 64
    return Scalar(result, py, bits if py else 64)


def _int(sp: Specialiser, op: str, a: Scalar, b: Scalar, node: ast.AST) -> Scalar:
    x, y = convert(sp, a, I64, node), convert(sp, b, I64, node)
    if op in ARITHMETIC:
        m, n = (1 if s.type == BOOL else s.bits for s in (a, b))
        bits = m + n if op == "*" else max(m, n) + 1
        if bits <= MAX_SUM_BITS:
            return Scalar(sp.b.prim(ARITHMETIC[op], x, y), True, bits)
        checked = sp.b.prim(f"{ARITHMETIC[op]}.ck", x, y, site=sp.site(node))
        return Scalar(checked, True)
    if op == "**":
        return _int_power(sp, a, b, node)
    word = "integer division or modulo by zero" if op == "//" else "integer modulo by zero"
    _nonzero(sp, y, word, node)
    if op == "//":
        if a.bits > MAX_SUM_BITS:
            _no_minimum(sp, x, y, node)
        return Scalar(sp.b.prim("floordiv", x, y), True, a.bits)
    return Scalar(sp.b.prim("mod", x, y), True, b.bits)


def _no_minimum(sp: Specialiser, x: Atom, y: Atom | None, node: ast.AST) -> None:
    """Raise an OverflowError at run time for the one quotient (by -1), or absolute value, that does
    not fit."""
    fine = sp.b.prim("ne", x, i64(-(2**63)))
    if isinstance(y, Lit) and int(y.value) != -1:
        return
    if y is not None and not isinstance(y, Lit):
        fine = sp.b.prim("or", fine, sp.b.prim("ne", y, i64(-1)))
    sp.require(fine, TOO_MANY_BITS, _TOO_LARGE, node)


def absolute(sp: Specialiser, value: Scalar, node: ast.AST) -> Scalar:
    """Compile ``abs(x)`` of a number that is no bool."""
    if value.py and isinstance(value.type, Int) and value.bits > MAX_SUM_BITS:
        _no_minimum(sp, value.atom, None, node)
    return Scalar(sp.b.prim("abs", value.atom), value.py, value.bits, value.is_int)


def _int_power(sp: Specialiser, a: Scalar, b: Scalar, node: ast.AST) -> Scalar:
    x, y = convert(sp, a, I64, node), convert(sp, b, I64, node)
    if isinstance(y, Lit) and int(y.value) < 0:
        return _float(sp, "**", a, b, node)
    if isinstance(y, Lit) and int(y.value) in (0, 1):
        return Scalar(x, True, a.bits) if int(y.value) else Scalar(i64(1), True, 1)
    if isinstance(y, Lit) and int(y.value) == 2:
        return _int(sp, "*", a, a, node)
    if not isinstance(y, Lit):
        whole = sp.b.prim("ge", y, i64(0))
        fine = sp.b.prim("or", whole, sp.b.prim("ne", x, i64(0)))
        sp.require(fine, "ZeroDivisionError", NO_NEGATIVE_POWER, node)
        sp.require(
            whole,
            Limit("NotImplementedError"),
            "an int to a negative power that is not a literal (write float(base) ** exponent)",
            node,
        )
    return Scalar(sp.b.prim("ipow.ck", x, y, site=sp.site(node)), True)


def _nonzero(sp: Specialiser, y: Atom, message: str, node: ast.AST) -> None:
    if isinstance(y, Lit):
        if y.value == 0:
            sp.require(boolean(False), "ZeroDivisionError", message, node)
        return
    sp.require(sp.b.prim("ne", y, lit(0, y.type)), "ZeroDivisionError", message, node)


def _are_ints(sp: Specialiser, a: Scalar, b: Scalar) -> Atom | None:
    """Return what tells whether two numbers, not both of which are known to be ints, are ints in
    Python; None: they are not."""
    if any(v.is_int is None and isinstance(v.type, Real) for v in (a, b)):
        return None
    told = [v.is_int for v in (a, b) if v.is_int is not None]
    return told[0] if len(told) == 1 else sp.b.prim("and", *told) if told else None


def _float(sp: Specialiser, op: str, a: Scalar, b: Scalar, node: ast.AST) -> Scalar:
    x, y = convert(sp, a, F64, node), convert(sp, b, F64, node)
    ints = _are_ints(sp, a, b) if op != "/" else None
    if op in ARITHMETIC:
        return Scalar(sp.b.prim(ARITHMETIC[op], x, y), True, is_int=ints)
    if op == "**":
        made = float_power(sp, x, y, node)
        if ints is None:
            return made
        return replace(made, is_int=sp.b.prim("and", ints, sp.b.prim("ge", y, lit(0.0, F64))))
    if op == "/":
        floats = isinstance(a.type, Real) or isinstance(b.type, Real)
        _nonzero(sp, y, "float division by zero" if floats else "division by zero", node)
        if not floats:
            _exact_quotient(sp, a, b, node)
        return Scalar(sp.b.prim("div", x, y), True)
    _nonzero(sp, y, "float floor division by zero" if op == "//" else "float modulo", node)
    return Scalar(sp.b.prim("floordiv" if op == "//" else "mod", x, y), True, is_int=ints)


def _exact_quotient(sp: Specialiser, a: Scalar, b: Scalar, node: ast.AST) -> None:
    """Require that the quotient of two ints is that of their floats. Python rounds the quotient of
    the ints once, which is the same if both are floats exactly, or the divisor is a power of two;
    else OverflowError."""
    power = isinstance(b.atom, Lit) and int(b.atom.value).bit_count() == 1
    for v in (b,) if power else (a, b):
        if v.bits <= _FLOAT_BITS or v.type == BOOL:
            continue
        x = v.atom
        if isinstance(x, Lit):
            fits: Atom = boolean(int(float(x.value)) == int(x.value))
        else:
            back = sp.b.prim("to_int", convert(sp, v, F64, node), static=(I64,))
            fits = sp.b.prim("eq", back, x)
        text = "an int that is no float exactly is in a quotient"
        sp.require(fits, TOO_MANY_BITS, text, node)


# --- NumPy scalars --------------------------------------------------------------------------------


def _numpy(sp: Specialiser, op: str, left: Value, right: Value, node: ast.AST) -> Scalar:
    a, b = scalar(sp, left, node), scalar(sp, right, node)
    t = promote(sp, (left, right), node)
    if op in ("&", "|", "^", "<<", ">>"):
        x, y = convert(sp, left, t, node), convert(sp, right, t, node)
        return _bits(sp, op, Scalar(x, False), Scalar(y, False), node)
    if op == "/" and not isinstance(t, Real):
        t = F64
    if t == BOOL:
        return _numpy_bool(sp, op, a.atom, b.atom, node)
    x, y = convert(sp, left, t, node), convert(sp, right, t, node)
    if op in ARITHMETIC:
        return Scalar(sp.b.prim(ARITHMETIC[op], x, y), False)
    if isinstance(t, Real):
        if op == "**":
            return Scalar(power_of(sp, x, y), False)
        return Scalar(sp.b.prim({"/": "div", "//": "floordiv", "%": "mod"}[op], x, y), False)
    return _numpy_int(sp, op, x, y, t, node)


def _numpy_bool(sp: Specialiser, op: str, x: Atom, y: Atom, node: ast.AST) -> Scalar:
    if op not in ("+", "*"):
        sp.refuse(node, f"{op} is not defined for NumPy bools", "use ^ or int(...)",
                  error=ArgumentTypeError)
    return Scalar(sp.b.prim("or" if op == "+" else "and", x, y), False)


def _numpy_int(sp: Specialiser, op: str, x: Atom, y: Atom, t: Number, node: ast.AST) -> Scalar:
    b = sp.b
    if op == "**":
        if not (isinstance(y, Lit) and int(y.value) >= 0):
            sp.require(
                b.prim("ge", y, lit(0, t)),
                "ValueError",
                "Integers to negative integer powers are not allowed.",
                node,
            )
        if not (isinstance(y, Lit) and int(y.value) <= _MAX_UNROLLED_POWER):
            given = [Scalar(v, False) for v in (x, y, lit(1, t))]
            return scalar(sp, run_program(sp, integers.power, given, node), node)
        result: Atom = lit(1, t)
        for k in range(int(y.value)):
            result = b.prim("mul", result, x) if k else x
        return Scalar(result, False)
    name = "floordiv" if op == "//" else "mod"
    if isinstance(y, Lit) and int(y.value) != 0:
        return Scalar(b.prim(name, x, y), False)
    zero = b.prim("eq", y, lit(0, t))
    safe = b.prim("select", zero, lit(1, t), y)
    return Scalar(b.prim("select", zero, lit(0, t), b.prim(name, x, safe)), False)


# --- unary and comparison -------------------------------------------------------------------------


def unary(sp: Specialiser, op: str, operand: Value, node: ast.AST) -> Value:
    """Compile ``- + ~`` of a number."""
    if isinstance(operand, Static) and isinstance(operand.value, (int, float)):
        match op, operand.value:
            case "-", int() | float():
                return Static(-operand.value)
            case "+", int() | float():
                return Static(+operand.value)
            case "~", int():
                return Static(~int(operand.value))
    x = scalar(sp, operand, node)
    match op, x.type:
        case "~", Real():
            sp.refuse(node, "~ is not defined for floats", error=ArgumentTypeError)
        case "~", Bool() if not x.py:
            return Scalar(sp.b.prim("not", x.atom), False)
        case "~", _:
            as_int = x.atom if isinstance(x.type, Int) else convert(sp, x, I64, node)
            return Scalar(sp.b.prim("invert", as_int), x.py, x.bits)
        case "+", Bool() if x.py:
            return Scalar(convert(sp, x, I64, node), True, 1)
        case "+", Bool():
            reason = "+ is not defined for NumPy bools"
            sp.refuse(node, reason, "use int(...)", error=ArgumentTypeError)
        case "+", _:
            return x if x.py else Scalar(x.atom, False, x.bits)
        case _, Bool():
            if not x.py:
                reason = "- is not defined for NumPy bools"
                sp.refuse(node, reason, "use not", error=ArgumentTypeError)
            return Scalar(sp.b.prim("neg", convert(sp, x, I64, node)), True, 1)
        case _, Int() if x.py and x.bits > MAX_SUM_BITS:
            return Scalar(sp.b.prim("neg.ck", x.atom, site=sp.site(node)), True)
        case _:
            return Scalar(sp.b.prim("neg", x.atom), x.py, x.bits, x.is_int)


def compare(sp: Specialiser, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Compile a comparison of two numbers."""
    folded = fold(op, left, right)
    if folded is not None:
        return folded
    left, right = large_as_float(left, right), large_as_float(right, left)
    a, b = scalar(sp, left, node), scalar(sp, right, node)
    if a.py and b.py and _rounds(a, b):
        return Scalar(_compare_exactly(sp, op, a, b, node), True, 1)
    if a.py and b.py and _rounds(b, a):
        return Scalar(_compare_exactly(sp, _MIRRORED.get(op, op), b, a, node), True, 1)
    t = _common(sp, left, right, node)
    x, y = convert(sp, left, t, node), convert(sp, right, t, node)
    return Scalar(sp.b.prim(COMPARE[op], x, y), a.py and b.py, 1)


def _rounds(n: Scalar, x: Scalar) -> bool:
    """Whether the float nearest to the int ``n`` may be the float ``x`` although ``n`` is not."""
    if not (isinstance(n.type, Int) and isinstance(x.type, Real)) or n.bits <= _FLOAT_BITS:
        return False
    return not (isinstance(x.atom, Lit) and not abs(float(x.atom.value)) >= _FLOAT_INT)


def _compare_exactly(sp: Specialiser, op: str, n: Scalar, x: Scalar, node: ast.AST) -> Atom:
    """Compare an int with a float as Python does, without rounding the int. If the float nearest to
    the int differs from ``x``, that decides. Else both are less than 2**11 apart, so their
    difference in 64 bits is right also if ``x`` is 2**63, as an int -2**63."""
    b = sp.b
    near, real = convert(sp, n, F64, node), convert(sp, x, F64, node)
    gap = b.prim("sub", n.atom, b.prim("to_int", real, static=(I64,)))
    tie = b.prim("eq", near, real)
    exact = b.prim(COMPARE[op], gap, i64(0))
    return b.prim("select", tie, exact, b.prim(COMPARE[op], near, real))


def _common(sp: Specialiser, left: Value, right: Value, node: ast.AST) -> Number:
    a, b = scalar(sp, left, node), scalar(sp, right, node)
    if not (a.py and b.py):
        return compared(sp, (left, right), node)
    if isinstance(a.type, Real) or isinstance(b.type, Real):
        return F64
    return a.type if a.type == b.type else I64


def truth(sp: Specialiser, value: Scalar) -> Atom:
    """Whether a number is not zero."""
    return value.atom if value.type == BOOL else sp.b.prim("to_bool", value.atom)
