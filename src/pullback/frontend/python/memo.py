"""What is found out about a piece of syntax is kept with the syntax node, as long as it lives."""

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
    """The notes of one node; a copy of the node starts without any."""

    __slots__ = ("found", "node")

    def __init__(self, node: ast.AST | None = None) -> None:
        self.node = node
        self.found: dict[Hashable, object] = {}

    def __deepcopy__(self, _: object) -> _Notes:
        return _Notes()


def _found(node: ast.AST) -> dict[Hashable, object]:
    notes = vars(node).get(_NOTES)
    if not isinstance(notes, _Notes) or notes.node is not node:  # the notes of another node
        notes = _Notes(node)
        vars(node)[_NOTES] = notes
    return notes.found


class Remembered(Generic[Found]):
    """A table whose keys are syntax nodes, each with something beside it."""

    def of(self, node: ast.AST, beside: Hashable, make: Callable[[], Found]) -> Found:
        """What is known of a node; made when it is first asked for."""
        found, key = _found(node), (self, beside)
        if key not in found:
            found[key] = make()
        return cast("Found", found[key])


def by_node(
    function: Callable[Concatenate[Node, Given], Found],
) -> Callable[Concatenate[Node, Given], Found]:
    """A function of a syntax node that is evaluated once for each node (and what is beside it)."""
    table = Remembered[Found]()

    @wraps(function)
    def remembered(node: Node, /, *args: Given.args, **kwargs: Given.kwargs) -> Found:
        assert not kwargs
        return table.of(node, args, lambda: function(node, *args, **kwargs))

    return remembered


__all__ = ["Remembered", "by_node"]
