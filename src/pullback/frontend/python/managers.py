"""Managers behind ``with`` that are no generators: those of the standard library, and objects."""

from __future__ import annotations

import ast
import contextlib
import copy
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from pullback.frontend.python import looks, syntax_pieces
from pullback.frontend.python.contexts import UNKNOWN, Context, Names
from pullback.frontend.python.syntax_pieces import assign, if_, name_

_UNHEARD = (np.errstate, contextlib.nullcontext, warnings.catch_warnings)
"""What means nothing to compiled code."""
_HEARD = contextlib.suppress, contextlib.closing, contextlib.ExitStack
_BY_NAME: dict[str, object] = {f.__name__: f for f in (*_UNHEARD, *_HEARD)}


def known(
    s: ast.With, manager: ast.expr, target: ast.expr | None, names: Names, number: int
) -> list[ast.stmt] | None:
    """Return what a manager of the standard library means; None if it is no such. What a variable
    holds is guessed by its name, and the run looks whether it is so."""
    if not isinstance(manager, ast.Call):
        return None
    found = names.value(manager.func)
    if found is UNKNOWN:
        found = _BY_NAME.get(looks.last_name(manager.func))
    made = _meant(s, manager, target, found, number)
    if made is None:
        return None
    for inside in made:
        ast.fix_missing_locations(ast.copy_location(inside, s))
    return [ast.copy_location(Context(manager), manager), *made]


def _meant(
    s: ast.With, call: ast.Call, target: ast.expr | None, function: object, number: int
) -> list[ast.stmt] | None:
    given = call.args
    if function is contextlib.nullcontext:
        given = [*given, *(k.value for k in call.keywords)]
    match given:
        case _ if call.keywords and function not in _UNHEARD:
            return None
        case args if function is contextlib.suppress and target is None:
            kind = ast.Tuple(list(args), ast.Load())
            handler = ast.ExceptHandler(kind, None, [ast.Pass()])
            ast.copy_location(handler, s)
            return [ast.Try(s.body, [handler], [], [])]
        case [value] if function is contextlib.nullcontext:
            here = [ast.Expr(value) if target is None else ast.Assign([target], value)]
            return [*here, *s.body]
        case [] if function is contextlib.nullcontext and target is not None:
            return [ast.Assign([target], ast.Constant(None)), *s.body]
        case [value] if function is contextlib.closing:
            held = f".manager.{number}"
            close = ast.Attribute(name_(held, call), "close", ast.Load())
            body = s.body
            if target is not None:
                body = [ast.Assign([target], name_(held, call)), *body]
            end = ast.Expr(ast.Call(close, [], []))
            return [assign(held, value, s), ast.Try(body, [], [], [end])]
        case [] if function is contextlib.ExitStack and isinstance(target, ast.Name):
            rest = entered(target.id, s.body, f"{number}")
            first = ast.Assign([target], syntax_pieces.known(function, call))
            return None if rest is None else [first, *rest]
        case _ if function in _UNHEARD and target is None:
            return s.body
        case _:
            return None


def entered(stack: str, body: Sequence[ast.stmt], number: str) -> list[ast.stmt] | None:
    """Return the statements behind ``with ExitStack() as stack``, in which what the stack gets
    stands around all that follows; None if it gets something elsewhere than in a statement of its
    own.

        x = stack.enter_context(m); ...     with m as x: ...
        stack.callback(f, v); ...           try: ... finally: f(v)
    """
    for k, s in enumerate(body):
        if not _mentions(s, stack):
            continue
        call: ast.Call | None
        match s:
            case ast.Expr(ast.Call() as made) | ast.Assign([_], ast.Call() as made):
                call, method = made, made.func
                given = [*made.args, *(w.value for w in made.keywords)]
            case ast.FunctionDef(decorator_list=[method]):
                method, given, call = method, [], None
            case _:
                return None
        match method:
            case ast.Attribute(ast.Name(name), attr) if name == stack:
                pass
            case _:
                return None
        rest = entered(stack, body[k + 1 :], f"{number}.{k}")
        if rest is None or any(_mentions(v, stack) for v in given):
            return None
        whole = around(s, attr, call, rest or [ast.Pass()], f"{number}.{k}")
        return None if whole is None else [*body[:k], *whole]
    return [*body]


