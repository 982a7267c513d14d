"""Parts of structures given to functions that update them, ``scale(t[i], s)``, and given by
functions to callers that do: ``row(t, i)[j] += v``.

Such a function is specialised on the place: it is given the structure and the indices, and its
parameter holds the place in it (``PlaceV``). So what it updates is the structure, as everywhere.
(Given the part alone, it would have to put it back, and the part be copied: for an update of one
item that costs too much.)

A function whose result the caller updates gives beside it the indices by which it has found it in
an argument, or in a variable that it captured; so the caller knows the place too.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pullback.core.terms import Lit, Var
from pullback.frontend.kinds.values import PlaceV, Scalar, Static, TupleV, Value, index_scalar
from pullback.frontend.memory import places
from pullback.frontend.memory.places import Move, Moved, Step
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.syntax import LIST_UPDATES, own_nodes, root_of, updated
from pullback.frontend.python.texts import FunctionNode

if TYPE_CHECKING:
    from pullback.frontend.functions.scopes import Scope
    from pullback.frontend.run import Run
    from pullback.frontend.state import Spec


@dataclass(frozen=True)
class Form:
    """What a parameter is given that holds a place: the parameter with the structure, and the
    steps, of which those that only the run knows are in parameters too (by name)."""

    root: str
    steps: tuple[tuple[bool, object], ...]


_FORMS: dict[Form, Form] = {}
"""One object for each: forms are kinds."""


def of_places(run: Run, args: dict[str, Value], wanted: Collection[str]) -> dict[str, Value]:
    """Return the arguments, as places if they are wanted as such or are parts of the same
    structures."""
    found = {n: place for n, v in args.items() if (place := _place(run, v)) is not None}
    roots = {found[n].root for n in wanted if n in found}
    holders = {n: v for n, v in args.items() if n not in found}
    made, more = dict(args), dict[str, Value]()
    for n, place in found.items():
        if place.root not in roots:
            continue
        same = (h for h, v in {**holders, **more}.items() if v is place.of)
        holder = next(same, f"{n}@root")
        if holder not in args:
            more[holder] = place.of
        steps: list[tuple[bool, object]] = []
        for k, step in enumerate(places.as_steps(place)):
            if isinstance(step, str):
                steps.append((False, step))
            elif isinstance(step, Static):
                steps.append((True, step.value))
            else:
                more[f"{n}@{k}"] = step
                steps.append((False, f"@{n}@{k}"))
        form = Form(holder, tuple(steps))
        made[n] = Static(_FORMS.setdefault(form, form))
    return {**made, **more}


def _place(run: Run, value: Value) -> PlaceV | None:
    place = run.frame.places.get(value)
    if place is None or not place.steps or place.scope.names.get(place.root) is not place.of:
        return None
    return place


def is_place(run: Run, value: Value) -> bool:
    """Whether an argument is a part of a structure."""
    return _place(run, value) is not None


def enter(run: Run, scope: Scope, args: Iterable[str], node: ast.AST) -> None:
    """Bind the parameters that got places to these."""
    for n in args:
        given = scope.names[n]
        if isinstance(given, Static) and isinstance(given.value, Form):
            form = given.value
            steps = tuple(_step(scope, constant, step) for constant, step in form.steps)
            root = scope.names[form.root]
            place = PlaceV(scope, form.root, steps, given, given)
            places.note_root(run, scope, form.root, root)
            scope.names[n] = places.named(run, scope, n, places.current(run, place, node))


def _step(scope: Scope, constant: bool, step: object) -> Step:
    if constant:
        return Static(step)
    assert isinstance(step, str)
    return scope.names[step[1:]] if step.startswith("@") else step


# --- parts that functions give --------------------------------------------------------------------


PART = "$part"
"""The parameter that says that the caller updates the result."""

Given = tuple[tuple[str, object], ...]
"""The steps to a part: a field, a constant, or the number of a value that is given with it, which
is an index from the start, or not."""

_FIELD, _CONSTANT, _INDEX, _VALUE = "field", "constant", "index", "value"


@by_node
def _updated(node: FunctionNode) -> frozenset[ast.Call]:
    """The calls whose results a function updates: ``row(m, i)[j] += v``, ``find(d, k).append(v)``,
    ``r = row(m, i)`` where it updates ``r``."""
    body = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    nodes = [n for s in body for n in own_nodes(s)]
    changed = (n.target for n in nodes if isinstance(n, ast.AugAssign))
    names = updated(body) | {t.id for t in changed if isinstance(t, ast.Name)}
    found: list[ast.expr] = []
    for n in nodes:
        match n:
            case ast.Call(ast.Attribute(value, method)) if method in LIST_UPDATES:
                found.append(value)
            case ast.Assign([ast.Name(name)], ast.Call() as value) if name in names:
                found.append(value)
            case ast.Assign(targets) | ast.Delete(targets):
                found += targets
            case ast.AugAssign(target):
                found.append(target)
            case _:
                pass
    return frozenset(n for n in map(root_of, found) if isinstance(n, ast.Call))


@by_node
def _given(node: FunctionNode) -> frozenset[ast.AST]:
    """The expressions of which a function gives the value."""
    if isinstance(node, ast.Lambda):
        return frozenset({node.body})
    nodes = (n for s in node.body for n in own_nodes(s) if isinstance(n, ast.Return))
    return frozenset(n.value for n in nodes if n.value is not None)


def asked(run: Run, node: ast.AST) -> bool:
    """Whether the function being run updates the result of a call, or gives it to a caller who
    does."""
    outer = run.frame.definition
    if outer is None:
        return False
    return node in _updated(outer.node) or (
        PART in run.frame.scope.names and node in _given(outer.node)
    )


def with_part(run: Run, spec: Spec, value: Value) -> Value:
    """Return the result of a function, with the indices of the place that it has in an argument or
    in a captured variable, if it has one."""
    spec.part = None
    scope, place = run.frame.scope, run.frame.places.get(value)
    if PART not in scope.names or spec.definition in run.calls.recursive or place is None:
        return value
    root = scope.names.get(place.root)
    if place.scope is not scope or root is not place.of:
        return value
    if place.root not in run.frame.given and place.root not in spec.cells:
        return value
    steps: list[tuple[str, object]] = []
    more: list[Value] = []
    for step in places.from_start(run, place).steps:
        match step:
            case str():
                steps.append((_FIELD, step))
            case Static(known):
                steps.append((_CONSTANT, known))
            case Var() | Lit():
                steps.append((_INDEX, len(more)))
                more.append(index_scalar(step))
            case _:
                steps.append((_VALUE, len(more)))
                more.append(step)
    spec.part = place.root, tuple(steps)
    return TupleV((value, *more))


def note_part(
    run: Run, part: tuple[str, Given], value: Value, whole: PlaceV | None
) -> Value:
    """Return the result of a call, and note its place in what the function was given, which was
    ``whole``."""
    assert isinstance(value, TupleV)
    made, *more = value.items
    if whole is None:
        return made
    steps = tuple(_given_step(kind, what, more) for kind, what in part[1])
    root = whole.scope.names[whole.root]
    run.frame.places[made] = PlaceV(whole.scope, whole.root, (*whole.steps, *steps), made, root)
    return made


def _given_step(kind: str, what: object, more: Sequence[Value]) -> places.Taken:
    if kind == _FIELD:
        return str(what)
    if kind == _CONSTANT:
        return Static(what)
    assert isinstance(what, int)
    value = more[what]
    if kind == _INDEX:
        assert isinstance(value, Scalar)
        return value.atom
    return value


def moved_in(args: dict[str, Value], name: str) -> Moved:
    """Return the moves that a function may have made in a structure that it was given as the
    argument ``name``."""
    if "@" not in name:
        return places.EVERYTHING
    found: list[Move] = []
    for value in args.values():
        if isinstance(value, Static) and isinstance(value.value, Form):
            form = value.value
            if form.root == name:
                steps = tuple(
                    Static(s) if c else args[str(s)[1:]] if str(s).startswith("@") else str(s)
                    for c, s in form.steps
                )
                found.append(Move(steps, len(steps) + 1))
    return tuple(found)


__all__ = [
    "PART", "Form", "asked", "enter", "is_place", "moved_in", "note_part", "of_places",
    "with_part",
]  # fmt: skip
