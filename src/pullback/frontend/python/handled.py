"""Text that says which exceptions it handles, for the contexts of those that it raises meanwhile.

    try:                    .depth.1 = depth()
        a()                 (as ``trying`` writes it)
    except E:        ==>
        b()                 enter(.depth.1, .held.1); b(); leave(.depth.1)

Ordinary text does not say it: it would cost a call of Python for each clause that is entered. Where
a program has raised something that may have a context, it is compiled once more with these
statements, and run (``call.first_errors``)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pullback.core import held
from pullback.frontend.python.syntax_pieces import assign, known, name_

NOTED: ContextVar[bool] = ContextVar("NOTED", default=False)
"""Whether text is being compiled that says what it handles."""


RETURNED: ContextVar[bool] = ContextVar("RETURNED", default=False)
"""Whether the program that is being compiled has exceptions among its results."""

_DEPTH = ".depth."


@contextmanager
def noted(wanted: bool, returned: bool = False) -> Iterator[None]:
    """Compile text that says what it handles, or ordinary text; ``returned``: the program has
    exceptions among its results."""
    tokens = NOTED.set(wanted), RETURNED.set(returned)
    try:
        yield
    finally:
        NOTED.reset(tokens[0])
        RETURNED.reset(tokens[1])


def depth(k: int) -> str:
    """Return the variable of one ``try`` that says how many exceptions are handled around it."""
    return f"{_DEPTH}{k}"


def is_depth(name: str) -> bool:
    """Whether a variable is one of these."""
    return name.startswith(_DEPTH)


def begun(name: str, at: ast.AST) -> ast.stmt:
    """Keep in a variable how many exceptions are being handled."""
    return assign(name, _call(held.depth, at), at)


def entered(name: str, exception: ast.expr, at: ast.AST) -> ast.stmt:
    """Begin to handle an exception."""
    return _statement(_call(held.enter, at, name_(name, at), exception), at)


def left(name: str, at: ast.AST) -> ast.stmt:
    """Handle no more than had been handled where the variable was set."""
    return _statement(_call(held.leave, at, name_(name, at)), at)


def _call(function: object, at: ast.AST, *args: ast.expr) -> ast.expr:
    made = ast.Call(known(function, at), list(args), [])
    return ast.fix_missing_locations(ast.copy_location(made, at))


def _statement(e: ast.expr, at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Expr(e), at)


__all__ = ["NOTED", "RETURNED", "begun", "depth", "entered", "is_depth", "left", "noted"]
