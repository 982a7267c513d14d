"""The layout of objects of CPython and NumPy in memory, and the addresses that compiled code calls.

The offsets are those of CPython 3.11 and later with the GIL, 64 bits; ``verify`` compares them with
live objects before the first compilation."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np

OB_TYPE = 8
FLOAT_VALUE = 16
SCALAR_VALUE = 16
TUPLE_SIZE = 16
TUPLE_ITEMS = 24
LIST_ITEMS = 24
ARRAY_DATA = 16
ARRAY_NDIM = 24
ARRAY_DIMS = 32
ARRAY_STRIDES = 40
ARRAY_DESCR = 56
ARRAY_FLAGS = 64
ARRAY_HANDLER = 88
NPY_ALIGNED = 0x0100
NPY_CARRAY = 0x0501  # contiguous, aligned, writeable
NPY_OWNDATA = 0x0004
FUNCTION_CODE = 48
OWNER_CODE = 16  # of ``runtime.ModuleOwner``: its slots, by name
OWNER_FUNCTION = 32
DICT_VERSION = 24
_TP_NEW = 65

_NUMPY_SLOTS = {"PyArray_Scalar": 60, "PyArray_NewFromDescr": 94, "PyArray_Empty": 184}

_PYTHON_FUNCTIONS = (
    "PyErr_CheckSignals", "PyErr_NoMemory", "PyErr_SetObject", "Py_DecRef", "Py_IncRef",
    "PyLong_FromVoidPtr", "PyObject_CallFunctionObjArgs", "PyTuple_New", "PyCapsule_New",
    "PyCapsule_GetPointer", "PyFloat_FromDouble", "PyLong_FromLongLong",
    "PyLong_AsLongLongAndOverflow", "PyEval_SaveThread", "PyEval_RestoreThread",
    "PyObject_GenericGetAttr", "PyObject_GenericSetAttr", "PyType_GenericAlloc", "PyList_New",
    "PyErr_Clear", "PyDict_GetItem", "PyObject_GetItem", "PyGC_Disable", "PyGC_Enable",
    "PyObject_GC_UnTrack", "PyDict_Next", "PyDict_New", "PyDict_SetItem", "PyDict_Size",
    "PyObject_RichCompareBool", "PyDict_Contains", "PySequence_List", "PyObject_CallOneArg",
    "PyObject_CallNoArgs", "PyObject_GenericGetDict",
)  # fmt: skip

SMALL = "int8", "int16", "uint8", "uint16", "uint32"
"""The dtypes that are data only."""

_OBJECTS: dict[str, object] = {
    "pb_float": float,
    "pb_int": int,
    "pb_tuple_type": tuple,
    "pb_list": list,
    "pb_dict": dict,
    "pb_str": str,
    "pb_ndarray": np.ndarray,
    "pb_value_error": ValueError,
    "pb_not_implemented": NotImplemented,
    "pb_none": None,
    "pb_true": True,
    "pb_false": False,
    "pb_np_f64": np.float64,
    "pb_np_f32": np.float32,
    "pb_np_i64": np.int64,
    "pb_np_i32": np.int32,
    "pb_np_i1": np.bool_,
    "pb_descr_f64": np.dtype(np.float64),
    "pb_descr_f32": np.dtype(np.float32),
    "pb_descr_i64": np.dtype(np.int64),
    "pb_descr_i32": np.dtype(np.int32),
    "pb_descr_i1": np.dtype(np.bool_),
    "pb_descr_c128": np.dtype(np.complex128),
    "pb_descr_c64": np.dtype(np.complex64),
    **{f"pb_descr_{name}": np.dtype(name) for name in SMALL},
}


class AbiError(RuntimeError):
    """The objects of this interpreter or of this NumPy do not have the layout that compiled code
    expects."""


def _at(obj: object, offset: int, ty: type[ctypes._SimpleCData[int]]) -> int:
    return ty.from_address(id(obj) + offset).value


def _word(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


def _address(function: object) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]  # of ctypes


@cache
def numpy_functions() -> dict[str, int]:
    """Return the addresses in NumPy's table of C functions."""
    core = getattr(np, "_core", None) or np.core
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(core._multiarray_umath._ARRAY_API, None)
    word = ctypes.sizeof(ctypes.c_void_p)
    return {
        name: ctypes.c_void_p.from_address(table + word * slot).value or 0
        for name, slot in _NUMPY_SLOTS.items()
    }


@cache
def symbols() -> dict[str, int]:
    """Return the addresses of all symbols of Python and NumPy that compiled code may mention."""
    table = {name: _address(getattr(ctypes.pythonapi, name)) for name in _PYTHON_FUNCTIONS}
    table |= numpy_functions()
    table |= {name: id(obj) for name, obj in _OBJECTS.items()}
    get = ctypes.pythonapi.PyType_GetSlot
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
    table["pb_object_new"] = get(object, _TP_NEW)
    return table


