"""Dataclasses as records, unions of dataclasses as declared sums."""

from __future__ import annotations

import dataclasses
import enum
import sys
import types
import typing
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from pullback.core.types import BOOL, F32, F64, I32, I64, Decl, Variant
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds import (
    ArrayK,
    Kind,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    SymbolK,
    TupleK,
    UnionK,
    leaf_types,
    static_kind,
)

ArrayKinds = tuple[tuple[type, str, ArrayK], ...]
"""The kinds of the array fields inside a union: annotations do not tell the rank."""


@dataclass(eq=False, slots=True)
class Union:
    """The alternatives of a value: frozen dataclasses, possibly None. Interned; identity counts."""

    name: str
    classes: tuple[type, ...]
    fields: dict[type, tuple[tuple[str, Kind], ...]] = field(default_factory=dict)
    primal: Union | None = None
    """Of a gradient, the union of what it is the gradient of; see ``gradients``."""

    def class_names(self) -> list[str]:
        return ["None" if c is types.NoneType else c.__name__ for c in self.classes]

    def tag(self, cls: type) -> int:
        return self.classes.index(cls)

    def variant_kind(self, cls: type) -> Kind:
        """The kind of an unpacked value of one alternative."""
        if cls is types.NoneType:
            return static_kind(None)
        return RecordK(cls, self.fields[cls])

    def variant_kinds(self) -> tuple[Kind, ...]:
        return tuple(map(self.variant_kind, self.classes))

    def decl(self) -> Decl:
        return Decl(
            self.name,
            tuple(
                Variant(name, tuple(leaf_types(self.variant_kind(c))))
                for name, c in zip(self.class_names(), self.classes)
            ),
        )


_UNIONS: dict[tuple[tuple[type, ...], ArrayKinds], Union] = {}
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


def is_record_class(cls: type) -> bool:
    """A dataclass or a NamedTuple."""
    return dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields"))


def is_key(key: object) -> bool:
    """Whether dicts with this key are supported: their keys are constants, part of the type."""
    return type(key) in (str, int) or isinstance(key, enum.Enum)


def field_of(value: object, cls: type, name: str) -> object:
    """A field of an object of a record class; of a dict, what it has under the key ``name``."""
    if cls is dict:
        return cast("dict[object, object]", value)[name]
    return getattr(value, name)


def step(cls: type, name: str) -> tuple[str, object]:
    """The step of a path that ``field_of`` takes."""
    return ("key" if cls is dict else "attr", name)


def is_frozen(cls: type) -> bool:
    if not dataclasses.is_dataclass(cls):
        return True
    return bool(cls.__dataclass_params__.frozen)  # type: ignore[attr-defined]


def field_names(cls: type) -> tuple[str, ...]:
    if dataclasses.is_dataclass(cls):
        return tuple(f.name for f in dataclasses.fields(cls))
    if cls is dict:
        return ()  # its keys belong to the kind
    names: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
    return names


_HINTS: dict[type, dict[str, object]] = {}


def annotations_of(cls: type) -> dict[str, object]:
    """The resolved annotations of the fields; TypeError-like refusal if they do not resolve."""
    if cls is dict:
        return {}
    if cls not in _HINTS:
        try:
            hints = typing.get_type_hints(cls, localns={cls.__name__: cls})
        except NameError as e:
            raise ArgumentTypeError(
                f"the annotations of {cls.__name__} do not resolve: {e}",
                "define the classes at module level, aliases of unions too",
            ) from None
        _HINTS[cls] = {n: hints.get(n, object) for n in field_names(cls)}
    return _HINTS[cls]


def _plain(annotation: object) -> object:
    """An annotation without what does not matter here: ``Annotated``, an alias' name, the
    parameters of a generic record."""
    while True:
        value = getattr(annotation, "__value__", None)
        if type(annotation).__name__ == "TypeAliasType" and value is not None:
            annotation = value
        elif typing.get_origin(annotation) is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif isinstance(typing.get_origin(annotation), type) and is_record_class(
            typing.get_origin(annotation)  # type: ignore[arg-type]
        ):
            annotation = typing.get_origin(annotation)
        else:
            return annotation


