"""Powers of floats, with Python's meaning."""

from __future__ import annotations

import ast
import errno

from pullback.core.build import lit
from pullback.core.messages import Constant, Limit, Message
from pullback.core.terms import Atom, Lit
from pullback.core.types import F64
from pullback.frontend.interface import Specialiser
from pullback.frontend.kinds.values import Scalar

NO_NEGATIVE_POWER = "0.0 cannot be raised to a negative power"
_RANGE = "Numerical result out of range"
_OUT_OF_RANGE = Message((Constant(errno.ERANGE), Constant(_RANGE)), 0, _RANGE)


def float_power(sp: Specialiser, x: Atom, y: Atom, node: ast.AST) -> Scalar:
    """Compile Python's ``x ** y``: 0.0 to a negative power and overflow raise; a complex result (a
    negative number to a fractional power) is refused at run time."""
    b = sp.b
    zero = lit(0.0, F64)
    if isinstance(y, Lit) and float(y.value) == 1.0:
        return Scalar(x, True)
    if isinstance(y, Lit) and float(y.value).is_integer():
        if float(y.value) < 0.0:
            sp.require(b.prim("ne", x, zero), "ZeroDivisionError", NO_NEGATIVE_POWER, node)
        result = power_of(sp, x, y)
    else:
        finite = b.prim("isfinite", x)
        if not isinstance(y, Lit):
            finite = b.prim("and", finite, b.prim("isfinite", y))
        special = b.prim("not", finite)  # these have values of their own, and raise nothing
        if not (isinstance(y, Lit) and float(y.value) > 0.0):
            fine = b.prim("or", b.prim("ne", x, zero), b.prim("ge", y, zero))
            sp.require(b.prim("or", fine, special), "ZeroDivisionError", NO_NEGATIVE_POWER, node)
        real = b.prim("ge", x, zero)
        if not isinstance(y, Lit):
            real = b.prim("or", real, b.prim("eq", y, b.prim("floor", y)))
        real = b.prim("or", real, special)
        message = "a negative number to a fractional power is complex"
        sp.require(real, Limit("NotImplementedError"), message, node)
        result = b.prim("pow", x, y)
    fits = b.prim("or", b.prim("not", b.prim("isinf", result)), b.prim("isinf", x))
    if not isinstance(y, Lit):
        fits = b.prim("or", fits, b.prim("isinf", y))
    sp.require(fits, "OverflowError", _OUT_OF_RANGE, node)
    return Scalar(result, True)


def power_of(sp: Specialiser, x: Atom, y: Atom) -> Atom:
    """Compile ``x ** y`` of reals."""
    if isinstance(y, Lit) and float(y.value) in (0.0, 1.0):
        return x if y.value else lit(1.0, x.type)
    return sp.b.prim("pow", x, y)
