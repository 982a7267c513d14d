"""A module of loop code and signatures of its entry points -> Python builtins."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from pullback.lower.loopcode import LoopFunction, Module
from pullback.native.absent import Absent, absent_symbols, absent_text
from pullback.native.builtin import Builtin, make_builtin
from pullback.native.compile import Timing, link_text, optimised_text
from pullback.native.emit import ModuleText, emit_module, finish
from pullback.native.entry import EntryText
from pullback.native.entry_base import EntryBase, declarations, entry_symbol
from pullback.native.pyabi import verify_owner
from pullback.native.runtime import ModuleOwner
from pullback.native.signature import EntrySignature


class Converting(Protocol):
    """The signature of an entry point that calls conversions, which it brings along."""

    def printer(
        self, out: ModuleText, name: str, function: LoopFunction, absent: bool
    ) -> EntryBase:
        """What prints the entry point."""

    def declarations(self) -> str:
        """Of what it calls."""

    def symbols(self) -> dict[str, int]:
        """The addresses that the text mentions."""

    def raws(self) -> Mapping[str, object]:
        """What must live as long as the entry point."""


Second = Converting | EntrySignature
"""A second way into a function."""


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
    module: Module, signatures: Mapping[str, EntrySignature], routes: Mapping[str, Second],
    absent: Absent,
) -> tuple[ModuleText, str]:  # fmt: skip
    out = emit_module(module)
    body = "".join(out.functions)
    # Residual objects of one module are not those of another.
    kind = int.from_bytes(hashlib.sha256(body.encode()).digest()[:7], "little")
    entries = [
        EntryText(out, name, module.functions[name], signature, kind, bool(absent)).text()
        for name, signature in signatures.items()
    ]
    more = absent_text(absent)
    for name, second in routes.items():
        function = module.functions[name]
        if isinstance(second, EntrySignature):
            made: EntryBase = EntryText(out, routed(name), function, second, kind, bool(absent))
        else:
            more += second.declarations()
            made = second.printer(out, routed(name), function, bool(absent))
        entries.append(made.text())
    return out, finish(out, declarations() + more + "".join(entries))


def routed(name: str) -> str:
    """The name of the second entry point of a function."""
    return f"{name}.route"


def compile_entries(
    module: Module, signatures: Mapping[str, EntrySignature],
    routes: Mapping[str, Second] = MappingProxyType({}), absent: Absent = (),
) -> CompiledModule:  # fmt: skip
    """Compile a module with one entry point per name of ``signatures`` and a second one, called
    ``routed(name)``, per name of ``routes``; they share their residual objects. Where one of the
    names ``absent`` is there, no arguments fit them."""
    out, text = _write(module, signatures, routes, absent)
    converting = [r for r in routes.values() if not isinstance(r, EntrySignature)]
    own = {name: at for r in converting for name, at in r.symbols().items()}
    own |= absent_symbols(absent)
    names = (*signatures, *map(routed, routes))
    linked = link_text(text, tuple(map(entry_symbol, names)), own)
    keep: list[object] = [linked, absent, *(r.raws() for r in converting)]
    owner = ModuleOwner(tuple(out.errors), keep)
    verify_owner(owner, owner.function, owner.code)
    call = {n: make_builtin(n, linked.address(entry_symbol(n)), owner) for n in names}
    return CompiledModule(call, text, linked.timing)


def compile_module(module: Module, signature: EntrySignature) -> CompiledEntry:
    """Compile a module; the entry point is main."""
    compiled = compile_entries(module, {module.main: signature})
    return CompiledEntry(compiled.call[module.main], compiled)


__all__ = ["Builtin", "CompiledEntry", "CompiledModule", "compile_entries", "compile_module",
           "routed"]  # fmt: skip
