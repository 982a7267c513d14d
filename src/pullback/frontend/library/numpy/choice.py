"""Compile NumPy's functions that choose (maximum, minimum, clip, where) and those that round to
decimals."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from pullback.core.build import lit
from pullback.core.terms import Atom, Lit
from pullback.core.types import BOOL, Int, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.dtypes import promote
from pullback.frontend.kinds.values import ArrayV, Scalar, Specialiser, Static, Value, register
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, flag, is_none
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.broadcasting import broadcast, scalars
from pullback.frontend.library.numpy.elementwise import map_number, numpy_scalar, without_axes


def extreme(sp: Specialiser, name: str, values: Sequence[Value], node: ast.AST) -> Value:
    """Return ``maximum`` or ``minimum`` of two numbers."""
    t = promote(sp, values, node)
    a, b = (sp.convert(v, t, node) for v in values)
    if t == BOOL:
        return numpy_scalar(sp.b.prim("or" if name == "maximum" else "and", a, b))
    return numpy_scalar(sp.b.prim(name, a, b))


def _register_extreme(function: Callable[..., object], name: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        values = bind(sp, name, args, kwargs, node, x1=MISSING, x2=MISSING)
        return elementwise(sp, values, lambda v: extreme(sp, name, v, node), node)


for _function, _name in ((np.maximum, "maximum"), (np.minimum, "minimum")):
    _register_extreme(_function, _name)


@register(np.clip)
def clip(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return np.clip(x, low, high): x, or a bound that x is beyond, or that is NaN. With one bound,
    or a bound for each element, it is np.maximum and np.minimum, which give the bound where both
    are equal."""
    x, low, high, _, low2, high2 = bind(
        sp, "np.clip", args, kwargs, node,
        a=MISSING, a_min=NONE, a_max=NONE, out=NONE, min=NONE, max=NONE,
    )  # fmt: skip
    given = [(n, b) for n, b in (("maximum", low), ("maximum", low2), ("minimum", high),
                                 ("minimum", high2)) if not is_none(b)]  # fmt: skip
    numbers = all(isinstance(b, (Static, Scalar)) for _, b in given)
    for name, bound in given:
        if numbers and len(given) > 1:
            x = _bounded(sp, name, x, bound, node)
        else:
            chosen = partial(extreme, sp, name, node=node)
            x = elementwise(sp, (x, bound), chosen, node)
    return x


def _bounded(sp: Specialiser, name: str, x: Value, bound: Value, node: ast.AST) -> Value:
    """Return the larger or the smaller of two numbers; of equal ones the first (0.0 beside
    -0.0)."""

    def one(values: Sequence[Value]) -> Value:
        t = promote(sp, values, node)
        if not isinstance(t, Real):
            return extreme(sp, name, values, node)
        a, b = (sp.convert(v, t, node) for v in values)
        found = sp.b.prim({"maximum": "max", "minimum": "min"}[name], a, b)
        if not isinstance(b, Lit) or b.value != b.value:
            found = sp.b.prim("select", sp.b.prim("isnan", b), b, found)
        return numpy_scalar(found)

    return elementwise(sp, (x, bound), one, node)


def _register_known(function: Callable[..., object], name: str) -> None:
    """Register np.fmax or np.fmin: of two numbers of which one is NaN the other one, of equal ones
    the first."""

    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        values = bind(sp, function.__name__, args, kwargs, node, x1=MISSING, x2=MISSING)

        def one(items: Sequence[Value]) -> Value:
            t = promote(sp, items, node)
            if not isinstance(t, Real):
                return extreme(sp, name, items, node)
            a, b = (sp.convert(v, t, node) for v in items)
            best = sp.b.prim({"maximum": "max", "minimum": "min"}[name], a, b)
            return numpy_scalar(sp.b.prim("select", sp.b.prim("isnan", a), b, best))

        return elementwise(sp, values, one, node)


_register_known(np.fmax, "maximum")
_register_known(np.fmin, "minimum")


