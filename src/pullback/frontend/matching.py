"""``match``, ``isinstance`` and ``is None``: branching on the class of a value.

A value of a union is taken apart first: in each arm its class is known, so that class patterns are
decided there at compile time. Patterns that depend on data become conditions.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from pullback.core.terms import Case, CaseArm, If
from pullback.errors import ArgumentTypeError
from pullback.frontend import records
from pullback.frontend.attributes import unpack, variant_params
from pullback.frontend.forks import Flow, fork_names, fork_value
from pullback.frontend.values import (
    ArrayV,
    ListV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    UnionV,
    Value,
    register,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run

# --- tests of the class of a name -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refinement:
    """A test that a name (whose value is a node) is of one of these classes, or is not."""

    name: str
    value: UnionV
    classes: tuple[type, ...]
    positive: bool


def refinement(run: Run, test: ast.expr) -> Refinement | None:
    """``isinstance(x, C)``, ``x is None``, ``x is not None`` of a name that holds a node."""
    match test:
        case ast.Call(ast.Name("isinstance"), [ast.Name(name), classes], []):
            value = _node_called(run, name)
            if value is None:
                return None
            return Refinement(name, value, classes_of(run, classes), True)
        case ast.Compare(ast.Name(name), [ast.Is() | ast.IsNot() as op], [ast.Constant(None)]):
            value = _node_called(run, name)
            if value is None:
                return None
            return Refinement(name, value, (types.NoneType,), isinstance(op, ast.Is))
        case _:
            return None


def _node_called(run: Run, name: str) -> UnionV | None:
    value = run.scope.names.get(name)
    return value if isinstance(value, UnionV) else None


def classes_of(run: Run, node: ast.expr) -> tuple[type, ...]:
    """The second argument of isinstance."""
    from pullback.frontend.expressions import evaluate

    return _classes_in(run, evaluate(run, node), node)


def _classes_in(run: Run, value: Value, node: ast.AST) -> tuple[type, ...]:
    match value:
        case Static(type() as cls):
            return (cls,)
        case TupleV(items):
            return tuple(c for v in items for c in _classes_in(run, v, node))
        case Static(types.UnionType() as union):
            return tuple(c for c in union.__args__ if isinstance(c, type))
        case _:
            run.refuse(node, "isinstance needs a class", error=ArgumentTypeError)


def by_class(
    run: Run,
    r: Refinement,
    then: Callable[[], Value],
    orelse: Callable[[], Value],
    node: ast.AST,
) -> Value:
    """A conditional expression on a refinement; the name is unpacked inside the arms."""
    union = r.value.union
    params = [variant_params(run, r.value, tag) for tag in range(len(union.classes))]

    def arm(tag: int) -> Value:
        cls = union.classes[tag]
        names = run.scope.names
        run.scope.names = {**names, r.name: unpack(run, r.value, cls, params[tag])}
        try:
            return then() if issubclass(cls, r.classes) is r.positive else orelse()
        finally:
            run.scope.names = names

    arms = [lambda tag=tag: arm(tag) for tag in range(len(union.classes))]
    return fork_value(
        run,
        arms,
        lambda blocks: Case(r.value.atom, tuple(map(CaseArm, params, blocks))),
        node,
    )


def branch_by_class(
    run: Run,
    r: Refinement,
    body: Callable[[], Flow],
    orelse: Callable[[], Flow],
    live: frozenset[str],
    node: ast.stmt,
) -> Flow:
    """An ``if`` on a refinement."""

    def arm(value: Value, cls: type) -> Flow:
        run.scope.names[r.name] = value
        flow = body() if issubclass(cls, r.classes) is r.positive else orelse()
        if run.scope.names.get(r.name) is value:
            run.scope.names[r.name] = r.value
        return flow

    return _case(run, r.value, arm, live, node)


def _case(
    run: Run,
    value: UnionV,
    arm: Callable[[Value, type], Flow],
    live: frozenset[str],
    node: ast.stmt,
) -> Flow:
    union = value.union
    params = [variant_params(run, value, tag) for tag in range(len(union.classes))]
    arms = [
        lambda tag=tag: arm(unpack(run, value, union.classes[tag], params[tag]), union.classes[tag])
        for tag in range(len(union.classes))
    ]
    return fork_names(
        run,
        arms,
        lambda blocks: Case(value.atom, tuple(map(CaseArm, params, blocks))),
        live,
        node,
    )


def is_instance(
    run: Run, value: Value, classes: tuple[type, ...], node: ast.AST
) -> Value:
    """``isinstance(value, classes)`` as a value."""
    match value:
        case UnionV(_, union):
            tests = [issubclass(c, classes) for c in union.classes]
            if all(tests) or not any(tests):
                return Static(tests[0])
            params = [variant_params(run, value, tag) for tag in range(len(tests))]
            arms = [lambda t=t: Static(t) for t in tests]
            return fork_value(
                run,
                arms,
                lambda blocks: Case(value.atom, tuple(map(CaseArm, params, blocks))),
                node,
            )
        case RecordV(cls):
            return Static(issubclass(cls, classes))
        case _:
            return Static(_builtin_instance(value, classes))


@register(isinstance)
def _isinstance(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if len(args) != 2 or kwargs:
        sp.refuse(node, "isinstance takes two arguments", error=ArgumentTypeError)
    from pullback.frontend.run import Run

    assert isinstance(sp, Run)
    return is_instance(sp, args[0], _classes_in(sp, args[1], node), node)


def _builtin_instance(value: Value, classes: tuple[type, ...]) -> bool:
    import numpy as np

    from pullback.core.types import Bool, Real

    match value:
        case Static(v):
            return isinstance(v, classes)
        case Scalar(_, True):
            example: object = 0.5 if isinstance(value.type, Real) else 1
            return isinstance(isinstance(value.type, Bool) or example, classes)
        case Scalar():
            from pullback.frontend.dtypes import DTYPES

            return issubclass(DTYPES[value.type].type, classes)
        case ArrayV():
            return issubclass(np.ndarray, classes)
        case TupleV(_, is_list):
            return issubclass(list if is_list else tuple, classes)
        case ListV():
            return issubclass(list, classes)
        case _:
            return object in classes


# --- match ----------------------------------------------------------------------------------------

Body = Callable[[Sequence[ast.stmt]], Flow]


def match_statement(run: Run, s: ast.Match, run_case: Body, live: frozenset[str]) -> Flow:
    """Run a ``match``. ``run_case`` runs the body of a case (and what follows, if need be)."""
    from pullback.frontend.expressions import evaluate

    subject = evaluate(run, s.subject)
    live = live | {"$return", "$exit"}
    if isinstance(subject, UnionV):
        return _case(run, subject, lambda v, _: _cases(run, s, v, 0, run_case, live), live, s)
    return _cases(run, s, subject, 0, run_case, live)


def _cases(
    run: Run, s: ast.Match, subject: Value, k: int, run_case: Body, live: frozenset[str]
) -> Flow:
    if k == len(s.cases):
        return run_case([])
    case = s.cases[k]

    def otherwise() -> Flow:
        return _cases(run, s, subject, k + 1, run_case, live)

    def success() -> Flow:
        if case.guard is None:
            return run_case(case.body)
        from pullback.frontend.expressions import test_of

        cond = test_of(run, case.guard)
        if isinstance(cond, bool):
            return run_case(case.body) if cond else otherwise()
        return fork_names(
            run,
            (lambda: run_case(case.body), otherwise),
            lambda b: If(cond, b[0], b[1]),
            live,
            s,
        )

    return _pattern(run, case.pattern, subject, success, otherwise, live, s)


Next = Callable[[], Flow]


def _pattern(
    run: Run,
    pattern: ast.pattern,
    subject: Value,
    success: Next,
    failure: Next,
    live: frozenset[str],
    s: ast.stmt,
) -> Flow:
    """Match one pattern, then go on with ``success`` (its names bound) or ``failure``."""

    def sub(p: ast.pattern, v: Value, then: Next) -> Flow:
        return _pattern(run, p, v, then, failure, live, s)

    def bound(name: str | None, then: Next) -> Flow:
        if name is not None:
            run.scope.names[name] = _whole(subject)
        return then()

    match pattern:
        case ast.MatchAs(None, name):
            return bound(name, success)
        case ast.MatchAs(inner, name):
            assert inner is not None
            return sub(inner, subject, lambda: bound(name, success))
        case ast.MatchOr(patterns):
            return _alternatives(run, patterns, subject, success, failure, live, s)
        case ast.MatchValue(value):
            from pullback.frontend.expressions import evaluate

            if isinstance(subject, UnionV | RecordV):
                return failure()
            equal = run.compare("==", subject, evaluate(run, value), value)
            return _conditional(run, run.truth(equal, value), success, failure, live, s)
        case ast.MatchSingleton(constant):
            return _singleton(run, constant, subject, success, failure, live, s)
        case ast.MatchClass(cls, patterns, names, keywords):
            if isinstance(subject, UnionV):
                node = subject
                return _case(
                    run,
                    node,
                    lambda v, _: _pattern(run, pattern, v, success, failure, live, s),
                    live,
                    s,
                )
            return _class_pattern(
                run, classes_of(run, cls), patterns, names, keywords, subject, success, failure, sub
            )
        case ast.MatchSequence(patterns):
            return _sequence_pattern(run, patterns, subject, success, failure, sub)
        case ast.MatchMapping() | ast.MatchStar():
            run.refuse(pattern, "this pattern is not supported")
        case _:
            assert_never(pattern)  # type: ignore[arg-type]


def _whole(value: Value) -> Value:
    """A captured node is the node itself, not its unpacked copy."""
    if isinstance(value, RecordV) and value.node is not None:
        return value.node
    return value


def _conditional(
    run: Run, cond: object, success: Next, failure: Next, live: frozenset[str], s: ast.stmt
) -> Flow:
    from pullback.core.terms import Lit, Var

    if isinstance(cond, Lit):
        cond = bool(cond.value)
    if isinstance(cond, bool):
        return success() if cond else failure()
    assert isinstance(cond, Var)
    test = cond
    return fork_names(run, (success, failure), lambda b: If(test, b[0], b[1]), live, s)


def _alternatives(
    run: Run,
    patterns: Sequence[ast.pattern],
    subject: Value,
    success: Next,
    failure: Next,
    live: frozenset[str],
    s: ast.stmt,
) -> Flow:
    if not patterns:
        return failure()

    def next_one() -> Flow:
        return _alternatives(run, patterns[1:], subject, success, failure, live, s)

    return _pattern(run, patterns[0], subject, success, next_one, live, s)


def _singleton(
    run: Run,
    constant: object,
    subject: Value,
    success: Next,
    failure: Next,
    live: frozenset[str],
    s: ast.stmt,
) -> Flow:
    """None, True, False"""
    if isinstance(subject, UnionV):
        if constant is not None:
            return failure()

        def arm(_: Value, cls: type) -> Flow:
            return success() if cls is types.NoneType else failure()

        return _case(run, subject, arm, live, s)
    if constant is None or isinstance(subject, Static):
        same = isinstance(subject, Static) and subject.value is constant
        return success() if same else failure()
    if not isinstance(subject, Scalar) or not is_bool(subject):
        return failure()
    cond = run.truth(subject, s)
    arms = (success, failure) if constant else (failure, success)
    return _conditional(run, cond, *arms, live, s)


def is_bool(value: Scalar) -> bool:
    from pullback.core.types import Bool

    return isinstance(value.type, Bool)


def _class_pattern(
    run: Run,
    classes: tuple[type, ...],
    patterns: Sequence[ast.pattern],
    names: Sequence[str],
    keywords: Sequence[ast.pattern],
    subject: Value,
    success: Next,
    failure: Next,
    sub: Callable[[ast.pattern, Value, Next], Flow],
) -> Flow:
    (cls,) = classes
    if not isinstance(subject, RecordV):
        if not _builtin_instance(subject, classes):
            return failure()
        if names or len(patterns) > 1:
            return failure()
        return sub(patterns[0], subject, success) if patterns else success()
    if not issubclass(subject.cls, cls):
        return failure()
    positional: tuple[str, ...] = getattr(cls, "__match_args__", records.field_names(cls))
    if len(patterns) > len(positional):
        run.refuse(
            patterns[-1],
            f"{cls.__name__}() accepts {len(positional)} positional sub-patterns "
            f"({len(patterns)} given)",
            error=ArgumentTypeError,
        )
    parts = [*zip(patterns, positional), *zip(keywords, names)]

    def go(k: int) -> Flow:
        if k == len(parts):
            return success()
        p, name = parts[k]
        if name not in subject.fields:
            return failure()
        return sub(p, subject.fields[name], lambda: go(k + 1))

    return go(0)


def _sequence_pattern(
    run: Run,
    patterns: Sequence[ast.pattern],
    subject: Value,
    success: Next,
    failure: Next,
    sub: Callable[[ast.pattern, Value, Next], Flow],
) -> Flow:
    if isinstance(subject, RecordV) and issubclass(subject.cls, tuple):
        subject = TupleV(tuple(subject.fields.values()))
    if isinstance(subject, ListV):
        run.refuse(
            patterns[0] if patterns else ast.Pass(),
            "a sequence pattern on a list of unknown length is not supported",
            "test its length and index it",
        )
    if not isinstance(subject, TupleV):
        return failure()
    items = subject.items
    stars = [k for k, p in enumerate(patterns) if isinstance(p, ast.MatchStar)]
    if len(items) != len(patterns) if not stars else len(items) < len(patterns) - 1:
        return failure()
    values = list(items)
    if stars:
        k = stars[0]
        after = len(patterns) - k - 1
        middle = TupleV(items[k : len(items) - after], is_list=True)
        values = [*items[:k], middle, *items[len(items) - after :]]

    def go(k: int) -> Flow:
        if k == len(patterns):
            return success()
        p = patterns[k]
        if isinstance(p, ast.MatchStar):
            if p.name is not None:
                run.scope.names[p.name] = values[k]
            return go(k + 1)
        return sub(p, values[k], lambda: go(k + 1))

    return go(0)
