"""``value.name``: fields, methods, properties, module attributes, attributes of arrays."""

from __future__ import annotations

import ast
import functools
import types
from dataclasses import Field, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from pullback.absent import absence
from pullback.core.later import Later
from pullback.core.messages import Constant, Message
from pullback.errors import UnknownAttributeError
from pullback.frontend.functions import choices
from pullback.frontend.functions.capturing_classes import class_of as class_of_constructor
from pullback.frontend.functions.capturing_classes import class_of_object, is_constructor, method_in
from pullback.frontend.functions.stepped_form import is_step
from pullback.frontend.interpret import fallbacks, own_attributes, small_ints, symbol_values
from pullback.frontend.interpret.class_functions import (
    cached_method,
    check_hash,
    class_entry,
    comes_first,
    descriptor,
    entry_of,
    function_in,
    has_entry,
    is_computed,
    is_descriptor,
    keeps,
    own_function,
    written,
)
from pullback.frontend.interpret.showing import of_stream
from pullback.frontend.kinds import optionals, placeholders
from pullback.frontend.kinds.complex_pairs import Complex, Pair
from pullback.frontend.kinds.kinds import TYPE, UnionK
from pullback.frontend.kinds.optionals import class_of
from pullback.frontend.kinds.parted import usable
from pullback.frontend.kinds.sum_kinds import is_mark
from pullback.frontend.kinds.values import (
    ATTRIBUTES,
    METHODS,
    WRITTEN_CLASSES,
    ArrayV,
    CaughtV,
    FunctionV,
    GeneratorV,
    HashV,
    ListV,
    MaybeV,
    OperatorV,
    OptionalV,
    RangeV,
    RecordV,
    RefV,
    Scalar,
    SliceV,
    SmallV,
    Static,
    SuperV,
    SymbolV,
    TupleV,
    UnionV,
    Value,
    is_unread,
)
from pullback.frontend.library.compiled_text import function_of
from pullback.frontend.library.text import kept_properties, named_tuples
from pullback.frontend.memory import attributes_outside, holding, item_attributes, references
from pullback.frontend.memory.chosen_keys import known_item
from pullback.frontend.memory.object_dicts import dict_of, has_dict
from pullback.frontend.python import dispatching, handled, object_classes, records
from pullback.frontend.python.bare_objects import is_placeholder
from pullback.frontend.python.container_bases import (
    VALUE,
    behind,
    is_tuple_class,
    lacks,
    order_of,
)
from pullback.frontend.python.libraries import is_closed
from pullback.frontend.python.objects_outside import attribute_outside
from pullback.frontend.python.pytypes import left_out
from pullback.frontend.python.rewrites import refuse_library
from pullback.frontend.signals import ContextsWanted, Unreachable
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

distributions = Later("pullback.frontend.library.distributions")


def receiver_name(value: Value) -> str:
    """Return the name under which the methods of a value are registered."""
    match value:
        case ArrayV():
            return "array"
        case Scalar(py=py):
            return "number" if py else "scalar"
        case Static(Enum()):
            return ""
        case Static(Field()):
            return "field"
        case Static(v) if isinstance(v, (int, float)):
            return "number" if type(v) in (int, float, bool) else "scalar"
        case Static(str()):
            return "string"
        case SymbolV(_, cls):
            return "string" if cls is str else ""
        case ListV() | TupleV():
            return "tuple" if value.cls is tuple else "list"
        case RangeV() | SliceV():
            return "range" if isinstance(value, RangeV) else "slice"
        case RecordV(cls) if issubclass(cls, Pair):
            return "complex" if issubclass(cls, Complex) else "complex array"
        case RecordV(cls) if object_classes.are_dicts(cls):
            return "dict" if cls is dict else "loose dict"
        case HashV(cls):
            return "set" if issubclass(cls, (set, frozenset)) else "table"
        case FunctionV(definition):
            return "generator" if is_step(definition.node) else "function"
        case GeneratorV():
            return "generator"
        case RecordV(cls) if is_tuple_class(cls):
            return "record"
        case _:
            return ""


