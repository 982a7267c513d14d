"""Classes in functions whose methods use variables of the functions around them.

Python's methods are functions of the scope around the class, and so they are here: the class is a
function that makes objects, which has its methods, and gives each object those that it needs under
hidden names.

    def f(k):                          def f(k):
        class Scale:                       def .apply(self, v): return v * k
            def apply(self, v):            Scale = a constructor with .apply
                return v * k
        s = Scale()                        s = an object with the attribute .apply
        return s.apply(2.0)                return s..apply(s, 2.0)

A method whose names are all known when the program is compiled stays one of the class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, TypeGuard
from weakref import WeakKeyDictionary, WeakSet

from pullback.frontend.functions.scopes import Scope
from pullback.frontend.kinds.values import FunctionV, RecordV, RefV, Static, SuperV, Value
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.source import Definition, definition_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run

CLASS = ".class"
_MADE: Remembered[Definition] = Remembered()
_CONSTRUCTORS: WeakSet[Definition] = WeakSet()
_CAPTURED: WeakKeyDictionary[type, frozenset[CodeType]] = WeakKeyDictionary()
"""The codes of the methods of a class, and of those above it, that are functions around it."""
_CLASSES: WeakKeyDictionary[Definition, ast.ClassDef] = WeakKeyDictionary()
_STATEMENTS: WeakKeyDictionary[type, ast.ClassDef] = WeakKeyDictionary()


def key_of(code: CodeType) -> str:
    """Return the name under which an object has a method with this code."""
    return f".{code.co_name}.{code.co_firstlineno}"


def codes_using(body: CodeType, names: set[str]) -> frozenset[CodeType]:
    """Return the codes of the functions in the body of a class that use some of these names."""
    inside = (c for c in body.co_consts if isinstance(c, CodeType))
    return frozenset(c for c in inside if names.intersection(c.co_freevars))


def constructor(
    run: Run, s: ast.ClassDef, cls: type, own: frozenset[CodeType], bases: Sequence[FunctionV]
) -> FunctionV:
    """Return a class whose methods of these codes are functions here, as what makes its objects.
    ``bases``: the base classes that are such themselves."""
    assert run.frame.definition is not None
    found: dict[str, Value] = {}
    for base in bases:
        found |= {n: v for n, v in _names(base).items() if n != CLASS}
    codes = set(own)
    for c in cls.__mro__[1:]:
        codes |= _CAPTURED.get(c, frozenset())
    for function in _functions_in(cls):
        if function.__code__ in own:
            made = _as_function(run, function)
            _CLASSES[made.definition] = s
            found[key_of(function.__code__)] = made
    _CAPTURED[cls], _STATEMENTS[cls] = frozenset(codes), s
    return _of_methods(run, s, cls, found)


def _of_methods(
    run: Run, s: ast.ClassDef, cls: type, methods: dict[str, Value]
) -> FunctionV:
    found = {**methods, CLASS: Static(cls)}
    definition = _MADE.of(s, tuple(found), lambda: _definition(run, s, tuple(found)))
    return FunctionV(definition, Scope(found, live=False))


def class_of_object(run: Run, value: RecordV | RefV, cls: type, node: ast.AST) -> Value:
    """Return ``type(value)`` of an object of a class: what makes its objects."""
    if not captures(cls):
        return Static(cls)
    keys = {key_of(code) for code in _CAPTURED[cls]}
    if isinstance(value, RecordV):
        held = {n: v for n, v in value.fields.items() if n in keys}
    else:
        held = {n: run.rows.item(value, n, node) for n in run.rows.group(value).fields if n in keys}
    return _of_methods(run, _STATEMENTS[cls], cls, held)


def _functions_in(cls: type) -> Iterator[FunctionType]:
    """Iterate over the functions that stand in the body of a class."""
    for entry in vars(cls).values():
        parts = [getattr(entry, n, None) for n in ("fget", "fset", "fdel", "__func__", "func")]
        yield from (f for f in (entry, *parts) if isinstance(f, FunctionType))


def _as_function(run: Run, function: FunctionType) -> FunctionV:
    """Return a method as a function of the scope around its class."""
    definition = definition_of(function)
    args = definition.node.args
    keywords = zip((p.arg for p in args.kwonlyargs), args.kw_defaults, strict=True)
    return FunctionV(
        definition, run.scope, tuple(map(run.evaluate, args.defaults)),
        tuple((name, run.evaluate(d)) for name, d in keywords if d is not None),
    )


def _definition(run: Run, s: ast.ClassDef, names: tuple[str, ...]) -> Definition:
    outer = run.frame.definition
    assert outer is not None
    given = ast.arguments([], [], ast.arg("args"), [], [], ast.arg("kwargs"), [])
    held: list[ast.expr] = [ast.Name(n, ast.Load()) for n in names]
    node = ast.copy_location(ast.Lambda(given, ast.Tuple(held, ast.Load())), s)
    ast.fix_missing_locations(node)
    qualname = f"{outer.qualname}.<locals>.{s.name}"
    made = Definition(node, outer.file, s.name, qualname, outer.globals, outer.lines, outer.code)
    _CONSTRUCTORS.add(made)
    return made


def _names(f: FunctionV) -> dict[str, Value]:
    assert isinstance(f.scope, Scope)
    return f.scope.names


def class_of(value: Value) -> Value:
    """Return a class that is such a constructor as the class, and another value as it is."""
    if isinstance(value, FunctionV) and value.definition in _CONSTRUCTORS:
        return _names(value)[CLASS]
    return value


def is_constructor(value: Value) -> TypeGuard[FunctionV]:
    """Whether a value is such a constructor."""
    return isinstance(value, FunctionV) and value.definition in _CONSTRUCTORS


def methods_of(f: FunctionV) -> dict[str, Value]:
    """Return what an object that is made by a constructor gets."""
    return {n: v for n, v in _names(f).items() if n != CLASS}


def captures(cls: type) -> bool:
    """Whether methods of a class use what only the run knows."""
    return bool(_CAPTURED.get(cls))


def method_in(run: Run, value: Value, function: FunctionType, node: ast.AST) -> FunctionV | None:
    """Return the method that is a function around the class, for an object (or a constructor) of
    it; None if this function is none."""
    record = value.record if isinstance(value, SuperV) else value
    classes: list[type] = []
    match record:
        case RecordV(cls):
            classes = [cls]
        case RefV():
            classes = list(run.rows.classes(record))
        case _:
            named = class_of(record)
            if isinstance(named, Static) and isinstance(named.value, type):
                classes = [named.value]
    code, key = function.__code__, key_of(function.__code__)
    if not any(code in _CAPTURED.get(c, ()) for c in classes):
        return None
    found: Value | None = None
    match record:
        case RecordV(_, fields):
            found = fields.get(key)
        case RefV() if key in run.rows.group(record).fields:
            found = run.rows.item(record, key, node)
        case FunctionV():
            found = _names(record).get(key)
        case _:
            pass
    if not isinstance(found, FunctionV):
        run.refuse(
            node, f"the method {function.__name__!r}, which uses variables around its class, of "
            "an object or class that has not got it",
            "make the object by the name of its class",
        )  # fmt: skip
    return found


def class_around(definition: Definition, receiver: type) -> type | None:
    """Return the class in whose statement a method stands, of an object of a class."""
    s = _CLASSES.get(definition)
    return next((c for c in receiver.__mro__ if s is not None and _STATEMENTS.get(c) is s), None)


__all__ = [
    "captures", "class_around", "class_of", "class_of_object", "codes_using", "constructor",
    "is_constructor", "method_in", "methods_of",
]  # fmt: skip
