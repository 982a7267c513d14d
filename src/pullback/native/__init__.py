"""Compile loop code to machine code: LLVM text, runtime, entry points, cache of objects.

    compile_module(module, signature) -> CompiledEntry      one entry point, for main
    compile_entries(module, {...}) -> CompiledModule        several, e.g. a forward and a reverse
"""

from __future__ import annotations

from pullback.native.builtin import binder
from pullback.native.compile import compile_runtime
from pullback.native.module import (
    CompiledEntry,
    CompiledModule,
    Written,
    compile_entries,
    compile_module,
    routed,
)
from pullback.native.runtime_objects import RECORD_CELLS, RECORD_SLOTS
from pullback.native.signature import (
    ArrayOf,
    ComplexOf,
    EntrySignature,
    Leaf,
    ListOf,
    Nothing,
    NpScalar,
    Pointer,
    PyBool,
    PyFloat,
    PyInt,
    Tree,
    Words,
)

__all__ = [
    "RECORD_CELLS",
    "RECORD_SLOTS",
    "ArrayOf",
    "CompiledEntry",
    "CompiledModule",
    "ComplexOf",
    "EntrySignature",
    "Leaf",
    "ListOf",
    "Nothing",
    "NpScalar",
    "Pointer",
    "PyBool",
    "PyFloat",
    "PyInt",
    "Tree",
    "Words",
    "Written",
    "binder",
    "compile_entries",
    "compile_module",
    "compile_runtime",
    "routed",
]
