"""Whether two values are one object: ``is``, of None, constants, classes and shared objects."""

from __future__ import annotations

import ast
import enum
import operator
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.types import BOOL
from pullback.errors import ArgumentTypeError, IdentityError
from pullback.frontend.functions import choices
from pullback.frontend.functions.capturing_classes import class_of
from pullback.frontend.interpret import made_texts, symbol_values
from pullback.frontend.interpret.attributes import written
from pullback.frontend.interpret.function_identity import are_one, is_function
from pullback.frontend.kinds import optionals, placeholders
from pullback.frontend.kinds.bare_marks import as_mark
from pullback.frontend.kinds.kinds import static_scalar
from pullback.frontend.kinds.values import (
    ArrayV,
    CaughtV,
    HashV,
    ListV,
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
from pullback.frontend.library.text.object_numbers import ObjectNumber
from pullback.frontend.python.bare_objects import is_placeholder
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.store.shared_memory import closed

if TYPE_CHECKING:
    from pullback.frontend.run import Run

def identical(run: Run, a: Value, b: Value, positive: bool, node: ast.AST) -> Value:
    """Compile ``is``, which is meant for None, and for the identity of classes and constants."""
    a, b = as_mark(run, class_of(a)), as_mark(run, class_of(b))

    for value, other in ((a, b), (b, a)):
        if choices.is_choice(value):
            of_one = partial(identical, run, b=other, positive=positive, node=node)
            return choices.call(run, value, of_one, node)
        if isinstance(value, CaughtV) and not isinstance(other, OptionalV):
            if isinstance(other, Static) and other.value is None and value.is_there:
                return Static(not positive)
            asked = operator.is_ if positive else operator.is_not
            return made_texts.of_python(run, asked, (value, other), node, bool)
        if isinstance(value, OptionalV) and optionals.stands_apart(value, other):
            return _of_alternatives(run, value, other, positive, node)
        if isinstance(other, Static) and other.value is None and isinstance(value, UnionV):
            found = run.is_instance(value, (type(None),), node)
            return found if positive else run.unary("not", found, node)
        if optionals.is_nothing(other):
            assert isinstance(other, Static)
            if isinstance(value, (RecordV, RefV)) and value.cls is type(other.value):
                run.refuse(node, f"'is' of {run.describe(value)} that is an argument or made here")
            given = isinstance(value, Static) and value.value is other.value
            return Static(given is positive)
    if symbol_values.is_member(a) and symbol_values.is_member(b):
        return run.compare("==" if positive else "!=", a, b, node)
    a, b = closed(run, a, node), closed(run, b, node)
    if all(isinstance(v, Static) and is_placeholder(v.value) for v in (a, b)):
        placeholders.refuse(run, "'is' of", node)
    if _may_be_reference(a) or _may_be_reference(b):
        found = same_row(run, a, b, node)
        return found if positive else run.unary("not", found, node)
    if is_function(a) or is_function(b):
        found = are_one(run, a, b, False, node)
        return found if positive else run.unary("not", found, node)
    same = same_object(a, b)
    if same is not None:
        return Static(same is positive)
    if isinstance(a, Static) and isinstance(b, Static):
        numbers = static_scalar(a.value) is not None and not isinstance(a.value, bool)
        if not numbers and not _may_be_one(a.value, b.value):
            return Static((a.value is b.value) is positive)
    for value, other in ((a, b), (b, a)):
        alone = _is_the_one(run, value, other.value) if isinstance(other, Static) else None
        if alone is not None:
            return alone if positive else run.unary("not", alone, node)
    run.refuse(
        node,
        "'is' compares the identity of objects, which compiled code does not have",
        "use == (or 'is None')",
        error=IdentityError,
    )


def _may_be_one(a: object, b: object) -> bool:
    """Whether Python chooses if two equal values are one object."""
    chosen = type(a) in (str, bytes, tuple, frozenset) and type(a) is type(b)
    return chosen and a is not b and a == b


def _of_alternatives(
    run: Run, value: OptionalV, other: Value, positive: bool, node: ast.AST
) -> Value:
    """Compile ``is`` for each alternative of a value."""
    found = [identical(run, v, other, positive, node) for v in (value.value, value.other)]
    match found:
        case Static(bool(yes)), Static(bool(no)):
            if yes is no:
                return Static(yes)
            return Scalar(value.there if yes else run.b.prim("not", value.there), True, 1)
        case _:
            return run.case_value(
                value, lambda part: identical(run, part, other, positive, node), node
            )


def _is_the_one(run: Run, value: Value, one: object) -> Value | None:
    """Whether a value is an object of which there is no second one: True, False, a member of an
    enumeration."""
    if not isinstance(value, (Scalar, ArrayV, ListV, TupleV, HashV, SymbolV)):
        return None
    if isinstance(one, bool) and isinstance(value, Scalar) and value.py:
        if value.type != BOOL:  # perhaps a bool on one of the paths to here
            return None
        return Scalar(value.atom if one else run.b.prim("not", value.atom), True, 1)
    plain = isinstance(one, enum.Enum) and not isinstance(one, (int, float, str))
    return Static(False) if isinstance(one, bool) or plain else None


def _may_be_reference(value: Value) -> bool:
    while isinstance(value, OptionalV):
        value = value.value
    return isinstance(value, RefV)


def same_row(run: Run, a: Value, b: Value, node: ast.AST) -> Value:
    """Whether two references, or None, lead to one object."""
    if isinstance(a, OptionalV) or isinstance(b, OptionalV):
        return optionals.compared(run, "==", a, b, node, lambda x, y: same_row(run, x, y, node))
    a, b = closed(run, a, node), closed(run, b, node)
    if not isinstance(a, RefV) or not isinstance(b, RefV) or a.cls is not b.cls:
        return Static(False)
    return Scalar(run.b.prim("eq", a.atom, b.atom), True, 1)


@register(id)
def _id(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return ``id(x)`` of an object to which references lead, or of None."""
    if len(args) != 1 or kwargs:
        sp.refuse(node, "id() takes exactly one argument", error=ArgumentTypeError)
    (value,) = args
    inner = value
    while isinstance(inner, OptionalV) and optionals.is_none(inner.other):
        inner = inner.value
    if isinstance(inner, (RecordV, RefV)) and is_object_class(inner.cls):
        if written(inner.cls, "__eq__") is not None:
            sp.refuse(
                node, f"id of an object whose class {inner.cls.__name__} has a method __eq__",
                "count the objects, and keep the number: self.number = next(count)",
            )  # fmt: skip
        if isinstance(inner, RefV):
            return RecordV(ObjectNumber, {"of": value})
    sp.refuse(
        node, f"id of {sp.describe(value)}",
        "compare with 'is', or use the object itself as a key", error=IdentityError,
    )  # fmt: skip


def same_object(a: Value, b: Value) -> bool | None:
    """Whether two objects that can be updated are one, where that is known."""
    if isinstance(a, RecordV) and isinstance(b, RecordV) and is_object_class(a.cls):
        if a is b:
            return True
        if a.cls is not b.cls or (a.fresh and b.fresh and not a.owners & b.owners):
            return False
    return None


__all__ = ["identical", "same_object", "same_row"]
