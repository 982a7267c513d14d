"""The clauses of ``try`` statements, by number, and the exceptions for which they ask.

What raises gives the number k of the clause that catches it. If this clause asks for the exception:

    ((object * DIGIT) + class) * DIGIT + k

``object`` is the number of Python's object (``core.held``), which is made where the exception is
raised; ``class`` the number of its class in the program.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial

from pullback.core.build import Builder, i64
from pullback.core.frozen import dataclass
from pullback.core.held import given, held, hold, within_handled
from pullback.core.messages import (
    MOST_WORDS,
    Applied,
    Leaf,
    Limit,
    Message,
    Raised,
    exception_text,
)
from pullback.core.prims_discrete import exception_class, exception_of, raised_by
from pullback.core.terms import (
    Atom,
    Function,
    Index,
    Let,
    Prim,
    Site,
    Update,
    Var,
    out_of_range,
)
from pullback.core.types import I64, Array
from pullback.frontend.kinds.kinds import TYPE

DIGIT = 1024

Classes = tuple[type[BaseException], ...]

NEVER_CAUGHT = (MemoryError, RecursionError)
"""What compiled code may raise anywhere, and so lets nobody catch."""


@dataclass(frozen=True, slots=True)
class Clauses:
    """The clauses of all ``try`` statements around some code: for each statement, from the inside,
    the classes and the number of each clause (0: it lets the exception go on)."""

    levels: tuple[tuple[tuple[Classes, int], ...], ...]
    asks: frozenset[int] = frozenset()
    """The clauses that ask for the exception."""

    def number(self, kind: Raised) -> int:
        """Return the number of the clause that catches what is raised; 0: none."""
        raised = exception_class(kind) or RuntimeError
        if isinstance(kind, Limit) or issubclass(raised, NEVER_CAUGHT):
            return 0
        for clauses in self.levels:
            for classes, number in clauses:
                if issubclass(raised, classes):
                    if number:
                        return number
                    break
        return 0

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of all clauses that do not let the exception go on."""
        return tuple(number for level in self.levels for _, number in level if number)

    @property
    def text(self) -> str:
        """A name for the versions of functions; classes of the same name are not told apart."""
        clauses = [clause for clauses in self.levels for clause in clauses]
        asks = "".join(f"!{k}" for k in sorted(self.asks))
        return ",".join(f"{'+'.join(map(_name, c))}={k}" for c, k in clauses) + asks


def _name(cls: type[BaseException]) -> str:
    return exception_text(raised_by(cls)) if issubclass(cls, Exception) else cls.__name__


def held_number(b: Builder, let: Let, kind: Raised, cls: int, clause: int) -> Atom:
    """Let Python make the exception of an op, of this kind; return the number of the clause."""
    leaves: tuple[Atom, ...] = ()
    match let.op:
        case Prim("require" | "require.early", (_, *shown), (_, str() | Message() as made)):
            leaves = tuple(shown)
            make = partial(exception_of, kind, made)
            if sum(1 + 2 * a.type.rank if isinstance(a.type, Array) else 1 for a in leaves) > (
                MOST_WORDS
            ):
                leaves, make = (), partial(exception_of, kind, str(made))
        case Index(a, places) | Update(a, places):
            leaves = (*places, *(b.dim(a, k) for k in range(len(places))))
            make = partial(_out_of_range, let)
        case Prim(_, _, (str(made), *_)):
            make = partial(exception_of, kind, made)
        case _:
            raise AssertionError(let.op)
    number = made_number(b, partial(_raised_now, make), exception_text(kind), leaves, let.site)
    whole = b.prim("add", b.prim("mul", number, i64(DIGIT)), i64(cls))
    return b.prim("add", b.prim("mul", whole, i64(DIGIT)), i64(clause))


def made_number(
    b: Builder, make: Callable[..., Exception], name: str, leaves: tuple[Atom, ...],
    site: Site | None = None,
) -> Atom:
    """Let Python make the exception of the values of these leaves; return the object's number.
    ``site``: where it is raised, if it is."""
    return called_number(b, partial(hold, make, site), name, leaves, site)


def called_number(
    b: Builder, function: Callable[..., int], name: str, leaves: tuple[Atom, ...],
    site: Site | None = None,
) -> Atom:  # fmt: skip
    """Return the number that Python's function gives of the values of these leaves."""
    call = Applied(function, tuple(Leaf(k) for k in range(len(leaves))))
    message = Message((call,), len(leaves), name, gives=True)
    (number,) = b.let(Prim("show", leaves, (message,)), (I64,), site)
    return number


def _raised_now(make: Callable[..., Exception], leaves: Sequence[object]) -> Exception:
    return within_handled(make(leaves))


def raised_again(name: str, classes: Sequence[Raised], clauses: Clauses) -> Function:
    """Return the function from the number of a caught exception (without the clause) to that of the
    clause around it that catches it when it is raised again; 0: none."""
    b, held = Builder(), Var("held", I64)
    cls = b.prim("mod", held, i64(DIGIT))
    code: Atom = i64(0)
    for k, exception in enumerate(classes):
        number = clauses.number(exception)
        found: Atom = i64(number)
        if number in clauses.asks:
            found = b.prim("add", b.prim("mul", held, i64(DIGIT)), found)
        code = b.prim("select", b.prim("eq", cls, i64(k)), found, code)
    return Function(name, (held,), b.block((code,)), (I64,))


def readied(b: Builder, let: Let) -> Atom:
    """Return the number of what is raised again (``raise e``), which has its new cause from here
    on."""
    assert isinstance(let.op, Prim)
    (_, number, *others), (_, message) = let.op.args, let.op.static
    if not others:
        return number
    assert isinstance(message, Message)
    part = Applied(_number_of, (Leaf(0), *message.parts))
    made = Message((part,), message.leaves, "", gives=True)
    (same,) = b.let(Prim("show", (number, *others), (made,)), (I64,), let.site)
    return same


def _number_of(number: int, exception: Exception) -> int:
    return number


def part_of_caught(steps: tuple[str | int, ...], number: int, leaves: bool = False) -> object:
    """Return what some steps read of a caught exception; ``leaves``: it leaves the program."""
    found: object = (given if leaves else held)(number // DIGIT)
    for step in steps:
        if isinstance(step, int):
            found = operator.getitem(found, step)  # type: ignore[call-overload]  # e.args[0]
        else:
            found = type(found) if step == TYPE else getattr(found, step)
    return found


def _out_of_range(let: Let, leaves: tuple[int, ...]) -> Exception:
    count = len(leaves) // 2
    for axis, (i, n) in enumerate(zip(leaves[:count], leaves[count:], strict=True)):
        if not -n <= i < n:
            text = f"index {i} is out of bounds for axis {axis} with size {n}"
            return IndexError(out_of_range(let.site, text))
    raise AssertionError(leaves)


__all__ = [
    "DIGIT", "Clauses", "called_number", "held_number", "made_number", "part_of_caught",
    "raised_again", "readied",
]  # fmt: skip
