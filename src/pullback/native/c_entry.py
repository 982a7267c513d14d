"""Functions with C's calling convention around loop code, in modules that need no Python.

The function takes numbers by value, and for an array the address of its elements, which lie in C
order, and its extents. Results are stored where pointers say; a null pointer: it is not wanted.
It returns 0, or why there is no result:

    OUT_OF_MEMORY, TOO_DEEP, TOO_SMALL      below zero
    k + 1                                   the k-th error of the program
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pullback.core.frozen import dataclass
from pullback.lower.loopcode import Imm, Module, Ty
from pullback.native.compile import arena_bytes
from pullback.native.emit import ModuleText, emit_module, finish
from pullback.native.entry_base import EntryBase
from pullback.native.layout import OUT_OF_MEMORY, Field
from pullback.native.polls import Patience
from pullback.native.runtime import ErrorSite
from pullback.native.runtime_alone import alone_text
from pullback.native.text import LLVM, SHIFT, constant, global_name, memory_type

TOO_SMALL = -5
"""The status of a call whose result does not have the size of the room that it was given."""


@dataclass(frozen=True, slots=True)
class CValue:
    """A parameter or a result: a number, or with a rank an array. ``sized``: the extents of a
    result are those of an argument, so the caller knows them, and need not be told."""

    name: str
    ty: Ty
    rank: int = 0
    sized: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is known when the function is compiled."""

    ty: Ty
    value: float | int | bool


@dataclass(frozen=True, slots=True)
class Data:
    """An array that is known when the function is compiled: the name of its elements, which lie in
    C order, and its extents."""

    symbol: str
    extents: tuple[int, ...]


Known = Number | Data


def c_order(extents: Sequence[int]) -> list[int]:
    """Return the element strides of an array in C order."""
    strides, step = [], 1
    for n in reversed(extents):
        strides.append(step)
        step *= n
    return strides[::-1]


class CEntry(EntryBase):
    """Prints one such function."""

    def __init__(
        self, out: ModuleText, symbol: str, params: Sequence[CValue], known: Sequence[Known],
        results: Sequence[CValue],
    ) -> None:  # fmt: skip
        super().__init__(out, symbol, out.module.functions[out.module.main])
        self.params, self.known, self.outs = params, known, results
        self.short = True  # there is no GIL

    def parameters(self) -> list[str]:
        """Return the parameters with their types."""
        return [*map(" ".join, c_parameters(self.params, self.outs))]

    def text(self) -> str:
        """Return the function, and its trampoline if it has one."""
        if self.needs_context:
            self.take()
        args = [arg for p in self.params for arg in self._argument(p)]
        args += [arg for k in self.known for arg in self._known(k)]
        values = self.run(args)
        for result in self.outs:
            self._store(result, values)
        self._leave("0")
        return self.trampoline() + self._function()

    def _argument(self, p: CValue) -> list[str]:
        if not p.rank:
            if p.ty is Ty.I1:
                return [f"i1 {self.let(f'icmp ne i8 %{p.name}, 0')}"]
            return [f"{LLVM[p.ty]} %{p.name}"]
        extents = [f"%{p.name}.{k}" for k in range(p.rank)]
        strides, step = [], "1"
        for n in reversed(extents):
            strides.append(step)
            step = self.mul(step, n)
        return [f"ptr %{p.name}", *(f"i64 {n}" for n in (*extents, *reversed(strides)))]

    def _known(self, known: Known) -> list[str]:
        if isinstance(known, Number):
            return [f"{LLVM[known.ty]} {constant(Imm(known.value, known.ty))}"]
        words = (*known.extents, *c_order(known.extents))
        return [f"ptr @{known.symbol}", *(f"i64 {n}" for n in words)]

    def _store(self, result: CValue, values: list[str]) -> None:
        mine = [values.pop(0) for _ in range(1 + 2 * result.rank)]
        out, skip = f"%{result.name}", self.label("skip")
        if result.rank:
            frame = self.spilled([Ty.I64] * (2 * result.rank), mine[1:])
            if not result.sized:
                self._fit(result, frame, mine[1 : 1 + result.rank])
        self.need(self.let(f"icmp ne ptr {out}, null"), skip)
        if result.rank:
            strides = self.at(frame, 8 * result.rank)
            self.line(f"call void @pb_copy(ptr {out}, ptr {mine[0]}, i64 {result.rank}, "
                      f"i64 {SHIFT[result.ty]}, ptr {frame}, ptr {strides})")  # fmt: skip
        else:
            value = mine[0]
            if result.ty is Ty.I1:
                value = self.let(f"zext i1 {value} to i8")
            self.line(f"store {memory_type(result.ty)} {value}, ptr {out}, align 1")
        self.jump(skip)
        self.block(skip)

    def _fit(self, result: CValue, frame: str, extents: Sequence[str]) -> None:
        """Print the check that an array fits into its room; the caller gets its extents."""
        shape, told = f"%{result.name}.shape", self.label("told")
        self.need(self.let(f"icmp ne ptr {shape}, null"), told)
        for k, n in enumerate(extents):
            self.store("i64", n, shape, 8 * k)
        self.jump(told)
        self.block(told)
        size = self.let(f"call i64 @pb_size(i64 {result.rank}, ptr {frame})")
        fits = self.let(f"icmp sle i64 {size}, %{result.name}.room")
        unwanted = self.let(f"icmp eq ptr %{result.name}, null")
        self.need(self.let(f"or i1 {fits}, {unwanted}"), "small")

    def _leave(self, status: str) -> None:
        if self.needs_context:
            self.line("call void @pb_give(ptr %ctx)")
        self.line(f"ret i64 {status}")

    def _function(self) -> str:
        lines = [f"define i64 {global_name(self.name)}({', '.join(self.parameters())}) nounwind {{",
                 "entry:", *self.slots, *self.lines]  # fmt: skip
        give = ["  call void @pb_give(ptr %ctx)"] if self.needs_context else []
        if any(r.rank and not r.sized for r in self.outs):
            lines += ["small:", *give, f"  ret i64 {TOO_SMALL}"]
        if self.needs_context:
            lines += [
                "failed:",
                f"  %code.at = getelementptr i8, ptr %ctx, i64 {8 * Field.ERROR}",
                "  %code = load i64, ptr %code.at", *give,
                "  %below = icmp slt i64 %code, 0",
                "  %next = add i64 %code, 1",
                "  %status = select i1 %below, i64 %code, i64 %next",
                "  ret i64 %status",
                "raised:", f"  ret i64 {OUT_OF_MEMORY}",
            ]  # fmt: skip
        return "\n".join([*lines, "}", ""])


