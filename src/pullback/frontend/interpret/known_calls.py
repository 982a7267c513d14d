"""Values of Python that nothing can change, and that are known when a program is compiled: dates,
fractions, patterns of texts, and what matches them. Python itself computes their operators, their
methods and the functions that make them, once, when the program is compiled.

An argument that only the run knows is asked for, as for a shape: the program is compiled for its
value. What depends on more than the arguments is not in here: on the clock, on the zone or language
of the machine, on the process (a hash), on a class of the user's that a time has as its zone.
"""

from __future__ import annotations

import ast
import collections
import enum
import math
import operator
import re
import sys
from collections.abc import Callable, Hashable, Sequence
from datetime import date, datetime, time, timedelta, timezone
from fractions import Fraction
from types import BuiltinFunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from pullback.core.types import Real
from pullback.errors import ArgumentTypeError, ArgumentValueError, StaticValueError
from pullback.frontend.kinds.values import Scalar, Static, TupleV, Value
from pullback.frontend.python.libraries import name_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_TYPES = (date, datetime, time, timedelta, timezone, Fraction, re.Pattern, re.Match, bytes)
_DATES = (date, datetime, time, timedelta)
_FUNCTIONS = frozenset({
    *_TYPES[:6], bin, hex, oct, re.compile, re.match, re.search, re.fullmatch,
    re.findall, re.split, re.sub, re.escape, collections.namedtuple,
})  # fmt: skip
_ALSO = frozenset({
    float, int, str, repr, bool, abs, round, len, pow, divmod, max, min, sorted, math.floor,
    math.ceil, math.trunc,
})  # fmt: skip
"""Functions that are pure where they are given such a value."""
DESIGNS: dict[str, frozenset[str]] = {
    "constants": frozenset({"precision", "unit", "value"}),
    "integrate": frozenset({"newton_cotes"}),
    "linalg": frozenset({"hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal"}),
    "signal": frozenset({
        "bessel", "butter", "buttord", "cheb1ord", "cheb2ord", "cheby1", "cheby2", "ellip",
        "ellipord", "firls", "firwin", "firwin2", "get_window", "iirdesign", "iirfilter",
        "iirnotch", "iirpeak", "kaiserord", "remez", "savgol_coeffs", "besselap", "bilinear",
        "bilinear_zpk", "buttap", "cheb1ap", "cheb2ap", "ellipap", "iircomb", "kaiser_atten",
        "kaiser_beta", "sos2tf", "sos2zpk", "tf2sos", "tf2zpk", "zpk2sos", "zpk2tf",
        *(f"lp2{to}{end}" for to in ("lp", "hp", "bp", "bs") for end in ("", "_zpk")),
    }),
    "special": frozenset({
        *(f"roots_{name}" for name in (
            "legendre", "chebyt", "chebyu", "chebyc", "chebys", "jacobi", "laguerre",
            "genlaguerre", "hermite", "hermitenorm", "gegenbauer", "sh_legendre", "sh_chebyt",
            "sh_chebyu", "sh_jacobi",
        )),
        *(f"{name}_zeros" for name in (
            "ai", "bi", "bei", "beip", "ber", "berp", "kei", "keip", "ker", "kerp", "kelvin",
            "erf", "fresnel", "fresnelc", "fresnels", "jn", "jnp", "jnjnp", "jnyn", "yn", "ynp",
            "y0", "y1", "y1p",
        )),
        "bernoulli", "euler", "factorial2", "factorialk", "stirling2", "mathieu_even_coef",
        "mathieu_odd_coef", "obl_cv_seq", "pro_cv_seq",
    }),
}  # fmt: skip
"""Functions of SciPy's modules that design a filter or a window, or give zeros, rules of quadrature
and other constants: arrays of known arguments."""
_MAKERS = frozenset({"combine", "fromisoformat", "fromordinal"})
_ASKS_MACHINE = frozenset({"astimezone", "timestamp", "strftime"})
"""Methods whose results depend on the zone of the machine or its language."""
_OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
}  # fmt: skip
_SIGNS: dict[str, Callable[[Any], object]] = {"-": operator.neg, "+": operator.pos}


def is_known(value: object) -> bool:
    """Whether a value is of a class whose objects nothing can change, and all that is in it is."""
    if isinstance(value, (datetime, time)) and type(value.tzinfo) not in (type(None), timezone):
        return False
    return type(value) in _TYPES


