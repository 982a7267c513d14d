"""Numbers, texts and tuples that users derive classes from, as plain classes that the front end
compiles.

An object of ``class Metres(float)`` is one of a plain class that holds a float in a hidden
attribute, given by ``__new__`` and never changed; these are the methods that it has from ``float``.
As in CPython, they work on the float and give one, whatever the class of the user has overridden.
Methods that are not here (``name.upper()``) are those of what the object holds."""

from __future__ import annotations

from typing import Any

from pullback.frontend.library.text_helpers import contents, holding, items_of


class ValueBase:
    """What all of them have: what they hold, and comparisons of it."""

    __slots__ = ("__value",)
    __value: Any

    def __hash__(self) -> int:
        return hash(self.__value)

    def __repr__(self) -> str:
        return f"{self.__value!r}"

    def __eq__(self, other: object) -> Any:
        return self.__value == contents(other)

    def __ne__(self, other: object) -> Any:
        return self.__value != contents(other)

    def __lt__(self, other: Any) -> Any:
        return self.__value < contents(other)

    def __le__(self, other: Any) -> Any:
        return self.__value <= contents(other)

    def __gt__(self, other: Any) -> Any:
        return self.__value > contents(other)

    def __ge__(self, other: Any) -> Any:
        return self.__value >= contents(other)


class NumberBase(ValueBase):
    """What ``float`` and ``int`` have."""

    __slots__ = ()
    _ValueBase__value: Any

    def __add__(self, other: Any) -> Any:
        return self._ValueBase__value + contents(other)

    def __radd__(self, other: Any) -> Any:
        return contents(other) + self._ValueBase__value

    def __sub__(self, other: Any) -> Any:
        return self._ValueBase__value - contents(other)

    def __rsub__(self, other: Any) -> Any:
        return contents(other) - self._ValueBase__value

    def __mul__(self, other: Any) -> Any:
        return self._ValueBase__value * contents(other)

    def __rmul__(self, other: Any) -> Any:
        return contents(other) * self._ValueBase__value

    def __truediv__(self, other: Any) -> Any:
        return self._ValueBase__value / contents(other)

    def __rtruediv__(self, other: Any) -> Any:
        return contents(other) / self._ValueBase__value

    def __floordiv__(self, other: Any) -> Any:
        return self._ValueBase__value // contents(other)

    def __rfloordiv__(self, other: Any) -> Any:
        return contents(other) // self._ValueBase__value

    def __mod__(self, other: Any) -> Any:
        return self._ValueBase__value % contents(other)

    def __rmod__(self, other: Any) -> Any:
        return contents(other) % self._ValueBase__value

    def __pow__(self, other: Any) -> Any:
        return self._ValueBase__value ** contents(other)

    def __rpow__(self, other: Any) -> Any:
        return contents(other) ** self._ValueBase__value

    def __neg__(self) -> Any:
        return -self._ValueBase__value

    def __pos__(self) -> Any:
        return +self._ValueBase__value

    def __abs__(self) -> Any:
        return abs(self._ValueBase__value)

    def __bool__(self) -> bool:
        return bool(self._ValueBase__value)

    def __float__(self) -> float:
        return float(self._ValueBase__value)

    def __int__(self) -> int:
        return int(self._ValueBase__value)

    def __round__(self, digits: Any = None) -> Any:
        if digits is None:
            return round(self._ValueBase__value)
        return round(self._ValueBase__value, digits)


class FloatBase(NumberBase):
    """``float``"""

    __slots__ = ()

    def __new__(cls, value: Any = 0.0, /) -> Any:
        return holding(cls, float(value))


class IntBase(NumberBase):
    """``int``"""

    __slots__ = ()
    _ValueBase__value: Any

    def __new__(cls, value: Any = 0, /) -> Any:
        return holding(cls, int(value))

    def __index__(self) -> int:
        return int(self._ValueBase__value)

    def __and__(self, other: Any) -> Any:
        return self._ValueBase__value & contents(other)

    def __rand__(self, other: Any) -> Any:
        return contents(other) & self._ValueBase__value

    def __or__(self, other: Any) -> Any:
        return self._ValueBase__value | contents(other)

    def __ror__(self, other: Any) -> Any:
        return contents(other) | self._ValueBase__value

    def __xor__(self, other: Any) -> Any:
        return self._ValueBase__value ^ contents(other)

    def __rxor__(self, other: Any) -> Any:
        return contents(other) ^ self._ValueBase__value

    def __lshift__(self, other: Any) -> Any:
        return self._ValueBase__value << contents(other)

    def __rshift__(self, other: Any) -> Any:
        return self._ValueBase__value >> contents(other)

    def __invert__(self) -> Any:
        return ~self._ValueBase__value


class SequenceValueBase(ValueBase):
    """What ``str`` and ``tuple`` have."""

    __slots__ = ()
    _ValueBase__value: Any

    def __len__(self) -> int:
        return len(self._ValueBase__value)

    def __iter__(self) -> Any:
        return iter(self._ValueBase__value)

    def __contains__(self, item: Any, /) -> bool:
        return item in self._ValueBase__value

    def __getitem__(self, index: Any, /) -> Any:
        return self._ValueBase__value[index]

    def __add__(self, other: Any) -> Any:
        return self._ValueBase__value + contents(other)

    def __mul__(self, n: int) -> Any:
        return self._ValueBase__value * n

    def __rmul__(self, n: int) -> Any:
        return self._ValueBase__value * n


class StrBase(SequenceValueBase):
    """``str``"""

    __slots__ = ()
    _ValueBase__value: Any

    def __new__(cls, value: Any = "", /) -> Any:
        return holding(cls, str(value))

    def __str__(self) -> str:
        return f"{self._ValueBase__value}"

    def __mod__(self, values: Any) -> Any:
        return self._ValueBase__value % values


class TupleBase(SequenceValueBase):
    """``tuple``"""

    __slots__ = ()
    _ValueBase__value: Any

    def __new__(cls, iterable: Any = (), /) -> Any:
        return holding(cls, tuple(items_of(iterable)))

    def index(self, value: Any, *where: int) -> Any:
        return self._ValueBase__value.index(value, *where)

    def count(self, value: Any, /) -> Any:
        return self._ValueBase__value.count(value)
