"""``match``: statements chosen by patterns.

The subject is taken apart first, if it can be several things: in each arm its class is known, and
class patterns are decided there at compile time. Patterns that depend on data become conditions
(sequence patterns on lists: ``list_patterns``).
What follows a pattern that does not fit is written once: where a pattern can fail in several
places, it is first tested as a whole and then, where it fits, taken apart for its names.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, assert_never

from pullback.core.frozen import dataclass, field
from pullback.core.terms import If, Lit, Var
from pullback.core.types import Bool
from pullback.frontend.interpret import mapping_patterns, unmatched
from pullback.frontend.interpret.by_tags import flow_by_tag
from pullback.frontend.interpret.forks import fork_names
from pullback.frontend.interpret.list_patterns import (
    Known,
    Lengths,
    length_fits,
    parts_of_list,
    takes_all,
)
from pullback.frontend.interpret.narrowing import (
    case_flow,
    classes_of,
    place_of,
    while_narrowed,
)
from pullback.frontend.interpret.pattern_parts import Part, has_items, parts_of
from pullback.frontend.kinds.tagged_tuples import taken_place
from pullback.frontend.kinds.values import (
    ListV,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    Static,
    TupleV,
    UnionV,
    Value,
)
from pullback.frontend.memory import ownership, places
from pullback.frontend.python.syntax import pattern_names
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow
from pullback.frontend.store import tuple_rows
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Body = Callable[[Sequence[ast.stmt]], Flow]
Next = Callable[[], Flow]


@dataclass(frozen=True, slots=True)
class _Match:
    """A match statement being run. ``run_case`` runs the body of a case (and what follows, if need
    be); ``last``: nothing follows in the function."""

    run: Run
    s: ast.Match
    run_case: Body
    live: frozenset[str]
    last: bool

    def cases(self, subject: Value, k: int, known: Known) -> Flow:
        """Run the cases from ``k`` on. ``known`` are the lengths of lists that the cases before
        leave."""
        run, s = self.run, self.s
        if k == len(s.cases):
            if self.last and unmatched.is_missing_return(run, s):
                unmatched.fail(run, subject, s)
            return self.run_case([])
        case = s.cases[k]
        after = known if case.guard else _learned(run, case.pattern, subject, known)

        def otherwise() -> Flow:
            return self.cases(subject, k + 1, after)

        def success() -> Flow:
            if case.guard is None:
                return self.run_case(case.body)
            cond = run.test_of(case.guard)
            return self.conditional(cond, lambda: self.run_case(case.body), otherwise)

        matcher = _Matcher(run, self.live, s, known)
        if matcher.exits(case.pattern, subject) > 1:
            fits = run.truth(_test(run, case.pattern, subject, s), s)
            return self.conditional(
                fits, lambda: matcher.pattern(case.pattern, subject, success, _never), otherwise
            )
        return matcher.pattern(case.pattern, subject, success, otherwise)

    def conditional(self, cond: object, success: Next, failure: Next) -> Flow:
        return _Matcher(self.run, self.live, self.s).conditional(cond, success, failure)


def _never() -> Flow:
    """Fail at a pattern of which a test has shown that it fits."""
    raise Unreachable


def match_statement(
    run: Run, s: ast.Match, run_case: Body, live: frozenset[str], last: bool
) -> Flow:
    """Run a ``match``. ``run_case`` runs the body of a case (and what follows, if need be);
    ``last``: nothing follows in the function."""

    match = _Match(run, s, run_case, live | {"$return", "$exit"}, last)
    tagged = taken_place(run, s.subject)
    if tagged is not None:
        return flow_by_tag(
            run, *tagged, lambda: _apart(match, run.evaluate(s.subject)), match.live, s
        )
    return _apart(match, run.evaluate(s.subject))


def _apart(match: _Match, subject: Value) -> Flow:
    if not isinstance(subject, (UnionV, OptionalV)):
        return match.cases(subject, 0, {})
    run, s = match.run, match.s

    def arm(value: Value) -> Flow:
        return while_narrowed(run, path, subject, value, lambda: _apart(match, value), s)

    path, _ = place_of(run, s.subject)
    return case_flow(run, subject, arm, match.live, s)


def whole(value: Value) -> Value:
    """Return a captured node itself, not its unpacked copy."""
    if isinstance(value, RecordV) and value.node is not None:
        return value.node
    return value


@dataclass(frozen=True, slots=True)
class _Matcher:
    """Matches patterns, then goes on with what follows on success (names bound) or failure."""

    run: Run
    live: frozenset[str]
    s: ast.stmt
    known: Known = field(default_factory=dict)

    def conditional(self, cond: object, success: Next, failure: Next) -> Flow:
        """Go on with success or failure, by a condition."""
        if isinstance(cond, Lit):
            cond = bool(cond.value)
        if isinstance(cond, bool):
            return success() if cond else failure()
        assert isinstance(cond, Var)
        test = cond
        return fork_names(
            self.run, (success, failure), lambda b: If(test, b[0], b[1]), self.live, self.s
        )

    def pattern(self, p: ast.pattern, subject: Value, success: Next, failure: Next) -> Flow:
        """Match one pattern."""
        run = self.run
        subject = tuple_rows.opened(run, subject, p)
        if isinstance(p, ast.MatchSequence) and has_items(subject):
            subject = run.to_list(subject, p)
        if isinstance(subject, (UnionV, OptionalV)) and _takes_apart(p):
            return case_flow(
                run, subject, lambda v: self.pattern(p, v, success, failure), self.live, self.s
            )

        def bound(name: str | None) -> Flow:
            if name is not None:
                held = places.named(run, run.scope, name, whole(subject))
                ownership.rebound(run, run.scope, name)
                run.scope.names[name] = held
            return success()

        match p:
            case ast.MatchAs(None, name):
                return bound(name)
            case ast.MatchAs(inner, name):
                assert inner is not None
                return self.pattern(inner, subject, lambda: bound(name), failure)
            case ast.MatchOr(patterns):
                if any(True for _ in pattern_names(p)):
                    return self.alternatives(patterns, subject, success, failure)
                fits = run.truth(_test(run, p, subject, self.s), self.s)
                return self.conditional(fits, success, failure)
            case ast.MatchValue(value):
                return self.conditional(_equals(run, subject, value), success, failure)
            case ast.MatchSingleton(constant):
                return self.conditional(_is(run, subject, constant, self.s), success, failure)
            case ast.MatchSequence(patterns) if isinstance(subject, ListV):
                items = subject
                fits = length_fits(run, items, patterns, self.known.get(items, Lengths()))
                return self.conditional(
                    fits,
                    lambda: self.all(parts_of_list(run, items, patterns), success, failure),
                    failure,
                )
            case ast.MatchClass(cls) if isinstance(subject, RefV):
                fits = run.truth(run.is_instance(subject, classes_of(run, cls), p), p)

                def inside() -> Flow:
                    parts = parts_of(run, p, subject)
                    return failure() if parts is None else self.all(parts, success, failure)

                return self.conditional(fits, inside, failure)
            case ast.MatchMapping() if mapping_patterns.may_lack_keys(opened(run, subject, p)):
                fits, held = mapping_patterns.parts(run, p, opened(run, subject, p))
                return self.conditional(
                    fits, lambda: self.all(held(), success, failure), failure
                )
            case ast.MatchClass() | ast.MatchSequence() | ast.MatchMapping():
                parts = parts_of(run, p, subject)
                return failure() if parts is None else self.all(parts, success, failure)
            case ast.MatchStar():
                run.refuse(p, "this pattern is not supported", "match on a dataclass or a tuple")
            case _:
                assert_never(p)  # type: ignore[arg-type]  # ast.pattern has no union

    def all(self, parts: Sequence[Part], success: Next, failure: Next) -> Flow:
        """Match all of several patterns."""
        if not parts:
            return success()
        (p, value), rest = parts[0], parts[1:]

        def go_on() -> Flow:
            return self.all(rest, success, failure)

        if isinstance(p, ast.MatchStar):
            if p.name is not None:
                ownership.rebound(self.run, self.run.scope, p.name)
                self.run.scope.names[p.name] = value
            return go_on()
        return self.pattern(p, value, go_on, failure)

    def alternatives(
        self, patterns: Sequence[ast.pattern], subject: Value, success: Next, failure: Next
    ) -> Flow:
        """Match one of several patterns."""
        if len(patterns) == 1:
            return self.pattern(patterns[0], subject, success, failure)
        first = patterns[0]

        def next_one() -> Flow:
            return self.alternatives(patterns[1:], subject, success, failure)

        if self.exits(first, subject) > 1:
            fits = self.run.truth(_test(self.run, first, subject, self.s), self.s)
            return self.conditional(
                fits, lambda: self.pattern(first, subject, success, _never), next_one
            )
        return self.pattern(first, subject, success, next_one)

    def exits(self, p: ast.pattern, subject: Value) -> int:
        """Return the number of places in which the pattern can fail (at most; 2 stands for
        more)."""
        if isinstance(subject, (UnionV, OptionalV)) and _takes_apart(p):
            return 2
        match p:
            case ast.MatchAs(None):
                return 0
            case ast.MatchAs(inner):
                assert inner is not None
                return self.exits(inner, subject)
            case ast.MatchOr(patterns):
                return self.exits(patterns[-1], subject)
            case ast.MatchSequence(patterns) if isinstance(subject, ListV):
                return 1 if all(map(takes_all, patterns)) else 2
            case ast.MatchSequence() if has_items(subject):
                return 2
            case ast.MatchClass() if isinstance(subject, RefV):
                return 2
            case ast.MatchMapping() if mapping_patterns.may_lack_keys(
                opened(self.run, subject, p)
            ):
                return 2
            case ast.MatchClass() | ast.MatchSequence() | ast.MatchMapping():
                parts = parts_of(self.run, p, subject)
                return 1 if parts is None else sum(
                    0 if isinstance(q, ast.MatchStar) else self.exits(q, v) for q, v in parts
                )
            case _:
                return 1


def _takes_apart(p: ast.pattern) -> bool:
    """Whether the pattern looks at what the value is."""
    return not isinstance(p, (ast.MatchAs, ast.MatchOr))


# --- one pattern as a condition -------------------------------------------------------------------


def _test(run: Run, p: ast.pattern, subject: Value, s: ast.stmt) -> Value:
    """Whether a pattern fits."""
    subject = tuple_rows.opened(run, subject, p)
    if isinstance(p, ast.MatchSequence) and has_items(subject):
        subject = run.to_list(subject, p)
    if isinstance(subject, (UnionV, OptionalV)) and _takes_apart(p):
        return run.case_value(subject, lambda v: _test(run, p, v, s), s)
    match p:
        case ast.MatchAs(None):
            return Static(True)
        case ast.MatchAs(inner):
            assert inner is not None
            return _test(run, inner, subject, s)
        case ast.MatchOr(patterns):
            return _some(run, patterns, subject, s)
        case ast.MatchValue(value):
            return _as_value(_equals(run, subject, value))
        case ast.MatchSingleton(constant):
            return _as_value(_is(run, subject, constant, s))
        case ast.MatchSequence(patterns) if isinstance(subject, ListV):
            items = subject
            return run.branch(
                length_fits(run, items, patterns, Lengths()),
                lambda: _every(run, parts_of_list(run, items, patterns), s),
                lambda: Static(False),
                s,
            )
        case ast.MatchClass(cls) if isinstance(subject, RefV):
            fits = run.truth(run.is_instance(subject, classes_of(run, cls), p), p)
            return run.branch(
                fits, lambda: _every(run, parts_of(run, p, subject), s), lambda: Static(False), s
            )
        case ast.MatchMapping() if mapping_patterns.may_lack_keys(opened(run, subject, p)):
            fits, held = mapping_patterns.parts(run, p, opened(run, subject, p))
            return run.branch(fits, lambda: _every(run, held(), s), lambda: Static(False), s)
        case ast.MatchClass() | ast.MatchSequence() | ast.MatchMapping():
            return _every(run, parts_of(run, p, subject), s)
        case _:
            run.refuse(p, "this pattern is not supported", "match on a dataclass or a tuple")


def _every(run: Run, parts: Sequence[Part] | None, s: ast.stmt) -> Value:
    """Whether all of several patterns fit; None: the pattern around them does not."""
    if not parts:
        return Static(parts is not None)
    (p, value), rest = parts[0], parts[1:]
    if isinstance(p, ast.MatchStar):
        return _every(run, rest, s)
    first = run.truth(_test(run, p, value, s), s)
    return run.branch(first, lambda: _every(run, rest, s), lambda: Static(False), s)


def _some(run: Run, patterns: Sequence[ast.pattern], subject: Value, s: ast.stmt) -> Value:
    first = run.truth(_test(run, patterns[0], subject, s), s)
    if len(patterns) == 1:
        return _as_value(first)
    return run.branch(
        first, lambda: Static(True), lambda: _some(run, patterns[1:], subject, s), s
    )


def _as_value(cond: object) -> Value:
    if isinstance(cond, bool):
        return Static(cond)
    assert isinstance(cond, (Var, Lit))
    return Scalar(cond, True, 1)


def _equals(run: Run, subject: Value, value: ast.expr) -> object:
    return run.truth(run.compare("==", subject, run.evaluate(value), value), value)


def _is(run: Run, subject: Value, constant: object, s: ast.stmt) -> object:
    """Match None, True or False."""
    if constant is None or isinstance(subject, Static):
        return isinstance(subject, Static) and subject.value is constant
    if not isinstance(subject, Scalar) or not isinstance(subject.type, Bool) or not subject.py:
        return False
    cond = run.truth(subject, s)
    if constant:
        return cond
    return (not cond) if isinstance(cond, bool) else run.b.prim("not", cond)


# --- what earlier cases say -----------------------------------------------------------------------


def _learned(run: Run, p: ast.pattern, subject: Value, known: Known) -> Known:
    """Return the lengths of lists that are left if the pattern does not fit."""
    match p:
        case ast.MatchAs(ast.pattern() as inner):
            return _learned(run, inner, subject, known)
        case ast.MatchSequence(patterns) if isinstance(subject, ListV):
            if not all(map(takes_all, patterns)):
                return known
            return {**known, subject: known.get(subject, Lengths()).without(patterns)}
        case ast.MatchOr(patterns):
            for each in patterns:
                known = _learned(run, each, subject, known)
            return known
        case ast.MatchClass() | ast.MatchSequence() if isinstance(subject, (RecordV, TupleV)):
            with run.scratch():
                parts = parts_of(run, p, subject)
            asks = [part for part in parts or () if not takes_all(part[0])]
            return _learned(run, *asks[0], known) if len(asks) == 1 else known
        case _:
            return known


__all__ = ["match_statement", "whole"]
