"""Variables that inner functions assign to, and captured objects that they update: cells.

A call gives a function the variables that it captures, as they are. While its body is run, those
that may change are variables of the frame of the call (``enter``): their captured names hold a
``CellV`` that leads there, for all functions that captured the same variable. So branches and loops
join them like any others, and what a function that is called in turn does to them is seen. What
they hold at the end the call gives back (``handing``), and the caller sets its own variables, which
may be cells again.

A variable is found by a path: it is in one of the scopes, counted outwards, of the function that is
called, of a function or generator that is an argument, or of a function in such a variable.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn, TypeVar

from pullback.errors import MutationError
from pullback.frontend.functions import ambient
from pullback.frontend.functions.scopes import (
    COLUMN,
    Scope,
    chain,
    function_scope,
    owner_of,
    shown,
)
from pullback.frontend.interpret.recovery import recovered
from pullback.frontend.kinds.flatten import captures_of, functions_in
from pullback.frontend.kinds.kinds import Kind, StaticK
from pullback.frontend.kinds.values import (
    ArrayV,
    CellV,
    Driven,
    FunctionV,
    GeneratorV,
    HashV,
    ListV,
    OperatorV,
    Owner,
    RecordV,
    Scalar,
    Stale,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.memory import holding, ownership, references
from pullback.frontend.memory.owners import owners_of
from pullback.frontend.python.kept_variables import ask_for
from pullback.frontend.python.object_classes import changes
from pullback.frontend.python.syntax import rebinds, updated_inside
from pullback.frontend.state import CellPath, Facts, Slot, Variable, facts, form_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.state import Frame

F = TypeVar("F")

FUNCTION = ""
"""The function that is called, among the arguments."""


SLOTS = "$slots"
"""The parameter of a generator's function that says which variables travel with the state."""

APART = "$apart"
"""The parameter that says that the shared objects of a function are its own (``store``)."""

KEPT = "$kept"
"""The parameter that says which arguments and captured variables nobody else has: they are the
function's own."""

SAME = "$same"
"""The parameter that says which paths lead to one variable."""

_INSIDE = ">"
"""Between the name of an argument that is a generator, a tuple or a record and that of what is in
it: an argument of its own, an item, a field."""


def variables(values: dict[str, Value]) -> Iterator[Variable]:
    """Iterate over the captured variables of functions and generators, each once for each of these
    values."""
    for argument, value in values.items():
        if isinstance(value, FunctionV):
            yield from _variables(argument, value)
            continue
        if isinstance(value, GeneratorV) and value.body is not None:
            yield from _variables(argument, value.body.function)
        inside = _inside(value)
        if inside:
            yield from variables({f"{argument}{_INSIDE}{n}": v for n, v in inside.items()})


def _inside(value: Value | None) -> dict[str, Value]:
    """What is in a value that may have functions in it, by names."""
    match value:
        case GeneratorV(body=Driven(_, args)):
            return args
        case TupleV(items):
            return {str(k): v for k, v in enumerate(items) if not isinstance(v, (Scalar, Static))}
        case RecordV(_, fields):
            return fields
        case OperatorV(_, function, _, args):
            return {str(k): v for k, v in enumerate((function, *args))}
        case _:
            return {}


def has_functions(value: Value) -> bool:
    """Whether a value is, or has in it, a function or a generator."""
    known = isinstance(value, (FunctionV, GeneratorV))
    return known or any(map(has_functions, _inside(value).values()))


def _variables(argument: str, root: FunctionV) -> Iterator[Variable]:
    waiting: list[tuple[tuple[tuple[int, str], ...], FunctionV]] = [((), root)]
    met: set[Scope] = set()
    wanted = captures_of(root)
    for path, f in waiting:
        for k, scope in enumerate(chain(f.scope)):
            if scope in met:
                continue
            met.add(scope)
            for name in sorted(n for s, n in wanted if s is scope):
                found = Variable(argument, (*path, (k, name)), scope, name)
                yield found
                for inside, g in _functions_at(name, found.value):
                    waiting.append(((*path, (k, inside)), g))


def _functions_at(name: str, value: Value) -> Iterator[tuple[str, FunctionV]]:
    """The functions in what a variable holds, and the names of their places."""
    if isinstance(value, FunctionV):
        yield name, value
    elif isinstance(value, (TupleV, RecordV, OperatorV)):
        for n, v in _inside(value).items():
            yield from _functions_at(f"{name}{_INSIDE}{n}", v)


