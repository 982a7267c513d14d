"""Loops over values: what is carried round a loop is found by a fixpoint over kinds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Sequence, Set
from typing import TYPE_CHECKING, cast

from pullback.core.build import Builder, boolean, i64
from pullback.core.consumption import may_be_consumed, roots_of
from pullback.core.terms import Atom, Block, Loop, Var, While
from pullback.core.types import I64
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.functions.lambda_sets import tie
from pullback.frontend.functions.scopes import chain, function_scope, shown
from pullback.frontend.interpret.carried import Carried, Head, Part, rebuilt
from pullback.frontend.kinds import tuple_trees
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.descriptions import describe, describe_both
from pullback.frontend.kinds.flatten import Flat, NoKindError, Ownership, flatten, kind_of
from pullback.frontend.kinds.function_kinds import has_function
from pullback.frontend.kinds.growing_tuples import join_growing
from pullback.frontend.kinds.join import as_list, generalise, join, widen
from pullback.frontend.kinds.kinds import Kind, StaleK, TupleK, leaf_types
from pullback.frontend.kinds.parted import met_kind
from pullback.frontend.kinds.sum_kinds import ask_for_tags
from pullback.frontend.kinds.values import (
    Driven,
    GeneratorV,
    Indexed,
    Items,
    Owner,
    Scalar,
    Stale,
    TupleV,
    Unrolled,
    Value,
    index_scalar,
)
from pullback.frontend.memory import ownership, places
from pullback.frontend.memory.owners import owners_of
from pullback.frontend.python.kept_variables import ask_for
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MAX_ATTEMPTS = 16
_FEW_ATTEMPTS, _MAX_SIZE = 6, 100
"""Kinds of more parts than this that still change after some attempts are those of a chain of
objects, of which each has a kind of its own."""

Step = Callable[[Sequence[Value]], Sequence[Value]]


def carry(
    run: Run,
    inits: Sequence[Value],
    bodies: Sequence[Callable[[Sequence[Value]], Sequence[Value] | tuple[Atom, ...]]],
    node: ast.AST,
    names: Sequence[str] = (),
    updated: Set[str] = frozenset(),
    entry: Hashable = None,
) -> Carried:
    """Settle the kinds of the carried values. The last of ``bodies`` is the step, which gives the
    next values; those before it give atoms (the condition of a while). Each is run in a block of
    its own. A value that changes its type in an unsuitable way is refused; a named value only when
    it is used. ``entry``: what is known where the loop begins, if it may be met again
    (``KnownLoops``)."""
    start, before = Owner().serial, run.scope.names
    flats = [_flat_kind(run, v, node) for v in inits]
    key = entry, tuple(names), tuple(flats)
    kinds = run.known_loops.kinds.get(key) or [generalise(k) for k in flats]
    heads = [_first_head(run, j, k, inits, names, node) for j, k in enumerate(kinds)]
    for attempt in range(_MAX_ATTEMPTS):
        params = [Var("s", t) for h in heads for t in leaf_types(h.kind)]
        if attempt >= _FEW_ATTEMPTS and len(params) > _MAX_SIZE:
            break
        values = rebuilt(heads, iter(params))
        blocks: list[Block] = []
        outs: Sequence[Value] = ()
        ends = True
        for k, body in enumerate(bodies):
            with run.building(Builder()) as b:
                try:
                    given = body(values)
                except Unreachable:  # the first round does not end: there are no values after it
                    ends = False
                    given = values if k + 1 == len(bodies) else (boolean(False),)
                if k + 1 < len(bodies):
                    blocks.append(b.block(cast("tuple[Atom, ...]", tuple(given))))
                    continue
                outs = cast("Sequence[Value]", given)
                kinds = [
                    _next_kind(run, h.kind, first, out, node, _name(names, k), k)
                    for k, (h, first, out) in enumerate(zip(heads, flats, outs, strict=True))
                ]
                made = [flatten(coerce(run, v, k, node)) for v, k in zip(outs, kinds, strict=True)]
                owned = [f.owned for f in made]
                new = [
                    _next_head(h, o, start) if h.kind == kind
                    else _first_head(run, j, kind, inits, names, node)
                    for j, (h, kind, o) in enumerate(zip(heads, kinds, owned, strict=True))
                ]  # fmt: skip
                block = b.block(tuple(a for f in made for a in f.atoms))
                twice = _twice(block, values, made)
                _merge_groups(new, owned, names, updated, twice, node)
                if new == heads:
                    blocks.append(block)
        if new == heads:
            after, run.scope.names = run.scope.names, before  # functions capture what is there now
            first = [
                a
                for v, h in zip(inits, heads, strict=True)
                for a in flatten(coerce(run, v, h.kind, node)).atoms
            ]
            run.scope.names = after
            if entry is not None and not any(isinstance(h.kind, StaleK) for h in heads):
                run.known_loops.kinds[key] = [h.kind for h in heads]
            return Carried(heads, tuple(params), tuple(first), blocks, ends, owned)
        heads = new
    if any(has_function(h.kind) for h in heads):
        ask_for("what functions change")
    if any(tuple_trees.depth(h.kind) for h in heads):
        ask_for_tags()
    reason = "the types of the values carried round this loop do not settle"
    run.refuse(node, reason, error=TypesDoNotMeetError)


def carry_names(
    run: Run,
    init: Sequence[Value],
    bodies: Sequence[Callable[[Sequence[Value]], Sequence[Value] | tuple[Atom, ...]]],
    node: ast.AST,
    changed: Sequence[str] = (),
) -> tuple[list[str], Carried]:
    """Apply ``carry`` to the loop of a library function, with the variables that the step changes
    (because a function that it calls has updated them). Return for each carried value the name of
    its variable too ("" for one of ``init``). ``changed`` are variables that are known to
    change."""
    return _WithNames(run, init, bodies, node, changed).settle()


class _WithNames:
    """The search for what is changed: a variable that a step turns out to change is carried, and
    the steps are run anew."""

    def __init__(
        self,
        run: Run,
        init: Sequence[Value],
        bodies: Sequence[Callable[[Sequence[Value]], Sequence[Value] | tuple[Atom, ...]]],
        node: ast.AST,
        changed: Sequence[str],
    ) -> None:
        self.run, self.init, self.bodies, self.node = run, init, bodies, node
        self.scope = function_scope(run.scope)
        self.names, self.outer = list(changed), self.scope.names
        self.found: dict[str, None] = {}

    def settle(self) -> tuple[list[str], Carried]:
        run, outer, first = self.run, self.outer, len(self.init)
        steps = [self._within(body, body is self.bodies[-1]) for body in self.bodies]
        try:
            while True:
                stale = self._stale()
                inits = [places.settled(run, outer[n], self.node) for n in self.names]
                names = [*("" for _ in range(first)), *self.names]
                given = [*self.init, *inits]
                c = carry(run, given, steps, self.node, names, frozenset(self.names))
                self.scope.names = outer
                if not self.found and stale == self._stale():
                    return names, c
                self.names += self.found
                self.found = {}
        finally:
            self.scope.names = outer

    def _stale(self) -> set[str]:
        return {n for n, v in self.outer.items() if isinstance(v, Stale)}

    def _within(
        self,
        body: Callable[[Sequence[Value]], Sequence[Value] | tuple[Atom, ...]],
        is_step: bool,
    ) -> Callable[[Sequence[Value]], Sequence[Value] | tuple[Atom, ...]]:
        def run_it(values: Sequence[Value]) -> Sequence[Value] | tuple[Atom, ...]:
            first, outer = len(self.init), self.outer
            start = {**outer, **dict(zip(self.names, values[first:], strict=False))}
            self.scope.names = dict(start)
            made = body(values[:first])
            now = self.scope.names
            for n in outer:
                if places.same(now.get(n), start[n]) or (is_step and n in self.names):
                    continue
                if not is_step:
                    ownership.refuse_change(self.run, n, self.node)
                if isinstance(now.get(n), Stale):
                    outer[n] = now[n]
                elif n in now:
                    self.found[n] = None
            if not is_step:
                return made
            return [*made, *(places.settled(self.run, now[n], self.node) for n in self.names)]

        return run_it


def bind_carried(run: Run, names: Sequence[str], values: Sequence[Value]) -> list[Value]:
    """Bind variables to what has become of them in a loop; what is carried besides is given."""
    scope = function_scope(run.scope)
    scope.names.update((n, v) for n, v in zip(names, values, strict=False) if n)
    return [v for n, v in zip(names, values, strict=False) if not n]


def _flat_kind(run: Run, value: Value, node: ast.AST) -> Kind:
    try:
        return kind_of(value)
    except NoKindError:
        if isinstance(value, GeneratorV):
            run.generators.advance(value)
        return StaleK("an iterator cannot be carried round a loop", node)


def _first_head(
    run: Run,
    j: int,
    kind: Kind,
    inits: Sequence[Value],
    names: Sequence[str],
    node: ast.AST,
) -> Head:
    """Return the head of carried value ``j`` before the loop, for a value of ``kind``."""
    if isinstance(kind, StaleK):
        return Head(kind, [])
    with run.building(Builder()):  # only its ownership is asked
        owned = flatten(coerce(run, inits[j], kind, node)).owned
    others = [v for k, v in enumerate(inits) if k != j]
    for scope in chain(run.scope):
        if scope.live:
            mine = scope is run.scope
            others += [v for n, v in scope.names.items() if not (mine and n in names)]
    elsewhere = frozenset(o for v in others if owned for o in owners_of(v))
    parts = []
    for k, (owners, fresh) in enumerate(owned):
        beside = (o for i, (os, _) in enumerate(owned) if i != k for o in os)
        exclusive = fresh and not owners & elsewhere.union(beside)
        group = Owner(in_rows=all(o.in_rows for o in owners))
        parts.append(Part(group, frozenset() if exclusive else owners, fresh))
    ownership.still_given(run, _name(names, j), [(p.extra, p.group) for p in parts])
    return Head(kind, parts)


def _next_head(head: Head, owned: Sequence[Ownership], start: int) -> Head:
    """Return the head after one more run of the body, which gives a value of the same kind."""
    if isinstance(head.kind, StaleK):
        return Head(head.kind, [])
    parts = []
    for p, (owners, fresh) in zip(head.parts, owned, strict=True):
        older = frozenset(o for o in owners if o.serial < start)
        in_rows = not p.group.in_rows or all(o.in_rows for o in owners)
        group = p.group if in_rows else Owner()
        parts.append(Part(group, p.extra | older, p.fresh and fresh))
    return Head(head.kind, parts)


def _merge_groups(
    heads: list[Head],
    owned: Sequence[Sequence[Ownership]],
    names: Sequence[str],
    updated: Set[str],
    twice: Callable[[int, int], bool],
    node: ast.AST,
) -> None:
    """Give one owner at the head of the body to values that may share memory at its end. Beside an
    array or list that the body updates in place there can be no other name for its memory, if that
    is what the next round updates (``twice``)."""
    places = [(i, a) for i, h in enumerate(heads) for a in range(len(h.parts))]
    for n, (i, a) in enumerate(places):
        for j, b in places[:n]:
            if a >= len(owned[i]) or b >= len(owned[j]) or not owned[i][a][0] & owned[j][b][0]:
                continue
            group = heads[j].parts[b].group
            group.in_rows = group.in_rows and heads[i].parts[a].group.in_rows
            heads[i].parts[a].group = group
            if i == j:
                continue
            # The first part of an array or a list is itself; it is what an update changes.
            in_place = [
                k for k, part in ((i, a), (j, b)) if part == 0 and _name(names, k) in updated
            ]
            kept = in_place[0] if in_place else i
            other = i + j - kept
            if in_place and (not _name(names, other) or twice(kept, other)):
                heads[other].kind = StaleK(
                    f"{names[other]!r} may share memory with {names[kept]!r}, which the loop "
                    "updates",
                    node,
                )


def _twice(
    block: Block, values: Sequence[Value], made: Sequence[Flat]
) -> Callable[[int, int], bool]:
    """Return whether a body may update the memory of a carried value in place and gives, at its
    end, one memory for that and for another one."""

    def given_twice(kept: int, other: int) -> bool:
        consumed, roots = may_be_consumed(block)
        mine, others = (
            {v for a in made[k].atoms for v in roots_of(a, roots)} for k in (kept, other)
        )
        return bool(mine & others) and not consumed.isdisjoint(flatten(values[kept]).atoms)

    return given_twice


def _name(names: Sequence[str], k: int) -> str:
    return names[k] if k < len(names) else ""


def _called(name: str) -> str:
    return f"{shown(name)!r}" if name else "the value carried round the loop"


def _next_kind(
    run: Run, head: Kind, first: Kind, out: Value, node: ast.AST, name: str, place: int
) -> Kind:
    if isinstance(head, StaleK):
        return head
    try:
        kind = kind_of(out)
    except NoKindError:
        return StaleK("an iterator cannot be carried round a loop", node)
    if isinstance(kind, StaleK):
        return kind
    joined = met_kind(first, kind, join_growing, node)
    if joined is None:
        what = _called(name)
        was, becomes = describe_both(first, kind)
        reason = f"{what} is {was} before the loop and {becomes} after a round"
        if isinstance(kind, TupleK) and kind.is_list and as_list(kind) is None:
            found = " and ".join(dict.fromkeys(describe(generalise(k)) for k in kind.items))
            reason = f"the items that {what} gets in the loop are of different types: {found}"
        if name:
            return StaleK(reason, node)
        run.refuse(
            node, reason, "let it have one type from the start", error=TypesDoNotMeetError
        )
    wide = widen(head, generalise(joined))
    tuple_trees.check(run, head, wide, _called(name), node)
    if wide == head or not has_function(wide):
        return wide
    wide = join(head, wide) or wide  # lambda sets only grow
    # A function that grows with every round captures functions of its own place.
    return tie(wide, lambda: run.calls.set_at((node, place), node))


# --- loops over values (for handlers) -------------------------------------------------------------


def repeat(
    run: Run,
    count: Atom,
    init: Sequence[Value],
    step: Callable[[Atom, Sequence[Value]], Sequence[Value]],
    node: ast.AST,
) -> list[Value]:
    """Compile ``state = step(i, state)``, count times."""
    index = Var("i", I64)
    names, c = carry_names(run, init, [lambda state: step(index, state)], node)
    loop = Loop(count, index, c.params, c.inits, c.blocks[0])
    made = c.results(run.b.let(loop, tuple(v.type for v in c.params)))
    return bind_carried(run, names, made)


def fold(
    run: Run,
    items: Items,
    init: Sequence[Value],
    step: Callable[[Sequence[Value], Value], Sequence[Value]],
    node: ast.AST,
    stop: Callable[[Sequence[Value]], bool | Atom] | None = None,
) -> list[Value]:
    """Compile ``state = step(state, item)`` over the items, until ``stop(state)``: then no further
    item is asked for."""
    match items:
        case Unrolled(each):
            return _fold_known(run, each, init, step, node, stop)
        case Driven():
            return run.drive(items, init, step, stop, node)
        case Indexed():
            return _fold_indexed(run, items, init, step, node, stop)


def _fold_known(
    run: Run,
    items: Sequence[Value],
    init: Sequence[Value],
    step: Callable[[Sequence[Value], Value], Sequence[Value]],
    node: ast.AST,
    stop: Callable[[Sequence[Value]], bool | Atom] | None,
) -> list[Value]:
    state = list(init)
    for k, item in enumerate(items):
        state = list(step(state, item))
        if stop is not None and k + 1 < len(items):
            return _fold_rest(run, items[k + 1 :], state, step, node, stop)
    return state


def _fold_rest(
    run: Run,
    items: Sequence[Value],
    state: list[Value],
    step: Callable[[Sequence[Value], Value], Sequence[Value]],
    node: ast.AST,
    stop: Callable[[Sequence[Value]], bool | Atom],
) -> list[Value]:
    stopped = stop(state)
    if isinstance(stopped, bool):
        return state if stopped else _fold_known(run, items, state, step, node, stop)
    joined = run.branch(
        stopped,
        lambda: TupleV(tuple(state)),
        lambda: TupleV(tuple(_fold_known(run, items, state, step, node, stop))),
        node,
    )
    assert isinstance(joined, TupleV)
    return list(joined.items)


def _fold_indexed(
    run: Run,
    source: Indexed,
    init: Sequence[Value],
    step: Callable[[Sequence[Value], Value], Sequence[Value]],
    node: ast.AST,
    stop: Callable[[Sequence[Value]], bool | Atom] | None,
) -> list[Value]:

    def one(i: Atom, values: Sequence[Value]) -> Sequence[Value]:
        if source.nested is not None:
            return fold(run, source.nested(i), values, step, node, stop)
        return step(values, source.at(i))

    def body(i: Atom, values: Sequence[Value]) -> Sequence[Value]:
        if source.keep is None:
            return one(i, values)
        joined = run.branch(
            source.keep(i), lambda: TupleV(tuple(one(i, values))), lambda: TupleV(tuple(values)),
            node,
        )
        assert isinstance(joined, TupleV)
        return joined.items

    if stop is None:
        return repeat(run, source.length, init, body, node)
    done = stop

    def more(values: Sequence[Value]) -> Value:
        stopped = run.bool_atom(done(values[1:]))
        left = run.b.prim("lt", run.scalar(values[0], node).atom, source.length)
        return Scalar(run.b.prim("and", left, run.b.prim("not", stopped)), py=True, bits=1)

    def next_one(values: Sequence[Value]) -> Sequence[Value]:
        i = run.scalar(values[0], node).atom
        return [index_scalar(run.b.prim("add", i, i64(1))), *body(i, values[1:])]

    return while_loop(run, [index_scalar(i64(0)), *init], more, next_one, node)[1:]


def while_loop(
    run: Run,
    init: Sequence[Value],
    cond: Callable[[Sequence[Value]], Value],
    step: Step,
    node: ast.AST,
) -> list[Value]:
    """Compile ``state = step(state)`` while ``cond(state)``."""

    def test(state: Sequence[Value]) -> tuple[Atom, ...]:
        return (run.bool_atom(run.truth(cond(state), node)),)

    names, c = carry_names(run, init, [test, step], node)
    loop = While(c.params, c.inits, c.blocks[0], c.blocks[1])
    made = c.results(run.b.let(loop, tuple(v.type for v in c.params)))
    return bind_carried(run, names, made)
