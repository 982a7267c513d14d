"""Write loads, stores, gathers, scatters and additions into memory as LLVM text.

An index or pointer that differs by lane makes a gather or a scatter. A value that differs by lane,
at a place that is the same for all lanes, is 8 consecutive elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llvmlite.binding import llvm_version_info

from pullback.core.thresholds import LIMITS
from pullback.lower.loopcode import LANES, AtAdd, Copy, Imm, Load, Offset, Reg, Store, Ty, Value
from pullback.native.layout import Field
from pullback.native.text import SIZE, llvm_type, memory_type

if TYPE_CHECKING:
    from pullback.native.emit import FunctionText


def _lanes(v: Value) -> int:
    return v.lanes if isinstance(v, Reg) else 1


def _address(f: FunctionText, ptr: Value, index: Value, ty: Ty) -> tuple[str, int]:
    """Return the address of an element, and how many addresses it is: one, or one per lane."""
    lanes = max(_lanes(ptr), _lanes(index))
    p = f"{llvm_type(Ty.PTR, _lanes(ptr))} {f.value(ptr, _lanes(ptr))}"
    i = f"{llvm_type(index.ty, _lanes(index))} {f.value(index, _lanes(index))}"
    return f.let(f"getelementptr {memory_type(ty)}, {p}, {i}"), lanes


def _from_memory(f: FunctionText, dst: Reg, name: str) -> None:
    if dst.ty is Ty.I1:
        ty = memory_type(Ty.I1, dst.lanes)
        f.define(dst, f"icmp ne {ty} {name}, zeroinitializer")
    else:
        f.bind(dst, name)


def _to_memory(f: FunctionText, value: Value, lanes: int) -> str:
    """Return the value, with its type, in the form in which memory holds it."""
    name = f.value(value, lanes)
    wide = memory_type(value.ty, lanes)
    if value.ty is Ty.I1:
        name = f.let(f"zext {llvm_type(Ty.I1, lanes)} {name} to {wide}")
    return f"{wide} {name}"


def load(f: FunctionText, instr: Load) -> None:
    """Print a Load."""
    dst = instr.dst
    at, lanes = _address(f, instr.ptr, instr.index, dst.ty)
    if lanes == 1:
        wide = memory_type(dst.ty, dst.lanes)
        name = f.let(f"load {wide}, ptr {at}, align {SIZE[dst.ty]}, !tbaa !4")
    else:
        assert dst.lanes == LANES, "a gather has a varying result"
        name = gather(f, at, dst.ty)
    _from_memory(f, dst, name)


def gather(f: FunctionText, at: str, ty: Ty) -> str:
    """Return one element per lane, loaded from the addresses ``at``."""
    wide = memory_type(ty, LANES)
    suffix = f"v{LANES}{_suffix(ty)}.v{LANES}p0"
    return f.let(
        f"call {wide} @llvm.masked.gather.{suffix}({_addresses(at, ty)}, "
        f"<{LANES} x i1> splat (i1 true), {wide} poison), !tbaa !4"
    )


def _addresses(at: str, ty: Ty) -> str:
    """Return the addresses of a gather or scatter with their alignment: up to LLVM 21, with which
    Numba still comes, it is an argument of its own."""
    if llvm_version_info >= (22,):
        return f"<{LANES} x ptr> align {SIZE[ty]} {at}"
    return f"<{LANES} x ptr> {at}, i32 {SIZE[ty]}"


def store(f: FunctionText, instr: Store) -> None:
    """Print a Store."""
    ty = instr.value.ty
    at, lanes = _address(f, instr.ptr, instr.index, ty)
    if lanes == 1:
        value = _to_memory(f, instr.value, _lanes(instr.value))
        f.line(f"store {value}, ptr {at}, align {SIZE[ty]}, !tbaa !4")
        return
    value = _to_memory(f, instr.value, LANES)
    suffix = f"v{LANES}{_suffix(ty)}.v{LANES}p0"
    f.line(
        f"call void @llvm.masked.scatter.{suffix}({value}, {_addresses(at, ty)}, "
        f"<{LANES} x i1> splat (i1 true)), !tbaa !4"
    )


def at_add(f: FunctionText, instr: AtAdd) -> None:
    """Print an AtAdd. Places that differ by lane are added to one after the other, since two may be
    the same."""
    ty = instr.value.ty
    at, lanes = _address(f, instr.ptr, instr.index, ty)
    add = "fadd" if ty in (Ty.F64, Ty.F32) else "add"
    if lanes == 1:
        wide = llvm_type(ty, _lanes(instr.value))
        _add(f, at, f.value(instr.value, _lanes(instr.value)), wide, add, SIZE[ty])
        return
    value, one = f.value(instr.value, LANES), llvm_type(ty)
    for k in range(LANES):
        place = f.let(f"extractelement <{LANES} x ptr> {at}, i64 {k}")
        part = f.let(f"extractelement {llvm_type(ty, LANES)} {value}, i64 {k}")
        _add(f, place, part, one, add, SIZE[ty])


def _add(f: FunctionText, at: str, value: str, ty: str, add: str, align: int) -> None:
    old = f.let(f"load {ty}, ptr {at}, align {align}, !tbaa !4")
    new = f.let(f"{add} {ty} {old}, {value}")
    f.line(f"store {ty} {new}, ptr {at}, align {align}, !tbaa !4")


def offset(f: FunctionText, instr: Offset) -> None:
    """Print an Offset."""
    at, _ = _address(f, instr.ptr, instr.index, instr.ty)
    f.bind(instr.dst, at)


def copy(f: FunctionText, instr: Copy) -> None:
    """Print a Copy."""
    size = SIZE[instr.ty]
    count = f.value(instr.count)
    n = count if size == 1 else f.let(f"mul i64 {count}, {size}")
    to, source = f.value(instr.dst), f.value(instr.src)
    if not isinstance(instr.count, Imm):
        move = f"call i1 @pb_move(ptr %ctx, ptr {to}, ptr {source}, i64 {n})"
        huge = f.let(f"icmp ugt i64 {n}, {LIMITS.huge}")
        f.rarely(huge, "huge", lambda: f.let(move))
        n = f.let(f"select i1 {huge}, i64 0, i64 {n}")
    f.line(
        f"call void @llvm.memmove.p0.p0.i64(ptr align {size} {to}, "
        f"ptr align {size} {source}, i64 {n}, i1 false)"
    )


def top(arena: str) -> Field:
    """Return the field with the first free address of an arena."""
    tops = {
        "temp": Field.TEMP_CUR, "residual": Field.RESID_CUR, "tape": Field.TAPE_CUR,
        "ids": Field.IDS_CUR,
    }  # fmt: skip
    return tops[arena]


def bottom(arena: str) -> Field:
    """Return the field with the first address of an arena."""
    return Field(top(arena) + 2)


def _suffix(ty: Ty) -> str:
    return {Ty.F64: "f64", Ty.F32: "f32", Ty.I64: "i64", Ty.I32: "i32", Ty.I16: "i16",
            Ty.I8: "i8", Ty.I1: "i8",
            Ty.PTR: "p0"}[ty]  # fmt: skip