def found_at(values: dict[str, Value], argument: str, steps: tuple[tuple[int, str], ...]) -> (
    Variable | None
):
    """Return the variable at a path, in the functions that a caller has."""
    value, variable = _argument(values, argument), None
    for k, path in steps:
        scopes = list(chain(value.scope)) if isinstance(value, FunctionV) else []
        if k >= len(scopes):
            return None
        name, *inside = path.split(_INSIDE)
        variable = Variable(argument, steps, scopes[k], name)
        value = variable.value
        for n in inside:
            value = _inside(value).get(n)
    return variable


def _argument(values: dict[str, Value], argument: str) -> Value | None:
    """Return an argument that is a function, or the function of a generator that is one."""
    first, *rest = argument.split(_INSIDE) if argument else [FUNCTION]
    value = values.get(first)
    for name in rest:
        value = _inside(value).get(name)
    if isinstance(value, GeneratorV) and value.body is not None:
        return value.body.function
    return value


def enter(
    run: Run, frame: Frame, f: FunctionV, args: dict[str, Value], own: Collection[str]
) -> dict[str, Variable]:
    """Make cells of the captured variables that may change; gives them by their names in the
    frame, where the function's own variables keep their names. ``own``: those that nobody else
    has."""
    assert frame.definition is not None
    node, cells = frame.definition.node, dict[str, Variable]()
    declared, slots = rebinds(node), {s.path: s for s in _facts(args, SLOTS, Slot)}
    same = {path: group for group in _facts(args, SAME, tuple) for path in group}
    homes: dict[tuple[CellPath, ...], str] = {}
    known = list(variables({FUNCTION: f, **args}))
    forms = map(form_of, (*args.values(), *(v.value for v in known)))
    roots = {form.root for form in forms if form is not None}
    for k, v in enumerate(known):
        path = v.argument, v.steps
        value, slot, group = v.value, slots.get(path), same.get(path)
        if group in homes:
            v.scope.names[v.name] = CellV(frame.scope, homes[group])
            continue
        is_place = form_of(value) is not None
        if not (may_change(v) or is_place or path in roots) and slot is None and group is None:
            continue
        mine = v.argument == FUNCTION and owner_of(f.scope, v.name) is v.scope
        name = v.name if mine and v.name not in frame.scope.locals else f"{v.name}@{k}"
        if group is not None:
            homes[group] = name
        if is_place:
            frame.scope.names[name] = value
            frame.scope.borrowed.add(name)
            v.scope.names[v.name] = CellV(frame.scope, name)
            continue
        kept = name in own
        if not kept:
            cells[name] = v
        if slot is not None:
            frame.slots[name] = slot
        frame.scope.names[name] = (taken_over if kept else lent)(value)
        frame.scope.borrowed.add(name)
        if v.name in v.scope.cells:
            frame.scope.cells[name] = v.scope.cells[v.name]
        if not kept:
            frame.given[name] = owners_of(value)
        v.scope.names[v.name] = CellV(frame.scope, name)
    outside = {} if run.taken is None else run.taken.variables
    for name in sorted(declared - cells.keys() - {*own}):
        if ambient.of_global(outside, f.definition, name) is not None:
            continue
        where = next((n for n in ast.walk(node) if isinstance(n, ast.Nonlocal)), node)
        whose = "is global" if name in f.definition.globals else (
            "belongs to a function that is not compiled"
        )
        try:
            ownership.refuse_captured(
                run, name, where, f"{name!r} {whose}: rebinding it would be seen there",
                "pass the value in and return the new one",
            )  # fmt: skip
        except MutationError as refusal:
            if run.problems is None or run.incomplete or not isinstance(where, ast.stmt):
                raise
            recovered(run, where, refusal, name)
    return cells


def may_change(v: Variable) -> bool:
    """Whether functions that capture a variable may bind it anew or update what it holds."""
    return v.name in v.scope.rebound or holding.is_updated_in_place(v.value)


def changing(values: dict[str, Value]) -> Iterator[Variable]:
    """Iterate over the captured variables that functions bind anew, or whose elements they assign
    themselves."""
    known = list(variables(values))
    inside = [v.value for v in known if isinstance(v.value, FunctionV)]
    functions = [f for v in (*values.values(), *inside) for f in functions_in(v)]
    updated = {n for f in functions for n in updated_inside(f.definition.node)}
    updated |= {n for f in functions for n in references.roots(f)}
    updated |= {v.name for v in known if v.name.startswith(COLUMN)}
    return (v for v in known if v.name in v.scope.rebound or (v.name in updated and may_change(v)))


