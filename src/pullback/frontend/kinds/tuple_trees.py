"""Tuples that have tuples of their own form in them, as deep as the run makes them: trees and
linked lists of tuples. They have no kind; each round of a loop or recursion finds a larger one."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from pullback.errors import EndlessError
from pullback.frontend.kinds.kinds import Kind, MaybeK, OptionalK, RecordK, TupleK, parts
from pullback.frontend.kinds.sum_kinds import may_be_tuple
from pullback.frontend.python.object_classes import is_tree_class

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
    return _depth(kind, {})[1]


def _depth(kind: Kind, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return how many tuples lie in each other from here on, and the most anywhere inside. A kind
    that stands in several places (``known``, by identity) is looked at once."""
    found = known.get(id(kind))
    if found is None:
        inside = [_depth(k, known) for k in parts(kind)]
        chain = max((c for c, _ in inside), default=0)
        match kind:
            case OptionalK() | MaybeK():
                pass
            case TupleK(is_list=False) if type(kind) is TupleK:
                chain += 1
            case RecordK(cls) if is_tree_class(cls):
                chain += 1
            case _:
                chain = 0
        found = known[id(kind)] = chain, max([chain, *(most for _, most in inside)])
    return found


def grows(before: Kind, after: Kind) -> bool:
    """Whether tuples lie deeper in each other in the arguments of a recursive call than in those of
    the call around, and not by one of several forms that they have."""
    known = depth(before)
    return depth(after) > known >= (_DEEP if may_be_tuple(before) else 1)


def check(run: Run, before: Kind | None, after: Kind, what: str, node: ast.AST) -> None:
    """Refuse a kind that replaces another one if tuples in it grow from round to round."""
    known = 0 if before is None or before == after else depth(before)
    if known < _DEEP or depth(after) <= known:
        return
    reason = f"{what} is, or holds, a tuple with one of its own form in it, as deep as the run goes"
    _refuse(run, reason, _REWRITE, True, node)


def refuse_call(
    run: Run, name: str, before: Sequence[Kind], after: Sequence[Kind], node: ast.AST
) -> NoReturn:
    """Refuse a recursion whose calls have ever new types as arguments: perhaps tuples that grow."""
    reason = f"the recursion of {name!r} gives arguments of ever new types"
    rewrite = "pass values of the same types to every recursive call"
    _refuse(run, reason, rewrite, any(map(grows, before, after)), node)


def _refuse(run: Run, reason: str, rewrite: str, are_trees: bool, node: ast.AST) -> NoReturn:
    """Refuse a program whose types grow; with tuples in tuples in regions it may be right."""
    if run.store is not None and are_trees:
        run.store.facts.let_be_trees()
    try:
        run.refuse(node, reason, rewrite, error=EndlessError)
    except EndlessError as e:
        e.grows = are_trees
        raise


__all__ = ["check", "depth", "grows", "refuse_call"]
