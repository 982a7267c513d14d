"""Entry points: arguments, results, errors."""

from __future__ import annotations

import math
import threading
import traceback

import numpy as np
import pytest

from pullback.core.terms import Site
from pullback.core.waiting import join
from pullback.lower.loopcode import Reg, Ty
from pullback.native import (
    ArrayOf,
    EntrySignature,
    Nothing,
    NpScalar,
    Pointer,
    PyBool,
    PyFloat,
    PyInt,
    compile_module,
)
from tests.native.code import B, Code, F, I, P, f64, function, i64, module

VECTOR = ArrayOf(F, 1)


def entry(f, params, results, *more):
    return compile_module(module(f, *more), EntrySignature(tuple(params), results)).call


def test_scalar_function() -> None:
    f = function("exp", (F, F), lambda c, x, y: (c.op("sin", c.op("mul", x, y)),))
    call = entry(f, [PyFloat(), PyFloat()], PyFloat())
    assert call(2.0, 3.0) == math.sin(6.0)
    assert call.__name__ == "exp"  # which is also a function of libm
    assert call(2, 3.0) is NotImplemented
    assert call(2.0) is NotImplemented
    assert call(np.float64(2.0), 3.0) is NotImplemented
    with pytest.raises(TypeError):
        call(2.0, y=3.0)


def test_every_leaf_and_a_tuple_come_back() -> None:
    types = (F, I, B, F, Ty.F32, I, Ty.I32, B, P)
    f = function("same", types, lambda c, *ps: ps)
    leaves = [
        PyFloat(), PyInt(), PyBool(), NpScalar(F), NpScalar(Ty.F32), NpScalar(I),
        NpScalar(Ty.I32), NpScalar(B), Pointer(),
    ]  # fmt: skip
    call = entry(f, [leaves[0], (leaves[1], (leaves[2], leaves[3])), *leaves[4:], Nothing()],
                 (leaves[0], (leaves[1], leaves[2]), *leaves[3:], Nothing()))  # fmt: skip
    values = (np.float64(3.5), np.float32(0.1), np.int64(-4), np.int32(-5), np.True_, 4096)
    got = call(1.5, (-(2**63), (True, values[0])), *values[1:], None)
    assert got == (1.5, (-(2**63), True), *values, None)
    assert [type(v) for v in got[2:-1]] == [type(v) for v in values]
    assert call(1.5, (2**63, (True, values[0])), *values[1:], None) is NotImplemented
    assert call(1.5, (1, (1, values[0])), *values[1:], None) is NotImplemented
    assert call(1.5, (1, (True, values[0])), *values[1:], 0) is NotImplemented
    assert call(1.5, (1,), *values[1:], None) is NotImplemented


def total(c: Code, p: Reg, n: Reg, s: Reg) -> tuple[Reg]:
    return c.loop(
        i64(0), n, (f64(0.0),),
        lambda b, i, acc: (b.op("add", acc[0], b.load(p, b.op("mul", i, s))),),
    )  # fmt: skip


def test_arrays_are_read_in_place_with_their_strides() -> None:
    call = entry(function("total", (P, I, I), total), [VECTOR], PyFloat())
    x = np.arange(10.0)
    assert call(x) == 45.0
    assert call(x[::-3]) == 9.0 + 6.0 + 3.0 + 0.0
    assert call(x[:0]) == 0.0
    assert call(np.broadcast_to(np.float64(2.0), (5,))) == 10.0
    for other in (np.arange(10), x.reshape(2, 5), x.astype(">f8"), [1.0], np.float32([1.0]),
                  np.ma.array([1.0])):  # fmt: skip
        assert call(other) is NotImplemented
    raw = np.zeros(17, np.uint8)
    assert call(raw[1:].view(np.float64)) is NotImplemented  # not aligned
    record = np.zeros(3, [("a", "f8"), ("b", "i4")])
    assert call(record["a"]) is NotImplemented  # strides of 12 bytes


@pytest.mark.parametrize("dtype, ty", [("f8", F), ("f4", Ty.F32), ("i8", I), ("i4", Ty.I32),
                                       ("?", B)])  # fmt: skip