def around(
    s: ast.stmt, method: str, call: ast.Call | None, rest: list[ast.stmt], number: str
) -> list[ast.stmt] | None:
    """Return what a statement that gives something to an ``ExitStack`` means, with the rest."""
    match method, s, call:
        case "enter_context", ast.Expr() | ast.Assign(), ast.Call(args=[manager], keywords=[]):
            target = s.targets[0] if isinstance(s, ast.Assign) else None
            return [ast.copy_location(ast.With([ast.withitem(manager, target)], rest), s)]
        case "callback", ast.FunctionDef(), None:
            first: list[ast.stmt] = [_undecorated(s)]
            function, args, keywords = name_(s.name, s), list[ast.expr](), list[ast.keyword]()
        case "callback", ast.Expr(), ast.Call(args=[function, *args], keywords=keywords):
            first = []
        case _:
            return None
    if any(isinstance(a, ast.Starred) for a in args) or any(w.arg is None for w in keywords):
        return None
    values = [function, *args, *(w.value for w in keywords)]
    names = [f".callback.{number}.{k}" for k in range(len(values))]
    first += [assign(name, value, s) for name, value in zip(names, values, strict=True)]
    held = [name_(name, s) for name in names]
    named = zip(keywords, held[1 + len(args) :], strict=True)
    ends = ast.Call(held[0], held[1 : 1 + len(args)], [ast.keyword(w.arg, v) for w, v in named])
    end = ast.copy_location(ast.Expr(ast.copy_location(ends, s)), s)
    return [*first, ast.copy_location(ast.Try(rest, [], [], [end]), s)]


def _mentions(part: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(part))


def _undecorated(s: ast.FunctionDef) -> ast.stmt:
    made = copy.copy(s)
    made.decorator_list = []
    return made


def managed(
    s: ast.With, manager: ast.expr, target: ast.expr | None, number: int
) -> tuple[list[ast.stmt], ast.Try]:
    """``with`` of an object that has ``__enter__`` and ``__exit__``, as the language reference
    defines it: what is done first, and the rest."""
    held, left, error = (f".{what}.{number}" for what in ("manager", "left", "error"))

    def call(method: str, *args: ast.expr) -> ast.expr:
        function = ast.Attribute(name_(held, manager), method, ast.Load())
        return ast.copy_location(ast.Call(function, list(args), []), manager)

    def of_error(name: str) -> ast.expr:
        return ast.Attribute(name_(error, manager), name, ast.Load())

    given = of_error("__class__"), name_(error, manager), of_error("__traceback__")
    swallowed = call("__exit__", *given)
    goes_on = ast.If(ast.UnaryOp(ast.Not(), swallowed), [ast.Raise(None, None)], [])
    handler = ast.ExceptHandler(None, error, [assign(left, ast.Constant(1), s), goes_on])
    body = ast.Try(s.body, [handler], [], [])
    looks.mark_made(body)
    ends = ast.Expr(call("__exit__", *(ast.Constant(None) for _ in given)))
    whole = ast.Try([body], [], [], [if_(left, ast.Eq(), 0, [ends], [], manager)])
    enter = call("__enter__")
    entered = ast.Expr(enter) if target is None else ast.Assign([target], enter)
    for made in (entered, ends, goes_on, whole):
        ast.copy_location(made, manager)
    known = ast.copy_location(Context(name_(held, manager)), manager)
    first = [assign(held, manager, s), known, entered, assign(left, ast.Constant(0), s)]
    whole = ast.fix_missing_locations(whole)
    return first, whole


def wrong_times(yielded: str, thrown: str, at: ast.expr) -> Iterator[tuple[int, str, ast.stmt]]:
    """Iterate over what a generator behind ``with`` raises in the end that has not yielded once,
    each with the variable that says so, and its value then."""
    for number, name, text in (
        (0, yielded, "generator didn't yield"),
        (2, thrown, "generator didn't stop"),
        (3, thrown, "generator didn't stop after throw()"),
    ):
        cls, message = (syntax_pieces.known(value, at) for value in (RuntimeError, text))
        goes = ast.Raise(ast.Call(cls, [message], []), None)
        yield number, name, ast.fix_missing_locations(ast.copy_location(goes, at))
