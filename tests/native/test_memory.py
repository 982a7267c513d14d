"""Arenas, the accumulator store, deep recursion, residual objects."""

from __future__ import annotations

import gc
import resource
import threading

import numpy as np
import pytest

from pullback.core.waiting import join
from pullback.lower.loopcode import AccMark, AccRelease, Copy, Offset, Reg, Ty
from pullback.native import (
    ArrayOf,
    EntrySignature,
    PyFloat,
    PyInt,
    compile_entries,
    compile_module,
)
from tests.native.code import B, Code, F, I, P, f64, function, i64, module

VECTOR = ArrayOf(F, 1)


def entry(f, params, results, *more):
    return compile_module(module(f, *more), EntrySignature(tuple(params), results)).call


def test_mark_and_release_keep_a_loop_in_constant_memory() -> None:
    def step(c: Code, i: Reg, acc: tuple[Reg, ...]) -> tuple[Reg]:
        m = c.mark()
        p = c.alloc(i64(1000))
        c.store(p, i64(999), c.op("to_real", i, ty=F))
        x = c.load(p, i64(999))
        c.release(m)
        return (c.op("add", acc[0], x),)

    f = function("main", (I,), lambda c, n: c.loop(i64(0), n, (f64(0.0),), step))
    call = entry(f, [PyInt()], PyFloat())
    n = 10_000_000  # 80 GB without Release
    assert call(n) == n * (n - 1) / 2


def test_an_arena_that_is_full_is_a_memory_error() -> None:
    def body(c: Code, n: Reg) -> tuple[Reg]:
        p = c.alloc(n)
        c.store(p, i64(0), f64(3.0))
        return (c.load(p, i64(0)),)

    call = entry(function("main", (I,), body), [PyInt()], PyFloat())
    for n in (1 << 44, 1 << 60, -1):
        with pytest.raises(MemoryError):
            call(n)
    assert call(1) == 3.0


def resident() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def test_memory_goes_back_after_a_big_call() -> None:
    def body(c: Code, n: Reg) -> tuple[Reg]:
        p, q = c.alloc(n), c.alloc(n, arena="residual")
        c.loop(i64(0), n, (), lambda b, i, _: b.store(p, i, f64(1.0)) or ())
        c.add(Copy(q, p, n, F))
        return (c.load(q, c.op("sub", n, i64(1))),)

    call = entry(function("main", (I,), body), [PyInt()], PyFloat())
    call(1000)
    before = resident()
    assert call(20_000_000) == 1.0  # 320 MB
    assert resident() - before < 200 << 20
    assert call(20_000_000) == 1.0


@pytest.mark.parametrize("shift", [1, 5_000_000])
@pytest.mark.parametrize("forwards", [True, False])
def test_large_pieces_of_memory_that_overlap_are_moved_as_a_whole(
    forwards: bool, shift: int
) -> None:
    count = 5_000_000  # 40 MB: in pieces, between which signals are looked for

    def body(c: Code, n: Reg) -> tuple[Reg, Reg, Reg]:
        p = c.alloc(c.op("add", n, i64(shift)))
        whole = c.op("add", n, i64(shift))
        c.loop(i64(0), whole, (), lambda b, i, _: b.store(p, i, b.op("to_real", i, ty=F)) or ())
        q = Reg("q", P)
        c.add(Offset(q, p, i64(shift), F))
        c.add(Copy(q, p, n, F) if forwards else Copy(p, q, n, F))
        last = c.op("sub", n, i64(1))
        moved = q if forwards else p
        return c.load(moved, i64(0)), c.load(moved, i64(2_100_000)), c.load(moved, last)

    call = entry(function("main", (I,), body), [PyInt()], (PyFloat(),) * 3)
    begin = 0.0 if forwards else float(shift)
    assert call(count) == (begin, begin + 2_100_000.0, begin + count - 1.0)


def lazily_free() -> int:
    """Bytes that are resident only until the system needs them."""
    with open("/proc/self/smaps_rollup") as f:
        return sum(int(line.split()[1]) << 10 for line in f if line.startswith("LazyFree"))


def faults() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt


