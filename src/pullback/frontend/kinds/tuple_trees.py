"""Tuples that have tuples of their own form in them, as deep as the run makes them: trees and
linked lists of tuples. They have no kind; each round of a loop or recursion finds a larger one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.errors import EndlessError
from pullback.frontend.kinds.kinds import Kind, MaybeK, OptionalK, TupleK, parts

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_DEEP = 4
"""So deep are tuples in tuples that a loop or recursion may find by and by."""
_REWRITE = """use objects of a class:

    class Node:
        def __init__(self, value, left=None, right=None):
            self.value, self.left, self.right = value, left, right"""


def depth(kind: Kind) -> int:
    """Return how deep tuples lie in each other, with nothing between them that can be shared."""
    return max(_chain(kind), max(map(depth, parts(kind)), default=0))


def _chain(kind: Kind) -> int:
    """Return how many tuples lie in each other from here on."""
    match kind:
        case OptionalK() | MaybeK():
            return max(map(_chain, parts(kind)))
        case TupleK(items, False) if type(kind) is TupleK:
            return 1 + max(map(_chain, items), default=0)
        case _:
            return 0


def check(run: Run, before: Kind | None, after: Kind, what: str, node: ast.AST) -> None:
    """Refuse a kind that replaces another one if tuples in it grow from round to round."""
    known = 0 if before is None or before == after else depth(before)
    if known < _DEEP or depth(after) <= known:
        return
    reason = f"{what} is, or holds, a tuple with one of its own form in it, as deep as the run goes"
    try:
        run.refuse(node, reason, _REWRITE, error=EndlessError)
    except EndlessError as e:
        e.in_every_form = True
        raise


__all__ = ["check", "depth"]
