"""Parts of structures given to functions that update them, ``scale(t[i], s)``, captured by such
functions (``row = t[i]``, and ``row[j] += v`` inside), and given by functions to callers that
update them: ``row(t, i)[j] += v``.

Such a function is specialised on the place: it is given the structure and the indices, and its
parameter or captured variable holds the place in it (``PlaceV``). So what it updates is the
structure, as everywhere. (Given the part alone, it would have to put it back, and the part be
copied: for an update of one item that costs too much.)

A function whose result the caller updates gives beside it the indices by which it has found it in
an argument, or in a variable that it captured; so the caller knows the place too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pullback.core.build import i64
from pullback.core.frozen import dataclass, field
from pullback.core.terms import Lit, Var
from pullback.frontend.functions.captured_variables import FUNCTION, found_at, variables
from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.kinds.values import (
    FunctionV,
    PlaceV,
    Scalar,
    Static,
    TupleV,
    Value,
    ViewStep,
    index_scalar,
)
from pullback.frontend.library.numpy import views
from pullback.frontend.memory import places
from pullback.frontend.memory.places import Move, Moved, Taken
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.syntax import LIST_UPDATES, own_nodes, root_of, updated
from pullback.frontend.python.texts import FunctionNode
from pullback.frontend.state import CellPath, Form, form_of

if TYPE_CHECKING:
    from pullback.frontend.functions.scopes import Scope
    from pullback.frontend.run import Run
    from pullback.frontend.state import Code, Spec, Variable


_FIELD, _CONSTANT, _INDEX, _VALUE, _VIEW = "field", "constant", "index", "value", "view"


def _code(step: Taken, hand: Callable[[Value], object]) -> Code:
    """Return the code of a step; ``hand`` hands a value over and says by which name or number."""
    match step:
        case str():
            return _FIELD, step
        case Static(known):
            return _CONSTANT, known
        case Lit():
            return _INDEX, step
        case Var():
            return _INDEX, hand(index_scalar(step))
        case ViewStep(name, args, static):
            return _VIEW, name, tuple(_code(a, hand) for a in args), static
        case _:
            return _VALUE, hand(step)


def _step(code: Code, taken: Callable[[object], Value]) -> Taken:
    """Return the step of a code; ``taken`` gives what was handed over by a name or number."""
    kind, what = code[:2]
    if kind == _FIELD:
        return str(what)
    if kind == _CONSTANT:
        return Static(what)
    if kind == _VIEW:
        _, name, args, static = code
        atoms = (_step(a, taken) for a in args)  # type: ignore[attr-defined]  # codes
        return ViewStep(str(name), tuple(atoms), static)  # type: ignore[arg-type]  # of indices
    if isinstance(what, Lit):
        return what
    value = taken(what)
    if kind == _INDEX and isinstance(value, Static):
        return i64(int(str(value.value)))
    return value.atom if kind == _INDEX and isinstance(value, Scalar) else value


_FORMS: dict[Form, Form] = {}
"""One object for each: forms are kinds."""

Wanted = Collection[str | CellPath]
"""The parameters, and the paths to captured variables, that are to hold places."""


@dataclass
class Given:
    """What a function is called with. ``captured``: the places that its captured variables are
    given as, and the forms of these."""

    args: dict[str, Value]
    captured: dict[tuple[Scope, str], tuple[PlaceV, Static]] = field(default_factory=dict)

    @contextmanager
    def handed(self) -> Iterator[None]:
        """While the function is looked up, its captured variables hold the forms."""
        for (scope, name), (_, form) in self.captured.items():
            scope.names[name] = form
        try:
            yield
        finally:
            for (scope, name), (place, _) in self.captured.items():
                scope.names[name] = place

    def moved(self, name: str) -> Moved:
        """Return the moves that the function may have made in a structure that it was given as the
        argument ``name``."""
        if "@" not in name:
            return places.EVERYTHING
        found: list[Move] = []
        for value in (*self.args.values(), *(form for _, form in self.captured.values())):
            form = form_of(value)
            if form is not None and form.root == name:
                steps = (_step(code, self.argument) for code in form.steps)
                path = tuple(index_scalar(s) if isinstance(s, (Var, Lit)) else s for s in steps)
                found.append(Move(path, len(path) + 1))
        return tuple(found)

    def argument(self, name: object) -> Value:
        return self.args[str(name)]


def of_places(run: Run, f: FunctionV, args: dict[str, Value], wanted: Wanted) -> Given:
    """Return the arguments and captured variables, as places if they are wanted as such or are
    parts of the same structures."""
    if not wanted:
        return Given(args)
    held = {n: place for n, v in args.items() if (place := _place(run, v)) is not None}
    known = list(variables({FUNCTION: f, **args}))
    inside = {(v.argument, v.steps): v for v in known if captured_place(run, v) is not None}
    roots = {held[n].root for n in wanted if isinstance(n, str) and n in held}
    asked_for = (inside[n] for n in wanted if not isinstance(n, str) and n in inside)
    roots |= {place.root for v in asked_for if (place := captured_place(run, v)) is not None}
    found = Found(run, roots, {n: v for n, v in args.items() if n not in held}, known)
    made = {n: found.form(n, place) for n, place in held.items() if place.root in roots}
    captured = {}
    for k, v in enumerate(known):
        place = captured_place(run, v)
        if place is not None and place.root in roots and v.home not in captured:
            captured[v.home] = place, found.form(f"{v.name}@{k}", place)
    return Given({**args, **made, **found.more}, captured)


class Found:
    """The forms of the parts of some structures, for one call. ``more``: the parameters that they
    need."""

    def __init__(
        self, run: Run, roots: set[str], holders: dict[str, Value], known: Sequence[Variable]
    ) -> None:
        self.run, self.holders = run, holders
        self.more: dict[str, Value] = {}
        mine = function_scope(run.scope)
        self.paths: dict[str, CellPath] = {}
        for v in known:
            if v.home[0] is mine and v.home[1] in roots:
                self.paths.setdefault(v.home[1], (v.argument, v.steps))

    def form(self, name: str, place: PlaceV) -> Static:
        """Return the form of a parameter or captured variable that is to hold a place."""

        def hand(value: Value) -> str:
            handed = f"{name}@{len(self.more)}"
            self.more[handed] = value
            return handed

        steps = views.shortened(self.run, places.as_steps(place))
        codes = tuple(_code(step, hand) for step in steps)
        form = Form(self.holder(name, place), codes)
        return Static(_FORMS.setdefault(form, form))

    def holder(self, name: str, place: PlaceV) -> str | CellPath:
        """Return what has the structure: a captured variable or a parameter, a new one if need
        be."""
        if place.root in self.paths:
            return self.paths[place.root]
        known = {**self.holders, **self.more}
        same = next((h for h, v in known.items() if v is place.of), None)
        if same is None:
            same = f"{name}@root"
            self.more[same] = place.of
        return same


def _place(run: Run, value: Value) -> PlaceV | None:
    place = run.frame.places.get(value)
    if place is None or not place.steps or place.scope.names.get(place.root) is not place.of:
        return None
    return place


def is_place(run: Run, value: Value) -> bool:
    """Whether an argument is a part of a structure."""
    return _place(run, value) is not None


def captured_place(run: Run, v: Variable) -> PlaceV | None:
    """Return the place that a captured variable of the function being run holds, if nobody binds it
    anew."""
    scope, name = v.home
    held = scope.names.get(name)
    if not isinstance(held, PlaceV) or not held.steps or scope is not function_scope(run.scope):
        return None
    fresh = held.scope.names.get(held.root) is held.of
    return held if fresh and v.name not in v.scope.rebound and name not in scope.rebound else None


def wanted_by(run: Run, spec: Spec, f: FunctionV, given: Given) -> set[str | CellPath]:
    """Return the parts of structures that a function updates, or whose structures it updates, and
    that it has not been given as places."""
    found: set[str | CellPath] = set()
    roots: set[str] = set()
    values: dict[str, Value] = {FUNCTION: f, **given.args}
    mine = function_scope(run.scope)
    for n in spec.handed:
        if n in given.args:
            if is_place(run, given.args[n]):
                found.add(n)
            continue
        path = spec.cells[n].argument, spec.cells[n].steps
        target = found_at(values, *path)
        if target is not None and captured_place(run, target) is not None:
            found.add(path)
        elif target is not None and target.home[0] is mine:
            roots.add(target.home[1])
    for n, value in given.args.items() if roots else ():
        place = _place(run, value)
        if place is not None and place.root in roots:
            found.add(n)
    for v in variables(values) if roots else ():
        place = None if v.home in given.captured else captured_place(run, v)
        if place is not None and place.root in roots:
            found.add((v.argument, v.steps))
    return found


def enter(run: Run, scope: Scope, cells: dict[str, Variable], node: ast.AST) -> None:
    """Bind the parameters and captured variables that got places to these."""
    at = {(v.argument, v.steps): n for n, v in cells.items()}
    for n, given in list(scope.names.items()):
        form = form_of(given)
        if form is not None:
            name = form.root if isinstance(form.root, str) else at[form.root]
            steps = tuple(_step(code, lambda named: scope.names[str(named)]) for code in form.steps)
            place = PlaceV(scope, name, steps, given, given)
            places.note_root(run, scope, name, scope.names[name])
            scope.names[n] = places.named(run, scope, n, places.current(run, place, node))


# --- parts that functions give --------------------------------------------------------------------


PART = "$part"
"""The parameter that says that the caller updates the result."""

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
    more: list[Value] = []

    def hand(given: Value) -> int:
        more.append(given)
        return len(more) - 1

    steps = places.from_start(run, place).steps
    spec.part = place.root, tuple(_code(step, hand) for step in steps)
    return TupleV((value, *more))


def note_part(
    run: Run, part: tuple[str, tuple[Code, ...]], value: Value, whole: PlaceV | None
) -> Value:
    """Return the result of a call, and note its place in what the function was given, which was
    ``whole``."""
    assert isinstance(value, TupleV)
    made, *more = value.items
    if whole is None:
        return made
    steps = (_step(code, lambda k: more[int(str(k))]) for code in part[1])
    root = whole.scope.names[whole.root]
    run.frame.places[made] = PlaceV(whole.scope, whole.root, (*whole.steps, *steps), made, root)
    return made


__all__ = [
    "PART", "Given", "asked", "captured_place", "enter", "note_part", "of_places",
    "wanted_by", "with_part",
]  # fmt: skip
