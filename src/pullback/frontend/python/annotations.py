"""Read the annotations of frozen dataclasses and NamedTuples: fields, unions, type parameters.

Classes that unions bring together are one *group* (``canonical``). A generic class is in a group
without arguments; ``generics`` finds what its type parameters stand for.
"""

from __future__ import annotations

import dataclasses
import sys
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pullback.errors import ArgumentTypeError


def is_record_class(cls: type) -> bool:
    """Whether a class is a dataclass or a NamedTuple."""
    return dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields"))


def is_frozen(cls: type) -> bool:
    if not dataclasses.is_dataclass(cls):
        return True
    return bool(cls.__dataclass_params__.frozen)  # type: ignore[attr-defined]  # no stub has it


def field_names(cls: type) -> tuple[str, ...]:
    if dataclasses.is_dataclass(cls):
        return tuple(f.name for f in dataclasses.fields(cls))
    if cls is dict:
        return ()  # the kind has its keys
    names: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]  # a named tuple
    return names


_MEMORY = "__pullback_declared__"
_MOST_KEPT = 64  # a class that lives long can meet many short-lived ones


class Memory(dict[object, Any]):
    """What has been found out about the declaration of a class; a copy of the class starts without
    it."""

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return dict, ()


def memory(cls: type) -> Memory:
    """Return what has been found out about the declaration of a class, and depends on the class
    only. The class holds it, so it is freed with the class."""
    found = vars(cls).get(_MEMORY)
    if type(found) is not Memory or len(found) > _MOST_KEPT:
        found = Memory()
        type.__setattr__(cls, _MEMORY, found)
    return found


def annotations_of(cls: type) -> dict[str, object]:
    """Return the resolved annotations of the fields. Raise ArgumentTypeError if they do not
    resolve."""
    if cls is dict:
        return {}
    known: dict[str, object] | None = memory(cls).get("annotations")
    if known is None:
        own = {p.__name__: p for p in getattr(cls, "__type_params__", ())}
        try:
            hints = typing.get_type_hints(cls, localns={**own, cls.__name__: cls})
        except NameError as e:
            raise ArgumentTypeError(
                f"the annotations of {cls.__name__} do not resolve: {e}",
                "define the classes at module level, aliases of unions too",
            ) from None
        inherited = _inherited(cls)
        known = {n: inherited.get(n, hints.get(n, object)) for n in field_names(cls)}
        memory(cls)["annotations"] = known
    return known


def _inherited(cls: type) -> dict[str, object]:
    """Return the annotations that a class has from the generic classes of which it is made."""
    found: dict[str, object] = {}
    for base in getattr(cls, "__orig_bases__", ()):
        origin = typing.get_origin(base)
        if isinstance(origin, type) and is_record_class(origin):
            given = dict(zip(parameters(origin), typing.get_args(base), strict=False))
            for name, annotation in annotations_of(origin).items():
                if name not in vars(cls).get("__annotations__", {}):
                    found.setdefault(name, _substituted(annotation, given))
    return found


def _substituted(annotation: object, given: Mapping[object, object]) -> object:
    if isinstance(annotation, typing.TypeVar):
        return given.get(annotation, annotation)
    names = getattr(annotation, "__parameters__", ())
    if not names or isinstance(annotation, type):
        return annotation
    return annotation[tuple(given.get(p, p) for p in names)]  # type: ignore[index]  # generic


def parameters(cls: type) -> tuple[object, ...]:
    """Return the type parameters of a generic class."""
    found: tuple[object, ...] = getattr(cls, "__parameters__", ())
    return found


def named(annotation: object) -> object:
    """Return an annotation without ``Annotated`` and with the types that aliases stand for."""
    while True:
        origin: typing.Any = typing.get_origin(annotation)
        if type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__  # type: ignore[attr-defined]  # of Python 3.12
        elif type(origin).__name__ == "TypeAliasType":
            given = dict(zip(origin.__type_params__, typing.get_args(annotation), strict=False))
            annotation = _substituted(origin.__value__, given)
        elif origin is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        else:
            return annotation


def plain(annotation: object) -> object:
    """Return an annotation without aliases, and without the arguments of a generic record."""
    annotation = named(annotation)
    origin = typing.get_origin(annotation)
    return origin if isinstance(origin, type) and is_record_class(origin) else annotation


def instances(annotation: object) -> dict[type, tuple[object, ...]]:
    """Return the records that an annotation names directly, with the arguments of the generic ones
    (a class alone has its own parameters as arguments)."""
    annotation = named(annotation)
    union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    found: dict[type, tuple[object, ...]] = {}
    for part in map(named, typing.get_args(annotation) if union else (annotation,)):
        cls = plain(part)
        if isinstance(cls, type) and is_record_class(cls):
            given = typing.get_args(part) or parameters(cls)
            if found.setdefault(cls, given) != given:
                raise ArgumentTypeError(
                    f"{cls.__name__} with two arguments in one union: its values do not show which",
                    "use two classes",
                )
    return found


def alternatives(annotation: object) -> tuple[type, ...] | None:
    """Return the classes of ``A | B | None`` if all are records (or None), and at least one is a
    record."""
    annotation = named(annotation)
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return None
    parts = typing.get_args(annotation)
    classes = tuple(p for p in map(plain, parts) if isinstance(p, type))
    records = [c for c in classes if is_record_class(c)]
    if not records or len(classes) < len(parts):
        return None
    return classes if all(c in records or c is types.NoneType for c in classes) else None


