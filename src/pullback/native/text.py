"""Write machine types and constants as LLVM text."""

from __future__ import annotations

import re
import struct

from pullback.core.template import splat, vector
from pullback.lower.loopcode import Imm, Ty

LLVM: dict[Ty, str] = {
    Ty.F64: "double", Ty.F32: "float", Ty.I64: "i64", Ty.I32: "i32", Ty.I16: "i16", Ty.I8: "i8",
    Ty.I1: "i1", Ty.PTR: "ptr",
}  # fmt: skip
SIZE: dict[Ty, int] = {Ty.F64: 8, Ty.F32: 4, Ty.I64: 8, Ty.I32: 4, Ty.I16: 2, Ty.I8: 1,
                       Ty.I1: 1, Ty.PTR: 8}  # fmt: skip
SHIFT: dict[Ty, int] = {Ty.F64: 3, Ty.F32: 2, Ty.I64: 3, Ty.I32: 2, Ty.I16: 1, Ty.I8: 0,
                        Ty.I1: 0, Ty.PTR: 3}  # fmt: skip

_PLAIN = re.compile(r"[A-Za-z_.$][\w.$-]*\Z")


def llvm_type(ty: Ty, lanes: int = 1) -> str:
    """Return ``double``, or ``<8 x double>``."""
    return vector(LLVM[ty], lanes)


def memory_type(ty: Ty, lanes: int = 1) -> str:
    """Return the type of an element in memory, where truth values are bytes."""
    return vector("i8" if ty is Ty.I1 else LLVM[ty], lanes)


def real_constant(value: float, single: bool = False) -> str:
    """Return a floating-point constant, exactly (LLVM writes a float as the double of the same
    value)."""
    if single:
        try:
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            value = float("inf") if value > 0 else float("-inf")
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def constant(imm: Imm, lanes: int = 1) -> str:
    """Return a constant without its type."""
    match imm.ty:
        case Ty.F64 | Ty.F32:
            text = real_constant(float(imm.value), imm.ty is Ty.F32)
        case Ty.I1:
            text = "true" if imm.value else "false"
        case Ty.PTR:
            assert imm.value == 0, "the only pointer constant is null"
            return "null" if lanes == 1 else "zeroinitializer"
        case _:
            text = str(int(imm.value))
    return splat(LLVM[imm.ty], text, lanes)


def global_name(name: str) -> str:
    """Return ``@name``, quoted where LLVM requires it."""
    if _PLAIN.match(name):
        return f"@{name}"
    escaped = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else
                      "".join(f"\\{b:02X}" for b in c.encode()) for c in name)  # fmt: skip
    return f'@"{escaped}"'


def function_name(name: str) -> str:
    """Return the global name of a function of the module; the prefix keeps it apart from library
    names."""
    return global_name(f"f:{name}")
