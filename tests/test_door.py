"""Data as it is found: what lies in memory in another way is read as the array that it is, and what
computes in a way of its own is refused by name, with what to write."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb

DATA = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])


def read_only(a: np.ndarray) -> np.ndarray:
    a.flags.writeable = False
    return a


def mapped(a: np.ndarray, path: Path) -> np.ndarray:
    file = np.memmap(path / "data", dtype=a.dtype, shape=a.shape, mode="w+")
    file[...] = a
    return file


def misaligned(a: np.ndarray) -> np.ndarray:
    return np.frombuffer(b"." + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape)


WAYS: dict[str, Any] = {
    "big-endian": lambda a, _: a.astype(a.dtype.newbyteorder(">")),
    "memory-mapped": mapped,
    "big-endian file": lambda a, path: mapped(a.astype(a.dtype.newbyteorder(">")), path),
    "Fortran": lambda a, _: np.asfortranarray(a),
    "strided": lambda a, _: np.repeat(a, 2, axis=1)[:, ::2],
    "backwards": lambda a, _: a[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda a, _: read_only(a.copy()),
    "misaligned": lambda a, _: misaligned(a),
    "broadcast": lambda a, _: np.broadcast_to(a[:1], a.shape),
    "empty": lambda a, _: a[:0],
}


@dataclass(frozen=True)
class Leaf:
    data: np.ndarray


@dataclass(frozen=True)
class Node:
    left: Leaf | Node
    right: Leaf | Node


def total(w, a):
    out = 0.0
    for row in a:
        out += w * float(np.sum(row * row)) + float(row[0]) * w * w
    return out


def in_dict(w, data):
    return total(w, data["rows"]) + total(w, data["more"][0])


def in_tree(w, tree):
    match tree:
        case Leaf(data):
            return total(w, data)
        case Node(left, right):
            return in_tree(w, left) * in_tree(w, right)


CASES = [(total, lambda a: a, d) for d in (np.float64, np.float32, np.int64, np.int32)]
CASES += [
    (in_dict, lambda a: {"rows": a, "more": [a, a]}, np.float64),
    (in_dict, lambda a: {"rows": a, "more": [a, a]}, np.int32),
    (in_tree, lambda a: Node(Leaf(a), Leaf(a)), np.float64),
]


@pytest.mark.parametrize(("f", "hold", "dtype"), CASES)
def test_an_array_is_read_as_it_lies(f: Any, hold: Any, dtype: Any, tmp_path: Path) -> None:
    """The same numbers as those of a plain copy, as data and as what is differentiated by."""
    real = np.dtype(dtype).kind == "f"
    both = pb.value_and_grad(f, argnums=(0, 1) if real else 0)
    for way in WAYS.values():
        a = way(DATA.astype(dtype), tmp_path)
        want = both(0.5, hold(np.array(a, dtype)))
        assert repr(both(0.5, hold(a))) == repr(want)


def test_captured_packed_and_as_a_direction(tmp_path: Path) -> None:
    for name in ("big-endian", "memory-mapped", "big-endian file", "misaligned"):
        a = WAYS[name](DATA, tmp_path)
        assert pb.grad(lambda w: total(w, a))(0.5) == pb.grad(total)(0.5, DATA)
        packed = pb.pack({"rows": a, "more": [a, a]})
        plain = {"rows": DATA, "more": [DATA]}
        assert pb.grad(in_dict)(0.5, packed) == pb.grad(in_dict)(0.5, plain)
        along = pb.jvp(lambda a: total(0.5, a), (DATA,), (a,))
        assert along == pb.jvp(lambda a: total(0.5, a), (DATA,), (DATA,))
        assert pb.jit(total)(0.5, a) == total(0.5, DATA)
        assert pb.grad(total, method="dual")(0.5, a) == pb.grad(total)(0.5, DATA)
        out, pull = pb.vjp(lambda w: total(w, a), 0.5)
        assert (out, pull(1.0)[0]) == pb.value_and_grad(total)(0.5, DATA)


def test_a_number_of_another_byte_order() -> None:
    assert pb.grad(lambda x: x * x)(np.array(3.0, ">f8")) == 6.0


def test_nothing_inside_depends_on_the_map(tmp_path: Path) -> None:
    a = mapped(DATA, tmp_path)
    with pytest.raises(pb.PullbackError, match="whether an array is memory-mapped"):
        pb.jit(lambda a: 1.0 if isinstance(a, np.memmap) else 2.0)(a)
    assert pb.jit(lambda a: 1.0 if isinstance(a, np.ndarray) else 2.0)(a) == 1.0


class Column:
    """As a Series or a tensor: it computes in a way of its own."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.values

    def __len__(self) -> int:
        return len(self.values)


