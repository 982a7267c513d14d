"""Loop code as text, the same for the same program (registers are numbered as they come)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from pullback.core.messages import exception_text
from pullback.lower.loopcode import (
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
    Module,
    Offset,
    RaiseIf,
    Reg,
    Region,
    Release,
    Show,
    Store,
    Value,
    WhileCode,
)


def show_module(module: Module) -> str:
    """All functions, the main one first."""
    names = sorted(module.functions, key=lambda n: (n != module.main, n))
    return "\n\n".join(show_function(module.functions[n]) for n in names)


def show_function(fn: LoopFunction) -> str:
    """One function."""
    s = _Show()
    head = f"{fn.name}({s.binds(fn.params)}) -> {', '.join(t.value for t in fn.results)}"
    s.region(fn.body, 1, "return")
    return "\n".join([head, *s.lines])


class _Show:
    def __init__(self) -> None:
        self.names: dict[Reg, str] = {}
        self.lines: list[str] = []

    def value(self, v: Value) -> str:
        if isinstance(v, Reg):
            return self.names.setdefault(v, f"%{v.name}.{len(self.names)}")
        return str(v.value)

    def values(self, vs: Iterable[Value]) -> str:
        return ", ".join(map(self.value, vs))

    def bind(self, r: Reg) -> str:
        return f"{self.value(r)}:{r.ty.value}{'' if r.lanes == 1 else f'x{r.lanes}'}"

    def binds(self, rs: Iterable[Reg]) -> str:
        return ", ".join(map(self.bind, rs))

    def line(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def region(self, region: Region, depth: int, word: str = "yield") -> None:
        for i in region.code:
            self.instr(i, depth)
        if region.yields:
            self.line(depth, f"{word} {self.values(region.yields)}")

    def carried(self, regs: Sequence[Reg], inits: Sequence[Value]) -> str:
        return ", ".join(
            f"{self.bind(r)} = {self.value(v)}" for r, v in zip(regs, inits, strict=False)
        )

    def instr(self, i: Instr, depth: int) -> None:
        match i:
            case IfCode(cond, then, orelse, dsts):
                head = f"{self.binds(dsts)} = " if dsts else ""
                self.line(depth, f"{head}if {self.value(cond)}")
                self.region(then, depth + 1)
                self.line(depth, "else")
                self.region(orelse, depth + 1)
            case ForCode(lo, hi, step, index, carried, inits, body, dsts):
                over = f"{self.value(lo)}, {self.value(hi)}, {step}"
                head = f"for {self.bind(index)} in {over}"
                self.line(depth, f"{head} carrying {self.carried(carried, inits)}".rstrip())
                self.region(body, depth + 1)
                if dsts:
                    self.line(depth, f"giving {self.binds(dsts)}")
            case WhileCode(carried, inits, cond, body, dsts):
                self.line(depth, f"while carrying {self.carried(carried, inits)}".rstrip())
                self.region(cond, depth + 1, "test")
                self.region(body, depth + 1)
                if dsts:
                    self.line(depth, f"giving {self.binds(dsts)}")
            case _:
                self.line(depth, self.simple(i))

    def simple(self, i: Instr) -> str:
        v, b = self.value, self.bind
        match i:
            case Arith(dst, name, args):
                return f"{b(dst)} = {name} {self.values(args)}"
            case Load(dst, ptr, index):
                return f"{b(dst)} = load {v(ptr)}[{v(index)}]"
            case Store(ptr, index, value):
                return f"store {v(ptr)}[{v(index)}] = {v(value)}"
            case AtAdd(ptr, index, value):
                return f"add {v(ptr)}[{v(index)}] += {v(value)}"
            case Offset(dst, ptr, index, ty):
                return f"{b(dst)} = offset {v(ptr)} + {v(index)} {ty.value}"
            case Alloc(dst, count, ty, arena):
                return f"{b(dst)} = alloc {v(count)} {ty.value} {arena}"
            case AccAlloc(dst, count):
                return f"{b(dst)} = cells {v(count)}"
            case AccBase(dst):
                return f"{b(dst)} = cell base"
            case Mark(dst, arena):
                return f"{b(dst)} = mark {arena}"
            case ArenaBase(dst, arena):
                return f"{b(dst)} = base of {arena}"
            case Release(mark, arena):
                return f"release {v(mark)} {arena}"
            case AccMark(dst):
                return f"{b(dst)} = mark cells"
            case AccRelease(mark):
                return f"release {v(mark)} cells"
            case Copy(dst, src, count, ty):
                return f"copy {v(dst)} <- {v(src)}, {v(count)} {ty.value}"
            case CallCode(dsts, name, args):
                head = f"{self.binds(dsts)} = " if dsts else ""
                return f"{head}call {name}({self.values(args)})"
            case Fork(dsts, name, long, n, unit, args, private):
                head = f"{self.binds(dsts)} = " if dsts else ""
                cells = "".join(f" [{v(low)}: {v(size)}]" for low, size in private)
                how = f"if {v(long)} of {v(n)} by {unit}{cells}"
                return f"{head}fork {how} {name}({self.values(args)})"
            case Foreign(dst, routine, args):
                given = ", ".join(repr(a) if isinstance(a, str) else v(a) for a in args)
                return f"{f'{b(dst)} = ' if dst is not None else ''}{routine}({given})"
            case RaiseIf(cond, kind, message, site, values):
                where = f" line {site.line}" if site else ""
                what = f"{str(message)!r} {self.values(values)}{where}"
                return f"raise {exception_text(kind)} if {v(cond)} {what}"
            case Show(message, values, dst=dst):
                given = "" if dst is None else f"{b(dst)} = "
                return f"{given}show {str(message)!r} {self.values(values)}"
            case IfCode() | ForCode() | WhileCode():
                raise TypeError("structured code has lines of its own")
            case _:
                assert_never(i)
