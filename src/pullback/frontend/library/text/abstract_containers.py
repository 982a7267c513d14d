"""The abstract classes of ``collections.abc``, ``UserDict`` and ``UserList`` as plain classes that
the front end compiles: what a class of a user has from them (``container_classes``)."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence
from typing import Any

from pullback.frontend.library.text_helpers import has_missing


class NothingBase:
    """``Sized``, ``Iterable``, ``Container``, ``Collection``, ``Reversible``, ``Hashable``"""

    __slots__ = ()


class IteratorBase:
    """``Iterator``"""

    __slots__ = ()

    def __iter__(self) -> Any:
        return self


class ContextManagerBase:
    """``contextlib.AbstractContextManager``"""

    __slots__ = ()

    def __enter__(self) -> Any:
        return self


class ContextDecoratorBase:
    """``contextlib.ContextDecorator``: the manager stands around every call"""

    __slots__ = ()

    def _recreate_cm(self) -> Any:
        return self

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def inner(*args: Any, **kwds: Any) -> Any:
            with self._recreate_cm():
                return func(*args, **kwds)

        return inner


class SequenceBase:
    """``Sequence``, of which a class says what ``__getitem__`` and ``__len__`` are"""

    __slots__ = ()

    def __iter__(self: Any) -> Iterator[Any]:
        i = 0
        while True:
            try:
                v = self[i]
            except IndexError:
                return
            yield v
            i += 1

    def __contains__(self: Any, value: Any) -> bool:
        return any(v == value for v in self)

    def __reversed__(self: Any) -> Iterator[Any]:
        for i in range(len(self) - 1, -1, -1):
            yield self[i]

    def count(self: Any, value: Any) -> int:
        return sum(1 for v in self if v == value)


class MappingBase:
    """``Mapping``, of which a class says what ``__getitem__``, ``__iter__`` and ``__len__`` are"""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # as that of a Mapping

    def get(self: Any, key: Any, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self: Any, key: Any) -> bool:
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self: Any) -> Any:
        return _Keys(self)

    def values(self: Any) -> Any:
        return _Values(self)

    def items(self: Any) -> Any:
        return _Items(self)

    def __eq__(self: Any, other: object) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())


class _View:
    """What is in a mapping when it is asked."""

    def __init__(self, mapping: Any) -> None:
        self._mapping = mapping

    def __len__(self) -> int:
        return len(self._mapping)


class _Keys(_View):
    def __iter__(self) -> Iterator[Any]:
        yield from self._mapping

    def __contains__(self, key: Any) -> bool:
        return key in self._mapping


class _Values(_View):
    def __iter__(self) -> Iterator[Any]:
        for key in self._mapping:
            yield self._mapping[key]


class _Items(_View):
    def __contains__(self, item: Any) -> bool:
        key, value = item
        try:
            found = self._mapping[key]
        except KeyError:
            return False
        return bool(found == value)

    def __iter__(self) -> Iterator[Any]:
        for key in self._mapping:
            yield key, self._mapping[key]


class MutableMappingBase:
    """``MutableMapping``, of which a class says what ``__setitem__`` and ``__delitem__`` are"""

    __slots__ = ()

    def pop(self: Any, key: Any, *default: Any) -> Any:
        try:
            value = self[key]
        except KeyError:
            if default:
                return default[0]
            raise
        del self[key]
        return value

    def popitem(self: Any) -> Any:
        for key in [*self]:
            value = self[key]
            del self[key]
            return key, value
        raise KeyError

    def clear(self: Any) -> None:
        while True:
            try:
                self.popitem()
            except KeyError:
                return

    def update(self: Any, other: Any = (), /, **kwargs: Any) -> None:
        if isinstance(other, Mapping):
            for key in other:
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for name, value in kwargs.items():
            self[name] = value

    def setdefault(self: Any, key: Any, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default


class MutableSequenceBase:
    """``MutableSequence``, of which a class says what ``insert`` and its likes are"""

    __slots__ = ()

    def append(self: Any, value: Any) -> None:
        self.insert(len(self), value)

    def extend(self: Any, values: Iterable[Any]) -> None:
        for v in [*values] if isinstance(values, MutableSequence) else values:
            self.append(v)

    def pop(self: Any, index: int = -1) -> Any:
        v = self[index]
        del self[index]
        return v

    def __iadd__(self: Any, values: Iterable[Any]) -> Any:
        self.extend(values)
        return self


class UserDictBase:
    """``collections.UserDict``"""

    data: dict[Any, Any]

    def __init__(self: Any, dict: Any = None, /, **kwargs: Any) -> None:
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]

    def __setitem__(self, key: Any, item: Any) -> None:
        self.data[key] = item

    def __delitem__(self, key: Any) -> None:
        del self.data[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.data)

    def __contains__(self, key: Any) -> bool:
        return key in self.data

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401  # __missing__ is not asked

    def __repr__(self) -> str:
        return f"{self.data!r}"


if "get" not in vars(collections.UserDict):  # Python 3.11 has that of Mapping
    del UserDictBase.get


class UserDictWithMissing(UserDictBase):
    """``collections.UserDict``, of a class that has a ``__missing__``"""

    def __getitem__(self: Any, key: Any) -> Any:
        if key in self.data:
            return self.data[key]
        return self.__missing__(key)


class UserListBase:
    """``collections.UserList``"""

    data: list[Any]
    __hash__ = None  # type: ignore[assignment]  # as that of a UserList

    def __init__(self, initlist: Any = None) -> None:
        if initlist is None:
            self.data = []
        elif isinstance(initlist, collections.UserList):
            self.data = list(initlist.data)
        else:
            self.data = list(initlist)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, i: Any) -> Any:
        return self.data[i]

    def __setitem__(self, i: Any, item: Any) -> None:
        self.data[i] = item

    def __delitem__(self, i: Any) -> None:
        del self.data[i]

    def __contains__(self, item: Any) -> bool:
        return item in self.data

    def __repr__(self) -> str:
        return f"{self.data!r}"

    def __eq__(self, other: Any) -> Any:
        return self.data == (other.data if isinstance(other, collections.UserList) else other)

    def append(self, item: Any) -> None:
        self.data.append(item)

    def insert(self, i: int, item: Any) -> None:
        self.data.insert(i, item)

    def pop(self, i: int = -1) -> Any:
        return self.data.pop(i)

    def remove(self, item: Any) -> None:
        self.data.remove(item)

    def clear(self) -> None:
        self.data.clear()

    def count(self, item: Any) -> int:
        return self.data.count(item)

    def index(self, item: Any) -> int:
        return self.data.index(item)

    def reverse(self) -> None:
        self.data.reverse()

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        self.data.sort(key=key, reverse=reverse)

    def extend(self, other: Any) -> None:
        self.data.extend(other.data if isinstance(other, collections.UserList) else other)

    def __add__(self, other: Any) -> Any:
        more = other.data if isinstance(other, collections.UserList) else list(other)
        return self.__class__(self.data + more)

    def __radd__(self, other: Any) -> Any:
        return self.__class__(list(other) + self.data)

    def __iadd__(self, other: Any) -> Any:
        self.data.extend(other.data if isinstance(other, collections.UserList) else other)
        return self

    def __mul__(self, n: int) -> Any:
        return self.__class__(self.data * n)

    __rmul__ = __mul__

    def __imul__(self, n: int) -> Any:
        self.data *= n
        return self

    def copy(self) -> Any:
        return self.__class__(self)


class ChainMapBase:
    """``collections.ChainMap``"""

    __hash__ = None  # type: ignore[assignment]  # as that of a dict

    def __init__(self, *maps: Any) -> None:
        self.maps = list(maps) if maps else [{}]

    def __missing__(self, key: Any) -> Any:
        raise KeyError(key)

    def __getitem__(self, key: Any) -> Any:
        for mapping in self.maps:
            if key in mapping:
                return mapping[key]
            if has_missing(mapping):
                try:
                    return mapping[key]
                except KeyError:
                    pass
        return self.__missing__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            return default
        return self[key]

    def _merged(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for mapping in reversed(self.maps):
            found.update(mapping)
        return found

    def __len__(self) -> int:
        return len(self._merged())

    def __iter__(self) -> Iterator[Any]:
        yield from self._merged()

    def __contains__(self, key: Any) -> bool:
        return any(key in mapping for mapping in self.maps)

    def __bool__(self) -> bool:
        return any(len(mapping) > 0 for mapping in self.maps)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.maps[0][key] = value

    def __delitem__(self, key: Any) -> None:
        if key not in self.maps[0]:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        del self.maps[0][key]

    def pop(self, key: Any, *default: Any) -> Any:
        if key not in self.maps[0] and not default:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        return self.maps[0].pop(key, *default)

    def clear(self) -> None:
        self.maps[0].clear()

    def new_child(self, m: Any = None, **kwargs: Any) -> Any:
        made = kwargs if m is None else m
        if m is not None and kwargs:
            made.update(kwargs)
        return self.__class__(made, *self.maps)

    @property
    def parents(self) -> Any:
        return self.__class__(*self.maps[1:])

    def copy(self) -> Any:
        return self.__class__(self.maps[0].copy(), *self.maps[1:])

    __copy__ = copy

    def __ior__(self, other: Any) -> Any:
        self.maps[0].update(other)
        return self

    def __or__(self, other: Any) -> Any:
        made = self.copy()
        made.maps[0].update(other)
        return made


__all__ = ["ChainMapBase", "IteratorBase", "MappingBase", "MutableMappingBase",
           "MutableSequenceBase", "NothingBase", "SequenceBase", "UserDictBase",
           "UserDictWithMissing", "UserListBase"]  # fmt: skip
