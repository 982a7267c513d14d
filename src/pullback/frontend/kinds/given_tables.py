"""Sets, large dicts and other containers that are arguments, in kinds."""

from __future__ import annotations

from pullback.frontend.kinds.kinds import Kind, TableK, TupleK, WrappedK, parts

NO_ITEMS = TupleK(())
"""The kind of the items of an empty set."""


def holds_tables(kind: Kind) -> bool:
    """Whether there are such containers in a value of this kind."""
    return isinstance(kind, (TableK, WrappedK)) or any(map(holds_tables, parts(kind)))


__all__ = ["NO_ITEMS", "holds_tables"]
