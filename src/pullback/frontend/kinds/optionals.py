"""Operations on values that may be None, a mark (``object()``) or a text.

Where Python raises TypeError (or AttributeError) because an operand is None or a mark, compiled
code does so too. What Python can do with a text, too, is compiled for each alternative
(``apart``)."""

from __future__ import annotations

import ast
import enum
import math
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, NoReturn, TypeGuard

import numpy as np

from pullback.core.types import Bool, Int, Real
from pullback.errors import ArgumentTypeError, MutationError, UnknownAttributeError
from pullback.frontend.kinds import several_ranks
from pullback.frontend.kinds.kinds import SharedMemory
from pullback.frontend.kinds.sum_kinds import is_mark
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
    Value,
)
from pullback.frontend.python.object_classes import LooseDict, is_tree_class

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def class_of(value: Value) -> type | None:
    """Return the class of a record or of None."""
    match value:
        case RecordV(cls):
            return cls
        case Static(v):
            return type(v)
        case _:
            return None


def class_name(value: Value) -> str:
    """Return the name of the Python class of a value, for the message of an error."""
    match value:
        case OptionalV(_, _, other):
            return class_name(other)
        case Static(v):
            return type(v).__name__
        case Scalar(_, py):
            match value.type:
                case Real(bits):
                    return "float" if py else f"numpy.float{bits}"
                case Int(bits):
                    return "int" if py else f"numpy.int{bits}"
                case Bool():
                    return "bool" if py else "numpy.bool"
        case ArrayV():
            return "numpy.ndarray"
        case RefV(among=(cls,)):
            return cls.__name__
        case ListV(cls=cls) | TupleV(cls=cls) | RecordV(cls) | HashV(cls) | RefV(cls=cls):
            return cls.__name__
        case SymbolV(_, cls):
            return cls.__name__
        case CaughtV(_, ()):
            return "Exception"
        case _:
            return "object"


Said = str | Callable[[str], str]
"""What an exception says, perhaps of the class of the value."""


def present(
    run: Run,
    value: Value,
    said: Said,
    node: ast.AST,
    exception: str = "TypeError",
    of_numbers: bool = False,
    lacks: Callable[[Value], bool] | None = None,
) -> Value:
    """Return the value of an optional one, after a check at run time that raises if there is none.
    If it is known that there is none, it raises whenever it is reached. ``of_numbers``: Python
    raises for a text as well; ``lacks`` says what else it raises for."""

    def raises(v: Value) -> bool:
        return is_nothing(v) or of_numbers or (lacks is not None and lacks(v))

    while isinstance(value, OptionalV):
        if raises(value.other):
            run.require(value.there, exception, _text(said, value), node)
            value = value.value
            continue
        if not all(map(raises, alternatives(value.value))):
            run.refuse(
                node,
                f"{run.describe(value)}, where only the run knows which of them it is",
                "ask first: if isinstance(v, str): ... else: ...",
                error=ArgumentTypeError,
            )
        is_other, inner = run.b.prim("not", value.there), value.value
        while isinstance(inner, OptionalV):
            is_it = run.b.prim("or", is_other, inner.there)
            run.require(is_it, exception, _text(said, inner), node)
            inner = inner.value
        run.require(is_other, exception, _text(said, inner), node)
        return value.other
    if is_nothing(value):
        run.never(exception, _text(said, value), node, _ERRORS[exception])
    return value


def alternatives(value: Value) -> Iterator[Value]:
    """Go through what a value may be."""
    while isinstance(value, OptionalV):
        yield value.other
        value = value.value
    yield value


def is_number(value: Value) -> bool:
    """Whether a value is a number, which has no items."""
    if isinstance(value, Static):
        return isinstance(value.value, (int, float)) and not isinstance(value.value, enum.Enum)
    return isinstance(value, Scalar) and not value.rank0


def having(run: Run, value: Value, name: str, node: ast.AST) -> Value:
    """Return what has an attribute, after a check that it is no number, text or None without it."""
    said = object_said(f"has no attribute {name!r}")
    if not isinstance(value, OptionalV) and lacks(name)(value):
        run.never("AttributeError", said(class_name(value)), node, UnknownAttributeError)
    return present(run, value, said, node, "AttributeError", lacks=lacks(name))


