"""Attributes of functions that are defined inside of a function, as variables beside them.

    def w(v):                        def w(v):
        w.calls += 1                     nonlocal w.calls
        return f(v)                      w.calls += 1
    w.calls = 0                          return f(v)
                                     w.calls = 0

Each run of the outer function makes one ``w``, if its ``def`` is a statement of the body and
nothing else binds the name. So an attribute of it that the outer function assigns is a variable of
the outer function. Whoever knows the function by another name, as an argument or a result, finds no
attribute, and is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def with_variables(node: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef | ast.Lambda:
    """Replace such attributes in the tree of a function, which is changed."""
    if any(isinstance(n, ast.Attribute) and _is_assigned(n) for n in ast.walk(node)):
        for scope in [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)]:
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


def _replace(scope: ast.FunctionDef, inner: ast.FunctionDef) -> None:
    """Make the attributes of one inner function variables of the function around it."""
    name = inner.name
    found = [n for n in ast.walk(scope) if isinstance(n, ast.Attribute) and _is_of(n, name)]
    assigned = {n.attr for n in _inside(scope) if n in found and _is_assigned(n)}
    in_class = any(_is_assigned(n) for c in ast.walk(scope) if isinstance(c, ast.ClassDef)
                   for n in ast.walk(c) if n in found)  # fmt: skip
    once = sum(k == name for k in _bound(scope)) == 1
    if not assigned or inner.decorator_list or in_class or not once:
        return
    for function in [n for n in ast.walk(scope) if isinstance(n, _Function) and n is not scope]:
        stored = {n.attr for n in _inside(function) if n in found and _is_assigned(n)}
        own = {f"{name}.{attribute}" for attribute in stored & assigned}
        if own:
            stated = ast.copy_location(ast.Nonlocal(sorted(own)), function.body[0])
            function.body.insert(_is_text(function.body[0]), stated)
    _Variables(name, assigned).visit(scope)


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


def _bound(scope: ast.FunctionDef) -> Iterator[str]:
    """Iterate over what is bound in a function and in those inside of it, once for each place."""
    for n in ast.walk(scope):
        match n:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if n is not scope:
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name


class _Variables(ast.NodeTransformer):
    def __init__(self, name: str, attributes: set[str]) -> None:
        self.name, self.attributes = name, attributes

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if _is_of(node, self.name) and node.attr in self.attributes:
            return ast.copy_location(ast.Name(f"{self.name}.{node.attr}", node.ctx), node)
        self.generic_visit(node)
        return node


__all__ = ["attribute_of", "with_variables"]
