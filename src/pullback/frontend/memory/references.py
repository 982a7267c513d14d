"""Functions that hold an object by reference: ``out.append``, ``rows[i].pop``, ``partial(f, h)``.

In Python such a function has the object itself. Here an object is what a variable holds, so the
function is one that reads the variable, and captures it:

    push = out.append          push = lambda *args: out.append(*args)
    pop = rows[i].pop          pop = lambda *args, i=i: rows[i].pop(*args)
    put = partial(push, h)     put = lambda *args, f=push: f(h, *args)
    def f(v, h=h): ...         h = lambda: h, called where f is called without it

What such a lambda does is what any function does that changes variables around it. In one thing it
differs: it means the object, not the variable. So if the variable is bound anew, or the part is
moved, names for the function may not be used any more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from pullback.core.frozen import dataclass
from pullback.errors import MutationError
from pullback.frontend.functions.scopes import Scope, chain, function_scope, shown
from pullback.frontend.kinds.flatten import functions_in, parts_of
from pullback.frontend.kinds.values import (
    CellV,
    Driven,
    FunctionV,
    GeneratorV,
    PlaceV,
    RecordV,
    Stale,
    Value,
)
from pullback.frontend.memory import holding, places
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.object_classes import changes
from pullback.frontend.python.source import Definition

if TYPE_CHECKING:
    from pullback.frontend.memory.places import Moved
    from pullback.frontend.run import Run


@dataclass(frozen=True)
class Path:
    """How an object is found: a variable, and the steps from there: names of fields, or those of
    parameters that have an index (``is_field`` is False)."""

    root: str
    steps: tuple[tuple[bool, str], ...]


@dataclass(frozen=True)
class Reference:
    """What a function of this sort does: it calls the method of an object, or (``method`` is empty)
    its parameter FUNCTION with objects and ordinary values as first arguments; without that
    (``is_object``) it gives the object. ``bound``: it is a method of a class, with the object."""

    method: str
    paths: tuple[Path | str, ...]
    is_object: bool = False
    bound: bool = False


FUNCTION = "$f"

_REFERENCES: WeakKeyDictionary[Definition, Reference] = WeakKeyDictionary()
_MADE = Remembered[Definition]()


def made(
    run: Run, method: str, function: Value | None, values: Sequence[Value], node: ast.AST,
    bound: bool = False,
) -> FunctionV:  # fmt: skip
    """Return the function that calls a method of the first value, or ``function`` with these
    values in front, or (without both) gives the value; those of them that are in variables are
    meant by reference."""
    is_object = function is None and not method
    held: dict[str, Value] = {} if function is None else {FUNCTION: function}
    paths: list[Path | str] = []
    for k, value in enumerate(values):
        place = place_of(run, value)
        if place is None and (is_object or holding.is_update(value, method)):
            place = _with_a_name(run, value)
        if place is None:
            paths.append(f"${k}")
            held[f"${k}"] = value
            continue
        _check_bound_once(run, place, node)
        steps: list[tuple[bool, str]] = []
        for j, step in enumerate(places.as_steps(places.from_start(run, place))):
            name = step if isinstance(step, str) else f"${k}.{j}"
            steps.append((isinstance(step, str), name))
            if not isinstance(step, str):
                held[name] = step
        paths.append(Path(place.root, tuple(steps)))
    what = Reference(method, tuple(paths), is_object, bound)
    outer = run.frame.definition
    assert outer is not None
    key = what, tuple(held), id(outer.globals)
    definition = _MADE.of(node, key, lambda: _definition(what, list(held), outer, node))
    _REFERENCES[definition] = what
    return FunctionV(definition, function_scope(run.scope), (), tuple(held.items()))


def place_of(run: Run, value: Value) -> PlaceV | None:
    """Return where a value is that can be updated; None: it is in no variable of the function."""
    place = run.frame.places.get(value)
    if place is None or place.scope is not function_scope(run.scope):
        return None
    return place if place.scope.names.get(place.root) is place.of else None


def _with_a_name(run: Run, value: Value) -> PlaceV:
    """Bind a value that is in no variable to one whose name no program can have."""
    scope, k = function_scope(run.scope), 1
    while f"the object@{k}" in scope.names:
        k += 1
    name = f"the object@{k}"
    scope.names[name] = value
    scope.borrowed.add(name)
    return PlaceV(scope, name, (), value, value)


def of_method(run: Run, f: Value, node: ast.AST) -> Value:
    """Return a method of an object that was made here with the object by reference."""
    match f:
        case FunctionV(bound=(RecordV(cls) as obj,)) if changes(cls) and obj.fresh:
            if place_of(run, obj) is not None:
                return made(run, "", replace(f, bound=()), (obj,), node, bound=True)
            return f
        case _:
            return f


def _check_bound_once(run: Run, place: PlaceV, node: ast.AST) -> None:
    name, spec = place.root, run.frame.spec
    cells = {} if spec is None else spec.cells
    if name in place.scope.rebound or (name in cells and name in cells[name].scope.rebound):
        run.refuse(
            node,
            f"a function that holds what {shown(name)!r} is, which functions around it bind anew",
            f"write a lambda if the variable is meant: lambda v: {shown(name)}.append(v)",
            error=MutationError,
        )


def _definition(
    what: Reference, names: Sequence[str], outer: Definition, node: ast.AST
) -> Definition:
    objects = [_written(p) for p in what.paths]
    if what.is_object:
        return _lambda(None, names, objects[0], outer, node, "default")
    function: ast.expr = ast.Name(FUNCTION, ast.Load())
    if what.method:
        function = ast.Attribute(objects.pop(), what.method, ast.Load())
    rest = ast.Starred(ast.Name("args", ast.Load()), ast.Load())
    call = ast.Call(function, [*objects, rest], [])
    return _lambda(ast.arg("args"), names, call, outer, node, what.method or "partial")


def _lambda(
    rest: ast.arg | None, names: Sequence[str], body: ast.expr, outer: Definition, node: ast.AST,
    name: str,
) -> Definition:  # fmt: skip
    parameters = ast.arguments(
        [], [], rest, [ast.arg(n) for n in names], [None] * len(names), None, []
    )
    written = ast.Lambda(parameters, body)
    for inner in ast.walk(written):
        if isinstance(inner, (ast.expr, ast.arg)):
            ast.copy_location(inner, node)
    return Definition(written, outer.file, name, name, outer.globals, outer.lines, outer.code)


def _written(path: Path | str) -> ast.expr:
    """The expression that finds an object."""
    if isinstance(path, str):
        return ast.Name(path, ast.Load())
    found: ast.expr = ast.Name(path.root, ast.Load())
    for is_field, name in path.steps:
        found = (
            ast.Attribute(found, name, ast.Load()) if is_field
            else ast.Subscript(found, ast.Name(name, ast.Load()), ast.Load())
        )  # fmt: skip
    return found


# --- what they mean here --------------------------------------------------------------------------


def reference_of(f: FunctionV) -> Reference | None:
    """Return what a function calls, if it is one that holds objects by reference."""
    return _REFERENCES.get(f.definition)


def without_object(f: FunctionV) -> FunctionV:
    """Return the function of a class of which this one is a method; another one as it is."""
    what = reference_of(f)
    inner = dict(f.kw_defaults)[FUNCTION] if what is not None and what.bound else f
    return inner if isinstance(inner, FunctionV) else f


def is_object(value: Value) -> bool:
    """Whether a default is a function that gives the object."""
    what = reference_of(value) if isinstance(value, FunctionV) else None
    return what is not None and what.is_object


def roots(f: FunctionV) -> set[str]:
    """Return the variables that have the objects of which a function holds methods."""
    what = reference_of(f)
    if what is None:
        return set()
    return {path.root for path in what.paths if isinstance(path, Path)}


def found(f: FunctionV, path: Path) -> PlaceV | None:
    """Return the variable and the steps to an object that a function holds."""
    for scope in chain(f.scope):
        name, held = path.root, scope.names.get(path.root)
        while isinstance(held, CellV):
            scope, name = held.scope, held.name
            held = scope.names.get(name)
        if held is not None:
            given = dict(f.kw_defaults)
            steps = tuple(n if is_field else given[n] for is_field, n in path.steps)
            return PlaceV(scope, name, steps, held, held)
    return None


def outdate(run: Run, scope: Scope, name: str, moved: Moved | None) -> None:
    """Note that a variable is bound anew (or, with ``moved``, that parts of what it holds have been
    moved): functions that hold its object are out of date."""
    if not _REFERENCES:
        return

    def old(value: Value) -> bool:
        return any(
            place is not None
            and (place.scope, place.root) == (scope, name)
            and (moved is None or places.is_moved(place, moved))
            for f in _functions(value)
            if f.definition in _REFERENCES
            for path in _REFERENCES[f.definition].paths
            if isinstance(path, Path)
            for place in [found(f, path)]
        )

    if any(map(old, run.pending)):
        run.refuse(
            ast.Pass(),
            f"{shown(name)!r} is changed in the middle of an expression that has a function of its "
            "object",
            "make the change a statement of its own",
            error=MutationError,
        )
    for s in chain(run.scope):
        for other, value in list(s.names.items()) if s.live else ():
            if old(value):
                s.names[other] = Stale(
                    f"{other!r} is a function that holds what {shown(name)!r} was, which has been "
                    f"{'assigned again' if moved is None else 'moved'} since",
                    ast.Pass(),
                )


def _functions(value: Value) -> Iterator[FunctionV]:
    if isinstance(value, GeneratorV):
        if isinstance(value.body, Driven):
            for v in (value.body.function, *value.body.args.values()):
                yield from _functions(v)
        return
    for f in functions_in(value):
        yield f
        for v in parts_of(f):
            yield from _functions(v)


__all__ = [
    "Path", "Reference", "found", "is_object", "made", "of_method", "outdate", "place_of",
    "reference_of", "roots", "without_object",
]  # fmt: skip
