"""Rows for integers, truth values, comparisons, conversions and control."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

from pullback.core.messages import Message, Raised, RaisedName, plain_exception
from pullback.core.rows import (
    ZERO,
    Partial,
    PartialFn,
    Row,
    Rule,
    Static,
    Table,
    cast,
    comparison,
    int1,
    int2,
    same,
)
from pullback.core.types import BOOL, I64, Array, Bool, Int, Named, Real, Type
from pullback.core.values import address_of, undefined

DISCRETE = Table()

INT_MAX = 2**63 - 1
INT_MIN = -(2**63)


def _row(
    name: str,
    arity: int,
    rule: Rule,
    numpy: Callable[..., object],
    llvm: dict[str, str],
    effect: bool = False,
    kinks: str = "",
) -> None:
    DISCRETE.add(
        Row(name, arity, rule, numpy, (ZERO,) * arity, llvm, effect=effect, kinks=kinks)
    )


def _fits(n: int) -> bool:
    return INT_MIN <= n <= INT_MAX


# --- checked integers: Python's ints, up to 64 bits -----------------------------------------------


def _i64(n: int, result: Type = I64) -> Rule:
    def rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
        if types != (I64,) * n or static:
            raise TypeError(f"takes {n} int64, not {types}")
        return (result,)

    return rule


def _checked(op: Callable[..., int]) -> Callable[..., object]:
    def call(*args: int) -> int:
        n = op(*args)
        if not _fits(n):
            raise OverflowError("integer result does not fit in 64 bits")
        return n

    return call


def _overflows(op: Callable[..., int]) -> Callable[..., object]:
    return lambda *args: not _fits(op(*args))


def _ipow(base: int, e: int) -> int:
    """base ** e, but a huge power stops at something that does not fit in 64 bits either."""
    if e < 0:
        return 0
    return int(base ** min(e, 64 + e % 2))


def _with_overflow(intrinsic: str, args: str) -> str:
    return (
        "{r}.p = call { {t}, {b} } @llvm." + intrinsic + ".with.overflow.{s}(" + args + ")\n"
        "{r} = extractvalue { {t}, {b} } {r}.p, 1"
    )


_BINARY = "{t} {0}, {t} {1}"


_IPOW_HEAD = """\
{r}.odd = and {t} {1}, {one}
{r}.cap = add {t} {r}.odd, {64}
{r}.e = call {t} @llvm.smin.{s}({t} {1}, {t} {r}.cap)
{r}.neg = icmp slt {t} {1}, {zero}
"""
_IPOW_BIT = """\
{r}.sK = lshr {t} {r}.e, {Kc}
{r}.aK = and {t} {r}.sK, {one}
{r}.bitK = icmp ne {t} {r}.aK, {zero}
{r}.mK = call { {t}, {b} } @llvm.smul.with.overflow.{s}({t} ACC, {t} POWER)
{r}.vK = extractvalue { {t}, {b} } {r}.mK, 0
{r}.fK = extractvalue { {t}, {b} } {r}.mK, 1
{r}.cK = select {b} {r}.bitK, {t} {r}.vK, {t} ACC
{r}.gK = or {b} {r}.fK, LATE
{r}.hK = and {b} {r}.gK, {r}.bitK
{r}.oK = or {b} {r}.hK, OVER
{r}.qK = call { {t}, {b} } @llvm.smul.with.overflow.{s}({t} POWER, {t} POWER)
{r}.pK = extractvalue { {t}, {b} } {r}.qK, 0
{r}.iK = extractvalue { {t}, {b} } {r}.qK, 1
{r}.lK = or {b} {r}.iK, LATE
"""


def _ipow_text(flag: bool) -> str:
    """Square and multiply over 7 bits of the exponent (above 64 only its parity matters: either
    the base is 0 or ±1, or the result does not fit)."""
    text = _IPOW_HEAD
    acc, power, late, over = "{one}", "{0}", "{false}", "{false}"
    for k in range(7):
        bit = _IPOW_BIT
        for word, value in (("ACC", acc), ("POWER", power), ("LATE", late), ("OVER", over)):
            bit = bit.replace(word, value)
        text += bit.replace("K", str(k))
        acc, power, late, over = (f"{{r}}.{x}{k}" for x in "cplo")
    if flag:
        return text + "{r}.pos = xor {b} {r}.neg, {ones1}\n{r} = and {b} " + over + ", {r}.pos"
    return text + "{r} = select {b} {r}.neg, {t} {zero}, {t} " + acc


# "checked:X" stands for: the value by row X, the flag by row X.ovf, raise OverflowError if set.
_row("add.ck", 2, _i64(2), _checked(operator.add), {"int": "checked:add"}, effect=True)
_row("sub.ck", 2, _i64(2), _checked(operator.sub), {"int": "checked:sub"}, effect=True)
_row("mul.ck", 2, _i64(2), _checked(operator.mul), {"int": "checked:mul"}, effect=True)
_row("neg.ck", 1, _i64(1), _checked(operator.neg), {"int": "checked:neg"}, effect=True)
_row("ipow.ck", 2, _i64(2), _checked(_ipow), {"int": "checked:ipow"}, effect=True,
     kinks="a negative exponent gives 0: the front end refuses it before")
_row("add.ovf", 2, _i64(2, BOOL), _overflows(operator.add),
     {"int": _with_overflow("sadd", _BINARY)})
_row("sub.ovf", 2, _i64(2, BOOL), _overflows(operator.sub),
     {"int": _with_overflow("ssub", _BINARY)})
_row("mul.ovf", 2, _i64(2, BOOL), _overflows(operator.mul),
     {"int": _with_overflow("smul", _BINARY)})
_row("neg.ovf", 1, _i64(1, BOOL), _overflows(operator.neg),
     {"int": _with_overflow("ssub", "{t} {zero}, {t} {0}")})
_row("ipow", 2, _i64(2), _ipow, {"int": _ipow_text(False)},
     kinks="the value is meant only where ipow.ovf is false; negative exponents give 0")
_row("ipow.ovf", 2, _i64(2, BOOL), _overflows(_ipow), {"int": _ipow_text(True)})

# --- bits -----------------------------------------------------------------------------------------

_logic = same(2, Int, Bool)
for _name, _op in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)):
    _text = "{r} = " + _name + " {t} {0}, {1}"
    _row(_name, 2, _logic, _op, {"int": _text, "bool": _text})
_row("not", 1, same(1, Bool), operator.not_, {"bool": "{r} = xor {t} {0}, {ones}"})
_row("invert", 1, int1, operator.invert, {"int": "{r} = xor {t} {0}, {ones}"})


def _either(x: float, y: float) -> object:
    """Return the float that has the bits of both; both have the same sign and exponent, or one is
    0."""
    both = np.array([x, y])
    bits = both.view(f"i{both.itemsize}")
    return (bits[:1] | bits[1:]).view(both.dtype).item()


# The union of two sets, each in the bits of a float (ad/dependence.py).
_row("either", 2, same(2, Real), _either,
     {"real": "{r}.a = bitcast {t} {0} to {i}\n"
              "{r}.b = bitcast {t} {1} to {i}\n"
              "{r}.o = or {i} {r}.a, {r}.b\n"
              "{r} = bitcast {i} {r}.o to {t}"})


def _shl(a: int, n: int) -> int:
    return a << n if 0 <= n < 64 else 0


def _shr(a: int, n: int) -> int:
    return a >> (n if 0 <= n < 64 else 63)


_row("shl", 2, int2, _shl,
     {"int": "{r}.c = icmp ult {t} {1}, {width}\n"
             "{r}.n = select {b} {r}.c, {t} {1}, {t} {zero}\n"
             "{r}.s = shl {t} {0}, {r}.n\n"
             "{r} = select {b} {r}.c, {t} {r}.s, {t} {zero}"},
     kinks="a shift by less than 0 or more than the width shifts everything out")
_row("shr", 2, int2, _shr,
     {"int": "{r}.c = icmp ult {t} {1}, {width}\n"
             "{r}.n = select {b} {r}.c, {t} {1}, {t} {width-1}\n"
             "{r} = ashr {t} {0}, {r}.n"},
     kinks="a shift by less than 0 or more than the width shifts everything out")

# --- hashes ---------------------------------------------------------------------------------------


def _hash(n: int) -> int:
    """CPython's hash of an int (``long_hash``): what is left of it by 2**61 - 1, with its sign; -1
    is none."""
    rest = abs(n) % ((1 << 61) - 1)
    return -2 if n < 0 and rest == 1 else rest if n >= 0 else -rest


def _joined(found: int, number: int, first: int, second: int) -> int:
    """The number so far of a tuple that has one item more: a round of xxHash (``tupleobject.c``),
    in which 64 bits are turned by 31."""
    mixed = (found + number * first) % (1 << 64)
    turned = (mixed << 31 | mixed >> 33) * second % (1 << 64)
    return turned - (1 << 64) if turned >> 63 else turned


_row("hash", 1, _i64(1), _hash,
     {"int": "{r}.n = icmp slt {t} {0}, {zero}\n"
             "{r}.m = sub {t} {zero}, {0}\n"
             "{r}.a = select {b} {r}.n, {t} {r}.m, {t} {0}\n"
             "{r}.u = urem {t} {r}.a, {prime}\n"
             "{r}.v = sub {t} {zero}, {r}.u\n"
             "{r}.w = select {b} {r}.n, {t} {r}.v, {t} {r}.u\n"
             "{r}.c = icmp eq {t} {r}.w, {ones}\n"
             "{r}.d = add {t} {r}.w, {ones}\n"
             "{r} = select {b} {r}.c, {t} {r}.d, {t} {r}.w"})
_row("hash.join", 4, _i64(4), _joined,
     {"int": "{r}.p = mul {t} {1}, {2}\n"
             "{r}.s = add {t} {0}, {r}.p\n"
             "{r}.l = shl {t} {r}.s, {31}\n"
             "{r}.h = lshr {t} {r}.s, {33}\n"
             "{r}.o = or {t} {r}.l, {r}.h\n"
             "{r} = mul {t} {r}.o, {3}"})

# --- comparisons ----------------------------------------------------------------------------------

for _name, _op, _real, _int, _bool in (
    ("eq", operator.eq, "oeq", "eq", "eq"),
    ("ne", operator.ne, "une", "ne", "ne"),
    ("lt", operator.lt, "olt", "slt", "ult"),
    ("le", operator.le, "ole", "sle", "ule"),
    ("gt", operator.gt, "ogt", "sgt", "ugt"),
    ("ge", operator.ge, "oge", "sge", "uge"),
):
    _row(_name, 2, comparison, _op,
         {"real": "{r} = fcmp " + _real + " {t} {0}, {1}",
          "int": "{r} = icmp " + _int + " {t} {0}, {1}",
          "bool": "{r} = icmp " + _bool + " {t} {0}, {1}"})


def _select_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if len(types) != 3 or types[0] != BOOL:
        raise TypeError(f"takes a Bool and two scalars, not {types}")
    return same(2, Real, Int, Bool)(types[1:], static)


def _chosen(second: bool) -> PartialFn:
    return lambda b, a, r: b.prim("not", a[0]) if second else a[0]


_SELECT = "{r} = select {b} {0}, {t} {1}, {t} {2}"
DISCRETE.add(Row(
    "select", 3, _select_rule, lambda c, x, y: x if c else y,
    (ZERO, _chosen(False), _chosen(True)), {"real": _SELECT, "int": _SELECT, "bool": _SELECT},
    ((0.0, 1.0), (-2.0, 2.0), (-2.0, 2.0)), product="gate",
))

# --- conversions ----------------------------------------------------------------------------------
# "cast:fp" and "cast:int" widen, narrow or do nothing, by the widths of {t} and {d}.

_LINEAR: tuple[Partial, ...] = (1.0,)
DISCRETE.add(Row(
    "to_real", 1, cast(Real), lambda x, t: float(x), _LINEAR,
    {"real": "cast:fp", "int": "{r} = sitofp {t} {0} to {d}",
     "bool": "{r} = uitofp {t} {0} to {d}"},
    ((-2.0, 2.0),),
))


def _to_int(x: float, t: Type) -> int:
    """Truncation; NaN and what is out of range as NumPy and the processor: the least int."""
    if not isinstance(x, int) and isinstance(t, Int):
        top: int = 1 << (t.bits - 1)
        if not abs(x) < top:
            return -top
    whole: int = int(x)
    return whole


_row("to_int", 1, cast(Int), _to_int,
     {"real": "{r}.a = call {t} @llvm.fabs.{s}({t} {0})\n"
              "{r}.c = fcmp olt {t} {r}.a, {dtop}\n"
              "{r}.v = fptosi {t} {0} to {d}\n"
              "{r} = select {b} {r}.c, {d} {r}.v, {d} {dmin}",
      "int": "cast:int", "bool": "{r} = zext {t} {0} to {d}"},
     kinks="truncates; NaN and what is out of range give the least int")
_row("to_bool", 1, same(1, Real, Int, Bool, result=BOOL), bool,
     {"real": "{r} = fcmp une {t} {0}, {zero}", "int": "{r} = icmp ne {t} {0}, {zero}",
      "bool": "move"})

# --- control --------------------------------------------------------------------------------------


def _require_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    match types, static:
        case (Bool(),), (str() | type(), str()):
            return ()
        case (Bool(), *leaves), (str() | type(), Message() as message) if (
            len(leaves) == message.leaves
        ):
            if all(map(is_shown, leaves)):
                return ()
            raise TypeError(f"shows numbers and arrays of numbers, not {leaves}")
        case _:
            raise TypeError(
                "takes a Bool and what its message shows (static: exception, text or message), "
                f"not {types}, {static}"
            )


def is_shown(t: Type) -> bool:
    """Whether a value of this type can be recorded for the message of an error."""
    elem = t.elem if isinstance(t, Array) and t.rank > 0 else t
    return isinstance(elem, (Real, Int, Bool))


EXCEPTIONS: dict[str, type[Exception]] = {
    e.__name__: e
    for e in (
        ArithmeticError, AssertionError, AttributeError, Exception, IndexError, KeyError,
        LookupError, NameError, NotImplementedError, OverflowError, RuntimeError, StopIteration,
        TypeError, UnboundLocalError, ValueError, ZeroDivisionError, RecursionError,
        FloatingPointError, MemoryError, SyntaxError, OSError, TimeoutError, EOFError,
        BufferError, ImportError, SystemError, ReferenceError, np.linalg.LinAlgError,
    )
}
"""The exceptions that compiled code knows by name: built-in ones, and NumPy's of linear algebra."""

