"""What compiled code reads, and whether it is still the same: asked before each item of an iterator
(``call.given_iterators``), so it must be quick."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import is_
from types import FunctionType
from typing import Any

import numpy as np

from pullback.call.write_back import CODE
from pullback.frontend.functions.scopes import Path
from pullback.frontend.python.object_classes import attributes_of
from pullback.frontend.python.paths import MISSING, Namespace, read
from pullback.frontend.seen_outside import IMMUTABLE
from pullback.native.pyabi import LIST_ITEMS

_LEAF = frozenset((*IMMUTABLE, range, np.float64, np.int64, np.bool_))


class Watch:
    """Values, and what ``function`` holds at ``paths`` and, of things that are compiled in, at
    ``fixed`` ones, as they are now."""

    def __init__(
        self, values: Sequence[Any], function: FunctionType | None = None,
        paths: Sequence[Path] = (), fixed: Sequence[Path] = (),
    ) -> None:  # fmt: skip
        self._asked: list[Callable[[], bool]] = []
        self._seen: dict[int, Any] = {}
        for x in values:
            self._enter(x)
        given = (0, *values)
        for path in (*paths, *fixed):
            if function is not None and path[0][0] != "arg":
                x = read(path, function, given)
                self._path(path, function, given, x)
                if path in paths:
                    self._enter(x)

    @property
    def is_empty(self) -> bool:
        """Whether nothing can change."""
        return not self._asked

    def has_changed(self) -> bool:
        """Whether something is no longer what it was."""
        return any(not same() for same in self._asked)

    def _path(self, path: Path, function: FunctionType, given: tuple[Any, ...], x: object) -> None:
        match path:
            case (("global", Namespace(names=names), str(name)),):
                self._asked.append(
                    lambda: (now := names.get(name, MISSING)) is x or _is(now, x)
                )
            case (("function",), ("cell", _)):
                pass  # it captured the function that is run, and nothing else
            case _:
                self._asked.append(lambda: _is(read(path, function, given), x))

    def _enter(self, x: Any) -> None:
        """Watch an object and what is in it."""
        todo = [x]
        while todo:
            x = todo.pop()
            if type(x) in _LEAF or isinstance(x, (*IMMUTABLE, *CODE)) or id(x) in self._seen:
                continue
            self._seen[id(x)] = x
            if isinstance(x, np.ndarray):
                self._array(x)
                continue
            parts = _parts(x)
            if type(x) is list:
                self._list(x, parts)
            elif not isinstance(x, (tuple, frozenset)):
                self._asked.append(partial(_has_parts, x, parts))
            if not _LEAF.issuperset(map(type, parts)):
                todo += reversed(parts)

    def _array(self, x: np.ndarray[Any, Any]) -> None:
        kind, shape, data = x.dtype, x.shape, x.tobytes()
        self._asked.append(
            lambda: (x.dtype, x.shape) == (kind, shape) and x.tobytes() == data
        )

    def _list(self, x: list[Any], parts: list[Any]) -> None:
        """Watch a list: the addresses of its items, which ``parts`` keeps alive."""
        place = ctypes.c_void_p.from_address(id(x) + LIST_ITEMS)
        size = len(x) * ctypes.sizeof(place)
        data = ctypes.string_at(place.value or 0, size) if size else b""
        self._asked.append(
            lambda: len(x) == len(parts)
            and (not size or ctypes.string_at(place.value or 0, size) == data)
        )


def _is(x: object, y: object) -> bool:
    """Whether two objects are one, or equal numbers or texts."""
    return x is y or (type(x) is type(y) and isinstance(x, IMMUTABLE) and repr(x) == repr(y))


def _has_parts(x: Any, parts: list[Any]) -> bool:
    now = _parts(x)
    return len(now) == len(parts) and all(map(is_, now, parts))


def _parts(x: Any) -> list[Any]:
    match x:
        case list() | tuple() | set() | frozenset() | deque():
            return [*x]
        case Mapping():
            return [*x, *x.values()]
        case _:
            held = attributes_of(x)
            return [*held, *held.values()]


def are_alike(x: Any, y: Any) -> bool:
    """Whether two results have the same form and numbers."""
    todo = [(x, y)]
    while todo:
        x, y = todo.pop()
        if type(x) is not type(y):
            return False
        if isinstance(x, np.ndarray):
            if x.dtype != y.dtype or x.shape != y.shape or x.tobytes() != y.tobytes():
                return False
        elif isinstance(x, (*IMMUTABLE, *CODE)):
            if repr(x) != repr(y):
                return False
        else:
            mine, theirs = _parts(x), _parts(y)
            if len(mine) != len(theirs):
                return False
            todo += zip(mine, theirs, strict=True)
    return True


__all__ = ["Watch", "are_alike"]
