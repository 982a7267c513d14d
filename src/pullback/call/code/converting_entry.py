"""Entry points that convert data themselves: lists of lists, dicts, records, trees.

Everything happens in one builtin: the arguments are converted by the functions of their layouts
(``encode``), the loop function is called with the words of their blocks, and what it gives becomes
the user's own objects (``decoder``, ``results``). Where an argument is not what its layout says,
the builtin returns ``NotImplemented``, or the result of the general call (``native.builtin``)."""

from __future__ import annotations

from pullback.call.code.conversion import Conversion, Raw, block_functions
from pullback.core.frozen import dataclass
from pullback.lower.loopcode import LoopFunction, Ty
from pullback.native import Tree, blocks
from pullback.native.emit import ModuleText
from pullback.native.entry_base import EntryBase
from pullback.native.text import LLVM

Out = str | tuple["Out", ...]
"""What is returned: "value", "gradients", "last", "tangent", or a tuple."""


@dataclass(frozen=True, slots=True)
class Made:
    """The conversion that makes an object of the last results, and their machine types."""

    conversion: Conversion
    types: tuple[Ty, ...]


@dataclass(frozen=True, slots=True)
class RouteSignature:
    """The signature of an entry point that converts data.

    arguments  their conversions
    tangents   how many of them are given with a tangent (those come after the arguments)
    cells      whether the number of their cells is the last parameter of the loop function
    value      the tree of the first results
    gradients  of which arguments, with the machine values of the cotangents by value, which come
               next (and then the cells, if there are any)
    last       of the last results the tree, or what makes them
    out        how these are put together
    """

    arguments: tuple[Conversion, ...]
    cells: bool
    out: Out
    value: Tree | None = None
    gradients: tuple[tuple[int, tuple[Ty, ...]], ...] = ()
    alone: bool = False
    last: Tree | Made | None = None
    tangents: int = 0

    def raws(self) -> dict[str, Raw]:
        """The functions that are called, by symbol."""
        found = {f"pb_encode_{k}": c.encode_raw for k, c in enumerate(self.arguments)}
        for k, _ in self.gradients:
            found[f"pb_gradient_{k}"] = self.arguments[k].gradient_raw
        if isinstance(self.last, Made):
            found["pb_made"] = self.last.conversion.result_raw
            if self.tangents:
                found["pb_made_tangent"] = self.last.conversion.result_tangent_raw
        return found

    def told(self) -> str:
        """Return a text of all that the text of the entry point depends on."""
        last: object = self.last
        if isinstance(self.last, Made):
            last = self.last.conversion.layout.told(), self.last.types
        layouts = [c.layout.told() for c in self.arguments]
        rest = self.cells, self.out, self.value, self.gradients, self.alone, self.tangents
        return repr((layouts, rest, last))

    def symbols(self) -> dict[str, int]:
        """The addresses that the text mentions."""
        return {**block_functions(), **{name: r.address for name, r in self.raws().items()}}

    def declarations(self) -> str:
        """The declarations of these functions."""
        kinds = {
            "pb_encode": ("i1", "ptr, ptr, i64, i64, ptr"), "pb_gradient": ("ptr", "ptr, ptr, ptr")
        }  # fmt: skip
        lines = ["declare void @pb_blocks_clear(ptr, i64)"]
        for name in self.raws():
            ret, params = kinds.get(name.rpartition("_")[0], ("ptr", "ptr, ptr, ptr, ptr"))
            lines.append(f"declare {ret} @{name}({params})")
        return "\n".join([*lines, ""])

    def printer(
        self, out: ModuleText, name: str, function: LoopFunction, absent: bool
    ) -> RouteText:
        """The printer of the entry point."""
        return RouteText(out, name, function, self, absent)


_GENERAL = ("  %given = call ptr @pb_other(ptr %self, ptr %args, i64 %nargs)", "  ret ptr %given")


