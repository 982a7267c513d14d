"""Code that is run for each of the tuples that a name may be, where its tag says which one it is.

    op, *args = t       what follows, to the end of the block, is compiled for each of the tuples:
    if op == "leaf":    there op is known, and the other items are those of this tuple
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.build import boolean
from pullback.core.messages import Limit
from pullback.errors import PullbackError, TypesDoNotMeetError
from pullback.frontend.interpret.narrowing import Refinement, case_flow, narrow, refinement
from pullback.frontend.kinds.optionals import alternatives
from pullback.frontend.kinds.several_ranks import is_of_one
from pullback.frontend.kinds.tagged_tuples import one_of, tagged, tagged_place
from pullback.frontend.kinds.values import OptionalV, Value
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.syntax import is_generator, size
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MOST_SPLIT = 32
"""What follows is compiled at most so often."""
_MOST_NODES = 6_000
"""And so much code (in syntax nodes) is compiled for it at most."""


def split(
    run: Run, s: ast.stmt, rest: Sequence[ast.stmt]
) -> tuple[str, OptionalV] | None:
    """Return the name and the value of the tuple that a statement takes apart, if what follows is
    to be compiled for each of the tuples that it may be."""
    found, stmts = next(_taken_apart(run, s), None), [s, *rest]
    definition = run.frame.definition
    if found is None or definition is None or is_generator(definition.node):
        return None
    if stmts[-1] not in liveness_of(definition.node).after:
        return None
    count = sum(1 for _ in alternatives(found[1])) * run.frame.split
    fits = count <= _MOST_SPLIT and count * size(stmts) <= _MOST_NODES
    return found if fits else None


def _taken_apart(run: Run, s: ast.stmt) -> Iterator[tuple[str, OptionalV]]:
    match s:
        case ast.Assign([ast.Tuple() | ast.List()], ast.Name(name)):
            if (value := tagged(run, name)) is not None:
                yield name, value
        case ast.For(iter=source):
            for node in ast.walk(source):
                if isinstance(node, ast.Name) and (value := tagged(run, node.id)) is not None:
                    yield node.id, value
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Return() | ast.Expr():
            for node in ast.walk(s):
                if isinstance(node, ast.expr) and (place := tagged_place(run, node)) is not None:
                    yield place


def flow_by_tag(
    run: Run,
    name: str,
    value: OptionalV,
    body: Callable[[], Flow],
    live: frozenset[str],
    node: ast.stmt,
) -> Flow:
    """Run statements for each of the tuples that a name may be."""
    frame, before = run.frame, run.frame.split

    def arm(whole: OptionalV, part: Value) -> Flow:
        if isinstance(part, OptionalV):
            narrow(run, (name,), whole, part)
            return case_flow(run, part, partial(arm, part), live, node)
        part = one_of(run, part, value, node)
        narrow(run, (name,), whole, part)
        flow = body()
        if run.scope.names.get(name) is part:
            run.scope.names[name] = value
        return flow

    frame.split *= sum(1 for _ in alternatives(value))
    flow: Flow | None = None
    unfit: list[PullbackError] = []
    try:
        flow = case_flow(run, value, partial(arm, value), live, node)
    except Unreachable:
        pass
    finally:
        frame.split = before
        if before == 1:
            unfit = [e for e in frame.fits.values() if e is not None]
            frame.fits.clear()
    if unfit:  # a statement could be compiled for none of the tuples
        raise unfit[0]
    if flow is None:
        raise Unreachable
    return flow


def behind(run: Run, test: ast.expr) -> None:
    """Let a name be none of the tuples for which a loop goes on: its test has been false."""
    told = refinement(run, test)
    if told is None or tagged(run, told.path[0]) is not told.value:
        return
    name, whole = told.path[0], told.value
    assert isinstance(whole, OptionalV)
    left = _without(whole, lambda v: _goes_on(run, told, v, test))
    run.scope.names[name] = whole if left is None else left


def _goes_on(run: Run, told: Refinement, part: Value, test: ast.expr) -> bool:
    """Whether a test is known to be true of one of the things that a name may be."""
    with run.scratch():
        before = narrow(run, told.path, told.value, part)
        try:
            return run.truth(told.told(part), test) is told.positive
        except (Unreachable, PullbackError):
            return False
        finally:
            if before is not None:
                run.scope.names[told.path[0]] = before


def _without(value: Value, gone: Callable[[Value], bool]) -> Value | None:
    """Return a value without the alternatives that it is not; None: it is none of them."""
    if not isinstance(value, OptionalV):
        return None if gone(value) else value
    inner, other = _without(value.value, gone), _without(value.other, gone)
    if inner is None or other is None:
        return inner or other
    return OptionalV(value.there, inner, other)


def refused(run: Run, refusal: PullbackError, s: ast.stmt) -> None:
    """Let the run refuse a statement that cannot be compiled for one of the tuples that a name may
    be: there may be another one, or none, whenever it comes here."""
    if not is_of_one(refusal) or isinstance(refusal, TypesDoNotMeetError):
        return
    run.frame.fits.setdefault(s, refusal)
    run.require(boolean(False), Limit("NotImplementedError"), refusal.reason, s)
    raise Unreachable from None


__all__ = ["behind", "flow_by_tag", "refused", "split"]
