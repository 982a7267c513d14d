"""Names for parts of structures: ``row = t[i]``, ``for row in t``, a parameter that got ``t[i]``.

In Python such a name and the place in ``t`` are one object. Here a structure holds its parts as
values, so the name holds a ``PlaceV``: the variable ``t`` and the steps to the part. A read gives
what is there now, an update by the name is an update of ``t`` at these steps. It does not matter
where the part came from: what is read of a structure is noted (``Frame.places``) until it gets a
name.

The place is that object as long as nothing above it changes. ``after`` decides when it does: the
name then holds the object as it was last seen, or may not be used any more; and the name of a part
that became the part of something else by a branch or a loop is an ordinary one.
"""

from __future__ import annotations

import ast
import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.build import i64
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Lit, Var
from pullback.frontend.functions.scopes import function_scope, shown
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.flatten import NoKindError, captures_of, functions_in, kind_of
from pullback.frontend.kinds.values import (
    ArrayV,
    CellV,
    Driven,
    EnumerateV,
    FunctionV,
    HashV,
    Items,
    ListV,
    Owner,
    PlaceV,
    RecordV,
    ReversedV,
    Scalar,
    Stale,
    Static,
    TupleV,
    Unrolled,
    Value,
    ViewStep,
    ZipV,
    index_scalar,
)
from pullback.frontend.library.numpy.indices import wrapped
from pullback.frontend.memory import holding
from pullback.frontend.memory.dict_views import OF, is_view, seen_by, view_of, word_of
from pullback.frontend.memory.object_dicts import is_object_dict
from pullback.frontend.memory.owners import owners_of

if TYPE_CHECKING:
    from pullback.frontend.functions.scopes import Scope
    from pullback.frontend.run import Run

Step = Value | str
"""An index, or the name of a field."""

Taken = Value | Atom | str
"""The same, as a name keeps it: an index that may not be known is one from the start."""

@dataclass(frozen=True)
class Move:
    """What an update puts elsewhere or replaces: all at these steps that is ``depth`` steps deep or
    deeper (None: nothing). ``resized``: a container at the steps may have another length."""

    steps: tuple[Step, ...]
    depth: int | None
    resized: bool = True


Moved = tuple[Move, ...]


def somewhere(found: Iterable[tuple[int, int | None, bool]]) -> Moved:
    """Return moves of which it is known how many steps they have, and not which ones."""
    return tuple(Move((Static(None),) * n, depth, resized) for n, depth, resized in found)


# --- noting what is read --------------------------------------------------------------------------


def is_part(value: Value) -> bool:
    """Whether a part of a structure is an object that can be updated, or has such in it."""
    return holding.is_updated_in_place(value) or is_record(value)


def is_record(value: object) -> bool:
    """Whether a value is a record or tuple with lists, dicts or arrays in it."""
    if not isinstance(value, (RecordV, TupleV)) or holding.is_updated_in_place(value):
        return False
    try:
        return holding.holds_memory(kind_of(value))
    except NoKindError:
        return False


def note_root(run: Run, scope: Scope, name: str, value: Value) -> None:
    """Note that a variable has been read: parts that are read of the value will be parts of the
    variable's."""
    if scope.live and scope.locals and is_part(value) and not name.startswith("$"):
        run.frame.places[value] = PlaceV(scope, name, (), value, value)


def note(run: Run, whole: Value, step: Taken, part: Value) -> None:
    """Note that a part has been read of a value."""
    place = run.frame.places.get(whole)
    if place is not None and part is not whole and is_part(part):
        run.frame.places[part] = replace(place, steps=(*place.steps, step), value=part)


def note_item(run: Run, name: str, steps: tuple[Step, ...], part: Value) -> None:
    """Note that an item has been put into the value of a variable, or was there already."""
    scope = function_scope(run.scope)
    if is_part(part) and not name.startswith("$"):
        run.frame.places[part] = PlaceV(scope, name, steps, part, scope.names[name])


