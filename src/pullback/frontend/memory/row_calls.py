"""Rows given to functions that update them: ``scale(t[i], s)``.

The function updates a parameter that stands for a place in a list of its caller. So a form of the
function is called that is given the list and the index, and has the place written where the
parameter stands; what it updates is then a list with a name, as everywhere. (Given the row alone,
it would have to put it back, and the row be copied: for an update of one item that costs too much.)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.interpret.indices import is_int
from pullback.frontend.kinds.values import FunctionV, Value
from pullback.frontend.memory import ownership
from pullback.frontend.memory.row_places import Row, name_of, path_of, placed, root_of, stays
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import updated

if TYPE_CHECKING:
    from pullback.frontend.run import Run


@dataclass(frozen=True)
class _Given:
    """An argument: its value; of a row also the indices on the way to it."""

    value: Value
    indices: Sequence[Value] = ()
    is_place: bool = False


_Place = tuple[int, int, ast.expr]
"""A parameter, the one that stands for the list, and the path to the item in an argument."""

_FORMS = Remembered[Definition | None]()


def with_places(
    run: Run, function: Value, node: ast.Call
) -> tuple[Value, Sequence[Value]] | None:
    """The form of the function to call, and its arguments; None: an ordinary call."""

    if not isinstance(function, FunctionV) or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    skip = len(function.bound)
    changed = _changed(function.definition)
    roots = {  # the lists of which an item is updated
        root_of(arg)
        for k, arg in enumerate(node.args)
        if k + skip in changed and _is_place(run, arg)
    }
    if not roots:
        return None
    args: list[_Given] = []
    held: list[Value] = []
    for arg in node.args:
        with run.holding(*held):
            is_item = root_of(arg) in roots and _is_place(run, arg)
            args.append(_item(run, arg) if is_item else _Given(run.evaluate(arg)))
        held.append(args[-1].value)
        if is_item:
            held.append(run.scope.names[root_of(arg) or ""])
    firsts: dict[str | None, int] = {}
    for k, a in enumerate(args):
        if a.is_place:
            firsts.setdefault(root_of(node.args[k]), k)
    places = [
        (k + skip, firsts[root_of(node.args[k])] + skip, node.args[k])
        for k, a in enumerate(args)
        if a.is_place
    ]
    made = _form(function.definition, places) if places else None
    if made is None:
        return function, [a.value for a in args]
    values: list[Value] = []
    for k, a in enumerate(args):
        root = root_of(node.args[k])
        if not a.is_place:
            values.append(a.value)
        elif firsts[root] == k:
            values.append(run.scope.names[root or ""])
        values += a.indices
    return replace(function, definition=made), values


def _is_place(run: Run, arg: ast.expr) -> bool:
    """Whether it is an item of a list that may be updated here."""
    root, path = root_of(arg), path_of(arg)
    if root is None or all(isinstance(e, str | ast.Slice | ast.Tuple) for e in path):
        return False
    whole = run.scope.names.get(root)
    if run.scope is not function_scope(run.scope) or not ownership.is_updated_in_place(whole):
        return False
    return whole.fresh or root in run.frame.given


def _item(run: Run, arg: ast.expr) -> _Given:
    """The item, and the indices of its path that are not constants."""

    value, indices, single = run.lookup(root_of(arg) or "", arg), list[Value](), True
    for step in path_of(arg):
        if isinstance(step, str):
            value = run.attribute(value, step, arg)
            continue
        index = run.evaluate_index(step)
        if not isinstance(step, ast.Constant):
            indices.append(index)
            single = single and is_int(index)
        value = run.subscript(value, index, arg)
    if single and ownership.is_updated_in_place(value):
        return _Given(value, indices, True)
    return _Given(value)


# --- forms of functions ---------------------------------------------------------------------------


def _positional(definition: Definition) -> list[ast.arg]:
    return [*definition.node.args.posonlyargs, *definition.node.args.args]


def _changed(definition: Definition) -> set[int]:
    """The parameters (by position) whose objects the function updates, or hands on."""
    if not isinstance(definition.node, ast.FunctionDef):
        return set()
    names = updated(definition.node.body)
    for n in (n for s in definition.node.body for n in ast.walk(s)):
        match n:
            case ast.AugAssign(ast.Name(name)):
                names.add(name)
            case ast.Call(ast.Name("len" | "sum" | "range")):
                pass
            case ast.Call(_, args):
                names.update(a.id for a in args if isinstance(a, ast.Name))
            case ast.For(iter=iterable) | ast.Assign(value=iterable):  # perhaps names for rows
                names.update(m.id for m in ast.walk(iterable) if isinstance(m, ast.Name))
            case _:
                pass
    return {k for k, p in enumerate(_positional(definition)) if p.arg in names}


def _form(definition: Definition, places: Sequence[_Place]) -> Definition | None:
    """The function that is given lists and indices; None: its parameters are not only read and
    updated."""
    key = id(definition.globals), tuple((k, of, ast.dump(path)) for k, of, path in places)
    return _FORMS.of(definition.node, key, lambda: _new_form(definition, places))


def _new_form(definition: Definition, places: Sequence[_Place]) -> Definition | None:
    node = definition.node
    params = _positional(definition)
    last = len(params) - len(node.args.defaults)
    if isinstance(node, ast.Lambda) or any(k >= last for k, _, _ in places):
        return None
    rows: dict[str, ast.expr] = {}
    inserted: dict[int, list[ast.arg]] = {}
    for k, of, path in places:
        name = params[k].arg
        hidden = [f"{name}[{j}]" for j in range(len(path_of(path)))]
        rows[name], used = _path(path, name_of(params[of].arg), hidden)
        if not stays(Row(name, "", rows[name], 0), node.body, lambda _: False):
            return None
        inserted[k] = [params[k]] if k == of else []
        inserted[k] += [ast.arg(h) for h in used]
    made = copy.deepcopy(node)
    made.body = [placed(s, rows) for s in made.body]
    made.args.posonlyargs = []
    made.args.args = [a for k, p in enumerate(params) for a in inserted.get(k, [p])]
    return replace(definition, node=ast.fix_missing_locations(made))


def _path(
    path: ast.expr, root: ast.expr, hidden: Sequence[str]
) -> tuple[ast.expr, list[str]]:
    """The path from another root, its indices (but constants) by names; and these names."""
    made, used = root, []
    for step, name in zip(path_of(path), hidden):
        if isinstance(step, str):
            made = ast.Attribute(made, step, ast.Load())
        elif isinstance(step, ast.Constant):
            made = ast.Subscript(made, step, ast.Load())
        else:
            made = ast.Subscript(made, name_of(name), ast.Load())
            used.append(name)
    return made, used
