"""Compile NumPy's elementwise functions of real arguments: one row each, from name to primitive.

They take arrays of any shape and numbers, and give NumPy results: no domain error is raised.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from pullback.core.build import lit
from pullback.core.later import SPECIAL, LaterFunction
from pullback.core.prims import TABLE
from pullback.core.prims_special import SPECIAL_ROWS
from pullback.core.rows import real1, real2
from pullback.core.terms import Atom
from pullback.core.types import BOOL, Int, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.dtypes import promote, real_of
from pullback.frontend.kinds.values import (
    ArrayV,
    Handler,
    ListV,
    Owner,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.library.numpy.arrays import compare_numbers, elementwise, power, unary_number
from pullback.frontend.library.numpy.sequences import to_array

Unary = Callable[[Specialiser, Atom, ast.AST], Atom]
Binary = Callable[[Specialiser, Atom, Atom, ast.AST], Atom]


def numpy_scalar(atom: Atom) -> Scalar:
    return Scalar(atom, py=False)


def without_axes(atom: Atom) -> Scalar:
    """A new array of rank 0."""
    return Scalar(atom, py=False, rank0=True, owners=frozenset({Owner()}), fresh=True)


# --- of reals: ints and bools are converted first ------------------------------------------------


def real_type(sp: Specialiser, values: Sequence[Value], node: ast.AST) -> Real:
    """Return the type in which a function of reals computes."""
    t = promote(sp, values, node)
    if t == BOOL:
        sp.refuse(node, "NumPy computes this function of bools in float16",
                  "convert them: x.astype(float)", error=ArgumentTypeError)  # fmt: skip
    return real_of(t)


def map_real(sp: Specialiser, x: Value, fn: Unary, node: ast.AST) -> Value:
    """Apply ``fn`` to every element as a real number."""

    def one(values: Sequence[Value]) -> Value:
        t = real_type(sp, values, node)
        return numpy_scalar(fn(sp, sp.convert(values[0], t, node), node))

    return elementwise(sp, (x,), one, node)


def map_real2(sp: Specialiser, x: Value, y: Value, fn: Binary, node: ast.AST) -> Value:
    """Apply ``fn`` to every pair of elements as real numbers of one type."""

    def one(values: Sequence[Value]) -> Value:
        t = real_type(sp, values, node)
        a, b = (sp.convert(v, t, node) for v in values)
        return numpy_scalar(fn(sp, a, b, node))

    return elementwise(sp, (x, y), one, node)


def _prim(name: str) -> Unary:
    return lambda sp, x, node: sp.b.prim(name, x)


def _prim2(name: str) -> Binary:
    return lambda sp, x, y, node: sp.b.prim(name, x, y)


def _scaled(factor: float) -> Unary:
    return lambda sp, x, node: sp.b.prim("mul", x, lit(factor, x.type))


# Selects, not min and abs: so the derivatives below are right at 0 too.


def _logistic(sp: Specialiser, x: Atom, node: ast.AST) -> Atom:
    """1 / (1 + exp(-x)) for x >= 0, exp(x) / (1 + exp(x)) below: no overflow"""
    one = lit(1.0, x.type)
    below = sp.b.prim("lt", x, lit(0.0, x.type))
    e = sp.b.prim("exp", sp.b.prim("select", below, x, sp.b.prim("neg", x)))
    return sp.b.prim("div", sp.b.prim("select", below, e, one), sp.b.prim("add", e, one))


def _log_logistic(sp: Specialiser, x: Atom, node: ast.AST) -> Atom:
    """-log(1 + exp(-x)) for x >= 0, x - log(1 + exp(x)) below"""
    zero = lit(0.0, x.type)
    below = sp.b.prim("lt", x, zero)
    e = sp.b.prim("exp", sp.b.prim("select", below, x, sp.b.prim("neg", x)))
    return sp.b.prim("sub", sp.b.prim("select", below, x, zero), sp.b.prim("log1p", e))


def _logit(sp: Specialiser, x: Atom, node: ast.AST) -> Atom:
    """log(x) - log1p(-x)"""
    return sp.b.prim("sub", sp.b.prim("log", x), sp.b.prim("log1p", sp.b.prim("neg", x)))


def _log_gamma(sp: Specialiser, x: Atom, node: ast.AST) -> Atom:
    """Return -inf of -inf, as SciPy does; the function of C (and ``math.lgamma``) gives inf."""
    lowest = sp.b.prim("eq", x, lit(-math.inf, x.type))
    return sp.b.prim("select", lowest, x, sp.b.prim("lgamma", x))


def _normal_cdf(sp: Specialiser, x: Atom, node: ast.AST) -> Atom:
    """erfc(-x / sqrt 2) / 2"""
    z = sp.b.prim("mul", x, lit(-math.sqrt(0.5), x.type))
    return sp.b.prim("mul", sp.b.prim("erfc", z), lit(0.5, x.type))


def _sinc(sp: Specialiser, x: Atom, node: ast.AST) -> Atom:
    """sin(pi x) / (pi x), 1 at 0"""
    z = sp.b.prim("mul", x, lit(math.pi, x.type))
    zero = sp.b.prim("eq", z, lit(0.0, x.type))
    safe = sp.b.prim("select", zero, lit(1.0, x.type), z)
    ratio = sp.b.prim("div", sp.b.prim("sin", safe), safe)
    return sp.b.prim("select", zero, lit(1.0, x.type), ratio)


ROUNDING = ("floor", "ceil", "trunc")
"""Functions that leave ints unchanged."""
REAL_FUNCTIONS: dict[Callable[..., object], Unary] = {
    **{
        row.numpy: _prim(name)
        for name, row in TABLE.items()
        if row.rule is real1
        and isinstance(row.numpy, (np.ufunc, LaterFunction))
        and (row.domain or isinstance(row.numpy, np.ufunc))
        and name not in ROUNDING
    },
    np.fabs: _prim("abs"), np.sinc: _sinc, np.i0: _prim("i0"),
    np.deg2rad: _scaled(math.pi / 180), np.radians: _scaled(math.pi / 180),
    np.rad2deg: _scaled(180 / math.pi), np.degrees: _scaled(180 / math.pi),
    SPECIAL.expit: _logistic, SPECIAL.logit: _logit, SPECIAL.gammaln: _log_gamma,
    SPECIAL.log_expit: _log_logistic, SPECIAL.ndtr: _normal_cdf,
    SPECIAL.expm1: _prim("expm1"), SPECIAL.log1p: _prim("log1p"),
    SPECIAL.exp2: _prim("exp2"), SPECIAL.cbrt: _prim("cbrt"),
}  # fmt: skip
"""Functions that are rows of the table of primitives, and those that are made of several rows."""


def _logaddexp(sp: Specialiser, x: Atom, y: Atom, node: ast.AST) -> Atom:
    """top + log1p(exp(low - top)); equal infinities have the difference 0."""
    first = sp.b.prim("ge", x, y)
    top, low = sp.b.prim("select", first, x, y), sp.b.prim("select", first, y, x)
    equal = sp.b.prim("and", sp.b.prim("eq", x, y), sp.b.prim("isinf", x))
    gap = sp.b.prim("select", equal, lit(0.0, x.type), sp.b.prim("sub", low, top))
    return sp.b.prim("add", top, sp.b.prim("log1p", sp.b.prim("exp", gap)))


def _times_log(name: str, limit: float) -> Binary:
    """x log(y), but 0 where x is 0 and y outside the domain of log"""

    def call(sp: Specialiser, x: Atom, y: Atom, node: ast.AST) -> Atom:
        outside = sp.b.prim("le", y, lit(limit, y.type))
        gone = sp.b.prim("and", sp.b.prim("eq", x, lit(0.0, x.type)), outside)
        safe = sp.b.prim("select", gone, lit(1.0, y.type), y)
        log = sp.b.prim("select", gone, lit(0.0, y.type), sp.b.prim(name, safe))
        return sp.b.prim("mul", x, log)

    return call


def _heaviside(sp: Specialiser, x: Atom, y: Atom, node: ast.AST) -> Atom:
    above = sp.b.prim("gt", x, lit(0.0, x.type))
    step = sp.b.prim("select", above, lit(1.0, x.type), lit(0.0, x.type))
    step = sp.b.prim("select", sp.b.prim("eq", x, lit(0.0, x.type)), y, step)
    return sp.b.prim("select", sp.b.prim("isnan", x), lit(math.nan, x.type), step)


REAL_FUNCTIONS2: dict[Callable[..., object], Binary] = {
    np.arctan2: _prim2("atan2"), np.hypot: _prim2("hypot"), np.copysign: _prim2("copysign"),
    np.logaddexp: _logaddexp, np.heaviside: _heaviside,
    **{
        row.numpy: _prim2(name)
        for name, row in SPECIAL_ROWS.rows.items()
        if row.rule is real2 and row.domain
    },
    SPECIAL.xlogy: _times_log("log", 0.0), SPECIAL.xlog1py: _times_log("log1p", -1.0),
}  # fmt: skip


@register(np.fmod)
def _fmod(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The remainder with the sign of the dividend; of ints an int, 0 for a divisor of 0."""
    values = bind(sp, "np.fmod", args, kwargs, node, x1=MISSING, x2=MISSING)

    def one(items: Sequence[Value]) -> Value:
        t = promote(sp, items, node)
        if not isinstance(t, Int):
            t = real_type(sp, items, node)
        x, y = (sp.convert(v, t, node) for v in items)
        if isinstance(t, Real):
            return numpy_scalar(sp.b.prim("fmod", x, y))
        zero, rest = lit(0, t), sp.b.prim("mod", x, y)
        other = sp.b.prim("xor", sp.b.prim("lt", x, zero), sp.b.prim("lt", y, zero))
        fixed = sp.b.prim("and", other, sp.b.prim("ne", rest, zero))
        return numpy_scalar(sp.b.prim("select", fixed, sp.b.prim("sub", rest, y), rest))

    return elementwise(sp, values, one, node)


