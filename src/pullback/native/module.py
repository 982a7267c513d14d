"""A module of loop code and signatures of its entry points -> Python builtins."""

from __future__ import annotations

import hashlib
import pickle
import threading
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

from pullback.lower.loopcode import LoopFunction, Module
from pullback.native.builtin import Builtin, bound, make_builtin
from pullback.native.builtin_names import Absent, absent_symbols, absent_text
from pullback.native.compile import Timing, link_text, optimised_text
from pullback.native.emit import ModuleText, emit_module, finish
from pullback.native.entry import EntryText
from pullback.native.entry_base import EntryBase, declarations, entry_symbol
from pullback.native.polls import Patience
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


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """The entry points of a module; ``kind``: of its residual objects, 0 if that is not known."""

    signatures: Mapping[str, EntrySignature]
    routes: Mapping[str, Second]
    absent: Absent
    kind: int = 0
    patience: Patience = Patience.ALL

    def names(self) -> tuple[str, ...]:
        return (*self.signatures, *map(routed, self.routes))


def _write(module: Module, given: _Entries) -> tuple[ModuleText, str, int]:
    signatures, routes, absent = given.signatures, given.routes, given.absent
    out = emit_module(module, patience=given.patience)
    # Residual objects of one module are not those of another.
    body = "".join(out.functions)
    kind = given.kind or int.from_bytes(hashlib.sha256(body.encode()).digest()[:7], "little")
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
    return out, finish(out, declarations() + more + "".join(entries)), kind


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
    return _compile(module, _Entries(signatures, routes, absent))


def _compile(module: Module, entries: _Entries) -> CompiledModule:
    out, text, kind = _write(module, entries)
    converting = [r for r in entries.routes.values() if not isinstance(r, EntrySignature)]
    own = {name: at for r in converting for name, at in r.symbols().items()}
    own |= absent_symbols(entries.absent)
    names = entries.names()
    linked = link_text(text, tuple(map(entry_symbol, names)), own)
    keep: list[object] = [linked, entries.absent, *(r.raws() for r in converting)]
    owner = ModuleOwner(tuple(out.errors), keep)
    verify_owner(owner, owner.function, owner.code)
    if out.facts.whole:
        less = replace(entries, kind=kind, patience=Patience(entries.patience - 1))
        owner.impatient = _LessPatient(module, less, tuple(out.entries)).builtin
    call = {n: make_builtin(n, linked.address(entry_symbol(n)), owner) for n in names}
    return CompiledModule(call, text, linked.timing)


class _LessPatient:
    """A module with loops that run as a whole, once more with less patience: compiled when a loop
    turns out to be too long. ``numbers``: names of entries, by their numbers in compiled code."""

    def __init__(self, module: Module, entries: _Entries, numbers: tuple[str, ...]) -> None:
        self.image = zlib.compress(pickle.dumps(module), 1)
        self.entries = entries
        self.numbers = numbers
        self.lock = threading.Lock()
        self.compiled: CompiledModule | None = None

    def builtin(self, owner: ModuleOwner, number: int) -> Builtin:
        """An entry, for the same function as a builtin with this owner."""
        with self.lock:
            if self.compiled is None:
                module: Module = pickle.loads(zlib.decompress(self.image))
                self.compiled = _compile(module, self.entries)
        found = self.compiled.call[self.numbers[number]]
        return bound(found, owner.function, owner.general)


def compile_module(module: Module, signature: EntrySignature) -> CompiledEntry:
    """Compile a module; the entry point is main."""
    compiled = compile_entries(module, {module.main: signature})
    return CompiledEntry(compiled.call[module.main], compiled)


__all__ = ["Builtin", "CompiledEntry", "CompiledModule", "compile_entries", "compile_module",
           "routed"]  # fmt: skip
