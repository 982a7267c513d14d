"""Digests of Python values that are the same in every process: of code, of functions, of classes
with all that they say, of kinds. A value whose meaning a digest cannot hold raises ``Unkept``.

A digest of a function or class is of what it is at run time; beside it stand the texts of the files
in which user's code was found (``Digester.files``), since annotations inside of functions are in no
code."""

from __future__ import annotations

import builtins
import dataclasses
import enum
import functools
import hashlib
import linecache
import os
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from pullback.frontend.kinds.kinds import StaticK, UnionK
from pullback.frontend.python.annotations import Memory
from pullback.frontend.python.unions import Union

_PLAIN = (bool, int, str, bytes, type(None), type(Ellipsis), complex)
_STANDARD = os.path.dirname(os.__file__)
_OWN = ("pullback", "numpy", "scipy")
_NO_PART = {"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__",
            "__static_attributes__", "__annotations_cache__", "_abc_impl",
            "__abstractmethods__", "_value2member_map_"}  # fmt: skip
"""What says nothing more of a class, or is filled by and by."""
_CYTHON = ("cython_function_or_method",)
"""The classes of functions that libraries bring along."""

_METACLASSES = ("type", "ABCMeta", "EnumType", "EnumMeta", "_ProtocolMeta")
_HEAP = 1 << 9
"""The flag of classes that were made at run time."""
_WORD = re.compile(r"[^\W\d]\w*")


class Unkept(Exception):
    """Raised for what cannot be told from something else in another process."""


def is_library(name: object) -> bool:
    """Whether a module belongs to Python, Pullback, NumPy or SciPy, whose versions are in the key
    of what is kept. (A user's module may have the name of one of Python's.)"""
    if not isinstance(name, str) or name == "__main__":
        return False
    top = name.partition(".")[0]
    if top in _OWN or top in sys.builtin_module_names:
        return not name.startswith("pullback.demo")
    if top not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(top), "__file__", None)
    return file is None or str(file).startswith(_STANDARD)


def found_by_name(module: str, name: str) -> object:
    """Return what stands under a dotted name in a module that is there."""
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def codes_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """Iterate over a code and the codes of the functions inside of it."""
    yield code
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            yield from codes_of(c)


def text_digest(file: str) -> str:
    """Return the digest of a file's text as it is now."""
    linecache.checkcache(file)
    lines = linecache.getlines(file)
    if not lines:
        raise Unkept(f"no text of {file}")
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


