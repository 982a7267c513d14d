"""Write structured control flow, calls and errors of loop code as LLVM text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from pullback.lower.loopcode import (
    CallCode,
    ForCode,
    IfCode,
    Imm,
    RaiseIf,
    Reg,
    Show,
    Ty,
    Value,
    WhileCode,
)
from pullback.native.analysis import Guard, is_long
from pullback.native.convention import IN_REGISTERS, in_memory, passed, result_fields, result_type
from pullback.native.layout import ERROR_WORDS, Field
from pullback.native.polls import Check, Each, Pieces, Poll, Some
from pullback.native.runtime import SHOWS, ErrorSite, ShowSite
from pullback.native.text import LLVM, function_name, llvm_type
from pullback.native.work import EXTENTS, Extent, extents_of

if TYPE_CHECKING:
    from pullback.native.emit import FunctionText



def unless(f: FunctionText, dst: Reg, seldom: str, x: str, other: Callable[[], str]) -> None:
    """Print the choice of ``x`` as a branch, which the processor predicts: nothing waits for the
    condition ``seldom``, as it would for that of a ``select``. ``other`` is computed only where the
    condition holds."""
    f.count += 1
    k, before = f.count, f.label
    f.line(f"br i1 {seldom}, label %seldom{k}, label %often{k}, !prof !5")
    f.block(f"seldom{k}")
    y = other()
    f.line(f"br label %often{k}")
    f.block(f"often{k}")
    f.define(dst, f"phi {llvm_type(dst.ty, dst.lanes)} [ {x}, %{before} ], [ {y}, %seldom{k} ]")


def if_(f: FunctionText, instr: IfCode) -> None:
    f.count += 1
    k = f.count
    lanes = tuple(d.lanes for d in instr.dsts)
    weights = ", !prof !5" if instr.seldom else ""
    f.line(f"br i1 {f.value(instr.cond)}, label %then{k}, label %else{k}{weights}")
    ends = []
    for label, region in (("then", instr.then), ("else", instr.orelse)):
        f.block(f"{label}{k}")
        saved, f.seldom = f.seldom, f.seldom or (instr.seldom and region is instr.then)
        with f.scope():
            ends.append((f.region(region, lanes), f.label))
        f.seldom = saved
        f.line(f"br label %join{k}")
    f.block(f"join{k}")
    (yes, yes_from), (no, no_from) = ends
    for d, a, b in zip(instr.dsts, yes, no, strict=True):
        if a == b:
            f.bind(d, a)
            continue
        f.define(
            d, f"phi {llvm_type(d.ty, d.lanes)} [ {a}, %{yes_from} ], [ {b}, %{no_from} ]"
        )


def _phis(
    f: FunctionText, head: str, regs: tuple[Reg, ...], inits: tuple[str, ...], before: str) -> int:
    """Begin the head of a loop. Return the line at which its phis start; ``_complete`` adds their
    second operands."""
    f.line(f"br label %{head}")
    f.block(head)
    start = len(f.lines)
    for reg, init in zip(regs, inits, strict=True):
        f.define(reg, f"phi {llvm_type(reg.ty, reg.lanes)} [ {init}, %{before} ]")
    return start


def _complete(f: FunctionText, start: int, values: tuple[str, ...]) -> None:
    for k, value in enumerate(values):
        f.lines[start + k] += f", [ {value}, %{f.label} ]"


def for_(f: FunctionText, instr: ForCode) -> None:
    each = f.out.facts.poll(instr)
    f.count += 1
    k = f.count
    lanes = tuple(c.lanes for c in instr.carried)
    lo, hi = f.value(instr.lo), f.value(instr.hi)
    inits = (lo, *(f.value(v, n) for v, n in zip(instr.inits, lanes, strict=True)))
    regs = (instr.index, *instr.carried)
    if isinstance(each, Pieces):
        return _pieces(f, instr, each, hi, regs, inits)
    start = _phis(f, f"for{k}", regs, inits, f.label)
    ty, i = LLVM[instr.index.ty], f.names[instr.index]
    more = f.let(f"icmp slt {ty} {i}, {hi}")
    f.line(f"br i1 {more}, label %body{k}, label %done{k}")
    f.block(f"body{k}")
    if isinstance(each, Each):
        poll(f, each)
    _round(f, instr, k, start, each)


def check(f: FunctionText, instr: Check) -> None:
    """Print, in front of loops that count nothing, the count of their work for many rounds."""
    sizes = [_size(f, e) for e in extents_of(instr.work)]
    many = "true"
    for k, n in enumerate(sizes if instr.few >= 0 else ()):
        more = f.let(f"icmp sgt i64 {n}, {instr.few}")
        many = f.let(f"or i1 {many}, {more}") if k else more
    given = ", ".join(f"i64 {n}" for n in [*sizes, "0", "0", "0"][:EXTENTS])
    work = f"i64 ptrtoint (ptr {f.out.work(instr)} to i64)"
    f.rarely(many, "long", lambda: f.let(f"call i1 @pb_long(i64 {_number(f)}, {given}, {work})"))


def _size(f: FunctionText, extent: Extent) -> str:
    lo, hi = f.value(extent.lo), f.value(extent.hi)
    if extent.lo == Imm(0, Ty.I64):
        return hi
    return f.let(f"call i64 @llvm.ssub.sat.i64(i64 {hi}, i64 {lo})")


def _number(f: FunctionText) -> str:
    """Return the context as a number: LLVM then may move loads of other memory over a call that
    gets it."""
    return f.let("ptrtoint ptr %ctx to i64")


def _round(
    f: FunctionText, instr: ForCode, k: int, start: int, each: Poll | None = None
) -> None:
    """Print the body of a loop and begin the code behind the loop."""
    with f.scope():
        around = f.round, f.busy
        f.round, f.busy = len(instr.body.code), is_long(instr.body)
        values = f.region(instr.body, tuple(c.lanes for c in instr.carried))
        f.round, f.busy = around
        ty, i = LLVM[instr.index.ty], f.names[instr.index]
        following = f.let(f"add nsw {ty} {i}, {instr.step}")
        if isinstance(each, Some):  # the index tells when
            place = f.let(f"and {ty} {following}, {each.rounds * instr.step - 1}")
            _count(f, f.let(f"icmp ult {ty} {place}, {instr.step}"), each)
    _complete(f, start, (following, *values))
    f.line(f"br label %for{k}")
    f.block(f"done{k}")
    for d, c in zip(instr.dsts, instr.carried, strict=True):
        f.bind(d, f.names[c])


def _pieces(
    f: FunctionText, instr: ForCode, each: Pieces, hi: str, regs: tuple[Reg, ...],
    inits: tuple[str, ...],
) -> None:
    """Print a loop that counts nothing in its rounds. Around it goes a loop over its pieces, which
    counts a piece, looks for signals and finds the end of the next piece:

        piece:  for i < end: body
                if i < hi:
                    end = pb_more(i, hi)
                    goto piece

    LLVM optimises the inner loop well: its number of rounds is known, and it calls nothing.
    """
    assert instr.index.ty is Ty.I64
    k = f.count
    length = each.rounds * instr.step
    end, begin = Reg("end", Ty.I64), tuple(Reg(r.name, r.ty, r.lanes) for r in regs)
    beyond = f.let(f"call i64 @llvm.sadd.sat.i64(i64 {inits[0]}, i64 {length})")
    first = f.let(f"call i64 @llvm.smin.i64(i64 {hi}, i64 {beyond})")
    outer = _phis(f, f"piece{k}", (*begin, end), (*inits, first), f.label)
    start = _phis(f, f"for{k}", regs, tuple(f.names[r] for r in begin), f.label)
    i, until = f.names[instr.index], f.names[end]
    more = f.let(f"icmp slt i64 {i}, {until}")
    f.line(f"br i1 {more}, label %body{k}, label %part{k}")
    f.block(f"part{k}")
    rest = f.let(f"icmp slt i64 {i}, {hi}")
    f.line(f"br i1 {rest}, label %between{k}, label %done{k}, !prof !5")
    f.block(f"between{k}")
    following = f.let(f"call i64 @pb_more(i64 {_number(f)}, i64 {i}, i64 {hi}, "
                      f"i64 {length}, i64 {each.cycles})")  # fmt: skip
    fine = f.let(f"icmp sgt i64 {following}, {i}")
    f.line(f"br i1 {fine}, label %piece{k}, label %failed, !prof !6")
    f.failed_from.append(f.label)
    _complete(f, outer, (*(f.names[r] for r in regs), following))
    f.block(f"body{k}")
    _round(f, instr, k, start)


def _count(f: FunctionText, cond: str, some: Some) -> None:
    """Print the count of some rounds, where ``cond`` says that they are over."""
    call = f"call i1 @pb_some(i64 {{}}, i64 {some.cycles})"
    f.rarely(cond, "some", lambda: f.let(call.format(_number(f))))


def poll(f: FunctionText, each: Each) -> None:
    """Print the count of cycles, and the look for signals when enough have been counted."""
    left = f.let(f"sub i64 {f.field(Field.POLL)}, {each.cycles}")
    due = f.let(f"icmp slt i64 {left}, 0")
    f.count += 1
    before, here, on = f.label, f"poll{f.count}", f"on{f.count}"
    f.line(f"br i1 {due}, label %{here}, label %{on}, !prof !5")
    f.block(here)
    following = f.let(f"call i64 @pb_due(i64 {_number(f)})")
    f.line(f"br i1 {f.let(f'icmp slt i64 {following}, 0')}, label %failed, label %{on}")
    f.failed_from.append(here)
    f.block(on)
    rest = f.let(f"phi i64 [ {left}, %{before} ], [ {following}, %{here} ]")
    f.set_field(Field.POLL, "i64", rest)


def before_call(f: FunctionText, each: Each) -> None:
    """Print, in front of a call that may lead back to the function, the count and the look at the
    stack."""
    if f.out.facts.guard(f.function.name) is Guard.CALLS:
        f.guard()
    poll(f, each)


def _count_while(f: FunctionText, poll_: Poll | None, regs: tuple[Reg, ...]) -> tuple[str, ...]:
    """Print the count of rounds of a ``while`` loop. Return the new value of the register that
    holds the number of rounds until the next count, if there is one."""
    match poll_:
        case Some(rounds):
            before = f.label
            left = f.let(f"sub i64 {f.names[regs[-1]]}, 1")
            _count(f, f.let(f"icmp eq i64 {left}, 0"), poll_)
            counted = f.failed_from[-1]
            return (f.let(f"phi i64 [ {left}, %{before} ], [ {rounds}, %{counted} ]"),)
        case Each():
            poll(f, poll_)
    return ()


def while_(f: FunctionText, instr: WhileCode) -> None:
    f.count += 1
    k = f.count
    each = f.out.facts.poll(instr)
    lanes = tuple(c.lanes for c in instr.carried)
    inits = tuple(f.value(v, n) for v, n in zip(instr.inits, lanes, strict=True))
    regs = instr.carried
    if isinstance(each, Some):  # the register of rounds until the next count
        regs, inits = (*regs, Reg("left", Ty.I64)), (*inits, str(each.rounds))
    start = _phis(f, f"while{k}", regs, inits, f.label)
    with f.scope():
        (more,) = f.region(instr.cond)
        f.line(f"br i1 {more}, label %body{k}, label %done{k}")
        f.block(f"body{k}")
        more_values = _count_while(f, each, regs)
        around, f.busy = f.busy, is_long(instr.body)
        values = f.region(instr.body, lanes)
        f.busy = around
    _complete(f, start, (*values, *more_values))
    f.line(f"br label %while{k}")
    f.block(f"done{k}")
    for d, c in zip(instr.dsts, instr.carried, strict=True):
        f.bind(d, f.names[c])


def call(f: FunctionText, instr: CallCode) -> None:
    callee = f.out.module.functions[instr.function]
    fails = instr.function in f.out.facts.may_fail
    if in_memory(callee):
        f.argument_slots = max(f.argument_slots, len(callee.params))
    args = ["ptr %ctx", *passed(f, callee, [f.typed(a) for a in instr.args], "%passed")]
    by_memory = len(callee.results) > IN_REGISTERS
    if by_memory:
        args.append("ptr %slots")
        f.result_slots = max(f.result_slots, len(callee.results))
    fields = result_fields(callee, fails)
    whole = result_type(fields)
    call = f"call fastcc {whole} {function_name(instr.function)}({', '.join(args)})"
    parts = f.results(call, whole, fields)
    if fails:
        f.leave_if(f.let(f"icmp ne i32 {parts.pop(0)}, 0"))
    if by_memory:
        for k, ty in enumerate(callee.results):
            at = f.let(f"getelementptr i8, ptr %slots, i64 {8 * k}")
            parts.append(f.let(f"load {LLVM[ty]}, ptr {at}, align 8"))
    for d, p in zip(instr.dsts, parts, strict=True):
        f.bind(d, p)


def raise_if(f: FunctionText, instr: RaiseIf) -> None:
    errors = f.out.errors
    code = len(errors)
    kinds = tuple(v.ty for v in instr.values)
    errors.append(
        ErrorSite(instr.kind, instr.message, instr.site, kinds, instr.types, instr.early)
    )
    f.count += 1
    cold, on = f"raise{f.count}", f"fine{f.count}"
    f.line(f"br i1 {f.value(instr.cond)}, label %{cold}, label %{on}, !prof !5")
    f.block(cold)
    _record(f, instr.values)
    f.line(f"call fastcc void {f.support('pb.fail')}(ptr %ctx, i64 {code})")
    f.line("br label %failed")
    f.failed_from.append(cold)
    f.block(on)


def show(f: FunctionText, instr: Show) -> None:
    """Print the call of Python with values, which are recorded as those of errors are."""
    code = len(f.out.shows)
    kinds = tuple(v.ty for v in instr.values)
    f.out.shows.append(ShowSite(instr.message, kinds, instr.types))
    _record(f, instr.values)
    raised = f.let(f"call i32 @pb_show(ptr %ctx, ptr @{SHOWS}, i64 {code})")
    f.leave_if(f.let(f"icmp ne i32 {raised}, 0"))
    if instr.dst is not None:
        at = f.let(f"getelementptr i8, ptr %ctx, i64 {8 * ERROR_WORDS}")
        f.define(instr.dst, f"load i64, ptr {at}, align 8, !tbaa !3")


def _record(f: FunctionText, values: tuple[Value, ...]) -> None:
    """Print the stores of values into the context, where Python reads them."""
    for k, v in enumerate(values):
        at = f.let(f"getelementptr i8, ptr %ctx, i64 {8 * (ERROR_WORDS + k)}")
        f.line(f"store i64 {_raw(f, v)}, ptr {at}, align 8, !tbaa !3")


def _raw(f: FunctionText, v: Value) -> str:
    """Return the 8 bytes of a scalar as an i64."""
    return raw(f, f.value(v), v.ty)


def raw(f: FunctionText, name: str, ty: Ty) -> str:
    """Return the 8 bytes of a scalar as an i64."""
    match ty:
        case Ty.F64:
            return f.let(f"bitcast double {name} to i64")
        case Ty.F32:
            return f.let(f"zext i32 {f.let(f'bitcast float {name} to i32')} to i64")
        case Ty.I32 | Ty.I16 | Ty.I8:
            return f.let(f"sext {ty.value} {name} to i64")
        case Ty.I1:
            return f.let(f"zext i1 {name} to i64")
        case Ty.PTR:
            return f.let(f"ptrtoint ptr {name} to i64")
        case Ty.I64:
            return name
        case _:
            assert_never(ty)