def are_one(args: dict[str, Value], one: Variable, other: Variable) -> bool:
    """Whether a function was told that two paths lead to one variable."""
    paths = {(one.argument, one.steps), (other.argument, other.steps)}
    return any(paths <= set(group) for group in _facts(args, SAME, tuple))


def groups(args: dict[str, Value]) -> Iterator[tuple[CellPath, ...]]:
    """The paths that lead to one variable, as a function was told."""
    yield from _facts(args, SAME, tuple)


def owned_parameters(names: Sequence[str], kinds: Sequence[Kind]) -> tuple[str, ...]:
    """Return the parameters that are the function's own, as it is told."""
    for name, kind in zip(names, kinds, strict=True):
        if name == KEPT and isinstance(kind, StaticK) and isinstance(kind.value, Facts):
            return tuple(map(str, kind.value.known))
    return ()


def _facts(args: dict[str, Value], name: str, cls: type[F]) -> Iterator[F]:
    """Return the facts that a function is told about the variables that it captures."""
    given = args.get(name)
    if isinstance(given, Static) and isinstance(given.value, Facts):
        yield from (x for x in given.value.known if isinstance(x, cls))


def same_variables(f: FunctionV, args: dict[str, Value], every: bool = False) -> dict[str, Value]:
    """Return the argument that tells which paths lead to one variable that may change (or ``every``
    one), if there are several to one: in the function called that is one variable, too."""
    if not any(map(has_functions, args.values())) and not _has_snapshots(f):
        return {}
    paths: dict[tuple[Scope, str], list[CellPath]] = {}
    for v in variables({FUNCTION: f, **args}) if every else changing({FUNCTION: f, **args}):
        paths.setdefault(v.home, []).append((v.argument, v.steps))
    groups = tuple(tuple(group) for group in paths.values() if len(group) > 1)
    return {SAME: facts(groups)} if groups else {}


def _has_snapshots(f: FunctionV) -> bool:
    """Whether a function captures one that has a copy of what it captured."""
    held = (scope for scope, _ in captures_of(f))
    return any(not scope.live and scope is not f.scope for scope in held)


def set_variable(run: Run, home: tuple[Scope, str], value: Value, node: ast.AST) -> None:
    """Compile ``name = value`` for a variable of the frame."""
    scope, name = home
    check_here(run, scope, name, node)
    ownership.rebound(run, scope, name)
    scope.names[name] = value


def check_here(
    run: Run, scope: Scope, name: str, node: ast.AST, refusal: MutationError | None = None
) -> None:
    """Refuse a change of a variable where no branch or loop carries it on."""
    mine = function_scope(run.scope)
    if scope is not mine:
        if refusal is not None:
            raise refusal
        refuse_elsewhere(run, name, node)
    ownership.check_carried(run, name, node)


def refuse_elsewhere(run: Run, name: str, node: ast.AST) -> NoReturn:
    """Refuse a change of a variable of which it is not known here where it is."""
    ask_for(name)
    run.refuse(
        node,
        f"this call changes {shown(name)!r}, a variable of a function that is chosen at run time "
        "or kept in data",
        "call the function by a name of its own, or give it the value and let it return the new "
        "one",
        error=MutationError,
    )


def taken_over(value: Value) -> Value:
    """Return an argument that nobody else has."""
    value = lent(value)
    match value:
        case ArrayV() | ListV() | HashV():
            _tell(value.owners)
            return replace(value, fresh=True)
        case TupleV(items):
            _tell(value.owners)
            return replace(value, items=tuple(map(taken_over, items)), fresh=True)
        case RecordV(cls, fields):
            _tell(value.owners)
            mine = {n: taken_over(v) for n, v in fields.items()}
            return replace(value, fields=mine, fresh=changes(cls))
        case _:
            return value


def lent(value: Value) -> Value:
    """Return a parameter; whether the rows of a table are in one place only is a fact of the
    caller."""
    match value:
        case ListV() | HashV():
            _tell(value.inner)
            return replace(value, sole=True)
        case TupleV(items):
            return replace(value, items=tuple(map(lent, items)))
        case RecordV(_, fields):
            return replace(value, fields={n: lent(v) for n, v in fields.items()})
        case _:
            return value


def _tell(owners: frozenset[Owner]) -> None:
    """Note that a function takes it for granted that these parts of arguments are in one place."""
    for owner in owners:
        owner.told = True


__all__ = [
    "APART", "FUNCTION", "KEPT", "SAME", "SLOTS", "Stale", "Variable", "are_one", "changing",
    "enter", "found_at", "groups", "lent", "may_change", "owned_parameters", "refuse_elsewhere",
    "same_variables", "set_variable", "taken_over", "variables",
]  # fmt: skip
