"""Whether the objects of a class stay as they were made, as far as the text of a program tells.

``lru_cache(maxsize=128)`` of a method forgets results, and computes them anew: of all objects of
the class together. That cannot be seen if they stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType

from pullback.errors import PullbackError
from pullback.frontend.python.container_bases import order_of
from pullback.frontend.python.libraries import is_closed
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.python.source import Definition, definition_of
from pullback.frontend.python.syntax import parameters
from pullback.frontend.python.texts import FunctionNode

_MAKING = {"__init__", "__post_init__", "__new__"}
_MOST = 500
"""How many functions are looked at."""
_BY_ANY_NAME = {"setattr", "delattr", "vars", "__dict__", "__setattr__"}


def stay(cls: type, calling: Iterable[Definition]) -> bool:
    """Whether no method of a class, and no function that is running (``calling``) or that such a
    function reads by name, changes what its objects hold."""
    callers = list(calling)
    own = [f for c in order_of(cls) for f in _functions(vars(c).values())]
    names = {name for f in own for name in _read(_node(f))}
    nodes: list[FunctionNode | None] = [d.node for d in callers]
    nodes += map(_node, _reached([*own, *(f for d in callers for f in _named(d.code, d.globals))]))
    return not any(_changes(n, names) for node in nodes for n in _walked(node))


def _named(code: CodeType | None, space: dict[str, object]) -> Iterator[FunctionType]:
    """Iterate over the functions of a user, and the methods of classes, that code reads by name."""
    waiting = [] if code is None else [code]
    for inside in waiting:
        waiting += [c for c in inside.co_consts if isinstance(c, CodeType)]
        for name in inside.co_names:
            found = space.get(name)
            inner = getattr(found, "__wrapped__", found)
            if isinstance(inner, FunctionType) and not is_closed(inner):
                yield inner
            elif isinstance(found, type) and is_object_class(found):
                yield from _functions(vars(found).values())


def _reached(functions: list[FunctionType]) -> Iterator[FunctionType]:
    """Iterate over functions, and those that they read by name."""
    seen = set[FunctionType]()
    waiting = list(functions)
    while waiting and len(seen) < _MOST:
        f = waiting.pop()
        if f not in seen:
            seen.add(f)
            waiting += _named(f.__code__, f.__globals__)
            yield f


def _functions(entries: Iterable[object]) -> Iterator[FunctionType]:
    for entry in entries:
        parts = [getattr(entry, n, None) for n in ("__func__", "__wrapped__", "fget", "fset")]
        yield from (f for f in (entry, *parts) if isinstance(f, FunctionType))


def _node(f: FunctionType) -> FunctionNode | None:
    try:
        return definition_of(f).node
    except PullbackError:  # it has no text: Python made it
        return None


def _read(node: FunctionNode | None) -> set[str]:
    """Return the attributes that a method reads of its object."""
    own = [] if node is None else parameters(node)[:1]
    return {
        n.attr for n in ([] if node is None else ast.walk(node))
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in own
    }  # fmt: skip


def _walked(node: FunctionNode | None) -> Iterator[ast.AST]:
    """Iterate over a function, without what makes objects in it."""
    waiting: list[ast.AST] = [] if node is None else [node]
    while waiting:
        n = waiting.pop()
        if not (isinstance(n, ast.FunctionDef) and n.name in _MAKING):
            yield n
            waiting += ast.iter_child_nodes(n)


def _changes(n: ast.AST, names: set[str]) -> bool:
    match n:
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in _BY_ANY_NAME:
            return True
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(
            ctx=ast.Store() | ast.Del()
        ):
            return _leads_through(n, names)
        case ast.Expr(ast.Call(ast.Attribute(held))):
            return _leads_through(held, names)
        case _:
            return False


def _leads_through(e: ast.expr, names: set[str]) -> bool:
    while isinstance(e, (ast.Attribute, ast.Subscript)):
        if isinstance(e, ast.Attribute) and e.attr in names:
            return True
        e = e.value
    return False


__all__ = ["stay"]
