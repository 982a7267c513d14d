"""Which nodes are one: a gradient by nodes gives a node that is shared one cotangent.

An object of the user is one node if it becomes one where it is made. A record that is handed on as
its fields may become a node here and there; then derivatives by nodes are refused.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NoReturn

from pullback.frontend.values import RecordV

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def is_one(run: Run, record: RecordV) -> bool:
    """Whether a record that is put into a node now was made here, with nothing but branches
    between: not outside of a loop, nor of a function that takes it or gives it back."""
    made = run.made.get(record)
    for builder in reversed(run.builders):
        if builder is made:
            return True
        if builder not in run.arms:
            return False
    return False


def refuse_split(run: Run, node: ast.AST) -> NoReturn:
    """One object in two places of a tree would be two variables."""
    run.refuse(
        node,
        "a derivative by nodes, in a program that may make several nodes of one record: of a "
        "parameter, a result, an item, in a loop, or on several paths",
        "put the record into a node where it is made, and hand that on",
    )


__all__ = ["is_one", "refuse_split"]
