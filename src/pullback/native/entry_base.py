"""What all entry points have in common: calling the loop function, boxing what it gives, and the
frame with the ways out.

The GIL is released while the loop function runs unless that is over in no time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import assert_never

from pullback.lower.loopcode import LoopFunction, Ty
from pullback.native import pyabi
from pullback.native.builtin_names import CHECK
from pullback.native.control import IN_REGISTERS, result_fields, result_type
from pullback.native.emit import LONG_CALLS_LEFT, ModuleText
from pullback.native.layout import HOME_SLACK, LONG_CALLS, STACK_SLACK, Field
from pullback.native.lines import ContextLines
from pullback.native.runtime_ir import RUNTIME_FUNCTIONS
from pullback.native.signature import (
    ArrayOf,
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
"""Functions of fewer instructions than this keep the GIL: releasing it costs 40 ns."""

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
    """The symbol of the entry point called ``name``; the prefix keeps it off library names."""
    return f"entry:{name}"


def declarations() -> str:
    """What entry points call, once per module."""
    return _DECLARATIONS


class EntryBase(ContextLines):
    """Prints one entry point."""

    def __init__(
        self, out: ModuleText, name: str, function: LoopFunction, absent: bool = False
    ) -> None:
        super().__init__()
        self.absent = absent
        self.out = out
        self.name = name
        self.function = function
        facts = out.facts
        self.fails = function.name in facts.may_fail
        self.recursive = bool(facts.recursive & (facts.callees[function.name] | {function.name}))
        self.needs_context = function.name in facts.uses_context
        self.short = facts.cost[function.name] < SHORT
        self.words = 0

    @abstractmethod
    def text(self) -> str:
        """The entry point (and its trampoline, if it has one)."""

    # --- small helpers ---

    def need(self, cond: str, otherwise: str) -> None:
        """Go on if ``cond``, else to the block ``otherwise``."""
        self.count += 1
        self.line(f"br i1 {cond}, label %go{self.count}, label %{otherwise}, !prof !6")
        self.lines.append(f"go{self.count}:")

    def still_compiled(self) -> None:
        """The function that the builtin is for has the code that was compiled, and what was built
        in is not shadowed; else the arguments do not fit."""
        function = self.read("ptr", "%self", pyabi.OWNER_FUNCTION)
        code = self.read("ptr", "%self", pyabi.OWNER_CODE)
        now = self.read("ptr", function, pyabi.FUNCTION_CODE)
        self.need(self.let(f"icmp eq ptr {now}, {code}"), "other")
        if self.absent:
            self.need(self.let(CHECK), "other")

    def at(self, base: str, offset: int) -> str:
        return self.let(f"getelementptr i8, ptr {base}, i64 {offset}")

    def read(self, ty: str, base: str, offset: int) -> str:
        return self.let(f"load {ty}, ptr {self.at(base, offset)}, align 1")

    def write(self, ty: str, value: str, base: str, offset: int) -> None:
        self.line(f"store {ty} {value}, ptr {self.at(base, offset)}, align 8")

    def space(self, words: int) -> str:
        """The address of some 8-byte words of the entry's frame."""
        start = self.words
        self.words += words
        return self.at("%words", 8 * start)

    def word(self, ty: Ty, base: str, offset: int) -> str:
        """A machine value that is kept in memory."""
        raw = self.read(memory_type(ty), base, offset)
        return self.let(f"icmp ne i8 {raw}, 0") if ty is Ty.I1 else raw

    # --- results ---

    def box(self, tree: Tree, values: list[str]) -> str:
        """A Python object (or null) from machine values, which are used up from the front."""
        if isinstance(tree, tuple):
            items = [self.box(item, values) for item in tree]
            return self.tuple(items)
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
                return self._borrowed(obj)
            case Words():
                raise TypeError("words are no result")
            case Nothing():
                return self._borrowed("@pb_none")
            case ListOf(ty):
                data, n, stride = mine[-3:]
                return self.let(f"call ptr @pb_make_list_{ty.value}(ptr {data}, i64 {n}, "
                                f"i64 {stride})")  # fmt: skip
            case NpScalar(ty):
                cell = self.space(1)
                value = self.let(f"zext i1 {mine[0]} to i8") if ty is Ty.I1 else mine[0]
                self.line(f"store {memory_type(ty)} {value}, ptr {cell}")
                descr = f"@pb_descr_{ty.value}"
                return self.let(f"call ptr @PyArray_Scalar(ptr {cell}, ptr {descr}, ptr null)")
            case ArrayOf(ty, rank):
                shape = self.space(2 * rank)
                for k, v in enumerate(mine[1:]):
                    self.write("i64", v, shape, 8 * k)
                strides = self.at(shape, 8 * rank)
                return self.let(
                    f"call ptr @pb_box_array(ptr {mine[0]}, ptr @pb_descr_{ty.value}, i64 {rank}, "
                    f"i64 {SHIFT[ty]}, ptr {shape}, ptr {strides})"
                )
            case _:
                assert_never(tree)

    def _borrowed(self, obj: str) -> str:
        self.line(f"call void @Py_IncRef(ptr {obj})")
        return obj

    def tuple(self, items: list[str]) -> str:
        """A tuple of objects, which are given away; null if one of them is."""
        place = self.space(max(len(items), 1))
        for k, item in enumerate(items):
            self.write("ptr", item, place, 8 * k)
        return self.let(f"call ptr @pb_tuple(ptr {place}, i64 {len(items)})")

    # --- the call ---

    def call(self, args: list[str]) -> list[str]:
        """Run the loop function; its results. Errors go to the block ``failed``."""
        f = self.function
        args = ["ptr %ctx" if self.needs_context else "ptr null", *args]
        spill = len(f.results) > IN_REGISTERS
        slots = ""
        if spill:
            slots = self.space(len(f.results))
            args.append(f"ptr {slots}")
        fields = result_fields(f, self.fails)
        self.called = args
        parts = self._run(args, fields)
        if self.fails:
            self.need(self.let(f"icmp eq i32 {parts.pop(0)}, 0"), "failed")
        if spill:
            parts = [self.read(LLVM[t], slots, 8 * k) for k, t in enumerate(f.results)]
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
            call = f"call fastcc {whole} {function_name(self.function.name)}({', '.join(args)})"
            parts = self.results(call, whole, fields)
        if not self.short:
            self._thread("null")
            self.line(f"call void @PyEval_RestoreThread(ptr {thread})")
        return parts

    def _thread(self, thread: str) -> None:
        """Say what gets the GIL back, for ``pb_poll``, which LLVM does not see reading it."""
        if self.needs_context:
            at = self.let(f"getelementptr i8, ptr %ctx, i64 {8 * Field.THREAD}")
            self.line(f"store volatile ptr {thread}, ptr {at}, align 8")

    def _limit_here(self) -> None:
        """No stack of our own on this machine: stay near the top of the thread's."""
        sp = self.fresh()
        for text in stack_pointer(sp):
            self.line(text)
        limit = self.let(f"sub i64 {sp}, {2 * STACK_SLACK}")
        for f in (Field.STACK_LIMIT, Field.STACK_HARD):
            self.store(f, "i64", limit)

    def _run_on_stack(self, args: list[str], fields: list[str]) -> list[str]:
        """Arguments and results go through a frame that a trampoline on the other stack reads."""
        frame = self.space(len(args) + len(fields))
        for k, arg in enumerate(args):
            ty, value = arg.split(" ", 1)
            self.write(ty, value, frame, 8 * k)
        top = self.load(Field.STACK_TOP, "i64")
        here = self.fresh()
        for text in stack_pointer(here):
            self.line(text)
        free = self.let(f"sub i64 {here}, {HOME_SLACK}")
        self.store(Field.HOME, "i64", self.let(f"and i64 {free}, -64"))
        for text in call_on_stack(global_name(f"run:{self.name}"), frame, top):
            self.line(text)
        self.store(Field.HOME, "i64", "0")
        return [self.read(ty, frame, 8 * (len(args) + k)) for k, ty in enumerate(fields)]

    def trampoline(self) -> str:
        """What calls the loop function on another stack, if that is needed."""
        args, fields = self.called, result_fields(self.function, self.fails)
        if not (self.recursive and own_stack()):
            return ""
        types = [a.split(" ", 1)[0] for a in args]
        lines = [f"define internal void {global_name(f'run:{self.name}')}(ptr %frame) noinline {{"]
        for k, ty in enumerate(types):
            lines += [f"  %a{k} = getelementptr i8, ptr %frame, i64 {8 * k}",
                      f"  %v{k} = load {ty}, ptr %a{k}, align 8"]  # fmt: skip
        whole = result_type(fields)
        text = ", ".join(f"{ty} %v{k}" for k, ty in enumerate(types))
        lines.append(f"  %r = call fastcc {whole} {function_name(self.function.name)}({text})")
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
        """A few calls after one with a long loop go to the code with less patience at once."""
        if self.out.facts.whole and self.needs_context:
            left = self.let(f"load i64, ptr {LONG_CALLS_LEFT}")
            self.need(self.let(f"icmp eq i64 {left}, 0"), "impatient")

    def _again(self) -> list[str]:
        """The call by the code with less patience."""
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
        """Take a context."""
        self.line(f"%ctx = call ptr @pb_take(i64 {int(self.recursive)})")
        self.need(self.let("icmp ne ptr %ctx, null"), "raised")

    def frame(
        self, leave: Sequence[str] = (), returned: bool = False,
        other: Sequence[str] = _NOT_IMPLEMENTED,
    ) -> str:  # fmt: skip
        """The whole function; ``leave``: what is done before each other way out; ``returned``:
        some code goes to the block of this name, to give the context back first; ``other``: how
        it ends with arguments that do not fit."""
        words = [f"  %words = alloca [{self.words} x i64], align 16"] if self.words else []
        name = global_name(entry_symbol(self.name))
        back = ["returned:", "  call void @pb_give(ptr %ctx)", "  br label %other"]
        lines = [
            f"define ptr {name}(ptr %self, ptr %args, i64 %nargs) nounwind {{",
            "entry:", *words, *self.lines, *(back if returned else []),
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
