"""Cells that threads add into (Efficient CHAD, App. E: the class ParMonoid).

    VarRepr L(R) = atomic float      VarRepr L(1) = ()      VarRepr (Bag t) = atomic bag
    VarRepr (s ×! t) = write-once cell of (VarRepr s, VarRepr t)
    VarRepr (s +! t) = write-once cell of (tag, VarRepr s or VarRepr t)

A write-once cell is empty, for 0, until somebody adds: whoever comes first puts a cell made of its
cotangent; whoever loses the race adds into the winner's.

>>> m, cell = Machine(), make(Machine(), Zero(lprod(L_R, L_R)))
>>> for d in ((1.0, 2.0), Zero(lprod(L_R, L_R)), (10.0, 20.0)):
...     cell.add(m, d)
>>> cell.read(m), m.cost
((11.0, 22.0), 10)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Protocol, cast

from pullback.core.waiting import Lock
from pullback.papers.language.linear import L_R, lprod
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import Type
from pullback.papers.language.values import ConV, Inj, Packed, Zero, pair


class Cell(Protocol):
    """An accumulator to which any thread may add at any time; it is read when all threads have
    finished."""

    def add(self, m: Machine, d: object) -> None:
        """cell += d."""

    def read(self, m: Machine) -> object:
        """Return the sum of the summands."""


class Atomic:
    """A value with an addition that nobody interrupts."""

    __slots__ = ("_lock", "_plus", "_value")

    def __init__(self, value: object, plus: Callable[[object, object], object]) -> None:
        self._value = value
        self._plus = plus
        self._lock = Lock()

    def add(self, m: Machine, d: object) -> None:
        m.cost += 1
        with self._lock:
            self._value = self._plus(self._value, d)

    def read(self, m: Machine) -> object:
        m.cost += 1
        return self._value


class Once:
    """The cell of a pair or an injection. It is empty until the first addition, which fixes the tag
    and makes the cells of the parts; neither changes again."""

    __slots__ = ("_found", "_zero")

    def __init__(self, zero: object) -> None:
        self._zero = zero
        self._found: dict[str, tuple[object, tuple[Cell, ...]]] = {}

    def add(self, m: Machine, d: object) -> None:
        m.cost += 1
        if isinstance(d, Zero):
            return
        found = self._found.get("parts")
        if found is None:
            m.count("put")
            tag, parts = opened(d)
            made = (tag, tuple(make(m, x) for x in parts))
            found = self._found.setdefault("parts", made)  # one step: nobody comes in between
            if found is made:
                return
            m.count("lost race")
            m.cost -= made_cost(parts)
        tag, parts = opened(d)
        if tag != found[0]:
            raise ValueError(f"cotangents of different shapes are added: {found[0]} + {tag}")
        for cell, x in zip(found[1], parts, strict=True):
            cell.add(m, x)

    def read(self, m: Machine) -> object:
        m.cost += 1
        if not self._found:
            return self._zero
        tag, cells = self._found["parts"]
        values = [cell.read(m) for cell in cells]
        if tag is None:
            return values[0], values[1]
        return Inj(tag, values[0]) if isinstance(tag, int) else Packed(cast(Type, tag), values[0])


def opened(d: object) -> tuple[object, tuple[object, ...]]:
    """Return the tag of a cotangent, if it has one, and its parts."""
    match d:
        case Inj(tag, x) | Packed(tag, x):
            return tag, (x,)
        case _:
            return None, pair(d)


def make(m: Machine, d: object) -> Cell:
    """pmakevar: a cell that holds d. It costs what adding d to the empty cell would."""
    match d:
        # L(R): atomic addition
        case float():
            m.cost += 1
            return Atomic(d, operator.add)
        case ():
            m.cost += 1
            return Atomic((), lambda a, b: ())
        # List (T1 s * T2 t): ++
        case list():
            m.cost += 1 + len(d)
            return Atomic(d, operator.add)
        # Bag t: BPlus
        case ConV():
            m.cost += 1
            return Atomic(d, lambda a, b: ConV("BPlus", (a, b)))
        # s ×! t, s +! t: written once
        case _:
            cell = Once(d if isinstance(d, Zero) else NOTHING)
            cell.add(m, d)
            return cell


def made_cost(parts: tuple[object, ...]) -> int:
    """Return the cost of making the cells of the loser of a race: it is paid once, by adding to the
    winner's cells."""
    m = Machine()
    for x in parts:
        make(m, x)
    return m.cost


NOTHING = Zero(L_R)
__all__ = ["Atomic", "Cell", "Once", "lprod", "make"]