_BUILT_IN = frozenset(EXCEPTIONS.values())

AGAIN = "again"
"""The name of what raises an exception that has been caught: the one part of its message."""


def raised_by(cls: type[Exception]) -> Raised:
    """What stands in a program for an exception class."""
    return cls.__name__ if cls in _BUILT_IN else cls


def exception_class(kind: Raised) -> type[Exception] | None:
    """The class of what is raised; None: there is none of this name."""
    match kind:
        case RaisedName():
            return kind.raised
        case str():
            return EXCEPTIONS.get(kind)
        case _:
            return kind


def exception_of(kind: Raised, message: str | Message, leaves: Sequence[object]) -> Exception:
    """The exception that a failed requirement raises; ``leaves`` are of the types of the
    language: numbers of Python, arrays of NumPy."""
    cls = exception_class(kind)
    if kind == AGAIN:
        assert isinstance(message, Message)
        made = message.parts[0].value(leaves)
        assert isinstance(made, Exception)
        return made
    if cls is None:
        return RuntimeError(f"{kind}: {message}")
    if isinstance(message, str):
        return plain_exception(cls, message)
    return message.exception(cls, leaves)


def _require(cond: bool, *rest: object) -> tuple[()]:
    if not cond:
        *leaves, kind, message = rest
        assert isinstance(kind, (str, type)) and isinstance(message, (str, Message))
        raise exception_of(kind, message, leaves)
    return ()


