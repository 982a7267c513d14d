"""A module of loop code and signatures of its entry points -> Python builtins."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from pullback.lower.loopcode import Module
from pullback.native.compile import Linked, Timing, link_text, optimised_text
from pullback.native.emit import ModuleText, emit_module, finish
from pullback.native.entry import EntryText, declarations, entry_symbol
from pullback.native.runtime import ModuleOwner
from pullback.native.signature import EntrySignature

Builtin = Callable[..., object]


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_METH_FASTCALL = 0x0080

_new_builtin = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p
)(("PyCMethod_New", ctypes.pythonapi))


@dataclass(frozen=True, slots=True, eq=False)
class CompiledModule:
    """``call[name]`` is a builtin. It takes exactly the arguments of its signature, positionally,
    and returns ``NotImplemented`` for arguments of any other type."""

    call: dict[str, Builtin]
    text: str
    timing: Timing

    def optimised(self) -> str:
        """The LLVM text after LLVM's passes."""
        return optimised_text(self.text)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledEntry:
    """One compiled entry point."""

    call: Builtin
    module: CompiledModule


def _write(module: Module, signatures: dict[str, EntrySignature]) -> tuple[ModuleText, str]:
    out = emit_module(module)
    body = "".join(out.functions)
    # Residual objects of one module are not those of another.
    kind = int.from_bytes(hashlib.sha256(body.encode()).digest()[:7], "little")
    entries = [
        EntryText(out, name, module.functions[name], signature, kind).text()
        for name, signature in signatures.items()
    ]
    return out, finish(out, declarations() + "".join(entries))


def module_text(module: Module, signatures: dict[str, EntrySignature]) -> str:
    """The LLVM text of a module with its entry points."""
    return _write(module, signatures)[1]


def compile_entries(module: Module, signatures: dict[str, EntrySignature]) -> CompiledModule:
    """Compile a module with one entry point per name of ``signatures``; they share their residual
    objects."""
    out, text = _write(module, signatures)
    linked = link_text(text, tuple(map(entry_symbol, signatures)))
    owner = ModuleOwner(tuple(out.errors), [linked])
    call = {name: _builtin(name, linked, owner) for name in signatures}
    return CompiledModule(call, text, linked.timing)


def compile_module(module: Module, signature: EntrySignature) -> CompiledEntry:
    """Compile a module; the entry point is main."""
    compiled = compile_entries(module, {module.main: signature})
    return CompiledEntry(compiled.call[module.main], compiled)


def _builtin(name: str, linked: Linked, owner: ModuleOwner) -> Builtin:
    title = name.encode()
    method = _MethodDef(title, linked.address(entry_symbol(name)), _METH_FASTCALL, None)
    owner.keep += [method, title]
    builtin: Builtin = _new_builtin(ctypes.addressof(method), owner, None, None)
    return builtin


def new_builtin(name: str, address: int, keep: list[object]) -> Builtin:
    """The builtin whose code is at this address; it keeps these objects alive."""
    title = name.encode()
    method = _MethodDef(title, address, _METH_FASTCALL, None)
    owner = ModuleOwner((), [*keep, method, title])
    builtin: Builtin = _new_builtin(ctypes.addressof(method), owner, None, None)
    return builtin


__all__ = ["Builtin", "CompiledEntry", "CompiledModule", "compile_entries", "compile_module",
           "module_text"]  # fmt: skip