_CONTAINERS = frozenset({"array", "list", "tuple", "dict", "loose dict", "table", "set"})


def has_method(value: Value, name: str) -> bool:
    return (receiver_name(value), name) in METHODS


def present(run: Run, value: Value, name: str, node: ast.AST) -> Value:
    """Return what has attributes."""
    return optionals.having(run, value, name, node)


def attribute(run: Run, value: Value, name: str, node: ast.AST) -> Value:
    """Return ``value.name``. Raise an UnknownAttributeError if there is none."""
    if isinstance(value, OptionalV):
        return _of_one_of_several(run, value, name, node)
    if isinstance(value, Static) and is_mark(value.value) and name[:2] != "__":
        return of_stream(run, value.value, name, node) or present(run, value, name, node)
    if isinstance(value, SmallV):
        return small_ints.attribute(run, value, name, node)
    if name == "__hash__" and isinstance(node, ast.Attribute):
        check_hash(run, node)
    reference, value = value, opened(run, value, node)
    if (known := ATTRIBUTES.get((receiver_name(value), name))) is not None:
        return known(run, value, node)
    if receiver_name(value) in _CONTAINERS and (
        has_method(value, name) or holding.is_update(value, name)
    ):
        return references.made(run, name, None, (reference,), node)
    if (found := _of_its_own_sort(run, value, name, node)) is not None:
        return found
    match value:
        case RecordV(cls) if not object_classes.are_dicts(cls):
            return _of_record(run, value, name, node)
        case RefV() | SuperV(RefV()):
            return run.shared_attribute(value, name, node)
        case TupleV() if choices.is_choice(value):
            return choices.call(run, value, lambda f: run.attribute(f, name, node), node)
        case SuperV(Static(type() as cls), after):
            return _of_class_behind(run, cls, behind(cls, after), name, node)
        case SuperV(RecordV() as record, after):
            return _of_record(run, record, name, node, behind(record.cls, after))
        case UnionV():
            return _of_union(run, value, name, node)
        case CaughtV() if name == "__context__" and not handled.NOTED.get():
            raise ContextsWanted
        case CaughtV(atom, steps):
            held = run.of_exception(value, name, node)
            if held is not None:
                return held
            return CaughtV(atom, (*steps, TYPE if name == "__class__" else name))
        case SymbolV(_, cls):
            found = method_of(run, value, cls, cls.__mro__, name, node)
            return found or symbol_values.attribute(run, value, name, node)
        case Static(Enum() as member):
            cls = type(member)
            found = method_of(run, value, cls, cls.__mro__, name, node)
            return found or _of_constant(run, member, name, node)
        case Static(types.ModuleType() as module):
            if not hasattr(module, name):
                reason, rewrite = f"module {module.__name__!r} has no attribute {name!r}", ""
                if module.__name__ == "pullback":
                    reason, rewrite = absence(name)
                run.refuse(node, reason, rewrite, error=UnknownAttributeError)
            return run.module_attribute(module, name, node)
        case Static(type() as cls):
            return _of_class(run, cls, name, node)
        case Static(obj) if not isinstance(obj, Enum) and name in getattr(obj, "__dict__", ()):
            run.refuse(
                node,
                f"{name!r} of an object of {type(obj).__name__}, a class of a library or with a "
                "metaclass or base class of its own",
                "pass the value as an argument",
            )
        case Static(obj) if obj is not None:
            return _of_constant(run, obj, name, node)
        case OperatorV("frozen distribution"):
            made: Value = distributions.attribute(run, value, name, node)
            return made
        case Static(None):
            message = f"'NoneType' object has no attribute {name!r}"
            run.never("AttributeError", message, node, UnknownAttributeError)
        case _:
            _refuse_attribute(run, value, name, node)


