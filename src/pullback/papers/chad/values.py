"""Cotangents as data, from a value's shape and back, and their size (Efficient CHAD, section 4.3).

    size 0 = size r = size () = 1    size (a, b) = 1 + size a + size b    size (inl a) = 1 + size a

The sparse representation has a ``Zero`` for a cotangent of which nothing is known, and bags for
arrays; what a user gets has the shape of the value, with zeros written out and bags added up.

>>> from pullback.papers.language.terms import R
>>> sparse = (Zero(t2(Prod(R, R))), 2.0)
>>> size(sparse), from_cotangent(sparse, ((3.0, 4.0), 5.0))
(3, ((0.0, 0.0), 2.0))
>>> both = ConV("BPlus", (ConV("BOne", ((1, 2.0),)), ConV("BOne", ((1, 0.5),))))
>>> from_cotangent(both, [7.0, 8.0]), to_cotangent(Arr(R), [1.0, 2.0])
([0.0, 2.5], ConV(name='BArray', fields=([1.0, 2.0],)))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pullback.papers.chad.types import t2
from pullback.papers.language.check import Types
from pullback.papers.language.linear import L_1, plus
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    Arr,
    Context,
    Data,
    Plus,
    Prod,
    Real,
    Type,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import ConV, Inj, Packed, Zero, array, items, pair, tuple_value

NOTHING = Zero(L_1)
"""A zero whose type does not matter."""

def to_cotangent(t: Type, seed: object, types: Types | None = None) -> object:
    """Return a cotangent shaped like a value, in the sparse representation; an array is a BArray.
    ``types`` knows the declared types."""
    match t:
        case Real():
            return float(cast(float, seed))
        case Prod(a, b):
            first, second = pair(seed)
            return to_cotangent(a, first, types), to_cotangent(b, second, types)
        case Plus(a, b):
            if not isinstance(seed, Inj):  # of a truth value: there is nothing in it
                return Zero(t2(t))
            return Inj(seed.tag, to_cotangent(b if seed.tag else a, seed.value, types))
        case Arr(a):
            return ConV("BArray", ([to_cotangent(a, x, types) for x in array(seed)],))
        case Data():
            assert isinstance(seed, ConV) and types is not None
            fields = types.fields(t)
            parts = zip(fields[seed.name], seed.fields, strict=True)
            return Inj(list(fields).index(seed.name), tuple_value(
                *(to_cotangent(f, x, types) for f, x in parts)))
        case _:
            return ()


def from_cotangent(d: object, value: object) -> object:
    """Return a cotangent shaped like ``value``: zeros are written out, bags are added up."""
    inside = d.value if isinstance(d, Inj) else d
    match value:
        case float():
            return 0.0 if isinstance(d, Zero) else d
        case list():  # before pairs: a list of two is a sequence of two to a pattern
            m = Machine()
            cells: dict[int, object] = {}
            for k, e in [] if isinstance(d, Zero) else collected(d):
                cells[k] = plus(m, cells[k], e) if k in cells else e
            return [from_cotangent(cells.get(k, NOTHING), x) for k, x in enumerate(value)]
        case (v1, v2):
            d1, d2 = (d, d) if isinstance(d, Zero) else pair(d)
            return from_cotangent(d1, v1), from_cotangent(d2, v2)
        case Inj(tag, x):
            return Inj(tag, from_cotangent(inside, x))
        case ConV(name, fields):
            n = len(fields)
            ds = [inside] * n if isinstance(inside, Zero) else items(inside, n)
            return ConV(name, tuple(map(from_cotangent, ds, fields)))
        case _:
            return ()


def collected(bag_: object) -> list[tuple[int, object]]:
    """Return the index-cotangent pairs of a bag, in order."""
    out: list[tuple[int, object]] = []
    todo = [bag_]
    while todo:
        b = todo.pop()
        assert isinstance(b, ConV)
        match b.name:
            case "BEmpty":
                pass
            case "BOne":
                k, e = pair(b.fields[0])
                out.append((cast(int, k), e))
            case "BPlus":
                todo += [b.fields[1], b.fields[0]]
            case "BArray":
                out += enumerate(array(b.fields[0]))
            case _:
                out += cast("list[tuple[int, object]]", b.fields[0])
    return out


def bag_size(bag_: object) -> int:
    """Return the number of constructors of a bag, with the lengths of its blocks."""
    count, todo = 0, [bag_]
    while todo:
        b = todo.pop()
        assert isinstance(b, ConV)
        count += 1
        if b.name == "BPlus":
            todo += b.fields
        elif b.name in ("BArray", "BPairs"):
            count += len(array(b.fields[0]))
    return count


def size(d: object) -> int:
    """Return the size of a cotangent (section 4.3): R 1, 1 1, None 1, pair 1 + .., inl 1 + .."""
    total, todo = 0, [d]
    while todo:
        d = todo.pop()
        total += 1
        match d:
            # size (a, b) = 1 + size a + size b
            case (a, b):
                todo += [a, b]
            # size (inl a) = 1 + size a
            case Inj(_, x) | Packed(_, x):
                todo.append(x)
            # size 0 = size r = size () = 1
            case _:
                pass
    return total


def environment(cells: object, context: Context, args: Mapping[str, object]) -> tuple[object, ...]:
    """Return the cotangents in an environment tuple, shaped like the arguments."""
    values = items(cells, len(context) + 1)[1:]
    return deeply(lambda: tuple(
        from_cotangent(d, args[x]) for (x, _), d in zip(context, values, strict=True)))
