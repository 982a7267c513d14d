"""``d[k]`` where ``k`` comes from ``d`` itself: ``sum(d[k] for k in d)``, ``max(d, key=lambda k:
d[k])``. It puts nothing into a ``defaultdict``, so nothing is updated there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from pullback.core.messages import Limit
from pullback.frontend.kinds.values import HashV, Value
from pullback.frontend.memory import hash_tables as tables
from pullback.frontend.memory import places
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_CALLS = {"max": "key", "min": "key", "sorted": "key", "map": "", "filter": ""}
"""Functions that call one of their arguments (by this name, or the first one) with each item."""
N = TypeVar("N", ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Call)
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def mark(node: N) -> N:
    """Return a comprehension or a call, in which, or in a function that is called with each item,
    the look-ups of own keys are noted."""
    if getattr(node, "own_keys_noted", False):
        return node
    node.own_keys_noted = True  # type: ignore[attr-defined]  # noted on the node
    for table, key, inside in _loops(node):
        binders = [n for part in inside for n in ast.walk(part) if _binds(n, (table, key))]
        if binders:
            continue
        for n in (n for part in inside for n in ast.walk(part)):
            match n:
                case ast.Subscript(ast.Name(of), ast.Name(by), ast.Load()) if (
                    (of, by) == (table, key)
                ):
                    n.of_own_key = True  # type: ignore[attr-defined]  # as above
    return node


def _loops(node: _Comprehension | ast.Call) -> Iterator[tuple[str, str, list[ast.AST]]]:
    """Iterate over the tables that are gone through: their names, those of the keys, and where the
    keys are known."""
    match node:
        case ast.Call(ast.Name(name), args, keywords) if name in _CALLS and args:
            given = [k.value for k in keywords if k.arg == _CALLS[name]]
            functions, items = (given, args[:1]) if _CALLS[name] else (args[:1], args[1:2])
            match functions, items:
                case [ast.Lambda(ast.arguments([], [ast.arg(key)]), body)], [source]:
                    for table in _keys_of(source):
                        yield table, key, [body]
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            results: list[ast.AST] = (
                [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            )
            for k, generator in enumerate(node.generators):
                later: list[ast.AST] = [*generator.ifs, *node.generators[k + 1 :], *results]
                match generator.target:
                    case ast.Name(key):
                        for table in _keys_of(generator.iter):
                            yield table, key, later


def _keys_of(source: ast.expr) -> Iterator[str]:
    match source:
        case ast.Name(table) | ast.Call(ast.Attribute(ast.Name(table), "keys"), [], []):
            yield table
        case ast.Call(ast.Name("sorted" | "list" | "tuple" | "reversed"), [inner, *_]):
            yield from _keys_of(inner)


def _binds(node: ast.AST, names: tuple[str, ...]) -> bool:
    match node:
        case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
            return name in names
        case _:
            return False


def is_own(node: ast.Subscript) -> bool:
    """Whether the key comes from the table."""
    return getattr(node, "of_own_key", False)


def read(run: Run, node: ast.Subscript, key: Value) -> Value:
    """Return the value of a key that the table has."""
    d = opened(run, run.evaluate(node.value), node)
    assert isinstance(d, HashV)
    entry = tables.lookup(run, d, key, node)
    message = "a key of a defaultdict is not there any more while its keys are gone through"
    run.require(tables.is_found(run, entry), Limit("RuntimeError"), message, node)
    made = tables.value_at(run, d, entry, node)
    places.note(run, d, key, made)
    return made


__all__ = ["is_own", "mark", "read"]
