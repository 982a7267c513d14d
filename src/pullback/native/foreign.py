"""Write calls of LAPACK and of NumPy's Fourier transforms. Fortran takes addresses, so integers and
characters go through slots on the stack. LAPACK runs on one thread, since results must not depend
on the number of cores. A loop of NumPy takes tables, which are in such slots, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullback.core import called_python, numpy_sorts, pocketfft
from pullback.lower.loopcode import Foreign, Ty

if TYPE_CHECKING:
    from pullback.native.emit import FunctionText

ONE_THREAD = "pb_one_thread"
PREFIX = "pb_lapack_"
_CALLBACK = PREFIX + called_python.PREFIX
_OF_ALL = {f"{_CALLBACK}{number}" for number in called_python.OF_ALL}


def foreign(f: FunctionText, instr: Foreign) -> None:
    """Print the call."""
    if instr.routine.startswith(pocketfft.PREFIX):
        _transform(f, instr)
        return
    if instr.routine.startswith(numpy_sorts.PREFIX):
        _sort(f, instr)
        return
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
    call = f"call void @{symbol}({', '.join(f'ptr {a}' for a in args)})"
    if symbol != f"{_CALLBACK}{called_python.DRAWS}":
        before = one_thread(f)
        f.line(call)
        threads_again(f, before)
    else:  # a draw multiplies no matrices with threads
        f.line(call)
    if instr.dst is not None:
        f.define(instr.dst, f"sext i32 {f.let(f'load i32, ptr {args[-1]}, align 8')} to i64")


def _transform(f: FunctionText, instr: Foreign) -> None:
    """Print the call of a loop of NumPy's: with the tables of its arrays, extents and steps."""
    source, to, factor, *numbers = (f.value(a) for a in instr.args if not isinstance(a, str))
    rows, before, after, row, item, out_row, out_item = numbers
    slots = [f.let(f"getelementptr i8, ptr %slots, i64 {8 * k}") for k in range(12)]
    filled = [
        ("double", factor), ("ptr", source), ("ptr", slots[0]), ("ptr", to),
        *(("i64", n) for n in (rows, before, after, row, "0", out_row, item, out_item)),
    ]  # fmt: skip
    for slot, (ty, value) in zip(slots, filled, strict=True):
        f.line(f"store {ty} {value}, ptr {slot}, align 8")
    f.result_slots = max(f.result_slots, len(slots))
    symbol, name = PREFIX + instr.routine, instr.routine.removeprefix(pocketfft.PREFIX)
    f.out.foreign[symbol] = 4
    data = "null"
    if name in pocketfft.WITH_DATA:
        f.out.foreign[PREFIX + pocketfft.DATA + name] = 0
        data = f"@{PREFIX}{pocketfft.DATA}{name}"
    tables = ", ".join(f"ptr {slots[k]}" for k in (1, 4, 7))
    f.line(f"call void @{symbol}({tables}, ptr {data})")


def _sort(f: FunctionText, instr: Foreign) -> None:
    """Print the call of a sort of NumPy's: with its arrays, their length and no array object."""
    *arrays, n = (f.value(a) for a in instr.args if not isinstance(a, str))
    symbol = PREFIX + instr.routine
    f.out.foreign[symbol] = len(arrays) + 2
    length = f.let(f"inttoptr i64 {n} to ptr")  # a word in a register like the others
    given = ", ".join(f"ptr {a}" for a in (*arrays, length, "null"))
    f.line(f"call void @{symbol}({given})")
    if len(arrays) > 1:
        ints = PREFIX + numpy_sorts.PREFIX + numpy_sorts.INTS
        f.out.foreign[ints] = 3
        settled = f.support(f"pb.settled_{instr.routine[-3:]}")
        given = ", ".join(f"ptr {a}" for a in arrays)
        f.line(f"call fastcc void {settled}({given}, i64 {n}, ptr @{ints})")


def is_callback(symbol: str) -> bool:
    """Whether a symbol is that of a Python function."""
    return symbol.startswith(_CALLBACK)


def is_of_process(symbol: str) -> bool:
    """Whether a symbol is that of a Python function which has its number in this process only."""
    return is_callback(symbol) and symbol not in _OF_ALL


def one_thread(f: FunctionText) -> str:
    """Print that LAPACK runs on one thread. Return on how many it ran before."""
    return f.let(f"call i32 @{ONE_THREAD}(i32 1)")


def threads_again(f: FunctionText, before: str) -> None:
    """Print that LAPACK runs on so many threads as before."""
    f.line(f"call i32 @{ONE_THREAD}(i32 {before})")


def foreign_declarations(symbols: dict[str, int]) -> str:
    """Return the declarations of the functions of LAPACK and NumPy that a module calls."""
    lines = [f"declare void @{s}({', '.join(['ptr'] * n)})\n" for s, n in sorted(symbols.items())]
    return "".join([*lines, f"declare i32 @{ONE_THREAD}(i32)\n"] if lines else [])
