"""Compile LLVM text to machine code in this process: parse, optimise, emit an object, link it.

Only the first three steps are left out when the object comes from the cache on disk. The addresses
of symbols of Python, NumPy and the runtime are given when an object is linked; none is written
into it."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import TypeAlias

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

from pullback.core.frozen import dataclass
from pullback.core.interrupts import TooLongError, main_thread_address, shielded
from pullback.core.lapack import foreign_address, one_thread_address
from pullback.core.thread_count import wanted_address
from pullback.core.trails import is_followed
from pullback.core.waiting import Lock, join
from pullback.native import pyabi
from pullback.native.code_map import has_lines, note_code
from pullback.native.foreign import ONE_THREAD, PREFIX
from pullback.native.object_cache import cached, digest
from pullback.native.runtime import call_again, call_python, make_error, unusual
from pullback.native.runtime_ir import CALLED_BY_LOOPS, RUNTIME_FUNCTIONS, runtime_text

_lock = Lock()
_names = count(1)

THOROUGH_LINES = 3_000
"""The longest text that is optimised thoroughly."""

QUICK, PLAIN, THOROUGH = 0, 1, 2
"""LLVM's levels, of its passes and of the code generation behind them: for code whose values count
and nothing else, for code that is there soon, and for code that is fast."""

most = THOROUGH
"""The highest level that is used: the tests ask for less (``tests/kept_objects.py``)."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The seconds that each step of one compilation took; ``cached`` says that the object came from
    disk, ``size`` how many bytes it has."""

    parse: float
    optimise: float
    emit: float
    link: float
    cached: bool
    size: int = 0

    @property
    def total(self) -> float:
        """The sum of the steps."""
        return self.parse + self.optimise + self.emit + self.link


@dataclass(slots=True, eq=False, weakref_slot=True)
class Linked:
    """Machine code in memory, as long as this object lives."""

    addresses: Mapping[str, int]
    timing: Timing

    def address(self, name: str) -> int:
        """Return the address of an exported function."""
        return self.addresses[name]


_loaded: dict[weakref.ref[Linked], llvm.ResourceTracker] = {}
_unused: deque[weakref.ref[Linked]] = deque()
"""The objects of ``_loaded`` that nothing refers to any more. Their death runs no Python code,
because an interrupt that arrives in a finaliser is lost."""


def _unload() -> None:
    """Free the machine code that no object refers to any more."""
    while _unused:
        _loaded.pop(_unused.popleft()).close()


@cache
def _target(level: int = PLAIN) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=_features(), opt=level, reloc="pic",
        codemodel="jitdefault",
    )  # fmt: skip


def _level(text: str, thorough: bool) -> int:
    """Return the level for a text, which may be too long to be compiled thoroughly."""
    short = thorough and text.count("\n") <= THOROUGH_LINES
    return min(most, THOROUGH if short else PLAIN)


class _Linker:
    """The linker for the next modules. The memory that LLVM keeps for an unloaded module is freed
    with its linker only, so a new linker is made from time to time; a module keeps the one that
    linked it."""

    MOST = 64

    def __init__(self) -> None:
        _target()
        # LLJIT takes over the machine that it gets, so it gets one of its own.
        own = llvm.Target.from_default_triple().create_target_machine(reloc="pic")
        self.jit: llvm.LLJIT = llvm.create_lljit_compiler(own)
        self.linked = 0


_linkers: list[_Linker] = []


def _linker() -> llvm.LLJIT:
    if not _linkers or _linkers[-1].linked == _Linker.MOST:
        _linkers[:] = [_Linker()]
    _linkers[-1].linked += 1
    return _linkers[-1].jit


@cache
@shielded
def _features() -> str:
    features: str = llvm.get_host_cpu_features().flatten()
    return features


@cache
def wide_vectors() -> bool:
    """Whether this machine has registers of 8 doubles."""
    return "+avx512f" in _features().split(",")


def _builder(machine: llvm.TargetMachine, level: int) -> llvm.PassBuilder:
    """Return what makes the passes of a level, without those that take long for what they give."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = False  # takes a third of the compile time and gains nothing in lanes
    return llvm.create_pass_builder(machine, options)


_Unit: TypeAlias = llvm.ModuleRef | llvm.ValueRef


