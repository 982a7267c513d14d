"""Compile the functions of ``pullback.structures`` of which matrices of derivatives are made."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from pullback import structures
from pullback.core.build import lit
from pullback.core.terms import Atom
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.complex_pairs import is_complex, is_complex_array
from pullback.frontend.kinds.values import (
    ArrayV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import NONE, Args, Kwargs
from pullback.frontend.library.structures import items_of


@register(structures.units)
def units(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (values,) = args
    count = range(len(items_of(sp, values, node)))
    return TupleV(tuple(TupleV(tuple(Static(i == j) for j in count)) for i in count))


@register(structures.turned)
def turned(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, count = args
    first = sp.static_int(count, node, "how many axes are moved")
    if isinstance(x, RecordV) and is_complex_array(x):
        parts = {n: turned(sp, (v, count), kwargs, node) for n, v in x.fields.items()}
        return replace(x, fields=parts)
    if not first or not isinstance(x, ArrayV):
        return x
    axes = [*range(first, x.rank), *range(first)]
    return sp.call(Static(np.transpose), (x, TupleV(tuple(map(Static, axes)))), node)


@register(structures.one_hot)
def one_hot(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, index = args
    if isinstance(x, RecordV):
        real = one_hot(sp, (x.fields["real"], index), {}, node)
        imag: Value = Static(0.0)
        if is_complex_array(x):
            imag = sp.call(Static(np.zeros_like), (x.fields["imag"],), node)
        return replace(x, fields={"real": real, "imag": imag})
    if not isinstance(x, ArrayV):
        t = sp.scalar(x, node).type
        return Scalar(lit(1.0, t), py=False)
    place = [ext.int_atom(sp, i, node, "an index") for i in items_of(sp, index, node)]
    one, zero = lit(1.0, x.elem), lit(0.0, x.elem)

    def item(indices: tuple[Atom, ...]) -> Atom:
        here, *others = (sp.b.prim("eq", i, k) for i, k in zip(indices, place, strict=True))
        for other in others:
            here = sp.b.prim("and", here, other)
        return sp.b.prim("select", here, one, zero)

    extents = ext.extents(sp, x)
    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


@register(structures.require_kind)
def require_kind(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    values, *said = args
    holomorphic, other, what = (sp.static(v, node, "an option") for v in said)
    for value in items_of(sp, values, node):
        if is_complex(value) is not bool(holomorphic):
            error = structures.not_of_kind(bool(holomorphic), str(other), str(what))
            sp.refuse(node, *error, error=ArgumentTypeError)
    return NONE


__all__ = ["one_hot", "require_kind", "turned", "units"]
