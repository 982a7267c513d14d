"""The error of a ``match`` at the end of a function of which no case takes the value.

Python goes on after the statement: the function ends without ``return``, and gives None, which its
caller hardly expects. So it is an error here, with the value, unless the function says that it can
give None (``-> float | None``), or goes on after the match.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, NoReturn

from pullback.core.build import boolean, i64
from pullback.core.messages import Applied, Leaf, Limit, Message
from pullback.core.terms import Atom
from pullback.errors import ArgumentValueError
from pullback.frontend.kinds.optionals import class_name
from pullback.frontend.kinds.values import RecordV, Scalar, Static, SymbolV, TupleV, UnionV, Value
from pullback.frontend.python.object_classes import are_dicts
from pullback.frontend.python.symbols import members, number_of
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MAX_SYMBOLS = 64
_UNMATCHED = Limit("ValueError")


def is_missing_return(run: Run, s: ast.Match) -> bool:
    """Whether what no case takes makes the function end without a value where others give one."""
    definition = run.frame.definition
    if definition is None or not isinstance(definition.node, ast.FunctionDef):
        return False
    gives = any(
        isinstance(n, ast.Return) and n.value is not None and not _is_none(n.value)
        for case in s.cases
        for statement in case.body
        for n in ast.walk(statement)
    )
    returns = definition.node.returns
    return gives and (returns is None or not any(map(_is_none, ast.walk(returns))))


def _is_none(node: ast.AST) -> bool:
    """Whether an annotation is ``None`` or ``Optional``, or one in quotes with one of them."""
    match node:
        case ast.Constant(None) | ast.Name("Optional") | ast.Attribute(_, "Optional"):
            return True
        case ast.Constant(str(text)):
            return "None" in text or "Optional" in text
        case _:
            return False


def fail(run: Run, subject: Value, s: ast.Match) -> NoReturn:
    """Raise ValueError with the value that no case takes."""
    if isinstance(subject, SymbolV):
        _fail_for_each(run, subject, s)
    numbers: list[Atom] = []
    template = _shown(subject, numbers)
    plain = _message(template.format(*["..."] * len(numbers)))
    if not numbers:
        run.never(_UNMATCHED, plain, s, ArgumentValueError)
    text = Applied(_message(template).format, tuple(map(Leaf, range(len(numbers)))))
    message = Message((text,), len(numbers), plain)
    run.require(boolean(False), _UNMATCHED, message, s, *numbers)
    raise Unreachable


def _message(value: str) -> str:
    return f"no case of the match takes {value}; add one for it, or case _"


def _fail_for_each(run: Run, subject: SymbolV, s: ast.Match) -> NoReturn:
    """Raise the error of a match that nothing fits, for each value of a member of an enumeration or
    a string that only the run knows."""
    known = (v for v in run.lambda_sets.symbols if isinstance(v, str))
    values = tuple(known) if subject.cls is str else members(subject.cls)
    for value in values[:_MAX_SYMBOLS]:
        other = run.b.prim("ne", subject.atom, i64(number_of(value)))
        run.require(other, _UNMATCHED, _message(repr(value)), s)
    run.require(boolean(False), _UNMATCHED, _message(f"this {subject.cls.__name__}"), s)
    raise Unreachable


def _shown(value: Value, numbers: list[Atom]) -> str:
    """Return the text of a value as the template of a message, with ``numbers`` in it."""

    def each(values: Iterable[Value]) -> list[str]:
        return [_shown(v, numbers) for v in values]

    match value:
        case Static(v):
            return repr(v).replace("{", "{{").replace("}", "}}")
        case Scalar(atom):
            numbers.append(atom)
            return f"{{{len(numbers) - 1}}}"
        case RecordV(cls, fields) if not are_dicts(cls):
            inside = zip(fields, each(fields.values()), strict=False)
            return f"{cls.__name__}({', '.join(f'{n}={text}' for n, text in inside)})"
        case TupleV(items, True):
            return f"[{', '.join(each(items))}]"
        case TupleV(items):
            return f"({', '.join(each(items))}{',' if len(items) == 1 else ''})"
        case UnionV(_, union):
            return f"<{' or '.join(union.class_names())}>"
        case _:
            return f"<{class_name(value)}>"


__all__ = ["fail", "is_missing_return"]
