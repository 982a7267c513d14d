"""Kinds with less that is known: literals become numbers, and ints lose their bounds."""

from __future__ import annotations

import enum
from dataclasses import replace

from pullback.core.types import BOOL, I64, Real
from pullback.frontend.kinds.kinds import (
    HashK,
    Kind,
    ListK,
    MaybeK,
    OptionalK,
    RangeK,
    RecordK,
    ScalarK,
    SmallK,
    StaticK,
    TupleK,
    parts,
    static_scalar,
    with_parts,
)  # fmt: skip
from pullback.frontend.kinds.sum_kinds import alternatives, sort
from pullback.frontend.kinds.table_keys import item_kind


def keeps_classes(kind: Kind, joined: Kind) -> bool:
    """Whether numbers keep their classes in a value of ``kind`` that is converted to ``joined``: an
    int that becomes a float does not."""
    match kind, joined:
        case ScalarK(t, py), ScalarK(u, also):
            return (t, py) == (u, also)
        case TupleK(items), RecordK() if (elem := item_kind(joined)) is not None:
            return all(keeps_classes(k, elem) for k in items)
        case ScalarK(), RecordK():  # it becomes a complex number
            return False
        case _, OptionalK():
            return all(
                keeps_classes(x, y)
                for x in alternatives(kind)
                for y in alternatives(joined)
                if sort(x) == sort(y)
            )
        case TupleK(items), ListK(elem):
            return all(keeps_classes(k, elem) for k in items)
        case _ if type(kind) is type(joined):
            mine, others = tuple(parts(kind)), tuple(parts(joined))
            if len(mine) != len(others):
                return True
            return all(keeps_classes(k, other) for k, other in zip(mine, others, strict=False))
        case _:
            return True


def has_ints(kind: Kind, elem: Kind) -> bool:
    """Whether there are ints or bools that only the run knows among the items of a list of floats
    (``elem``)."""
    floats = isinstance(elem, ScalarK) and isinstance(elem.type, Real)
    return floats and any(isinstance(k, ScalarK) and k.type in (I64, BOOL) for k in parts(kind))


def loses_ints(kind: Kind, elem: Kind) -> bool:
    """Whether ints or bools become floats as items of a list of ``elem``, which do not tell what
    they were."""
    if not isinstance(elem, ScalarK) or not isinstance(elem.type, Real):
        return False
    if any(isinstance(k, StaticK) and isinstance(k.value, bool) for k in parts(kind)):
        return True
    bools = any(isinstance(k, ScalarK) and k.type == BOOL for k in parts(kind))
    return bools or (not elem.may_be_int and has_ints(kind, elem))


def has_literal_ints(kind: Kind, elem: Kind) -> bool:
    """Whether there are ints among the items of a list of floats (``elem``) that are literals: they
    become floats where that is needed."""
    floats = isinstance(elem, ScalarK) and isinstance(elem.type, Real)
    return floats and any(isinstance(k, StaticK) and isinstance(k.value, int) for k in parts(kind))


def small_in(kind: Kind) -> Kind | None:
    """Return the kind of the first part that is of a small dtype."""
    if isinstance(kind, SmallK):
        return kind
    return next((k for k in map(small_in, parts(kind)) if k is not None), None)


def is_none(kind: Kind) -> bool:
    return isinstance(kind, StaticK) and kind.value is None


def generalise(kind: Kind) -> Kind:
    """Return the kind with numbers that are known at run time only, of any size, in place of
    literals."""
    match kind:
        case StaticK(_, enum.Enum()):
            return kind  # a member of an IntEnum is more than its number
        case StaticK(_, value):
            return static_scalar(value) or kind
        case TupleK(items, is_list):
            return TupleK(tuple(map(generalise, items)), is_list)
        case RecordK(cls, fields):
            return RecordK(cls, tuple((n, generalise(k)) for n, k in fields), kind.outside)
        case RangeK(items):
            return replace(kind, items=tuple(map(generalise, items)))
        case OptionalK(inner, other):
            return OptionalK(generalise(inner), generalise(other))
        case MaybeK(inner):
            return MaybeK(generalise(inner))
        case _:
            return kind


def widen(old: Kind, new: Kind) -> Kind:
    """Return ``new``, in which an int whose bound has grown has no bound any more: so loops reach a
    fixpoint."""
    match old, new:
        case ScalarK(_, _, old_bits), ScalarK(bits=bits):
            return replace(new, bits=old_bits if bits <= old_bits else 64)
        case TupleK(xs), TupleK(ys, is_list) if len(xs) == len(ys):
            return TupleK(tuple(widen(x, y) for x, y in zip(xs, ys, strict=False)), is_list)
        case RecordK(_, xs), RecordK(cls, ys) if [n for n, _ in xs] == [n for n, _ in ys]:
            return RecordK(
                cls, tuple((n, widen(x, y)) for (_, x), (n, y) in zip(xs, ys, strict=False)),
                new.outside,
            )
        case ListK(x), ListK(y, spare):
            return ListK(widen(x, y), spare, new.cls)
        case HashK(_, x), HashK(_, y) if len(x.items) == len(y.items):
            return with_parts(new, (widen(x, y), new.factory))
        case OptionalK(x, other), OptionalK(y, also) if sort(other) == sort(also):
            return OptionalK(widen(x, y), widen(other, also))
        case MaybeK(x), MaybeK(y):
            return MaybeK(widen(x, y))
        case RangeK(xs), RangeK(ys):
            return replace(new, items=tuple(map(widen, xs, ys)))
        case _:
            return new
