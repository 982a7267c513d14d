"""Choose the words of a node that are stored: not those that all nodes of a variant share.

    R(p, n, 1, q, n, 1)   ==>   stored: the tag, p, n, q

A node with arrays holds their extents and strides. Most strides are 1, and all arrays that one loop
emits have the same length. A program is lowered once to collect the words of the nodes that it
builds for itself, and then a second time, with these layouts.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Program
from pullback.core.traverse import own_declarations
from pullback.lower.loopcode import Imm, Ty, Value

Key = tuple[str, int]
"""A declaration and a variant of it."""

Pattern = tuple[int | Imm, ...]
"""For each word the literal that it always is, or the first word that it always equals."""


class OtherWordsError(Exception):
    """A node is built with words that do not fit its layout."""


@dataclass
class Layouts:
    """The layouts of a program's own nodes, and what they were seen to be made with.

    >>> from pullback.lower.loopcode import Reg
    >>> n, m, one = Reg("n", Ty.I64), Reg("m", Ty.I64), Imm(1, Ty.I64)
    >>> layouts = Layouts(frozenset({"R"}))
    >>> _ = layouts.stored(("R", 0), [n, n, one])
    >>> layouts.found().stored(("R", 0), [m, m, one]) == [m]
    True
    """

    own: frozenset[str]
    known: dict[Key, Pattern] = field(default_factory=dict)
    seen: dict[Key, Pattern] = field(default_factory=dict)

    @staticmethod
    def of(program: Program) -> Layouts:
        """Return layouts for the declarations of which no node comes in or goes out."""
        return Layouts(own_declarations(program))

    def found(self) -> Layouts:
        """Return the layouts of variants that need not store all their words."""
        return Layouts(self.own, {
            key: p for key, p in self.seen.items() if any(w != k for k, w in enumerate(p))
        })  # fmt: skip

    def stored(self, key: Key, words: Sequence[Value]) -> list[Value]:
        """Return those words of a new node that are stored."""
        if key[0] in self.own:
            pattern = _pattern(words)
            self.seen[key] = _both(self.seen.get(key, pattern), pattern)
        layout = self.known.get(key)
        if layout is None:
            return list(words)
        for word, w in zip(words, layout, strict=True):
            if word != (w if isinstance(w, Imm) else words[w]):
                raise OtherWordsError
        return [word for k, word in enumerate(words) if layout[k] == k]

    def words(self, key: Key, types: Sequence[Ty]) -> list[tuple[int, Ty] | Imm]:
        """Return for each word of a node its slot and type, or its constant value."""
        layout = self.known.get(key, tuple(range(len(types))))
        slots = {k: at for at, k in enumerate(k for k, w in enumerate(layout) if w == k)}
        return [w if isinstance(w, Imm) else (slots[w], types[w]) for w in layout]


def _pattern(words: Sequence[Value]) -> Pattern:
    first: dict[Value, int] = {}
    return tuple(
        (w if w.ty is Ty.I64 else k) if isinstance(w, Imm) else first.setdefault(w, k)
        for k, w in enumerate(words)
    )


def _both(a: Pattern, b: Pattern) -> Pattern:
    """Return the pattern that nodes of both patterns fit."""
    first: dict[tuple[int | Imm, int | Imm], int] = {}
    return tuple(
        x if isinstance(x, Imm) and x == y else first.setdefault((x, y), k)
        for k, (x, y) in enumerate(zip(a, b, strict=True))
    )


__all__ = ["Layouts", "OtherWordsError"]
