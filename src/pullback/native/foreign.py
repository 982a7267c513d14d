"""Write calls of LAPACK. Fortran takes addresses, so integers and characters go through slots on
the stack. LAPACK runs on one thread, since results must not depend on the number of cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullback.core import called_python
from pullback.lower.loopcode import Foreign, Ty

if TYPE_CHECKING:
    from pullback.native.emit import FunctionText

ONE_THREAD = "pb_one_thread"
PREFIX = "pb_lapack_"


def foreign(f: FunctionText, instr: Foreign) -> None:
    """Print the call."""
    args: list[str] = []
    slots = 0

    def slot(ty: str, value: str) -> str:
        nonlocal slots
        at = f.let(f"getelementptr i8, ptr %slots, i64 {8 * slots}")
        f.line(f"store {ty} {value}, ptr {at}, align 8")
        slots += 1
        return at

    for a in instr.args:
        if isinstance(a, str):
            args.append(slot("i8", str(ord(a))))
        elif a.ty is Ty.PTR:
            args.append(f.value(a))
        elif a.ty is Ty.F64:
            args.append(slot("double", f.value(a)))
        else:
            args.append(slot("i32", f.let(f"trunc i64 {f.value(a)} to i32")))
    if instr.dst is not None:
        args.append(slot("i32", "0"))
    f.result_slots = max(f.result_slots, slots)
    symbol = PREFIX + instr.routine
    f.out.foreign[symbol] = len(args)
    before = one_thread(f)
    f.line(f"call void @{symbol}({', '.join(f'ptr {a}' for a in args)})")
    threads_again(f, before)
    if instr.dst is not None:
        f.define(instr.dst, f"sext i32 {f.let(f'load i32, ptr {args[-1]}, align 8')} to i64")


_CALLBACK = PREFIX + called_python.PREFIX


def is_callback(symbol: str) -> bool:
    """Whether a symbol is that of a Python function."""
    return symbol.startswith(_CALLBACK)


def is_of_process(symbol: str) -> bool:
    """Whether a symbol is that of a Python function which has its number in this process only:
    draws of random numbers have theirs in every one."""
    return is_callback(symbol) and symbol != f"{_CALLBACK}{called_python.DRAWS}"


def one_thread(f: FunctionText) -> str:
    """Print that LAPACK runs on one thread. Return on how many it ran before."""
    return f.let(f"call i32 @{ONE_THREAD}(i32 1)")


def threads_again(f: FunctionText, before: str) -> None:
    """Print that LAPACK runs on so many threads as before."""
    f.line(f"call i32 @{ONE_THREAD}(i32 {before})")


def foreign_declarations(symbols: dict[str, int]) -> str:
    """Return the declarations of the LAPACK functions that a module calls."""
    lines = [f"declare void @{s}({', '.join(['ptr'] * n)})\n" for s, n in sorted(symbols.items())]
    return "".join([*lines, f"declare i32 @{ONE_THREAD}(i32)\n"] if lines else [])
