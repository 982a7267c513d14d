"""Compile SciPy's special functions that are programs (``text/special.py``) or follow from rows.

    polygamma zeta beta betaln binom gammainc gammaincc betainc log_ndtr entr rel_entr softmax
    log_softmax

A function that is one primitive follows from the table (``elementwise``). Derivatives by an order
that is a whole number by nature (n of polygamma, s of zeta) are refused."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType

import numpy as np

from pullback.core.later import SPECIAL, Later, LaterFunction
from pullback.core.types import F64
from pullback.frontend.kinds.dtypes import promote, real_of
from pullback.frontend.kinds.values import (
    CALLS,
    Handler,
    Specialiser,
    Static,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.elementwise import map_real2, numpy_scalar
from pullback.frontend.library.numpy.reduce import logsumexp

programs = Later("pullback.frontend.library.text.special")
more = Later("pullback.frontend.library.text.more_special")

PROGRAMS: dict[Callable[..., object], tuple[str, int]] = {
    SPECIAL.beta: ("beta", 2), SPECIAL.betaln: ("betaln", 2),
    SPECIAL.binom: ("binom", 2),
    SPECIAL.gammainc: ("gammainc", 2),
    SPECIAL.gammaincc: ("gammaincc", 2),
    SPECIAL.betainc: ("betainc", 3),
    SPECIAL.log_ndtr: ("log_ndtr", 1),
    SPECIAL.polygamma: ("polygamma", 2),
    SPECIAL.entr: ("entr", 1), SPECIAL.rel_entr: ("rel_entr", 2),
}  # fmt: skip
"""For a function of SciPy, the program in ``text/special.py`` and its number of arguments."""


def _elementwise(name: str, text: Callable[[], object], arity: int) -> Handler:
    """Return the handler of a function that is a program of so many numbers."""

    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        values = bind(sp, name, args, kwargs, node, **{f"x{k}": MISSING for k in range(arity)})

        def one(items: Sequence[Value]) -> Value:
            t = real_of(promote(sp, items, node))
            wide = [numpy_scalar(sp.convert(v, F64, node)) for v in items]
            result = run_program(sp, text(), wide, node)
            return numpy_scalar(sp.convert(result, t, node))

        return elementwise(sp, values, one, node)

    return call


for _function, (_program, _arity) in PROGRAMS.items():
    _name = getattr(_function, "__name__", "function")
    register(_function)(_elementwise(_name, partial(getattr, programs, _program), _arity))


def finder(function: object) -> Handler | None:
    """The handler of a ufunc of SciPy that has a text in ``text/more_special.py``."""
    if not isinstance(function, np.ufunc):
        return None
    name = function.__name__
    special = sys.modules.get("scipy.special")
    text = getattr(more, name, None) if getattr(special, name, None) is function else None
    if not isinstance(text, FunctionType) or text.__module__ != more.__name__:
        return None
    return _elementwise(name, lambda: text, function.nin)


CALLS.finders.append(finder)


@register(LaterFunction("pullback.frontend.library.text.more_special", "start"))
def start(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """SciPy's value of a function that has no derivative (``core/prims_special.py``)."""
    name, *values = args
    atoms = [sp.b.prim("stop_gradient", sp.scalar(v, node).atom) for v in values]
    return numpy_scalar(sp.b.prim(str(sp.static(name, node, "a name")), *atoms))


@register(LaterFunction("pullback.frontend.library.text.more_special", "called"))
def called(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """SciPy's value of a function of several numbers, with the derivative of its row."""
    name, *values = args
    atoms = [sp.scalar(v, node).atom for v in values]
    return numpy_scalar(sp.b.prim(str(sp.static(name, node, "a name")), *atoms))


@register(SPECIAL.zeta)
def zeta(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """zeta(s, q): Hurwitz's; Riemann's is q = 1."""
    s, q = bind(sp, "zeta", args, kwargs, node, x=MISSING, q=Static(1.0))
    return map_real2(sp, s, q, lambda sp, x, y, node: sp.b.prim("zeta", x, y), node)


def _log_softmax(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis = bind(sp, "softmax", args, kwargs, node, x=MISSING, axis=NONE)
    options = {"axis": axis, "keepdims": Static(True)}
    total = logsumexp(sp, (x,), options, node)
    return sp.call(Static(np.subtract), (x, total), node)


@register(SPECIAL.log_softmax)
def log_softmax(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """x - logsumexp(x, axis)"""
    return _log_softmax(sp, args, kwargs, node)


@register(SPECIAL.softmax)
def softmax(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """exp(x - logsumexp(x, axis))"""
    return sp.call(Static(np.exp), (_log_softmax(sp, args, kwargs, node),), node)
