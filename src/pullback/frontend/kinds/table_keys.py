"""The kinds of the keys of hash tables: what is equal, and has one hash, by what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from types import FunctionType

from pullback.core.frozen import dataclass
from pullback.core.types import I64, Bool, Int, Real
from pullback.frontend.kinds.kinds import (
    Kind,
    ListK,
    OptionalK,
    RecordK,
    RefK,
    ScalarK,
    StaticK,
    SymbolK,
    TupleK,
    parts,
    static_kind,
    static_scalar,
)
from pullback.frontend.kinds.sum_kinds import alternatives
from pullback.frontend.python.container_bases import holds_value, is_tuple_class, order_of
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.python.symbols import symbol_class


@dataclass(frozen=True)
class Hashed:
    """A key that functions of its class compare: the number that ``__hash__`` has given, and the
    object; or the number that follows from the items of a tuple of any length, and the tuple. It
    never leaves a table."""

    code: int
    held: object


def key_kind(kind: Kind, floats: bool = False) -> Kind | None:
    """Return the kind of the key of a hash table that a value of this kind is; None: it is none.
    Floats are none: two equal ones may have different derivatives. (``floats``: what ``hash`` in a
    method takes. There the object is the key.)"""
    match kind:
        case StaticK(_, tuple(items)):
            return key_kind(TupleK(tuple(map(static_kind, items))), floats)
        case StaticK(_, None):
            return kind
        case StaticK(_, value):
            cls = symbol_class(value)
            if cls is not None:
                return None if issubclass(cls, (int, float)) else SymbolK(cls)
            return key_kind(static_scalar(value) or ListK(kind), floats)
        case ScalarK(Int() | Bool() as t, py):
            return ScalarK(t, py)
        case ScalarK(Real() as t, py) if floats and not kind.rank0:
            return ScalarK(t, py)
        case SymbolK(cls):
            return None if issubclass(cls, (int, float)) else kind
        case RefK(cls) | OptionalK(RefK(cls), StaticK(_, None)) if _is_by_identity(cls):
            return OptionalK(RefK(cls))
        case RefK(cls) | OptionalK(RefK(cls), StaticK(_, None)) if is_by_methods(cls):
            return RecordK(Hashed, (("code", ScalarK(I64, True)), ("held", kind)))
        case RecordK(cls) if is_value_by_methods(cls):
            return RecordK(Hashed, (("code", ScalarK(I64, True)), ("held", kind)))
        case OptionalK(inner, StaticK(_, None)):
            one = key_kind(inner, floats)
            return None if one is None or has_methods(one) else OptionalK(one)
        case OptionalK(inner, other):
            one, instead = key_kind(inner, floats), key_kind(other, floats)
            if one is None or instead is None or has_methods(one) or has_methods(instead):
                return None
            equal = any(_may_be_equal(k, instead) for k in alternatives(one))
            return None if equal else OptionalK(one, instead)
        case TupleK(items, False):
            keys = [key_kind(k, floats) for k in items]
            known = tuple(k for k in keys if k is not None)
            return TupleK(known) if len(known) == len(keys) else None
        case ListK(elem) if type(kind) is ListK and kind.cls is tuple:
            item = key_kind(elem, floats)
            return None if item is None or has_methods(item) else _of_any_length(item)
        case RecordK(cls, held) if cls is Hashed:
            return kind
        case RecordK(cls, held) if is_by_fields(cls):
            named = [(n, k) for n, part in held if (k := key_kind(part, floats)) is not None]
            return replace(kind, fields=tuple(named)) if len(named) == len(held) else None
        case _:
            return None


def _of_any_length(item: Kind) -> RecordK:
    """Return the kind of a tuple of any length as a key, by that of its items."""
    return RecordK(Hashed, (("code", ScalarK(I64, True)), ("held", ListK(item, cls=tuple))))


def item_kind(key: Kind) -> Kind | None:
    """Return what the items of a tuple of any length are that is a key; None: it is none."""
    match key:
        case RecordK(cls, (_, ("held", ListK(elem)))) if cls is Hashed:
            return elem
        case _:
            return None


def met(a: Kind, b: Kind, join: Callable[[Kind, Kind], Kind | None]) -> Kind | None:
    """Return the kind of keys of two kinds. Tuples beside ones of any length are such ones."""
    both = [*alternatives(a), *alternatives(b)]
    if not any(map(item_kind, both)):
        return join(a, b)
    items: list[Kind] = []
    for k in both:
        elem = item_kind(k)
        if isinstance(k, TupleK) and not k.is_list:
            items += k.items
        elif elem is not None:
            items.append(elem)
        else:
            return join(a, b)
    item: Kind | None = items[0]
    for k in items[1:]:
        item = None if item is None else join(item, k)
    return None if item is None or key_kind(item) is None else _of_any_length(item)


def _may_be_equal(a: Kind, b: Kind) -> bool:
    """Whether a key of the one kind may be equal to one of the other: a NamedTuple to a tuple, a
    member of an enumeration of texts to a text."""
    match a, b:
        case SymbolK(one), SymbolK(other):
            return issubclass(one, str) and issubclass(other, str)
        case (RecordK(cls), TupleK()) | (TupleK(), RecordK(cls)):
            return is_tuple_class(cls)
        case _:
            return False


def is_by_fields(cls: type) -> bool:
    """Whether objects are equal, and have one hash, if their classes and all their fields are: a
    frozen dataclass whose methods for that are the generated ones, or a NamedTuple."""
    if issubclass(cls, tuple) and is_tuple_class(cls):
        return _entry(cls, "__eq__") is None and cls.__hash__ is tuple.__hash__
    made = getattr(cls, "__dataclass_params__", None)
    if made is None or not is_dataclass(cls):
        return False
    if not (made.frozen and made.eq):
        return False
    methods = (vars(cls).get(n) for n in ("__eq__", "__hash__"))
    generated = all(f is not None and f.__code__.co_filename == "<string>" for f in methods)
    return generated and all(f.compare and f.hash is not False for f in fields(cls))


def _is_by_identity(cls: type) -> bool:
    """Whether objects of a class are equal, and have one hash, only if they are one object."""
    own = {n for c in order_of(cls)[:-1] for n in vars(c)}
    return own.isdisjoint({"__eq__", "__hash__"})


def is_by_methods(cls: type) -> bool:
    """Whether it is asked of methods of a class whether its objects are equal, and for a number:
    of those that a user or ``@dataclass`` wrote. Objects that can change are asked where they may
    have several names: who has one of them as a key sees what becomes of it."""
    methods = (_entry(cls, n) for n in ("__eq__", "__hash__"))
    written = all(isinstance(f, FunctionType) for f in methods)
    return cls is not Hashed and written and not is_by_fields(cls)


def is_value_by_methods(cls: type) -> bool:
    """Whether the same is so, and no object of the class changes what its methods compare."""
    return is_by_methods(cls) and (not is_object_class(cls) or holds_value(cls))


def _entry(cls: type, name: str) -> object:
    """Return what the classes of a user have under a name; None if that is nothing."""
    users = (c for c in order_of(cls) if c not in (object, tuple))
    return next((vars(c)[name] for c in users if name in vars(c)), None)


def has_methods(kind: Kind) -> bool:
    """Whether there are keys in a value of this kind that functions of their classes compare."""
    return (isinstance(kind, RecordK) and kind.cls is Hashed) or any(map(has_methods, parts(kind)))


def is_unhashable(cls: type) -> bool:
    """Whether a class says that its objects are no keys: by an ``__eq__`` without a ``__hash__``.
    """
    return cls.__hash__ is None


__all__ = [
    "Hashed", "has_methods", "is_by_fields", "is_by_methods", "is_unhashable",
    "is_value_by_methods", "item_kind", "key_kind", "met",
]  # fmt: skip
