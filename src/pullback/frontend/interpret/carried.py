"""What a loop carries, and who may share its memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Block, Var
from pullback.frontend.kinds.flatten import Ownership, rebuild
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.kinds.values import Owner, Value


@dataclass(slots=True)
class Part:
    """One thing in a carried value that owns memory (an array, a list, what is in a list): who may
    share it at the head of the loop. ``group`` stands for all that is made in the loop."""

    group: Owner
    extra: frozenset[Owner]
    fresh: bool


@dataclass(slots=True)
class Head:
    """What is known of one carried value at the head of a loop."""

    kind: Kind
    parts: list[Part]


@dataclass(slots=True)
class Carried:
    """A loop whose kinds are settled: its variables, initial atoms, body, and how to rebuild.
    ``ends``: whether there is a round that comes to its end. ``owned``: the ownerships at the end
    of a round."""

    heads: list[Head]
    params: tuple[Var, ...]
    inits: tuple[Atom, ...]
    blocks: list[Block]
    ends: bool
    owned: Sequence[Sequence[Ownership]]

    def results(self, made: Sequence[Atom]) -> list[Value]:
        """The values after the loop. What was there before it, and every round has left in its
        place, is that."""
        groups = Counter(p.group for h in self.heads for p in h.parts)
        after = []
        for h, owned in zip(self.heads, self.owned, strict=True):
            same = [
                groups[p.group] == 1 and bool(p.extra) and owners <= p.extra | {p.group}
                for p, (owners, _) in zip(h.parts, owned, strict=True)
            ]
            pairs = zip(h.parts, same, strict=True)
            after.append([p.extra if s else p.extra | {p.group} for p, s in pairs])
        return rebuilt(self.heads, iter(made), after)


def rebuilt(
    heads: Sequence[Head], atoms: Iterator[Atom],
    owners: Sequence[Sequence[frozenset[Owner]]] | None = None,
) -> list[Value]:  # fmt: skip
    values = []
    owners = owners or [[p.extra | {p.group} for p in h.parts] for h in heads]
    for h, known in zip(heads, owners, strict=True):
        own = iter([(o, p.fresh) for o, p in zip(known, h.parts, strict=True)])
        values.append(rebuild(h.kind, atoms, own.__next__))
    return values


__all__ = ["Carried", "Head", "Part", "rebuilt"]
