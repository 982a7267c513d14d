"""Compile Python's ``math`` module: float64 arguments, Python numbers as results, and the domain
errors that Python raises."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from pullback.core.build import f64
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom
from pullback.core.types import F64, I64, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret.scalars import whole
from pullback.frontend.kinds.kinds import static_scalar
from pullback.frontend.kinds.values import ArrayV, Scalar, Specialiser, Static, Value, register
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.library.arrays_as_numbers import require_no_axes

DOMAIN = "math domain error"
RANGE = "math range error"


@dataclass(frozen=True, slots=True)
class Row:
    """A function of one float: its primitive, the arguments that it refuses, and whether it can
    overflow.

    ``outside(sp, x)`` is true where the function raises ValueError."""

    prim: str
    outside: Callable[[Specialiser, Atom], Atom] | None = None
    overflows: bool = False


def _test(name: str, bound: float, size: bool = False) -> Callable[[Specialiser, Atom], Atom]:
    def outside(sp: Specialiser, x: Atom) -> Atom:
        return sp.b.prim(name, sp.b.prim("abs", x) if size else x, f64(bound))

    return outside


def _infinite(sp: Specialiser, x: Atom) -> Atom:
    return sp.b.prim("isinf", x)


def _pole(sp: Specialiser, x: Atom) -> Atom:
    """Return whether x is 0 or a negative integer."""
    whole = sp.b.prim("eq", sp.b.prim("floor", x), x)
    return sp.b.prim("and", whole, sp.b.prim("le", x, f64(0.0)))


def _finite_pole(sp: Specialiser, x: Atom) -> Atom:
    return sp.b.prim("and", _pole(sp, x), sp.b.prim("isfinite", x))


ROWS: dict[Callable[..., object], Row] = {
    math.sqrt: Row("sqrt", _test("lt", 0.0)),
    math.exp: Row("exp", overflows=True),
    math.exp2: Row("exp2", overflows=True),
    math.expm1: Row("expm1", overflows=True),
    math.log2: Row("log2", _test("le", 0.0)),
    math.log10: Row("log10", _test("le", 0.0)),
    math.log1p: Row("log1p", _test("le", -1.0)),
    math.sin: Row("sin", _infinite),
    math.cos: Row("cos", _infinite),
    math.tan: Row("tan", _infinite),
    math.cbrt: Row("cbrt"),
    math.asin: Row("asin", _test("gt", 1.0, size=True)),
    math.acos: Row("acos", _test("gt", 1.0, size=True)),
    math.atan: Row("atan"),
    math.sinh: Row("sinh", overflows=True),
    math.cosh: Row("cosh", overflows=True),
    math.tanh: Row("tanh"),
    math.asinh: Row("asinh"),
    math.acosh: Row("acosh", _test("lt", 1.0)),
    math.atanh: Row("atanh", _test("ge", 1.0, size=True)),
    math.erf: Row("erf"),
    math.erfc: Row("erfc"),
    math.gamma: Row("tgamma", _pole, overflows=True),
    math.lgamma: Row("lgamma", _finite_pole, overflows=True),
    math.fabs: Row("abs"),
}


def to_float(sp: Specialiser, value: Value, node: ast.AST) -> Atom:
    if isinstance(value, ArrayV):
        reason, instead = "the functions of math take numbers, not arrays", "use NumPy's function"
        require_no_axes(sp, value, node, reason, instead)
        sp.refuse(node, reason, instead)
    return sp.convert(value, F64, node)


def python(atom: Atom) -> Scalar:
    return Scalar(atom, py=True)


def folded(function: Callable[..., object], args: Args) -> Static | None:
    """Return the result of the call, computed at compile time, if all arguments are literals and it
    does not raise."""
    numbers = [a.value for a in args if isinstance(a, Static) and isinstance(a.value, (int, float))]
    if len(numbers) < len(args):
        return None
    try:
        result = function(*numbers)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return Static(result) if static_scalar(result) is not None else None


def apply(sp: Specialiser, row: Row, x: Atom, node: ast.AST) -> Atom:
    """Emit the checks of a function and its value."""
    if row.outside is not None:
        sp.require(sp.b.prim("not", row.outside(sp, x)), "ValueError", DOMAIN, node)
    result = sp.b.prim(row.prim, x)
    if row.overflows:
        fine = sp.b.prim("not", sp.b.prim("isinf", result))
        sp.require(sp.b.prim("or", fine, sp.b.prim("isinf", x)), "OverflowError", RANGE, node)
    return result


def _register_row(function: Callable[..., object], row: Row) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (x,) = bind(sp, f"math.{function.__name__}", args, kwargs, node, x=MISSING)
        known = folded(function, (x,))
        return known or python(apply(sp, row, to_float(sp, x, node), node))


for _function, _row in ROWS.items():
    _register_row(_function, _row)


_LOG = Row("log", _test("le", 0.0))


@register(math.log)
def log(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """math.log(x) and math.log(x, base)"""
    known = folded(math.log, args)
    if known is not None:
        return known
    none = Static(None)
    x, base = bind(sp, "math.log", args, kwargs, node, x=MISSING, base=none)
    top = python(apply(sp, _LOG, to_float(sp, x, node), node))
    if base is none:
        return top
    bottom = python(apply(sp, _LOG, to_float(sp, base, node), node))
    return sp.binop("/", top, bottom, node)


@register(math.pow)
def pow_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return math.pow(x, y); ValueError at run time where it is not defined."""
    values = bind(sp, "math.pow", args, kwargs, node, x=MISSING, y=MISSING)
    known = folded(math.pow, values)
    if known is not None:
        return known
    x, y = (to_float(sp, v, node) for v in values)
    b = sp.b
    result = b.prim("pow", x, y)
    given_nan = b.prim("or", b.prim("isnan", x), b.prim("isnan", y))
    given_inf = b.prim("or", b.prim("isinf", x), b.prim("isinf", y))
    fine = b.prim("or", b.prim("not", b.prim("isnan", result)), given_nan)
    sp.require(fine, "ValueError", DOMAIN, node)
    # Infinite: a pole at 0, or an overflow, unless an argument was infinite.
    over = b.prim("and", b.prim("isinf", result), b.prim("not", given_inf))
    at_zero = b.prim("eq", x, f64(0.0))
    sp.require(b.prim("not", b.prim("and", over, at_zero)), "ValueError", DOMAIN, node)
    sp.require(b.prim("not", over), "OverflowError", RANGE, node)
    return python(result)