class Digester:
    """Makes digests. ``functions`` are the user's functions that digests have held so far, by
    their addresses, ``files`` the names of their files and of the files of user's classes.
    ``home``: the function that is called, whose globals are those that the name of its module
    stands for here: a copy of a function (by cloudpickle) has globals of its own. ``marks``: each
    ``object()`` that digests have held, which has no other name than its place among them; None:
    they may hold none."""

    def __init__(
        self, home: types.FunctionType | None = None, marks: list[object] | None = None
    ) -> None:
        self.home = home
        self.marks = marks
        self.functions: dict[int, types.FunctionType] = {}
        self.files: set[str] = set()
        self.seen: dict[int, int] = {}

    def names_of(self, module: str) -> dict[str, Any] | None:
        """Return the globals that this name of a module stands for."""
        if self.home is not None and self.home.__globals__.get("__name__") == module:
            return self.home.__globals__
        found = sys.modules.get(module)
        return None if found is None else vars(found)

    def of(self, value: object) -> str:
        """Return the digest of a value."""
        self.seen.clear()
        return hashlib.sha256(repr(self.form(value)).encode("utf-8", "surrogatepass")).hexdigest()

    def form(self, value: object) -> object:
        """Return a value of which ``repr`` says everything."""
        if isinstance(value, float):
            return "float", value.hex(), type(value).__name__
        if type(value) in _PLAIN:
            return value
        if type(value) is object and self.marks is not None:
            if not any(value is m for m in self.marks):
                self.marks.append(value)
            return "mark", self.mark(value)
        if isinstance(value, (type, types.FunctionType, Union)):  # they may lead to themselves
            if id(value) in self.seen:
                return "seen", self.seen[id(value)]
            self.seen[id(value)] = len(self.seen)
        for cls, form in _FORMS:
            if isinstance(value, cls):
                return form(self, value)
        return self._other(value)

    def mark(self, value: object) -> int:
        """Return the number of an ``object()`` that digests have held."""
        for k, known in enumerate(self.marks or ()):
            if known is value:
                return k
        raise Unkept("an object of which nobody knows where it is")

    def _all(self, values: typing.Iterable[object]) -> tuple[object, ...]:
        return tuple(self.form(v) for v in values)

    def _other(self, value: object) -> object:
        cls = type(value)
        if dataclasses.is_dataclass(value) and is_library(cls.__module__):
            parts = [getattr(value, f.name) for f in dataclasses.fields(value) if f.compare]
            return cls.__qualname__, self._all(parts)
        if typing.get_origin(value) is not None:
            return "generic", self._all((typing.get_origin(value), *typing.get_args(value)))
        name = getattr(value, "__name__", None)
        if callable(value) and (is_library(cls.__module__) or cls.__name__ in _CYTHON):
            for module in (str(getattr(value, "__module__", "")), "numpy", "scipy.special"):
                if is_library(module) and found_by_name(module, str(name)) is value:
                    return "library", cls.__qualname__, module, name
            if isinstance(value, types.BuiltinFunctionType) and isinstance(value.__self__, type):
                return "library", self.form(value.__self__), name
        if cls.__name__ == "_tuplegetter":  # a field of a NamedTuple
            return repr(value.__reduce__())
        if cls.__name__ == "_DataclassParams" and cls.__module__ == "dataclasses":
            return repr(value)
        if isinstance(value, typing.TypeVar):
            return "variable", name, self._all((value.__bound__, *value.__constraints__))
        if isinstance(value, typing.ForwardRef):
            return "forward", value.__forward_arg__
        if cls.__module__ == "typing" and cls.__name__ == "_SpecialForm":
            return "form", str(value)
        if is_library(cls.__module__):  # one of its own objects, such as scipy.stats.norm
            for here, found in vars(sys.modules.get(cls.__module__, cls)).items():
                if found is value:
                    return "library", cls.__module__, here
        raise Unkept(f"a value of {cls}")

    # --- code and classes ---

    def code(self, code: types.CodeType) -> object:
        """Return the form of a code, with its places in the file."""
        consts = [self.code(c) if isinstance(c, types.CodeType) else _constant(c)
                  for c in code.co_consts]  # fmt: skip
        return (
            code.co_name, code.co_qualname, code.co_filename, code.co_firstlineno, code.co_flags,
            code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_varnames,
            code.co_cellvars, code.co_freevars, code.co_names, code.co_code, code.co_linetable,
            code.co_exceptiontable, tuple(consts),
        )  # fmt: skip

    def function(self, f: types.FunctionType) -> object:
        """Return the form of a function without what it captures and its defaults."""
        module = f.__globals__.get("__name__")
        if is_library(module) and "<" not in f.__qualname__:
            return "library", module, f.__qualname__
        names = self.names_of(str(module)) if self.home is not None else None
        if names is not None and names is not f.__globals__:
            raise Unkept("a function whose globals are not those of its module")
        self.functions[id(f)] = f
        self._file(f.__code__.co_filename, module)
        notes = tuple((n, str(a)) for n, a in f.__annotations__.items())
        return "code", module, self.code(f.__code__), notes

    def _file(self, file: str, module: object) -> None:
        if not is_library(module) and not file.startswith("<"):
            self.files.add(file)

    def _whole_function(self, f: types.FunctionType) -> object:
        form = self.function(f)
        cells = [c.cell_contents for c in f.__closure__ or ()]
        own = vars(f).get("__wrapped__")
        return form, self._all((f.__defaults__, f.__kwdefaults__, cells, own))

    def _class(self, cls: type) -> object:
        if is_library(cls.__module__) and (
            not cls.__flags__ & _HEAP or found_by_name(cls.__module__, cls.__qualname__) is cls
        ):
            return "class", cls.__module__, cls.__qualname__
        if found_by_name(cls.__module__, cls.__qualname__) is not cls:
            raise Unkept(f"{cls}, which may be another class of the same name")
        if type(cls).__name__ not in _METACLASSES or not is_library(type(cls).__module__):
            raise Unkept(f"a class of {type(cls)}")
        home = sys.modules.get(cls.__module__)
        file = getattr(home, "__file__", None)
        if file is not None:
            self._file(file, cls.__module__)
        parts: list[tuple[str, object]] = []
        for name, part in sorted(vars(cls).items()):
            if name in _NO_PART or isinstance(part, Memory):
                continue
            if name == "__annotations__" and not part:
                continue  # Python makes them when somebody asks
            if name == "__annotations__":
                parts.append((name, tuple((n, self._annotation(a, home)) for n, a in part.items())))
            else:
                parts.append((name, self.form(part)))
        bases = self._all(cls.__mro__[1:])
        return "class", cls.__module__, cls.__qualname__, type(cls).__qualname__, bases, parts

    def _annotation(self, annotation: object, home: object) -> object:
        """Return the form of an annotation; of a text, with what its names are."""
        if not isinstance(annotation, str):
            return self.form(annotation)
        found = [(n, vars(home)[n]) for n in _WORD.findall(annotation) if n in vars(home or {})]
        return annotation, tuple((n, self.form(v)) for n, v in found)

    def _enum(self, member: enum.Enum) -> object:
        return "member", self.form(type(member)), member.name, self.form(member.value)

    def _object_array(self, array: np.ndarray) -> object:
        if array.dtype.hasobject or array.nbytes > 1 << 16:
            raise Unkept("a large array")
        return "array", array.dtype.str, array.shape, array.tobytes()

    # --- what a name stands for ---

    def shallow(self, value: object) -> object:
        """Return what tells functions, classes and modules from each other."""
        self.seen.clear()
        match value:
            case types.FunctionType():
                return self.function(value)
            case types.ModuleType():
                return "module", value.__name__
            case type() if is_library(value.__module__):
                return "class", value.__module__, value.__qualname__
            case type():
                with suppress(Unkept):
                    return self._class(value)
        cls = type(value)
        name = getattr(value, "__name__", "") if callable(value) else ""
        return cls.__module__, cls.__qualname__, name

    def names(self) -> object:
        """Return what the names in all functions stand for now that digests have held: those that
        no guard looks at too, decorators of functions inside and attributes of modules."""
        found = sorted(self.functions.values(), key=_place)
        return [self._names_of(f) for f in found]

    def _names_of(self, f: types.FunctionType) -> object:
        names = sorted({n for c in codes_of(f.__code__) for n in c.co_names})
        found: list[object] = []
        modules: list[types.ModuleType] = []
        looked: list[types.ModuleType] = []

        def look(at: str, name: str, value: object) -> None:
            found.append((at, name, self.shallow(value)))
            if isinstance(value, types.ModuleType) and value not in looked:
                looked.append(value)
                modules.append(value)

        for name in names:
            space = f.__globals__ if name in f.__globals__ else vars(builtins)
            if name in space:
                look("", name, space[name])
        while modules:
            module = modules.pop()
            inside = {*vars(module), *getattr(module, "__all__", ())}
            for name in names:
                if name in inside:
                    look(module.__name__, name, getattr(module, name, None))
        return found


