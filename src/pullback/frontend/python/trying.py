"""``try`` written with jumps: every statement that may raise is one with two ends.

    try:                    .raised.1 = 0
        a()                 once:
        b()                     attempt a(), else: .raised.1 = 1; break
    except E:        ==>        attempt b(), else: .raised.1 = 1; break
        c()                     break
    else:                   if .raised.1 == 1: c()
        d()                 else: d()

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

from pullback.frontend.python import handled, looks, managers
from pullback.frontend.python.around import Around, Consumer, held_in, leave_loops, unbound
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
    Context,
    Manager,
    Names,
    is_certain,
    is_method,
    managed_by,
)
from pullback.frontend.python.syntax import STOP, jumps, own_nodes
from pullback.frontend.python.syntax_pieces import assign, break_, if_, known, name_
from pullback.frontend.python.texts import FunctionNode


def without_try(node: FunctionNode, names: Names) -> FunctionNode:
    """Return the function with its ``try`` and ``with`` statements, and those of the functions
    nested in it, written with jumps: itself if it has none."""
    found = any(isinstance(n, ast.Try | ast.With) for n in ast.walk(node))
    if isinstance(node, ast.Lambda) or not found:
        return node
    made = copy.deepcopy(node)
    _Rewriter(names).function(made)
    return ast.fix_missing_locations(made)


class _Rewriter:
    def __init__(self, names: Names) -> None:
        self.names = self.host = names
        self.running: tuple[ast.FunctionDef, ...] = ()
        self.consumers: dict[int, Consumer] = {}
        self.tries = 0
        self.parts = 0
        self.numbers = 0
        self.jumped: set[tuple[str, int]] = set()
        self.captures = False  # there are functions in the function
        self.outside: set[str] = set()  # the variables of functions around it that it binds
        self.noted = handled.NOTED.get()

    def function(self, node: ast.FunctionDef) -> None:
        outer, captures, outside = self.names, self.captures, self.outside
        self.names = self.host = outer.inside(node)
        self.captures = any(isinstance(n, _FUNCTIONS) and n is not node for n in ast.walk(node))
        declared = (n for n in ast.walk(node) if isinstance(n, ast.Nonlocal | ast.Global))
        self.outside = {name for n in declared for name in n.names}
        node.body = self.block(node.body, Around())
        self.names, self.captures, self.outside = outer, captures, outside
        self.host = outer

    def block(self, stmts: Sequence[ast.stmt], around: Around) -> list[ast.stmt]:
        return [made for s in stmts for made in self.statement(s, around)]

    def statement(self, s: ast.stmt, around: Around) -> list[ast.stmt]:
        match s:
            case ast.Try():
                return self._try(s, around)
            case ast.With():
                return self._with(s, around)
            case Consumed():
                return self._consumed(s, around)
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
            case ast.Expr(ast.Yield(value)) if around.levels or around.returns is not None:
                return self._yield(s, value, around)
            case ast.Expr(ast.YieldFrom(source)) if around.levels or around.returns is not None:
                self.tries += 1
                item = f".item.{self.tries}"
                each: list[ast.stmt] = [ast.Expr(ast.Yield(name_(item, s)))]
                loop = ast.For(ast.Name(item, ast.Store()), source, each, [])
                return self._loop(ast.fix_missing_locations(ast.copy_location(loop, s)), around)
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
        made = Attempt(ast.Constant(True), [s], [*chain, break_(s)])
        made.levels = around.levels
        return [ast.copy_location(made, s)]

    def _yield(self, s: ast.Expr, value: ast.expr | None, around: Around) -> list[ast.stmt]:
        """A ``yield`` under ``try``. What the consumer raises is not caught here; where that wants
        no further item the generator is left as by a ``return``."""
        first: list[ast.stmt] = []
        if value is not None:
            first, value = self._apart(value, around)
        s.value = ast.copy_location(ast.Yield(value), s)
        vars(s)["guarded"] = looks.Guarded(around.returns is not None, around.managed)
        stops = self.statement(ast.copy_location(ast.Return(None), s), around)
        return [*first, s, ast.copy_location(ast.If(name_(STOP, s), stops, []), s)]

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
        tried = tried and own.isdisjoint(_YIELDS)
        result = returns = ""
        if tried and around.levels and around.returns is None and ast.Return in own:
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
        goes = self._returned(result, returns, around, s, s) if returns else []
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
            return self._finally(s, around)
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
        level = Level(tuple(clauses), raised, f".held.{k}", handled.depth(k))
        inside = replace(
            around,
            levels=(level, *around.levels),
            leaving=(raised, *around.leaving),
            jump=jump,
        )
        once = Once(ast.Constant(True), [*self.block(s.body, inside), break_(s)], [])
        once.levels = inside.levels
        orelse, ends = self.block(s.orelse, around), looks.ends(s.body)
        for h, clause in reversed(list(zip(s.handlers, clauses, strict=True))):
            if clause.number:
                handler = self._handler(h, clause, level, around)
                test = if_(raised, ast.Eq(), clause.number, handler, orelse, h)
                orelse, ends = handler if ends else [test], False
        unset = [assign(name, ast.Constant(0), s) for name in (raised, level.held)]
        begun = [handled.begun(level.depth, s)] if self.noted else []
        return [
            *begun, *unset[: 1 + level.asks], *self._jump_unset(jump, s),
            ast.copy_location(once, s), *leave_loops(around, s), *self._jump(jump, around, s),
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

    def _finally(
        self, s: ast.Try, around: Around, seen: bool | None = None
    ) -> list[ast.stmt]:
        self.tries += 1
        k = self.tries
        jump, result, returns = f".jump.{k}", f".result.{k}", f".returns.{k}"
        inside = replace(
            around, leaving=(returns, *around.leaving), jump=jump, result=result, returns=returns,
            loop=len(around.bound), ended=len(around.bound),
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
        goes = [*self._returned(result, returns, around, once, s), *self._jump(jump, around, s)]
        swallows = swallows and seen
        return [
            assign(returns, ast.Constant(0), s), *self._jump_unset(jump, s),
            *([assign(swallowed, ast.Constant(0), s)] if swallows else []),
            ast.copy_location(once, s),
            *(leave_loops(levels, s) if seen else []),  # it has run before the exception went on
            *([if_(swallowed, ast.Eq(), 1, copy.deepcopy(goes), [], s)] if swallows else []),
            *self.block(s.finalbody, around), *leave_loops(around, s), *goes,
        ]  # fmt: skip

    def _returned(
        self, result: str, returns: str, around: Around, left: ast.stmt, s: ast.stmt
    ) -> list[ast.stmt]:
        """What follows a statement that a ``return`` may have ``left``."""
        if not any(isinstance(n, ast.Name) and n.id == returns for n in ast.walk(left)):
            return []
        again = ast.copy_location(ast.Return(name_(result, s)), s)
        return [if_(returns, ast.Eq(), 1, self.statement(again, around), [], s)]

    def _jump_unset(self, jump: str, s: ast.stmt) -> list[ast.stmt]:
        used = (jump, _BREAK) in self.jumped or (jump, _CONTINUE) in self.jumped
        return [assign(jump, ast.Constant(0), s)] if used else []

    def _jump(self, jump: str, around: Around, s: ast.stmt) -> list[ast.stmt]:
        """What follows a ``Once`` that a ``break`` or ``continue`` of a loop around it has left."""
        out: list[ast.stmt] = []
        for number, kind in ((_BREAK, ast.Break), (_CONTINUE, ast.Continue)):
            if (jump, number) in self.jumped:
                goes = self.statement(ast.copy_location(kind(), s), around)
                out.append(if_(jump, ast.Eq(), number, goes, [], s))
        return out

    def _with(self, s: ast.With, around: Around) -> list[ast.stmt]:
        """``with`` of a generator under ``contextmanager``, of a manager of the standard library,
        or of an object."""
        match s.items:
            case [first, _, *_]:
                inner = ast.copy_location(ast.With(s.items[1:], s.body), s)
                return self._with(ast.copy_location(ast.With([first], [inner]), s), around)
            case [ast.withitem(manager, target)]:
                pass
            case _:
                return [s]
        if isinstance(manager, ast.Call):
            found = managed_by(self.names, manager)
            means = self.names.value(manager.func)
            made = found and self._generated(s, found, manager, target, around, means)
            made = made or self._by_class(s, manager, target, around)
            if made is not None:
                return made
        return self._other(s, manager, target, around)

    def _other(
        self, s: ast.With, manager: ast.expr, target: ast.expr | None, around: Around
    ) -> list[ast.stmt]:
        """``with`` of no generator."""
        self.tries += 1
        made = managers.known(s, manager, target, self.names, self.tries)
        if made is not None:
            return self.block(made, around)
        before, whole = managers.managed(s, manager, target, self.tries)
        inside = replace(around, managed=True)
        return [*self.block(before, around), *self._finally(whole, inside, seen=False)]

    def _by_class(
        self, s: ast.With, manager: ast.Call, target: ast.expr | None, around: Around
    ) -> list[ast.stmt] | None:
        """``with`` of a method that may be a generator: the run knows the class of the object."""
        function = manager.func
        if not isinstance(function, ast.Attribute):
            return None
        methods = self.names.methods(function.attr)
        if not methods or len(self.consumers) > _MOST_CONSUMERS:
            return None
        self.tries += 1
        receiver = f".receiver.{self.tries}"
        first = self.block([assign(receiver, function.value, s)], around)
        here = name_(receiver, function)
        method = ast.copy_location(ast.Attribute(here, function.attr, ast.Load()), function)
        call = ast.copy_location(ast.Call(method, manager.args, manager.keywords), manager)
        chain = self._other(copy.deepcopy(s), copy.deepcopy(call), copy.deepcopy(target), around)
        for means, found in methods:
            call = ast.Call(method, [here, *manager.args], manager.keywords)
            call = copy.deepcopy(ast.copy_location(call, manager))
            made = self._generated(s, found, call, target, around, None)
            if made is not None:
                values = (is_method, function.attr, means)
                asks, name, meant = (known(v, function) for v in values)
                choice = ast.If(ast.Call(asks, [here, name, meant], []), made, chain)
                chain = [ast.fix_missing_locations(ast.copy_location(choice, s))]
        return [*first, *chain]

    def _generated(
        self, s: ast.With, found: Manager, manager: ast.Call, target: ast.expr | None,
        around: Around, means: object,
    ) -> list[ast.stmt] | None:  # fmt: skip
        """``with`` of a generator: its statements stand around those of the body."""
        if len(self.consumers) > _MOST_CONSUMERS or found.node in self.running:
            return None
        self.tries += 1
        k = self.tries
        parts = found.statements(manager, k, self.host)
        if parts is None:
            return None
        binds, body = parts
        yielded, thrown, jump, result, returns, done, ended = (
            f".{what}.{k}"
            for what in ("yielded", "thrown", "jump", "result", "returns", "done", "ended")
        )
        certain = is_certain(body)
        self.consumers[k] = Consumer(
            s, target, around, self.names, self.running, None if certain else yielded, thrown, jump,
            result, returns,
        )  # fmt: skip
        first = self.block(binds, around)
        inside = Around(around.levels, (done, *around.leaving), None, ended, done)
        outer = self.names, self.running
        self.names, self.running = found.names, (*self.running, found.node)
        once = Once(ast.Constant(True), [*self.block(body, inside), break_(s)], [])
        self.names, self.running = outer
        looks.mark(once, found.origin)
        asked: list[ast.stmt] = []
        if found.origin is not None and means is not None:
            context = Context(manager.func)
            context.means = means
            asked = [ast.copy_location(context, manager)]
        unset = [returns, done, *([] if certain else [yielded, thrown])]
        return [
            *asked, *first, *(assign(name, ast.Constant(0), s) for name in unset),
            *self._jump_unset(jump, s), ast.copy_location(once, s), *leave_loops(around, s),
            *([] if certain else self._wrong_times(yielded, thrown, around, manager)),
            *self._returned(result, returns, around, once, s), *self._jump(jump, around, s),
        ]  # fmt: skip

    def _wrong_times(
        self, yielded: str, thrown: str, around: Around, at: ast.expr
    ) -> list[ast.stmt]:
        """What a generator raises in the end that has not yielded once."""
        out: list[ast.stmt] = []
        for number, name, text in (
            (0, yielded, "generator didn't yield"),
            (2, thrown, "generator didn't stop"),
            (3, thrown, "generator didn't stop after throw()"),
        ):
            made = ast.Call(known(RuntimeError, at), [known(text, at)], [])
            goes = ast.fix_missing_locations(ast.copy_location(ast.Raise(made, None), at))
            out.append(if_(name, ast.Eq(), number, self.statement(goes, around), [], at))
        return out

    def _consumed(self, s: Consumed, around: Around) -> list[ast.stmt]:
        """Where a generator yields: the body, in which exceptions are those at the ``yield``."""
        c = self.consumers[s.number]
        value = s.value or ast.copy_location(ast.Constant(None), s)
        given = ast.Expr(value) if c.target is None else ast.Assign([c.target], value)
        first = self.block([ast.copy_location(given, s)], around)
        inside = Around(
            around.levels, (c.returns, *around.leaving), c.jump, c.result, c.returns,
            c.around.held, c.around.name,
        )  # fmt: skip
        outer = self.names, self.running
        self.names, self.running = c.names, c.running
        body = copy.deepcopy(c.s.body)
        once = Once(ast.Constant(True), [*self.block(body, inside), break_(c.s)], [])
        self.names, self.running = outer
        looks.mark(once, None)
        run = [*first, ast.copy_location(once, c.s), *leave_loops(around, s)]
        if c.yielded is None:
            return run
        one, zero = ast.Constant(1), ast.Constant(0)
        run = [assign(c.yielded, one, s), assign(c.thrown, one, s), *run]
        run.append(assign(c.thrown, zero, s))
        stops = self.statement(ast.copy_location(ast.Return(None), s), around)
        more = ast.BinOp(name_(c.thrown, s), ast.Add(), ast.Constant(2))
        return [if_(c.yielded, ast.Eq(), 0, run, [assign(c.thrown, more, s), *stops], s)]


_BREAK, _CONTINUE = 1, 2
_YIELDS = (ast.Yield, ast.YieldFrom)
_FUNCTIONS = (ast.FunctionDef, ast.Lambda, ast.GeneratorExp)
_MOST_CONSUMERS = 64
_HARMLESS = (
    ast.Pass,
    ast.Nonlocal,
    ast.Global,
    ast.Import,
    ast.ImportFrom,
    ast.Break,
    ast.Continue,
)
