"""Operators as pickles: by name, or as the call that made them.

What stands under its own name in a module (``@pb.jit``) is pickled as that name, like a function.
Any other operator is the call that made it, of its function; and that is found by its name, or goes
along: a lambda, a function inside of another one, the function under a decorator. Such
a function is its code, the module of its globals and what it captures; its text must prove to be
its source here, and the compiler wants the same proof where it is loaded.

cloudpickle (joblib, loky, Dask) copies also what stands in ``__main__``, with the globals that it
uses, and has a reducer of its own here (``travelled_texts``), which sends the texts.
"""

from __future__ import annotations

import importlib
import linecache
import marshal
import os
import pickle
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

from pullback.call.travelled_texts import (
    by_cloudpickle,
    for_cloudpickle,
    is_of_main,
    sent,
    tell_cloudpickle,
)
from pullback.errors import PullbackError
from pullback.frontend.python.source import definition_of

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Remade(ABC):
    """An object that can be made again by a call."""

    __slots__ = ()

    @abstractmethod
    def call_that_made_it(self) -> Call:
        """Return a public function, and the arguments with which it makes such an object."""

    def __reduce__(self) -> str | tuple[Any, ...]:
        named = is_global(self)
        if named and not is_of_main(self):
            return str(vars(self)["__qualname__"])
        if tell_cloudpickle():
            return by_cloudpickle(self)
        return (_itself, (ByName(self),)) if named else self.as_call()

    def as_call(self) -> tuple[Any, ...]:
        """Return the pickle of the call that made it."""
        make, args, kwargs = self.call_that_made_it()
        own = {name: held(value) for name, value in self._own(args[0]).items()}
        return _made, (make, tuple(map(held, args)), kwargs, own)

    def _own(self, f: object) -> dict[str, Any]:
        """Return the attributes that a user has given it."""
        found = [(n, v) for n, v in vars(self).items() if not n.startswith("_")]
        return {n: v for n, v in found if getattr(f, n, self) is not v}

    def __copy__(self) -> object:
        make, args, kwargs = self.call_that_made_it()
        return _made(make, args, kwargs, self._own(args[0]))

    def __deepcopy__(self, memo: object) -> object:
        return self.__copy__()  # as functions, whose copies share what they capture


def _made(
    make: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], own: dict[str, Any]
) -> object:
    made: object = make(*args, **kwargs)
    if own:
        vars(made).update(own)
    return made


def is_global(value: object) -> bool:
    """Whether a value stands in its module under its own name."""
    found: object = sys.modules.get(str(getattr(value, "__module__", "")))
    for part in str(getattr(value, "__qualname__", "")).split("."):
        found = getattr(found, part, None)
    return found is value


def held(value: object) -> object:
    """Return what is pickled in place of a value: a function that has no name goes along."""
    if isinstance(value, FunctionType) and not is_global(value):
        return ByCode(value)
    named = callable(value) and is_of_main(value) and not isinstance(value, Remade)
    return ByName(value) if named else value


@for_cloudpickle
class ByName:
    """What stands in ``__main__``: pickle writes its name, and cloudpickle a copy."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.value, Remade):
            return _named, (str(getattr(self.value, "__qualname__", "")),)
        return _itself, (self.value,)

    def with_texts(self) -> tuple[Any, ...]:
        """Return what cloudpickle writes."""
        return self.value.as_call() if isinstance(self.value, Remade) else sent(self.value)


def _itself(value: object) -> object:
    return value


def _named(name: str) -> object:
    """Return what stands under a name in ``__main__``."""
    found: object = sys.modules["__main__"]
    for part in name.split("."):
        found = getattr(found, part)
    return found


@for_cloudpickle
class ByCode:
    """A function, as the pickle of its code and of what it captures."""

    def __init__(self, f: FunctionType) -> None:
        self.f = f

    def with_texts(self) -> tuple[Any, ...]:
        """Return what cloudpickle writes."""
        return sent(self.f)

    def __reduce__(self) -> tuple[Any, ...]:
        f, code = self.f, self.f.__code__
        module = str(f.__globals__.get("__name__"))
        if vars(sys.modules.get(module, sys)) is not f.__globals__:
            raise self._error("its globals are those of no module that can be imported")
        try:
            definition_of(f)
        except PullbackError as error:
            raise self._error(str(error.reason)) from None
        file, cells = code.co_filename, f.__closure__ or ()
        lines = [] if os.path.exists(file) else linecache.getlines(file, f.__globals__)
        own = {name: held(value) for name, value in vars(f).items()}
        state = {
            "name": (f.__name__, f.__qualname__, f.__module__),
            "values": (f.__doc__, dict(f.__annotations__), own),
            "defaults": None if f.__defaults__ is None else tuple(map(held, f.__defaults__)),
            "keywords": {k: held(v) for k, v in (f.__kwdefaults__ or {}).items()} or None,
            "cells": [self._content(cell) for cell in cells],
        }
        made = sys.version_info[:2], marshal.dumps(code), module, len(cells), (file, lines)
        return _function, made, state, None, None, _complete

    def _content(self, cell: CellType) -> tuple[object, ...]:
        try:
            content = cell.cell_contents
        except ValueError:  # it is empty
            return ()
        return (self if content is self.f else held(content),)

    def _error(self, why: str) -> pickle.PicklingError:
        return pickle.PicklingError(
            f"Can't pickle {self.f!r}: {why}; define it in a module, under its own name"
        )


def _function(
    version: tuple[int, int], code: bytes, module: str, cells: int, text: tuple[str, list[str]]
) -> FunctionType:
    """Return a function with nothing in its cells."""
    if version != sys.version_info[:2]:
        raise pickle.UnpicklingError(
            f"a function without a name, pickled by Python {'.'.join(map(str, version))}"
        )
    file, lines = text
    if lines and not linecache.getlines(file):
        linecache.cache[file] = sum(map(len, lines)), None, lines, file
    loaded = marshal.loads(code)
    assert isinstance(loaded, CodeType)
    names = vars(importlib.import_module(module))
    return FunctionType(loaded, names, closure=tuple(CellType() for _ in range(cells)))


def _complete(f: FunctionType, state: dict[str, Any]) -> None:
    f.__name__, f.__qualname__, f.__module__ = state["name"]
    f.__doc__, f.__annotations__, own = state["values"]
    vars(f).update(own)
    f.__defaults__, f.__kwdefaults__ = state["defaults"], state["keywords"]
    for cell, content in zip(f.__closure__ or (), state["cells"], strict=True):
        if content:
            (cell.cell_contents,) = content


__all__ = ["ByCode", "ByName", "Call", "Remade", "held", "is_global"]
