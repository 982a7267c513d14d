"""Emit loop code: append instructions, simplify arithmetic on constants, and build structured
control flow from Python functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from pullback.lower.loopcode import (
    LANES,
    AccBase,
    Alloc,
    ArenaBase,
    Arith,
    ForCode,
    IfCode,
    Imm,
    Instr,
    Load,
    Mark,
    Offset,
    Reg,
    Region,
    Ty,
    Value,
)
from pullback.lower.values import ONE, ZERO, lanes_of

T = TypeVar("T")

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
_INT: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "max": max,
    "min": min,
}


def fold(name: str, ty: Ty, args: Sequence[Value]) -> Value | None:
    """Return the value of an operation on integers and truth values, if it can be computed now."""
    match name, args:
        case "select", [Imm(c), a, b]:
            return a if c else b
        case "select", [_, a, b] if a == b:
            return a
        case ("and", [Imm(True, Ty.I1), x]) | ("and", [x, Imm(True, Ty.I1)]):
            return x
        case ("or", [Imm(False, Ty.I1), x]) | ("or", [x, Imm(False, Ty.I1)]):
            return x
        case ("and", [Imm(False, Ty.I1), _]) | ("and", [_, Imm(False, Ty.I1)]):
            return Imm(False, Ty.I1)
        case ("or", [Imm(True, Ty.I1), _]) | ("or", [_, Imm(True, Ty.I1)]):
            return Imm(True, Ty.I1)
        case "not", [Imm(x, Ty.I1)]:
            return Imm(not x, Ty.I1)
        case _ if any(not isinstance(a, Reg) and a.ty is not Ty.I64 for a in args):
            return None
        case (("add" | "sub"), [x, Imm(0)]) | ("add", [Imm(0), x]):
            return x
        case ("mul", [x, Imm(1)]) | ("mul", [Imm(1), x]):
            return x
        case ("mul", [_, Imm(0) as z]) | ("mul", [Imm(0) as z, _]):
            return z
        case _, [Imm(a), Imm(b)] if name in _INT:
            n = _INT[name](int(a), int(b))
            return Imm(n, ty) if abs(n) < 2**62 else None
        case _, [Imm(a), Imm(b)] if name in _COMPARE:
            return Imm(_COMPARE[name](int(a), int(b)), Ty.I1)
    return None


class Emitter:
    """Code under construction. ``prelude``: the code at the begin of the function."""

    def __init__(self) -> None:
        self.code: list[Instr] = []
        self.prelude: list[Instr] = []
        self._iota: Reg | None = None
        self._accumulators: Reg | None = None
        self._base: Reg | None = None
        self._bottoms: dict[str, Reg] = {}

    def emit(self, instr: Instr) -> None:
        """Append an instruction."""
        self.code.append(instr)

    @contextmanager
    def into(self, code: list[Instr]) -> Iterator[None]:
        """Append to ``code`` for a while."""
        saved, self.code = self.code, code
        try:
            yield
        finally:
            self.code = saved

    def record(self, f: Callable[[], T]) -> tuple[list[Instr], T]:
        """Run ``f`` and return its result with the code that it emitted, which is not yet placed
        anywhere."""
        code: list[Instr] = []
        with self.into(code):
            out = f()
        return code, out

    @contextmanager
    def function_of_its_own(self) -> Iterator[list[Instr]]:
        """Emit code of another function for a while; yields its prelude."""
        names = ("prelude", "_iota", "_accumulators", "_base", "_bottoms")
        saved = {name: getattr(self, name) for name in names}
        self.prelude, self._bottoms = [], {}
        self._iota = self._accumulators = self._base = None
        try:
            yield self.prelude
        finally:
            for name, value in saved.items():
                setattr(self, name, value)

    # --- arithmetic -------------------------------------------------------------------------------

    def arith(self, name: str, ty: Ty, *args: Value, hint: str = "") -> Value:
        """``name(args)``, lane by lane if any argument is a vector."""
        known = fold(name, ty, args)
        if known is not None:
            return known
        dst = Reg(hint or name, ty, max((lanes_of(a) for a in args), default=1))
        self.emit(Arith(dst, name, args))
        return dst

    def add(self, a: Value, b: Value) -> Value:
        """An i64 sum."""
        return self.arith("add", Ty.I64, a, b)

    def sub(self, a: Value, b: Value) -> Value:
        """An i64 difference."""
        return self.arith("sub", Ty.I64, a, b)

    def mul(self, a: Value, b: Value) -> Value:
        """An i64 product."""
        return self.arith("mul", Ty.I64, a, b)

    def test(self, name: str, a: Value, b: Value) -> Value:
        """A comparison, or ``and``/``or`` of truth values."""
        return self.arith(name, Ty.I1, a, b)

    def select(self, c: Value, a: Value, b: Value) -> Value:
        """``a`` where ``c`` else ``b``."""
        return self.arith("select", a.ty, c, a, b)

    def negate(self, c: Value) -> Value:
        """Not ``c``."""
        return self.arith("not", Ty.I1, c)

    def product(self, values: Sequence[Value]) -> Value:
        """The product of i64 values."""
        out: Value = ONE
        for v in values:
            out = self.mul(out, v)
        return out

    def room(self, values: Sequence[Value]) -> Value:
        """Return the number of elements to allocate: the product, or, if that overflows, a number
        that is too large to be allocated, so that memory is refused and nothing wraps around."""
        out: Value = ONE
        for v in values:
            if ONE in (out, v) or (isinstance(out, Imm) and isinstance(v, Imm)):
                out = self.mul(out, v)
            else:
                over = self.test("mul.ovf", out, v)
                out = self.select(over, Imm(2**62, Ty.I64), self.mul(out, v))
        return out

    # --- lanes ------------------------------------------------------------------------------------

    def vector(self, v: Value) -> Value:
        """The same value in every lane."""
        return v if lanes_of(v) == LANES else self._to("splat", v.ty, LANES, v)

    def lane_sum(self, v: Value) -> Value:
        """The sum of the lanes."""
        return self._to("lane_sum", v.ty, 1, v)

    def any_lane(self, v: Value) -> Value:
        """Whether a truth value holds in any lane."""
        return v if lanes_of(v) == 1 else self._to("lane_or", Ty.I1, 1, v)

    def lane_min(self, v: Value) -> Value:
        """The smallest of i64 lanes."""
        return self._to("lane_min", Ty.I64, 1, v)

    def extract(self, v: Value, lane: Value) -> Value:
        """The value of one lane."""
        return v if lanes_of(v) == 1 else self._to("extract", v.ty, 1, v, lane)

    def _to(self, name: str, ty: Ty, lanes: int, *args: Value) -> Value:
        dst = Reg(name, ty, lanes)
        self.emit(Arith(dst, name, args))
        return dst

    def iota(self) -> Value:
        """0..7."""
        if self._iota is None:
            self._iota = Reg("iota", Ty.I64, LANES)
            self.prelude.append(Arith(self._iota, "iota", (ZERO,)))
        return self._iota

    def accumulators(self) -> Value:
        """The address of cell 0 of the accumulator store."""
        if self._accumulators is None:
            self._accumulators = Reg("cells", Ty.PTR)
            self.prelude.append(AccBase(self._accumulators))
        return self._accumulators

    def temporaries(self) -> Value:
        """Return the address at which the temp arena begins (i64)."""
        if self._base is None:
            base = Reg("temp", Ty.PTR)
            self._base = Reg("temp", Ty.I64)
            self.prelude.append(ArenaBase(base))
            self.prelude.append(Arith(self._base, "address", (base,)))
        return self._base

    def bottom(self, arena: str) -> Value:
        """Return the address at which an arena begins."""
        if arena not in self._bottoms:
            self._bottoms[arena] = Reg(arena, Ty.PTR)
            self.prelude.append(ArenaBase(self._bottoms[arena], arena))
        return self._bottoms[arena]

    # --- memory -----------------------------------------------------------------------------------

    def load(self, ty: Ty, ptr: Value, index: Value, lanes: int) -> Value:
        """``ptr[index]``."""
        dst = Reg("x", ty, lanes)
        self.emit(Load(dst, ptr, index))
        return dst

    def offset(self, ptr: Value, index: Value, ty: Ty) -> Value:
        """``&ptr[index]``."""
        if index == ZERO or isinstance(ptr, Imm):
            return ptr
        dst = Reg("p", Ty.PTR)
        self.emit(Offset(dst, ptr, index, ty))
        return dst

    def alloc(self, count: Value, ty: Ty, arena: str = "temp") -> Value:
        """The address of ``count`` fresh elements."""
        dst = Reg("new", Ty.PTR)
        self.emit(Alloc(dst, count, ty, arena))
        return dst

    def mark(self, arena: str = "temp") -> Value:
        """The top of an arena (ptr)."""
        dst = Reg("mark", Ty.PTR)
        self.emit(Mark(dst, arena))
        return dst

    def address(self, ptr: Value) -> Value:
        """A pointer as i64, to be compared."""
        return self._to("address", Ty.I64, 1, ptr)

    # --- control ----------------------------------------------------------------------------------

    def yields(self, code: list[Instr], values: Sequence[Value], lanes: Sequence[int]) -> Region:
        """Return the region of ``code`` that yields the values, as vectors where ``lanes`` says so.
        """
        with self.into(code):
            out = tuple(
                self.vector(v) if n == LANES else v for v, n in zip(values, lanes, strict=True)
            )
        return Region(tuple(code), out)

    def join(
        self, cond: Value, then: tuple[list[Instr], list[Value]],
        orelse: tuple[list[Instr], list[Value]],
    ) -> list[Value]:
        """Emit an IfCode of two recorded codes and their results. Equal results need no register.
        """
        pairs = list(zip(then[1], orelse[1], strict=True))
        differ = [(a, b) for a, b in pairs if a != b]
        lanes = [max(lanes_of(a), lanes_of(b)) for a, b in differ]
        dsts = [Reg("if", a.ty, n) for (a, _), n in zip(differ, lanes, strict=True)]
        if then[0] or orelse[0] or dsts:
            first = self.yields(then[0], [a for a, _ in differ], lanes)
            second = self.yields(orelse[0], [b for _, b in differ], lanes)
            self.emit(IfCode(cond, first, second, tuple(dsts)))
        rest = iter(dsts)
        return [a if a == b else next(rest) for a, b in pairs]

    def choose(
        self, cond: Value, then: Callable[[], list[Value]], orelse: Callable[[], list[Value]]
    ) -> list[Value]:
        """Emit a conditional whose arms are written by two functions; return the results."""
        if isinstance(cond, Imm):
            return then() if cond.value else orelse()
        return self.join(cond, self.record(then), self.record(orelse))

    def loop(
        self, lo: Value, hi: Value, step: int, inits: Sequence[Value],
        body: Callable[[Reg, list[Value]], list[Value]],
    ) -> list[Value]:
        """A ForCode; carried registers have the type and lanes of ``inits``."""
        index = Reg("i", Ty.I64)
        carried = [Reg("c", v.ty, lanes_of(v)) for v in inits]
        code, out = self.record(lambda: body(index, list(carried)))
        region = self.yields(code, out, [r.lanes for r in carried])
        dsts = tuple(Reg("c", r.ty, r.lanes) for r in carried)
        self.emit(ForCode(lo, hi, step, index, tuple(carried), tuple(inits), region, dsts))
        return list(dsts)
