"""Variables that travel with the state of a generator's consumer.

A generator and its consumer run in turns, and both may change a variable of the function in which
the generator is consumed (the generator as a ``nonlocal`` one, or by an update of a list that it
captured). So such a variable is part of the state that every ``yield`` gives to the consumer and
gets back:

    n = 0                                       s, n = g(a, c, s, n)
    def g(a): nonlocal n; n += 1; yield a       g(a, c, s, n) = ... s, n = c(s, n + 1, a) ...
    for x in g(a): n += x                       c(s, n, x) = s, n + x

A ``Slot`` says where in the state the variable is, and how the function of the generator finds it
among what it captured (``cells``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass
from pullback.core.terms import Atom
from pullback.errors import MutationError
from pullback.frontend.functions.captured_variables import (
    FUNCTION,
    check_here,
    found_at,
    refuse_elsewhere,
    same_variables,
    variables,
)
from pullback.frontend.functions.generator_blocks import SOURCES
from pullback.frontend.functions.handing import NOTHING, check_apart, updated_in
from pullback.frontend.functions.scopes import COLUMN, Scope, function_scope, shown
from pullback.frontend.kinds.coerce import coerce, covering
from pullback.frontend.kinds.flatten import flatten, rebuild
from pullback.frontend.kinds.kinds import (
    Kind,
    MaybeK,
    StaleK,
    TupleK,
    leaf_types,
)
from pullback.frontend.kinds.snapshots import snapshot
from pullback.frontend.kinds.undefined import dummy, unset
from pullback.frontend.kinds.values import (
    Driven,
    GeneratorV,
    Owner,
    PlaceV,
    Stale,
    Static,
    ThreadV,
    TupleV,
    Value,
)
from pullback.frontend.memory import handed_updates, ownership, places
from pullback.frontend.state import CellPath, Slot

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.state import Spec

_MAX_ATTEMPTS = 12


def shared(scope: Scope, items: Driven) -> dict[str, CellPath]:
    """Return the variables of a scope that a generator reads or changes, and how its function finds
    them. ``cells.same_variables`` is first: it tells of other ways to them. (A name for a part of
    what another variable has is none: it has no value of its own that could change.)"""
    found: dict[str, CellPath] = {}
    for v in variables({FUNCTION: items.function, **items.args}):
        home, name = v.home
        if home is scope and not isinstance(scope.names.get(name), PlaceV):
            found.setdefault(name, (v.argument, v.steps))
    return found


def of_inner(run: Run, items: Driven) -> list[Slot]:
    """Return the slots that the consumer of this frame's generator has in one that runs inside of
    it."""
    paths = shared(run.frame.scope, items)
    mine = run.frame.slots.items()
    return [replace(s, path=paths[n]) for n, s in mine if n in paths]


def slots_in(
    run: Run, items: Driven, names: Sequence[str], kinds: Sequence[Kind], left: Sequence[bool]
) -> list[Slot]:
    """Return the slots of a consumer whose state has these kinds; ``names``: the variables among
    it, ``left``: whether the consumer gives each atom back as it got it."""
    paths = shared(function_scope(run.scope), items)
    found, at = [], 0
    for name, kind in zip(names, kinds, strict=True):
        size = len(list(leaf_types(kind)))
        if name in paths and not isinstance(kind, StaleK):
            found.append(Slot(paths[name], kind, at, size, all(left[at : at + size])))
        at += size
    return found


@contextmanager
def in_the_state(run: Run, items: Driven, slots: Sequence[Slot]) -> Iterator[None]:
    """Give the function of a generator in the state, and nowhere else, the variables that it
    captures by slots: meanwhile these variables hold nothing of worth."""
    functions: dict[str, Value] = {FUNCTION: items.function, **items.args}
    held: list[tuple[Scope, str, Value]] = []
    for slot in slots:
        target = found_at(functions, *slot.path)
        assert target is not None
        scope, name = target.home
        held.append((scope, name, scope.names[name]))
        scope.names[name] = dummy(run, slot.kind)
    try:
        yield
    finally:
        for scope, name, value in held:
            scope.names[name] = value


# --- what a generator changes ---------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A variable that a generator changes: how its function finds it, what it holds at the end, and
    if it is an object that is updated, how to say so where that must not be."""

    path: CellPath
    kind: Kind
    refusal: MutationError | None
    nested: bool
    replaced: bool
    end: Value
    """What it holds in the end, of which the owners are known; None while it is not known."""


def changes_of(spec: Spec, result: Value | None = None) -> tuple[Change, ...]:
    """Return the variables around it that the function of a generator changes. ``result``: what the
    function gives, with its owners here."""
    if not spec.handed or not isinstance(spec.result, TupleK):
        return ()
    ends = result.items[1:] if isinstance(result, TupleV) else (Static(None),) * len(spec.handed)
    return tuple(
        Change((cell.argument, cell.steps), kind, spec.updates[n], n in spec.nested,
               n in spec.replaced, end)
        for n, kind, end in zip(spec.handed, spec.result.items[1:], ends, strict=False)
        if (cell := spec.cells.get(n)) is not None
    )


