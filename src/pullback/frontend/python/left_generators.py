"""Generators that yield under a ``finally``, where their consumer raises an exception.

    try:                    .gone = 0
        yield v             once:
    finally:                    attempt yield v, else: .gone, .passing = 1, the exception; return
        c()         ==>         if the consumer stops: return
                            c()
                            if .gone == 1: raise .passing
                            return

CPython closes a generator that has no name when an exception leaves the loop over it: GeneratorExit
at the ``yield`` runs what a ``return`` would run there. So the generator is left by a ``return``,
and raises again at its end what the consumer has raised. The clauses of the generator do not see
that exception.
"""

from __future__ import annotations

import ast
import copy

from pullback.frontend.python import looks
from pullback.frontend.python.around import Around, held_in
from pullback.frontend.python.attempted import (
    CAUGHT,
    OBJECT,
    Attempt,
    Clause,
    Level,
)
from pullback.frontend.python.handled import depth
from pullback.frontend.python.syntax import own_nodes
from pullback.frontend.python.syntax_pieces import assign, if_, name_

_GONE, _PASSING = ".gone", ".passing"
_STOPPED = -1


def attempt_(s: ast.stmt, orelse: list[ast.stmt], levels: tuple[Level, ...]) -> ast.stmt:
    """Return the statement that runs ``s``, or ``orelse`` where that raises what is caught."""
    made = Attempt(ast.Constant(True), [s], orelse)
    made.levels = levels
    return ast.copy_location(made, s)


def by_consumer(s: ast.Expr, number: int, leaves: list[ast.stmt]) -> ast.stmt:
    """Return a ``yield`` that is left where its consumer raises. ``number``: that of the clause."""
    clause = Clause(None, number, asks=True, raises=False)
    level = Level((clause,), _GONE, _PASSING, depth(number))
    kept = [assign(_GONE, name_(CAUGHT, s), s), assign(_PASSING, name_(OBJECT, s), s)]
    return attempt_(s, [*kept, *leaves], (level,))


def is_handed_on(around: Around) -> bool:
    """Whether a ``yield from`` may give its consumer to the generator that it runs: all that goes
    out of that, what it raises itself and what the consumer raises, does the same here."""
    return around.closes and not around.managed and all(level.made for level in around.levels)


def not_left(at: ast.AST) -> list[ast.stmt]:
    """Return what stands at the beginning of such a generator."""
    return [assign(name, ast.Constant(0), at) for name in (_GONE, _PASSING)]


def stopped(at: ast.AST) -> ast.stmt:
    """Return what says that the consumer wants no further item."""
    return assign(_GONE, ast.Constant(_STOPPED), at)


def told_stopped(s: ast.stmt, lost: str) -> ast.stmt:
    """Return that statement as it is where a variable says whether what is raised is ``lost``."""
    match s:
        case ast.Assign([ast.Name(name)], ast.Constant(number)) if (
            (name, number) == (_GONE, _STOPPED)
        ):
            return ast.fix_missing_locations(ast.copy_location(ast.If(name_(lost, s), [s], []), s))
        case _:
            return s


def lost(s: ast.Try, around: Around) -> ast.stmt | None:
    """Return what a ``finally`` does in a generator that is left: CPython ignores what is raised
    there, unless the generator catches it. None: that is what it does in any case."""
    inside = [n for part in (*s.body, *s.handlers, *s.orelse) for n in own_nodes(part)]
    if not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in inside) or not (
        looks.raises_another(s.finalbody) and all(level.made for level in around.levels)
    ):
        return None
    handler = ast.copy_location(ast.ExceptHandler(None, None, [ast.Pass()]), s)
    made = ast.copy_location(ast.Try(copy.deepcopy(s.finalbody), [handler], [], []), s)
    return ast.fix_missing_locations(made)


def if_left(left: list[ast.stmt], otherwise: list[ast.stmt], at: ast.AST) -> ast.stmt:
    """Return the choice of what is done in a generator that is left, and otherwise."""
    return if_(_GONE, ast.NotEq(), 0, left, otherwise, at)


def raised_again(at: ast.AST) -> ast.stmt:
    """Return what stands in front of a ``return`` that leaves such a generator."""
    again = ast.copy_location(ast.Raise(held_in(_PASSING, at), None), at)
    return if_(_GONE, ast.Gt(), 0, [again], [], at)


__all__ = [
    "attempt_", "by_consumer", "if_left", "is_handed_on", "lost", "not_left", "raised_again",
    "stopped", "told_stopped",
]  # fmt: skip