ODD: list[tuple[Any, str]] = [
    (np.array([200, 100], np.uint64), r"uint64 is not supported.*\n.*a.astype\(np.float64\)"),
    (np.array([1.0, 2.0], np.float16), r"float16 is not supported.*\n.*a.astype\(np.float64\)"),
    ([np.uint64(3), np.uint64(4)], r"uint64 is not supported, at arg1\[0\]\n.*float\(x\)"),
    (np.ones(2).view(np.recarray), r"a recarray.*\n.*np.asarray"),
    (Column(np.ones(2)), r"'Column' object is not subscriptable"),
]


@pytest.mark.parametrize(("data", "said"), ODD)
def test_what_computes_in_a_way_of_its_own_is_refused(data: Any, said: str) -> None:
    """Bytes wrap at 256, halves round to 11 bits, masked items are passed over."""
    with pytest.raises(TypeError, match=said):
        pb.grad(lambda w, a: w * a[0])(2.0, data)


@pytest.mark.parametrize("x", [3, np.int64(3), True])
def test_an_int_is_nothing_to_differentiate_by(x: Any) -> None:
    with pytest.raises(TypeError, match=r"no real number to differentiate by\n.*float\(x\)"):
        pb.grad(lambda x: x * x)(x)


@pytest.mark.parametrize("x", [np.array([1, 2]), np.array([True])])
def test_an_array_of_ints_is_nothing_to_differentiate_by(x: Any) -> None:
    with pytest.raises(TypeError, match=r"no real number .*\n.*a.astype\(float\)"):
        pb.grad(lambda x: np.sum(x * x))(x)


# --- small ints -----------------------------------------------------------------------------------

IMAGE = np.array([[250, 3, 7], [0, 128, 255]], np.uint8)
LABELS = np.array([2, 0, 1, 2], np.int16)
WEIGHTS = np.linspace(-1.0, 1.0, 9).reshape(3, 3)


def counted(a):
    counts = np.zeros(3, int)
    for k in a:
        counts[k] += 1
    return counts


def filled(a, x):
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = a[i]
    out[1:] += a[1:] * x
    return out


def named(a):
    total = 0.0
    for k in a:
        match k:
            case 0:
                total += 1.0
            case 1 | 2:
                total += 10.0
    return total


