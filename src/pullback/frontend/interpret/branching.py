"""Branches of statements, whose paths meet behind them, and statements that a jump may leave."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.core.terms import Atom, If, Lit, Prim
from pullback.errors import PullbackError
from pullback.frontend.interpret.forks import fork_names
from pullback.frontend.interpret.known_numbers import meeting, need_known
from pullback.frontend.kinds.values import Static
from pullback.frontend.python.attempted import Once
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.syntax import jumps
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def branch(
    run: Run,
    cond: bool | Atom,
    body: Callable[[], Flow],
    orelse: Callable[[], Flow],
    live: frozenset[str],
    s: ast.stmt,
) -> Flow:
    """Compile a branch of statements; ``live`` are the names that are read afterwards."""
    if isinstance(cond, Lit):
        cond = bool(cond.value)
    if isinstance(cond, bool):
        return body() if cond else orelse()
    if _only_raises(s):
        return _raise_first(run, cond, body, orelse)
    test: Atom = cond
    try:
        meet = meeting(run, test)
        return fork_names(run, (body, orelse), lambda b: If(test, b[0], b[1]), live, s, meet)
    except PullbackError as refusal:
        need_known(run, test, s, refusal)
        raise


def _only_raises(s: ast.stmt) -> bool:
    if not isinstance(s, ast.If) or not s.body or not isinstance(s.body[-1], ast.Raise):
        return False
    return not jumps(s.body) and not any(isinstance(t, Once) for t in s.body)


def _raise_first(
    run: Run, cond: Atom, body: Callable[[], Flow], orelse: Callable[[], Flow]
) -> Flow:
    """Compile ``if cond: raise ...``: the code after it need not stand inside a branch."""
    scope = run.scope
    before = scope.names
    scope.names = dict(before)
    try:
        block = run.block(lambda: _dead(body), ends=True)
    finally:
        scope.names = before
    match block.lets:
        case (only,) if isinstance(only.op, Prim) and only.op.name == "require":
            fine = run.b.prim("not", cond)
            values = only.op.args[1:]
            run.b.let(Prim("require", (fine, *values), only.op.static), (), only.site)
            run.caught.stands_for(run.b.lets[-1], only)
        case _:
            run.b.let(If(cond, block, run.block(lambda: ())), ())
    return orelse()


def _dead(body: Callable[[], Flow]) -> tuple[Atom, ...]:
    try:
        flow = body()
        assert flow is Flow.DEAD
    except Unreachable:
        pass
    return ()


def once(run: Run, s: ast.stmt, body: Callable[[], Flow]) -> Flow:
    """Run statements that some of several paths leave by a jump as the body of a loop that goes
    round once: ``$left`` says how it was left, and the code after it need not be repeated."""
    scope, frame = run.scope, run.frame
    outer_exit, outer_return = scope.names.get("$exit"), scope.names.get("$return")
    scope.names["$exit"] = Static(0)
    saved = frame.live_end, frame.in_loop
    assert frame.definition is not None
    after = liveness_of(frame.definition.node).after.get(s, frozenset())
    frame.live_end, frame.in_loop = after | saved[0] | {"$exit", "$return"}, True
    try:
        flow = body()
    finally:
        frame.live_end, frame.in_loop = saved
    if flow is Flow.DEAD:
        return flow
    scope.names["$left"] = scope.names.pop("$exit")
    if outer_exit is not None:
        scope.names["$exit"] = outer_exit
    if outer_return is not None:
        scope.names["$outer"] = outer_return
    return Flow.FALL
