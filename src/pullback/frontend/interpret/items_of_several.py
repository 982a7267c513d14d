"""Values that may be one of several tuples, or a tuple or something else (``sum_kinds``): their
items."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.join import as_list
from pullback.frontend.kinds.sum_kinds import mixes
from pullback.frontend.kinds.values import TupleV, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def whatever_it_is(run: Run, value: Value, node: ast.AST) -> Value:
    """Return what is gone through where a value may be None, a mark, a text or one of several
    tuples: of several things, their items as one list."""

    said = optionals.object_said("is not iterable")

    def items(part: Value) -> Value:
        optionals.require_items(run, part, said("{}"), node)
        as_one = as_list(run.kind(part, node)) if isinstance(part, TupleV) else None
        if as_one is not None and mixes(as_one.elem):
            return run.coerce_list(part, replace(as_one, cls=list), node)
        return run.to_list(part, node)

    made = optionals.apart(run, value, items, node)
    return optionals.present(run, value, said, node) if made is None else made


def subscript(run: Run, value: Value, index: Value, node: ast.AST) -> Value:
    """Compile ``value[index]``."""
    said = optionals.object_said("is not subscriptable")

    def inside(part: Value) -> Value:
        optionals.require_items(run, part, said("{}"), node)
        return run.subscript(part, index, node)

    made = optionals.apart(run, value, inside, node)
    return made or run.subscript(optionals.present(run, value, said, node), index, node)


__all__ = ["subscript", "whatever_it_is"]
