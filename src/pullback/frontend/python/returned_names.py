"""``return n`` in a loop that updates ``n``, written as a jump behind the loop.

A loop carries what it changes. If it had to carry what a ``return`` in it gives, too, and that is a
list, an array or an object that it updates, one memory would have two owners. So the loop notes in
``$way`` which ``return`` has left it, and the name is read behind the loop. There it is what it was
at the ``return``: between the two only ``finally`` and the ends of ``with`` run, and only names are
taken that nothing in the loop binds.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from pullback.frontend.python.syntax import (
    is_endless,
    is_generator,
    jumps,
    own_nodes,
    pattern_names,
    rebound_inside,
    root_of,
    updated_by,
)
from pullback.frontend.python.syntax_pieces import assign, break_, if_, known
from pullback.frontend.python.texts import FunctionNode

_WAY = "$way"


def returned_behind(node: FunctionNode) -> FunctionNode:
    """Return the function with such loops, also of functions nested in it, written anew: itself if
    it has none."""
    if not any(_left_by_names(f) for f in _functions(node)):
        return node
    made = copy.deepcopy(node)
    for f in _functions(made):
        _rewrite(f, _left_by_names(f))
    return made


def _functions(node: FunctionNode) -> list[ast.FunctionDef]:
    found = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)]
    return [f for f in found if not is_generator(f)]


def _left_by_names(function: ast.FunctionDef) -> dict[ast.stmt, list[str]]:
    """Return the outermost loops of a function that a ``return`` of a name leaves which they update
    and never bind, with these names."""
    found: dict[ast.stmt, list[str]] = {}
    todo: list[ast.AST] = [*function.body]
    while todo:
        s = todo.pop()
        if isinstance(s, (ast.For, ast.While)):
            names = ({n for t in s.body for n in updated_by(t)} | _handed(s)) & _given(s)
            names -= _bound(s) | rebound_inside(function)
            if names:
                found[s] = sorted(names)
            todo += s.orelse
        elif not isinstance(s, (ast.FunctionDef, ast.ClassDef, ast.expr)):
            todo += ast.iter_child_nodes(s)
    return found


def _handed(s: ast.stmt) -> set[str]:
    """Return the names whose values functions and methods called in a statement get."""
    calls = [n for n in own_nodes(s) if isinstance(n, ast.Call)]
    parts = [p for n in calls for p in (n.func, *n.args, *(k.value for k in n.keywords))]
    roots = [root_of(p) for p in parts]
    return {r.id for r in roots if isinstance(r, ast.Name)}


def _bound(s: ast.stmt) -> set[str]:
    """Return all names that a statement binds or deletes."""
    found: set[str] = set()
    for n in ast.walk(s):
        match n:
            case ast.Name(name, ast.Store() | ast.Del()):
                found.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.FunctionDef(name) | ast.ClassDef(name):
                found.add(name)
            case ast.match_case(pattern):
                found.update(pattern_names(pattern))
            case ast.Import(names) | ast.ImportFrom(names=names):
                found.update(a.asname or a.name.split(".")[0] for a in names)
            case _:
                pass
    return found


def _rewrite(at: ast.AST, left: dict[ast.stmt, list[str]]) -> None:
    """Write those loops anew that are among the statements of ``at``."""
    for _, part in ast.iter_fields(at):
        if isinstance(part, list):
            _rewrite_list(part, left)


def _rewrite_list(part: list[Any], left: dict[ast.stmt, list[str]]) -> None:
    part[:] = [made for s in part for made in _written(s, left)]


def _written(s: ast.AST, left: dict[ast.stmt, list[str]]) -> list[ast.AST]:
    if not isinstance(s, (ast.For, ast.While)) or s not in left:
        if isinstance(s, (ast.stmt, ast.ExceptHandler, ast.match_case)) and not isinstance(
            s, (ast.FunctionDef, ast.ClassDef)
        ):
            _rewrite(s, left)
        return [s]
    names, endless = left[s], is_endless(s) and "break" not in jumps(s.body)
    first: dict[str, ast.Return] = {}
    s.body = _inside(s.body, names, first)
    _rewrite_list(s.orelse, left)
    behind: list[ast.AST] = [
        if_(_WAY, ast.Eq(), names.index(n) + 1, [r], [], r) for n, r in first.items()
    ]
    if endless:  # the last one needs no test
        behind[-1] = list(first.values())[-1]
    return [assign(_WAY, known(0, s), s), s, *behind]


def _inside(
    stmts: list[ast.stmt], names: list[str], first: dict[str, ast.Return]
) -> list[ast.stmt]:
    """Return statements of a loop with jumps in the place of ``return n``; ``first`` gets the first
    ``return`` of each name."""
    made: list[ast.stmt] = []
    for s in stmts:
        match s:
            case ast.Return(ast.Name(name)) if name in names:
                first.setdefault(name, s)
                made += [assign(_WAY, known(names.index(name) + 1, s), s), break_(s)]
            case ast.FunctionDef() | ast.ClassDef():
                made.append(s)
            case _:
                left = isinstance(s, (ast.For, ast.While)) and not _given(s).isdisjoint(names)
                for block in _blocks(s):
                    block[:] = _inside(block, names, first)
                leave = [if_(_WAY, ast.NotEq(), 0, [break_(s)], [], s)] if left else []
                made += [s, *leave]
    return made


def _blocks(s: ast.stmt) -> list[list[ast.stmt]]:
    """Return the lists of statements right below a statement."""
    parts = [s, *getattr(s, "handlers", ()), *getattr(s, "cases", ())]
    fields = [getattr(p, f, None) for p in parts for f in ("body", "orelse", "finalbody")]
    return [b for b in fields if isinstance(b, list)]


def _given(s: ast.stmt) -> set[str]:
    """Return the names that ``return n`` in a statement gives."""
    own = [n.value for n in own_nodes(s) if isinstance(n, ast.Return)]
    return {n.id for n in own if isinstance(n, ast.Name)}


__all__ = ["returned_behind"]
