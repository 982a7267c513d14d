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
import builtins
import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pullback.frontend.python.texts import FunctionNode


class Once(ast.While):
    """``while True:`` whose body ends in a jump: it goes round once. ``levels``: the clauses around
    the body of a ``try``."""

    levels: tuple[Level, ...] = ()


class Attempt(ast.If):
    """A branch: the statement of ``body``, or, if that raises what ``levels`` catch, ``orelse``."""

    levels: tuple[Level, ...] = ()


class Held(ast.Name):
    """The exception whose number the variable holds."""


class Context(ast.Expr):
    """The expression behind ``with``, of which the run knows what it is."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One ``except``: the expression of its classes (None: all), and its number in the function; 0:
    it raises again what it has caught, and nothing else is seen of it. ``asks``: for the
    exception."""

    classes: ast.expr | None
    number: int
    asks: bool


@dataclass(frozen=True, slots=True)
class Level:
    """The clauses of one ``try``, in order, and the variables that hold the number of the one that
    has caught an exception, and that of the exception."""

    clauses: tuple[Clause, ...]
    raised: str
    held: str

    @property
    def asks(self) -> bool:
        """Whether a clause asks for the exception."""
        return any(c.asks for c in self.clauses)

    @property
    def first(self) -> int:
        """The least number of its clauses; 0: none catches."""
        return min((c.number for c in self.clauses if c.number), default=0)


CAUGHT, OBJECT = ".caught", ".object"
"""The names that hold the number of the clause that catches what an attempt has raised, and the
number of the exception."""


def without_try(node: FunctionNode) -> FunctionNode:
    """Return the function with its ``try`` statements, and those of the functions nested in it,
    written with jumps: itself if it has none."""
    found = any(isinstance(n, ast.Try | ast.With) for n in ast.walk(node))
    if isinstance(node, ast.Lambda) or not found:
        return node
    made = copy.deepcopy(node)
    _Rewriter().function(made)
    return ast.fix_missing_locations(made)


@dataclass(frozen=True, slots=True)
class _Around:
    """What is around a statement: the clauses that catch, from the innermost ``try`` on; the
    variables that say, if they are not 0, that loops are to be left (``leaving``); the variable by
    which ``break`` and ``continue`` leave a ``Once`` (``jump``); and the one that holds what a
    ``return`` under a ``finally`` gives (``result``), with its place in ``leaving``; and what holds
    the exception in a clause (``held``, and by its ``name``)."""

    levels: tuple[Level, ...] = ()
    leaving: tuple[str, ...] = ()
    jump: str | None = None
    result: str | None = None
    returns: str | None = None
    held: str | None = None
    name: str | None = None


