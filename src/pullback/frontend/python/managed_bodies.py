"""Functions in a function that a generator under ``contextmanager`` decorates: its ``with`` stands
around their body.

    @tracing("f", k)                    def f(x, *, _1=k):
    def f(x):                               with tracing("f", _1):
        return x * x                            return x * x
"""

from __future__ import annotations

import ast
import contextlib
import copy

from pullback.frontend.python.contexts import Names, generator_of
from pullback.frontend.python.syntax import is_generator, own_nodes
from pullback.frontend.python.texts import FunctionNode


def with_managers(node: FunctionNode, names: Names) -> FunctionNode:
    """Return a function in which such decorators are statements: itself if it has none."""
    inside = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n is not node]
    if not any(isinstance(d, ast.Call) for f in inside for d in f.decorator_list):
        return node
    made = copy.deepcopy(node)
    _rewrite(made, names)
    return made


def _rewrite(node: FunctionNode, around: Names) -> None:
    names = around.inside(node)
    body = node.body if isinstance(node.body, list) else []
    for f in [n for s in body for n in own_nodes(s)]:
        if not isinstance(f, ast.FunctionDef):
            continue
        while f.decorator_list and not is_generator(f):
            call = f.decorator_list[-1]
            if not isinstance(call, ast.Call) or not _makes_manager(names, call):
                break
            f.decorator_list.pop()
            _surround(f, call)
        _rewrite(f, names)


def _makes_manager(names: Names, call: ast.Call) -> bool:
    """Whether a call makes a manager of a generator, of arguments one by one."""
    if any(isinstance(a, ast.Starred) for a in call.args) or None in [k.arg for k in call.keywords]:
        return False
    if generator_of(names.value(call.func)) is not None:
        return True
    function = call.func
    return isinstance(function, ast.Name) and any(
        isinstance(n, ast.FunctionDef) and n.name == function.id
        and [names.value(d) for d in n.decorator_list] == [contextlib.contextmanager]
        for f in names.around if isinstance(f.body, list) for s in f.body for n in own_nodes(s)
    )


def _surround(f: ast.FunctionDef, call: ast.Call) -> None:
    """Put ``with call`` around the body of a function; what it is given is a default."""

    def held(value: ast.expr) -> ast.expr:
        if isinstance(value, ast.Constant):
            return value
        name = f".managed.{len(f.args.kwonlyargs)}"
        f.args.kwonlyargs.append(ast.copy_location(ast.arg(name), value))
        f.args.kw_defaults.append(value)
        return ast.copy_location(ast.Name(name, ast.Load()), value)

    args = [held(a) for a in call.args]
    keywords = [ast.keyword(k.arg, held(k.value)) for k in call.keywords]
    manager = ast.copy_location(ast.Call(call.func, args, keywords), call)
    whole = ast.copy_location(ast.With([ast.withitem(manager, None)], f.body), call)
    f.body = [ast.fix_missing_locations(whole)]


__all__ = ["with_managers"]
