"""The abstract values that the front end computes with, and the interface of the specialiser.

A function is specialised by running it forward on *abstract values*. An abstract value knows at
compile time what kind of Python object it stands for, and holds the Core atoms that carry it at run
time (its *leaves*; they are bound in the block being built). Tuples, records, known functions and
ranges exist at compile time only: they are just their leaves.

    value ::= Static(v)                  known now: None, strings, dtypes, modules, literals, ...
            | Scalar(atom, py)           a number: Python's (py) or NumPy's
            | ArrayV(atom)               an ndarray of rank >= 1
            | HashV(cls, length, elem, ...) a dict or set whose keys only the run knows
            | ListV(length, elem, atoms) a sequence of dynamic length: one array per leaf of elem
            | TupleV(items)              a tuple, or a list whose length is known (is_list)
            | RecordV(cls, fields)       a frozen dataclass or NamedTuple that is not a sum
            | UnionV(atom, union)        a value of a (recursive) union of dataclasses: a node
            | OptionalV(there, value)    a value, or what stands for none: None, a mark, a text
            | SmallV(held, dtype)        a number or array of uint8, int16, ...
            | RefV(atom, cls)            an object that may have several names: its row (``store``)
            | SymbolV(atom, cls)         a string or a member of an enumeration, not known now
            | FunctionV(...)             a known function or lambda with what it captures
            | ClosureV(atom, kinds)      a function chosen at run time among known ones
            | LambdaSetV(atom, set)      a function whose captures may be such functions: a node
            | OperatorV(name, f, ...)    pb.grad(f) and the like
            | RangeV ZipV EnumerateV ReversedV GeneratorV SliceV
            | ThreadV(atoms)             what the consumer of a running generator has come to

``frontend/library/registry.py`` says how a library function is registered.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, overload

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom
from pullback.frontend.interface import Specialiser
from pullback.frontend.kinds.by_callable import ByCallable
from pullback.frontend.kinds.plain_values import (
    INDEX_BITS,
    UNSET,
    ArrayV,
    CaughtV,
    Line,
    Lines,
    Owner,
    RefV,
    Scalar,
    ShownV,
    SmallV,
    Stale,
    Static,
    SymbolV,
    ThreadV,
    Value,
    ViewStep,
    index_scalar,
    is_unread,
)

if TYPE_CHECKING:
    from pullback.frontend.functions.lambda_sets import LambdaSet
    from pullback.frontend.functions.scopes import AnyScope, Outside, Scope
    from pullback.frontend.kinds.kinds import FunctionK, Kind, TupleK
    from pullback.frontend.python.records import Union
    from pullback.frontend.python.source import Definition


@dataclass(frozen=True, slots=True, eq=False)
class ListV(Value):
    """A list (or tuple) of dynamic length whose elements are all of one kind.

    ``atoms``: one rank-1 Core array per leaf of ``elem`` (elements may be arrays themselves); with
    ``spare`` they may be longer than the list. ``sp.element(list, i, node)`` reads one.
    ``owners`` and ``fresh`` are those of the list itself, as of an ArrayV; ``inner``: the owners of
    the arrays and lists in it. ``sole``: these were made here, and each is in one place of the list
    only (in a parameter: the caller knows). ``cls``: see ListK."""

    length: Atom
    elem: Kind
    atoms: tuple[Atom, ...]
    owners: frozenset[Owner] = frozenset()
    fresh: bool = False
    inner: frozenset[Owner] = frozenset()
    spare: bool = False
    sole: bool = False
    cls: type = list


@dataclass(frozen=True, slots=True, eq=False)
class HashV(Value):
    """A dict, a set or one of their subclasses (``cls``) whose keys only the run knows: a hash
    table. Its entries are a list, in the order in which they were put in; the ``index`` has the
    numbers of entries (from 1; 0: free; negative: deleted) at places that follow from their keys,
    in a set of numbers at those of CPython's own table.

    An entry is a tuple of a key and its value (None in a set); where entries have been deleted
    (``holes``), also whether it is still there. Then ``live`` entries are left, ``used`` places of
    the index are not free, and those before ``start`` are all deleted
    (in such a set ``pop`` goes on there). ``factory`` makes the values
    of a ``defaultdict``; ``known`` is a key (its leaves) of which the entry is known here; all
    other fields are those of a list."""

    cls: type
    length: Atom
    index: Atom
    counts: tuple[Atom, ...]
    elem: TupleK
    atoms: tuple[Atom, ...]
    owners: frozenset[Owner] = frozenset()
    fresh: bool = False
    inner: frozenset[Owner] = frozenset()
    spare: bool = False
    sole: bool = False
    factory: Value = field(default_factory=lambda: Static(None))
    known: tuple[tuple[Atom, ...], Atom] | None = None

    @property
    def holes(self) -> bool:
        return len(self.elem.items) == 3

    @property
    def live(self) -> Atom:
        return self.counts[0] if self.holes else self.length

    @property
    def used(self) -> Atom:
        return self.counts[1] if self.holes else self.length

    @property
    def start(self) -> Atom:
        return self.counts[2]


@dataclass(frozen=True, slots=True, eq=False)
class TupleV(Value):
    """A tuple or a list display: of known length, its items of any kinds. Of a list, ``owners`` and
    ``fresh`` are as those of an ArrayV: one that is made here is a new list."""

    items: tuple[Value, ...]
    is_list: bool = False
    owners: frozenset[Owner] = field(default_factory=lambda: frozenset({Owner()}))
    fresh: bool = True

    @property
    def cls(self) -> type:
        return list if self.is_list else tuple


@dataclass(frozen=True, slots=True, eq=False)
class WrappedV(TupleV):
    """A container (``cls``) as it leaves compiled code: its plain data (``kinds.wrapped``), and in
    one word what else it has."""

    cls: type = tuple
    extra: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RecordV(Value):
    """An instance of a frozen dataclass or NamedTuple, field by field. A dict with constant keys is
    one of class ``dict``: its keys are the names; an object whose attributes can be assigned has
    these as fields. ``owners`` and ``fresh`` are as of a list. ``outside``: see RecordK."""

    cls: type
    fields: dict[str, Value]
    node: UnionV | None = None  # the boxed value that this is an unpacked copy of
    owners: frozenset[Owner] = frozenset()
    fresh: bool = False
    outside: Outside | None = None


@dataclass(frozen=True, slots=True, eq=False)
class UnionV(Value):
    """A boxed value: one of the alternatives of a union of dataclasses, but none of ``absent``.
    ``owners``: of the arrays inside it, at any depth."""

    atom: Atom
    union: Union
    owners: frozenset[Owner] = frozenset()
    absent: frozenset[type] = frozenset()

    @property
    def possible(self) -> tuple[type, ...]:
        """Return the alternatives that the value can be."""
        return tuple(c for c in self.union.classes if c not in self.absent)


@dataclass(frozen=True, slots=True, eq=False)
class OptionalV(Value):
    """``value`` where ``there`` (a Bool) is true, else ``other``; see OptionalK."""

    there: Atom
    value: Value
    other: Value = field(default_factory=lambda: Static(None))


@dataclass(frozen=True, slots=True, eq=False)
class MaybeV(Value):
    """The content of a variable that only some paths have set: ``value`` if ``bound`` (a Bool) is
    true. It is checked when the name is read, and is never part of another value."""

    bound: Atom
    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class CellV(Value):
    """The content of a captured variable while the function that captured it runs: a reference to
    the variable ``name`` of ``scope``, where branches and loops see it change. Never part of
    another value."""

    scope: Scope
    name: str

    @property
    def value(self) -> Value | None:
        return self.scope.names.get(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceV(Value):
    """The content of a name for a part of a structure: the variable ``root`` of ``scope``, and the
    steps (indices, names of fields) to the part. ``value`` is the part as it was when the variable
    held ``of``. Never part of another value."""

    scope: Scope
    root: str
    steps: tuple[Value | Atom | str, ...]
    value: Value
    of: Value


@dataclass(frozen=True, slots=True, eq=False)
class SuperV(Value):
    """The value of ``super()``: a record (or, in a method of a class, the class), whose methods are
    looked up in the classes after ``after``."""

    record: RecordV | RefV | Static
    after: type


@dataclass(frozen=True, slots=True, eq=False)
class ClosureV(Value):
    """A function chosen at run time. ``atom`` is a Sum with one variant per alternative, whose
    fields are what that function captures. ``owners`` has the captured variables too."""

    atom: Atom
    kinds: tuple[FunctionK, ...]
    owners: frozenset[Owner] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class LambdaSetV(Value):
    """A function of a recursive lambda set. ``atom`` is a node with one variant per lambda."""

    atom: Atom
    set: LambdaSet
    owners: frozenset[Owner] = frozenset()

    @property
    def kinds(self) -> tuple[FunctionK, ...]:
        return tuple(self.set.members)


@dataclass(frozen=True, slots=True, eq=False)
class RangeV(Value):
    """``range(start, stop, step)``; each is a Scalar or Static Python int."""

    start: Value
    stop: Value
    step: Value


@dataclass(frozen=True, slots=True, eq=False)
class ZipV(Value):
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class EnumerateV(Value):
    items: Value
    start: Value


@dataclass(frozen=True, slots=True, eq=False)
class ReversedV(Value):
    items: Value


@dataclass(frozen=True, slots=True, eq=False)
class GeneratorV(Value):
    """A generator that has not begun: ``sp.iterate`` gives its items (a generator expression begins
    to run then). ``body`` is the function that yields them, if it can be passed on to functions;
    ``handed`` says that it is being passed on; ``ahead``: it makes all items where it begins."""

    node: ast.AST
    items: Items | Callable[[], Items]
    body: Driven | None = None
    handed: bool = False
    ahead: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SliceV(Value):
    """``a[start:stop:step]`` as an index; a missing part is Static(None)."""

    start: Value
    stop: Value
    step: Value

    @property
    def bounds(self) -> tuple[Value, Value, Value]:
        return self.start, self.stop, self.step


@dataclass(frozen=True, slots=True, eq=False)
class Region(Value):
    """Elements of an array, as an index of it: those of its view ``view`` (only those at ``index``,
    if there is one). ``lines``: where the view lies in the array."""

    view: ArrayV
    lines: Lines
    index: Value | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FunctionV(Value):
    """A known Python function. ``scope`` is where its free variables are looked up when it is
    called: the frame being run (late, as Python does), or a snapshot of what it captured."""

    definition: Definition
    scope: AnyScope
    defaults: tuple[Value, ...] = ()
    kw_defaults: tuple[tuple[str, Value], ...] = ()
    bound: tuple[Value, ...] = ()  # leading arguments already given (self of a method)


@dataclass(frozen=True, slots=True, eq=False)
class OperatorV(Value):
    """A derivative operator applied to a function (``pb.grad(f)``), or a pullback (with ``args``).

    ``options`` are the operator's other parameters, in its own order."""

    name: str
    function: Value
    options: tuple[object, ...] = ()
    args: tuple[Value, ...] = ()


