"""Names for rows: ``row = t[i]`` and ``for row in t``, and then ``row[j] = v``.

In Python the name and the place in ``t`` are one object. Here a list holds its rows as values, so
such a name stands for the place: what follows is run with ``t[i]`` written where ``row`` stands
(the index is evaluated once, when the name is bound). That is the same object as long as nothing
above the row changes: ``t`` is not bound anew, no row is put in or taken out, and no other name of
``t`` could do so. Where this cannot be seen from what follows, the name is an ordinary one, and an
update by it is refused.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.interpret import indices
from pullback.frontend.kinds.join import as_list
from pullback.frontend.kinds.kinds import ArrayK, Kind, ListK, RecordK, TupleK
from pullback.frontend.kinds.values import ArrayV, ListV, RecordV, Static, TupleV, Value
from pullback.frontend.memory import ownership
from pullback.frontend.memory.row_places import (
    Row,
    copied,
    is_path,
    itself,
    name_of,
    path_of,
    put,
    root_of,
    stays,
)
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.syntax import Liveness, liveness_of, local_names, reads, updated

if TYPE_CHECKING:
    from pullback.frontend.run import Run

# --- loops ----------------------------------------------------------------------------------------

_LOOPS = Remembered[ast.For]()


def of_loop(run: Run, s: ast.For) -> ast.For:
    """A loop over the rows of a list that it updates, as a loop over their places."""
    if run.frame.definition is None:
        return s
    live = liveness_of(run.frame.definition.node)
    rows: list[Row] = []
    for name, items in _aligned(run, s.target, s.iter):
        root = root_of(items)
        if root is None or any(r.root == root for r in rows):
            continue
        levels = _levels(run, items)
        if levels is None:
            continue
        hidden = f"{name}@:{s.lineno}:{s.col_offset}"
        row = Row(name, root, ast.Subscript(items, name_of(hidden), ast.Load()), levels)
        whole = run.scope.names.get(root)
        if _is_wanted(run, row, whole, s.body) and _stays(run, row, s.body, s, live):
            rows.append(row)
    if not rows:
        return s
    key = tuple((r.name, ast.dump(r.place)) for r in rows)
    return _LOOPS.of(s, key, lambda: _loop_over_places(s, rows, live))


def _aligned(
    run: Run, target: ast.expr, iterable: ast.expr
) -> Iterator[tuple[str, ast.expr]]:
    """The names that are bound to the items of lists, and where these are."""
    match target, iterable:
        case ast.Name(name), ast.Name() | ast.Subscript() | ast.Attribute():
            yield name, iterable
        case ast.Tuple([_, inner]), ast.Call(ast.Name("enumerate" as f), [items, *_]):
            if _is_builtin(run, f):
                yield from _aligned(run, inner, items)
        case ast.Tuple(inside), ast.Call(ast.Name("zip" as f), parts, []):
            if _is_builtin(run, f) and len(inside) == len(parts):
                for part, items in zip(inside, parts):
                    yield from _aligned(run, part, items)
        case _, ast.Call(ast.Name("reversed" as f), [items], []):
            if _is_builtin(run, f):
                yield from _aligned(run, target, items)
        case _:
            return


def _is_builtin(run: Run, *names: str) -> bool:
    definition = run.frame.definition
    assert definition is not None
    return not any(
        n in local_names(definition.node) or n in definition.globals or _is_captured(run, n)
        for n in names
    )


def _is_captured(run: Run, name: str) -> bool:

    return not isinstance(run.lookup(name, ast.Pass()), Static)


def _loop_over_places(s: ast.For, rows: Sequence[Row], live: Liveness) -> ast.For:
    made = copied(s, rows, live)
    assert isinstance(made, ast.For)
    live.head[made] |= {n for r in rows for n in reads([r.place])}
    for r in rows:
        assert isinstance(r.place, ast.Subscript) and isinstance(r.place.slice, ast.Name)
        items, index = r.place.value, ast.Name(r.place.slice.id, ast.Store())
        made.target = put(made.target, r.place, index)
        length = ast.Call(itself(len), [copy.deepcopy(items)], [])
        made.iter = put(made.iter, items, ast.Call(itself(range), [length], []))
    return ast.fix_missing_locations(made)


# --- assignments ----------------------------------------------------------------------------------

_RESTS = Remembered[list[ast.stmt]]()


def after_assignment(
    run: Run, s: ast.stmt, rest: Sequence[ast.stmt]
) -> Sequence[ast.stmt] | None:
    """Run ``row = t[i]``, if it is that, and give what follows with the place for the name."""
    match s:
        case ast.Assign([ast.Tuple(names)], ast.Tuple(places)) if len(names) == len(places):
            return _one_by_one(run, s, rest)
        case ast.Assign([ast.Name(name) as target], (ast.Subscript() | ast.Attribute()) as place):
            root = root_of(place)
        case _:
            return None
    if root is None or not rest or run.frame.definition is None:
        return None
    known, rest = _until_bound(name, rest)
    whole = run.scope.names.get(root)
    if not known or run.scope is not function_scope(run.scope):
        return None
    if not ownership.is_updated_in_place(whole):
        return None
    if not is_path(place) or not _is_wanted(run, Row(name, root, place, 0), whole, known):
        return None
    value: Value = run.lookup(root, place)
    made: ast.expr = name_of(root)
    levels, is_row = 0, True
    for k, step in enumerate(path_of(place)):
        levels += not isinstance(value, ArrayV)
        if isinstance(step, str):
            value, made = run.attribute(value, step, place), ast.Attribute(made, step, ast.Load())
            continue
        index = run.evaluate_index(step)
        is_key = isinstance(value, RecordV) and isinstance(index, Static)
        is_row = is_row and (is_key or indices.is_int(index))
        hidden = f"{name}[{k}]:{s.lineno}:{s.col_offset}"
        run.scope.names[hidden] = index
        value = run.subscript(value, index, place)
        made = ast.Subscript(made, name_of(hidden), ast.Load())
    run.assign(target, value, s)
    live = liveness_of(run.frame.definition.node)
    row = Row(name, root, ast.fix_missing_locations(ast.copy_location(made, place)), levels)
    is_row = is_row and _is_row(run, value) and _is_alone(run, root, whole)
    if not is_row or not _stays(run, row, known, known[-1], live):
        return [*known, *rest]
    key = tuple(known), name, ast.dump(made)
    return [*_RESTS.of(s, key, lambda: [copied(r, [row], live) for r in known]), *rest]


def _until_bound(
    name: str, stmts: Sequence[ast.stmt]
) -> tuple[Sequence[ast.stmt], Sequence[ast.stmt]]:
    """The statements before the name is bound anew, and those from there on."""
    for k, s in enumerate(stmts):
        match s:
            case ast.Assign([ast.Name(again)], value) if again == name:
                if name not in reads([value]):
                    return stmts[:k], stmts[k:]
            case _:
                pass
    return stmts, ()


_SINGLE = Remembered[list[ast.stmt]]()


def _one_by_one(
    run: Run, s: ast.Assign, rest: Sequence[ast.stmt]
) -> Sequence[ast.stmt] | None:
    """``a, b = t[i], t[j]`` as two assignments, if it gives names to rows."""
    assert isinstance(s.targets[0], ast.Tuple) and isinstance(s.value, ast.Tuple)
    names, places = s.targets[0].elts, s.value.elts
    bound = {n.id for n in names if isinstance(n, ast.Name)}
    if len(bound) < len(names) or bound & reads(places) or run.frame.definition is None:
        return None
    if not all(isinstance(p, ast.Subscript | ast.Attribute) and is_path(p) for p in places):
        return None
    wanted = False
    for n, p in zip(names, places):
        assert isinstance(n, ast.Name)
        root = root_of(p) or ""
        row = Row(n.id, root, p, 0)
        wanted = wanted or _is_wanted(run, row, run.scope.names.get(root), rest)
    if not wanted:
        return None
    live = liveness_of(run.frame.definition.node)

    def split() -> list[ast.stmt]:
        made = [ast.copy_location(ast.Assign([n], p), p) for n, p in zip(names, places)]
        live.block(made, live.after[s])
        return list(made)

    return [*_SINGLE.of(s, (), split), *rest]


def _stays(
    run: Run, row: Row, body: Sequence[ast.stmt], last: ast.stmt, live: Liveness
) -> bool:
    """Whether the name can stand for the place all through the statements, of which one is the
    last that knows the name."""
    whole = run.scope.names[row.root]
    if row.name == row.root or row.name in live.after.get(last, frozenset({row.name})):
        return False
    if row.name in live.captured or not _is_alone(run, row.root, whole):
        return False
    return stays(row, body, lambda f: _is_builtin(run, f))


# --- what is asked --------------------------------------------------------------------------------


def _levels(run: Run, items: ast.expr) -> int | None:
    """How many lists and dicts are on the way to the rows of what is looped over; None: it has no
    rows, or where it is is not certain."""

    root = root_of(items)
    value = run.scope.names.get(root) if root is not None else None
    if not ownership.is_updated_in_place(value):
        return None
    levels = 0
    inside: Value = value
    with run.scratch():  # only its kind is asked
        for step in path_of(items):
            if isinstance(step, ast.Constant) or (
                isinstance(step, ast.Name) and (":" in step.id)  # it is never set again
            ):
                index = run.evaluate_index(step)
            elif isinstance(step, str):
                index = None
            else:
                return None
            levels += not isinstance(inside, ArrayV)
            if index is None:
                inside = run.attribute(inside, str(step), items)
            else:
                inside = run.subscript(inside, index, items)
        return levels + (not isinstance(inside, ArrayV)) if _holds_rows(run, inside) else None


def _holds_rows(run: Run, value: Value | None) -> bool:
    """Whether the items are lists, dicts or arrays (or records of these), all of one kind."""
    match value:
        case ListV(_, elem):
            return _is_container(elem)
        case ArrayV():
            return value.rank > 1
        case TupleV(items, True):
            kind = as_list(run.kind(value, ast.Pass())) if items else None
            return kind is not None and _is_container(kind.elem)
        case _:
            return False


def _is_row(run: Run, value: Value) -> bool:
    if isinstance(value, RecordV):
        return _is_container(run.kind(value, ast.Pass()))
    return ownership.is_updated_in_place(value)


def _is_container(kind: Kind) -> bool:
    match kind:
        case ListK() | ArrayK() | TupleK(_, True):
            return True
        case RecordK():
            return ownership.holds_memory(kind)
        case _:
            return False


def _is_wanted(run: Run, row: Row, whole: Value | None, body: Sequence[ast.stmt]) -> bool:
    """Whether the name is used to update the row, or the row may change while it is used."""
    if not ownership.is_updated_in_place(whole):
        return False
    if not whole.fresh and row.root not in run.frame.given:
        return False
    changed = _changed(body, whole.fresh)
    if _names_of(row.name, body) & changed:
        return True
    return row.name in reads(body) and bool(_names_of(row.root, body) & changed)


def _changed(body: Sequence[ast.stmt], given: bool) -> set[str]:
    """The names whose objects are updated, by statements or (``given``) by functions that are
    given them."""
    changed = updated(body)
    for n in (n for s in body for n in ast.walk(s)):
        match n:
            case ast.AugAssign(ast.Name(name)):
                changed.add(name)
            case ast.Call(_, args, keywords) if given:
                handed = [*args, *(k.value for k in keywords)]
                changed.update(root for a in handed if (root := root_of(a)) is not None)
            case _:
                pass
    return changed


def _names_of(name: str, body: Sequence[ast.stmt]) -> set[str]:
    """The name, and names for what is inside of the object."""
    found = {name}
    for n in (n for s in body for n in ast.walk(s)):
        match n:
            case ast.Assign([target], value) | ast.For(target, value):
                if any(isinstance(m, ast.Name) and m.id in found for m in ast.walk(value)):
                    found.update(m.id for m in ast.walk(target) if isinstance(m, ast.Name))
            case _:
                pass
    return found


def _is_alone(run: Run, name: str, whole: Value) -> bool:
    """Whether the list has no other name, and is in no other one."""
    assert ownership.is_updated_in_place(whole)
    return isinstance(whole, ArrayV) or not any(
        ownership.owners_of(value) & whole.owners
        for other, value in run.scope.names.items()
        if other != name and not other.startswith("$items")
    )
