"""``for`` and ``while`` statements: the names that they carry round, and how they are left."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pullback.core.build import Builder, boolean, i64
from pullback.core.terms import Atom, If, Loop, Var, While
from pullback.core.types import BOOL, I64
from pullback.errors import TypesDoNotMeetError
from pullback.frontend import ownership
from pullback.frontend.carry import Carried, carry
from pullback.frontend.coerce import dummy
from pullback.frontend.flatten import NoKindError, flatten, kind_of, rebuild
from pullback.frontend.forks import Flow
from pullback.frontend.join import generalise, join
from pullback.frontend.kinds import Kind, leaf_types
from pullback.frontend.signals import Unreachable, Unresolved
from pullback.frontend.syntax import assigned, jumps, liveness_of, target_names
from pullback.frontend.values import (
    Indexed,
    Scalar,
    Stale,
    Static,
    TupleV,
    Unrolled,
    Value,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def _refuse_else(run: Run, s: ast.For | ast.While) -> None:
    if s.orelse:
        run.refuse(s.orelse[0], "'else' of a loop is not supported", "test after the loop")


def for_statement(run: Run, s: ast.For) -> Flow:
    from pullback.frontend.expressions import evaluate
    from pullback.frontend.statements import assign, execute

    _refuse_else(run, s)
    source = evaluate(run, s.iter)
    items = run.iterate(source, s.iter)
    leaves = jumps(s.body) & {"break", "return"}
    if isinstance(items, Unrolled) and not leaves and not jumps(s.body):
        for item in items.items:
            assign(run, s.target, item, s)
            flow = execute(run, s.body)
            if flow is not Flow.FALL:
                return flow
        return Flow.FALL
    if isinstance(items, Unrolled):
        items = run.iterate(run.to_list(TupleV(items.items), s.iter), s.iter)
    if not isinstance(items, Indexed) or items.nested is not None:
        run.refuse(s.iter, "a loop over a comprehension with two 'for'", "write two loops")
    if items.keep is not None:
        items = run.iterate(run.to_list(source, s.iter), s.iter)
    assert isinstance(items, Indexed)
    # While the loop runs, its source is a name like others: updating it in the body is noticed.
    held_as = _hidden_name("$items", s)
    run.scope.names[held_as] = _source_arrays(source)
    found: Indexed = items

    def bind(index: Atom) -> None:
        held = run.scope.names.get(held_as)
        if isinstance(held, Stale):
            run.refuse(s.iter, "the loop runs over an array that its body updates", "copy it")
        assign(run, s.target, found.at(index), s)

    if leaves:
        return _for_with_exit(run, s, found, bind)
    index = Var("i", I64)
    try:
        names, c = _carry_names(run, s, [lambda: bind(index)], None)
    except Unresolved as e:
        _leave_out(run, e)
        return Flow.FALL
    loop = Loop(found.length, index, c.params, c.inits, c.blocks[0])
    made = run.b.let(loop, tuple(v.type for v in c.params))
    _after(run, s, names, c.results(made))
    return Flow.FALL


def _hidden_name(word: str, s: ast.stmt) -> str:
    """A name that belongs to one loop statement."""
    return f"{word}:{s.lineno}:{s.col_offset}"


def _source_arrays(source: Value) -> Value:
    try:
        kind_of(source)
        return source
    except NoKindError:
        parts = [v for v in _parts(source)]
        return TupleV(tuple(parts))


def _parts(value: Value) -> list[Value]:
    from pullback.frontend.values import EnumerateV, ReversedV, ZipV

    match value:
        case ZipV(items):
            return [p for v in items for p in _parts(v)]
        case EnumerateV(items, _) | ReversedV(items):
            return _parts(items)
        case _:
            try:
                kind_of(value)
            except NoKindError:
                return []
            return [value]


def _leave_out(run: Run, signal: Unresolved) -> None:
    """The body needs the result of a recursion that is not known yet: as if it never ran. The
    specialisation is marked, so everything is run again."""
    assert signal.spec.unresolved


def _carry_names(
    run: Run,
    s: ast.For | ast.While,
    before: Sequence[Callable[[], None]],
    cond: Callable[[], Atom] | None,
    extra: dict[str, Value] | None = None,
    after_body: Callable[[], None] | None = None,
) -> tuple[list[str], Carried]:
    """Settle the names that a loop statement carries round."""
    from pullback.frontend.statements import execute

    scope = run.scope
    scope.names.update(extra or {})
    assert run.frame.definition is not None
    live = liveness_of(run.frame.definition.node)
    head = live.head.get(s, frozenset()) | {"$exit"}
    changed = assigned(s.body)
    if isinstance(s, ast.For):
        changed = [*target_names(s.target), *changed]
    names = [
        n
        for n in dict.fromkeys([*changed, *(extra or {})])
        if n in scope.names and n in head | set(extra or {})
        and not isinstance(scope.names[n], Stale)
    ]
    others = [n for n in scope.names if n not in names]
    outer = dict(scope.names)
    frame = run.frame
    saved = frame.live_end, frame.in_loop

    def enter(values: Sequence[Value]) -> None:
        scope.names = dict(outer)
        for n in changed:
            scope.names.pop(n, None)
        scope.names.update(zip(names, values))

    def test(values: Sequence[Value]) -> tuple[Atom, ...]:
        assert cond is not None
        enter(values)
        return (cond(),)

    def step(values: Sequence[Value]) -> Sequence[Value]:
        enter(values)
        for action in before:
            action()
        frame.live_end = head | frozenset(names) | {"$exit", "$return"}
        frame.in_loop = True
        try:
            flow = execute(run, s.body)
        finally:
            frame.live_end, frame.in_loop = saved
        if flow is Flow.DEAD:
            return values
        if after_body is not None:
            after_body()
        for n in others:
            now = scope.names.get(n)
            if isinstance(now, Stale) and n not in changed:
                outer[n] = now
        gone = Stale("the value is not set on every path through the loop", s)
        return [scope.names.get(n, gone) for n in names]

    bodies = [step] if cond is None else [test, step]
    try:
        inits = [outer[n] for n in names]
        for n in _updated_names(s, names):
            _poison_aliases(run, n)
        outer.update({n: scope.names[n] for n in others if n in scope.names})
        while True:
            seen = {n: v for n, v in outer.items() if isinstance(v, Stale)}
            c = carry(run, inits, bodies, s, names)  # type: ignore[arg-type]
            if all(n in seen for n, v in outer.items() if isinstance(v, Stale)):
                break  # nothing outside was made unusable by this run of the body
    finally:
        scope.names = outer
        frame.live_end, frame.in_loop = saved
    return names, c


def _updated_names(s: ast.For | ast.While, names: Sequence[str]) -> list[str]:
    from pullback.frontend.syntax import updated

    found = updated(s.body)
    return [n for n in names if n in found]


def _poison_aliases(run: Run, name: str) -> None:
    from pullback.frontend.values import ArrayV

    value = run.scope.names[name]
    if isinstance(value, ArrayV) and value.fresh:
        ownership.updated(run, name, value)


def _after(run: Run, s: ast.For | ast.While, names: Sequence[str], values: Sequence[Value]) -> None:
    """The names after the loop: carried ones, and others assigned in it have no sure value."""
    scope = run.scope
    scope.names.pop(_hidden_name("$items", s), None)
    bound = list(assigned(s.body))
    if isinstance(s, ast.For):
        bound = [*target_names(s.target), *bound]
    for n in bound:
        if n not in names:
            scope.names[n] = Stale(
                f"{n!r} may have no value here: the loop may run zero times (or it is not the "
                "same type before and after)",
                s,
            )
    scope.names.update(zip(names, values))


def while_statement(run: Run, s: ast.While) -> Flow:
    from pullback.frontend.expressions import test_of

    _refuse_else(run, s)
    leaves = jumps(s.body) & {"break", "return"}
    if leaves:
        return _loop_with_exit(run, s, lambda: run.bool_atom(test_of(run, s.test)), [], {})
    try:
        names, c = _carry_names(run, s, [], lambda: run.bool_atom(test_of(run, s.test)))
    except Unresolved as e:
        _leave_out(run, e)
        return Flow.FALL
    loop = While(c.params, c.inits, c.blocks[0], c.blocks[1])
    made = run.b.let(loop, tuple(v.type for v in c.params))
    _after(run, s, names, c.results(made))
    return Flow.FALL


def _for_with_exit(
    run: Run, s: ast.For, items: Indexed, bind: Callable[[Atom], None]
) -> Flow:
    """A ``for`` with break or return is a ``while`` with an index."""

    counter = _hidden_name("$i", s)

    def index() -> Atom:
        return run.scalar(run.scope.names[counter], s).atom

    def more() -> Atom:
        return run.b.prim("lt", index(), items.length)

    def next_index() -> None:
        run.scope.names[counter] = Scalar(run.b.prim("add", index(), i64(1)), True, 31)

    extra: dict[str, Value] = {counter: Scalar(i64(0), True, 31)}
    return _loop_with_exit(run, s, more, [lambda: bind(index())], extra, next_index)


def _loop_with_exit(
    run: Run,
    s: ast.For | ast.While,
    more: Callable[[], Atom],
    before: Sequence[Callable[[], None]],
    extra: dict[str, Value],
    after_body: Callable[[], None] | None = None,
) -> Flow:
    """A loop that break or return may leave: ``$exit`` says so, ``$return`` holds the value."""
    scope = run.scope
    outer_exit, outer_return = scope.names.get("$exit"), scope.names.get("$return")
    state: dict[str, Value] = {**extra, "$exit": Static(0)}
    if "return" in jumps(s.body):
        kind = _return_kind(run, s, before, state)
        if kind is not None and outer_return is None:
            state["$return"] = dummy(run, kind)
        elif outer_return is not None:
            state["$return"] = outer_return

    def cond() -> Atom:
        going = run.truth(run.compare("==", scope.names["$exit"], Static(0), s), s)
        if isinstance(going, bool):
            return more() if going else boolean(False)
        then = run.block(lambda: (more(),))
        (atom,) = run.b.let(If(going, then, run.block(lambda: (boolean(False),))), (BOOL,))
        return atom

    try:
        names, c = _carry_names(run, s, before, cond, state, after_body)
    except Unresolved as e:
        _leave_out(run, e)
        for n in state:
            scope.names.pop(n, None)
        return Flow.FALL
    loop = While(c.params, c.inits, c.blocks[0], c.blocks[1])
    made = run.b.let(loop, tuple(v.type for v in c.params))
    _after(run, s, names, c.results(made))
    for n in extra:
        scope.names.pop(n, None)
    scope.names["$left"] = scope.names.pop("$exit")
    if outer_exit is not None:
        scope.names["$exit"] = outer_exit
    if outer_return is not None:
        scope.names["$outer"] = outer_return
    return Flow.FALL


def _return_kind(
    run: Run,
    s: ast.For | ast.While,
    before: Sequence[Callable[[], None]],
    state: dict[str, Value],
) -> Kind | None:
    """The kind of what a ``return`` in the body gives, found by a trial run whose code is dropped;
    None: it never gets there."""
    from pullback.frontend.statements import execute

    scope, frame = run.scope, run.frame
    saved = scope.names, frame.live_end, frame.in_loop, frame.returned
    scope.names = {**scope.names, **state}
    for n in set(assigned(s.body)) & set(scope.names):
        scope.names[n] = _unknown(scope.names[n])
    frame.live_end = frozenset(_names_in(s)) | {"$return", "$exit"}
    frame.in_loop, frame.returned = True, []
    try:
        with run.building(Builder()):
            for action in before:
                action()
            execute(run, s.body)
    except (Unreachable, Unresolved):
        pass
    finally:
        kinds = frame.returned
        scope.names, frame.live_end, frame.in_loop, frame.returned = saved
    kind: Kind | None = None
    for k in kinds:
        kind = k if kind is None else join(kind, k)
        if kind is None:
            run.refuse(s, "the loop returns values of different types", error=TypesDoNotMeetError)
    return generalise(kind) if kind is not None else None


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
