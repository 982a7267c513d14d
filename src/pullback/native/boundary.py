"""Compiled conversions of one layout: Python builtins, made when they are first needed."""

from __future__ import annotations

from functools import cache, cached_property

from pullback.lower.loopcode import Ty
from pullback.native import blocks, pyabi
from pullback.native.compile import Linked, keep_forever, link_text
from pullback.native.decode import Decoder, Reading
from pullback.native.decode_results import ResultDecoder
from pullback.native.encode import Encoder
from pullback.native.encode_values import Names
from pullback.native.module import Builtin, new_builtin
from pullback.native.runtime_ir import RUNTIME_FUNCTIONS
from pullback.native.seed import Seeder
from pullback.native.shapes import Layout, root_words, tangent_words

_PYTHON = {
    "PyLong_AsLongLongAndOverflow": ("i64", "ptr, ptr"),
    "PyLong_FromLongLong": ("ptr", "i64"),
    "PyFloat_FromDouble": ("ptr", "double"),
    "PyArray_Scalar": ("ptr", "ptr, ptr, ptr"),
    "PyArray_Empty": ("ptr", "i32, ptr, ptr, i32"),
    "PyCapsule_New": ("ptr", "ptr, ptr, ptr"),
    "PyCapsule_GetPointer": ("ptr", "ptr, ptr"),
    "PyObject_GenericGetAttr": ("ptr", "ptr, ptr"),
    "PyObject_GenericSetAttr": ("i32", "ptr, ptr, ptr"),
    "PyType_GenericAlloc": ("ptr", "ptr, i64"),
    "pb_object_new": ("ptr", "ptr, ptr, ptr"),
    "PyTuple_New": ("ptr", "i64"),
    "PyList_New": ("ptr", "i64"),
    "PyErr_Clear": ("void", ""),
    "PyDict_GetItem": ("ptr", "ptr, ptr"),
    "PyList_GetItem": ("ptr", "ptr, i64"),
    "PyDict_Next": ("i32", "ptr, ptr, ptr, ptr"),
    "PyDict_New": ("ptr", ""),
    "PyDict_SetItem": ("i32", "ptr, ptr, ptr"),
    "PyDict_Size": ("i64", "ptr"),
    "PyObject_RichCompareBool": ("i32", "ptr, ptr, i32"),
    "PyObject_GC_UnTrack": ("void", "ptr"),
    "llvm.memset.p0.i64": ("void", "ptr, i8, i64, i1"),
    "PyGC_Disable": ("i32", ""),
    "PyGC_Enable": ("i32", ""),
    "Py_IncRef": ("void", "ptr"),
    "Py_DecRef": ("void", "ptr"),
}


def _declarations() -> str:
    functions = {**_PYTHON, **blocks.FUNCTIONS, **RUNTIME_FUNCTIONS}
    lines = [f"declare {ret} @{name}({params})" for name, (ret, params) in functions.items()]
    objects = (*pyabi.object_names(), blocks.CAPSULE_NAME)
    return "\n".join([*lines, *(f"@{name} = external global i8" for name in objects), ""])


@cache
def _blocks() -> dict[str, int]:
    """The addresses of the runtime of blocks; compiled when first called."""
    exports = (*blocks.FUNCTIONS, blocks.CAPSULE_NAME)
    linked = link_text(blocks.blocks_text(), exports)
    keep_forever(linked.tracker)  # blocks may die when the interpreter ends
    return {name: linked.address(name) for name in exports}


class Conversion:
    """The conversions of one layout.

    encode(value, first cell, copy, tangent) -> (block, address of its words, cell after its last)
    or NotImplemented if the value is not of this layout (or, in dual space, the tangent not of its
    form); the block points to the arrays of the value unless they are copied. gradient(block,
    cells, cotangents by value) and value(block) make the user's own objects, result(residual, slot,
    slot of what is beside the leaves) and result_tangent those of an entry that kept its results.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    @property
    def words(self) -> tuple[Ty, ...]:
        """The machine values of an argument."""
        return root_words(self.layout)

    @property
    def tangent_words(self) -> tuple[Ty, ...]:
        """The machine values of its tangents, which come after these."""
        return tangent_words(self.layout)

    @cached_property
    def encode(self) -> Builtin:
        """From the value to a block."""
        names = Names()
        return _builtin("encode", Encoder(self.layout, names).text(), names)

    @cached_property
    def gradient(self) -> Builtin:
        """From a block and what was accumulated to the gradient."""
        return self._decoder(Decoder, Reading.GRADIENT)

    @cached_property
    def value(self) -> Builtin:
        """From a block to the value."""
        return self._decoder(Decoder, Reading.VALUE)

    @cached_property
    def result(self) -> Builtin:
        """From a residual object to a result."""
        return self._decoder(ResultDecoder, Reading.VALUE)

    @cached_property
    def result_tangent(self) -> Builtin:
        """From a residual object to the tangent of a result."""
        return self._decoder(ResultDecoder, Reading.TANGENT)

    @cached_property
    def seed(self) -> Builtin:
        """seed(residual, slot, slot of the handles, cotangent, cells): the cotangent of a result
        added into cells; NotImplemented if it does not have the form of the result."""
        return self._decoder(Seeder, Reading.GRADIENT)

    def _decoder(self, printer: type[Decoder], reading: Reading) -> Builtin:
        names = Names()
        return _builtin("decode", printer(self.layout, names, reading).text(), names)


def _builtin(name: str, text: str, names: Names) -> Builtin:
    own = {symbol: id(obj) for symbol, obj in zip(names.found.values(), names.objects)}
    linked: Linked = link_text(
        _declarations() + names.declarations() + text, (name,), {**_blocks(), **own}
    )
    return new_builtin(name, linked.address(name), [linked, names])


__all__ = ["Conversion"]
