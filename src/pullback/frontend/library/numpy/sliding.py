"""Compile ``sliding_window_view``, and the nodes of Gauss' rules of integration."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.core.build import lit
from pullback.core.terms import Atom
from pullback.core.types import F64
from pullback.errors import ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import Specialiser, TupleV, Value, register
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.numpy.rearrange import as_array
from pullback.frontend.library.numpy.reduce import axes_of, named_axes
from pullback.frontend.library.numpy.sequences import display


@register(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """All windows of a shape in an array: a view, which cannot be updated."""
    x, shape, axis = bind(
        sp, "sliding_window_view", args, kwargs, node, x=MISSING, window_shape=MISSING, axis=NONE
    )
    array = as_array(sp, x, node)
    sizes = shape.items if isinstance(shape, TupleV) else (shape,)
    axes = axes_of(sp, axis, array.rank, node) if is_none(axis) else named_axes(
        sp, axis, array.rank, node)  # fmt: skip
    if len(axes) != len(sizes):
        reason = "Since axis is None, must provide window_shape for all dimensions of `x`"
        if not is_none(axis):
            reason = "Must provide matching length window_shape and axis"
        sp.refuse(node, f"{reason}; got {len(sizes)} and {len(axes)}", error=ArgumentValueError)
    own = list(ext.extents(sp, array))
    windows = [ext.int_atom(sp, size, node, "an extent") for size in sizes]
    for k, size in zip(axes, windows, strict=True):
        message = "`window_shape` cannot contain negative values"
        sp.require(sp.b.prim("ge", size, ext.ZERO), "ValueError", message, node)
        own[k] = ext.add(sp, ext.sub(sp, own[k], size), ext.ONE)
        message = "window shape cannot be larger than input array shape"
        sp.require(sp.b.prim("ge", own[k], ext.ONE), "ValueError", message, node)
    extents = (*own, *windows)

    def item(i: tuple[Atom, ...]) -> Atom:
        place = list(i[: array.rank])
        for k, at in zip(axes, i[array.rank :], strict=True):
            place[k] = ext.add(sp, place[k], at)
        return sp.b.index(array.atom, tuple(place), checked=False)

    made = ext.note(sp, sp.array(extents, item, node), extents, built=True)
    return ext.note(sp, sp.view(made.atom, array), extents, built=True)


def _register_rule(function: Callable[..., Any]) -> None:
    """Register the nodes and weights of a rule, which are constants."""

    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (degree,) = bind(sp, function.__name__, args, kwargs, node, deg=MISSING)
        number = sp.static_int(degree, node, "deg")
        if number <= 0:
            sp.refuse(node, "deg must be a positive integer", error=ArgumentValueError)
        places, weights = function(number)
        return TupleV(tuple(
            display(sp, [lit(float(v), F64) for v in line], node) for line in (places, weights)
        ))  # fmt: skip


for _rule in (
    np.polynomial.legendre.leggauss, np.polynomial.hermite.hermgauss,
    np.polynomial.hermite_e.hermegauss, np.polynomial.laguerre.laggauss,
    np.polynomial.chebyshev.chebgauss,
):  # fmt: skip
    _register_rule(_rule)