# --- iteration ---------------------------------------------------------------------------------


class Late(Sequence["Value"]):
    """Items that are made when they are asked for (what ``map`` makes of a display): the code of an
    item stands where it is taken, anew wherever it is."""

    def __init__(self, count: int, at: Callable[[int], Value]) -> None:
        self.length, self.at = count, at

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Value]:
        """``Sequence`` would take an IndexError of ``at`` for the end."""
        return map(self.at, range(self.length))

    @overload
    def __getitem__(self, k: int) -> Value: ...
    @overload
    def __getitem__(self, k: slice) -> Late: ...
    def __getitem__(self, k: int | slice) -> Value | Late:
        if isinstance(k, int):
            return self.at(range(self.length)[k])
        numbers = range(self.length)[k]
        return Late(len(numbers), lambda n: self.at(numbers[n]))


@dataclass(frozen=True, slots=True, eq=False)
class Unrolled:
    """Items that are known one by one (a tuple, a list display): a loop over them is unrolled. Who
    stops early, or runs other code between two items, takes one of ``each`` after the other."""

    each: tuple[Value, ...] | Late

    @property
    def items(self) -> tuple[Value, ...]:
        """All items, made here if they are late."""
        return tuple(self.each)


@dataclass(frozen=True, slots=True, eq=False)
class Indexed:
    """``length`` items; ``at(i)`` emits the item with I64 index i into the current block.

    ``keep(i)``, if there is one, must be asked first, and ``at(i)`` evaluated only where it is true
    (the ``if`` of a comprehension). ``nested``: ``at(i)`` gives a further ``Items`` in place of
    each item (a comprehension with two ``for``)."""

    length: Atom
    at: Callable[[Atom], Value]
    keep: Callable[[Atom], Atom] | None = None
    nested: Callable[[Atom], Items] | None = None


