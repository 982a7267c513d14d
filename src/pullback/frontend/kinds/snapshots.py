"""Values as they are now, whatever is assigned or updated later."""

from __future__ import annotations

from pullback.frontend.kinds.flatten import flatten, rebuild
from pullback.frontend.kinds.values import FunctionV, Value


def snapshot(f: FunctionV) -> FunctionV:
    """Return the function with copies of the variables that it captures, as they are now."""
    value = held(f)
    assert isinstance(value, FunctionV)
    return value


def held(value: Value) -> Value:
    """Return the value with copies of the variables that the functions in it capture. It shares the
    memory of what was copied: a change of that makes it out of date."""
    flat = flatten(value)
    owned = iter(flat.owned)
    return rebuild(flat.kind, iter(flat.atoms), lambda: next(owned))


def frozen(value: Value) -> Value:
    """Return the value as it is now, whatever is assigned or updated later (a pullback keeps such
    copies)."""
    flat = flatten(value)
    return rebuild(flat.kind, iter(flat.atoms))


__all__ = ["frozen", "held", "snapshot"]
