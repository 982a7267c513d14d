"""Entry points: the text of functions that CPython calls as builtins (METH_FASTCALL).

An entry point looks at the types of its arguments (exactly), reads them in place, runs the loop
function on a context of its own and boxes the results. Arguments of other types, or of another
number, give ``NotImplemented``: the caller then finds out what they are. The GIL is released while
the function runs unless that is over in no time."""

from __future__ import annotations

from typing import assert_never

from pullback.lower.loopcode import LoopFunction, Ty
from pullback.native import pyabi
from pullback.native.control import IN_REGISTERS, result_fields, result_type
from pullback.native.emit import ModuleText
from pullback.native.layout import STACK_SLACK, Field, load_field, store_field
from pullback.native.runtime_ir import RUNTIME_FUNCTIONS
from pullback.native.runtime_lists import OTHER, READ
from pullback.native.runtime_objects import RECORD_SLOTS
from pullback.native.signature import (
    ArrayOf,
    EntrySignature,
    Leaf,
    ListOf,
    Nothing,
    NpScalar,
    Pointer,
    PyBool,
    PyFloat,
    PyInt,
    Tree,
    Words,
    leaves,
    machine_types,
    tree_types,
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


def entry_symbol(name: str) -> str:
    """The symbol of the entry point called ``name``; the prefix keeps it off library names."""
    return f"entry:{name}"


def declarations() -> str:
    """What entry points call, once per module."""
    return _DECLARATIONS


class EntryText:
    """Prints one entry point."""

    def __init__(
        self, out: ModuleText, name: str, function: LoopFunction, signature: EntrySignature,
        kind: int,
    ) -> None:  # fmt: skip
        self.out = out
        self.name = name
        self.function = function
        self.signature = signature
        self.kind = kind
        facts = out.facts
        self.fails = function.name in facts.may_fail
        self.recursive = bool(facts.recursive & (facts.callees[function.name] | {function.name}))
        self.lists = any(isinstance(x, ListOf) for t in signature.params for x in leaves(t))
        self.needs_context = (
            self.lists
            or function.name in facts.uses_context
            or signature.keep is not None
            or signature.resume is not None
        )
        self.short = facts.cost[function.name] < SHORT
        self.lines: list[str] = []
        self.count = 0
        self.words = 0
        self._check()

    def _check(self) -> None:
        s, f = self.signature, self.function
        want = (s.resume or ()) + tree_types(s.params)
        have = tuple(p.ty for p in f.params)
        assert want == have, f"{f.name} has the parameters {have}, the signature {want}"
        gives = tree_types(s.results) + (s.keep or ())
        assert gives == f.results, f"{f.name} has the results {f.results}, the signature {gives}"

    # --- small helpers ---

    def fresh(self) -> str:
        self.count += 1
        return f"%e{self.count}"

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def let(self, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def need(self, cond: str, otherwise: str) -> None:
        """Go on if ``cond``, else to the block ``otherwise``."""
        self.count += 1
        self.line(f"br i1 {cond}, label %go{self.count}, label %{otherwise}, !prof !6")
        self.lines.append(f"go{self.count}:")

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

    # --- arguments ---

    def parse(self, tree: Tree, obj: str) -> list[str]:
        """Check an argument; its machine values."""
        if isinstance(tree, tuple):
            self._exactly(obj, "pb_tuple_type")
            n = self.read("i64", obj, pyabi.TUPLE_SIZE)
            self.need(self.let(f"icmp eq i64 {n}, {len(tree)}"), "other")
            values: list[str] = []
            for k, item in enumerate(tree):
                inner = self.read("ptr", obj, pyabi.TUPLE_ITEMS + 8 * k)
                values += self.parse(item, inner)
            return values
        return self._parse_leaf(tree, obj)

    def _exactly(self, obj: str, cls: str) -> None:
        ty = self.read("ptr", obj, pyabi.OB_TYPE)
        self.need(self.let(f"icmp eq ptr {ty}, @{cls}"), "other")

    def _parse_leaf(self, leaf: Leaf, obj: str) -> list[str]:
        match leaf:
            case PyFloat():
                self._exactly(obj, "pb_float")
                return [self.read("double", obj, pyabi.FLOAT_VALUE)]
            case Words(types):
                (base,) = self._parse_leaf(Pointer(), obj)
                return [self._word(ty, base, 8 * k) for k, ty in enumerate(types)]
            case PyInt() | Pointer():
                self._exactly(obj, "pb_int")
                over = self.space(1)
                n = self.let(f"call i64 @PyLong_AsLongLongAndOverflow(ptr {obj}, ptr {over})")
                overflow = self.let(f"load i32, ptr {over}")
                self.need(self.let(f"icmp eq i32 {overflow}, 0"), "other")
                return [self.let(f"inttoptr i64 {n} to ptr") if isinstance(leaf, Pointer) else n]
            case PyBool():
                yes = self.let(f"icmp eq ptr {obj}, @pb_true")
                no = self.let(f"icmp eq ptr {obj}, @pb_false")
                self.need(self.let(f"or i1 {yes}, {no}"), "other")
                return [yes]
            case NpScalar(ty):
                self._exactly(obj, f"pb_np_{ty.value}")
                return [self._word(ty, obj, pyabi.SCALAR_VALUE)]
            case ArrayOf(ty, rank):
                return self._parse_array(obj, ty, rank)
            case ListOf():
                self._exactly(obj, "pb_list")
                n = self.read("i64", obj, pyabi.TUPLE_SIZE)
                self.need(self.let(f"icmp ne i64 {n}, 0"), "other")  # [] is of another type
                return [obj]  # read by _arguments: that takes room in a context
            case Nothing():
                self.need(self.let(f"icmp eq ptr {obj}, @pb_none"), "other")
                return []
            case _:
                assert_never(leaf)

    def _word(self, ty: Ty, base: str, offset: int) -> str:
        raw = self.read(memory_type(ty), base, offset)
        return self.let(f"icmp ne i8 {raw}, 0") if ty is Ty.I1 else raw

    def _parse_array(self, obj: str, ty: Ty, rank: int) -> list[str]:
        view = self.space(1 + 2 * rank)
        ok = self.let(
            f"call i1 @pb_view(ptr {obj}, ptr @pb_descr_{ty.value}, i64 {rank}, "
            f"i64 {SHIFT[ty]}, ptr {view})"
        )
        self.need(ok, "other")
        return [view]  # read by _arguments, after it may have been copied

    def _arguments(self, parsed: list[tuple[Leaf, list[str]]]) -> list[str]:
        """Machine values with their types, from the parsed leaves."""
        out: list[str] = []
        for leaf, values in parsed:
            if isinstance(leaf, ListOf):
                out += self._read_list(leaf, values[0])
                continue
            if not isinstance(leaf, ArrayOf):
                out += [f"{LLVM[t]} {v}" for t, v in zip(machine_types(leaf), values)]
                continue
            (view,) = values
            if self.signature.keep is not None:
                ok = self.let(f"call i1 @pb_keep(ptr %ctx, ptr {view}, i64 {leaf.rank}, "
                              f"i64 {SHIFT[leaf.ty]})")  # fmt: skip
                self.need(ok, "failed")
            for k, t in enumerate(machine_types(leaf)):
                out.append(f"{LLVM[t]} {self.read(LLVM[t], view, 8 * k)}")
        return out

    def _read_list(self, leaf: ListOf, obj: str) -> list[str]:
        view = self.space(3)
        read = f"@pb_read_list_{leaf.ty.value}"
        status = self.let(f"call i32 {read}(ptr %ctx, ptr {obj}, ptr {view})")
        self.need(self.let(f"icmp ne i32 {status}, {OTHER}"), "returned")
        self.need(self.let(f"icmp eq i32 {status}, {READ}"), "failed")
        pointer, extent, stride = (self.read(t, view, 8 * k) for k, t in enumerate(
            ("ptr", "i64", "i64")))  # fmt: skip
        counted = [f"i64 {extent}"] if leaf.counted else []
        return [*counted, f"ptr {pointer}", f"i64 {extent}", f"i64 {stride}"]

    # --- results ---

    def box(self, tree: Tree, values: list[str]) -> str:
        """A Python object (or null) from machine values, which are used up from the front."""
        if isinstance(tree, tuple):
            items = [self.box(item, values) for item in tree]
            return self._tuple(items)
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

    def _tuple(self, items: list[str]) -> str:
        place = self.space(max(len(items), 1))
        for k, item in enumerate(items):
            self.write("ptr", item, place, 8 * k)
        return self.let(f"call ptr @pb_tuple(ptr {place}, i64 {len(items)})")

    # --- the call ---

    def _call(self, args: list[str]) -> list[str]:
        """Run the loop function; its results. Errors go to the block ``failed``."""
        f = self.function
        args = ["ptr %ctx" if self.needs_context else "ptr null", *args]
        spill = len(f.results) > IN_REGISTERS
        slots = ""
        if spill:
            slots = self.space(len(f.results))
            args.append(f"ptr {slots}")
        fields = result_fields(f, self.fails)
        parts = self._run(args, fields)
        if self.fails:
            self.need(self.let(f"icmp eq i32 {parts.pop(0)}, 0"), "failed")
        if spill:
            parts = [self.read(LLVM[t], slots, 8 * k) for k, t in enumerate(f.results)]
        return parts

    def _run(self, args: list[str], fields: list[str]) -> list[str]:
        if not self.short:
            thread = self.let("call ptr @PyEval_SaveThread()")
            if self.needs_context:  # pb_poll takes the GIL and may change it
                self._set(Field.THREAD, "ptr", thread)
        whole = result_type(fields)
        if self.recursive and own_stack():
            parts = self._run_on_stack(args, fields)
        else:
            if self.recursive:
                self._limit_here()
            call = f"call fastcc {whole} {function_name(self.function.name)}({', '.join(args)})"
            if not fields:
                self.line(call)
                parts = []
            elif len(fields) == 1:
                parts = [self.let(call)]
            else:
                r = self.let(call)
                parts = [self.let(f"extractvalue {whole} {r}, {k}") for k in range(len(fields))]
        if not self.short:
            if self.needs_context:
                thread = self._get(Field.THREAD, "ptr")
            self.line(f"call void @PyEval_RestoreThread(ptr {thread})")
        return parts

    def _get(self, f: Field, ty: str) -> str:
        name = self.fresh()
        for text in load_field(f, name, ty):
            self.line(text)
        return name

    def _set(self, f: Field, ty: str, value: str) -> None:
        for text in store_field(f, self.fresh(), ty, value):
            self.line(text)

    def _limit_here(self) -> None:
        """No stack of our own on this machine: stay near the top of the thread's."""
        sp = self.fresh()
        for text in stack_pointer(sp):
            self.line(text)
        limit = self.let(f"sub i64 {sp}, {2 * STACK_SLACK}")
        for f in (Field.STACK_LIMIT, Field.STACK_HARD):
            self._set(f, "i64", limit)

    def _run_on_stack(self, args: list[str], fields: list[str]) -> list[str]:
        """Arguments and results go through a frame that a trampoline on the other stack reads."""
        frame = self.space(len(args) + len(fields))
        for k, arg in enumerate(args):
            ty, value = arg.split(" ", 1)
            self.write(ty, value, frame, 8 * k)
        top = self._get(Field.STACK_TOP, "i64")
        for text in call_on_stack(global_name(f"run:{self.name}"), frame, top):
            self.line(text)
        return [self.read(ty, frame, 8 * (len(args) + k)) for k, ty in enumerate(fields)]

    def _trampoline(self, args: list[str], fields: list[str]) -> str:
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

    def text(self) -> str:
        """The entry point (and its trampoline, if it has one)."""
        s = self.signature
        first = 1 if s.resume is not None else 0
        count = self.let(f"icmp eq i64 %nargs, {len(s.params) + first}")
        self.need(count, "other")
        parsed: list[tuple[Leaf, list[str]]] = []
        for k, tree in enumerate(s.params):
            obj = self.read("ptr", "%args", 8 * (k + first))
            values = self.parse(tree, obj)
            for leaf in leaves(tree):
                n = 1 if isinstance(leaf, ArrayOf | ListOf) else len(machine_types(leaf))
                parsed.append((leaf, values[:n]))
                values = values[n:]
        resumed = self._open()
        args = resumed + self._arguments(parsed)
        call_args = ["ptr %ctx", *args]
        results = self._call(args)
        obj = self._close(results)
        self.line(f"ret ptr {obj}")
        if len(self.function.results) > IN_REGISTERS:
            call_args.append("ptr slots")
        tail = self._trampoline(call_args, result_fields(self.function, self.fails))
        return tail + self._frame()

    def _open(self) -> list[str]:
        """Take a context; values taken from a residual object, with their types."""
        if not self.needs_context:
            return []
        resume = self.signature.resume
        if resume is not None:
            capsule = self.read("ptr", "%args", 0)
            record = self.let(f"call ptr @pb_resume(ptr {capsule}, i64 {self.kind})")
            self.need(self.let(f"icmp ne ptr {record}, null"), "raised")
        self.line(f"%ctx = call ptr @pb_take(i64 {int(self.recursive)})")
        self.need(self.let("icmp ne ptr %ctx, null"), "raised")
        if resume is None:
            return []
        self.out.support.add("pb.cells")
        cells = self.read("i64", record, 8)
        got = self.let(f"call fastcc i64 @pb.cells(ptr %ctx, i64 {cells})")
        self.need(self.let(f"icmp sge i64 {got}, 0"), "failed")
        values = []
        for k, ty in enumerate(resume):
            raw = self.read(memory_type(ty), record, RECORD_SLOTS + 8 * k)
            value = self.let(f"icmp ne i8 {raw}, 0") if ty is Ty.I1 else raw
            values.append(f"{LLVM[ty]} {value}")
        return values

    def _close(self, results: list[str]) -> str:
        """Box the results and give the context back."""
        s = self.signature
        obj = self.box(s.results, results)
        if s.keep is not None:
            slots = self.space(max(len(s.keep), 1))
            for k, (ty, value) in enumerate(zip(s.keep, results)):
                if ty is Ty.I1:
                    value = self.let(f"zext i1 {value} to i8")
                self.write(memory_type(ty), value, slots, 8 * k)
            held = self.let(f"call ptr @pb_hold(ptr %ctx, i64 {self.kind}, i64 {len(s.keep)}, "
                            f"ptr {slots})")  # fmt: skip
            obj = self._tuple([obj, held])
        elif self.needs_context:
            self.line("call void @pb_give(ptr %ctx)")
        return obj

    def _frame(self) -> str:
        words = [f"  %words = alloca [{self.words} x i64], align 16"] if self.words else []
        name = global_name(entry_symbol(self.name))
        returned = ["returned:", "  call void @pb_give(ptr %ctx)", "  br label %other"]
        lines = [
            f"define ptr {name}(ptr %self, ptr %args, i64 %nargs) nounwind {{",
            "entry:", *words, *self.lines, *(returned if self.lists else []),
            "other:",
            "  call void @Py_IncRef(ptr @pb_not_implemented)",
            "  ret ptr @pb_not_implemented",
        ]  # fmt: skip
        if self.needs_context:
            lines += [
                "failed:",
                "  %error = call ptr @pb_error(ptr %self, ptr %ctx)",
                "  call void @pb_give(ptr %ctx)",
                "  ret ptr null",
                "raised:",
                "  ret ptr null",
            ]
        return "\n".join([*lines, "}", ""])



