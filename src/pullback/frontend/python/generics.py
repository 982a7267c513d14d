"""Find what the type parameters of generic classes stand for, from kinds or from values.

A generic record outside of unions needs no arguments: its kind has its fields. But a node has one
type, so ``Cons(x, rest)`` is a node of ``Cons[float]`` or of ``Cons[Point]``: there is one union
(``records.Union``) for each choice of arguments. ``node_kind`` finds them from the fields of an
object that the program makes, ``of_value`` from an object that comes from outside.

Where a field holds a node (``rest``), an argument of the node's class is taken from there, since
nodes are never converted. Otherwise it is the join of the fields that are declared ``T``.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain

from pullback.core.types import I64, Real
from pullback.errors import ArgumentTypeError, TypesDoNotMeetError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.function_kinds import is_function
from pullback.frontend.kinds.join import as_list, generalise, join
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    LambdaSetK,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    StaticK,
    SymbolK,
    TupleK,
    UnionK,
    parts,
    static_kind,
    with_parts,
    without_spare,
)
from pullback.frontend.python.annotations import (
    annotations_of,
    canonical,
    instances,
    is_frozen,
    named,
    parameters,
)
from pullback.frontend.python.object_classes import changes
from pullback.frontend.python.records import (
    NO_ARGUMENTS,
    Arguments,
    ArrayKinds,
    function_field,
    has_rank_of_its_own,
    union_for,
)

Bound = dict[object, Kind]
"""Type parameters, each with the kind that it stands for."""


def is_generic(group: Iterable[type]) -> bool:
    return any(map(parameters, group))


def canonical_argument(kind: Kind, place: Hashable = None) -> Kind:
    """Return a kind as a type argument, which says no more than a type does. A NumPy float64 or
    int64 counts as a Python number, as in a field that is declared ``float``; a function is one of
    all functions that flow to this ``place``."""

    def inside(whole: Kind) -> Kind:
        return with_parts(whole, tuple(canonical_argument(k, place) for k in parts(whole)))

    match generalise(without_spare(kind)):
        case ScalarK(t, py):
            return ScalarK(t, py or t in (Real(64), I64))
        case StaticK(_, str()):
            return SymbolK(str)
        case StaticK(_, enum.Enum() as member):
            return SymbolK(type(member))
        case UnionK(union):
            return UnionK(union)
        case TupleK((_, *_), True) as shown:
            found = as_list(shown)
            return inside(shown if found is None else found)
        case RecordK(cls) as record if _has_siblings(cls):
            return _as_node(record) or inside(record)
        case OptionalK(inner, other):
            held = canonical_argument(inner, place)
            none = isinstance(held, UnionK) and types.NoneType in held.union.classes
            return held if none and other == static_kind(None) else OptionalK(held, other)
        case LambdaSetK():
            return kind
        case other if is_function(other):
            return function_field(place, "an item")
        case other:
            return inside(other)


def _has_siblings(cls: type) -> bool:
    """Whether a class is one of several of a union."""
    return not changes(cls) and sum(c is not types.NoneType for c in canonical((cls,))) > 1


def _as_node(record: RecordK) -> Kind | None:
    found = node_kind(record, canonical((record.cls,)))
    return None if found is None else UnionK(found.union)


# --- from kinds -----------------------------------------------------------------------------------


class _Solver:
    """Finds the arguments of one class from the kinds of its fields. ``told``: those that nodes in
    fields have; ``shown``: those that values in fields of the type itself have."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.told: Bound = {}
        self.shown: Bound = {}

    def tell(self, parameter: object, kind: Kind) -> None:
        old = self.told.setdefault(parameter, kind)
        if old != kind:
            raise TypesDoNotMeetError(
                f"in a {self.cls.__name__} {parameter} is {describe(old)} and {describe(kind)}",
                "make all nodes with values of one type (0.0 instead of 0)",
            )

    def show(self, parameter: object, kind: Kind) -> None:
        new = canonical_argument(kind, (self.cls, parameter))
        both = join(self.shown.get(parameter, new), new)
        if both is None:
            raise TypesDoNotMeetError(
                f"in a {self.cls.__name__} {parameter} is {describe(self.shown[parameter])} and "
                f"{describe(new)}"
            )
        self.shown[parameter] = both

    def see(
        self, annotation: object, kind: Kind, enter: Callable[[object, Kind], None]
    ) -> None:
        """Take note of a part of a field: its annotation, and the kind of its value."""
        annotation = named(annotation)
        if isinstance(annotation, typing.TypeVar):
            enter(annotation, kind)
            return
        args = typing.get_args(annotation)
        match kind:
            case OptionalK(inner, StaticK(_, None)):
                self.see(annotation, inner, enter)
            case UnionK(union):
                for cls, given in instances(annotation).items():
                    for part, k in zip(given, union.arguments.get(cls, ()), strict=False):
                        self.see(part, k, self.tell)
            case RecordK(cls, fields):
                given = instances(annotation).get(cls, ())
                found = solved(cls, fields).all() if given else {}
                for part, p in zip(given, parameters(cls), strict=False):
                    if p in found:
                        self.see(part, found[p], enter)
            case _ if typing.get_origin(annotation) in (typing.Union, types.UnionType):
                for part in args:
                    if kind != static_kind(None) and part is not types.NoneType:
                        self.see(part, kind, enter)
            case ListK(elem) if args:
                self.see(args[0], elem, enter)
            case TupleK(items) if args:
                each = args if len(args) == len(items) and args[-1] is not Ellipsis else None
                for part, k in zip(each or args[:1] * len(items), items, strict=False):
                    self.see(part, k, enter)
            case _:
                pass

    def all(self) -> Bound:
        return {**self.shown, **self.told}


