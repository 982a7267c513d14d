"""Which kinds are those of functions, and of what has functions in it."""

from __future__ import annotations

from collections.abc import Hashable

from pullback.frontend.kinds.kinds import (
    ClosureK,
    FunctionK,
    Kind,
    LambdaSetK,
    OperatorK,
    StaticK,
    parts,
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


__all__ = ["has_function", "is_function"]
