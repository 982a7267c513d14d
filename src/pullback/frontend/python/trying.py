"""``try`` written with jumps: every statement that may raise is one with two ends.

    try:                    .raised.1 = 0
        a()                 once:
        b()                     attempt a(), else: .raised.1 = 1; break
    except E:        ==>        attempt b(), else: .raised.1 = 1; break
        c()                     break
    else:                   if .raised.1 == 1: c()
        d()                 else: d()

Where one statement alone may raise, and the one clause ends in a jump, there is no ``once``: the
clause stands at the other end of the attempt, so that what follows knows that nothing was raised.

``Once`` is a loop that goes round once; ``Attempt`` is a branch whose test is whether its statement
raises what is caught (``interpret.attempts``). So jumps, liveness and loops need to know nothing of
exceptions. A clause that names the exception or raises it again has it by number (``Held``,
``raise``); a ``finally`` is such a clause too, unless nobody sees what it does to variables.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import replace

from pullback.frontend.python import handled, left_generators, looks, with_statements
from pullback.frontend.python.around import Around, by_clause, held_in, leave_loops, unbound
from pullback.frontend.python.attempted import (
    CAUGHT,
    OBJECT,
    Attempt,
    Clause,
    Level,
    Once,
)
from pullback.frontend.python.contexts import (
    Consumed,
    Names,
)
from pullback.frontend.python.syntax import STOP, jumps, own_nodes
from pullback.frontend.python.syntax_pieces import assign, break_, if_, name_
from pullback.frontend.python.texts import FunctionNode


def without_try(node: FunctionNode, names: Names) -> FunctionNode:
    """Return the function with its ``try`` and ``with`` statements, and those of the functions
    nested in it, written with jumps: itself if it has none."""
    found = any(isinstance(n, (ast.Try, ast.With)) for n in ast.walk(node))
    if isinstance(node, ast.Lambda) or not found:
        return node
    made = copy.deepcopy(node)
    _Rewriter(names).function(made)
    return ast.fix_missing_locations(made)


class _Rewriter(with_statements.WithStatements):
    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self.parts = 0
        self.numbers = 0
        self.jumped: set[tuple[str, int]] = set()
        self.captures = False  # there are functions in the function
        self.outside: set[str] = set()  # the variables of functions around it that it binds
        self.noted = handled.NOTED.get()
        self.left = False  # the generator may be left where its consumer raises

    def function(self, node: ast.FunctionDef) -> None:
        outer, captures, outside = self.names, self.captures, self.outside
        left, self.left = self.left, False
        self.names = self.host = outer.inside(node)
        self.captures = any(isinstance(n, _FUNCTIONS) and n is not node for n in ast.walk(node))
        declared = (n for n in ast.walk(node) if isinstance(n, (ast.Nonlocal, ast.Global)))
        self.outside = {name for n in declared for name in n.names}
        node.body = self.block(node.body, Around())
        if self.left:
            node.body[:0] = left_generators.not_left(node.body[0])
        self.names, self.captures, self.outside = outer, captures, outside
        self.host, self.left = outer, left

    def block(self, stmts: Sequence[ast.stmt], around: Around) -> list[ast.stmt]:
        return [made for s in stmts for made in self.statement(s, around)]

    def statement(self, s: ast.stmt, around: Around) -> list[ast.stmt]:
        match s:
            case ast.Try():
                return self._try(s, around)
            case ast.With():
                return self.with_(s, around)
            case Consumed():
                return self.consumed(s, around)
            case ast.FunctionDef():
                if self.names.is_manager(s) and self.names.nested(s.name) is not None:
                    return [ast.copy_location(ast.Pass(), s)]
                self.function(s)
                return [s]
            case ast.Break() | ast.Continue() if around.jump is not None:
                number = _BREAK if isinstance(s, ast.Break) else _CONTINUE
                self.jumped.add((around.jump, number))
                left = unbound(around.bound[around.loop :], s)
                return [*left, assign(around.jump, ast.Constant(number), s), break_(s)]
            case ast.Break() | ast.Continue():
                return [*unbound(around.bound[around.loop :], s), s]
            case ast.Expr(ast.Yield() as e) if around.levels or around.returns is not None:
                return self._yield(s, e, around)
            case ast.Expr(ast.YieldFrom() as e) if left_generators.is_handed_on(around):
                return self._yield(s, e, around)
            case ast.Expr(ast.YieldFrom(source)) if around.levels or around.returns is not None:
                self.tries += 1
                item = f".item.{self.tries}"
                each: list[ast.stmt] = [ast.Expr(ast.Yield(name_(item, s)))]
                loop = ast.For(ast.Name(item, ast.Store()), source, each, [])
                return self._loop(ast.fix_missing_locations(ast.copy_location(loop, s)), around)
            case ast.Return() if self.left and around.returns is None:
                self.left = False
                goes = self.statement(s, around)
                self.left = True
                return [left_generators.raised_again(s), *goes]
            case ast.Raise(None | ast.Name() as exc, None) if around.held is not None and (
                exc is None or exc.id == around.name
            ):
                again = ast.Raise(held_in(around.held, s), None)
                return self._attempt(ast.copy_location(again, s), around)
            case ast.Return(value) if around.result is not None and around.returns is not None:
                kept = assign(around.result, value or ast.Constant(None), s)
                returns = assign(around.returns, ast.Constant(1), s)
                left = unbound(around.bound[around.ended :], s)
                return [*self._attempt(kept, around), *left, returns, break_(s)]
            case ast.Return(None) if around.bound:
                return [*unbound(around.bound, s), s]
            case ast.Return(value) if (
                around.bound and value is not None and (self.captures or self.noted)
            ):
                self.parts += 1  # functions in the value see that the names are gone
                name = f".part.{self.parts}"
                first = self._attempt(assign(name, value, s), around)
                s.value = name_(name, value)
                return [*first, *unbound(around.bound, s), s]
            case ast.If():
                first, s.test = self._apart(s.test, around)
                s.body, s.orelse = self.block(s.body, around), self.block(s.orelse, around)
                return [*first, s]
            case ast.While() | ast.For():
                return self._loop(s, around)
            case ast.Match():
                first, s.subject = self._apart(s.subject, around)
                for case in s.cases:
                    case.body = self.block(case.body, around)
                return [*first, s]
            case _:
                return self._attempt(s, around)

    def _attempt(self, s: ast.stmt, around: Around) -> list[ast.stmt]:
        """A statement that may raise what is caught around it."""
        if not any(level.first for level in around.levels) or isinstance(s, _HARMLESS):
            return [s]
        chain: list[ast.stmt] = []
        for outside, level in enumerate(reversed(around.levels)):
            if not level.first:
                continue
            mine: list[ast.stmt] = [assign(level.raised, name_(CAUGHT, s), s)]
            if level.asks:
                mine.append(assign(level.held, name_(OBJECT, s), s))
            mine += unbound([(n, levels) for n, levels in around.bound if levels > outside], s)
            chain = [if_(CAUGHT, ast.GtE(), level.first, mine, chain, s)] if chain else mine
        return [left_generators.attempt_(s, [*chain, break_(s)], around.levels)]

    def _yield(
        self, s: ast.Expr, e: ast.Yield | ast.YieldFrom, around: Around
    ) -> list[ast.stmt]:
        """A ``yield`` under ``try``. What the consumer raises is not caught here; where it does, or
        wants no further item, the generator is left as by a ``return``."""
        first: list[ast.stmt] = []
        if isinstance(e, ast.Yield) and e.value is not None:
            first, e.value = self._apart(e.value, around)
        vars(s)["guarded"] = looks.Guarded(
            around.returns is not None, around.managed, around.closes
        )
        made: ast.stmt = s
        self.left |= around.closes
        stops = self.statement(ast.copy_location(ast.Return(None), s), around)
        if around.closes:
            self.numbers += 1
            made = left_generators.by_consumer(s, self.numbers, copy.deepcopy(stops))
            stops.insert(0, left_generators.stopped(s))
        return [*first, made, ast.copy_location(ast.If(name_(STOP, s), stops, []), s)]

    def _apart(self, e: ast.expr, around: Around) -> tuple[list[ast.stmt], ast.expr]:
        """The expression in the head of a statement: evaluated before it, if it may raise."""
        if not around.levels or not looks.may_raise(e):
            return [], e
        self.parts += 1
        name = f".part.{self.parts}"
        return self._attempt(assign(name, e, e), around), name_(name, e)

    def _loop(self, s: ast.For | ast.While, around: Around) -> list[ast.stmt]:
        first: list[ast.stmt] = []
        inside = replace(around, jump=None, loop=len(around.bound))
        tried = isinstance(s, ast.For) and looks.may_raise_on_the_way(s.iter)
        own = {type(n) for n in own_nodes(s)}
        jumps_out = not own.isdisjoint(_YIELDS)
        if tried and jumps_out:
            inside = replace(inside, closes=True)
        result = returns = ""
        if tried and around.levels and around.returns is None and (jumps_out or ast.Return in own):
            self.tries += 1
            result, returns = f".result.{self.tries}", f".returns.{self.tries}"
            inside = replace(
                inside, result=result, returns=returns, leaving=(returns, *around.leaving),
                ended=len(around.bound),
            )  # fmt: skip
        body = self.block(s.body, inside)
        if isinstance(s, ast.For):
            if not looks.may_be_generator(s.iter):
                first, s.iter = self._apart(s.iter, around)
        elif not s.orelse:
            test, now = self._apart(s.test, inside)
            if test:
                s.test = ast.copy_location(ast.Constant(True), s.test)
                stop = ast.If(ast.UnaryOp(ast.Not(), now), [break_(s)], [])
                body = [*test, ast.copy_location(stop, s), *body]
        s.body, s.orelse = body, self.block(s.orelse, around)
        if not tried or not around.levels:
            return [*first, s, *leave_loops(around, s)]
        goes = self.returned(result, returns, around, s, s) if returns else []
        unset = [assign(returns, ast.Constant(0), s)] if returns else []
        if s.orelse:  # behind what is tried
            self.tries += 1
            ended = f".ended.{self.tries}"
            unset.append(assign(ended, ast.Constant(0), s))
            goes.append(if_(ended, ast.Eq(), 1, s.orelse, [], s))
            s.orelse = [assign(ended, ast.Constant(1), s)]
        return [*first, *unset, *self._attempt(s, around), *leave_loops(around, s), *goes]

    def _try(self, s: ast.Try, around: Around) -> list[ast.stmt]:
        why = looks.refusal(s)
        if why is not None:
            s.why = why  # type: ignore[attr-defined]  # ``refused_syntax`` says it
            return [s]
        if s.finalbody:
            return self.finally_(s, around)
        self.tries += 1
        k = self.tries
        raised, jump = f".raised.{k}", f".jump.{k}"
        clauses = []
        for h in s.handlers:
            only = looks.raises_again(h)
            only = only and (len(h.body) == 1 or not self._seen(h.body[:-1], around))
            self.numbers += not only
            asks = not only and (self.noted or looks.asks(h))
            raises = looks.raises_another(h.body)
            clauses.append(Clause(h.type, 0 if only else self.numbers, asks, raises))
        made = looks.is_made(s)
        level = Level(tuple(clauses), raised, f".held.{k}", handled.depth(k), made)
        inside = replace(
            around,
            levels=(level, *around.levels),
            leaving=(raised, *around.leaving),
            jump=jump,
        )
        body = self.block(s.body, inside)
        once = Once(ast.Constant(True), [*body, break_(s)], [])
        once.levels = inside.levels
        orelse, ends = self.block(s.orelse, around), looks.ends(s.body)
        if ends and any(clause.number for clause in clauses):
            orelse = [ast.copy_location(ast.Raise(None, None), s)]  # nothing gets there
        choices: list[ast.stmt] = []
        for h, clause in reversed(list(zip(s.handlers, clauses, strict=True))):
            if clause.number:
                handler = self._handler(h, clause, level, around)
                choices = [*handler]
                orelse = [by_clause(raised, clause.number, handler, orelse, ends, h)]
        unset = [assign(name, ast.Constant(0), s) for name in (raised, level.held)]
        begun = [handled.begun(level.depth, s)] if self.noted else []
        alone = None if around.levels or around.leaving else _only_attempt(s, body)
        if alone is not None and clauses[0].number:
            alone.orelse = [*alone.orelse[:-1], *choices]
            return [*begun, *unset[: 1 + level.asks], *body, *self.block(s.orelse, around)]
        return [
            *begun, *unset[: 1 + level.asks], *self.jump_unset(jump, s),
            ast.copy_location(once, s), *leave_loops(around, s), *self.jumps_out(jump, around, s),
            *orelse,
        ]  # fmt: skip

    def _handler(
        self, h: ast.ExceptHandler, clause: Clause, level: Level, around: Around
    ) -> list[ast.stmt]:
        """The statements of a clause. Its name has no value after it, however it is left."""
        held = level.held if clause.asks else None
        first = []
        mine = [(level.depth, len(around.levels))] if self.noted else []
        if self.noted:
            first.append(handled.entered(level.depth, held_in(level.held, h), h))
        if h.name is not None:
            mine.append((h.name, len(around.levels)))
            if clause.asks:
                first.append(assign(h.name, held_in(level.held, h), h))
        inside = replace(around, held=held, name=h.name, bound=(*around.bound, *mine))
        end = [] if looks.ends(h.body) else unbound(mine, h)
        return [*first, *self.block(h.body, inside), *end]

    def _seen(self, stmts: Sequence[ast.stmt], around: Around) -> bool:
        """Whether somebody may see, after an exception, that statements have run."""
        return bool(around.levels) or not self._unseen(stmts)

    def _unseen(self, stmts: Sequence[ast.stmt]) -> bool:
        """Whether statements do nothing but bind names that nobody knows outside."""
        names = {n.id for s in stmts for n in ast.walk(s) if isinstance(n, ast.Name)}
        return all(map(looks.is_unseen, stmts)) and names.isdisjoint(self.outside)

    def finally_(
        self, s: ast.Try, around: Around, seen: bool | None = None
    ) -> list[ast.stmt]:
        self.tries += 1
        k = self.tries
        jump, result, returns = f".jump.{k}", f".result.{k}", f".returns.{k}"
        inside = replace(
            around, leaving=(returns, *around.leaving), jump=jump, result=result, returns=returns,
            loop=len(around.bound), ended=len(around.bound),
            closes=around.closes or (not self._unseen(s.finalbody) if seen is None else seen),
        )  # fmt: skip
        inner: list[ast.stmt] = s.body
        if s.handlers:
            inner = [ast.copy_location(ast.Try(s.body, s.handlers, s.orelse, []), s)]
        seen = not self._unseen(s.finalbody) if seen is None else seen
        swallows = bool(jumps(s.finalbody))
        swallowed = f".swallowed.{k}"
        if seen:
            goes_on = ast.copy_location(ast.Raise(None, None), s)
            begun = [assign(swallowed, ast.Constant(1), s)] if swallows else []
            ends = ast.ExceptHandler(None, None, [*begun, *copy.deepcopy(s.finalbody), goes_on])
            inner = [ast.copy_location(ast.Try(inner, [ast.copy_location(ends, s)], [], []), s)]
            looks.mark_made(inner[0])
        once = Once(ast.Constant(True), [*self.block(inner, inside), break_(s)], [])
        levels = replace(around, leaving=tuple(level.raised for level in around.levels))
        goes = [*self.returned(result, returns, around, once, s), *self.jumps_out(jump, around, s)]
        swallows = swallows and seen
        return [
            assign(returns, ast.Constant(0), s), *self.jump_unset(jump, s),
            *([assign(swallowed, ast.Constant(0), s)] if swallows else []),
            ast.copy_location(once, s),
            *(leave_loops(levels, s) if seen else []),  # it has run before the exception went on
            *([if_(swallowed, ast.Eq(), 1, copy.deepcopy(goes), [], s)] if swallows else []),
            *self._final(s, around, inside.closes), *leave_loops(around, s), *goes,
        ]  # fmt: skip

    def _final(self, s: ast.Try, around: Around, closes: bool) -> list[ast.stmt]:
        """What a ``finally`` does in the end; what that raises in a left generator is lost."""
        lost = left_generators.lost(s, around) if closes else None
        final = self.block(s.finalbody, around)
        if lost is None:
            return final
        return [left_generators.if_left(self.block([lost], around), final, s)]

    def returned(
        self, result: str, returns: str, around: Around, left: ast.stmt, s: ast.stmt
    ) -> list[ast.stmt]:
        """What follows a statement that a ``return`` may have ``left``."""
        if not any(isinstance(n, ast.Name) and n.id == returns for n in ast.walk(left)):
            return []
        again = ast.copy_location(ast.Return(name_(result, s)), s)
        return [if_(returns, ast.Eq(), 1, self.statement(again, around), [], s)]

    def jump_unset(self, jump: str, s: ast.stmt) -> list[ast.stmt]:
        used = (jump, _BREAK) in self.jumped or (jump, _CONTINUE) in self.jumped
        return [assign(jump, ast.Constant(0), s)] if used else []

    def jumps_out(self, jump: str, around: Around, s: ast.stmt) -> list[ast.stmt]:
        """What follows a ``Once`` that a ``break`` or ``continue`` of a loop around it has left."""
        out: list[ast.stmt] = []
        for number, kind in ((_BREAK, ast.Break), (_CONTINUE, ast.Continue)):
            if (jump, number) in self.jumped:
                goes = self.statement(ast.copy_location(kind(), s), around)
                out.append(if_(jump, ast.Eq(), number, goes, [], s))
        return out


def _only_attempt(s: ast.Try, body: Sequence[ast.stmt]) -> Attempt | None:
    """Return the one statement of a ``try`` that may raise, if the one clause ends in a jump: it
    stands where that statement raises, so that what follows knows that it has not."""
    tries = [n for t in body for n in ast.walk(t) if isinstance(n, (Attempt, Once))]
    jumping = isinstance(s.handlers[-1].body[-1], (ast.Break, ast.Continue, ast.Return))
    if len(s.handlers) != 1 or len(tries) != 1 or not jumping or jumps(s.body):
        return None
    inside = (n for t in s.body for n in own_nodes(t))
    only = next((t for t in body if t is tries[0]), None)
    if any(isinstance(n, _YIELDS) for n in inside) or not isinstance(only, Attempt):
        return None
    return only


_BREAK, _CONTINUE = 1, 2
_YIELDS = (ast.Yield, ast.YieldFrom)
_FUNCTIONS = (ast.FunctionDef, ast.Lambda, ast.GeneratorExp)
_HARMLESS = (
    ast.Pass,
    ast.Nonlocal,
    ast.Global,
    ast.Import,
    ast.ImportFrom,
    ast.Break,
    ast.Continue,
)
