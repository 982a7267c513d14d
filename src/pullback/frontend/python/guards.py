"""Guards: what must still hold for compiled code to be used again."""

from __future__ import annotations

import functools
import types

from pullback.core.frozen import dataclass
from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.kinds import StaticK, static_kind
from pullback.frontend.python.exact import refusal
from pullback.frontend.python.frozen_distributions import distribution_in, frozen_kind
from pullback.frontend.python.paths import MISSING

ABSENT = ("absent",)
"""The key of a guard which says that no global has this name (``builtin``)."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition of compiled code: the value at ``path`` has the same ``type_of`` (of a function:
    the same code) as before."""

    path: Path
    kind: StaticK


def holds(guard: Guard, value: object) -> bool:
    """Whether the value at the guard's path still satisfies the guard."""
    match guard.kind.key:
        case ("absent",):
            return value is MISSING
        case ("code", code, globals_id):
            return (
                isinstance(value, types.FunctionType)
                and value.__code__ is code
                and id(value.__globals__) == globals_id
            )
        case ("operator", name, options):
            found = getattr(value, "__pullback_operator__", ("",))
            return bool(found[0] == name and tuple(found[2:]) == options)
        case ("class of", cls):
            return type(value) is cls
        case ("keys", keys):
            return type(value) is dict and tuple(value) == keys
        case ("partial", count, names):
            return (
                isinstance(value, (functools.partial, functools.partialmethod))
                and (len(value.args), tuple(value.keywords)) == (count, names)
            )
        case ("frozen distribution", *_):
            return distribution_in(value) is not None and frozen_kind(value).key == guard.kind.key
        case (t, int(n)) if t is tuple or t is list:
            return isinstance(value, t) and refusal(value) is None and len(value) == n
        case _:
            return static_kind(value) == guard.kind


__all__ = ["ABSENT", "Guard", "holds"]
