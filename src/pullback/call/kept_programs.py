"""Compiled entries that are kept on disk with all that they depend on, so that in the next process
neither the front end nor any pass runs.

The key of an entry is the code of the function, the types of its arguments, the operator, the
machine, the versions of Python, NumPy, llvmlite and LLVM, the limits (``core.thresholds``), and
Pullback's own files. Under one key stand some entries, the last one first. Each has its
*conditions*, which are checked again before anything of it is used:

    guards   the values that the front end has looked at, by their paths (the same guards that every
             call checks), each with its digest
    hidden   the types of captured numbers and arrays
    names    what the names in user's functions stand for beside these
    files    the texts of user's files

A condition that cannot be told in another process (an object that is known by its address, a lambda
of a library) means that the entry is not kept. What is loaded was pickled, so only classes of
Pullback and of libraries are made, and user's classes only where they are found, unchanged."""

from __future__ import annotations

import importlib
import io
import os
import pickle
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import MISSING as MISSING_FIELD
from dataclasses import Field
from functools import cache
from pathlib import Path
from time import perf_counter
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pullback.call.compiled import Misfit, Native, Source
from pullback.call.digests import (
    Digester,
    Unkept,
    codes_of,
    found_by_name,
    is_library,
    text_digest,
)
from pullback.call.journal import note
from pullback.call.packed import Packed
from pullback.call.pickled import Remade
from pullback.call.request import Plan, Request, What
from pullback.call.trees import Fast
from pullback.core.frozen import dataclass
from pullback.core.thresholds import LIMITS
from pullback.core.trails import is_followed
from pullback.frontend.functions.lambda_sets import LambdaSet
from pullback.frontend.kinds.kinds import Kind, StaticK, static_kind
from pullback.frontend.python import symbols
from pullback.frontend.python.frozen_distributions import frozen_kind
from pullback.frontend.python.guards import ABSENT, Guard, holds
from pullback.frontend.python.paths import MISSING, Namespace, read
from pullback.frontend.python.python_values import PythonValues
from pullback.frontend.python.pytypes import type_of, types_of
from pullback.frontend.python.records import union_kind
from pullback.frontend.python.source import Definition, Used
from pullback.frontend.python.unions import Union
from pullback.native import object_cache
from pullback.native.compile import machine_key

if TYPE_CHECKING:
    from pullback.frontend.specialisation import Specialised

MOST_ENTRIES = 8
"""How many entries are kept under one key."""
_WHATS = (What.VALUE, What.GRADIENT, What.VALUE_AND_GRADIENT)


class Special(Protocol):
    """A specialisation of the driver."""

    special: Specialised
    equal: bool
    hidden: list[tuple[Any, Kind]]
    guards: list[Guard]


class Compiled(Protocol):
    """A unit of the driver."""

    plan: Plan
    natives: dict[bool, Native]

    @property
    def special(self) -> Special: ...


# --- the key --------------------------------------------------------------------------------------


@cache
def _own_files() -> str:
    """Return the digest of Pullback's own files: their names, sizes and times."""
    root = Path(__file__).parents[1]
    found = []
    for folder, _, files in os.walk(root):
        for name in files:
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                found.append(f"{folder} {name} {status.st_size} {status.st_mtime_ns}")
    if not found:
        raise Unkept("Pullback's own files")
    versions = (sys.version, str(sys.flags.optimize), np.__version__)
    return object_cache.digest(*sorted(found), *versions, machine_key())


def wanted(request: Request, args: Sequence[object]) -> bool:
    """Whether entries of an operator are kept, for such arguments, and anything is."""
    if request.what not in _WHATS or os.environ.get("PULLBACK_CACHE_PROGRAMS") == "0":
        return False
    if is_followed():
        return False  # what is kept has no lines
    if any(isinstance(a, Packed) for a in args):
        return False
    if request.outside is not None and request.outside.graph is not None:
        return False  # classes have no names that mean one thing
    return object_cache.usable()


def _key(f: FunctionType, kinds: Sequence[Kind], equal: bool, request: Request) -> str:
    d = Digester()
    inner = [c.cell_contents for c in f.__closure__ or () if _has_function(c)]
    parts = (*map(d.of, kinds), *(d.of(g.__code__) for g in inner), d.of(f.__code__))
    return object_cache.digest(_own_files(), LIMITS.text(), repr(request), str(equal), *parts)