def test_memory_that_calls_need_again_is_not_touched_anew() -> None:
    def body(c: Code, n: Reg) -> tuple[Reg]:
        m = Reg("m", I)
        c.add(AccMark(m))
        p, q = c.alloc(n), c.alloc(n, arena="residual")
        at, base = c.acc_alloc(n)
        cells = Reg("cells", P)
        c.add(Offset(cells, base, at, F))
        c.loop(i64(0), n, (), lambda b, i, _: b.store(p, i, f64(1.0)) or ())
        c.add(Copy(q, p, n, F))
        c.loop(i64(0), n, (), lambda b, i, _: b.at_add(cells, i, b.load(q, i)) or ())
        c.add(AccRelease(m))
        return (c.load(cells, c.op("sub", n, i64(1))),)

    call = entry(function("main", (I,), body), [PyInt()], PyFloat())
    large = 16_000_000  # 128 MB in each of three arenas
    call(1000)
    before = resident()
    call(large)
    assert resident() - before < 250 << 20  # 64 MB of each may stay
    call(large)
    touched = faults()
    for _ in range(3):
        assert call(large) == 1.0
        assert call(1000) == 1.0
        assert call(large - 1000) == 1.0
    assert faults() - touched < 300  # 1 for each 2 MB; without that, 500 and more for each call
    assert resident() - lazily_free() - before < 250 << 20
    for _ in range(200):
        call(1000)
    assert resident() - before < 250 << 20


def test_cells_are_zero_each_time() -> None:
    def body(c: Code, n: Reg) -> tuple[Reg, ...]:
        m = Reg("m", I)
        c.add(AccMark(m))
        at, base = c.acc_alloc(n)
        p = Reg("p", P)
        c.add(Offset(p, base, at, F))

        def touch(b: Code, i: Reg, acc: tuple[Reg, ...]) -> tuple[Reg]:
            old = b.load(p, i)
            b.at_add(p, i, f64(5.0))
            return (b.op("add", acc[0], old),)

        (dirt,) = c.loop(i64(0), n, (f64(0.0),), touch)
        c.add(AccRelease(m))
        again, _ = c.acc_alloc(n)
        last = c.op("add", again, c.op("sub", n, i64(1)))
        return at, again, dirt, c.load(base, last)

    call = entry(function("main", (I,), body), [PyInt()], (PyInt(), PyInt(), PyFloat(), PyFloat()))
    for n in (10, 3, 1000, 10, 9_000_000, 9_000_000, 2000):
        assert call(n) == (0, 0, 0.0, 0.0)


def countdown(c: Code, n: Reg, x: Reg) -> tuple[Reg, ...]:
    """Not a tail call: f(n, x) = x + 1 if n == 0 else f(n - 1, x) * 1 + 1."""
    done = c.op("eq", n, i64(0), ty=B)

    def deeper(b: Code) -> tuple[Reg, ...]:
        (y,) = b.call("main", (F,), b.op("sub", n, i64(1)), x)
        return (b.op("sin", b.op("add", y, f64(1.0))),)

    return c.branch(done, lambda b: (b.op("move", x),), deeper)


def test_deep_recursion() -> None:
    call = entry(function("main", (I, F), countdown), [PyInt(), PyFloat()], PyFloat())
    assert 0 < call(100_000, 0.5) < 1
    assert 0 < call(1_000_000, 0.5) < 1
    got = []
    thread = threading.Thread(target=lambda: got.append(call(1_000_000, 0.5)))
    thread.start()
    join(thread)
    assert got == [call(1_000_000, 0.5)]


def test_recursion_that_does_not_end() -> None:
    call = entry(function("main", (I, F), countdown), [PyInt(), PyFloat()], PyFloat())
    before = resident()
    for _ in range(2):
        with pytest.raises(RecursionError, match="maximum recursion depth"):
            call(-1, 0.5)
    assert resident() - before < 200 << 20
    assert 0 < call(1000, 0.5) < 1


def forward(c: Code, p: Reg, n: Reg, s: Reg) -> tuple[Reg, ...]:
    """sum of x^2; keeps a copy of 2 x in the residual arena and a handle of n cells."""
    q = c.alloc(n, arena="residual")
    h, _ = c.acc_alloc(n)

    def step(b: Code, i: Reg, acc: tuple[Reg, ...]) -> tuple[Reg]:
        x = b.load(p, b.op("mul", i, s))
        b.store(q, i, b.op("add", x, x))
        return (b.op("add", acc[0], b.op("mul", x, x)),)

    (t,) = c.loop(i64(0), n, (f64(0.0),), step)
    big = c.op("gt", t, f64(100.0), ty=B)
    return t, q, p, s, n, h, big


