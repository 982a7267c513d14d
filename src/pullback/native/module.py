"""Compile a module of loop code, with the signatures of its entry points, to Python builtins."""

from __future__ import annotations

import hashlib
import io
import pickle
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from types import MappingProxyType
from typing import Protocol, get_args

from pullback.core.waiting import Lock
from pullback.lower.loopcode import Imm, Instr, LoopFunction, Module, Reg, Region
from pullback.native.builtin import Builtin, binder, make_builtin
from pullback.native.builtin_names import Absent, absent_symbols, absent_text
from pullback.native.compile import Timing, link_text, optimised_text
from pullback.native.emit import ModuleText, emit_module, finish
from pullback.native.entry import EntryText
from pullback.native.entry_base import EntryBase, declarations, entry_symbol
from pullback.native.polls import Patience
from pullback.native.pyabi import verify_owner
from pullback.native.runtime import SHOWS, ErrorSite, ModuleOwner, ShowSite
from pullback.native.signature import EntrySignature


class Converting(Protocol):
    """The signature of an entry point that calls conversions, whose code it has with it."""

    def printer(
        self, out: ModuleText, name: str, function: LoopFunction, absent: bool
    ) -> EntryBase:
        """Return the object that prints the entry point."""

    def declarations(self) -> str:
        """Return the declarations of the functions that the entry point calls."""

    def symbols(self) -> dict[str, int]:
        """Return the addresses that the text mentions."""

    def raws(self) -> Mapping[str, object]:
        """The objects that must live as long as the entry point."""


Second = Converting | EntrySignature
"""The signature of a second entry point of a function."""


@dataclass(frozen=True, slots=True, eq=False)
class CompiledModule:
    """The builtins of a module, in ``call``. Each takes exactly the arguments of its signature,
    positionally, and returns ``NotImplemented`` for arguments of any other type."""

    call: dict[str, Builtin]
    text: str
    timing: Timing
    thorough: bool
    written: Written

    def optimised(self) -> str:
        """Return the LLVM text after LLVM's passes."""
        return optimised_text(self.text, self.thorough)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledEntry:
    """One compiled entry point."""

    call: Builtin
    module: CompiledModule


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """The entry points of a module. ``thorough``: LLVM takes the time that it needs. ``kind`` marks
    residual objects of this module; 0: not computed yet."""

    signatures: Mapping[str, EntrySignature]
    routes: Mapping[str, Second]
    absent: Absent
    thorough: bool
    kind: int = 0
    patience: Patience = Patience.ALL

    def names(self) -> tuple[str, ...]:
        return (*self.signatures, *map(routed, self.routes))


def _write(module: Module, given: _Entries) -> tuple[ModuleText, str, int]:
    signatures, routes, absent = given.signatures, given.routes, given.absent
    out = emit_module(module, patience=given.patience)
    # The residual objects of one module do not fit into the entry points of another.
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
    """Return the name of the second entry point of a function."""
    return f"{name}.route"


def compile_entries(
    module: Module | Written, signatures: Mapping[str, EntrySignature],
    routes: Mapping[str, Second] = MappingProxyType({}), absent: Absent = (),
    thorough: bool = False,
) -> CompiledModule:  # fmt: skip
    """Compile a module (or load one that was written for the same entry points) with one entry
    point for each name of ``signatures``, and a second one, called ``routed(name)``, for each name
    of ``routes``; both take each other's residual objects. While one of the names ``absent`` is a
    global, no arguments fit. ``thorough``: LLVM takes the time that it needs; code whose loops turn
    out to be long is always compiled so."""
    entries = _Entries(signatures, routes, absent, thorough)
    return _loaded(module, entries) if isinstance(module, Written) else _compile(module, entries)


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """The text of a module and what stands beside it: all that its signatures need to become
    builtins, in this process or another one. ``shows``: where it calls Python. ``whole``: the
    module and the names of its entries, if it has loops that run as a whole."""

    text: str
    errors: tuple[ErrorSite, ...]
    shows: list[ShowSite]
    kind: int
    whole: tuple[bytes, tuple[str, ...]] | None


