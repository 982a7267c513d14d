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
from pullback.core.scipy_functions import KERNELS
from pullback.core.types import F64, Int
from pullback.frontend.kinds.dtypes import promote, real_of
from pullback.frontend.kinds.values import (
    CALLS,
    Handler,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind
from pullback.frontend.library.compiled_text import items_of, run_program
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.elementwise import map_real2, numpy_scalar
from pullback.frontend.library.numpy.reduce import logsumexp

programs = Later("pullback.frontend.library.text.special")
FILES = tuple(
    Later(f"pullback.frontend.library.text.{name}") for name in (
        "more_special", "elliptic_integrals", "inverse_distributions",
    )
)  # fmt: skip
"""Where the texts of ufuncs are, by their names."""

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


def _elementwise(name: str, text: Callable[[], object], arity: int, count: int = 1) -> Handler:
    """Return the handler of a function that is a program of so many numbers. Where SciPy has a C
    function, the value is what that gives; the derivative is the program's."""

    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        values = bind(sp, name, args, kwargs, node, **{f"x{k}": MISSING for k in range(arity)})

        def one(k: int, row: str, items: Sequence[Value]) -> Value:
            t = real_of(promote(sp, items, node))
            wide = [sp.convert(v, F64, node) for v in items]
            found = run_program(sp, text(), [numpy_scalar(v) for v in wide], node)
            result = sp.convert(items_of(found)[k] if count > 1 else found, F64, node)
            if row in KERNELS:
                row = of_whole(sp, row, items, node)
                still = [sp.b.prim("stop_gradient", v) for v in wide]
                result = sp.b.prim("valued", sp.b.prim(row, *still), result)
            return numpy_scalar(sp.convert(numpy_scalar(result), t, node))

        names = [name] if count == 1 else [f"{name}.{k}" for k in range(count)]
        found = tuple(
            elementwise(sp, values, partial(one, k, row), node) for k, row in enumerate(names)
        )
        return found[0] if count == 1 else TupleV(found)

    return call


for _function, (_program, _arity) in PROGRAMS.items():
    _name = getattr(_function, "__name__", "function")
    register(_function)(_elementwise(_name, partial(getattr, programs, _program), _arity))


def scipy_name(function: object) -> str | None:
    """The name of a ufunc of SciPy's; None: it is none."""
    if not isinstance(function, np.ufunc):
        return None
    name = function.__name__
    special = sys.modules.get("scipy.special")
    return name if getattr(special, name, None) is function else None


def of_whole(sp: Specialiser, name: str, items: Sequence[Value], node: ast.AST) -> str:
    """The row of a function for these numbers: that of whole numbers where they are ints."""
    kernel = KERNELS.get(f"{name}.l")
    if kernel is None:
        return name
    whole = [v for v, kind in zip(items, kernel.takes, strict=True) if kind == "l"]
    ints = all(isinstance(promote(sp, [v], node), Int) for v in whole)
    return f"{name}.l" if ints else name


def finder(function: object) -> Handler | None:
    """The handler of a ufunc of SciPy that has a text in one of the files."""
    name = scipy_name(function)
    if name is None or not isinstance(function, np.ufunc):
        return None
    for file in FILES:
        text = getattr(file, name, None)
        if isinstance(text, FunctionType) and text.__module__ == file.__name__:
            return _elementwise(name, partial(getattr, file, name), function.nin, function.nout)
    return None


CALLS.finders.append(finder)


@register(LaterFunction("pullback.frontend.library.text.more_special", "start"))
def start(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """SciPy's value of a function that has no derivative (``core/prims_special.py``)."""
    name, *values = args
    atoms = [sp.b.prim("stop_gradient", sp.scalar(v, node).atom) for v in values]
    title = str(sp.static(name, node, "a name"))
    return numpy_scalar(sp.b.prim(f"{title}.l" if f"{title}.l" in KERNELS else title, *atoms))


@register(LaterFunction("pullback.frontend.library.text.more_special", "row"))
def row(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The value of a row, with its derivatives."""
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
