"""Resolve dataclasses to records, and unions of dataclasses to declared sums."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import cast

import numpy as np

from pullback.core.types import BOOL, F32, F64, I32, I64
from pullback.errors import ArgumentTypeError
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
)
from pullback.frontend.python.annotations import (
    alternatives,
    annotations_of,
    canonical,
    field_names,
    groups_of,
    home_group,
    inside,
    instances,
    is_frozen,
    is_record_class,
    is_tuple_of_any_length,
    memory,
    mentioned_beside,
    mentions_union,
    named,
    parameters,
    plain,
    show,
)
from pullback.frontend.python.unions import (
    NO_ARGUMENTS,
    Arguments,
    ArrayKinds,
    Union,
    function_field,
    functions_of,
    union_of,
)

Environment = Mapping[object, Kind]
"""Type parameters, each with the kind that it stands for."""

_SCALARS: dict[object, Kind] = {
    float: ScalarK(F64, True),
    int: ScalarK(I64, True),
    bool: ScalarK(BOOL, True),
    np.float64: ScalarK(F64, False),
    np.float32: ScalarK(F32, False),
    np.int64: ScalarK(I64, False),
    np.int32: ScalarK(I32, False),
    np.bool_: ScalarK(BOOL, False),
    str: SymbolK(str),
    None: static_kind(None),
    types.NoneType: static_kind(None),
}


def is_key(key: object) -> bool:
    """Whether dicts with this key are supported: their keys are constants, part of the type."""
    if type(key) is tuple:
        return all(map(is_key, key))
    if isinstance(key, type):  # by its identity, which is that of the class
        return type(key).__eq__ is type.__eq__ and type(key).__hash__ is type.__hash__
    return key is None or type(key) in (str, int) or isinstance(key, enum.Enum)


def field_of(value: object, cls: type, name: str) -> object:
    """Return a field of an object of a record class; of a dict, the value of the key ``name``."""
    if cls is dict:
        return cast("dict[object, object]", value)[name]
    return getattr(value, name)


def step(cls: type, name: str) -> tuple[str, object]:
    """Return the step of a path that ``field_of`` takes."""
    return ("key" if cls is dict else "attr", name)


def completed(classes: Sequence[type], given: Arguments) -> Arguments:
    """Return the arguments of all generic classes that unions bring together, from those of some of
    them: where an annotation says ``Leaf[T] | Node[T]``, they are the same."""
    known = {c: given[c] for c in classes if c in given}
    records = [c for c in classes if c is not types.NoneType]
    while missing := [c for c in classes if parameters(c) and c not in known]:
        before = len(known)
        for annotation in (a for c in records for a in mentioned_beside(c)):
            found = instances(annotation)
            bound = {
                p: k for c in found if c in known for p, k in zip(found[c], known[c], strict=False)
            }
            for c in found:
                if c in missing and all(p in bound for p in found[c]):
                    known[c] = tuple(bound[p] for p in found[c])
        if len(known) == before:
            raise ArgumentTypeError(
                f"the type parameters of {missing[0].__name__} do not follow from those of "
                f"{' and '.join(c.__name__ for c in known) or 'anything'}",
                "use the same parameters in all classes of a union",
            )
    return known


def union_kind(
    group: tuple[type, ...], arrays: ArrayKinds = (), given: Arguments = NO_ARGUMENTS
) -> UnionK:
    """Return the kind of a value that is declared to be one of these classes."""
    classes = canonical(group)
    plain_data = not arrays and not given
    kept = memory(classes[0]) if classes[0] is not types.NoneType else {}
    known: weakref.ref[Union] | None = kept.get(("union", classes)) if plain_data else None
    union = None if known is None else known()
    if union is None:
        union = union_for(classes, arrays, given)
        if plain_data and not union.of_program:
            kept["union", classes] = weakref.ref(union)
    return UnionK(union, frozenset(union.classes) - set(group))


def union_for(
    classes: Sequence[type], arrays: ArrayKinds = (), given: Arguments = NO_ARGUMENTS
) -> Union:
    """Return the union of these classes, with its fields resolved from the annotations."""
    reachable = set(classes) - {types.NoneType}
    for cls in tuple(reachable):
        reachable.update(c for g in groups_of(cls) for c in g if c is not types.NoneType)
    arguments = completed(classes, given) if any(map(parameters, classes)) else NO_ARGUMENTS
    ranks = {(c, name): kind for c, name, kind in reversed(arrays) if c in reachable}
    relevant = tuple((c, name, ranks[c, name]) for c, name in sorted(ranks, key=_array_name))

    def fields_of(cls: type) -> tuple[tuple[str, Kind], ...]:
        bound = dict(zip(parameters(cls), arguments.get(cls, ()), strict=False))
        return tuple(
            (name, annotation_kind(a, cls, name, relevant, bound))
            for name, a in annotations_of(cls).items()
        )

    functions = any(map(_has_function_field, reachable)) or any(
        holds_functions(k) for kinds in arguments.values() for k in kinds
    )
    return union_of(tuple(classes), relevant, arguments, functions, fields_of)


def _array_name(place: tuple[type, str]) -> tuple[str, str, str]:
    cls, name = place
    return cls.__qualname__, cls.__module__, name


def _has_function_field(cls: type) -> bool:
    kept = memory(cls)
    if "functions" not in kept:
        kept["functions"] = any(map(_names_function, annotations_of(cls).values()))
    found: bool = kept["functions"]
    return found


def _names_function(annotation: object) -> bool:
    """Whether an annotation says ``Callable``."""
    annotation = named(annotation)
    return (
        annotation is Callable
        or typing.get_origin(annotation) is Callable
        or any(map(_names_function, typing.get_args(annotation)))
    )


def holds_functions(kind: Kind) -> bool:
    """Whether the nodes of a kind hold functions."""
    match kind:
        case LambdaSetK():
            return True
        case UnionK(union):
            return union.of_program
        case _:
            return any(map(holds_functions, parts(kind)))


def annotation_kind(
    annotation: object, cls: type, name: str, arrays: ArrayKinds, bound: Environment
) -> Kind:
    """Return the kind of a field, from its annotation alone (except for arrays). ``bound`` has the
    kinds of the parameters of the class."""

    def inner(part: object) -> Kind:
        return annotation_kind(part, cls, name, arrays, bound)

    annotation = named(annotation)
    if isinstance(annotation, Hashable) and annotation in _SCALARS:
        return _SCALARS[annotation]
    if isinstance(annotation, typing.TypeVar) and annotation in bound:
        return bound[annotation]
    group = alternatives(annotation)
    if group is not None:
        return union_kind(group, arrays, _arguments(annotation, inner))
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is np.ndarray or origin is np.ndarray:
        for c, n, kind in arrays:
            if (c, n) == (cls, name):
                return kind
        return ArrayK(F64, 1)
    record = plain(annotation)
    if isinstance(record, type) and is_record_class(record):
        given = _arguments(annotation, inner)
        if home_group(record) is not None:
            return union_kind((record,), arrays, given)
        own = dict(zip(parameters(record), given.get(record, ()), strict=False))
        return RecordK(
            record,
            tuple(
                (n, annotation_kind(a, record, n, arrays, own))
                for n, a in annotations_of(record).items()
            ),
        )
    if is_tuple_of_any_length(annotation):
        return ListK(inner(args[0]), cls=tuple)
    if origin is tuple:
        return TupleK(tuple(map(inner, args)))
    if isinstance(origin, type) and issubclass(origin, Sequence) and len(args) == 1:
        return ListK(inner(args[0]), cls=list if origin is list else Sequence)
    if origin in (typing.Union, types.UnionType):
        rest = [a for a in args if a is not types.NoneType]
        if len(rest) == 1 and len(args) == 2:
            return _or_none(inner(rest[0]))
    if origin is typing.Literal and {type(a) for a in args} == {str}:
        return SymbolK(str)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return SymbolK(annotation)
    if annotation is Callable or origin is Callable:
        instance = tuple(bound.items())  # each instance of a generic class has its own functions
        return function_field((cls, name, instance), f"{cls.__name__}.{name}")
    if isinstance(annotation, typing.TypeVar):
        raise ArgumentTypeError(
            f"the annotation of {cls.__name__}.{name} does not say what {annotation} is",
            "write it in brackets, as in list[float]",
        )
    raise ArgumentTypeError(
        f"the field {name!r} of {cls.__name__} has the annotation {show(annotation)}, "
        "which is not supported inside a union of dataclasses",
        "use float, int, bool, str, enumerations, np.ndarray, tuples and lists of these, Optional, "
        "or frozen dataclasses",
    )


def _or_none(kind: Kind) -> Kind:
    """Return the kind of ``T | None``, where ``T`` itself may already allow None."""
    match kind:
        case OptionalK() | StaticK(_, None):
            return kind
        case UnionK(union, absent) if types.NoneType in union.classes:
            return UnionK(union, absent - {types.NoneType})
        case _:
            return OptionalK(kind)


def _arguments(annotation: object, kind: Callable[[object], Kind]) -> Arguments:
    """Return the arguments of the generic classes that an annotation names."""
    from pullback.frontend.python.generics import canonical_argument

    found: dict[type, tuple[Kind, ...]] = {}
    for cls, given in instances(annotation).items():
        if parameters(cls):
            for part in given:
                if is_tuple_of_any_length(part):
                    raise ArgumentTypeError(
                        f"{show(part)} as an argument of {cls.__name__}", "use a list"
                    )
            found[cls] = tuple(canonical_argument(kind(part)) for part in given)
    return found


def declared_arguments(annotation: object) -> Arguments | None:
    """Return the arguments that an annotation gives to the classes that it names; None if it leaves
    some of them open (or the ranks of arrays)."""
    if getattr(annotation, "__parameters__", ()) or "ndarray" in str(annotation):
        return None
    return _arguments(annotation, lambda a: annotation_kind(a, object, "", (), {}))


def array_fields(value: object, add: Callable[[type, str, np.ndarray], None]) -> None:
    """Report every array field of the records inside ``value`` (iteratively: data may be deep)."""
    todo, seen = [value], set()
    while todo:
        v = todo.pop()
        if isinstance(v, (list, tuple)) and not hasattr(v, "_fields"):
            todo.extend(v)
        elif is_record_class(type(v)) and id(v) not in seen:
            seen.add(id(v))
            for name in field_names(type(v)):
                part = getattr(v, name)
                if isinstance(part, np.ndarray):
                    if has_rank_of_its_own(type(v), name):
                        add(type(v), name, part)
                else:
                    todo.append(part)


def suits(union: Union, arrays: ArrayKinds) -> bool:
    """Whether nodes of a union can hold arrays of these kinds."""
    return all(dict(union.fields.get(c, ())).get(name, k) == k for c, name, k in arrays)


def has_array_fields(classes: Sequence[type]) -> bool:
    """Whether a union of these classes has an array anywhere inside."""
    reachable = {c for c in classes if c is not types.NoneType}
    reachable |= {
        c for cls in tuple(reachable) for g in groups_of(cls) for c in g if c is not types.NoneType
    }
    return any(has_rank_of_its_own(cls, name) for cls in reachable for name in annotations_of(cls))


def has_rank_of_its_own(cls: type, name: str) -> bool:
    """Whether a field is declared to hold an array, whose rank the annotation does not say."""
    annotation = annotations_of(cls).get(name)
    return annotation is np.ndarray or "ndarray" in str(annotation)


def init_fields(cls: type) -> list[dataclasses.Field[object]]:
    """Return the fields of a dataclass in their order, with what only ``__init__`` gets."""
    found: dict[str, dataclasses.Field[object]] = getattr(cls, "__dataclass_fields__", {})
    real = {f.name for f in dataclasses.fields(cls)} if found else set[str]()
    return [f for f in found.values() if f.name in real or is_init_var(f)]


def is_init_var(f: dataclasses.Field[object]) -> bool:
    """Whether a field is only a parameter (``dataclasses`` has no public name for that)."""
    return getattr(f, "_field_type", None) is getattr(dataclasses, "_FIELD_INITVAR", ())


def is_set_later(f: dataclasses.Field[object]) -> bool:
    """Whether a field gets its value in ``__post_init__``."""
    return not f.init and f.default is f.default_factory is dataclasses.MISSING


__all__ = [
    "NO_ARGUMENTS",
    "Arguments",
    "ArrayKinds",
    "Union",
    "alternatives",
    "annotation_kind",
    "annotations_of",
    "array_fields",
    "canonical",
    "declared_arguments",
    "field_names",
    "field_of",
    "function_field",
    "functions_of",
    "groups_of",
    "has_array_fields",
    "has_rank_of_its_own",
    "holds_functions",
    "home_group",
    "init_fields",
    "inside",
    "is_frozen",
    "is_init_var",
    "is_key",
    "is_record_class",
    "is_set_later", "is_tuple_of_any_length",
    "mentions_union",
    "parameters",
    "plain",
    "step",
    "suits",
    "union_for",
    "union_kind",
]  # fmt: skip
