"""``with`` statements written with jumps (``trying``): the statements of a generator under
``contextmanager`` stand around those of the body, and the methods of an object before and behind
it."""

from __future__ import annotations

import ast
import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from pullback.frontend.python import looks, managers
from pullback.frontend.python.around import Around, Consumer, leave_loops
from pullback.frontend.python.attempted import Once
from pullback.frontend.python.contexts import (
    Consumed,
    Context,
    Manager,
    Names,
    is_certain,
    is_method,
    managed_by,
)
from pullback.frontend.python.syntax_pieces import assign, break_, if_, known, name_


class WithStatements(ABC):
    """What writes ``with`` statements; the other statements are those of the class below it."""

    def __init__(self, names: Names) -> None:
        self.names = self.host = names
        self.running: tuple[ast.FunctionDef, ...] = ()
        self.consumers: dict[int, Consumer] = {}
        self.tries = 0

    @abstractmethod
    def block(self, stmts: Sequence[ast.stmt], around: Around) -> list[ast.stmt]: ...

    @abstractmethod
    def statement(self, s: ast.stmt, around: Around) -> list[ast.stmt]: ...

    @abstractmethod
    def finally_(self, s: ast.Try, around: Around, seen: bool | None = None) -> list[ast.stmt]: ...

    @abstractmethod
    def returned(
        self, result: str, returns: str, around: Around, left: ast.stmt, s: ast.stmt
    ) -> list[ast.stmt]: ...

    @abstractmethod
    def jump_unset(self, jump: str, s: ast.stmt) -> list[ast.stmt]: ...

    @abstractmethod
    def jumps_out(self, jump: str, around: Around, s: ast.stmt) -> list[ast.stmt]: ...

    def with_(self, s: ast.With, around: Around) -> list[ast.stmt]:
        """``with`` of a generator under ``contextmanager``, of a manager of the standard library,
        or of an object."""
        match s.items:
            case [first, _, *_]:
                inner = ast.copy_location(ast.With(s.items[1:], s.body), s)
                return self.with_(ast.copy_location(ast.With([first], [inner]), s), around)
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
        return [*self.block(before, around), *self.finally_(whole, inside, seen=False)]

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
        inside = Around(
            around.levels, (done, *around.leaving), None, ended, done, closes=around.closes
        )
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
            *self.jump_unset(jump, s), ast.copy_location(once, s), *leave_loops(around, s),
            *([] if certain else [
                if_(name, ast.Eq(), number, self.statement(goes, around), [], manager)
                for number, name, goes in managers.wrong_times(yielded, thrown, manager)
            ]),
            *self.returned(result, returns, around, once, s), *self.jumps_out(jump, around, s),
        ]  # fmt: skip

    def consumed(self, s: Consumed, around: Around) -> list[ast.stmt]:
        """Where a generator yields: the body, in which exceptions are those at the ``yield``."""
        c = self.consumers[s.number]
        value = s.value or ast.copy_location(ast.Constant(None), s)
        given = ast.Expr(value) if c.target is None else ast.Assign([c.target], value)
        first = self.block([ast.copy_location(given, s)], around)
        inside = Around(
            around.levels, (c.returns, *around.leaving), c.jump, c.result, c.returns,
            c.around.held, c.around.name, closes=around.closes,
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


_MOST_CONSUMERS = 64

__all__ = ["WithStatements"]
