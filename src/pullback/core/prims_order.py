"""Rows for the order of vectors, which NumPy's sorts find (``numpy_sorts``).

    ascending(x)    the elements in ascending order, NaN last
    places(x)       the places of the elements in that order; equal ones stay in their order

Both are of float64 or of int64. The derivative of ``ascending`` follows the elements: tangents are
read at the places, cotangents are written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pullback.core.rows import ZERO, Mark, Row, Static, Table, Whole
from pullback.core.terms import Atom, Build, Lit, Loop, Update, Var
from pullback.core.types import F64, I64, Array, Type

if TYPE_CHECKING:
    from pullback.core.build import Builder

ORDER = Table()
_PLACES = Array(I64, 1)

Args = tuple[Atom, ...]
Given = tuple[Atom | None, ...]


def _vector(types: tuple[Type, ...], static: Static) -> Type:
    if types not in ((Array(F64, 1),), (_PLACES,)) or static:
        raise TypeError(f"takes a vector of float64 or int64, not {types}")
    return types[0]


def _ascending(x: Any) -> Any:
    return np.sort(x)


def _places(x: Any) -> Any:
    return np.argsort(x, kind="stable")


def _at(b: Builder, x: Atom, places: Atom) -> Var:
    """Return the elements of a vector at these places."""
    i, inner = Var("i", I64), type(b)()
    place = inner.index(places, (i,), checked=False)
    body = inner.block((inner.index(x, (place,), checked=False),))
    return b.let(Build((b.dim(places, 0),), (i,), body), (x.type,))[0]


def _inverse(b: Builder, places: Atom) -> Var:
    """Return for each place where it stands among the places."""
    i, inner = Var("i", I64), type(b)()
    n = b.dim(places, 0)
    (none,) = b.let(Build((n,), (i,), inner.block((Lit(0, I64),))), (_PLACES,))
    k, found, body = Var("k", I64), Var("found", _PLACES), type(b)()
    at = body.index(places, (k,), checked=False)
    (stored,) = body.let(Update(found, (at,), k, False), (_PLACES,))
    return b.let(Loop(n, k, (found,), (none,), body.block((stored,))), (_PLACES,))[0]


def _tangent(b: Builder, args: Args, d: Given, out: Atom, static: Static) -> Atom:
    assert d[0] is not None
    return _at(b, d[0], b.prim("places", args[0]))


def _cotangents(b: Builder, args: Args, ct: Atom, out: Atom, static: Static) -> Given:
    return (_at(b, ct, _inverse(b, b.prim("places", args[0]))),)


ORDER.add(Row(
    "ascending", 1, lambda types, static: (_vector(types, static),), _ascending, (Mark.WHOLE,),
    {"array": "lower"}, cost="transform", whole=Whole(_tangent, _cotangents),
))  # fmt: skip
ORDER.add(Row(
    "places", 1, lambda types, static: (_vector(types, static) and _PLACES,), _places, (ZERO,),
    {"array": "lower"}, cost="transform",
))  # fmt: skip

__all__ = ["ORDER"]
