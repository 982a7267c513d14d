"""Who may update an array, and what an update makes unusable.

Arrays are values; ``a[i] = v`` makes a new version of ``a`` in the place of the old one. That is
what Python does only if nobody else looks at the old one: the array must have been created in this
function, and names that may share its memory may not be used afterwards (they become ``Stale``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn, TypeGuard

from pullback.errors import ArgumentTypeError, MutationError
from pullback.frontend.functions import ambient
from pullback.frontend.functions.scopes import COLUMN, Scope, chain, function_scope
from pullback.frontend.functions.scopes import shown as shown_name
from pullback.frontend.kinds.flatten import Ownership
from pullback.frontend.kinds.kinds import HashK, Kind, RecordK, ScalarK, TupleK
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    MaybeV,
    OptionalV,
    Owner,
    PlaceV,
    RecordV,
    RefV,
    Scalar,
    Stale,
    Static,
    SymbolV,
    TupleV,
    Value,
)
from pullback.frontend.memory import cycles, places, references
from pullback.frontend.memory.holding import (
    Updatable,
    holds_memory,
    is_updated_in_place,
    may_hold,
)
from pullback.frontend.memory.owners import memory_of, owners_of
from pullback.frontend.python.object_classes import are_dicts
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import STATE
from pullback.frontend.signals import NotCarriedError

if TYPE_CHECKING:
    from pullback.frontend.memory.places import Moved
    from pullback.frontend.run import Run


def is_unshared(value: Value, given: frozenset[Owner] = frozenset()) -> bool:
    """Whether each array and list in the value was made here (or came in the parameter whose owners
    are ``given``) and is in one place of it only."""
    found = list(_places(value, given))
    owners = [o for place in found for o in place or ()]
    return None not in found and len(owners) == len(set(owners))


def given_with(run: Run, owners: frozenset[Owner]) -> frozenset[Owner]:
    """Return all objects that came from the caller with an object of these owners: whether the
    values inside of them are in one place only is a fact of the caller."""
    found = (g for g in run.frame.given.values() if owners and owners <= g)
    return frozenset(o for g in found for o in g)


def still_given(
    run: Run, name: str, parts: Iterable[tuple[frozenset[Owner], Owner]]
) -> None:
    """Note that a value from the caller is carried round a loop: there it has other owners
    beside."""
    given = run.frame.given.get(name)
    if given is not None:
        more = frozenset(group for owners, group in parts if owners and owners <= given)
        run.frame.given[name] = given | more


def given_or_made(run: Run, arms: Sequence[Sequence[Ownership]]) -> None:
    """Note that a value comes from the caller on one path, and is made here on another one: what
    may be done with it on each may be done with it after both."""
    if len(set(map(len, arms))) > 1:
        return
    for parts in zip(*arms, strict=True):
        made = frozenset(o for owners, fresh in parts if fresh for o in owners)
        old = [owners for owners, fresh in parts if not fresh]
        for name, given in run.frame.given.items() if made and old else ():
            if all(owners and owners <= given for owners in old):
                run.frame.given[name] = given | made


def is_unshared_inside(value: Value, given: frozenset[Owner]) -> bool:
    """Whether the values in a list or dict are unshared too."""
    match value:
        case ListV(elem=elem) | HashV(elem=elem):
            return value.sole or not holds_memory(elem)
        case TupleV(items):
            return is_unshared(TupleV(items), given)
        case RecordV(_, fields):
            return is_unshared(TupleV(tuple(fields.values())), given)
        case _:
            return True


def _places(
    value: Value, given: frozenset[Owner]
) -> Iterator[frozenset[Owner] | None]:
    """Return the owners of each array and list in a value; None if they are not known."""
    if is_updated_in_place(value):
        mine = value.fresh or (value.owners and value.owners <= given)
        yield value.owners if mine else None
    match value:
        case ListV(elem=elem, inner=inner, sole=sole) | HashV(elem=elem, inner=inner, sole=sole):
            if holds_memory(elem):
                yield inner if sole else None
        case TupleV(items):
            for item in items:
                yield from _places(item, given)
        case RecordV(_, fields):
            for item in fields.values():
                yield from _places(item, given)
        case OptionalV(_, inside, other):
            yield from _places(inside, given)
            yield from _places(other, given)
        case MaybeV(_, inside):
            yield from _places(inside, given)
        case ArrayV() | Scalar() | Static() | SymbolV() | RefV():
            return
        case _ if may_hold(value):
            yield owners_of(value) or None


def shown(run: Run, value: Value) -> None:
    """Note that a generator yields a value: from here on other code may hold the arrays and lists
    in it, so they are no longer updated here."""
    owners = owners_of(value)
    if not owners:
        return
    names = run.scope.names
    for name, other in names.items():
        if is_updated_in_place(other) and other.fresh and owners_of(other) & owners:
            names[name] = replace(other, fresh=False)


def _live_scopes(run: Run) -> Iterator[Scope]:
    for scope in chain(run.scope):
        if scope.live:
            yield scope


def is_root(value: object) -> TypeGuard[Updatable]:
    """Whether updates of parts of a value, by its name, give it a new version."""
    return is_object(value) or isinstance(value, TupleV)


def is_object(value: object) -> TypeGuard[Updatable]:
    """The same of objects and records: a name whose tuple has become another one was bound anew."""
    return is_updated_in_place(value) or isinstance(value, RecordV)


def check_carried(run: Run, name: str, node: ast.AST) -> None:
    """Refuse a change of a variable inside of an expression that is evaluated for many items."""
    if run.scope is not function_scope(run.scope) or run.frame.sealed:
        refuse_change(run, name, node)


def refuse_change(run: Run, name: str, node: ast.AST) -> NoReturn:
    """Refuse a change of a variable for which there is no order of rounds."""
    run.refuse(
        node,
        f"an update of {shown_name(name)!r} inside a comprehension, or in a function "
        "that is applied to many items, is not supported",
        "write a loop",
        error=NotCarriedError,
    )


def updatable(run: Run, name: str, node: ast.AST, nested: bool = False) -> Updatable:
    """Return the array or list called ``name`` if this function may update it (with ``nested``, the
    values in it); else refuse the update here."""
    value = run.lookup(name, node)
    if not is_root(value) or not (nested or is_updated_in_place(value)):
        run.refuse(
            node,
            f"items of {run.describe(value)} cannot be assigned",
            "use an array or a list",
            error=MutationError if not isinstance(value, Static) else ArgumentTypeError,
        )
    check_carried(run, name, node)
    if name not in function_scope(run.scope).names:
        refuse_captured(
            run, name, node,
            f"{name!r} belongs to the enclosing function: updating it here would be seen there",
            f"make {name!r} a parameter, or work on a copy: {name}_ = {name}.copy()",
        )  # fmt: skip
    is_object = is_updated_in_place(value)
    if not (is_object and value.fresh) and (is_object or name in run.frame.given):
        refusal = seen_outside(run, name, value, node)
        spec = run.frame.spec
        if spec is None or name not in run.frame.given:
            ambient.note(run.frame, refusal, value)
            raise refusal
        if name in run.frame.rebound:
            spec.replaced.add(name)
        if spec.updates.get(name) is None:
            spec.updates[name] = refusal  # the caller decides
        if nested:
            spec.nested.add(name)
    return value


def refuse_captured(
    run: Run, name: str, node: ast.AST, reason: str, rewrite: str
) -> NoReturn:
    """Refuse a change of a variable around a function, which its caller may make possible
    (``seen_outside``)."""
    error = MutationError(reason, rewrite, run.site(node))
    definition = run.frame.definition
    error.captured = name, None if definition is None else definition.globals
    raise error


def seen_outside(run: Run, name: str, value: Updatable, node: ast.AST) -> MutationError:
    """Return the refusal of an update of a value from outside, which a caller may own."""
    return MutationError(
        f"{shown_name(name)!r} {_whose(run, name, value)}: updating it would be seen outside",
        _rewrite(shown_name(name), value),
        run.site(node),
    )


def replaced(
    run: Run, home: tuple[Scope, str], end: Value, others: Iterable[Value], refusal: MutationError,
    node: ast.AST,
) -> Value:  # fmt: skip
    """What a variable holds after a function that updates its object and also binds it anew. That
    is right if nobody else has the old object, nor (``others``) the new one."""
    scope, name = home
    old = scope.names[name]
    spec = run.frame.spec
    lent = spec is not None and name in spec.cells
    if not is_root(old) or not is_root(end) or not (old.fresh or lent):
        raise refusal
    mine = owners_of(old)
    names = ((s, n, v) for s in _live_scopes(run) for n, v in s.names.items())
    others = [*others, *(v for s, n, v in names if (s, n) != home and not n.startswith("$"))]
    if any(owners_of(v) & (mine | owners_of(end)) for v in others):
        run.refuse(
            node,
            f"this call updates what {shown_name(name)!r} holds, which has other names too, and "
            "may bind it to another object",
            "do one of the two in the function: xs.clear(), xs[:] = ys, or a new object always",
            error=MutationError,
        )
    if lent and spec is not None:
        spec.updates[name] = spec.updates.get(name) or refusal
        spec.replaced.add(name)
    return replace(end, owners=end.owners | old.owners, fresh=old.fresh)


def refuse_both(run: Run, name: str, node: ast.AST) -> NoReturn:
    """Refuse to give back both the object that the caller knows and a new one."""
    run.refuse(
        node,
        f"{shown_name(name)!r} is bound to another object in a function that also updates "
        "the one that it got",
        "do only one of the two in this function: xs.clear(), xs[:] = ys, or a new object always",
        error=MutationError,
    )


def _rewrite(name: str, value: Updatable) -> str:
    notes = {o.note for o in value.owners}
    captured = "captured from the enclosing function" in notes
    new = f"{name}_" if captured else name  # an assigned name would be one of this function
    if isinstance(value, RecordV) and not are_dicts(value.cls):
        copy = f"work on a copy: {new} = copy.copy({name})"
        return f"{copy}; or call the method where the object is: objects[i].change(v)"
    if isinstance(value, Scalar):
        return f"work on a copy: {new} = np.array({name})"
    copy = f"work on a copy: {new} = {name}.copy()"
    if captured or "an argument" in notes:
        return copy
    return f"update it in its place: {_in_place(value)}; or {copy}"


def _in_place(value: Updatable) -> str:
    match value:
        case ArrayV():
            return "rows[i][j] = v"
        case RecordV() | HashV():
            return "tables[i][key] = v"
        case _:
            return "rows[i][j] = v, rows[i].append(v)"


def _whose(run: Run, name: str, value: Updatable) -> str:
    notes = sorted({o.note for o in value.owners if o.note})
    if notes == ["an argument"] and _has_default(run.frame.definition, name):
        return "is (or shares memory with) an argument, or its default, which all calls share"
    if notes:
        return f"is (or shares memory with) {notes[0]}"
    what = {ArrayV: "array", Scalar: "array", RecordV: "object", HashV: "dict"}
    return f"may share memory with another {what.get(type(value), 'list')}"


def _has_default(definition: Definition | None, name: str) -> bool:
    if definition is None:
        return False
    args = definition.node.args
    names = [p.arg for p in (*args.posonlyargs, *args.args)]
    last = names[len(names) - len(args.defaults) :]
    by_name = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    return name in last or any(p.arg == name and d is not None for p, d in by_name)


def bind_updated(
    run: Run, name: str, old: Updatable, new: Updatable, node: ast.AST, nested: bool = False,
    moved: Moved = (), inside: frozenset[Owner] | None = None,
) -> Updatable:  # fmt: skip
    """Bind ``name`` to the object after its update. Other names of the very same object see the
    update; names of other values that may share its memory (with ``nested``, the memory of the
    values in it, or what is known to have been updated ``inside``) may not be used any more."""
    cycles.check(run, name, old, new, node)
    made = replace(new, owners=old.owners, fresh=old.fresh)
    if run.store is not None and name.startswith(COLUMN):
        run.store.check(name, made, node)
    mine = function_scope(run.scope)
    updated(run, name, old, node, made, nested, moved, inside)
    mine.names[name] = made
    return made


def updated(
    run: Run, name: str, array: Updatable, node: ast.AST, new: Value | None = None,
    nested: bool = False, moved: Moved = (), inside: frozenset[Owner] | None = None,
) -> None:  # fmt: skip
    """Poison the other names of memory that is updated; those of a list itself become ``new``, if
    it is known. (Of arrays not: NumPy may have copied where the front end need not.)"""
    mine = function_scope(run.scope)
    owners = array.owners
    if nested:
        owners = memory_of(array) if inside is None else owners | inside
    for value in run.pending:
        if owners_of(value) & owners and _may_hold(value):
            run.refuse(
                node,
                f"{shown_name(name)!r} is updated in the middle of an expression that has already "
                "it",
                "make the update a statement of its own",
                error=MutationError,
            )
    names = {n for n, value in mine.names.items() if value is array}
    if moved:
        references.outdate(run, mine, name, moved)
        if run.frame.spec is not None:
            deep = {(len(m.steps), m.depth, m.resized) for m in moved}
            run.frame.spec.moves.setdefault(name, set()).update(deep)
    for scope in _live_scopes(run):
        for other, value in list(scope.names.items()):
            if scope is mine and other == name:
                continue
            if isinstance(value, PlaceV) and value.scope is mine and value.root in names:
                value = scope.names[other] = places.after(value, other, array, moved)
                if isinstance(value, PlaceV):
                    continue
            same = value is array and not isinstance(array, ArrayV)
            if same and new is not None and not other.startswith("$"):
                scope.names[other] = new
            elif owners_of(value) & owners and _may_hold(value):
                scope.names[other] = Stale(
                    f"{shown_name(other)!r} may share memory with {shown_name(name)!r}, which has "
                    "been updated since",
                    ast.Pass(),
                )


def _may_hold(value: Value) -> bool:
    """Whether there may be memory in what a name holds: there is none in a function that captured
    numbers and references, whatever variables it is a snapshot of."""
    return may_hold(value.value if isinstance(value, PlaceV) else value)


def apart(run: Run, more: Value, whole: Value) -> Value:
    """Return the values by which a list is extended: a copy, if they are part of the updated list
    (``t[0] += t[1]``)."""
    if not owners_of(more) & owners_of(whole):
        return more
    match more:
        case TupleV(items, True):
            return TupleV(items)
        case ListV(_, elem) if not holds_memory(elem):
            return run.copied(more)
        case _:
            return more


def _held(value: Value) -> Value | Kind:
    """What of a list, a dict or an object can be updated itself: the kind of it, or the first."""
    match value:
        case ListV(elem=elem):
            return elem
        case HashV(elem=TupleK((_, kind, *_))):
            return kind
        case TupleV(items):
            return next(filter(is_updated_in_place, items), value)
        case RecordV(_, fields):
            return next(filter(is_updated_in_place, fields.values()), value)
        case _:
            return value


def refuse_shared(run: Run, value: Value, node: ast.AST) -> NoReturn:
    """Refuse the update of what is in a value, since it may be in several places."""
    match _held(value):
        case RecordV(cls) | RecordK(cls) if not are_dicts(cls):
            rewrite = "make each object anew, as in [Item() for _ in range(n)]"
        case RecordV() | HashV() | RecordK() | HashK():
            rewrite = "make each one anew, as in [{} for _ in range(n)] or tables.append(d.copy())"
        case Scalar() | ScalarK():
            rewrite = "make each array anew, as in [np.array(0.0) for _ in range(n)]"
        case _:
            rewrite = (
                "make each row anew, as in [[0.0] * m for _ in range(n)] or rows.append(row.copy())"
            )
    refuse_inside(
        run, value, node,
        "what is updated here may be in other places too (or belong to someone else): they would "
        "change with it",
        rewrite,
    )  # fmt: skip


def refuse_inside(run: Run, value: Value, node: ast.AST, reason: str, rewrite: str) -> NoReturn:
    """Refuse an update of what is in a value, which may be one around the function."""
    try:
        run.refuse(node, reason, rewrite, error=MutationError)
    except MutationError as refusal:
        if isinstance(value, RecordV) and value.outside is not None:
            ambient.note(run.frame, refusal, value)
        raise


def rebound(run: Run, scope: Scope, name: str) -> None:
    """Note that a variable gets another value: functions that captured the old one are out of
    date."""
    places.release(run, scope, name)
    references.outdate(run, scope, name, None)
    if run.frame.given.get(name) and name not in scope.borrowed and scope is run.frame.scope:
        spec = run.frame.spec
        if spec is not None and spec.updates.get(name) is not None:
            refuse_both(run, name, spec.definition.node)
        del run.frame.given[name]
    if name in scope.borrowed:
        spec = run.frame.spec
        if spec is not None and spec.updates.get(name) is not None:
            spec.replaced.add(name)
        run.frame.rebound.add(name)
    cell = scope.cells.get(name)
    if cell is None:
        return
    for s in _live_scopes(run):
        for other, value in list(s.names.items()):
            if owners_of(value) & cell:
                holder = "what this generator yields" if other == STATE else repr(shown_name(other))
                s.names[other] = Stale(
                    f"{holder} holds a function that captured {name!r}, which has been assigned "
                    "again since",
                    ast.Pass(),
                )
