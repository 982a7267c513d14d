"""Represent the work of a piece of code as a polynomial in the numbers of rounds of its loops.

    for i < n: (5 cycles; for j < m: 3 cycles)        5 n + 3 n m

So the work of a whole nest of loops is known in front of it, where the numbers of rounds are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from pullback.core.frozen import dataclass
from pullback.lower.loopcode import (
    Arith,
    ForCode,
    IfCode,
    Imm,
    Instr,
    Reg,
    Ty,
    Value,
)

DEGREE, TERMS, EXTENTS = 3, 6, 3
"""The largest degree, number of terms and number of extents of a polynomial."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The number of rounds of a loop from ``lo`` to ``hi``; 0 if the difference is negative."""

    lo: Value
    hi: Value

    def registers(self) -> set[Reg]:
        """Return the registers from which it is computed."""
        return {v for v in (self.lo, self.hi) if isinstance(v, Reg)}

    def key(self) -> tuple[int, ...]:
        """Return the key by which extents are sorted."""
        return tuple(v.id if isinstance(v, Reg) else 0 for v in (self.hi, self.lo))


Monomial = tuple[Extent, ...]
Work = Mapping[Monomial, float]
"""Cycles, by products of extents."""


def plus(x: Work, y: Work) -> dict[Monomial, float]:
    """Return the sum of two."""
    return {m: x.get(m, 0.0) + y.get(m, 0.0) for m in {**x, **y}}


def together(works: Iterable[Work]) -> dict[Monomial, float]:
    """Return the sum of all."""
    total: dict[Monomial, float] = {}
    for work in works:
        total = plus(total, work)
    return total


def either(x: Work, y: Work) -> dict[Monomial, float]:
    """Return a bound of the larger one: each coefficient is the larger of the two."""
    return {m: max(x.get(m, 0.0), y.get(m, 0.0)) for m in {**x, **y}}


def times(x: Work, factor: float, extents: Monomial = ()) -> dict[Monomial, float]:
    """Return the product with a number and with extents."""
    return {
        tuple(sorted((*m, *extents), key=Extent.key)): cycles * factor for m, cycles in x.items()
    }


def extents_of(x: Work) -> list[Extent]:
    """Return the extents in the polynomial, sorted."""
    return sorted({e for m in x for e in m}, key=Extent.key)


def registers_of(x: Work) -> set[Reg]:
    """Return the registers from which the work is computed."""
    return {r for e in extents_of(x) for r in e.registers()}


def simple(x: Work) -> bool:
    """Whether the polynomial is small enough to be computed in front of a loop."""
    degree = max(map(len, x), default=0)
    return len(x) <= TERMS and len(extents_of(x)) <= EXTENTS and degree <= DEGREE


def at(x: Work, extent: int) -> float:
    """Return its value if all extents are ``extent``."""
    return sum(cycles * float(extent) ** len(m) for m, cycles in x.items())


def largest(x: Work, most: float) -> int:
    """Return the largest extent at which the value is at most ``most``; -1 if there is none."""
    low, high = -1, 1 << 40
    if at(x, 0) > most:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if at(x, middle) <= most else (low, middle)
    return low


# --- what is known of registers -----------------------------------------------------------------


class Known:
    """What is known of the registers of a function: that one is the sum of another one and a
    constant, that one does not exceed a number, and that a truth value says whether there are
    many."""

    def __init__(self) -> None:
        self.sums: dict[Reg, tuple[Value, int]] = {}
        self.bounds: dict[Value, int] = {}
        self.enough: dict[Value, tuple[Value, int]] = {}
        self.several: dict[Value, set[Value]] = {}

    def note(self, instr: Instr) -> None:
        """Note what an instruction says of its result."""
        match instr:
            case Arith(dst, "add" | "sub" as name, (x, Imm(c, Ty.I64))) if dst.lanes == 1:
                base, before = self.base(x)
                self.sums[dst] = base, before + (int(c) if name == "add" else -int(c))
            case Arith(dst, "mod", (_, Imm(c, Ty.I64))) if dst.lanes == 1 and c > 0:
                self.bounds[dst] = int(c) - 1
            case Arith(dst, "ge", (n, Imm(c, Ty.I64))) if dst.lanes == 1:
                self.enough[dst] = n, int(c)
                self.several[dst] = {n}
            case Arith(dst, "and", (x, y)) if dst.lanes == 1:
                self.several[dst] = self.several.get(x, set()) | self.several.get(y, set())
            case _:
                pass

    def base(self, x: Value) -> tuple[Value, int]:
        """Return a value as the sum of a register and a constant."""
        return self.sums.get(x, (x, 0)) if isinstance(x, Reg) else (x, 0)

    def bound(self, x: Value) -> int | None:
        """Return a number that the value does not exceed; None if there is none."""
        if isinstance(x, Imm):
            return int(x.value) if x.ty is Ty.I64 else None
        return self.bounds.get(x)

    def few(self, cond: Value) -> dict[Value, int]:
        """Return numbers that values do not exceed if a truth value does not hold."""
        if cond not in self.enough:
            return {}
        n, least = self.enough[cond]
        return {n: least - 1} if isinstance(n, Reg) else {}

    @contextmanager
    def within(self, few: Mapping[Value, int]) -> Iterator[None]:
        """Assume, for the code inside, that values do not exceed these numbers."""
        before = self.bounds
        self.bounds = {**before, **few}
        yield
        added = {x: n for x, n in self.bounds.items() if x not in few}
        self.bounds = {**added, **{x: before[x] for x in few if x in before}}

    def join(self, instr: IfCode, few: Mapping[Value, int]) -> None:
        """Note what is known of the results of a branch; ``few`` has the bounds of values in its
        second arm."""
        for dst, x, y in zip(instr.dsts, instr.then.yields, instr.orelse.yields, strict=True):
            one, other = self.bound(x), few.get(y, self.bound(y))
            if one is not None and other is not None and dst.ty is Ty.I64:
                self.bounds[dst] = max(one, other)

    def rounds(self, instr: ForCode) -> tuple[Extent | None, int]:
        """Return the number of rounds of a loop: an extent, and a constant."""
        hi, lo = self.bound(instr.hi), instr.lo
        if hi is not None and isinstance(lo, Imm):
            return None, max(0, hi - int(lo.value))
        base, more = self.base(instr.hi)
        if isinstance(lo, Imm):
            return Extent(Imm(0, Ty.I64), base), max(0, more - int(lo.value))
        return Extent(lo, base), max(0, more)


def defined(instrs: Iterable[Instr]) -> set[Reg]:
    """Return the registers that are known behind these instructions, and not in front of them."""
    found: set[Reg] = set()
    for instr in instrs:
        found.update(getattr(instr, "dsts", ()))
        if isinstance(dst := getattr(instr, "dst", None), Reg):
            found.add(dst)
    return found
