"""Operators and comparisons by the methods that users wrote, in Python's order: of the left
operand, then of the right one, until one gives something else than ``NotImplemented``. A right
operand of a subclass comes first: with an operator if it has a method of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import NoneType
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import numpy as np

from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret import classes_apart
from pullback.frontend.interpret.attributes import written
from pullback.frontend.interpret.class_functions import class_entry
from pullback.frontend.interpret.classes_apart import differ, has_special
from pullback.frontend.interpret.symbol_values import METHODS as COMPARISONS
from pullback.frontend.interpret.symbol_values import MIRRORED
from pullback.frontend.kinds.optionals import (
    class_name,
    plain_class,
    said_of_operands,
    unordered,
)
from pullback.frontend.kinds.values import (
    ArrayV,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    Static,
    UnionV,
    Value,
)
from pullback.frontend.memory.container_objects import contents
from pullback.frontend.python.container_bases import holds_value, order_of
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip


class Turn(NamedTuple):
    """An object that is asked, the argument of its method, the method, and whether the answer is
    the opposite of what this gives."""

    receiver: Value
    other: Value
    method: str
    negated: bool = False



def operation(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Return ``left op right`` by such a method; None if there is none."""
    name = METHODS[op]
    mine, other = (left, right, f"__{name}__"), (right, left, f"__r{name}__")
    if _is_numpy(left) and isinstance(right, (RecordV, RefV)) and holds_value(right.cls):
        return run.binop(op, left, contents(run, right, node), node)  # NumPy asks no method of it
    if differ(left, run, mine[2]):
        return run.case_value(left, lambda v: _of_class(run, op, v, right, node), node)
    if isinstance(left, UnionV) and _has(run, right, other[2]):
        return run.case_value(left, lambda v: _of_class(run, op, v, right, node), node)
    if differ(right, run, other[2]):
        return run.case_value(right, lambda v: _of_class(run, op, left, v, node), node)
    _check_array(run, left, right, other[2], node)
    if _comes_first(run, left, right, other[2], node):
        turns = [other, mine]
    else:
        a, b = _classes(run, left), _classes(run, right)
        turns = [mine] if a == b and len(a) == 1 else [mine, other]

    def otherwise(asked: bool) -> Value | None:
        x, y = (opened(run, contents(run, v, node), node) for v in (left, right))
        if not (x is left and y is right):  # [1.0] + stack
            return run.binop(op, x, y, node)
        if asked:
            return _unsupported(run, op, left, right, node)
        return None

    some = _has(run, right, other[2])  # not asked if both are of one class
    return _in_turn(run, [Turn(*turn) for turn in turns], otherwise, node, asked=some)


