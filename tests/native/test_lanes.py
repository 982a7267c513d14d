"""Lanes: vector loads and stores, gathers, scatters, colliding additions, sums in a fixed order."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.lower.loopcode import LANES, Imm, Offset, Reg, Ty
from pullback.native import ArrayOf, EntrySignature, PyBool, PyFloat, PyInt, compile_module
from tests.native.code import B, Code, F, I, P, f64, function, i64, module

VECTOR, INDICES = ArrayOf(F, 1), ArrayOf(I, 1)


def entry(f, params, results, *more):
    return compile_module(module(f, *more), EntrySignature(tuple(params), results)).call


def tree_sum(lanes: np.ndarray) -> float:
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    return float(lanes[0])


def test_sum_of_squares_in_lanes() -> None:
    def body(c: Code, p: Reg, n: Reg, s: Reg) -> tuple[Reg, ...]:
        whole = c.op("and", n, i64(-LANES))

        def step(b: Code, i: Reg, acc: tuple[Reg, ...]) -> tuple[Reg]:
            x = b.load(p, i, lanes=LANES)
            return (b.op("add", acc[0], b.op("mul", x, x)),)

        (acc,) = c.loop(i64(0), whole, (f64(0.0),), step, LANES, LANES)

        def rest(b: Code, i: Reg, acc: tuple[Reg, ...]) -> tuple[Reg]:
            x = b.load(p, i)
            return (b.op("add", acc[0], b.op("mul", x, x)),)

        return c.loop(whole, n, (c.op("lane_sum", acc, lanes=1),), rest)

    call = entry(function("main", (P, I, I), body), [VECTOR], PyFloat())
    x = np.arange(1003.0)
    assert call(x) == np.sum(x**2)


def test_lane_sum_is_a_tree() -> None:
    f = function("main", (P, I, I), lambda c, p, n, s: (
        c.op("lane_sum", c.load(p, i64(0), lanes=LANES), lanes=1),))  # fmt: skip
    call = entry(f, [VECTOR], PyFloat())
    x = np.random.default_rng(0).normal(size=LANES) * 10.0 ** np.arange(LANES)
    assert call(x) == tree_sum(x)


@pytest.mark.parametrize("ty, dtype", [(F, "f8"), (Ty.F32, "f4"), (I, "i8"), (Ty.I32, "i4"),
                                       (B, "?")])  # fmt: skip
def test_gather_and_scatter(ty: Ty, dtype: str) -> None:
    def body(c: Code, p: Reg, n: Reg, s: Reg, q: Reg, m: Reg, t: Reg) -> tuple[Reg, ...]:
        out = c.alloc(i64(LANES), ty)
        index = c.load(q, i64(0), I, LANES)
        x = c.load(p, c.op("mul", index, s), ty, LANES)
        c.store(out, c.op("sub", i64(LANES - 1), c.op("iota", i64(0), lanes=LANES)), x)
        return out, i64(LANES), i64(1)

    call = entry(function("main", (P, I, I, P, I, I), body), [ArrayOf(ty, 1), INDICES],
                 ArrayOf(ty, 1))  # fmt: skip
    rng = np.random.default_rng(1)
    x = rng.integers(0, 100 if ty is not B else 2, 40).astype(dtype)[::2]
    index = rng.integers(0, 20, LANES)
    np.testing.assert_array_equal(call(x, index), x[index][::-1])


def test_scatter_writes_lanes_in_order() -> None:
    def body(c: Code) -> tuple[Reg, ...]:
        out = c.alloc(i64(1))
        c.store(out, c.op("splat", i64(0), lanes=LANES), c.op("to_real",
                c.op("iota", i64(0), lanes=LANES), ty=F))  # fmt: skip
        return (c.load(out, i64(0)),)

    assert entry(function("main", (), body), [], PyFloat())() == LANES - 1


def test_colliding_additions() -> None:
    def body(c: Code, p: Reg, n: Reg, s: Reg, q: Reg, m: Reg, t: Reg) -> tuple[Reg, ...]:
        out = c.alloc(i64(4))
        c.loop(i64(0), i64(4), (), lambda b, i, _: b.store(out, i, f64(0.0)) or ())

        def step(b: Code, i: Reg, acc: tuple[Reg, ...]) -> tuple[Reg, ...]:
            b.at_add(out, b.load(q, i, I, LANES), b.load(p, i, F, LANES))
            return ()

        c.loop(i64(0), n, (), step, LANES)
        return out, i64(4), i64(1)

    call = entry(function("main", (P, I, I, P, I, I), body), [VECTOR, INDICES], VECTOR)
    rng = np.random.default_rng(2)
    x, index = rng.normal(size=80), rng.integers(0, 4, 80)
    want = np.zeros(4)
    np.add.at(want, index, x)
    np.testing.assert_array_equal(call(x, index), want)


def test_additions_to_consecutive_places_and_varying_pointers() -> None:
    def body(c: Code, p: Reg, n: Reg, s: Reg) -> tuple[Reg, ...]:
        out = c.alloc(i64(2 * LANES))
        c.loop(i64(0), i64(2 * LANES), (), lambda b, i, _: b.store(out, i, f64(1.0)) or ())
        x = c.load(p, i64(0), F, LANES)
        c.at_add(out, i64(LANES), x)
        high = c.op("gt", x, f64(0.0), ty=B)
        second = Reg("second", P)
        c.add(Offset(second, out, i64(LANES), F))
        base = c.op("select", high, second, out, ty=P)
        lane = c.op("iota", i64(0), lanes=LANES)
        c.at_add(base, lane, f64(10.0))
        y = c.load(base, lane, F, LANES)
        c.store(base, lane, y)
        return out, i64(2 * LANES), i64(1)

    call = entry(function("main", (P, I, I), body), [VECTOR], VECTOR)
    x = np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0, -8.0])
    want = np.ones(16)
    want[8:] += x
    want[np.arange(8) + np.where(x > 0, 8, 0)] += 10.0
    np.testing.assert_array_equal(call(x), want)


def test_masks() -> None:
    """Newton's square root, lane by lane, while any lane is alive."""

    def body(c: Code, p: Reg, n: Reg, s: Reg) -> tuple[Reg, ...]:
        x = c.load(p, i64(0), F, LANES)
        start = c.op("splat", f64(1.0), lanes=LANES)
        y, going = Reg("y", F, LANES), Reg("going", B, LANES)
        k = Reg("k", I)
        from pullback.lower.loopcode import WhileCode

        test, step = Code(), Code()
        alive = test.op("lane_or", going, lanes=1)
        better = step.op("mul", f64(0.5), step.op("add", y, step.op("div", x, y)))
        new = step.op("select", going, better, y)
        error = step.op("abs", step.op("sub", step.op("mul", new, new), x))
        still = step.op("gt", error, step.op("mul", f64(1e-14), x), ty=B)
        still = step.op("and", still, going)
        more = step.op("add", k, i64(1))
        dsts = Reg("y", F, LANES), Reg("g", B, LANES), Reg("k", I)
        c.add(WhileCode((y, going, k), (start, Imm(True, B), i64(0)), test.region(alive),
                        step.region(new, still, more), dsts))  # fmt: skip
        out = c.alloc(i64(LANES))
        c.store(out, i64(0), dsts[0])
        any_left = c.op("lane_or", dsts[1], lanes=1)
        return out, i64(LANES), i64(1), dsts[2], any_left

    call = entry(function("main", (P, I, I), body), [VECTOR], (VECTOR, PyInt(), PyBool()))
    x = np.array([1.0, 2.0, 4.0, 100.0, 1e4, 0.25, 3.0, 1e-4])
    y, steps, left = call(x)
    np.testing.assert_allclose(y, np.sqrt(x), rtol=1e-12)
    assert 5 < steps < 20 and left is False
