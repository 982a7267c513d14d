"""Compute the argument type (kind) of a Python value, ``type_of``. It is the key of compiled code,
so it is fast for numbers and arrays, and it never depends on numbers, shapes or the identity of
objects."""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Callable, Iterator, Sequence, Set
from contextvars import ContextVar
from dataclasses import replace
from typing import cast

import numpy as np

from pullback.core.types import BOOL, F32, F64, I32, I64, Int
from pullback.errors import ArgumentTypeError, brief
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.given_tables import holds_tables
from pullback.frontend.kinds.join import join, keeps_classes
from pullback.frontend.kinds.kinds import (
    PERHAPS_UNREAD,
    UNREAD,
    ArgType,
    ArrayK,
    ListK,
    Number,
    RecordK,
    ScalarK,
    SmallK,
    StaticK,
    TableK,
    TupleK,
    Unread,
    UnreadK,
    leaf_types,
    static_kind,
)
from pullback.frontend.kinds.sum_kinds import MARKS, mixes
from pullback.frontend.kinds.table_keys import has_methods, key_kind
from pullback.frontend.kinds.widening import small_in
from pullback.frontend.python import generics, records
from pullback.frontend.python.declared import require_declared
from pullback.frontend.python.exact import require_exact
from pullback.frontend.python.held_kinds import (
    holds_function,
    holds_hash,
    holds_in_one_form,
    holds_object,
)
from pullback.frontend.python.object_classes import attributes_of, is_object_class
from pullback.frontend.python.outsiders import unsupported_dtype, unsupported_value
from pullback.frontend.python.source import returned

DTYPES: dict[np.dtype[np.generic], Number] = {
    np.dtype(np.float64): F64,
    np.dtype(np.float32): F32,
    np.dtype(np.int64): I64,
    np.dtype(np.int32): I32,
    np.dtype(np.bool_): BOOL,
}
SMALL = ("int8", "int16", "uint8", "uint16", "uint32")
"""The dtypes that are data only."""
_FLOAT, _INT, _BOOL = ScalarK(F64, True), ScalarK(I64, True), ScalarK(BOOL, True)
_NONE = static_kind(None)
_ARRAYS: dict[tuple[np.dtype[np.generic], int], ArgType] = {
    (dtype, rank): ArrayK(t, rank) if rank else ScalarK(t, False)
    for dtype, t in DTYPES.items()
    for rank in range(9)
}


def type_of(value: object) -> ArgType:
    """Return the kind of a Python argument. Raise ArgumentTypeError (a TypeError) for a value that
    is not supported.

    >>> from pullback.frontend.kinds.descriptions import describe
    >>> describe(type_of(1.5)), describe(type_of(np.zeros((2, 3))))
    ('a float', 'an array of float64, rank 2')
    """
    known = _FAST.get(type(value))
    return known(value) if known is not None else _type_of_other(value)


def types_of(args: Sequence[object]) -> tuple[ArgType, ...]:
    """Return the kinds of all arguments. The error for one names the part of it that is not
    supported."""
    try:
        return tuple(map(type_of, args))
    except ArgumentTypeError as error:
        for k, value in enumerate(args):
            where = place_of(value, f"arg{k}")
            if where is not None:
                raise type(error)(f"{error.reason}, at {where}", error.rewrite) from None
        raise


def place_of(value: object, where: str) -> str | None:
    """Return the path to the innermost part that has no kind; None if the value has a kind."""
    try:
        type_of(value)
    except ArgumentTypeError:
        inside = (place_of(v, path) for v, path in _parts(value, where))
        return next((found for found in inside if found is not None), where)
    return None


