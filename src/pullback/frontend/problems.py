"""All problems of a function at once.

The first refusal ends specialisation. Then the function is run once more, only to find what else
would be refused: there a statement that is refused leaves its names with an unknown value, the use
of which is not a problem of its own, and the next one is run. What that run makes is thrown away.
"""

from __future__ import annotations

from pullback.errors import EndlessError, PullbackError
from pullback.frontend.signals import FollowUp

MOST = 12
"""How many problems are shown."""


class Problems:
    """What has been found so far, each place once."""

    def __init__(self) -> None:
        self.found: list[PullbackError] = []
        self.places: set[tuple[str, int]] = set()
        self.steps = 0

    def add(self, error: PullbackError) -> None:
        """Note a refusal (one that follows from another one is not noted)."""
        if isinstance(error, FollowUp) or error.site is None:
            return
        if isinstance(error, EndlessError) and self.found:
            return  # a recursion whose base case is refused
        place = error.site.file, error.site.line
        if place not in self.places and len(self.found) < MOST:
            self.places.add(place)
            self.found.append(error)

    def merged(self, first: PullbackError) -> PullbackError:
        """The first problem with the others beside it."""
        if first.site is not None:
            self.places.add((first.site.file, first.site.line))
            here = first.site.file, first.site.line
            others = [e for e in self.found if e.site and (e.site.file, e.site.line) != here]
        else:
            others = list(self.found)
        first.also(sorted(others, key=_place))
        return first


def _place(error: PullbackError) -> tuple[str, int]:
    return ("", 0) if error.site is None else (error.site.file, error.site.line)

