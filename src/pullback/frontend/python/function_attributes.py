"""Attributes of functions that are defined inside of a function, as variables beside them.

    def w(v):                        def w(v):
        w.calls += 1                     nonlocal w.calls
        return f(v)                      w.calls += 1
    w.calls = 0                          return f(v)
                                     w.calls = 0

Each run of the outer function makes one ``w``, if its ``def`` is a statement of the body and
nothing else binds the name. So an attribute of it that the outer function or one inside of it
assigns is a variable of the outer function. Whoever knows the function by another name (what a
decorator has made of it, an argument, a result) reads and assigns this variable by a function that
is where ``w`` is (``reader``, ``writer``).

A ``def`` inside of a loop or another block makes many functions. What it is given behind it, and
nowhere else, is a default of a keyword that nobody can pass, which each of them keeps:

    for k in ks:                     for k in ks:
        def e(t, y, k=k): ...            def e(t, y, k=k, *, e.terminal=True): ...
        e.terminal = True                events.append(e)
        events.append(e)

A name that is given a ``lambda`` with attributes is defined.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeVar

from pullback.frontend.python.memo import by_node
from pullback.frontend.python.syntax import own_nodes

T = TypeVar("T", bound=ast.AST)
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_OWN = (*_Function, ast.ClassDef)
_PARTS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def with_variables(node: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef | ast.Lambda:
    """Replace such attributes in the tree of a function, which is changed."""
    if any(isinstance(n, ast.Attribute) and _is_assigned(n) for n in ast.walk(node)):
        for scope in [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)]:
            for block in list(_blocks(scope)):
                _define(scope, block)
                if block is not scope.body:
                    _keep(scope, block)
            for inner in [s for s in scope.body if isinstance(s, ast.FunctionDef)]:
                _replace(scope, inner)
    return node


def attribute_of(name: str) -> str:
    """Return the attribute that a variable stands for; an empty string if it is none.

    >>> attribute_of("w.calls"), attribute_of("calls"), attribute_of(".raised.1")
    ('calls', '', '')
    """
    function, _, attribute = name.partition(".")
    return attribute if function.isidentifier() and attribute.isidentifier() else ""


def _is_assigned(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Store)


def _blocks(scope: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """Iterate over the lists of statements of a function, but for those in functions and classes
    inside of it."""
    todo: list[ast.AST] = [scope]
    while todo:
        n = todo.pop()
        for _, part in ast.iter_fields(n):
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                yield part
            inside = part if isinstance(part, list) else [part]
            todo += [p for p in inside if isinstance(p, _PARTS) and not isinstance(p, _OWN)]


def _define(scope: ast.FunctionDef, block: list[ast.stmt]) -> None:
    """Write ``def f(v): return e`` for ``f = lambda v: e``, where attributes of f are assigned."""
    for k, s in enumerate(block):
        match s:
            case ast.Assign([ast.Name(name)], ast.Lambda(args, body)) if (
                any(_is_of(n, name) for n in _inside(scope) if _is_assigned(n))
                and _is_bound_once(scope, name)
            ):
                done = ast.copy_location(ast.Return(body), body)
                made = ast.FunctionDef(name, args, [done], [], None, None)
                block[k] = ast.copy_location(made, s)
            case _:
                pass


def _keep(scope: ast.FunctionDef, block: list[ast.stmt]) -> None:
    """Make the attributes of functions that a block defines defaults of keywords."""
    for k, inner in enumerate(block):
        if not isinstance(inner, ast.FunctionDef) or inner.decorator_list:
            continue
        name, given = inner.name, dict[str, ast.expr]()
        for s in block[k + 1 :]:
            match s:
                case ast.Assign([ast.Attribute(ast.Name(of), attribute)], value) if (
                    of == name and attribute not in given and _is_plain(value, name)
                ):
                    given[attribute] = value
                case _:
                    break
        seen = (n for n in _seeing(scope, name) if isinstance(n, ast.Attribute))
        found = [n for n in seen if _is_of(n, name)]
        by_itself = any(n in found for n in ast.walk(inner))
        if sum(map(_is_assigned, found)) > len(given) or by_itself or not given:
            continue
        if not _is_bound_once(scope, name):
            continue
        inner.args.kwonlyargs += [_at(ast.arg(f"{name}.{a}"), inner) for a in given]
        inner.args.kw_defaults += given.values()
        del block[k + 1 : k + 1 + len(given)]


def _is_plain(value: ast.expr, name: str) -> bool:
    """Whether a value can be evaluated earlier: it raises nothing, and is not the function."""
    names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    plain = (ast.Constant, ast.Name, ast.UnaryOp, ast.unaryop, ast.expr_context)
    return name not in names and all(isinstance(n, plain) for n in ast.walk(value))


def _replace(scope: ast.FunctionDef, inner: ast.FunctionDef) -> None:
    """Make the attributes of one inner function variables of the function around it."""
    name = inner.name
    if not all(map(_keeps_function, inner.decorator_list)) or not _is_bound_once(scope, name):
        return
    at = scope.body.index(inner)
    found = [n for n in _seeing(scope, name) if isinstance(n, ast.Attribute) and _is_of(n, name)]
    assigned = {n.attr for n in found if _is_assigned(n)}
    in_class = any(_is_assigned(n) for c in ast.walk(scope) if isinstance(c, ast.ClassDef)
                   for n in ast.walk(c) if n in found)  # fmt: skip
    if inner.decorator_list:  # it begins with the attributes of the function that it wraps
        given_behind = {n.attr for n in _given(scope.body[at + 1 :]) if n in found}
        assigned &= given_behind
    if not assigned or in_class:
        return
    here = {n.attr for n in _inside(scope) if n in found and _is_assigned(n)}
    for attribute in sorted(assigned - here):  # a variable of this function, without a value yet
        target = _variable(name, attribute, ast.Store())
        given = ast.Assign([target], ast.Constant(None))
        taken = ast.Delete([_variable(name, attribute, ast.Del())])
        scope.body[at:at] = [_at(given, inner), _at(taken, inner)]
    used = {n.attr for n in ast.walk(inner) if n in found}
    unused: list[ast.expr] = [_variable(name, a, ast.Load()) for a in sorted(assigned - used)]
    if unused:  # the function has them, wherever it goes
        none = ast.arguments([], [], None, [], [], None, [])
        kept = ast.Expr(ast.Lambda(none, ast.Tuple(unused, ast.Load())))
        inner.body.insert(_is_text(inner.body[0]), _at(kept, inner.body[0]))
    for function in [n for n in ast.walk(scope) if isinstance(n, _Function) and n is not scope]:
        stored = {n.attr for n in _inside(function) if n in found and _is_assigned(n)}
        own = {f"{name}.{attribute}" for attribute in stored & assigned}
        if own:
            stated = ast.copy_location(ast.Nonlocal(sorted(own)), function.body[0])
            function.body.insert(_is_text(function.body[0]), stated)
    _Variables(name, assigned, found).visit(scope)


def _given(body: list[ast.stmt]) -> Iterator[ast.Attribute]:
    """Iterate over the attributes that are assigned by statements of a body, on every path."""
    for s in body:
        if isinstance(s, ast.Assign):
            yield from (n for t in s.targets for n in ast.walk(t) if isinstance(n, ast.Attribute))


def _is_bound_once(scope: ast.FunctionDef, name: str) -> bool:
    """Whether a name is bound by one statement of a function, and by nothing inside of it."""
    inside = [n for n in _seeing(scope, name) if n is not scope]
    anew = any(isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names for n in inside)
    return not anew and sum(k == name for k in _bound(scope, inside)) == 1


def _seeing(scope: ast.FunctionDef, name: str) -> Iterator[ast.AST]:
    """Iterate over the nodes of a function, but for those in functions that have a variable of
    their own under a name."""
    todo: list[ast.AST] = [scope]
    while todo:
        n = todo.pop()
        yield n
        todo += ast.iter_child_nodes(n)
        if isinstance(n, (*_Function, ast.Lambda)) and n is not scope and _has_own(n, name):
            inside = n.body if isinstance(n.body, list) else [n.body]
            todo = [part for part in todo if part not in inside and part is not n.args]
            todo += [*n.args.defaults, *(d for d in n.args.kw_defaults if d is not None)]


def _has_own(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> bool:
    """Whether a name is a variable of a function inside."""
    if isinstance(function, ast.Lambda):
        return name in _parameters(function)
    own = [n for s in function.body for n in own_nodes(s)]
    outside = any(isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names for n in own)
    return not outside and name in [*_parameters(function), *_bound(function, own)]


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[str]:
    return [n.arg for n in ast.walk(function.args) if isinstance(n, ast.arg)]


def _at(made: T, place: ast.AST) -> T:
    for n in ast.walk(made):
        ast.copy_location(n, place)
    return made


def _variable(function: str, attribute: str, context: ast.expr_context) -> ast.Name:
    return ast.Name(f"{function}.{attribute}", context)


def _keeps_function(decorator: ast.expr) -> bool:
    """Whether a decorator gives the function that it gets: ``functools.wraps(f)``."""
    match decorator:
        case ast.Call(ast.Name("wraps") | ast.Attribute(_, "wraps")):
            return True
        case _:
            return False


@by_node
def reader(node: ast.FunctionDef, attribute: str) -> ast.Lambda:
    """Return a function beside another one that gives an attribute of that."""
    none = ast.arguments([], [], None, [], [], None, [])
    made = ast.Lambda(none, _variable(node.name, attribute, ast.Load()))
    for n in ast.walk(made):
        ast.copy_location(n, node)
    return made


@by_node
def writer(node: ast.FunctionDef, attribute: str) -> ast.FunctionDef:
    """Return a function beside another one that assigns an attribute of that."""
    given = ast.arguments([], [ast.arg("value")], None, [], [], None, [])
    stated = ast.Nonlocal([f"{node.name}.{attribute}"])
    target = _variable(node.name, attribute, ast.Store())
    body: list[ast.stmt] = [stated, ast.Assign([target], ast.Name("value", ast.Load()))]
    made = ast.FunctionDef("assign", given, body, [], None, None)
    _at(made, node)
    return made


def _is_of(node: ast.Attribute, name: str) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == name


def _is_text(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(ast.Constant(str())):
            return True
        case _:
            return False


def _inside(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Attribute]:
    """Iterate over the attributes in a function, but for those in functions inside of it."""
    todo: list[ast.AST] = [*function.body]
    while todo:
        n = todo.pop()
        if isinstance(n, ast.Attribute):
            yield n
        if not isinstance(n, _Function):
            todo += ast.iter_child_nodes(n)


def _bound(scope: ast.AST, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Iterate over what is bound by nodes of a function, once for each place."""
    for n in nodes:
        match n:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if n is not scope:
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name


class _Variables(ast.NodeTransformer):
    def __init__(self, name: str, attributes: set[str], found: list[ast.Attribute]) -> None:
        self.name, self.attributes, self.found = name, attributes, set(found)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node in self.found and node.attr in self.attributes:
            return ast.copy_location(ast.Name(f"{self.name}.{node.attr}", node.ctx), node)
        self.generic_visit(node)
        return node


__all__ = ["attribute_of", "reader", "with_variables", "writer"]
