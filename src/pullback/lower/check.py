"""The checker of loop code: registers are assigned once and seen where they are used, types and
lanes of every instruction fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn, assert_never

from pullback.core.prims import TABLE
from pullback.core.types import BOOL, F32, F64, I32, I64, Int, Type
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
    Fork,
    IfCode,
    Imm,
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
from pullback.lower.own_memory import RESULT


class BadLoopCode(Exception):
    """Loop code that breaks a rule: a mistake in the compiler."""


CORE: dict[Ty, Type] = {Ty.F64: F64, Ty.F32: F32, Ty.I64: I64, Ty.I32: I32, Ty.I16: Int(16),
                        Ty.I8: Int(8), Ty.I1: BOOL}  # fmt: skip

CROSS: dict[str, tuple[int, ...]] = {
    "splat": (1,),
    "lane_sum": (LANES,),
    "lane_or": (LANES,),
    "lane_min": (LANES,),
    "extract": (LANES, 1),
    "iota": (1,),
    "address": (1,),
}
"""Operations that are not lane by lane: the lanes of their arguments."""


def check_module(module: Module) -> None:
    """Raise BadLoopCode unless every function is well formed."""
    if module.main not in module.functions:
        raise BadLoopCode(f"no main function {module.main}")
    for fn in module.functions.values():
        _Checker(module, fn).run()


def _lanes(v: Value) -> int:
    return v.lanes if isinstance(v, Reg) else 1


class _Checker:
    def __init__(self, module: Module, fn: LoopFunction) -> None:
        self.module = module
        self.fn = fn
        self.assigned: set[Reg] = set()
        self.visible: set[Reg] = set()

    def run(self) -> None:
        for p in self.fn.params:
            self.bind(p)
            if p.lanes != 1:
                self.fail(f"parameter {p.name} has lanes")
        self.region(self.fn.body, [(ty, 1) for ty in self.fn.results], "results")

    def fail(self, what: str) -> NoReturn:
        raise BadLoopCode(f"{self.fn.name}: {what}")

    def bind(self, r: Reg) -> None:
        if r in self.assigned:
            self.fail(f"register {r.name}.{r.id} is assigned twice")
        if r.lanes not in (1, LANES):
            self.fail(f"register {r.name} has {r.lanes} lanes")
        self.assigned.add(r)
        self.visible.add(r)

    def use(self, v: Value, ty: Ty | None = None, lanes: int | None = None) -> None:
        if isinstance(v, Reg) and v not in self.visible:
            self.fail(f"register {v.name}.{v.id} is not visible")
        if ty is not None and v.ty is not ty:
            self.fail(f"{v} should be {ty.value}")
        if lanes is not None and _lanes(v) != lanes:
            self.fail(f"{v} should have {lanes} lanes")

    def region(self, region: Region, wanted: Sequence[tuple[Ty, int]], what: str) -> None:
        saved = set(self.visible)
        for i in region.code:
            self.instr(i)
        if len(region.yields) != len(wanted):
            self.fail(f"{what}: {len(region.yields)} yields for {len(wanted)}")
        for v, (ty, lanes) in zip(region.yields, wanted, strict=False):
            self.use(v, ty, lanes)
        self.visible = saved

    def memory(self, ptr: Value, index: Value, lanes: int) -> None:
        self.use(ptr, Ty.PTR, 1)
        self.use(index, Ty.I64)
        if _lanes(index) > lanes:
            self.fail("a vector index for one element")

    def instr(self, i: Instr) -> None:
        match i:
            case Arith():
                self.arith(i)
            case Load(dst, ptr, index):
                self.memory(ptr, index, dst.lanes)
                self.bind(dst)
            case Store(ptr, index, value):
                self.use(value)
                self.memory(ptr, index, _lanes(value))
            case AtAdd(ptr, index, value):
                self.use(value)
                self.memory(ptr, index, _lanes(value))
                if value.ty not in (Ty.F64, Ty.F32):
                    self.fail("adding to memory what is not a real")
            case Offset(dst, ptr, index, _):
                self.memory(ptr, index, 1)
                self.bind(dst)
            case Alloc(dst, count, _, arena):
                self.use(count, Ty.I64, 1)
                self.arena("temp" if arena == RESULT else arena)
                self.bind(dst)
            case AccAlloc(dst, count):
                self.use(count, Ty.I64, 1)
                self.bind(dst)
            case AccBase(dst) | AccMark(dst):
                self.bind(dst)
            case Mark(dst, arena) | ArenaBase(dst, arena):
                self.arena(arena)
                self.bind(dst)
            case Release(mark, arena):
                self.arena(arena)
                self.use(mark, Ty.PTR, 1)
            case AccRelease(mark):
                self.use(mark, Ty.I64, 1)
            case Copy(dst, src, count, _):
                self.memory(dst, count, 1)
                self.memory(src, count, 1)
            case IfCode() | ForCode() | WhileCode():
                self.control(i)
            case CallCode(dsts, name, args):
                self.call(dsts, name, args)
            case Fork(dsts, name, long, n, _, args, private):
                self.use(long, Ty.I1, 1)
                self.use(n, Ty.I64, 1)
                for low, size in private:
                    self.use(low, Ty.I64, 1)
                    self.use(size, Ty.I64, 1)
                self.call(dsts, name, (n, n, *(Imm(0, Ty.PTR) for _ in private), *args))
                if not self.module.functions[name].chunk:
                    self.fail(f"{name} is not for forks")
            case Foreign(dst, _, args):
                for v in args:
                    if not isinstance(v, str):
                        self.use(v, v.ty if v.ty in (Ty.PTR, Ty.F64) else Ty.I64, 1)
                if dst is not None:
                    self.bind(dst)
            case RaiseIf(cond, values=values):
                self.use(cond, Ty.I1, 1)
                for v in values:
                    self.use(v, v.ty, 1)
            case Show(_, values, dst=dst):
                for v in values:
                    self.use(v, v.ty, 1)
                if dst is not None:
                    self.bind(dst)
            case _:
                assert_never(i)

    def arena(self, arena: str) -> None:
        if arena not in ("temp", "residual", "tape", "ids"):
            self.fail(f"no arena {arena!r}")

    def control(self, i: IfCode | ForCode | WhileCode) -> None:
        wanted = [(d.ty, d.lanes) for d in i.dsts]
        match i:
            case IfCode(cond, then, orelse, dsts):
                self.use(cond, Ty.I1, 1)
                self.region(then, wanted, "then")
                self.region(orelse, wanted, "else")
            case ForCode(lo, hi, step, index, carried, inits, body, dsts):
                self.use(lo, Ty.I64, 1)
                self.use(hi, Ty.I64, 1)
                if step < 1:
                    self.fail("a step below 1")
                self.carry(carried, inits, wanted)
                with_index = set(self.visible)
                self.bind(index)
                self.region(body, wanted, "for")
                self.visible = with_index - set(carried)
            case WhileCode(carried, inits, test, body, dsts):
                self.carry(carried, inits, wanted)
                self.region(test, [(Ty.I1, 1)], "condition")
                self.region(body, wanted, "while")
                self.visible -= set(carried)
        for d in dsts:
            self.bind(d)

    def carry(
        self, carried: Iterable[Reg], inits: Sequence[Value], wanted: list[tuple[Ty, int]]
    ) -> None:
        regs = list(carried)
        if not len(regs) == len(inits) == len(wanted):
            self.fail("carried, inits and results differ in number")
        for r, v, (ty, lanes) in zip(regs, inits, wanted, strict=False):
            self.use(v, ty, lanes if isinstance(v, Reg) else None)
            if (r.ty, r.lanes) != (ty, lanes) or _lanes(v) != lanes:
                self.fail(f"carried register {r.name} differs from its result or start")
        for r in regs:
            self.bind(r)

    def call(self, dsts: Iterable[Reg], name: str, args: Sequence[Value]) -> None:
        callee = self.module.functions.get(name)
        if callee is None:
            self.fail(f"no function {name}")
        if len(args) != len(callee.params):
            self.fail(f"{name} takes {len(callee.params)} values, not {len(args)}")
        for a, p in zip(args, callee.params, strict=False):
            self.use(a, p.ty, 1)
        if [(d.ty, d.lanes) for d in dsts] != [(ty, 1) for ty in callee.results]:
            self.fail(f"results of {name}")
        for d in dsts:
            self.bind(d)

    def arith(self, i: Arith) -> None:
        for a in i.args:
            self.use(a)
        lanes = [_lanes(a) for a in i.args]
        if i.name in CROSS:
            if tuple(lanes) != CROSS[i.name]:
                self.fail(f"{i.name} of {lanes} lanes")
            ty = Ty.I64 if i.name == "address" else i.args[0].ty
            if i.dst.ty is not ty or i.dst.lanes != (LANES if i.name in ("splat", "iota") else 1):
                self.fail(f"the result of {i.name}")
        else:
            if i.dst.lanes != max(lanes):
                self.fail(f"{i.name} of {lanes} lanes gives {i.dst.lanes}")
            self.row(i)
        self.bind(i.dst)

    def row(self, i: Arith) -> None:
        if i.name == "move":
            self.use(i.args[0], i.dst.ty)
            return
        if i.name not in TABLE or any(a.ty not in CORE for a in (*i.args, i.dst)):
            self.fail(f"{i.name} is no scalar operation on {[a.ty.value for a in i.args]}")
        static = (CORE[i.dst.ty],) if i.name in ("to_real", "to_int") else ()
        try:
            types = TABLE[i.name].rule(tuple(CORE[a.ty] for a in i.args), static)
        except TypeError as e:
            self.fail(f"{i.name}: {e}")
        if types != (CORE[i.dst.ty],):
            self.fail(f"{i.name} gives {types}, not {i.dst.ty.value}")
