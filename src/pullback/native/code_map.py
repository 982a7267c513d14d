"""Which machine code in memory comes from which line, and who is told of it.

Code has lines where it was compiled with trails (``core/trails.py``): by ``pb.profile``, or in a
process with ``PULLBACK_PERF=1``. There the lines are also written for other programs: the map of
``perf`` (``perf-PID.map`` in the folder for temporary files that ``perf`` looks into), and the
objects for GDB, through the interface of LLVM that GDB knows."""

from __future__ import annotations

import bisect
import ctypes
import os
import struct
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pullback.core.frozen import dataclass
from pullback.native.debug_info import FUNCTIONS
from pullback.native.line_table import LineRow, ObjectImage


@dataclass(frozen=True, slots=True)
class Code:
    """The machine code of one object, from ``start`` to ``end``, with its line table."""

    start: int
    end: int
    rows: tuple[LineRow, ...]
    offsets: tuple[int, ...]

    def row(self, address: int) -> LineRow | None:
        """Return the row of an address; what comes from no line in particular belongs to the line
        before."""
        k = bisect.bisect_right(self.offsets, address - self.start) - 1
        while k >= 0 and self.rows[k].line == 0 and self.rows[k].file:
            k -= 1
        return self.rows[k] if k >= 0 and self.rows[k].line else None


_codes: list[Code] = []


def has_lines(image: bytes) -> bool:
    """Return whether an object has a line table."""
    return b".debug_line" in image


def note_code(image: bytes, addresses: Mapping[str, int]) -> None:
    """Note where an object is in memory; ``addresses``: of some of its functions."""
    read = ObjectImage(image)
    number = read.code_section()
    known = {s.name: s for s in read.symbols if s.section == number}
    found = next(((known[n], a) for n, a in addresses.items() if n in known), None)
    if found is None:
        return
    symbol, address = found
    start = address - symbol.value
    rows = tuple(read.rows())
    made = Code(start, start + read.sections[number].size, rows, tuple(r.offset for r in rows))
    _codes.append(made)
    if os.environ.get("PULLBACK_PERF") == "1":
        _write_map(read, number, made)
        _tell_gdb(read, number, start)


def row_at(address: int) -> LineRow | None:
    """Return the line from which the code at an address comes; the newest code counts."""
    for code in reversed(_codes):
        if code.start <= address < code.end:
            return code.row(address)
    return None


# --- perf -----------------------------------------------------------------------------------------


def map_path() -> Path:
    """Return the file in which ``perf`` looks for the names of this process's code."""
    return Path(os.sep, "tmp", f"perf-{os.getpid()}.map")


def _write_map(read: ObjectImage, number: int, code: Code) -> None:
    """Write a name for each piece of code that comes from one line: the function and the line."""
    lines = []
    for s in read.symbols:
        if s.section != number or not s.size:
            continue
        start, name = s.value, _plain(s.name)
        at, shown = start, name
        for row in code.rows:
            if start <= row.offset < start + s.size:
                if row.line == 0:
                    continue
                function = FUNCTIONS.get((row.file, row.line), name)
                here = f"{function} {Path(row.file).name}:{row.line} {row.part}"
                if here != shown:
                    lines.append((at, row.offset - at, shown))
                    at, shown = row.offset, here
        lines.append((at, start + s.size - at, shown))
    text = "".join(f"{code.start + a:x} {n:x} py::{what}\n" for a, n, what in lines if n)
    with map_path().open("a", encoding="utf-8") as file:
        file.write(text)


def _plain(name: str) -> str:
    return name.removeprefix("f:")


# --- GDB ------------------------------------------------------------------------------------------

_kept: list[object] = []


class _Entry(ctypes.Structure):
    """``struct jit_code_entry`` of GDB's manual, section "JIT Interface"."""


_Entry._fields_ = [
    ("next", ctypes.POINTER(_Entry)), ("prev", ctypes.POINTER(_Entry)),
    ("image", ctypes.c_void_p), ("size", ctypes.c_uint64),
]


class _Descriptor(ctypes.Structure):
    """``struct jit_descriptor`` of the same section."""

    _fields_ = (
        ("version", ctypes.c_uint32), ("action", ctypes.c_uint32),
        ("relevant", ctypes.POINTER(_Entry)), ("first", ctypes.POINTER(_Entry)),
    )


@cache
def _interface() -> tuple[int, int] | None:
    """Return the addresses of LLVM's function and variable that GDB watches, if they are there.
    They are local symbols of llvmlite's library."""
    import llvmlite.binding.ffi as ffi  # its path is known by the library alone

    try:
        path = Path(str(ffi.lib._name if hasattr(ffi.lib, "_name") else ffi._lib_name))
        path = path if path.is_file() else Path(ffi.__file__).parent / ffi.get_library_name()
        read = _library_symbols(path)
        base = _base_of(path)
    except (OSError, ValueError, struct.error, AttributeError):
        return None
    names = ("__jit_debug_register_code", "__jit_debug_descriptor")
    if base is None or not all(n in read for n in names):
        return None
    return base + read[names[0]], base + read[names[1]]


def _library_symbols(path: Path) -> dict[str, int]:
    """Return the addresses of the two symbols in a shared library."""
    data = path.read_bytes()
    start, = struct.unpack_from("<Q", data, 40)
    size, count, _ = struct.unpack_from("<HHH", data, 58)
    out: dict[str, int] = {}
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + k * size) for k in range(count)]
    for h in headers:
        if h[1] != 2:
            continue
        texts = headers[h[6]]
        strings = data[texts[4] : texts[4] + texts[5]]
        for name in ("__jit_debug_register_code", "__jit_debug_descriptor"):
            at = strings.find(b"\0" + name.encode() + b"\0") + 1
            for k in range(h[4], h[4] + h[5], 24):
                if at and struct.unpack_from("<I", data, k)[0] == at:
                    out[name] = struct.unpack_from("<Q", data, k + 8)[0]
    return out


def _base_of(path: Path) -> int | None:
    """Return where a library begins in memory."""
    with Path("/proc/self/maps").open() as maps:
        for line in maps:
            if line.rstrip().endswith(path.name) and line.split()[2] == "00000000":
                return int(line.partition("-")[0], 16)
    return None


def _tell_gdb(read: ObjectImage, number: int, start: int) -> None:
    """Register the object with the addresses of its code, as a debugger expects it."""
    found = _interface()
    if found is None:
        return
    image = bytearray(read.image)
    struct.pack_into("<Q", image, read.sections[number].header + 16, start)
    data = (ctypes.c_char * len(image)).from_buffer(image)
    entry = _Entry(image=ctypes.addressof(data), size=len(image))
    descriptor = _Descriptor.from_address(found[1])
    entry.next = descriptor.first
    if descriptor.first:
        descriptor.first.contents.prev = ctypes.pointer(entry)
    descriptor.first = descriptor.relevant = ctypes.pointer(entry)
    descriptor.version, descriptor.action = 1, 1
    _kept.extend((image, data, entry))
    ctypes.CFUNCTYPE(None)(found[0])()


__all__ = ["Code", "has_lines", "map_path", "note_code", "row_at"]
