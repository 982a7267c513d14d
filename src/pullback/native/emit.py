"""Write loop code as LLVM text: one function at a time, structured control flow as blocks and phis.

A function takes the context and its parameters, and returns its results; if it can fail, an i32
comes first (0: no error): see ``convention.py``. ``names`` maps the registers of loop code to those
of LLVM, so ``move``, the results of regions and those of loops cost no instruction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import assert_never

from pullback.core.frozen import dataclass, field
from pullback.core.prims import TABLE
from pullback.core.template import expand
from pullback.core.terms import Site
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
from pullback.native import control, flush, fork_calls, memory
from pullback.native.analysis import Facts, Guard, facts, instructions
from pullback.native.convention import gives, parameters, received, result_fields, result_type
from pullback.native.debug_info import DebugInfo
from pullback.native.foreign import foreign, foreign_declarations
from pullback.native.lane_sums import lane_sum
from pullback.native.layout import METADATA, Field, field_address
from pullback.native.lines import ContextLines
from pullback.native.mathlib import MathLibrary
from pullback.native.polls import Check, Patience
from pullback.native.runtime import SHOWS, ErrorSite, ShowSite
from pullback.native.support import STACK_METADATA, SUPPORT, stack_pointer
from pullback.native.text import LLVM, SIZE, constant, function_name, llvm_type
from pullback.native.work import DEGREE, extents_of

_KIND = {Ty.F64: "real", Ty.F32: "real", Ty.I64: "int", Ty.I32: "int", Ty.I16: "int",
         Ty.I8: "int", Ty.I1: "bool"}  # fmt: skip


@dataclass(slots=True)
class ModuleText:
    """What the functions of a module share while they are printed."""

    module: Module
    facts: Facts
    math: MathLibrary = field(default_factory=MathLibrary)
    errors: list[ErrorSite] = field(default_factory=list)
    support: set[str] = field(default_factory=set)
    functions: list[str] = field(default_factory=list)
    foreign: dict[str, int] = field(default_factory=dict)
    entries: dict[str, int] = field(default_factory=dict)
    works: dict[str, str] = field(default_factory=dict)
    shows: list[ShowSite] = field(default_factory=list)
    debug: DebugInfo | None = None

    def work(self, check: Check) -> str:
        """The global name of the rows of a polynomial: for each monomial its cycles and its
        factors, by the numbers of the extents from 1 on; in front of them how many these are."""
        numbers = {e: k for k, e in enumerate(extents_of(check.work), 1)}
        rows = [f"{WORK_ROW} {{ i64 {check.most}, i64 {len(check.work)}, i64 0, i64 0 }}"]
        for factors, cycles in check.work.items():
            places = [*(numbers[e] for e in factors), 0, 0, 0][:DEGREE]
            given = ", ".join(f"i64 {k}" for k in (math.ceil(cycles), *places))
            rows.append(f"{WORK_ROW} {{ {given} }}")
        text = f"[{len(rows)} x {WORK_ROW}] [{', '.join(rows)}]"
        return self.works.setdefault(text, f"@work{len(self.works)}")


WORK_ROW = "{ i64, i64, i64, i64 }"

LONG_CALLS_LEFT = "@pb.long.calls"
"""The global that holds how many of the next calls go at once to the code with less patience."""


STRAIGHT = ' "pullback-straight"'
"""The attribute of functions without loops: LLVM simplifies only these fully (``compile``)."""


def emit_module(module: Module, patience: Patience) -> ModuleText:
    """Return the text of all functions of a module; ``finish`` adds the rest. No memory that the
    parameters of main point to is written during a call. ``patience``: which loops run as a
    whole; a program that calls Python cannot be repeated, so it has none."""
    if any(isinstance(i, Show) for f in module.functions.values() for i in instructions(f.body)):
        patience = Patience.NONE
    out = ModuleText(module, facts(module, patience))
    if module.places:
        out.debug, out.math.inlined = DebugInfo(), True
    called = frozenset[str]().union(*out.facts.callees.values())
    for name, function in module.functions.items():
        borrowed = name == module.main and name not in called
        out.functions.append(FunctionText(out, function, borrowed).text())
    return out


# None of these touches the memory that loop code uses; loads may be moved over their calls.
_COUNTING = "nounwind cold willreturn memory(inaccessiblemem: readwrite)"
_BYTES = "memory(argmem: readwrite, inaccessiblemem: readwrite)"
_RUNTIME = f"""
declare i32 @pb_grow(ptr, i64, i64) nounwind cold memory(argmem: readwrite)
declare i32 @pb_poll(ptr) nounwind cold {_BYTES}
declare i64 @pb_more(i64, i64, i64, i64, i64) {_COUNTING}
declare i64 @pb_due(i64) {_COUNTING}
declare i1 @pb_some(i64, i64) {_COUNTING}
declare i1 @pb_long(i64, i64, i64, i64, i64) {_COUNTING}
declare i32 @pb_show(ptr, ptr, i64) nounwind cold
declare i32 @pb_fork(ptr, ptr, ptr, i64, i64, i64, i64, i64, i64) nounwind cold
declare i1 @pb_zero(ptr, ptr, i64) nounwind cold {_BYTES}
declare i1 @pb_move(ptr, ptr, ptr, i64) nounwind cold {_BYTES}
"""


def finish(out: ModuleText, more: str = "", runtime: str = _RUNTIME) -> str:
    """Return the whole text of a module; ``more`` is the text of entry points, ``runtime`` declares
    the runtime, or is one."""
    support = "".join(SUPPORT[name] for name in sorted(out.support))
    flushes = any(f.flushes for f in out.module.functions.values())
    control_register = flush.DECLARATIONS if flushes else ""
    works = (f"{name} = private constant {text}" for text, name in out.works.items())
    shows = f"@{SHOWS} = external global i8" if out.shows else ""
    return "\n".join(
        [*out.functions, more, runtime, shows, *works,
         f"{LONG_CALLS_LEFT} = internal global i64 0", control_register,
         foreign_declarations(out.foreign), support, out.math.text(), METADATA, STACK_METADATA,
         *([out.debug.text()] if out.debug else [])]
    )


class FunctionText(ContextLines):
    """Prints one function."""

    def __init__(self, out: ModuleText, function: LoopFunction, borrowed: bool) -> None:
        super().__init__()
        self.out = out
        self.function = function
        self.borrowed = borrowed
        self.fails = function.name in out.facts.may_fail
        self.names: dict[Reg, str] = {}
        self.splats: list[dict[str, str]] = [{}]
        self.label = "entry"
        self.failed_from: list[str] = []
        self.result_slots = 0
        self.argument_slots = 0
        self.fork_slots = 0
        self.likely_truths: set[Value] = set()
        self.loops = 0  # how many loops are around
        self.round = 0  # the number of instructions in a round of the loop around
        self.busy = False  # a round of the loop around is long
        self.seldom = False  # this code runs seldom
        self.marks: list[tuple[int, Site | None]] = []  # from which lines the text comes
        self.has_loops = False

    # --- small helpers ---

    def block(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.label = label

    def support(self, name: str) -> str:
        """Return the global name of a support function, which is printed into the module."""
        self.out.support.add(name)
        return f"@{name}"

    def value(self, v: Value, lanes: int = 1) -> str:
        """Return an operand without its type; a scalar is splatted if ``lanes`` says so."""
        if isinstance(v, Imm):
            return constant(v, lanes)
        name = self.names[v]
        if v.lanes == lanes:
            return name
        assert v.lanes == 1, f"varying register {v.name} where a uniform one is needed"
        for scope in self.splats:
            if name in scope:
                return scope[name]
        one, wide = llvm_type(v.ty), llvm_type(v.ty, lanes)
        first = self.let(f"insertelement {wide} poison, {one} {name}, i64 0")
        splat = self.let(
            f"shufflevector {wide} {first}, {wide} poison, <{lanes} x i32> zeroinitializer"
        )
        self.splats[-1][name] = splat
        return splat

    def typed(self, v: Value, lanes: int = 1) -> str:
        """Return an operand with its type."""
        return f"{llvm_type(v.ty, lanes)} {self.value(v, lanes)}"

    def bind(self, reg: Reg, name: str) -> None:
        """Note the LLVM name of a register."""
        self.names[reg] = name

    def define(self, reg: Reg, text: str) -> None:
        """Print an instruction whose result is a register."""
        self.bind(reg, self.let(text))

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget, at the end, the vectors splatted inside: they do not exist behind this block."""
        self.splats.append({})
        yield
        self.splats.pop()

    def leave_if(self, cond: str) -> None:
        """Print a return of the error flag if ``cond`` (i1) holds; the error has been recorded
        before."""
        self.count += 1
        ok = f"ok{self.count}"
        self.line(f"br i1 {cond}, label %failed, label %{ok}, !prof !5")
        self.failed_from.append(self.label)
        self.block(ok)

    def inlined(self) -> str:
        """Return the attribute of a call of a support function: a call, which is less to compile,
        where it runs once in a call of the entry point or as seldom as a long round."""
        once = self.loops == 0 and self.function.name == self.out.module.main
        return "" if once or self.busy else " alwaysinline"

    # --- the function ---

    def text(self) -> str:
        """Return the text of the function."""
        if self.function.chunk:
            fork_calls.begin(self)
        else:
            for p, name in zip(self.function.params, received(self, self.function), strict=True):
                self.bind(p, name)
        if self.out.facts.guard(self.function.name) is Guard.ENTRY:
            self.guard()
        saved = flush.begin(self) if self.function.flushes else ""
        results = self.region(self.function.body)
        self.lines.extend(flush.restore(saved))
        self._return(results)
        fields = ["i32"] if self.function.chunk else result_fields(self.function, self.fails)
        head = self._head(result_type(fields))
        if self.out.debug is not None:
            head = self.out.debug.located(self.function.name, head, self.lines, self.marks)
        tail = []
        if self.failed_from:
            values = ", ".join(f"{t} {'1' if i == 0 else 'zeroinitializer'}"
                               for i, t in enumerate(fields))  # fmt: skip
            tail = ["failed:", *flush.restore(saved), f"  ret {result_type(fields)} "
                    + ("1" if len(fields) == 1 else "{ " + values + " }")]  # fmt: skip
        slots = [f"  %slots = alloca [{self.result_slots} x i64]"] if self.result_slots else []
        if self.argument_slots:
            slots.append(f"  %passed = alloca [{self.argument_slots} x i64]")
        if self.fork_slots:
            slots.append(f"  %forked = alloca [{self.fork_slots} x i64]")
        return "\n".join([head, "entry:", *slots, *self.lines, *tail, "}", ""])

    def _head(self, returns: str) -> str:
        straight = "" if self.has_loops else STRAIGHT
        if self.function.chunk:
            return fork_calls.head(self.function, f"{self.out.math.attributes()}{straight}")
        marks = " noalias readonly" if self.borrowed else ""
        params = parameters(self.function, marks)
        name = function_name(self.function.name)
        return (
            f"define internal fastcc {returns} {name}({', '.join(params)}) nounwind "
            f"{self.out.math.attributes()}{self._apart()}{straight} {{"
        )

    def _apart(self) -> str:
        """Return the attribute that says whether the function is inlined. Of those that keep values
        the ones that copy arrays are not; those that only ask whether there is something to copy
        are."""
        if self.function.flushes:
            return " noinline"
        if not self.function.name.startswith("keep."):
            return ""
        code = list(instructions(self.function.body))
        if any(isinstance(i, Alloc) for i in code):
            return " noinline"
        return "" if any(isinstance(i, (ForCode, WhileCode)) for i in code) else " alwaysinline"

    def guard(self) -> None:
        """Print the comparison of the stack pointer with the limit, and the failure at the end of
        the stack."""
        sp = self.fresh()
        for text in stack_pointer(sp):
            self.line(text)
        limit = self.field(Field.STACK_LIMIT)
        low = self.let(f"icmp ult i64 {sp}, {limit}")
        deep = f"call fastcc i1 {self.support('pb.deep')}(ptr %ctx, i64 {sp})"
        self.rarely(low, "deep", lambda: self.let(deep))

    def rarely(self, cond: str, label: str, failed: Callable[[], str]) -> None:
        """Print a failure, whose error flag ``failed`` gives, for the rare case that ``cond``
        holds."""
        self.count += 1
        here, on = f"{label}{self.count}", f"on{self.count}"
        self.line(f"br i1 {cond}, label %{here}, label %{on}, !prof !5")
        self.block(here)
        self.line(f"br i1 {failed()}, label %failed, label %{on}")
        self.failed_from.append(here)
        self.block(on)

    def _return(self, results: tuple[str, ...]) -> None:
        if self.function.chunk:
            fork_calls.end(self, results)
            return
        gives(self, self.function, results, self.fails)

    def region(self, region: Region, lanes: tuple[int, ...] | None = None) -> tuple[str, ...]:
        """Print a region. Return the operands that it yields, splatted to ``lanes``."""
        each = self.out.facts.before_call(self.function.name, region)
        for instr in region.code:
            if each is not None and isinstance(instr, CallCode):
                control.before_call(self, each)
                each = None
            work = self.out.facts.check(instr)
            if work is not None:
                control.check(self, work)
            self.instr(instr)
        want = lanes or (1,) * len(region.yields)
        return tuple(self.value(v, n) for v, n in zip(region.yields, want, strict=True))

    # --- instructions ---

    def instr(self, instr: Instr) -> None:
        """Print one instruction."""
        if self.out.debug is None:
            return self._instr(instr)
        around = self.marks[-1][1] if self.marks else None
        here = self.out.module.places.get(instr, around)
        self.marks.append((len(self.lines), here))
        self._instr(instr)
        self.marks.append((len(self.lines), around))

    def _instr(self, instr: Instr) -> None:
        match instr:
            case Arith():
                self._arith(instr)
            case Load():
                memory.load(self, instr)
            case Store():
                memory.store(self, instr)
            case AtAdd():
                memory.at_add(self, instr)
            case Offset():
                memory.offset(self, instr)
            case Copy():
                memory.copy(self, instr)
            case Alloc(dst, count, ty, arena):
                name = self.support(f"pb.{arena}")
                if arena == RESULT:
                    self.support("pb.temp")
                p = self.let(f"call fastcc ptr {name}(ptr %ctx, i64 {self.value(count)}, "
                             f"i64 {SIZE[ty]}){self.inlined()}")  # fmt: skip
                self.leave_if(self.let(f"icmp eq ptr {p}, null"))
                self.bind(dst, p)
            case AccAlloc(dst, count):
                name = self.support("pb.cells")
                at = self.let(f"call fastcc i64 {name}(ptr %ctx, i64 {self.value(count)})"
                              f"{self.inlined()}")  # fmt: skip
                self.leave_if(self.let(f"icmp slt i64 {at}, 0"))
                self.bind(dst, at)
            case AccBase(dst):
                self.bind(dst, self.field(Field.STORE_BASE, "ptr"))
            case Mark(dst, arena):
                self.bind(dst, self.field(memory.top(arena), "ptr"))
            case Release(mark, arena):
                self.set_field(memory.top(arena), "ptr", self.value(mark))
            case ArenaBase(dst, arena):
                self.bind(dst, self.field(memory.bottom(arena), "ptr"))
            case AccMark(dst):
                self.bind(dst, self.field(Field.STORE_TOP))
            case AccRelease(mark):
                self.set_field(Field.STORE_TOP, "i64", self.value(mark))
            case IfCode():
                control.if_(self, instr)
            case ForCode():
                self.loops, self.has_loops = self.loops + 1, True
                control.for_(self, instr)
                self.loops -= 1
            case WhileCode():
                self.loops, self.has_loops = self.loops + 1, True
                control.while_(self, instr)
                self.loops -= 1
            case CallCode():
                control.call(self, instr)
            case Fork():
                fork_calls.fork(self, instr)
            case Foreign():
                foreign(self, instr)
            case RaiseIf():
                control.raise_if(self, instr)
            case Show():
                control.show(self, instr)
            case _:
                assert_never(instr)

    def _arith(self, instr: Arith) -> None:
        dst, args = instr.dst, instr.args
        match instr.name:
            case "move" | "splat":
                self.bind(dst, self.value(args[0], dst.lanes))
            case "lane_sum":
                self.bind(dst, lane_sum(self, args[0]))
            case "lane_or":
                self.define(dst, f"call i1 @llvm.vector.reduce.or.v{LANES}i1"
                                 f"({self.typed(args[0], LANES)})")  # fmt: skip
            case "lane_min":
                self.define(dst, f"call i64 @llvm.vector.reduce.smin.v{LANES}i64"
                                 f"({self.typed(args[0], LANES)})")  # fmt: skip
            case "extract":
                lanes, lane = self.typed(args[0], LANES), self.typed(args[1])
                self.define(dst, f"extractelement {lanes}, {lane}")
            case "flush" if not self.seldom and (
                dst.lanes == 1 or self.round < flush.SHORT_ROUND
            ):
                flush.rarely(self, instr)
            case "present" | "or" if not self.seldom and self.likely(instr):
                self._row(instr)
                self.likely_truths.add(dst)
            case "select" if args[0] in self.likely_truths:
                absent = self.let(f"xor i1 {self.value(args[0])}, true")
                x, y = (self.value(a, dst.lanes) for a in args[1:])
                control.unless(self, dst, absent, x, lambda: y)
            case "small" if dst.lanes == 1:
                self.bind(dst, flush.small(self, args[0]))
            case "address":
                self.define(dst, f"ptrtoint {self.typed(args[0])} to i64")
            case "iota":
                steps = ", ".join(f"i64 {k}" for k in range(LANES))
                base = self.value(args[0], LANES)
                self.define(dst, f"add {llvm_type(Ty.I64, LANES)} {base}, <{steps}>")
            case _:
                self._row(instr)

    def likely(self, instr: Arith) -> bool:
        """Whether the instruction computes a truth value that nearly always holds: that a cotangent
        is present."""
        return instr.dst.lanes == 1 and (
            instr.name == "present" or self.likely_truths.issuperset(instr.args)
        )

    def _row(self, instr: Arith) -> None:
        dst = instr.dst
        lanes = dst.lanes
        operand = instr.args[-1].ty
        args = tuple(self.value(a, lanes) for a in instr.args)
        if operand is Ty.PTR:
            self._pointer(instr, args)
            return
        text = TABLE[instr.name].llvm[_KIND[operand]]
        if text == "move":
            self.bind(dst, args[0])
            return
        if text.startswith("call:"):
            self.bind(dst, self.out.math.call(self, text[5:], operand, lanes, args))
            return
        name = self.fresh()
        for written in expand(text, name, args, LLVM[operand], LLVM[dst.ty], lanes):
            self.out.math.line(self, written, operand, lanes)
        self.bind(dst, name)

    def _pointer(self, instr: Arith, args: tuple[str, ...]) -> None:
        lanes = instr.dst.lanes
        ptr, cond = llvm_type(Ty.PTR, lanes), llvm_type(Ty.I1, lanes)
        match instr.name:
            case "select":
                self.define(instr.dst, f"select {cond} {args[0]}, {ptr} {args[1]}, {ptr} {args[2]}")
            case "eq" | "ne":
                self.define(instr.dst, f"icmp {instr.name} {ptr} {args[0]}, {args[1]}")
            case _:
                raise ValueError(f"{instr.name} of pointers")


__all__ = ["FunctionText", "ModuleText", "emit_module", "field_address", "finish"]