class RouteText(EntryBase):
    """Prints one such entry point."""

    def __init__(
        self, out: ModuleText, name: str, function: LoopFunction, signature: RouteSignature,
        absent: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(out, name, function, absent)
        self.signature = signature

    def text(self) -> str:
        """The entry point (and its trampoline, if it has one)."""
        s = self.signature
        self.blocks = self.slot("i64", len(s.arguments))
        for k in range(len(s.arguments)):
            self.store("ptr", "null", self.blocks, 8 * k)
        self.still_compiled()
        self.maybe_again()
        count = len(s.arguments) + s.tangents
        self.need(self.let(f"icmp eq i64 %nargs, {count}"), "other")
        args, cells = self._converted()
        if s.cells:
            args.append(f"i64 {cells}")
        if self.needs_context:
            self.take()
        obj = self._object(self.run(args))
        if self.needs_context:
            self.line("call void @pb_give(ptr %ctx)")
        for text in self._leave():
            self.line(text.strip())
        self.line(f"ret ptr {obj}")
        return self.trampoline() + self.frame(self._leave(), other=_GENERAL)

    def _leave(self) -> list[str]:
        n = len(self.signature.arguments)
        return [f"  call void @pb_blocks_clear(ptr {self.blocks}, i64 {n})"]

    def _converted(self) -> tuple[list[str], str]:
        """The words of all arguments and then of all tangents, and the number of cells."""
        s, cells = self.signature, "0"
        args: list[str] = []
        beside: list[str] = []
        for k, conversion in enumerate(s.arguments):
            obj = self.load("ptr", "%args", 8 * k)
            tangent = "@pb_none"
            if k < s.tangents:
                tangent = self.load("ptr", "%args", 8 * (len(s.arguments) + k))
            block = self.slot("i64", blocks.WORDS // 8 + conversion.layout.block_words())
            words = f"ptr {block}, ptr {obj}, i64 {cells}, i64 0, ptr {tangent}"
            self.need(self.let(f"call i1 @pb_encode_{k}({words})"), "other")
            self.store("ptr", block, self.blocks, 8 * k)
            cells = self.load("i64", block, blocks.CELLS)
            args += self._words(block, 0, conversion.words)
            beside += self._words(block, len(conversion.words), conversion.tangent_words)
        return args + beside, cells

    def _words(self, block: str, first: int, types: tuple[Ty, ...]) -> list[str]:
        return [
            f"{LLVM[ty]} {self.word(ty, block, blocks.WORDS + 8 * (first + k))}"
            for k, ty in enumerate(types)
        ]

    def _object(self, results: list[str]) -> str:
        s = self.signature
        parts: dict[str, str] = {}
        if s.value is not None:
            parts["value"] = self.box(s.value, results)
        by_value = [[results.pop(0) for _ in types] for _, types in s.gradients]
        cells = "null"
        if s.cells:
            cells, _, _ = (results.pop(0) for _ in range(3))
        made = [self._gradient(k, types, given, cells)
                for (k, types), given in zip(s.gradients, by_value, strict=True)]  # fmt: skip
        if made:
            parts["gradients"] = made[0] if s.alone else self.tuple(made)
        match s.last:
            case Made(conversion, types):
                slots = self.spilled(types, results)
                beside = self.at(slots, 8 * len(conversion.words))
                given = f"(ptr {slots}, ptr {beside}, ptr null, ptr null)"
                parts["last"] = self.let(f"call ptr @pb_made{given}")
                if s.tangents:
                    parts["tangent"] = self.let(f"call ptr @pb_made_tangent{given}")
            case None:
                pass
            case tree:
                parts["last"] = self.box(tree, results)
        return self._together(s.out, parts)

    def _together(self, out: Out, parts: dict[str, str]) -> str:
        if isinstance(out, str):
            return parts[out]
        return self.tuple([self._together(x, parts) for x in out])

    def _gradient(self, k: int, types: tuple[Ty, ...], given: list[str], cells: str) -> str:
        block = self.load("ptr", self.blocks, 8 * k)
        slots = self.spilled(types, given)
        return self.let(
            f"call ptr @pb_gradient_{k}(ptr {block}, ptr {cells}, ptr {slots})"
        )
