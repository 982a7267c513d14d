"""Types and values between Core and the papers' language.

    Real(64) R   Int(64) Z   Bool 1 + 1   Array(t, n) Arr (.. (Arr t))   Tuple left-nested pairs
    Sum of variants: left-nested sums of the tuples of their fields      Named: a declared type

>>> t = Sum((Variant("A", (Real(64),)), Variant("B", (Int(64), Real(64)))))
>>> to_nested(t, Node(1, [3, 0.5]), {})
Inj(tag=1, value=(3, 0.5))
>>> from_nested(t, Inj(1, ((), 0.25)), {})  # of a cotangent
Node(1, (None, 0.25))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from pullback.core.terms import Program
from pullback.core.types import (
    Array,
    Bool,
    Decl,
    Handle,
    Int,
    Named,
    Real,
    Sum,
    Tuple,
    Type,
    Variant,
)
from pullback.core.values import Node, make_array
from pullback.papers.language import terms as nested
from pullback.papers.language.build import tuple_type
from pullback.papers.language.prims import nested_type
from pullback.papers.language.terms import Arr, DataDecl, Inl, Inr, Plus, Term
from pullback.papers.language.values import ConV, Inj, array, items, to_bool, tuple_value
from pullback.papers.methods import Unsupported

NDArray = np.ndarray[tuple[int, ...], np.dtype[np.generic]]


def type_of(t: Type, program: Program) -> nested.Type:
    """Return the papers' type of a Core type."""
    match t:
        case Real() | Int() | Bool():
            try:
                return nested_type(t)
            except TypeError as e:
                raise Unsupported(str(e)) from None
        case Array(elem, rank):
            out = type_of(elem, program)
            for _ in range(rank):
                out = Arr(out)
            return out
        case Tuple(parts):
            return tuple_type(*(type_of(p, program) for p in parts))
        case Sum(variants):
            return sum_type([variant_type(v, program) for v in variants])
        case Named(name):
            return nested.Data(name)
        case Handle():
            raise Unsupported("accumulators are not in the papers' languages")


def variant_type(v: Variant, program: Program) -> nested.Type:
    """Return the type of the fields of a variant."""
    return tuple_type(*(type_of(f, program) for f in v.fields))


def sum_type(types: Sequence[nested.Type]) -> nested.Type:
    """The sum type t1 + .. + tn: binary sums, nested to the left."""
    out = types[0]
    for t in types[1:]:
        out = Plus(out, t)
    return out


def inject(t: Term, tag: int, types: Sequence[nested.Type]) -> Term:
    """Return ``t`` as the alternative ``tag`` of t1 + .. + tn."""
    out = t if tag == 0 else Inr(t, sum_type(types[:tag]))
    for other in types[max(tag, 0) + 1 :]:
        out = Inl(out, other)
    return out


def declarations(program: Program) -> tuple[DataDecl, ...]:
    """Return the declared types."""
    return tuple(
        DataDecl(d.name, (), tuple(
            (name, tuple(type_of(f, program) for f in v.fields))
            for name, v in zip(constructors(d), d.variants, strict=True)))
        for d in program.decls.values()
    )


def constructors(d: Decl) -> list[str]:
    """Return the names of the variants as constructors; of several variants with one name
    (lambdas), the later ones get a number."""
    names = [v.name for v in d.variants]
    return [name if name not in names[:k] else f"{name}.{k}" for k, name in enumerate(names)]


# --- values ---------------------------------------------------------------------------------------


def to_nested(t: Type, v: object, decls: Mapping[str, Decl]) -> object:
    """Return a value of Core's evaluator as a value of the papers' language."""
    match t:
        case Real():
            return float(cast(float, v))
        case Int():
            return int(cast(int, v))
        case Bool():
            return to_bool(v)
        case Array(elem, rank):
            return [
                to_nested(Array(elem, rank - 1) if rank > 1 else elem, x, decls)
                for x in cast("Sequence[object]", v)
            ]
        case Tuple(parts):
            return tuple_value(
                *(
                    to_nested(p, x, decls)
                    for p, x in zip(parts, cast("tuple[object, ...]", v), strict=True)
                )
            )
        case Sum(variants):
            assert isinstance(v, Node)
            out = _fields(variants[v.tag], v, decls)
            out = Inj(1, out) if v.tag else out
            for _ in variants[v.tag + 1 :]:
                out = Inj(0, out)
            return out
        case Named(name):
            assert isinstance(v, Node)
            variant = decls[name].variants[v.tag]
            return ConV(constructors(decls[name])[v.tag], tuple(
                to_nested(f, x, decls) for f, x in zip(variant.fields, v.fields, strict=True)))
        case Handle():
            raise Unsupported("accumulators are not in the papers' languages")


def _fields(variant: Variant, v: Node, decls: Mapping[str, Decl]) -> object:
    return tuple_value(
        *(to_nested(f, x, decls) for f, x in zip(variant.fields, v.fields, strict=True))
    )


def from_nested(t: Type, v: object, decls: Mapping[str, Decl], like: object = None) -> object:
    """Back again. In a cotangent () stands for an integer or a truth value, and is ``None`` here;
    ``like`` is the value whose cotangent it is: it has the shapes of empty arrays."""
    match t:
        case Real():
            return float(cast(float, v))
        case Int():
            return None if v == () else v
        case Bool():
            return bool(v.tag) if isinstance(v, Inj) else None
        case Array(elem, rank):
            return _from_array(elem, rank, v, decls, like)
        case Tuple(parts):
            likes = cast("tuple[object, ...]", like) or (None,) * len(parts)
            return tuple(
                from_nested(p, x, decls, y)
                for p, x, y in zip(parts, items(v, len(parts)), likes, strict=True)
            )
        case Sum(variants):
            tag = len(variants) - 1
            while tag > 0 and isinstance(v, Inj) and v.tag == 0:
                v, tag = v.value, tag - 1
            if tag > 0:
                v = cast(Inj, v).value
            fields = items(v, len(variants[tag].fields))
            return _node(tag, variants[tag], fields, decls, like)
        case Named(name):
            assert isinstance(v, ConV)
            variants = decls[name].variants
            tag = constructors(decls[name]).index(v.name)
            return _node(tag, variants[tag], v.fields, decls, like)
        case Handle():
            raise Unsupported("accumulators are not in the papers' languages")


def _node(
    tag: int, variant: Variant, fields: Sequence[object], decls: Mapping[str, Decl], like: object
) -> Node:
    likes = like.fields if isinstance(like, Node) else (None,) * len(fields)
    return Node(tag, [
        from_nested(t, x, decls, y) for t, x, y in zip(variant.fields, fields, likes, strict=True)])


def _from_array(
    elem: Type, rank: int, v: object, decls: Mapping[str, Decl], like: object
) -> object:
    shape: list[int] = []
    level = [v]
    for _ in range(rank):
        shape.append(len(array(level[0])) if level else 0)
        level = [x for row in level for x in array(row)]
    primal = list(like.flat) if isinstance(like, np.ndarray) else [None] * len(level)
    values = [from_nested(elem, x, decls, y) for x, y in zip(level, primal, strict=True)]
    if isinstance(elem, Int | Bool) and None in values:
        return None
    whole = like.shape if isinstance(like, np.ndarray) else tuple(shape)
    return make_array(elem, values, whole)
