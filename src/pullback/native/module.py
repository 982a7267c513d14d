"""A module of loop code and signatures of its entry points -> Python builtins."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pullback.lower.loopcode import Module
from pullback.native.builtin import Builtin, make_builtin
from pullback.native.compile import Timing, link_text, optimised_text
from pullback.native.emit import ModuleText, emit_module, finish
from pullback.native.entry import EntryText
from pullback.native.entry_base import declarations, entry_symbol
from pullback.native.route import RouteSignature, RouteText
from pullback.native.runtime import ModuleOwner
from pullback.native.signature import EntrySignature


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


def _write(
    module: Module, signatures: Mapping[str, EntrySignature], routes: Mapping[str, RouteSignature]
) -> tuple[ModuleText, str]:
    out = emit_module(module)
    body = "".join(out.functions)
    # Residual objects of one module are not those of another.
    kind = int.from_bytes(hashlib.sha256(body.encode()).digest()[:7], "little")
    entries = [
        EntryText(out, name, module.functions[name], signature, kind).text()
        for name, signature in signatures.items()
    ]
    more = "".join(signature.declarations() for signature in routes.values())
    entries += [
        RouteText(out, routed(name), module.functions[name], signature).text()
        for name, signature in routes.items()
    ]
    return out, finish(out, declarations() + more + "".join(entries))


def routed(name: str) -> str:
    """The name of the entry point of a function that converts data."""
    return f"{name}.route"


def module_text(module: Module, signatures: dict[str, EntrySignature]) -> str:
    """The LLVM text of a module with its entry points."""
    return _write(module, signatures, {})[1]


def compile_entries(
    module: Module, signatures: Mapping[str, EntrySignature],
    routes: Mapping[str, RouteSignature] = MappingProxyType({}),
) -> CompiledModule:  # fmt: skip
    """Compile a module with one entry point per name of ``signatures`` (they share their residual
    objects) and one, called ``routed(name)``, per name of ``routes``."""
    out, text = _write(module, signatures, routes)
    own = {name: at for r in routes.values() for name, at in r.symbols().items()}
    names = (*signatures, *map(routed, routes))
    linked = link_text(text, tuple(map(entry_symbol, names)), own)
    keep: list[object] = [linked, *(r.raws() for r in routes.values())]
    owner = ModuleOwner(tuple(out.errors), keep)
    call = {n: make_builtin(n, linked.address(entry_symbol(n)), owner) for n in names}
    return CompiledModule(call, text, linked.timing)


def compile_module(module: Module, signature: EntrySignature) -> CompiledEntry:
    """Compile a module; the entry point is main."""
    compiled = compile_entries(module, {module.main: signature})
    return CompiledEntry(compiled.call[module.main], compiled)


__all__ = ["Builtin", "CompiledEntry", "CompiledModule", "compile_entries", "compile_module",
           "module_text", "routed"]  # fmt: skip
