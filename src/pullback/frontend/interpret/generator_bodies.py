"""In the body of a generator: ``yield`` calls the consumer, and what it gives is the next state."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING

from pullback.core.terms import Call, Var
from pullback.core.types import BOOL
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.functions import (
    noted,
)
from pullback.frontend.functions.threads import (
    of_inner,
    put,
    shared,
    take,
)
from pullback.frontend.interpret import generators
from pullback.frontend.interpret.generator_consumers import Consumer, Probe
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.descriptions import describe_both
from pullback.frontend.kinds.flatten import flatten
from pullback.frontend.kinds.join import generalise, join
from pullback.frontend.kinds.kinds import without_spare
from pullback.frontend.kinds.parted import met_kind
from pullback.frontend.kinds.values import (
    Driven,
    Owner,
    Scalar,
    Stale,
    Static,
    ThreadV,
    TupleV,
    Value,
)
from pullback.frontend.memory import ownership
from pullback.frontend.memory.owners import kept_owners, owners_of
from pullback.frontend.python.looks import guard_of
from pullback.frontend.python.syntax import CONSUMER, STATE, STOP

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def yield_(run: Run, value: Value, node: ast.AST) -> None:
    """Compile ``yield value``: the consumer is called."""
    consumer = _consumer(run)
    ownership.shown(run, value)
    if isinstance(consumer, Probe):
        kind = without_spare(generalise(run.kind(value, node)))
        both = kind if consumer.kind is None else met_kind(consumer.kind, kind, join)
        if both is None:
            assert consumer.kind is not None
            one, other = describe_both(consumer.kind, kind)
            run.refuse(
                node,
                f"the generator yields {one} at one place and {other} at another",
                "yield values of one type",
                error=TypesDoNotMeetError,
            )
        consumer.kind = generalise(both)
        consumer.owners |= owners_of(value)
        if consumer.stops:
            _go_on(run, consumer, (Var("stop", BOOL),), frozenset(), node)
        return
    atoms = flatten(coerce(run, value, consumer.item, node)).atoms
    state = _state(run, node)
    call = Call(consumer.name, (*put(run, state, node), *atoms))
    kept = state.owners | (kept_owners(value) if consumer.keeps else frozenset())
    _go_on(run, consumer, run.b.let(call, consumer.results, run.site(node)), kept, node)
    outlives, guard = generators.of(run).outlives, guard_of(node)
    if guard is not None and (guard.managed or (guard.ends and outlives)):
        noted.guarded(run.frame, call)


def hand_on(run: Run, items: Driven, node: ast.AST, told: str | None = None) -> None:
    """Compile ``yield from items``: another generator has the same consumer. ``told``: the variable
    that gets what it returns."""
    consumer = _consumer(run)
    state = _state(run, node)
    atoms = put(run, state, node)
    if isinstance(consumer, Probe):
        consumer.owners |= generators.of(run).held_by_items(items, consumer, node)
    slots = of_inner(run, items)
    made, value = generators.of(run).call(items, consumer, atoms, node, slots, told is not None)
    _go_on(run, consumer, made, state.owners, node, shared(run.frame.scope, items))
    if told is not None:
        run.scope.names[told] = value


def result(run: Run, tells: bool) -> Value:
    """Return the result of the function of a generator at its end; ``tells``: with what the
    generator returns."""
    thread = _thread(run)
    return TupleV((thread, run.scope.names.get("$return", Static(None)))) if tells else thread


def _thread(run: Run) -> ThreadV:
    node = ast.Pass()
    state, consumer = put(run, _state(run, node), node), _consumer(run)
    owners = consumer.owners if isinstance(consumer, Probe) else frozenset()
    if not consumer.stops:
        return ThreadV(state, owners)
    return ThreadV((*state, run.scalar(run.scope.names[STOP], node).atom), owners)


def _go_on(
    run: Run, consumer: Consumer | Probe, made: tuple[Var, ...], kept: frozenset[Owner],
    node: ast.AST, changed: Collection[str] = (),
) -> None:  # fmt: skip
    names = run.scope.names
    call, before = next(reversed(run.b.lets), None), dict(names)
    names[STATE] = take(
        run, made[:-1] if consumer.stops else made, kept, node, changed
    )
    if consumer.stops:
        names[STOP] = Scalar(made[-1], py=True, bits=1)
    if call is not None and call.vars == made and isinstance(call.op, Call):
        noted.handed(run.frame, run.b, call.op.function, call, before)


def _state(run: Run, node: ast.AST) -> ThreadV:
    state = run.scope.names[STATE]
    if isinstance(state, Stale):
        run.refuse(node, state.reason, "bind the value now: yield lambda ..., k=k: ...")
    assert isinstance(state, ThreadV)
    return state


def _consumer(run: Run) -> Consumer | Probe:
    known = run.scope.names[CONSUMER]
    assert isinstance(known, Static) and isinstance(known.value, (Consumer, Probe))
    return known.value


__all__ = ["hand_on", "result", "yield_"]