def _has_function(cell: Any) -> bool:
    try:
        return isinstance(cell.cell_contents, FunctionType)
    except ValueError:
        return False


# --- pickles --------------------------------------------------------------------------------------


class _Pickler(pickle.Pickler):
    """Pickles what Pullback has made; user's classes and namespaces by name."""

    def __init__(self, out: io.BytesIO, digester: Digester) -> None:
        super().__init__(out, 5)
        self.digester = digester

    def persistent_id(self, obj: object) -> object:
        match obj:
            case Namespace():
                if obj.names is sys.modules:
                    return ("modules",)
                name = str(obj.names.get("__name__"))
                if self.digester.names_of(name) is not obj.names:
                    raise Unkept("globals of no module")
                return ("names", name)
            case ModuleType():
                return ("module", obj.__name__)
            case type() if not is_library(obj.__module__):
                if found_by_name(obj.__module__, obj.__qualname__) is not obj:
                    raise Unkept("a class that is in no module")
                digest = Digester(self.digester.home, []).of(obj)
                return ("class", obj.__module__, obj.__qualname__, digest)
            case FunctionType() if not is_library(obj.__module__):
                raise Unkept("a function of the user")
            case Union():
                plain = not (obj.arrays or obj.arguments or obj.of_program or obj.primal)
                if not plain or union_kind(obj.classes).union is not obj:
                    raise Unkept("a union of one program")
                return ("union", obj.classes, obj.name)
            case StaticK(_, value) if type(value) is object:
                return ("kind of a mark", self.digester.mark(value))
            case object() if type(obj) is object:
                return ("mark", self.digester.mark(obj))
            case _ if obj is MISSING_FIELD:
                return ("missing",)
            case CodeType() | Definition() | LambdaSet() | Field():
                raise Unkept("what belongs to one program")
        return None

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Remade):
            raise Unkept("an operator")
        cls = obj if isinstance(obj, type) else type(obj)
        if not (is_library(cls.__module__) or issubclass(cls, np.generic)):
            if hasattr(cls, "__members__"):  # a member of a user's enum
                return NotImplemented
            raise Unkept(f"an object of {cls}")
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, image: io.BytesIO, digester: Digester) -> None:
        super().__init__(image)
        self.digester = digester

    def persistent_load(self, pid: Any) -> object:
        match pid:
            case ("missing",):
                return MISSING_FIELD
            case ("mark", int(k)) if k < len(self.digester.marks or ()):
                assert self.digester.marks is not None
                return self.digester.marks[k]
            case ("kind of a mark", int(k)) if k < len(self.digester.marks or ()):
                assert self.digester.marks is not None
                return static_kind(self.digester.marks[k])
            case ("modules",):
                modules: Any = sys.modules
                return Namespace.of(modules)
            case ("names", name) if (names := self.digester.names_of(name)) is not None:
                return Namespace.of(names)
            case ("names", name) if name.startswith("pullback."):  # of library functions
                return Namespace.of(vars(importlib.import_module(name)))
            case ("module", name) if name in sys.modules:
                return sys.modules[name]
            case ("class", module, name, digest):
                found = found_by_name(module, name)
                if isinstance(found, type) and Digester(None, []).of(found) == digest:
                    return found
            case ("union", classes, name):
                union = union_kind(classes).union
                if union.name == name:
                    return union
        raise Unkept(f"{pid} is not there")

    def find_class(self, module: str, name: str) -> object:
        if not is_library(module):
            raise Unkept(f"{module}.{name}")
        return super().find_class(module, name)


def _dumped(value: object, d: Digester) -> bytes:
    out = io.BytesIO()
    _Pickler(out, d).dump(value)
    return out.getvalue()


def _undumped(image: bytes, d: Digester) -> Any:
    return _Unpickler(io.BytesIO(image), d).load()


# --- conditions -----------------------------------------------------------------------------------

_TAGS: dict[str, Callable[[Any], StaticK]] = {
    "absent": lambda v: StaticK(ABSENT, None),
    "code": PythonValues._code_of,
    "operator": lambda v: StaticK(
        ("operator", v.__pullback_operator__[0], tuple(v.__pullback_operator__[2:])), v
    ),
    "class of": lambda v: StaticK(("class of", type(v)), v),
    "keys": lambda v: StaticK(("keys", tuple(v)), v),
    "partial": lambda v: StaticK(("partial", len(v.args), tuple(v.keywords)), v),
    "frozen distribution": frozen_kind,
    "length": lambda v: StaticK((list if isinstance(v, list) else tuple, len(v)), v),
    "static": static_kind,
}
"""How the kind of a guard is made of the present value, by the sort of the guard."""