def _register_plain2(function: Callable[..., object], prim: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, y = bind(sp, f"math.{function.__name__}", args, kwargs, node, x=MISSING, y=MISSING)
        return folded(function, (x, y)) or python(
            sp.b.prim(prim, to_float(sp, x, node), to_float(sp, y, node))
        )


_register_plain2(math.atan2, "atan2")
_register_plain2(math.copysign, "copysign")


@register(math.fmod)
def fmod(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    values = bind(sp, "math.fmod", args, kwargs, node, x=MISSING, y=MISSING)
    x, y = (to_float(sp, v, node) for v in values)
    bad = sp.b.prim("or", sp.b.prim("isinf", x), sp.b.prim("eq", y, f64(0.0)))
    nan = sp.b.prim("or", sp.b.prim("isnan", x), sp.b.prim("isnan", y))
    sp.require(sp.b.prim("or", sp.b.prim("not", bad), nan), "ValueError", DOMAIN, node)
    return python(sp.b.prim("fmod", x, y))


@register(math.hypot)
def hypot(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """math.hypot(*coordinates)"""
    if kwargs:
        sp.refuse(node, "math.hypot takes no keyword arguments")
    total: Atom | None = None
    for arg in args:
        x = to_float(sp, arg, node)
        total = sp.b.prim("abs", x) if total is None else sp.b.prim("hypot", total, x)
    return Static(0.0) if total is None else python(total)


def _scaled(factor: float) -> Callable[[Specialiser, Args, Kwargs, ast.AST], Value]:
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (x,) = bind(sp, "math.radians", args, kwargs, node, x=MISSING)
        return python(sp.b.prim("mul", to_float(sp, x, node), f64(factor)))

    return call


register(math.radians)(_scaled(math.pi / 180.0))
register(math.degrees)(_scaled(180.0 / math.pi))


# --- rounding to Python's ints -------------------------------------------------------------------


def to_python_int(sp: Specialiser, x: Atom, node: ast.AST) -> Scalar:
    """Return a float that is whole, or is to be truncated, as an int. NaN and infinities raise."""
    return python(whole(sp, x, node))


def _register_rounding(function: Callable[..., object], prim: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (x,) = bind(sp, f"math.{function.__name__}", args, kwargs, node, x=MISSING)
        known = folded(function, (x,))
        if known is not None:
            return known
        number = sp.scalar(x, node)
        if function is math.trunc and not (number.py or number.type == F64):
            sp.refuse(node, f"math.trunc is not defined for {sp.describe(number)}", "use int(x)",
                      error=ArgumentTypeError)  # fmt: skip
        if number.py and not isinstance(number.type, Real):
            return python(sp.convert(x, I64, node))
        return to_python_int(sp, sp.b.prim(prim, to_float(sp, x, node)), node)


_register_rounding(math.floor, "floor")
_register_rounding(math.ceil, "ceil")
_register_rounding(math.trunc, "trunc")


# --- tests ---------------------------------------------------------------------------------------


def _register_test(function: Callable[..., object], prim: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (x,) = bind(sp, f"math.{function.__name__}", args, kwargs, node, x=MISSING)
        return folded(function, (x,)) or python(sp.b.prim(prim, to_float(sp, x, node)))


_register_test(math.isnan, "isnan")
_register_test(math.isinf, "isinf")
_register_test(math.isfinite, "isfinite")


@register(math.isclose)
def isclose(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return |a - b| <= max(rel_tol * max(|a|, |b|), abs_tol)."""
    values = bind(
        sp, "math.isclose", args, kwargs, node,
        a=MISSING, b=MISSING, rel_tol=Static(1e-9), abs_tol=Static(0.0),
    )  # fmt: skip
    x, y, rel, absolute = (to_float(sp, v, node) for v in values)
    b = sp.b
    gap = b.prim("abs", b.prim("sub", x, y))
    size = b.prim("max", b.prim("abs", x), b.prim("abs", y))
    near = b.prim("le", gap, b.prim("max", b.prim("mul", rel, size), absolute))
    near = b.prim("and", near, b.prim("isfinite", gap))
    return python(b.prim("or", near, b.prim("eq", x, y)))


# --- products of iterables ---------------------------------------------------------------------


@register(math.prod)
def prod(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    items, start = bind(sp, "math.prod", args, kwargs, node, iterable=MISSING, start=Static(1))

    def step(state: Args, item: Value) -> Args:
        return [sp.binop("*", state[0], item, node)]

    return sp.fold(sp.iterate(items, node), [start], step, node)[0]
