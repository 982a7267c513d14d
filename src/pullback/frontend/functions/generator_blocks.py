"""The blocks of a generator that is advanced from outside (``stepped_form``): the statements
between two items, and how each block ends.

Where a generator yields under ``try`` (as ``trying`` writes that), it may be left at the ``yield``:
then it goes on there with ``$stop``, by which it returns through every ``finally``. The consumer's
exceptions do not come into it, so that an attempt to yield is the ``yield``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from pullback.core.frozen import dataclass
from pullback.frontend.functions.generator_forms import guards
from pullback.frontend.python.attempted import Attempt, ByClause, Level, Once
from pullback.frontend.python.left_generators import told_stopped
from pullback.frontend.python.looks import guard_of
from pullback.frontend.python.syntax import (
    GIVEN,
    STOP,
    THROWN,
    bound_anew,
    is_endless,
    jumps,
    local_names,
    own_nodes,
    told,
)

AT, NOW, VALUE, WHAT, STEP = ".at", ".now", ".value", ".what", ".step"
SETTLE, SOURCE, NAMED, MORE, ITEM, AFTER, TOLD = (
    ".settle", ".source", ".named", ".more", ".item", ".after", ".told",
)  # fmt: skip
"""The functions that the text calls: see ``interpret/advancing``."""

RETURNS, RETURNED = ".returns", ".returned"
"""The variables that say whether the iterator has just ended by ``return`` of something, and of
what; a step is asked for them by their names."""

SOURCES = ".s."
"""How the names of variables begin that keep what a loop takes its items from."""

LOST = ".lost"
"""The variable that says that what the iterator raises now is lost."""


@dataclass(frozen=True)
class Goto:
    to: int


@dataclass(frozen=True)
class Test:
    test: ast.expr
    then: int
    orelse: int


@dataclass(frozen=True)
class Cases:
    match: ast.Match
    bodies: tuple[int, ...]
    orelse: int


@dataclass(frozen=True)
class Tried:
    """An attempt, and where it goes on if its statement raises what is caught."""

    attempt: Attempt
    then: int
    orelse: int


@dataclass(frozen=True)
class Yield:
    value: ast.expr
    to: int


End = Goto | Test | Cases | Tried | Yield | None
"""How a block ends; None: the iterator ends."""


@dataclass(frozen=True)
class _Loop:
    head: int
    after: int


class Graph:
    """The blocks of a generator between which something is yielded or jumped over; the first one is
    number 1."""

    def __init__(
        self, generator: ast.FunctionDef, is_given: bool, made: frozenset[str]
    ) -> None:
        """``is_given``: it may be sent something; ``made``: the variables of which an iterator must
        be made."""
        self.stmts: list[list[ast.stmt]] = [[], []]
        self.ends: list[End] = [None, None]
        self.levels: list[tuple[Level, ...]] = [(), ()]
        """The clauses of ``try`` that are around each block."""
        self.around: tuple[Level, ...] = ()
        self.own, self.made = local_names(generator), made
        self.guarded = bool(guards(generator))
        """Whether something is yielded under ``try``."""
        self.loops = 0
        self.returns = False
        """Whether a value is returned somewhere."""
        read = {n.id for n in ast.walk(generator) if isinstance(n, ast.Name)}
        nodes = [n for s in generator.body for n in own_nodes(s)]
        inner = any(isinstance(n, ast.YieldFrom) for n in nodes)
        self.throws = THROWN in read or not any(isinstance(n, ast.Yield) for n in nodes)
        """Whether it says after each ``yield`` what it does where an exception is thrown there."""
        self.receives = is_given and (GIVEN in read or self.throws or inner)
        """Whether it makes a difference what it is sent."""
        self._block(copy.deepcopy(generator.body), 1, None)

    @property
    def leaps(self) -> bool:
        """Whether an attempt leads to another block, which only a jump can."""
        return self.guarded or any(isinstance(end, Tried) for end in self.ends)

    def new(self) -> int:
        self.stmts.append([])
        self.ends.append(None)
        self.levels.append(self.around)
        return len(self.ends) - 1

    def _block(self, stmts: Sequence[ast.stmt], at: int | None, loop: _Loop | None) -> int | None:
        """Write statements from the end of a block on; the block at whose end they end."""
        for s in stmts:
            if at is None:
                break
            at = self._statement(s, at, loop)
        return at

    def _statement(self, s: ast.stmt, at: int, loop: _Loop | None) -> int | None:
        match s:
            case Attempt(body=[ast.Expr(ast.Yield() | ast.YieldFrom()) as tried]):
                return self._statement(tried, at, loop)
            case Attempt(body=[ast.For() as tried]) if self._splits(tried, None):
                return self._for(tried, at, s, loop)
            case Attempt() if self._splits(s, loop):
                return self._attempt(s, at, loop)
            case ast.Expr(ast.Yield(value)):
                after = self.new()
                self.ends[at] = Yield(value or ast.Constant(None), after)
                if not self.guarded or guard_of(s) is not None:
                    return after
                goes_on, left = self.new(), self.new()
                self.ends[after] = Test(ast.copy_location(name_(STOP), s), left, goes_on)
                return goes_on
            case ast.Expr(ast.YieldFrom() as e) if self.receives and (
                not self.guarded or guard_of(s) is None
            ):
                return self._from_inner(e, s, at)
            case ast.Expr(ast.YieldFrom(source)):
                name = f".x{len(self.ends)}"
                each: list[ast.stmt] = [ast.Expr(ast.Yield(name_(name)))]
                if guard_of(s) is not None:  # what follows sees that it is left
                    vars(each[0])["guarded"] = guard_of(s)
                    each.append(ast.If(name_(STOP), [ast.Break()], []))
                made = ast.copy_location(ast.For(store_(name), source, each, []), s)
                return self._for(ast.fix_missing_locations(made), at)
            case ast.Return(value):
                if value is not None and is_something(value):
                    self.returns = True
                    told = assign_(RETURNED, value), assign_(RETURNS, ast.Constant(True))
                    self.stmts[at] += [ast.copy_location(t, s) for t in told]
                return None
            case ast.Break() | ast.Continue() if loop is not None:
                self.ends[at] = Goto(loop.after if isinstance(s, ast.Break) else loop.head)
                return None
            case ByClause() if self.guarded:
                return self._clauses(s, at, loop)
            case ast.If() if self._splits(s, loop):
                then, orelse = self.new(), self.new()
                self.ends[at] = Test(s.test, then, orelse)
                return self._meet([(then, s.body), (orelse, s.orelse)], loop)
            case ast.Match() if self._splits(s, loop):
                bodies, orelse = [self.new() for _ in s.cases], self.new()
                self.ends[at] = Cases(s, tuple(bodies), orelse)
                arms = zip(bodies, (c.body for c in s.cases), strict=True)
                return self._meet([*arms, (orelse, [])], loop)
            case Once() if self._splits(s, None):
                return self._once(s, at)
            case ast.While() if self._splits(s, None):
                head = self._from(at)
                return self._loop(s, head, None if is_endless(s) else s.test, [], loop)
            case ast.For() if self._splits(s, None):
                return self._for(s, at, None, loop)
            case _:
                self.stmts[at].append(told_stopped(s, LOST))
                return at

    def _splits(self, s: ast.stmt, loop: _Loop | None) -> bool:
        """Whether statements end or leave a block."""
        leaves = ast.Yield | ast.YieldFrom | ast.Return
        inside = any(isinstance(n, leaves) for n in own_nodes(s))
        return inside or (loop is not None and bool(jumps([s]) & {"break", "continue"}))

    def _from(self, at: int) -> int:
        """A new block, to which this one leads."""
        head = self.new()
        self.ends[at] = Goto(head)
        return head

    def _meet(
        self, arms: Sequence[tuple[int, Sequence[ast.stmt]]], loop: _Loop | None
    ) -> int | None:
        ends = [self._block(body, at, loop) for at, body in arms]
        going = [e for e in ends if e is not None]
        if not going:
            return None
        after = self.new()
        for e in going:
            self.ends[e] = Goto(after)
        return after

    def _attempt(self, s: Attempt, at: int, loop: _Loop | None) -> int:
        then, orelse = self.new(), self.new()
        self.ends[at] = Tried(s, then, orelse)
        end = self._block(s.orelse, orelse, loop)
        assert end is None, "what follows an exception is a jump"
        return then

    def _clauses(self, s: ByClause, at: int, loop: _Loop | None) -> int | None:
        """The choice of a clause. (Which clauses are reached is not known here: the attempts may
        stand in later blocks.)"""
        arms: list[tuple[int, list[ast.stmt]]] = []
        for choice in s.chain():
            last = not any(isinstance(o, ByClause) for o in choice.orelse)
            then = self.new()
            arms.append((then, choice.body))
            if last and s.ends:
                self.ends[at] = Goto(then)
                break
            orelse = self.new()
            self.ends[at] = Test(choice.test, then, orelse)
            at = orelse
            if last:
                arms.append((orelse, choice.orelse))
        return self._meet(arms, loop)

    def _once(self, s: Once, at: int) -> int:
        outer, after = self.around, self.new()
        self.around = s.levels or outer
        head = self._from(at)
        end = self._block(s.body, head, _Loop(head, after))
        assert end is None, "it ends in a jump"
        self.around = outer
        return after

    def _for(
        self, s: ast.For, at: int, tried: Attempt | None = None, around: _Loop | None = None
    ) -> int | None:
        """``tried``: the attempt whose statement the loop is, under a loop ``around`` it."""
        self.loops += 1
        index, name = f".i{self.loops}", f"{SOURCES}{self.loops}"
        source: ast.expr = call_(SOURCE, s.iter)
        if not self._stays(s.iter, s.body):
            begun, source = self._kept(name, s.iter)
            at = self._put(begun, at, tried, around)
        self.stmts[at].append(assign_(index, ast.Constant(0)))
        head = test = self._from(at)
        item = call_(ITEM, source, name_(index))
        after = assign_(index, call_(AFTER, name_(index)))
        take: list[ast.stmt] = [ast.Assign([s.target], item), after]
        for made in take:
            ast.copy_location(made, s.target)
        more: ast.expr = ast.copy_location(call_(MORE, source, name_(index)), s.iter)
        if tried is not None:
            found = f".m{self.loops}"
            asked = ast.fix_missing_locations(ast.copy_location(assign_(found, more), s.iter))
            test, more = self._put(asked, head, tried, around), name_(found)
        return self._loop(s, head, more, take, around, test)

    def _from_inner(self, e: ast.YieldFrom, s: ast.stmt, at: int) -> int:
        """``yield from``: what is sent is sent to the generator that is inside."""
        self.loops += 1
        k = self.loops
        index, source = name_(f".i{k}"), self._source(k, e.value, at)
        given = name_(GIVEN), name_(THROWN)
        self._add(at, s, assign_(index.id, ast.Constant(0)))
        self._add(at, s, *(assign_(n.id, ast.Constant(None)) for n in given))
        head, body, after = self._from(at), self.new(), self.new()
        more = ast.copy_location(call_(MORE, source, index, *given), s)
        self.ends[head] = Test(ast.fix_missing_locations(more), body, after)
        item = assign_(f".x{k}", call_(ITEM, source, index))
        self._add(body, s, item, assign_(index.id, call_(AFTER, index)))
        self.ends[body] = Yield(ast.copy_location(name_(f".x{k}"), s), head)
        if (name := told(e)) is not None:
            self._add(after, s, assign_(name, call_(TOLD, source)))
        return after

    def _source(self, k: int, source: ast.expr, at: int) -> ast.expr:
        """What the items are asked from that ``yield from`` hands on."""
        if isinstance(source, ast.Name) and source.id in self.own - self.made:
            return call_(SOURCE, source)
        begun, kept = self._kept(f"{SOURCES}{k}", source)
        self._add(at, source, begun)
        return kept

    def _kept(self, name: str, source: ast.expr) -> tuple[ast.stmt, ast.expr]:
        """Return the statement that keeps a source in a variable, and what it is from there on: an
        iterator that a variable around the generator has is asked by that."""
        around = source.id if isinstance(source, ast.Name) else ""
        around = "" if around in self.own else around
        given = ast.Constant(name), ast.Constant(around or None)
        begun = assign_(name, call_(SOURCE, source, *given))
        ast.fix_missing_locations(ast.copy_location(begun, source))
        return begun, call_(NAMED, name_(name), source) if around else name_(name)

    def _add(self, block: int, place: ast.AST, *made: ast.stmt) -> None:
        self.stmts[block] += [
            ast.fix_missing_locations(ast.copy_location(s, place)) for s in made
        ]

    def _put(self, s: ast.stmt, at: int, tried: Attempt | None, around: _Loop | None) -> int:
        """Write a statement, as an attempt with the ends of ``tried``."""
        if tried is None:
            self.stmts[at].append(s)
            return at
        made = Attempt(ast.Constant(True), [s], copy.deepcopy(tried.orelse))
        made.levels = tried.levels
        return self._attempt(ast.copy_location(made, tried), at, around)

    def _stays(self, source: ast.expr, body: Sequence[ast.stmt]) -> bool:
        """Whether a source is the same whenever it is evaluated in a loop: a variable, or a range
        whose ends are variables and constants."""
        match source:
            case ast.Name(name):
                return name in self.own - bound_anew(body) - self.made
            case ast.Call(ast.Name("range"), ends, []) if "range" not in self.own:
                return all(isinstance(e, ast.Constant) or (
                    isinstance(e, ast.Name) and self._stays(e, body)
                ) for e in ends)
            case _:
                return False

    def _loop(
        self, s: ast.For | ast.While, head: int, test: ast.expr | None, first: list[ast.stmt],
        around: _Loop | None, tested: int | None = None,
    ) -> int | None:  # fmt: skip
        """``tested``: the block at whose end the test is made, if that is not the head; ``around``:
        the loop around this one."""
        body, after = self.new(), self.new()
        left = self.new() if s.orelse else after
        self.ends[head if tested is None else tested] = (
            Goto(body) if test is None else Test(test, body, left)
        )
        self.stmts[body] += first
        end = self._block(s.body, body, _Loop(head, after))
        if end is not None:
            self.ends[end] = Goto(head)
        if s.orelse:
            end = self._block(s.orelse, left, around)
            if end is not None:
                self.ends[end] = Goto(after)
        return after

    def shortened(self) -> tuple[int, list[ast.stmt]]:
        """Let nothing lead to a block that only leads on. Return the block that is run first, and
        the statements before it, which only set variables to constants."""
        for k, end in enumerate(self.ends):
            match end:
                case Goto(to):
                    self.ends[k] = Goto(self._behind(to))
                case Test(test, then, orelse):
                    self.ends[k] = Test(test, self._behind(then), self._behind(orelse))
                case Cases(match, bodies, orelse):
                    behind = tuple(map(self._behind, bodies))
                    self.ends[k] = Cases(match, behind, self._behind(orelse))
                case Tried(attempt, then, orelse):
                    self.ends[k] = Tried(attempt, self._behind(then), self._behind(orelse))
                case Yield(value, to):
                    self.ends[k] = Yield(value, self._behind(to))
                case None:
                    pass
        first = self.ends[1]
        if self.guarded or self.receives or not isinstance(first, Goto):
            return 1, []
        if not all(map(self._sets, self.stmts[1])):
            return 1, []
        return first.to, self.stmts[1]

    def _behind(self, k: int) -> int:
        seen = {k}
        while not self.stmts[k] and isinstance(end := self.ends[k], Goto) and end.to not in seen:
            k = end.to
            seen.add(k)
        return k

    def _sets(self, s: ast.stmt) -> bool:
        match s:
            case ast.Assign([ast.Name(name)], ast.Constant()):
                return name.startswith(".") or name in self.own
            case _:
                return False

    def next(self, k: int, waiting: bool = True) -> tuple[int, ...]:
        """The blocks to which a block leads; without ``waiting`` only those that follow at once."""
        match self.ends[k]:
            case Goto(to):
                return (to,)
            case Test(_, then, orelse) | Tried(_, then, orelse):
                return then, orelse
            case Cases(_, bodies, orelse):
                return *bodies, orelse
            case Yield(_, to):
                return (to,) if waiting else ()
            case None:
                return ()


# --- syntax ---------------------------------------------------------------------------------------


def is_something(value: ast.expr | None) -> bool:
    """Whether this is an expression that may be something other than None."""
    return value is not None and not (isinstance(value, ast.Constant) and value.value is None)


def name_(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def store_(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def assign_(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([store_(name)], value)


def call_(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(name_(name), list(args), [])


__all__ = [
    "AFTER", "AT", "ITEM", "LOST", "MORE", "NAMED", "NOW", "RETURNED", "RETURNS", "SETTLE",
    "SOURCE", "SOURCES", "STEP", "TOLD", "VALUE", "WHAT", "Cases", "Goto", "Graph", "Test", "Tried",
    "Yield", "assign_", "call_", "is_something", "name_", "store_",
]  # fmt: skip
