"""Whose memory a value may share: the arrays, lists and objects in it, and the variables that it is
a snapshot of, each an ``Owner``."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence

from pullback.frontend.functions.scopes import Scope
from pullback.frontend.kinds.flatten import (
    NoKindError,
    Ownership,
    captured_value,
    captures_of,
    flatten,
    functions_in,
    parts_of,
)
from pullback.frontend.kinds.values import (
    ArrayV,
    CellV,
    Driven,
    EnumerateV,
    FunctionV,
    GeneratorV,
    ListV,
    OperatorV,
    Owner,
    PlaceV,
    RecordV,
    RefV,
    ReversedV,
    Scalar,
    Stale,
    Static,
    TupleV,
    UnionV,
    Value,
    ZipV,
)
from pullback.frontend.memory.holding import holds_memory, nodes_hold_memory


def owners_of(value: Value) -> frozenset[Owner]:
    """Return all the arrays whose memory a value may share, and the variables that it is a snapshot
    of. Functions that are still looking up their variables share nothing but their defaults: they
    see the new version."""
    return _owners_of(value, True)


def _owners_of(value: Value, captured: bool) -> frozenset[Owner]:
    """Return the same; ``captured``: also what functions capture."""

    def of_all(values: Iterable[Value]) -> frozenset[Owner]:
        return frozenset(o for v in values for o in _owners_of(v, captured))

    match value:
        case FunctionV():
            own = of_all(parts_of(value))
            return own | _captured_owners(value) if captured else own
        case ZipV(items):
            return of_all(items)
        case TupleV(items, is_list, owners):
            return of_all(items) | (owners if is_list else frozenset())
        case RecordV(_, fields, _, owners):
            return of_all(fields.values()) | owners
        case OperatorV(_, function, _, args):
            return of_all((function, *args))
        case GeneratorV(body=Driven(function, args)):
            return of_all((function, *args.values()))
        case Static() | Stale() | RefV():
            return frozenset()
        case Scalar(rank0=rank0, owners=owners):
            return owners if rank0 else frozenset()
        case ArrayV(owners=owners):
            return owners
        case PlaceV():
            return _owners_of(value.value, captured)
        case EnumerateV(items) | ReversedV(items):
            return _owners_of(items, captured)
        case UnionV(union=union) if not nodes_hold_memory(union):
            return frozenset()
        case ListV(elem=elem, cls=builtins.tuple) if not holds_memory(elem):
            return frozenset()  # nobody can change it
        case _:
            pass
    try:
        return frozenset(o for owned, _ in flatten(value).owned for o in owned)
    except NoKindError:
        return frozenset()


def memory_of(value: Value) -> frozenset[Owner]:
    """Return all the memory that a value may share, without the variables that it is a snapshot
    of."""
    return frozenset(o for o in owners_of(value) if not o.cell)


def kept_owners(value: Value) -> frozenset[Owner]:
    """Return the memory that a value shares, and the variables that it is a snapshot of, once it is
    in a list, where functions are kept with copies of what they capture."""
    kept = (flatten(f).owned for f in functions_in(value))
    return owners_of(value).union(*(owners for owned in kept for owners, _ in owned))


def _captured_owners(f: FunctionV) -> frozenset[Owner]:
    """Return the memory and the variables that a function is a snapshot of. (What is captured by
    functions inside of what it captures is among its captures.)"""
    found: frozenset[Owner] = frozenset()
    if isinstance(f.scope, Scope) and f.scope.live:
        return found
    for scope, name in captures_of(f):
        if not scope.live and not isinstance(scope.names.get(name), CellV):
            found |= scope.cells.get(name, frozenset())
            found |= _owners_of(captured_value(scope, name), False)
    return found


def met(several: Iterable[Sequence[Ownership]]) -> list[Ownership]:
    """Return the ownership of any of these values."""
    found: list[Ownership] = []
    for owned in several:
        every: frozenset[Owner] = frozenset().union(*(o for o, _ in (*found, *owned)))
        if found and len(found) != len(owned):
            found = [(every, False)] * max(len(found), len(owned))
        elif found:
            both = zip(found, owned, strict=True)
            found = [(x | y, f and g) for (x, f), (y, g) in both]
        else:
            found = list(owned)
    return found


__all__ = ["kept_owners", "memory_of", "met", "owners_of"]
