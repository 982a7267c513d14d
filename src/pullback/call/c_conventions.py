"""The C conventions of ``pb.cfunc``: for each the signature, and the function around the program.

A row says what the function is called with in Python, and writes the C function: a few lines around
the general one (``native/c_entry``), which gives a status. What cannot be computed is told as the
convention has it: a status, 0, or NaN.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Sequence

import numpy as np

from pullback.call.alone import Alone, alone, status_texts
from pullback.call.request import Request, What
from pullback.core.frozen import dataclass
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.lower.loopcode import Ty
from pullback.native.c_entry import TOO_SMALL, CValue
from pullback.native.compile import Linked, link_alone

Lines = list[str]
_DOUBLES, _INTS = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_ssize_t)
_REAL, _INT, _ANY = ctypes.c_double, ctypes.c_int, ctypes.c_void_p
_SIZE = ctypes.c_ssize_t

NAN = "0x7FF8000000000000"
BODY = "body"
"""The name of the general function in the module."""


@dataclass(frozen=True, slots=True)
class Convention:
    """One row.

    examples    arguments of the types with which the function is called, from the function
    takes       whether the program has the parameters and results that the convention needs
    head, body  of the C function
    """

    returns: type[ctypes._SimpleCData[int]] | type[ctypes._SimpleCData[float]]
    params: tuple[type, ...]
    what: What
    examples: Callable[[Callable[..., object]], tuple[object, ...]]
    wants: str
    takes: Callable[[Alone], bool]
    head: str
    body: Callable[[Alone], Lines]

    def text(self, program: Alone, name: str) -> str:
        """Return the text of the C function."""
        head = self.head.replace("@name", f"@{name}")
        return "\n".join([f"define {head} nounwind {{", *self.body(program), "}", ""])


def _is(values: Sequence[CValue], *ranks: int, ty: Ty = Ty.F64) -> bool:
    return [(v.rank, v.ty) for v in values] == [(rank, ty) for rank in ranks]


def _array(f: Callable[..., object]) -> tuple[object, ...]:
    return (np.zeros(2),)


def _one_real(f: Callable[..., object]) -> tuple[object, ...]:
    return (0.0,)


def _indices(f: Callable[..., object]) -> tuple[object, ...]:
    return (np.zeros(2, np.int64),)


def _reals(f: Callable[..., object]) -> tuple[object, ...]:
    """As many numbers as the function has parameters that must be given."""
    parameters = inspect.signature(f).parameters.values()
    return tuple(0.0 for p in parameters if p.default is p.empty)


# --- the functions --------------------------------------------------------------------------------


def _log_density(program: Alone) -> Lines:
    return [
        f"  %status = call i64 @{BODY}(ptr %x, i64 %n, ptr %value, ptr %gradient)",
        "  ret i64 %status",
    ]


def _expansion(program: Alone) -> Lines:
    return [
        "  %shape = alloca i64",
        f"  %status = call i64 @{BODY}(ptr %x, i64 %n, ptr %out, i64 %m, ptr %shape)",
        "  %got = load i64, ptr %shape",
        "  %whole = icmp eq i64 %got, %m",
        "  %bad = icmp ne i64 %status, 0",
        "  %either = or i1 %bad, %whole",
        f"  %told = select i1 %either, i64 %status, i64 {TOO_SMALL}",
        "  ret i64 %told",
    ]


def _or_nan(call: str) -> Lines:
    """The lines of a function that returns a number, or NaN where there is none."""
    return [
        "  %value = alloca double",
        f"  %status = call i64 @{BODY}({call}ptr %value)",
        "  %fine = icmp eq i64 %status, 0",
        "  %result = load double, ptr %value",
        f"  %told = select i1 %fine, double %result, double {NAN}",
        "  ret double %told",
    ]


def _of_number(program: Alone) -> Lines:
    return _or_nan("double %x, ")


def _of_numbers(program: Alone) -> Lines:
    """The numbers of an array become arguments: there must be as many."""
    many, lines = len(program.params), []
    for k in range(many):
        lines += [f"  %at{k} = getelementptr double, ptr %x, i64 {k}",
                  f"  %x{k} = load double, ptr %at{k}"]  # fmt: skip
    given = "".join(f"double %x{k}, " for k in range(many))
    return [
        f"  %same = icmp eq i32 %n, {many}", "  br i1 %same, label %go, label %other",
        "other:", f"  ret double {NAN}", "go:", *lines, *_or_nan(given),
    ]  # fmt: skip


def _or_zero(call: str) -> Lines:
    """The lines of a function that returns 1, or 0 where there is no result."""
    return [
        f"  %status = call i64 @{BODY}({call})",
        "  %fine = icmp eq i64 %status, 0",
        "  %told = zext i1 %fine to i32",
        "  ret i32 %told",
    ]


def _of_window(program: Alone) -> Lines:
    return _or_zero("ptr %x, i64 %n, ptr %value")


def _exactly(many: str, call: str) -> Lines:
    """The same for a result that must have so many elements."""
    return [
        "  %shape = alloca i64", *_or_zero(f"{call}, i64 {many}, ptr %shape")[:1],
        "  %got = load i64, ptr %shape",
        f"  %whole = icmp eq i64 %got, {many}",
        "  %fine = icmp eq i64 %status, 0",
        "  %both = and i1 %whole, %fine",
        "  %told = zext i1 %both to i32",
        "  ret i32 %told",
    ]  # fmt: skip


def _of_line(program: Alone) -> Lines:
    return _exactly("%m", "ptr %x, i64 %n, ptr %out")


def _of_coordinates(program: Alone) -> Lines:
    return [
        "  %n = sext i32 %to to i64", "  %m = sext i32 %from to i64",
        *_exactly("%m", "ptr %place, i64 %n, ptr %out"),
    ]  # fmt: skip


def _number(takes: Callable[[Alone], bool]) -> Callable[[Alone], bool]:
    return lambda p: takes(p) and _is(p.results, 0)


_LOGP = Convention(
    ctypes.c_int64, (ctypes.c_uint64, _DOUBLES, _DOUBLES, _DOUBLES, _ANY),
    What.VALUE_AND_GRADIENT, _array, "takes an array of float64 and returns a float",
    lambda p: _is(p.params, 1) and _is(p.results, 0, 1),
    "i64 @name(i64 %n, ptr %x, ptr %gradient, ptr %value, ptr %user)", _log_density,
)  # fmt: skip
_EXPANSION = Convention(
    ctypes.c_int64, (ctypes.c_uint64, ctypes.c_uint64, _DOUBLES, _DOUBLES, _ANY), What.VALUE,
    _array, "takes an array of float64 and returns one",
    lambda p: _is(p.params, 1) and _is(p.results, 1),
    "i64 @name(i64 %n, i64 %m, ptr %x, ptr %out, ptr %user)", _expansion,
)  # fmt: skip
_ONE = Convention(
    _REAL, (_REAL,), What.VALUE, _one_real, "takes one float and returns a float",
    _number(lambda p: _is(p.params, 0)), "double @name(double %x)", _of_number,
)  # fmt: skip
_MANY = Convention(
    _REAL, (_INT, _DOUBLES), What.VALUE, _reals, "takes floats and returns a float",
    _number(lambda p: _is(p.params, *[0] * len(p.params))),
    "double @name(i32 %n, ptr %x)", _of_numbers,
)  # fmt: skip
_WINDOW = Convention(
    _INT, (_DOUBLES, _SIZE, _DOUBLES, _ANY), What.VALUE, _array,
    "takes an array of float64 and returns a float", _number(lambda p: _is(p.params, 1)),
    "i32 @name(ptr %x, i64 %n, ptr %value, ptr %user)", _of_window,
)  # fmt: skip
_LINE = Convention(
    _INT, (_DOUBLES, _SIZE, _DOUBLES, _SIZE, _ANY), What.VALUE, _array,
    "takes an array of float64 and returns one",
    lambda p: _is(p.params, 1) and _is(p.results, 1),
    "i32 @name(ptr %x, i64 %n, ptr %out, i64 %m, ptr %user)", _of_line,
)  # fmt: skip
_PLACE = Convention(
    _INT, (_INTS, _DOUBLES, _INT, _INT, _ANY), What.VALUE, _indices,
    "takes an array of int64 (a place in the output) and returns an array of float64",
    lambda p: _is(p.params, 1, ty=Ty.I64) and _is(p.results, 1),
    "i32 @name(ptr %place, ptr %out, i32 %to, i32 %from, ptr %user)", _of_coordinates,
)  # fmt: skip

CONVENTIONS: dict[str, Convention] = {
    "int64 (uint64, double *, double *, double *, void *)": _LOGP,
    "int64 (uint64, uint64, double *, double *, void *)": _EXPANSION,
    "double (double)": _ONE,
    "double (int, double *)": _MANY,
    "int (double *, npy_intp, double *, void *)": _WINDOW,
    "int (double *, npy_intp, double *, npy_intp, void *)": _LINE,
    "int (npy_intp *, double *, int, int, void *)": _PLACE,
}
"""The conventions by their signatures, as SciPy writes them."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A C function in memory, as long as this object lives; ``keep`` holds what it reads."""

    linked: Linked
    address: int
    function: Callable[..., object]
    errors: dict[int, str]
    keep: object


