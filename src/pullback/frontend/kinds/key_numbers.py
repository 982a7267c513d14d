"""The numbers of keys of hash tables, by which an index finds them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.core.types import I64
from pullback.frontend.kinds.flatten import flatten
from pullback.frontend.kinds.table_keys import Hashed
from pullback.frontend.kinds.values import (
    ListV,
    OptionalV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
)

ROUND = 0x9E3779B97F4A7C15 - (1 << 64)
"""The golden ratio in 64 bits, as a signed number: neighbours are put far apart."""
FIRST = i64(ROUND)


def number_of(sp: Specialiser, key: Value, node: ast.AST, found: Atom = FIRST) -> Atom:
    """Return a number that follows from a key of a table. That it may be None, or something else,
    changes nothing where it is not, so the index of a table stays right when its keys become such
    ones."""
    match key:
        case OptionalV(there, inner, other):
            numbers = number_of(sp, inner, node, found), number_of(sp, other, node, found)
            return sp.b.prim("select", there, *numbers)
        case Static():
            return found
        case RecordV(cls, {"code": Scalar(atom), "held": ListV()}) if (
            cls is Hashed and found is FIRST
        ):
            return atom  # as of a tuple whose length is known: it may be among these keys
        case RecordV(cls, named) if cls is Hashed:
            parts: Iterable[Value] = (named["code"],)
        case TupleV(items, False):
            parts = items
        case RecordV(_, named):
            parts = named.values()
        case _:
            return mixed(sp, flatten(key).atoms, node, found)
    for part in parts:
        found = number_of(sp, part, node, found)
    return found


def mixed(
    sp: Specialiser, atoms: Iterable[Atom], node: ast.AST, found: Atom = FIRST
) -> Atom:
    """Return a number that follows from others."""
    for leaf in atoms:
        number = sp.convert(Scalar(leaf, True), I64, node)
        product = sp.b.prim("mul", sp.b.prim("xor", found, number), i64(ROUND))
        found = sp.b.prim("xor", product, sp.b.prim("shr", product, i64(32)))
    return found


__all__ = ["FIRST", "ROUND", "mixed", "number_of"]
