"""From words to Python objects: what the code of every shape uses (``Shape.decode``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import Enum
from functools import cached_property

from pullback.call.code.writing import Names
from pullback.call.space import Space, of_reals
from pullback.core.frozen import dataclass, field
from pullback.core.types import Array, Type
from pullback.frontend.python.unions import Union
from pullback.lower.loopcode import Ty
from pullback.native.builder import Code


@dataclass(frozen=True, slots=True)
class Source:
    """The place of a leaf: the addresses of its words, and of the words of what is beside it. In a
    gradient also the place of its cotangent: an object, or the addresses of its words (``given``),
    or the address of one real number of type ``ty``."""

    words: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    object: str = ""
    given: list[str] = field(default_factory=list)
    real: str = ""
    ty: Ty = Ty.F64  # that of the cells of the store
    numbered: bool = False  # beside arrays of reals are first ids, not arrays of ids

    @property
    def own(self) -> bool:
        """Whether its cotangent is there by value."""
        return bool(self.object or self.given)


Sources = Iterator[Source]


class Reading(Enum):
    """Which object is made of the words."""

    VALUE = "value"
    GRADIENT = "gradient"
    TANGENT = "tangent"


class Making(ABC):
    """The function that is being printed: it makes the objects of some values. What fails (there
    is no memory) makes the code go on at the block "fail"."""

    def __init__(
        self, space: Space, unions: tuple[Union, ...], names: Names, reading: Reading,
        acyclic: bool,
    ) -> None:  # fmt: skip
        self.space = space
        self.unions = unions
        self.names = names
        self.reading = reading
        self.acyclic = acyclic
        self.gradient = reading is Reading.GRADIENT
        self.code = Code()

    @abstractmethod
    def node(self, union: Union, node: str) -> str:
        """A new reference to the object of a node; null: out of memory."""

    def checked(self, obj: str) -> str:
        """A new object; if there is no memory for it, the code goes on at the block "fail"."""
        self.code.need(self.code.let(f"icmp ne ptr {obj}, null"), "fail")
        return obj

    def cell(self, offset: str) -> str:
        """The address of the cell whose number (or id, from 1 on) stands at ``offset``."""
        c = self.code
        place = c.mul(c.load("i64", offset), 8)
        return c.at("%cells", c.add(place, -8) if self.space is Space.IDS else place)

    def named_by_ids(self, source: Source) -> bool:
        """Whether the cotangents are in cells that ids name."""
        by_id = self.gradient and self.space is Space.IDS
        return by_id and not (source.own or source.numbered)


def stays_acyclic(cls: type) -> bool:
    """Whether instances refer to their fields only: a cached property would add a reference."""
    return not any(isinstance(x, cached_property) for c in cls.__mro__ for x in vars(c).values())


def by_value(t: Type) -> bool:
    """Whether an argument's own leaf has its cotangent by value."""
    return of_reals(t) and not (isinstance(t, Array) and isinstance(t.elem, Array))
