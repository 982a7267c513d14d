"""Trial runs of loop bodies: what must be known of a body before it is run for good."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pullback.core.build import Builder
from pullback.core.terms import Var
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.coerce import dummy
from pullback.frontend.flatten import NoKindError, flatten, kind_of, rebuild
from pullback.frontend.forks import UNUSED, Flow
from pullback.frontend.join import generalise, join
from pullback.frontend.kinds import Kind, leaf_types
from pullback.frontend.signals import Unreachable, Unresolved
from pullback.frontend.syntax import assigned, jumps, liveness_of, reads, target_names
from pullback.frontend.values import Stale, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def return_kind(
    run: Run,
    s: ast.stmt,
    body: Sequence[ast.stmt],
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> Kind | None:
    """The kind of what a ``return`` in the body gives; None: it never gets there."""
    kinds, _, _ = trial(run, s, body, before, state)
    kind: Kind | None = None
    for k in kinds:
        kind = k if kind is None else join(kind, k)
        if kind is None:
            run.refuse(s, "the loop returns values of different types", error=TypesDoNotMeetError)
    return generalise(kind) if kind is not None else None


def set_at_breaks(
    run: Run,
    s: ast.For | ast.While,
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> None:
    """Names that have a value only where ``break`` leaves the loop; its ``else`` sets them too."""
    targets, names = _unset_before(run, s)
    names = [n for n in names if n in targets or n not in reads(s.body)]
    run.frame.unset[s] = []
    if not names or not s.orelse or "break" not in jumps(s.body):
        return
    _, ends, _ = trial(run, s, s.body, before, state)
    for n in names:
        kind: Kind | None = None
        for k, end in enumerate(ends):
            value = end.get(n)
            if value is None or isinstance(value, Stale):
                break
            own = generalise(run.kind(value, s))
            kind = own if k == 0 else join(kind, own) if kind is not None else None
        else:
            if kind is not None:
                run.scope.names[n] = dummy(run, kind)
                run.frame.unset[s].append(n)


def set_in_every_round(
    run: Run,
    s: ast.For,
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> None:
    """Names that every round of a loop sets which certainly goes round have a value after it."""
    _, names = _unset_before(run, s)
    if not names:
        return
    _, _, end = trial(run, s, s.body, before, state)
    for n in names:
        value = end.get(n)
        if value is None or value is UNUSED or isinstance(value, Stale):
            continue
        try:
            run.scope.names[n] = dummy(run, generalise(kind_of(value)))
        except NoKindError:
            continue


def _unset_before(run: Run, s: ast.For | ast.While) -> tuple[list[str], list[str]]:
    """The targets of a loop; the names without a value before it that are wanted after it."""
    assert run.frame.definition is not None
    live = liveness_of(run.frame.definition.node).after.get(s, frozenset())
    targets = list(target_names(s.target, False)) if isinstance(s, ast.For) else []
    names = [
        n
        for n in dict.fromkeys([*targets, *assigned(s.body, False)])
        if n in live and isinstance(run.scope.names.get(n), Stale | None)
    ]
    return targets, names


def trial(
    run: Run,
    s: ast.stmt,
    body: Sequence[ast.stmt],
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> tuple[list[Kind], list[dict[str, Value]], dict[str, Value]]:
    """Run the body once for what it tells, and drop its code: the kinds of what ``return`` gives,
    the names where ``break`` leaves it, and those at its end."""
    from pullback.frontend.statements import execute

    scope, frame = run.scope, run.frame
    saved = scope.names, frame.live_end, frame.in_loop, frame.returned, frame.broken
    scope.names = {**scope.names, **state}
    if isinstance(s, ast.For | ast.While):
        for n in set(assigned(body)) & set(scope.names):
            scope.names[n] = _unknown(scope.names[n])
    frame.live_end = frozenset(_names_in(s)) | {"$return", "$exit"}
    frame.in_loop, frame.returned, frame.broken = True, [], []
    end: dict[str, Value] = {}
    try:
        with run.building(Builder()):
            for action in before:
                action()
            if execute(run, body) is not Flow.DEAD:
                end = scope.names
    except (Unreachable, Unresolved):
        pass
    finally:
        found = frame.returned, frame.broken, end
        scope.names, frame.live_end, frame.in_loop, frame.returned, frame.broken = saved
    return found


def _unknown(value: Value) -> Value:
    """A value of the same kind of which nothing is known."""
    try:
        kind = generalise(kind_of(value))
    except NoKindError:
        return value
    owned = iter(flatten(value).owned)
    return rebuild(kind, (Var("u", t) for t in leaf_types(kind)), lambda: next(owned))


def _names_in(s: ast.stmt) -> list[str]:
    return [n.id for n in ast.walk(s) if isinstance(n, ast.Name)]
