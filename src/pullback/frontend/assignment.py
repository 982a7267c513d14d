"""Assignment: to names, tuples of names, elements of arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pullback.core.build import boolean
from pullback.core.terms import Lit
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    MutationError,
    UnknownAttributeError,
)
from pullback.frontend import ownership
from pullback.frontend.expressions import (
    BINARY,
    evaluate,
    evaluate_index,
    lookup,
)
from pullback.frontend.values import (
    ArrayV,
    EnumerateV,
    GeneratorV,
    ListV,
    RecordV,
    ReversedV,
    Stale,
    Static,
    TupleV,
    Unrolled,
    Value,
    ZipV,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def assign(run: Run, target: ast.expr, value: Value, node: ast.AST) -> None:
    """Bind a target to a value."""
    match target:
        case ast.Name(name):
            if isinstance(value, GeneratorV | ZipV | EnumerateV | ReversedV):
                run.refuse(
                    node,
                    f"{run.describe(value)} given a name: an iterator can be used only once",
                    "use it where it is made, or make a list of it: [... for ...]",
                )
            ownership.rebound(run, run.scope, name)
            run.scope.names[name] = value
        case ast.Tuple(elts) | ast.List(elts):
            _unpack(run, elts, value, target)
        case ast.Subscript():
            _store(run, target, lambda _: value, node)
        case ast.Attribute():
            run.refuse(
                target,
                "a field cannot be assigned: records are values",
                "make a new one: dataclasses.replace(r, field=...)",
            )
        case _:
            run.refuse(target, "this assignment is not supported")


def _unpack(run: Run, elts: Sequence[ast.expr], value: Value, node: ast.AST) -> None:
    items = run.iterate(value, node)
    starred = [k for k, e in enumerate(elts) if isinstance(e, ast.Starred)]
    if isinstance(items, Unrolled):
        values = items.items
    elif starred:
        run.refuse(node, "a starred target needs a value of known length", "use slices")
    else:
        n = run.scalar(run.length(value, node), node).atom
        expected = len(elts)
        right = run.b.prim("eq", n, Lit(expected, n.type)) if not isinstance(n, Lit) else (
            boolean(n.value == expected)
        )
        message = f"not enough or too many values to unpack (expected {expected})"
        run.require(right, "ValueError", message, node)
        values = tuple(items.at(Lit(k, n.type)) for k in range(expected))
    if starred:
        k = starred[0]
        after = len(elts) - k - 1
        if len(values) < len(elts) - 1:
            run.refuse(node, "not enough values to unpack", error=ArgumentValueError)
        middle = TupleV(values[k : len(values) - after], is_list=True)
        values = (*values[:k], middle, *values[len(values) - after :])
    if len(values) != len(elts):
        run.refuse(
            node,
            f"{len(values)} values to unpack into {len(elts)} names",
            error=ArgumentValueError,
        )
    for k, (e, v) in enumerate(zip(elts, values)):
        with run.holding(*values[k + 1 :]):
            assign(run, e.value if isinstance(e, ast.Starred) else e, v, node)


def augmented(run: Run, s: ast.AugAssign) -> None:
    op = BINARY[type(s.op)]
    match s.target:
        case ast.Name(name):
            old = lookup(run, name, s.target)
            in_place = "|" if isinstance(old, RecordV) else "+"
            if (
                op == in_place
                and ownership.is_updated_in_place(old)
                and not isinstance(old, ArrayV)
            ):
                method = "update" if isinstance(old, RecordV) else "extend"
                update_by_method(run, name, method, [evaluate(run, s.value)], {}, s)
                return
            with run.holding(old):
                value = evaluate(run, s.value)
            new = run.binop(op, old, value, s)
            if isinstance(old, ArrayV):
                made = ownership.updated_whole(run, name, old, new, s)
                ownership.bind_updated(run, name, old, made, s)
                return
            ownership.rebound(run, run.scope, name)
            run.scope.names[name] = new
        case ast.Subscript():
            _store(
                run, s.target, lambda old: run.binop(op, old(), evaluate(run, s.value), s), s
            )
        case _:
            assign(run, s.target, Static(None), s)


def _store(
    run: Run,
    target: ast.Subscript,
    value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> None:
    """``a[i] = v``: the name is bound to the updated array. ``value`` may ask for the old element.

    ``a[i][j] = v`` is ``a[i, j] = v``."""
    from pullback.frontend import dicts, lists
    from pullback.frontend.arrays import store

    base, subscripts = target, [target.slice]
    while isinstance(base.value, ast.Subscript):
        base = base.value
        subscripts.insert(0, base.slice)
    if not isinstance(base.value, ast.Name):
        run.refuse(
            target,
            "only items of an array or list with a name of its own can be assigned",
            "give it a name first",
        )
    name = base.value.id
    indices = [evaluate_index(run, e) for e in subscripts]
    array = ownership.updatable(run, name, base.value)
    made: ownership.Updatable
    if isinstance(array, RecordV):
        if len(indices) > 1:
            run.refuse(
                target,
                "an item of something inside a dict cannot be assigned",
                "give it a name, and put it back: d[k] = a",
                error=MutationError,
            )
        with run.holding(array):
            made = dicts.store_at(run, array, indices[0], value, node)
    elif not isinstance(array, ArrayV):
        with run.holding(array):
            made = lists.store_at(run, array, indices, value, node)
    else:
        index = indices[0] if len(indices) == 1 else _one_index(run, indices, target)
        with run.holding(array):
            new = value(lambda: run.subscript(array, index, target))
        made = store(run, array, index, new, node)
    ownership.bind_updated(run, name, array, made, node)


def update_by_method(
    run: Run,
    name: str,
    method: str,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:
    """``xs.append(v)`` and the like: the name is bound to the updated list or dict."""
    from pullback.frontend import dicts, lists

    old = ownership.updatable(run, name, node)
    made: ownership.Updatable
    if isinstance(old, RecordV) and method in dicts.UPDATES:
        made, result = dicts.UPDATES[method](run, old, args, kwargs, node)
    elif isinstance(old, ListV | TupleV) and method == "sort":
        made, result = lists.sort(run, old, args, kwargs, node)
    elif isinstance(old, ListV | TupleV) and method in lists.UPDATES:
        if kwargs:
            run.refuse(node, f".{method}() takes no such argument", error=ArgumentTypeError)
        made, result = lists.UPDATES[method](run, old, args, node)
    else:
        run.refuse(
            node, f"{run.describe(old)} has no method {method!r}", error=UnknownAttributeError
        )
    with run.holding(*args):
        ownership.bind_updated(run, name, old, made, node)
    return result


def _one_index(run: Run, indices: Sequence[Value], node: ast.AST) -> Value:
    from pullback.frontend.objects import is_int

    if not all(map(is_int, indices)):
        run.refuse(node, "chained subscripts in an assignment", "write a[i, j] = v")
    return TupleV(tuple(indices))


def delete(run: Run, target: ast.expr, node: ast.AST) -> None:
    """``del xs[i]``; ``del x`` leaves the name without a value."""
    match target:
        case ast.Name(name):
            lookup(run, name, target)
            ownership.rebound(run, run.scope, name)
            run.scope.names[name] = Stale(f"{name!r} has been deleted", node)
        case ast.Subscript(ast.Name(name), index) if not isinstance(index, ast.Slice):
            at = evaluate_index(run, index)
            update_by_method(run, name, "pop", [at], {}, node)
        case _:
            run.refuse(target, "only names and items of lists and dicts can be deleted")
