"""Trial runs of loop bodies: what must be known of a body before it is run for good."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from types import NoneType
from typing import TYPE_CHECKING

from pullback.core.build import Builder
from pullback.core.terms import Var
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.kinds.flatten import NoKindError, flatten, kind_of, rebuild
from pullback.frontend.kinds.join import generalise, join
from pullback.frontend.kinds.kinds import Kind, MaybeK, leaf_types
from pullback.frontend.kinds.undefined import dummy, unset
from pullback.frontend.kinds.values import UNSET, Stale, Value
from pullback.frontend.python.function_attributes import attribute_of
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.syntax import assigned, target_names
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def return_kind(
    run: Run,
    s: ast.For | ast.While,
    body: Sequence[ast.stmt],
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> Kind | None:
    """Return the kind of the value of a ``return`` in the body; None if none is reached."""
    key = entry(run, s, state), _round(run)
    if key not in run.known_loops.returned:
        run.known_loops.returned[key] = _return_kind(run, s, body, before, state)
    return run.known_loops.returned[key]


def _return_kind(
    run: Run,
    s: ast.For | ast.While,
    body: Sequence[ast.stmt],
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> Kind | None:
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
    nothing needs to be checked afterwards, unless the program can ask whether it is set
    (``hasattr``)."""
    names = _unset_before(run, s)
    if not names:
        return
    key = entry(run, s, state), _round(run)
    if key not in run.known_loops.first:
        run.known_loops.first[key] = _first_kinds(run, s, before, state, names)
    own = _bound_in(s)
    for n, kind in run.known_loops.first[key].items():
        if isinstance(kind, MaybeK):
            if _is_unset(run, n):
                run.scope.names[n] = unset(run, kind.inner)
        elif goes_round and n in own and not attribute_of(n):
            run.scope.names[n] = dummy(run, kind)
        elif _is_unset(run, n):
            run.scope.names[n] = unset(run, kind)


def _first_kinds(
    run: Run,
    s: ast.For | ast.While,
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
    names: Sequence[str],
) -> dict[str, Kind]:
    _, end = trial(run, s, s.body, before, {**state, **dict.fromkeys(names, UNSET)})
    found: dict[str, Kind] = {}
    for n in names:
        value = end.get(n)
        if value is None or isinstance(value, Stale):
            continue
        with suppress(NoKindError):
            found[n] = generalise(kind_of(value))
    return found


def entry(run: Run, s: ast.stmt, state: Mapping[str, Value] | None = None) -> Hashable:
    """What is known where a loop begins: the kinds of the names that stand in it, and of those that
    say how loops are left (``state``: of some more). A loop that begins with the same again is
    settled with the same kinds."""
    names = {**run.scope.names, **(state or {})}
    mine = _names_in(s)
    held = ((n, v) for n, v in names.items() if n in mine or n.startswith("$"))
    return s, run.frame.spec, tuple((n, _known(v)) for n, v in held)


def _known(value: Value) -> Hashable:
    if isinstance(value, Stale):
        return ""
    try:
        return kind_of(value)
    except NoKindError:
        return type(value).__name__


def _round(run: Run) -> Hashable:
    """The round of the recursion around, in which results of calls may be known in part only."""
    spec = run.frame.spec
    return None if spec is None else spec.began


def _is_unset(run: Run, name: str) -> bool:
    """Whether a name has no value in Python either."""
    held = run.scope.names.get(name)
    return not isinstance(held, Stale) or held.unset


def _bound_in(s: ast.For | ast.While) -> dict[str, None]:
    """Return the names that a loop binds itself."""
    targets = list(target_names(s.target, False)) if isinstance(s, ast.For) else []
    return dict.fromkeys([*targets, *assigned(s.body, False)])


def _unset_before(run: Run, s: ast.For | ast.While) -> list[str]:
    """Return the names that have no value before a loop, are set by it, and are read in a later
    round or after it; also those without one that a function may set which is called there."""
    assert run.frame.definition is not None
    liveness = liveness_of(run.frame.definition.node)
    live = liveness.after.get(s, frozenset()) | liveness.head.get(s, frozenset())
    own = _bound_in(s)
    mine = [n for n in own if n in live and isinstance(run.scope.names.get(n), (Stale, NoneType))]
    return mine + [n for n, held in run.scope.names.items() if held is UNSET and n not in own]


def trial(
    run: Run,
    s: ast.For | ast.While,
    body: Sequence[ast.stmt],
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> tuple[list[Kind], dict[str, Value]]:
    """Run the body once for what it tells, and drop its code: the kinds of what ``return`` gives,
    and the names at its end."""

    scope, frame = run.scope, run.frame
    saved = scope.names, frame.live_end, frame.in_loop, frame.returned
    scope.names = {**scope.names, **state}
    for n in set(assigned(body)) & set(scope.names):
        scope.names[n] = _unknown(scope.names[n])
    frame.live_end = _names_in(s) | {"$return", "$exit"}
    frame.in_loop, frame.returned = True, []
    end: dict[str, Value] = {}
    try:
        with run.building(Builder()), run.generators.forgetting():
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


@by_node
def _names_in(s: ast.stmt) -> frozenset[str]:
    """Return the names that stand in a statement."""
    return frozenset(n.id for n in ast.walk(s) if isinstance(n, ast.Name))