def compiled(
    f: Callable[..., object], signature: str, args: tuple[object, ...] | None
) -> Compiled:
    """Return f as a C function of a convention, compiled for such arguments."""
    row = CONVENTIONS.get(_normal(signature))
    if row is None:
        raise ArgumentValueError(
            f"no C convention {signature!r}", "choose among: " + "; ".join(CONVENTIONS)
        )
    given = row.examples(f) if args is None else args
    gradient = row.what is not What.VALUE
    request = Request(row.what, (0,) * gradient, gradient)
    program = alone(f, given, request, args is not None)
    if not row.takes(program):
        raise ArgumentTypeError(
            f"with the signature {signature!r} the function {row.wants}",
            "return float(...), np.array(...); take the arguments that the signature has",
        )
    held = "".join(f"@{symbol} = external global i8\n" for symbol in program.held)
    made = program.text(BODY, held + row.text(program, "c_function"), visible=False)
    own = {symbol: array.ctypes.data for symbol, array in program.held.items()}
    linked = link_alone(made.text, ("c_function",), own, program.thorough)
    address = linked.address("c_function")
    function = ctypes.CFUNCTYPE(row.returns, *row.params)(address)
    return Compiled(linked, address, function, status_texts(made.errors), program.held)


def _normal(signature: str) -> str:
    """Return a signature with spaces as the table has them."""
    text = " ".join(signature.replace("*", " * ").replace("(", " (").replace(",", ", ").split())
    return text.replace("* ,", "*,").replace("* )", "*)").replace("( ", "(").replace(" ,", ",")


__all__ = ["CONVENTIONS", "Compiled", "compiled"]
