"""Data as it is found: what lies in memory in another way is read as the array that it is, and what
computes in a way of its own is refused by name, with what to write."""

from __future__ import annotations

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
    (np.array([200, 100], np.uint8), r"uint8 is not supported.*\n.*a.astype\(np.int64\)"),
    (np.array([200, 100], np.int16), r"int16 is not supported.*\n.*a.astype\(np.int64\)"),
    (np.array([1.0, 2.0], np.float16), r"float16 is not supported.*\n.*a.astype\(np.float64\)"),
    ([np.uint8(3), np.uint8(4)], r"uint8 is not supported, at arg1\[0\]\n.*float\(x\)"),
    (np.ma.array([1.0, 2.0], mask=[0, 1]), r"a MaskedArray.*\n.*x.filled\(0.0\)"),
    (Column(np.ones(2)), r"a Column cannot be indexed"),
    (range(3), r"type range is not supported.*\n.*list\(r\)"),
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