_row("require", 1, _require_rule, _require, {"bool": "require"}, effect=True)
# Before its place in the program: another requirement may be the first that does not hold.
_row("require.early", 1, _require_rule, _require, {"bool": "require"}, effect=True)


def _show_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    match static:
        case (Message() as message,) if len(types) == message.leaves:
            if all(map(is_shown, types)):
                return (I64,) if message.gives else ()
            raise TypeError(f"shows numbers and arrays of numbers, not {types}")
        case _:
            raise TypeError(f"takes what is shown (static: the message), not {types}, {static}")


def _show(*rest: object) -> object:
    *leaves, message = rest
    assert isinstance(message, Message)
    made = message.show([x.copy() if isinstance(x, np.ndarray) else x for x in leaves])
    return made if message.gives else ()


# What Python does with values of the run: print, log, warn. It runs once, in its place.
_row("show", 1, _show_rule, _show, {"int": "lower"}, effect=True)


def _address_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if len(types) != 1 or not isinstance(types[0], Named) or static:
        raise TypeError(f"takes one node, not {types}, {static}")
    return (I64,)


# The identity of a node: a number other than 0, unique among the nodes that exist at one time.
_row("address", 1, _address_rule, address_of, {"int": "lower"})


def _undefined_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if types or len(static) != 1 or not isinstance(static[0], Type):
        raise TypeError(f"takes no argument and one type, not {types}, {static}")
    return (static[0],)


