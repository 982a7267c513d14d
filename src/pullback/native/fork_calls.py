"""Write forks: the frame in which the arguments of a loop's chunks lie, and the call.

    words: length | slabs | arguments | results | low and size of each slab | sums

The function of the chunks takes its parameters from there. A loop that is not long is one call of
it; otherwise the runtime (``pb_fork``) fills in what differs, and calls it for each chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullback.lower.loopcode import Foreign, Fork, LoopFunction, Ty
from pullback.native.analysis import instructions
from pullback.native.foreign import one_thread, threads_again
from pullback.native.text import LLVM, function_name

if TYPE_CHECKING:
    from pullback.native.emit import FunctionText

SUMS = {Ty.F64: 0, Ty.I64: 1, Ty.I32: 2}
"""The numbers by which the runtime knows the types that it adds (float32 is carried in float64)."""


def fork(f: FunctionText, instr: Fork) -> None:
    """Print the frame, the call and the sums."""
    many = len(instr.private)
    end = 1 + many + len(instr.args)  # the word of the results
    sums = end + 1 + 2 * many
    f.fork_slots = max(f.fork_slots, sums + len(instr.dsts))
    where = _at(f, sums)
    pairs = [v for part in instr.private for v in part]
    given = [f.typed(instr.n), *(["ptr null"] * many), *map(f.typed, instr.args), f"ptr {where}"]
    for k, word in enumerate([*given, *map(f.typed, pairs)]):
        f.line(f"store {word}, ptr {_at(f, k)}, align 8")
    function = function_name(instr.function)
    long, flags = f.value(instr.long), []
    f.count += 1
    k, foreign = f.count, _is_foreign(f, instr.function)
    f.line(f"br i1 {long}, label %chunks{k}, label %whole{k}")
    f.block(f"chunks{k}")
    before = one_thread(f) if foreign else ""
    types = sum(SUMS[d.ty] << 2 * j for j, d in enumerate(instr.dsts))
    shape = f"i64 {instr.unit}, i64 {many}, i64 {end}, i64 {len(instr.dsts)}, i64 {types}"
    flags.append((f.let(f"call i32 @pb_fork(ptr %ctx, ptr {function}, ptr %forked, "
                        f"i64 {f.value(instr.n)}, {shape})"), f.label))  # fmt: skip
    if foreign:
        threads_again(f, before)
    f.line(f"br label %forked{k}")
    f.block(f"whole{k}")
    flags.append((f.let(f"call i32 {function}(ptr %ctx, ptr %forked, i64 0)"), f.label))
    f.line(f"br label %forked{k}")
    f.block(f"forked{k}")
    flag = f.let("phi i32 " + ", ".join(f"[ {x}, %{label} ]" for x, label in flags))
    f.leave_if(f.let(f"icmp ne i32 {flag}, 0"))
    for j, d in enumerate(instr.dsts):
        f.define(d, f"load {LLVM[d.ty]}, ptr {_at(f, sums + j)}, align 8")


def _at(f: FunctionText, word: int) -> str:
    return f.let(f"getelementptr i8, ptr %forked, i64 {8 * word}")


def _is_foreign(f: FunctionText, function: str) -> bool:
    """Whether chunks call LAPACK: the number of its threads, which all share, then stays 1 until
    the last one has ended."""
    functions = f.out.module.functions
    names = (function, *f.out.facts.callees[function])
    return any(isinstance(i, Foreign) for n in names for i in instructions(functions[n].body))


def begin(f: FunctionText) -> None:
    """Print, in the function of the chunks, the loads of its parameters."""
    first, *rest = f.function.params
    f.bind(first, "%k")
    for k, p in enumerate(rest):
        at = f.let(f"getelementptr i8, ptr %frame, i64 {8 * k}")
        f.define(p, f"load {LLVM[p.ty]}, ptr {at}, align 8")


def end(f: FunctionText, results: tuple[str, ...]) -> None:
    """Print the stores of its results, which lie there chunk after chunk, and the return."""
    types = [LLVM[t] for t in f.function.results]
    if types:
        word = len(f.function.params) - 1
        at = f.let(f"getelementptr i8, ptr %frame, i64 {8 * word}")
        start = f.let(f"load ptr, ptr {at}, align 8")
        before = f.let(f"mul i64 %k, {8 * len(types)}")
        own = f.let(f"getelementptr i8, ptr {start}, i64 {before}")
        for j, (ty, x) in enumerate(zip(types, results, strict=True)):
            at = f.let(f"getelementptr i8, ptr {own}, i64 {8 * j}")
            f.line(f"store {ty} {x}, ptr {at}, align 8")
    f.line("ret i32 0")


def head(function: LoopFunction, attributes: str) -> str:
    """Return the first line of the function of the chunks."""
    name = function_name(function.name)
    return (
        f"define internal i32 {name}(ptr %ctx, ptr %frame, i64 %k) nounwind noinline "
        f"{attributes} {{"
    )
