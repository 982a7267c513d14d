"""Guards: what must still hold for compiled code to be used again."""

from __future__ import annotations

import functools
import sys
import types

from pullback.core.frozen import dataclass
from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.kinds import StaticK, static_kind
from pullback.frontend.python.exact import refusal
from pullback.frontend.python.frozen_distributions import distribution_in, frozen_kind
from pullback.frontend.python.paths import MISSING, Attribute
from pullback.frontend.python.streams import STREAMS, Stream

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


# --- the streams of sys ---------------------------------------------------------------------------


def is_stream(attribute: object) -> bool:
    """Whether an attribute is where ``print`` and its like write to."""
    if not isinstance(attribute, Attribute):
        return False
    return attribute.holder is sys and attribute.name in STREAMS


def stream_of(value: object, path: Path) -> Stream | None:
    """Return the mark of a stream that is ``sys.stdout`` or ``sys.stderr`` now; ``path``: where it
    has been found."""
    for name, stream in STREAMS.items():
        if path == Attribute(sys, name).path:
            return stream
    return next((s for n, s in STREAMS.items() if getattr(sys, n) is value is not None), None)


def guards_of(value: object, path: Path) -> dict[Path, Guard]:
    """Return what has to stay so that a stream that has been found elsewhere than in ``sys`` has
    this mark."""
    places = {n: Attribute(sys, n).path for n in STREAMS}
    if path in places.values():
        return {}
    own = (path, *(p for n, p in places.items() if getattr(sys, n) is value))
    return {p: Guard(p, static_kind(value)) for p in own}


__all__ = ["ABSENT", "Guard", "guards_of", "holds", "is_stream", "stream_of"]
