"""What can be done with strings and members of enumerations that only the run tells."""

from __future__ import annotations

import ast
import enum
import operator
import types
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.build import boolean, i64
from pullback.core.messages import Applied, Message
from pullback.core.terms import Atom
from pullback.errors import ArgumentTypeError, ArgumentValueError, UnknownAttributeError
from pullback.frontend.interpret import made_texts
from pullback.frontend.interpret.messages import Recorder
from pullback.frontend.kinds.kinds import static_scalar
from pullback.frontend.kinds.values import OptionalV, Scalar, Specialiser, Static, SymbolV, Value
from pullback.frontend.python.symbols import members, number_of, symbol_class
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run

METHODS = {
    "==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__",
}  # fmt: skip
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def is_member(value: Value) -> bool:
    """Whether a value is a member of an enumeration, known or not (possibly None)."""
    match value:
        case SymbolV(_, cls):
            return cls is not str
        case Static(enum.Enum()):
            return True
        case OptionalV(_, inner, other):
            return is_member(inner) and isinstance(other, Static)
        case _:
            return False


def is_pythons_number(value: Value) -> bool:
    """Whether a value is a number of Python's, not one of NumPy's."""
    if isinstance(value, Scalar):
        return value.py
    return isinstance(value, Static) and type(value.value) in (int, float, bool)


def is_plain(value: Value) -> bool:
    """Whether a value is a member of an enumeration that has no operators."""
    cls = value.cls if isinstance(value, SymbolV) else type(getattr(value, "value", None))
    if not issubclass(cls, enum.Enum) or issubclass(cls, (int, float, str, enum.Flag)):
        return False
    own = {n for c in cls.__mro__ if c.__module__ not in ("enum", "builtins") for n in vars(c)}
    return own.isdisjoint(_OPERATORS)


def plain(*values: Value) -> bool:
    """Whether one of the values is such a member."""
    return any(map(is_plain, values))


_OPERATORS = frozenset(
    name for name in vars(float) | vars(int) if name.startswith("__") and name not in vars(object)
) | {"__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__matmul__", "__rmatmul__"}


def _number(value: Value) -> tuple[type, Atom] | None:
    match value:
        case SymbolV(atom, cls):
            return cls, atom
        case Static(constant):
            known = symbol_class(constant)
            return None if known is None else (known, i64(number_of(constant)))
        case _:
            return None


def compare(run: Run, op: str, a: Value, b: Value, node: ast.AST) -> Value:
    """Compile a comparison in which a symbol occurs: by a method that the user wrote, else by
    number."""
    for receiver, other, name in ((a, b, METHODS[op]), (b, a, METHODS[MIRRORED[op]])):
        if is_member(receiver) and overrides(receiver, name):
            return run.call(run.attribute(receiver, name, node), (other,), node)
    if op == "!=" and any(is_member(v) and overrides(v, "__eq__") for v in (a, b)):
        return run.unary("not", compare(run, "==", a, b, node), node)
    x, y = _number(a), _number(b)
    if x is not None and y is not None and op in ("==", "!="):
        same_class = x[0] is y[0]
        if same_class and any(_is_unlike(*pair) for pair in ((a, b), (b, a))):
            return Static(op == "!=")
        if same_class:
            return Scalar(run.b.prim("eq" if op == "==" else "ne", x[1], y[1]), True, 1)
    if _has_numbers(a) or _has_numbers(b):
        p, q = (operand(run, v, op, node) if _has_numbers(v) else v for v in (a, b))
        if (p, q) != (a, b):
            return run.compare(op, p, q, node)
    if op in ("==", "!="):
        return Static(op == "!=")
    if made_texts.is_text(a) and made_texts.is_text(b):
        return made_texts.of_python(run, getattr(operator, METHODS[op]), (a, b), node, bool)
    run.refuse(
        node,
        f"{op} of {run.describe(a)} and {run.describe(b)} is not supported",
        "compare with == and !=",
        error=ArgumentTypeError,
    )


def _is_unlike(value: Value, text: Value) -> bool:
    """Whether a string is known not to be this one."""
    if not isinstance(value, SymbolV) or not isinstance(text, Static):
        return False
    return isinstance(text.value, str) and text.value in value.unlike


