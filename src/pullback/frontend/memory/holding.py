"""Which values and kinds hold memory that can be updated in place."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, TypeGuard

from pullback.frontend.kinds.complex_pairs import is_complex_array
from pullback.frontend.kinds.flatten import NoKindError, kind_of
from pullback.frontend.kinds.kinds import (
    ClosureK,
    FunctionK,
    FunctionRefK,
    HashK,
    Kind,
    ListK,
    OptionalK,
    RangeK,
    RecordK,
    RefK,
    ScalarK,
    StaticK,
    SymbolK,
    TupleK,
    UnionK,
    parts,
)
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.python.object_classes import are_dicts, changes
from pullback.frontend.python.syntax import LIST_UPDATES

if TYPE_CHECKING:
    from pullback.frontend.python.records import Union


Updatable = ArrayV | ListV | TupleV | RecordV | HashV | Scalar
"""Objects that updates change; and records with such objects in them (``is_root``)."""


def holds_memory(kind: Kind) -> bool:
    """Whether there can be arrays, lists or dicts in a value of this kind (or it is one)."""
    match kind:
        case ScalarK(rank0=rank0):
            return rank0
        case TupleK(_, True):
            return True
        case ListK(elem, cls=builtins.tuple):
            return holds_memory(elem)
        case RecordK(cls) if changes(cls):
            return True
        case FunctionK(scopes) if any(n in s.rebound for s in scopes for n, _ in s.names):
            return True
        case TupleK() | RecordK() | OptionalK() | ClosureK() | FunctionK() | FunctionRefK():
            return any(map(holds_memory, parts(kind)))
        case UnionK(union):
            return nodes_hold_memory(union)
        case _:
            return not isinstance(kind, (StaticK, SymbolK, RefK, RangeK))


def may_hold(value: Value) -> bool:
    """Whether there may be arrays, lists or dicts in a value (or it is one)."""
    if isinstance(value, (Static, RefV)):
        return False
    try:
        return holds_memory(kind_of(value))
    except NoKindError:
        return True


def is_updated_in_place(value: object) -> TypeGuard[Updatable]:
    """Whether a value is an object that updates change: an array, a list, a dict
    or an object whose attributes can be assigned."""
    match value:
        case ListV(elem=elem) if is_tuple(value):
            return holds_memory(elem)  # which is updated where the tuple holds it
        case ArrayV() | ListV() | TupleV(is_list=True):
            return True
        case HashV(cls):
            return cls is not frozenset
        case RecordV(cls):
            return changes(cls)
        case Scalar(rank0=rank0):
            return rank0
        case _:
            return False


def updated_parts(value: Value) -> list[Updatable]:
    """Return what an update in place of a value changes: it, or what it may be."""
    if isinstance(value, OptionalV):
        return [*updated_parts(value.value), *updated_parts(value.other)]
    if is_complex_array(value):
        return [v for part in value.fields.values() for v in updated_parts(part)]
    return [value] if is_updated_in_place(value) else []


def is_tuple(value: object) -> bool:
    return isinstance(value, (TupleV, ListV)) and value.cls is tuple


def is_update(receiver: Value, name: str) -> bool:
    """Whether a method changes its object, which is a list, dict or set."""
    if name not in LIST_UPDATES or isinstance(receiver, ArrayV) or is_tuple(receiver):
        return False
    is_object = isinstance(receiver, RecordV) and not are_dicts(receiver.cls)
    return is_updated_in_place(receiver) and not is_object


def has_defaults(kind: Kind) -> bool:
    """Whether there are defaultdicts in values of a kind."""
    found = isinstance(kind, HashK) and kind.cls is defaultdict
    return found or any(map(has_defaults, parts(kind)))


@cache
def nodes_hold_memory(union: Union) -> bool:
    """Whether there can be arrays, lists or dicts in the nodes of a recursive union."""
    met, waiting = {union}, [union]
    while waiting:
        for kind in waiting.pop().variant_kinds():
            for part in _below(kind):
                match part:
                    case UnionK(other) if other not in met:
                        met.add(other)
                        waiting.append(other)
                    case UnionK():
                        pass
                    case _ if holds_memory(part):
                        return True
    return False


def _below(kind: Kind) -> Iterator[Kind]:
    """Return the parts of tuples, records and values that may be None, however deep."""
    match kind:
        case TupleK(_, False) | ListK(cls=builtins.tuple) | OptionalK():
            inside = parts(kind)
        case RecordK(cls) if not changes(cls):
            inside = parts(kind)
        case _:
            yield kind
            return
    for part in inside:
        yield from _below(part)

