"""The statements that ``try`` becomes (``trying``), and what they know of its clauses."""

from __future__ import annotations

import ast

from pullback.core.frozen import dataclass


class Once(ast.While):
    """``while True:`` whose body ends in a jump: it goes round once. ``levels``: the clauses around
    the body of a ``try``."""

    levels: tuple[Level, ...] = ()


class Attempt(ast.If):
    """A branch: the statement of ``body``, or, if that raises what ``levels`` catch, ``orelse``."""

    levels: tuple[Level, ...] = ()


class ByClause(ast.If):
    """The choice of a clause: ``body`` if the exception was caught by the one of this ``number``.
    ``ends``: what follows the ``try`` is reached by exceptions only."""

    number: int = 0
    ends: bool = False

    def chain(self) -> list[ByClause]:
        """Return this choice, and those of the clauses below it."""
        below = [s for s in self.orelse if isinstance(s, ByClause)]
        return [self, *(choice for s in below[:1] for choice in s.chain())]


class Held(ast.Name):
    """The exception whose number the variable holds."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One ``except``: the expression of its classes (None: all), and its number in the function; 0:
    it raises again what it has caught, and nothing else is seen of it. ``asks``: for the
    exception; ``raises``: it may raise another one, whose context this one is."""

    classes: ast.expr | None
    number: int
    asks: bool
    raises: bool


@dataclass(frozen=True, slots=True)
class Level:
    """The clauses of one ``try``, in order, and the variables that hold the number of the one that
    has caught an exception, that of the exception, and how many are being handled around it.
    ``made``: it is the form of a ``finally``."""

    clauses: tuple[Clause, ...]
    raised: str
    held: str
    depth: str
    made: bool = False

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
