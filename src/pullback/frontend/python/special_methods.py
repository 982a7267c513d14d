"""Call the special methods that users wrote for their records: ``abs``, ``len``, truth, ``in``,
subscripts, and ``hasattr``. They take precedence over the behaviour of a ``NamedTuple`` as a
tuple."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from pullback.core.build import i64
from pullback.core.terms import Atom, Lit
from pullback.core.types import BOOL, I64, Int
from pullback.errors import ArgumentTypeError
from pullback.frontend.functions.capturing_classes import captures, class_of_object
from pullback.frontend.interpret import complex_values, own_attributes
from pullback.frontend.interpret.attributes import (
    comes_first,
    entry_of,
    is_computed,
    written,
)
from pullback.frontend.interpret.class_functions import has_entry
from pullback.frontend.interpret.classes_apart import differ, has_special
from pullback.frontend.interpret.complex_values import class_of_pair
from pullback.frontend.interpret.fallbacks import asks, told_absent
from pullback.frontend.interpret.shared_objects import class_of_reference, from_class, has_attribute
from pullback.frontend.kinds.complex_pairs import is_complex
from pullback.frontend.kinds.dtypes import DTYPES
from pullback.frontend.kinds.kinds import TYPE, PerhapsUnread
from pullback.frontend.kinds.values import (
    WRITTEN_CLASSES,
    ArrayV,
    CaughtV,
    FunctionV,
    HashV,
    ListV,
    MaybeV,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    Specialiser,
    Static,
    SymbolV,
    TupleV,
    UnionV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import iterators, missing_attributes
from pullback.frontend.memory import attributes_outside, loose_dicts, references
from pullback.frontend.memory.item_attributes import has_item
from pullback.frontend.memory.long_tuples import told_apart
from pullback.frontend.memory.object_dicts import has_dict
from pullback.frontend.python.container_bases import lacks, order_of
from pullback.frontend.python.object_classes import LooseDict, are_dicts, attributes_of
from pullback.frontend.python.source import definition_of
from pullback.frontend.run import Run

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def special(
    run: Specialiser, value: Value, name: str, args: Args, node: ast.AST,
    again: Callable[[Value], Value] | None = None,
) -> Value | None:  # fmt: skip
    """Return the call of a special method; None if its user did not write it. ``again``: what asks
    for it, to be compiled for each class of an object where only some have it."""
    if again is not None and isinstance(run, Run) and differ(value, run, name):
        return run.case_value(value, again, node)
    if isinstance(value, (RecordV, RefV)) and has_special(value, name):
        return run.call(run.attribute(value, name, node), args, node)
    if isinstance(value, UnionV) and all(written(c, name) is not None for c in value.possible):
        return run.call(run.attribute(value, name, node), args, node)
    return None


def length(run: Specialiser, value: Value, node: ast.AST) -> Value | None:
    """Return the value of ``value.__len__()``, which must be an int and not negative."""
    if loose_dicts.is_loose(value):
        return loose_dicts.length(run, value)
    found = special(run, value, "__len__", (), node, lambda v: run.call(Static(len), (v,), node))
    return None if found is None else _length_of(run, found, node)


def _length_of(run: Specialiser, found: Value, node: ast.AST) -> Value:
    if isinstance(found, Static) and type(found.value) is int and found.value >= 0:
        return found
    number = run.scalar(found, node)
    if not isinstance(number.type, Int):
        run.refuse(node, "__len__() should return an int", error=ArgumentTypeError)
    atom = run.convert(number, I64, node)
    fine = run.b.prim("ge", atom, i64(0))
    run.require(fine, "ValueError", "__len__() should return >= 0", node)
    return Scalar(atom, True, number.bits)


def iterator(run: Run, value: RecordV | RefV | UnionV, node: ast.AST) -> Value:
    """Return ``value.__iter__()``."""
    if isinstance(value, UnionV):
        return run.case_value(value, lambda v: iterated(run, v, node), node)
    if differ(value, run, "__iter__"):
        return run.case_value(value, lambda v: iterated(run, v, node), node)
    made = run.call(run.attribute(value, "__iter__", node), (), node)
    if has_next(made):
        made = run.call(_text(iterators.by_next), (next_of(run, made, node),), node)
    return run.generators.born(made, node)


def has_next(value: Value) -> TypeGuard[RecordV | RefV]:
    """Whether a value is an object that is an iterator by a ``__next__`` of its class."""
    return isinstance(value, (RecordV, RefV)) and has_special(value, "__next__")


def next_of(run: Run, value: Value, node: ast.AST) -> Value:
    """Return ``value.__next__``, which updates the object."""
    function = run.attribute(value, "__next__", node)
    match value, function:
        case RecordV(), FunctionV(bound=(_,)) if references.place_of(run, value) is None:
            return run.call(_text(iterators.next_of), (value,), node)
        case RecordV(), FunctionV(bound=(_,)):
            return references.made(run, "", replace(function, bound=()), (value,), node)
        case _:
            return function


def next_or(run: Run, value: RecordV | RefV, default: Value, node: ast.AST) -> Value:
    """Return ``next(value, default)``."""
    return run.call(_text(iterators.next_or), (next_of(run, value, node), default), node)


def _text(function: Callable[..., object]) -> FunctionV:
    assert isinstance(function, FunctionType)
    return FunctionV(definition_of(function), None)


def is_iterable(value: Value) -> TypeGuard[RecordV | RefV | UnionV]:
    """Whether a value is an object of a class with an ``__iter__`` of its own."""
    if isinstance(value, UnionV):
        return all(written(c, "__iter__") is not None for c in value.possible)
    return isinstance(value, (RecordV, RefV)) and has_special(value, "__iter__")


def iterated(run: Run, value: Value, node: ast.AST) -> Value:
    """Return ``iter(value)`` of an object whose class has an ``__iter__``, and other values as they
    are."""
    return iterator(run, value, node) if is_iterable(value) else value


def gone_through(
    run: Run, function: Hashable, args: Sequence[Value], node: ast.AST
) -> list[Value]:
    """Return the arguments of a function that goes through them, objects as their iterators: all
    but one that it calls, or gives as it is."""
    kept = _NOT_GONE_THROUGH.get(function)
    return [v if k == kept else iterated(run, v, node) for k, v in enumerate(args)]


_NOT_GONE_THROUGH: dict[Hashable, int] = {
    map: 0, filter: 0, itertools.filterfalse: 0, itertools.takewhile: 0, itertools.dropwhile: 0,
    itertools.starmap: 0, itertools.accumulate: 1, itertools.repeat: 0,
}  # fmt: skip
"""Functions of iterables, each with the place of an argument of another kind."""


def truth(run: Run, value: Value, node: ast.AST) -> bool | Atom | None:
    """Return the truth of a value by ``__bool__``, or else by ``__len__``; None if there is
    neither."""
    if is_complex(value):
        return run.truth(complex_values.truth(run, value, node), node)
    if loose_dicts.is_loose(value):
        return loose_dicts.truth(run, value)
    found = special(run, value, "__bool__", (), node)
    if found is None:
        size = length(run, value, node)
        return None if size is None else run.truth(size, node)
    return _truth_of(run, found, node)


def truth_of_union(run: Run, value: UnionV, node: ast.AST) -> bool | Atom:
    """Return the same of an object of one of several classes, or None."""
    if any(written(c, n) is not None for c in value.possible for n in ("__bool__", "__len__")):
        return run.truth(
            run.case_value(value, lambda v: _bool(run.truth(v, node)), node), node
        )
    if type(None) not in value.possible:
        return True
    none = run.truth(run.is_instance(value, (type(None),), node), node)
    return (not none) if isinstance(none, bool) else run.b.prim("not", none)


def truth_of_reference(run: Run, ref: RefV, node: ast.AST) -> bool | Atom:
    """Return the same of a shared object, which is true if its class has neither."""
    classes = run.rows.classes(ref)
    names = [next((n for n in ("__bool__", "__len__") if written(c, n)), "") for c in classes]

    def by_class(k: int) -> bool | Atom:
        if not names[k]:
            return True
        method = from_class(run, ref, names[k], node, classes[k], order_of(classes[k]))
        found = run.call(method, (), node)
        if names[k] == "__bool__":
            return _truth_of(run, found, node)
        return run.truth(_length_of(run, found, node), node)

    def at(k: int) -> Value:
        if not any(names[k:]):
            return Static(True)
        if k + 1 == len(classes):
            return _bool(by_class(k))
        number = i64(run.rows.group(ref).classes.index(classes[k]))
        here = run.b.prim("eq", run.rows.tag(ref, node).atom, number)
        return run.branch(here, lambda: _bool(by_class(k)), lambda: at(k + 1), node)

    return run.truth(at(0), node)


def _bool(known: bool | Atom) -> Value:
    return Static(known) if isinstance(known, bool) else Scalar(known, True, 1)


def _truth_of(run: Run, found: Value, node: ast.AST) -> bool | Atom:
    match found:
        case Static(bool(known)):
            return known
        case Scalar(atom, True) if atom.type == BOOL:
            return bool(atom.value) if isinstance(atom, Lit) else atom
        case _:
            run.refuse(
                node,
                f"__bool__ should return bool, not {run.describe(found)}",
                "return bool(...)",
                error=ArgumentTypeError,
            )


def contains(run: Run, item: Value, value: Value, node: ast.AST) -> Value | None:
    """Return ``bool(value.__contains__(item))``."""
    again = partial(run.compare, "in", item, node=node)
    found = special(run, value, "__contains__", (item,), node, again)
    if found is None:
        return None
    known = run.truth(found, node)
    return Static(known) if isinstance(known, bool) else Scalar(known, True, 1)


@register(type)
def type_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return type(x) of a record, a member of an enumeration or a number of Python."""
    if len(args) != 1 or kwargs:
        sp.refuse(node, "type takes one argument", error=ArgumentTypeError)
    return _class(sp, args[0], node)