def alternatives(annotation: object) -> tuple[type, ...] | None:
    """The classes of ``A | B | None`` if all are records (or None) and one at least is."""
    annotation = _plain(annotation)
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return None
    parts = typing.get_args(annotation)
    classes = tuple(p for p in map(_plain, parts) if isinstance(p, type))
    records = [c for c in classes if is_record_class(c)]
    if not records or len(classes) < len(parts):
        return None
    return classes if all(c in records or c is types.NoneType for c in classes) else None


def _mentions(annotation: object) -> Iterator[tuple[type, ...]]:
    """The groups of classes that an annotation mentions: a bare record is a group of one."""
    annotation = _plain(annotation)
    group = alternatives(annotation)
    if group is not None:
        yield group
    elif isinstance(annotation, type) and is_record_class(annotation):
        yield (annotation,)
    else:
        for part in typing.get_args(annotation):
            yield from _mentions(part)


_GROUPS: dict[type, tuple[tuple[type, ...], ...]] = {}


def groups_of(cls: type) -> tuple[tuple[type, ...], ...]:
    """All groups of classes that are reachable from the fields of ``cls``."""
    if cls not in _GROUPS:
        found: dict[tuple[type, ...], None] = {}
        todo, seen = [cls], {cls}
        while todo:
            for annotation in annotations_of(todo.pop()).values():
                for group in _mentions(annotation):
                    found[group] = None
                    new = [c for c in group if c is not types.NoneType and c not in seen]
                    seen.update(new)
                    todo.extend(new)
        _GROUPS[cls] = tuple(found)
    return _GROUPS[cls]


def home_group(cls: type) -> tuple[type, ...] | None:
    """The union that a recursive class belongs to (the widest one); None: not recursive."""
    homes = [g for g in groups_of(cls) if cls in g]
    return canonical(max(homes, key=len)) if homes else None


def _neighbours(cls: type) -> Iterator[tuple[type, ...]]:
    """The groups that mention a class, or classes beside it in its module."""
    yield from groups_of(cls)
    for other in tuple(vars(sys.modules.get(cls.__module__, types)).values()):
        if isinstance(other, type) and other.__module__ == cls.__module__:
            try:
                if is_record_class(other) and is_frozen(other):
                    yield from groups_of(other)
            except ArgumentTypeError:  # its annotations do not resolve
                continue


_CANONICAL: dict[tuple[type, ...], tuple[type, ...]] = {}


def canonical(group: tuple[type, ...]) -> tuple[type, ...]:
    """All classes that unions bring together with those of the group: ``E`` and ``E | None``, and
    unions that overlap, are one type, of which values lack some alternatives."""
    if group not in _CANONICAL:
        found = dict.fromkeys(group)
        done: set[type] = set()
        while todo := [c for c in found if c is not types.NoneType and c not in done]:
            for cls in todo:
                done.add(cls)
                for other in _neighbours(cls):
                    if not done.isdisjoint(other):
                        found.update(dict.fromkeys(other))
        last = types.NoneType
        _CANONICAL[group] = (*(c for c in found if c is not last), *(c for c in found if c is last))
    return _CANONICAL[group]


def union_kind(group: tuple[type, ...], arrays: ArrayKinds = ()) -> UnionK:
    """The kind of a value that is declared to be one of these."""
    union = union_for(canonical(group), arrays)
    return UnionK(union, frozenset(union.classes) - set(group))

def union_for(classes: Sequence[type], arrays: ArrayKinds = ()) -> Union:
    """The union of these classes, with its fields resolved from the annotations."""
    reachable = set(classes)
    for cls in classes:
        if cls is not types.NoneType:
            reachable.update(c for g in groups_of(cls) for c in g)
    relevant = tuple(a for a in arrays if a[0] in reachable)
    key = (tuple(classes), relevant)
    if key not in _UNIONS:
        names = "_".join("None" if c is types.NoneType else c.__name__ for c in classes)
        union = Union(f"{names}.{len(_UNIONS)}", tuple(classes))
        _UNIONS[key] = union
        try:
            for cls in classes:
                if cls is not types.NoneType:
                    union.fields[cls] = tuple(
                        (name, annotation_kind(a, cls, name, arrays))
                        for name, a in annotations_of(cls).items()
                    )
        except BaseException:
            del _UNIONS[key]
            raise
    return _UNIONS[key]