KEPT = (P, P, I, I, I, B)


def reverse(c: Code, q: Reg, p: Reg, s: Reg, n: Reg, h: Reg, big: Reg, ct: Reg) -> tuple[Reg, ...]:
    base = c.acc_alloc(i64(1))[1]
    cells = Reg("cells", P)
    c.add(Offset(cells, base, h, F))
    out = c.alloc(n)

    def step(b: Code, i: Reg, acc: tuple[Reg, ...]) -> tuple[Reg, ...]:
        b.at_add(cells, i, b.op("mul", b.load(q, i), ct))
        b.store(out, i, b.load(cells, i))
        return (b.op("add", acc[0], b.load(p, b.op("mul", i, s))),)

    (again,) = c.loop(i64(0), n, (f64(0.0),), step)
    first = c.op("select", big, f64(1.0), f64(0.0))
    return out, n, i64(1), again, first


def pair():
    fwd = function("fwd", (P, I, I), forward)
    rev = function("rev", (*KEPT, F), reverse)
    compiled = compile_entries(
        module(fwd, rev),
        {
            "fwd": EntrySignature((VECTOR,), PyFloat(), keep=KEPT),
            "rev": EntrySignature((PyFloat(),), (VECTOR, PyFloat(), PyFloat()), resume=KEPT),
        },
    )
    return compiled.call["fwd"], compiled.call["rev"]


def test_a_pullback_can_be_called_again_later_and_from_threads() -> None:
    fwd, rev = pair()
    x = np.arange(7000.0)[::2]
    want = x.copy()
    value, residual = fwd(x)
    assert value == np.sum(want**2)
    other = fwd(np.ones(5))
    x[:] = -1.0  # the arguments are kept, not borrowed
    for ct in (1.0, 2.5, 1.0):
        got, again, big = rev(residual, ct)
        np.testing.assert_array_equal(got, 2 * want * ct)
        assert again == np.sum(want) and big == 1.0
    assert rev(other[1], 1.0)[2] == 0.0
    wrong = []

    def work(ct: float) -> None:
        for _ in range(200):
            if not np.array_equal(rev(residual, ct)[0], 2 * want * ct):
                wrong.append(ct)

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        join(t)
    assert not wrong


def test_residual_objects_are_freed_and_not_mixed_up() -> None:
    fwd, rev = pair()
    x = np.ones(300_000)
    fwd(x)
    before = resident()
    for _ in range(300):  # 1.4 GB altogether
        fwd(x)
    gc.collect()
    assert resident() - before < 50 << 20
    other = compile_entries(
        module(function("g", (F,), lambda c, v: (v, v))),
        {"g": EntrySignature((PyFloat(),), PyFloat(), keep=(F,))},
    )
    _, foreign = other.call["g"](1.0)
    with pytest.raises(ValueError):
        rev(foreign, 1.0)
    with pytest.raises(ValueError):
        rev(None, 1.0)
    assert rev(fwd(x)[1], 1) is NotImplemented


def test_many_live_residuals() -> None:
    fwd, rev = pair()
    held = [fwd(np.full(3, float(k)))[1] for k in range(3000)]
    assert [rev(h, 1.0)[0][0] for h in held] == [2.0 * k for k in range(3000)]


def test_truth_values_are_bytes_in_memory() -> None:
    def body(c: Code, p: Reg, n: Reg, s: Reg) -> tuple[Reg, ...]:
        q = c.alloc(n, B)

        def step(b: Code, i: Reg, acc: tuple[Reg, ...]) -> tuple[Reg, ...]:
            b.store(q, i, b.op("not", b.load(p, b.op("mul", i, s), B)))
            return ()

        c.loop(i64(0), n, (), step)
        return q, n, i64(1)

    boxes = ArrayOf(Ty.I1, 1)
    call = entry(function("main", (P, I, I), body), [boxes], boxes)
    x = np.array([True, False, False, True])
    np.testing.assert_array_equal(call(x), ~x)
