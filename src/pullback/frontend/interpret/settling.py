"""The kinds of what an iterator that is advanced from outside keeps: its variables are of the kinds
that they get while it runs."""

from __future__ import annotations

import ast

from pullback.core.build import Builder
from pullback.frontend.functions.captured_variables import FUNCTION, found_at
from pullback.frontend.functions.scopes import Scope, chain, function_scope
from pullback.frontend.functions.stepped_form import CLOSE, DROP, GO, ends, request, unsure
from pullback.frontend.functions.threads import changes_of
from pullback.frontend.interpret.iteration import is_iterator
from pullback.frontend.kinds.coerce import covering
from pullback.frontend.kinds.flatten import functions_in
from pullback.frontend.kinds.join import generalise
from pullback.frontend.kinds.kinds import Kind, MaybeK, StaleK
from pullback.frontend.kinds.undefined import unset
from pullback.frontend.kinds.values import (
    UNSET,
    CellV,
    FunctionV,
    Specialiser,
    Stale,
    Static,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.run import Run

_MAX_ATTEMPTS = 12


class Begun(Exception):
    """A generator makes another iterator, of which it keeps the variables from the start."""

    def __init__(self, name: str, kind: Kind) -> None:
        self.name, self.kind = name, kind


def settle(step: object) -> None:
    """Let the variables of an iterator be of the kinds that they get while it runs."""


@register(settle)
def _settle(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    (step,) = args
    assert isinstance(step, FunctionV)
    step, scope = sp.within(step), function_scope(sp.scope)
    mine = [n for n in scope.locals if n not in scope.names and n in scope.rebound]
    for n in mine:
        scope.names[n] = UNSET
    outer = sp.generators.settling
    sp.generators.settling = step.definition.node, unsure(step.definition.node)
    try:
        settled = any(_covers(sp, scope, step, node) for _ in range(_MAX_ATTEMPTS))
    finally:
        sp.generators.settling = outer
    if not settled:
        sp.refuse(node, "the types of what this iterator keeps do not settle")
    return Static(None)


def _covers(run: Run, scope: Scope, step: FunctionV, node: ast.AST) -> bool:
    """Whether the variables have kinds that cover what a step makes of them; they have from here
    on."""
    try:
        with run.building(Builder()) as b, run.generators.forgetting():
            run.arms[b] = step
            asked = (GO, DROP, CLOSE) if ends(step.definition.node) else (GO,)
            own = step.definition.node
            specs = [run.calls.prepare(step, request(own, w), node)[0] for w in asked]
    except Begun as found:
        return _suits(run, scope, found.name, found.kind, False, node)
    settled = True
    for change in (c for spec in specs for c in changes_of(spec)):
        target = found_at({FUNCTION: step}, *change.path)
        assert target is not None
        where, name = target.home
        if where is scope:
            is_unsure = name in unsure(step.definition.node)
            settled = _suits(run, scope, name, change.kind, is_unsure, node) and settled
    return settled


def _suits(
    run: Run, scope: Scope, name: str, end: Kind, is_unsure: bool, node: ast.AST
) -> bool:
    """``is_unsure``: it may be read before it is set."""
    end = end.inner if isinstance(end, MaybeK) else end
    held = scope.names[name]
    if held is UNSET and isinstance(end, StaleK):
        return True  # what is sent tells it
    if held is UNSET:
        never = unset(run, generalise(end))
        for k, f in enumerate(functions_in(never.value)):
            _keep(run, scope, f, f"{name}{k}", node)
        scope.names[name] = never if is_unsure else never.value
        return False
    if isinstance(held, Stale):
        return True
    scope.names[name] = covering(run, held, end, (name, "the iterator goes on"), node)
    return scope.names[name] is held


def _keep(run: Run, scope: Scope, f: FunctionV, name: str, node: ast.AST) -> None:
    """The variables of an iterator that a generator makes become its own."""
    if not is_iterator(f) or not isinstance(f.scope, Scope):
        return
    if any(s.names for s in chain(f.scope.parent)):
        run.refuse(
            node,
            "a generator that makes another one, which captures variables, while it is advanced "
            "by next() or beside others",
            "make a list of the items of the inner one",
        )
    for n, value in list(f.scope.names.items()):
        own = f"{name}{n}"
        scope.names[own] = value
        f.scope.names[n] = CellV(scope, own)
        for g in functions_in(value):
            _keep(run, scope, g, own, node)


__all__ = ["Begun", "settle"]