def lacks(name: str) -> Callable[[Value], bool]:
    """Return what says whether a number or text has no attribute of a name."""

    def is_without(value: Value) -> bool:
        if is_number(value):
            return not any(hasattr(v, name) for v in (0.0, 0, np.float64(0.0), np.int64(0)))
        text = isinstance(value, SymbolV) and value.cls is str
        text = text or (isinstance(value, Static) and type(value.value) is str)
        return text and not hasattr("", name)

    return is_without


def object_said(what: str) -> Callable[[str], str]:
    """Return what says that an object of a class cannot do something."""
    return lambda name: f"{name!r} object {what}"


def _text(said: Said, value: Value) -> str:
    return said if isinstance(said, str) else said(class_name(value))


def apart(run: Run, value: Value, arm: Callable[[Value], Value], node: ast.AST) -> Value | None:
    """Return what an operation gives, compiled for each alternative of the value; None: the value
    is something that the operation takes, or stands for nothing."""
    if not may_be_text(value):
        return None
    of_several = several_ranks.is_of_several_ranks(value) or may_be_tuple(value)
    if of_several or may_be_record(value) or _may_be_object(value):
        return several_ranks.apart(run, value, arm, node)
    return run.case_value(value, arm, node)


def may_be_text(value: Value) -> TypeGuard[OptionalV]:
    """Whether a value may be something else with which there is something to do."""
    while isinstance(value, OptionalV):
        if not is_nothing(value.other):
            return True
        value = value.value
    return False


def is_sequence_beside_number(a: Value, b: Value) -> bool:
    """Whether one of two values is a tuple or list, and the other a number of Python's."""
    return any(
        isinstance(x, (TupleV, ListV)) and (
            (isinstance(y, Scalar) and y.py)
            or (isinstance(y, Static) and type(y.value) in (int, float, bool))
        ) for x, y in ((a, b), (b, a))
    )  # fmt: skip


def is_table(value: Value) -> bool:
    """Whether a value is a dict or set."""
    is_record = isinstance(value, RecordV) and value.cls in (dict, LooseDict)
    return is_record or isinstance(value, HashV)


def innermost(value: Value) -> Value:
    """Return the first of the things that a value may be."""
    while isinstance(value, OptionalV):
        value = value.value
    return value


def is_row(value: Value) -> bool:
    """Whether a value is a reference to a tuple in its region (``store.tuple_rows``)."""
    return isinstance(value, RefV) and issubclass(value.cls, SharedMemory) and value.cls.of is tuple


def may_be_tuple(value: Value) -> bool:
    """Whether a value may be a tuple in the place of something else."""
    *others, _ = alternatives(value)
    return any(isinstance(v, TupleV) or is_row(v) for v in others)


def may_be_record(value: Value) -> bool:
    """Whether a value may be a record of a tree in the place of something else."""
    *others, _ = alternatives(value)
    return any(isinstance(v, RecordV) and is_tree_class(v.cls) for v in others)


def _may_be_object(value: Value) -> bool:
    """Whether a value may be an object, or a list of several owners, in the place of something."""
    *others, _ = alternatives(value)
    return any(isinstance(v, RefV) for v in others)


def require_items(run: Run, value: Value, said: str, node: ast.AST) -> None:
    """Raise what Python says if a value is a number, or a member of an enumeration, which has no
    items. ``said``: it, with ``{}`` for the class."""
    if is_number(value) or (isinstance(value, SymbolV) and value.cls is not str):
        run.never("TypeError", said.format(class_name(value)), node, ArgumentTypeError)


_OF_SCALARS: dict[type, tuple[type, Callable[[int], type]]] = {
    Real: (float, {32: np.float32, 64: np.float64}.__getitem__),
    Int: (int, {32: np.int32, 64: np.int64}.__getitem__),
    Bool: (bool, lambda _: np.bool_),
}
"""By the type of a number: Python's class, and NumPy's for so many bits."""