def c_parameters(
    params: Sequence[CValue], results: Sequence[CValue]
) -> list[tuple[str, str]]:
    """Return the types and the names of the parameters of such a function, in LLVM's words."""
    out: list[tuple[str, str]] = []
    for p in params:
        if not p.rank:
            narrow = "i8 zeroext" if p.ty is Ty.I1 else LLVM[p.ty]
            out.append((narrow, f"%{p.name}"))
            continue
        out.append(("ptr", f"%{p.name}"))
        out += [("i64", f"%{p.name}.{k}") for k in range(p.rank)]
    for r in results:
        out.append(("ptr", f"%{r.name}"))
        if r.rank and not r.sized:
            out += [("i64", f"%{r.name}.room"), ("ptr", f"%{r.name}.shape")]
    return out


@dataclass(frozen=True, slots=True)
class AloneText:
    """A module that needs no Python: its text, and its errors, whose numbers the functions
    return."""

    text: str
    errors: tuple[ErrorSite, ...]


def alone_module(
    module: Module, symbol: str, params: Sequence[CValue], known: Sequence[Known],
    results: Sequence[CValue], more: str = "", visible: bool = True,
) -> AloneText:  # fmt: skip
    """Return a module with one such function for main, and the text ``more`` beside it;
    ``visible``: others may call the function."""
    out = emit_module(module, Patience.ALL)
    assert not out.shows and not out.foreign, "what calls Python or LAPACK is refused before"
    entry = CEntry(out, symbol, params, known, results).text()
    if not visible:
        entry = entry.replace("define i64", "define internal i64")
    text = finish(out, entry + more, alone_text(arena_bytes()))
    # The names of the runtime in the process belong to another runtime.
    return AloneText(re.sub(r"@pb_", "@alone_", text), tuple(out.errors))


def constant_data(symbol: str, content: bytes) -> str:
    """Return the definition of constant bytes."""
    escaped = "".join(f"\\{b:02X}" for b in content)
    return f'@{symbol} = private constant [{len(content)} x i8] c"{escaped}", align 64\n'


def error_texts(symbol: str, texts: dict[int, str]) -> str:
    """Return a function that gives the text of a status, as C has texts."""
    lines, cases = [], []
    for k, (status, text) in enumerate(sorted(texts.items())):
        content = text.encode() + b"\0"
        lines.append(constant_data(f"text{k}", content).rstrip())
        cases.append((status, f"@text{k}"))
    other = constant_data("text.other", b"no such status\0").rstrip()
    blocks = [f"is{k}:\n  ret ptr {at}" for k, (_, at) in enumerate(cases)]
    switch = " ".join(f"i64 {status}, label %is{k}" for k, (status, _) in enumerate(cases))
    return "\n".join(
        [*lines, other, f"define ptr {global_name(symbol)}(i64 %status) nounwind {{", "entry:",
         f"  switch i64 %status, label %other [ {switch} ]", *blocks,
         "other:", "  ret ptr @text.other", "}", ""]
    )  # fmt: skip


__all__ = [
    "TOO_SMALL", "AloneText", "CValue", "Data", "Known", "Number", "alone_module", "c_parameters",
    "constant_data", "error_texts",
]  # fmt: skip