def overrides(value: Value, name: str) -> bool:
    """Whether the user of an enumeration wrote a special method of it."""
    cls = value.cls if isinstance(value, SymbolV) else type(getattr(value, "value", None))
    return any(
        isinstance(vars(c).get(name), types.FunctionType)
        for c in cls.__mro__
        if c.__module__ != "enum"
    )


def _has_numbers(value: Value) -> bool:
    """Whether members are numbers too, as those of IntEnum are."""
    return isinstance(value, SymbolV) and issubclass(value.cls, (int, float))


def operand(run: Specialiser, value: Value, op: str, node: ast.AST) -> Value:
    """Return a symbol as the operand of an operator: only members that are numbers can be one."""
    if not isinstance(value, SymbolV):
        return value
    if not _has_numbers(value):
        run.refuse(
            node,
            f"{op} is not defined for {run.describe(value)} that only the run tells",
            "compare it with constants: if kind == ...",
            error=ArgumentTypeError,
        )
    return attribute(run, value, "value", node)


def attribute(run: Specialiser, value: SymbolV, name: str, node: ast.AST) -> Value:
    """Return ``member.value``, ``member.name`` or an attribute that ``__init__`` set, chosen among
    the constants."""
    if value.cls is str or not all(hasattr(m, name) for m in members(value.cls)):
        run.refuse(
            node,
            f"{run.describe(value)} that only the run tells has no {name!r}",
            "compare it with constants: if kind == ...",
            error=UnknownAttributeError,
        )
    constants = [getattr(m, name) for m in members(value.cls)]
    found: Value = Static(constants[-1])
    for k in reversed(range(len(constants) - 1)):
        is_it = run.b.prim("eq", value.atom, i64(k))
        constant, rest = constants[k], found
        number = static_scalar(constant) is not None
        if number:
            found = run.select(is_it, Static(constant), rest, node)
        else:
            found = _either(run, is_it, Static(constant), rest, node)
    return found


def _either(run: Specialiser, cond: Atom, then: Value, orelse: Value, node: ast.AST) -> Value:
    return run.branch(cond, lambda: then, lambda: orelse, node)


def member_of(run: Run, cls: enum.EnumType, value: Value, node: ast.AST) -> Value:
    """Compile ``Class(value)``: the member with this value, or a ValueError if there is none."""
    if is_member(value) and (number := _number(value)) is not None and number[0] is cls:
        return value
    if isinstance(value, Static):
        try:
            return Static(cls(value.value))
        except ValueError as e:
            run.never("ValueError", str(e), node, ArgumentValueError)
    known = members(cls)

    def found(k: int) -> Value:
        if k == len(known):
            plain, recorder = f"this is not a valid {cls.__qualname__}", Recorder(run, node)
            shown = recorder.value(value)
            if shown is None or not recorder.leaves:
                run.never("ValueError", plain, node, ArgumentValueError)
            part = Applied(partial(_not_valid, cls), (shown,))
            message = Message((part,), len(recorder.leaves), plain)
            run.require(boolean(False), "ValueError", message, node, *recorder.leaves)
            raise Unreachable
        is_it = run.truth(run.compare("==", value, Static(known[k].value), node), node)
        return run.branch(is_it, lambda: Static(known[k]), lambda: found(k + 1), node)

    return found(0)


def _not_valid(cls: enum.EnumType, value: object) -> str:
    return f"{value!r} is not a valid {cls.__qualname__}"


def truth(run: Run, value: SymbolV, node: ast.AST) -> bool | Atom:
    """Return the truth of a symbol: a string is true unless it is empty, a member unless it is the
    number 0 or says so itself."""
    for name in ("__bool__", "__len__"):
        if value.cls is not str and overrides(value, name):
            return run.truth(run.call(run.attribute(value, name, node), (), node), node)
    if value.cls is str:
        return run.b.prim("ne", value.atom, i64(number_of("")))
    if _has_numbers(value):
        return run.truth(attribute(run, value, "value", node), node)
    return True


__all__ = [
    "METHODS", "MIRRORED", "attribute", "compare", "is_member", "is_plain", "is_pythons_number",
    "member_of", "operand", "overrides", "plain", "truth",
]  # fmt: skip
