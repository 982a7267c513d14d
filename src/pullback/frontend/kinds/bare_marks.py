"""Objects of the user's that are marks (``python.bare_objects``): where they become known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullback.frontend.kinds.kinds import static_kind
from pullback.frontend.kinds.values import RecordV, Static, Value
from pullback.frontend.python.bare_objects import is_bare
from pullback.frontend.python.guards import Guard

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def as_mark(run: Run, value: Value) -> Value:
    """Return an object that has nothing but its identity as a mark, which every call finds at the
    same place; anything else as it is."""
    if not isinstance(value, RecordV) or value.outside is None or value.fields:
        return value
    found = value.outside.value
    if not is_bare(found):
        return value
    run.guards[value.outside.path] = Guard(value.outside.path, static_kind(found))
    return Static(found)


__all__ = ["as_mark"]
