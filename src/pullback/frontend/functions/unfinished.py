"""Which updates of a function are unfinished where it raises.

A function that updates what it was given (``handing``) and raises has updated it in part, or not
yet. Mostly it tests its arguments first: nothing that raises comes after the first update. Then the
object is what it was before the call, and a caller that catches the exception knows it.

While a function is made, the front end notes from which place in the code on each object is not
what it was (``note``); what is made there and may raise is kept with the function. What changes in
other ways, say in the rounds of a loop, has changed before anything that may raise there
(``look``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pullback.core.build import Builder
from pullback.core.terms import Atom, Call, Op
from pullback.core.types import Array
from pullback.frontend.functions.catching import Updated, may_raise
from pullback.frontend.kinds.flatten import flatten
from pullback.frontend.kinds.kinds import without_spare
from pullback.frontend.kinds.values import Value
from pullback.frontend.python.attempted import Attempt, Once
from pullback.frontend.python.syntax import STATE

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.state import Frame, Spec


def note(run: Run, name: str = "") -> None:
    """Note which objects of the caller's are not what they were at the beginning: these, and the
    variable of this name, which is about to change."""
    frame = run.frame
    if frame.starts:
        changed = _changed(frame)
        frame.log.append((run.b, len(run.b.lets), changed | {name} if name else changed))


def look(run: Run) -> None:
    """Note what has changed since the last note without one of its own, as a loop changes
    variables: at some time within the code that was made since."""
    frame = run.frame
    if not frame.starts:
        return
    b, place, known = run.b, 0, frame.log[-1][2] if frame.log else frozenset[str]()
    for entry in reversed(frame.log):
        if entry[0] is b:
            _, place, known = entry
            break
    more = _changed(frame) - known
    if more:
        ops = [let.op for let in b.lets[place:] if may_raise(let.op)]
        frame.unfinished += [(n, op) for n in more for op in ops]
    note(run)


def _changed(frame: Frame) -> frozenset[str]:
    names = frame.scope.names
    return frozenset(n for n, v in frame.starts.items() if names.get(n) is not v)


def handed(run: Run, spec: Spec, before: dict[str, Value]) -> None:
    """A call has handed updates back; ``before``: what the names of this function held."""
    frame = run.frame
    if not frame.starts:
        return
    names = frame.scope.names
    changed = [n for n in frame.starts if names.get(n) is not before.get(n)]
    known = run.caught.updated.get(spec.name, {})
    ops: list[Op] = [o for update in known.values() for o in update.ops]
    if spec in run.calls.active or known.keys() < spec.updates.keys():
        ops.append(Call(spec.name, ()))
    frame.unfinished += [(n, o) for n in changed for o in ops]
    note(run)


def lost(spec: Spec, frame: Frame, returns: bool) -> frozenset[str]:
    """Return what a function, which has been run, changes only where it raises in the end: all that
    it changes, if it never returns."""
    changed = {n for _, _, names in frame.log for n in names if n in spec.cells} | frame.lost
    return frozenset(changed - spec.updates.keys() if returns else changed | spec.updates.keys())


def updates_of(run: Run, whole: Value, ends: dict[str, Value]) -> dict[str, Updated]:
    """Return what is known of the objects that a function hands back. ``whole``: all that it gives,
    which ends with these."""
    frame = run.frame
    assert frame.definition is not None
    tries = any(isinstance(n, Attempt | Once) for n in ast.walk(frame.definition.node))
    if tries or STATE in frame.scope.names or frame.slots:
        return {}
    raising: dict[str, list[Op]] = {n: [] for n in ends if n in frame.starts}
    for n, op in frame.unfinished:
        if n in raising:
            raising[n].append(op)
    for changed, ops in _ranges(frame):
        for n in changed & raising.keys():
            raising[n] += ops
    given = [flatten(v).atoms for v in ends.values()]
    place = len(flatten(whole).atoms) - sum(map(len, given))
    found: dict[str, Updated] = {}
    for n, new in zip(ends, given, strict=True):
        if n in raising:
            old = parts_before(frame.starts[n], ends[n])
            if old is not None:
                starts = {place + k: a for k, a in enumerate(old)}
                found[n] = Updated(tuple(raising[n]), starts)
        place += len(new)
    return found


def parts_before(old: Value, new: Value) -> Sequence[Atom] | None:
    """Return what the parts of an updated object were; none if the update was in no place of its
    memory, as when a list was copied to grow; None if that is not known."""
    before, after = flatten(old), flatten(new)
    if [a.type for a in before.atoms] == [a.type for a in after.atoms]:
        return before.atoms
    arrays = sum(isinstance(a.type, Array) for a in before.atoms)
    grown = without_spare(before.kind) == without_spare(after.kind)
    return () if arrays == 0 or (grown and arrays == 1) else None


def _ranges(frame: Frame) -> Iterator[tuple[frozenset[str], list[Op]]]:
    """Iterate over the pieces of code after an update: what is changed there, and what may raise.
    """
    entries: dict[Builder, list[tuple[int, frozenset[str]]]] = {}
    for b, place, changed in frame.log:
        entries.setdefault(b, []).append((place, changed))
    for b, found in entries.items():
        for k, (place, changed) in enumerate(found):
            stop = found[k + 1][0] if k + 1 < len(found) else len(b.lets)
            if changed and stop > place:
                yield changed, [x.op for x in b.lets[place:stop] if may_raise(x.op)]


__all__ = ["handed", "look", "lost", "note", "parts_before", "updates_of"]