# A placeholder for a value that nobody reads.
_row("undefined", 0, _undefined_rule, undefined, {"array": "lower"})


def _identity_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if len(types) != 1 or static:
        raise TypeError(f"takes one argument, not {types}, {static}")
    return types


_row("stop_gradient", 1, _identity_rule, lambda x: x,
     {"real": "move", "int": "move", "bool": "move", "array": "lower"},
     kinks="derivative 0 by definition")

# What a rule of the user's own is called at (ad/rules.py): 0, which has the derivative of x; and v,
# which has the derivative of t.
DISCRETE.add(Row("delta", 1, same(1, Real), lambda x: type(x)(0.0), (1.0,),
                 {"real": "{r} = select {b} {ones1}, {t} {zero}, {t} {0}"},
                 ((-2.0, 2.0),), kinks="derivative 1 by definition"))
DISCRETE.add(Row("plus_delta", 2, same(2, Real), lambda v, t: v, (ZERO, 1.0),
                 {"real": "{r} = select {b} {ones1}, {t} {0}, {t} {1}"},
                 ((-2.0, 2.0), (-2.0, 2.0)), kinks="derivative 1 by definition"))

# v, which is t but for rounding; when derivatives have been written, nobody reads t any more
# (``ad.known_values``).
DISCRETE.add(Row("valued", 2, same(2, Real), lambda v, t: v, (ZERO, 1.0),
                 {"real": "{r} = select {b} {ones1}, {t} {0}, {t} {1}"},
                 ((-2.0, 2.0), (-2.0, 2.0)), kinks="derivative 1 by definition"))
