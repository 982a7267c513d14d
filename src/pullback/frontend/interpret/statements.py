"""Running statements forward: assignment, branches, jumps, raises.

A jump (return, break, continue) inside a branch is handled by continuation: what follows the ``if``
is run inside those of its branches that go on. ``return`` binds the name ``$return``; ``break`` and
``return`` inside a loop also bind ``$exit``, which the loop tests.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.trails import is_followed
from pullback.errors import PullbackError
from pullback.frontend.functions import generator_forms, iterator_lifetimes, local_classes
from pullback.frontend.functions.generator_forms import NO_VALUE, yields
from pullback.frontend.functions.stepped_form import is_step
from pullback.frontend.interpret import (
    attempts,
    by_reference,
    by_tags,
    generator_bodies,
    generators,
    loops,
    narrowing,
    patterns,
    raising,
    said_rules,
)
from pullback.frontend.interpret.assignment import assign, augmented
from pullback.frontend.interpret.attribute_updates import delete
from pullback.frontend.interpret.branching import branch, once
from pullback.frontend.interpret.conditions import EXIT_BREAK, EXIT_RETURN, exit_code
from pullback.frontend.interpret.iterator_results import NO_RESULT
from pullback.frontend.interpret.messages import kept_text
from pullback.frontend.interpret.objects import own_parts
from pullback.frontend.interpret.recovery import UNKNOWN, recovered
from pullback.frontend.interpret.spreading import spread
from pullback.frontend.interpret.trailing import trailing
from pullback.frontend.kinds.flatten import NoKindError
from pullback.frontend.kinds.values import (
    OptionalV,
    Stale,
    Static,
    Value,
)
from pullback.frontend.memory import nested_updates, ownership, places
from pullback.frontend.python import imports
from pullback.frontend.python.attempted import Attempt, ByClause, Once
from pullback.frontend.python.contexts import Context
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import (
    CONSUMER,
    binds_names,
    is_endless,
    is_generator,
    jumps,
    size,
    told,
    ways_through,
)
from pullback.frontend.signals import FollowUp, Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MAX_REPEATED = 40
"""Code of this size (in syntax nodes) may be repeated in several branches that go on."""


def run_body(run: Run, definition: Definition) -> Value:
    """Run a function body; its value (None if it ends without return)."""
    if isinstance(definition.node, ast.Lambda):
        result = run.evaluate(definition.node.body)
        iterator_lifetimes.at_the_end(run, definition.node)
        return result
    if is_generator(definition.node) and CONSUMER not in run.scope.names:
        why = NO_VALUE if is_step(definition.node) else NO_RESULT
        run.refuse(yields(definition.node), *why)
    if execute(run, definition.node.body) is Flow.DEAD:
        raise Unreachable
    iterator_lifetimes.at_the_end(run, definition.node)
    if is_generator(definition.node):
        return generator_bodies.result(run, generator_forms.tells(definition))
    result = run.scope.names.get("$return", Static(None))
    if isinstance(result, Stale):
        error = FollowUp if result.reason == UNKNOWN else None
        run.refuse(definition.node, result.reason, "return a value on every path", error)
    return result


def execute(run: Run, stmts: Sequence[ast.stmt]) -> Flow:
    """Run statements in order."""
    for k, s in enumerate(stmts):
        rest = stmts[k + 1 :]
        try:
            if isinstance(s, Attempt):
                return attempts.attempt(run, s, partial(_finish, run, rest))
            if isinstance(s, ByClause) and (known := attempts.reached(run, s)) is not None:
                return known if isinstance(known, Flow) else execute(run, [*known, *rest])
            if isinstance(s, (ast.If, ast.Match)) and jumps([s]) and not _all_jump(s):
                return _with_rest(run, s, rest)
            if (found := by_tags.split(run, s, rest)) is not None:
                return _by_tag(run, *found, stmts[k:])
            flow = trailing(run, s, _statement) if is_followed() else _statement(run, s)
        except (PullbackError, NoKindError) as e:
            refusal = run.not_kept(e.value, s) if isinstance(e, NoKindError) else e
            if run.frame.split > 1:
                by_tags.refused(run, refusal, s)
            if run.problems is None or run.incomplete:
                raise refusal from None
            recovered(run, s, refusal)
            flow = Flow.JUMPED if isinstance(s, ast.Return) else Flow.FALL
        if run.frame.split > 1:
            run.frame.fits[s] = None
        if flow is not Flow.FALL:
            return flow
        if "$left" in run.scope.names:
            return _after_exit(run, s, rest)
        if isinstance(s, (ast.For, ast.While)) and s.orelse:
            return execute(run, [*s.orelse, *rest])
    return Flow.FALL


def _by_tag(run: Run, name: str, value: OptionalV, stmts: Sequence[ast.stmt]) -> Flow:
    """Run statements to the end of their block for each of the tuples that a name may be."""
    if jumps(stmts):
        ends, live = _finish, _live_end(run)
    else:
        after = liveness_of_frame(run).get(stmts[-1], frozenset())
        ends, live = execute, after | {"$return", "$exit"}
    return by_tags.flow_by_tag(run, name, value, lambda: ends(run, stmts), live, stmts[0])


def _all_jump(s: ast.stmt) -> bool:
    """Whether nothing after the statement is ever reached."""
    match s:
        case ast.Return() | ast.Break() | ast.Continue() | ast.Raise():
            return True
        case ast.If(_, body, orelse):
            return _ends(body) and _ends(orelse)
        case _:
            return False


def _ends(stmts: Sequence[ast.stmt]) -> bool:
    return any(_all_jump(s) for s in stmts)


def _live_end(run: Run) -> frozenset[str]:
    return run.frame.live_end


def _finish(run: Run, stmts: Sequence[ast.stmt]) -> Flow:
    """Run the last statements of a function or loop body: afterwards this path has ended."""
    flow = execute(run, stmts)
    if flow is Flow.FALL and not run.frame.in_loop:
        run.scope.names["$return"] = Static(None)
    return Flow.JUMPED if flow is Flow.FALL else flow


def _with_rest(run: Run, s: ast.If | ast.Match, rest: Sequence[ast.stmt]) -> Flow:
    """Run a branch with jumps in it: the code after it is run inside the arms that go on."""
    if ways_through([s]) > 1 and size(rest) > _MAX_REPEATED and jumps([s]) == {"return"}:
        if once(run, s, lambda: execute(run, [s])) is Flow.DEAD:
            return Flow.DEAD
        return _after_exit(run, s, rest)
    if isinstance(s, ast.If):
        return _if(
            run,
            s,
            lambda: _finish(run, [*s.body, *rest]),
            lambda: _finish(run, [*s.orelse, *rest]),
            _live_end(run),
        )
    return patterns.match_statement(
        run,
        s,
        lambda body: _finish(run, [*body, *rest]),
        _live_end(run),
        last=not rest and not run.frame.in_loop,
    )


def _after_exit(run: Run, s: ast.stmt, rest: Sequence[ast.stmt]) -> Flow:
    """Go on after a loop that a ``return`` may have left, only if it was not."""
    exit_ = run.scope.names.pop("$left")
    outer = run.scope.names.pop("$outer", None)
    body = s.body if isinstance(s, (ast.For, ast.While)) else [s]
    if "return" not in jumps(body) or "$return" not in run.scope.names:
        return _after_break(run, s, exit_, rest, execute)
    cond = run.truth(run.compare("==", exit_, Static(EXIT_RETURN), s), s)

    def leave() -> Flow:
        if run.frame.in_loop:
            run.scope.names["$exit"] = Static(EXIT_RETURN)
        return Flow.JUMPED

    if _endless(s):
        return leave()

    def go_on() -> Flow:
        run.scope.names.pop("$return", None)
        if outer is not None:
            run.scope.names["$return"] = outer
        return _after_break(run, s, exit_, rest, _finish)

    return branch(run, cond, leave, go_on, _live_end(run), s)


def _after_break(
    run: Run,
    s: ast.stmt,
    exit_: Value,
    rest: Sequence[ast.stmt],
    go: Callable[[Run, Sequence[ast.stmt]], Flow],
) -> Flow:
    """Go on after a loop that no ``return`` has left: run its ``else`` only if no ``break`` has
    left it either."""
    if not isinstance(s, (ast.For, ast.While)) or not s.orelse:
        return go(run, rest)
    orelse = s.orelse
    if "break" not in jumps(s.body):
        return go(run, [*orelse, *rest])
    broken = run.truth(run.compare("==", exit_, Static(EXIT_BREAK), s), s)

    if jumps(orelse):
        return branch(
            run,
            broken,
            lambda: _finish(run, rest),
            lambda: _finish(run, [*orelse, *rest]),
            _live_end(run),
            s,
        )
    live = liveness_of_frame(run).get(s, frozenset()) | {"$return", "$exit"}
    flow = branch(run, broken, lambda: Flow.FALL, lambda: execute(run, orelse), live, s)
    return go(run, rest) if flow is Flow.FALL else flow


def _endless(s: ast.stmt) -> bool:
    """Compile ``while True`` without break: only return leaves it."""
    return isinstance(s, ast.While) and is_endless(s) and "break" not in jumps(s.body)


def _statement(run: Run, s: ast.stmt) -> Flow:
    match s:
        case ast.Assign() if nested_updates.exchange(run, s):
            pass
        case ast.Assign([target], value) if (text := kept_text(run, target, value)) is not None:
            assert isinstance(target, ast.Name)
            run.scope.names[target.id] = text
        case ast.Assign(targets, value):
            made = run.evaluate(value)
            for target in targets:
                made = own_parts(run, target, value, made)
            for target in targets:
                run.assign(target, made, s)
        case ast.AnnAssign(target, _, value):
            if value is not None:
                run.assign(target, run.evaluate(value), s)
        case ast.AugAssign():
            augmented(run, s)
        case ast.If():
            live = liveness_of_frame(run).get(s, frozenset()) | {"$return", "$exit"}
            if _all_jump(s):
                live = _live_end(run)
            return _if(
                run, s, lambda: execute(run, s.body), lambda: execute(run, s.orelse), live
            )
        case ast.Match():
            live = liveness_of_frame(run).get(s, frozenset())
            return patterns.match_statement(
                run, s, lambda body: execute(run, body), live, last=False
            )
        case ast.For():
            if (told_name := told(s)) is not None:
                run.scope.names[told_name] = Static(None)  # unless it is a generator
            return loops.for_statement(run, s)
        case Once():
            return attempts.once(run, s)
        case ast.While():
            return loops.while_statement(run, s)
        case ast.Return(value):
            result = Static(None) if value is None else run.evaluate(value)
            if CONSUMER in run.scope.names and not generator_forms.tells(run.frame.definition):
                result = Static(None)  # nobody asks for it
            result = places.handed_on(run, result)
            names = run.scope.names  # not those before: the value may have changed some of them
            names["$return"] = result = generators.of(run).returned(result, s)
            if run.frame.in_loop:
                names["$exit"] = Static(EXIT_RETURN)
                run.frame.returned.append(run.kind(result, s))
            return Flow.JUMPED
        case ast.Break():
            run.scope.names["$exit"] = Static(exit_code(s))
            return Flow.JUMPED
        case ast.Continue():
            return Flow.JUMPED
        case ast.FunctionDef(name):
            _define(run, s, name)
        case ast.ClassDef(name):
            made_here = local_classes.class_value(run, s)
            ownership.rebound(run, run.scope, name)
            run.scope.names[name] = made_here
        case ast.Expr(ast.Yield(value)):
            made = Static(None) if value is None else run.evaluate(value)
            generator_bodies.yield_(run, made, s)
        case Context():
            attempts.context(run, s)
        case ast.Expr(value):
            _expression_statement(run, value)
        case ast.Assert(test, message):
            return raising.assert_(run, test, message, s)
        case ast.Raise():
            return raising.raise_(run, s)
        case ast.Delete(targets):
            for target in targets:
                delete(run, target, s)
        case ast.Import() | ast.ImportFrom():
            imports.run(run, s)
        case ast.Pass() | ast.Nonlocal():
            pass
        case _:
            run.refuse(s, f"{type(s).__name__.lower()} statements are not supported")
    return Flow.FALL


def liveness_of_frame(run: Run) -> dict[ast.stmt, frozenset[str]]:
    assert run.frame.definition is not None
    return liveness_of(run.frame.definition.node).after


# --- branches -------------------------------------------------------------------------------------


def _if(
    run: Run,
    s: ast.If,
    body: Callable[[], Flow],
    orelse: Callable[[], Flow],
    live: frozenset[str],
) -> Flow:
    return _test_branch(run, s.test, body, orelse, live, s)


def _test_branch(
    run: Run,
    test: ast.expr,
    body: Callable[[], Flow],
    orelse: Callable[[], Flow],
    live: frozenset[str],
    s: ast.stmt,
) -> Flow:
    def narrows(e: ast.expr) -> bool:
        return narrowing.refinement(run, e) is not None

    match test:
        case ast.UnaryOp(ast.Not(), inner) if narrows(inner):
            return _test_branch(run, inner, orelse, body, live, s)
        case ast.BoolOp(ast.And(), [first, *others]) if narrows(first) or binds_names(others):
            rest = others[0] if len(others) == 1 else ast.BoolOp(ast.And(), others)
            ast.copy_location(rest, test)
            return _test_branch(
                run, first, lambda: _test_branch(run, rest, body, orelse, live, s), orelse, live, s
            )
        case ast.BoolOp(ast.Or(), [first, *others]) if narrows(first) and _is_small(s):
            rest = others[0] if len(others) == 1 else ast.BoolOp(ast.Or(), others)
            ast.copy_location(rest, test)
            return _test_branch(
                run, first, body, lambda: _test_branch(run, rest, body, orelse, live, s), live, s
            )
        case _:
            refined = narrowing.refinement(run, test)
            if refined is not None:
                return narrowing.branch_by_class(run, refined, body, orelse, live, s)
            return branch(run, run.test_of(test), body, orelse, live, s)


def _is_small(s: ast.stmt) -> bool:
    """Whether the body may be written twice."""
    return isinstance(s, ast.If) and size(s.body) <= _MAX_REPEATED


# --- the rest ------------------------------------------------------------------------------------


def _define(run: Run, s: ast.FunctionDef, name: str) -> None:
    decorators = [
        (None if said_rules.function_of(run, d) else run.evaluate(d), d) for d in s.decorator_list
    ]
    f: Value = by_reference.function_value(run, s)
    for decorator, node in reversed(decorators):
        if decorator is None:
            said_rules.said_of(run, node, f)
        else:
            f = run.call(decorator, (f,), node)
    ownership.rebound(run, run.scope, name)
    run.scope.names[name] = f


def _expression_statement(run: Run, value: ast.expr) -> None:
    match value:
        case ast.Constant():
            return
    if not said_rules.said(run, value):
        run.evaluate(value)


__all__ = ["EXIT_BREAK", "EXIT_RETURN", "assign", "execute", "run_body", "spread"]