def _run(passes: NewPassManager, units: Iterable[_Unit], builder: llvm.PassBuilder) -> None:
    for unit in units:
        passes.run(unit, builder)
    NewPassManager._dispose(passes)  # llvmlite does not do so itself
    passes.detach()


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, level: int) -> None:
    """Run LLVM's passes, always without its vectorisers, since lanes are made before.

    What is marked for it is inlined, and all is simplified once, in a third of the time of O1: what
    loops share is in front of them already. ``THOROUGH``: functions without loops get the
    simplifications of O2. ``QUICK``: only what the stack needs.

    Loops get no pass that asks how often they go round: IndVarSimplify of LLVM 22 makes
    wrong code of nests that are left in the middle (llvm-project 207744, 222490)."""
    builder, first = _builder(machine, 2), llvm.create_new_module_pass_manager()
    first.add_always_inliner_pass()
    first.add_tail_call_elimination_pass()
    _run(first, [module], builder)
    if level == QUICK:
        return
    functions = [f for f in module.functions if not f.is_declaration]
    full = [f for f in functions if level == THOROUGH and _is_straight(f)]
    light = llvm.create_new_function_pass_manager()
    light.add_sroa_pass()
    light.add_simplify_cfg_pass()
    light.add_loop_rotate_pass()
    light.add_instruction_combine_pass()
    light.add_simplify_cfg_pass()
    _run(light, [f for f in functions if f not in full], builder)
    _run(builder.getFunctionPassManager(), full, builder)


def _is_straight(function: llvm.ValueRef) -> bool:
    return any(b"pullback-straight" in a for a in function.attributes)


@shielded
def emit_object(text: str, thorough: bool = False) -> tuple[bytes, Timing]:
    """Return the machine code of a module as an object file in memory."""
    with _lock:
        level = _level(text, thorough)
        machine = _target(level)
        t0 = time.perf_counter()
        module = llvm.parse_assembly(text)
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        t1 = time.perf_counter()
        _optimise(module, machine, level)
        t2 = time.perf_counter()
        image: bytes = machine.emit_object(module)
        t3 = time.perf_counter()
        module.close()
    return image, Timing(t1 - t0, t2 - t1, t3 - t2, 0.0, False)


@shielded
def optimised_text(text: str, thorough: bool = False) -> str:
    """Return the LLVM text after LLVM's passes, to look at."""
    with _lock:
        level = _level(text, thorough)
        machine = _target(level)
        module = llvm.parse_assembly(text)
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        _optimise(module, machine, level)
        return str(module)


@cache
def machine_key() -> str:
    """Return all that machine code depends on beside its text: the machine, LLVM, the runtime."""
    version = ".".join(map(str, llvm.llvm_version_info))
    return digest(_target().triple, llvm.get_host_cpu_name(), _features(), version,
                  llvmlite.__version__, _runtime_digest())  # fmt: skip


def _object(text: str, thorough: bool = False) -> tuple[bytes, Timing]:
    """Return the object of a text, from the cache on disk if it is there."""
    parts = (text, str(_level(text, thorough)), machine_key())
    timing = Timing(0.0, 0.0, 0.0, 0.0, True)

    def compile_() -> bytes:
        nonlocal timing
        image, timing = emit_object(text, thorough)
        return image

    return cached(parts, compile_)[0], timing


# --- linking --------------------------------------------------------------------------------------

_MENTION = re.compile(r"@(\w+)")
_VALUE = re.compile(r"%[\w.]+")


def _link(image: bytes, imports: dict[str, int], exports: tuple[str, ...]) -> llvm.ResourceTracker:
    builder = llvm.JITLibraryBuilder().add_object_img(image)
    for name, address in imports.items():
        if name.encode() in image:  # an import takes more than 1 kB as long as the module lives
            builder.import_symbol(name, address)
    builder.add_current_process()  # libc and libm
    for name in exports:
        builder.export_symbol(name)
    with _lock:
        _unload()
        return builder.link(_linker(), f"pullback{next(_names)}")


@shielded
def runtime_symbols() -> dict[str, int]:
    """Return the addresses of the runtime's functions, which are compiled at the first call."""
    with _lock:
        return _runtime()


def arena_bytes() -> int:
    """Return how much address space an arena has: so much that it takes all memory."""
    page = os.sysconf("SC_PAGE_SIZE")
    return os.sysconf("SC_PHYS_PAGES") * page // (1 << 20) * (1 << 20)