def is_design(obj: object) -> bool:
    """Whether a function designs a filter or a window, or gives other constants."""
    module = getattr(obj, "__module__", None)
    if not isinstance(module, str) or not module.startswith("scipy."):
        return False
    home, name = module.split(".")[1], getattr(obj, "__name__", "")
    known = name in DESIGNS.get(home, ())
    return known and getattr(sys.modules.get(f"scipy.{home}"), name, None) is obj


def is_pure(obj: object, args: Sequence[Value]) -> bool:
    """Whether a function, class or method depends on its arguments alone, and is called when the
    program is compiled."""
    if isinstance(obj, (BuiltinFunctionType, MethodType)):
        of, name = obj.__self__, obj.__name__
        if is_known(of):
            return name not in _ASKS_MACHINE
        if of in _DATES and name in _MAKERS:
            return True
    if (obj is int and len(args) == 2) or is_design(obj):  # of int: a text and its base
        return True
    if not isinstance(obj, Hashable):
        return False
    known = any(isinstance(v, Static) and is_known(v.value) for v in args)
    return obj in _FUNCTIONS or (known and obj in _ALSO)


def call(
    run: Run, obj: object, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Return what Python computes of these arguments."""
    assert callable(obj)
    what = f"an argument of {name_of(obj)}"
    given = [_value(run, v, node, what) for v in args]
    named = {k: _value(run, v, node, what) for k, v in kwargs.items()}
    return _computed(run, lambda: obj(*given, **named), node)


def binop(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Return the result of an operator of which one side is such a value; None: neither is."""
    known = [isinstance(v, Static) and is_known(v.value) for v in (left, right)]
    if not any(known) or op not in _OPERATORS:
        return None
    if not all(known) and any(map(_is_real, (left, right))):  # beside a float, a fraction is one
        return run.binop(op, _as_float(run, left, node), _as_float(run, right, node), node)
    a, b = (_value(run, v, node, f"what stands beside {op}") for v in (left, right))
    return _computed(run, lambda: _OPERATORS[op](a, b), node)


def unary(run: Run, op: str, operand: Value, node: ast.AST) -> Value | None:
    """Return ``-v`` or ``+v`` of such a value; None: it is none."""
    if op not in _SIGNS or not (isinstance(operand, Static) and is_known(operand.value)):
        return None
    known = operand.value
    return _computed(run, lambda: _SIGNS[op](known), node)


def _is_real(value: Value) -> bool:
    return isinstance(value, Scalar) and isinstance(value.type, Real)


def _as_float(run: Run, value: Value, node: ast.AST) -> Value:
    if not isinstance(value, Static):
        return value
    if not isinstance(value.value, Fraction):
        run.refuse(node, f"{run.describe(value)} beside a float", error=ArgumentTypeError)
    return Static(float(value.value))


def _value(run: Run, value: Value, node: ast.AST, what: str) -> object:
    """Return a known value. No program is compiled for the value of a float, which would have no
    derivative then."""
    if _is_real(value):
        run.refuse(
            node, f"{what} is a float that only the run knows",
            "compute it outside, and pass the result in", error=StaticValueError,
        )  # fmt: skip
    return run.static(value, node, what)


def _computed(run: Run, compute: Callable[[], object], node: ast.AST) -> Value:
    try:
        return _lifted(run, compute(), node)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as e:
        run.never(type(e).__name__, str(e), node, ArgumentValueError)


def _lifted(run: Run, value: object, node: ast.AST) -> Value:
    if type(value) in (list, tuple):
        assert isinstance(value, (list, tuple))
        each = tuple(_lifted(run, v, node) for v in value)
        return TupleV(each, isinstance(value, list))
    if isinstance(value, np.ndarray):
        return run.call(Static(np.array), (_lifted(run, value.tolist(), node),), node)
    if isinstance(value, np.generic):
        return run.call(Static(type(value)), (Static(value.item()),), node)
    return Static(value)


def is_known_in(item: object, items: object) -> bool:
    """Whether Python knows at once if something is in what is no container of the front end's."""
    if isinstance(items, enum.Flag):
        return type(item) is type(items)
    in_range = isinstance(item, int) and 0 <= item < 256
    return isinstance(items, bytes) and (isinstance(item, bytes) or in_range)


__all__ = ["binop", "call", "is_known", "is_known_in", "is_pure", "unary"]
