"""The abstract values that have no others in them (``values`` has them all)."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from pullback.core.terms import Atom
from pullback.core.types import Array, Bool, Int, Real

if TYPE_CHECKING:
    from pullback.core.messages import Part


_serials = count()


class Owner:
    """The identity of an array that a function has made; arrays that may share its memory have it
    too. A variable that functions capture is an owner as well (``cell``): it may be assigned
    again."""

    __slots__ = ("note", "serial")

    def __init__(self, note: str = "", cell: bool = False) -> None:
        self.note = note
        self.serial = -1 - next(_serials) if cell else next(_serials)

    @property
    def cell(self) -> bool:
        return self.serial < 0


@dataclass(frozen=True, slots=True, eq=False)
class Static:
    """A value known at compile time. If it is a number, it is a literal, or computed from
    literals."""

    value: object


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A number. ``py``: a Python int, float or bool (checked arithmetic); else a NumPy scalar.

    ``bits``: an int known to be below 2**bits in size (indices and extents: INDEX_BITS), so that
    small sums and products need no overflow check; ``index_scalar(atom)`` makes such a Python int.
    """

    atom: Atom
    py: bool
    bits: int = 64

    @property
    def type(self) -> Real | Int | Bool:
        t = self.atom.type
        assert isinstance(t, Real | Int | Bool)
        return t


INDEX_BITS = 31


def index_scalar(atom: Atom) -> Scalar:
    """Return a loop index or an extent as a Python int."""
    return Scalar(atom, py=True, bits=INDEX_BITS)


@dataclass(frozen=True, slots=True, eq=False)
class ArrayV:
    """An ndarray. ``owners``: the arrays whose memory it may share; ``fresh``: it is itself all of
    an array that this function created (not a view, argument or captured array)."""

    atom: Atom
    owners: frozenset[Owner] = frozenset()
    fresh: bool = False

    @property
    def type(self) -> Array:
        assert isinstance(self.atom.type, Array)
        return self.atom.type

    @property
    def rank(self) -> int:
        return self.type.rank

    @property
    def elem(self) -> Real | Int | Bool:
        t = self.type.elem
        assert isinstance(t, Real | Int | Bool)
        return t


@dataclass(frozen=True, slots=True, eq=False)
class ViewStep:
    """The step from an array to a view of it: the primitive that makes the view."""

    name: str
    args: tuple[Atom, ...] = ()
    static: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SmallV:
    """A number or array of a small integer dtype, by its name; ``wide``: the same in int64."""

    wide: Scalar | ArrayV
    dtype: str


@dataclass(frozen=True, slots=True, eq=False)
class SymbolV:
    """A string or a member of an enumeration, known at run time only, as a number (an I64)."""

    atom: Atom
    cls: type


@dataclass(frozen=True, slots=True, eq=False)
class ThreadV:
    """The state of the consumer of a running generator, between two ``yield``: atoms whose kinds
    are settled. Only the consumer looks at them."""

    atoms: tuple[Atom, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Stale:
    """What a name holds after its memory was updated through another name: any use is refused.
    ``unset``: the name has no value in Python either."""

    reason: str
    node: ast.AST
    unset: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class ShownV(Stale):
    """A text that only errors show (``message = f"..."``, then ``raise ValueError(message)``): the
    values of which it is made are recorded with the error."""

    part: Part
    leaves: tuple[Atom, ...]


UNSET = Stale("a name without a value was read", ast.Pass(), unset=True)
"""What a name holds, while a loop body is tried, that no path has set yet."""
