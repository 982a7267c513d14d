"""The part that all entry points share: the call of the loop function, Python objects made of its
results, the frame, and the ways out of it.

The GIL is released while the loop function runs, unless the function takes next to no time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import assert_never

from pullback.lower.loopcode import LoopFunction, Ty
from pullback.lower.own_memory import has_own_results
from pullback.native import pyabi
from pullback.native.builder import Code, increment
from pullback.native.builtin_names import CHECK
from pullback.native.convention import (
    IN_REGISTERS,
    in_memory,
    passed,
    result_fields,
    result_type,
)
from pullback.native.emit import LONG_CALLS_LEFT, ModuleText
from pullback.native.layout import HOME_SLACK, LONG_CALLS, STACK_SLACK, Field
from pullback.native.lines import ContextLines
from pullback.native.runtime_ir import RUNTIME_FUNCTIONS
from pullback.native.signature import (
    ArrayOf,
    ComplexOf,
    ListOf,
    Nothing,
    NpScalar,
    Pointer,
    PyBool,
    PyFloat,
    PyInt,
    Tree,
    Words,
    machine_types,
)
from pullback.native.support import call_on_stack, own_stack, stack_pointer
from pullback.native.text import LLVM, SHIFT, function_name, global_name, memory_type

SHORT = 3000
"""A function of fewer instructions than this keeps the GIL: releasing it costs 40 ns."""

_DECLARATIONS = "\n".join(
    [
        *(f"declare {ret} @{name}({params})" for name, (ret, params) in RUNTIME_FUNCTIONS.items()),
        *(f"@{name} = external global i8" for name in sorted(pyabi.object_names())),
        "declare ptr @PyFloat_FromDouble(double)",
        "declare ptr @PyLong_FromLongLong(i64)",
        "declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)",
        "declare ptr @PyEval_SaveThread()",
        "declare void @PyEval_RestoreThread(ptr)",
        "declare void @Py_IncRef(ptr)",
        "declare void @Py_DecRef(ptr)",
        "declare ptr @PyArray_Scalar(ptr, ptr, ptr)",
        "",
    ]
)

_NOT_IMPLEMENTED = (
    "  call void @Py_IncRef(ptr @pb_not_implemented)", "  ret ptr @pb_not_implemented"
)  # fmt: skip


def entry_symbol(name: str) -> str:
    """Return the symbol of the entry point called ``name``; the prefix keeps it apart from library
    names."""
    return f"entry:{name}"


def declarations() -> str:
    """Return the declarations of all functions that entry points call, once per module."""
    return _DECLARATIONS


TOGETHER = 32
"""So many floats in a row are read, or made, by one call: a block for each, with the values of all
others alive, is much to compile."""


def runs(tree: tuple[Tree, ...]) -> Iterator[tuple[Tree, int, int]]:
    """Yield each item with the place where it begins and how often it stands there in a row."""
    at = 0
    for item, same in groupby(tree):
        n = len(list(same))
        yield item, at, n
        at += n


class EntryBase(ContextLines, Code):
    """Prints one entry point."""

    def __init__(
        self, out: ModuleText, name: str, function: LoopFunction, absent: bool = False
    ) -> None:
        super().__init__()
        self.absent = absent
        self.out = out
        self.name = name
        self.loop_function = function
        facts = out.facts
        self.fails = function.name in facts.may_fail
        self.recursive = bool(facts.recursive & (facts.callees[function.name] | {function.name}))
        self.needs_context = function.name in facts.uses_context
        self.room = self.slot("i64", len(function.params)) if in_memory(function) else ""
        self.placed: dict[str, int] = {}  # values that are in the room for arguments already
        self.returned: dict[str, tuple[str, int]] = {}  # where results are in memory
        self.short = facts.cost[function.name] < SHORT
        self.owns = has_own_results(function) and self.needs_context

    @abstractmethod
    def text(self) -> str:
        """Return the entry point, and its trampoline if it has one."""

    # --- small helpers ---

    def need(self, cond: str, otherwise: str) -> None:
        """Go on if ``cond`` holds, else jump to the block ``otherwise``."""
        go = self.label("go")
        self.line(f"br i1 {cond}, label %{go}, label %{otherwise}, !prof !6")
        self.block(go)

    def still_compiled(self) -> None:
        """Print the check that the function of this builtin still has the code that was compiled,
        and that no global hides a built-in name. Otherwise the arguments count as not fitting."""
        function = self.load("ptr", "%self", pyabi.OWNER_FUNCTION)
        code = self.load("ptr", "%self", pyabi.OWNER_CODE)
        now = self.load("ptr", function, pyabi.FUNCTION_CODE)
        self.need(self.let(f"icmp eq ptr {now}, {code}"), "other")
        if self.absent:
            self.need(self.let(CHECK), "other")

    def word(self, ty: Ty, base: str, offset: int) -> str:
        """Return a machine value that is kept in memory."""
        raw = self.load(memory_type(ty), base, offset)
        return self.let(f"icmp ne i8 {raw}, 0") if ty is Ty.I1 else raw

    def spilled(self, types: Sequence[Ty], values: Sequence[str]) -> str:
        """The address of words of the frame, which hold these machine values."""
        slots = self.slot("i64", max(len(types), 1))
        for k, (ty, value) in enumerate(zip(types, values, strict=True)):
            if ty is Ty.I1:
                value = self.let(f"zext i1 {value} to i8")
            self.store(memory_type(ty), value, slots, 8 * k)
        return slots

    # --- results ---

    def box(self, tree: Tree, values: list[str]) -> str:
        """Return a Python object (or null) made of machine values, which are taken from the front
        of ``values``."""
        if isinstance(tree, tuple):
            place = self.slot("i64", max(len(tree), 1))
            for item, first, count in runs(tree):
                if isinstance(item, PyFloat) and count >= TOGETHER:
                    numbers = [values.pop(0) for _ in range(count)]
                    self._box_floats(numbers, self.at(place, 8 * first))
                    continue
                for k in range(first, first + count):
                    self.store("ptr", self.box(item, values), place, 8 * k)
            return self.let(f"call ptr @pb_tuple(ptr {place}, i64 {len(tree)})")
        mine = [values.pop(0) for _ in machine_types(tree)]
        match tree:
            case PyFloat():
                return self.let(f"call ptr @PyFloat_FromDouble(double {mine[0]})")
            case PyInt():
                return self.let(f"call ptr @PyLong_FromLongLong(i64 {mine[0]})")
            case Pointer():
                n = self.let(f"ptrtoint ptr {mine[0]} to i64")
                return self.let(f"call ptr @PyLong_FromLongLong(i64 {n})")
            case PyBool():
                obj = self.let(f"select i1 {mine[0]}, ptr @pb_true, ptr @pb_false")
                return increment(self, obj)
            case Words():
                raise TypeError("words are no result")
            case Nothing():
                return increment(self, "@pb_none")
            case ListOf(ty):
                data, n, stride = mine[-3:]
                return self.let(f"call ptr @pb_make_list_{ty.value}(ptr {data}, i64 {n}, "
                                f"i64 {stride})")  # fmt: skip
            case NpScalar(ty):
                cell = self.slot("i64", 1)
                value = self.let(f"zext i1 {mine[0]} to i8") if ty is Ty.I1 else mine[0]
                self.line(f"store {memory_type(ty)} {value}, ptr {cell}")
                descr = f"@pb_descr_{ty.value}"
                return self.let(f"call ptr @PyArray_Scalar(ptr {cell}, ptr {descr}, ptr null)")
            case ComplexOf(ty, rank, adjoint):
                parts = self.spilled(machine_types(tree), mine)
                return self.let(
                    f"call ptr @pb_box_complex(ptr {parts}, ptr @{tree.descr}, i64 {rank}, "
                    f"i64 {SHIFT[ty]}, i1 {int(adjoint)}, ptr {self.at(parts, 8 + 16 * rank)})"
                )
            case ArrayOf(ty, rank):
                shape = self.slot("i64", 2 * rank)
                for k, v in enumerate(mine[1:]):
                    self.store("i64", v, shape, 8 * k)
                strides = self.at(shape, 8 * rank)
                box = "box_result(ptr %ctx, " if self.owns else "box_array("
                return self.let(
                    f"call ptr @pb_{box}ptr {mine[0]}, ptr @pb_descr_{ty.value}, i64 {rank}, "
                    f"i64 {SHIFT[ty]}, ptr {shape}, ptr {strides})"
                )
            case _:
                assert_never(tree)

    def _box_floats(self, values: list[str], items: str) -> None:
        """Print one call that makes many floats in a row. Those that cannot be made are null."""
        n, (start, first) = len(values), self.returned.get(values[0], ("", 0))
        if start and all(self.returned.get(v) == (start, first + k) for k, v in enumerate(values)):
            data = self.at(start, 8 * first)
        else:
            data = self.spilled([Ty.F64] * n, values)
        self.line(f"call void @llvm.memset.p0.i64(ptr {items}, i8 0, i64 {8 * n}, i1 false)")
        self.let(f"call i1 @pb_floats(ptr {items}, ptr {data}, i64 {n}, i64 1)")

    def tuple(self, items: list[str]) -> str:
        """Return a tuple of objects, which it takes over; null if one of them is null."""
        place = self.slot("i64", max(len(items), 1))
        for k, item in enumerate(items):
            self.store("ptr", item, place, 8 * k)
        return self.let(f"call ptr @pb_tuple(ptr {place}, i64 {len(items)})")

    # --- the call ---

    def run(self, args: list[str]) -> list[str]:
        """Run the loop function; its results. Errors go to the block ``failed``."""
        f = self.loop_function
        context = "ptr %ctx" if self.needs_context else "ptr null"
        args = [context, *passed(self, f, args, self.room, self.placed)]
        spill = len(f.results) > IN_REGISTERS
        slots = ""
        if spill:
            slots = self.slot("i64", len(f.results))
            args.append(f"ptr {slots}")
        fields = result_fields(f, self.fails)
        self.called = args
        parts = self._run(args, fields)
        if self.fails:
            self.need(self.let(f"icmp eq i32 {parts.pop(0)}, 0"), "failed")
        if spill:
            parts = [self.load(LLVM[t], slots, 8 * k) for k, t in enumerate(f.results)]
            self.returned = {part: (slots, k) for k, part in enumerate(parts)}
        return parts

    def _run(self, args: list[str], fields: list[str]) -> list[str]:
        if not self.short:
            thread = self.let("call ptr @PyEval_SaveThread()")
            self._thread(thread)
        whole = result_type(fields)
        if self.recursive and own_stack():
            parts = self._run_on_stack(args, fields)
        else:
            if self.recursive:
                self._limit_here()
            name = function_name(self.loop_function.name)
            call = f"call fastcc {whole} {name}({', '.join(args)})"
            parts = self.results(call, whole, fields)
        if not self.short:
            self._thread("null")
            self.line(f"call void @PyEval_RestoreThread(ptr {thread})")
        return parts

    def _thread(self, thread: str) -> None:
        """Store the thread state with which ``pb_poll`` takes the GIL; LLVM does not see that it is
        read."""
        if self.needs_context:
            at = self.let(f"getelementptr i8, ptr %ctx, i64 {8 * Field.THREAD}")
            self.line(f"store volatile ptr {thread}, ptr {at}, align 8")

    def _limit_here(self) -> None:
        """Set the limit near the end of the thread's stack, on machines without a stack of our
        own."""
        sp = self.fresh()
        for text in stack_pointer(sp):
            self.line(text)
        limit = self.let(f"sub i64 {sp}, {2 * STACK_SLACK}")
        for f in (Field.STACK_LIMIT, Field.STACK_HARD):
            self.set_field(f, "i64", limit)

    def _run_on_stack(self, args: list[str], fields: list[str]) -> list[str]:
        """Print the call on the other stack: arguments and results go through a frame that a
        trampoline reads there."""
        frame = self.slot("i64", len(args) + len(fields))
        for k, arg in enumerate(args):
            ty, value = arg.split(" ", 1)
            self.store(ty, value, frame, 8 * k)
        top = self.field(Field.STACK_TOP, "i64")
        here = self.fresh()
        for text in stack_pointer(here):
            self.line(text)
        free = self.let(f"sub i64 {here}, {HOME_SLACK}")
        self.set_field(Field.HOME, "i64", self.let(f"and i64 {free}, -64"))
        for text in call_on_stack(global_name(f"run:{self.name}"), frame, top):
            self.line(text)
        self.set_field(Field.HOME, "i64", "0")
        return [self.load(ty, frame, 8 * (len(args) + k)) for k, ty in enumerate(fields)]

    def trampoline(self) -> str:
        """Return the function that calls the loop function on another stack; "" if none is
        needed."""
        args, fields = self.called, result_fields(self.loop_function, self.fails)
        if not (self.recursive and own_stack()):
            return ""
        types = [a.split(" ", 1)[0] for a in args]
        lines = [f"define internal void {global_name(f'run:{self.name}')}(ptr %frame) noinline {{"]
        for k, ty in enumerate(types):
            lines += [f"  %a{k} = getelementptr i8, ptr %frame, i64 {8 * k}",
                      f"  %v{k} = load {ty}, ptr %a{k}, align 8"]  # fmt: skip
        whole = result_type(fields)
        text = ", ".join(f"{ty} %v{k}" for k, ty in enumerate(types))
        lines.append(f"  %r = call fastcc {whole} {function_name(self.loop_function.name)}({text})")
        for k, ty in enumerate(fields):
            part = f"%r{k}"
            if len(fields) == 1:
                part = "%r"
            else:
                lines.append(f"  {part} = extractvalue {whole} %r, {k}")
            lines += [f"  %b{k} = getelementptr i8, ptr %frame, i64 {8 * (len(types) + k)}",
                      f"  store {ty} {part}, ptr %b{k}, align 8"]  # fmt: skip
        return "\n".join([*lines, "  ret void", "}", ""])

    # --- the frame ---

    def maybe_again(self) -> None:
        """Print the jump by which the next few calls, after one with a long loop, go to the code
        with less patience at once."""
        if self.out.facts.whole and self.needs_context:
            left = self.let(f"load i64, ptr {LONG_CALLS_LEFT}")
            self.need(self.let(f"icmp eq i64 {left}, 0"), "impatient")

    def _again(self) -> list[str]:
        """Return the lines that call the code with less patience (``polls``)."""
        number = self.out.entries.setdefault(self.name, len(self.out.entries))
        return [
            "too.long:",
            f"  store i64 {LONG_CALLS}, ptr {LONG_CALLS_LEFT}",
            "  br label %again",
            "impatient:",
            f"  %calls = load i64, ptr {LONG_CALLS_LEFT}",
            "  %calls.left = sub i64 %calls, 1",
            f"  store i64 %calls.left, ptr {LONG_CALLS_LEFT}",
            "  br label %again",
            "again:",
            f"  %same = call ptr @pb_again(ptr %self, ptr %args, i64 %nargs, i64 {number})",
            "  ret ptr %same",
        ]

    def take(self) -> None:
        """Print the code that takes a context."""
        self.line(f"%ctx = call ptr @pb_take(i64 {int(self.recursive)})")
        self.need(self.let("icmp ne ptr %ctx, null"), "raised")

    def frame(
        self, leave: Sequence[str] = (), returned: bool = False,
        other: Sequence[str] = _NOT_IMPLEMENTED,
    ) -> str:  # fmt: skip
        """Return the whole function. ``leave`` is printed before each other way out; with
        ``returned`` some code jumps to the block of this name, which first gives the context back;
        ``other`` is how the function ends with arguments that do not fit."""
        name = global_name(entry_symbol(self.name))
        back = ["returned:", "  call void @pb_give(ptr %ctx)", "  br label %other"]
        lines = [
            f"define ptr {name}(ptr %self, ptr %args, i64 %nargs) nounwind {{",
            "entry:", *self.slots, *self.lines, *(back if returned else []),
            "other:", *leave, *other,
        ]  # fmt: skip
        if self.needs_context:
            whole = self.out.facts.whole
            lines += [
                "failed:",
                "  %long = call i1 @pb_error(ptr %self, ptr %ctx)",
                "  call void @pb_give(ptr %ctx)",
                *leave,
                *(["  br i1 %long, label %too.long, label %null"] if whole else []),
                *(["null:"] if whole else []),
                "  ret ptr null",
                "raised:",
                *leave,
                "  ret ptr null",
            ]
            lines += self._again() if whole else []
        return "\n".join([*lines, "}", ""])
