"""Assignment: to names, tuples of names, elements of arrays."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pullback.errors import MutationError
from pullback.frontend.functions import iterator_lifetimes
from pullback.frontend.interpret import (
    by_methods,
    operator_methods,
    own_attributes,
    raised_attributes,
)
from pullback.frontend.interpret.iteration import is_driven, nameable
from pullback.frontend.interpret.unpacking import unpacked
from pullback.frontend.kinds import optionals, several_ranks, sum_kinds
from pullback.frontend.kinds.complex_pairs import ComplexArray, is_complex_array
from pullback.frontend.kinds.kinds import (
    ArrayK,
    HashK,
    Kind,
    ListK,
    OptionalK,
    RecordK,
    RefK,
    ScalarK,
    SharedMemory,
    TupleK,
)
from pullback.frontend.kinds.several_ranks import is_of_several_ranks
from pullback.frontend.kinds.values import (
    ArrayV,
    GeneratorV,
    HashV,
    ListV,
    OptionalV,
    PlaceV,
    RecordV,
    RefV,
    Scalar,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.memory import (
    attributes_outside,
    complex_stores,
    hash_methods,
    hash_sets,
    hash_tables,
    holding,
    in_place,
    nested_updates,
    ownership,
    places,
    ranks_in_place,
    updates,
)
from pullback.frontend.memory.container_objects import steps_to
from pullback.frontend.memory.item_attributes import becomes_own_dict
from pullback.frontend.memory.object_dicts import assigned_attribute
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.python.syntax import BINARY
from pullback.frontend.store import tuple_rows
from pullback.frontend.store.shared_memory import is_shared, opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run


_IN_PLACE = {"+": "extend"}
_CHANGED = ".changed"
"""The name of what is changed in place before a method assigns it."""
_OPERAND = ".operand"
"""The name of what is added to something that may be None."""


def assign(run: Run, target: ast.expr, value: Value, node: ast.AST) -> None:
    """Bind a target to a value."""
    target = attributes_outside.of_global(run, assigned_attribute(run, target))
    value = tuple_rows.opened(run, value, node)
    match target:
        case ast.Name(name):
            held = run.scope.names.get(name)
            value = nameable(run, value, target, node)
            place = places.named(run, run.scope, name, value)
            ownership.rebound(run, run.scope, name)
            run.scope.names[name] = place
            iterator_lifetimes.dropped(run, held, value, node)
        case ast.Tuple(elts) | ast.List(elts):
            _assign_each(run, elts, unpacked(run, elts, value, target), target)
        case ast.Attribute() if (
            variable := attributes_outside.assigned(run, target, node)
        ) is not None:
            attributes_outside.check(run, value, node)
            assign(run, variable, value, node)
        case ast.Attribute(attr="__dict__") if becomes_own_dict(run, target, value, node):
            base, steps = nested_updates.target_of(run, target, put=True)
            _store(run, base, steps, lambda _: Static(None), node)
        case ast.Attribute(attr="__dict__" | "__class__" as special):
            reason = f"{special} of an object is assigned"
            run.refuse(target, reason, "assign its attributes", MutationError)
        case ast.Attribute(ast.Name(name), attr) if raised_attributes.assign(
            run, run.scope.names.get(name), attr, value, target
        ):
            pass
        case ast.Attribute() if own_attributes.assign(run, target, value, node):
            pass
        case ast.Subscript() | ast.Attribute():
            run.generators.in_a_place(value)
            with run.holding(value):
                base, steps = nested_updates.target_of(run, target, put=True)
            _store(run, base, steps, lambda _: value, node)
        case _:
            run.refuse(target, "this assignment is not supported")


def _assign_each(
    run: Run, elts: Sequence[ast.expr], values: Sequence[Value], node: ast.AST
) -> None:
    for k, (e, v) in enumerate(zip(elts, values, strict=True)):
        with run.holding(*values[k + 1 :]):
            assign(run, e.value if isinstance(e, ast.Starred) else e, v, node)


def augmented(run: Run, s: ast.AugAssign) -> None:
    op = BINARY[type(s.op)]
    if isinstance(s.target, ast.Attribute) and s.target.attr == "__dict__":
        assign(run, s.target, Static(None), s)
    target = attributes_outside.of_global(run, assigned_attribute(run, s.target))
    if target is not s.target:
        assert isinstance(target, (ast.Attribute, ast.Name))
        augmented(run, ast.copy_location(ast.AugAssign(target, s.op, s.value), s))
        return
    match s.target:
        case ast.Name(name):
            old, place = opened(run, run.lookup(name, s.target), s), run.scope.names.get(name)
            if isinstance(old, OptionalV) and _of_present(run, name, old, s):
                return
            if isinstance(place, RefV) or is_shared(place):
                place = run.frame.places.get(old)
            is_array = isinstance(old, (ArrayV, Scalar))
            changes = holding.is_updated_in_place(old) and not holding.is_tuple(old)
            if isinstance(place, PlaceV) and changes:
                if place.steps:
                    _augmented_item(run, s, s.target, op)
                    return
                name = place.root  # two names of one object: it is updated by the first one
            names = _IN_PLACE
            if isinstance(old, (RecordV, HashV)):
                names = hash_sets.in_place_of(old.cls)
            if (
                op in names
                and changes
                and not is_array
                and not (isinstance(old, RecordV) and old.cls is not dict)
            ):
                more = ownership.apart(run, run.evaluate(s.value), old)
                base = ast.copy_location(ast.Name(name, ast.Load()), s.target)
                update_at(run, base, (), names[op], [more], {}, s)
                return
            if op == "*" and isinstance(old, (ListV, TupleV)) and changes:
                more = run.evaluate(s.value)
                repeat = updates.Become(lambda xs: run.binop(op, xs, more, s))
                _update(run, name, repeat, (more,), s)
                return
            with run.holding(old):
                value = run.evaluate(s.value)
            by_method = operator_methods.in_place(run, op, old, value, s)
            if by_method is not None:
                assign(run, s.target, by_method, s)
                return
            if is_of_several_ranks(old):
                ownership.rebound(run, run.scope, name)
                ranks_in_place.augmented(run, name, op, old, value, s)
                return
            new = _by(run, op, old, value, s)
            if is_complex_array(old):
                base = ast.copy_location(ast.Name(name, ast.Load()), s.target)
                _store(run, base, (complex_stores.ALL,), lambda _: new, s)
                return
            if isinstance(old, ArrayV) or (isinstance(old, Scalar) and old.rank0):
                made = in_place.whole(run, name, old, new, s)
                ownership.bind_updated(run, name, old, made, s)
                return
            ownership.rebound(run, run.scope, s.target.id)
            run.scope.names[s.target.id] = new
        case ast.Attribute() if (
            variable := attributes_outside.assigned(run, s.target, s)
        ) is not None:
            if attributes_outside.is_set(run, variable):
                augmented(run, ast.copy_location(ast.AugAssign(variable, s.op, s.value), s))
                return
            old = run.evaluate(s.target)  # that of a class behind it
            if holding.is_updated_in_place(old):
                run.refuse(s, "an update of what a base class has, as an attribute of its own",
                           "make a new one: cls.xs = [*cls.xs, x]", error=MutationError)
            assign(run, variable, _by(run, op, old, run.evaluate(s.value), s), s)
        case ast.Attribute() if own_attributes.is_one(run, s.target):
            old = run.evaluate(s.target)
            own_attributes.assign(run, s.target, _by(run, op, old, run.evaluate(s.value), s), s)
        case ast.Subscript(ast.Name(name)) if is_of_several_ranks(
            held := run.scope.names.get(name)
        ):
            _in_each(run, name, held, lambda: _augmented_item(run, s, s.target, op), s)
        case ast.Subscript() | ast.Attribute():
            _augmented_item(run, s, s.target, op)
        case _:
            assign(run, s.target, Static(None), s)


def _of_present(run: Run, name: str, old: OptionalV, s: ast.AugAssign) -> bool:
    """Compile ``xs += v`` of a name for what is None, or else changed in place (Python raises its
    TypeError of None): whether it is that."""
    names = run.scope.names
    if name not in names or isinstance(names[name], PlaceV) or not _changes_in_place(old):
        return False
    with run.holding(old):
        value = names[_OPERAND] = run.evaluate(s.value)
    said = optionals.said_of_operands(BINARY[type(s.op)], old, value, s)
    names[name] = optionals.present(run, old, said, s)
    operand = ast.copy_location(ast.Name(_OPERAND, ast.Load()), s)
    augmented(run, ast.copy_location(ast.AugAssign(s.target, s.op, operand), s))
    del run.scope.names[_OPERAND]
    return True


def _changes_in_place(value: OptionalV) -> bool:
    """Whether a value is nothing, or one thing that is changed in place."""
    inside = [v for v in optionals.alternatives(value) if not optionals.is_nothing(v)]
    return len(inside) == 1 and all(map(_is_changed, inside))


def _is_changed(value: Value) -> bool:
    return holding.is_updated_in_place(value) or is_shared(value) or is_complex_array(value)


def _has_operator(value: Value, op: str, operand: Value) -> bool:
    """Whether ``a += v`` changes what a value refers to: a dict has ``|=`` only, and a list takes
    no number but as ``*= n``."""
    of = value.cls if isinstance(value, (RefV, ListV, TupleV)) else object
    of = of.of if issubclass(of, SharedMemory) else of
    if not _is_changed(value) or (issubclass(of, dict) and op != "|"):
        return False
    if not issubclass(of, list) or not optionals.is_number(operand):
        return True
    is_float = "float" in optionals.class_name(operand)
    return op == "*" and (not is_float or getattr(operand, "is_int", None) is not None)


def _augmented_item(run: Run, s: ast.AugAssign, target: ast.expr, op: str) -> None:
    """Compile ``a[i] += v``. An item that is a list or an array is itself updated."""
    base, steps = nested_updates.target_of(run, target)
    if not isinstance(target, ast.Name):  # a name may be one for what a tuple holds
        _check_holder(run, base, steps, s)
    named = isinstance(target, ast.Name)  # nothing is assigned: what it is a name for is changed
    if not named and _changed_first(run, s, target, base, steps):
        return
    base, steps = nested_updates.into_memory(run, base, steps, s)
    if nested_updates.may_raise(run, s):
        nested_updates.put_defaults(run, base, steps, s)
    if not named and by_methods.store(
        run, base, steps, lambda old: _by(run, op, old(), run.evaluate(s.value), s), s
    ):
        return
    whole = run.lookup(base.id, base)
    item = None
    if not isinstance(whole, ArrayV):
        holder = nested_updates.kind_there(run, whole, steps[:-1], s)
        if isinstance(holder, RecordK) and issubclass(holder.cls, ComplexArray):
            _store(run, base, steps, lambda old: _by(run, op, old(), run.evaluate(s.value), s), s)
            return
        item = (
            None
            if isinstance(holder, ArrayK)
            else nested_updates.kind_there(run, whole, steps, s)
        )
    by_call = isinstance(item, OptionalK)
    several = item is not None and sum_kinds.may_be_array(item)
    item = item.inner if isinstance(item, OptionalK) else item
    if isinstance(item, (RecordK, RefK)) and by_methods.by_operator(run, op, item.cls, s):
        return
    is_list = isinstance(item, (ListK, TupleK)) and item.cls is not tuple
    methods = _IN_PLACE if is_list else {}
    if isinstance(item, (HashK, RecordK)) and _is_table(item):
        methods = hash_sets.in_place_of(item.cls)
    if several:
        change = ranks_in_place.change(run, op, whole, s)
        nested_updates.update(run, base, steps, change, s)
        return
    if op in methods and by_call:
        by_methods.call_at(run, methods[op], s)
        return
    if is_list and op == "*" and by_call:
        run.refuse(s, "a list that may be None, repeated in place", "a.xs = a.xs * n")
    is_array = isinstance(item, ArrayK) or (isinstance(item, ScalarK) and item.rank0)
    is_array = is_array and not by_call and not isinstance(whole, Scalar)
    if op not in methods and not is_list and not is_array:
        _store(run, base, steps, partial(_stored, run, op, s), s)
        return
    with run.holding(whole):
        value = run.evaluate(s.value)
    value = ownership.apart(run, value, whole)
    if is_array:
        change = updates.Become(lambda old: _whole(run, op, old, value, s))
    elif op in methods:
        update_at(run, base, steps, methods[op], [value], {}, s)
        return
    else:
        change = updates.Become(lambda old: _by(run, op, old, value, s))
    nested_updates.update(run, base, steps, change, s)


def _stored(run: Run, op: str, s: ast.AugAssign, old: Callable[[], Value]) -> Value:
    """Return what ``a[i] += v`` puts in the place of an item."""
    before = old()
    new = _by(run, op, before, run.evaluate(s.value), s)
    return in_place.fitted(run, before, new, s) if isinstance(before, ArrayV) else new


def _changed_first(
    run: Run, s: ast.AugAssign, target: ast.expr, base: ast.Name, steps: Sequence[places.Step]
) -> bool:
    """Compile ``a.xs += v`` of what is changed in place before a method assigns it, if it is that:
    whether it is."""
    first = by_methods.changed_first(run, base, steps, s)
    if first is None:
        return False
    name = ast.copy_location(ast.Name(_CHANGED, ast.Store()), s)
    assign(run, name, first, s)
    augmented(run, ast.copy_location(ast.AugAssign(name, s.op, s.value), s))
    after = run.lookup(_CHANGED, s)  # at its place, if it has one
    del run.scope.names[_CHANGED]
    assign(run, target, after, s)
    return True


def _check_holder(
    run: Run, base: ast.Name, steps: Sequence[places.Step], s: ast.AugAssign
) -> None:
    """Refuse ``t[0] += v`` of what a tuple holds: Python changes a list or array there first, and
    raises then."""
    whole = run.lookup(base.id, base)
    if isinstance(whole, ArrayV):
        return
    holder = nested_updates.kind_there(run, whole, steps[:-1], s)
    if isinstance(holder, (TupleK, ListK, RecordK)) and is_tuple_class(holder.cls):
        reason = "'tuple' object does not support item assignment"
        run.refuse(s, reason, "t[0].extend(v); t[0][:] = v for an array", MutationError)


def _is_table(item: Kind | None) -> bool:
    """Whether ``a[i] |= v`` changes a dict or set."""
    if isinstance(item, HashK):
        return not issubclass(item.cls, frozenset)
    return isinstance(item, RecordK) and item.cls is dict


def _by(run: Run, op: str, old: Value, value: Value, s: ast.AugAssign) -> Value:
    """Return the new value of what is no object that changes itself."""
    if op in hash_sets.IN_PLACE:
        hash_sets.require_own(run, old, s)
    if isinstance(old, OptionalV) and any(
        _has_operator(v, op, value) for v in optionals.alternatives(old)
    ):
        reason = f"{run.describe(old)} cannot be updated in place"
        run.refuse(s, reason, "make a new one: a = a + v", MutationError)
    return run.binop(op, old, value, s)


def _whole(run: Run, op: str, old: Value, value: Value, s: ast.AugAssign) -> Value:
    """Return the value that ``a[i] += v`` puts into an array if ``a[i]`` is an array itself."""
    assert isinstance(old, (ArrayV, Scalar))
    return in_place.fitted(run, old, run.binop(op, old, value, s), s)


def _store(
    run: Run,
    base: ast.Name,
    to: Sequence[places.Step],
    value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> None:
    """Compile ``a[i] = v``: the name is bound to the updated array. ``value`` may ask for the old
    element. ``a[i][j] = v`` is ``a[i, j] = v``."""
    *steps, index = to
    if not steps and optionals.is_nothing(whole := run.lookup(base.id, base)):
        nested_updates.stored_into(run, whole, index, node)
    if not steps and is_of_several_ranks(whole) and base.id in run.scope.names:
        _in_each(run, base.id, whole, lambda: _store(run, base, to, value, node), node)
        return
    if by_methods.store(run, base, to, value, node):
        return
    parts = complex_stores.split(run, base, to, value, node)
    if parts is not None:
        for place, part in parts:
            _store(run, base, place, partial(_given, part), node)
        return
    store = updates.Store(index, value)
    steps = steps or steps_to(run.lookup(base.id, base), index)
    if steps and not isinstance(run.lookup(base.id, base), ArrayV):
        nested_updates.update(run, base, steps, store, node)
        return
    if isinstance(index, str):
        updates.check_has_attributes(run, run.lookup(base.id, base), index, node)
    optionals.require_mutable(run, run.lookup(base.id, base), updates.ASSIGNED, node)
    array = ownership.updatable(run, base.id, base)
    change = updates.combined(run, array, store, steps, node)
    with run.holding(array):
        made, _ = updates.apply(run, array, change, node)
    assert holding.is_updated_in_place(made)
    moved = updates.moved_by(array, steps, change)
    ownership.bind_updated(run, base.id, array, made, node, moved=moved)


def _in_each(
    run: Run, name: str, whole: OptionalV, update: Callable[[], None], node: ast.AST
) -> None:
    """Compile an update for each of the things that a name may be."""

    def in_one(part: Value) -> Value:
        run.scope.names[name] = part
        update()
        return Static(None)

    several_ranks.apart(run, whole, in_one, node)


def _given(value: Value, _: Callable[[], Value]) -> Value:
    return value


def update_at(
    run: Run, base: ast.Name, steps: Sequence[places.Step], method: str, args: Sequence[Value],
    kwargs: dict[str, Value], node: ast.AST,
) -> Value:  # fmt: skip
    """Compile ``xs.append(v)`` and the like, of what is at the steps in the value of a name: the
    name is bound to the updated list or dict."""
    if method in ("append", "insert", "appendleft", "setdefault"):
        for v in args:
            run.generators.in_a_place(v)
    if len(args) == 1 and not kwargs and (isinstance(args[0], GeneratorV) or is_driven(args[0])):
        put = _each_put(run, base, steps, method, node)
        if put is not None:
            run.fold(run.iterate(args[0], node), (), put, node)
            return Static(None)
    if steps:
        return nested_updates.update(run, base, steps, updates.Method(method, args, kwargs), node)
    result = _update(run, base.id, updates.Method(method, args, kwargs), args, node)
    if method in nested_updates.READ:
        places.note_item(run, base.id, (args[0],), result)
    return result


def _each_put(
    run: Run, base: ast.Name, steps: Sequence[places.Step], method: str, node: ast.AST
) -> Callable[[Sequence[Value], Value], Sequence[Value]] | None:
    """Return what an update does with one item after the other, if it may be seen that it does:
    where one raises, those before it are there."""
    if run.frame.trying is None and not run.frame.starts:
        return None
    with run.scratch(), run.sealed():
        old = by_methods.there(run, base, steps, node)
    is_set = isinstance(old, HashV) and hash_tables.is_set(old)

    def put(_: Sequence[Value], item: Value) -> Sequence[Value]:
        if method == "extend" or is_set:
            one = "append" if method == "extend" else "add"
            update_at(run, base, steps, one, (item,), {}, node)
        else:
            key, value = hash_methods.pair_of(run, item, node)
            _store(run, base, (*steps, key), lambda _: value, node)
        return ()

    if method == "extend":
        return put if isinstance(old, (ListV, TupleV)) else None
    has_items = isinstance(old, (HashV, RecordV)) and old.cls is not Counter
    return put if has_items and method == "update" else None


def _update(
    run: Run, name: str, change: updates.Op, args: Sequence[Value], node: ast.AST
) -> Value:
    """Bind a name to the list or dict after an update. Return the value of the call."""
    old = ownership.updatable(run, name, node)
    made, result = updates.apply(run, old, change, node)
    assert holding.is_updated_in_place(made)
    with run.holding(*args):
        ownership.bind_updated(run, name, old, made, node, moved=updates.moved_by(old, (), change))
    return result


def updated(run: Run, name: str, change: updates.Op, node: ast.AST) -> None:
    """Bind a name to the object that it holds after an update."""
    _update(run, name, change, (), node)
