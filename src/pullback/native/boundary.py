"""Compiled conversions of one layout: Python builtins, made when they are first needed."""

from __future__ import annotations

from functools import cache, cached_property

from pullback.lower.loopcode import Ty
from pullback.native import blocks, pyabi
from pullback.native.compile import Linked, keep_forever, link_text
from pullback.native.decode import Decoder
from pullback.native.encode import Encoder, Names
from pullback.native.module import Builtin, new_builtin
from pullback.native.runtime_ir import RUNTIME_FUNCTIONS
from pullback.native.shapes import Layout, root_words

_PYTHON = {
    "PyLong_AsLongLongAndOverflow": ("i64", "ptr, ptr"),
    "PyLong_FromLongLong": ("ptr", "i64"),
    "PyFloat_FromDouble": ("ptr", "double"),
    "PyArray_Scalar": ("ptr", "ptr, ptr, ptr"),
    "PyCapsule_New": ("ptr", "ptr, ptr, ptr"),
    "PyCapsule_GetPointer": ("ptr", "ptr, ptr"),
    "PyObject_GenericGetAttr": ("ptr", "ptr, ptr"),
    "PyObject_GenericSetAttr": ("i32", "ptr, ptr, ptr"),
    "PyType_GenericAlloc": ("ptr", "ptr, i64"),
    "pb_object_new": ("ptr", "ptr, ptr, ptr"),
    "PyTuple_New": ("ptr", "i64"),
    "PyList_New": ("ptr", "i64"),
    "PyErr_Clear": ("void", ""),
    "PyObject_GC_UnTrack": ("void", "ptr"),
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

    encode(value, first cell, copy) -> (block, address of its words, cell after its last) or
    NotImplemented if the value is not of this layout; the block points to the arrays of the value
    unless they are copied. gradient(block, cells, cotangents by value) and value(block) make the
    user's own objects."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    @property
    def words(self) -> tuple[Ty, ...]:
        """The machine values of an argument."""
        return root_words(self.layout)

    @cached_property
    def encode(self) -> Builtin:
        """From the value to a block."""
        names = Names()
        return _builtin("encode", Encoder(self.layout, names).text(), names)

    @cached_property
    def gradient(self) -> Builtin:
        """From a block and what was accumulated to the gradient."""
        names = Names()
        return _builtin("decode", Decoder(self.layout, names, True).text(), names)

    @cached_property
    def value(self) -> Builtin:
        """From a block to the value."""
        names = Names()
        return _builtin("decode", Decoder(self.layout, names, False).text(), names)


def _builtin(name: str, text: str, names: Names) -> Builtin:
    own = {symbol: id(obj) for symbol, obj in zip(names.found.values(), names.objects)}
    linked: Linked = link_text(
        _declarations() + names.declarations() + text, (name,), {**_blocks(), **own}
    )
    return new_builtin(name, linked.address(name), [linked, names])


__all__ = ["Conversion"]