@dataclass(slots=True, eq=False)
class Driven:
    """The items that a function yields, called with these arguments: its body runs where the items
    are consumed, and ``yield`` calls the consumer (``generators``). ``named``: it has a name."""

    function: FunctionV
    args: dict[str, Value]
    named: bool = False


Items = Unrolled | Indexed | Driven


# --- registration ------------------------------------------------------------------------------

Handler = Callable[[Specialiser, Sequence["Value"], dict[str, "Value"], ast.AST], "Value"]
MethodHandler = Callable[
    [Specialiser, "Value", Sequence["Value"], dict[str, "Value"], ast.AST], "Value"
]
AttributeHandler = Callable[[Specialiser, "Value", ast.AST], "Value"]


@dataclass(slots=True)
class Registry:
    """The handlers of Python and NumPy callables, by the callable; of methods, by receiver and
    name."""

    calls: ByCallable[Handler] = field(default_factory=ByCallable)
    methods: dict[tuple[str, str], MethodHandler] = field(default_factory=dict)
    attributes: dict[tuple[str, str], AttributeHandler] = field(default_factory=dict)
    # Handlers of operator objects (``pb.grad(f)``), by the name in ``__pullback_operator__``.
    operators: dict[str, Callable[..., Value]] = field(default_factory=dict)


