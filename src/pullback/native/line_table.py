"""Read from an object file which machine code comes from which line: ELF, and DWARF's line program.

Only what LLVM writes for ``debug_info`` is read: little-endian ELF64, DWARF 4, one unit."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from pullback.core.frozen import dataclass, field
from pullback.native.debug_info import AGAIN, REVERSE

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
FUNCTION, GLOBAL = 2, 1


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an object: its name, where its header and its bytes are."""

    name: str
    header: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function in an object: its section, its offset there, and its size."""

    name: str
    section: int
    value: int
    size: int


@dataclass(frozen=True, slots=True)
class LineRow:
    """From this offset on the code comes from this line; ``part``: "forward", "again" or
    "reverse". Line 0: from none in particular."""

    offset: int
    file: str
    line: int
    part: str


@dataclass(slots=True)
class ObjectImage:
    """An object file: its sections, its functions and the rows of its line table, by offset."""

    image: bytes
    sections: list[Section] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)

    def __post_init__(self) -> None:
        start, size, count, names = (
            struct.unpack_from("<Q", self.image, 40)[0],
            *struct.unpack_from("<HHH", self.image, 58))
        raw = [_SECTION.unpack_from(self.image, start + k * size) for k in range(count)]
        texts = raw[names][4]
        for k, s in enumerate(raw):
            name = _string(self.image, texts + s[0])
            self.sections.append(Section(name, start + k * size, s[4], s[5]))
        for s in raw:
            if s[1] == 2:  # the table of symbols
                self._read_symbols(s[4], s[5], raw[s[6]][4])

    def _read_symbols(self, offset: int, size: int, texts: int) -> None:
        for at in range(offset, offset + size, _SYMBOL.size):
            name, info, _, section, value, length = _SYMBOL.unpack_from(self.image, at)
            if info & 15 == FUNCTION and 0 < section < len(self.sections):
                shown = _string(self.image, texts + name)
                self.symbols.append(Symbol(shown, section, value, length))

    def section(self, name: str) -> Section | None:
        """Return the section of a name."""
        return next((s for s in self.sections if s.name == name), None)

    def code_section(self) -> int:
        """Return the number of the section that has most of the functions."""
        numbers = [s.section for s in self.symbols]
        return max(set(numbers), key=numbers.count)

    def rows(self) -> list[LineRow]:
        """Return the line table."""
        lines, moved = self.section(".debug_line"), self.section(".rela.debug_line")
        if lines is None or moved is None:
            return []
        places = {
            offset: addend for offset, _, addend in _RELOCATION.iter_unpack(
                self.image[moved.offset : moved.offset + moved.size])}
        data = self.image[lines.offset : lines.offset + lines.size]
        return sorted(_run(data, places), key=lambda row: row.offset)


def _string(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("utf-8", "replace")


class _Reader:
    """Numbers from bytes, one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def unsigned(self) -> int:
        """A ULEB128."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self) -> int:
        """An SLEB128."""
        start = self.at
        value = self.unsigned()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def text(self) -> str:
        found = _string(self.data, self.at)
        self.at = self.data.index(b"\0", self.at) + 1
        return found


def _run(data: bytes, places: dict[int, int]) -> Iterator[LineRow]:
    """Run the line program (DWARF 4, section 6.2)."""
    length, version, header = struct.unpack_from("<IHI", data)
    assert version == 4, version
    least, _, _, base, span, first = struct.unpack_from("<BBBbBB", data, 10)
    r = _Reader(data, 16)
    counts = [r.byte() for _ in range(first - 1)]
    files = _files(r)
    r.at, end = 10 + header, 4 + length
    address, file, line, column = 0, 1, 1, 0

    def row() -> LineRow:
        part = "again" if column >= AGAIN else "reverse" if column >= REVERSE else "forward"
        return LineRow(address, files[file - 1], line, part)

    while r.at < end:
        code = r.byte()
        if code >= first:
            address += (code - first) // span * least
            line += base + (code - first) % span
            yield row()
        elif code == 0:
            size = r.unsigned()
            start = r.at
            what = r.byte()
            if what == 1:  # the end of a sequence
                yield LineRow(address, "", 0, "forward")
                address, file, line, column = 0, 1, 1, 0
            elif what == 2:
                address = places[r.at]
            r.at = start + size
        elif code == 1:
            yield row()
        elif code == 2:
            address += r.unsigned() * least
        elif code == 3:
            line += r.signed()
        elif code == 4:
            file = r.unsigned()
        elif code == 5:
            column = r.unsigned()
        elif code == 8:
            address += (255 - first) // span * least
        elif code == 9:
            address += struct.unpack_from("<H", data, r.at)[0]
            r.at += 2
        else:
            for _ in range(counts[code - 1]):
                r.unsigned()


def _files(r: _Reader) -> list[str]:
    folders = [""]
    while name := r.text():
        folders.append(name)
    out = []
    while name := r.text():
        folder = folders[r.unsigned()]
        r.unsigned(), r.unsigned()
        out.append(f"{folder}/{name}" if folder else name)
    return out


__all__ = ["LineRow", "ObjectImage", "Section", "Symbol"]
