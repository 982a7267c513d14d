"""Cached functions of modules: ``@cache def binomial(n, k)``, called from a compiled function.

Their dicts are variables around the whole call. So the functions through which a cached one is
reached are closures there: what they read by name is found first in the scope of the call, which
has these functions and the dicts (``python.memoised``). A memo lives for one call.
"""

from __future__ import annotations

import ast
import functools
import inspect
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any

from pullback.core.frozen import dataclass, field
from pullback.frontend.functions.scopes import Path, PyScope, Scope
from pullback.frontend.kinds.values import CALLS, WRITTEN, FunctionV, Value
from pullback.frontend.memory import dicts
from pullback.frontend.python.cached_by_floats import codes, reads_what_stays
from pullback.frontend.python.libraries import is_closed
from pullback.frontend.python.memoised import memo_name, parts, run_name
from pullback.frontend.python.paths import Namespace
from pullback.frontend.python.purity import Effect, Effects
from pullback.frontend.python.source import definition_inside, definition_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MOST = 500
"""How many functions are looked at."""


@dataclass(slots=True, eq=False)
class _Node:
    """A function that can be reached: where it is found, and what it reads by which names."""

    found: object
    function: FunctionType
    path: Path
    reads: dict[str, tuple[object, Path]] = field(default_factory=dict)
    reaches: bool = False


def _function_of(obj: object) -> FunctionType | None:
    """Return the function of the user that an object is, or that it keeps the results of."""
    inner = obj.__wrapped__ if isinstance(obj, functools._lru_cache_wrapper) else obj
    if not isinstance(inner, FunctionType) or inner in CALLS or inner in WRITTEN:
        return None
    if is_closed(inner) or (inner is not obj and not _can_be_written_out(inner, obj)):
        return None
    return inner


def _can_be_written_out(f: FunctionType, cached: Any) -> bool:
    """Whether it makes no difference that what is kept is kept for one call only, and that nothing
    is forgotten."""
    any_number = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    if f.__name__ == "<lambda>" or f.__code__.co_flags & any_number:
        return False
    node = definition_of(f).node
    if Effects(node, f.__globals__).of(node) is Effect.CHANGES:
        return False
    keeps_all = cached.cache_parameters()["maxsize"] is None
    return keeps_all or not isinstance(node, ast.FunctionDef) or (
        reads_what_stays(node, None, f.__globals__)
    )  # fmt: skip


def _reads(f: FunctionType, path: Path) -> dict[str, tuple[object, Path]]:
    found: dict[str, tuple[object, Path]] = {}
    names = Namespace.of(f.__globals__)
    for code in codes(f.__code__):
        for name in code.co_names:
            if name in f.__globals__:
                found[name] = f.__globals__[name], (("global", names, name),)
    for k, (name, cell) in enumerate(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)):
        try:
            found[name] = cell.cell_contents, (*path, ("cell", k))
        except ValueError:
            continue
    return found


def _graph(function: FunctionType) -> dict[int, _Node]:
    """Return the functions that are reached from one, by the numbers of their objects."""
    start: Path = (("function",),)
    found = {id(function): _Node(function, function, start)}
    waiting = list(found.values())
    for node in waiting:
        inside = node.path if node.found is node.function else (
            *node.path, ("attr", "__wrapped__")
        )
        node.reads = _reads(node.function, inside)
        for obj, path in node.reads.values():
            f = _function_of(obj)
            if f is not None and id(obj) not in found and len(found) < _MOST:
                found[id(obj)] = _Node(obj, f, path)
                waiting.append(found[id(obj)])
    return found


def _mark(found: dict[int, _Node]) -> list[_Node]:
    """Return the functions through which a cached one is reached."""
    for node in found.values():
        node.reaches = node.found is not node.function
    changed = True
    while changed:
        changed = False
        for node in found.values():
            if not node.reaches and any(
                id(obj) in found and found[id(obj)].reaches for obj, _ in node.reads.values()
            ):
                node.reaches = changed = True
    return [node for node in found.values() if node.reaches]


def _names(reaching: list[_Node], found: dict[int, _Node]) -> dict[str, tuple[object, Path]] | None:
    """Return the names under which these functions, and what they have captured, are read; None if
    a name means two things."""
    names: dict[str, tuple[object, Path]] = {}
    for node in reaching:
        cells = node.function.__code__.co_freevars
        for name, (obj, path) in node.reads.items():
            function = id(obj) in found and found[id(obj)].reaches
            if function or name in cells:
                names.setdefault(name, (obj, path))
    for node in reaching:
        for name, (obj, _) in node.reads.items():
            if name in names and names[name][0] is not obj:
                return None
    return names


def enter(run: Run, scope: Scope, f: Value, function: FunctionType, node: ast.AST) -> Value:
    """Put what leads to cached functions into the scope of the call; return the function that is
    compiled, as a closure there."""
    found = _graph(function)
    reaching = _mark(found)
    names = _names(reaching, found) if reaching else None
    if not names or not isinstance(f, FunctionV):
        return f
    for name, (obj, path) in names.items():
        known = found.get(id(obj))
        if known is None or not known.reaches:
            scope.names[name] = run.from_python(obj, path, node)
        elif known.found is known.function:
            made = run.from_python(obj, path, node)
            assert isinstance(made, FunctionV)
            scope.names[name] = replace(made, scope=scope)
        else:
            _define(run, scope, name, known, path, node)
    return replace(f, scope=scope) if found[id(function)].reaches else f


def _define(
    run: Run, scope: Scope, name: str, cached: _Node, path: Path, node: ast.AST
) -> None:
    run.from_python(cached.found, path, node)  # it stays the same
    made = run.from_python(cached.function, (*path, ("attr", "__wrapped__")), node)
    assert isinstance(made, FunctionV)
    definition = definition_of(cached.function)
    assert isinstance(definition.node, ast.FunctionDef)
    _, inner, outer = parts(definition.node, definition.globals)
    own = outer.name
    scope.names[memo_name(own)] = dicts.made({})
    scope.names[run_name(own)] = FunctionV(definition_inside(inner, definition), scope)
    scope.names[name] = replace(made, definition=definition_inside(outer, definition), scope=scope)


__all__ = ["PyScope", "enter"]