def _tag(guard: Guard) -> str:
    match guard.kind.key:
        case (t, int()) if t is tuple or t is list:
            return "length"
        case (str(tag), *_) if tag in _TAGS:
            return tag
        case _:
            return "static"


def _told(d: Digester, tag: str, kind: StaticK) -> str:
    """Return the digest of what a guard asks for."""
    if tag == "static":
        return d.of(kind.value)
    if tag == "code":
        assert isinstance(kind.value, FunctionType)
        return object_cache.digest(repr(d.shallow(kind.value)))
    return d.of((tag, kind.key))


@dataclass(frozen=True, slots=True)
class _Conditions:
    guards: tuple[tuple[Any, str, str], ...]  # path, sort, digest
    hidden: tuple[tuple[Any, str], ...]  # path, digest of the kind
    names: str
    files: tuple[tuple[str, str], ...]


Call = tuple[FunctionType, tuple[object, ...]]


def _live(path: Any, call: Call) -> object:
    return read(path, *call)


def _guard(d: Digester, path: Any, tag: str, call: Call) -> tuple[Guard, str]:
    """Return a guard for the value that is at a path now, and its digest."""
    live = _live(path, call)
    if (live is MISSING) != (tag == "absent"):
        raise Unkept("a value is not there any more")
    try:
        guard = Guard(path, _TAGS[tag](live))
    except (AttributeError, TypeError, LookupError) as e:
        raise Unkept("a value of another sort") from e
    if not holds(guard, live):
        raise Unkept("a guard that does not hold")
    return guard, _told(d, tag, guard.kind)


def _names(d: Digester, call: Call) -> str:
    d.shallow(call[0])
    d.of(types_of(call[1]))
    return object_cache.digest(repr(d.names()))


# --- entries --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Entry:
    """All that a ``Native`` is made of beside what is read from the call itself. ``texts``: those
    for which numbers stand in the code (``symbols``)."""

    source: Source
    texts: tuple[tuple[int, str], ...]
    result: Kind
    places: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], bool]


@dataclass(slots=True)
class Loaded:
    """A compiled entry that was kept, and the conditions of a call of it."""

    plan: Plan
    native: Native
    code: CodeType
    names: dict[str, Any]  # the globals of the function
    guards: tuple[Guard, ...]
    hidden: tuple[tuple[Any, Kind], ...]

    def bind(self, f: FunctionType, packed: bool = False) -> Fast:
        """The fast call for the function f."""
        return self.native.bound(f, self.code, packed)

    def fits(self, call: Call) -> bool:
        """Whether its guards hold for a call."""
        if call[0].__code__ is not self.code or call[0].__globals__ is not self.names:
            return False
        if not all(holds(g, _live(g.path, call)) for g in self.guards):
            return False
        live = [_live(path, call) for path, _ in self.hidden]
        known = zip(live, self.hidden, strict=True)
        return all(v is not MISSING and type_of(v) == kind for v, (_, kind) in known)


_loaded: OrderedDict[str, list[Loaded]] = OrderedDict()
_MOST_LOADED = 512
_FAULTS = (Unkept, Misfit, pickle.PickleError, AttributeError, EOFError, ImportError, IndexError,
           KeyError, TypeError, ValueError, RecursionError, OSError)  # fmt: skip
"""What may be wrong with an entry of another time; each means that there is none."""


def load(
    f: FunctionType, args: Sequence[object], kinds: Sequence[Kind], equal: bool, request: Request
) -> Loaded | None:
    """Return a kept entry whose conditions hold for this call."""
    call, since = (f, tuple(args)), perf_counter()
    try:
        key = _key(f, kinds, equal, request)
        for known in _loaded.get(key, ()):
            if known.fits(call):
                return known
        image = object_cache.fetch(key)
        if image is None:
            return None
        for conditions, body in _undumped(image, Digester(f)):
            with suppress(Unkept, Misfit):
                made = _made(_undumped(conditions, Digester(f)), body, call, kinds, request)
                _loaded[key] = [made, *_loaded.get(key, ())][:MOST_ENTRIES]
                while len(_loaded) > _MOST_LOADED:
                    _loaded.popitem(last=False)
                note(made.code, made.plan, since, made.native.timing, loaded=True)
                return made
    except _FAULTS:
        pass
    return None


