"""Leaves (``marshal``) as machine values, and back: nodes and nested arrays in raw memory.

What the machine values of a type are, and what a node looks like in memory, is said in ``lower``
(``values.leaves``): a node is its tag and one 8-byte slot per machine value of its fields; an array
of anything but numbers is one array per machine value of its element.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import cast

import numpy as np

from pullback.call.store import Cells
from pullback.call.trees import TY_OF_DTYPE
from pullback.core.types import (
    Array,
    Bool,
    Decl,
    Handle,
    Int,
    Named,
    Real,
    Type,
)
from pullback.core.values import Node, dtype_of
from pullback.lower.loopcode import Ty
from pullback.lower.values import leaves as machine_types
from pullback.native import (
    RECORD_CELLS,
    ArrayOf,
    Leaf,
    NpScalar,
    Pointer,
    PyBool,
    PyFloat,
    PyInt,
)

Decls = dict[str, Decl]

_SLOT = {
    Ty.F64: "d", Ty.F32: "f4x", Ty.I64: "q", Ty.I32: "i4x", Ty.I1: "?7x", Ty.PTR: "q"
}  # fmt: skip
_COLUMN: dict[Ty, type[np.generic]] = {
    Ty.F64: np.float64, Ty.F32: np.float32, Ty.I64: np.int64, Ty.I32: np.int32, Ty.I1: np.bool_,
    Ty.PTR: np.int64,
}  # fmt: skip


_RAW: dict[Ty, Leaf] = {
    Ty.F64: PyFloat(), Ty.F32: NpScalar(Ty.F32), Ty.I64: PyInt(), Ty.I32: NpScalar(Ty.I32),
    Ty.I1: PyBool(), Ty.PTR: Pointer(),
}  # fmt: skip


def is_scalar(t: Type) -> bool:
    """Whether the type is a number or a truth value."""
    return isinstance(t, Real | Int | Bool)


def is_simple(t: Type) -> bool:
    """Whether an entry point reads and makes a leaf of this type itself."""
    return is_scalar(t) or (isinstance(t, Array) and is_scalar(t.elem))


def signature_leaves(t: Type) -> tuple[Leaf, ...]:
    """What an entry point takes and gives for a leaf of this type."""
    match t:
        case Real(64):
            return (PyFloat(),)
        case Real():
            return (NpScalar(Ty.F32),)
        case Int(64):
            return (PyInt(),)
        case Int():
            return (NpScalar(Ty.I32),)
        case Bool():
            return (PyBool(),)
        case Array(elem, rank) if is_scalar(elem):
            return (ArrayOf(TY_OF_DTYPE[dtype_of(elem).name], rank),)
        case _:
            return tuple(_RAW[ty] for ty in machine_types(t))


class Memory:
    """The machine values of one call's arguments, with the memory that they point to.

    ``copy``: arrays are copied, so that nothing points to memory of the caller."""

    def __init__(self, decls: Decls, copy: bool = False) -> None:
        self.decls = decls
        self.copy = copy
        self.keep: list[np.ndarray] = []
        self.addresses: dict[int, int] = {}

    def arguments(self, t: Type, leaf: object) -> Sequence[object]:
        """What is passed to the entry point for a leaf."""
        match t:
            case Int(32):
                return (np.int32(_int(leaf)),)
            case _ if is_simple(t):
                return (leaf,)
            case _:
                return self.words(t, leaf)

    def words(self, t: Type, leaf: object) -> list[object]:
        """The machine values of a leaf, arrays by address."""
        match t:
            case Named():
                return [self.addresses[id(leaf)]]
            case Array(elem, rank):
                assert isinstance(leaf, np.ndarray) and leaf.ndim == rank
                return self._array(elem, leaf)
            case Handle():
                assert isinstance(leaf, Cells)
                return [leaf.offset, *leaf.shape, *_c_strides(leaf.shape)]
            case _:
                return [leaf]

    def _array(self, elem: Type, a: np.ndarray) -> list[object]:
        if is_scalar(elem):
            size = a.itemsize
            if self.copy:
                a = a.copy()
            self.keep.append(a)
            return [address(a), *a.shape, *(s // size for s in a.strides)]
        types = machine_types(elem)
        rows = [self.words(elem, x) for x in a.ravel()]
        columns: list[np.ndarray] = [
            np.array([row[j] for row in rows], _COLUMN[ty]) for j, ty in enumerate(types)
        ]
        self.keep += columns
        return [*map(address, columns), *a.shape, *_c_strides(a.shape)]

    def place(self, nodes: Iterable[tuple[str, Node]]) -> None:
        """Lay these nodes (declaration, node), the innermost first, out in one block of memory."""
        placed: list[tuple[_Form, Node, int]] = []
        size = 0
        for name, node in nodes:
            form = _form(self.decls[name].variants[node.tag].fields)
            placed.append((form, node, size))
            size += form.packed.size
        block = np.empty(size // 8, np.int64)
        self.keep.append(block)
        base = address(block)
        buffer = block.data.cast("B")
        for form, node, at in placed:
            words: list[object] = [node.tag]
            for t, leaf in zip(form.fields, node.fields, strict=True):
                words += self.words(t, leaf)
            form.packed.pack_into(buffer, at, *words)
            self.addresses[id(node)] = base + at


class _Form:
    """The layout of the nodes of one variant."""

    def __init__(self, fields: tuple[Type, ...]) -> None:
        self.fields = fields
        self.sizes = [len(machine_types(t)) for t in fields]
        slots = "".join(_SLOT[ty] for t in fields for ty in machine_types(t))
        self.packed = struct.Struct("<q" + slots)


_form = cache(_Form)


def address(a: np.ndarray) -> int:
    """Where the first element of an array is."""
    return int(a.__array_interface__["data"][0])


def _c_strides(shape: Sequence[int]) -> list[int]:
    strides: list[int] = []
    n = 1
    for extent in reversed(shape):
        strides.append(n)
        n *= extent
    return strides[::-1]


class Reader:
    """Makes leaves of machine values that point into memory which is still alive."""

    def __init__(self, decls: Decls) -> None:
        self.decls = decls
        self.nodes: dict[int, Node] = {}
        self.unread: list[tuple[str, int]] = []

    def leaves(self, types: Iterable[Type], values: Iterable[object]) -> list[object]:
        """The leaves that an entry point returned as these values."""
        given = iter(values)
        out = [next(given) if is_simple(t) else self.leaf(t, given) for t in types]
        while self.unread:
            self._node(*self.unread.pop())
        return out

    def leaf(self, t: Type, words: Iterator[object]) -> object:
        """The leaf that the next machine values stand for."""
        match t:
            case Named(name):
                where = next(words)
                assert isinstance(where, int)
                if where not in self.nodes:
                    tag = ctypes.c_int64.from_address(where).value
                    self.nodes[where] = Node(tag)
                    self.unread.append((name, where))
                return self.nodes[where]
            case Array(elem, rank):
                return self._array(elem, rank, words)
            case Handle(rank):
                return tuple(next(words) for _ in range(1 + 2 * rank))
            case Real(32):
                return np.float32(cast(float, next(words)))
            case _:
                return next(words)

    def _node(self, name: str, where: int) -> None:
        node = self.nodes[where]
        form = _form(self.decls[name].variants[node.tag].fields)
        raw = ctypes.string_at(where, form.packed.size)
        words = iter(form.packed.unpack(raw)[1:])
        node.fields = tuple(self.leaf(t, words) for t in form.fields)

    def _array(self, elem: Type, rank: int, words: Iterator[object]) -> np.ndarray:
        types = machine_types(elem)
        pointers = [_int(next(words)) for _ in types]
        shape = tuple(_int(next(words)) for _ in range(rank))
        strides = tuple(_int(next(words)) for _ in range(rank))
        columns = [_copied(p, ty, shape, strides) for p, ty in zip(pointers, types, strict=False)]
        if is_scalar(elem):
            return columns[0]
        out = np.empty(columns[0].size, np.object_)
        for i, row in enumerate(zip(*(c.ravel().tolist() for c in columns), strict=True)):
            out[i] = self.leaf(elem, iter(row))
        return out.reshape(shape)


def _int(x: object) -> int:
    assert isinstance(x, int)
    return x


def _copied(pointer: int, ty: Ty, shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
    """A C-contiguous copy of strided memory."""
    dtype = np.dtype(_COLUMN[ty])
    if 0 in shape:
        return np.empty(shape, dtype)
    spans = [(n - 1) * s for n, s in zip(shape, strides, strict=False)]
    low, high = sum(x for x in spans if x < 0), sum(x for x in spans if x > 0)
    size = dtype.itemsize
    raw = np.frombuffer(ctypes.string_at(pointer + low * size, (high - low + 1) * size), dtype)
    return np.lib.stride_tricks.as_strided(
        raw[-low:], shape, tuple(s * size for s in strides)
    ).copy()


# --- what a residual object keeps ----------------------------------------------------------------


def kept_cells(residual: object) -> int:
    """How many cells of accumulators the forward run numbered."""
    return ctypes.c_int64.from_address(_record(residual) + RECORD_CELLS).value


def _record(residual: object) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found = get(residual, b"pullback.residual")
    assert isinstance(found, int)
    return found
