"""Sequence patterns on lists whose length only the run knows.

``[x, *rest]`` is a test of the length and, where it holds, patterns for the items. What earlier
cases say of the length is known in the later ones: after ``case []`` there is a first item, so
``case []`` and ``case [x, *rest]`` take every list. ``*rest`` is a new list, as a slice is: a copy
of a list that may be updated, else a view.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.build import i64
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom
from pullback.frontend.interpret import objects
from pullback.frontend.kinds.values import ListV, Static, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths that a list can still have: not one of ``tried``, and ``below`` that."""

    tried: frozenset[int] = frozenset()
    below: int | None = None

    def fits(self, patterns: Sequence[ast.pattern]) -> bool | None:
        """Whether a list of such a length has as many items as the patterns; None: perhaps."""
        n = fixed(patterns)
        if self.below is not None and self.below <= n:
            return False
        if has_star(patterns):
            return True if self.tried.issuperset(range(n)) else None
        if n in self.tried:
            return False
        if self.below is None:
            return None
        return True if set(range(self.below)) - self.tried == {n} else None

    def without(self, patterns: Sequence[ast.pattern]) -> Lengths:
        """Return the lengths that are left after the patterns did not fit because of the length."""
        n = fixed(patterns)
        if not has_star(patterns):
            return replace(self, tried=self.tried | {n})
        return replace(self, below=n if self.below is None else min(n, self.below))


Known = dict[ListV, Lengths]
"""What is known of the lengths of lists where a pattern is tried."""


def has_star(patterns: Sequence[ast.pattern]) -> bool:
    return any(isinstance(p, ast.MatchStar) for p in patterns)


def fixed(patterns: Sequence[ast.pattern]) -> int:
    """Return the number of items that the patterns need."""
    return len(patterns) - has_star(patterns)


def takes_all(p: ast.pattern) -> bool:
    """Whether nothing about the value is asked."""
    match p:
        case ast.MatchAs(None) | ast.MatchStar():
            return True
        case ast.MatchAs(ast.pattern() as inner):
            return takes_all(inner)
        case _:
            return False


def length_fits(
    run: Run, items: ListV, patterns: Sequence[ast.pattern], lengths: Lengths
) -> bool | Atom:
    """Whether the list is as long as the patterns say."""
    known = lengths.fits(patterns)
    if known is not None:
        return known
    test = "ge" if has_star(patterns) else "eq"
    return run.b.prim(test, items.length, i64(fixed(patterns)))


def parts_of_list(
    run: Run, items: ListV, patterns: Sequence[ast.pattern]
) -> list[tuple[ast.pattern, Value]]:
    """Return the patterns, each with its item, of a list that is long enough."""
    found: list[tuple[ast.pattern, Value]] = []
    last = False
    for k, p in enumerate(patterns):
        if isinstance(p, ast.MatchStar):
            last = True
            found.append((p, rest(run, items, k, len(patterns) - k - 1, p.name)))
            continue
        place: Atom = i64(k)
        if last:
            place = run.b.prim("sub", items.length, i64(len(patterns) - k))
        found.append((p, run.element(items, place, p, checked=False)))
    return found


def rest(run: Run, items: ListV, before: int, after: int, name: str | None) -> Value:
    """Return the value of a star: a new list of all items but some at both ends (of which there are
    so many)."""
    if name is None:
        return Static(None)
    count = run.b.prim("sub", items.length, i64(before + after))
    return objects.own_part(run, objects.part_of_list(run, items, i64(before), count), name)
