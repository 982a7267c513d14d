"""Loop code as chains of Python closures: how its evaluator (``eval.py``) runs it.

A function is translated once, when it is first called; a frame is a list with a slot per register
and constant. The content of a vector register is a list of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, assert_never

import numpy as np

from pullback.core.prims import TABLE
from pullback.lower.check import CORE
from pullback.lower.error_records import error_of, leaves_of
from pullback.lower.loopcode import (
    CHUNKS,
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
    Fork,
    IfCode,
    Instr,
    Load,
    LoopFunction,
    Mark,
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
Frame = list[Any]  # a Content in each slot, of the register's type
Step = Callable[[Frame], None]
SIZE = {Ty.F64: 8, Ty.F32: 4, Ty.I64: 8, Ty.I32: 4, Ty.I16: 2, Ty.I8: 1, Ty.I1: 1, Ty.PTR: 8}


class Code:
    """A translated function: how many parameters it has, and the slots of its results."""

    def __init__(self) -> None:
        self.template: Frame = []
        self.params = 0
        self.run: Step = lambda frame: None
        self.results: list[int] = []


class Arena(Protocol):
    """Memory that grows and is given back from its end."""

    base: int
    top: int

    def alloc(self, n: int, gaps: bool = True) -> int: ...

    def release(self, to: int) -> None: ...


class Machine(Protocol):
    """What the instructions work on."""

    steps: int

    @property
    def arenas(self) -> Any: ...

    def getter(self, ty: Ty) -> Callable[[int], Number]: ...

    def putter(self, ty: Ty) -> Callable[[int, Number], None]: ...

    def cells(self, n: int) -> int: ...

    def copy(self, to: int, source: int, n: int) -> None: ...

    def start(self) -> int: ...

    def run(self, name: str, args: Sequence[Content]) -> list[Number]: ...

    def foreign(self, routine: str, args: Sequence[str | tuple[Ty, Content]]) -> int: ...


class Translator:
    """One function to closures. The parameters have the first slots of its frames."""

    def __init__(self, machine: Machine, code: Code) -> None:
        self.m = machine
        self.code = code
        self.slots: dict[Reg, int] = {}

    def function(self, fn: LoopFunction) -> None:
        """Translate a function."""
        self.code.params = len(fn.params)
        for p in fn.params:
            self.bind(p)
        self.code.run, self.code.results = self.region(fn.body)

    def bind(self, r: Reg) -> int:
        """A new slot."""
        self.slots[r] = len(self.code.template)
        self.code.template.append(None)
        return self.slots[r]

    def binds(self, rs: Sequence[Reg]) -> list[int]:
        """A new slot for each."""
        return [self.bind(r) for r in rs]

    def slot(self, v: Value) -> int:
        """The slot of a register or of a constant."""
        if isinstance(v, Reg):
            return self.slots[v]
        self.code.template.append(v.value)
        return len(self.code.template) - 1

    def all(self, vs: Sequence[Value]) -> list[int]:
        """The slot of each."""
        return [self.slot(v) for v in vs]

    def region(self, region: Region) -> tuple[Step, list[int]]:
        """Code, and the slots of what it yields."""
        m, n = self.m, len(region.code)
        steps = [self.instr(i) for i in region.code]

        def run(f: Frame) -> None:
            m.steps += n
            for step in steps:
                step(f)

        return run, self.all(region.yields)

    def instr(self, i: Instr) -> Step:
        """One instruction. What it reads is in scope before its own registers are."""
        match i:
            case Arith(dst, name, args):
                slots = self.all(args)
                return arith(self.bind(dst), dst, name, slots)
            case Load() | Store() | AtAdd():
                return self.access(i)
            case Offset(dst, ptr, index, ty):
                return self.offset(dst, ptr, index, ty)
            case (Alloc() | AccAlloc() | AccBase() | Mark() | ArenaBase() | Release() | AccMark()
                  | AccRelease()):  # fmt: skip
                return self.arena(i)
            case Copy(to, source, count, ty):
                return self.copy(to, source, count, SIZE[ty])
            case IfCode():
                return self.branch(i)
            case ForCode():
                return self.loop(i)
            case WhileCode():
                return self.while_(i)
            case CallCode():
                return self.call(i)
            case Fork():
                return self.fork(i)
            case Foreign():
                return self.foreign(i)
            case RaiseIf():
                return self.raise_if(i)
            case Show():
                return self.show(i)
            case _:
                assert_never(i)

    # --- memory -----------------------------------------------------------------------------------

    def access(self, i: Load | Store | AtAdd) -> Step:
        value = i.dst if isinstance(i, Load) else i.value
        vector = isinstance(value, Reg) and value.lanes > 1
        ty, lanes = value.ty, LANES if vector else 1
        base, index = self.slot(i.ptr), self.slot(i.index)
        get, put, size = self.m.getter(ty), self.m.putter(ty), SIZE[ty]

        def places(f: Frame) -> list[int]:
            first, at = f[base], f[index]
            return [first + size * n for n in (at if type(at) is list else range(at, at + lanes))]

        if isinstance(i, Load):
            dst = self.bind(i.dst)

            def load(f: Frame) -> None:
                f[dst] = get(f[base] + size * f[index])

            def gather(f: Frame) -> None:
                f[dst] = [get(at) for at in places(f)]

            return gather if vector else load
        src = self.slot(i.value)

        def store(f: Frame) -> None:
            put(f[base] + size * f[index], f[src])

        def scatter(f: Frame) -> None:
            for at, x in zip(places(f), f[src], strict=True):
                put(at, x)

        def add(f: Frame) -> None:
            at = f[base] + size * f[index]
            put(at, get(at) + f[src])

        def add_all(f: Frame) -> None:
            for at, x in zip(places(f), f[src], strict=True):
                put(at, get(at) + x)

        if isinstance(i, Store):
            return scatter if vector else store
        return add_all if vector else add

    def offset(self, dst: Reg, ptr: Value, index: Value, ty: Ty) -> Step:
        p, k, size = self.slot(ptr), self.slot(index), SIZE[ty]
        d = self.bind(dst)

        def step(f: Frame) -> None:
            f[d] = f[p] + size * f[k]

        return step

    def arena(
        self, i: Alloc | AccAlloc | AccBase | Mark | ArenaBase | Release | AccMark | AccRelease
    ) -> Step:
        name = i.arena if isinstance(i, (Alloc, Mark, ArenaBase, Release)) else "store"
        arena, m = self.m.arenas[name], self.m
        match i:
            case Release(mark) | AccRelease(mark):
                to = self.slot(mark)
                return lambda f: arena.release(f[to])
            case Alloc(_, count) | AccAlloc(_, count):
                slot = self.slot(count)
        dst = self.bind(i.dst)

        def alloc(f: Frame) -> None:
            n = f[slot]
            assert n >= 0, "negative allocation"
            f[dst] = arena.alloc(n * size, gaps) if isinstance(i, Alloc) else m.cells(n)

        def top(f: Frame) -> None:
            f[dst] = arena.top

        def base(f: Frame) -> None:
            f[dst] = arena.base

        match i:
            case Alloc() | AccAlloc():
                size = SIZE[i.ty] if isinstance(i, Alloc) else 8
                gaps = name not in ("tape", "ids")
                return alloc
            case Mark() | AccMark():
                return top
            case ArenaBase() | AccBase():
                return base
            case _:
                assert_never(i)

    def copy(self, to: Value, source: Value, count: Value, size: int) -> Step:
        a, b, n, copy = self.slot(to), self.slot(source), self.slot(count), self.m.copy
        return lambda f: copy(f[a], f[b], size * f[n])

    # --- control ----------------------------------------------------------------------------------

    def branch(self, i: IfCode) -> Step:
        cond = self.slot(i.cond)
        yes, no = self.region(i.then), self.region(i.orelse)
        dsts = self.binds(i.dsts)

        def step(f: Frame) -> None:
            run, results = yes if f[cond] else no
            run(f)
            for d, r in zip(dsts, results, strict=True):
                f[d] = f[r]

        return step

    def loop(self, i: ForCode) -> Step:
        lo, hi, step, inits = self.slot(i.lo), self.slot(i.hi), i.step, self.all(i.inits)
        index, carried = self.bind(i.index), self.binds(i.carried)
        run, results = self.region(i.body)
        dsts = self.binds(i.dsts)

        def loop(f: Frame) -> None:
            state = [f[k] for k in inits]
            for n in range(f[lo], f[hi], step):
                f[index] = n
                for c, x in zip(carried, state, strict=True):
                    f[c] = x
                run(f)
                state = [f[r] for r in results]
            for d, x in zip(dsts, state, strict=True):
                f[d] = x

        return loop

    def while_(self, i: WhileCode) -> Step:
        inits, carried = self.all(i.inits), self.binds(i.carried)
        test, (answer,) = self.region(i.cond)
        run, results = self.region(i.body)
        dsts = self.binds(i.dsts)

        def loop(f: Frame) -> None:
            state = [f[k] for k in inits]
            while True:
                for c, x in zip(carried, state, strict=True):
                    f[c] = x
                test(f)
                if not f[answer]:
                    break
                run(f)
                state = [f[r] for r in results]
            for d, x in zip(dsts, state, strict=True):
                f[d] = x

        return loop

    def call(self, i: CallCode) -> Step:
        name, args, m = i.function, self.all(i.args), self.m
        dsts = self.binds(i.dsts)

        def step(f: Frame) -> None:
            for d, x in zip(dsts, m.run(name, [f[a] for a in args]), strict=True):
                f[d] = x

        return step

    def fork(self, i: Fork) -> Step:
        name, args, m = i.function, self.all(i.args), self.m
        long, n, unit = self.slot(i.long), self.slot(i.n), i.unit
        private = [(self.slot(low), self.slot(size)) for low, size in i.private]
        types = [d.ty for d in i.dsts]
        dsts = self.binds(i.dsts)
        get, put = m.getter(Ty.F64), m.putter(Ty.F64)
        temp, store = m.arenas["temp"], m.arenas["store"]

        def chunk(f: Frame, k: int, length: int, slabs: list[int]) -> list[Number]:
            return m.run(name, [k, length, *slabs, *(f[a] for a in args)])

        def chunks(f: Frame) -> list[Number]:
            length = -(-max(-(-f[n] // CHUNKS), 1) // unit) * unit
            before, sums = temp.top, [by_type(0, ty) for ty in types]
            for k in range(-(-f[n] // length)):
                slabs = [temp.alloc(8 * f[size]) for _, size in private]
                parts = chunk(f, k, length, slabs)
                sums = [by_type(x + y, ty) for x, y, ty in zip(sums, parts, types, strict=True)]
                for (low, size), slab in zip(private, slabs, strict=True):
                    for j in range(f[size]):
                        at = store.base + 8 * (f[low] + j)
                        put(at, get(at) + get(slab + 8 * j))
            temp.release(before)
            return sums

        def step(f: Frame) -> None:
            sums = chunks(f) if f[long] else chunk(f, 0, f[n], [0] * len(private))
            for d, x in zip(dsts, sums, strict=True):
                f[d] = x

        return step

    def foreign(self, i: Foreign) -> Step:
        args = [a if isinstance(a, str) else (a.ty, self.slot(a)) for a in i.args]
        dst = None if i.dst is None else self.bind(i.dst)

        def step(f: Frame) -> None:
            given = [a if isinstance(a, str) else (a[0], f[a[1]]) for a in args]
            info = self.m.foreign(i.routine, given)
            if dst is not None:
                f[dst] = info

        return step

    def raise_if(self, i: RaiseIf) -> Step:
        cond, values = self.slot(i.cond), self.all(i.values)

        def step(f: Frame) -> None:
            if f[cond]:
                numbers = [f[v] for v in values]
                raise error_of(i.kind, i.message, i.types, numbers, self.m.start())

        return step

    def show(self, i: Show) -> Step:
        values = self.all(i.values)
        dst = None if i.dst is None else self.bind(i.dst)

        def step(f: Frame) -> None:
            numbers = [f[v] for v in values]
            made = i.message.show(leaves_of(i.types, numbers, self.m.start()))
            if dst is not None:
                f[dst] = made

        return step


def by_type(x: Number, ty: Ty) -> Number:
    """A number of a machine type."""
    kind: Callable[[Number], Any] = {Ty.F32: np.float32, Ty.F64: float}.get(ty, int)
    return kind(x)  # type: ignore[no-any-return]  # sums of float32 are rounded


# --- arithmetic -------------------------------------------------------------------------------


def arith(d: int, dst: Reg, name: str, args: list[int]) -> Step:
    """An Arith, whose result goes to the slot ``d``."""
    if name in _CROSS:
        cross, first = _CROSS[name], args[0]

        def step(f: Frame) -> None:
            f[d] = cross(*[f[a] for a in args])

        def move(f: Frame) -> None:
            f[d] = f[first]

        return move if name in ("move", "address") else step
    if name == "lane_sum":
        return lane_sum(d, dst.ty, args[0])
    return by_row(d, dst, name, args)


_CROSS: dict[str, Callable[..., Content]] = {
    "splat": lambda x: [x] * LANES,
    "iota": lambda x: [x + k for k in range(LANES)],
    "extract": lambda xs, k: xs[k],
    "lane_or": any,
    "lane_min": min,
    "move": lambda x: x,
    "address": lambda x: x,
}


def lane_sum(d: int, ty: Ty, src: int) -> Step:
    """The sum of lanes, by halves."""
    add, convert = TABLE["add"].numpy, converter(ty)

    def step(f: Frame) -> None:
        lanes = f[src]
        while len(lanes) > 1:
            half = len(lanes) // 2
            lanes = [convert(add(lanes[k], lanes[k + half])) for k in range(half)]
        f[d] = lanes[0]

    return step


def by_row(d: int, dst: Reg, name: str, args: list[int]) -> Step:
    """A row of the table of primitives, lane by lane."""
    call, convert = TABLE[name].numpy, converter(dst.ty)
    static = (CORE[dst.ty],) if name in ("to_real", "to_int") else ()
    if dst.lanes > 1:

        def vector(f: Frame) -> None:
            columns = [x if type(x) is list else [x] * LANES for x in [f[a] for a in args]]
            f[d] = [convert(call(*row, *static)) for row in zip(*columns, strict=True)]

        return vector
    if len(args) == 2 and not static:
        a, b = args

        def binary(f: Frame) -> None:
            f[d] = convert(call(f[a], f[b]))

        return binary

    def scalar(f: Frame) -> None:
        f[d] = convert(call(*[f[a] for a in args], *static))

    return scalar


def converter(ty: Ty) -> Callable[[Any], Any]:
    """What makes a number of a machine type from what a primitive gives."""
    match ty:
        case Ty.F64:
            return float
        case Ty.F32:
            return np.float32  # its sums are rounded
        case Ty.I1:
            return bool
        case Ty.I64 | Ty.I32 | Ty.I16 | Ty.I8 | Ty.PTR:
            half = 1 << (8 * SIZE[ty] - 1)

            def wrapped(x: Any) -> int:
                n = int(x)
                return n if -half <= n < half else (n + half) % (2 * half) - half

            return wrapped
