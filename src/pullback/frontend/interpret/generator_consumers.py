"""What a generator is run with: the consumer of its items, or one that only looks at them."""

from __future__ import annotations

from pullback.core.frozen import dataclass
from pullback.core.types import BOOL, Type
from pullback.frontend.functions.threads import Change
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.kinds.values import Owner


@dataclass(eq=False, slots=True)
class Consumer:
    """The join point that every ``yield`` of a generator calls. ``results``: the types of its
    state, and of whether it stops; ``keeps``: its state may have functions in it that it got."""

    name: str
    item: Kind
    results: tuple[Type, ...]
    stops: bool
    keeps: bool


@dataclass(eq=False, slots=True)
class Probe:
    """A consumer that only looks: at the kinds of the items, at the memory that they share, and
    (``changed``) at the variables around the generator that it changes."""

    stops: bool = False
    kind: Kind | None = None
    changed: tuple[Change, ...] = ()
    owners: frozenset[Owner] = frozenset()
    """The memory that the items may share, in the functions that yield them."""

    @property
    def results(self) -> tuple[Type, ...]:
        return (BOOL,) if self.stops else ()


__all__ = ["Consumer", "Probe"]