def test_arrays_of_every_type_come_back_as_copies(dtype: str, ty: Ty) -> None:
    f = function("same", (P, *(I,) * 6), lambda c, *ps: ps)
    call = entry(f, [ArrayOf(ty, 3)], ArrayOf(ty, 3))
    x = (np.arange(210).reshape(5, 6, 7) % 5).astype(dtype)
    for view in (x, x[::2, ::-1, 1::3], x.T, x[:, :0], np.broadcast_to(x[:1], (4, 6, 7))):
        got = call(view)
        assert got.dtype == x.dtype and got.flags.c_contiguous and got.flags.owndata
        np.testing.assert_array_equal(got, view)
        assert not np.shares_memory(got, x)


def test_references_are_balanced() -> None:
    import sys

    f = function("same", (P, I, I, B), lambda c, *ps: (*ps,))
    call = entry(f, [VECTOR, PyBool()], (VECTOR, PyBool()))
    x = np.ones(3)
    before = sys.getrefcount(x), sys.getrefcount(x.dtype), sys.getrefcount(NotImplemented)
    for _ in range(100):
        call(x, True)
        call(x, None)
    after = sys.getrefcount(x), sys.getrefcount(x.dtype), sys.getrefcount(NotImplemented)
    assert before == after


SITE = Site("/somewhere/model.py", 12, 4, 12, 9, "the_function")


def test_an_error_becomes_an_exception_with_the_users_line() -> None:
    def body(c: Code, x: Reg, n: Reg) -> tuple[Reg]:
        (y,) = c.call("inner", (F,), x, n)
        return (c.op("add", y, y),)

    def inner(c: Code, x: Reg, n: Reg) -> tuple[Reg]:
        bad = c.op("ge", n, i64(3), ty=B)
        c.raise_if(bad, "IndexError", "index {0} is too much for {b}", n, x, SITE)
        return (c.op("div", f64(1.0), x),)

    call = entry(function("main", (F, I), body), [PyFloat(), PyInt()], PyFloat(),
                 function("inner", (F, I), inner))  # fmt: skip
    assert call(4.0, 2) == 0.5
    with pytest.raises(IndexError, match=r"index 7 is too much for 2\.5") as e:
        call(2.5, 7)
    frame = traceback.extract_tb(e.value.__traceback__)[-1]
    assert (frame.filename, frame.lineno, frame.name) == (SITE.file, 12, "the_function")
    assert call(4.0, 2) == 0.5  # nothing broken behind


def test_messages_with_braces_of_the_user() -> None:
    def body(c: Code, x: Reg) -> tuple[Reg]:
        c.raise_if(c.op("lt", x, f64(0.0), ty=B), "ValueError", "not in {a set}")
        return (x,)

    call = entry(function("main", (F,), body), [PyFloat()], PyFloat())
    with pytest.raises(ValueError, match=r"not in \{a set\}"):
        call(-1.0)


def test_many_results() -> None:
    def multiples(c: Code, x: Reg) -> tuple[Reg, ...]:
        return tuple(c.op("mul", x, f64(float(k))) for k in range(20))

    f = function("inner", (F,), multiples)
    g = function("main", (F,), lambda c, x: c.call("inner", (F,) * 20, x))
    call = entry(g, [PyFloat()], (PyFloat(),) * 20, f)
    assert call(2.0) == tuple(2.0 * k for k in range(20))


def test_two_threads_in_one_entry() -> None:
    def body(c: Code, p: Reg, n: Reg, s: Reg) -> tuple[Reg, ...]:
        q = c.alloc(n)
        c.loop(i64(0), n, (), lambda b, i, _: b.store(q, i, b.load(p, i)) or ())
        (t,) = total(c, q, n, i64(1))
        return t, q, n, i64(1)

    call = entry(function("main", (P, I, I), body), [VECTOR], (PyFloat(), VECTOR))
    wrong = []

    def work(k: int) -> None:
        x = np.full(20_000, float(k))
        for _ in range(50):
            t, y = call(x)
            if t != k * 20_000 or not np.array_equal(x, y):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        join(t)
    assert not wrong


def test_a_signal_stops_a_loop() -> None:
    import signal
    import time

    def body(c: Code, n: Reg) -> tuple[Reg, ...]:
        def step(b: Code, s: tuple[Reg, ...]) -> tuple[Reg, ...]:
            return (b.op("add", s[0], n),)

        return c.repeat((i64(0),), lambda b, s: b.op("ge", s[0], i64(0), ty=B), step)

    call = entry(function("main", (I,), body), [PyInt()], PyInt())
    # A shell lets what it runs in the background ignore SIGINT.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT))
        start = time.thread_time()
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            call(0)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert time.thread_time() - start < 5.0
    assert call(1 << 62) < 0
