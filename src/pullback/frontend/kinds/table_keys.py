"""The kinds of the keys of hash tables: what is equal, and has one hash, by what it is made of."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace

from pullback.core.types import Bool, Int
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
    static_kind,
    static_scalar,
)
from pullback.frontend.python.symbols import symbol_class


def key_kind(kind: Kind) -> Kind | None:
    """Return the kind of the key of a hash table that a value of this kind is; None: it is none.
    Floats are none: two equal ones may have different derivatives."""
    match kind:
        case StaticK(_, tuple(items)):
            return key_kind(TupleK(tuple(map(static_kind, items))))
        case StaticK(_, value):
            cls = symbol_class(value)
            if cls is not None:
                return None if issubclass(cls, (int, float)) else SymbolK(cls)
            return key_kind(static_scalar(value) or ListK(kind))
        case ScalarK(Int() | Bool() as t, py):
            return ScalarK(t, py)
        case SymbolK(cls):
            return None if issubclass(cls, (int, float)) else kind
        case RefK(cls) | OptionalK(RefK(cls)) if _is_by_identity(cls):
            return OptionalK(RefK(cls))
        case TupleK(items, False):
            keys = [key_kind(k) for k in items]
            known = tuple(k for k in keys if k is not None)
            return TupleK(known) if len(known) == len(keys) else None
        case RecordK(cls, held) if _is_by_fields(cls):
            named = [(n, k) for n, part in held if (k := key_kind(part)) is not None]
            return replace(kind, fields=tuple(named)) if len(named) == len(held) else None
        case _:
            return None


def _is_by_fields(cls: type) -> bool:
    """Whether objects are equal, and have one hash, if their classes and all their fields are: a
    frozen dataclass whose methods for that are the generated ones."""
    made = getattr(cls, "__dataclass_params__", None)
    if made is None or not is_dataclass(cls) or issubclass(cls, tuple):
        return False
    if not (made.frozen and made.eq):
        return False
    methods = (vars(cls).get(n) for n in ("__eq__", "__hash__"))
    generated = all(f is not None and f.__code__.co_filename == "<string>" for f in methods)
    return generated and all(f.compare and f.hash is not False for f in fields(cls))


def _is_by_identity(cls: type) -> bool:
    """Whether objects of a class are equal, and have one hash, only if they are one object."""
    own = {n for c in cls.__mro__[:-1] for n in vars(c)}
    return own.isdisjoint({"__eq__", "__hash__"})


__all__ = ["key_kind"]