@register(np.where)
def where(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.where(cond, x, y): each arm is evaluated only where it is selected."""
    if len(args) == 1 and not kwargs:
        return sp.call(Static(np.nonzero), args, node)
    values = [
        scalars(sp, v, node)
        for v in bind(sp, "np.where", args, kwargs, node, condition=MISSING, x=MISSING, y=MISSING)
    ]
    t = promote(sp, values[1:], node)
    arrays = [v for v in values if isinstance(v, ArrayV)]
    if not arrays:
        cond = sp.convert(values[0], BOOL, node)
        x, y = (sp.convert(v, t, node) for v in values[1:])
        return without_axes(sp.b.prim("select", cond, x, y))
    extents, reads = broadcast(sp, arrays, node)

    def item(indices: tuple[Atom, ...]) -> Atom:
        readers = iter(reads)
        cond, then, orelse = (next(readers) if isinstance(v, ArrayV) else v for v in values)

        def arm(v: object) -> Value:
            number = v(indices) if callable(v) else v
            assert isinstance(number, (Scalar, Static))
            return numpy_scalar(sp.convert(number, t, node))

        choice = sp.convert(cond(indices) if callable(cond) else cond, BOOL, node)
        if callable(then) or callable(orelse):
            lazy = sp.branch(choice, lambda: arm(then), lambda: arm(orelse), node)
            return sp.scalar(lazy, node).atom
        chosen = (sp.scalar(arm(then), node).atom, sp.scalar(arm(orelse), node).atom)
        return sp.b.prim("select", choice, *chosen)

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


@register(np.round, np.around)
def round_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.round(x, decimals): to even, as NumPy: rint(x * 10**d) / 10**d"""
    x, decimals = bind(sp, "np.round", args, kwargs, node, a=MISSING, decimals=Static(0))
    digits = sp.static_int(decimals, node, "decimals")

    def one(v: Scalar) -> Atom:
        if not isinstance(v.type, Real):
            if digits < 0 and isinstance(v.type, Int):
                sp.refuse(node, "rounding integers to tens is not supported")
            if v.type == BOOL:
                sp.refuse(node, "np.round is not defined for bools", "convert them: x.astype(int)",
                          error=ArgumentTypeError)  # fmt: skip
            return v.atom
        return rounded(sp, v.atom, digits)

    return map_number(sp, x, one, node)


def rounded(sp: Specialiser, x: Atom, digits: int) -> Atom:
    scale = lit(10.0 ** abs(digits), x.type)
    if digits == 0:
        return sp.b.prim("rint", x)
    there, back = ("mul", "div") if digits > 0 else ("div", "mul")
    return sp.b.prim(back, sp.b.prim("rint", sp.b.prim(there, x, scale)), scale)


@register(np.nan_to_num)
def nan_to_num(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.nan_to_num(x, nan=0.0): NaN to a number, infinities to the largest ones, or others."""
    x, copy, nan, high, low = bind(
        sp, "np.nan_to_num", args, kwargs, node, x=MISSING, copy=Static(True), nan=Static(0.0),
        posinf=NONE, neginf=NONE,
    )  # fmt: skip
    if not flag(sp, copy, node, "copy"):
        sp.refuse(node, "copy=False, which updates the argument, is not supported", "leave it out")

    def one(v: Scalar) -> Atom:
        if not isinstance(v.type, Real):
            return v.atom
        top = float(np.finfo(np.float32 if v.type.bits == 32 else np.float64).max)
        y = sp.b.prim("min", sp.b.prim("max", v.atom, lit(-top, v.type)), lit(top, v.type))
        for end, given in ((np.inf, high), (-np.inf, low)):
            if not is_none(given):
                there = sp.b.prim("eq", v.atom, lit(end, v.type))
                y = sp.b.prim("select", there, sp.convert(given, v.type, node), y)
        return sp.b.prim("select", sp.b.prim("isnan", v.atom), sp.convert(nan, v.type, node), y)

    return map_number(sp, x, one, node)