def solved(cls: type, fields: Sequence[tuple[str, Kind]]) -> _Solver:
    """Return a solver that has seen the fields of an object."""
    found = _Solver(cls)
    annotations = annotations_of(cls)
    for name, kind in fields:
        found.see(annotations.get(name), kind, found.show)
    return found


def arguments_of(record: RecordK) -> Arguments | None:
    """Return the arguments of the class of a record; None if the fields do not show all of them."""
    known = solved(record.cls, record.fields).all()
    names = parameters(record.cls)
    return {record.cls: tuple(known[p] for p in names)} if all(p in known for p in names) else None


def node_kind(
    record: RecordK, group: tuple[type, ...], given: Arguments = NO_ARGUMENTS
) -> UnionK | None:
    """Return the kind of a record as a node of the union of a group; None if its fields do not show
    the arguments."""
    absent = frozenset(group) - {record.cls}
    for name, kind in record.fields:  # a node of the same union has them
        declared = instances(annotations_of(record.cls).get(name))
        if (
            isinstance(kind, UnionK)
            and set(kind.union.classes) == set(group)
            and record.cls in declared
            and all(names == parameters(c) for c, names in declared.items())
            and given.get(record.cls) in (None, kind.union.arguments.get(record.cls))
        ):
            return UnionK(kind.union, absent)
    arguments = given or (arguments_of(record) if parameters(record.cls) else NO_ARGUMENTS)
    if arguments is None:
        return None
    return UnionK(union_for(group, arrays_in(record), arguments), absent)


def arrays_in(record: RecordK) -> ArrayKinds:
    """Return the kinds of those arrays of a record, and of the records in it, whose ranks no
    annotation has."""
    found: list[tuple[type, str, ArrayK]] = []
    todo = [record]
    while todo:
        r = todo.pop()
        for name, kind in r.fields:
            if isinstance(kind, ArrayK) and has_rank_of_its_own(r.cls, name):
                found.append((r.cls, name, kind))
            elif isinstance(kind, RecordK) and kind.cls is not dict:
                todo.append(kind)
    return tuple(sorted(found, key=lambda e: (e[0].__qualname__, e[1])))


def meet(a: Kind, b: Kind, classes: set[type]) -> Kind | None:
    """Return the kind of the union of generic classes to which two values belong, each of one of
    these ``classes``."""
    group = canonical(classes)
    alone = set(group) == classes and all(map(_is_frozen_dataclass, classes - {types.NoneType}))
    given: dict[type, tuple[Kind, ...]] = {}
    arrays: list[tuple[type, str, ArrayK]] = []
    for kind in (a, b):
        found: Arguments | None = NO_ARGUMENTS
        if isinstance(kind, UnionK):
            found = kind.union.arguments
        elif isinstance(kind, RecordK):
            found = _shown_by(kind, alone) if parameters(kind.cls) else NO_ARGUMENTS
            arrays += arrays_in(kind)
        for cls, kinds in (found or NO_ARGUMENTS).items():
            if given.setdefault(cls, kinds) != kinds:
                return None
    try:
        union = union_for(group, tuple(arrays), given)
    except ArgumentTypeError:
        return None
    return UnionK(union, frozenset(union.classes) - classes)


def _is_frozen_dataclass(cls: type) -> bool:
    return dataclasses.is_dataclass(cls) and is_frozen(cls)


def _shown_by(record: RecordK, alone: bool) -> Arguments | None:
    """Return the arguments of the class of a record. ``alone``: no declaration brings the class
    together with others, so a parameter that no field is declared with (that of a ``Nothing[T]``,
    the type of the value in an ``Err[T, E]``) says nothing, and stands for nothing."""
    cls = record.cls
    known = solved(cls, record.fields).all()
    if alone:
        inside = set(chain.from_iterable(map(_parameters_in, annotations_of(cls).values())))
        known |= {p: static_kind(None) for p in parameters(cls) if p not in inside}
    if not all(p in known for p in parameters(cls)):
        return None
    return {cls: tuple(known[p] for p in parameters(cls))}


def _parameters_in(annotation: object) -> tuple[object, ...]:
    if isinstance(annotation, typing.TypeVar):
        return (annotation,)
    found: tuple[object, ...] = getattr(named(annotation), "__parameters__", ())
    return found


