"""Nested functions that update what they capture are given it: lambda lifting.

``def push(v): out.append(v)`` inside the function that made ``out`` becomes ``def push(v, *, out)``
and its calls become ``push(v, out=out)``: an update handed to and fro (``handing``), as if the user
had written it. Lifted are functions that are only called, by name, by the function around them and
by its other nested functions; what is updated by functions that are values stays refused.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from pullback.frontend.python.syntax import (
    Comprehension,
    local_names_now,
    own_nodes,
    target_names,
    updated,
)
from pullback.frontend.python.texts import FunctionNode

_READERS = frozenset({"len", "sum", "range", "max", "min", "abs", "float", "int", "print"})
_HEAPS = frozenset({"heappush", "heappop", "heapify", "heapreplace", "heappushpop"})


def lifted(node: FunctionNode) -> FunctionNode:
    """The function with its nested functions lifted, at any depth."""
    if isinstance(node, ast.Lambda) or not any(map(_changes, _nested(node))):
        return node
    root = copy.deepcopy(node)
    waiting = [root]
    while waiting:  # from outside in: what a nested function is given, its own may update
        outer = waiting.pop()
        for function, names in _to_lift(outer).items():
            _lift(outer, function, sorted(names))
        waiting += [n for n in _nested(outer) if isinstance(n, ast.FunctionDef)]
    return root


def _nested(node: FunctionNode) -> list[FunctionNode]:
    """The functions directly inside of a function."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    found = (n for s in body for n in own_nodes(s))
    return [n for n in found if isinstance(n, ast.FunctionDef | ast.Lambda)]


def _changes(node: FunctionNode) -> set[str]:
    """The captured names whose objects a function, or one inside of it, updates or hands on to be
    updated."""
    names: set[str] = set()
    if isinstance(node, ast.FunctionDef):
        names |= updated(node.body)
        for n in (n for s in node.body for n in own_nodes(s)):
            match n:
                case ast.Expr(ast.Call(ast.Name(f), args)) if f not in _READERS:
                    names.update(a.id for a in args if isinstance(a, ast.Name))
                case ast.Call(ast.Name(f) | ast.Attribute(_, f), args) if f in _HEAPS:
                    names.update(a.id for a in args[:1] if isinstance(a, ast.Name))
                case ast.keyword(str(name)) if hasattr(n, "given"):
                    names.add(name)
                case _:
                    pass
    return names.union(*map(_changes, _nested(node))) - local_names_now(node)


@dataclass(slots=True)
class _Inner:
    """A nested function: what it updates itself, what it is to be given, and in which functions it
    is called (None: it is a value)."""

    node: ast.FunctionDef
    own: set[str]
    names: set[str] = field(default_factory=set)
    users: list[ast.AST | None] = field(default_factory=list)


def _to_lift(outer: ast.FunctionDef) -> dict[ast.FunctionDef, set[str]]:
    inner = _candidates(outer)
    functions: dict[ast.AST, str] = {i.node: name for name, i in inner.items()}
    for name, user in _uses(outer, outer, outer):
        if name in inner:
            inner[name].users.append(user)
    while True:
        _spread(inner, functions)
        unfit = [n for n, i in inner.items() if not _fits(i, outer, functions)]
        if not unfit:
            break
        for n in unfit:
            del functions[inner.pop(n).node]
    return {i.node: i.names for i in inner.values() if i.names}


def _candidates(outer: ast.FunctionDef) -> dict[str, _Inner]:
    """Functions with a name that stands for nothing else, by name."""
    own = [n for s in outer.body for n in own_nodes(s)]
    others = {n.id for n in own if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    others |= {a.arg for a in ast.walk(outer.args) if isinstance(a, ast.arg)}
    defined = [n.name for n in own if isinstance(n, ast.FunctionDef)]
    targets = {
        name
        for n in ast.walk(outer)
        if isinstance(n, Comprehension)
        for g in n.generators
        for name in target_names(g.target)
    }
    known = local_names_now(outer) - set(defined) - targets
    return {
        n.name: _Inner(n, _changes(n) & known)
        for n in own
        if isinstance(n, ast.FunctionDef)
        and not n.decorator_list
        and n.name not in others
        and defined.count(n.name) == 1
    }


def _uses(node: ast.AST, user: ast.AST, outer: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    """Names that are read below a node, and the function that calls them there, or the one around
    it; None: it is no call by a function that can be given more."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Call(ast.Name(name)):
                yield name, user
                rest = ast.Tuple([*child.args, *(k.value for k in child.keywords)], ast.Load())
                yield from _uses(rest, user, outer)
            case ast.Name(name, ast.Load()):
                yield name, None
            case ast.FunctionDef() if user is outer:
                yield from _uses(child, child, outer)
            case ast.Lambda():
                for name, _ in _uses(child, user, outer):
                    yield name, None
            case _:
                yield from _uses(child, user, outer)


def _spread(inner: dict[str, _Inner], functions: dict[ast.AST, str]) -> None:
    """Who calls a function that is given something must have it."""
    for i in inner.values():
        i.names = set(i.own)
    changed = True
    while changed:
        changed = False
        for i in inner.values():
            for user in i.users:
                caller = inner[functions[user]] if user in functions else None
                if caller is not None and not i.names <= caller.names:
                    caller.names |= i.names
                    changed = True


def _fits(i: _Inner, outer: ast.AST, functions: dict[ast.AST, str]) -> bool:
    """Whether all that use a function can give it what it needs."""
    if not i.names:
        return True
    if i.names & local_names_now(i.node):
        return False
    return all(u is outer or (u is not None and u in functions) for u in i.users)


def _lift(outer: ast.FunctionDef, function: ast.FunctionDef, names: list[str]) -> None:
    for name in names:
        place = ast.copy_location(ast.arg(name), function)
        function.args.kwonlyargs.append(place)
        function.args.kw_defaults.append(None)
    for n in ast.walk(outer):
        match n:
            case ast.Call(ast.Name(called)) if called == function.name:
                for name in names:
                    value = ast.copy_location(ast.Name(name, ast.Load()), n)
                    keyword = ast.copy_location(ast.keyword(name, value), n)
                    keyword.given = True  # type: ignore[attr-defined]
                    n.keywords.append(keyword)
            case _:
                pass
