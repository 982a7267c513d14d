"""What a function that was called has updated: the caller's names for it, and who else may hold it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass
from pullback.errors import MutationError
from pullback.frontend.functions import ambient
from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.kinds.values import HashV, ListV, Owner, RecordV, TupleV, Value
from pullback.frontend.memory.holding import Updatable, holds_memory, is_updated_in_place
from pullback.frontend.memory.owners import memory_of, owners_of
from pullback.frontend.memory.ownership import (
    bind_updated,
    is_root,
    is_unshared_inside,
    refuse_shared,
    updatable,
    updated,
)

if TYPE_CHECKING:
    from pullback.frontend.kinds.flatten import Ownership
    from pullback.frontend.memory.places import Moved
    from pullback.frontend.run import Run


@dataclass(frozen=True)
class Touched:
    """The parts of its arguments that a function has updated, by their numbers among ``owned``, the
    ownerships of all parts."""

    parts: frozenset[int]
    owned: Sequence[Ownership]

    @property
    def owners(self) -> frozenset[Owner]:
        """The owners of the parts."""
        mine = (owners for k, (owners, _) in enumerate(self.owned) if k in self.parts)
        return frozenset(o for owners in mine for o in owners)

    def may_be_in(self, value: Value) -> bool:
        """Whether the function may have updated something in a value."""
        owners = owners_of(value)
        return not owners or bool(owners & self.owners)


def handed_back(
    run: Run, arg: Value, new: Value, refusal: MutationError, node: ast.AST, nested: Touched | None,
    moved: Moved,
) -> Updatable:  # fmt: skip
    """A function that was called has updated its argument: so the caller does."""
    if not is_root(arg) or not is_root(new):
        run.refuse(
            node,
            f"this call updates {run.describe(new)}, which may be None or one of several things",
            "update it where it is known to be there, or give the value back and assign it",
            error=MutationError,
        )
    for name, value in function_scope(run.scope).names.items():
        if value is arg and not name.startswith("$"):
            return named_back(run, name, arg, new, node, nested, moved)
    if isinstance(arg, TupleV) and isinstance(new, TupleV) and not arg.is_list and nested:
        items = (
            handed_back(run, v, after, refusal, node, nested, moved)
            if is_root(v) and nested.may_be_in(v)
            else v
            for v, after in zip(arg.items, new.items, strict=True)
        )
        return replace(new, items=tuple(items))
    if not arg.fresh:
        refusal.updated = arg
        ambient.note(run.frame, refusal, arg)
        raise refusal
    if nested is not None:
        check_inside(run, arg, frozenset(), nested, node)
    made = replace(_own_again(new, arg), owners=arg.owners, fresh=True)
    inside = None if nested is None else memory_of(arg) & nested.owners
    updated(run, "the argument", arg, node, made, nested is not None, inside=inside)
    return made


def named_back(
    run: Run, name: str, arg: Value, new: Value, node: ast.AST, nested: Touched | None,
    moved: Moved,
) -> Updatable:  # fmt: skip
    """A function that was called has updated the object called ``name``."""
    assert is_root(arg) and is_root(new)
    updatable(run, name, node, nested is not None)
    if nested is not None:
        check_inside(run, arg, run.frame.given.get(name, frozenset()), nested, node)
    made = _own_again(new, arg)
    inside = None if nested is None else memory_of(arg) & nested.owners
    return bind_updated(run, name, arg, made, node, nested is not None, moved, inside)


def _own_again(new: Updatable, arg: Updatable) -> Updatable:
    """The lists and arrays in a dict or a list of known length are those that were there before the
    call, and so made here, where they share memory with these only."""

    def item(after: Value, before: Value | None) -> Value:
        if is_updated_in_place(after) and is_updated_in_place(before):
            inside = _own_again(after, before)
            if before.fresh and before.owners and after.owners == before.owners:
                return replace(inside, fresh=True)
            return inside
        return after

    match new, arg:
        case RecordV(_, fields), RecordV(_, old):
            return replace(new, fields={n: item(v, old.get(n)) for n, v in fields.items()})
        case TupleV(items), TupleV(before) if len(items) == len(before):
            return replace(new, items=tuple(map(item, items, before)))
        case _:
            return new


def shared_as(now: Value, end: Value) -> Value:
    """Return an object that a generator updates between its items, with what may share the memory
    in it after any of them. ``end``: what it is when the generator has ended."""
    if isinstance(now, (ListV, HashV)) and isinstance(end, (ListV, HashV)):
        inner = now.inner | owners_of(end) - now.owners
        holds = holds_memory(now.elem)
        return replace(now, inner=inner, sole=now.sole and end.sole) if holds else now
    match now, end:
        case RecordV(_, fields), RecordV(_, after):
            named = {n: _part_as(v, after[n]) if n in after else v for n, v in fields.items()}
            return replace(now, fields=named)
        case TupleV(items), TupleV(after_items) if len(items) == len(after_items):
            return replace(now, items=tuple(map(_part_as, items, after_items)))
        case _:
            return now


def _part_as(now: Value, end: Value) -> Value:
    """Return the same of a part of an object, which may be another one in the end."""
    if not is_updated_in_place(now) or not is_updated_in_place(end):
        return now
    if now.owners != end.owners:
        now = replace(now, owners=now.owners | end.owners, fresh=False)
    return shared_as(now, end)


def check_all_inside(
    run: Run, value: Updatable, given: frozenset[Owner], node: ast.AST
) -> None:
    """All that is in a list, dict or object may be updated: it is in no other place."""
    own = is_updated_in_place(value) and value.fresh
    if not is_unshared_inside(value, frozenset() if own else given):
        refuse_shared(run, value, node)
    run.frame.touched |= owners_of(value)


def check_inside(
    run: Run, value: Updatable, given: frozenset[Owner], touched: Touched, node: ast.AST
) -> None:
    """What a function has updated in a list, dict or object is in no other place."""
    mine = owners_of(value)
    given = frozenset() if is_updated_in_place(value) and value.fresh else given
    if is_unshared_inside(value, given):  # nor is anything else that is in it
        run.frame.touched |= touched.owners
        return
    for k in touched.parts:
        owners, fresh = touched.owned[k] if k < len(touched.owned) else (frozenset(), False)
        if owners and not owners & mine:
            continue
        elsewhere = (o for j, (others, _) in enumerate(touched.owned) if j != k for o in others)
        if not (fresh or (owners and owners <= given)) or owners.intersection(elsewhere):
            refuse_shared(run, value, node)
        run.frame.touched |= owners
