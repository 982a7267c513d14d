"""Updates handed to and fro: a function may update an array or list that its caller owns.

A function that updates a parameter, or a variable that it captured, gives beside its result what
that holds at the end.
The caller binds its own name for the object to that, just as if it had made the update itself; so
whether the update is allowed, and which other names may share the object, is decided where the
object was made. Where the result is, or has in it, that very object, a mark stands in its place.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from pullback.core.terms import Atom, Let, Site, Var
from pullback.errors import MutationError
from pullback.frontend.functions import noted
from pullback.frontend.functions.captured_variables import (
    FUNCTION,
    KEPT,
    are_one,
    check_here,
    found_at,
    set_variable,
    variables,
)
from pullback.frontend.functions.constructors import made_by
from pullback.frontend.functions.placed import Given
from pullback.frontend.functions.scopes import function_scope, shown
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.coerce import coerce, tightened
from pullback.frontend.kinds.flatten import Ownership, rebuild
from pullback.frontend.kinds.join import join
from pullback.frontend.kinds.kinds import Kind, holds_references, without_spare
from pullback.frontend.kinds.undefined import dummy
from pullback.frontend.kinds.values import (
    UNSET,
    ArrayV,
    FunctionV,
    GeneratorV,
    Owner,
    PlaceV,
    RecordV,
    Stale,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.memory import handed_updates, holding, ownership, places
from pullback.frontend.memory.owners import memory_of, owners_of
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import STATE
from pullback.frontend.state import Variable, facts

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.state import Spec


class Mark:
    """Stands for the object that a parameter of this name holds. One per name: marks are kinds."""

    def __init__(self, name: str) -> None:
        self.name = name


_MARKS: WeakValueDictionary[str, Mark] = WeakValueDictionary()


def with_updates(
    run: Run, spec: Spec, value: Value, starts: dict[str, Value], node: ast.AST
) -> Value:
    """Return the result of a function that updates or rebinds parameters and captured variables:
    its own result, and the values of these at its end. ``starts`` are their values before."""
    for n in run.frame.slots:
        spec.updates.pop(n, None)  # the consumer knows
    names = run.scope.names
    lost = {n for n in noted.changed(run.frame) & starts.keys() if names[n] is starts[n]}
    spec.lost = frozenset(lost)
    lost = set() if STATE in names else lost  # a generator is left in the middle
    _note_updates(run, spec, starts, lost, node)
    if not spec.updates:
        return value
    ends = {n: run.scope.names[n] for n in sorted(spec.updates)}
    for n, end in ends.items():
        if isinstance(end, Stale) and spec.updates[n] is not None:
            name = shown(n)
            run.refuse(node, end.reason, f"work on a copy of {name!r}", error=MutationError)
    covering = (_covering(run, n, run.frame.starts.get(n), end, node) for n, end in ends.items())
    return TupleV((_marked(value, ends), *covering))


def _note_updates(
    run: Run, spec: Spec, starts: dict[str, Value], lost: Collection[str], node: ast.AST
) -> None:
    """Note which captured variables the function changes: until its end, or until it raises (those
    that are ``lost``)."""
    for n, start in starts.items():
        if n in run.frame.slots or n in spec.updates:
            continue
        if run.scope.names[n] is start and n not in lost:
            continue
        if ownership.is_object(start) and n not in run.frame.rebound:  # a loop has carried it
            spec.updates[n] = ownership.seen_outside(run, n, start, node)
        else:
            spec.updates[n] = None


def of_raising(run: Run, spec: Spec, starts: dict[str, Value], node: ast.AST) -> Value | None:
    """Return values of the kinds that a function hands back which never returns; None if it hands
    nothing back."""
    frame = run.frame
    changed = noted.changed(frame) & (starts.keys() | spec.updates.keys())
    spec.lost = changed | spec.updates.keys()
    if not spec.lost or frame.slots or STATE in run.scope.names:
        return None
    _note_updates(run, spec, starts, changed, node)
    ends: list[Value] = []
    for n in sorted(spec.updates):
        values = [op.names.get(n, frame.starts.get(n)) for op in frame.raising.values()]
        kind: Kind | None = None
        for value in values:
            if value is None or value is UNSET or isinstance(value, (Stale, PlaceV, GeneratorV)):
                return None
            own = run.kind(value, node)
            kind = own if kind is None else join(kind, own)
            if kind is None:
                return None
        if kind is None:
            return None
        ends.append(dummy(run, kind))
    return TupleV((Static(None), *ends))


def _covering(run: Run, name: str, start: Value | None, end: Value, node: ast.AST) -> Value:
    """Return what a variable is at the end, as a value of a kind that it also has where the
    function raises: there a list may have other items."""
    if isinstance(end, (Stale, PlaceV)) or name == made_by(run.frame.definition):
        return end  # of a new object nobody knows where its __init__ raises
    own = kind = run.kind(end, node)
    for noted_op in run.frame.raising.values():
        value = noted_op.names.get(name, start)
        if value is None or value is UNSET or isinstance(value, (Stale, PlaceV, GeneratorV)):
            continue
        both = kind if value is end else join(kind, run.kind(value, node))
        if both is None:
            return end
        kind = both
    return end if kind == own else coerce(run, end, kind, node)


def _marked(value: Value, ends: dict[str, Value]) -> Value:
    for name, end in ends.items():
        if value is end and holding.is_updated_in_place(end):
            return Static(_MARKS.setdefault(name, Mark(name)))
    match value:
        case TupleV(items):
            return replace(value, items=tuple(_marked(v, ends) for v in items))
        case RecordV(_, fields):
            return replace(value, fields={n: _marked(v, ends) for n, v in fields.items()})
        case _:
            return value


def hand_back(
    run: Run, spec: Spec, f: FunctionV, given: Given, value: Value, owned: Sequence[Ownership],
    call: Let, node: ast.AST,
) -> Value:  # fmt: skip
    """Return the result of a call. The caller's names for updated arguments, and the variables that
    the function changed, get their values at its end."""
    before = dict(function_scope(run.scope).names)
    touched = handed_updates.Touched(spec.touched, owned)
    made = _hand_back(run, spec, f, given, value, touched, node)
    noted.handed(run.frame, run.b, spec.name, call, before)
    return made


def _hand_back(
    run: Run, spec: Spec, f: FunctionV, given: Given, value: Value,
    touched: handed_updates.Touched, node: ast.AST,
) -> Value:  # fmt: skip
    assert isinstance(value, TupleV)
    args = given.args
    result, *ends = value.items
    functions: dict[str, Value] = {FUNCTION: FunctionV(f.definition, f.scope), **args}
    known = [v for v in variables(functions) if v.home not in given.captured]
    made: dict[str, Value] = {}
    for name, end in zip(spec.handed, ends, strict=True):
        nested = touched if name in spec.nested else None
        refusal = spec.updates[name]
        called = spec.definition, None if refusal is None else refusal.site
        if name in args:
            others = {n: v for n, v in args.items() if n != name}
            mine = _updated_by(args[name], nested)
            check_apart(run, called, name, None, mine, others, known, node)
            assert refusal is not None
            _keep_shape(run, args[name], end)
            made[name] = handed_updates.handed_back(
                run, args[name], end, refusal, node, nested, given.moved(name)
            )
            continue
        cell = spec.cells[name]
        target = found_at(functions, cell.argument, cell.steps)
        assert target is not None
        mine = NOTHING if refusal is None else _updated_by(target.value, nested)
        check_apart(run, called, shown(name), target, mine, args, known, node)
        if refusal is None:
            set_variable(run, target.home, end, node)
            made[name] = end
        elif name in spec.replaced:
            rest = [result, *(e for e in ends if e is not end)]
            check_here(run, *target.home, node, refusal)
            end = ownership.replaced(run, target.home, end, rest, refusal, node)
            set_variable(run, target.home, end, node)
            made[name] = end
        else:
            home, own = places.variable_of(*target.home)
            check_here(run, home, own, node, refusal)
            moved = places.somewhere(spec.moves.get(name, ()))
            made[name] = handed_updates.named_back(
                run, own, target.value, end, node, nested, moved
            )
    return _unmarked(result, made)


def _keep_shape(run: Run, before: Value, after: Value) -> None:
    """Note that an array which a function has updated has the shape that it had."""
    if isinstance(before, ArrayV) and isinstance(after, ArrayV) and before.rank == after.rank:
        known = ext.facts(run).extents.get(before.atom) if isinstance(before.atom, Var) else None
        if known is not None and after.atom is not before.atom:
            ext.note(run, after, known)


def lost_by(run: Run, spec: Spec, values: dict[str, Value], node: ast.AST) -> frozenset[str]:
    """Return the variables of this function that a call changes where it raises, and does not hand
    back. ``values``: the function and its arguments."""
    mine, lost = function_scope(run.scope), set[str]()
    for name in sorted(spec.lost):
        target: Variable | None = None
        if name in values:
            value = values[name]
        else:
            cell = spec.cells[name]
            target = found_at(values, cell.argument, cell.steps)
            assert target is not None
            value = target.value
        memory = memory_of(value)
        names = {n for n, v in mine.names.items() if v is value or owners_of(v) & memory}
        if target is not None and target.home[0] is mine:
            names.add(target.home[1])
        if target is not None and not names and run.trying is not None:
            run.refuse(
                node,
                f"{spec.definition.name!r} changes {shown(name)!r} and then raises, and the "
                "exception is caught",
                "test before you change: if not fine: raise ValueError(...)",
                error=MutationError,
            )
        lost |= names
    return frozenset(lost)


def left(
    run: Run, spec: Spec, f: FunctionV, given: Given, made: Sequence[Var],
    owned: Sequence[Ownership], call: Let, node: ast.AST,
) -> None:  # fmt: skip
    """Give the caller what a function that never returns has changed when it raises. (A generator
    is left in the middle.)"""
    if spec.ends is None or STATE in function_scope(run.scope).names:
        noted.driven(run.frame, call, lost_by(run, spec, {FUNCTION: f, **given.args}, node))
    else:
        ends = rebuild(spec.ends, iter(made), lambda: (frozenset({Owner()}), True))
        hand_back(run, spec, f, given, ends, owned, call, node)


Called = tuple[Definition, Site | None]
"""A function, and the place at which it changes something."""


def check_apart(
    run: Run, called: Called, name: str, target: Variable | None, mine: frozenset[Owner],
    args: dict[str, Value], known: Sequence[Variable], node: ast.AST,
) -> None:  # fmt: skip
    """Refuse a call if the function knows an object that it changes (``mine``) by two names:
    inside, these would be two objects. ``args`` are its other arguments, ``known`` the values that
    it captures."""
    if target is not None:
        mine |= target.scope.cells.get(target.name, frozenset())
    definition, site = called
    again: list[tuple[str, Definition | None]] = [
        (n, definition) for n, v in args.items() if mine and _shared(v) & mine
    ]
    for v in known:
        if target is not None and v.home == target.home:
            twice = v.argument != target.argument and not are_one(args, v, target)
        else:
            twice = bool(mine) and bool(_shared(v.value) & mine)
        if twice:
            frames = (f.definition for f in run.frames if f.scope in (v.scope, v.home[0]))
            again.append((v.name, next(frames, run.frame.definition)))
    if again:
        other, where = again[0]
        changed = _line(None if site is None else site.line)
        bound = _line(None if where is None else _bound_at(where, other))
        reason = (
            f"{definition.name!r} updates {name!r}{changed}, but sees the same memory under "
            f"another name too: {shown(other)!r}{bound}"
        )
        try:
            run.refuse(node, reason, "pass it once, or a copy", error=MutationError)
        except MutationError as e:
            e.by_two_names = True
            raise


NOTHING = frozenset[Owner]()


def updated_in(value: Value, nested: bool) -> frozenset[Owner]:
    """Return the memory that an update of a value changes: also that of what is in it (``nested``),
    or that of the object itself."""
    if not ownership.is_root(value):
        return NOTHING
    return memory_of(value) if nested else memory_of(value) & value.owners


def _updated_by(value: Value, nested: handed_updates.Touched | None) -> frozenset[Owner]:
    """Return the memory that a function has changed: the object's, and of what is in it the parts
    that it has updated (``nested``)."""
    itself = updated_in(value, False)
    return itself if nested is None else itself | (updated_in(value, True) & nested.owners)


def _shared(value: Value) -> frozenset[Owner]:
    """Return the memory that a value has, and the variables that it is a snapshot of."""
    owners = owners_of(value)
    if not owners:
        return owners
    return owners if holding.may_hold(value) else frozenset(o for o in owners if o.cell)


def _line(number: int | None) -> str:
    return "" if number is None else f" (line {number})"


def _bound_at(definition: Definition, name: str) -> int | None:
    """Return the line on which a function binds a name first."""
    for n in ast.walk(definition.node):
        if isinstance(n, ast.arg) and n.arg == name:
            return n.lineno
    stored = (n for n in ast.walk(definition.node) if isinstance(n, ast.Name))
    return next((n.lineno for n in stored if n.id == name and isinstance(n.ctx, ast.Store)), None)


def _unmarked(value: Value, made: dict[str, Value]) -> Value:
    match value:
        case Static(Mark(name=name)):
            return made[name]
        case TupleV(items):
            return replace(value, items=tuple(_unmarked(v, made) for v in items))
        case RecordV(_, fields):
            return replace(value, fields={n: _unmarked(v, made) for n, v in fields.items()})
        case _:
            return value


def owning(
    run: Run, f: FunctionV, args: dict[str, Value], node: ast.AST
) -> tuple[Spec, list[Atom], bool]:
    """Return a function and its arguments, and whether it updates what others see: then that is
    taken for its own, so that it only computes its result from the values that are given."""
    spec, atoms, _ = run.calls.prepare(f, args, node)
    updates = bool(spec.updates)
    if updates:
        own = facts(tuple(sorted(spec.updates)))
        spec, atoms, _ = run.calls.prepare(f, {**args, KEPT: own}, node)
    return spec, atoms, updates


def prepared(
    run: Run, f: FunctionV, args: dict[str, Value], node: ast.AST
) -> tuple[Spec, list[Atom], bool]:
    """Return the same for a derivative operator."""
    tight = {n: tightened(run, v, node) for n, v in args.items()}
    if run.store is not None:
        f, tight = run.store.apart(f, tight)
    else:
        f = run.within(f)
    spec, atoms, updates = owning(run, f, tight, node)
    if run.store is not None and spec.result is not None and holds_references(spec.result):
        reason = "an object that may have several names, as a result of what is differentiated"
        run.refuse(node, reason, "return its numbers: return node.value")
    run.loses |= bool(spec.lost) and len(run.frames) == 1
    for name, refusal in spec.updates.items():
        if refusal is not None:
            raise refusal
        run.refuse(
            node,
            f"a function that is differentiated assigns to {shown(name)!r}, a variable of a "
            "function around it",
            "let it return the new value",
            error=MutationError,
        )
    if spec.result is not None and without_spare(spec.result) != spec.result:
        run.refuse(
            node,
            "the derivative of a function that returns a list or dict which it appended to",
            "let it return np.array(...) of the numbers",
        )
    return spec, atoms, updates
