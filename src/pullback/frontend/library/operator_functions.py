"""Compile ``slice``, methods of named tuples, and the functions of ``operator`` and
``dataclasses``."""

from __future__ import annotations

import ast
import copy
import dataclasses
import operator
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeGuard, cast

from pullback.errors import ArgumentTypeError
from pullback.frontend.functions.capturing_classes import class_around, class_of_object
from pullback.frontend.functions.scopes import outermost
from pullback.frontend.interpret.shared_objects import for_each_class
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.kinds import ArrayK, ScalarK, static_kind
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    SliceV,
    Specialiser,
    Static,
    SuperV,
    SymbolV,
    TupleV,
    UnionV,
    Value,
    index_scalar,
    method,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind
from pullback.frontend.library.numpy.subscripts import slice_bounds
from pullback.frontend.memory import dicts
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.python import records
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.raised_classes import plain_class
from pullback.frontend.python.syntax import parameters
from pullback.frontend.run import Run
from pullback.frontend.store.shared_memory import is_shared, opened

BINARY: dict[str, Callable[..., object]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift,
}  # fmt: skip
COMPARE: dict[str, Callable[..., object]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "is": operator.is_, "is not": operator.is_not,
}  # fmt: skip
UNARY: dict[str, Callable[..., object]] = {
    "-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_,
}  # fmt: skip


def _two(name: str, f: Callable[[Specialiser, str, Value, Value, ast.AST], Value], op: str) -> None:
    """Register a function of two arguments."""
    table = BINARY if op in BINARY else COMPARE

    @register(table[op])
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        a, b = bind(sp, name, args, kwargs, node, a=MISSING, b=MISSING)
        return f(sp, op, a, b, node)


for _op, _function in BINARY.items():
    _two(_function.__name__, lambda sp, op, a, b, node: sp.binop(op, a, b, node), _op)
for _op, _function in COMPARE.items():
    _two(_function.__name__, lambda sp, op, a, b, node: sp.compare(op, a, b, node), _op)


def _one(op: str) -> None:
    @register(UNARY[op])
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (a,) = bind(sp, UNARY[op].__name__, args, kwargs, node, a=MISSING)
        return sp.unary(op, a, node)


for _op in UNARY:
    _one(_op)


@register(operator.abs)
def abs_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return sp.call(Static(abs), args, node, kwargs)