SMALL: list[tuple[Any, tuple[Any, ...]]] = [
    (lambda a: (a / 255, a / 255.0, a * 0.5, a[1, 2] / 255, a / a[0]), (IMAGE,)),
    (lambda a, w: (a @ w, w @ a.T, np.dot(a, w), w * a[0], w[0] - a), (IMAGE, WEIGHTS)),
    (lambda a, w: (w**a[0, 1], w // (a[0] + 1.0), a[1] % 2 == 0, a[0] & 1 > 0), (IMAGE, WEIGHTS)),
    (lambda a: (a + np.int64(300), a * np.arange(3), a // np.int64(-3)), (IMAGE,)),
    (lambda a: (a.astype(float), a.astype(np.float32), a.astype(int), a[0].tolist()), (IMAGE,)),
    (lambda a: (a.mean(), np.mean(a), a.mean(axis=0), np.argmax(a), a.shape, len(a)), (IMAGE,)),
    (lambda a: (a.max() / 2.0, float(np.min(a)), a.reshape(-1) / 2.0, a.T[2] / 2.0), (IMAGE,)),
    (lambda a: (a == 255, a > 127, a[0] < 300, np.where(a > 3, 1.0, 0.0), np.any(a)), (IMAGE,)),
    (lambda a: (float(a[0]), int(a[1]), bool(a[1]), not a[1], math.sqrt(a[0])), (LABELS,)),
    (lambda a, w: (w[a[:2]], w[a[0], a[1]], w[: a[2]], [1.0, 2.0, 3.0][a[3]]), (LABELS, WEIGHTS)),
    (lambda a, w: ([v for k, v in zip(a, w) if k], [i for i in range(a[0])]), (LABELS, WEIGHTS)),
    (lambda a: ([k / 2 for k in list(a)], any(a), all(a), max(a) * 0.5), (LABELS,)),
    (lambda a: (isinstance(a, np.ndarray), isinstance(a[0], np.integer)), (LABELS,)),
    (lambda a: (isinstance(a[0], int), (a[0] if a[1] > 1 else a[2]) * 0.5), (LABELS,)),
    (lambda a: (np.array(a, float), np.asarray(a, dtype=np.int64)), (LABELS,)),
    (lambda k, ks: (k * 0.5, ks[1] * 0.5, ks[0] == ks[1]), (np.uint8(7), [np.uint8(3)] * 2)),
    (counted, (LABELS,)), (filled, (LABELS, 0.5)), (named, (LABELS,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), SMALL)
def test_small_ints_are_data(f: Any, args: Any) -> None:
    """Where NumPy's result is the one of int64, of its dtype; also for what an int64 is given."""
    compiled = pb.jit(f)
    for given in (args, tuple(x.astype(np.int64) if hasattr(x, "dtype") and x.dtype.kind in "iu"
                              else x for x in args)):  # fmt: skip
        got, want = compiled(*given), f(*given)
        both = zip(got, want) if isinstance(want, tuple) else [(got, want)]
        for a, b in both:
            assert type(a) is type(b) and getattr(a, "dtype", 0) == getattr(b, "dtype", 0)
            np.testing.assert_array_equal(a, b)


WRAPS: list[Any] = [
    lambda a: a + 1, lambda a: a + a, lambda a: a[0] * 2, lambda a: -a, lambda a: 300 // a,
    lambda a: a * np.float32(2.0), lambda a: a * np.int32(2), lambda a: a % 1000, np.exp, np.sum,
    lambda a: a.sum(), lambda a: sum(a), abs, lambda a: a.dtype,
    lambda a: isinstance(a[0], np.int64), lambda a: a, lambda a: [1.0, a[0]], np.sort,
    lambda a: np.where(a > 1, a, 0), lambda a: type(a),
]  # fmt: skip


@pytest.mark.parametrize("f", WRAPS, ids=range(len(WRAPS)))
def test_what_numpy_computes_in_the_small_dtype_is_refused(f: Any) -> None:
    with pytest.raises(pb.PullbackError, match=r"\bu?int8"):
        pb.jit(f)(IMAGE.ravel())


def test_an_update_does_not_reach_small_ints() -> None:
    def f(a):
        b = a.copy()
        b[0] = 300
        return b[0] * 1.0

    with pytest.raises(pb.PullbackError, match="uint8"):
        pb.jit(f)(IMAGE[0])


def likelihood(w, images, labels):
    z = images / 255.0 @ w
    return sum(np.log(np.sum(np.exp(z[i]))) - z[i, k] for i, k in enumerate(labels))


def test_derivatives_beside_small_ints() -> None:
    data = IMAGE, LABELS[:2]
    want = pb.grad(likelihood)(WEIGHTS, *(a.astype(np.int64) for a in data))
    gradient = pb.grad(likelihood)
    for images in (data[0], np.repeat(data[0], 2, axis=1)[:, ::2], np.asfortranarray(data[0])):
        assert np.array_equal(gradient(WEIGHTS, images, data[1].astype(">i2")), want)
    assert np.array_equal(pb.grad(lambda w: likelihood(w, *data))(WEIGHTS), want)
    of_dict = pb.grad(lambda w, d: likelihood(w, d["a"], d["b"]))
    packed = pb.pack({"a": data[0], "b": data[1]})
    assert np.array_equal(of_dict(WEIGHTS, packed), want)
    _, pull = pb.vjp(likelihood, WEIGHTS, *data)
    assert np.array_equal(pull(1.0)[0], want) and pull(1.0)[1:] == (None, None)
    pb.check_grads(likelihood, (WEIGHTS, *data))
    assert np.isclose(pb.jvp(likelihood, (WEIGHTS, *data), (want, None, None))[1], np.sum(want**2))
    assert np.allclose(pb.grad(likelihood, method="dual")(WEIGHTS, *data), want)
    assert np.array_equal(pb.jit(lambda *args: pb.grad(likelihood)(*args))(WEIGHTS, *data), want)
    halves = pb.vmap(lambda k, row: row[k] * 0.5)(data[1], data[0])
    assert np.array_equal(halves, [data[0][0, 2] * 0.5, data[0][1, 0] * 0.5])
    with pytest.raises(TypeError, match=r"argument 1 is an array of uint8.*no real number"):
        pb.grad(likelihood, argnums=1)(WEIGHTS, *data)