def _register_real(function: Callable[..., object], fn: Unary) -> None:
    name = getattr(function, "__name__", "function")

    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (x,) = bind(sp, name, args, kwargs, node, x=MISSING)
        return map_real(sp, x, fn, node)


def _register_real2(function: Callable[..., object], fn: Binary) -> None:
    name = getattr(function, "__name__", "function")

    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, y = bind(sp, name, args, kwargs, node, x1=MISSING, x2=MISSING)
        return map_real2(sp, x, y, fn, node)


for _function, _unary in REAL_FUNCTIONS.items():
    _register_real(_function, _unary)
for _function, _binary in REAL_FUNCTIONS2.items():
    _register_real2(_function, _binary)


# --- operators by their NumPy names --------------------------------------------------------------

_OPERATORS: dict[Callable[..., object], str] = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.true_divide: "/",
    np.floor_divide: "//", np.remainder: "%", np.power: "**", np.bitwise_and: "&",
    np.bitwise_or: "|", np.bitwise_xor: "^", np.left_shift: "<<", np.right_shift: ">>",
}  # fmt: skip
_COMPARISONS: dict[Callable[..., object], str] = {
    np.equal: "==", np.not_equal: "!=", np.less: "<", np.less_equal: "<=",
    np.greater: ">", np.greater_equal: ">=",
}  # fmt: skip