def noted(run: Run, whole: Value, items: Items) -> Items:
    """Return the items of a value, each of which is noted when it is taken."""
    if whole not in run.frame.places or isinstance(items, Driven):
        return items
    if isinstance(items, Unrolled):
        for k, item in enumerate(items.items):
            note(run, whole, Static(k), item)
        return items
    plain = items

    def at(index: Atom) -> Value:
        item = plain.at(index)
        note(run, whole, index, item)
        return item

    return replace(items, at=at)


def named(run: Run, scope: Scope, name: str, value: Value, whole: bool = False) -> Value:
    """Return the value of a name that is bound to this value: a place, if it is a part of a
    structure, or a list, dict or object that another variable has (or, if asked for, anything
    ``whole``); nothing, if it has a function in it that captured what the name held before."""
    cell, before = scope.cells.get(name), scope.names.get(name)
    is_set = before is not None and not (isinstance(before, Stale) and before.unset)
    if cell is not None and is_set and owners_of(value) & cell:
        held = f"a function that captured {shown(name)!r}, which is assigned here"
        return Stale(f"{shown(name)!r} holds {held}", ast.Pass())
    place = run.frame.places.get(value)
    if place is None or place.scope is not scope or place.root == name:
        return value
    if not (place.steps or whole or holding.is_updated_in_place(value)):
        return value
    if scope.names.get(place.root) is not place.of:
        return value  # the structure has been updated since
    return from_start(run, place)


def handed_on(run: Run, value: Value) -> Value:
    """Return the result of a function: a view of an array that a variable of the function has is
    the only way to its memory from now on. (Whatever else has that shares its owners.)"""
    place, scope = run.frame.places.get(value), run.frame.scope
    if not isinstance(value, ArrayV) or value.fresh or place is None or place.scope is not scope:
        return value
    whole, root = scope.names.get(place.root), place.root
    if not isinstance(whole, ArrayV) or whole is not place.of or not whole.fresh:
        return value
    if root in scope.borrowed or run.frame.starts.get(root) is whole:
        return value
    return replace(value, owners=value.owners | {Owner()}, fresh=True)


def from_start(run: Run, place: PlaceV) -> PlaceV:
    """Return the place with indices that count from the start, whatever is appended later."""
    if not any(map(_may_be_from_end, place.steps)):
        return place
    node = ast.Pass()
    value, steps = place.of, list[Taken]()
    for step in place.steps:
        if isinstance(step, (Var, Lit, str)) or not _may_be_from_end(step):
            steps.append(step)
        elif isinstance(value, ListV):
            at = wrapped(run, run.scalar(step, node).atom, value.length)
            ext.note_position(run, at)  # there is such an item
            steps.append(at)
        elif isinstance(step, Static) and isinstance(value, TupleV):
            steps.append(Static(int(str(step.value)) % len(value.items)))
        elif isinstance(value, TupleV):
            steps.append(wrapped(run, run.scalar(step, node).atom, i64(len(value.items))))
        else:
            steps.append(step)  # an array stays as long as it is
        value = _taken(run, value, steps[-1], node)
    made = replace(place, steps=tuple(steps))
    run.frame.places[place.value] = made
    return made


def _may_be_from_end(step: Taken) -> bool:
    match step:
        case Static(int(index)):
            return index < 0
        case Scalar():
            return True
        case _:
            return False


def as_steps(place: PlaceV) -> list[Step]:
    """Return the steps as those of an update."""
    return [index_scalar(s) if isinstance(s, (Var, Lit)) else s for s in place.steps]


# --- reading --------------------------------------------------------------------------------------


def variable_of(scope: Scope, name: str) -> tuple[Scope, str]:
    """Return the variable that has the object of a name: another one, if both are names for it."""
    held = scope.names.get(name)
    if isinstance(held, PlaceV) and not held.steps:
        return held.scope, held.root
    return scope, name


def current(run: Run, place: PlaceV, node: ast.AST) -> Value:
    """Return the present value at the place."""
    if place.scope.names.get(place.root) is place.of:
        run.frame.places[place.value] = place
        return place.value
    return at(run, place.root, place.steps, node)


