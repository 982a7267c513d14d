"""The attributes that ``__init__`` gives whatever happens, before anybody may read them."""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Sequence
from typing import Any, TypeGuard

from pullback.errors import PullbackError
from pullback.frontend.python.container_bases import is_hidden
from pullback.frontend.python.object_classes import is_written
from pullback.frontend.python.source import definition_of
from pullback.frontend.python.syntax import parameters
from pullback.frontend.python.texts import FunctionNode


def initialised(bases: Sequence[type]) -> tuple[frozenset[str], bool]:
    """Return the fields that the ``__init__`` of the first of ``bases`` that has one always sets,
    and whether somebody may have seen the object before it is done."""
    if any(is_written(c, "__setattr__") for c in bases):
        return frozenset(), True
    held = {n for c in bases for n in vars(c) if is_hidden(n)}
    owner = next((c for c in bases if "__init__" in vars(c)), object)
    init: Any = vars(owner)["__init__"]
    if dataclasses.is_dataclass(owner) and init.__code__.co_filename == "<string>":
        after = hasattr(owner, "__post_init__")
        return frozenset(f.name for f in dataclasses.fields(owner) if f.init), after
    if isinstance(init, types.FunctionType):
        try:
            node = definition_of(init).node
        except PullbackError:
            return frozenset(), True
        rest = bases[bases.index(owner) + 1 :]
        return _set_in(node, initialised(rest) if _calls_super(node) else None, held)
    return frozenset(), owner is not object


def _set_in(
    node: FunctionNode, above: tuple[frozenset[str], bool] | None, found: set[str]
) -> tuple[frozenset[str], bool]:
    """Return the same of a function; ``found``: the fields that the object has before."""
    names = parameters(node)
    if isinstance(node, ast.Lambda) or not names:
        return frozenset(), True
    me = names[0]
    for s in node.body:
        if above is not None and is_super_init(s):
            found |= above[0]
            if above[1]:
                return frozenset(found), True
            continue
        s = _assignment(s, me)
        targets = [t for t in _targets(s) if _is_field(t, me)]
        others = [t for t in _targets(s) if not _is_field(t, me)]
        looked: list[ast.AST | None] = [s]
        if targets and isinstance(s, (ast.Assign, ast.AnnAssign)):
            looked = [*others, s.value]
        set_here = {t.attr for t in targets if isinstance(t, ast.Attribute)}
        if any(_sees(part, me, found) for part in looked if part is not None):
            itself = isinstance(s, ast.Assign) and isinstance(s.value, ast.Name)
            return frozenset(found | set_here if itself else found), True
        found |= set_here
    return frozenset(found), False


def _calls_super(node: FunctionNode) -> bool:
    return not isinstance(node, ast.Lambda) and any(map(is_super_init, node.body))


def is_super_init(s: ast.stmt) -> bool:
    """Whether a statement calls ``super().__init__``."""
    match s:
        case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name("super"), by, []), "__init__"))):
            return len(by) in (0, 2)
        case _:
            return False


def _assignment(s: ast.stmt, me: str) -> ast.stmt:
    """Return ``object.__setattr__(me, "name", v)`` as an assignment, anything else as it is."""
    match s:
        case ast.Expr(ast.Call(
            ast.Attribute(ast.Name("object"), "__setattr__"),
            [ast.Name(obj), ast.Constant(str(name)), value], [],
        )) if obj == me:  # fmt: skip
            return ast.Assign([ast.Attribute(ast.Name(me, ast.Load()), name, ast.Store())], value)
        case _:
            return s


def _targets(s: ast.stmt) -> list[ast.expr]:
    match s:
        case ast.Assign([ast.Tuple(elts) | ast.List(elts)]):
            return elts
        case ast.Assign(targets):
            return targets
        case ast.AnnAssign(target, value=ast.expr()):
            return [target]
        case _:
            return []


def _is_field(e: ast.AST, me: str) -> TypeGuard[ast.Attribute]:
    return isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) and e.value.id == me


def _sees(part: ast.AST, me: str, known: set[str]) -> bool:
    """Whether code looks at the object itself, at a field that it may not have yet, or ends the
    function."""
    nodes = list(ast.walk(part))
    fields = [n for n in nodes if _is_field(n, me)]
    updated = {id(n.target) for n in nodes if isinstance(n, ast.AugAssign)}
    reads = {n.attr for n in fields if isinstance(n.ctx, ast.Load) or id(n) in updated}
    inside = {id(n.value) for n in fields}
    bare = any(isinstance(n, ast.Name) and n.id == me and id(n) not in inside for n in nodes)
    return bare or any(isinstance(n, ast.Return) for n in nodes) or not reads <= known


__all__ = ["initialised", "is_super_init"]
