"""What an update does to the list, dict or array that it is of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from pullback.core.frozen import dataclass
from pullback.errors import ArgumentTypeError, MutationError, UnknownAttributeError
from pullback.frontend.interpret import indices
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.values import (
    ArrayV,
    ClosureV,
    FunctionV,
    HashV,
    LambdaSetV,
    ListV,
    RecordV,
    RefV,
    Scalar,
    SliceV,
    Static,
    SymbolV,
    TupleV,
    Value,
    ViewStep,
)
from pullback.frontend.library.numpy import subscripts
from pullback.frontend.library.numpy.arrays import store
from pullback.frontend.memory import (
    dicts,
    hash_methods,
    hash_sets,
    lists,
    loose_dicts,
    without_axes,
)
from pullback.frontend.memory.holding import holds_memory, is_updated_in_place
from pullback.frontend.memory.ownership import refuse_inside
from pullback.frontend.memory.places import Move, Moved, Step
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.python.object_classes import are_dicts, is_object_class
from pullback.frontend.store.shared_memory import in_full

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_NONE = Static(None)
ASSIGNED = "'{}' object does not support item assignment"
KEYS, ITEMS = "{}", "[]"
"""What stands for the items of dicts and of lists among the attributes into which objects have been
put (``Run.put_into``)."""


@dataclass(frozen=True)
class Store:
    """``container[index] = value``, or of an attribute (a name) ``container.index = value``;
    ``value`` may ask for the old item. Of arrays also ``np.add.at`` and its like: the operator
    ``by``."""

    index: Step
    value: Callable[[Callable[[], Value]], Value]
    by: str = ""


def puts_item(op: object) -> bool:
    """Whether this is an assignment of an item, and not of an attribute."""
    return isinstance(op, Store) and not isinstance(op.index, str)


@dataclass(frozen=True)
class Method:
    """``container.name(...)``"""

    name: str
    args: Sequence[Value]
    kwargs: dict[str, Value]


@dataclass(frozen=True)
class Become:
    """The container itself gets new contents: ``rows[i] *= 2``, ``arrays[k] += v``."""

    value: Callable[[Value], Value]


Op = Store | Method | Become


def apply(run: Run, container: Value, op: Op, node: ast.AST) -> tuple[Value, Value]:
    """Return a list, dict or array after the operation, and the value of the call."""
    if _puts(container, op):
        run.put_into.add(ITEMS)
    if isinstance(op, Method):
        run.assigned.add(ITEMS)
    if isinstance(op, Store) and isinstance(op.index, str):
        return _attribute_stored(run, container, op.index, op.value, node), _NONE
    is_list = isinstance(container, (ListV, TupleV)) and container.cls is list
    match op, container:
        case Become(value), _:
            return value(container), _NONE
        case Store(index, value), RecordV(cls) if cls is dict and not isinstance(index, str):
            run.put_into.add(KEYS)
            return dicts.store_at(run, container, index, value, node), _NONE
        case Store(index, value), RecordV() if (
            loose_dicts.is_loose(container) and not isinstance(index, str)
        ):
            run.put_into.add(KEYS)
            return loose_dicts.store_at(run, container, index, value, node), _NONE
        case Store(index, value), HashV() if not isinstance(index, str):
            return hash_methods.store_at(run, container, index, value, node), _NONE
        case Method(name, args, kwargs), HashV() if name in hash_sets.updates_of(container):
            return hash_sets.updates_of(container)[name](run, container, args, kwargs, node)
        case Store(index, value), (ListV() | TupleV()) if is_list and not isinstance(index, str):
            return lists.store_at(run, container, index, value, node), _NONE
        case Store(index, value, by), ArrayV() if not isinstance(index, str):
            array = container
            new = in_full(run, value(lambda: run.subscript(array, index, node)), node)
            return store(run, array, index, new, node, by), _NONE
        case Store(place, item, ""), Scalar(rank0=True) if not isinstance(place, str):
            return without_axes.store(run, container, place, item, node), _NONE
        case Method(name, args, kwargs), RecordV(cls) if cls is dict and name in dicts.UPDATES:
            run.put_into.add(KEYS)
            return dicts.UPDATES[name](run, container, args, kwargs, node)
        case Method(), RecordV() if loose_dicts.is_loose(container):
            loose_dicts.refuse(run, node)
        case Method("sort", args, kwargs), (ListV() | TupleV()) if is_list:
            return lists.sort(run, container, args, kwargs, node)
        case Method(name, args, kwargs), (ListV() | TupleV()) if is_list and name in lists.UPDATES:
            if kwargs:
                run.refuse(node, f".{name}() takes no such argument", error=ArgumentTypeError)
            return lists.UPDATES[name](run, container, args, node)
        case Method(name), _:
            optionals.require_attribute(run, container, name, node)
            run.refuse(
                node,
                f"{run.describe(container)} has no method {name!r}",
                error=UnknownAttributeError,
            )
        case _:
            optionals.require_mutable(run, container, ASSIGNED, node)
            run.refuse(
                node,
                f"items of {run.describe(container)} cannot be assigned",
                "make a new one",
                error=MutationError,
            )


def _puts(container: Value, op: Op) -> bool:
    """Whether an operation may put a list, an array or an object into the place of another one in a
    list."""
    match container:
        case ListV(elem=elem):
            holds = holds_memory(elem)
        case TupleV(items, is_list=True):
            holds = any(map(is_updated_in_place, items))
        case _:
            return False
    return holds and not (isinstance(op, Method) and op.name in ("append", "extend"))


def check_has_attributes(run: Run, obj: Value, name: str, node: ast.AST) -> None:
    """Refuse the assignment of an attribute of what is no object with attributes."""
    match obj:
        case RecordV(cls) if is_object_class(cls):
            return
        case FunctionV() | ClosureV() | LambdaSetV():
            run.refuse(
                node,
                "this attribute of a function cannot be assigned: it is a variable of the function "
                "around, if that assigns it by the name of a def in its own body",
                "use a variable of the function around, with nonlocal",
            )
        case _:
            optionals.require_attribute(run, obj, name, node)
            run.refuse(
                node,
                f"a field of {run.describe(obj)} cannot be assigned: records are values",
                "make a new one: dataclasses.replace(r, field=...)",
            )


def _attribute_stored(
    run: Run, obj: Value, name: str, value: Callable[[Callable[[], Value]], Value], node: ast.AST
) -> Value:
    """An object with an attribute assigned."""
    check_has_attributes(run, obj, name, node)
    assert isinstance(obj, RecordV)
    new = value(lambda: run.attribute(obj, name, node))
    run.assigned.add(name)
    if not isinstance(new, (Scalar, SymbolV, Static, RefV)):
        run.put_into.add(name)
    return replace(obj, fields={**obj.fields, name: new}, node=None)


def moved_by(container: Value | None, steps: Sequence[Step], op: Op) -> Moved:
    """Return the moves and replacements of an operation on the container at these steps."""
    path = tuple(steps)
    match op:
        case _ if isinstance(container, ArrayV):
            return ()
        case Store(index):
            return (Move((*path, index), len(path) + 1, isinstance(index, SliceV)),)
        case Method("append" | "extend"):
            return (Move(path, None),)
        case Method("setdefault" | "__getitem__"):  # a key is put in; loops count the keys
            return (Move(path, None, False),)
        case Become() | Method():
            return (Move(path, len(path) + 1),)


def combined(run: Run, array: Value, op: Op, steps: Sequence[Step], node: ast.AST) -> Op:
    """Return ``a[i, j] = v`` for ``a[i][j] = v`` of an array; the last index may be of any sort.
    Other steps give a view of it."""
    if not steps and not (isinstance(op, Store) and isinstance(op.index, ViewStep)):
        return op
    index = op.index if isinstance(op, Store) else None
    if isinstance(op, Method) or not isinstance(array, ArrayV) or isinstance(index, str):
        run.refuse(node, "this update of a part of an array", "write a[i, j] = ...")
    if isinstance(op, Become):
        region, become = subscripts.region(run, array, steps, None, node), op.value
        return Store(region, lambda old: become(old()))
    first = [s for s in steps if not isinstance(s, str) and indices.is_int(s)]
    if index is None or isinstance(index, ViewStep) or len(first) < len(steps):
        return Store(subscripts.region(run, array, steps, index, node), op.value, op.by)
    last = index.items if isinstance(index, TupleV) and not index.is_list else (index,)
    return Store(TupleV((*first, *last)), op.value, op.by)


def known(step: Step, n: int) -> int | None:
    """Return a literal index that is in range."""
    match step:
        case Static(int(k)) if -n <= k < n:
            return k % n
        case _:
            return None


def field_of(run: Run, value: RecordV, step: Step, node: ast.AST) -> str:
    """Return the name of the part of a dict or record that a step leads to."""
    if loose_dicts.is_loose(value) and not isinstance(step, str):
        loose_dicts.get_item(run, value, step, node)
        return str(run.static(step, node, "the key of a dict"))
    if value.cls is dict and not isinstance(step, str):
        dicts.get_item(run, value, step, node)
        return dicts.key_of(run, step, node)
    if isinstance(step, str) and step in value.fields and not are_dicts(value.cls):
        return step
    if not isinstance(step, str) and is_tuple_class(value.cls):
        k = known(step, len(value.fields))
        if k is not None:
            return list(value.fields)[k]
    refuse_step(run, value, step, node)


def refuse_step(run: Run, value: Value, step: Step, node: ast.AST) -> NoReturn:
    refuse_inside(
        run, value, node,
        f"something inside {run.describe(value)} cannot be updated"
        if not isinstance(step, SliceV)
        else "a slice of a list is a copy: updating it would change nothing",
        "give it a name of its own, or make a new one",
    )  # fmt: skip