def _parts(value: object, where: str) -> Iterator[tuple[object, str]]:
    if type(value) in (list, tuple):
        for k, v in enumerate(cast("Sequence[object]", value)):
            yield v, f"{where}[{k}]"
    elif type(value) is dict:
        for key, v in value.items():
            yield v, f"{where}[{key!r}]"
    elif is_object_class(type(value)):
        return
    elif records.is_record_class(type(value)) and not isinstance(value, type):
        for name in records.field_names(type(value)):
            yield getattr(value, name), f"{where}.{name}"


def _array(value: np.ndarray) -> ArgType:
    try:
        return _ARRAYS[value.dtype, value.ndim]
    except KeyError:
        known = DTYPES.get(value.dtype.newbyteorder("="))
        if known is not None:
            return ArrayK(known, value.ndim) if value.ndim else ScalarK(known, False)
        if value.dtype.char in "FD":
            return _FAST[np.complex128](value)
        if value.dtype.name in SMALL:
            item = Int(8 * value.dtype.itemsize)
            held = ArrayK(item, value.ndim) if value.ndim else ScalarK(I64, False)
            return SmallK(held, value.dtype.name)
        raise ArgumentTypeError(*unsupported_dtype(value)) from None


def _tuple(value: tuple[object, ...]) -> ArgType:
    return TupleK(tuple(map(type_of, value)))


def _list(value: list[object]) -> ArgType:
    if not value:
        return TupleK((), is_list=True)
    classes = set(map(type, value))
    if len(classes) == 1 and (known := _NUMBERS.get(classes.pop())) is not None:
        return ListK(known)
    token = _IN_LIST.set(True)
    try:
        return _list_of_several(value)
    finally:
        _IN_LIST.reset(token)


def _list_of_several(value: list[object]) -> ArgType:
    elem = type_of(value[0])
    if holds_object(elem):  # objects of several classes: so are lists of these
        kinds = _one_kind([elem, *map(type_of, value[1:])])
        elem = kinds[0]
        if any(k != elem for k in kinds) or holds_function(elem):
            return TupleK(tuple(kinds), is_list=True)
        return ListK(elem)
    if holds_function(elem) or holds_tables(elem):  # each item is known: the list has its length
        return TupleK((elem, *map(type_of, value[1:])), is_list=True)
    mixed: tuple[ArgType, ArgType] | None = None
    for item in value[1:]:
        other = type_of(item)
        if holds_tables(other):
            return TupleK(tuple(map(type_of, value)), is_list=True)
        if other != elem:
            joined = join(elem, other)
            few = len(value) <= MOST_ITEMS
            if joined is None or holds_hash(joined) or (few and mixes(joined)):
                return _items_one_by_one(value, elem, other)  # dicts with other keys, settings
            if not all(keeps_classes(k, joined) for k in (elem, other)):
                mixed = mixed or (elem, other)
            elem = joined
    if mixed is not None:  # as items of one type, ints would be floats
        return _items_one_by_one(value, *mixed)
    return ListK(elem)


def _one_kind(kinds: list[ArgType]) -> list[ArgType]:
    """Return the kinds of objects in a list: one, if they differ in nothing but in attributes that
    are no arguments."""
    objects = [k for k in kinds if isinstance(k, RecordK) and is_object_class(k.cls)]
    if len(objects) < len(kinds) or all(k == kinds[0] for k in kinds):
        return kinds
    unread = [{n for n, k in o.fields if isinstance(k, UnreadK)} for o in objects]
    alike = {
        replace(o, fields=tuple((n, k) for n, k in o.fields if n not in some))
        for o, some in zip(objects, unread, strict=True)
    }
    if len(alike) > 1:
        return kinds
    always, (one,) = set.intersection(*unread), alike
    told = ((n, UNREAD if n in always else PERHAPS_UNREAD) for n in sorted(set().union(*unread)))
    return [replace(one, fields=(*one.fields, *told))] * len(kinds)


MOST_ITEMS, MOST_LEAVES = 64, 256
"""A list of items of several types has at most so many items, and so many numbers in all."""