def plain_class(value: Value) -> type | None:
    """Return the class of a number, text, tuple, list, dict, set or array if it is known and has no
    methods of the user's."""
    match value:
        case Static(v) if type(v) in (bool, int, float, str):
            return type(v)
        case Scalar(_, py, is_int=None, rank0=False):
            own, numpys = _OF_SCALARS[type(value.type)]
            return own if py else numpys(getattr(value.type, "bits", 0))
        case ArrayV():
            return np.ndarray
        case ListV(cls=cls) | TupleV(cls=cls) | HashV(cls) if cls in (list, tuple, dict, set):
            return cls
        case RecordV(cls) if cls is dict:
            return cls
        case SymbolV(_, cls) if cls is str:
            return cls
        case _:
            return None


def require_attribute(
    run: Run, value: Value, name: str, node: ast.AST, rewrite: str = ""
) -> None:
    """Raise Python's AttributeError if it is known that an object of the class has no such one."""
    cls = plain_class(value)
    if cls is not None and not hasattr(cls, name):
        text = object_said(f"has no attribute {name!r}")(class_name(value))
        run.never("AttributeError", text, node, UnknownAttributeError, rewrite=rewrite)


def require_mutable(run: Run, value: Value, said: str, node: ast.AST) -> None:
    """Raise what Python says if a value is a number, text or tuple, whose items stay."""
    cls = plain_class(value)
    if cls is not None and cls not in (list, dict, set, np.ndarray):
        run.never("TypeError", said.format(class_name(value)), node, MutationError)


def raise_of_plain(run: Run, value: Value, said: str, node: ast.AST) -> None:
    """Raise what Python says of a number, text, tuple, list, dict, set or array."""
    if plain_class(value) is not None:
        run.never("TypeError", said.format(class_name(value)), node, ArgumentTypeError)


def require_number(run: Run, value: Value, told: Callable[[str], str], node: ast.AST) -> None:
    """Raise what Python says if a value is a tuple, list, dict or set in the place of a number."""
    if plain_class(value) in (list, tuple, dict, set):
        reason = f"expected a number, not {run.describe(value)}"
        run.never("TypeError", told(class_name(value)), node, ArgumentTypeError, reason=reason)


_ERRORS = {"TypeError": ArgumentTypeError, "AttributeError": UnknownAttributeError}


def is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def stands_apart(value: OptionalV, other: Value) -> bool:
    """Whether it can be said of each alternative whether it is this object."""
    return is_nothing(other) or (isinstance(other, Static) and may_be_text(value))


def is_nothing(value: Value) -> bool:
    """Whether a value is None or a mark, with which there is nothing to do."""
    return isinstance(value, Static) and (value.value is None or is_mark(value.value))


def may_be_nothing(value: Value) -> bool:
    return isinstance(value, OptionalV) or is_nothing(value)


def meet_nothing(left: Value, right: Value) -> bool:
    """Whether one of two operands may be None or a mark; known to be that only beside a number."""
    if isinstance(left, OptionalV) or isinstance(right, OptionalV):
        return True
    other = right if is_nothing(left) else left
    number = isinstance(other, Scalar) or is_nothing(other) or (
        isinstance(other, Static) and isinstance(other.value, (int, float))
    )
    return number and (is_nothing(left) or is_nothing(right))


