"""Statements that may raise what a ``try`` around them catches (``python.trying``)."""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pullback.core import held
from pullback.core.build import Builder, boolean, i64
from pullback.core.terms import Atom, Block, If, Let, Var
from pullback.core.traverse import defined
from pullback.core.types import I64
from pullback.errors import MutationError
from pullback.frontend.functions import generator_ends, iterator_lifetimes
from pullback.frontend.functions.catching import Catching
from pullback.frontend.functions.caught_functions import EVERYTHING, Exit, Exits
from pullback.frontend.functions.caught_loops import bind
from pullback.frontend.functions.clauses import DIGIT, Clauses, called_number
from pullback.frontend.functions.scopes import shown
from pullback.frontend.interpret import branching, generators
from pullback.frontend.interpret.attributes import written
from pullback.frontend.interpret.forks import UNUSED, Names, fork_names, join_names
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.flatten import NoKindError, kind_of
from pullback.frontend.kinds.undefined import any_of
from pullback.frontend.kinds.values import (
    UNSET,
    WRITTEN_CLASSES,
    CaughtV,
    PlaceV,
    RecordV,
    RefV,
    Scalar,
    Stale,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.memory import holding
from pullback.frontend.python import looks
from pullback.frontend.python.attempted import CAUGHT, OBJECT, Attempt, ByClause, Level, Once
from pullback.frontend.python.contexts import Context, generator_of, is_method, of_class
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.source import definition_of
from pullback.frontend.python.syntax import STATE
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.interface import Specialiser
    from pullback.frontend.run import Run


def attempt(run: Run, s: Attempt, go_on: Callable[[], Flow]) -> Flow:
    """Run the statement of an attempt, then what follows (``go_on``); or, where it raises what is
    caught, its other end, which sees the variables as they were where it was raised."""
    (tried,) = s.body
    if looks.guard_of(tried) is not None and generators.of(run).outlives:
        known = len(run.b.lets)
        run.execute([tried])  # a generator that something keeps is not closed yet
        if any(run.caught.escapes(let.op, EVERYTHING) for let in run.b.lets[known:]):
            iterator_lifetimes.refuse(run, tried)
        return go_on()
    before = run.scope.names
    clauses = clauses_of(run, s.levels)
    run.scope.names = dict(before)
    around, run.trying = run.trying, clauses
    outer, run.frame.trying = run.frame.trying, clauses
    with run.building(Builder()) as b:
        try:
            flow = run.execute([tried])
        except Unreachable:
            flow = Flow.DEAD
        finally:
            run.trying, run.frame.trying = around, outer
            end, run.scope.names = run.scope.names, before
    catching = Catching(run.caught, clauses, any_of(run))
    if not catching.raises(b.block()):
        run.b.extend(b.block())
        run.scope.names = end
        return go_on() if flow is Flow.FALL else flow
    run.frame.reached |= set(catching.numbers(b.block()))
    raising = catching.leaves(b.block())
    dead = flow is Flow.DEAD
    shots = [_held(run, let, before, end, dead, clauses, tried) for let in raising]
    ends = _Ends(run, s, tried, before, None if dead else end, shots)
    block, exits = ends.joined(b, raising)
    tag = Var("caught", I64)
    caught = catching.block(block, exits)
    bind(run.b, caught, (tag, *ends.made))
    run.caught.stands_for(run.b.lets[-1], caught.lets[-1])
    live = run.frame.live_end

    def fine() -> Flow:
        run.scope.names = dict(ends.after)
        return go_on() if flow is Flow.FALL else flow

    def raised() -> Flow:
        return _raised(run, s, ends.failed, _caught(run, clauses, tag))

    if dead:
        return raised()
    test = run.b.prim("eq", tag, i64(0))
    return fork_names(run, (fine, raised), lambda b: If(test, b[0], b[1]), live, s)


def reached(run: Run, s: ByClause) -> list[ast.stmt] | Flow | None:
    """Return what is run where the choice of a clause is known: clauses that nothing reaches are
    not looked at. None: it is not known."""
    live = [choice for choice in s.chain() if choice.number in run.frame.reached]
    if s.ends and not live:
        return Flow.DEAD
    if s.ends and live == [s]:
        return s.body
    return None if s in live else s.orelse


def _raised(run: Run, s: Attempt, names: Names, caught: Names) -> Flow:
    """Run the other end. What it is told of the exception is not known behind it: a clause that
    needs it has it by a name of its own."""
    run.caught.contexts |= any(c.raises for level in s.levels for c in level.clauses)
    run.scope.names = names | caught
    flow = run.execute(s.orelse)
    for name in caught:
        run.scope.names.pop(name, None)
    return flow


def _held(
    run: Run, let: Let, before: Names, end: Names, dead: bool, clauses: Clauses, tried: ast.stmt
) -> Names:
    """Return what the names hold where an op of the statement raises (in any case: ``dead``)."""
    place = run.frame.raising.get(run.caught.key(let))
    if place is None:  # in code that has been rewritten
        changed = [n for n, v in end.items() if v is not before.get(n)]
        return {**before, **{n: Stale(_reason(n), tried) for n in changed}}
    unsure = place.unsure
    if place.midway:
        unsure |= {
            n for n, v in end.items()
            if v is not place.names.get(n) or (dead and holding.is_updated_in_place(v))
        }  # fmt: skip
    if place.called is not None and not _is_known(run, place.called, clauses, tried):
        unsure |= place.handed
    return {**before, **place.names, **{n: Stale(_reason(n), tried) for n in unsure}}


def _is_known(run: Run, function: str, clauses: Clauses, tried: ast.stmt) -> bool:
    """Whether it is known what a function hands back where it raises. Of one that is being run this
    is assumed, and seen when it is complete."""
    active = {spec.name for spec in run.calls.active}
    if not run.caught.known(function, clauses, active):
        return False
    if active:
        refusal = MutationError(_reason("."), "", run.site(tried))
        run.caught.assumed.setdefault((function, clauses), refusal)
    return True


class _Ends:
    """What names hold behind a statement that may raise: ``after`` it, and where it has ``failed``.
    What differs is given by results of its code, the variables ``made``. A name that holds the same
    kind of value at all ends is one result."""

    def __init__(
        self, run: Run, s: Attempt, tried: ast.stmt, before: Names, end: Names | None,
        shots: Sequence[Names],
    ) -> None:  # fmt: skip
        self.run, self.s, self.tried = run, s, tried
        self.before, self.end, self.shots = before, end, shots
        self.after: Names = {}
        self.failed: Names = dict(before)
        self.made: tuple[Var, ...] = ()

    def joined(self, b: Builder, raising: Sequence[Let]) -> tuple[Block, Exits]:
        """Return the statement's code with what names hold as results, and what these are where its
        ops raise."""
        run, names = self.run, self._changed()
        ends: list[Names] = [dict(self.before) for _ in self.shots]
        after = None if self.end is None else dict(self.end)
        one, several = set[str](), set[str]()
        for n in names:
            if n.startswith("$") and n != STATE:
                for env in ends:
                    env[n] = UNUSED
            elif self._is_one(n):
                one.add(n)
                for env, shot in zip(ends, self.shots, strict=True):
                    env[n] = shot[n]
            else:
                several.add(n)
                if after is not None:
                    after[f"{n}!"] = UNUSED
                for env, shot in zip(ends, self.shots, strict=True):
                    env[n] = UNUSED
                    if n in shot:
                        env[f"{n}!"] = shot[n]
        definition = run.frame.definition
        assert definition is not None
        known = liveness_of(definition.node)
        caught = known.head.get(self.s, frozenset())
        live = known.after.get(self.tried, frozenset()) | caught | {"$return", "$exit", STATE}
        always = caught | run.scope.always | run.scope.borrowed | run.frame.kept.keys()
        live |= {f"{n}!" for n in several & always}
        blocks: list[Block] = []

        def make(made: Sequence[Block]) -> If:
            blocks[:] = made
            return If(boolean(True), made[0], made[0])

        others = [Builder() for _ in ends]
        arms = [(b, after), *zip(others, ends, strict=True)]
        join_names(run, arms, make, live, self.tried, defined(b.block()))
        let = run.b.lets.pop()
        self.made = let.vars
        found, run.scope.names = run.scope.names, self.before
        self.after = {n: v for n, v in found.items() if self.end is not None and n in self.end}
        for n in one:
            self.failed[n] = found[n]
        for n in several:
            self.failed.pop(n, None)
            if f"{n}!" in found:
                self.failed[n] = found[f"{n}!"]
        return blocks[0], self._exits(blocks[1:], raising)

    def _exits(self, blocks: Sequence[Block], raising: Sequence[Let]) -> Exits:
        run = self.run
        exits = {}
        for block, let in zip(blocks, raising, strict=True):
            key = run.caught.key(let)
            place = run.frame.raising.get(key)
            before = () if place is None else place.lets
            exits[key] = Exit((*before, *block.lets), block.results)
        return exits

    def _changed(self) -> list[str]:
        envs = [*self.shots, *([] if self.end is None else [self.end])]
        names = dict.fromkeys(n for env in (self.before, *envs) for n in env)
        return [n for n in names if any(env.get(n) is not self.before.get(n) for env in envs)]

    def _is_one(self, name: str) -> bool:
        """Whether a name holds the same kind of value after the statement and where it raises."""
        values = [env.get(name) for env in (*self.shots, *([] if self.end is None else [self.end]))]
        if any(v is None or v is UNSET or isinstance(v, Stale) for v in values):
            return False
        if any(isinstance(v, PlaceV) for v in values):
            return all(isinstance(v, PlaceV) and self._is_one(v.root) for v in values)
        try:
            kinds = [kind_of(v) for v in values if v is not None]
        except NoKindError:
            return False
        return all(kind == kinds[0] for kind in kinds)


def _reason(name: str) -> str:
    if name.startswith("."):
        return (
            "this statement may raise after it has changed an object, or inside of a generator "
            "that is advanced, of which it is not known then where it stands, and the exception is "
            "caught"
        )
    what = repr(shown(name))
    return f"this statement may raise after it has changed {what}, and the exception is caught"


def _caught(run: Run, clauses: Clauses, tag: Atom) -> Names:
    """The number of the clause that catches, and that of the exception."""
    if not clauses.asks:
        return {CAUGHT: _number(clauses, tag)}
    clause, held = (run.b.prim(op, tag, i64(DIGIT)) for op in ("mod", "floordiv"))
    return {CAUGHT: _number(clauses, clause), OBJECT: Scalar(held, True)}


def _number(clauses: Clauses, tag: Atom) -> Value:
    numbers = {number for level in clauses.levels for _, number in level if number}
    return Static(numbers.pop()) if len(numbers) == 1 else Scalar(tag, True, 31)


def clauses_of(run: Run, levels: Sequence[Level]) -> Clauses:
    """What the clauses of ``try`` statements catch: the values of the expressions behind
    ``except``."""
    made = []
    for level in levels:
        clauses = []
        for clause in level.clauses:
            classes = (BaseException,) if clause.classes is None else _classes(run, clause.classes)
            clauses.append((classes, clause.number))
        made.append(tuple(clauses))
    asks = frozenset(c.number for level in levels for c in level.clauses if c.asks)
    return Clauses(tuple(made), asks)


def _classes(run: Run, node: ast.expr) -> tuple[type[BaseException], ...]:
    value = run.evaluate(node)
    items = value.items if isinstance(value, TupleV) else (value,)
    found: list[type[BaseException]] = []
    for item in items:
        known: object = item.value if isinstance(item, Static) else None
        if isinstance(known, tuple) and all(map(_is_exception, known)):
            found += known
        elif isinstance(known, type) and issubclass(known, BaseException):
            found.append(known)
        else:
            run.refuse(
                node,
                "the exceptions that are caught are not known when the function is compiled",
                "name the classes: except (ValueError, ZeroDivisionError): ...",
            )
    return tuple(found)


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def once(run: Run, s: Once) -> Flow:
    """The body of a ``try``; what its loops' heads raise cannot be caught."""
    done = len(run.b.lets)
    flow = branching.once(run, s, lambda: run.execute(s.body))
    if s.levels:
        catching = Catching(run.caught, clauses_of(run, s.levels), any_of(run))
        if catching.left(Block(tuple(run.b.lets[done:]), ()), generator_ends.passes(run)):
            run.refuse(
                s,
                "the head of a loop or of a branch under this try may raise what is caught",
                "compute it in a statement of its own: v = g(x), then if v > 0.0: ...",
            )
    return flow


def context(run: Run, s: Context) -> None:
    """``with`` an object of the user's, or one of the few managers that mean nothing to compiled
    code."""
    known = run.evaluate(s.value.func if isinstance(s.value, ast.Call) else s.value)
    if isinstance(known, (RecordV, RefV)) and all(written(known.cls, n) is not None for n in _WITH):
        return
    generator = generator_of(s.means)
    if generator is not None and isinstance(known, Static) and known.value is s.means:
        definition_of(generator)  # its text is in use
        return
    texts = (WRITTEN_CLASSES[c] for c in _HARMLESS if c in WRITTEN_CLASSES)
    written_out: tuple[object, ...] = (*_HARMLESS, *texts)
    if not (isinstance(known, Static) and known.value in written_out):
        run.refuse(
            s,
            "'with' has effects that compiled code cannot have",
            "do it outside, or write what it does before and after",
        )


@register(held.depth)
def _depth(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Scalar(called_number(sp.b, held.depth, "depth", ()), True)


@register(held.enter)
def _enter(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    match args:
        case [depth, CaughtV(caught)]:
            number = sp.b.prim("floordiv", caught, i64(DIGIT))
            around = ext.int_atom(sp, depth, node, "a depth")
            called_number(sp.b, held.enter, "enter", (around, number))
            return Static(None)
        case _:
            raise AssertionError(args)


@register(held.leave)
def _leave(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    depth = ext.int_atom(sp, args[0], node, "a depth")
    called_number(sp.b, held.leave, "leave", (depth,))
    return Static(None)


@register(is_method)
def _is_method(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    match args:
        case [RecordV(cls), Static(str(name)), Static(function)]:
            generator = generator_of(function)
            assert generator is not None
            definition_of(generator)  # its text is in use
            return Static(of_class(cls, name) is function)
        case _:
            return Static(False)


_WITH = ("__enter__", "__exit__")
_HARMLESS = (
    np.errstate, contextlib.nullcontext, contextlib.suppress, contextlib.closing,
    contextlib.ExitStack, warnings.catch_warnings,
)  # fmt: skip