def _class(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    match value:
        case RefV() if isinstance(sp, Run):
            return class_of_reference(sp, value, node)
        case RecordV(cls) if captures(cls) and isinstance(sp, Run):
            return class_of_object(sp, value, cls, node)
        case RecordV(cls) if cls is LooseDict:
            return Static(dict)
        case RecordV(cls) | SymbolV(_, cls) | HashV(cls):
            return Static(class_of_pair(value) or cls)
        case Static(known):
            return Static(type(known))
        case Scalar(py=True):
            told_apart(sp, value, (float,), node)
            return Static({BOOL: bool, I64: int}.get(value.type, float))
        case CaughtV(atom, steps):
            return CaughtV(atom, (*steps, TYPE))
        case OptionalV() if isinstance(sp, Run):
            return sp.case_value(value, lambda part: _class(sp, part, node), node)
        case ArrayV():
            return Static(np.ndarray)
        case TupleV() | ListV():
            told_apart(sp, value, (list,), node)
            return Static(value.cls)
        case _:
            sp.refuse(node, f"type of {sp.describe(value)}", "use isinstance(x, Class)")


@register(getattr)
def getattr_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return getattr(x, "name"), or the default where ``hasattr`` is known to be false."""
    if len(args) not in (2, 3) or kwargs:
        sp.refuse(node, "getattr takes two or three arguments", error=ArgumentTypeError)
    name = sp.static(args[1], node, "the name of an attribute")
    if not isinstance(name, str):
        sp.refuse(node, "attribute name must be string", error=ArgumentTypeError)
    if len(args) < 3:
        return sp.attribute(args[0], name, node)
    there = known(sp, args[0], name, node)
    match there:
        case None:
            given = args[0], Static(name), args[2]
            return run_program(sp, missing_attributes.or_default, given, node)
        case Static(held):
            return sp.attribute(args[0], name, node) if held else args[2]
        case Scalar(atom):
            found = (lambda: sp.attribute(args[0], name, node)), (lambda: args[2])
            return sp.branch(atom, *found, node)
        case _:
            sp.refuse(node, f"getattr of {sp.describe(args[0])} with a default")


@register(hasattr)
def hasattr_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return hasattr(record, "name"), which is known for each class."""
    if len(args) != 2 or kwargs:
        sp.refuse(node, "hasattr takes two arguments", error=ArgumentTypeError)
    value, name = args[0], sp.static(args[1], node, "the name of an attribute")
    if not isinstance(name, str):
        sp.refuse(node, "hasattr(): attribute name must be string", error=ArgumentTypeError)
    match value:
        case UnionV() | OptionalV():
            assert isinstance(sp, Run)
            return sp.case_value(value, lambda part: hasattr_(sp, (part, args[1]), {}, node), node)
    there = known(sp, value, name, node)
    if there is None:
        return run_program(sp, missing_attributes.has, (value, Static(name)), node)
    return there


@register(vars)
def vars_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return vars(x) of an object."""
    if len(args) != 1 or kwargs or not has_dict(args[0]):
        sp.refuse(node, "vars is supported of objects only", "use a dict")
    if isinstance(args[0], RecordV) and not args[0].cls.__dictoffset__:
        message = "vars() argument must have __dict__ attribute"
        assert isinstance(sp, Run)
        sp.never("TypeError", message, node, ArgumentTypeError)
    return sp.attribute(args[0], "__dict__", node)


def known(sp: Specialiser, value: Value, name: str, node: ast.AST) -> Value | None:
    """Whether an object has an attribute; None if it must be asked for to know that, since a
    function of the object may raise an AttributeError."""
    item = has_item(sp, value, name, node) if isinstance(sp, Run) else False
    if item is not False:
        return None if item is None else Static(True)
    told = {hasattr(cls, name) for cls in _built_in_classes(value)}
    if len(told) == 1:
        return Static(told.pop())
    match value:
        case RecordV(cls) | RefV(cls=cls) if isinstance(sp, Run) and sp.taken is not None:
            classes = sp.rows.classes(value) if isinstance(value, RefV) else [cls]
            given = attributes_outside.there(sp, [order_of(c) for c in classes], name, node)
            if given is True:
                return Static(True)
            if given is not False:
                if _known(sp, value, name, node) is None:
                    return None
                found = (lambda: Static(True)), (lambda: _told(sp, value, name, node))
                return sp.branch(given, *found, node)
    return _known(sp, value, name, node)


_OF_CLASSES = {"__call__", "__enter__", "__exit__", "__iter__", "__next__", "__len__"}
"""Methods that Python looks for in the class of an object."""


def _classes_of(sp: Specialiser, value: FunctionV | RecordV | RefV) -> Sequence[type]:
    """Return the classes of which an object is one."""
    if isinstance(value, FunctionV):
        return (FunctionType,)
    if isinstance(value, RefV) and isinstance(sp, Run):
        return sp.rows.classes(value)
    return (value.cls,)


def _told(sp: Specialiser, value: Value, name: str, node: ast.AST) -> Value:
    there = _known(sp, value, name, node)
    assert there is not None
    return there


def _known(sp: Specialiser, value: Value, name: str, node: ast.AST) -> Value | None:
    """Whether an object has an attribute, which the program gives to no class."""
    match value:
        case UnionV() | OptionalV():
            return None
        case Static(None) if not name.startswith("__"):
            return Static(False)
        case RefV() if isinstance(sp, Run) and not name.startswith("__"):
            return has_attribute(sp, value, name, node)
        case RecordV(cls) if not are_dicts(cls) and not name.startswith("__"):
            outside = {} if value.outside is None else attributes_of(value.outside.value)
            held, computed = value.fields.get(name), is_computed(entry_of(cls, name))
            there = name in value.fields or name in outside
            if has_entry(order_of(cls), name):
                first = not there or comes_first(entry_of(cls, name))
                return None if computed and first else Static(True)
            if isinstance(held, Static) and held.value is PerhapsUnread:
                sp.refuse(node, f"{name!r}, which only some objects of a list have, is no argument")
            if isinstance(held, MaybeV):
                return None if asks(cls, name) else Scalar(held.bound, True, 1)
            if there:
                return Static(True)
            if lacks(cls, name):
                sp.refuse(node, f"whether a {cls.__name__} has {name!r}")
            if asks(cls, name):
                return None
            assert isinstance(sp, Run)
            told_absent(sp, cls, name)
            if value.outside is not None:
                sp.without_own(value.outside.path, name)
            return Static(False)
        case FunctionV() | RecordV() | RefV() if name in _OF_CLASSES:
            classes = _classes_of(sp, value)
            found = {has_entry(c.__mro__, name) for c in classes}
            asked = False in found and any(has_entry(c.__mro__, "__getattr__") for c in classes)
            if len(found) == 1 and not asked:
                return Static(found.pop())
        case FunctionV() if isinstance(sp, Run):
            own = own_attributes.has(sp, value, name, node)
            if own is not None:
                return own
    sp.refuse(
        node,
        f"hasattr({sp.describe(value)}, {name!r}) is not known when compiling",
        "use isinstance(x, Class), or ask for a field or method of a frozen dataclass",
    )


def _built_in_classes(value: Value) -> set[type]:
    """Return classes of Python's or NumPy's of which one is that of the value: its attributes are
    those of the class. The set is empty for others."""
    pair = class_of_pair(value)
    match value:
        case ArrayV() | Scalar(rank0=True):
            return {np.ndarray}
        case Scalar(is_int=is_int) if is_int is not None:
            return {int, float}
        case Scalar(py=True):
            return {{BOOL: bool, I64: int}.get(value.type, float)}
        case Scalar():
            return {DTYPES[value.type].type}
        case Static(str() | int() | float() | None as known):
            return {type(known)}
        case ListV(cls=cls) | TupleV(cls=cls) | HashV(cls):
            return {list, tuple} if cls is Sequence else {cls}
        case RecordV() if pair is not None:
            return {pair}
        case RecordV(cls) | RefV(cls=cls):
            return {real for real, text in (*WRITTEN_CLASSES.items(), (dict, dict)) if text is cls}
        case _:
            return set()
