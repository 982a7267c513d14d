"""``for`` and ``while`` statements: the names that they carry round, and how they are left."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

from pullback.core.build import Builder, boolean, i64
from pullback.core.terms import Atom, If, Loop, Var, While
from pullback.core.types import BOOL, I64
from pullback.frontend.functions import iterator_lifetimes, noted
from pullback.frontend.functions.generator_forms import handed_on
from pullback.frontend.functions.threads import held, shared
from pullback.frontend.interpret import (
    by_tags,
    generator_bodies,
    generators,
    late_items,
    unlike_items,
    unrolling,
)
from pullback.frontend.interpret.carried import Carried
from pullback.frontend.interpret.carried_places import Places
from pullback.frontend.interpret.carry import carry
from pullback.frontend.interpret.conditions import is_in_the_round, only_read, with_condition
from pullback.frontend.interpret.endings import has_items
from pullback.frontend.interpret.forks import UNUSED
from pullback.frontend.interpret.iteration import is_iterator
from pullback.frontend.interpret.loop_sources import Source, hidden_name
from pullback.frontend.interpret.recovery import UNKNOWN
from pullback.frontend.interpret.trials import entry, first_set, return_kind
from pullback.frontend.kinds.join import generalise
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.kinds.undefined import any_value, dummy
from pullback.frontend.kinds.values import (
    ArrayV,
    Driven,
    Indexed,
    PlaceV,
    Scalar,
    Stale,
    Static,
    Unrolled,
    Value,
)
from pullback.frontend.memory import places
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.syntax import (
    STATE,
    STOP,
    assigned,
    bound_anew,
    is_endless,
    jumps,
    local_names,
    target_names,
    told,
    updated,
)
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def for_statement(run: Run, s: ast.For) -> Flow:
    source = Source(run, s)
    items = unrolling.unrolled(run, source.value, s) or late_items.of_loop(
        run, source.value, lambda: run.iterate(source.value, s.iter), s
    )
    state: dict[str, Value] = {"$exit": Static(0)} if jumps(s.body) & {"break", "return"} else {}
    if isinstance(items, Driven):
        return _for_driven(run, s, items, source, state)
    if jumps(s.body) and isinstance(items, Unrolled) and unlike_items.are_unlike(items):
        return unlike_items.for_unlike(run, s, items.items, source)
    with nullcontext() if jumps(s.body) else unrolling.may_unroll(run, source.value, s.target, s):
        return _for_items(run, s, items, source, state)


def _for_items(
    run: Run, s: ast.For, items: Unrolled | Indexed, source: Source, state: dict[str, Value]
) -> Flow:
    """Compile a ``for`` over items that have numbers."""
    if isinstance(items, Unrolled) and not (items.each and jumps(s.body)):
        for k, item in enumerate(items.each):
            run.assign(s.target, source.item(k, item), s)
            flow = run.execute(s.body)
            if flow is not Flow.FALL:
                return flow
            source.check_size()
        source.close()
        return Flow.FALL
    found = source.indexed(source.value, items)

    def bind(index: Atom) -> None:
        run.assign(s.target, source.at(found, index), s)

    index = Var("i", I64)
    goes_round = has_items(found)
    before = [lambda: bind(index)]
    first_set(run, s, before, state, goes_round)
    if state:
        return _for_with_exit(run, s, found, bind, source)
    names, c = _carry_names(run, s, before, None, after_body=source.check_size)
    loop = Loop(found.length, index, c.params, c.inits, c.blocks[0])
    made = run.b.let(loop, tuple(v.type for v in c.params))
    _only_if_it_ends(run, c, goes_round)
    _after(run, s, names, c.results(made))
    return Flow.FALL


def _for_driven(
    run: Run, s: ast.For, items: Driven, source: Source, state: dict[str, Value]
) -> Flow:
    """Compile a ``for`` over a generator: its body is the consumer."""
    if handed_on(s):
        generator_bodies.hand_on(run, items, s.iter, told(s))
        source.close()
        return Flow.FALL
    scope, driver = run.scope, generators.of(run)
    changed = driver.changed(items, s.iter)
    source.hold(held(scope, items, shared(scope, items)))
    found = driver.item(items, s.iter)
    if found is None:
        return Flow.FALL
    item, params = found
    def bind() -> None:
        source.check("a generator that reads what its body updates")
        run.assign(s.target, item, s)

    first_set(run, s, [bind], state, False)

    def driven(names: Names, c: Carried) -> list[Value]:
        def left(values: Sequence[Value]) -> bool | Atom:
            exit_ = values[names.index("$exit")]
            return run.truth(run.compare("!=", exit_, Static(0), s), s)

        others = {*_changed(run, s), *names.places.known} - {*names}  # none has its value there
        return driver.consume(items, c, names, params, left if state else None, s.iter, others)

    if state:
        return _loop_with_exit(run, s, None, [bind], {}, False, None, driven, changed)
    names, c = _carry_names(run, s, [bind], None, changed=changed)
    _after(run, s, names, driven(names, c))
    iterator_lifetimes.ran_out(run, source.value, s)
    return Flow.FALL


def _carry_names(
    run: Run,
    s: ast.For | ast.While,
    before: Sequence[Callable[[], None]],
    cond: Callable[[], Atom] | None,
    extra: dict[str, Value] | None = None,
    after_body: Callable[[], None] | None = None,
    changed: Sequence[str] = (),
) -> tuple[Names, Carried]:
    """Settle the names that a loop statement carries round (``changed`` are among them)."""
    return _Body(run, s, before, cond, extra or {}, after_body, changed).settle()


class Names(list[str]):
    """The names that a loop carries; of names for parts the indices."""

    def __init__(self, names: Sequence[str], places: Places) -> None:
        super().__init__(names)
        self.places = places


class _Body:
    """The body of a loop statement as a step on the values of the names that it carries.

    ``before`` is run at the start of every round (it binds the target), ``after_body`` at its end;
    ``extra`` are hidden names that are carried too."""

    def __init__(
        self,
        run: Run,
        s: ast.For | ast.While,
        before: Sequence[Callable[[], None]],
        cond: Callable[[], Atom] | None,
        extra: dict[str, Value],
        after_body: Callable[[], None] | None,
        more: Sequence[str],
    ) -> None:
        self.run, self.s, self.before = run, s, before
        self.cond, self.after_body = cond, after_body
        self.scope = run.scope
        self.scope.names.update(extra)
        self.updated = updated(s.body) | _updated_whole(run, s.body)
        self.returned = len(run.frame.returned)
        self.found: dict[str, None] = {}  # names that calls in the body update
        self.updated |= set(more)
        assert run.frame.definition is not None
        live = liveness_of(run.frame.definition.node)
        self.head = live.head.get(s, frozenset()) | {"$exit", STATE, STOP}
        self.changed = list(dict.fromkeys([*_changed(run, s), *more]))
        self.names = [
            n
            for n in dict.fromkeys([*self.changed, *extra])
            if n in self.scope.names
            and (n in self.head or n in extra or n in more)
            and not isinstance(self.scope.names[n], Stale)
        ]
        self.others = [n for n in self.scope.names if n not in self.names]
        self.outer = dict(self.scope.names)
        self.entry = entry(run, s)
        self.more: list[str] = []  # of the changed names, those that were found
        found, other = run.known_loops.changed.get(self.entry, ((), frozenset()))
        self.places = Places(run, s.body, other=set(other))
        self.found.update((n, None) for n in found if n in self.others)
        self.add_found()

    def settle(self) -> tuple[Names, Carried]:
        run, frame, outer = self.run, self.run.frame, self.outer
        saved = frame.live_end, frame.in_loop
        bodies: list[Callable[[Sequence[Value]], Sequence[Value] | tuple[Atom, ...]]]
        bodies = [self.step] if self.cond is None else [self.test, self.step]
        try:
            inits = self.inits()
            while True:
                stale = {n for n, v in outer.items() if isinstance(v, Stale)}
                self.scope.names = outer
                c = carry(run, inits, bodies, self.s, self.names, self.updated, self.entry)
                if not self.places.settled:
                    before, self.names = self.names, self.places.end(self.names)
                    for n in set(before) - set(self.names):
                        del self.outer[n]
                    inits = self.inits()
                elif self.found:
                    self.add_found()
                    inits = self.inits()
                elif stale == {n for n, v in outer.items() if isinstance(v, Stale)}:
                    other = frozenset(self.places.other)
                    run.known_loops.changed[self.entry] = self.more, other
                    return Names(self.names, self.places), c
                # The body made a name from outside unusable: so it is in every later round.
        finally:
            self.scope.names = outer
            frame.live_end, frame.in_loop = saved

    def inits(self) -> list[Value]:
        """Return the values of the carried names before the loop; for names of parts of structures,
        these parts."""
        self.scope.names = self.outer
        for n in list(self.names):
            indices = self.places.begin(n, self.outer[n])
            if indices is None:
                self.outer[n] = places.settled(self.run, self.outer[n], self.s)
                continue
            self.outer |= indices
            at = self.names.index(n)
            self.names[at : at + 1] = indices
        self.names = [n for n in self.names if not isinstance(self.outer[n], Stale)]
        return [self.outer[n] for n in self.names]

    def add_found(self) -> None:
        """Carry the names that turned out to be updated by calls, like those assigned to."""
        self.scope.names = self.outer
        self.more += self.found
        self.changed = [*self.changed, *self.found]
        self.updated |= set(self.found)
        self.names += [n for n in self.found if not isinstance(self.outer[n], Stale)]
        self.others = [n for n in self.others if n not in self.found]
        self.found = {}

    def enter(self, values: Sequence[Value]) -> None:
        self.scope.names = dict(self.outer)
        for n in self.changed:
            if not isinstance(self.outer.get(n), Stale):
                self.scope.names.pop(n, None)
        self.scope.names.update(zip(self.names, values, strict=True))
        self.places.bind(self.scope.names)

    def test(self, values: Sequence[Value]) -> tuple[Atom, ...]:
        assert self.cond is not None
        self.enter(values)
        with only_read(self.run, self.s):
            return (self.cond(),)

    def step(self, values: Sequence[Value]) -> Sequence[Value]:
        frame = self.run.frame
        saved, known = (frame.live_end, frame.in_loop), len(frame.raising)
        del frame.returned[self.returned :]  # of rounds with other kinds
        self.enter(values)
        for action in self.before:
            action()
        frame.live_end = self.head | frozenset(self.names) | {"$exit", "$return"}
        frame.in_loop = True
        try:
            flow = self.run.execute(self.s.body)
        finally:
            frame.live_end, frame.in_loop = saved
            if self.cond is None and self.after_body is None:  # the consumer of a generator
                mine = {*self.others} - {*self.changed}
                self.found |= dict.fromkeys(noted.changed_since(frame, known, self.outer, mine))
        if flow is Flow.DEAD:
            raise Unreachable
        if self.after_body is not None:
            self.after_body()
        for n in self.others:
            now = self.scope.names.get(n)
            if isinstance(now, Stale) and n not in self.changed:
                self.outer[n] = now
            elif now is not None and not places.same(now, self.outer[n]) and n not in self.changed:
                self.found[n] = None
        self.places.read(self.scope.names, dict(zip(self.names, values, strict=True)))
        reason = "the value is not set on every path through the loop"
        gone = Stale(reason, self.s, unset=True)
        given = [
            places.settled(self.run, self.scope.names.get(n, gone), self.s) for n in self.names
        ]
        return [
            any_value(self.run, old) if v is UNUSED else v
            for v, old in zip(given, values, strict=True)
        ]


def _changed(run: Run, s: ast.For | ast.While) -> list[str]:
    """Return the names that a loop binds or updates. A name for a part of a structure that is only
    updated stays as it is, and so does a name for an iterator, whose variables are carried."""
    targets = list(target_names(s.target)) if isinstance(s, ast.For) else []
    anew = {*targets, *bound_anew(s.body)}
    held = run.scope.names
    return [
        n
        for n in (*targets, *assigned(s.body))
        if (n in anew or not isinstance(held.get(n), PlaceV))
        and not is_iterator(held.get(n, UNUSED))
    ]


def _updated_whole(run: Run, body: Sequence[ast.stmt]) -> set[str]:
    """Return the arrays that ``a += v`` updates in place."""
    targets = (n.target for s in body for n in ast.walk(s) if isinstance(n, ast.AugAssign))
    held = {t.id: run.scope.names.get(t.id) for t in targets if isinstance(t, ast.Name)}
    return {n for n, value in held.items() if isinstance(value, ArrayV)}


def _after(run: Run, s: ast.For | ast.While, names: Names, values: Sequence[Value]) -> None:
    """Set the names after the loop: the carried ones, and others assigned in it, which have no sure
    value."""
    scope = run.scope
    for n in [n for n in scope.names if n.startswith(hidden_name(places.LOOP, s))]:
        del scope.names[n]
    bound = _changed(run, s)
    assert run.frame.definition is not None
    live = liveness_of(run.frame.definition.node).after.get(s, frozenset())
    own = local_names(run.frame.definition.node)  # ``np.sort(a)`` looks like an update of ``np``
    for n in bound:
        if n not in own and n not in scope.names:
            continue
        before = scope.names.get(n)
        if isinstance(before, Stale) and before.reason == UNKNOWN:
            continue
        if n not in names and n not in names.places.known:
            reason = f"{n!r} is not of the same type before and after this loop"
            if isinstance(before, Stale) and not before.unset:
                reason = before.reason
            scope.names[n] = Stale(reason, s) if n in live else UNUSED
    scope.names.update(zip(names, values, strict=True))
    names.places.bind(scope.names)


def while_statement(run: Run, s: ast.While) -> Flow:

    if _never_begins(run, s.test):
        return Flow.FALL
    if is_in_the_round(run, s):
        s = with_condition(run, s)

    def test() -> Atom:
        return run.bool_atom(run.test_of(s.test))

    leaves = jumps(s.body) & {"break", "return"}
    first_set(run, s, [], {"$exit": Static(0)} if leaves else {}, False)
    if leaves:
        return _loop_with_exit(run, s, test, [], {}, is_endless(s))
    names, c = _carry_names(run, s, [], test)
    loop = While(c.params, c.inits, c.blocks[0], c.blocks[1])
    made = run.b.let(loop, tuple(v.type for v in c.params))
    _only_if_it_ends(run, c, is_endless(s))
    _after(run, s, names, c.results(made))
    by_tags.behind(run, s.test)
    return Flow.FALL


def _never_begins(run: Run, test: ast.expr) -> bool:
    """Whether the condition is known to be false at first: of a list that is None, say, the body
    must not be looked at."""

    if any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in ast.walk(test)):
        return False
    with suppress(Unreachable), run.building(Builder()):
        return run.test_of(test) is False
    return False


def _for_with_exit(
    run: Run, s: ast.For, items: Indexed, bind: Callable[[Atom], None], source: Source
) -> Flow:
    """Compile a ``for`` with break or return as a ``while`` with an index."""

    counter = hidden_name("$i", s)

    def index() -> Atom:
        return run.scalar(run.scope.names[counter], s).atom

    def more() -> Atom:
        return run.b.prim("lt", index(), items.length)

    def next_index() -> None:
        source.check_size()
        run.scope.names[counter] = Scalar(run.b.prim("add", index(), i64(1)), True, 31)

    extra: dict[str, Value] = {counter: Scalar(i64(0), True, 31)}
    goes_round = has_items(items)
    return _loop_with_exit(run, s, more, [lambda: bind(index())], extra, goes_round, next_index)


def _loop_with_exit(
    run: Run,
    s: ast.For | ast.While,
    more: Callable[[], Atom] | None,
    before: Sequence[Callable[[], None]],
    extra: dict[str, Value],
    goes_round: bool,
    after_body: Callable[[], None] | None = None,
    driven: Callable[[Names, Carried], list[Value]] | None = None,
    changed: Sequence[str] = (),
) -> Flow:
    """Compile a loop that break or return may leave: ``$exit`` says so, ``$return`` holds the
    value. ``driven``: it is no ``while``, but driven by a generator."""
    scope, returned = run.scope, run.frame.returned
    outer_exit, outer_return = scope.names.get("$exit"), scope.names.get("$return")
    state: dict[str, Value] = {**extra, "$exit": Static(0)}
    kind: Kind | None = None
    if "return" in jumps(s.body):
        kind = None if outer_return is not None else return_kind(run, s, s.body, before, state)
        if kind is not None:
            state["$return"] = dummy(run, kind)
        elif outer_return is not None:
            state["$return"] = outer_return
    begun, first = dict(scope.names), len(returned)

    def cond() -> Atom:
        assert more is not None
        going = run.truth(run.compare("==", scope.names["$exit"], Static(0), s), s)
        if isinstance(going, bool):
            return more() if going else boolean(False)
        then = run.block(lambda: (more(),))
        (atom,) = run.b.let(If(going, then, run.block(lambda: (boolean(False),))), (BOOL,))
        return atom

    test = cond if more else None
    names, c = _carry_names(run, s, before, test, state, after_body, changed)
    if len(returned) > first and "$return" not in state:
        # A ``return`` is reached with what later rounds carry only.
        state["$return"] = dummy(run, generalise(returned[-1]))
        scope.names = begun
        names, c = _carry_names(run, s, before, test, state, after_body, changed)
    if driven is not None:
        _after(run, s, names, driven(names, c))
    else:
        loop = While(c.params, c.inits, c.blocks[0], c.blocks[1])
        made = run.b.let(loop, tuple(v.type for v in c.params))
        _only_if_it_ends(run, c, goes_round)
        _after(run, s, names, c.results(made))
    for n in extra:
        scope.names.pop(n, None)
    scope.names["$left"] = scope.names.pop("$exit")
    if outer_exit is not None:
        scope.names["$exit"] = outer_exit
    if outer_return is not None:
        scope.names["$outer"] = outer_return
    return Flow.FALL


def _only_if_it_ends(run: Run, c: Carried, goes_round: bool) -> None:
    """Note that the code after a loop that certainly goes round is not reached before one of its
    rounds ends."""
    if run.incomplete and goes_round and not c.ends:
        raise Unreachable