def _made(
    c: _Conditions, body: bytes, call: Call, kinds: Sequence[Kind], request: Request
) -> Loaded:
    """Check the conditions of an entry, and load it."""
    for file, text in c.files:
        if text_digest(file) != text:
            raise Unkept(f"{file} has changed")
    d, guards, hidden = Digester(call[0], []), [], []
    for path, tag, told in c.guards:
        guard, now = _guard(d, path, tag, call)
        if now != told:
            raise Unkept("another value")
        guards.append(guard)
    for path, told in c.hidden:
        live = _live(path, call)
        if live is MISSING or d.of(kind := type_of(live)) != told:
            raise Unkept("a captured value of another type")
        hidden.append((path, kind))
    if _names(d, call) != c.names:
        raise Unkept("a name stands for something else")
    entry: _Entry = _undumped(body, d)
    if any(symbols.number_of(text) != number for number, text in entry.texts):
        raise Unkept("a text with another number")
    every = (*kinds, *(kind for _, kind in hidden))
    wrt, seeded, data, one_home = entry.places
    plan = Plan(request, every, len(kinds), entry.result, wrt, seeded, data, one_home)
    native = Native(plan, entry.source, hidden, guards)
    code, names = call[0].__code__, call[0].__globals__
    return Loaded(plan, native, code, names, tuple(guards), tuple(hidden))


def save(f: FunctionType, args: Sequence[object], unit: Compiled) -> None:
    """Keep a compiled entry, if its conditions can be told in another process."""
    call, plan, special = (f, tuple(args)), unit.plan, unit.special
    with suppress(*_FAULTS):
        # who asks first assumes equal extents, and so finds a program that may assume nothing
        asked = special.equal or not special.special.may_assume
        key = _key(f, plan.kinds[: plan.arguments], asked, plan.request)
        conditions, d = _conditions(call, special.hidden, special.guards, special.special.used)
        source = unit.natives[False].source()
        if special.special.loses:
            raise Unkept("what it changes before it raises, its plain run does")
        if source.written.calls_python:
            raise Unkept("a program that calls Python")
        places = plan.wrt, plan.seeded, plan.data, plan.one_home
        entry = _Entry(source, symbols.mentioned(source.written.text), plan.result, places)
        body = _dumped(entry, d)
        image = object_cache.fetch(key)
        before = _undumped(image, d) if image else []
        told = _dumped(conditions, d)
        others = [e for e in before if e[0] != told][: MOST_ENTRIES - 1]
        object_cache.keep(key, pickle.dumps([(told, body), *others], 5))


@contextmanager
def saving(
    wanted: bool, f: FunctionType, args: Sequence[object], unit: Compiled
) -> Iterator[None]:
    """Keep what is compiled inside of a ``with`` statement, if that is wanted."""
    new = wanted and not unit.natives
    try:
        yield
    finally:
        if new and False in unit.natives:
            save(f, args, unit)


def _conditions(
    call: Call, hidden: Sequence[tuple[Any, Kind]], guards: Sequence[Guard], used: Sequence[Used]
) -> tuple[_Conditions, Digester]:
    d = Digester(call[0], [])
    told = []
    for g in guards:
        if not holds(g, _live(g.path, call)):
            raise Unkept("the call has changed what it depends on")
        told.append((g.path, _tag(g), _guard(d, g.path, _tag(g), call)[1]))
    kinds = tuple((path, d.of(kind)) for path, kind in hidden)
    names = _names(d, call)
    known = {c for g in d.functions.values() for c in codes_of(g.__code__)}
    for code, module, text in used:
        if is_library(module):
            continue
        if code not in known:
            raise Unkept(f"{code.co_qualname} is in no condition")
        if text_digest(code.co_filename) != text:
            raise Unkept(f"{code.co_filename} has changed")
        d.files.add(code.co_filename)
    texts = tuple((file, text_digest(file)) for file in sorted(d.files))
    return _Conditions(tuple(told), kinds, names, texts), d


__all__ = ["Loaded", "load", "save", "saving", "wanted"]
