"""The evaluator of loop code: its meaning, on a simulated memory. For tests: slow and strict.

Released memory is overwritten, and an access outside allocated memory is an error."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

import numpy as np

from pullback.core.lapack import lapack_address
from pullback.core.prims import TABLE
from pullback.core.types import Type
from pullback.lower.check import CORE
from pullback.lower.error_records import error_of, leaves_of
from pullback.lower.loopcode import (
    LANES,
    AccAlloc,
    AccBase,
    AccMark,
    AccRelease,
    Alloc,
    ArenaBase,
    Arith,
    AtAdd,
    CallCode,
    Copy,
    ForCode,
    Foreign,
    IfCode,
    Instr,
    Load,
    LoopFunction,
    Mark,
    Module,
    Offset,
    RaiseIf,
    Reg,
    Region,
    Release,
    Show,
    Store,
    Ty,
    Value,
    WhileCode,
)

Number = float | int | bool
Content = Number | list[Number]
FORMAT = {Ty.F64: "<d", Ty.F32: "<f", Ty.I64: "<q", Ty.I32: "<i", Ty.I1: "<?", Ty.PTR: "<q"}
SIZE = {ty: struct.calcsize(f) for ty, f in FORMAT.items()}
POISON = 0xCD


@dataclass
class Arena:
    """Memory from ``base`` on, allocated up to ``top``; ``peak`` is the most it ever had."""

    base: int
    end: int
    top: int
    peak: int = 0

    def alloc(self, n: int, gaps: bool = True) -> int:
        """The address of ``n`` fresh bytes."""
        align = 64 if n >= 64 and gaps else 8
        at = -(-self.top // align) * align
        self.top = at + n
        self.peak = max(self.peak, self.top - self.base)
        if self.top > self.end:
            raise MemoryError("the simulated memory is full")
        return at


@dataclass
class Machine:
    """Memory and the functions that run on it."""

    module: Module
    size: int = 1 << 22
    steps: int = 0
    memory: bytearray = field(init=False)
    arenas: dict[str, Arena] = field(init=False)

    def __post_init__(self) -> None:
        names = ("inputs", "temp", "residual", "store", "tape", "ids")
        self.memory = bytearray([POISON]) * (self.size * (len(names) + 1))
        at = [self.size * (k + 1) for k in range(len(names))]
        self.arenas = {n: Arena(a, a + self.size, a) for n, a in zip(names, at)}

    # --- memory -----------------------------------------------------------------------------------

    def check(self, at: int, n: int) -> None:
        """An access of ``n`` bytes must be within what some arena has allocated."""
        if not any(a.base <= at and at + n <= a.top for a in self.arenas.values()):
            raise AssertionError(f"access of {n} bytes at {at:#x} outside allocated memory")

    def get(self, at: int, ty: Ty) -> Number:
        """The number at an address."""
        self.check(at, SIZE[ty])
        if ty is Ty.I1:
            return bool(self.memory[at] & 1)
        out: Number = struct.unpack_from(FORMAT[ty], self.memory, at)[0]
        return np.float32(out) if ty is Ty.F32 else out  # type: ignore[return-value]  # rounds

    def put(self, at: int, ty: Ty, x: Number) -> None:
        """Write a number."""
        self.check(at, SIZE[ty])
        struct.pack_into(FORMAT[ty], self.memory, at, x)

    def release(self, name: str, to: int) -> None:
        """Give back memory; it is overwritten."""
        a = self.arenas[name]
        assert a.base <= to <= a.top, "releasing what was never allocated"
        self.memory[to : a.top] = bytes([POISON]) * (a.top - to)
        a.top = to

    # --- running ----------------------------------------------------------------------------------

    def call(self, name: str, args: Sequence[Number]) -> list[Number]:
        """Run a function on leaves."""
        fn: LoopFunction = self.module.functions[name]
        env: dict[Reg, Content] = dict(zip(fn.params, args, strict=True))
        out = self.region(fn.body, env)
        return [x for x in out if not isinstance(x, list)]

    def region(self, region: Region, env: dict[Reg, Content]) -> list[Content]:
        """Run code and return what it yields."""
        for i in region.code:
            self.instr(i, env)
        return [self.value(v, env) for v in region.yields]

    def value(self, v: Value, env: dict[Reg, Content]) -> Content:
        """Return the content of a value."""
        return env[v] if isinstance(v, Reg) else v.value

    def number(self, v: Value, env: dict[Reg, Content]) -> int:
        """An integer."""
        x = self.value(v, env)
        assert not isinstance(x, list)
        return int(x)

    def addresses(self, ptr: Value, index: Value, ty: Ty, lanes: int, env: dict[Reg, Content]
                  ) -> list[int]:
        """The addresses that an access goes to."""
        base, at = self.number(ptr, env), self.value(index, env)
        numbers = at if isinstance(at, list) else [int(at) + k for k in range(lanes)]
        return [base + SIZE[ty] * int(n) for n in numbers]

    def instr(self, i: Instr, env: dict[Reg, Content]) -> None:
        """Run one instruction."""
        self.steps += 1
        match i:
            case Arith(dst, name, args):
                env[dst] = arith(dst, name, args, [self.value(a, env) for a in args])
            case Load(dst, ptr, index):
                where = self.addresses(ptr, index, dst.ty, dst.lanes, env)
                xs = [self.get(at, dst.ty) for at in where]
                env[dst] = xs if dst.lanes > 1 else xs[0]
            case Store(ptr, index, value):
                for at, x in self.targets(ptr, index, value, env):
                    self.put(at, value.ty, x)
            case AtAdd(ptr, index, value):
                for at, x in self.targets(ptr, index, value, env):
                    self.put(at, value.ty, self.get(at, value.ty) + x)
            case Offset(dst, ptr, index, ty):
                env[dst] = self.number(ptr, env) + SIZE[ty] * self.number(index, env)
            case Alloc(dst, count, ty, arena):
                n = self.number(count, env)
                assert n >= 0, "negative allocation"
                env[dst] = self.arenas[arena].alloc(n * SIZE[ty], arena not in ("tape", "ids"))
            case AccAlloc(dst, count):
                n = self.number(count, env)
                store = self.arenas["store"]
                at = store.alloc(8 * n)
                self.memory[at : at + 8 * n] = bytes(8 * n)
                env[dst] = (at - store.base) // 8
            case AccBase(dst):
                env[dst] = self.arenas["store"].base
            case Mark(dst, arena):
                env[dst] = self.arenas[arena].top
            case ArenaBase(dst, arena):
                env[dst] = self.arenas[arena].base
            case Release(mark, arena):
                self.release(arena, self.number(mark, env))
            case AccMark(dst):
                env[dst] = self.arenas["store"].top
            case AccRelease(mark):
                self.release("store", self.number(mark, env))
            case Copy(to, src, count, ty):
                n = self.number(count, env) * SIZE[ty]
                a, b = self.number(to, env), self.number(src, env)
                if n:
                    self.check(a, n)
                    self.check(b, n)
                    self.memory[a : a + n] = self.memory[b : b + n]
            case IfCode() | ForCode() | WhileCode():
                self.control(i, env)
            case CallCode(dsts, name, args):
                contents = [self.value(a, env) for a in args]
                out = self.call(name, [x for x in contents if not isinstance(x, list)])
                env.update(zip(dsts, out, strict=True))
            case Foreign(dst, routine, args):
                given = [v if isinstance(v, str) else (v.ty, self.value(v, env)) for v in args]
                info = self.foreign(routine, given)
                if dst is not None:
                    env[dst] = info
            case RaiseIf(cond, kind, message, _, values, types):
                if self.number(cond, env):
                    numbers = [self.number(v, env) for v in values]
                    start = ctypes.addressof((ctypes.c_char * 1).from_buffer(self.memory))
                    raise error_of(kind, message, types, numbers, start)
            case Show(message, values, types):
                numbers = [self.number(v, env) for v in values]
                start = ctypes.addressof((ctypes.c_char * 1).from_buffer(self.memory))
                message.show(leaves_of(types, numbers, start))
            case _:
                assert_never(i)

    def foreign(self, routine: str, args: list[str | tuple[Ty, Content]]) -> int:
        """Call a routine of LAPACK on the simulated memory."""
        base = ctypes.addressof((ctypes.c_char * len(self.memory)).from_buffer(self.memory))
        info = ctypes.c_int(0)
        given: list[object] = []
        for a in args:
            match a:
                case str():
                    given.append(ctypes.c_char_p(a.encode()))
                case (Ty.PTR, int(at)):
                    given.append(ctypes.c_void_p(base + at))
                case (Ty.F64, float(x)):
                    given.append(ctypes.byref(ctypes.c_double(x)))
                case (_, n):
                    assert isinstance(n, int)
                    given.append(ctypes.byref(ctypes.c_int(n)))
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(given) + 1))
        kind(lapack_address(routine))(*given, ctypes.byref(info))
        return info.value

    def targets(
        self, ptr: Value, index: Value, value: Value, env: dict[Reg, Content]
    ) -> list[tuple[int, Number]]:
        """Addresses and what goes there."""
        x = self.value(value, env)
        xs = x if isinstance(x, list) else [x]
        return list(zip(self.addresses(ptr, index, value.ty, len(xs), env), xs, strict=True))

    def control(self, i: IfCode | ForCode | WhileCode, env: dict[Reg, Content]) -> None:
        """Run structured code."""
        match i:
            case IfCode(cond, then, orelse, _):
                out = self.region(then if self.number(cond, env) else orelse, env)
            case ForCode(lo, hi, step, index, carried, inits, body, _):
                out = [self.value(v, env) for v in inits]
                for k in range(self.number(lo, env), self.number(hi, env), step):
                    env[index] = k
                    env.update(zip(carried, out, strict=True))
                    out = self.region(body, env)
            case WhileCode(carried, inits, test, body, _):
                out = [self.value(v, env) for v in inits]
                env.update(zip(carried, out, strict=True))
                while self.region(test, env)[0]:
                    out = self.region(body, env)
                    env.update(zip(carried, out, strict=True))
        env.update(zip(i.dsts, out, strict=True))


def arith(dst: Reg, name: str, args: Sequence[Value], xs: list[Content]) -> Content:
    """The value of an Arith."""
    first = xs[0]
    match name:
        case "splat":
            assert not isinstance(first, list)
            return [first] * LANES
        case "iota":
            assert not isinstance(first, list)
            return [first + k for k in range(LANES)]
        case "extract":
            assert isinstance(first, list) and isinstance(xs[1], int)
            return first[xs[1]]
        case "lane_or":
            assert isinstance(first, list)
            return any(first)
        case "lane_min":
            assert isinstance(first, list)
            return min(first)
        case "lane_sum":
            assert isinstance(first, list)
            lanes = first
            while len(lanes) > 1:
                half = len(lanes) // 2
                lanes = [_row("add", dst.ty, [a, b]) for a, b in zip(lanes[:half], lanes[half:])]
            return lanes[0]
        case "move" | "address":
            return first
    if dst.lanes == 1:
        return _row(name, dst.ty, [x for x in xs if not isinstance(x, list)])
    columns = [x if isinstance(x, list) else [x] * LANES for x in xs]
    return [_row(name, dst.ty, list(row)) for row in zip(*columns)]


def _row(name: str, ty: Ty, xs: list[Number]) -> Number:
    target: Type = CORE[ty]
    static = (target,) if name in ("to_real", "to_int") else ()
    with np.errstate(all="ignore"):
        out = TABLE[name].numpy(*xs, *static)
    return _convert(out, ty)


def _convert(x: object, ty: Ty) -> Number:
    assert isinstance(x, int | float | np.generic)
    match ty:
        case Ty.F64:
            return float(x)
        case Ty.F32:
            return np.float32(x)  # type: ignore[return-value]  # its sums are rounded
        case Ty.I1:
            return bool(x)
        case Ty.I64 | Ty.I32 | Ty.PTR:
            bits = 32 if ty is Ty.I32 else 64
            return (int(x) + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
