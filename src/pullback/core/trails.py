"""Trails: from which line of the user's source each let comes, while somebody asks for it.

Lets that can raise have a ``Site`` always, since errors point there. The others have none, so that
programs stay small. Within ``following()`` every let gets a ``Trail``, which is such a place: the
front end marks what it writes for a statement or expression, the derivative marks what it writes
for a let, and the passes keep the places of lets as they keep those of errors. What a program
computes does not depend on it (``tests/explanation/test_trails.py``)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from enum import Enum

from pullback.core.frozen import dataclass
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Call,
    Let,
    Program,
    Site,
    Var,
    atoms,
    sub_blocks,
)


class Sweep(Enum):
    """Which part of a derivative a let belongs to: the function itself, its reverse sweep, or what
    the reverse sweep computes of the function once more."""

    FORWARD = "forward"
    REVERSE = "reverse"
    AGAIN = "again"


@dataclass(frozen=True, slots=True)
class Trail(Site):
    """The place from which a let comes. ``raises``: it is where an error points, too."""

    sweep: Sweep = Sweep.FORWARD
    raises: bool = False


class _Following:
    """Whether trails are kept now: in all of a process for ``PULLBACK_PERF=1``, so that profilers
    and debuggers know the lines of machine code."""

    on = os.environ.get("PULLBACK_PERF") == "1"


def is_followed() -> bool:
    """Return whether trails are kept now."""
    return _Following.on


@contextmanager
def following() -> Iterator[None]:
    """Keep trails; the caller holds the lock of the compiler."""
    before, _Following.on = _Following.on, True
    try:
        yield
    finally:
        _Following.on = before


def can_point(site: Site | None) -> bool:
    """Return whether an error points to this place."""
    return site is not None and (not isinstance(site, Trail) or site.raises)


def _values(site: Site) -> dict[str, object]:
    return {f.name: getattr(site, f.name) for f in fields(Site)}


def trail_of(site: Site, sweep: Sweep, raises: bool) -> Trail:
    """Return the trail that leads to a place."""
    if isinstance(site, Trail) and site.sweep is sweep and site.raises == raises:
        return site
    return Trail(**_values(site), sweep=sweep, raises=raises)  # type: ignore[arg-type]  # by name


def _write(let: Let, trail: Trail) -> None:
    """Write the trail of a let. Nobody else changes terms; what a let means stays the same."""
    object.__setattr__(let, "site", trail)


def mark(lets: Iterable[Let], site: Site) -> None:
    """Let those of these lets (and of the lets inside) that have no trail yet come from a place of
    the user's. A place where errors point stays where it is."""
    for let in lets:
        if not isinstance(let.site, Trail):
            _write(let, trail_of(let.site or site, Sweep.FORWARD, can_point(let.site)))
        for _, block in sub_blocks(let.op):
            mark(block.lets, site)


def mark_call(lets: Iterable[Let], site: Site | None) -> None:
    """Let those lets of an inlined function that have no trail come from the place of the call."""
    if isinstance(site, Trail):
        _fill(lets, site)


def _fill(lets: Iterable[Let], trail: Trail) -> None:
    for let in lets:
        if let.site is None:
            _write(let, trail_of(trail, trail.sweep, False))
        for _, block in sub_blocks(let.op):
            _fill(block.lets, trail)


def mark_reverse(lets: Iterable[Let], site: Site | None) -> None:
    """Let what was written for the reverse of a let come from the place of that let: what has no
    place yet is its reverse sweep, what has one is computed again there."""
    if not isinstance(site, Trail):
        return
    for let in lets:
        if let.site is None:
            _write(let, trail_of(site, Sweep.REVERSE, False))
        elif not (isinstance(let.site, Trail) and let.site.sweep is not Sweep.FORWARD):
            _write(let, trail_of(let.site, Sweep.AGAIN, can_point(let.site)))
        for _, block in sub_blocks(let.op):
            mark_reverse(block.lets, site)


def complete(program: Program) -> None:
    """Give trails to the lets that a pass has written without: a let comes from where the lets
    inside of it do, or else from where its result is read first, or its operands are made, or else
    from where the let before it does."""
    for function in program.functions.values():
        _backwards(function.body, {})
        _forwards(function.body, {}, None)


def _place(let: Let, near: Trail) -> Trail:
    """Write the trail of a let that has none. What is done with accumulators is reverse sweep."""
    reverse = isinstance(let.op, (AccNew, AccAdd, AccRead, AccTake)) or (
        isinstance(let.op, Call) and let.op.function.endswith(".rev"))
    sweep = Sweep.REVERSE if reverse else near.sweep
    trail = trail_of(let.site or near, sweep, can_point(let.site))
    _write(let, trail)
    return trail


def _found(places: dict[Var, Trail], of: Iterable[Atom]) -> Trail | None:
    return next((places[v] for v in of if isinstance(v, Var) and v in places), None)


def _backwards(b: Block, readers: dict[Var, Trail]) -> Trail | None:
    """Fill from the end to the start, so that readers are known; return the first trail."""
    first: Trail | None = None
    for let in reversed(b.lets):
        inner = [_backwards(sub, readers) for _, sub in sub_blocks(let.op)]
        near = next((t for t in inner if t is not None), None) or _found(readers, let.vars)
        trail = let.site if isinstance(let.site, Trail) else None
        if trail is None and near is not None:
            trail = _place(let, near)
        if trail is not None:
            first = trail
            readers.update((a, trail) for a in atoms(let.op) if isinstance(a, Var))
    return first


def _forwards(b: Block, makers: dict[Var, Trail], before: Trail | None) -> None:
    """Fill from the start to the end, so that the makers of operands are known."""
    for let in b.lets:
        if not isinstance(let.site, Trail):
            near = _found(makers, atoms(let.op)) or before
            if near is None and let.site is not None:
                near = trail_of(let.site, Sweep.FORWARD, True)
            if near is not None:
                _place(let, near)
        if isinstance(let.site, Trail):
            before = let.site
            makers.update(dict.fromkeys(let.vars, let.site))
        for _, sub in sub_blocks(let.op):
            _forwards(sub, makers, before)


__all__ = [
    "Sweep", "Trail", "can_point", "complete", "following", "is_followed", "mark", "mark_call",
    "mark_reverse", "trail_of",
]  # fmt: skip