def _of_one_of_several(run: Run, value: OptionalV, name: str, node: ast.AST) -> Value:
    """Return an attribute of what is one of several things. A record without it raises."""
    has = partial(optionals.having, run, name=name, node=node)

    def of_one(v: Value) -> Value:
        if (
            isinstance(v, RecordV) and object_classes.is_tree_class(v.cls)
            and not _has(v.cls, name)
        ):  # fmt: skip
            message = f"{v.cls.__name__!r} object has no attribute {name!r}"
            run.never("AttributeError", message, node, UnknownAttributeError)
        return attribute(run, has(v), name, node)

    apart = optionals.apart(run, value, of_one, node)
    return apart or attribute(run, has(value), name, node)


def _of_its_own_sort(run: Run, value: Value, name: str, node: ast.AST) -> Value | None:
    """Return an attribute of a class that is a constructor, the dict of an object, or an attribute
    of a function of Python; None if it is none of these."""
    if is_constructor(value):
        return _of_constructor(run, value, name, node)
    if name == "__dict__" and has_dict(value):
        return dict_of(run, value, node)
    if isinstance(value, FunctionV):
        return own_attributes.value_of(run, value, name, node)
    return item_attributes.attribute(run, value, name, node)


def _of_constructor(run: Run, value: Value, name: str, node: ast.AST) -> Value:
    """Return an attribute of a class whose methods use variables around it."""
    named = class_of_constructor(value)
    assert isinstance(named, Static) and isinstance(named.value, type)
    cls, entry = named.value, entry_of(named.value, name)
    inner = entry.__func__ if isinstance(entry, (staticmethod, classmethod)) else entry
    found = method_in(run, value, inner, node) if isinstance(inner, types.FunctionType) else None
    if found is None:
        return _of_class(run, cls, name, node)
    return _bound(found, value) if isinstance(entry, classmethod) else found


def _of_constant(run: Run, obj: object, name: str, node: ast.AST) -> Value:
    """Return an attribute of a Python object: an enum's value, a dtype's name, ``ufunc.reduce``."""
    if not hasattr(obj, name):
        _refuse_attribute(run, Static(obj), name, node)
    if is_placeholder(obj) and name != "ndim":
        if name == "T":
            return Static(obj)
        placeholders.refuse(run, f"{name!r} of", node)
    return known_item(getattr(obj, name))


_SAID = "as a statement of its own, in the function that makes f (or outside of compiled code)"
_INSTEAD = {
    "at": "update a copy: y = x.copy(); y[i] = v",
    **{name: f"say a rule where its function is made: f.{name}(...), {_SAID}"
       for name in ("defvjp", "defjvp", "defjvps")},
}  # fmt: skip


def _refuse_attribute(run: Run, value: Value, name: str, node: ast.AST) -> NoReturn:
    optionals.require_attribute(run, value, name, node, _INSTEAD.get(name, ""))
    run.refuse(
        node,
        f"{run.describe(value)} has no attribute {name!r} that is supported",
        _INSTEAD.get(name, ""),
        error=UnknownAttributeError,
    )


def _of_record(
    run: Run, value: RecordV, name: str, node: ast.AST, bases: tuple[type, ...] | None = None
) -> Value:
    """Return a field, or what the class (or the first of ``bases``) has under this name."""
    if name in value.fields and bases is None and not comes_first(entry_of(value.cls, name)):
        part = usable(run, value, name, node)
        if is_unread(part):
            refuse_missing(run, value, name, node)
        return _maybe_there(run, value, part, name, node) if isinstance(part, MaybeV) else part
    if name == "__class__":
        return class_of_object(run, value, value.cls, node)
    if value.outside is not None and bases is None:
        held = object_classes.attributes_of(value.outside.value)
        if name in held and not comes_first(entry_of(value.cls, name)):
            return attribute_outside(run, held[name], value.outside, name, node)
        run.without_own(value.outside.path, name)
    found = method_of(run, value, value.cls, bases or order_of(value.cls), name, node)
    of, order = f"{value.cls.__name__!r} object", bases or order_of(value.cls)
    found = found or attributes_outside.value_in(run, of, order, name, node)
    if found is not None:
        return found
    if not has_entry(order, name):
        if lacks(value.cls, name) and VALUE in value.fields:  # a method of what it holds
            return _of_held(run, value, name, node)
        found = None if bases else fallbacks.asked(run, value, value.cls, name, node)
        return found or refuse_missing(run, value, name, node)
    base, entry = class_entry(order, name)
    return run.from_python(entry, (("class", base if bases else value.cls), ("attr", name)), node)