def at(run: Run, root: str, steps: Sequence[Taken], node: ast.AST) -> Value:
    """Return the value at the steps in what a variable holds."""
    value = run.lookup(root, node)
    for step in steps:
        value = _taken(run, value, step, node)
    return value


def _taken(run: Run, whole: Value, step: Taken, node: ast.AST) -> Value:
    """Return the value one step further: it was there when the name was bound."""
    if isinstance(step, str):
        return run.attribute(whole, step, node)
    if isinstance(step, (Var, Lit)):
        if isinstance(whole, ListV):
            return run.element(whole, step, node, False)
        step = index_scalar(step)
    if isinstance(whole, HashV) and whole.cls is defaultdict:
        whole = replace(whole, cls=dict)  # nothing is put in
    return run.subscript(whole, step, node)


def same(a: Value | None, b: Value | None) -> bool:
    """Whether a name has not been given another value or place."""
    if isinstance(a, PlaceV) and isinstance(b, PlaceV):
        steps = len(a.steps) == len(b.steps) and all(map(operator.is_, a.steps, b.steps))
        return a.root == b.root and steps
    return a is b


def refresh(run: Run, f: FunctionV) -> None:
    """Read anew what a function captures by names for parts, before it is called."""
    if not any(isinstance(v, PlaceV) for v in run.scope.names.values()):
        return
    for scope, name in captures_of(f):
        held = scope.names.get(name)
        if isinstance(held, CellV):
            scope, name = held.scope, held.name
            held = scope.names.get(name)
        if isinstance(held, PlaceV) and not isinstance(held.scope.names[held.root], Stale):
            value = current(run, held, ast.Pass())
            scope.names[name] = replace(run.frame.places[value], steps=held.steps)


def settled(run: Run, value: Value, node: ast.AST) -> Value:
    """Return an ordinary value for a name, where no place may stand."""
    if not isinstance(value, PlaceV):
        return value
    root = value.scope.names.get(value.root)
    return root if isinstance(root, Stale) else current(run, value, node)


def renewed(run: Run, source: Value, node: ast.AST) -> Value:
    """Return the present value of the source of a loop."""
    match source:
        case ZipV(items):
            zipped = tuple(renewed(run, v, node) for v in items)
            return ZipV(zipped) if any(map(operator.is_not, zipped, items)) else source
        case EnumerateV(items, start):
            inner = renewed(run, items, node)
            return source if inner is items else EnumerateV(inner, start)
        case ReversedV(items):
            inner = renewed(run, items, node)
            return source if inner is items else ReversedV(inner)
        case RecordV() if is_object_dict(source):
            of = renewed(run, source.fields[OF], node)
            return RecordV(source.cls, {OF: of})
        case RecordV() if is_view(source):
            inner = renewed(run, seen_by(source), node)
            return source if inner is seen_by(source) else view_of(inner, word_of(source))
        case _:
            place = run.frame.places.get(source)
            return source if place is None else current(run, place, node)


def renew_captured(run: Run, values: Iterable[Value], node: ast.AST) -> None:
    """Let the variables of this function that functions in these values capture, and that are names
    for parts of what has been updated since, hold what is there now."""
    mine = function_scope(run.scope)
    for scope, name in (c for v in values for f in functions_in(v) for c in captures_of(f)):
        held = scope.names.get(name)
        if scope is mine and isinstance(held, PlaceV) and held.scope is mine:
            whole = mine.names.get(held.root)
            if whole is not held.of and whole is not None:
                mine.names[name] = replace(held, value=current(run, held, node), of=whole)


# --- choices --------------------------------------------------------------------------------------


def differing(held: Sequence[PlaceV | None]) -> list[int] | None:
    """Return the steps in which the places that the arms of a branch give differ, all of them
    indices; None if they are not places in one structure, equally deep."""
    known = [p for p in held if p is not None and p.steps]
    first = known[0] if known else None
    if first is None or len(known) < len(held):
        return None
    if any((p.scope, p.root, len(p.steps)) != (first.scope, first.root, len(first.steps))
           for p in known):  # fmt: skip
        return None
    found = []
    for k, steps in enumerate(zip(*(p.steps for p in known), strict=False)):
        if all(s is steps[0] or s == steps[0] for s in steps):
            continue
        if not all(map(is_index, steps)):
            return None
        found.append(k)
    return found