def _items_one_by_one(value: list[object], elem: ArgType, other: ArgType) -> ArgType:
    """Return the kind of a list whose items are known one by one, as those of a tuple are."""
    kind = TupleK(tuple(map(type_of, value)), is_list=True)
    if len(value) > MOST_ITEMS or len(tuple(leaf_types(kind))) > MOST_LEAVES:
        raise ArgumentTypeError(
            f"a list of {describe(elem)} and {describe(other)}: the items of a list with more than "
            f"{MOST_ITEMS} of them must be of one type",
            "write 2.0 for 2: [float(x) for x in xs]; or use a dataclass",
        )
    return kind


def _dict(value: dict[object, object]) -> ArgType:
    """Return the kind of a dict, which is a record: its keys are constants. A large one, of which
    the keys and the values have one type each, is data."""
    if len(value) > MOST_KEYS:
        table = _table(value)
        if table is not None:
            return table
    for key in value:
        if not records.is_key(key):
            raise ArgumentTypeError(
                f"a dict with the key {brief(key)}",
                "use strings, ints or members of an enum as keys",
            )
    return RecordK(dict, tuple((cast("str", k), type_of(v)) for k, v in value.items()))


MOST_KEYS = 256
"""A dict with more keys is a table if it can be one: a record has code for each of its keys."""


def _table(value: dict[object, object]) -> ArgType | None:
    """Return the kind of a dict as that of data; None: it cannot be that."""
    try:
        keys, values = _list(list(value)), _list(list(value.values()))
    except ArgumentTypeError:
        return None
    if not isinstance(keys, ListK) or not isinstance(values, ListK):
        return None
    key = key_kind(keys.elem)
    if key is None or has_methods(key) or any(map(holds_in_one_form, (keys.elem, values.elem))):
        return None
    return TableK(TupleK((key, values.elem)), cls=dict)


def any_table(value: object) -> ArgType | None:
    """Return the kind of a dict as that of data, whatever its size; None: it cannot be that."""
    assert isinstance(value, dict)
    kind = _table(value) if value else RecordK(dict, ())
    return replace(kind, any_size=True) if isinstance(kind, TableK) else kind


def _function(value: types.FunctionType) -> ArgType:
    """Return the kind of a function. Functions with equal code, defaults and captures have equal
    kinds, so a lambda that is made anew has the kind of the old one."""
    try:
        defaults = tuple(_default(v, value) for v in value.__defaults__ or ())
        keywords = tuple((k, _default(v, value)) for k, v in (value.__kwdefaults__ or {}).items())
    except ArgumentTypeError as error:
        name = value.__qualname__
        raise type(error)(f"{error.reason}, in a default of {name}", error.rewrite) from None
    cells = tuple(_cell(c, value) for c in value.__closure__ or ())
    around = id(value.__globals__), returned(value)
    key = ("function", value.__code__, *around, defaults, keywords, cells)
    return StaticK(key, value)


def _default(content: object, holder: types.FunctionType) -> ArgType:
    if content is holder:
        raise ArgumentTypeError("the function itself")
    return type_of(content)


def _cell(cell: types.CellType, holder: types.FunctionType) -> object:
    try:
        content = cell.cell_contents
    except ValueError:
        return "empty"
    if content is holder:
        return "itself"
    try:
        return type_of(content)
    except (ArgumentTypeError, RecursionError):
        return id(content)  # perhaps it is never used; if it is, specialisation refuses it


