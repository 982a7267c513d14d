"""Functions that cloudpickle copies, with the texts of their files.

cloudpickle writes a function of ``__main__``, a lambda or a local function as its code and the
globals that it uses, but without the name of its file. What is sent here has the names and
texts of the files of all functions that go along; where it is loaded, the codes get their names
back, and the texts prove there to be their source, as always (``frontend/python/texts.py``).
"""

from __future__ import annotations

import functools
import linecache
import sys
import zlib
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol, TypeVar

from pullback.frontend.python.texts import COPIED

MOST_ITEMS = 1000
"""In longer lists and dicts, which are data, no functions are looked for."""

Key = tuple[str, int, bytes]
Files = dict[str, tuple[bytes, list[Key]]]
"""For each file its text, compressed, and the functions that are in it."""


class WithTexts(Protocol):
    """What pickle and cloudpickle write in different ways."""

    def with_texts(self) -> tuple[Any, ...]: ...


C = TypeVar("C", bound=type[WithTexts])
_classes: list[type[WithTexts]] = []


def for_cloudpickle(cls: C) -> C:
    """Decorate a class whose objects cloudpickle writes by ``with_texts``."""
    _classes.append(cls)
    return cls


def tell_cloudpickle() -> bool:
    """Enter these classes into the table of cloudpickle, if that has been imported. Return whether
    they are new there: a pickler that is at work may have a copy of the table."""
    cloudpickle = sys.modules.get("cloudpickle")
    if cloudpickle is None:
        return False
    table = cloudpickle.CloudPickler.dispatch_table
    new = [cls for cls in _classes if cls not in table]
    table.update((cls, cls.with_texts) for cls in new)
    return bool(new)


def by_cloudpickle(value: object) -> tuple[Any, ...]:
    """Return a pickle that holds what cloudpickle writes."""
    cloudpickle = sys.modules["cloudpickle"]
    return cloudpickle.loads, (cloudpickle.dumps(value),)


def is_of_main(value: object) -> bool:
    """Whether a function, an object or the function in it is of a program, not of a module."""
    if isinstance(value, functools.partial):
        return is_of_main(value.func)
    if isinstance(value, MethodType):
        return is_of_main(value.__func__) or is_of_main(value.__self__)
    mine = getattr(value, "__module__", None), type(value).__module__
    return "__main__" in mine


# --- sending --------------------------------------------------------------------------------------


def sent(value: object) -> tuple[Any, ...]:
    """Return what cloudpickle writes for a function or an object that can be called."""
    found: Files = {}
    for f in functions_in(value):
        file = f.__code__.co_filename
        if file not in found:
            lines = linecache.getlines(file, f.__globals__)
            found[file] = zlib.compress("".join(lines).encode("utf-8", "surrogatepass")), []
        found[file][1].append(_key(f.__code__))
    return loaded, (value, found)


def functions_in(value: object) -> Iterator[FunctionType]:
    """Return the functions that cloudpickle copies together with a value."""
    todo, seen = [value], dict[int, object]()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        if isinstance(one, FunctionType):
            if not _is_in_a_module(one):
                yield one
                todo += _used_by(one)
        else:
            todo += _parts(one)


def _used_by(f: FunctionType) -> Iterator[object]:
    codes = [f.__code__]
    while codes:
        code = codes.pop()
        codes += [c for c in code.co_consts if isinstance(c, CodeType)]
        yield from (f.__globals__[name] for name in code.co_names if name in f.__globals__)
    for cell in f.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is empty
            continue
    yield from f.__defaults__ or ()
    yield from (f.__kwdefaults__ or {}).values()
    yield from vars(f).values()


def _parts(value: object) -> list[object]:
    match value:
        case ModuleType() | str() | bytes() | int() | float() | None:
            return []
        case list() | tuple() | set() | frozenset():
            return list(value) if len(value) <= MOST_ITEMS else []
        case dict():
            return list(value.values()) if len(value) <= MOST_ITEMS else []
        case functools.partial():
            return [value.func, *value.args, *value.keywords.values()]
        case MethodType() | staticmethod() | classmethod():
            return [value.__func__, getattr(value, "__self__", None)]
        case property():
            return [value.fget, value.fset, value.fdel]
        case type():
            return [] if _is_in_a_module(value) else [*vars(value).values(), *value.__bases__]
        case _:
            return [type(value), *getattr(value, "__dict__", {}).values()]


def _is_in_a_module(value: Any) -> bool:
    """Whether cloudpickle writes the name only."""
    module = str(getattr(value, "__module__", None))
    found: object = None if module == "__main__" else sys.modules.get(module)
    for part in str(value.__qualname__).split("."):
        found = getattr(found, part, None)
    return found is value


def _key(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno, code.co_code


# --- loading --------------------------------------------------------------------------------------


def loaded(value: Any, files: Files) -> Any:
    """Give the functions of a value that cloudpickle has made the names of their files."""
    for file, (text, _) in files.items():
        lines = zlib.decompress(text).decode("utf-8", "surrogatepass").splitlines(keepends=True)
        if lines and linecache.getlines(file) != lines:
            linecache.cache[file] = sum(map(len, lines)), None, lines, file
    names = {key: file for file, (_, keys) in files.items() for key in keys}
    for f in functions_in(value):
        named = names.get(_key(f.__code__)) if f.__code__.co_filename == COPIED else None
        if named is not None:
            f.__code__ = _renamed(f.__code__, named)
    return value


def _renamed(code: CodeType, file: str) -> CodeType:
    inner = tuple(_renamed(c, file) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=file, co_consts=inner)


__all__ = [
    "by_cloudpickle", "for_cloudpickle", "functions_in", "is_of_main", "sent", "tell_cloudpickle",
]  # fmt: skip