class _Rewriter:
    def __init__(self) -> None:
        self.tries = 0
        self.parts = 0
        self.numbers = 0
        self.jumped: set[tuple[str, int]] = set()

    def function(self, node: ast.FunctionDef) -> None:
        node.body = self.block(node.body, _Around())

    def block(self, stmts: Sequence[ast.stmt], around: _Around) -> list[ast.stmt]:
        return [made for s in stmts for made in self.statement(s, around)]

    def statement(self, s: ast.stmt, around: _Around) -> list[ast.stmt]:
        match s:
            case ast.Try():
                return self._try(s, around)
            case ast.With():
                return self._with(s, around)
            case ast.FunctionDef():
                self.function(s)
                return [s]
            case ast.Break() | ast.Continue() if around.jump is not None:
                number = _BREAK if isinstance(s, ast.Break) else _CONTINUE
                self.jumped.add((around.jump, number))
                return [_assign(around.jump, ast.Constant(number), s), _break(s)]
            case ast.Raise(None | ast.Name() as exc, None) if around.held is not None and (
                exc is None or exc.id == around.name
            ):
                again = ast.Raise(_held(around.held, s), None)
                return self._attempt(ast.copy_location(again, s), around)
            case ast.Return(value) if around.result is not None and around.returns is not None:
                kept = _assign(around.result, value or ast.Constant(None), s)
                returns = _assign(around.returns, ast.Constant(1), s)
                return [*self._attempt(kept, around), returns, _break(s)]
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

    def _attempt(self, s: ast.stmt, around: _Around) -> list[ast.stmt]:
        """A statement that may raise what is caught around it."""
        catching = [level for level in around.levels if level.first]
        if not catching or isinstance(s, _HARMLESS):
            return [s]
        chain: list[ast.stmt] = []
        for level in reversed(catching):
            mine: list[ast.stmt] = [_assign(level.raised, _name(CAUGHT, s), s)]
            if level.asks:
                mine.append(_assign(level.held, _name(OBJECT, s), s))
            chain = [_if(CAUGHT, ast.GtE(), level.first, mine, chain, s)] if chain else mine
        made = Attempt(ast.Constant(True), [s], [*chain, _break(s)])
        made.levels = around.levels
        return [ast.copy_location(made, s)]

    def _apart(self, e: ast.expr, around: _Around) -> tuple[list[ast.stmt], ast.expr]:
        """The expression in the head of a statement: evaluated before it, if it may raise."""
        if not around.levels or not _may_raise(e):
            return [], e
        self.parts += 1
        name = f".part.{self.parts}"
        return self._attempt(_assign(name, e, e), around), _name(name, e)

    def _loop(self, s: ast.For | ast.While, around: _Around) -> list[ast.stmt]:
        first: list[ast.stmt] = []
        inside = replace(around, jump=None)
        body = self.block(s.body, inside)
        if isinstance(s, ast.For):
            if not _may_be_generator(s.iter):
                first, s.iter = self._apart(s.iter, around)
        elif not s.orelse:
            test, now = self._apart(s.test, inside)
            if test:
                s.test = ast.copy_location(ast.Constant(True), s.test)
                stop = ast.If(ast.UnaryOp(ast.Not(), now), [_break(s)], [])
                body = [*test, ast.copy_location(stop, s), *body]
        s.body, s.orelse = body, self.block(s.orelse, around)
        return [*first, s, *_leave(around, s)]

    def _try(self, s: ast.Try, around: _Around) -> list[ast.stmt]:
        why = _refusal(s)
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
            only = _raises_again(h) and (len(h.body) == 1 or not self._seen(h.body[:-1], around))
            self.numbers += not only
            clauses.append(Clause(h.type, 0 if only else self.numbers, not only and _asks(h)))
        level = Level(tuple(clauses), raised, f".held.{k}")
        inside = replace(
            around,
            levels=(level, *around.levels),
            leaving=(raised, *around.leaving),
            jump=jump,
        )
        once = Once(ast.Constant(True), [*self.block(s.body, inside), _break(s)], [])
        once.levels = inside.levels
        orelse, ends = self.block(s.orelse, around), _ends(s.body)
        for h, clause in reversed(list(zip(s.handlers, clauses, strict=True))):
            if clause.number:
                named = [_named(h.name, level.held, h)] if clause.asks and h.name else []
                held = level.held if clause.asks else None
                body = self.block(h.body, replace(around, held=held, name=h.name))
                handler = [*named, *body]
                test = _if(raised, ast.Eq(), clause.number, handler, orelse, h)
                orelse, ends = handler if ends else [test], False
        unset = [_assign(name, ast.Constant(0), s) for name in (raised, level.held)]
        return [
            *unset[: 1 + level.asks], *self._jump_unset(jump, s),
            ast.copy_location(once, s), *_leave(around, s), *self._jump(jump, around, s), *orelse,
        ]  # fmt: skip

    def _seen(self, stmts: Sequence[ast.stmt], around: _Around) -> bool:
        """Whether somebody may see, after an exception, that statements have run."""
        return bool(around.levels) or not all(map(_is_unseen, stmts))

    def _finally(
        self, s: ast.Try, around: _Around, seen: bool | None = None
    ) -> list[ast.stmt]:
        self.tries += 1
        k = self.tries
        jump, result, returns = f".jump.{k}", f".result.{k}", f".returns.{k}"
        inside = replace(
            around, leaving=(returns, *around.leaving), jump=jump, result=result, returns=returns
        )
        inner: list[ast.stmt] = s.body
        if s.handlers:
            inner = [ast.copy_location(ast.Try(s.body, s.handlers, s.orelse, []), s)]
        seen = not all(map(_is_unseen, s.finalbody)) if seen is None else seen
        if seen:
            goes_on = ast.copy_location(ast.Raise(None, None), s)
            ends = ast.ExceptHandler(None, None, [*copy.deepcopy(s.finalbody), goes_on])
            inner = [ast.copy_location(ast.Try(inner, [ast.copy_location(ends, s)], [], []), s)]
        once = Once(ast.Constant(True), [*self.block(inner, inside), _break(s)], [])
        again = ast.copy_location(ast.Return(_name(result, s)), s)
        levels = replace(around, leaving=tuple(level.raised for level in around.levels))
        left = any(isinstance(n, ast.Name) and n.id == returns for n in ast.walk(once))
        return [
            _assign(returns, ast.Constant(0), s), *self._jump_unset(jump, s),
            ast.copy_location(once, s),
            *(_leave(levels, s) if seen else []),  # it has run before the exception went on
            *self.block(s.finalbody, around), *_leave(around, s),
            *([_if(returns, ast.Eq(), 1, self.statement(again, around), [], s)] if left else []),
            *self._jump(jump, around, s),
        ]  # fmt: skip

    def _jump_unset(self, jump: str, s: ast.stmt) -> list[ast.stmt]:
        used = (jump, _BREAK) in self.jumped or (jump, _CONTINUE) in self.jumped
        return [_assign(jump, ast.Constant(0), s)] if used else []

    def _jump(self, jump: str, around: _Around, s: ast.stmt) -> list[ast.stmt]:
        """What follows a ``Once`` that a ``break`` or ``continue`` of a loop around it has left."""
        out: list[ast.stmt] = []
        for number, kind in ((_BREAK, ast.Break), (_CONTINUE, ast.Continue)):
            if (jump, number) in self.jumped:
                goes = self.statement(ast.copy_location(kind(), s), around)
                out.append(_if(jump, ast.Eq(), number, goes, [], s))
        return out

    def _with(self, s: ast.With, around: _Around) -> list[ast.stmt]:
        """``with np.errstate(...)``, ``contextlib.nullcontext()`` and ``suppress(E)``."""
        match s.items:
            case [first, _, *_]:
                inner = ast.copy_location(ast.With(s.items[1:], s.body), s)
                return self._with(ast.copy_location(ast.With([first], [inner]), s), around)
            case [ast.withitem(ast.Call(function, args, []) as call, None)] if (
                _last_name(function) == "suppress"
            ):
                known = ast.copy_location(Context(call), call)
                kind = ast.copy_location(ast.Tuple(list(args), ast.Load()), call)
                handler = ast.ExceptHandler(kind, None, [ast.copy_location(ast.Pass(), s)])
                caught = ast.Try(s.body, [ast.copy_location(handler, s)], [], [])
                return [known, *self._try(ast.copy_location(caught, s), around)]
            case [ast.withitem(ast.Call(function) as call, None)] if _last_name(function) in (
                "errstate", "nullcontext", "catch_warnings",
            ):  # fmt: skip
                known = ast.copy_location(Context(call), call)
                return [known, *self.block(s.body, around)]
            case [ast.withitem(manager, target)]:
                return self._managed(s, manager, target, around)
            case _:
                return [s]

    def _managed(
        self, s: ast.With, manager: ast.expr, target: ast.expr | None, around: _Around
    ) -> list[ast.stmt]:
        """``with`` of an object that has ``__enter__`` and ``__exit__``, as the language reference
        defines it."""
        self.tries += 1
        held, left, error = (f".{what}.{self.tries}" for what in ("manager", "left", "error"))

        def call(method: str, *args: ast.expr) -> ast.expr:
            function = ast.Attribute(_name(held, manager), method, ast.Load())
            return ast.copy_location(ast.Call(function, list(args), []), manager)

        def of_error(name: str) -> ast.expr:
            return ast.Attribute(_name(error, manager), name, ast.Load())

        given = of_error("__class__"), _name(error, manager), of_error("__traceback__")
        swallowed = call("__exit__", *given)
        goes_on = ast.If(ast.UnaryOp(ast.Not(), swallowed), [ast.Raise(None, None)], [])
        handler = ast.ExceptHandler(None, error, [_assign(left, ast.Constant(1), s), goes_on])
        body = ast.Try(s.body, [handler], [], [])
        ends = ast.Expr(call("__exit__", *(ast.Constant(None) for _ in given)))
        whole = ast.Try([body], [], [], [_if(left, ast.Eq(), 0, [ends], [], manager)])
        enter = call("__enter__")
        entered = ast.Expr(enter) if target is None else ast.Assign([target], enter)
        for made in (entered, ends, goes_on, whole):
            ast.copy_location(made, manager)
        known = ast.copy_location(Context(_name(held, manager)), manager)
        first = [_assign(held, manager, s), known, entered, _assign(left, ast.Constant(0), s)]
        whole = ast.fix_missing_locations(whole)
        return [*self.block(first, around), *self._finally(whole, around, seen=False)]


