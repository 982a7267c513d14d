"""Managers behind ``with`` that are no generators: those of the standard library, and objects."""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections.abc import Iterator

import numpy as np

from pullback.frontend.python import looks, syntax_pieces
from pullback.frontend.python.contexts import UNKNOWN, Context, Names
from pullback.frontend.python.syntax_pieces import assign, if_, name_

_UNHEARD = (np.errstate, contextlib.nullcontext, warnings.catch_warnings)
"""What means nothing to compiled code."""
_BY_NAME = {f.__name__: f for f in (*_UNHEARD, contextlib.suppress, contextlib.closing)}


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
        case _ if function in _UNHEARD and target is None:
            return s.body
        case _:
            return None


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