def unions_holding(classes: set[type]) -> list[Union]:
    """The unions made so far that have all these alternatives."""
    return [u for u in _UNIONS.values() if classes <= set(u.classes)]


def annotation_kind(annotation: object, cls: type, name: str, arrays: ArrayKinds) -> Kind:
    """The kind of a field, from its annotation alone (but for arrays)."""
    annotation = _plain(annotation)
    if isinstance(annotation, Hashable) and annotation in _SCALARS:
        return _SCALARS[annotation]
    group = alternatives(annotation)
    if group is not None:
        return union_kind(group, arrays)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is np.ndarray or origin is np.ndarray:
        for c, n, kind in arrays:
            if (c, n) == (cls, name):
                return kind
        return ArrayK(F64, 1)
    if isinstance(annotation, type) and is_record_class(annotation):
        if home_group(annotation) is not None:
            return union_kind((annotation,), arrays)
        inner = annotations_of(annotation).items()
        return RecordK(
            annotation,
            tuple((n, annotation_kind(a, annotation, n, arrays)) for n, a in inner),
        )
    if is_tuple_of_any_length(annotation):
        return ListK(annotation_kind(args[0], cls, name, arrays))
    if origin is tuple:
        return TupleK(tuple(annotation_kind(a, cls, name, arrays) for a in args))
    if isinstance(origin, type) and issubclass(origin, Sequence) and len(args) == 1:
        return ListK(annotation_kind(args[0], cls, name, arrays))
    if origin in (typing.Union, types.UnionType):
        rest = [a for a in args if a is not types.NoneType]
        if len(rest) == 1 and len(args) == 2:
            return OptionalK(annotation_kind(rest[0], cls, name, arrays))
    if origin is typing.Literal and {type(a) for a in args} == {str}:
        return SymbolK(str)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return SymbolK(annotation)
    raise ArgumentTypeError(
        f"the field {name!r} of {cls.__name__} has the annotation {_show(annotation)}, "
        "which is not supported inside a union of dataclasses",
        "use float, int, bool, str, enumerations, np.ndarray, tuples and lists of these, Optional, "
        "or frozen dataclasses",
    )


def is_tuple_of_any_length(annotation: object) -> bool:
    """``tuple[X, ...]``."""
    args = typing.get_args(annotation)
    return typing.get_origin(annotation) is tuple and len(args) == 2 and args[1] is Ellipsis


def inside(annotation: object, k: int) -> object:
    """The annotation of item k of a list or tuple (None: not known)."""
    args = typing.get_args(annotation)
    if is_tuple_of_any_length(annotation) or len(args) == 1:
        return args[0]
    return args[k] if k < len(args) else None


def _show(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def mentions_union(annotation: object) -> tuple[type, ...] | None:
    """The union that an annotation names directly (a union, or one recursive class)."""
    annotation = _plain(annotation)
    group = alternatives(annotation)
    if group is None and isinstance(annotation, type) and is_record_class(annotation):
        return None if home_group(annotation) is None else (annotation,)
    return group


def array_fields(value: object, add: Callable[[type, str, np.ndarray], None]) -> None:
    """Report every array field of the records inside ``value`` (iteratively: data may be deep)."""
    todo, seen = [value], set()
    while todo:
        v = todo.pop()
        if isinstance(v, list | tuple) and not hasattr(v, "_fields"):
            todo.extend(v)
        elif is_record_class(type(v)) and id(v) not in seen:
            seen.add(id(v))
            for name in field_names(type(v)):
                part = getattr(v, name)
                if isinstance(part, np.ndarray):
                    add(type(v), name, part)
                else:
                    todo.append(part)


def has_array_fields(classes: Sequence[type]) -> bool:
    """Whether a union of these classes has an array anywhere inside."""
    reachable = {c for c in classes if c is not types.NoneType}
    reachable |= {
        c for cls in tuple(reachable) for g in groups_of(cls) for c in g if c is not types.NoneType
    }
    return any(
        a is np.ndarray or typing.get_origin(a) is np.ndarray or "ndarray" in str(a)
        for cls in reachable
        for a in annotations_of(cls).values()
    )


def all_unions() -> list[Union]:
    return list(_UNIONS.values())
