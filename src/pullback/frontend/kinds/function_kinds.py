"""Which kinds are those of functions and classes, and of what has functions in it."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Hashable
from typing import TypeGuard

from pullback.frontend.kinds.chosen import CHOICE, NUMBER, is_choice_kind
from pullback.frontend.kinds.kinds import (
    ClosureK,
    FunctionK,
    Kind,
    LambdaSetK,
    OperatorK,
    StaticK,
    TupleK,
    parts,
    static_kind,
)
from pullback.frontend.kinds.values import CALLS, WRITTEN


def is_function(kind: Kind) -> bool:
    """Whether a value of this kind is a function of the user, of a library or of an operator."""
    match kind:
        case FunctionK() | ClosureK() | LambdaSetK() | OperatorK():
            return True
        case StaticK(_, value):
            return isinstance(value, Hashable) and (value in CALLS or value in WRITTEN)
        case _:
            return False


def has_function(kind: Kind) -> bool:
    """Whether there is a function in a value of this kind (a global one without captures does not
    count: it is only a name)."""
    match kind:
        case FunctionK(scopes, root):
            return bool(scopes or parts(root))
        case ClosureK() | LambdaSetK() | OperatorK():
            return True
        case _:
            return any(map(has_function, parts(kind)))


def is_class(kind: Kind) -> TypeGuard[StaticK]:
    """Whether a kind is that of a class, but no conversion: a call of such a one is known as that
    of a function."""
    of_value = type(kind.value) if isinstance(kind, StaticK) else None
    return of_value in (type, ABCMeta) and not is_function(kind)


def joined_classes(a: Kind, b: Kind) -> TupleK | None:
    """Return the kind of a class by the run, which may be None, of two kinds; None if they are no
    such kinds."""
    found: list[Kind] = []
    for kind in (a, b):
        for member in kind.items[2:] if is_choice_kind(kind) else (kind,):
            if not (is_class(member) or member == _NONE):
                return None
            if member not in found:
                found.append(member)
    if not any(map(is_class, found)) or len(found) < 2:
        return None
    return TupleK((static_kind(CHOICE), NUMBER, *found))


_NONE = static_kind(None)

__all__ = ["has_function", "is_class", "is_function", "joined_classes"]
