"""How functions of loop code call each other: the context, the arguments, then room for results.

A few results, after the error flag, are returned in registers, and up to ``ARGUMENTS`` arguments
are passed as LLVM likes. More of them go through memory of the caller, since LLVM takes time that
grows with the square of the arguments of one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pullback.lower.loopcode import LoopFunction, Ty
from pullback.native.lines import Lines
from pullback.native.text import LLVM

IN_REGISTERS, ARGUMENTS = 6, 200


def in_memory(function: LoopFunction) -> bool:
    """Whether the arguments go through memory."""
    return len(function.params) > ARGUMENTS


def parameters(function: LoopFunction, of_pointers: str) -> list[str]:
    """Return the parameters with their types; pointers get the attributes ``of_pointers``."""
    assert all(p.lanes == 1 for p in function.params), "parameters are scalars"
    params = ["ptr %ctx"]
    if in_memory(function):
        params.append("ptr %arguments")
    else:
        marks = {Ty.PTR: of_pointers}
        typed = (f"{LLVM[p.ty]}{marks.get(p.ty, '')}" for p in function.params)
        params += [f"{ty} %p{k}" for k, ty in enumerate(typed)]
    return params + ["ptr %results"] * (len(function.results) > IN_REGISTERS)


def received(lines: Lines, function: LoopFunction) -> list[str]:
    """Return the names of the parameters' values, which come from memory where they are many."""
    if not in_memory(function):
        return [f"%p{k}" for k in range(len(function.params))]
    return [
        lines.let(f"load {LLVM[p.ty]}, ptr {_at(lines, '%arguments', k)}, align 8")
        for k, p in enumerate(function.params)
    ]


def passed(
    lines: Lines, function: LoopFunction, args: Sequence[str], room: str,
    placed: Mapping[str, int] = MappingProxyType({}),
) -> list[str]:  # fmt: skip
    """Return what a call takes for these arguments, which have their types: where they are many,
    ``room``, where they are stored. Those that are ``placed`` at their index are there already."""
    if not in_memory(function):
        return list(args)
    for k, arg in enumerate(args):
        if placed.get(arg.rpartition(" ")[2]) != k:
            lines.line(f"store {arg}, ptr {_at(lines, room, k)}, align 8")
    return [f"ptr {room}"]


def _at(lines: Lines, base: str, k: int) -> str:
    return lines.let(f"getelementptr i8, ptr {base}, i64 {8 * k}")


def result_fields(function: LoopFunction, fails: bool) -> list[str]:
    """Return the LLVM types of what a function returns in registers: the error flag and the
    results."""
    flag = ["i32"] if fails else []
    if len(function.results) > IN_REGISTERS:
        return flag
    return flag + [LLVM[t] for t in function.results]


def result_type(fields: list[str]) -> str:
    """Return the one LLVM type for several fields."""
    match fields:
        case []:
            return "void"
        case [one]:
            return one
        case _:
            return "{ " + ", ".join(fields) + " }"


def gives(lines: Lines, function: LoopFunction, results: Sequence[str], fails: bool) -> None:
    """Write the return of these results, and of the error flag 0 in front of them."""
    types = [LLVM[t] for t in function.results]
    values = ["i32 0"] if fails else []
    if len(types) > IN_REGISTERS:
        for k, (t, r) in enumerate(zip(types, results, strict=True)):
            lines.line(f"store {t} {r}, ptr {_at(lines, '%results', k)}, align 8")
    else:
        values += [f"{t} {r}" for t, r in zip(types, results, strict=True)]
    if len(values) < 2:
        lines.line(f"ret {values[0] if values else 'void'}")
        return
    whole = result_type([v.split(" ", 1)[0] for v in values])
    acc = "poison"
    for k, v in enumerate(values):
        acc = lines.let(f"insertvalue {whole} {acc}, {v}, {k}")
    lines.line(f"ret {whole} {acc}")
