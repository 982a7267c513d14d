"""Updates inside of lists: ``t[i][j] = v``, ``rows[i].append(v)``, ``d["w"][i] += v``.

What is updated belongs to its one place in what the name holds, else it would change elsewhere too:
a list knows whether that is so (``ListV.sole``), the items of a list or dict of known length are
looked at one by one. Then the update of the inner list or array is one of the buffers around it, at
a longer path of indices; nothing is taken out and nothing is copied. (What costs as much as the
inner list is long in Python too, like ``insert``, is done on a copy that takes its place.)
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.terms import Atom, Update
from pullback.errors import MutationError
from pullback.frontend.interpret.indices import index_atom, is_int, place
from pullback.frontend.kinds import optionals, several_ranks
from pullback.frontend.kinds.kinds import HashK, Kind, holds_references
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    MaybeV,
    OptionalV,
    Owner,
    PlaceV,
    RecordV,
    RefV,
    Scalar,
    SliceV,
    Static,
    TupleV,
    Value,
    index_scalar,
)
from pullback.frontend.memory import (
    attributes_outside,
    dicts,
    hash_changes,
    hash_methods,
    hash_tables,
    holding,
    lists,
    loose_dicts,
    ownership,
    places,
)
from pullback.frontend.memory.container_objects import (
    assigns_items,
    hidden,
    is_container,
    opens,
)
from pullback.frontend.memory.holding import has_defaults
from pullback.frontend.memory.inside_lists import Inside
from pullback.frontend.memory.item_attributes import is_item
from pullback.frontend.memory.owners import owners_of
from pullback.frontend.memory.places import Step
from pullback.frontend.memory.updates import (
    ITEMS,
    Method,
    Op,
    apply,
    combined,
    field_of,
    known,
    moved_by,
    puts_item,
    refuse_step,
)
from pullback.frontend.store.shared_memory import is_shared, opened, refers_to_memory

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.store.protocol import Store

READ = frozenset({"setdefault", "__getitem__"})
"""The methods that may put in an item, and whose value is the item."""


def base_of(run: Run, target: ast.expr) -> ast.Name:
    """Return the name in ``name[i].field[j]``."""
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    if not isinstance(target, ast.Name):
        run.refuse(
            target,
            "only what is in an array or list with a name of its own can be updated",
            "give it a name first",
            error=MutationError,
        )
    held = run.scope.names.get(target.id)
    if isinstance(held, PlaceV):
        return ast.copy_location(ast.Name(held.root, ast.Load()), target)
    return target


def target_of(
    run: Run, target: ast.expr, value: Value | None = None, put: bool = False
) -> tuple[ast.Name, list[Step]]:
    """Return the name and the steps to the updated value: ``name[i].field``, also the result of a
    call that is an item of a dict (``d.setdefault(k, [])``). ``value``: it has been evaluated
    already; ``put``: another value is put there."""
    if value is not None:
        target = attributes_outside.resolved(run, target)
    elif isinstance(target, (ast.Subscript, ast.Attribute)):
        inner = attributes_outside.resolved(run, target.value)
        target = target if inner is target.value else _of_part(target, inner)
    if run.store is not None:
        return _by_references(run, run.store, target, value, put)
    root = target
    while isinstance(root, (ast.Subscript, ast.Attribute)):
        root = root.value
    if not isinstance(root, ast.Call):
        return base_of(run, target), steps_of(run, target)
    found = run.evaluate(root) if value is None else value
    rest = [] if value is not None else steps_of(run, target)
    place = run.frame.places.get(found)
    if place is None or place.scope.names.get(place.root) is not place.of:
        return base_of(run, target), rest
    base = ast.copy_location(ast.Name(place.root, ast.Load()), target)
    return base, [*places.as_steps(place), *rest]


def _of_part(target: ast.Subscript | ast.Attribute, inner: ast.expr) -> ast.expr:
    """Return a target in which what is indexed is another expression."""
    made: ast.expr = (
        ast.Subscript(inner, target.slice, target.ctx) if isinstance(target, ast.Subscript)
        else ast.Attribute(inner, target.attr, target.ctx)
    )  # fmt: skip
    return ast.copy_location(made, target)


def _by_references(
    run: Run, store: Store, target: ast.expr, value: Value | None, put: bool
) -> tuple[ast.Name, list[Step]]:
    """Return the name and the steps in a program with references: behind the last reference on the
    way there is a column."""

    def name(found: str) -> ast.Name:
        return ast.copy_location(ast.Name(found, ast.Load()), target)

    if value is not None:
        place = run.frame.places.get(value)
        if place is not None and place.scope.names.get(place.root) is place.of:
            return name(place.root), places.as_steps(place)
    root = target
    while isinstance(root, (ast.Subscript, ast.Attribute)):
        root = root.value
    base = base_of(run, root) if isinstance(root, ast.Name) else None
    first = None if base is not None else run.evaluate(root)
    steps = steps_of(run, target)
    here = run.lookup(base.id, base) if base is not None else first
    assert here is not None
    found: str | None = None if base is None else base.id
    behind: list[Step] = []
    todo = [*steps]
    while todo:
        step = todo.pop(0)
        here = stored_into(run, here, step, target)
        if not isinstance(step, str) and isinstance(here, RefV) and (
            _is_opened(run, here, bool(todo), put)
        ):
            todo, step = [step, *todo], hidden(here)
        elif todo and isinstance(here, RefV) and is_item(run, here, step, target):
            todo, step = [Static(str(step)), *todo], hidden(here)
        last = not todo
        if is_shared(here):
            here = opened(run, here, target)
            place = run.frame.places[here]
            found, behind = place.root, [*places.as_steps(place), step]
        elif isinstance(here, RefV):
            there = store.place(here, step, last, put, target) if isinstance(step, str) else None
            if there is None and last:
                return name(store.bound(here)), [step]
            found, behind = there or (None, [])
        else:
            behind = [*behind, step]
        if not last:
            at = None if found is None else (name(found), behind[:-1])
            here = _stepped(run, here, step, at, target)
    return base_of(run, target) if found is None else name(found), behind


def _is_opened(run: Run, value: RefV, further: bool, put: bool) -> bool:
    """Whether an item of an object on the way to what is updated is that of a container which it
    holds, and no method of its class puts it there."""
    if not is_container(value):
        return False
    if further:
        return opens(run, value)
    return not assigns_items(run, value) and (put or opens(run, value))


def _stepped(
    run: Run, value: Value, step: Step, at: tuple[ast.Name, list[Step]] | None, node: ast.AST
) -> Value:
    """Return what is read on the way to what is updated, of a value that is itself at a place
    (``at``): a defaultdict of references puts in what is missing."""
    if isinstance(step, str):
        return run.attribute(value, step, node)
    table = opened(run, value, node)
    puts_in = isinstance(table, HashV) and table.cls is defaultdict and (
        not table.elem.items or any(map(holds_references, table.elem.items))
    )
    if at is not None and puts_in:
        return update(run, *at, Method("__getitem__", (step,), {}), node)
    return run.subscript(value, step, node)


def into_memory(
    run: Run, base: ast.Name, steps: list[Step], node: ast.AST
) -> tuple[ast.Name, list[Step]]:
    """Return the name and the steps behind the reference, if there is a list in the store there."""
    whole = run.lookup(base.id, base)
    if run.store is None or not run.store.facts.memory or isinstance(whole, ArrayV):
        return base, steps
    if not refers_to_memory(kind_there(run, whole, steps, node)):
        return base, steps
    for k, step in enumerate(steps):
        whole = _stepped(run, whole, step, (base, steps[:k]), node)
    if not is_shared(whole):
        return base, steps
    place = run.frame.places[opened(run, whole, node)]
    return ast.copy_location(ast.Name(place.root, ast.Load()), base), places.as_steps(place)


def stored_into(run: Run, value: Value, step: Step, node: ast.AST) -> Value:
    """Return a value that is not None."""
    if isinstance(step, str):
        told, error, lacks = f"has no attribute {step!r}", "AttributeError", optionals.lacks(step)
    else:
        told, error = "does not support item assignment", "TypeError"
        lacks = optionals.is_number
    return optionals.present(run, value, optionals.object_said(told), node, error, lacks=lacks)


def steps_of(run: Run, target: ast.expr) -> list[Step]:
    """Return the indices and fields in ``name[i].field[j]``, evaluated in order."""

    match target:
        case ast.Subscript(value, index):
            return [*steps_of(run, value), run.evaluate_index(index)]
        case ast.Attribute(value, name):
            return [*steps_of(run, value), name]
        case ast.Name(name):
            held = run.scope.names.get(name)
            return places.as_steps(held) if isinstance(held, PlaceV) else []
        case _:
            return []


def kind_there(run: Run, value: Value, steps: Sequence[Step], node: ast.AST) -> Kind:
    """Return the kind of the value at the steps."""
    with run.scratch(), run.sealed():  # only its kind is asked
        for step in steps:
            value = (
                run.attribute(value, step, node) if isinstance(step, str)
                else run.subscript(value, step, node)
            )
        return run.kind(value, node)


def update(run: Run, base: ast.Name, steps: Sequence[Step], op: Op, node: ast.AST) -> Value:
    """Update the value at the steps in the value of the name. Return the value of the call."""
    old = ownership.updatable(run, base.id, base, nested=bool(steps))
    mine = holding.is_updated_in_place(old) and old.fresh
    given = frozenset() if mine else run.frame.given.get(base.id, frozenset())
    with run.holding(old):
        change = _Change(run, op, given, node)
        made, result = change.of(old, list(steps), frozenset())
    assert ownership.is_root(made)
    held = op.args if isinstance(op, Method) else ()
    moved = () if change.of_array else moved_by(None, steps, op)
    with run.holding(*held):
        ownership.bind_updated(
            run, base.id, old, made, node, nested=bool(steps), moved=moved, inside=change.updated
        )
    if isinstance(op, Method) and op.name in READ:
        places.note_item(run, base.id, (*steps, op.args[0]), result)
    return result


def read_or_made(run: Run, node: ast.Subscript, key: Value) -> Value:
    """``d[key]`` of a defaultdict, which puts in what is missing."""
    base, steps = into_memory(run, *target_of(run, node.value), node)
    return update(run, base, steps, Method("__getitem__", (key,), {}), node)


def may_raise(run: Run, s: ast.AugAssign) -> bool:
    """Whether ``d[k] += value`` may raise when ``d[k]`` has been read: on its right side, or in the
    operation itself (a division, arrays that do not fit)."""
    if not isinstance(s.op, (ast.Add, ast.Sub, ast.Mult)):
        return True
    match s.value:
        case ast.Constant():
            return False
        case ast.Name(name):
            return not isinstance(run.scope.names.get(name), (Scalar, Static))
        case _:
            return True


def put_defaults(run: Run, base: ast.Name, steps: Sequence[Step], node: ast.AST) -> None:
    """Put what is missing into the defaultdicts that the steps lead through, as Python does when it
    reads what is updated, before it evaluates the other side."""
    whole = run.lookup(base.id, base)
    if not isinstance(whole, (HashV, ListV, TupleV, RecordV)):
        return
    if not has_defaults(run.kind(whole, node)):
        return
    for n, step in enumerate(steps):
        there = kind_there(run, run.lookup(base.id, base), steps[:n], node)
        is_table = isinstance(there, HashK) and there.cls is defaultdict
        if is_table and not isinstance(step, str):
            update(run, base, steps[:n], Method("__getitem__", (step,), {}), node)


def exchange(run: Run, s: ast.Assign) -> bool:
    """Compile ``t[i], t[j] = t[j], t[i]`` of a list of lists or arrays, if the statement is that:
    afterwards each of them is again in one place only."""
    match s:
        case ast.Assign(
            [ast.Tuple([ast.Subscript(ast.Name(name), i) as x, ast.Subscript(ast.Name(), j) as y])],
            ast.Tuple([second, first]),
        ) if (ast.unparse(x), ast.unparse(y)) == (ast.unparse(first), ast.unparse(second)):
            if ast.unparse(y.value) != name or any(isinstance(n, ast.Call) for n in ast.walk(s)):
                return False
        case _:
            return False

    items = run.lookup(name, x.value)
    if not isinstance(items, ListV) or not holding.holds_memory(items.elem):
        return False
    indices = [run.evaluate_index(e) for e in (i, j)]
    if not all(map(is_int, indices)):
        return False
    ownership.updatable(run, name, x.value)
    message = "list index out of range"
    to, at = (
        place(run, items, index_atom(run, k, s, "list"), message, s)
        for k in indices
    )
    atoms: list[Atom] = []
    for a in items.atoms:
        here, there = run.b.index(a, (to,), False), run.b.index(a, (at,), False)
        (once,) = run.b.let(Update(a, (to,), there, False), (a.type,))
        atoms += run.b.let(Update(once, (at,), here, False), (a.type,))
    made = replace(items, atoms=tuple(atoms))
    run.put_into.add(ITEMS)
    ownership.bind_updated(run, name, items, made, s, moved=places.EVERYTHING)
    return True


class _Change:
    """One update, on its way in. ``given``: the owners of the parameter that is updated.
    ``of_array``: it is one of elements of an array, which moves nothing; ``updated``: the owners of
    what it has updated on the way."""

    def __init__(self, run: Run, op: Op, given: frozenset[Owner], node: ast.AST) -> None:
        self.run, self.op, self.given, self.node = run, op, given, node
        self.of_array = False
        self.updated: frozenset[Owner] = frozenset()

    def of(
        self, value: Value, steps: list[Step], beside: frozenset[Owner]
    ) -> tuple[Value, Value]:
        """Return the value after the update of the value at the steps. ``beside`` are the owners of
        the other parts of the whole."""
        run, node = self.run, self.node
        if isinstance(value, ArrayV):
            self.of_array = not isinstance(self.op, Method)
            self.op = combined(run, value, self.op, steps, node)
            steps = []
        if not steps and is_container(value) and puts_item(self.op):
            return self.of(value, [hidden(value)], beside)
        if puts_item(self.op) and several_ranks.is_of_several_ranks(value):
            return self.of_each(value, steps, beside)
        if not steps:
            return apply(run, value, self.op, node)
        step, *rest = steps
        match value:
            case TupleV(items, is_list):
                k = known(step, len(items))
                if k is None and is_list and not isinstance(step, (str, SliceV)):
                    sole = ownership.is_unshared_inside(value, self.given)
                    self.touch(owners_of(value))
                    listed = replace(lists.growing(run, value, node), sole=sole)
                    return self.of(listed, steps, beside)
                if k is None:
                    refuse_step(run, value, step, node)
                new, result = self.part(items[k], items[:k] + items[k + 1 :], rest, beside)
                return replace(value, items=(*items[:k], new, *items[k + 1 :])), result
            case RecordV(cls) if (
                cls is dict and not isinstance(step, str) and dicts.needs_table(value, step)
            ):
                self.touch(owners_of(value))
                return self.of(hash_changes.table_for(run, value, step, None, node), steps, beside)
            case HashV() if not isinstance(step, (str, SliceV)):
                return self.in_table(value, step, rest, beside)
            case RecordV() if not isinstance(step, str) and (
                is_container(value) and opens(run, value)
            ):
                return self.of(value, [hidden(value), *steps], beside)
            case RecordV() if isinstance(step, str) and is_item(run, value, step, node):
                return self.of(value, [hidden(value), Static(step), *rest], beside)
            case RecordV(_, fields):
                name = field_of(run, value, step, node)
                others = tuple(v for n, v in fields.items() if n != name)
                part = fields[name]
                if isinstance(part, MaybeV):  # an attribute that only some paths have set
                    part = loose_dicts.part_of(run, value, name, node)
                new, result = self.part(part, others, rest, beside)
                return replace(value, fields={**fields, name: new}, node=None), result
            case ListV() if not isinstance(step, (str, SliceV)):
                if holding.holds_memory(value.elem):
                    if not value.sole or value.inner & beside:
                        ownership.refuse_shared(run, value, node)
                    self.touch(value.inner)
                return self.inside(value, steps)
            case _:
                refuse_step(run, value, step, node)

    def touch(self, owners: frozenset[Owner]) -> None:
        """Note that memory is updated: not the variables that functions in it have captured."""
        owners = frozenset(o for o in owners if not o.cell)
        self.run.frame.touched |= owners
        self.updated |= owners

    def in_table(
        self, table: HashV, key: Value, rest: list[Step], beside: frozenset[Owner]
    ) -> tuple[Value, Value]:
        """Return a hash table after the update of what is in the value of a key."""
        if not table.sole or table.inner & beside:
            ownership.refuse_shared(self.run, table, self.node)
        self.touch(table.inner)
        made, entry = hash_methods.ensured(self.run, table, key, self.node)
        path: list[Step] = [index_scalar(entry), Static(1), *rest]
        entries = hash_tables.entries_of(made)
        items, result = self.inside(entries, path)
        return hash_tables.with_entries(made, items), result

    def inside(self, items: ListV, steps: list[Step]) -> tuple[ListV, Value]:
        """Return a list after the update of what is in it."""
        inside = Inside(self.run, self.node)
        made = inside.change(items, steps, self.op)
        self.of_array = inside.of_array
        return made

    def part(
        self, item: Value, others: Sequence[Value], rest: list[Step], beside: frozenset[Owner]
    ) -> tuple[Value, Value]:
        """Return an item of known place after the update."""
        beside = beside.union(*map(owners_of, others))
        for part in holding.updated_parts(item):
            mine = part.owners
            if not (part.fresh or (mine and mine <= self.given)) or mine & beside:
                ownership.refuse_shared(self.run, TupleV((part,)), self.node)
            self.touch(mine)
        new, result = self.of(item, rest, beside)
        if holding.is_updated_in_place(item):
            assert holding.is_updated_in_place(new)
            return replace(new, owners=item.owners, fresh=item.fresh), result
        return new, result

    def of_each(
        self, value: OptionalV, steps: list[Step], beside: frozenset[Owner]
    ) -> tuple[Value, Value]:
        """Return what may be an array in the place of something else after the update of each."""
        op = self.op

        def of_one(v: Value) -> Value:
            self.op = op
            made, _ = self.of(v, steps, beside)
            if holding.is_updated_in_place(v) and holding.is_updated_in_place(made):
                return replace(made, owners=v.owners, fresh=v.fresh)
            return made

        return several_ranks.apart(self.run, value, of_one, self.node), Static(None)
