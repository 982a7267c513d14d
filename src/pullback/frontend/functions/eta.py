"""Functions without a definition of their own, as functions with one (eta expansion).

    wrapped(f)                lambda *args: f(*args)      f: math.sin, pb.grad(g), partial(g, x)
    of_arity(f, "xy", "k")    lambda x, y, *, k: f(x, y, k=k)      f: any function value

The first lets library functions and operators be among the functions of a lambda set; the second
gives a derivative operator the parameters that it differentiates by. What is wrapped is captured.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Sequence
from functools import partial
from weakref import WeakSet, WeakValueDictionary

from pullback.frontend.functions.scopes import Scope
from pullback.frontend.kinds.kinds import static_kind
from pullback.frontend.kinds.values import FunctionV, OperatorV, Static, Value
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.source import Definition

HELD = "$f"
_DEFINITIONS: WeakValueDictionary[Hashable, Definition] = WeakValueDictionary()
_WRAPPERS: WeakSet[Definition] = WeakSet()
_OF_ARITY = Remembered[Definition]()


def wrapped(value: Static | OperatorV) -> FunctionV:
    """Return a library function or an operator as a function of any number of arguments."""
    key: Hashable
    match value:
        case Static(obj):
            key, name = static_kind(obj).key, str(getattr(obj, "__name__", "function"))
        case OperatorV(name, _, options):
            key = (name, options)
    definition = _DEFINITIONS.get(key)
    if definition is None:
        parameters = ast.arguments([], [], ast.arg("args"), [], [], None, [])
        call = ast.Call(_name(HELD), [ast.Starred(_name("args"), ast.Load())], [])
        node = ast.fix_missing_locations(ast.Lambda(parameters, call))
        definition = _entered(Definition(node, "<library>", name, name, {}))
        _DEFINITIONS[key] = definition
    return FunctionV(definition, Scope({HELD: value}, live=False))


def of_arity(
    value: Value, names: Sequence[str], keywords: Sequence[str], outer: Definition, node: ast.AST
) -> FunctionV:
    """Return ``value`` as a function of these parameters, called at ``node`` in ``outer``."""
    key = tuple(names), tuple(keywords), id(outer.globals)
    caller = partial(_caller, "function", names, keywords, outer, node)
    definition = _OF_ARITY.of(node, key, lambda: _entered(caller()))
    return FunctionV(definition, Scope({HELD: value}, live=False))


def applier(count: int, keywords: Sequence[str], outer: Definition, node: ast.AST) -> Definition:
    """Return ``def apply($f, a0, ..., *, k): return $f(a0, ..., k=k)``."""
    names = [f"a{k}" for k in range(count)]
    return _caller("apply", names, keywords, outer, node, (HELD,))


def inside(f: FunctionV) -> Value | None:
    """Return the value that a function wraps; None if it is no wrapper."""
    if f.definition not in _WRAPPERS:
        return None
    assert isinstance(f.scope, Scope)
    return f.scope.names[HELD]


def _entered(definition: Definition) -> Definition:
    _WRAPPERS.add(definition)
    return definition


def _caller(
    name: str,
    names: Sequence[str],
    keywords: Sequence[str],
    outer: Definition,
    node: ast.AST,
    first: Sequence[str] = (),
) -> Definition:
    parameters = ast.arguments(
        [],
        [ast.arg(n) for n in (*first, *names)],
        None,
        [ast.arg(n) for n in keywords],
        [None] * len(keywords),
        None,
        [],
    )
    call = ast.Call(
        _name(HELD), [_name(n) for n in names], [ast.keyword(n, _name(n)) for n in keywords]
    )
    made = ast.Lambda(parameters, call)
    for inner in ast.walk(made):
        if isinstance(inner, (ast.expr, ast.arg, ast.keyword)):
            ast.copy_location(inner, node)
    return Definition(made, outer.file, name, name, outer.globals, outer.lines, outer.code)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


__all__ = ["HELD", "applier", "inside", "of_arity", "wrapped"]
