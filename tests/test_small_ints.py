"""Arrays of small NumPy integers are read where they lie: nothing is converted at the door, and a
change in place is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call.driver import Request, What, call

A = np.arange(300.0)
C8 = np.array([3, -1, 5, 127, -128], np.int8)
U8 = np.array([3, 200, 255, 0], np.uint8)
I16 = np.array([[3, -4], [5, -32768]], np.int16)
U16 = np.array([3, 40000], np.uint16)
U32 = np.array([1, 2**32 - 1], np.uint32)

PROGRAMS: list[Callable[[Any], Any]] = [
    lambda x: x * np.sum(C8.astype(float)),
    lambda x: x * U8[1] + U8[2] * 1.0 * C8[-1],
    lambda x: np.sum(A[C8[:3]]) * x + A[U8[1]],
    lambda x: sum(x * i * v for i, v in enumerate(U8)) + sum(p * x * q for p, q in zip(U8, C8)),
    lambda x: x * U16[1] + np.sum(I16.T[1] * x) + x * float(U32[1]),
    lambda x: (np.max(U8) - np.min(C8) * 1.0) * x + np.mean(U16) * x + x * np.argmax(U32),
    lambda x: x * len(U8) * U8.shape[0] * I16.ndim * U8.size,
    lambda x: np.sum(np.where(U8 > 100, x, 0.0)) + np.sum(A[:4][U8 >= 200]) * x,
    lambda x: x * (U8[1] % 7) + np.sum((U8 % 7) * x) + np.sum((U32 // 9) * x),
    lambda x: np.sum(U8.reshape(2, 2) @ np.array([x, 1.0])) + np.sum(U8.copy()[::-1] * x),
    lambda x: np.sum(np.ravel(I16)[::-1][:3] * x) + np.sum(np.transpose(I16)[0] * x),
    lambda x: (x if U8[1] else 0.0) + sum(x * r[1] for r in I16) + [x * v for v in C8.tolist()][4],
]


@pytest.mark.parametrize("k", range(len(PROGRAMS)))
def test_programs(k: int) -> None:
    f = PROGRAMS[k]
    value, slope = f(1.5), f(2.5) - f(1.5)  # they are linear
    assert pb.jit(f)(1.5) == pytest.approx(value, rel=1e-14)
    assert pb.grad(f)(1.5) == pytest.approx(slope, rel=1e-12)
    assert pb.grad(f, method="dual")(1.5) == pytest.approx(slope, rel=1e-12)
    assert call(f, (1.5,), Request(What.VALUE), "eval") == pytest.approx(value, rel=1e-14)


def taken(c: Any, x: Any) -> Any:
    return np.sum(A[c[:3]]) * x + np.sum(c * x)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "u4", ">i2", ">u4"])
def test_as_arguments(dtype: str) -> None:
    """In every way in which an array may lie, also in lists and packed."""
    last = np.iinfo(dtype).max
    c = np.array([1, 2, 3, 4, last], dtype)
    odd = np.frombuffer(b"." + c.tobytes(), np.uint8)[1:].view(dtype)
    within = pb.value_and_grad(lambda d, x: taken(d["c"][0], x), argnums=1)
    for v in (c, c[:3][::-1], c[::2][:2], odd, c[:0]):
        expected = taken(v.astype(np.int64), 2.0), taken(v.astype(np.int64), 1.0)
        assert pb.value_and_grad(taken, argnums=1)(v, 2.0) == expected
        assert within({"c": [v, v]}, 2.0) == expected
        assert pb.value_and_grad(lambda x, v=v: taken(v, x))(2.0) == expected
    c[0] = 7  # in place
    assert pb.jit(taken)(c, 2.0) == taken(c.astype(np.int64), 2.0)
    packed = pb.pack({"c": [c, c]})
    assert within(packed, 2.0)[1] == taken(c.astype(np.int64), 1.0)
    again = pb.unpack(packed)["c"][1]
    assert again.dtype == np.dtype(dtype).newbyteorder("=") and again.tolist() == c.tolist()


def test_nothing_is_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the general way, which builds values again, nor a copy is taken."""
    big = np.zeros(1000, np.uint8)
    captured = pb.jit(lambda a: np.sum(a[big[:5]]))
    passed = pb.jit(lambda a, c: np.sum(a[c[:5]]))
    within = pb.jit(lambda a, d: np.sum(a[d["c"][0][:5]]))
    assert captured(A) == passed(A, big) == within(A, {"c": [big]}) == 0.0
    for module in ("specialised", "packed"):
        monkeypatch.setattr(f"pullback.call.{module}.usual", None, raising=False)
        monkeypatch.setattr(f"pullback.call.{module}.normalised", None, raising=False)
    big[3] = 250
    assert captured(A) == passed(A, big) == within(A, {"c": [big]}) == 250.0
    assert pb.grad(lambda x: x * big[3])(1.0) == 250.0


def test_another_dtype_is_another_type() -> None:
    f = pb.jit(lambda x, c: x * c[0])
    for dtype in ("u1", "i1", "u2", "i2", "u4", "i4", "i8", "f4", "u1", "i1"):
        assert f(1.0, np.array([200], "u2").astype(dtype)) == (-56.0 if dtype == "i1" else 200.0)


def test_parts_that_meet_with_numbers_of_the_same_dtype() -> None:
    def f(x: Any, c: Any, flag: Any) -> Any:
        first = c[0] if flag else c[1] % 3
        for v in c:
            first = v if v > first else first
        return x * first

    for flag in (True, False):
        assert pb.jit(f)(1.0, U8, flag) == f(1.0, U8, flag) == 255.0
