"""Which calls of a function inside of a recursion have specialisations of their own, and which
share one."""

from __future__ import annotations

import builtins
import enum
from collections.abc import Iterator

from pullback.frontend.kinds import tuple_trees
from pullback.frontend.kinds.function_kinds import has_function
from pullback.frontend.kinds.join import generalise, join, same_function
from pullback.frontend.kinds.kinds import (
    ClosureK,
    FunctionK,
    HashK,
    Kind,
    RecordK,
    StaticK,
    TupleK,
    UnionK,
    parts,
)
from pullback.frontend.kinds.sum_kinds import may_be_tuple


def of_other_union(a: Kind, b: Kind) -> bool:
    """Whether two arguments are of two unions."""
    return isinstance(a, UnionK) and isinstance(b, UnionK) and a.union is not b.union


def differ(a: Kind, b: Kind) -> bool:
    """Whether an argument is another flag, a table where it is None elsewhere, or a dict with other
    keys: what these decide need not be typed for others."""
    return _of_other_flag(a, b) or _is_none_or_a_table(a, b) or _are_other_dicts(a, b)


def _of_other_flag(a: Kind, b: Kind) -> bool:
    """Whether two arguments are two known bools, strings or members of an enumeration."""
    if not isinstance(a, StaticK) or not isinstance(b, StaticK) or a == b:
        return False
    return type(a.value) is type(b.value) and isinstance(a.value, (bool, str, enum.Enum))


def _is_none_or_a_table(a: Kind, b: Kind) -> bool:
    """Whether one of two arguments is None and the other a dict, set or list (``memo=None``)."""
    return any(
        isinstance(x, StaticK) and x.value is None and _is_table(y) for x, y in ((a, b), (b, a))
    )


def _are_other_dicts(a: Kind, b: Kind) -> bool:
    """Whether two arguments are dicts with other keys."""
    match a, b:
        case RecordK(builtins.dict, xs), RecordK(builtins.dict, ys):
            return [n for n, _ in xs] != [n for n, _ in ys]
        case _:
            return False


def _is_table(kind: Kind) -> bool:
    match kind:
        case HashK() | TupleK(_, True) | RecordK(builtins.dict):
            return True
        case _:
            return False


def recursive_join(a: Kind, b: Kind) -> Kind | None:
    """Return the ``join`` of the arguments of recursive calls: functions among them must be of a
    known set."""
    if a == b:
        return a
    if tuple_trees.grows(a, b):
        return None
    joined = join(a, b)
    if has_function(a) or has_function(b):
        return joined if joined == a else None
    if joined is None or (may_be_tuple(joined) and not (may_be_tuple(a) or may_be_tuple(b))):
        return None  # tuples of other lengths have a form of the function of their own
    return generalise(joined)


def with_other_data(a: FunctionK, b: FunctionK) -> FunctionK | None:
    """Return the join of two functions from one place that captured data of other types; None if
    they captured other functions: one decorator may have wrapped both."""
    both = same_function(a, b)
    if both is None or set(_choices(both)) - {*_choices(a), *_choices(b)}:
        return None
    return both


def _choices(kind: Kind) -> Iterator[Kind]:
    """Iterate over the choices of functions in a kind."""
    if isinstance(kind, ClosureK):
        yield kind
    for part in parts(kind):
        yield from _choices(part)


__all__ = ["differ", "of_other_union", "recursive_join", "with_other_data"]
