"""Keep results about a piece of syntax with its syntax node, as long as the node lives."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, Generic, ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Node = TypeVar("Node", bound=ast.AST)
Found = TypeVar("Found")

_NOTES = "_pullback_notes"


class _Notes:
    """The notes of one node; a copy of the node starts without notes."""

    __slots__ = ("found", "node")

    def __init__(self, node: ast.AST | None = None) -> None:
        self.node = node
        self.found: dict[Hashable, object] = {}

    def __deepcopy__(self, _: object) -> _Notes:
        return _Notes()


def _found(node: ast.AST) -> dict[Hashable, object]:
    notes = vars(node).get(_NOTES)
    if not isinstance(notes, _Notes) or notes.node is not node:  # notes of another node
        notes = _Notes(node)
        vars(node)[_NOTES] = notes
    return notes.found


class Remembered(Generic[Found]):
    """A table whose keys are syntax nodes, each with a second key beside it."""

    def of(self, node: ast.AST, beside: Hashable, make: Callable[[], Found]) -> Found:
        """Return the entry for a node, which ``make`` makes when it is first asked for."""
        found, key = _found(node), (self, beside)
        if key not in found:
            found[key] = make()
        return cast("Found", found[key])


def by_node(
    function: Callable[Concatenate[Node, Given], Found],
) -> Callable[Concatenate[Node, Given], Found]:
    """Return a function of a syntax node that is evaluated once for each node and each choice of
    the other arguments."""
    table = Remembered[Found]()

    @wraps(function)
    def remembered(node: Node, /, *args: Given.args, **kwargs: Given.kwargs) -> Found:
        assert not kwargs
        return table.of(node, args, lambda: function(node, *args, **kwargs))

    return remembered


__all__ = ["Remembered", "by_node"]
