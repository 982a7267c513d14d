"""``==`` of lists, dicts and objects that may lead to others of their sort.

    a == b          of nodes {"value": v, "parent": node or None}

compares the items, among these the parents, of which the comparison is the same once more. It is
compiled as a function that calls itself, from where it is met for the second time.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, TypeVar, cast

from pullback.frontend.kinds.values import RefV, Value
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import equal_items

if TYPE_CHECKING:
    from pullback.frontend.run import Run


Compare = TypeVar("Compare", bound=Callable[..., Value])

_Met = tuple[int, type, tuple[type, ...], type, tuple[type, ...]]

_BEING_COMPARED: ContextVar[frozenset[_Met]] = ContextVar("_BEING_COMPARED", default=frozenset())
"""The references whose comparison is being compiled: in which frame, to which regions and
to which of their classes."""


def by_one_function(compare: Compare) -> Compare:
    """Return ``compare`` with a function for the comparison of references inside of that of
    references to the same regions."""

    @wraps(compare)
    def compared(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
        if op not in ("==", "!=") or not (isinstance(left, RefV) and isinstance(right, RefV)):
            return compare(run, op, left, right, node)
        met = id(run.frame), left.cls, left.among, right.cls, right.among
        if met in _BEING_COMPARED.get():
            same = run_program(run, equal_items.are_equal, (left, right), node)
            return same if op == "==" else run.unary("not", same, node)
        token = _BEING_COMPARED.set(_BEING_COMPARED.get() | {met})
        try:
            return compare(run, op, left, right, node)
        finally:
            _BEING_COMPARED.reset(token)

    return cast("Compare", compared)


__all__ = ["by_one_function"]
