"""The numbers of keys of hash tables, by which an index finds them: CPython's own ``hash`` of ints,
and of tuples and records of them, so that the items of a set stand in its order."""

from __future__ import annotations

import ast
import enum
import sys
from collections.abc import Iterable, Sequence

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.core.types import I64, Bool, Int
from pullback.frontend.kinds.flatten import flatten
from pullback.frontend.kinds.kinds import (
    Kind,
    OptionalK,
    RecordK,
    RefK,
    ScalarK,
    StaticK,
    SymbolK,
    TupleK,
    parts,
)
from pullback.frontend.kinds.table_keys import Hashed, item_kind
from pullback.frontend.kinds.values import (
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

_PRIMES = tuple(
    p - (1 << 64) if p >> 63 else p
    for p in (11400714785074694791, 14029467366897019727, 2870177450012600261)
)
"""Those of the hash of a tuple, which is xxHash without its last rounds (``tupleobject.c``)."""


def has_pythons(kind: Kind) -> bool:
    """Whether the numbers of keys of a kind are CPython's: those of texts are others in each
    process, and those of objects follow from addresses."""
    match kind:
        case ScalarK(Int() | Bool()):
            return True
        case TupleK(items):
            return all(map(has_pythons, items))
        case OptionalK(inner, other):
            return has_pythons(inner) and has_pythons(other)
        case RecordK(cls, fields) if cls is Hashed:
            item = item_kind(kind)
            return item is not None and has_pythons(item)
        case RecordK(_, fields):
            return all(has_pythons(k) for _, k in fields)
        case _:
            return False


def differs_by_process(kind: Kind) -> bool:
    """Whether the hashes of such keys, and so the order of a set of them, differ from process to
    process: those of strings do, and of objects their addresses (None has one before Python 3.12).
    """
    match kind:
        case SymbolK(cls):
            own: object = cls.__hash__
            return own in (str.__hash__, enum.Enum.__hash__)
        case RefK():
            return True
        case StaticK(_, None):
            return sys.version_info < (3, 12)
        case RecordK(cls) if cls is Hashed and item_kind(kind) is None:
            return False
        case OptionalK(inner, other):
            each = [inner, other]
        case _:
            each = [*parts(kind)]
    return any(map(differs_by_process, each)) and not any(map(_is_by_methods, each))


def _is_by_methods(kind: Kind) -> bool:
    """Whether there are objects in keys of a kind whose ``__hash__`` is asked."""
    own = isinstance(kind, RecordK) and kind.cls is Hashed and item_kind(kind) is None
    return own or any(map(_is_by_methods, parts(kind)))


def number_of(sp: Specialiser, key: Value, node: ast.AST, pythons: bool = True) -> Atom:
    """Return a number that follows from a key of a table. That it may be None, or something else,
    changes nothing where it is not, so the index of a table stays right when its keys become such
    ones. ``pythons``: CPython's own hash; if not, that of an int is another one, by which
    neighbours are far apart."""
    match key:
        case OptionalV(there, inner, other):
            both = (number_of(sp, v, node, pythons) for v in (inner, other))
            return sp.b.prim("select", there, *both)
        case Static():
            return FIRST
        case RecordV(cls, named) if cls is Hashed:
            return sp.scalar(named["code"], node).atom
        case TupleV(items, False):
            return _of_items(sp, items, node)
        case RecordV(_, named):
            return _of_items(sp, tuple(named.values()), node)
        case Scalar(atom) if pythons and isinstance(atom.type, (Int, Bool)):
            return of_int(sp, sp.convert(key, I64, node))
        case _:
            return mixed(sp, flatten(key).atoms, node)


def of_int(sp: Specialiser, n: Atom) -> Atom:
    """Return the hash of an int: what is left of its absolute value, with its sign; -1 is none."""
    return sp.b.prim("hash", n)


def _of_items(sp: Specialiser, items: Sequence[Value], node: ast.AST) -> Atom:
    found = start()
    for item in items:
        found = joined(sp, found, number_of(sp, item, node))
    return ended(sp, found, i64(len(items)))


def start() -> Atom:
    """Return the number with which that of a tuple begins."""
    return i64(_PRIMES[2])


def joined(sp: Specialiser, found: Atom, number: Atom) -> Atom:
    """Return the number so far of a tuple that has one item more."""
    return sp.b.prim("hash.join", found, number, i64(_PRIMES[1]), i64(_PRIMES[0]))


def ended(sp: Specialiser, found: Atom, count: Atom) -> Atom:
    """Return the hash of a tuple of so many items."""
    b = sp.b
    length = b.prim("xor", count, i64(_PRIMES[2] ^ 3527539))
    found = b.prim("add", found, length)
    return b.prim("select", b.prim("eq", found, i64(-1)), i64(1546275796), found)


def mixed(
    sp: Specialiser, atoms: Iterable[Atom], node: ast.AST, found: Atom = FIRST
) -> Atom:
    """Return a number that follows from others."""
    for leaf in atoms:
        number = sp.convert(Scalar(leaf, True), I64, node)
        product = sp.b.prim("mul", sp.b.prim("xor", found, number), i64(ROUND))
        found = sp.b.prim("xor", product, sp.b.prim("shr", product, i64(32)))
    return found


__all__ = [
    "FIRST", "ROUND", "differs_by_process", "ended", "has_pythons", "joined", "mixed", "number_of",
    "of_int", "start",
]  # fmt: skip