def _place(f: types.FunctionType) -> tuple[str, int, str]:
    return f.__code__.co_filename, f.__code__.co_firstlineno, f.__code__.co_qualname


def _constant(value: object) -> object:
    match value:
        case float() | complex():
            return type(value).__name__, repr(value)
        case tuple():
            return tuple(map(_constant, value))
        case frozenset():
            return "frozenset", tuple(sorted(repr(_constant(v)) for v in value))
        case _:
            return type(value).__name__, value


_Form = Callable[[Digester, Any], object]
_FORMS: tuple[tuple[Any, _Form], ...] = (
    (StaticK, lambda d, v: ("static", d.form(v.value))),
    (UnionK, lambda d, v: ("one of", d.form(v.union), [c in v.absent for c in v.union.classes])),
    (Union, lambda d, v: ("union", v.name, d._all((v.classes, v.fields, v.arrays, v.arguments)))),
    (types.FunctionType, Digester._whole_function),
    (types.CodeType, Digester.code),
    (functools._lru_cache_wrapper, lambda d, v: (
        "cached", d._all((v.__wrapped__, v.cache_parameters())))),
    (types.ModuleType, lambda d, v: ("module", v.__name__)),
    (enum.Enum, Digester._enum),
    (types.MethodType, lambda d, v: ("method", d._all((v.__self__, v.__func__)))),
    (types.GenericAlias, lambda d, v: ("generic", d._all((v.__origin__, *v.__args__)))),
    (types.UnionType, lambda d, v: ("either", d._all(v.__args__))),
    (type, Digester._class),
    (staticmethod | classmethod, lambda d, v: (type(v).__name__, d.form(v.__func__))),
    (property, lambda d, v: ("property", d._all((v.fget, v.fset, v.fdel)))),
    (types.MemberDescriptorType | types.GetSetDescriptorType,
     lambda d, v: ("slot", v.__name__)),
    (dataclasses.Field, lambda d, v: ("field", v.name, str(v.type), d._all(
        (v.default, v.default_factory, v.init, v.repr, v.compare, v.kw_only, v.hash,
         v.metadata)))),
    (type(dataclasses.MISSING), lambda d, v: "missing"),
    (functools.cached_property, lambda d, v: ("property", d.form(v.func))),
    ((types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType),
     lambda d, v: ("slot", v.__qualname__)),
    (np.dtype, lambda d, v: ("dtype", v.str)),
    (np.ndarray, Digester._object_array),
    (np.generic, lambda d, v: ("scalar", v.dtype.str, v.tobytes())),
    (tuple | list, lambda d, v: (type(v).__name__, d._all(v))),
    (dict | types.MappingProxyType, lambda d, v: (
        "dict", tuple((d.form(k), d.form(x)) for k, x in v.items()))),
    (frozenset | set, lambda d, v: ("set", tuple(sorted(repr(d.form(x)) for x in v)))),
)  # fmt: skip
"""How the forms of values are made, by the first class that fits."""


__all__ = ["Digester", "Unkept", "codes_of", "found_by_name", "is_library", "text_digest"]