def settle_changes(
    run: Run, items: Driven, look: Callable[[], tuple[Change, ...]], node: ast.AST
) -> list[str]:
    """Give the variables of the function being run that a generator changes kinds that suit all
    their values. ``look`` returns the changes of the generator, as things are now."""
    for _ in range(_MAX_ATTEMPTS):
        functions: dict[str, Value] = {FUNCTION: items.function, **items.args}
        told = items.args | same_variables(items.function, items.args, every=True)
        names, settled = [], True
        for change in look():
            target = found_at(functions, *change.path)
            if target is None:
                refuse_elsewhere(run, change.path[1][-1][1], node)
            scope, name = target.home
            mine = NOTHING
            if change.refusal is not None:
                mine = updated_in(target.value, change.nested)
            check_apart(run, (items.function.definition, None), shown(name), target, mine, told,
                        list(variables(functions)), node)  # fmt: skip
            check_here(run, scope, name, node, change.refusal)
            if change.replaced and change.refusal is not None:
                ownership.replaced(run, (scope, name), target.value, (), change.refusal, node)
            elif change.refusal is not None:
                old = ownership.updatable(run, name, node, change.nested)
                if change.nested:
                    given = run.frame.given.get(name, frozenset())
                    handed_updates.check_all_inside(run, old, given, node)
                ownership.updated(
                    run, name, old, node, None, change.nested and not _has_sources(name),
                    moved=places.EVERYTHING,
                )
            if isinstance(change.kind, StaleK):
                ownership.rebound(run, scope, name)
                scope.names[name] = rebuild(change.kind, iter(()))
                continue
            names.append(name)
            settled = _suits(run, scope, name, change.kind, node) and settled
            scope.names[name] = handed_updates.shared_as(scope.names[name], change.end)
        if settled:
            return names
    run.refuse(node, "the types of what this generator changes do not settle")


def _suits(run: Run, scope: Scope, name: str, end: Kind, node: ast.AST) -> bool:
    """Whether a variable is of a kind that covers what it becomes; it is from here on."""
    held = scope.names.get(name)
    if isinstance(held, Stale) and not held.unset:
        run.refuse(node, held.reason)
    if held is None or isinstance(held, Stale):
        scope.names[name] = unset(run, end.inner if isinstance(end, MaybeK) else end)
        return False
    now = places.settled(run, held, node)
    wide = covering(run, now, end, (shown(name), "this generator runs"), node)
    if wide is not now:
        scope.names[name] = wide
    return wide is now


# --- in the body of a generator -------------------------------------------------------------------


def put(run: Run, state: ThreadV, node: ast.AST) -> tuple[Atom, ...]:
    """Return the state of the consumer with the present values of the variables of this frame."""
    scope, values = run.frame.scope, dict[int, Atom]()
    for name, slot in run.frame.slots.items():
        value = places.settled(run, scope.names[name], node)
        now = flatten(coerce(run, value, slot.kind, node)).atoms
        values |= dict(enumerate(now, slot.at))
    rest = iter(state.atoms)
    return tuple(
        values[k] if k in values else next(rest)
        for k in range(len(state.atoms) + len(values))
    )


def take(
    run: Run, state: Sequence[Atom], owners: frozenset[Owner], node: ast.AST,
    changed: Collection[str] | None = None,
) -> ThreadV:  # fmt: skip
    """Bind the variables of this frame to what the state has for them; the rest of the state, with
    these owners. ``changed``: the variables that others than the consumer may have changed."""
    scope, taken = run.frame.scope, set[int]()
    for name, slot in run.frame.slots.items():
        old = coerce(run, places.settled(run, scope.names[name], node), slot.kind, node)
        owned = iter(flatten(old).owned)
        mine = range(slot.at, slot.at + slot.size)
        taken |= set(mine)
        if slot.left and changed is not None and name not in changed:
            continue
        atoms = iter([state[k] for k in mine])
        new = rebuild(slot.kind, atoms, partial(next, owned))
        if ownership.is_object(old):
            moved = places.EVERYTHING
            ownership.updated(
                run, name, old, node, new, nested=not _has_sources(name), moved=moved
            )
        else:
            ownership.rebound(run, scope, name)
        scope.names[name] = new
    return ThreadV(tuple(atom for k, atom in enumerate(state) if k not in taken), owners)


def _has_sources(name: str) -> bool:
    """Whether a variable is the column of what iterators take their items from (``.s1``), which is
    put there and read, and not updated there."""
    return name.startswith(COLUMN) and name.rpartition(COLUMN)[2].startswith(SOURCES)


def held(scope: Scope, items: Driven, free: Collection[str]) -> Value:
    """Return the values that a running generator reads beside the variables of the scope that are
    ``free`` to change, as they are at its beginning: a change of any of them meanwhile makes this
    stale."""
    function = snapshot(items.function)
    known: dict[str, Value] = {FUNCTION: items.function}
    mine = {
        (v.argument, v.steps)
        for v in variables(known)
        if v.home[0] is scope and v.home[1] in free
    }
    for v in list(variables(dict[str, Value]({FUNCTION: function}))):
        if (v.argument, v.steps) in mine:
            v.scope.names.pop(v.name, None)
            v.scope.cells.pop(v.name, None)
    parts: list[Value] = [function]
    for value in items.args.values():
        inner = value.body if isinstance(value, GeneratorV) else None
        parts.append(value if inner is None else held(scope, inner, free))
    return TupleV(tuple(parts))


__all__ = [
    "Change", "changes_of", "held", "in_the_state", "of_inner", "put", "settle_changes", "shared",
    "slots_in", "take",
]  # fmt: skip
