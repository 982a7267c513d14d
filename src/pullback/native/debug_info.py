"""The lines of the user's source in LLVM text, as DWARF 4: for profilers and debuggers.

A function of a module is a subprogram; each of its instructions has a location. Columns tell the
parts of a derivative apart: those of the reverse sweep are moved by ``REVERSE``, those of what is
computed again by ``AGAIN`` (``core/trails.py``)."""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.terms import Site
from pullback.core.trails import Sweep, Trail

REVERSE, AGAIN = 10_000, 20_000
"""What is added to columns."""

_SHIFTS = {Sweep.FORWARD: 0, Sweep.REVERSE: REVERSE, Sweep.AGAIN: AGAIN}
_FIRST = 1000  # the numbers below are those of other metadata

FUNCTIONS: dict[tuple[str, int], str] = {}
"""The names of the user's functions at the lines that were written, for those who read the lines
back from machine code."""

Marks = Sequence[tuple[int, Site | None]]


class DebugInfo:
    """The metadata of one module."""

    def __init__(self) -> None:
        self.nodes: list[str] = []
        self.known: dict[str, int] = {}
        self.unit = self._node("")  # written when the first file is known

    def _node(self, text: str) -> int:
        if text and text in self.known:
            return self.known[text]
        number = _FIRST + len(self.nodes)
        self.nodes.append(text)
        if text:
            self.known[text] = number
        return number

    def _file(self, name: str) -> int:
        return self._node(f'!DIFile(filename: {_quoted(name)}, directory: "")')

    def located(self, name: str, head: str, lines: list[str], marks: Marks) -> str:
        """Write the locations of a function into its lines, and return its head with the
        subprogram. ``marks``: from which index on the lines come from a place."""
        first = next((site for _, site in marks if site is not None), None)
        if first is None:
            return head
        file, kind = self._file(first.file), self._node("!DISubroutineType(types: !{})")
        shown = first.function if name in ("main", "entry") else f"{first.function}.{name}"
        program = self._node(
            f"distinct !DISubprogram(name: {_quoted(shown)}, scope: !{file}, file: !{file}, "
            f"line: {first.line}, type: !{kind}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{self.unit})")
        if not self.nodes[0]:
            self.nodes[0] = (
                f'distinct !DICompileUnit(language: DW_LANG_Python, file: !{file}, '
                f'producer: "Pullback", isOptimized: true, runtimeVersion: 0, '
                f"emissionKind: FullDebug)")
        place, at = first, 0
        for k, line in enumerate(lines):
            while at < len(marks) and marks[at][0] <= k:
                place, at = marks[at][1] or place, at + 1
            if line.startswith("  "):
                lines[k] = f"{line}, !dbg !{self._location(place, program, file)}"
        return head.removesuffix("{") + f"!dbg !{program} {{"

    def _location(self, site: Site, program: int, file: int) -> int:
        own, scope = self._file(site.file), program
        if own != file:
            scope = self._node(
                f"!DILexicalBlockFile(scope: !{program}, file: !{own}, discriminator: 0)")
        sweep = site.sweep if isinstance(site, Trail) else Sweep.FORWARD
        FUNCTIONS[site.file, site.line] = site.function
        column = min(site.col + 1, REVERSE - 1) + _SHIFTS[sweep]
        return self._node(f"!DILocation(line: {site.line}, column: {column}, scope: !{scope})")

    def text(self) -> str:
        """Return the metadata, to be written at the end of the module."""
        if not self.nodes[0]:
            return ""
        flags = [self._node('!{i32 2, !"Debug Info Version", i32 3}'),
                 self._node('!{i32 2, !"Dwarf Version", i32 4}')]  # fmt: skip
        named = [f"!llvm.dbg.cu = !{{!{self.unit}}}",
                 f"!llvm.module.flags = !{{{', '.join(f'!{k}' for k in flags)}}}"]  # fmt: skip
        return "\n".join([*named, *(f"!{_FIRST + k} = {x}" for k, x in enumerate(self.nodes)), ""])


def _quoted(text: str) -> str:
    """Return a text as LLVM writes it."""
    inside = "".join(
        chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}"
        for b in text.encode("utf-8", "replace"))
    return f'"{inside}"'


__all__ = ["AGAIN", "FUNCTIONS", "REVERSE", "DebugInfo"]
