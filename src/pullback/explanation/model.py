"""What an explanation says, as plain values: ``page`` shows them, ``explaining`` makes them.

A *place* is a line of a source; its name, such as ``s12``, links the rows of all listings that come
from that line."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Part(Enum):
    """The parts of a gradient: the function itself, what the reverse sweep computes of it once
    more, and the reverse sweep."""

    FORWARD = "forward"
    AGAIN = "again"
    REVERSE = "reverse"


@dataclass(slots=True)
class Cost:
    """The steps of a line: in a run of the function, and in the parts of a run of its gradient; and
    the seconds of both natively, where they were measured."""

    value: int = 0
    parts: dict[Part, int] = field(default_factory=lambda: dict.fromkeys(Part, 0))
    seconds: float | None = None
    part_seconds: dict[Part, float] = field(default_factory=dict)

    @property
    def gradient(self) -> int:
        """The steps of the gradient."""
        return sum(self.parts.values())


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the user's source, and its cost; ``place`` is empty if nothing comes from it."""

    number: int
    text: str
    place: str = ""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Source:
    """A function of the user's: its file, its name and its lines."""

    file: str
    name: str
    lines: tuple[SourceLine, ...]


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A line of a program of Core. ``steps`` and ``runs``: its own in the counted run, ``kept``:
    the bytes that it makes for the reverse sweep."""

    depth: int
    text: str
    place: str = ""
    part: Part = Part.FORWARD
    steps: int = 0
    runs: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """A program at one stage."""

    name: str
    title: str
    rows: tuple[CodeRow, ...]


@dataclass(frozen=True, slots=True)
class LoopRow:
    """A loop or a call of linear algebra, and how it runs natively."""

    depth: int
    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """Values of a line that the reverse sweep reads (or computes again): how many there are and how
    many bytes they have."""

    text: str
    place: str
    values: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Growth:
    """The steps of the function and of its gradient where an extent or a number is other; ``own``
    is the one of the arguments that were given."""

    name: str
    own: int
    sizes: tuple[int, ...]
    value: tuple[int, ...]
    gradient: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StageCard:
    """The function by a stage of a paper: its lines, each with whether it is new, and what a run
    counts; or the reason why the stage does not take it."""

    name: str
    title: str
    lines: tuple[tuple[bool, str], ...]
    counts: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is said of a function at some arguments.

    arguments  the name and the type of each, and whether the gradient is by it
    counted    how large the arguments of the counted run were, if not as given
    notes      what could not be shown, and why"""

    title: str
    arguments: tuple[tuple[str, str, bool], ...]
    sources: tuple[Source, ...]
    listings: tuple[Listing, ...]
    plans: tuple[tuple[str, tuple[LoopRow, ...]], ...] = ()
    kept: tuple[MemoryRow, ...] = ()
    again: tuple[MemoryRow, ...] = ()
    growth: tuple[Growth, ...] = ()
    stages: tuple[StageCard, ...] = ()
    counted: str = ""
    notes: tuple[str, ...] = ()

    @property
    def value_steps(self) -> int:
        """The steps of the counted run of the function."""
        return sum(line.cost.value for s in self.sources for line in s.lines)

    def part_steps(self, part: Part) -> int:
        """The steps of a part of the counted run of the gradient."""
        return sum(line.cost.parts[part] for s in self.sources for line in s.lines)


__all__ = [
    "CodeRow", "Cost", "Explanation", "Growth", "Listing", "LoopRow", "MemoryRow", "Part", "Source",
    "SourceLine", "StageCard",
]  # fmt: skip
