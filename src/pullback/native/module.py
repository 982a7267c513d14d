"""Compile a module of loop code, with the signatures of its entry points, to Python builtins."""

from __future__ import annotations

import enum
import hashlib
import io
import pickle
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from types import MappingProxyType
from typing import Protocol, get_args

from pullback.core.frozen import dataclass
from pullback.core.waiting import Lock
from pullback.lower.loopcode import Imm, Instr, LoopFunction, Module, Reg, Region
from pullback.native import native_draws
from pullback.native.builtin import Builtin, binder, make_builtin
from pullback.native.builtin_names import Absent, absent_symbols, absent_text
from pullback.native.compile import Timing, link_text, optimised_text
from pullback.native.emit import ModuleText, emit_module, finish
from pullback.native.entry import EntryText
from pullback.native.entry_base import EntryBase, declarations, entry_symbol
from pullback.native.foreign import is_of_process
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
    timing: Timing
    thorough: bool
    written: Written
    later: _Later | None

    @property
    def text(self) -> str:
        """The LLVM text."""
        return self.written.text

    def optimised(self) -> str:
        """Return the LLVM text after LLVM's passes."""
        return optimised_text(self.text, self.thorough)

    def kept(self) -> Written:
        """Return all that another process needs: with the texts that are compiled where a loop
        turns out to be long."""
        return replace(self.written, less=_less(self.written, self.later))


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
    if isinstance(module, Written):
        return _loaded(module, entries, None)
    return _compile(module, entries)


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """The texts of a module and what stands beside them: all that its signatures need to become
    builtins, in this process or another one. Nothing else of the module is needed then: no text is
    written from it in a process that has read it.

    shows     where it calls Python
    foreign   the routines that it calls
    kind      marks its residual objects
    entries   the names of its entry points, by their numbers in compiled code
    less      the texts with less patience, in order, compressed: none without a loop that runs as
              a whole; None: they are still to be written (``CompiledModule.kept``)
    """

    text: str
    errors: tuple[ErrorSite, ...]
    shows: list[ShowSite]
    foreign: frozenset[str]
    kind: int
    entries: tuple[str, ...]
    less: tuple[bytes, ...] | None

    @property
    def calls_python(self) -> bool:
        """Whether it calls functions that only this process knows."""
        return any(map(is_of_process, self.foreign))


def _loaded(written: Written, entries: _Entries, later: _Later | None) -> CompiledModule:
    converting = [r for r in entries.routes.values() if not isinstance(r, EntrySignature)]
    own = {name: at for r in converting for name, at in r.symbols().items()}
    own |= absent_symbols(entries.absent)
    own |= {SHOWS: id(written.shows)} if written.shows else {}
    if native_draws.SYMBOL in written.foreign:
        own[native_draws.SYMBOL] = native_draws.address()
    names, text = entries.names(), written.text
    linked = link_text(text, tuple(map(entry_symbol, names)), own, thorough=entries.thorough)
    raws = (r.raws() for r in converting)
    keep: list[object] = [linked, entries.absent, written.shows, *raws]
    owner = ModuleOwner(written.errors, keep)
    verify_owner(owner, owner.function, owner.code)
    if written.less != ():
        owner.impatient = _LessPatient(written, entries, later).builtin
    call = {n: make_builtin(n, linked.address(entry_symbol(n)), owner) for n in names}
    return CompiledModule(call, linked.timing, entries.thorough, written, later)


def _compile(module: Module, entries: _Entries) -> CompiledModule:
    out, text, kind = _write(module, entries)
    whole = out.facts.whole
    written = Written(
        text, tuple(out.errors), out.shows, frozenset(out.foreign), kind, tuple(out.entries),
        None if whole else (),
    )  # fmt: skip
    later = _Later(_packed(module), replace(entries, kind=kind)) if whole else None
    return _loaded(written, entries, later)


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


class _Packing(pickle.Pickler):
    """Writes a module of loop code. Classes and members of enumerations in its messages are not
    written, but kept: those that are made in a function are found under no name."""

    def __init__(self, image: io.BytesIO) -> None:
        super().__init__(image, pickle.HIGHEST_PROTOCOL)
        self.dispatch_table = _REDUCTIONS
        self.kept: list[object] = []

    def persistent_id(self, x: object) -> int | None:
        if not isinstance(x, enum.Enum) and (not isinstance(x, type) or x in _REDUCTIONS):
            return None
        self.kept.append(x)
        return len(self.kept) - 1


class _Unpacking(pickle.Unpickler):
    def __init__(self, image: bytes, kept: Sequence[object]) -> None:
        super().__init__(io.BytesIO(zlib.decompress(image)))
        self.kept = kept

    def persistent_load(self, place: int) -> object:
        return self.kept[place]


def _packed(module: Module) -> tuple[bytes, Sequence[object]]:
    """A module of loop code as a few bytes, and the classes and members that it needs."""
    image = io.BytesIO()
    packing = _Packing(image)
    packing.dump(module)
    return zlib.compress(image.getvalue(), 1), packing.kept


@dataclass(frozen=True, slots=True, eq=False)
class _Later:
    """A module and its entry points, of which texts with less patience are still to be written."""

    packed: tuple[bytes, Sequence[object]]
    entries: _Entries

    def texts(self, written: Written) -> tuple[bytes, ...]:
        """Return these texts, in order, compressed."""
        module: Module = _Unpacking(*self.packed).load()
        found: list[bytes] = []
        for patience in sorted(Patience, reverse=True)[1:]:
            out, text, _ = _write(module, replace(self.entries, patience=patience))
            assert list(map(_told, out.errors)) == list(map(_told, written.errors))
            found.append(zlib.compress(text.encode(), 1))
            if not out.facts.whole:  # nothing in it is ever too long
                break
        return tuple(found)


def _told(error: ErrorSite) -> tuple[object, ...]:
    return error.kind, str(error.message), error.site, error.values, error.early


class _LessPatient:
    """The same module compiled with less patience, as soon as a loop that runs as a whole turns out
    to be too long."""

    def __init__(self, written: Written, entries: _Entries, later: _Later | None) -> None:
        self.written, self.entries, self.later = written, entries, later
        self.lock = Lock()
        self.compiled: CompiledModule | None = None

    def builtin(self, owner: ModuleOwner, number: int) -> Builtin:
        """Return an entry of the less patient code, by its number in compiled code, for the
        function whose builtin has this owner."""
        with self.lock:
            if self.compiled is None:
                first, *rest = _less(self.written, self.later)
                text = zlib.decompress(first).decode()
                less = replace(self.written, text=text, less=tuple(rest))
                patience = Patience(self.entries.patience - 1)
                entries = replace(self.entries, patience=patience, thorough=True)
                self.compiled = _loaded(less, entries, None)
        found = self.compiled.call[self.written.entries[number]]
        return binder(found)(owner.function, owner.general)


def _less(written: Written, later: _Later | None) -> tuple[bytes, ...]:
    if written.less is not None:
        return written.less
    assert later is not None
    return later.texts(written)


def compile_module(module: Module, signature: EntrySignature) -> CompiledEntry:
    """Compile a module whose one entry point is main."""
    compiled = compile_entries(module, {module.main: signature})
    return CompiledEntry(compiled.call[module.main], compiled)


__all__ = ["Builtin", "CompiledEntry", "CompiledModule", "Written", "compile_entries",
           "compile_module", "routed"]  # fmt: skip
