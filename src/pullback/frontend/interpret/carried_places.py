"""Names for parts of structures that a loop hands to its next round: of these the indices are
carried, not the parts.

    best = rows[0]                              b = 0
    for row in rows:                            for i, row in enumerate(rows):
        if row[0] > best[0]: best = row             if row[0] > rows[b][0]: b = i
    best[1] += 1.0                              rows[b][1] += 1.0
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass, field
from pullback.frontend.kinds.values import UNSET, PlaceV, Value
from pullback.frontend.memory import places
from pullback.frontend.python.syntax import bound_anew

if TYPE_CHECKING:
    from pullback.frontend.run import Run


@dataclass(slots=True)
class Places:
    """The names of one loop. ``known``: the place, and the numbers of its steps that are indices;
    ``other``: names that turned out to become something else than a part of the same structure."""

    run: Run
    body: Sequence[ast.stmt]
    known: dict[str, tuple[PlaceV, list[int]]] = field(default_factory=dict)
    other: set[str] = field(default_factory=set)

    @property
    def settled(self) -> bool:
        """Whether all names are such places."""
        return not self.other & self.known.keys()

    def begin(self, name: str, held: Value) -> dict[str, Value] | None:
        """What is carried in place of a name: indices, by hidden names; None: its value."""
        if not isinstance(held, PlaceV) or name in self.other:
            return None
        indices = [k for k, s in enumerate(held.steps) if not isinstance(s, str)]
        if held.root in bound_anew(self.body) or not all(
            places.is_index(held.steps[k]) for k in indices
        ):
            return None
        self.known[name] = replace(held, value=UNSET, of=UNSET), indices
        return {f"{name}@{k}": places.index_of(self.run, held.steps[k]) for k in indices}

    def bind(self, names: dict[str, Value]) -> None:
        """Let the names hold the places with the indices that are carried."""
        for n, (place, steps) in self.known.items():
            names[n] = places.chosen(place, steps, [names.pop(f"{n}@{k}") for k in steps])

    def read(self, names: dict[str, Value], before: dict[str, Value]) -> None:
        """The indices at the end of a round, by their hidden names; ``before``: at its
        beginning."""
        for n, (place, steps) in self.known.items():
            now = names.get(n)
            if isinstance(now, PlaceV) and places.differing([place, now]) is not None:
                for k in steps:
                    names[f"{n}@{k}"] = places.index_of(self.run, now.steps[k])
                continue
            self.other.add(n)
            names.update((f"{n}@{k}", before[f"{n}@{k}"]) for k in steps)

    def end(self, names: Sequence[str]) -> list[str]:
        """The names to carry, when some are no places: of these the values."""
        lost = self.other & self.known.keys()
        hidden = {f"{n}@{k}" for n in lost for k in self.known.pop(n)[1]}
        return [*(n for n in names if n not in hidden), *sorted(lost)]


__all__ = ["Places"]