def _of_class(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Return the same where one operand was of one of several classes, of which one has methods."""
    name = METHODS[op]
    if not _has(run, left, f"__{name}__") and not _has(run, right, f"__r{name}__"):
        return _unsupported(run, op, left, right, node)
    return run.binop(op, left, right, node)


def _has(run: Run, value: Value, method: str) -> bool:
    """Whether one of the classes that an object can have has a special method."""
    return any(written(c, method) is not None for c in _classes(run, value))


def _unsupported(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Raise the error of two operands that no method takes."""
    if isinstance(left, _OF_CLASSES) and len(_classes(run, left)) > 1:
        return run.case_value(left, lambda v: _unsupported(run, op, v, right, node), node)
    if isinstance(right, _OF_CLASSES) and len(_classes(run, right)) > 1:
        return run.case_value(right, lambda v: _unsupported(run, op, left, v, node), node)
    words = " and ".join(repr(_word(run, v)) for v in (left, right))
    message = f"unsupported operand type(s) for {op}: {words}"
    if op not in METHODS:
        message = f"{op!r} not supported between instances of {words}"
    run.never("TypeError", message, node, ArgumentTypeError)


_OF_CLASSES = UnionV, RefV


def in_place(run: Run, op: str, old: Value, value: Value, node: ast.AST) -> Value | None:
    """Return ``old.__iadd__(value)``; None if the class of ``old`` has no such method."""

    def otherwise(asked: bool) -> Value | None:
        return run.binop(op, old, value, node) if asked else None

    return _in_turn(run, [Turn(old, value, f"__i{METHODS[op]}__")], otherwise, node)


def comparison(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Return a comparison by such a method; None if there is none."""
    if _is_asked_by_class(left, run, op, node):
        return run.case_value(left, lambda v: run.compare(op, v, right, node), node)
    if _is_asked_by_class(right, run, op, node):
        return run.case_value(right, lambda v: run.compare(op, left, v, node), node)
    turns = [_comparing(left, right, op), _comparing(right, left, MIRRORED[op])]
    _check_array(run, left, right, COMPARISONS[MIRRORED[op]], node)
    if _comes_first(run, left, right, "", node):
        turns.reverse()

    def otherwise(asked: bool) -> Value | None:
        if not asked:
            x, y = contents(run, left, node), contents(run, right, node)
            return None if x is left and y is right else run.compare(op, x, y, node)
        if op in ("==", "!="):
            return _identical(run, op, left, right, node)
        return _unsupported(run, op, left, right, node)

    return _in_turn(run, turns, otherwise, node)


def _is_asked_by_class(
    value: Value, run: Run, op: str, node: ast.AST
) -> TypeGuard[UnionV | RefV]:
    """Whether a value is an object of one of several classes that have methods which compare."""
    names = {COMPARISONS[op], COMPARISONS[MIRRORED[op]], "__eq__" if op == "!=" else ""} - {""}
    if not isinstance(value, UnionV):
        return any(differ(value, run, n) for n in names)
    having = [
        any(written(c, n) is not None for n in names) for c in value.possible if c is not NoneType
    ]
    if any(having) and not all(having):
        run.refuse(
            node, f"{op} of objects of several classes, of which only some have a method for it",
            f"write {COMPARISONS[op]} in all of them",
        )  # fmt: skip
    return any(having)


def _comparing(receiver: Value, other: Value, op: str) -> Turn:
    """Return how an object is asked: ``!=`` is the opposite of ``==`` if it has no method."""
    method = COMPARISONS[op]
    if op == "!=" and isinstance(receiver, (RecordV, RefV)) and not has_special(receiver, method):
        return Turn(receiver, other, "__eq__", negated=True)
    return Turn(receiver, other, method)


def _identical(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Whether two operands whose methods do not compare them are one object."""
    a, b = _classes(run, left), _classes(run, right)
    if not {*a} & {*b}:
        return Static(op == "!=")
    return run.compare("is" if op == "==" else "is not", left, right, node)


def _in_turn(
    run: Run, turns: Sequence[Turn], otherwise: Callable[[bool], Value | None], node: ast.AST,
    asked: bool = False,
) -> Value | None:  # fmt: skip
    """Return what the first method gives that gives something, or what is done ``otherwise``, which
    is told whether one was asked."""
    for k, (receiver, other, method, negated) in enumerate(turns):
        if isinstance(receiver, UnionV) and _has(run, receiver, method):
            return _by_class(run, receiver, turns[k:], otherwise, node)
        if not isinstance(receiver, (RecordV, RefV)) or not has_special(receiver, method):
            continue
        asked, rest = True, turns[k + 1 :]
        found = run.call(run.attribute(receiver, method, node), (other,), node)
        if _is_declined(found):
            continue
        given = found.value if isinstance(found, OptionalV) and _is_declined(found.other) else found

        def answer(given: Value = given, negated: bool = negated) -> Value:
            return run.unary("not", given, node) if negated else given

        def ask_on(rest: Sequence[Turn] = rest) -> Value:
            made = _in_turn(run, rest, otherwise, node, asked=True)
            assert made is not None
            return made

        if given is found:
            return answer()
        assert isinstance(found, OptionalV)
        return run.branch(found.there, answer, ask_on, node)
    return otherwise(asked)


def _by_class(
    run: Run, receiver: UnionV, turns: Sequence[Turn], otherwise: Callable[[bool], Value | None],
    node: ast.AST,
) -> Value:  # fmt: skip
    """Return the same where the first one that is asked is of one of several classes."""

    def of_class(part: Value) -> Value:
        first = turns[0]._replace(receiver=part)
        made = _in_turn(run, [first, *turns[1:]], otherwise, node, asked=True)
        assert made is not None
        return made

    return run.case_value(receiver, of_class, node)


def _is_declined(found: Value) -> bool:
    return isinstance(found, Static) and found.value is NotImplemented


def _comes_first(run: Run, left: Value, right: Value, method: str, node: ast.AST) -> bool:
    """Whether the right operand is asked first: it is of a subclass, which has a ``method`` of its
    own (if there is one)."""
    a, b = _classes(run, left), _classes(run, right)
    known: set[bool] = {
        issubclass(y, x) and x is not y and (
            not method or _entry(y, method) is not _entry(x, method)
        )
        for x in a for y in b
    }  # fmt: skip
    if known == {True, False} and any(written(c, method or "__eq__") for c in b):
        run.refuse(
            node, "an operator of objects of several classes, of which some are subclasses that "
            "have a method of their own for it",
            "write a method with a name, and call it",
        )  # fmt: skip
    return known == {True}


def _entry(cls: type, method: str) -> object:
    return class_entry(order_of(cls), method)[1]


def _check_array(run: Run, left: Value, right: Value, method: str, node: ast.AST) -> None:
    """Refuse an array before an object that NumPy does not leave the operator to."""
    for cls in _classes(run, right) if isinstance(left, ArrayV) else ():
        ufunc = getattr(cls, "__array_ufunc__", _NONE)
        leaves = ufunc is None or (ufunc is _NONE and getattr(cls, "__array_priority__", -1.0) > 0)
        if written(cls, method) is not None and not leaves:
            run.refuse(
                node,
                f"NumPy calls {cls.__name__}.{method} for each item of the array on the left, and "
                "makes an array of objects",
                "write the object on the left; or __array_ufunc__ = None in the class, and NumPy "
                "leaves the operator to it",
            )


_NONE = object()


def _is_numpy(value: Value) -> bool:
    return isinstance(value, ArrayV) or (isinstance(value, Scalar) and not value.py)


def require(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> None:
    """Raise the TypeError of an operator or an order that the classes of neither operand have."""
    if op in METHODS:
        said = said_of_operands(op, left, right, node)
        names = f"__{METHODS[op]}__", f"__r{METHODS[op]}__"
    else:
        said = unordered(op, left, right)
        names = COMPARISONS[op], COMPARISONS[MIRRORED[op]]
    told = said.replace("{", "{{").replace("}", "}}")
    both = (left, names[0]), (right, names[1])
    if all(_is_known_without(run, v, name) for v, name in both):
        for v, name in both:
            classes_apart.require(run, v, (name,), told, node)


def _is_known_without(run: Run, value: Value, name: str) -> bool:
    """Whether a value is a number, text or container of Python, or an object of one class of the
    user's that has no such method."""
    if plain_class(value) is not None:
        return plain_class(value) is not np.ndarray
    return len(_classes(run, value)) == 1 and not _has(run, value, name)


def _classes(run: Run, value: Value) -> Sequence[type]:
    """Return the classes that an object can have."""
    match value:
        case RefV():
            return run.rows.classes(value)
        case RecordV(cls):
            return (cls,)
        case UnionV():
            return value.possible
        case _:
            return ()


def _word(run: Run, value: Value) -> str:
    classes = _classes(run, value)
    return classes[0].__name__ if classes else class_name(value)


__all__ = ["METHODS", "comparison", "in_place", "operation", "require"]