@cache
def verify() -> None:
    """Raise ``AbiError`` unless live objects have the layout that the offsets say."""
    a = np.arange(6.0).reshape(2, 3).T
    sizes, dims, strides = ctypes.c_ssize_t, _at(a, ARRAY_DIMS, ctypes.c_size_t), 0
    strides = _at(a, ARRAY_STRIDES, ctypes.c_size_t)
    pair = (1.5, 2)
    row = [1.5, 2]
    facts = (
        ctypes.sizeof(ctypes.c_void_p) == 8,
        _at(1.5, OB_TYPE, ctypes.c_size_t) == id(float),
        ctypes.c_double.from_address(id(pair[0]) + FLOAT_VALUE).value == 1.5,
        _at(pair, TUPLE_SIZE, sizes) == 2,
        _at(pair, TUPLE_ITEMS, ctypes.c_size_t) == id(pair[0]),
        _at(row, TUPLE_SIZE, sizes) == 2,
        _word(_at(row, LIST_ITEMS, ctypes.c_size_t) + 8) == id(row[1]),
        _at(a, OB_TYPE, ctypes.c_size_t) == id(np.ndarray),
        _at(a, ARRAY_DATA, ctypes.c_size_t) == a.ctypes.data,
        _at(a, ARRAY_NDIM, ctypes.c_int) == 2,
        [sizes.from_address(dims + 8 * k).value for k in range(2)] == [3, 2],
        [sizes.from_address(strides + 8 * k).value for k in range(2)] == [8, 24],
        _at(a, ARRAY_DESCR, ctypes.c_size_t) == id(np.dtype(np.float64)),
        _at(a, ARRAY_FLAGS, ctypes.c_int) & 0x0FFF == a.flags.num & 0x0FFF,
        _handler_of(np.empty(3)) == "mem_handler",
        _word(id(verify.__wrapped__) + FUNCTION_CODE) == id(verify.__wrapped__.__code__),
        _scalars_fit(),
        _empty_works(),
    )
    if not all(facts):
        raise AbiError(
            "Pullback's native code does not know the memory layout of this Python and NumPy "
            f"(check {facts.index(False)} of {len(facts)} failed)"
        )


def verify_owner(owner: object, function: object, code: object) -> None:
    """Raise ``AbiError`` unless the fields of a module's owner stand where entry points read
    them."""
    found = _word(id(owner) + OWNER_FUNCTION), _word(id(owner) + OWNER_CODE)
    if found != (id(function), id(code)):
        raise AbiError("Pullback's native code does not know how Python keeps slots")


@cache
def has_versions() -> bool:
    """Whether a dict has a number that every change of it changes (CPython before 3.14)."""
    names = dict[str, object](a=1)
    seen = [_version(names), _version(names)]
    for name, value in (("b", 2), ("b", None), ("a", 3), ("b", 2), ("a", None)):
        if value is None:
            del names[name]
        else:
            names[name] = value
        seen.append(_version(names))
    return seen[0] == seen[1] and len(set(seen)) == len(seen) - 1


def _version(names: dict[str, object]) -> int:
    return ctypes.c_uint64.from_address(id(names) + DICT_VERSION).value


def _handler_of(a: object) -> str:
    """Return the name of the capsule by which an array frees its memory."""
    capsule = ctypes.cast(_at(a, ARRAY_HANDLER, ctypes.c_size_t), ctypes.py_object).value
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    found: bytes = name(capsule)
    return found.decode()


def _scalars_fit() -> bool:
    values = (
        (np.float64(2.5), ctypes.c_double), (np.float32(2.5), ctypes.c_float),
        (np.int64(-7), ctypes.c_int64), (np.int32(-7), ctypes.c_int32),
        (np.True_, ctypes.c_uint8),
    )  # fmt: skip
    return all(ty.from_address(id(v) + SCALAR_VALUE).value == v for v, ty in values)


def _empty_works() -> bool:
    """Whether NumPy's table of functions is the expected one: an array and a scalar can be made
    with it."""
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_int, ctypes.POINTER(ctypes.c_ssize_t), ctypes.c_void_p,
        ctypes.c_int,
    )(numpy_functions()["PyArray_Empty"])  # fmt: skip
    dtype = np.dtype(np.float64)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(dtype))  # PyArray_Empty takes the reference
    made = make(2, (ctypes.c_ssize_t * 2)(3, 2), id(dtype), 0)
    scalar = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
    )(numpy_functions()["PyArray_Scalar"])
    value = scalar(ctypes.addressof(ctypes.c_double(2.5)), id(dtype), None)
    return (
        isinstance(made, np.ndarray)
        and made.shape == (3, 2)
        and made.dtype == dtype
        and type(value) is np.float64
        and value == 2.5
    )


def object_names() -> tuple[str, ...]:
    """Return the symbols that stand for the address of a Python object."""
    return tuple(_OBJECTS)
