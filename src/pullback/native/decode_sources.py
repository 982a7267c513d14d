"""Where the parts of an object that is to be made are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from pullback.core.types import Array, Real
from pullback.lower.loopcode import Ty


@dataclass(frozen=True, slots=True)
class Source:
    """Where a leaf is: the addresses of its words and of those of what is beside it; in a gradient
    the object that is its cotangent, or the addresses of that one's words (``given``), or the
    address of the one real number of type ``ty`` that is."""

    words: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    object: str = ""
    given: list[str] = field(default_factory=list)
    real: str = ""
    ty: Ty = Ty.F64  # a cell of the store
    numbered: bool = False  # beside arrays of reals are first ids, not arrays of ids


Sources = Iterator[Source]


class Reading(Enum):
    """What is made of the words."""

    VALUE = "value"
    GRADIENT = "gradient"
    TANGENT = "tangent"


def stays_acyclic(cls: type) -> bool:
    """Whether instances refer to their fields only, and for ever."""
    return not any(isinstance(x, cached_property) for c in cls.__mro__ for x in vars(c).values())


def by_value(t: object) -> bool:
    """Whether an argument's own leaf has its cotangent by value."""
    return isinstance(t.elem if isinstance(t, Array) else t, Real)