def _runtime_text() -> str:
    return runtime_text(arena_bytes(), os.sysconf("SC_PAGE_SIZE"))


@cache
def _runtime_digest() -> str:
    """What kept code relies on beside its own text: the runtime, and how LLVM is asked. Names of
    the runtime's values are numbered on through a process, so here they count from its beginning.
    """
    names: dict[str, str] = {}
    text = _VALUE.sub(lambda m: names.setdefault(m[0], f"%{len(names)}"), _runtime_text())
    asked = Path(__file__).read_bytes() if Path(__file__).is_file() else b""
    return hashlib.sha256(text.encode() + asked).hexdigest()


@cache
def _runtime() -> dict[str, int]:
    pyabi.verify()
    image, _ = _object(_runtime_text())
    imports = pyabi.symbols() | {
        "pb_make_error": id(make_error), "pb_unusual": id(unusual),
        "pb_call_again": id(call_again), "pb_call_python": id(call_python),
        "pb_main_thread": main_thread_address(), "pb_too_long": id(TooLongError),
        "pb_wanted_threads": wanted_address(),
    }  # fmt: skip
    exports = (*RUNTIME_FUNCTIONS, *CALLED_BY_LOOPS)
    tracker = _link(image, imports, exports)
    keep_forever(tracker)
    keep_forever(_linkers[-1].jit)
    return {name: tracker[name] for name in exports}


def _try_runtime() -> None:
    with suppress(Exception):  # whoever needs the runtime gets the error
        runtime_symbols()


@cache
def compile_runtime() -> threading.Thread:
    """Begin to compile the runtime in a thread, while the front end is at work. The thread ends as
    soon as this is done."""
    thread = threading.Thread(target=_try_runtime, name="pullback-llvm")
    thread.start()
    return thread


def _wait_for_runtime() -> None:
    """Let nobody fork while the thread holds a lock, which its child would find taken for ever."""
    if compile_runtime.cache_info().currsize:
        join(compile_runtime())


os.register_at_fork(before=_wait_for_runtime)


def keep_forever(obj: object) -> None:
    """Keep an object until the process ends, and not only until the interpreter does: residual
    objects call its code when they are freed, which can be later."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(obj))


@shielded
def link_alone(
    text: str, exports: tuple[str, ...], own: Mapping[str, int], thorough: bool
) -> Linked:
    """Compile and load a module that needs no Python, but for memory at the addresses ``own``."""
    image, timing = _object(text, thorough)
    tracker = _link(image, dict(own), exports)
    linked = Linked({name: tracker[name] for name in exports}, timing)
    _loaded[weakref.ref(linked, _unused.append)] = tracker
    return linked


@shielded
def link_text(
    text: str, exports: tuple[str, ...], own: Mapping[str, int] | None = None, *,
    forever: bool = False, thorough: bool = False,
) -> Linked:  # fmt: skip
    """Compile a module of LLVM text and load it, with ``forever`` for the whole life of the
    process; ``own`` has the addresses of symbols of its own. ``thorough``: the machine code should
    be as fast as LLVM can make it."""
    known = {**runtime_symbols(), **pyabi.symbols(), **(own or {})}
    image, timing = _object(text, thorough)
    start = time.perf_counter()
    mentioned = set(_MENTION.findall(text))
    imports = {name: known[name] for name in mentioned if name in known}
    for name in mentioned:
        if name.startswith(PREFIX):
            found = known.get(name)
            imports[name] = foreign_address(name.removeprefix(PREFIX)) if found is None else found
            imports[ONE_THREAD] = one_thread_address()
    tracker = _link(image, imports, exports)
    if has_lines(image):
        note_code(image, {name: tracker[name] for name in exports})
        forever = forever or is_followed()  # profilers may ask for it later
    seconds = time.perf_counter() - start
    linked = Linked(
        {name: tracker[name] for name in exports},
        Timing(timing.parse, timing.optimise, timing.emit, seconds, timing.cached, len(image)),
    )
    if forever:
        keep_forever(tracker)
    else:
        _loaded[weakref.ref(linked, _unused.append)] = tracker
    return linked


assert sys.platform != "win32", "Pullback's native code needs mmap: Linux or macOS"
