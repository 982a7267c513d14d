"""Statements that may raise what a ``try`` around them catches (``python.trying``)."""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pullback.core import held
from pullback.core.build import Builder, boolean, i64
from pullback.core.terms import (
    Atom,
    Block,
    If,
    Var,
)
from pullback.core.types import I64, Array
from pullback.frontend.functions.catching import Catching, End, bind
from pullback.frontend.functions.clauses import DIGIT, Clauses, called_number
from pullback.frontend.functions.scopes import function_scope, shown
from pullback.frontend.functions.unfinished import parts_before
from pullback.frontend.interpret import loops
from pullback.frontend.interpret.attributes import written
from pullback.frontend.interpret.forks import Names, fork_names, join_names
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.flatten import NoKindError, flatten
from pullback.frontend.kinds.undefined import any_of
from pullback.frontend.kinds.values import (
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
from pullback.frontend.python.attempted import CAUGHT, OBJECT, Attempt, Level, Once
from pullback.frontend.python.contexts import Context, generator_of, is_method, of_class
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.source import definition_of
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.interface import Specialiser
    from pullback.frontend.run import Run


def attempt(run: Run, s: Attempt, go_on: Callable[[], Flow]) -> Flow:
    """Run the statement of an attempt, then what follows (``go_on``); or, where it raises what is
    caught, its other end, which sees the variables as they were before."""
    (tried,) = s.body
    before = run.scope.names
    clauses, known = clauses_of(run, s.levels), len(run.lost)
    with run.building(Builder()) as b:
        names = _Watched(before, run, b)
        run.scope.names = names
        around, run.trying = run.trying, clauses
        outer, run.frame.trying = run.frame.trying, clauses
        try:
            flow = run.execute([tried])
        except Unreachable:
            flow = Flow.DEAD
        finally:
            run.trying, run.frame.trying = around, outer
    catching = Catching(run.caught, clauses, any_of(run))
    if not catching.raises(b.block()):
        run.b.extend(b.block())
        return go_on() if flow is Flow.FALL else flow
    raising = [k for k, let in enumerate(b.lets) if catching.raises(Block((let,), ()))]
    gone = _lost(run, known, before)
    unknown, changed = _unknown(names, run.scope.names, before, raising, gone)
    failed = {**before, **{n: Stale(_reason(n), tried) for n in unknown}}
    end = run.scope.names
    run.scope.names = before
    block, made = _joined(run, tried, b, None if flow is Flow.DEAD else end)
    after = run.scope.names
    held: dict[Atom, End] = {}
    ends: dict[Atom, Atom] = dict(zip(made, block.results, strict=False))
    for v, old in _held(failed, after, made).items():
        kept_by = run.caught.handed(block, ends[v], old, clauses)
        if kept_by is not None:
            held[v] = kept_by
    for n in names.handed & failed.keys():
        if not _is_held(failed[n], after[n], held):
            failed[n] = Stale(_reason(n), tried)
    if flow is not Flow.DEAD:
        there = _there(block, made, raising[0])
        for n in changed:
            atoms = [v for v in _atoms(after[n]) if v in made]
            if not isinstance(after[n], Stale) and all(v in there for v in atoms):
                held.update((v, there[v]) for v in atoms)
                failed[n] = after[n]
    caught = catching.block(block, [held.get(v, v.type) for v in made])
    still = {n: v for n, v in after.items() if n in failed and n not in gone}
    kept = {n: v for n, v in still.items() if _is_kept(v, made, held)}
    tag = Var("caught", I64)
    bind(run.b, caught, (tag, *made))
    live = run.frame.live_end

    def fine() -> Flow:
        run.scope.names = dict(after)
        return go_on() if flow is Flow.FALL else flow

    def raised() -> Flow:
        return _raised(run, s, {**failed, **kept}, _caught(run, clauses, tag))

    if flow is Flow.DEAD:
        return raised()
    test = run.b.prim("eq", tag, i64(0))
    return fork_names(run, (fine, raised), lambda b: If(test, b[0], b[1]), live, s)


def _raised(run: Run, s: Attempt, names: Names, caught: Names) -> Flow:
    """Run the other end. What it is told of the exception is not known behind it: a clause that
    needs it has it by a name of its own."""
    run.caught.contexts |= any(c.raises for level in s.levels for c in level.clauses)
    run.scope.names = names | caught
    flow = run.execute(s.orelse)
    for name in caught:
        run.scope.names.pop(name, None)
    return flow


def _joined(
    run: Run, tried: ast.stmt, b: Builder, names: Names | None
) -> tuple[Block, tuple[Var, ...]]:
    """The code of the statement as a block with the values that names have after it as results, and
    the variables that the names hold from now on."""
    if names is None:
        return b.block(), ()
    assert run.frame.definition is not None
    live = liveness_of(run.frame.definition.node).after.get(tried, frozenset())
    done = len(run.b.lets)

    def make(blocks: Sequence[Block]) -> If:
        return If(boolean(True), blocks[0], blocks[0])

    join_names(run, [(b, names)], make, live | {"$return", "$exit"}, tried)
    if len(run.b.lets) == done:
        return b.block(), ()
    let = run.b.lets.pop()
    assert isinstance(let.op, If)
    return let.op.then, let.vars


def _held(before: Names, after: Names, made: Sequence[Var]) -> dict[Atom, Atom]:
    """For each of these variables that belongs to a name, what the name held before: that is what
    the variable is where something was raised."""
    found: dict[Atom, Atom] = {}
    for n, value in after.items():
        if n not in before or value is before[n]:
            continue
        new, old = _atoms(value), _atoms(before[n])
        if [a.type for a in new] == [a.type for a in old]:
            found.update((v, a) for v, a in zip(new, old, strict=True) if v in made)
    return found


def _is_kept(value: Value, made: Sequence[Var], held: Mapping[Atom, End]) -> bool:
    """Whether it is known what all of a value is where something was raised, if the statement made
    any of it."""
    mine = [v for v in _atoms(value) if v in made]
    return bool(mine) and all(v in held for v in mine)


def _is_held(old: Value, new: Value, held: Mapping[Atom, End]) -> bool:
    """Whether it is known what an object is that a call updates where it raises."""
    if isinstance(old, Stale) or isinstance(new, Stale):
        return True
    if isinstance(old, PlaceV) or isinstance(new, PlaceV):
        return old is new  # another name of an object: the object has a name of its own
    parts = parts_before(old, new)
    arrays = (v for v in _atoms(new) if isinstance(v.type, Array))
    return parts is not None and (not parts or all(v in held for v in arrays))


def _there(block: Block, made: Sequence[Var], first: int) -> dict[Atom, Atom]:
    """For each variable that is made of a value which is there before something may be raised, that
    value."""
    later = {v for let in block.lets[first:] for v in let.vars}
    return {v: a for v, a in zip(made, block.results, strict=False) if a not in later}


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


class _Watched(dict[str, Value]):
    """Names that know how much code there was when each was first and last set; -1: it was set in a
    block of that code, or (the first time) by a call."""

    def __init__(self, names: Names, run: Run, b: Builder) -> None:
        super().__init__(names)
        self.run, self.b = run, b
        self.set_at: dict[str, tuple[int, int]] = {}
        self.handed: set[str] = set()

    def __setitem__(self, name: str, value: Value) -> None:
        last = len(self.b.lets) if self.run.b is self.b else -1
        first, before = self.set_at.get(name, (-1 if self.run.handing else last, last))
        self.set_at[name] = first, last if before >= 0 else -1
        if self.run.handing is not None:
            self.handed.add(name)
        super().__setitem__(name, value)

    def update(self, *args: Any, **names: Value) -> None:
        for name, value in dict(*args, **names).items():
            self[name] = value


def _lost(run: Run, since: int, before: Names) -> set[str]:
    """The names that calls have changed which raise then, and do not give back."""
    mine = function_scope(run.scope)
    return {n for scope, n in run.lost[since:] if scope is mine and n in before}


def _unknown(
    names: _Watched, after: Names, before: Names, raising: Sequence[int], gone: set[str]
) -> tuple[list[str], list[str]]:
    """The names of which it is not known what they hold where the statement raises: those that were
    set before something that may raise, or by it, and those that are ``gone``. And of the former,
    those that were set before anything that may raise: they hold what they hold at the end."""
    at = names.set_at if after is names else {}
    changed = [n for n, v in after.items() if v is not before.get(n) and not n.startswith("$")]
    unknown = [n for n in changed if at.get(n, (-1, -1))[0] <= raising[-1] and n not in gone]
    first = [n for n in unknown if 0 <= at.get(n, (-1, -1))[1] <= raising[0]]
    return [*unknown, *sorted(gone)], first


def _atoms(value: Value) -> tuple[Atom, ...]:
    if isinstance(value, Stale):
        return ()
    try:
        return tuple(flatten(value).atoms)
    except NoKindError:
        return ()


def once(run: Run, s: Once) -> Flow:
    """The body of a ``try``; what its loops' heads raise cannot be caught."""
    done = len(run.b.lets)
    flow = loops.once(run, s, s.body)
    if s.levels:
        catching = Catching(run.caught, clauses_of(run, s.levels), any_of(run))
        if catching.left(Block(tuple(run.b.lets[done:]), ())):
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
    if isinstance(known, RecordV | RefV) and all(written(known.cls, n) is not None for n in _WITH):
        return
    generator = generator_of(s.means)
    if generator is not None and isinstance(known, Static) and known.value is s.means:
        definition_of(generator)  # its text is in use
        return
    if not (isinstance(known, Static) and known.value in _HARMLESS):
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
    warnings.catch_warnings,
)  # fmt: skip
