"""What kinds hold in their parts: objects, tables, functions."""

from __future__ import annotations

from pullback.frontend.kinds.given_tables import holds_tables
from pullback.frontend.kinds.kinds import ArgType, HashK, RecordK, StaticK, UnionK, parts
from pullback.frontend.python.object_classes import LooseDict, is_object_class


def holds_object(kind: ArgType) -> bool:
    if isinstance(kind, RecordK) and is_object_class(kind.cls):
        return True
    return any(map(holds_object, parts(kind)))


def holds_hash(kind: ArgType) -> bool:
    loose = isinstance(kind, RecordK) and kind.cls is LooseDict
    return loose or isinstance(kind, HashK) or any(map(holds_hash, parts(kind)))


def holds_function(kind: ArgType) -> bool:
    if isinstance(kind, StaticK):
        return callable(kind.value)
    return any(map(holds_function, parts(kind)))


def holds_in_one_form(kind: ArgType) -> bool:
    """Whether there are objects, functions, tables or nodes in a value of this kind."""
    return (
        isinstance(kind, UnionK) or holds_object(kind) or holds_function(kind)
        or holds_tables(kind) or any(map(holds_in_one_form, parts(kind)))
    )  # fmt: skip


__all__ = ["holds_function", "holds_hash", "holds_in_one_form", "holds_object"]
