"""The comparisons that ``functools.total_ordering`` adds to a class, each by one that it has, with
Python's rules."""

from __future__ import annotations

from typing import Any


def gt_from_lt(self: Any, other: Any) -> Any:
    less = self.__lt__(other)
    return less if less is NotImplemented else not less and self != other


def le_from_lt(self: Any, other: Any) -> Any:
    less = self.__lt__(other)
    return less if less is NotImplemented else less or self == other


def ge_from_lt(self: Any, other: Any) -> Any:
    less = self.__lt__(other)
    return less if less is NotImplemented else not less


def ge_from_le(self: Any, other: Any) -> Any:
    at_most = self.__le__(other)
    return at_most if at_most is NotImplemented else not at_most or self == other


def lt_from_le(self: Any, other: Any) -> Any:
    at_most = self.__le__(other)
    return at_most if at_most is NotImplemented else at_most and self != other


def gt_from_le(self: Any, other: Any) -> Any:
    at_most = self.__le__(other)
    return at_most if at_most is NotImplemented else not at_most


def lt_from_gt(self: Any, other: Any) -> Any:
    more = self.__gt__(other)
    return more if more is NotImplemented else not (more or self == other)


def ge_from_gt(self: Any, other: Any) -> Any:
    more = self.__gt__(other)
    return more if more is NotImplemented else more or self == other


def le_from_gt(self: Any, other: Any) -> Any:
    more = self.__gt__(other)
    return more if more is NotImplemented else not more


def le_from_ge(self: Any, other: Any) -> Any:
    at_least = self.__ge__(other)
    return at_least if at_least is NotImplemented else not at_least or self == other


def gt_from_ge(self: Any, other: Any) -> Any:
    at_least = self.__ge__(other)
    return at_least if at_least is NotImplemented else at_least and self != other


def lt_from_ge(self: Any, other: Any) -> Any:
    at_least = self.__ge__(other)
    return at_least if at_least is NotImplemented else not at_least
