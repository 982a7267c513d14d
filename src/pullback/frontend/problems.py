"""Collect all problems of a function, so that they are shown together.

The first refusal ends specialisation. Then the function is run once more, only to find other
refusals: a statement that is refused gives its names an unknown value, whose use is not another
problem, and the run goes on with the next statement. Its result is thrown away.
"""

from __future__ import annotations

from pullback.errors import EndlessError, PullbackError
from pullback.frontend.signals import FollowUp

MOST = 12
"""The number of problems that are shown."""


class Problems:
    """The problems found so far, one for each place."""

    def __init__(self) -> None:
        self.found: list[PullbackError] = []
        self.places: set[tuple[str, int]] = set()
        self.steps = 0

    def add(self, error: PullbackError) -> None:
        """Note a refusal, unless it follows from another one."""
        if isinstance(error, FollowUp) or error.site is None:
            return
        if isinstance(error, EndlessError) and self.found:
            return  # its base case has been refused
        place = error.site.file, error.site.line
        if place not in self.places and len(self.found) < MOST:
            self.places.add(place)
            self.found.append(error)

    def merged(self, first: PullbackError) -> PullbackError:
        """Return the first problem with the others attached to it."""
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

