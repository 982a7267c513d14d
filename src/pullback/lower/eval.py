"""The evaluator of loop code: its meaning, on a simulated memory. For tests.

Fresh and released memory is overwritten, and an access outside allocated memory is an
error. ``closures.py`` has the instructions."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from mmap import mmap
from typing import cast

import numpy as np

from pullback.core import numpy_sorts, pocketfft
from pullback.core.frozen import dataclass, field
from pullback.core.lapack import foreign_address
from pullback.lower.eval_parts import SIZE, Code, Content, Number, Translator
from pullback.lower.loopcode import Module, Ty
from pullback.lower.own_memory import RESULT

FORMAT = {Ty.F64: "<d", Ty.F32: "<f", Ty.I64: "<q", Ty.I32: "<i", Ty.I16: "<h", Ty.I8: "<b",
          Ty.I1: "<?", Ty.PTR: "<q"}
POISON = b"\xcd"
ARENAS = ("inputs", "temp", "residual", "store", "tape", "ids")


@dataclass
class Arena:
    """Memory from ``base`` on, allocated up to ``top``; ``peak`` is the most it ever had."""

    memory: mmap
    base: int
    end: int
    top: int
    peak: int = 0

    def alloc(self, n: int, gaps: bool = True) -> int:
        """The address of ``n`` fresh bytes."""
        align = 64 if n >= 64 and gaps else 8
        at = -(-self.top // align) * align
        self.top = at + n
        if self.top > self.end:
            raise MemoryError("the simulated memory is full")
        fresh = self.top - self.base - self.peak
        if fresh > 0:
            self.memory[self.top - fresh : self.top] = POISON * fresh
            self.peak += fresh
        return at

    def release(self, to: int) -> None:
        """Give back memory; it is overwritten."""
        assert self.base <= to <= self.top, "releasing what was never allocated"
        self.memory[to : self.top] = POISON * (self.top - to)
        self.top = to


@dataclass
class Machine:
    """Memory and the functions that run on it. Every function is translated when it is first
    called."""

    module: Module
    size: int = 1 << 22
    steps: int = 0
    memory: mmap = field(init=False)
    arenas: dict[str, Arena] = field(init=False)

    def __post_init__(self) -> None:
        # Pages that nothing uses cost nothing.
        self.memory = mmap(-1, self.size * (len(ARENAS) + 1))
        at = [self.size * (k + 1) for k in range(len(ARENAS))]
        arenas = [Arena(self.memory, a, a + self.size, a) for a in at]
        self.arenas = dict(zip(ARENAS, arenas, strict=True))
        self.arenas[RESULT] = self.arenas["temp"]
        self._arenas = (Arena(self.memory, 0, 0, 0), *arenas)
        self._codes: dict[str, Code] = {}

    # --- memory -----------------------------------------------------------------------------------

    def check(self, at: int, n: int) -> None:
        """An access of ``n`` bytes must be within what some arena has allocated."""
        k = at // self.size
        if not (0 < k < len(self._arenas) and at + n <= self._arenas[k].top):
            raise AssertionError(f"access of {n} bytes at {at:#x} outside allocated memory")

    def getter(self, ty: Ty) -> Callable[[int], Number]:
        """What reads a number of a type at an address."""
        check, memory, n = self.check, self.memory, SIZE[ty]
        unpack = struct.Struct(FORMAT[ty]).unpack_from

        def get(at: int) -> Number:
            check(at, n)
            out: Number = unpack(memory, at)[0]
            return out

        def get_bool(at: int) -> Number:
            check(at, n)
            return bool(memory[at] & 1)

        def get_single(at: int) -> Number:
            return np.float32(get(at))  # type: ignore[return-value]  # its sums are rounded

        return {Ty.I1: get_bool, Ty.F32: get_single}.get(ty, get)

    def putter(self, ty: Ty) -> Callable[[int, Number], None]:
        """What writes a number of a type at an address."""
        check, memory, n = self.check, self.memory, SIZE[ty]
        pack = struct.Struct(FORMAT[ty]).pack_into

        def put(at: int, x: Number) -> None:
            check(at, n)
            pack(memory, at, x)

        return put

    def get(self, at: int, ty: Ty) -> Number:
        """The number at an address."""
        return self.getter(ty)(at)

    def put(self, at: int, ty: Ty, x: Number) -> None:
        """Write a number."""
        self.putter(ty)(at, x)

    def cells(self, n: int) -> int:
        """The offset of ``n`` fresh accumulators in the store; they are zero."""
        store = self.arenas["store"]
        at = store.alloc(8 * n)
        self.memory[at : at + 8 * n] = bytes(8 * n)
        return (at - store.base) // 8

    def copy(self, to: int, source: int, n: int) -> None:
        """Copy bytes, which may overlap."""
        if n:
            self.check(to, n)
            self.check(source, n)
            self.memory[to : to + n] = self.memory[source : source + n]

    def start(self) -> int:
        """The address of the simulated memory in the process."""
        return ctypes.addressof((ctypes.c_char * 1).from_buffer(self.memory))

    # --- running ----------------------------------------------------------------------------------

    def call(self, name: str, args: Sequence[Number]) -> list[Number]:
        """Run a function on leaves."""
        with np.errstate(all="ignore"):
            return self.run(name, args)

    def run(self, name: str, args: Sequence[Content]) -> list[Number]:
        """Run a function that is called by another one."""
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = Code()
            Translator(self, code).function(self.module.functions[name])
        frame = code.template.copy()
        frame[: code.params] = args
        code.run(frame)
        return [frame[k] for k in code.results]

    def foreign(self, routine: str, args: Sequence[str | tuple[Ty, Content]]) -> int:
        """Call a routine of LAPACK, a loop of NumPy's or a sort, on the simulated memory."""
        if routine.startswith(numpy_sorts.PREFIX):
            self.sort(routine, [cast(int, a[1]) for a in args])
            return 0
        if routine.startswith(pocketfft.PREFIX):
            self.transform(routine, [cast(int, a[1]) for a in args])
            return 0
        base, info = self.start(), ctypes.c_int(0)
        given: list[object] = []
        for a in args:
            match a:
                case str():
                    given.append(ctypes.c_char_p(a.encode()))
                case (Ty.PTR, int(at)):
                    given.append(ctypes.c_void_p(base + at))
                case (Ty.F64, float(x)):
                    given.append(ctypes.byref(ctypes.c_double(x)))
                case (_, n):
                    assert isinstance(n, int)
                    given.append(ctypes.byref(ctypes.c_int(n)))
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(given) + 1))
        kind(foreign_address(routine))(*given, ctypes.byref(info))
        return info.value

    def sort(self, routine: str, args: Sequence[int]) -> None:
        """Call a sort of NumPy's; where it finds places, equal elements stay in their order."""
        *arrays, n = args
        for at in arrays:
            self.check(at + 8 * (n - 1), 8)
        run = numpy_sorts.run if len(arrays) == 1 else numpy_sorts.run_settled
        run(routine, *(self.start() + at for at in arrays), n)

    def transform(self, routine: str, args: Sequence[int]) -> None:
        """Call a loop of NumPy's."""
        source, to, factor, rows, before, after, row, item, out_row, out_item = args
        if rows:
            for at, step, count, size in (
                (source, row, before, item), (to, out_row, after, out_item)
            ):
                self.check(at + (rows - 1) * step + (count - 1) * size, size)
        pocketfft.run(
            routine.removeprefix(pocketfft.PREFIX), self.start() + source, factor,
            self.start() + to, (rows, before), after, (row, item), (out_row, out_item),
        )  # fmt: skip
