"""Functions in another kind: with other captures, as one of several, as a node of a lambda set."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.terms import Inject
from pullback.core.types import Named
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.functions.captures import Captures
from pullback.frontend.functions.scopes import AnyScope, Scope
from pullback.frontend.kinds.flatten import example, flatten, kind_of
from pullback.frontend.kinds.join import same_function
from pullback.frontend.kinds.kinds import ClosureK, FunctionK, Kind, LambdaSetK, closure_type
from pullback.frontend.kinds.snapshots import snapshot
from pullback.frontend.kinds.undefined import dummy
from pullback.frontend.kinds.values import (
    ClosureV,
    FunctionV,
    LambdaSetV,
    OperatorV,
    RecordV,
    TupleV,
    Value,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Coerce = Callable[..., Value]
Function = FunctionV | ClosureV | LambdaSetV


def into(
    run: Run, value: Function, kind: Kind, node: ast.AST, coerce: Coerce
) -> Value | None:
    """Return a function in another kind of functions; None: it is none of them."""
    match value, kind:
        case FunctionV(), FunctionK():
            return _with_captures(run, value, kind, node, coerce)
        case (FunctionV() | ClosureV()), ClosureK():
            return _as_one_of(run, value, kind, node, coerce)
        case _, LambdaSetK():
            return _as_member(run, value, kind, node, coerce)
        case _:
            return None


def _with_captures(
    run: Run, value: FunctionV, kind: FunctionK, node: ast.AST, coerce: Coerce
) -> Value | None:
    """Return the same function with its captures converted."""
    target = example(kind)
    assert isinstance(target, FunctionV)
    if value.definition is not target.definition:
        return None
    return _Conversion(run, node, coerce).function(snapshot(value), target)


class _Conversion(Captures):
    """Captures that are converted to the kinds of an example."""

    def __init__(self, run: Run, node: ast.AST, coerce: Coerce) -> None:
        super().__init__()
        self.run, self.node, self.coerce = run, node, coerce

    def fill(self, made: Scope, a: Scope, b: Scope) -> None:
        for name, wanted in b.names.items():
            made.names[name] = self.value(a.names[name], wanted)
            made.cells[name] = a.cells.get(name, frozenset())

    def outside(self, a: AnyScope, b: AnyScope) -> AnyScope:
        if a != b:
            reason = "functions of one text that captured other variables each"
            self.run.refuse(self.node, reason, error=TypesDoNotMeetError)
        return a

    def value(self, v: Value, like: Value) -> Value:
        match v, like:
            case FunctionV(), FunctionV() if v.definition is like.definition:
                return self.function(v, like)
            case TupleV(items, is_list), TupleV(wanted) if len(items) == len(wanted):
                return TupleV(tuple(map(self.value, items, wanted)), is_list, v.owners, v.fresh)
            case RecordV(cls, fields), RecordV(other, wanted_fields) if cls is other:
                made = {n: self.value(fields[n], w) for n, w in wanted_fields.items()}
                return replace(v, fields=made)
            case OperatorV(name, f, options, args), OperatorV(again, g) if name == again:
                given = tuple(map(self.value, args, like.args))
                return OperatorV(name, self.value(f, g), options, given)
            case _:
                return self.coerce(self.run, v, kind_of(like), self.node)


def _as_member(
    run: Run, value: Function, kind: LambdaSetK, node: ast.AST, coerce: Coerce
) -> Value:
    """Return a function as a node of a recursive lambda set."""
    target = kind.set
    if isinstance(value, LambdaSetV):
        target.store.merge(target, value.set)  # this round of specialisation is done once more
        return dummy(run, kind)
    if isinstance(value, ClosureV):
        return run.case_closure(value, lambda f: _as_member(run, f, kind, node, coerce), node)
    own = kind_of(value)
    assert isinstance(own, FunctionK)
    tag = target.tag(own)
    flat = flatten(coerce(run, value, target.members[tag], node))
    run.declare(target)
    run.redeclare(target)
    named = Named(target.name)
    (atom,) = run.b.let(Inject(named, tag, tuple(flat.atoms)), (named,))
    return LambdaSetV(atom, target, frozenset(o for owned, _ in flat.owned for o in owned))


def _as_one_of(
    run: Run, value: FunctionV | ClosureV, kind: ClosureK, node: ast.AST, coerce: Coerce
) -> Value | None:
    """Return a function as one of several, known or chosen at run time."""
    t = closure_type(kind.alternatives)
    if isinstance(value, ClosureV):
        return run.case_closure(value, lambda f: coerce(run, f, kind, node), node)
    own = kind_of(value)
    assert isinstance(own, FunctionK)
    of_text = [k for k in kind.alternatives if k.root.definition is own.root.definition]
    same = [k for k in of_text if k == own or same_function(k, own) == k]
    if not same and len(of_text) == 1:
        same = of_text
    if not same:
        return None
    tag = kind.alternatives.index(own if own in same else same[0])
    flat = flatten(coerce(run, value, kind.alternatives[tag], node))
    (atom,) = run.b.let(Inject(t, tag, tuple(flat.atoms)), (t,))
    owners = frozenset(o for owned, _ in flat.owned for o in owned)
    return ClosureV(atom, kind.alternatives, owners)


__all__ = ["into"]
