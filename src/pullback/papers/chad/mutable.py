"""The EVM on a growable stack, and as a writer (Efficient CHAD, section 5 and footnote 13).

    EVM ctx t := (height, growable array) -> t        x of ctx is the slot of its position in ctx
    scope     if height = capacity, double; write a zero at slot height; run; read the slot
    run       allocate, fill, run, read back

The term is C's; only the operations are others. ``WRITER`` is a second view: as nothing is ever
read, an action is a result and a list of additions (slot, cotangent), which ``scope`` sorts out.

>>> from pullback.papers.language.terms import Let, R, Source, Var
>>> from pullback.papers.language.build import E, reals
>>> from pullback.papers.chad.program import run_monadic
>>> x, y = E(Var("x")), E(Var("y"))
>>> run_monadic(Source(reals("x"), Let("y", (x * x).t, (y + y).t), R), (3.0,), 1.0, MUTABLE)
... # doctest: +ELLIPSIS
Outcome(value=18.0, cotangents=(12.0,), ...)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pullback.papers.chad.monadic import CHAD
from pullback.papers.chad.program import CHAD_SOURCE, linearise_monadic
from pullback.papers.language.linear import plus
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import implementation
from pullback.papers.language.terms import EV, Static
from pullback.papers.language.values import array, items, tuple_value
from pullback.papers.methods import Curried, Method, register


def slot(static: Sequence[Static]) -> int:
    """Return the position of the variable of ``one`` in its context."""
    return cast(int, static[2])


def width(static: Sequence[Static]) -> int:
    """Return the number of cells that ``run`` starts with."""
    ev = static[0]
    assert isinstance(ev, EV)
    return len(ev.context)


class Stack:
    """A growable array of cells; ``height`` of them are in use."""

    __slots__ = ("cells", "height")

    def __init__(self, cells: list[object]) -> None:
        self.cells = [*cells, None] if not cells else list(cells)
        self.height = len(cells)

    def push(self, m: Machine, x: object) -> None:
        """Add a new cell; the array doubles when it is full."""
        if self.height == len(self.cells):
            m.count("copied", self.height)
            self.cells = self.cells + [None] * self.height
        self.cells[self.height] = x
        self.height += 1
        m.peak("stack", self.height)

    def pop(self) -> object:
        """Return the newest cell."""
        self.height -= 1
        return self.cells[self.height]


Action = Callable[[Stack], object]


def _act(x: object) -> Action:
    return cast(Action, x)


def _pure(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(s: Stack) -> object:
        m.cost += 1
        return args[0]

    return action


def _bind(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(s: Stack) -> object:
        m.cost += 1
        return _act(m.call(args[1], _act(args[0])(s)))(s)

    return action


def _one(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    k = slot(static)

    def action(s: Stack) -> object:
        m.cost += 1
        m.count("one")
        s.cells[k] = plus(m, args[0], s.cells[k])
        return ()

    return action


def _scope(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(s: Stack) -> object:
        m.cost += 1
        s.push(m, args[0])
        result = _act(args[1])(s)
        return s.pop(), result

    return action


def _sequence(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(s: Stack) -> object:
        m.cost += 1
        return [_act(each)(s) for each in array(args[0])]

    return action


def _run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    n = width(static)
    m.cost += 1 + n
    s = Stack(items(args[1], n + 1)[1:])
    result = _act(args[0])(s)
    return result, tuple_value((), *s.cells[:n])


MUTABLE = CHAD.replaced(*implementation(
    CHAD, pure=_pure, bind=_bind, one=_one, scope=_scope, sequence=_sequence, run=_run))
"""C's operations on a growable stack."""

# --- the writer -----------------------------------------------------------------------------------

# An action is a function from the height to (result, additions); an addition is (slot, cotangent).
Additions = list[tuple[int, object]]
Writer = Callable[[int], tuple[object, Additions]]


def _w(x: object) -> Writer:
    return cast(Writer, x)


def _w_pure(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    return lambda height: (args[0], [])


def _w_bind(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(height: int) -> tuple[object, Additions]:
        first, log = _w(args[0])(height)
        second, more = _w(m.call(args[1], first))(height)
        return second, log + more

    return action


def _w_one(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    return lambda height: ((), [(slot(static), args[0])])


def _w_scope(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(height: int) -> tuple[object, Additions]:
        result, log = _w(args[1])(height + 1)
        cell = args[0]
        for k, d in log:
            cell = plus(m, d, cell) if k == height else cell
        return (cell, result), [(k, d) for k, d in log if k != height]

    return action


def _w_sequence(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    def action(height: int) -> tuple[object, Additions]:
        both = [_w(each)(height) for each in array(args[0])]
        return [result for result, _ in both], [entry for _, log in both for entry in log]

    return action


def _w_run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    n = width(static)
    cells = items(args[1], n + 1)
    result, log = _w(args[0])(n)
    for k, d in log:
        cells[k + 1] = plus(m, d, cells[k + 1])
    return result, tuple_value(*cells)


WRITER = CHAD.replaced(*implementation(
    CHAD, pure=_w_pure, bind=_w_bind, one=_w_one, scope=_w_scope, sequence=_w_sequence, run=_w_run))
"""C's operations as a writer monad."""

register(Method(
    "chad.mutable", "C's text on a growable stack of cells (section 5)",
    CHAD_SOURCE, Curried(lambda source, args: linearise_monadic(source, args, MUTABLE))))
register(Method(
    "chad.writer", "C's text with actions as lists of additions (footnote 13)",
    CHAD_SOURCE, Curried(lambda source, args: linearise_monadic(source, args, WRITER))))