def _of_held(run: Run, value: RecordV, name: str, node: ast.AST) -> Value:
    """Return a method or an attribute of the number, text or tuple that an object holds."""
    held = value.fields[VALUE]
    if has_method(held, name):
        return references.made(run, name, None, (held,), node)
    return attribute(run, held, name, node)


def _maybe_there(run: Run, obj: RecordV, held: MaybeV, name: str, node: ast.AST) -> Value:
    """An attribute that only some paths have given to the object."""
    if fallbacks.asks(obj.cls, name) or has_entry(order_of(obj.cls), name):
        less = replace(obj, fields={n: v for n, v in obj.fields.items() if n != name})
        return run.branch(
            held.bound, lambda: held.value, lambda: _of_record(run, less, name, node), node
        )
    message = f"{obj.cls.__name__!r} object has no attribute {name!r}"
    run.require(held.bound, "AttributeError", message, node)
    return held.value


def refuse_missing(run: Run, value: RecordV, name: str, node: ast.AST) -> NoReturn:
    cls, where = value.cls, ""
    why = left_out.get((cls, name))
    if why is not None:
        run.refuse(
            node, f"the attribute {name!r} of a {cls.__name__} cannot be an argument: {why.reason}",
            why.rewrite, error=UnknownAttributeError,
        )  # fmt: skip
    library = next((c for c, text in WRITTEN_CLASSES.items() if text is cls), None)
    library = cls if lacks(cls, name) else library
    if library is not None and hasattr(library, name):
        refuse_library(run, getattr(library, name), node)
    if object_classes.is_object_class(cls):
        hook = object_classes.hook_of(cls)
        where = f" here (its {hook} is not asked)" if hook == "__getattribute__" else " here"
    reason = f"{cls.__name__} has no field or method {name!r}{where}"
    told = value.outside is not None or object_classes.is_object_class(cls)
    if told and fallbacks.says_missing(cls, name):
        text = Constant(f"{cls.__name__!r} object has no attribute {name!r}")
        run.never("AttributeError", Message((text,), 0, reason), node, UnknownAttributeError)
    run.refuse(node, reason, error=UnknownAttributeError)


def method_of(
    run: Run, value: Value, cls: type, bases: tuple[type, ...], name: str, node: ast.AST
) -> Value | None:
    """Return the method or property of this name in the first of ``bases`` (of ``cls`` or from
    ``super()``) that has it, if it is written in Python."""
    base, found = class_entry(bases, name)
    owner = cls if bases == order_of(cls) and base in cls.__mro__ else base
    computed = partial(fallbacks.computed, run, value, cls, bases, name, node)
    match found:
        case property(fget=types.FunctionType() as getter):
            return computed(own_function(run, value, owner, getter, name, node))
        case types.FunctionType():
            return _bound(own_function(run, value, owner, found, name, node), value)
        case staticmethod(__func__=types.FunctionType() as inner):
            return own_function(run, value, owner, inner, name, node)
        case classmethod(__func__=types.FunctionType() as inner):
            return _bound(own_function(run, value, owner, inner, name, node), Static(cls))
        case functools.cached_property(func=types.FunctionType() as make):
            if not keeps(cls):
                run.refuse(
                    node, f"the property {name!r} keeps its result in the object, which is a value",
                    "use @property where it is cheap, or a local variable: width = box.width",
                )
            f = own_function(run, value, owner, make, name, node, "func")
            return computed(function_of(kept_properties.kept), f, Static(name))
        case functools._lru_cache_wrapper():
            return cached_method(run, value, cls, base, name, node)
        case functools.partialmethod(func=types.FunctionType()):
            made = run.partial(found, (("class", base), ("own", name)), node)
            assert isinstance(made.function, FunctionV)
            return replace(made, function=_bound(made.function, value))
        case functools.singledispatchmethod(dispatcher=generic):
            path = ("class", base), ("own", name), ("attr", "dispatcher")
            f = run.generic(generic, path, node, dispatching.dispatched_method)
            return replace(f, bound=(*f.bound, value))
        case _ if is_descriptor(found, "__get__"):
            getter_of = run.attribute(descriptor(run, base, name, node), "__get__", node)
            return computed(getter_of, Static(cls))
        case _:
            return None


