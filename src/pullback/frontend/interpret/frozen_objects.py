"""The fields that ``__post_init__`` gives to an object of a frozen class.

The object is a value: a field that is given to it makes a new one (``functions/constructors.py``).
That is what Python does as long as nobody else knows the object, so until its last field is given
only its attributes may be read.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from pullback.errors import MutationError, UnknownAttributeError
from pullback.frontend.functions.constructors import frozen_form, initialised, with_field
from pullback.frontend.functions.handed_objects import handed_on
from pullback.frontend.interpret import attributes
from pullback.frontend.kinds.values import (
    FunctionV,
    RecordV,
    Specialiser,
    Static,
    SuperV,
    Value,
    register,
)
from pullback.frontend.python import records
from pullback.frontend.python.source import Definition
from pullback.frontend.run import Run


def is_setter(function: Value) -> bool:
    """Whether a function assigns an attribute: ``setattr``, ``object.__setattr__``."""
    return isinstance(function, Static) and (
        function.value is setattr or function.value is object.__setattr__
    )


def complete(
    run: Run, record: RecordV, late: Sequence[Value], node: ast.AST
) -> RecordV:
    """The new object after its ``__post_init__``, which gets ``late``, if its class has one."""
    cls, made = record.cls, record
    if hasattr(cls, "__post_init__"):
        f = run.attribute(record, "__post_init__", node)
        form = _form_of(run, f, node) if isinstance(f, FunctionV) else None
        result = run.call(f if form is None else form, late, node)
        if form is not None:
            assert isinstance(result, RecordV) and result.cls is cls
            made = result
    missing = [n for n in records.field_names(cls) if n not in made.fields]
    if missing:
        run.refuse(
            node, f"{cls.__name__} is made without a value for its field {missing[0]!r}",
            "give the field a default, or a value in __post_init__", error=UnknownAttributeError,
        )  # fmt: skip
    return made


def _form_of(run: Run, f: FunctionV, node: ast.AST) -> FunctionV | None:
    """A ``__post_init__`` that gives fields, as a function that returns the object; None if it only
    looks at the object."""
    form = frozen_form(f.definition)
    if form is None:
        run.refuse(
            node,
            f"{f.definition.qualname} returns something, or assigns to its first parameter",
            "let it assign the fields only",
        )
    return None if form is f.definition else replace(f, definition=form)


@register(with_field)
def _with_field(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    assert isinstance(sp, Run)
    how, obj, field, value = args
    name = sp.static(field, node, "the name of an attribute")
    if not isinstance(obj, RecordV) or not isinstance(name, str):
        sp.refuse(node, f"a field of {sp.describe(obj)} cannot be assigned", error=MutationError)
    if isinstance(how, SuperV):
        _check_base(sp, how, name, node)
    elif not is_setter(how):
        sp.refuse(node, f"{sp.describe(how)} cannot assign a field", error=MutationError)
    names = records.field_names(obj.cls)
    if name not in names or attributes.comes_first(attributes.entry_of(obj.cls, name)):
        sp.refuse(
            node,
            f"{obj.cls.__name__} has no field {name!r} that can be assigned",
            "declare it in the class, as a field with init=False",
            error=MutationError,
        )
    _check_unknown(sp, obj.cls, sp.frame.definition, node, at_the_end=True)
    given = {**obj.fields, name: value}
    hidden = {n: v for n, v in given.items() if n.startswith(".")}
    fields = {n: given[n] for n in names if n in given}
    return replace(obj, fields=hidden | fields, node=None)


def _check_base(sp: Specialiser, given: SuperV, name: str, node: ast.AST) -> None:
    """Refuse ``super().__setattr__`` where that of a base class refuses, or is the user's."""
    order = given.record.cls.__mro__ if isinstance(given.record, RecordV) else ()
    after = order[order.index(given.after) + 1 :] if given.after in order else ()
    for base in after:
        own = vars(base).get("__setattr__")
        made = getattr(getattr(own, "__code__", None), "co_filename", "<").startswith("<")
        fields = vars(base).get("__dataclass_fields__", {})
        if base is not object and own is not None and (not made or name in fields):
            sp.refuse(
                node, f"{base.__name__}.__setattr__ does not assign the field {name!r}",
                "call that of object", error=MutationError,
            )  # fmt: skip


@register(initialised)
def _initialised(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """A ``__post_init__`` of a base class, in that of a class."""
    f, *given = args
    assert isinstance(sp, Run) and not kwargs
    obj = f.bound[0] if isinstance(f, FunctionV) and f.bound else (given or [f])[0]
    if not isinstance(f, FunctionV) or not isinstance(obj, RecordV):
        sp.refuse(node, f"{sp.describe(f)} is no __post_init__ of a base class")
    form = _form_of(sp, f, node)
    _check_unknown(sp, obj.cls, sp.frame.definition, node, at_the_end=True)
    _check_unknown(sp, obj.cls, (form or f).definition, node, at_the_end=False)
    made = sp.call(form or f, given, node)
    return obj if form is None else made


def _check_unknown(
    run: Run, cls: type, form: Definition | None, node: ast.AST, at_the_end: bool
) -> None:
    """Refuse a function that gives fields to an object that somebody else may know."""
    place = None if form is None else handed_on(cls, form, at_the_end)
    if place is not None:
        run.refuse(
            place.node if at_the_end and place.node else node,
            f"{place.function} hands on an object of {cls.__name__}, a frozen class, before "
            "__post_init__ has given it all its fields",
            "pass the fields that are needed, or hand the object on behind the last assignment",
            error=MutationError,
        )


__all__ = ["complete", "is_setter"]
