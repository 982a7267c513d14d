"""Trial runs of loop bodies: what must be known of a body before it is run for good."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pullback.core.build import Builder
from pullback.core.terms import Var
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.kinds.flatten import NoKindError, flatten, kind_of, rebuild
from pullback.frontend.kinds.join import generalise, join
from pullback.frontend.kinds.kinds import Kind, MaybeK, leaf_types
from pullback.frontend.kinds.undefined import dummy, unset
from pullback.frontend.kinds.values import UNSET, Stale, Value
from pullback.frontend.python.syntax import assigned, liveness_of, target_names
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def return_kind(
    run: Run,
    s: ast.stmt,
    body: Sequence[ast.stmt],
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> Kind | None:
    """Return the kind of the value of a ``return`` in the body; None if none is reached."""
    kinds, _ = trial(run, s, body, before, state)
    kind: Kind | None = None
    for k in kinds:
        kind = k if kind is None else join(kind, k)
        if kind is None:
            run.refuse(s, "the loop returns values of different types", error=TypesDoNotMeetError)
    return generalise(kind) if kind is not None else None


def first_set(
    run: Run,
    s: ast.For | ast.While,
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
    goes_round: bool,
) -> None:
    """Give the names that a loop sets first a value before it, of the kind that a round gives them,
    which is not to be read. If the loop certainly goes round, and every round sets the name,
    nothing needs to be checked afterwards."""
    names = _unset_before(run, s)
    if not names:
        return
    _, end = trial(run, s, s.body, before, {**state, **dict.fromkeys(names, UNSET)})
    for n in names:
        value = end.get(n)
        if value is None or isinstance(value, Stale):
            continue
        try:
            kind = generalise(kind_of(value))
        except NoKindError:
            continue
        if isinstance(kind, MaybeK):
            if _is_unset(run, n):
                run.scope.names[n] = unset(run, kind.inner)
        elif goes_round:
            run.scope.names[n] = dummy(run, kind)
        elif _is_unset(run, n):
            run.scope.names[n] = unset(run, kind)


def _is_unset(run: Run, name: str) -> bool:
    """Whether a name has no value in Python either."""
    held = run.scope.names.get(name)
    return not isinstance(held, Stale) or held.unset


def _unset_before(run: Run, s: ast.For | ast.While) -> list[str]:
    """Return the names that have no value before a loop, are set by it, and are read in a later
    round or after it."""
    assert run.frame.definition is not None
    liveness = liveness_of(run.frame.definition.node)
    live = liveness.after.get(s, frozenset()) | liveness.head.get(s, frozenset())
    targets = list(target_names(s.target, False)) if isinstance(s, ast.For) else []
    return [
        n
        for n in dict.fromkeys([*targets, *assigned(s.body, False)])
        if n in live and isinstance(run.scope.names.get(n), Stale | None)
    ]


def trial(
    run: Run,
    s: ast.stmt,
    body: Sequence[ast.stmt],
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> tuple[list[Kind], dict[str, Value]]:
    """Run the body once for what it tells, and drop its code: the kinds of what ``return`` gives,
    and the names at its end."""

    scope, frame = run.scope, run.frame
    saved = scope.names, frame.live_end, frame.in_loop, frame.returned
    scope.names = {**scope.names, **state}
    if isinstance(s, ast.For | ast.While):
        for n in set(assigned(body)) & set(scope.names):
            scope.names[n] = _unknown(scope.names[n])
    frame.live_end = frozenset(_names_in(s)) | {"$return", "$exit"}
    frame.in_loop, frame.returned = True, []
    end: dict[str, Value] = {}
    try:
        with run.building(Builder()) as b, run.generators.forgetting():
            if not isinstance(s, ast.For | ast.While):
                run.arms[b] = s
            for action in before:
                action()
            if run.execute(body) is not Flow.DEAD:
                end = scope.names
    except Unreachable:
        pass
    finally:
        found = frame.returned, end
        scope.names, frame.live_end, frame.in_loop, frame.returned = saved
    return found


def _unknown(value: Value) -> Value:
    """Return a value of the same kind about which nothing is known."""
    if value is UNSET:
        return value
    try:
        kind = generalise(kind_of(value))
    except NoKindError:
        return value
    owned = iter(flatten(value).owned)
    return rebuild(kind, (Var("u", t) for t in leaf_types(kind)), lambda: next(owned))


def _names_in(s: ast.stmt) -> list[str]:
    return [n.id for n in ast.walk(s) if isinstance(n, ast.Name)]
