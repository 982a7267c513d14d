"""Make Python builtins of compiled functions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import FunctionType

from pullback.native.runtime import ModuleOwner

Builtin = Callable[..., object]


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_METH_FASTCALL = 0x0080

_new_builtin = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p
)(("PyCMethod_New", ctypes.pythonapi))


def make_builtin(name: str, address: int, owner: ModuleOwner) -> Builtin:
    """Return the builtin whose code is at this address. It gets ``owner`` as its ``self``, and
    keeps it alive."""
    title = name.encode()
    method = _MethodDef(title, address, _METH_FASTCALL, None)
    owner.keep += [method, title]
    builtin: Builtin = _new_builtin(ctypes.addressof(method), owner, None, None)
    return builtin


_function_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(
    ("PyCFunction_GetFunction", ctypes.pythonapi)
)


def binder(builtin: Builtin) -> Callable[..., Builtin]:
    """Return what makes builtins with the code of ``builtin``, each of which stands for a function:
    it takes no arguments once ``function.__code__`` has been replaced. It is given the function,
    and perhaps the general call: an entry point that converts data calls that with arguments that
    it does not take."""
    owner = getattr(builtin, "__self__", None)
    assert isinstance(owner, ModuleOwner)
    errors, impatient = owner.errors, owner.impatient
    keep: list[object] = [owner]
    title = getattr(builtin, "__name__", "").encode()
    method = _MethodDef(title, _function_of(builtin), _METH_FASTCALL, None)
    keep += [method, title]
    address = ctypes.addressof(method)

    def bound(function: FunctionType, general: Builtin | None = None) -> Builtin:
        own = ModuleOwner(errors, keep, general, function, function.__code__, impatient)
        made: Builtin = _new_builtin(address, own, None, None)
        return made

    return bound


def new_builtin(name: str, address: int, keep: list[object]) -> Builtin:
    """Return the builtin whose code is at this address; it keeps the objects of ``keep`` alive."""
    return make_builtin(name, address, ModuleOwner((), list(keep)))
