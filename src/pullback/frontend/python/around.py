"""What is around a statement under ``try`` and ``with``, and what follows from it where the
statement is left (``trying``)."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pullback.core.frozen import dataclass
from pullback.frontend.python import handled
from pullback.frontend.python.attempted import ByClause, Held, Level
from pullback.frontend.python.contexts import Names
from pullback.frontend.python.syntax_pieces import assign, break_, delete, if_


@dataclass(frozen=True, slots=True)
class Around:
    """What is around a statement: the clauses that catch, from the innermost ``try`` on; the
    variables that say, if they are not 0, that loops are to be left (``leaving``); the variable by
    which ``break`` and ``continue`` leave a ``Once`` (``jump``); and the one that holds what a
    ``return`` under a ``finally`` gives (``result``), with its place in ``leaving``; and what holds
    the exception in a clause (``held``, and by its ``name``). ``bound``: the names that the clauses
    around have given exceptions, each with how many levels are around its clause; so many of them
    are around the loop (``loop``) and the ``finally`` (``ended``). ``managed``: it stands in a
    ``with`` of an object. ``closes``: somebody may see what a ``finally`` around it does."""

    levels: tuple[Level, ...] = ()
    leaving: tuple[str, ...] = ()
    jump: str | None = None
    result: str | None = None
    returns: str | None = None
    held: str | None = None
    name: str | None = None
    bound: tuple[tuple[str, int], ...] = ()
    loop: int = 0
    ended: int = 0
    managed: bool = False
    closes: bool = False


@dataclass(frozen=True, slots=True)
class Consumer:
    """The body of a ``with`` statement, as a generator runs it: what is around the statement, the
    names there and the generators that run, the variables that say how often the generator has
    yielded (``yielded``, if it is not known) and that the body has been left by an exception
    (``thrown``), and those of ``Around`` for the jumps of the body."""

    s: ast.With
    target: ast.expr | None
    around: Around
    names: Names
    running: tuple[ast.FunctionDef, ...]
    yielded: str | None
    thrown: str
    jump: str
    result: str
    returns: str


def by_clause(
    raised: str, number: int, body: list[ast.stmt], orelse: list[ast.stmt], ends: bool, at: ast.AST
) -> ast.stmt:
    """Return the choice of a clause."""
    test = ast.Compare(ast.Name(raised, ast.Load()), [ast.Eq()], [ast.Constant(number)])
    made = ByClause(test, body, orelse)
    made.number, made.ends = number, ends
    return ast.fix_missing_locations(ast.copy_location(made, at))


def leave_loops(around: Around, at: ast.AST) -> list[ast.stmt]:
    """What follows a loop: if an exception, or a ``return`` under a ``finally``, has left it, the
    loop around it is left too."""
    return [if_(name, ast.NotEq(), 0, [break_(at)], [], at) for name in around.leaving]


def unbound(names: Sequence[tuple[str, int]], at: ast.AST) -> list[ast.stmt]:
    """What Python does at the end of a clause with a name: ``e = None; del e``; and what says that
    it has handled its exception."""
    out: list[ast.stmt] = []
    for n, _ in names:
        if handled.is_depth(n):
            out.append(handled.left(n, at))
        else:
            out += [assign(n, ast.Constant(None), at), delete(n, at)]
    return out


def held_in(held: str, at: ast.AST) -> ast.expr:
    return ast.copy_location(Held(held, ast.Load()), at)


__all__ = ["Around", "Consumer", "by_clause", "held_in", "leave_loops", "unbound"]
