"""Updates handed to and fro: a function may update an array or list that its caller owns.

A function that updates a parameter gives, beside its result, what the parameter holds at the end.
The caller binds its own name for the object to that, just as if it had made the update itself; so
whether the update is allowed, and which other names may share the object, is decided where the
object was made. Where the result is, or has in it, that very object, a mark stands in its place.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from pullback.core.terms import Var
from pullback.errors import MutationError
from pullback.frontend.kinds.coerce import tightened
from pullback.frontend.kinds.flatten import flatten
from pullback.frontend.kinds.kinds import without_spare
from pullback.frontend.kinds.values import FunctionV, ListV, RecordV, Stale, Static, TupleV, Value
from pullback.frontend.memory import ownership

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.state import Spec


class Mark:
    """Stands for the object that a parameter of this name holds. One per name: marks are kinds."""

    def __init__(self, name: str) -> None:
        self.name = name


_MARKS: WeakValueDictionary[str, Mark] = WeakValueDictionary()


def lent(value: Value) -> Value:
    """A parameter: whether the rows of a table are in one place only is for the caller to see."""
    match value:
        case ListV():
            return replace(value, sole=True)
        case TupleV(items):
            return replace(value, items=tuple(map(lent, items)))
        case RecordV(_, fields):
            return replace(value, fields={n: lent(v) for n, v in fields.items()})
        case _:
            return value


def with_updates(run: Run, spec: Spec, value: Value, node: ast.AST) -> Value:
    """What a function gives that updates parameters: its result, and these."""
    if not spec.updates:
        return value
    names = sorted(spec.updates)
    ends = {n: run.scope.names[n] for n in names}
    for n, end in ends.items():
        if isinstance(end, Stale):
            run.refuse(node, end.reason, f"work on a copy of {n!r}", error=MutationError)
    return TupleV((_marked(value, ends), *ends.values()))


def _marked(value: Value, ends: dict[str, Value]) -> Value:
    for name, end in ends.items():
        if value is end:
            return Static(_MARKS.setdefault(name, Mark(name)))
    match value:
        case TupleV(items):
            return replace(value, items=tuple(_marked(v, ends) for v in items))
        case RecordV(_, fields):
            return replace(value, fields={n: _marked(v, ends) for n, v in fields.items()})
        case _:
            return value


def hand_back(
    run: Run, spec: Spec, f: FunctionV, args: dict[str, Value], value: Value, node: ast.AST
) -> Value:
    """The result of a call; the caller's names for updated arguments are bound to their ends."""
    assert isinstance(value, TupleV)
    result, *ends = value.items
    captured = frozenset(
        o for os, _ in flatten(FunctionV(f.definition, f.scope)).owned for o in os
    )
    made: dict[str, Value] = {}
    for name, end in zip(spec.handed, ends):
        arg = args[name]
        for other, v in args.items():
            shared = captured if other == name else ownership.owners_of(v)
            if shared & ownership.owners_of(arg):
                run.refuse(
                    node,
                    f"{spec.definition.name!r} updates its parameter {name!r}, but sees the same "
                    "memory under another name too",
                    "pass it once",
                    error=MutationError,
                )
        nested = name in spec.nested
        made[name] = ownership.handed_back(run, arg, end, spec.updates[name], node, nested)
    return _unmarked(result, made)


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


def prepared(
    run: Run, f: FunctionV, args: dict[str, Value], node: ast.AST
) -> tuple[Spec, list[Var]]:
    """A function and its arguments, for a derivative operator: it may update none of them."""
    tight = {n: tightened(run, v, node) for n, v in args.items()}
    spec, atoms, _ = run.calls.prepare(f, tight, node)
    for refusal in spec.updates.values():
        raise refusal
    if spec.result is not None and without_spare(spec.result) != spec.result:
        run.refuse(
            node,
            "the derivative of a function that returns a list which it appended to",
            "let it return np.array(...) of the list",
        )
    return spec, atoms
