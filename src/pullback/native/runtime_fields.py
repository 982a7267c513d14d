"""Write loads and stores of fields of the context, for the text of the runtime."""

from __future__ import annotations

from pullback.native.layout import Field, load_field, store_field


def load(register: str, field: Field, ty: str = "i64") -> str:
    """Return the text that loads a field of %ctx."""
    return "\n  ".join(load_field(field, register, ty))


_fresh = iter(range(10**9))


def store(field: Field, value: str, ty: str = "i64", context: str = "%ctx") -> str:
    """Return the text that stores into a field of a context."""
    return "\n  ".join(store_field(field, f"%at{next(_fresh)}", ty, value, context))