def operands(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> tuple[Value, Value]:
    """Return the operands of an arithmetic operator, after the checks that they are not None."""
    message = said_of_operands(op, left, right, node)
    return present(run, left, message, node), present(run, right, message, node)


def unlike(
    run: Specialiser, op: str, left: Value, right: Value, node: ast.AST, rewrite: str
) -> NoReturn:
    """Raise what Python raises for operands of classes that have no such operator."""
    message = said_of_operands(op, left, right, node)
    run.never("TypeError", message, node, ArgumentTypeError, rewrite=rewrite)


def said_of_operands(op: str, left: Value, right: Value, node: ast.AST) -> str:
    """Return what Python says of operands of classes that have no such operator."""
    word = "** or pow()" if op == "**" else op
    word = f"{op}=" if isinstance(node, ast.AugAssign) else word
    first, second = class_name(left), class_name(right)
    if (is_table(left) or is_table(right)) and op != "@":  # NumPy gives way to Python's numbers
        first, second = (n.removeprefix("numpy.").rstrip("0123456789") for n in (first, second))
    if op == "+" and first == "str":
        return f'can only concatenate str (not "{second}") to str'
    if op == "+" and first in ("tuple", "list"):
        return f'can only concatenate {first} (not "{second}") to {first}'
    sequence = next((c for c in (first, second) if c in ("str", "tuple", "list")), None)
    if op == "*" and sequence is not None:
        other = second if first == sequence else first
        return f"can't multiply sequence by non-int of type {other!r}"
    names = f"{first!r} and {second!r}"
    return f"unsupported operand type(s) for {word}: {names}"


def compared(
    run: Run,
    op: str,
    left: Value,
    right: Value,
    node: ast.AST,
    compare: Callable[[Value, Value], Value],
) -> Value:
    """Return ``==``, ``<``, ``<=``, ``>`` or ``>=`` of values that may be None; ``compare`` does it
    for values that are not."""
    if op == "==":
        return _same(run, left, right, node, compare)
    for v, with_part in (
        (left, lambda part: compare(part, right)),
        (right, lambda part: compare(left, part)),
    ):
        found = apart(run, v, with_part, node)
        if found is not None:
            return found
    message = unordered(op, left, right)
    return compare(present(run, left, message, node), present(run, right, message, node))


def unordered(op: str, left: Value, right: Value) -> str:
    """Return what Python says of operands that have no order."""
    names = f"{class_name(left)!r} and {class_name(right)!r}"
    return f"{op!r} not supported between instances of {names}"


def _same(
    run: Run, a: Value, b: Value, node: ast.AST, compare: Callable[[Value, Value], Value]
) -> Value:
    """Return whether two values are equal, where None and marks are equal to themselves only."""
    if not isinstance(a, OptionalV):
        a, b = b, a
    assert isinstance(a, OptionalV)
    here, other = a.value, a.other
    if isinstance(b, OptionalV) and is_none(other) and is_none(b.other):
        there = b.value
        both = run.b.prim("and", a.there, b.there)
        alike = Scalar(run.b.prim("eq", a.there, b.there), True, 1)
        return run.branch(both, lambda: compare(here, there), lambda: alike, node)
    if isinstance(b, Static) and isinstance(other, Static) and b.value is other.value:
        return Scalar(run.b.prim("not", a.there), True, 1)
    if may_be_tuple(a):
        return several_ranks.apart(run, a, lambda v: compare(v, b), node)
    return run.branch(a.there, lambda: compare(here, b), lambda: compare(other, b), node)


ITERATES = frozenset(
    {sorted, any, all, sum, list, tuple, set, dict, iter, zip, enumerate, reversed}
)
"""The functions that go through their argument before they do anything else."""

_TOLD = {
    abs: "bad operand type for abs(): '{}'",
    float: "float() argument must be a string or a real number, not '{}'",
    int: "int() argument must be a string, a bytes-like object or a real number, not '{}'",
    len: "object of type '{}' has no len()",
    round: "type {} doesn't define __round__ method",
    **dict.fromkeys((*ITERATES, math.fsum, math.prod), "'{}' object is not iterable"),
}


_OF_ITEMS = frozenset({math.fsum, math.prod, math.dist})


def takes_numbers_only(obj: Hashable) -> bool:
    """Whether Python says of a text given to a function what it says of None."""
    of_math = getattr(obj, "__module__", "") == "math" and obj not in _OF_ITEMS
    return of_math or obj in (abs, round)


def told_of_nothing(obj: Hashable) -> Callable[[str], str] | None:
    """Return what Python says where None or a mark, of the class with this name, is given to a
    function that takes no such thing first."""
    if obj in _TOLD:
        return _TOLD[obj].format
    if isinstance(obj, np.ufunc) and obj.nin == 1:
        return ("loop of ufunc does not support argument 0 of type {} which has no callable "
                f"{obj.__name__} method").format  # fmt: skip
    if getattr(obj, "__module__", "") == "math":
        return "must be real number, not {}".format
    return None


__all__ = [
    "alternatives", "apart", "class_name", "class_of", "compared", "having", "innermost",
    "is_nothing", "is_number", "is_row", "is_sequence_beside_number", "is_table", "lacks",
    "may_be_nothing", "may_be_record", "may_be_text", "may_be_tuple", "meet_nothing",
    "object_said", "operands",
    "plain_class", "present", "raise_of_plain", "require_attribute", "require_items",
    "require_mutable", "require_number", "said_of_operands", "stands_apart", "takes_numbers_only",
    "told_of_nothing", "unlike", "unordered",
]  # fmt: skip