def mentions(annotation: object) -> Iterator[object]:
    """Iterate over the parts of an annotation that name records directly: one record, or a union of
    them."""
    annotation = named(annotation)
    if group_of(annotation) is not None:
        yield annotation
        for given in instances(annotation).values():
            for part in given:
                yield from mentions(part)
    else:
        for part in typing.get_args(annotation):
            yield from mentions(part)


def group_of(annotation: object) -> tuple[type, ...] | None:
    """Return the classes of a union of records; one record alone is a group of one."""
    group = alternatives(annotation)
    annotation = plain(annotation)
    if group is None and isinstance(annotation, type) and is_record_class(annotation):
        return (annotation,)
    return group


def groups_of(cls: type) -> tuple[tuple[type, ...], ...]:
    """Return all groups of classes that are reachable from the fields of ``cls``."""
    known: tuple[tuple[type, ...], ...] | None = memory(cls).get("groups")
    if known is None:
        found: dict[tuple[type, ...], None] = {}
        todo, seen = [cls], {cls}
        while todo:
            for annotation in annotations_of(todo.pop()).values():
                for group in filter(None, map(group_of, mentions(annotation))):
                    found[group] = None
                    new = [c for c in group if c is not types.NoneType and c not in seen]
                    seen.update(new)
                    todo.extend(new)
        known = memory(cls)["groups"] = tuple(found)
    return known


def home_group(cls: type) -> tuple[type, ...] | None:
    """Return the group to which a recursive class belongs; None if it is not recursive."""
    return canonical((cls,)) if any(cls in g for g in groups_of(cls)) else None


def mentioned_beside(cls: type) -> Iterator[object]:
    """Iterate over the annotations that name records directly, in a class and in those declared
    beside it."""
    for other in (cls, *declared_in((cls.__module__,))):
        try:
            found = annotations_of(other)
        except ArgumentTypeError:  # they do not resolve
            continue
        for annotation in found.values():
            yield from mentions(annotation)


def canonical(group: Iterable[type]) -> tuple[type, ...]:
    """Return all classes that unions bring together with those of the group: ``E`` and ``E |
    None``, and unions that overlap, are one type, of which some values lack some alternatives. Only
    the declarations in the modules of these classes decide; the order in which classes are named or
    met makes no difference. The classes stand in the order of their definitions, None last."""
    none = types.NoneType
    given = frozenset(group)
    classes = given - {none}
    kept = memory(min(classes, key=_by_name)) if classes else {}
    known: tuple[tuple[str, ...], list[type], tuple[type, ...]] | None = kept.get(given)
    if known is not None and known[1] == declared_in(known[0]):
        return known[2]
    found, groups, before = set(classes), {given}, 0
    while len(found) + len(groups) > before:
        before = len(found) + len(groups)
        groups.update(frozenset(g) for g in _groups_around(found))
        for other in groups:
            if not found.isdisjoint(other):
                found |= other - {none}
    nones = {none} if any(none in g and not found.isdisjoint(g) for g in groups) else given
    modules = _modules(found)
    written = declared_in(modules)
    places = {c: k for k, c in enumerate(written)}
    ordered = sorted(found, key=lambda c: (places.get(c, len(places)), *_by_name(c)))
    made = (*ordered, *(nones & {none}))
    kept[given] = modules, written, made
    return made


def _modules(classes: Iterable[type]) -> tuple[str, ...]:
    return tuple(sorted({c.__module__ for c in classes}))


def declared_in(modules: Iterable[str]) -> list[type]:
    """Return the records that these modules declare, in the order of their definitions."""
    found = (vars(sys.modules[m]) if m in sys.modules else {} for m in modules)
    return [
        c
        for m, names in zip(modules, found, strict=True)
        for c in tuple(names.values())
        if isinstance(c, type) and c.__module__ == m and is_record_class(c) and is_frozen(c)
    ]


def _groups_around(classes: Collection[type]) -> Iterator[tuple[type, ...]]:
    """Iterate over the groups that contain these classes, or others of their modules."""
    for cls in classes:
        yield from groups_of(cls)
    for other in declared_in(_modules(classes)):
        try:
            groups = groups_of(other)
        except ArgumentTypeError:  # its annotations do not resolve
            continue
        for group in groups:  # not mixed: the arguments of all follow from each other
            if len({bool(parameters(c)) for c in group if c is not types.NoneType}) == 1:
                yield group


def _by_name(cls: type) -> tuple[str, str]:
    return cls.__qualname__, cls.__module__


def is_tuple_of_any_length(annotation: object) -> bool:
    """Whether an annotation is ``tuple[X, ...]``."""
    args = typing.get_args(annotation)
    return typing.get_origin(annotation) is tuple and len(args) == 2 and args[1] is Ellipsis


def inside(annotation: object, k: int) -> object:
    """Return the annotation of item k of a list or tuple (None: not known)."""
    args = typing.get_args(annotation)
    if is_tuple_of_any_length(annotation) or len(args) == 1:
        return args[0]
    return args[k] if k < len(args) else None


def show(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def mentions_union(annotation: object) -> tuple[type, ...] | None:
    """Return the union that an annotation names directly (a union, or one recursive class)."""
    group = alternatives(annotation)
    annotation = plain(annotation)
    if group is None and isinstance(annotation, type) and is_record_class(annotation):
        return None if home_group(annotation) is None else (annotation,)
    return group
