"""The kind of sets that are arguments: a list of their items crosses, of which the entry makes the
table (``hash_sets.given``)."""

from __future__ import annotations

from dataclasses import dataclass

from pullback.frontend.kinds.kinds import Kind, ListK, TupleK, parts
from pullback.frontend.kinds.plain_kinds import hash_once

NO_ITEMS = TupleK(())
"""The kind of the items of an empty set."""


@dataclass(frozen=True, slots=True)
class SetK(ListK):
    """The kind of a set or frozenset (``cls``) that is an argument."""

    __hash__ = hash_once

    cls: type = set

    @property
    def word(self) -> str:
        return self.cls.__name__


def holds_sets(kind: Kind) -> bool:
    """Whether there are sets in a value of this kind."""
    return isinstance(kind, SetK) or any(map(holds_sets, parts(kind)))


__all__ = ["NO_ITEMS", "SetK", "holds_sets"]
