"""The abstract values that have no others in them (``values`` has them all)."""

from __future__ import annotations

import ast
from itertools import count
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom
from pullback.core.types import Array, Bool, Int, Real
from pullback.frontend.kinds.plain_kinds import TYPE, PerhapsUnread, Unread

if TYPE_CHECKING:
    from pullback.core.messages import Part


_serials = count()


class Owner:
    """The identity of an array that a function has made; arrays that may share its memory have it
    too. A variable that functions capture is an owner as well (``cell``): it may be assigned
    again. ``in_rows``: it is known that the elements lie in memory row by row. ``told``: a function
    takes it for granted that this part of an argument is in one place only, as its caller knows."""

    __slots__ = ("in_rows", "note", "serial", "told")

    def __init__(self, note: str = "", cell: bool = False, in_rows: bool = False) -> None:
        self.note, self.in_rows, self.told = note, in_rows, False
        self.serial = -1 - next(_serials) if cell else next(_serials)

    @property
    def cell(self) -> bool:
        return self.serial < 0

    def become_cell(self) -> None:
        """Be the identity of a captured variable."""
        self.note, self.serial = "", min(self.serial, -1 - self.serial)


class Value:
    """An abstract value: what the front end knows of a value of the program."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Static(Value):
    """A value known at compile time. If it is a number, it is a literal, or computed from
    literals."""

    value: object


def is_unread(value: Value | None) -> bool:
    """Whether a value stands for an attribute that is no argument."""
    return isinstance(value, Static) and any(value.value is c for c in (Unread, PerhapsUnread))


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Value):
    """A number. ``py``: a Python int, float or bool (checked arithmetic); else a NumPy scalar.

    ``bits``: an int known to be below 2**bits in size (indices and extents: INDEX_BITS), so that
    small sums and products need no overflow check; ``index_scalar(atom)`` makes such a Python int.
    ``is_int``: where this is true a Python float is the int of that value in Python, since an int
    and a float have met (``v = 1 if c else 2.5``). Only what Python can see asks for it.
    ``rank0``: it is an array without axes (``np.array(1.0)``), which updates in place change; then
    ``owners`` and ``fresh`` are those of an ``ArrayV``.
    """

    atom: Atom
    py: bool
    bits: int = 64
    is_int: Atom | None = None
    rank0: bool = False
    owners: frozenset[Owner] = frozenset()
    fresh: bool = False

    @property
    def type(self) -> Real | Int | Bool:
        t = self.atom.type
        assert isinstance(t, (Real, Int, Bool))
        return t


INDEX_BITS = 31


def index_scalar(atom: Atom) -> Scalar:
    """Return a loop index or an extent as a Python int."""
    return Scalar(atom, py=True, bits=INDEX_BITS)


@dataclass(frozen=True, slots=True, eq=False)
class ArrayV(Value):
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
        assert isinstance(t, (Real, Int, Bool))
        return t


@dataclass(frozen=True, slots=True, eq=False)
class ViewStep(Value):
    """The step from an array to a view of it: the primitive that makes the view."""

    name: str
    args: tuple[Atom, ...] = ()
    static: tuple[int, ...] = ()


Line = tuple[Atom, tuple[Atom, ...]]
"""For an axis of an array: the position of the first element of a view, and how far apart its
elements are along each of its axes."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Where a view lies in an array: for each axis of the array, by the axes of the view. ``flat``:
    the array has been brought into a line, which has these extents; then ``axes`` are by its axes,
    and those of the view lead to a position in the line."""

    axes: tuple[Line, ...]
    flat: Lines | None = None
    extents: tuple[Atom, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SmallV(Value):
    """A number or array of a small integer dtype, by its name. ``held``: a number or an array in
    int64, or an array as it lies, of signed items."""

    held: Scalar | ArrayV
    dtype: str


@dataclass(frozen=True, slots=True, eq=False)
class SymbolV(Value):
    """A string or a member of an enumeration, known at run time only, as a number (an I64).
    ``unlike``: it is none of these strings."""

    atom: Atom
    cls: type
    unlike: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class ThreadV(Value):
    """The state of the consumer of a running generator, between two ``yield``: atoms whose kinds
    are settled. Only the consumer looks at them. ``owners``: the variables of the generator that it
    has kept functions of."""

    atoms: tuple[Atom, ...]
    owners: frozenset[Owner] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Stale(Value):
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


@dataclass(frozen=True, slots=True, eq=False)
class CaughtV(Value):
    """An exception that was caught, or what these steps read of it: attributes and items by their
    names, its class by ``TYPE``. Of it compiled code has the number (``functions.clauses``). Where
    it was made here, ``made`` is the plain class and ``row`` the row of what it is made of."""

    atom: Atom
    steps: tuple[str | int, ...] = ()
    made: type | None = None
    row: Atom | None = None

    @property
    def is_there(self) -> bool:
        """Whether it is known not to be None: the exception, its class, its traceback."""
        return self.steps in ((), (TYPE,), ("__traceback__",))


@dataclass(frozen=True, slots=True, eq=False)
class RefV(Value):
    """A reference to an object that may have several names: the number of its row in the columns of
    its class (``store``). ``cls`` is the class of such references; ``among``: the classes that the
    object can be of where less is known to be possible than its region holds, since it was made
    here or its method has been called."""

    atom: Atom
    cls: type
    among: tuple[type, ...] = ()


UNSET = Stale("a name without a value was read", ast.Pass(), unset=True)
"""What a name holds, while a loop body is tried, that no path has set yet."""
