"""Tuples told apart by a text that they begin with: ``("leaf", x)`` and ``("node", l, r)``."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.messages import Limit
from pullback.frontend.kinds.optionals import alternatives
from pullback.frontend.kinds.sum_kinds import are_tagged
from pullback.frontend.kinds.values import OptionalV, Static, SymbolV, TupleV, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def tagged(run: Run, name: str) -> OptionalV | None:
    """Return what a name holds, if that is one of several tuples with tags."""
    value = run.scope.names.get(name) if are_tagged() else None
    if isinstance(value, OptionalV) and (
        any(_tag(v) is not None for v in alternatives(value))
    ):
        return value
    return None


def tagged_place(run: Run, item: ast.expr) -> tuple[str, OptionalV] | None:
    """Return the name of what an expression is an item of, and its value, if that is one of several
    tuples that this item tells apart."""
    match item:
        case ast.Subscript(ast.Name(name), ast.Constant(int())):
            value = tagged(run, name)
            return None if value is None else (name, value)
    return None


def taken_place(run: Run, subject: ast.expr) -> tuple[str, OptionalV] | None:
    """Return the name that a ``match`` takes apart, and its value, if that is one of several tuples
    with tags."""
    if isinstance(subject, ast.Name):
        value = tagged(run, subject.id)
        return None if value is None else (subject.id, value)
    return tagged_place(run, subject)


def one_of(run: Run, part: Value, whole: OptionalV, node: ast.AST) -> Value:
    """Return one of the things that a value may be. If that is a tuple whose first item only the
    run knows, a text, it is none of those that the other tuples have as tags: the run refuses it
    otherwise, for what has the tag of another tuple has its items, too."""
    if not isinstance(part, TupleV) or not part.items:
        return part
    first, *others = part.items
    if not isinstance(first, SymbolV) or first.cls is not str or first.unlike:
        return part
    tags = {tag for v in alternatives(whole) if (tag := _tag(v)) is not None}
    for tag in sorted(tags):
        is_other = run.truth(run.compare("!=", first, Static(tag), node), node)
        assert not isinstance(is_other, bool)
        reason = f"tuples of {len(part.items)} items and of another length that begin with {tag!r}"
        run.require(is_other, Limit("NotImplementedError"), reason, node)
    return replace(part, items=(replace(first, unlike=frozenset(tags)), *others))


def _tag(value: Value) -> str | None:
    """Return the text that a tuple begins with, if it is known."""
    first = value.items[0] if isinstance(value, TupleV) and value.items else None
    return first.value if isinstance(first, Static) and isinstance(first.value, str) else None


__all__ = ["one_of", "tagged", "tagged_place", "taken_place"]