def _bound(f: FunctionV, receiver: Value) -> FunctionV:
    return FunctionV(f.definition, f.scope, f.defaults, f.kw_defaults, (receiver,))


def _of_class_behind(
    run: Run, cls: type, bases: tuple[type, ...], name: str, node: ast.AST
) -> Value:
    """Return what ``super().name`` is in a method of a class, or in its ``__new__``."""
    base, found = class_entry(bases, name)
    if isinstance(found, staticmethod) and isinstance(found.__func__, types.FunctionType):
        return function_in(run, base, found.__func__, name, node)
    if isinstance(found, classmethod) and isinstance(found.__func__, types.FunctionType):
        return _bound(function_in(run, base, found.__func__, name, node), Static(cls))
    return _of_class(run, base, name, node)


def _of_class(run: Run, cls: type, name: str, node: ast.AST) -> Value:
    _, found = class_entry(order_of(cls), name)
    if isinstance(found, (staticmethod, classmethod)) and (
        isinstance(found.__func__, functools._lru_cache_wrapper)
    ):
        return Static(found.__func__)  # what calls it knows it, or refuses it
    if isinstance(found, staticmethod):
        inner = found.__func__
        assert isinstance(inner, types.FunctionType)
        return function_in(run, cls, inner, name, node)
    if isinstance(found, classmethod) and isinstance(found.__func__, types.FunctionType):
        if name == "_make" and records.is_record_class(cls):
            return FunctionV(function_of(named_tuples.make).definition, None, bound=(Static(cls),))
        if is_closed(found.__func__):
            return Static(getattr(cls, name))
        return _bound(function_in(run, cls, found.__func__, name, node), Static(cls))
    if isinstance(found, types.FunctionType):
        return function_in(run, cls, found, name, node)
    of = f"type object {cls.__name__!r}"
    if is_descriptor(found, "__get__"):
        getter = run.attribute(descriptor(run, cls, name, node), "__get__", node)
        return run.call(getter, (Static(None), Static(cls)), node)
    assigned = attributes_outside.value_in(run, of, order_of(cls), name, node)
    if assigned is not None:
        return assigned
    if found is None and not hasattr(cls, name):
        run.refuse(
            node, f"{cls.__name__} has no attribute {name!r}", error=UnknownAttributeError
        )
    if issubclass(cls, type) or not hasattr(found, "__get__"):
        return run.from_python(getattr(cls, name), (("class", cls), ("attr", name)), node)
    return Static(getattr(cls, name))


def _of_union(run: Run, value: UnionV, name: str, node: ast.AST) -> Value:
    """Return a field or method of a node. Classes that do not have it raise AttributeError at run
    time, as Python does; if none has it, it is refused."""
    having = [c for c in value.possible if _has(c, name)]
    if not having:
        run.refuse(
            node,
            f"{run.describe(value)} has no field {name!r}",
            error=UnknownAttributeError,
        )
    def arm(part: Value) -> Value:
        cls = class_of(part)
        if cls not in having:
            shown = "NoneType" if cls is None else cls.__name__
            message = f"{shown!r} object has no attribute {name!r}"
            run.require(run.bool_atom(False), "AttributeError", message, node)
            raise Unreachable
        return attribute(run, part, name, node)

    return run.case_value(value, arm, node)


def _has(cls: type, name: str) -> bool:
    if cls is types.NoneType:
        return False
    found = name in records.field_names(cls) or class_entry(order_of(cls), name)[1] is not None
    return found or fallbacks.asks(cls, name)


__all__ = [
    "UnionK", "attribute", "comes_first", "entry_of", "has_method", "is_computed", "is_descriptor",
    "receiver_name", "written",
]  # fmt: skip