# --- from values ----------------------------------------------------------------------------------

Environment = dict[object, object]
"""For each parameter either a hole, or an annotation with the environment in which it stands."""


class _Hole:
    """A parameter of the class of a value from outside, whose kind the fields of the value show."""

    def __init__(self, type_of: Callable[[object], Kind]) -> None:
        self.kind: Kind | None = None
        self.last: type = _Hole  # a class of values that it has seen and need not see again
        self.type_of = type_of

    def see(self, value: object) -> None:
        if type(value) is self.last:
            return
        kind = canonical_argument(self.type_of(value))
        both = kind if self.kind is None else join(self.kind, kind)
        if both is None:
            raise ArgumentTypeError(
                f"the values in it differ in type: {describe(kind)} beside "
                f"{describe(self.kind or kind)}",
                "use values of one type, or a union of dataclasses",
            )
        self.kind = canonical_argument(both)
        self.last = type(value) if type(value) in (float, int, bool) else _Hole


def of_value(value: object, type_of: Callable[[object], Kind]) -> Arguments:
    """Return the arguments of the class of a value, from its fields."""
    cls = type(value)
    holes = {p: _Hole(type_of) for p in parameters(cls)}
    _Walk().through(value, dict(holes))
    return {cls: tuple(h.kind or static_kind(None) for h in holes.values())}


class _Walk:
    """Goes through nodes (iteratively: data may be deep) and shows the holes what their fields
    hold."""

    def __init__(self) -> None:
        self.environments: dict[object, Environment] = {}
        self.plans: dict[tuple[type, int], list[tuple[str, object, _Hole | None]]] = {}
        self.entered: dict[tuple[int, type, int], Environment] = {}
        self.seen: set[tuple[int, int]] = set()
        self.todo: list[tuple[object, object, Environment]] = []

    def through(self, value: object, bound: Environment) -> None:
        self.enter(value, bound)
        while self.todo:
            self.step(*self.todo.pop())

    def enter(self, value: object, bound: Environment) -> None:
        if (id(value), id(bound)) in self.seen:
            return
        self.seen.add((id(value), id(bound)))
        for name, annotation, hole in self.plan(type(value), bound):
            part = getattr(value, name)
            if hole is None:
                self.todo.append((part, annotation, bound))
            elif type(part) is not hole.last:
                hole.see(part)

    def plan(self, cls: type, bound: Environment) -> list[tuple[str, object, _Hole | None]]:
        """Return the fields whose annotations mention parameters, each with the hole of the
        parameter, if the annotation is one."""
        key = cls, id(bound)
        if key not in self.plans:
            found = self.plans[key] = []
            for name, annotation in annotations_of(cls).items():
                if isinstance(annotation, typing.TypeVar):
                    hole = bound.get(annotation)
                    found.append((name, annotation, hole if isinstance(hole, _Hole) else None))
                elif _is_open(annotation):
                    found.append((name, annotation, None))
        return self.plans[key]

    def step(self, value: object, annotation: object, bound: Environment) -> None:
        known = self.entered.get((id(annotation), type(value), id(bound)))
        if known is not None:
            self.enter(value, known)
            return
        written, annotation = annotation, named(annotation)
        if isinstance(annotation, typing.TypeVar):
            match bound.get(annotation):
                case _Hole() as hole:
                    hole.see(value)
                case (inner, dict() as around):
                    self.todo.append((value, inner, around))
            return
        declared = instances(annotation)
        if type(value) in declared:
            made = self.environment(type(value), declared[type(value)], bound)
            self.entered[id(written), type(value), id(bound)] = made
            self.enter(value, made)
        elif isinstance(value, (list, tuple)):
            args = typing.get_args(annotation)
            each = args if len(args) == len(value) and args[-1:] != (Ellipsis,) else None
            self.todo += [
                (v, part, bound)
                for v, part in zip(value, each or args[:1] * len(value), strict=False)
            ]
        elif value is not None:
            rest = [p for p in typing.get_args(annotation) if p is not types.NoneType]
            self.todo += [(value, p, bound) for p in rest if isinstance(p, typing.TypeVar)]

    def environment(
        self, cls: type, given: tuple[object, ...], bound: Environment
    ) -> Environment:
        key = (cls, given, id(bound))
        if key not in self.environments:
            made = {
                p: bound[a] if isinstance(a, typing.TypeVar) and a in bound else (a, bound)
                for p, a in zip(parameters(cls), given, strict=False)
            }
            same = made.keys() == bound.keys() and all(made[p] is bound[p] for p in made)
            self.environments[key] = bound if same else made
        return self.environments[key]


def _is_open(annotation: object) -> bool:
    return bool(getattr(annotation, "__parameters__", ()))


__all__ = [
    "arguments_of", "arrays_in", "canonical_argument", "is_generic", "meet", "node_kind",
    "of_value",
]  # fmt: skip
