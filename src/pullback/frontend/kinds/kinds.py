"""Kinds: what the front end knows about a value apart from its atoms. Also the argument types.

    kind ::= ScalarK(type, py, bits) | StaticK(value) | ArrayK(elem, rank) | ListK(kind)
           | TupleK(kinds, is_list) | RecordK(cls, fields) | UnionK(union)
           | FunctionK(scopes, root) | ClosureK(alternatives) | LambdaSetK(set) | RangeK | OperatorK
           | StaleK | OptionalK(kind, other) | MaybeK(kind) | SymbolK(cls) | SmallK
           | CaughtK(steps) | RefK(cls) | ThreadK(types)
           | GeneratorK(function, args) | HashK(cls, elem, factory)

Kinds are hashable and compared structurally: a function is specialised once per tuple of argument
kinds, and compiled code is cached under them (``ArgType`` is another name for a kind). The *leaves*
of a kind are the Core types of the atoms that carry a value of it, depth first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pullback.core.frozen import dataclass
from pullback.core.types import I64, Array, Bool, Named, Sum, Type, Variant
from pullback.frontend.kinds.plain_kinds import (
    PERHAPS_UNREAD,
    TYPE,
    UNREAD,
    ArrayK,
    CaughtK,
    Compound,
    Kind,
    Number,
    PerhapsUnread,
    RefK,
    ScalarK,
    SmallK,
    StaleK,
    StaticK,
    SymbolK,
    ThreadK,
    Unread,
    UnreadK,
    hash_once,
    quantised,
    static_kind,
    static_scalar,
)

if TYPE_CHECKING:
    from pullback.frontend.functions.lambda_sets import LambdaSet
    from pullback.frontend.functions.scopes import Outside, PyScope
    from pullback.frontend.python.records import Union
    from pullback.frontend.python.source import Definition


@dataclass(frozen=True, slots=True)
class ListK(Compound, Kind):
    """The kind of a list or tuple of dynamic length. Leaves: its length, then one array per leaf of
    an item.

    ``spare``: these arrays may be longer than the list (``append`` writes there). ``cls``: list or
    tuple; ``Sequence``: only the run knows which of the two."""
    __hash__ = hash_once

    elem: Kind
    spare: bool = False
    cls: type = list

    @property
    def word(self) -> str:
        """What a user calls it."""
        return "list or tuple" if self.cls is Sequence else self.cls.__name__


@dataclass(frozen=True, slots=True)
class TableK(ListK):
    """The kind of a set, frozenset or large dict (``cls``) that is an argument: a list of its items
    crosses, of which the entry makes the table (``memory.given_containers``). ``elem``: what a set
    holds; the pair of a key and its value in a dict, which is a large one, or of ``any_size``; the
    pair of an item and its place in a set whose table crosses (``placed``; ints stand there
    without pairs, each before its place)."""
    __hash__ = hash_once

    cls: type = set
    any_size: bool = False
    placed: bool = False


@dataclass(frozen=True, slots=True)
class HashK(Compound, Kind):
    """The kind of a dict or set whose keys only the run knows; see ``values.HashV``. Leaves: how
    many entries there are, the index; where entries have been deleted, how many are left, how many
    places of the index are in use, and before which entry all are deleted (``counts``); one array
    per leaf of an entry; the leaves of the factory.

    ``elem``: an entry, a tuple of a key, its value and, where entries have been deleted, whether it
    is still there. A tuple of nothing: nothing has been put in so far."""
    __hash__ = hash_once

    cls: type
    elem: TupleK
    spare: bool
    factory: Kind

    @property
    def typed(self) -> bool:
        return bool(self.elem.items)

    @property
    def holes(self) -> bool:
        return len(self.elem.items) == 3

    @property
    def counts(self) -> int:
        """How many leaves there are between the index and the entries."""
        return 3 if self.holes else 0

    @property
    def heads(self) -> int:
        """How many leaves there are before those of the entries."""
        return 2 + self.counts


@dataclass(frozen=True, slots=True)
class TupleK(Compound, Kind):
    """The kind of a tuple (or list) of known length."""
    __hash__ = hash_once

    items: tuple[Kind, ...]
    is_list: bool = False

    @property
    def cls(self) -> type:
        return list if self.is_list else tuple


_NOTHING = static_kind(None)


@dataclass(frozen=True, slots=True)
class WrappedK(TupleK):
    """The kind of a container (``cls``) that is an argument or result; its one item is the kind of
    its plain data, ``extra`` that of what else it has (``wrapped``)."""
    __hash__ = hash_once

    cls: type = tuple
    extra: Kind = _NOTHING

    @property
    def held(self) -> Kind:
        return self.items[0]


@dataclass(frozen=True, slots=True)
class RecordK(Compound, Kind):
    """The kind of a frozen dataclass or NamedTuple, field by field; or of a ``dict``, key by key
    (in order). ``outside``: of an object that the program finds outside, where (its attributes are
    read when they are asked for, and are no fields)."""
    __hash__ = hash_once

    cls: type
    fields: tuple[tuple[str, Kind], ...]
    outside: Outside | None = None


@dataclass(frozen=True, slots=True)
class UnionK(Kind):
    """The kind of a node of a union of dataclasses (unions are compared by identity). ``absent``
    has the alternatives that it is known not to be."""

    union: Union
    absent: frozenset[type] = frozenset()


@dataclass(frozen=True, slots=True)
class OptionalK(Compound, Kind):
    """The kind of a value that may be missing: of what stands in its place then (``other``: None,
    a mark such as ``object()``, a text) or of the value. Leaves: whether there is a value, then
    those of the value (of no meaning if there is none), then those of the other. A value that may
    be one of several others has one such kind inside of another (``sum_kinds``)."""
    __hash__ = hash_once

    inner: Kind
    other: Kind = _NOTHING


@dataclass(frozen=True, slots=True)
class MaybeK(Kind):
    """The kind of a name that only some paths have set; its leaves are those of an optional
    value."""

    inner: Kind


@dataclass(frozen=True, slots=True)
class FunctionRefK(Compound, Kind):
    """A function whose free variables live in ``scopes[scope]`` of the FunctionK around it."""
    __hash__ = hash_once

    definition: Definition
    scope: int
    defaults: tuple[Kind, ...]
    kw_defaults: tuple[tuple[str, Kind], ...]
    bound: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class ScopeK(Compound):
    """The variables that functions capture from one scope. ``external``: they are the cells of a
    Python function; ``rebound``: those of them that functions inside assign to; ``always``: those
    that all of them capture."""
    __hash__ = hash_once

    parent: int
    names: tuple[tuple[str, Kind], ...]
    external: PyScope | None = None
    rebound: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FunctionK(Compound, Kind):
    """The kind of a known function, with all scopes that it reaches (functions may capture each
    other)."""
    __hash__ = hash_once

    scopes: tuple[ScopeK, ...]
    root: FunctionRefK


@dataclass(frozen=True, slots=True)
class ClosureK(Compound, Kind):
    """The kind of one of several functions, chosen at run time."""
    __hash__ = hash_once

    alternatives: tuple[FunctionK, ...]


@dataclass(frozen=True, slots=True)
class LambdaSetK(Kind):
    """The kind of a function of a recursive lambda set: a node (sets are compared by identity)."""

    set: LambdaSet


@dataclass(frozen=True, slots=True)
class RangeK(Kind):
    """The kind of a ``range``, or of a ``slice``, with start, stop and step."""

    items: tuple[Kind, ...]
    cls: type = range


@dataclass(frozen=True, slots=True)
class OperatorK(Compound, Kind):
    """The kind of a derivative operator applied to a function; see ``values.OperatorV``."""
    __hash__ = hash_once

    name: str
    function: Kind
    options: tuple[object, ...]
    args: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class GeneratorK(Compound, Kind):
    """The kind of a generator that is an argument or a result: the function that it runs, with
    arguments. ``named``: it has a name."""
    __hash__ = hash_once

    function: FunctionK
    args: tuple[tuple[str, Kind], ...]
    named: bool = False


ArgType = Kind


def leaf_types(kind: Kind) -> tuple[Type, ...]:
    """Return the types of the leaves of this kind, in order."""
    if not isinstance(kind, Compound):
        return tuple(_leaf_types(kind))
    try:
        return kind.leaves
    except AttributeError:
        made = tuple(_leaf_types(kind))
        object.__setattr__(kind, "leaves", made)
        return made


def _leaf_types(kind: Kind) -> Iterator[Type]:
    match kind:
        case ScalarK(t, _, _, may_be_int) | SmallK(ScalarK(t, _, _, may_be_int)):
            yield from (t, Bool()) if may_be_int else (t,)
        case ArrayK(elem, rank) | SmallK(ArrayK(elem, rank)):
            yield Array(elem, rank)
        case ListK(elem):
            yield I64
            for item in leaf_types(elem):
                yield Array(item, 1)
        case HashK(_, elem, _, factory):
            yield from (I64, Array(I64, 1))
            yield from [I64] * kind.counts
            for item in leaf_types(elem):
                yield Array(item, 1)
            yield from leaf_types(factory)
        case TupleK(items) | RangeK(items):
            for k in items:
                yield from leaf_types(k)
        case RecordK(_, fields):
            for _, k in fields:
                yield from leaf_types(k)
        case UnionK(union):
            yield Named(union.name)
        case OptionalK(inner, other):
            yield Bool()
            yield from leaf_types(inner)
            yield from leaf_types(other)
        case MaybeK(inner):
            yield Bool()
            yield from leaf_types(inner)
        case SymbolK() | CaughtK() | RefK():
            yield I64
        case FunctionK(scopes, root):
            for scope in scopes:
                for _, k in scope.names:
                    yield from leaf_types(k)
            yield from leaf_types(root)
        case FunctionRefK(_, _, defaults, kw_defaults, bound):
            for k in (*defaults, *(k for _, k in kw_defaults), *bound):
                yield from leaf_types(k)
        case ClosureK(alternatives):
            yield closure_type(alternatives)
        case LambdaSetK(lambdas):
            yield Named(lambdas.name)
        case OperatorK(_, function, _, args):
            for k in (function, *args):
                yield from leaf_types(k)
        case ThreadK(types):
            yield from types
        case GeneratorK():
            for k in parts(kind):
                yield from leaf_types(k)
        case StaticK() | StaleK():
            return


def closure_type(alternatives: tuple[FunctionK, ...]) -> Sum:
    """Return the sum that is a function chosen at run time: one variant for each alternative, with
    what it captures."""
    return Sum(
        tuple(Variant(k.root.definition.name, leaf_types(k)) for k in alternatives)
    )


def parts(kind: Kind) -> tuple[Kind, ...]:
    """Return the kinds of which a kind is made."""
    match kind:
        case ListK(elem) | MaybeK(elem):
            return (elem,)
        case OptionalK(inner, other):
            return (inner, other)
        case HashK(_, elem, _, factory):
            return (elem, factory)
        case TupleK(items) | RangeK(items):
            return items
        case RecordK(_, fields):
            return tuple(k for _, k in fields)
        case FunctionK(scopes, root):
            return (*(k for scope in scopes for _, k in scope.names), *parts(root))
        case FunctionRefK(_, _, defaults, kw_defaults, bound):
            return (*defaults, *(k for _, k in kw_defaults), *bound)
        case ClosureK(alternatives):
            return alternatives
        case OperatorK(_, function, _, args):
            return (function, *args)
        case GeneratorK(function, args):
            return (function, *(k for _, k in args))
        case _:
            return ()


def with_parts(kind: Kind, new: tuple[Kind, ...]) -> Kind:
    """Return the kind with ``new`` in place of its ``parts``."""
    rest = iter(new)
    match kind:
        case ListK(_, spare):
            return ListK(next(rest), spare, kind.cls)
        case HashK(cls, _, spare):
            elem = next(rest)
            assert isinstance(elem, TupleK)
            return HashK(cls, elem, spare, next(rest))
        case OptionalK():
            return OptionalK(next(rest), next(rest))
        case MaybeK():
            return MaybeK(next(rest))
        case TupleK():
            return replace(kind, items=new)
        case RangeK():
            return replace(kind, items=new)
        case RecordK(cls, fields):
            return RecordK(cls, tuple((n, next(rest)) for n, _ in fields), kind.outside)
        case FunctionK(scopes, root):
            made = tuple(
                replace(s, names=tuple((n, next(rest)) for n, _ in s.names))
                for s in scopes
            )
            again = with_parts(root, tuple(rest))
            assert isinstance(again, FunctionRefK)
            return FunctionK(made, again)
        case FunctionRefK(definition, scope, defaults, kw_defaults, _):
            first = tuple(next(rest) for _ in defaults)
            keywords = tuple((n, next(rest)) for n, _ in kw_defaults)
            return FunctionRefK(definition, scope, first, keywords, tuple(rest))
        case ClosureK():
            return ClosureK(tuple(k for k in new if isinstance(k, FunctionK)))
        case OperatorK(name, _, options, _):
            return OperatorK(name, next(rest), options, tuple(rest))
        case GeneratorK(function, args, named):
            known = new[0] if isinstance(new[0], FunctionK) else function
            return GeneratorK(
                known, tuple((n, k) for (n, _), k in zip(args, new[1:], strict=False)), named
            )
        case _:
            return kind


def declared_in(kind: Kind) -> Iterator[Union | LambdaSet]:
    """Iterate over the unions and lambda sets that a kind mentions (not those inside their
    fields)."""
    match kind:
        case UnionK(union):
            yield union
        case LambdaSetK(lambdas):
            yield lambdas
        case _:
            for part in parts(kind):
                yield from declared_in(part)


def without_spare(kind: Kind) -> Kind:
    """Return the kind of the same value with lists whose arrays are exactly as long as the
    lists."""
    match kind:
        case ListK(elem):
            return ListK(without_spare(elem), False, kind.cls)
        case HashK(cls, elem, _, factory):
            inside = without_spare(elem)
            assert isinstance(inside, TupleK)
            return HashK(cls, inside, False, factory)
        case TupleK() | RecordK() | OptionalK() | MaybeK():
            return with_parts(kind, tuple(map(without_spare, parts(kind))))
        case _:
            return kind


def unions_in(kind: Kind) -> Iterator[Union]:
    """Iterate over the unions that a kind mentions (not those inside their fields)."""
    match kind:
        case UnionK(union):
            yield union
        case _:
            for part in parts(kind):
                yield from unions_in(part)


class SharedMemory:
    """The class of references to lists, dicts and arrays that may have several owners; there is one
    below it for each region of them (``store.shared_memory``)."""

    __slots__ = ()
    held: ClassVar[Callable[[], Kind | None]]
    """What the lists (or dicts, or arrays) of the region are, as far as it is known."""
    of: ClassVar[type] = object
    """The class of what the references lead to."""
    __eq__: ClassVar[Any] = None  # what is in them is compared
    __hash__: ClassVar[Any] = None



def are_memory(one: type, other: type) -> bool:
    """Whether two classes are those of references to lists, dicts and arrays."""
    return issubclass(one, SharedMemory) and issubclass(other, SharedMemory)


def holds_references(kind: Kind) -> bool:
    """Whether there may be references in a value of this kind."""
    return isinstance(kind, RefK) or any(map(holds_references, parts(kind)))


__all__ = [
    "PERHAPS_UNREAD", "TYPE", "UNREAD", "ArgType", "ArrayK", "CaughtK", "ClosureK", "FunctionK",
    "FunctionRefK", "GeneratorK", "HashK", "Kind", "LambdaSetK", "ListK", "MaybeK", "Number",
    "OperatorK", "OptionalK", "PerhapsUnread", "RangeK", "RecordK", "RefK", "ScalarK", "ScopeK",
    "SharedMemory", "SmallK", "StaleK", "StaticK", "SymbolK", "TableK", "ThreadK", "TupleK",
    "UnionK", "Unread", "UnreadK", "WrappedK", "are_memory", "closure_type", "declared_in",
    "holds_references", "leaf_types", "parts", "quantised", "static_kind", "static_scalar",
    "unions_in", "with_parts", "without_spare",
]  # fmt: skip
