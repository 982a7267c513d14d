"""Write the text of entry points: functions that CPython calls as builtins (METH_FASTCALL).

An entry point checks that its arguments are of exactly the expected classes, reads them in place,
runs the loop function on a context and makes Python objects of the results. For arguments of other
classes, or of another number, it returns ``NotImplemented``: the caller then finds out what they
are."""

from __future__ import annotations

from typing import assert_never

from pullback.lower.loopcode import LoopFunction, Reg, Ty
from pullback.native import pyabi
from pullback.native.emit import ModuleText
from pullback.native.entry_base import TOGETHER, EntryBase, runs
from pullback.native.item_reads import gone_through
from pullback.native.runtime_lists import OTHER, READ
from pullback.native.runtime_objects import RECORD_SLOTS
from pullback.native.signature import (
    ArrayOf,
    ComplexOf,
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
from pullback.native.text import LLVM, SHIFT, memory_type


class EntryText(EntryBase):
    """Prints one entry point."""

    def __init__(
        self, out: ModuleText, name: str, function: LoopFunction, signature: EntrySignature,
        kind: int, absent: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(out, name, function, absent)
        self.signature = signature
        self.kind = kind
        self.before = 0  # how many machine values the leaves have that are parsed already
        taken = [x for t in signature.params for x in leaves(t)]
        self.lists = any(isinstance(x, ListOf) for x in taken)
        moved = any(isinstance(x, (ComplexOf, ListOf)) for x in taken)
        self.gone_through = gone_through(function) if moved else frozenset[Reg]()
        kept = signature.keep is not None or signature.resume is not None
        self.needs_context |= moved or kept
        self._check()

    def _check(self) -> None:
        s, f = self.signature, self.loop_function
        want = (s.resume or ()) + tree_types(s.params)
        have = tuple(p.ty for p in f.params)
        assert want == have, f"{f.name} has the parameters {have}, the signature {want}"
        gives = tree_types(s.results) + (s.keep or ())
        assert gives == f.results, f"{f.name} has the results {f.results}, the signature {gives}"

    # --- arguments ---

    def parse(self, tree: Tree, obj: str) -> list[str]:
        """Print the check of an argument. Return its machine values."""
        if isinstance(tree, tuple):
            self._exactly(obj, "pb_tuple_type")
            size = self.load("i64", obj, pyabi.TUPLE_SIZE)
            self.need(self.let(f"icmp eq i64 {size}, {len(tree)}"), "other")
            values: list[str] = []
            for item, first, n in runs(tree):
                at = pyabi.TUPLE_ITEMS + 8 * first
                if isinstance(item, PyFloat) and n >= TOGETHER:
                    values += self._parse_floats(self.at(obj, at), n)
                    continue
                for k in range(n):
                    values += self.parse(item, self.load("ptr", obj, at + 8 * k))
            return values
        self.before += len(machine_types(tree))
        return self._parse_leaf(tree, obj)

    def _parse_floats(self, items: str, n: int) -> list[str]:
        """Print one call that checks and reads many floats in a row."""
        place = len(self.signature.resume or ()) + self.before
        room = self.at(self.room, 8 * place) if self.room else self.slot("double", n)
        read = self.let(f"call i1 @pb_reals(ptr {items}, i64 {n}, ptr {room})")
        self.need(read, "other")
        values = [self.load("double", room, 8 * k) for k in range(n)]
        self.placed |= {v: place + k for k, v in enumerate(values) if self.room}
        self.before += n
        return values

    def _exactly(self, obj: str, cls: str) -> None:
        ty = self.load("ptr", obj, pyabi.OB_TYPE)
        self.need(self.let(f"icmp eq ptr {ty}, @{cls}"), "other")

    def _parse_leaf(self, leaf: Leaf, obj: str) -> list[str]:
        match leaf:
            case PyFloat():
                self._exactly(obj, "pb_float")
                return [self.load("double", obj, pyabi.FLOAT_VALUE)]
            case Words(types):
                (base,) = self._parse_leaf(Pointer(), obj)
                return [self.word(ty, base, 8 * k) for k, ty in enumerate(types)]
            case PyInt() | Pointer():
                self._exactly(obj, "pb_int")
                over = self.slot("i64", 1)
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
                return [self.word(ty, obj, pyabi.SCALAR_VALUE)]
            case ArrayOf():
                return self._parse_array(obj, leaf, SHIFT[leaf.ty])
            case ComplexOf():
                return self._parse_array(obj, leaf, 1 + SHIFT[leaf.ty])
            case ListOf():
                self._exactly(obj, "pb_list")
                n = self.load("i64", obj, pyabi.TUPLE_SIZE)
                self.need(self.let(f"icmp ne i64 {n}, 0"), "other")  # [] is of another type
                return [obj]  # read by _arguments: that takes room in a context
            case Nothing():
                self.need(self.let(f"icmp eq ptr {obj}, @pb_none"), "other")
                return []
            case _:
                assert_never(leaf)

    def _parse_array(self, obj: str, leaf: ArrayOf | ComplexOf, shift: int) -> list[str]:
        rank = leaf.rank
        view = self.slot("i64", 1 + 2 * rank)
        ok = self.let(
            f"call i1 @pb_view(ptr {obj}, ptr @{leaf.descr}, i64 {rank}, "
            f"i64 {shift}, ptr {view})"
        )
        self.need(ok, "other")
        return [view]  # read by _arguments, which may copy it first

    def _arguments(self, parsed: list[tuple[Leaf, list[str]]]) -> list[str]:
        """Return machine values with their types, of the leaves that ``parse`` has checked."""
        out: list[str] = []
        for leaf, values in parsed:
            if isinstance(leaf, ListOf):
                out += self._read_list(leaf, values[0])
                continue
            if isinstance(leaf, ComplexOf):
                place = len(self.signature.resume or ()) + len(out)
                out += self._parts(leaf, values[0], place)
                continue
            if not isinstance(leaf, ArrayOf):
                out += [f"{LLVM[t]} {v}" for t, v in zip(machine_types(leaf), values, strict=True)]
                continue
            (view,) = values
            if self.signature.keep is not None:
                ok = self.let(f"call i1 @pb_keep(ptr %ctx, ptr {view}, i64 {leaf.rank}, "
                              f"i64 {SHIFT[leaf.ty]})")  # fmt: skip
                self.need(ok, "failed")
            for k, t in enumerate(machine_types(leaf)):
                out.append(f"{LLVM[t]} {self.load(LLVM[t], view, 8 * k)}")
        return out

    def _parts(self, leaf: ComplexOf, view: str, place: int) -> list[str]:
        """Return the machine values of the parts of a complex array, with their types. ``place``:
        of the first one among the parameters."""
        types = machine_types(leaf)
        both = (self.loop_function.params[place + k] for k in (0, len(types) // 2))
        if not (leaf.adjoint or self.signature.keep is not None or
                any(p in self.gone_through for p in both)):  # fmt: skip
            return self._parts_in_place(leaf, view)
        parts = self.slot("i64", len(types))
        ok = self.let(
            f"call i1 @pb_parts(ptr %ctx, ptr {view}, i64 {leaf.rank}, i64 {SHIFT[leaf.ty]}, "
            f"i1 {int(leaf.adjoint)}, ptr {parts})"
        )
        self.need(ok, "failed")
        return [f"{LLVM[t]} {self.load(LLVM[t], parts, 8 * k)}" for k, t in enumerate(types)]

    def _parts_in_place(self, leaf: ComplexOf, view: str) -> list[str]:
        """Return the same where the parts are read one by one, as they lie."""
        data = self.load("ptr", view)
        extents, steps = (
            [self.load("i64", view, 8 * (1 + first + k)) for k in range(leaf.rank)]
            for first in (0, leaf.rank)
        )
        twice = [self.let(f"shl i64 {step}, 1") for step in steps]
        same = [f"i64 {word}" for word in (*extents, *twice)]
        imag = self.at(data, 1 << SHIFT[leaf.ty])
        return [f"ptr {data}", *same, f"ptr {imag}", *same]

    def _read_list(self, leaf: ListOf, obj: str) -> list[str]:
        view = self.slot("i64", 3)
        read = f"@pb_read_list_{leaf.ty.value}"
        status = self.let(f"call i32 {read}(ptr %ctx, ptr {obj}, ptr {view})")
        self.need(self.let(f"icmp ne i32 {status}, {OTHER}"), "returned")
        self.need(self.let(f"icmp eq i32 {status}, {READ}"), "failed")
        pointer, extent, stride = (self.load(t, view, 8 * k) for k, t in enumerate(
            ("ptr", "i64", "i64")))  # fmt: skip
        counted = [f"i64 {extent}"] if leaf.counted else []
        return [*counted, f"ptr {pointer}", f"i64 {extent}", f"i64 {stride}"]

    def text(self) -> str:
        """Return the entry point, and its trampoline if it has one."""
        s = self.signature
        first = 1 if s.resume is not None else 0
        self.maybe_again()
        if s.resume is None:
            self.still_compiled()
        count = self.let(f"icmp eq i64 %nargs, {len(s.params) + first}")
        self.need(count, "other")
        parsed: list[tuple[Leaf, list[str]]] = []
        for k, tree in enumerate(s.params):
            obj = self.load("ptr", "%args", 8 * (k + first))
            values = self.parse(tree, obj)
            for leaf in leaves(tree):
                viewed = isinstance(leaf, (ArrayOf, ComplexOf, ListOf))
                n = 1 if viewed else len(machine_types(leaf))
                parsed.append((leaf, values[:n]))
                values = values[n:]
        resumed = self._open()
        args = resumed + self._arguments(parsed)
        obj = self._close(self.run(args))
        self.line(f"ret ptr {obj}")
        return self.trampoline() + self.frame(returned=self.lists)

    def _open(self) -> list[str]:
        """Print the code that takes a context. Return the values that come from a residual object,
        with their types."""
        if not self.needs_context:
            return []
        resume = self.signature.resume
        if resume is not None:
            capsule = self.load("ptr", "%args", 0)
            record = self.let(f"call ptr @pb_resume(ptr {capsule}, i64 {self.kind})")
            self.need(self.let(f"icmp ne ptr {record}, null"), "raised")
        self.take()
        if resume is None:
            return []
        self.out.support.add("pb.cells")
        cells = self.load("i64", record, 8)
        got = self.let(f"call fastcc i64 @pb.cells(ptr %ctx, i64 {cells})")
        self.need(self.let(f"icmp sge i64 {got}, 0"), "failed")
        values = []
        for k, ty in enumerate(resume):
            raw = self.load(memory_type(ty), record, RECORD_SLOTS + 8 * k)
            value = self.let(f"icmp ne i8 {raw}, 0") if ty is Ty.I1 else raw
            values.append(f"{LLVM[ty]} {value}")
        return values

    def _close(self, results: list[str]) -> str:
        """Print the code that makes Python objects of the results and gives the context back."""
        s = self.signature
        obj = self.box(s.results, results)
        if s.keep is not None:
            slots = self.spilled(s.keep, results)
            held = self.let(f"call ptr @pb_hold(ptr %ctx, i64 {self.kind}, i64 {len(s.keep)}, "
                            f"ptr {slots})")  # fmt: skip
            obj = self.tuple([obj, held])
        elif self.needs_context:
            self.line("call void @pb_give(ptr %ctx)")
        return obj
