"""The containers that users derive classes from, as plain classes that the front end compiles.

An object of ``class Stack(list)`` is one of a plain class that holds a list in a hidden attribute;
these are the methods that it has from ``list``. As in CPython, they work on what the list holds,
whatever the class of the user has overridden: only those that CPython itself writes by other
methods call them (``defaultdict``, ``Counter``, ``OrderedDict``)."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pullback.frontend.library.text_helpers import contents, items_of


class ListBase:
    """``list``"""

    __slots__ = ("__items",)
    __items: list[Any]
    __hash__ = None  # type: ignore[assignment]  # as that of a list

    def __init__(self, iterable: Iterable[Any] = (), /) -> None:
        made = list(items_of(iterable))
        object.__setattr__(self, "_ListBase__items", made)

    def __len__(self) -> int:
        return len(self.__items)

    def __iter__(self) -> Any:
        return iter(self.__items)

    def __reversed__(self) -> Any:
        return reversed(self.__items)

    def __contains__(self, value: Any, /) -> bool:
        return value in self.__items

    def __getitem__(self, index: Any, /) -> Any:
        return self.__items[index]

    def __setitem__(self, index: Any, value: Any, /) -> None:
        self.__items[index] = value

    def __delitem__(self, index: Any, /) -> None:
        del self.__items[index]

    def __repr__(self) -> str:
        return f"{self.__items!r}"

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        return self.__items == contents(other)

    def __lt__(self, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        return self.__items < contents(other)

    def __le__(self, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        return self.__items <= contents(other)

    def __gt__(self, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        return self.__items > contents(other)

    def __ge__(self, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        return self.__items >= contents(other)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        return self.__items + contents(other)

    def __iadd__(self, other: Any) -> Any:
        self.__items.extend(items_of(other))
        return self

    def __mul__(self, n: int) -> list[Any]:
        return self.__items * n

    def __rmul__(self, n: int) -> list[Any]:
        return self.__items * n

    def __imul__(self, n: int) -> Any:
        self.__items *= n
        return self

    def append(self, value: Any, /) -> None:
        self.__items.append(value)

    def extend(self, iterable: Iterable[Any], /) -> None:
        self.__items.extend(items_of(iterable))

    def insert(self, index: int, value: Any, /) -> None:
        self.__items.insert(index, value)

    def pop(self, index: int = -1, /) -> Any:
        return self.__items.pop(index)

    def remove(self, value: Any, /) -> None:
        self.__items.remove(value)

    def clear(self) -> None:
        self.__items.clear()

    def index(self, value: Any, *where: int) -> int:
        return self.__items.index(value, *where)

    def count(self, value: Any, /) -> int:
        return self.__items.count(value)

    def reverse(self) -> None:
        self.__items.reverse()

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        self.__items.sort(key=key, reverse=reverse)

    def copy(self) -> list[Any]:
        return self.__items.copy()


class DictBase:
    """``dict``"""

    __slots__ = ("__table",)
    __table: dict[Any, Any]
    __hash__ = None  # type: ignore[assignment]  # as that of a dict

    def __init__(self, given: Any = (), /, **kwargs: Any) -> None:
        self.__table.update(items_of(given))
        if kwargs:
            self.__table.update(kwargs)

    def __len__(self) -> int:
        return len(self.__table)

    def __iter__(self) -> Any:
        return iter(self.__table)

    def __reversed__(self) -> Any:
        return reversed(self.__table)

    def __contains__(self, key: Any, /) -> bool:
        return key in self.__table

    def __getitem__(self, key: Any, /) -> Any:
        return self.__table[key]

    def __setitem__(self, key: Any, value: Any, /) -> None:
        self.__table[key] = value

    def __delitem__(self, key: Any, /) -> None:
        del self.__table[key]

    def __repr__(self) -> str:
        return f"{self.__table!r}"

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        return self.__table == contents(other)

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        return self.__table | contents(other)

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        return contents(other) | self.__table

    def __ior__(self, other: Any) -> Any:
        self.__table.update(items_of(other))
        return self

    def get(self, key: Any, default: Any = None, /) -> Any:
        return self.__table.get(key, default)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        return self.__table.setdefault(key, default)

    def pop(self, key: Any, /, *default: Any) -> Any:
        return self.__table.pop(key, *default)

    def popitem(self) -> tuple[Any, Any]:
        return self.__table.popitem()

    def update(self, given: Any = (), /, **kwargs: Any) -> None:
        self.__table.update(items_of(given))
        if kwargs:
            self.__table.update(kwargs)

    def clear(self) -> None:
        self.__table.clear()

    def copy(self) -> dict[Any, Any]:
        return self.__table.copy()

    def keys(self) -> Any:
        return self.__table.keys()

    def values(self) -> Any:
        return self.__table.values()

    def items(self) -> Any:
        return self.__table.items()

    @classmethod
    def fromkeys(cls, iterable: Iterable[Any], value: Any = None, /) -> Any:
        made = cls()
        for key in iterable:
            made[key] = value
        return made


class DictWithMissing(DictBase):
    """``dict``, of a class that has a ``__missing__``"""

    __slots__ = ()
    _DictBase__table: dict[Any, Any]

    def __getitem__(self, key: Any, /) -> Any:
        if key in self._DictBase__table:
            return self._DictBase__table[key]
        return self.__missing__(key)  # type: ignore[attr-defined]  # the class of the user has it


class DefaultDictBase(DictBase):
    """``collections.defaultdict``: the table is one, unless the class has a ``__missing__`` of its
    own."""

    __slots__ = ("__factory",)
    __factory: Callable[[], Any] | None
    _DictBase__table: dict[Any, Any]

    def __init__(
        self, default_factory: Callable[[], Any] | None = None, given: Any = (), /, **kwargs: Any
    ) -> None:
        object.__setattr__(self, "_DefaultDictBase__factory", default_factory)
        if isinstance(self._DictBase__table, collections.defaultdict):
            table: dict[Any, Any] = collections.defaultdict(default_factory)
            object.__setattr__(self, "_DictBase__table", table)
        super().__init__(given, **kwargs)

    @property
    def default_factory(self) -> Callable[[], Any] | None:
        return self.__factory

    def __missing__(self, key: Any, /) -> Any:
        if self.__factory is None:
            raise KeyError(key)
        self[key] = made = self.__factory()
        return made

    def copy(self) -> Any:
        return type(self)(self.__factory, self)

    __copy__ = copy


class CounterBase(DictBase):
    """``collections.Counter``: the table is one, unless the class has a ``__missing__`` of its
    own."""

    __slots__ = ()
    _DictBase__table: dict[Any, Any]

    def __init__(self, iterable: Any = None, /, **kwargs: Any) -> None:
        super().__init__()
        self.update(iterable, **kwargs)

    def __missing__(self, key: Any) -> int:
        return 0

    def update(self, iterable: Any = None, /, **kwargs: Any) -> None:
        if iterable is not None:
            if isinstance(iterable, Mapping):
                if len(self._DictBase__table) > 0:
                    for key, count in iterable.items():
                        self[key] = count + self.get(key, 0)
                else:
                    super().update(iterable)
            else:
                for key in iterable:
                    self[key] = self.get(key, 0) + 1
        if kwargs:
            self.update(kwargs)

    def subtract(self, iterable: Any = None, /, **kwargs: Any) -> None:
        if iterable is not None:
            if isinstance(iterable, Mapping):
                for key, count in iterable.items():
                    self[key] = self.get(key, 0) - count
            else:
                for key in iterable:
                    self[key] = self.get(key, 0) - 1
        if kwargs:
            self.subtract(kwargs)

    def total(self) -> Any:
        return sum(self.values())

    def most_common(self, n: int | None = None) -> list[tuple[Any, Any]]:
        found = sorted(self.items(), key=_count, reverse=True)
        return found if n is None else found[:n]

    def elements(self) -> Iterator[Any]:
        for key, count in self.items():
            for _ in range(count):
                yield key

    def copy(self) -> Any:
        return self.__class__(self)

    def __delitem__(self, key: Any) -> None:
        if key in self:
            super().__delitem__(key)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, collections.Counter):
            return NotImplemented
        return self.__counts() == collections.Counter(contents(other))

    __hash__ = None

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, collections.Counter):
            return NotImplemented
        return self.__counts() + collections.Counter(contents(other))

    def __sub__(self, other: Any) -> Any:
        if not isinstance(other, collections.Counter):
            return NotImplemented
        return self.__counts() - collections.Counter(contents(other))

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, collections.Counter):
            return NotImplemented
        return self.__counts() | collections.Counter(contents(other))

    def __and__(self, other: Any) -> Any:
        if not isinstance(other, collections.Counter):
            return NotImplemented
        return self.__counts() & collections.Counter(contents(other))

    def __counts(self) -> collections.Counter[Any]:
        return collections.Counter(self._DictBase__table)


def _count(item: tuple[Any, Any]) -> Any:
    return item[1]


class OrderedDictBase(DictBase):
    """``collections.OrderedDict``"""

    __slots__ = ()
    _DictBase__table: collections.OrderedDict[Any, Any]

    def __init__(self, given: Any = (), /, **kwargs: Any) -> None:
        self.__update(given, kwargs)

    def update(self, given: Any = (), /, **kwargs: Any) -> None:
        self.__update(given, kwargs)

    def __update(self, given: Any, kwargs: dict[str, Any]) -> None:
        if isinstance(given, Mapping):
            keys = given.keys()
            for key in keys:
                self[key] = given[key]
        else:
            for key, value in given:
                self[key] = value
        for name, value in kwargs.items():
            self[name] = value

    def move_to_end(self, key: Any, last: bool = True) -> None:
        self._DictBase__table.move_to_end(key, last)

    def popitem(self, last: bool = True) -> tuple[Any, Any]:
        return self._DictBase__table.popitem(last)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key in self:
            return self[key]
        self[key] = default
        return default

    def copy(self) -> Any:
        made = self.__class__()
        for key, value in self._DictBase__table.items():
            made[key] = value
        return made


class DequeBase:
    """``collections.deque``"""

    __slots__ = ("__items",)
    __items: collections.deque[Any]
    __hash__ = None  # type: ignore[assignment]  # as that of a deque

    def __init__(self, iterable: Iterable[Any] = (), maxlen: int | None = None) -> None:
        made: collections.deque[Any] = collections.deque(iterable, maxlen)
        object.__setattr__(self, "_DequeBase__items", made)

    @property
    def maxlen(self) -> int | None:
        return self.__items.maxlen

    def __len__(self) -> int:
        return len(self.__items)

    def __iter__(self) -> Any:
        return iter(self.__items)

    def __reversed__(self) -> Any:
        return reversed(self.__items)

    def __contains__(self, value: Any, /) -> bool:
        return value in self.__items

    def __getitem__(self, index: int, /) -> Any:
        return self.__items[index]

    def __setitem__(self, index: int, value: Any, /) -> None:
        self.__items[index] = value

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, collections.deque):
            return NotImplemented
        return self.__items == contents(other)

    def __add__(self, other: Any) -> Any:
        made = self.copy()
        made.extend(other)
        return made

    def __iadd__(self, other: Any) -> Any:
        self.__items.extend(other)
        return self

    def append(self, value: Any, /) -> None:
        self.__items.append(value)

    def appendleft(self, value: Any, /) -> None:
        self.__items.appendleft(value)

    def pop(self) -> Any:
        return self.__items.pop()

    def popleft(self) -> Any:
        return self.__items.popleft()

    def extend(self, iterable: Iterable[Any], /) -> None:
        self.__items.extend(iterable)

    def extendleft(self, iterable: Iterable[Any], /) -> None:
        self.__items.extendleft(iterable)

    def rotate(self, n: int = 1, /) -> None:
        self.__items.rotate(n)

    def reverse(self) -> None:
        self.__items.reverse()

    def clear(self) -> None:
        self.__items.clear()

    def copy(self) -> Any:
        if self.__items.maxlen is None:
            return type(self)(self)
        return type(self)(self, self.__items.maxlen)

    def count(self, value: Any, /) -> int:
        return self.__items.count(value)

    def index(self, value: Any, /) -> int:
        return self.__items.index(value)

    def insert(self, index: int, value: Any, /) -> None:
        self.__items.insert(index, value)

    def remove(self, value: Any, /) -> None:
        self.__items.remove(value)


__all__ = ["CounterBase", "DefaultDictBase", "DequeBase", "DictBase", "DictWithMissing",
           "ListBase", "OrderedDictBase"]  # fmt: skip
