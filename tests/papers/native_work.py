"""Count the work of compiled code: the LLVM instructions that a call executes.

The text of a module after LLVM's passes gets a counter in every basic block, which adds the number
of the block's instructions; then it becomes machine code as always. A vector instruction counts
one, and so does a call of the runtime, of libm or of ``memset``, whose own instructions are not
counted. The counts do not depend on the machine's load (they may on its vector registers).
"""

from __future__ import annotations

import ctypes
import re
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm
import pytest

from pullback.call import driver
from pullback.native import compile as native

_counter = ctypes.c_int64(0)
_LABEL = re.compile(r'^(?:[\w.$-]+|"[^"]*"):')
_FIRST = re.compile(r"^  (?:%\S+ = )?(?:phi|landingpad) ")


def counted(text: str) -> str:
    """Return the text with counters."""
    at = f"ptr inttoptr (i64 {ctypes.addressof(_counter)} to ptr)"
    out: list[str] = []
    block: list[str] = []
    inside = False

    def close() -> None:
        # Lines of two spaces are instructions; what is deeper continues a switch.
        n = sum(line.startswith("  ") and not line.startswith("    ") for line in block)
        n -= sum(line.startswith("  ]") for line in block)
        if n:
            k = next(i for i, line in enumerate(block) if line.startswith("  ")
                     and not _FIRST.match(line))
            v = f"%counter.{len(out)}"
            block[k:k] = [
                f"  {v} = load i64, {at}, align 8",
                f"  {v}.next = add i64 {v}, {n}",
                f"  store i64 {v}.next, {at}, align 8",
            ]
        out.extend(block)
        block.clear()

    for line in text.splitlines():
        if line.startswith("define "):
            inside = True
            out.append(line)
        elif inside and line == "}":
            close()
            inside = False
            out.append(line)
        elif inside:
            if _LABEL.match(line):
                close()
            block.append(line)
        else:
            out.append(line)
    return "\n".join(out) + "\n"


def _object(text: str, thorough: bool = False) -> tuple[bytes, native.Timing]:
    if "define" not in text:
        return native.emit_object(text)
    machine = native._target()
    module = llvm.parse_assembly(counted(native.optimised_text(text, thorough)))
    image: bytes = machine.emit_object(module)
    module.close()
    return image, native.Timing(0.0, 0.0, 0.0, 0.0, False)


@contextmanager
def counting() -> Iterator[None]:
    """Count in everything that is compiled here, and only here."""
    native.runtime_symbols()  # the runtime itself has no counters
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "_object", _object)
        patch.setattr(driver, "_found", OrderedDict())  # compiled anew, and forgotten afterwards
        yield


def work(call: object, *args: object) -> int:
    """Return how many instructions a call executes; it runs once before, to be compiled."""
    assert callable(call)
    call(*args)
    _counter.value = 0
    call(*args)
    return _counter.value