def _type_of_other(value: object) -> ArgType:
    cls = type(value)
    for known, kind_of, kept in _LATER:
        if known(cls):
            if kept:
                register(cls, kind_of)
            return kind_of(value)
    require_exact(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return _array(np.asarray(value))
    if isinstance(value, enum.Enum):
        return StaticK(("enum", type(value), value.name), value)
    if isinstance(value, type) or cls in (types.BuiltinFunctionType, np.ufunc, types.ModuleType):
        return static_kind(value)
    if is_object_class(cls):
        return _object(value, cls)
    if records.is_record_class(cls):
        return _record(value, cls)
    operator = getattr(value, "__pullback_operator__", None)
    if operator is not None:
        name, function, *options = operator
        return StaticK(("operator", name, type_of(function), tuple(options)), value)
    if isinstance(value, functools.partial):
        keywords = tuple((n, type_of(v)) for n, v in value.keywords.items())
        held = type_of(value.func), tuple(map(type_of, value.args)), keywords
        return StaticK(("partial", *held), value)
    if isinstance(value, types.MethodType):
        return StaticK(("method", type_of(value.__self__), type_of(value.__func__)), value)
    if callable(value):
        return StaticK(("callable", cls, id(value)), value)
    told = unsupported_value(value)
    if told is not None:
        raise ArgumentTypeError(*told)
    if type(getattr(cls, "__init__", None)) is types.FunctionType:
        raise ArgumentTypeError(
            f"{cls.__name__} is a class that is not a frozen dataclass: its objects can change",
            f"declare it with @dataclass(frozen=True), or pass what is in {cls.__name__}",
        )
    raise ArgumentTypeError(
        f"a value of type {cls.__name__} is not supported",
        "pass numbers, NumPy arrays, tuples, lists, dicts, frozen dataclasses or functions",
    )


_IN_LIST: ContextVar[bool] = ContextVar("_IN_LIST", default=False)
"""Whether the items of a list are being looked at."""
_OPEN: ContextVar[frozenset[int]] = ContextVar("_OPEN", default=frozenset())
"""The objects whose attributes are being looked at."""


def _object(value: object, cls: type) -> ArgType:
    """Return the kind of an object whose attributes can be assigned. (Attributes that are not
    supported matter only to a program that reads them.)"""
    around = _OPEN.get()
    if id(value) in around:
        raise ArgumentTypeError("an object that has itself in one of its attributes")
    token = _OPEN.set(around | {id(value)})
    try:
        held = attributes_of(value).items()
        return RecordK(cls, tuple((n, _supported(part, (cls, n)) or UNREAD) for n, part in held))
    finally:
        _OPEN.reset(token)


def has_attributes(value: object, cls: type, names: Sequence[str], unread: Set[str]) -> bool:
    """Whether an object is of this class, has exactly these attributes, and perhaps those of
    ``unread`` that are not among them; all of ``unread`` are not supported (or None, as in a
    gradient)."""
    if type(value) is not cls:
        return False
    held = attributes_of(value)
    if held.keys() - (unread - {*names}) != {*names}:
        return False
    token = _OPEN.set(_OPEN.get() | {id(value)})
    try:
        found = map(held.get, unread)
        others = (v for v in found if v is not None and v is not Unread)
        return all(kind is None or holds_tables(kind) for kind in map(_supported, others))
    finally:
        _OPEN.reset(token)


def _supported(value: object, place: tuple[type, str] | None = None) -> ArgType | None:
    """Return the kind of an attribute; None if it has none, and note why. (A set or a large dict in
    an object of a list has none: what is in it would be known one by one.)"""
    try:
        kind = type_of(value)
        if _IN_LIST.get() and holds_tables(kind):
            reason = "there are sets or large dicts in it, and the object is in a list"
            raise ArgumentTypeError(reason, "pass these as an argument of their own")
        return kind
    except ArgumentTypeError as error:
        if place is not None:
            while len(left_out) >= _MOST_LEFT_OUT:
                left_out.pop(next(iter(left_out)))
            left_out[place] = error
        return None


left_out: dict[tuple[type, str], ArgumentTypeError] = {}
"""Why the attributes of objects of a class that are no arguments have last been left out: a program
that reads one of them says so."""
_MOST_LEFT_OUT = 256


def _record(value: object, cls: type) -> ArgType:
    if not records.is_frozen(cls):
        raise ArgumentTypeError(
            f"{cls.__name__} is a dataclass that is not frozen",
            f"declare it with @dataclass(frozen=True): {cls.__name__} is used as a value",
        )
    home = records.home_group(cls)
    if home is not None:
        return _union_kind(value, tuple(c for c in home if c is not types.NoneType))
    fields = []
    for name, annotation in records.annotations_of(cls).items():
        group = records.mentions_union(annotation)
        part = getattr(value, name)
        kind = type_of(part) if group is None else _union_kind(part, group, annotation)
        if group is None:
            require_declared(cls, name, annotation, kind)
        fields.append((name, kind))
    return RecordK(cls, tuple(fields))


def _union_kind(value: object, group: tuple[type, ...], annotation: object = None) -> ArgType:
    """Return the kind of a value that is declared to be one of these classes."""
    with records.functions_of(None):
        return _of_outside(value, group, annotation)


def _of_outside(value: object, group: tuple[type, ...], annotation: object) -> ArgType:
    if type(value) not in group:
        names = ", ".join(c.__name__ for c in group)
        raise ArgumentTypeError(f"a {type(value).__name__} where one of {names} is declared")
    given = records.NO_ARGUMENTS
    if generics.is_generic(records.canonical(group)):
        told = records.declared_arguments(annotation) if annotation is not None else None
        if told is None and value is None:
            return _NONE
        given = generics.of_value(value, _of_argument) if told is None else told
    if not records.has_array_fields(group):
        return records.union_kind(group, (), given)
    found: dict[tuple[type, str], ArrayK] = {}

    def add(cls: type, name: str, array: np.ndarray) -> None:
        kind = type_of(array)
        if not isinstance(kind, ArrayK) or found.setdefault((cls, name), kind) != kind:
            raise ArgumentTypeError(
                f"the arrays in {cls.__name__}.{name} differ in dtype or rank, or have rank 0",
                "make them alike",
            )

    records.array_fields(value, add)
    arrays = tuple(sorted(((c, n, k) for (c, n), k in found.items()), key=_by_name))
    return records.union_kind(group, arrays, given)


def _of_argument(value: object) -> ArgType:
    """Return the kind of a field that decides about the arguments of a generic class."""
    kind = type_of(value)
    if small_in(kind) is not None:
        raise ArgumentTypeError(*unsupported_dtype(np.asarray(value)))
    return kind


def _by_name(entry: tuple[type, str, ArrayK]) -> tuple[str, str]:
    return entry[0].__qualname__, entry[1]


_NUMBERS: dict[type, ArgType] = {float: _FLOAT, int: _INT, bool: _BOOL}
_FAST: dict[type, Callable[..., ArgType]] = {
    float: lambda _: _FLOAT,
    int: lambda _: _INT,
    bool: lambda _: _BOOL,
    type(None): lambda _: _NONE,
    np.ndarray: _array,
    np.float64: lambda _: ScalarK(F64, False),
    np.float32: lambda _: ScalarK(F32, False),
    np.int64: lambda _: ScalarK(I64, False),
    np.int32: lambda _: ScalarK(I32, False),
    np.bool_: lambda _: ScalarK(BOOL, False),
    tuple: _tuple,
    list: _list,
    dict: _dict,
    **dict.fromkeys((str, *MARKS), static_kind),
    types.FunctionType: _function,
}


_LATER: list[tuple[Callable[[type], object], Callable[..., ArgType], bool]] = []


def register_later(
    known: Callable[[type], object], kind_of: Callable[..., ArgType], kept: bool = True
) -> None:
    """Say the same for classes of a library that is not imported for their sake; ``kept``: each of
    these classes is remembered."""
    _LATER.append((known, kind_of, kept))


def register(cls: type, kind_of: Callable[..., ArgType]) -> None:
    """Say what the kind of a value of a class is, for classes of data that come with a shape."""
    _FAST[cls] = kind_of