def as_numpy(sp: Specialiser, value: Value, node: ast.AST, like: Sequence[Value] = ()) -> Value:
    """Return a number as NumPy sees it in a call of a NumPy function, so that arithmetic has
    NumPy's meaning; beside an array a Python number stays weak."""
    if any(isinstance(v, ArrayV) or (isinstance(v, Scalar) and not v.py) for v in like):
        return value
    if isinstance(value, (Static, Scalar)):
        return Scalar(sp.scalar(value, node).atom, py=False)
    return value


def strong(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return a number as np.asarray sees it: of its own type, also beside arrays of other types."""
    if isinstance(value, (Static, Scalar)):
        return Scalar(sp.scalar(value, node).atom, py=False)
    return value


def _register_operator(function: Callable[..., object], op: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        values = bind(sp, function.__name__, args, kwargs, node, x1=MISSING, x2=MISSING)
        numbers = [as_numpy(sp, v, node, values) for v in values]
        if op == "**":
            known = isinstance(values[1], Static) and values[1].value == 0.5
            return power(sp, numbers[0], values[1] if known else numbers[1], node)
        return elementwise(sp, numbers, lambda v: sp.binop(op, v[0], v[1], node), node)


def _register_comparison(function: Callable[..., object], op: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        values = bind(sp, function.__name__, args, kwargs, node, x1=MISSING, x2=MISSING)
        return elementwise(sp, values, lambda v: compare_numbers(sp, op, v, node), node)


for _function, _op in _OPERATORS.items():
    _register_operator(_function, _op)
for _function, _op in _COMPARISONS.items():
    _register_comparison(_function, _op)


# --- functions that keep the kind of number ------------------------------------------------------


def map_number(sp: Specialiser, x: Value, fn: Callable[[Scalar], Atom], node: ast.AST) -> Value:
    """Apply ``fn`` to every element, in the element's own type."""
    return elementwise(sp, (x,), lambda v: numpy_scalar(fn(sp.scalar(v[0], node))), node)


def number_function(
    *functions: Callable[..., object],
) -> Callable[[Callable[[Specialiser, Scalar, ast.AST], Atom]], Handler]:
    """Return a decorator that registers a function of one number of any kind, elementwise."""

    def enter(fn: Callable[[Specialiser, Scalar, ast.AST], Atom]) -> Handler:
        @register(*functions)
        def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
            (x,) = bind(sp, functions[0].__name__, args, kwargs, node, x=MISSING)
            return map_number(sp, x, lambda v: fn(sp, v, node), node)

        return call

    return enter


@number_function(np.absolute)
def _absolute(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
    return x.atom if x.type == BOOL else sp.b.prim("abs", x.atom)


@number_function(np.negative)
def _negative(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
    return sp.scalar(unary_number(sp, "-", x, node), node).atom


def _no_bool(sp: Specialiser, x: Scalar, node: ast.AST) -> None:
    """Refuse bools: NumPy refuses them too, or computes with them in int8 or float16."""
    if x.type == BOOL:
        sp.refuse(node, "this function is not defined for bools", "convert them: x.astype(int)",
                  error=ArgumentTypeError)  # fmt: skip


@number_function(np.positive, np.conjugate)
def _positive(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
    _no_bool(sp, x, node)
    return x.atom


def _part(name: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.real(x) and np.imag(x): the attribute of the number or array."""
    (x,) = bind(sp, f"np.{name}", args, kwargs, node, val=MISSING)
    whole = to_array(sp, x, node) if isinstance(x, (TupleV, ListV)) else x
    return sp.attribute(whole, name, node)


register(np.real)(partial(_part, "real"))
register(np.imag)(partial(_part, "imag"))


@number_function(np.square)
def _square(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
    _no_bool(sp, x, node)
    return sp.b.prim("mul", x.atom, x.atom)


@number_function(np.reciprocal)
def _reciprocal(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
    if not isinstance(x.type, Real):
        sp.refuse(node, "np.reciprocal of integers is not supported", "write 1.0 / x")
    return sp.b.prim("div", lit(1.0, x.type), x.atom)


@number_function(np.sign)
def _sign(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
    _no_bool(sp, x, node)
    return sp.b.prim("sign", x.atom)


@number_function(np.invert)
def _invert(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
    return sp.scalar(unary_number(sp, "~", x, node), node).atom


@number_function(np.logical_not)
def _logical_not(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
    return sp.b.prim("not", sp.convert(x, BOOL, node))


def _register_rounding(function: Callable[..., object], name: str) -> None:
    @number_function(function)
    def call(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
        return sp.b.prim(name, x.atom) if isinstance(x.type, Real) else x.atom


for _name in ROUNDING:
    _register_rounding(TABLE[_name].numpy, _name)


def _register_test(function: Callable[..., object], name: str, otherwise: bool) -> None:
    @number_function(function)
    def call(sp: Specialiser, x: Scalar, node: ast.AST) -> Atom:
        return sp.b.prim(name, x.atom) if isinstance(x.type, Real) else lit(otherwise, BOOL)


for _function, _name, _otherwise in (
    (np.isnan, "isnan", False), (np.isinf, "isinf", False), (np.isfinite, "isfinite", True),
):  # fmt: skip
    _register_test(_function, _name, _otherwise)


def _register_logic(function: Callable[..., object], name: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, y = bind(sp, function.__name__, args, kwargs, node, x1=MISSING, x2=MISSING)

        def one(values: Sequence[Value]) -> Value:
            a, b = (sp.convert(v, BOOL, node) for v in values)
            return numpy_scalar(sp.b.prim(name, a, b))

        return elementwise(sp, (x, y), one, node)


for _function, _name in (
    (np.logical_and, "and"), (np.logical_or, "or"), (np.logical_xor, "xor"),
):  # fmt: skip
    _register_logic(_function, _name)