def is_index(step: Taken) -> bool:
    """Whether a step is an index of a list or array."""
    known = isinstance(step, Static) and isinstance(step.value, int)
    return known or isinstance(step, (Var, Lit, Scalar))


def index_of(run: Run, step: Taken) -> Scalar:
    """Return a step that a branch chooses, as a number."""
    if isinstance(step, (Var, Lit)):
        return index_scalar(step)
    assert not isinstance(step, str)
    return index_scalar(run.scalar(step, ast.Pass()).atom)


def chosen(place: PlaceV, steps: Sequence[int], indices: Sequence[Value]) -> PlaceV:
    """Return the place with the indices that a branch has chosen."""
    made = list(place.steps)
    for k, index in zip(steps, indices, strict=False):
        assert isinstance(index, Scalar)
        made[k] = index.atom
    return replace(place, steps=tuple(made))


# --- changes --------------------------------------------------------------------------------------


EVERYTHING: Moved = (Move((), 1),)


def after(place: PlaceV, name: str, whole: Value, moved: Moved) -> Value:
    """Return the value of a name for a part after an update of the structure, which was
    ``whole``."""
    if not any(_meets(place, name, m) for m in moved):
        return place
    if name.startswith(LOOP):
        return Stale("", ast.Pass())
    if place.of is whole:
        return place.value
    if (held := _field_of(whole, place.steps)) is not None:
        return held
    return Stale(
        f"{name!r} is a name for a part of {shown(place.root)!r}, in which parts have "
        "been put in, taken out or replaced since",
        ast.Pass(),
    )


def _field_of(value: Value, steps: Iterable[Taken]) -> Value | None:
    """Return what is at steps that are all names of fields."""
    for step in steps:
        if not isinstance(value, RecordV) or not isinstance(step, str):
            return None
        if step not in value.fields:
            return None
        value = value.fields[step]
    return value


LOOP = "$items"
"""Hidden names of what loops run over start so."""


def is_moved(place: PlaceV, moved: Moved) -> bool:
    """Whether an update has moved or replaced the part at a place."""
    return any(_meets(place, "", m) for m in moved)


def _meets(place: PlaceV, name: str, move: Move) -> bool:
    depth = move.depth
    if name.startswith(LOOP) and move.resized:
        depth = len(move.steps)
    if depth is None or len(place.steps) < depth:
        return False
    if any(isinstance(s, ViewStep) for s in place.steps[:depth]):
        return False  # a view stays where it is in its array
    return not any(map(_differ, move.steps, place.steps))


def _differ(a: Taken, b: Taken) -> bool:
    match a, b:
        case Lit(), _:
            return _differ(Static(a.value), b)
        case _, Lit():
            return _differ(a, Static(b.value))
        case Static(x), Static(y):
            return x != y and (isinstance(x, str) or (_is_from_start(x) and _is_from_start(y)))
        case str(), str():
            return a != b
        case _:
            return False


def _is_from_start(index: object) -> bool:
    return isinstance(index, int) and index >= 0


def rooted_at(scope: Scope, name: str) -> Iterator[tuple[str, PlaceV]]:
    """Return the names for parts of the value of a variable."""
    for other, value in list(scope.names.items()):
        if isinstance(value, PlaceV) and value.root == name and value.scope is scope:
            yield other, value


def with_roots(live: frozenset[str], envs: Sequence[Mapping[str, Value]]) -> frozenset[str]:
    """Return the names that are read, and the variables for whose parts they are names."""
    named = ((n, v) for env in envs for n, v in env.items() if isinstance(v, PlaceV))
    return live | {v.root for n, v in named if n in live}


def release(run: Run, scope: Scope, name: str) -> None:
    """Make the names for parts of a variable's value ordinary names, because the variable is bound
    anew."""
    for other, place in rooted_at(scope, name):
        scope.names[other] = settled(run, place, ast.Pass())