def _written(module: Module, entries: _Entries) -> Written:
    out, text, kind = _write(module, entries)
    whole = (_packed(module), tuple(out.entries)) if out.facts.whole else None
    return Written(text, tuple(out.errors), out.shows, kind, whole)


def _loaded(written: Written, entries: _Entries) -> CompiledModule:
    converting = [r for r in entries.routes.values() if not isinstance(r, EntrySignature)]
    own = {name: at for r in converting for name, at in r.symbols().items()}
    own |= absent_symbols(entries.absent)
    own |= {SHOWS: id(written.shows)} if written.shows else {}
    names, text = entries.names(), written.text
    linked = link_text(text, tuple(map(entry_symbol, names)), own, thorough=entries.thorough)
    raws = (r.raws() for r in converting)
    keep: list[object] = [linked, entries.absent, written.shows, *raws]
    owner = ModuleOwner(written.errors, keep)
    verify_owner(owner, owner.function, owner.code)
    if written.whole is not None:
        patience = Patience(entries.patience - 1)
        less = replace(entries, kind=written.kind, patience=patience, thorough=True)
        owner.impatient = _LessPatient(less, *written.whole).builtin
    call = {n: make_builtin(n, linked.address(entry_symbol(n)), owner) for n in names}
    return CompiledModule(call, text, linked.timing, entries.thorough, written)


def _compile(module: Module, entries: _Entries) -> CompiledModule:
    return _loaded(_written(module, entries), entries)


def _parts(cls: type) -> Callable[[object], tuple[object, ...]]:
    """A function that gives the fields of an object of a dataclass, as a tuple."""
    names = [f.name for f in fields(cls)]
    if len(names) == 1:
        return lambda x: (getattr(x, names[0]),)
    return attrgetter(*names)


def _reduction(cls: type) -> Callable[[object], tuple[type, tuple[object, ...]]]:
    parts = _parts(cls)
    return lambda x: (cls, parts(x))


_REDUCTIONS = {cls: _reduction(cls) for cls in (*get_args(Instr), Reg, Imm, Region, LoopFunction)}
"""How loop code is pickled: what dataclasses bring along asks every object for its fields."""


def _packed(module: Module) -> bytes:
    """A module of loop code as a few bytes."""
    image = io.BytesIO()
    pickler = pickle.Pickler(image, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCTIONS
    pickler.dump(module)
    return zlib.compress(image.getvalue(), 1)


class _LessPatient:
    """The same module compiled with less patience, as soon as a loop that runs as a whole turns out
    to be too long. ``numbers`` has the names of entries, by their numbers in compiled code."""

    def __init__(self, entries: _Entries, image: bytes, numbers: tuple[str, ...]) -> None:
        self.image = image
        self.entries = entries
        self.numbers = numbers
        self.lock = Lock()
        self.compiled: CompiledModule | None = None

    def builtin(self, owner: ModuleOwner, number: int) -> Builtin:
        """Return an entry of the less patient code, for the function whose builtin has this
        owner."""
        with self.lock:
            if self.compiled is None:
                module: Module = pickle.loads(zlib.decompress(self.image))
                self.compiled = _compile(module, self.entries)
        found = self.compiled.call[self.numbers[number]]
        return binder(found)(owner.function, owner.general)


def compile_module(module: Module, signature: EntrySignature) -> CompiledEntry:
    """Compile a module whose one entry point is main."""
    compiled = compile_entries(module, {module.main: signature})
    return CompiledEntry(compiled.call[module.main], compiled)


__all__ = ["Builtin", "CompiledEntry", "CompiledModule", "Written", "compile_entries",
           "compile_module", "routed"]  # fmt: skip
