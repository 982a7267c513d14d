"""Compiled conversions of one layout: Python builtins, made when they are first needed."""

from __future__ import annotations

from functools import cache, cached_property

from pullback.call.block_layout import Layout
from pullback.call.code.decoder import Decoder
from pullback.call.code.encoder import Encoder
from pullback.call.code.raw import RawDecoder
from pullback.call.code.reading import Reading
from pullback.call.code.results import ResultDecoder
from pullback.call.code.seeder import Seeder
from pullback.call.code.writing import Names
from pullback.core.frozen import dataclass
from pullback.lower.loopcode import Ty
from pullback.native import blocks, pyabi
from pullback.native.builtin import Builtin, new_builtin
from pullback.native.compile import Linked, link_text
from pullback.native.runtime_ir import RUNTIME_FUNCTIONS

_PYTHON = {
    "PyLong_AsLongLongAndOverflow": ("i64", "ptr, ptr"),
    "PyLong_FromLongLong": ("ptr", "i64"),
    "PyFloat_FromDouble": ("ptr", "double"),
    "PyArray_Scalar": ("ptr", "ptr, ptr, ptr"),
    "PyArray_Empty": ("ptr", "i32, ptr, ptr, i32"),
    "PyCapsule_New": ("ptr", "ptr, ptr, ptr"),
    "PyCapsule_GetPointer": ("ptr", "ptr, ptr"),
    "PyObject_GenericGetAttr": ("ptr", "ptr, ptr"),
    "PyObject_GenericGetDict": ("ptr", "ptr, ptr"),
    "PyObject_GenericSetAttr": ("i32", "ptr, ptr, ptr"),
    "PyType_GenericAlloc": ("ptr", "ptr, i64"),
    "pb_object_new": ("ptr", "ptr, ptr, ptr"),
    "PyTuple_New": ("ptr", "i64"),
    "PyList_New": ("ptr", "i64"),
    "PySequence_List": ("ptr", "ptr"),
    "PyObject_CallOneArg": ("ptr", "ptr, ptr"),
    "PyObject_CallNoArgs": ("ptr", "ptr"),
    "PyErr_Clear": ("void", ""),
    "PyErr_SetObject": ("void", "ptr, ptr"),
    "PyDict_GetItem": ("ptr", "ptr, ptr"),
    "PyObject_GetItem": ("ptr", "ptr, ptr"),
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
def block_functions() -> dict[str, int]:
    """The addresses of the runtime of blocks; compiled when first called."""
    exports = (*blocks.FUNCTIONS, blocks.CAPSULE_NAME)
    # The interpreter may free blocks when it ends.
    linked = link_text(blocks.blocks_text(), exports, forever=True)
    return {name: linked.address(name) for name in exports}


@dataclass(frozen=True, slots=True, eq=False)
class Raw:
    """A conversion that compiled code calls: its address, as long as this object lives."""

    address: int
    keep: tuple[object, ...]


class Conversion:
    """The conversions of one layout.

    encode(value, first cell, copy, tangent) -> (block, address of its words, cell after its last)
    or NotImplemented if the value is not of this layout (or, in dual space, the tangent not of its
    form); the block points to the arrays of the value unless they are copied. gradient(block,
    cells, cotangents by value) and value(block) make the user's own objects, result(residual, slot,
    slot of what is beside the leaves) and result_tangent those of an entry that kept its results.
    """

    by_itself = True  # whether all is compiled code, which an entry point can call

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.space: str = layout.space.value

    @property
    def words(self) -> tuple[Ty, ...]:
        """The machine values of an argument."""
        return self.layout.words()

    @property
    def tangent_words(self) -> tuple[Ty, ...]:
        """The machine values of its tangents, which come after these."""
        return self.layout.tangent_words()

    @property
    def encode(self) -> Builtin:
        """Convert a value: returns a block."""
        return self._encoders[0]

    @property
    def encode_raw(self) -> Raw:
        """``encode`` for compiled code: (memory, object, first cell, copy, tangent) -> whether a
        block is in this memory now."""
        return self._encoders[1]

    @property
    def gradient(self) -> Builtin:
        """Make the gradient of a block and of the cotangents that were accumulated."""
        return self._gradient

    @cached_property
    def gradient_raw(self) -> Raw:
        """``gradient`` for compiled code: (block, cells, words of the cotangents by value)."""
        names = Names()
        text = RawDecoder(self.layout, names, Reading.GRADIENT).text()
        return _raw(_link(text, names, "decode_raw"), names, "decode_raw")

    @property
    def value(self) -> Builtin:
        """Make the value of a block."""
        return self._value

    @property
    def result(self) -> Builtin:
        """Make a result of the words in a residual object."""
        return self._results[0]

    @property
    def result_raw(self) -> Raw:
        """``result`` for compiled code: (slots, slots of what is beside the leaves, null, null)."""
        return self._results[1]

    @property
    def result_tangent(self) -> Builtin:
        """Make the tangent of a result of the words in a residual object."""
        return self._result_tangents[0]

    @property
    def result_tangent_raw(self) -> Raw:
        """``result_tangent`` for compiled code, as ``result_raw``."""
        return self._result_tangents[1]

    @property
    def seed(self) -> Builtin:
        """seed(residual, slot, slot of the handles, cotangent, cells): the cotangent of a result
        added into cells; NotImplemented if it does not have the form of the result."""
        return self._seeders[0]

    # --- made when they are first needed ---

    @cached_property
    def _encoders(self) -> tuple[Builtin, Raw]:
        names = Names()
        return _linked(Encoder(self.layout, names).text(), names, "encode")

    @cached_property
    def _gradient(self) -> Builtin:
        names = Names()
        text = Decoder(self.layout, names, Reading.GRADIENT).text()
        return _linked(text, names, "decode")[0]

    @cached_property
    def _value(self) -> Builtin:
        names = Names()
        return _linked(Decoder(self.layout, names, Reading.VALUE).text(), names, "decode")[0]

    @cached_property
    def _results(self) -> tuple[Builtin, Raw]:
        names = Names()
        text = ResultDecoder(self.layout, names, Reading.VALUE).text()
        return _linked(text, names, "decode")

    @cached_property
    def _result_tangents(self) -> tuple[Builtin, Raw]:
        names = Names()
        text = ResultDecoder(self.layout, names, Reading.TANGENT).text()
        return _linked(text, names, "decode")

    @cached_property
    def _seeders(self) -> tuple[Builtin, Raw]:
        names = Names()
        return _linked(Seeder(self.layout, names, Reading.GRADIENT).text(), names, "decode")


def _link(text: str, names: Names, *exports: str) -> Linked:
    own = {symbol: id(obj) for symbol, obj in zip(names.found.values(), names.objects, strict=True)}
    whole = _declarations() + names.declarations() + text
    return link_text(whole, exports, {**block_functions(), **own})


def _linked(text: str, names: Names, name: str) -> tuple[Builtin, Raw]:
    """A function that Python calls, and the one within that compiled code calls (null where the
    printer has none)."""
    raw = f"{name}_raw"
    exports = (name, raw) if f" @{raw}(" in text else (name,)
    linked = _link(text, names, *exports)
    builtin = new_builtin(name, linked.address(name), [linked, names])
    return builtin, _raw(linked, names, exports[-1])


def _raw(linked: Linked, names: Names, name: str) -> Raw:
    return Raw(linked.address(name), (linked, names))


__all__ = ["Conversion", "Raw", "block_functions"]