@register(operator.truth)
def truth(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return sp.call(Static(bool), args, node, kwargs)


@register(operator.getitem)
def getitem(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    a, b = bind(sp, "getitem", args, kwargs, node, a=MISSING, b=MISSING)
    return _item(sp, a, b, node)


def _item(sp: Specialiser, a: Value, b: Value, node: ast.AST) -> Value:
    """Return ``a[b]``, which changes nothing."""
    assert isinstance(sp, Run)
    table = opened(sp, a, node)
    if isinstance(table, HashV) and table.cls is defaultdict:
        reason = "a function that reads a defaultdict, which puts in what is missing"
        sp.refuse(node, reason, "write d[key], also in a lambda")
    return sp.subscript(a, b, node)


@register(operator.contains)
def contains(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    a, b = bind(sp, "contains", args, kwargs, node, a=MISSING, b=MISSING)
    return sp.compare("in", b, a, node)


# --- getters --------------------------------------------------------------------------------------

_GETTERS = Remembered[object]()
Getter = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


def _register_getter(cls: type) -> None:
    @register(cls)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        name = cls.__name__
        keys = [sp.static(v, node, f"an argument of {name}") for v in args]
        named = {k: sp.static(v, node, f"an argument of {name}") for k, v in kwargs.items()}
        kinds = tuple(map(static_kind, (*keys, *named.values())))
        try:
            return Static(_GETTERS.of(node, (cls, kinds, *named), lambda: cls(*keys, **named)))
        except TypeError as e:
            sp.refuse(node, str(e), error=ArgumentTypeError)


for _cls in (operator.itemgetter, operator.attrgetter, operator.methodcaller):
    _register_getter(_cls)


def is_getter(obj: object) -> bool:
    """Whether the object was made by ``itemgetter(...)``, ``attrgetter(...)`` or
    ``methodcaller(...)``."""
    return isinstance(obj, Getter)


def get(sp: Specialiser, getter: object, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return the result of a call of a getter."""
    assert isinstance(getter, Getter)
    (obj,) = bind(sp, type(getter).__name__, args, kwargs, node, obj=MISSING)
    reduced: tuple[object, ...] = cast("tuple[object, ...]", getter.__reduce__()[1])
    if isinstance(getter, operator.methodcaller):
        function = sp.attribute(obj, str(reduced[0]), node)
        return sp.call(function, [Static(v) for v in reduced[1:]], node)

    def one(key: object) -> Value:
        if isinstance(getter, operator.itemgetter):
            return _item(sp, obj, _key(key), node)
        found = obj
        for name in str(key).split("."):
            found = sp.attribute(found, name, node)
        return found

    values = tuple(one(k) for k in reduced)
    return values[0] if len(values) == 1 else TupleV(values)


def _key(key: object) -> Value:
    if isinstance(key, slice):
        return SliceV(Static(key.start), Static(key.stop), Static(key.step))
    return Static(key)


# --- records with other fields --------------------------------------------------------------------


@register(super)
def super_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return ``super()`` in a method; Python keeps the class in the cell ``__class__``."""
    assert isinstance(sp, Run)
    scope, definition = outermost(sp.scope), sp.frame.definition
    own = () if definition is None else parameters(definition.node)
    if not args and scope is not None and own:
        names = scope.function.__code__.co_freevars
        receiver = sp.lookup(own[0], node)
        if "__class__" in names and _has_class(receiver):
            cell = (scope.function.__closure__ or ())[names.index("__class__")]
            after = cell.cell_contents
            if issubclass(after, BaseException):
                after = plain_class(after)
            return SuperV(receiver, after)
    if len(args) == 2 and isinstance(args[0], Static) and isinstance(args[0].value, type):
        receiver, after = args[1], args[0].value
        if _has_class(receiver) and all(issubclass(c, after) for c in _classes(sp, receiver)):
            return SuperV(receiver, after)
    if not args and definition is not None and own:
        receiver = sp.lookup(own[0], node)
        if isinstance(receiver, (RecordV, RefV)):
            around = class_around(definition, receiver.cls)
            if around is not None:
                return SuperV(receiver, around)
    sp.refuse(node, "super() is supported in methods of records only", "name the class")


def _has_class(receiver: Value) -> TypeGuard[RecordV | RefV | Static]:
    """Whether a value is an object whose next method ``super`` may find, or a class."""
    is_class = isinstance(receiver, Static) and isinstance(receiver.value, type)
    return isinstance(receiver, (RecordV, RefV)) or is_class


def _classes(run: Run, receiver: RecordV | RefV | Static) -> Sequence[type]:
    """Return the classes that an object can be of, or the class itself."""
    match receiver:
        case RefV():
            return run.rows.classes(receiver)
        case RecordV(cls) | Static(type() as cls):
            return (cls,)
        case _:
            raise AssertionError(receiver)


@register(dataclasses.replace)
def replace(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return a new record with some fields changed."""
    if len(args) != 1:
        sp.refuse(node, "replace takes one record, and fields by name", error=ArgumentTypeError)
    if isinstance(args[0], RecordV) and not dataclasses.is_dataclass(args[0].cls):
        message = "replace() should be called on dataclass instances"
        sp.refuse(node, message, "p._replace(x=1.0), of a named tuple", error=ArgumentTypeError)
    return _replaced(sp, args[0], kwargs, node)


@method("record", "_replace")
def replace_of_tuple(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    return _replaced(sp, receiver, kwargs, node)


@method("record", "_asdict")
def dict_of_tuple(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return a new dict of the fields of a named tuple, in their order."""
    if args or kwargs:
        sp.refuse(node, "_asdict takes no arguments", error=ArgumentTypeError)
    names = getattr(receiver.cls, "_fields", None) if isinstance(receiver, RecordV) else None
    if not isinstance(receiver, RecordV) or not is_tuple_class(receiver.cls) or not names:
        sp.refuse(node, f"_asdict of {sp.describe(receiver)}", "write {'x': p.x, 'y': p.y}")
    return dicts.made({name: receiver.fields[name] for name in names})


def _replaced(sp: Specialiser, record: Value, changes: Kwargs, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    if isinstance(record, UnionV):
        return sp.case_value(record, lambda v: _replaced(sp, v, changes, node), node)
    if isinstance(record, RefV) and not is_shared(record):
        return for_each_class(
            sp, record, lambda v, cls: _of_class(sp, v, changes, node, cls), node
        )
    if not isinstance(record, RecordV):
        sp.refuse(node, f"{sp.describe(record)} is not a record", error=ArgumentTypeError)
    return _of_class(sp, record, changes, node, record.cls)


def _of_class(
    sp: Run, record: RecordV | RefV, changes: Kwargs, node: ast.AST, cls: type
) -> Value:
    """Return a new object of a class with the fields of another one, but for those that change."""
    names = list(record.fields) if isinstance(record, RecordV) else []
    if dataclasses.is_dataclass(cls):  # of a captured object fields are read when asked for
        names = [f.name for f in dataclasses.fields(cls) if f.init]
    elif isinstance(record, RefV):
        message = "replace() should be called on dataclass instances"
        sp.refuse(node, message, error=ArgumentTypeError)
    late = [f.name for f in records.init_fields(cls) if f.init]
    for name in changes:
        if name not in names and name not in late:
            reason = f"{cls.__name__} has no field {name!r}"
            sp.refuse(node, reason, error=ArgumentTypeError)
    kept = {n: sp.attribute(record, n, node) for n in names if n not in changes}
    maker = class_of_object(sp, record, cls, node)
    return sp.call(maker, (), node, {**kept, **changes})


@register(dataclasses.asdict)
def asdict(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return the fields of a dataclass by their names, those of its parts too."""
    (record,) = bind(sp, "asdict", args, kwargs, node, obj=MISSING)
    return _fields(sp, record, dicts.made, node)


@register(dataclasses.astuple)
def astuple(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return the fields of a dataclass in their order, those of its parts too."""
    (record,) = bind(sp, "astuple", args, kwargs, node, obj=MISSING)
    return _fields(sp, record, lambda fields: TupleV(tuple(fields.values())), node)


def _fields(
    sp: Specialiser, record: Value, form: Callable[[dict[str, Value]], Value], node: ast.AST
) -> Value:
    assert isinstance(sp, Run)
    if isinstance(record, UnionV):
        return sp.case_value(record, lambda v: _fields(sp, v, form, node), node)
    if isinstance(record, RefV) and not is_shared(record):
        return for_each_class(
            sp, record, lambda v, cls: _fields_of_class(sp, v, form, node, cls), node
        )
    if not isinstance(record, RecordV):
        sp.refuse(node, _NO_DATACLASS, error=ArgumentTypeError)
    return _fields_of_class(sp, record, form, node, record.cls)


_NO_DATACLASS = "asdict() and astuple() should be called on dataclass instances"


def _fields_of_class(
    sp: Run, record: RecordV | RefV, form: Callable[[dict[str, Value]], Value], node: ast.AST,
    cls: type,
) -> Value:  # fmt: skip
    if not dataclasses.is_dataclass(cls):
        sp.refuse(node, _NO_DATACLASS, error=ArgumentTypeError)

    def part(value: Value) -> Value:
        match value:
            case RecordV(of) if dataclasses.is_dataclass(of):
                return _fields(sp, value, form, node)
            case TupleV(items):
                return TupleV(tuple(map(part, items)), value.is_list)
            case Scalar() | Static() | SymbolV() | ArrayV() | ListV(elem=ScalarK() | ArrayK()):
                return sp.call(Static(copy.deepcopy), (value,), node)
            case ListV(length, cls=cls_of_items) if cls_of_items in (list, tuple):
                made = sp.sequence(
                    length, lambda i: part(sp.element(value, i, node, checked=False)), node
                )
                return as_class(made, cls_of_items)
            case OptionalV():
                return sp.case_value(value, part, node)
            case RefV():
                shared = is_shared(value)
                return part(opened(sp, value, node)) if shared else _fields(sp, value, form, node)
            case _:
                rewrite = "name the fields: {'x': p.x, 'n': p.n}"
                sp.refuse(node, f"a field that is {sp.describe(value)}", rewrite)

    names = [f.name for f in dataclasses.fields(cls)]
    return form({n: part(sp.attribute(record, n, node)) for n in names})


@register(slice)
def slice_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if kwargs or not 1 <= len(args) <= 3:
        sp.refuse(node, "slice takes one to three arguments", error=ArgumentTypeError)
    start, stop, step = (NONE, *args, NONE) if len(args) == 1 else (*args, NONE)[:3]
    return SliceV(start, stop, step)


@method("slice", "indices")
def indices(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return start, stop and step of the items of a sequence of some length."""
    (length,) = bind(sp, "slice.indices", args, kwargs, node, length=MISSING)
    assert isinstance(receiver, SliceV)
    n = ext.int_atom(sp, length, node, "a length")
    start, stop, step = slice_bounds(sp, receiver, n, node)
    return TupleV((index_scalar(start), index_scalar(stop), Static(step)))