REGISTRY = Registry()
CALLS = REGISTRY.calls
METHODS = REGISTRY.methods
ATTRIBUTES = REGISTRY.attributes

WRITTEN: ByCallable[FunctionType] = ByCallable()
"""Builtin functions, each with the text in Python that is compiled in its place."""

WRITTEN_CLASSES: dict[type, type] = {}
"""Classes of the standard library, each with the class in Python that is compiled in its place."""

SEQUENTIAL: dict[object, Callable[..., Any]] = {}
ADVANCED: dict[object, Callable[..., Any]] = {}
ORDERED: dict[object, Callable[..., Any]] = {}
"""Texts in Python that stand for functions of the library: for iterators over generators; for those
that ``next`` advances; where a function that they are given changes variables around it."""


def register(*callables: Hashable) -> Callable[[Handler], Handler]:
    """Return a decorator that makes a handler the meaning of a call of any of ``callables``."""

    def enter(handler: Handler) -> Handler:
        for function in callables:
            assert function not in CALLS, f"two handlers for {function}"
            CALLS[function] = handler
        return handler

    return enter


def method(receiver: str, *names: str) -> Callable[[MethodHandler], MethodHandler]:
    def enter(handler: MethodHandler) -> MethodHandler:
        for name in names:
            METHODS[receiver, name] = handler
        return handler

    return enter


def attribute(receiver: str, *names: str) -> Callable[[AttributeHandler], AttributeHandler]:
    def enter(handler: AttributeHandler) -> AttributeHandler:
        for name in names:
            ATTRIBUTES[receiver, name] = handler
        return handler

    return enter


__all__ = [
    "ADVANCED", "ATTRIBUTES", "CALLS", "INDEX_BITS", "METHODS", "ORDERED", "REGISTRY",
    "SEQUENTIAL", "UNSET", "WRITTEN", "WRITTEN_CLASSES", "ArrayV", "AttributeHandler", "CaughtV",
    "CellV", "ClosureV", "Driven", "EnumerateV", "FunctionV", "GeneratorV", "Handler", "HashV",
    "Indexed", "Items", "LambdaSetV", "Line", "Lines", "ListV", "MaybeV", "MethodHandler",
    "OperatorV", "OptionalV", "Owner", "PlaceV", "RangeV", "RecordV", "RefV", "Region", "Registry",
    "ReversedV", "Scalar", "ShownV", "SliceV", "SmallV", "Specialiser", "Stale", "Static", "SuperV",
    "SymbolV", "ThreadV", "TupleV", "UnionV", "Unrolled", "Value", "ViewStep", "WrappedV", "ZipV",
    "attribute", "index_scalar", "is_unread", "method", "register",
]  # fmt: skip