_BREAK, _CONTINUE = 1, 2
_HARMLESS = (
    ast.Pass,
    ast.Nonlocal,
    ast.Global,
    ast.Import,
    ast.ImportFrom,
    ast.Break,
    ast.Continue,
)


def _name(name: str, at: ast.AST) -> ast.expr:
    return ast.copy_location(ast.Name(name, ast.Load()), at)


def _assign(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    target = ast.copy_location(ast.Name(name, ast.Store()), at)
    return ast.fix_missing_locations(ast.copy_location(ast.Assign([target], value), at))


def _break(at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Break(), at)


def _if(
    name: str, op: ast.cmpop, number: int, body: list[ast.stmt], orelse: list[ast.stmt], at: ast.AST
) -> ast.stmt:
    test = ast.Compare(ast.Name(name, ast.Load()), [op], [ast.Constant(number)])
    made = ast.If(test, body or [ast.Pass()], orelse)
    return ast.fix_missing_locations(ast.copy_location(made, at))


def _ends(stmts: Sequence[ast.stmt]) -> bool:
    """Whether what follows these statements is reached by exceptions only, by their look."""
    match stmts[-1]:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.If(_, body, [_, *_] as orelse):
            return _ends(body) and _ends(orelse)
        case _:
            return False


def _leave(around: _Around, at: ast.AST) -> list[ast.stmt]:
    """What follows a loop: if an exception, or a ``return`` under a ``finally``, has left it, the
    loop around it is left too."""
    return [_if(name, ast.NotEq(), 0, [_break(at)], [], at) for name in around.leaving]


def _named(name: str, held: str, at: ast.AST) -> ast.stmt:
    return _assign(name, _held(held, at), at)


def _held(held: str, at: ast.AST) -> ast.expr:
    return ast.copy_location(Held(held, ast.Load()), at)


def _asks(h: ast.ExceptHandler) -> bool:
    """Whether a clause asks for the exception that it catches."""
    return any(
        (isinstance(n, ast.Name) and n.id == h.name) or (isinstance(n, ast.Raise) and n.exc is None)
        for s in h.body
        for n in ast.walk(s)
    )


def _raises_again(h: ast.ExceptHandler) -> bool:
    """Whether a clause ends in letting the exception go on."""
    last = h.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _last_name(e: ast.expr) -> str:
    match e:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


_CALLED = frozenset({"range", "len", "enumerate", "zip", "isinstance", "reversed", "callable"})
_METHODS = frozenset({"items", "keys", "values"})


def _may_raise(e: ast.expr) -> bool:
    """Whether an expression may raise an exception, by its look."""
    match e:
        case ast.Name() | ast.Constant() | ast.Lambda():
            return False
        case ast.Attribute(value):
            return _may_raise(value)
        case ast.UnaryOp(_, v):
            return _may_raise(v)
        case ast.BoolOp(_, parts) | ast.Tuple(parts):
            return any(map(_may_raise, parts))
        case ast.Compare(left, _, others):
            return any(map(_may_raise, (left, *others)))
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
            return _may_raise(left) or _may_raise(right)
        case ast.Call(ast.Name(f), args, []) if f in _CALLED:
            return any(map(_may_raise, args))
        case ast.Call(ast.Attribute(value, f), [], []) if f in _METHODS:
            return _may_raise(value)
        case _:
            return True


def _is_unseen(s: ast.stmt) -> bool:
    """Whether a statement does nothing, by its look, but bind names anew."""
    match s:
        case ast.Pass() | ast.Expr(ast.Constant()):
            return True
        case ast.Assign([ast.Name()], value) | ast.AugAssign(
            ast.Name(), ast.Add() | ast.Sub() | ast.Mult(), value
        ):
            return not _may_raise(value)
        case _:
            return False


def _may_be_generator(e: ast.expr) -> bool:
    """Whether an expression is a call of a function of the user's, by its look."""
    called = e.func if isinstance(e, ast.Call) else None
    return isinstance(called, ast.Name) and not hasattr(builtins, called.id)


# --- what cannot be written so --------------------------------------------------------------------


def _refusal(s: ast.Try) -> tuple[str, str] | None:
    """Why a ``try`` is refused, and what to write."""
    inside = [n for b in s.body for n in ast.walk(b)]
    if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in inside):
        return "a generator yields inside of a try", "yield after it: v = ...; then yield v"
    ends = [n for b in s.finalbody for n in ast.walk(b)]
    if any(isinstance(n, ast.Return | ast.Break | ast.Continue | ast.Raise) for n in ends):
        return "a finally that jumps swallows exceptions", "catch them: except Exception: ..."
    return None
