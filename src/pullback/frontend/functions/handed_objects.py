"""Where a function may hand on its object: more than look at its attributes.

What a frozen object is while ``__post_init__`` still gives it fields, nobody else may keep: it
would be the object without the later fields.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import types
from collections.abc import Iterator, Sequence

from pullback.errors import PullbackError
from pullback.frontend.functions.constructors import initialised, with_field
from pullback.frontend.python.source import Definition, definition_of

_READING: tuple[object, ...] = (
    isinstance, type, getattr, hasattr, dataclasses.fields, dataclasses.asdict, dataclasses.astuple,
)  # fmt: skip
"""What keeps nothing of its argument."""


@dataclasses.dataclass(frozen=True)
class Place:
    """Where an object is handed on: in which function, and if it is the one that was asked about,
    at which place."""

    function: str
    node: ast.AST | None


def handed_on(cls: type, form: Definition, at_the_end: bool) -> Place | None:
    """The first place where a form of ``__post_init__`` (``constructors.py``) hands on its object;
    ``at_the_end``: it may, when all fields have been given."""
    assert not isinstance(form.node, ast.Lambda)
    body = form.node.body
    if at_the_end:
        gives = [k for k, s in enumerate(body) if any(map(_is_giving, ast.walk(s)))]
        body = body[: gives[-1] + 1] if gives else []
    return _Search(cls).function(form, body, True)


class _Search:
    """A search through a function and the methods that it calls."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.seen: set[object] = set()
        methods = (vars(c).get("__post_init__") for c in cls.__mro__)
        known = (f.__code__ for f in methods if isinstance(f, types.FunctionType))
        self.tried = any(code.co_exceptiontable for code in known)
        """Whether an exception, and what it has, can come back to such a function."""

    def function(
        self, definition: Definition, body: list[ast.stmt], is_form: bool
    ) -> Place | None:
        args = definition.node.args
        parameters = [*args.posonlyargs, *args.args]
        if not parameters:
            return Place(definition.qualname, None)
        name = parameters[0].arg
        for s in body:
            if is_form and isinstance(s, ast.Return):
                continue
            for place in self.whole(s, name, definition, is_form):
                return Place(definition.qualname, place)
        for method in self.methods(body, name):
            if method not in self.seen:
                self.seen.add(method)
                found = self.method(method)
                if found is not None:
                    return found
        return None

    def method(self, method: object) -> Place | None:
        if not isinstance(method, types.FunctionType):
            return Place(type(method).__name__, None)
        try:
            definition = definition_of(method)
        except PullbackError:
            return Place(method.__qualname__, None)
        found = self.function(definition, definition.body, False)
        return found and Place(found.function, None)

    def methods(self, body: list[ast.stmt], name: str) -> Iterator[object]:
        """The functions that are run where the attributes of the object are read."""
        names: set[str] = set()
        for n in (n for s in body for n in ast.walk(s)):
            match n:
                case ast.Attribute(ast.Name(obj), attribute) if obj == name:
                    names.add(attribute)
                case ast.Attribute(ast.Call(ast.Name("super")), attribute):
                    names.add(attribute)
                case ast.Call(_, [ast.Name(obj), ast.Constant(str(attribute)), *_]) if obj == name:
                    names.add(attribute)
                case ast.Call(ast.Name("isinstance")):
                    pass
                case ast.Call(_, [ast.Name(obj), _, *_]) if obj == name and not _is_giving(n):
                    names.update(k for c in self.cls.__mro__[:-1] for k in vars(c) if k[:2] != "__")
        for base in self.cls.__mro__[:-1]:
            for known in sorted(names - {"__post_init__"}):
                match vars(base).get(known):
                    case property(fget=getter):
                        yield getter
                    case types.FunctionType() as f if not f.__code__.co_filename.startswith("<"):
                        yield f
                    case functools.partialmethod() | functools.singledispatchmethod() as other:
                        yield other
                    case other if hasattr(vars(type(other)).get("__get__"), "__code__"):
                        yield other

    def whole(
        self, node: ast.AST, name: str, definition: Definition, is_form: bool
    ) -> Iterator[ast.AST]:
        """The places where the object itself is used."""
        skipped: Sequence[ast.AST] = ()
        match node:
            case ast.Attribute(ast.Name(n), ctx=ast.Load()) if n == name:
                return
            case ast.Raise() if not self.tried:
                return
            case ast.Return(ast.Name()) if is_form:
                return
            case ast.Name(n, ast.Load()) if n == name:
                yield node
            case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                inside = (n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name)
                yield from inside
                return
            case ast.Call(args=[ast.Name(n), *_]) if n == name and _reads(node.func, definition):
                skipped = node.args[:1]
            case ast.Call() if _is_giving(node):
                skipped = [a for a in node.args if isinstance(a, ast.Name) and a.id == name]
        for child in ast.iter_child_nodes(node):
            if child not in skipped:
                yield from self.whole(child, name, definition, is_form)


def _is_giving(node: ast.AST) -> bool:
    """Whether this is a call that gives a field, in a form."""
    match node:
        case ast.Call(ast.Constant(f)):
            giving: tuple[object, ...] = with_field, initialised
            return f in giving
        case _:
            return False


def _reads(function: ast.expr, definition: Definition) -> bool:
    """Whether this function, by a name of the module, only looks at its argument."""
    match function:
        case ast.Name(name):
            meant = definition.globals.get(name, getattr(builtins, name, None))
        case ast.Attribute(ast.Name(module), name) if definition.globals.get(module) is dataclasses:
            meant = getattr(dataclasses, name, None)
        case _:
            return False
    stored = (n for n in ast.walk(definition.node) if isinstance(n, (ast.Name, ast.arg)))
    own = {n.arg if isinstance(n, ast.arg) else n.id for n in stored if not _is_loaded(n)}
    return any(meant is f for f in _READING) and name not in own


def _is_loaded(node: ast.Name | ast.arg) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


__all__ = ["Place", "handed_on"]
